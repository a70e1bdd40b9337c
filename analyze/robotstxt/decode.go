package robotstxt

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/ingest/bodytext"
)

// An Encoding is how the characters of a body are written. R-LEX-1.
type Encoding uint8

const (
	UTF8    Encoding = iota + 1 // valid UTF-8, pure ASCII and the empty body included, with a byte order mark or without
	UTF16LE                     // with its byte order mark; decoded, as the three that follow
	UTF16BE
	UTF32LE
	UTF32BE
	Bytes // anything else: taken as it is
)

var encodingNames = [...]string{
	UTF8: "utf-8", UTF16LE: "utf-16le", UTF16BE: "utf-16be", UTF32LE: "utf-32le", UTF32BE: "utf-32be", Bytes: "bytes",
}

// String returns the name of the encoding in lower case.
func (e Encoding) String() string {
	if e == 0 || int(e) >= len(encodingNames) {
		return fmt.Sprintf("invalid(%d)", uint8(e))
	}
	return encodingNames[e]
}

// refine tells UTF8 from Bytes by the text that is left after a cut line was dropped: a cut may part a character.
func (e Encoding) refine(text string) Encoding {
	if e == UTF8 && !utf8.ValidString(text) {
		return Bytes
	}
	return e
}

var markUTF8 = []byte{0xEF, 0xBB, 0xBF}

// decode returns the text of a body up to a limit in bytes, 0 or less for none, without its byte order mark: UTF-16 and UTF-32 that have
// one are decoded, and the limit is of the text; anything else is a part of body, called UTF8 without looking, and its mark counts.
// Without a mark such a body was decoded before, where its HTTP header says so. cut tells that the limit left something out. R-LEX-1, R-LEX-8.
func decode(body []byte, limit int) (text []byte, encoding Encoding, cut bool) {
	if limit <= 0 {
		limit = math.MaxInt/bodytext.MaxExpansion - 4
	}
	if name, mark := bodytext.Encoding(body, ""); name != "" {
		// What is beyond makes no text within the limit.
		coded := body[:min(len(body), (limit+1)*bodytext.MaxExpansion+4)]
		text = bodytext.Append(make([]byte, 0, len(coded)/2), coded, name, mark)
		cut = len(text) > limit
		return text[:min(len(text), limit)], Encoding(slices.Index(encodingNames[:], name)), cut
	}
	cut = len(body) > limit
	return bytes.TrimPrefix(body[:min(len(body), limit)], markUTF8), UTF8, cut
}

// wholeLines drops a last line that has no line end. R-LEX-8.
func wholeLines(text []byte, ends string) []byte {
	return text[:bytes.LastIndexAny(text, ends)+1]
}

const nbspByte = 0xA0

// blankNBSP returns text with a blank for every byte of a U+00A0, in UTF-8 or as a lone byte A0; text itself where there is
// none. A lone byte is one that is no part of a character in UTF-8 (as it is in `à`, C3 A0), so a body that has one is not
// valid UTF-8, as R-LEX-4 asks. The length stays, so that one offset serves both strings.
func blankNBSP(text string) string {
	if strings.IndexByte(text, nbspByte) < 0 {
		return text
	}
	var blanked []byte
	for i := 0; i < len(text); {
		size := nbspLen(text[i:])
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		if blanked == nil {
			blanked = []byte(text)
		}
		for range size {
			blanked[i] = ' '
			i++
		}
	}
	if blanked == nil {
		return text
	}
	return string(blanked)
}

// nbspLen returns the length of the U+00A0 that text, which begins with a character, begins with: 2 in UTF-8, 1 as a lone byte,
// 0 where it begins with another.
func nbspLen(text string) int {
	switch {
	case text != "" && text[0] == nbspByte:
		return 1
	case len(text) >= 2 && text[0] == 0xC2 && text[1] == nbspByte:
		return 2
	}
	return 0
}
