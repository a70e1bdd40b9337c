package robotstxt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An Encoding is how the characters of a body are written. R-LEX-1.
type Encoding uint8

const (
	UTF8    Encoding = iota + 1 // valid UTF-8, pure ASCII and the empty body included, with a byte order mark or without
	UTF16LE                     // with its byte order mark; decoded
	UTF16BE                     // with its byte order mark; decoded
	Bytes                       // anything else: taken as it is
)

var encodingNames = [...]string{UTF8: "utf-8", UTF16LE: "utf-16le", UTF16BE: "utf-16be", Bytes: "bytes"}

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

var (
	markUTF8    = []byte{0xEF, 0xBB, 0xBF}
	markUTF16LE = []byte{0xFF, 0xFE}
	markUTF16BE = []byte{0xFE, 0xFF}
)

// decode drops a byte order mark and decodes UTF-16 that has one; all else is returned as it is, as a part of body, and called
// UTF8 without looking. R-LEX-1.
func decode(body []byte) ([]byte, Encoding) {
	switch {
	case bytes.HasPrefix(body, markUTF8):
		return body[len(markUTF8):], UTF8
	case bytes.HasPrefix(body, markUTF16LE):
		return decodeUTF16(body[len(markUTF16LE):], binary.LittleEndian), UTF16LE
	case bytes.HasPrefix(body, markUTF16BE):
		return decodeUTF16(body[len(markUTF16BE):], binary.BigEndian), UTF16BE
	}
	return body, UTF8
}

// decodeUTF16 returns body in UTF-8, at most one and a half times as long, and one character longer where a byte is left over.
// A surrogate without its fellow and a byte left over become U+FFFD.
func decodeUTF16(body []byte, order binary.ByteOrder) []byte {
	text := make([]byte, 0, len(body)/2)
	for ; len(body) >= 2; body = body[2:] {
		r := rune(order.Uint16(body))
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if len(body) >= 4 {
				low = rune(order.Uint16(body[2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				body = body[2:]
			}
		}
		text = utf8.AppendRune(text, r)
	}
	if len(body) > 0 {
		text = utf8.AppendRune(text, utf8.RuneError)
	}
	return text
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
