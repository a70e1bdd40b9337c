// Package robotstxt reads a robots.txt as a stream of numbered lines. It handles encoding, line ends, comments, white
// space, the version marker and the size limit. The vocabularies (packages acap and rep) interpret the lines.
//
// It knows no fields and repairs none. It never drops a line because of its content, and never keeps a cut line.
//
// R-LEX-1 to R-LEX-8 are in docs/semantics.md. The vocabularies implement R-LEX-6.
package robotstxt

import (
	"iter"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/bodytext"
)

// DefaultLimit is the default of Options.Limit: 500 KiB (R-LEX-8, RFC 2.5).
const DefaultLimit = 500 << 10

// Options say how to read a body. The zero value is the default.
type Options struct {
	// Limit is the number of bytes to read, with a byte order mark of UTF-8; zero or less means DefaultLimit. Of UTF-16
	// and UTF-32 it counts the decoded bytes, as for a body that stage 1 decoded. R-LEX-8.
	Limit int
	// Truncated says that the body lacks its end, according to the archive. Then a last line without a line end is
	// dropped, because `/p` could be the rest of `/private`. R-LEX-8.
	Truncated bool
	// Without are the disabled rules, of R-LEX-1 to R-LEX-4, R-LEX-7 and R-LEX-8.
	Without policy.RuleSet
}

// A Document is a parsed robots.txt. It is immutable and safe for concurrent use.
type Document struct {
	Encoding  Encoding // of the part that was read
	Marker    Marker   // the first version marker, or the zero Marker
	Size      int      // bytes of the whole body, also after the limit
	LineCount int      // lines that were read, with blank ones and comments
	Said      int      // lines that Lines yields
	// a line begins with ACAP, in any case, or is a marker; otherwise the file has no ACAP statements
	ACAP bool
	// of the file, each at most once: size-limit, html-before-rules, marker-not-first, marker-extra-hashes, nbsp
	Defects []policy.Defect

	without policy.RuleSet
	begins  bool // a comment may begin a managed block

	raw  string // the text that was read, decoded, without a byte order mark and a cut last line
	text string // raw with blanks for U+00A0, of the same length; raw itself if there is none
}

// A Line is a line with content, not only a comment. Its strings share the memory of the document's text: clone those
// that you keep longer.
//
// In Text, Field and Value each byte of a U+00A0 is a blank (R-LEX-4), so a U+00A0 in UTF-8 becomes two blanks. Bytes
// that are not UTF-8 stay.
type Line struct {
	Number   int    // from 1
	Raw      string // as written, with its comment, without its line end
	Text     string // without comment and surrounding white space; never empty
	Field    string // before the first colon, as written, trimmed; "" where HasColon is false
	Value    string // after the first colon, trimmed; the same as Text where HasColon is false
	HasColon bool   // the vocabularies repair a missing colon (R-LEX-6)
	NBSP     bool   // a U+00A0 before the comment was read as white space (defect nbsp)
}

// FieldIs reports whether the line's field has this ASCII name, in any case. R-LEX-5, S3 4.5.6.
func (l Line) FieldIs(name string) bool {
	return l.HasColon && len(l.Field) == len(name) && hasPrefixFold(l.Field, name)
}

// Parse reads a robots.txt. It accepts any bytes and never fails. It copies at most twice Options.Limit bytes, so the
// caller may reuse body.
func Parse(body []byte, options Options) *Document {
	doc := &Document{Size: len(body), without: options.Without}
	decoded, encoding, tooLong := options.text(body)
	if tooLong {
		doc.Defects = append(doc.Defects, policy.DefectSizeLimit)
	}
	if cut := tooLong || options.Truncated && !options.Without.Has(policy.RuleSizeLimit); cut {
		decoded = wholeLines(decoded, options.lineEnds())
	}
	if !options.Without.Has(policy.RuleNotRobots) && bodytext.BeginsAsPage(decoded) && bodytext.HasKnownField(decoded) {
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

// text returns the part of a body to read, before a cut line is dropped. R-LEX-1, R-LEX-8.
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

// survey reads all lines once, with comments, to set the values of the whole file.
func (d *Document) survey() {
	nbsp, ends := false, d.lineEnds()
	for start, end, next := 0, 0, 0; start < len(d.text); start = next {
		end, next = ends.after(start)
		d.LineCount++
		code := start + d.commentStart(d.text[start:end])
		nbsp = nbsp || d.hasNBSP(start, code)
		if said := trimLeft(d.text[start:code]); said != "" {
			d.Said++
			d.ACAP = d.ACAP || said[0]|0x20 == 'a' && hasPrefixFold(said, "ACAP")
		}
		if code == end {
			continue
		}
		if begin, vendor := managedMarker(d.text[code:end]); begin && vendor != "" {
			d.begins = true
		}
		if d.Marker.Found() || d.without.Has(policy.RuleMarker) {
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

// hasNBSP reports whether a U+00A0 between two offsets became blanks.
func (d *Document) hasNBSP(start, end int) bool { return d.raw[start:end] != d.text[start:end] }

// Lines yields the lines with content, in order. It parses the text each time, without allocations.
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

// lineEnds finds the line ends of a text in order: LF, CRLF or a single CR. The last line may end without them.
// R-LEX-1. It reads each byte once.
type lineEnds struct {
	text string
	crs  bool // the text has CRs, and they end lines: not without R-LEX-1
	lf   int  // the next LF, or the end of the text
}

func (d *Document) lineEnds() lineEnds {
	crs := strings.IndexByte(d.text, '\r') >= 0 && !d.without.Has(policy.RuleLines)
	return lineEnds{text: d.text, crs: crs, lf: -1}
}

// after returns the end of the line that begins at start, and the start of the next one.
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
		} else if i >= 0 { // of CRLF, or the last byte
			return start + i, min(l.lf+1, len(l.text))
		}
	}
	return l.lf, min(l.lf+1, len(l.text))
}

// commentStart returns the offset of the line's comment, or the length of the line. R-LEX-2, S3 4.1 note 2.
func (d *Document) commentStart(line string) int {
	i := strings.IndexByte(line, '#')
	if i >= 0 && (trimLeft(line[:i]) == "" || !d.without.Has(policy.RuleComments)) {
		return i
	}
	return len(line)
}

// isBlank reports whether c is white space in a line. U+00A0 is a blank already (R-LEX-4).
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

// hasPrefixFold reports whether s begins with an ASCII prefix, in any case. It compares bytes, so letters that Unicode
// folds to ASCII (U+017F, U+212A) do not match.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c, d := s[i], prefix[i]
		if c == d {
			continue
		}
		if c ^= d; c != 0x20 {
			return false // not the two cases of a letter
		}
		if d |= 0x20; d < 'a' || d > 'z' {
			return false
		}
	}
	return true
}
