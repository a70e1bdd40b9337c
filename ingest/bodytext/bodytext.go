// Package bodytext turns the bytes of a body into text, for both stages and for the verbs that read single files
// (explain, check). It has the decoder of UTF-16 and UTF-32 (R-LEX-1) and the test whether a text is a page and no
// robots.txt (R-LEX-7).
package bodytext

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxExpansion limits what Encoded reads: n bytes of text come from at most MaxExpansion·n + 4 bytes, a mark included.
const MaxExpansion = 4

// Encoding returns the name of a UTF-16 or UTF-32 encoding, such as "utf-16le", and the length of the byte order mark,
// or "" for any other body. The mark decides, or else the charset of the HTTP header (in any case, "" if missing) if
// the first characters confirm it: bodies in UTF-8 often have a wrong charset. Directives are ASCII, so all other
// encodings need no decoding. R-LEX-1.
func Encoding(body []byte, charset string) (name string, mark int) {
	has := func(s string) bool { return len(body) >= len(s) && string(body[:len(s)]) == s }
	switch {
	case has("\xFF\xFE\x00\x00"):
		return "utf-32le", 4
	case has("\x00\x00\xFE\xFF"):
		return "utf-32be", 4
	case has("\xFF\xFE"):
		return "utf-16le", 2
	case has("\xFE\xFF"):
		return "utf-16be", 2
	case len(body) < 4 || charset == "":
		return "", 0
	}
	charset = strings.ToLower(charset)
	// ascii reports whether the first four bytes are ASCII characters where the pattern has 'c', and zero elsewhere.
	ascii := func(pattern string) bool {
		for i, c := range body[:4] {
			if pattern[i] == 'c' && (c == 0 || c >= utf8.RuneSelf) || pattern[i] == '0' && c != 0 {
				return false
			}
		}
		return true
	}
	for _, e := range [...]struct{ family, name, pattern string }{
		{"utf-16", "utf-16le", "c0c0"}, {"utf-16", "utf-16be", "0c0c"}, {"utf-32", "utf-32le", "c000"},
		{"utf-32", "utf-32be", "000c"},
	} {
		if (charset == e.family || charset == e.name) && ascii(e.pattern) {
			return e.name, 0
		}
	}
	return "", 0
}

// Append appends the text of a body in UTF-8 to dst, without the byte order mark. name and mark are results of
// Encoding, and name is not empty. Lone surrogates and invalid characters become U+FFFD. Append drops an incomplete
// character at the end. The text is at most one and a half times as long as the body.
func Append(dst, body []byte, name string, mark int) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasSuffix(name, "be") {
		order = binary.BigEndian
	}
	if body = body[mark:]; strings.HasPrefix(name, "utf-32") {
		return appendUTF32(dst, body, order)
	}
	return appendUTF16(dst, body, order)
}

// Decode returns a body in UTF-16 or UTF-32 as UTF-8, with the name of its encoding. It returns any other body as it
// is, without a name. See Encoding and Append.
func Decode(body []byte, charset string) (text []byte, name string) {
	name, mark := Encoding(body, charset)
	if name == "" {
		return body, ""
	}
	return Append(make([]byte, 0, len(body)/2), body, name, mark), name
}

func appendUTF16(dst, src []byte, order binary.ByteOrder) []byte {
	for ; len(src) >= 2; src = src[2:] {
		c := rune(order.Uint16(src))
		if utf16.IsSurrogate(c) {
			low := rune(0)
			if len(src) >= 4 {
				low = rune(order.Uint16(src[2:]))
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				src = src[2:]
			}
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

func appendUTF32(dst, src []byte, order binary.ByteOrder) []byte {
	for ; len(src) >= 4; src = src[4:] {
		c := order.Uint32(src)
		if c > utf8.MaxRune {
			c = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, rune(c)) // a surrogate becomes U+FFFD
	}
	return dst
}
