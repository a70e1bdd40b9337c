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

// An Encoding is the character encoding of a body. R-LEX-1.
type Encoding uint8

const (
	UTF8    Encoding = iota + 1 // valid UTF-8, with or without a byte order mark, also ASCII and the empty body
	UTF16LE                     // with its byte order mark; decoded, like the three that follow
	UTF16BE
	UTF32LE
	UTF32BE
	Bytes // any other encoding; not decoded
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

// refine distinguishes UTF8 and Bytes after a cut line was dropped, because a cut may split a character.
func (e Encoding) refine(text string) Encoding {
	if e == UTF8 && !utf8.ValidString(text) {
		return Bytes
	}
	return e
}

var markUTF8 = []byte{0xEF, 0xBB, 0xBF}

// decode returns the text of a body without its byte order mark, up to a limit in bytes of text; 0 or less means no
// limit. It decodes UTF-16 and UTF-32 with a mark. Otherwise the text is a part of body and provisionally UTF8, and its
// mark counts. Stage 1 has decoded bodies without a mark if their HTTP header says so. cut means that the limit removed
// text. R-LEX-1, R-LEX-8.
func decode(body []byte, limit int) (text []byte, encoding Encoding, cut bool) {
	if limit <= 0 {
		limit = math.MaxInt/bodytext.MaxExpansion - 4
	}
	if name, mark := bodytext.Encoding(body, ""); name != "" {
		// Further bytes cannot become text within the limit.
		coded := body[:min(len(body), (limit+1)*bodytext.MaxExpansion+4)]
		text = bodytext.Append(make([]byte, 0, len(coded)/2), coded, name, mark)
		cut = len(text) > limit
		return text[:min(len(text), limit)], Encoding(slices.Index(encodingNames[:], name)), cut
	}
	cut = len(body) > limit
	return bytes.TrimPrefix(body[:min(len(body), limit)], markUTF8), UTF8, cut
}

// wholeLines drops a last line without a line end. R-LEX-8.
func wholeLines(text []byte, ends string) []byte {
	return text[:bytes.LastIndexAny(text, ends)+1]
}

const nbspByte = 0xA0

// blankNBSP returns text with a blank for every byte of a U+00A0, in UTF-8 or as a single byte A0. A single byte is one
// that is not part of a UTF-8 character (as in `à`, C3 A0), so its body is not valid UTF-8, as R-LEX-4 requires. The
// length stays, so offsets are valid in both strings.
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

// nbspLen returns the length of a U+00A0 at the beginning of text: 2 in UTF-8, 1 as a single byte, else 0.
func nbspLen(text string) int {
	switch {
	case text != "" && text[0] == nbspByte:
		return 1
	case len(text) >= 2 && text[0] == 0xC2 && text[1] == nbspByte:
		return 2
	}
	return 0
}
