package robotstxt

import "strings"

// pageWindow is the number of bytes in which a body that looks like a page may still show a field. R-LEX-7.
const pageWindow = 8 << 10

// knownFields are the fields, besides all that begin with ACAP-, that make a robots.txt of a body that begins like a page.
var knownFields = [...]string{"user-agent", "disallow", "allow", "sitemap", "crawl-delay", "host", "noindex"}

// NotRobots tells whether body is a page and no robots.txt, whatever its media type says: its first byte after a byte order
// mark and white space is '<', and no line of its first 8 KiB begins with a known field. Of body no more than DefaultLimit
// bytes are looked at. R-LEX-7.
func NotRobots(body []byte) bool {
	text, _ := decode(body[:min(len(body), DefaultLimit)])
	if first := firstInk(text); first == len(text) || text[first] != '<' {
		return false
	}
	window := blankNBSP(string(text[:min(len(text), pageWindow)]))
	for start, end, next := 0, 0, 0; start < len(window); start = next {
		end, next = lineEnd(window, start)
		if beginsWithKnownField(window[start:end]) {
			return false
		}
	}
	return true
}

// firstInk returns the offset of the first byte that is no white space, U+00A0 and line ends included, or the length of text.
func firstInk(text []byte) int {
	i := 0
	for i < len(text) {
		if c := text[i]; isBlank(c) || c == '\r' || c == '\n' {
			i++
		} else if size := nbspLen(string(text[i:min(len(text), i+2)])); size > 0 {
			i += size
		} else {
			break
		}
	}
	return i
}

// beginsWithKnownField tells whether a line begins with a known field and its colon, or with ACAP-, whose colon may be missing
// (R-LEX-6, R-REC-6).
func beginsWithKnownField(line string) bool {
	line = trimLeft(line)
	if hasPrefixFold(line, "ACAP-") {
		return true
	}
	for _, field := range knownFields {
		if hasPrefixFold(line, field) && strings.HasPrefix(trimLeft(line[len(field):]), ":") {
			return true
		}
	}
	return false
}
