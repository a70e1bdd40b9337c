package weburl

import (
	"strings"
	"unicode/utf8"
)

const (
	upperHex = "0123456789ABCDEF"
	lowerHex = "0123456789abcdef"
)

// hexValue returns the value of a hexadecimal digit, or -1.
func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendUnescaped appends s, percent-decoded repeatedly: "%2541" becomes "A". Sequences that are not UTF-8 stay
// encoded, and bytes of s that are not UTF-8 count as encoded. The result is valid UTF-8.
//
// Repeated passes would take quadratic time for %252525…. Instead each byte that completes a sequence at the end of the
// decoded part decodes it at once. Sequences do not overlap, so the order does not matter.
func appendUnescaped(dst []byte, s string) []byte {
	from := len(dst)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			dst = append(dst, c)
			if hexValue(c) >= 0 {
				dst = fold(dst, from)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = fold(append(dst, '%', upperHex[c>>4], upperHex[c&15]), from)
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// fold decodes the percent-encoded characters at the end of b[from:].
func fold(b []byte, from int) []byte {
	for {
		c, ok := encodedAt(b, len(b)-3, from)
		if !ok {
			return b
		}
		if c < utf8.RuneSelf {
			b = append(b[:len(b)-3], c)
			if hexValue(c) < 0 {
				return b
			}
			continue
		}
		// The last byte of a longer character, if the bytes before it are encoded, too.
		var seq [utf8.UTFMax]byte
		for n := 1; n <= len(seq); n++ {
			c, ok := encodedAt(b, len(b)-3*n, from)
			if !ok || c < utf8.RuneSelf {
				return b
			}
			seq[len(seq)-n] = c
			if utf8.RuneStart(c) {
				// DecodeRune returns the size 1 for a sequence that is not UTF-8.
				if _, size := utf8.DecodeRune(seq[len(seq)-n:]); size == n && n > 1 {
					b = append(b[:len(b)-3*n], seq[len(seq)-n:]...)
				}
				return b
			}
		}
		return b
	}
}

// encodedAt returns the byte that the three bytes of b at i encode. i is at least from.
func encodedAt(b []byte, i, from int) (byte, bool) {
	if i < from || i+3 > len(b) || b[i] != '%' {
		return 0, false
	}
	hi, lo := hexValue(b[i+1]), hexValue(b[i+2])
	return byte(hi<<4 | lo&15), hi >= 0 && lo >= 0
}

// normalPercent returns a path or query in the normal form of RFC 3986 6.2.2. Encoded unreserved characters are
// decoded; other sequences have digits in upper case. Characters that a URL must not have are encoded: blanks,
// controls, bytes beyond ASCII, a percent sign without a sequence.
func normalPercent(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf || !isURLChar(byte(r)) }) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '%' && isURLChar(c) {
			b = append(b, c)
			continue
		}
		if c == '%' && i+2 < len(s) && hexValue(s[i+1]) >= 0 && hexValue(s[i+2]) >= 0 {
			c = byte(hexValue(s[i+1])<<4 | hexValue(s[i+2]))
			i += 2
			if isUnreserved(c) {
				b = append(b, c)
				continue
			}
		}
		b = append(b, '%', upperHex[c>>4], upperHex[c&15])
	}
	return string(b)
}

// isURLChar reports whether RFC 3986 allows c unencoded. The percent sign is excluded.
func isURLChar(c byte) bool {
	return isUnreserved(c) || strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0
}

// isUnreserved reports whether c is unreserved: encoding it does not change the URL (RFC 3986 2.3).
func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}
