package archive

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A span is a range of bytes in rawHeader.text.
type span struct{ from, to int }

// A rawField is the place of a field's name and value.
type rawField struct{ name, value span }

// A rawHeader is a WARC header as read, with the version line, and the places of its fields. Most records need no
// strings, so deliver makes them on demand.
type rawHeader struct {
	text   []byte // the header, and after it the joined values of folded fields
	fields []rawField

	uri, ip, contentType span
}

func (h *rawHeader) in(s span) []byte { return h.text[s.from:s.to] }

// parse finds the fields and sets those fields of rec that are not strings.
func (h *rawHeader) parse(rec *Record, note func(Defect)) {
	h.fields = h.fields[:0]
	end := len(h.text)
	line, pos := h.line(0, end, note)
	rec.Version = version(h.in(line))
	if !knownVersion(rec.Version) {
		note(VersionUnknown)
	}
	for pos < end {
		line, pos = h.line(pos, end, note)
		if line.from == line.to {
			break
		}
		if n := len(h.fields); n > 0 && h.isFolded(line.from) {
			note(HeaderFolded)
			pos = h.unfold(&h.fields[n-1].value, line, pos, end, note)
			continue
		}
		colon := bytes.IndexByte(h.in(line), ':')
		if colon < 0 {
			note(HeaderNoColon)
			continue
		}
		name, value := span{line.from, line.from + colon}, h.trim(span{line.from + colon + 1, line.to})
		if name.to > name.from && isBlank(h.text[name.to-1]) {
			note(HeaderSpaceBeforeColon)
			for name.to > name.from && isBlank(h.text[name.to-1]) {
				name.to--
			}
		}
		h.fields = append(h.fields, rawField{name, value})
	}
	if !utf8.Valid(h.text[:end]) {
		note(HeaderNotUTF8)
	}
	h.readFields(rec, note)
}

// line returns the line at pos without its line end, and the position of the next one.
func (h *rawHeader) line(pos, end int, note func(Defect)) (line span, next int) {
	line, next = span{pos, end}, end
	n := bytes.IndexByte(h.text[pos:end], '\n')
	if n >= 0 {
		line.to, next = pos+n, pos+n+1
	}
	to := line.to
	for line.to > line.from && h.text[line.to-1] == '\r' {
		line.to--
	}
	if n >= 0 && to-line.to != 1 {
		note(HeaderLineEnd)
	}
	return line, next
}

// isFolded reports whether the line at pos continues the previous one.
func (h *rawHeader) isFolded(pos int) bool { return isBlank(h.text[pos]) }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func (h *rawHeader) trim(s span) span {
	for s.from < s.to && isBlank(h.text[s.from]) {
		s.from++
	}
	for s.from < s.to && isBlank(h.text[s.to-1]) {
		s.to--
	}
	return s
}

// unfold appends line and all further continuation lines to the value. It takes linear time for any number of lines.
func (h *rawHeader) unfold(value *span, line span, pos, end int, note func(Defect)) (next int) {
	from := len(h.text)
	h.text = append(h.text, h.in(*value)...)
	for {
		h.text = append(append(h.text, ' '), h.in(h.trim(line))...)
		if pos >= end || !h.isFolded(pos) {
			*value = span{from, len(h.text)}
			return pos
		}
		line, pos = h.line(pos, end, note)
	}
}

// versions are the versions of the standards.
var versions = [...]string{"1.0", "1.1", "0.18", "0.17"}

// version returns the version in a version line.
func version(line []byte) string {
	name := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("WARC/")))
	for _, v := range versions {
		if string(name) == v {
			return v
		}
	}
	return string(name)
}

func knownVersion(name string) bool { return slices.Contains(versions[:], name) }

// readFields reads the fields of rec. The first of repeated fields counts.
func (h *rawHeader) readFields(rec *Record, note func(Defect)) {
	var haveType, haveDate, haveURI, haveContentType, haveIP, haveLength bool
	first := func(have *bool) bool {
		if *have {
			note(HeaderRepeated)
			return false
		}
		*have = true
		return true
	}
	h.uri, h.ip, h.contentType = span{}, span{}, span{}
	for _, f := range h.fields {
		name, value := h.in(f.name), h.in(f.value)
		switch len(name) {
		case len("WARC-Type"): // and WARC-Date
			if isField(name, "WARC-Type") && first(&haveType) {
				rec.Type = parseType(string(value))
			} else if isField(name, "WARC-Date") && first(&haveDate) {
				var ok bool
				if rec.Date, ok = ParseDate(string(value)); !ok {
					note(DateInvalid)
				}
			}
		case len("Content-Type"):
			if isField(name, "Content-Type") && first(&haveContentType) {
				h.contentType = f.value
			}
		case len("Content-Length"):
			if !isField(name, "Content-Length") {
				break
			}
			if haveLength {
				note(LengthRepeated)
				break
			}
			haveLength = true
			rec.DeclaredLength = parseLength(string(value))
			if rec.DeclaredLength < 0 {
				note(LengthInvalid)
			}
		case len("WARC-Target-URI"): // and WARC-IP-Address
			if isField(name, "WARC-Target-URI") && first(&haveURI) {
				h.uri = f.value
				if n := len(value); n >= 2 && value[0] == '<' && value[n-1] == '>' {
					note(URIBrackets)
					h.uri = span{f.value.from + 1, f.value.to - 1}
				}
			} else if isField(name, "WARC-IP-Address") && first(&haveIP) {
				h.ip = f.value
			}
		}
	}
	if rec.Type == OtherType {
		note(TypeUnknown)
	}
	if !haveDate {
		note(DateInvalid)
	}
	if !haveLength {
		note(LengthMissing)
	}
	if uri := h.in(h.uri); bytes.IndexByte(uri, ' ') >= 0 || bytes.IndexByte(uri, '\t') >= 0 {
		note(URISpaces)
	}
	if len(h.in(h.uri)) == 0 {
		switch rec.Type {
		case Response, Request, Resource, Revisit, Conversion, Continuation:
			note(URIMissing)
		}
	}
}

// isField reports whether name is want, in any case.
func isField(name []byte, want string) bool {
	return string(name) == want || strings.EqualFold(string(name), want)
}

// deliver sets the string fields of rec as substrings of text, a copy of h.text.
func (h *rawHeader) deliver(rec *Record, text string) {
	for _, f := range h.fields {
		rec.Header = append(rec.Header, Field{text[f.name.from:f.name.to], text[f.value.from:f.value.to]})
	}
	rec.URI = text[h.uri.from:h.uri.to]
	rec.IP = text[h.ip.from:h.ip.to]
	rec.ContentType = text[h.contentType.from:h.contentType.to]
}

// parseLength returns a declared length, or -1 if malformed.
func parseLength(s string) int64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// dateLayouts are the forms of WARC-Date: W3CDTF of any precision (WARC 1.1, section 5.4), and zones without a colon,
// as in ClueWeb.
var dateLayouts = []string{
	time.RFC3339, // also accepts fractions of a second
	"2006-01-02T15:04:05-0700",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02",
	"2006-01",
	"2006",
}

// ParseDate reads a WARC-Date, or a date in digits, as UTC. ok is false if it is malformed.
func ParseDate(s string) (time.Time, bool) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	if len(s) == 14 {
		return parseDigits(s)
	}
	return time.Time{}, false
}

// parseDigits reads an ARC date: YYYYMMDDhhmmss or a prefix of it. It ignores further digits, and returns ok = false
// for these and for malformed dates.
func parseDigits(s string) (t time.Time, ok bool) {
	const layout = "20060102150405"
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, false
		}
	}
	if len(s) < 4 || len(s) < len(layout) && len(s)%2 != 0 {
		return time.Time{}, false
	}
	n := min(len(s), len(layout))
	t, err := time.Parse(layout[:n], s[:n])
	if err != nil {
		return time.Time{}, false
	}
	return t, len(s) <= len(layout)
}
