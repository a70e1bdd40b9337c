package capture

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 replaces a body in UTF-16 or UTF-32 by the same text in UTF-8, and its charset by the name of what it was. It goes by
// the byte order mark, or for UTF-16 by the charset of the header where the first characters bear it out. Directives are ASCII: all
// other charsets can be scanned as they are.
func (r *Reader) toUTF8() {
	c := &r.capture
	name, mark := wide(c.Body, c.Charset)
	if name == "" {
		return
	}
	c.Charset = name
	var order binary.ByteOrder = binary.LittleEndian
	if name[len(name)-2:] == "be" {
		order = binary.BigEndian
	}
	whole := !c.BodyTruncated
	if name[:5] == "utf-3" {
		r.text = appendUTF32(r.text[:0], c.Body[mark:], order)
	} else {
		r.text = appendUTF16(r.text[:0], c.Body[mark:], order)
	}
	if whole {
		c.BodyBytes = int64(len(r.text))
	}
	if len(r.text) > r.opts.MaxBody {
		r.text = r.text[:r.opts.MaxBody]
		r.note(BodyLimit)
		c.BodyTruncated = true
	}
	c.Body = r.text
}

// wide names the charset of a body in UTF-16 or UTF-32 and the length of its mark; "" for any other.
func wide(body []byte, charset string) (name string, mark int) {
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
	case len(body) < 4:
		return "", 0
	case body[0] != 0 && body[1] == 0 && body[2] != 0 && body[3] == 0 && (charset == "utf-16" || charset == "utf-16le"):
		return "utf-16le", 0
	case body[0] == 0 && body[1] != 0 && body[2] == 0 && body[3] != 0 && (charset == "utf-16" || charset == "utf-16be"):
		return "utf-16be", 0
	}
	return "", 0
}

// appendUTF16 appends the text of src; an odd byte at the end is dropped.
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

// appendUTF32 appends the text of src; bytes at the end that are no whole character are dropped.
func appendUTF32(dst, src []byte, order binary.ByteOrder) []byte {
	for ; len(src) >= 4; src = src[4:] {
		c := order.Uint32(src)
		if c > utf8.MaxRune {
			c = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, rune(c))
	}
	return dst
}
