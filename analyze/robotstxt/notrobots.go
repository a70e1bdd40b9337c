package robotstxt

import "github.com/acapscan/acapscan/ingest/bodytext"

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
	return !bodytext.HasKnownField(text)
}
