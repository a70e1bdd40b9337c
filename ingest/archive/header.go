package archive

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// parseHeader fills rec from the text of a WARC header, version line first.
// The strings of rec are parts of the text.
func parseHeader(text string, rec *Record, note func(Defect)) {
	line, rest := cutLine(text, note)
	rec.Version = strings.TrimSpace(strings.TrimPrefix(line, "WARC/"))
	switch rec.Version {
	case "0.17", "0.18", "1.0", "1.1":
	default:
		note(VersionUnknown)
	}
	for rest != "" {
		line, rest = cutLine(rest, note)
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if n := len(rec.Header); n > 0 {
				note(HeaderFolded)
				line, rest = unfold(rec.Header[n-1].Value, line, rest, note)
				rec.Header[n-1].Value = line
				continue
			}
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			note(HeaderNoColon)
			continue
		}
		if trimmed := strings.TrimRight(name, " \t"); len(trimmed) != len(name) {
			note(HeaderSpaceBeforeColon)
			name = trimmed
		}
		rec.Header = append(rec.Header, Field{name, strings.Trim(value, " \t")})
	}
	if !utf8.ValidString(text) {
		note(HeaderNotUTF8)
	}
	readFields(rec, note)
}

// cutLine splits off the first line, without its line end.
func cutLine(text string, note func(Defect)) (line, rest string) {
	line, rest, ended := strings.Cut(text, "\n")
	trimmed := strings.TrimRight(line, "\r")
	if ended && len(line)-len(trimmed) != 1 {
		note(HeaderLineEnd)
	}
	return trimmed, rest
}

// unfold joins all continuation lines that follow to the value in one step, as
// there may be many.
func unfold(value, line, rest string, note func(Defect)) (joined, after string) {
	var b strings.Builder
	b.WriteString(value)
	for {
		b.WriteByte(' ')
		b.WriteString(strings.Trim(line, " \t"))
		if rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			return b.String(), rest
		}
		line, rest = cutLine(rest, note)
	}
}

// readFields sets the fields of rec that stand in its header. Of a field that
// is repeated the first counts.
func readFields(rec *Record, note func(Defect)) {
	var haveType, haveDate, haveURI, haveContentType, haveIP, haveLength bool
	first := func(have *bool) bool {
		if *have {
			note(HeaderRepeated)
			return false
		}
		*have = true
		return true
	}
	for i := range rec.Header {
		name, value := rec.Header[i].Name, rec.Header[i].Value
		switch len(name) {
		case len("WARC-Type"): // and WARC-Date
			if strings.EqualFold(name, "WARC-Type") && first(&haveType) {
				rec.Type = parseType(value)
			} else if strings.EqualFold(name, "WARC-Date") && first(&haveDate) {
				var ok bool
				if rec.Date, ok = ParseDate(value); !ok {
					note(DateInvalid)
				}
			}
		case len("Content-Type"):
			if strings.EqualFold(name, "Content-Type") && first(&haveContentType) {
				rec.ContentType = value
			}
		case len("Content-Length"):
			if !strings.EqualFold(name, "Content-Length") {
				break
			}
			if haveLength {
				note(LengthRepeated)
				break
			}
			haveLength = true
			rec.DeclaredLength = parseLength(value)
			if rec.DeclaredLength < 0 {
				note(LengthInvalid)
			}
		case len("WARC-Target-URI"): // and WARC-IP-Address
			if strings.EqualFold(name, "WARC-Target-URI") && first(&haveURI) {
				if n := len(value); n >= 2 && value[0] == '<' && value[n-1] == '>' {
					note(URIBrackets)
					value = value[1 : n-1]
				}
				rec.URI = value
			} else if strings.EqualFold(name, "WARC-IP-Address") && first(&haveIP) {
				rec.IP = value
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
	if strings.ContainsAny(rec.URI, " \t") {
		note(URISpaces)
	}
	if rec.URI == "" {
		switch rec.Type {
		case Response, Request, Resource, Revisit, Conversion, Continuation:
			note(URIMissing)
		}
	}
}

// parseLength reads a declared length, -1 if it is none.
func parseLength(s string) int64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// dateLayouts are the forms of WARC-Date: W3CDTF to any precision (WARC 1.1,
// section 5.4), and zones without a colon, as ClueWeb has them.
var dateLayouts = []string{
	time.RFC3339, // takes fractions of a second
	"2006-01-02T15:04:05-0700",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02",
	"2006-01",
	"2006",
}

// ParseDate reads a date as WARC-Date has it, or in digits, in UTC. ok is false where it is none.
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

// parseDigits reads an ARC date: YYYYMMDDhhmmss, or shorter from the left.
// More digits are cut off; then, and where there is no date, ok is false.
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
