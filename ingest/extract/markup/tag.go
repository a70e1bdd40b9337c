package markup

import (
	"bytes"
	"unicode/utf8"
)

// A value is the place of an attribute's value in the source. set is true also for an attribute without a value.
type value struct {
	start, end int
	set        bool
	smart      bool // in typographic quotes (R-META-2)
}

// in returns the bytes as written, or nil if the attribute is missing.
func (v value) in(src []byte) []byte {
	if !v.set {
		return nil
	}
	return src[v.start:v.end]
}

// A tag is a start or end tag: its place, and those of the attributes that the scanners need. The first of repeated
// attributes counts, as in the HTML standard.
type tag struct {
	start, nameStart, nameEnd, end int // of '<', of the name, after '>'
	selfClosing                    bool

	id, name, class, content, charset, encoding, httpEquiv value
	xmlns                                                  value // namespace that the tag declares for its own prefix
}

// isSpace reports whether c is white space in markup: blank, tab, line feed, form feed, carriage return.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f'
}

// inNames and inKeys are the bytes of which the names of tags and the keys of attributes consist, but for a key's first
// byte: all but white space, '/' and '>', and for keys '='.
var inNames, inKeys = func() (names, keys [256]bool) {
	for c := range 256 {
		names[c] = !isSpace(byte(c)) && c != '/' && c != '>'
		keys[c] = names[c] && c != '='
	}
	return names, keys
}()

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func skipSpace(src []byte, i int) int {
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	return i
}

// read reads the tag with '<' at lt and its name at i, by the tag states of the HTML standard. If smart, typographic
// quotes around a value count as quotes (R-META-2). It returns false if the source ends within the tag: that is not a
// tag.
func (t *tag) read(src []byte, lt, i int, smart bool) bool {
	*t = tag{start: lt, nameStart: i}
	for i < len(src) && inNames[src[i]] {
		i++
	}
	t.nameEnd = i
	lastValue := -1 // end of the last value: a solidus there belongs to it
	for {
		i = skipSpace(src, i)
		if i >= len(src) {
			return false
		}
		if src[i] == '>' {
			t.end, t.selfClosing = i+1, src[i-1] == '/' && lastValue != i
			return true
		}
		key := i
		if src[i] == '=' {
			i++
		}
		for i < len(src) && inKeys[src[i]] {
			i++
		}
		keyEnd := i
		i = skipSpace(src, i)
		if i >= len(src) {
			return false
		}
		v := value{start: i, end: i, set: true}
		switch src[i] {
		case '/':
			i++
		case '=':
			if i = skipSpace(src, i+1); i >= len(src) {
				return false
			}
			next, ok := v.read(src, i, smart)
			if !ok {
				return false
			}
			i, lastValue = next, v.end
		}
		if key < keyEnd {
			t.keep(src, src[key:keyEnd], v)
		}
	}
}

// read reads the attribute value at i, which is not white space, and returns its end, or false if the source ends
// first.
func (v *value) read(src []byte, i int, smart bool) (next int, ok bool) {
	v.start = i
	if c := src[i]; c == '"' || c == '\'' {
		v.start++
		n := bytes.IndexByte(src[v.start:], c)
		v.end = v.start + n
		return v.end + 1, n >= 0
	}
	if n := quoteLen(src[i:]); smart && n > 0 {
		v.start, v.smart = i+n, true
		for i = v.start; i < len(src); i++ {
			if n := quoteLen(src[i:]); n > 0 || src[i] == '"' || src[i] == '>' {
				v.end = i
				if src[i] == '"' {
					n = 1
				}
				return i + n, true
			}
		}
		return i, false
	}
	for i < len(src) && !isSpace(src[i]) && src[i] != '>' {
		i++
	}
	v.end = i
	return i, i < len(src)
}

// keep records an attribute that the scanners need, unless an earlier one has its name.
func (t *tag) keep(src, key []byte, v value) {
	var at *value
	switch {
	case FoldEqual(key, "name"):
		at = &t.name
	case FoldEqual(key, "content"):
		at = &t.content
	case FoldEqual(key, "class"):
		at = &t.class
	case FoldEqual(key, "id"):
		at = &t.id
	case FoldEqual(key, "charset"):
		at = &t.charset
	case FoldEqual(key, "http-equiv"):
		at = &t.httpEquiv
	case FoldEqual(key, "encoding"):
		at = &t.encoding
	case FoldPrefix(key, "xmlns") && declares(key[len("xmlns"):], src[t.nameStart:t.nameEnd]):
		at = &t.xmlns
	default:
		return
	}
	if !at.set {
		*at = v
	}
}

// declares reports whether an attribute xmlns with this suffix declares the namespace of an element of that name.
func declares(suffix, name []byte) bool {
	prefix, _, found := bytes.Cut(name, []byte(":"))
	if !found {
		return len(suffix) == 0
	}
	return len(suffix) > 0 && suffix[0] == ':' && bytes.Equal(suffix[1:], prefix)
}

// repair reads the tag again if typographic quotes enclose one of its values (R-META-2). The tag keeps its extent.
func (t *tag) repair(src []byte) {
	for i := t.nameEnd; ; i++ {
		n := bytes.IndexByte(src[i:t.end], '=')
		if n < 0 {
			return
		}
		i += n
		if j := skipSpace(src[:t.end], i+1); quoteLen(src[j:t.end]) > 0 {
			repaired := tag{}
			if repaired.read(src[:t.end], t.start, t.nameStart, true) {
				*t = repaired
			}
			return
		}
	}
}

// quoteLen returns the length of a typographic quote (“ ” „ ‟) at the beginning of b, in UTF-8 or windows-1252, or 0.
func quoteLen(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case 0x93, 0x94:
		return 1
	case 0xE2:
		if len(b) >= 3 && b[1] == 0x80 && b[2] >= 0x9C && b[2] <= 0x9F {
			return 3
		}
	}
	return 0
}

// FoldEqual compares b with s, which is in lower case, ignoring the case of ASCII letters.
func FoldEqual(b []byte, s string) bool {
	return len(b) == len(s) && FoldPrefix(b, s)
}

// FoldPrefix reports whether b begins with s, which is in lower case, ignoring the case of ASCII letters.
func FoldPrefix(b []byte, s string) bool {
	if len(b) < len(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != s[i] {
			return false
		}
	}
	return true
}

// lower returns s with its ASCII letters in lower case.
func lower(s []byte) string {
	return string(lowerInto(make([]byte, len(s)), s))
}

// cut shortens s to at most n bytes, at the beginning of a character.
func cut(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for i := n; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n]
}

// lowerInto writes s with its ASCII letters in lower case to the beginning of buf, which is as long or longer.
func lowerInto(buf, s []byte) []byte {
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return buf[:len(s)]
}
