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
	var buf [256]byte
	b := appendQuoted(buf[:0], warcFilename)
	b = strconv.AppendInt(append(b, ' '), recordOffset, 10)
	b = append(append(append(b, ' '), source...), ' ')
	b = strconv.AppendInt(append(append(b, vocabulary...), ' '), position, 10)
	b = strconv.AppendInt(append(b, ' '), int64(part), 10)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
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
