package bodytext_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/acapscan/acapscan/ingest/bodytext"
)

// R-LEX-1: by the mark, or by the header where the bytes bear it out.
func TestDecode(t *testing.T) {
	for _, test := range []struct{ name, charset, body, text, encoding string }{
		{"UTF-16LE", "", "\xFF\xFEa\x00\x3D\xD8\x00\xDE\n\x00", "a\U0001F600\n", "utf-16le"},
		{"UTF-16BE", "", "\xFE\xFF\x00a\x00\xE4", "aä", "utf-16be"},
		{"UTF-32LE", "", "\xFF\xFE\x00\x00a\x00\x00\x00", "a", "utf-32le"},
		{"UTF-32BE", "", "\x00\x00\xFE\xFF\x00\x00\x00a\x00\x01\xF6\x00", "a\U0001F600", "utf-32be"},
		{"UTF-16 by the header", "utf-16", "a\x00b\x00", "ab", "utf-16le"},
		{"UTF-16BE by the header", "UTF-16BE", "\x00a\x00b", "ab", "utf-16be"},
		{"UTF-32 by the header", "utf-32", "a\x00\x00\x00\xE4\x00\x00", "a", "utf-32le"},
		{"UTF-32BE by the header", "utf-32be", "\x00\x00\x00a\x00\x00\x00b", "ab", "utf-32be"},
		{"a header that says the other order", "utf-16be", "a\x00b\x00", "a\x00b\x00", ""},
		{"a header that the bytes do not bear out", "utf-16", "abcd", "abcd", ""},
		{"no header", "", "a\x00b\x00", "a\x00b\x00", ""},
		{"a mark against the header", "utf-8", "\xFF\xFEa\x00", "a", "utf-16le"},
		{"a lone surrogate, an odd byte", "", "\xFF\xFE\x00\xD8a\x00b", "\uFFFDa", "utf-16le"},
		{"a high surrogate at the end", "", "\xFF\xFEa\x00\x00\xD8", "a\uFFFD", "utf-16le"},
		{"no character, and bytes left over", "", "\xFF\xFE\x00\x00\xFF\xFF\xFF\xFF\x00\xD8\x00\x00a\x00",
			"\uFFFD\uFFFD", "utf-32le"},
		{"UTF-8 stays", "utf-8", "\xEF\xBB\xBFa\xFF", "\xEF\xBB\xBFa\xFF", ""},
		{"only a mark", "", "\xFE\xFF", "", "utf-16be"},
		{"nothing", "utf-16", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, name := bodytext.Decode([]byte(test.body), test.charset)
			if string(text) != test.text || name != test.encoding {
				t.Errorf("%q in %q", text, name)
			}
		})
	}
}

func TestBeginsAsPage(t *testing.T) {
	for text, want := range map[string]bool{
		"<": true, " \t\r\n\v\f<html>": true, "\xEF\xBB\xBF\n<": true, "\u00A0<p>": true, "\xA0<p>": true,
		"": false, "a<": false, "\n": false, "\u00AB<": false, "\xC2": false, "#<": false,
	} {
		if got := bodytext.BeginsAsPage([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// FuzzDecode compares with another decoder, and holds the bounds on length.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xFF\xFEa\x00\x3D\xD8\x00\xDE"), "")
	f.Add([]byte("\x00\x00\xFE\xFF\x00\x01\xF6\x00"), "")
	f.Add([]byte("a\x00b\x00"), "utf-16")
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		text, name := bodytext.Decode(body, charset)
		if name == "" {
			if string(text) != string(body) {
				t.Fatal("a body that is not decoded was changed")
			}
			return
		}
		if !utf8.Valid(text) || 2*len(text) > 3*len(body) || (len(text)+1)*bodytext.MaxExpansion+4 < len(body) {
			t.Fatalf("%q of %d bytes", text, len(body))
		}
		if _, mark := bodytext.Encoding(body, charset); name == "utf-16be" {
			var units []uint16
			for body = body[mark:]; len(body) >= 2; body = body[2:] {
				units = append(units, binary.BigEndian.Uint16(body))
			}
			if want := string(utf16.Decode(units)); want != string(text) {
				t.Fatalf("%q, the reference has %q", text, want)
			}
		}
	})
}

// Text that is encoded comes back.
func TestRoundTrip(t *testing.T) {
	const text = "User-agent: *\r\nDisallow: /ü€𝄞\n"
	body := []byte("\xFE\xFF")
	for _, unit := range utf16.Encode([]rune(text)) {
		body = binary.BigEndian.AppendUint16(body, unit)
	}
	if got, name := bodytext.Decode(body, ""); string(got) != text || name != "utf-16be" {
		t.Errorf("%q in %s", got, name)
	}
}
