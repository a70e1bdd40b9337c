package markup

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

var utf8BOM = []byte("\xEF\xBB\xBF")

// hints say what a scan of a body may find, and take much less time than a scan. What they exclude is not in the body.
// What they report may be in a comment or elsewhere without effect.
type hints struct {
	classToken bool // see mayHoldClassToken
	pi         bool // the body has "<?robots", in any case
	lastMETA   int  // where the last tag named meta begins, in any case; -1 if there is none
}

// findHints reads every byte of a body once. It ends at a class token or PI, because the body needs a scan then.
func findHints(src []byte) hints {
	h := hints{lastMETA: -1}
	for i := nextHit(src, 0); i < len(src) && !h.classToken && !h.pi; i = nextHit(src, i+1) {
		h.at(src, i)
	}
	return h
}

const (
	eachByte = 0x0101_0101_0101_0101
	topBits  = 0x80 * eachByte
	caseBits = 0x20 * eachByte
)

// nextHit returns an offset from i on, before or at the next META, PI or class token; len(src) if there is none. It
// looks for two characters of each: "<m" of a META, "<?" of a PI, and of "acap:" the "c" with the ":" three bytes
// later.
func nextHit(src []byte, i int) int {
	i += skipToHit(src[i:])
	for ; i+11 <= len(src); i += 8 {
		eight := src[i : i+11]
		// A byte of a difference is 0 where the character is. The lowest byte that is 0 gets its top bit set.
		first := binary.LittleEndian.Uint64(eight) | caseBits
		angle, c := first^'<'*eachByte, first^'c'*eachByte
		angle, c = (angle-eachByte)&^angle, (c-eachByte)&^c
		if (angle|c)&topBits == 0 {
			continue
		}
		second, fourth := binary.LittleEndian.Uint64(eight[1:])|caseBits, binary.LittleEndian.Uint64(eight[3:])
		m, question := second^'m'*eachByte, second^'?'*eachByte
		colon, reference := fourth^':'*eachByte, fourth^'&'*eachByte
		angle &= (m-eachByte)&^m | (question-eachByte)&^question
		c &= (colon-eachByte)&^colon | (reference-eachByte)&^reference
		if found := (angle | c) & topBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	return i // fewer bytes than eight places need
}

// at records what begins at an offset. For a class token it is the second letter.
func (h *hints) at(src []byte, i int) {
	rest := src[i:]
	switch {
	case rest[0] != '<':
		if i > 0 && FoldPrefix(src[i-1:], "acap") && len(rest) > len("cap") &&
			(rest[len("cap")] == ':' || rest[len("cap")] == '&') {
			h.classToken = true
		}
	case beginsMETA(rest):
		h.lastMETA = i
	case FoldPrefix(rest, "<?robots"):
		h.pi = true
	}
}

// beginsMETA reports whether b begins with a tag named meta, in any case.
func beginsMETA(b []byte) bool {
	if !FoldPrefix(b, "<meta") || len(b) == len("<meta") {
		return false
	}
	c := b[len("<meta")]
	return isSpace(c) || c == '/' || c == '>'
}

// mayHoldMETA reports whether src has, from i on, a tag that would be a raw directive as a META of the page. It may
// stand in a comment or script, which only a scan can decide. Many pages have METAs of microdata in their bodies, and
// few of these are directives.
//
// It reads each tag by itself. If tags overlap so much that this costs more than a scan, it returns true.
func mayHoldMETA(src []byte, i int) bool {
	var t tag
	for budget := len(src) - i; ; i++ {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			return false
		}
		if i += n; !beginsMETA(src[i:]) {
			continue
		}
		end := len(src)
		if t.read(src, i, i+1, false) {
			t.repair(src)
			if _, ok := readMETA(src, &t); ok {
				return true
			}
			end = t.end
		}
		if budget -= end - i; budget < 0 {
			return true
		}
	}
}

// mayHoldClassToken reports whether src has "acap:" in any case. The colon may be a character reference. Letters as
// references do not count: they are unusual, and the search would have to check every reference.
func mayHoldClassToken(src []byte) bool {
	return follows(src, ':', "acap") || follows(src, '&', "acap")
}

// follows reports whether c follows word somewhere, in any case. word is in lower case.
func follows(src []byte, c byte, word string) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], c)
		if n < 0 {
			return false
		}
		i += n
		if i >= len(word) && FoldEqual(src[i-len(word):i], word) {
			return true
		}
	}
}
