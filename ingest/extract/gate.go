package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

var utf8BOM = []byte("\xEF\xBB\xBF")

// gates tell of a body, in a fraction of the time of a scan, what a scan may find in it. What they do not tell of is
// not there; what they tell of may stand where it is nothing, as in a comment.
type gates struct {
	classToken bool // see mayHoldClassToken
	pi         bool // "<?robots" stands somewhere, in any case
	lastMETA   int  // where the last tag with the name meta begins, in any case; -1 if there is none
}

// look looks once at every byte of a body. Where it finds a class token or a PI it ends: the body is scanned then,
// whatever else is in it.
func look(src []byte) gates {
	g := gates{lastMETA: -1}
	for i := nextHit(src, 0); i < len(src) && !g.classToken && !g.pi; i = nextHit(src, i+1) {
		g.at(src, i)
	}
	return g
}

const (
	eachByte = 0x0101_0101_0101_0101
	topBits  = 0x80 * eachByte
	caseBits = 0x20 * eachByte
)

// nextHit returns the offset of the first place from i on where something may begin that gates tell of, or one before
// it; the length of src if there is none. It looks for two characters of each: "<m" of a META, "<?" of a PI, "c" and
// three places on what ends "acap:".
func nextHit(src []byte, i int) int {
	for ; i+11 <= len(src); i += 8 {
		eight := src[i : i+11]
		// A byte of a difference is 0 where the character stands, and the lowest that is 0 gets its top bit set.
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
	return i // too little is left for eight places at once
}

// at notes what begins at a place; of a class token it is the second letter.
func (g *gates) at(src []byte, i int) {
	rest := src[i:]
	switch {
	case rest[0] != '<':
		if i > 0 && foldPrefix(src[i-1:], "acap") && len(rest) > len("cap") && (rest[len("cap")] == ':' || rest[len("cap")] == '&') {
			g.classToken = true
		}
	case beginsMETA(rest):
		g.lastMETA = i
	case foldPrefix(rest, "<?robots"):
		g.pi = true
	}
}

// beginsMETA tells whether b begins with a tag with the name meta, in any case.
func beginsMETA(b []byte) bool {
	if !foldPrefix(b, "<meta") || len(b) == len("<meta") {
		return false
	}
	c := b[len("<meta")]
	return isSpace(c) || c == '/' || c == '>'
}

// mayHoldMETA tells whether a tag stands anywhere in src from i on that would be a raw directive if it were a META of
// the page: in a comment, a script and the like it is none, which only a scan can tell. Pages with METAs of microdata
// in their bodies are many, those with directives there few.
//
// It reads each tag by itself, wherever it begins. Where tags overlap so much that this costs more than a scan, it
// leaves the matter to one.
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

// mayHoldClassToken tells whether "acap:" stands anywhere, in any case. A colon written as a character reference
// counts, letters written so do not: nobody writes them so, and the search would have to look at every reference.
func mayHoldClassToken(src []byte) bool {
	return follows(src, ':', "acap") || follows(src, '&', "acap")
}

// follows tells whether c stands anywhere behind word, which is in lower case, in any case.
func follows(src []byte, c byte, word string) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], c)
		if n < 0 {
			return false
		}
		i += n
		if i >= len(word) && foldEqual(src[i-len(word):i], word) {
			return true
		}
	}
}
