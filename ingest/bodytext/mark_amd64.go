package bodytext

import "encoding/binary"

// skipToMark returns an offset before or at the first mark in text: LF, CR, or letters that may be acap.
//
//go:noescape
func skipToMark(text []byte) int

// mayBePolicy reports whether text has letters of ACAP or a known field: !LacksACAP(text) || HasKnownField(text). It
// reads the text once, since most bytes of a crawl of robots.txt are those of pages.
func mayBePolicy(text []byte) bool {
	if !LacksACAP(text[:min(len(text), 1)]) { // another encoding
		return true
	}
	for at := 0; ; {
		// Here a line begins or ends.
		at += skipIndent(text[at:])
		if at += blanks(text[at:], true); at == len(text) {
			return false
		}
		if beginsWithKnownField(text[at:]) {
			return true
		}
		for {
			if at += skipToMark(text[at:]); at == len(text) {
				return false
			}
			if text[at] == '\n' || text[at] == '\r' {
				break
			}
			if hasPrefixFold(text[at:], acapField[:4]) {
				return true
			}
			at++
		}
	}
}

// skipIndent returns the length of the blanks, tabs and line ends at the beginning of text.
func skipIndent(text []byte) int {
	const eightBlanks = 0x2020202020202020
	for i := 0; ; {
		switch {
		case i == len(text):
			return i
		case text[i] == ' ':
			if i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:]) == eightBlanks {
				i += 7
			}
		case text[i] != '\n' && text[i] != '\t' && text[i] != '\r':
			return i
		}
		i++
	}
}
