// Package robotstxt reads a robots.txt as a stream of lines with their numbers: encoding, line ends, comments, white space, the
// version marker, the size limit. The vocabularies (packages acap and rep) build on it, each from its own walk over the lines.
//
// It knows nothing of policy: which fields there are, what they mean and which slips of the pen are forgiven is for the
// vocabularies. It must not drop a line because it looks wrong, and must not keep one that was cut.
//
// The rules R-LEX-1 to R-LEX-8 are those of docs/semantics.md; R-LEX-6 is the vocabularies'.
package robotstxt

import (
	"iter"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/bodytext"
)

// DefaultLimit is the number of bytes of a body that are read where Options name no other: 500 KiB (R-LEX-8, RFC 2.5).
const DefaultLimit = 500 << 10

// Options tell Parse what the body does not tell by itself.
type Options struct {
	// Limit is the number of bytes read, a byte order mark of UTF-8 included; zero or less means DefaultLimit. Of UTF-16 and UTF-32 it
	// is the bytes of the text in UTF-8, as it is where the archive's reader has decoded it. R-LEX-8.
	Limit int
	// Truncated says that the body is known to lack its end, as an archive may record. Then a last line without a line end is
	// dropped, lest `/private` be read as `/p`. R-LEX-8.
	Truncated bool
	// Without are the rules that are left out, of R-LEX-1 to R-LEX-4, R-LEX-7 and R-LEX-8.
	Without policy.RuleSet
}

// A Document is a robots.txt that was read. It does not change, and several goroutines may walk its lines.
type Document struct {
	Encoding  Encoding        // of the part that was read
	Marker    Marker          // the first version marker, or the zero Marker
	Size      int             // bytes of the whole body, also beyond the limit
	LineCount int             // lines read, blank ones and comments included
	Said      int             // of these, the ones that Lines yields
	ACAP      bool            // a line begins with the letters ACAP, in any case, or is a marker: else the file says nothing in ACAP
	Defects   []policy.Defect // of the file, each at most once: size-limit, html-before-rules, marker-not-first, marker-extra-hashes, nbsp

	without policy.RuleSet

	raw  string // what was read, decoded, without a byte order mark and without a cut last line
	text string // raw with blanks for U+00A0; the same offsets, and the same string where there is no U+00A0
}

// A Line is a line that is neither blank nor only a comment. Its strings are parts of the document's text and keep all of it
// alive: clone what is to outlive the document.
//
// In Text, Field and Value each byte of a U+00A0 is a blank (R-LEX-4), so one in UTF-8 leaves two blanks. Bytes that are not
// UTF-8 are kept everywhere.
type Line struct {
	Number   int    // from 1
	Raw      string // as written, comment included, without its line end
	Text     string // without comment and white space around it; never empty
	Field    string // before the first colon, as written, trimmed; "" where HasColon is false
	Value    string // after the first colon, trimmed; the same as Text where HasColon is false
	HasColon bool   // whether there is a colon; repairing a missing one is the vocabulary's (R-LEX-6)
	NBSP     bool   // whether a U+00A0 before the comment was read as white space (defect nbsp)
}

// FieldIs tells whether the line's field has this name, which is ASCII, in any case. R-LEX-5, S3 4.5.6.
func (l Line) FieldIs(name string) bool {
	return l.HasColon && len(l.Field) == len(name) && hasPrefixFold(l.Field, name)
}

// Parse reads a robots.txt. It takes any bytes and never fails. It copies what it keeps, so the caller may reuse body: at most
// twice Options.Limit bytes.
func Parse(body []byte, options Options) *Document {
	doc := &Document{Size: len(body), without: options.Without}
	decoded, encoding, tooLong := options.text(body)
	if tooLong {
		doc.Defects = append(doc.Defects, policy.DefectSizeLimit)
	}
	if cut := tooLong || options.Truncated && !options.Without.Has(policy.RuleSizeLimit); cut {
		decoded = wholeLines(decoded, options.lineEnds())
	}
	if !options.Without.Has(policy.RuleNotRobots) && bodytext.BeginsAsPage(decoded) && hasKnownField(decoded) {
		doc.Defects = append(doc.Defects, policy.DefectHTMLBeforeRules)
	}
	doc.raw = string(decoded)
	doc.text = doc.raw
	if !options.Without.Has(policy.RuleNBSP) {
		doc.text = blankNBSP(doc.raw)
	}
	doc.Encoding = encoding.refine(doc.raw)
	doc.survey()
	return doc
}

// text returns what is read of a body, before a cut line is dropped. R-LEX-1, R-LEX-8.
func (o Options) text(body []byte) (text []byte, encoding Encoding, tooLong bool) {
	limit := o.Limit
	switch {
	case o.Without.Has(policy.RuleSizeLimit):
		limit = 0
	case limit <= 0:
		limit = DefaultLimit
	}
	if o.Without.Has(policy.RuleLines) {
		if limit > 0 && len(body) > limit {
			return body[:limit], UTF8, true
		}
		return body, UTF8, false
	}
	return decode(body, limit)
}

// lineEnds are the bytes that end a line. R-LEX-1.
func (o Options) lineEnds() string {
	if o.Without.Has(policy.RuleLines) {
		return "\n"
	}
	return "\r\n"
}

// survey walks all lines once, comments included, for what is said of the file as a whole.
func (d *Document) survey() {
	nbsp, ends := false, d.lineEnds()
	for start, end, next := 0, 0, 0; start < len(d.text); start = next {
		end, next = ends.after(start)
		d.LineCount++
		code := start + d.commentStart(d.text[start:end])
		nbsp = nbsp || d.hasNBSP(start, code)
		if said := trimLeft(d.text[start:code]); said != "" {
			d.Said++
			d.ACAP = d.ACAP || hasPrefixFold(said, "ACAP")
		}
		if code == end || d.Marker.Found() || d.without.Has(policy.RuleMarker) {
			continue
		}
		if marker, length := parseMarker(d.text[code:end]); length > 0 {
			d.Marker = marker
			d.Marker.Line = d.LineCount
			d.ACAP = true
			nbsp = nbsp || d.hasNBSP(code, code+length)
		}
	}
	if d.Marker.Line > 1 {
		d.Defects = append(d.Defects, policy.DefectMarkerNotFirst)
	}
	if d.Marker.Hashes > 2 {
		d.Defects = append(d.Defects, policy.DefectMarkerExtraHash)
	}
	if nbsp {
		d.Defects = append(d.Defects, policy.DefectNBSP)
	}
}

// hasNBSP tells whether a U+00A0 was read as blanks between two offsets.
func (d *Document) hasNBSP(start, end int) bool { return d.raw[start:end] != d.text[start:end] }

// Lines yields the lines that say something, in order. Nothing is stored: each walk reads the text again, and allocates nothing.
func (d *Document) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		number, ends := 0, d.lineEnds()
		for start, end, next := 0, 0, 0; start < len(d.text); start = next {
			end, next = ends.after(start)
			number++
			code := start + d.commentStart(d.text[start:end])
			text := trim(d.text[start:code])
			if text == "" {
				continue
			}
			line := Line{Number: number, Raw: d.raw[start:end], Text: text, Value: text, NBSP: d.hasNBSP(start, code)}
			if colon := strings.IndexByte(text, ':'); colon >= 0 {
				line.HasColon = true
				line.Field = trim(text[:colon])
				line.Value = trim(text[colon+1:])
			}
			if !yield(line) {
				return
			}
		}
	}
}

// lineEnds finds the line ends of a text from its beginning to its end: LF, CRLF and a lone CR. A last line needs none of them. R-LEX-1.
// Each octet is looked at once, however the lines end.
type lineEnds struct {
	text string
	crs  bool // there are CRs, and they end lines: not without R-LEX-1
	lf   int  // the next LF, or the end of the text
}

func (d *Document) lineEnds() lineEnds {
	crs := strings.IndexByte(d.text, '\r') >= 0 && !d.without.Has(policy.RuleLines)
	return lineEnds{text: d.text, crs: crs, lf: -1}
}

// after returns where the line that begins at start ends, and where the next one begins.
func (l *lineEnds) after(start int) (end, next int) {
	if l.lf < start {
		if i := strings.IndexByte(l.text[start:], '\n'); i >= 0 {
			l.lf = start + i
		} else {
			l.lf = len(l.text)
		}
	}
	if l.crs {
		if i := strings.IndexByte(l.text[start:l.lf], '\r'); i >= 0 && start+i+1 < l.lf {
			return start + i, start + i + 1
		} else if i >= 0 { // of CRLF, or the last octet
			return start + i, min(l.lf+1, len(l.text))
		}
	}
	return l.lf, min(l.lf+1, len(l.text))
}

// commentStart returns the offset of the line's comment, or its length where it has none. R-LEX-2, S3 4.1 note 2.
func (d *Document) commentStart(line string) int {
	i := strings.IndexByte(line, '#')
	if i >= 0 && (trimLeft(line[:i]) == "" || !d.without.Has(policy.RuleComments)) {
		return i
	}
	return len(line)
}

// isBlank tells whether c is white space within a line; U+00A0 has become blanks before (R-LEX-4).
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func trimLeft(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	return s
}

func trim(s string) string {
	s = trimLeft(s)
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// hasPrefixFold tells whether s begins with an ASCII prefix, in any case. Cut to the prefix's length in bytes first, s can only
// be equal where it is ASCII too: letters that Unicode folds to ASCII ones (U+017F, U+212A) take more bytes.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
