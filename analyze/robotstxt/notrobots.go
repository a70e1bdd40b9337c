package robotstxt

import (
	"bytes"

	"github.com/acapscan/acapscan/ingest/bodytext"
)

// knownFields are the fields that make a body a robots.txt although it begins like a page; ACAP- fields do, too.
var knownFields = [...][]byte{
	[]byte("user-agent"), []byte("disallow"), []byte("allow"), []byte("sitemap"), []byte("crawl-delay"), []byte("host"),
	[]byte("noindex"),
}

var acapField = []byte("ACAP-")

// NotRobots reports whether a body is a page, whatever its media type: it begins like one, and no line that Parse would
// read with these Options begins with a known field. It reads the body once, and copies only what it decodes. R-LEX-7.
func NotRobots(body []byte, options Options) bool {
	text, _, cut := options.text(body)
	if !bodytext.BeginsAsPage(text) {
		return false
	}
	if cut {
		text = wholeLines(text, options.lineEnds())
	}
	return !hasKnownField(text)
}

// hasKnownField reports whether a line begins with a known field and a colon, or with ACAP- even without (R-LEX-6,
// R-REC-6).
func hasKnownField(text []byte) bool {
	lf := -1 // the next LF, or the end of text
	for at := 0; ; {
		at += blanks(text[at:], true)
		if at == len(text) {
			return false
		}
		if beginsWithKnownField(text[at:]) {
			return true
		}
		if lf < at {
			if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
				lf = at + i
			} else {
				lf = len(text)
			}
		}
		if i := bytes.IndexByte(text[at:lf], '\r'); i >= 0 {
			at += i
		} else {
			at = lf
		}
	}
}

func beginsWithKnownField(text []byte) bool {
	if hasFieldName(text, acapField) {
		return true
	}
	for _, field := range knownFields {
		if hasFieldName(text, field) {
			rest := text[len(field):]
			rest = rest[blanks(rest, false):]
			return len(rest) > 0 && rest[0] == ':'
		}
	}
	return false
}

// hasFieldName reports whether text begins with an ASCII name, in any case.
func hasFieldName(text, name []byte) bool {
	return len(text) >= len(name) && text[0]|0x20 == name[0]|0x20 && bytes.EqualFold(text[:len(name)], name)
}

// blanks returns the length of white space at the beginning of text, with U+00A0 (R-LEX-4), and optionally line ends.
func blanks(text []byte, lineEnds bool) int {
	i := 0
	for i < len(text) {
		c := text[i]
		switch {
		case isBlank(c), lineEnds && (c == '\r' || c == '\n'), c == nbspByte:
			i++
		case c == 0xC2 && i+1 < len(text) && text[i+1] == nbspByte:
			i += 2
		default:
			return i
		}
	}
	return i
}
