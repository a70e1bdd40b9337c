package aipref

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A member is one key of a dictionary with its value (RFC 9651 3.2).
type member struct {
	key   string
	text  string       // as written: key, value and parameters
	sense policy.Sense // Allow for the token y, Disallow for the token n, NoSense for any other value
	at    int          // byte offset of the key
}

// readDictionary parses a structured field of the type Dictionary (RFC 9651 4.2.2). It returns the members in the order
// of the text, repeated keys included, and false if the text is no dictionary. The strings of the members are parts of
// the text. It reads every byte once, and recursion is limited: an inner list holds no list.
func readDictionary(text string) (members []member, ok bool) {
	r := &reader{rest: text}
	r.skip(" ")
	for r.rest != "" {
		m := member{at: len(text) - len(r.rest)}
		if m.key, ok = r.key(); !ok {
			return nil, false
		}
		if r.take('=') {
			if m.sense, ok = r.value(); !ok {
				return nil, false
			}
		} else if !r.parameters() {
			return nil, false
		}
		m.text = text[m.at : len(text)-len(r.rest)]
		members = append(members, m)
		r.skip(" \t")
		if r.rest == "" {
			break
		}
		if !r.take(',') {
			return nil, false
		}
		r.skip(" \t")
		if r.rest == "" {
			return nil, false // a comma at the end
		}
	}
	return members, true
}

// A reader reads the parts of a structured field. A method that returns false leaves rest anywhere.
type reader struct{ rest string }

func (r *reader) skip(blanks string) { r.rest = strings.TrimLeft(r.rest, blanks) }

// take reads one byte, if it is c.
func (r *reader) take(c byte) bool {
	if r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// run reads the bytes that belong to a class, possibly none.
func (r *reader) run(belongs func(c byte) bool) (read string) {
	n := 0
	for n < len(r.rest) && belongs(r.rest[n]) {
		n++
	}
	read, r.rest = r.rest[:n], r.rest[n:]
	return read
}

// key reads a key (RFC 9651 4.2.3.3).
func (r *reader) key() (key string, ok bool) {
	if r.rest == "" || !isLower(r.rest[0]) && r.rest[0] != '*' {
		return "", false
	}
	return r.run(func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 }), true
}

// value reads an item or an inner list, with its parameters (RFC 9651 4.2.1.1, 4.2.1.2).
func (r *reader) value() (sense policy.Sense, ok bool) {
	if !r.take('(') {
		before := r.rest
		if !r.bare() {
			return 0, false
		}
		switch before[:len(before)-len(r.rest)] {
		case "y":
			sense = policy.Allow
		case "n":
			sense = policy.Disallow
		}
		return sense, r.parameters()
	}
	for {
		r.skip(" ")
		if r.take(')') {
			return policy.NoSense, r.parameters()
		}
		if !r.bare() || !r.parameters() || r.rest == "" || r.rest[0] != ' ' && r.rest[0] != ')' {
			return 0, false
		}
	}
}

// parameters reads the parameters of a value (RFC 9651 4.2.3.2).
func (r *reader) parameters() bool {
	for r.take(';') {
		r.skip(" ")
		if _, ok := r.key(); !ok || r.take('=') && !r.bare() {
			return false
		}
	}
	return true
}

// bare reads a bare item (RFC 9651 4.2.3.1).
func (r *reader) bare() bool {
	if r.rest == "" {
		return false
	}
	switch c := r.rest[0]; {
	case c == '-', isDigit(c):
		_, ok := r.number()
		return ok
	case isAlpha(c), c == '*':
		r.run(isTokenByte)
		return true
	}
	kind := r.rest[0]
	r.rest = r.rest[1:]
	switch kind {
	case '"':
		return r.quoted()
	case ':':
		content := r.run(func(c byte) bool { return c != ':' })
		_, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
		return r.take(':') && err == nil && !strings.ContainsAny(content, "\r\n")
	case '?':
		return r.take('0') || r.take('1')
	case '@':
		decimal, ok := r.number()
		return ok && !decimal
	case '%':
		return r.take('"') && r.display()
	}
	return false
}

// number reads an Integer or a Decimal (RFC 9651 4.2.4).
func (r *reader) number() (decimal, ok bool) {
	r.take('-')
	whole := r.run(isDigit)
	if whole == "" || len(whole) > 15 {
		return false, false
	}
	if !r.take('.') {
		return false, true
	}
	fraction := r.run(isDigit)
	return true, len(whole) <= 12 && fraction != "" && len(fraction) <= 3
}

// quoted reads a String after its first quote (RFC 9651 4.2.5).
func (r *reader) quoted() bool {
	for {
		r.run(func(c byte) bool { return isPrintable(c) && c != '"' && c != '\\' })
		if r.take('"') {
			return true
		}
		if !r.take('\\') || !r.take('"') && !r.take('\\') {
			return false
		}
	}
}

// display reads a Display String after its first quote (RFC 9651 4.2.10).
func (r *reader) display() bool {
	var text []byte
	for {
		text = append(text, r.run(func(c byte) bool { return isPrintable(c) && c != '"' && c != '%' })...)
		if r.take('"') {
			return utf8.Valid(text)
		}
		if !r.take('%') || len(r.rest) < 2 {
			return false
		}
		high, low := strings.IndexByte(lowerHex, r.rest[0]), strings.IndexByte(lowerHex, r.rest[1])
		if high < 0 || low < 0 {
			return false
		}
		text = append(text, byte(high<<4|low))
		r.rest = r.rest[2:]
	}
}

const lowerHex = "0123456789abcdef"

func isLower(c byte) bool     { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool     { return isLower(c | 0x20) }
func isPrintable(c byte) bool { return ' ' <= c && c <= '~' }

// isTokenByte reports whether a token may have c after its first byte (RFC 9651 3.3.4, RFC 9110 5.6.2).
func isTokenByte(c byte) bool {
	return isAlpha(c) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}
