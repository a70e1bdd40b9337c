package bodytext

import (
	"bytes"
	"encoding/binary"
)

// KnownFields are the fields that make a body a robots.txt although it begins like a page, in lower case; ACAP- fields
// do, too.
var KnownFields = [...]string{"user-agent", "disallow", "allow", "sitemap", "crawl-delay", "host", "noindex"}

const acapField = "acap-"

// pageBegin is within how many bytes IsPage looks for the beginning of a page: less than any limit on a robots.txt.
const pageBegin = 4 << 10

// IsPage reports whether a body is a page and no robots.txt, whatever rules of R-LEX are left out but R-LEX-7 itself:
// it begins like a page within 4 KiB, no line begins with a known field, and it has no letters of ACAP. So no part of
// the body that may be read, of 4 KiB or more, can be a robots.txt.
func IsPage(body []byte) bool {
	return BeginsAsPage(body[:min(len(body), pageBegin)]) && !mayBePolicy(body)
}

// LacksACAP reports whether a body has no letters acap, in any case, one behind the other. It does not look into text
// of other encodings than ASCII supersets, which begins with 0xFE, 0xFF or NUL.
func LacksACAP(body []byte) bool {
	if len(body) > 0 && (body[0] == 0xFE || body[0] == 0xFF || body[0] == 0) {
		return false
	}
	const ones = 0x0101010101010101
	const a, c, p, lower = 'a' * ones, 'c' * ones, 'p' * ones, 0x20 * ones
	for ; len(body) >= 11; body = body[8:] {
		// A byte of all is zero where these eight letters and those behind them have a, c, any and p.
		all := (binary.LittleEndian.Uint64(body) | lower) ^ a | (binary.LittleEndian.Uint64(body[1:]) | lower) ^ c |
			(binary.LittleEndian.Uint64(body[3:]) | lower) ^ p
		if (all-ones)&^all&(ones<<7) != 0 && hasACAP(body[:11]) {
			return false
		}
	}
	return !hasACAP(body)
}

// hasACAP reports whether a short text has the letters acap, in any case.
func hasACAP(text []byte) bool {
	for ; len(text) >= 4; text = text[1:] {
		if hasPrefixFold(text, acapField[:4]) {
			return true
		}
	}
	return false
}

// BeginsAsPage reports whether the first byte of a text is '<', after a byte order mark, white space and U+00A0 (in
// UTF-8, or as a single byte). Such a robots.txt may be a page, depending on what follows. R-LEX-7.
func BeginsAsPage(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	text = text[blanks(text, true):]
	return len(text) > 0 && text[0] == '<'
}

// HasKnownField reports whether a line begins with a known field and a colon, or with ACAP- even without (R-LEX-6,
// R-LEX-7, R-REC-6), after white space and U+00A0. LF and CR end lines.
func HasKnownField(text []byte) bool {
	lf, cr := -1, -1 // the next ones, or the end of text
	next := func(c byte, at int) int {
		if i := bytes.IndexByte(text[at:], c); i >= 0 {
			return at + i
		}
		return len(text)
	}
	for at := 0; ; at = min(lf, cr) {
		at += blanks(text[at:], true)
		if at == len(text) {
			return false
		}
		if beginsWithKnownField(text[at:]) {
			return true
		}
		if lf < at {
			lf = next('\n', at)
		}
		if cr < at {
			cr = next('\r', at)
		}
	}
}

func beginsWithKnownField(text []byte) bool {
	switch text[0] | 0x20 {
	case 'a', 'u', 'd', 's', 'c', 'h', 'n':
	default:
		return false // as most lines of pages
	}
	if hasPrefixFold(text, acapField) {
		return true
	}
	for _, field := range KnownFields {
		if hasPrefixFold(text, field) {
			rest := text[len(field):]
			rest = rest[blanks(rest, false):]
			return len(rest) > 0 && rest[0] == ':'
		}
	}
	return false
}

// hasPrefixFold reports whether text begins with a name of ASCII in lower case, in any case.
func hasPrefixFold(text []byte, name string) bool {
	if len(text) < len(name) || text[0]|0x20 != name[0] {
		return false
	}
	for i := 1; i < len(name); i++ {
		if c := text[i]; c != name[i] && (c < 'A' || c > 'Z' || c|0x20 != name[i]) {
			return false
		}
	}
	return true
}

// blanks returns the length of white space at the beginning of text, with U+00A0 (R-LEX-4), and optionally line ends.
func blanks(text []byte, lineEnds bool) int {
	i := 0
	for i < len(text) {
		switch spaces[text[i]] {
		case ' ':
			i++
		case '\n':
			if !lineEnds {
				return i
			}
			i++
		case 0xC2:
			if i+1 == len(text) || text[i+1] != 0xA0 {
				return i
			}
			i += 2
		default:
			return i
		}
	}
	return i
}

// spaces says what begins with a byte: ' ' white space, '\n' a line end, 0xC2 perhaps a U+00A0 in UTF-8, 0 anything
// else.
var spaces = [256]byte{
	' ': ' ', '\t': ' ', '\v': ' ', '\f': ' ', 0xA0: ' ', '\n': '\n', '\r': '\n', 0xC2: 0xC2,
}
