package table

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// StatementID names a statement by where it is written: the record of the archive, the carrier, the position in it (a
// line of a robots.txt, else a byte offset) and the part. It is 24 hexadecimal digits: among a thousand million
// statements, two are alike with a probability below one in ten thousand million.
func StatementID(warcFilename string, recordOffset int64, source Source, vocabulary Vocabulary, position int64,
	part int) string {
	var w StatementIDs
	return w.ID(warcFilename, recordOffset, source, vocabulary, position, part)
}

// StatementIDs makes ids as StatementID does, in less time for statements of one record that follow each other.
type StatementIDs struct {
	of struct {
		filename   string
		offset     int64
		source     Source
		vocabulary Vocabulary
	}
	text []byte
	same int // bytes of text that tell what of has
}

// ID is StatementID.
func (w *StatementIDs) ID(warcFilename string, recordOffset int64, source Source, vocabulary Vocabulary, position int64,
	part int) string {
	if of := &w.of; w.same == 0 || of.offset != recordOffset || of.source != source || of.vocabulary != vocabulary ||
		of.filename != warcFilename {
		of.filename, of.offset, of.source, of.vocabulary = warcFilename, recordOffset, source, vocabulary
		b := appendQuoted(w.text[:0], warcFilename)
		b = strconv.AppendInt(append(b, ' '), recordOffset, 10)
		b = append(append(append(b, ' '), source...), ' ')
		w.text = append(append(b, vocabulary...), ' ')
		w.same = len(w.text)
	}
	w.text = strconv.AppendInt(w.text[:w.same], position, 10)
	w.text = strconv.AppendInt(append(w.text, ' '), int64(part), 10)
	sum := sha256.Sum256(w.text)
	var digits [24]byte
	hex.Encode(digits[:], sum[:12])
	return string(digits[:])
}

// appendQuoted is strconv.AppendQuote, in less time for names without escapes.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
