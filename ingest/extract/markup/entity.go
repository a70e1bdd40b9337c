package markup

import (
	"bytes"

	"golang.org/x/net/html"
)

// decodeValue returns an attribute value as HTML defines it: character references decoded, line ends made line feeds,
// NUL replaced. It returns raw itself if nothing changes.
func decodeValue(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 && bytes.IndexByte(raw, 0) < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw)+16)
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case '&':
			n := referenceLen(raw[i:])
			out = appendReference(out, raw[i:i+n])
			i += n
			continue
		case '\r':
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
			out = append(out, '\n')
		case 0:
			out = append(out, "\uFFFD"...)
		default:
			out = append(out, c)
		}
		i++
	}
	return out
}

// referenceLen returns the length of a possible character reference at the beginning of b, or 1. In an attribute a name
// without semicolon before '=' is not a reference: "?a=1&copy=2".
func referenceLen(b []byte) int {
	i := 1
	if i < len(b) && b[i] == '#' {
		i++
		hex := i < len(b) && b[i]|0x20 == 'x'
		if hex {
			i++
		}
		for i < len(b) && ('0' <= b[i] && b[i] <= '9' || hex && 'a' <= b[i]|0x20 && b[i]|0x20 <= 'f') {
			i++
		}
	} else {
		for i < len(b) && (isLetter(b[i]) || '0' <= b[i] && b[i] <= '9') {
			i++
		}
		if i < len(b) && b[i] == '=' {
			return 1
		}
	}
	if i < len(b) && b[i] == ';' {
		i++
	}
	return i
}

// appendReference appends the decoded reference. The library decodes as in text, where "&notit;" is "¬it;". An
// attribute needs the whole name, so appendReference rejects a decoding with a rest of the name.
func appendReference(dst, ref []byte) []byte {
	if len(ref) < 3 {
		return append(dst, ref...)
	}
	decoded := html.UnescapeString(string(ref))
	if decoded == "" || ref[1] == '#' {
		return append(dst, decoded...)
	}
	last := decoded[len(decoded)-1]
	if ref[len(ref)-1] == ';' {
		if last == ';' && string(ref) != "&semi;" {
			return append(dst, ref...)
		}
	} else if isLetter(last) || '0' <= last && last <= '9' {
		return append(dst, ref...)
	}
	return append(dst, decoded...)
}

// isBlank reports whether text is white space, with character references decoded.
func isBlank(text []byte) bool {
	i := skipSpace(text, 0)
	if i == len(text) {
		return true
	}
	if text[i] != '&' {
		return false
	}
	decoded := []byte(html.UnescapeString(string(text[i:])))
	return skipSpace(decoded, 0) == len(decoded)
}
