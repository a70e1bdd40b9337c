package robotstxt

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// lines returns all lines of a body that is read whole.
func lines(body string) []Line { return slices.Collect(Parse([]byte(body), Options{}).Lines()) }

// numbered returns the lines' texts under their numbers.
func numbered(doc *Document) map[int]string {
	texts := map[int]string{}
	for line := range doc.Lines() {
		texts[line.Number] = line.Text
	}
	return texts
}

// encodeUTF16 writes s in UTF-16, low byte first, without a mark.
func encodeUTF16(s string) []byte {
	var body []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		body = append(body, byte(unit), byte(unit>>8))
	}
	return body
}

// utf32BE writes s in UTF-32 with its mark, high byte first.
func utf32BE(s string) string {
	b := []byte("\x00\x00\xFE\xFF")
	for _, r := range s {
		b = binary.BigEndian.AppendUint32(b, uint32(r))
	}
	return string(b)
}

// The limit counts the text, however it is encoded: so explain, which decodes here, reads as much as a scan, which has
// decoded before.
func TestRLex8LimitOfWideText(t *testing.T) {
	for name, body := range map[string]string{"UTF-16": "\xFF\xFE" + string(encodeUTF16("a: b\nc: d\n")),
		"UTF-32": utf32BE("a: b\nc: d\n")} {
		for limit, want := range map[int]int{10: 2, 9: 1, 5: 1, 4: 0} {
			doc := Parse([]byte(body), Options{Limit: limit})
			if doc.LineCount != want || (len(doc.Defects) > 0) != (limit < 10) {
				t.Errorf("%s, limit %d: %d lines, %v", name, limit, doc.LineCount, doc.Defects)
			}
		}
	}
}

// R-LEX-7: rules behind what looks like a page are read, and the file says so.
func TestRLex7HTMLBeforeRules(t *testing.T) {
	const warning = "<br />\n<b>Warning</b>: include()\n"
	for body, want := range map[string]bool{
		warning + strings.Repeat("x\n", 10<<10) + "User-agent: *\nDisallow: /\n": true,
		warning:                                false,
		"User-agent: *\n<br />\nDisallow: /\n": false,
		utf32BE(warning + "User-agent: *\n"):   true,
	} {
		doc := Parse([]byte(body), Options{})
		if got := slices.Contains(doc.Defects, policy.DefectHTMLBeforeRules); got != want {
			t.Errorf("%.30q: %v", body, doc.Defects)
		}
	}
	left := Parse([]byte(warning+"Disallow: /"), Options{Without: policy.RuleSet{}.With(policy.RuleNotRobots)})
	if len(left.Defects) > 0 {
		t.Errorf("without the rule: %v", left.Defects)
	}
}

// swapPairs makes UTF-16LE of UTF-16BE and back.
func swapPairs(body []byte) []byte {
	swapped := slices.Clone(body)
	for i := 0; i+1 < len(swapped); i += 2 {
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
	}
	return swapped
}

func TestRLex1LineEnds(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       map[int]string
		count      int
	}{
		{"empty body", "", map[int]string{}, 0},
		{"LF", "a\nb\n", map[int]string{1: "a", 2: "b"}, 2},
		{"CRLF", "a\r\nb\r\n", map[int]string{1: "a", 2: "b"}, 2},
		{"lone CR", "a\rb\r", map[int]string{1: "a", 2: "b"}, 2},
		{"all three", "a\r\nb\rc\nd", map[int]string{1: "a", 2: "b", 3: "c", 4: "d"}, 4},
		{"no end at the last line", "a\nb", map[int]string{1: "a", 2: "b"}, 2},
		{"LF CR is two ends", "a\n\rb", map[int]string{1: "a", 3: "b"}, 3},
		{"CR CR LF is two ends", "a\r\r\nb", map[int]string{1: "a", 3: "b"}, 3},
		{"blank lines count", "\n \n\t\nb\n\n", map[int]string{4: "b"}, 5},
		{"comments count", "# one\n  # two\nb # three\n", map[int]string{3: "b"}, 3},
		{"other Unicode ends are text", "a\u2028b\u0085c\n", map[int]string{1: "a\u2028b\u0085c"}, 1},
		{"a form feed is white space, no end", "a\fb\f\n", map[int]string{1: "a\fb"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := Parse([]byte(test.body), Options{})
			if diff := cmp.Diff(test.want, numbered(doc)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if doc.LineCount != test.count {
				t.Errorf("LineCount = %d, want %d", doc.LineCount, test.count)
			}
		})
	}
}

func TestRLex1Encoding(t *testing.T) {
	const text = "User-agent: *\r\nDisallow: /ü€𝄞\n"
	unpaired := append([]byte("\xFF\xFEa\x00"), 0x34, 0xD8, 'b', 0) // a high surrogate, then no low one
	for _, test := range []struct {
		name     string
		body     []byte
		encoding Encoding
		want     map[int]string
	}{
		{"ASCII", []byte("a: b"), UTF8, map[int]string{1: "a: b"}},
		{"UTF-8", []byte(text), UTF8, map[int]string{1: "User-agent: *", 2: "Disallow: /ü€𝄞"}},
		{"UTF-8 with a mark", []byte("\xEF\xBB\xBF" + text), UTF8,
			map[int]string{1: "User-agent: *", 2: "Disallow: /ü€𝄞"}},
		{"UTF-16LE with a mark", append([]byte("\xFF\xFE"), encodeUTF16(text)...), UTF16LE,
			map[int]string{1: "User-agent: *", 2: "Disallow: /ü€𝄞"}},
		{"UTF-16BE with a mark", append([]byte("\xFE\xFF"), swapPairs(encodeUTF16(text))...), UTF16BE,
			map[int]string{1: "User-agent: *", 2: "Disallow: /ü€𝄞"}},
		{"UTF-16 with a byte left over, as archives' readers take it", []byte("\xFF\xFEa\x00b"), UTF16LE,
			map[int]string{1: "a"}},
		{"UTF-32LE with a mark", []byte("\xFF\xFE\x00\x00a\x00\x00\x00\n\x00\x00\x00\x1E\xD1\x01\x00"), UTF32LE,
			map[int]string{1: "a", 2: "𝄞"}},
		{"UTF-32BE with a mark", []byte(utf32BE(text)), UTF32BE,
			map[int]string{1: "User-agent: *", 2: "Disallow: /ü€𝄞"}},
		{"UTF-16 with an unpaired surrogate", unpaired, UTF16LE, map[int]string{1: "a\uFFFDb"}},
		{"UTF-16 that ends in a high surrogate", unpaired[:6], UTF16LE, map[int]string{1: "a\uFFFD"}},
		{"UTF-16 without a mark is bytes", encodeUTF16("ab"), UTF8, map[int]string{1: "a\x00b\x00"}},
		{"windows-1252 stays as it is", []byte("Disallow: /\xFC\n"), Bytes, map[int]string{1: "Disallow: /\xFC"}},
		{"half a mark is bytes", []byte("\xEF\xBBa"), Bytes, map[int]string{1: "\xEF\xBBa"}},
		{"only a mark", []byte("\xEF\xBB\xBF"), UTF8, map[int]string{}},
		{"only a UTF-16 mark", []byte("\xFF\xFE"), UTF16LE, map[int]string{}},
		{"a second mark is text", []byte("\xEF\xBB\xBF\uFEFFa"), UTF8, map[int]string{1: "\uFEFFa"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := Parse(test.body, Options{})
			if doc.Encoding != test.encoding {
				t.Errorf("Encoding = %v, want %v", doc.Encoding, test.encoding)
			}
			if diff := cmp.Diff(test.want, numbered(doc)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if doc.Size != len(test.body) {
				t.Errorf("Size = %d, want %d", doc.Size, len(test.body))
			}
		})
	}
}

func TestEncodingString(t *testing.T) {
	for encoding, want := range map[Encoding]string{
		UTF8: "utf-8", UTF16LE: "utf-16le", UTF16BE: "utf-16be", UTF32LE: "utf-32le", UTF32BE: "utf-32be",
		Bytes: "bytes", 0: "invalid(0)", 9: "invalid(9)",
	} {
		if got := encoding.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// One line each: its parts. R-LEX-2 for the comments; the missing colon (R-LEX-6) is the vocabulary's to repair.
func TestRLex2LineParts(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []Line
	}{
		{"field and value", "Disallow: /a", []Line{
			{Number: 1, Raw: "Disallow: /a", Text: "Disallow: /a", Field: "Disallow", Value: "/a", HasColon: true}}},
		{"white space around all parts", " \tDisallow \t:\t /a b \v", []Line{
			{Number: 1, Raw: " \tDisallow \t:\t /a b \v", Text: "Disallow \t:\t /a b", Field: "Disallow", Value: "/a b",
				HasColon: true}}},
		{"comment behind a value", "Disallow: /a # b: c", []Line{
			{Number: 1, Raw: "Disallow: /a # b: c", Text: "Disallow: /a", Field: "Disallow", Value: "/a",
				HasColon: true}}},
		{"a value that holds # is cut there", "Disallow: /a#b#c", []Line{
			{Number: 1, Raw: "Disallow: /a#b#c", Text: "Disallow: /a", Field: "Disallow", Value: "/a",
				HasColon: true}}},
		{"comment before the colon", "Disallow # : /a", []Line{
			{Number: 1, Raw: "Disallow # : /a", Text: "Disallow", Value: "Disallow"}}},
		{"empty value", "Disallow:", []Line{
			{Number: 1, Raw: "Disallow:", Text: "Disallow:", Field: "Disallow", HasColon: true}}},
		{"empty field", ": /a", []Line{
			{Number: 1, Raw: ": /a", Text: ": /a", Value: "/a", HasColon: true}}},
		{"URI as value: the first colon parts", "ACAP-usage-purpose: http://x.y/", []Line{
			{Number: 1, Raw: "ACAP-usage-purpose: http://x.y/", Text: "ACAP-usage-purpose: http://x.y/",
				Field: "ACAP-usage-purpose", Value: "http://x.y/", HasColon: true}}},
		{"directive without a colon", "ACAP-ignore-conventional-records", []Line{
			{Number: 1, Raw: "ACAP-ignore-conventional-records", Text: "ACAP-ignore-conventional-records",
				Value: "ACAP-ignore-conventional-records"}}},
		{"missing colon (S2 Ex 5.8)", "ACAP-allow-present-snippet /news/ max-length=20-words", []Line{
			{Number: 1, Raw: "ACAP-allow-present-snippet /news/ max-length=20-words",
				Text:  "ACAP-allow-present-snippet /news/ max-length=20-words",
				Value: "ACAP-allow-present-snippet /news/ max-length=20-words"}}},
		{"missing colon before a URI", "ACAP-usage-purpose http://x", []Line{
			{Number: 1, Raw: "ACAP-usage-purpose http://x", Text: "ACAP-usage-purpose http://x",
				Field: "ACAP-usage-purpose http", Value: "//x", HasColon: true}}},
		{"blank for the hyphen (S2 A.2)", "ACAP-allow preserve: /", []Line{
			{Number: 1, Raw: "ACAP-allow preserve: /", Text: "ACAP-allow preserve: /",
				Field: "ACAP-allow preserve", Value: "/", HasColon: true}}},
		{"bytes that are not UTF-8 are kept", "Disallow: /\xFC\x00 ", []Line{
			{Number: 1, Raw: "Disallow: /\xFC\x00 ", Text: "Disallow: /\xFC\x00", Field: "Disallow", Value: "/\xFC\x00",
				HasColon: true}}},
		{"pure comments and blanks say nothing", "#a\n \n\t# b: c\n##\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, lines(test.body)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRLex3Marker(t *testing.T) {
	notFirst, extra := policy.DefectMarkerNotFirst, policy.DefectMarkerExtraHash
	for _, test := range []struct {
		name, body string
		want       Marker
		defects    []policy.Defect
	}{
		{"as S3 4.5.4 writes it", "##ACAP version=1.1\n", Marker{1, 2, "1.1"}, nil},
		{"behind a byte order mark", "\uFEFF##ACAP version=1.0\r\n", Marker{1, 2, "1.0"}, nil},
		{"any case", "##acap VERSION=1.0", Marker{1, 2, "1.0"}, nil},
		{"blanks everywhere", " \t## ACAP\tversion = 1.0 \r\n", Marker{1, 2, "1.0"}, nil},
		{"no blanks", "##ACAPversion=1.0", Marker{1, 2, "1.0"}, nil},
		{"a comment behind it (S3 4.7)", "##ACAP version=0.2 # pilot version\n", Marker{1, 2, "0.2"}, nil},
		{"a comment right behind it", "##ACAP version=0.2  #pilot version\n", Marker{1, 2, "0.2"}, nil},
		{"a hash that touches the version", "##ACAP version=0.2#pilot\n", Marker{1, 2, "0.2"}, nil},
		{"text behind it", "##ACAP version=1.0 by the publisher\n", Marker{1, 2, "1.0"}, nil},
		{"a version that is none is kept", "##ACAP version=xxx\n", Marker{1, 2, "xxx"}, nil},
		{"behind a field on the first line", "User-agent: * ##ACAP version=1.0\n", Marker{1, 2, "1.0"}, nil},
		{"after a blank line", "\n##ACAP version=1.0\n", Marker{2, 2, "1.0"}, []policy.Defect{notFirst}},
		{"in the middle", "User-agent: *\nAllow: /\n##ACAP version=1.0\n", Marker{3, 2, "1.0"},
			[]policy.Defect{notFirst}},
		{"three hashes (corriere.it)", "###ACAP version=1.0\n", Marker{1, 3, "1.0"}, []policy.Defect{extra}},
		{"late, many hashes", "#\n#####ACAP version=1.0\n", Marker{2, 5, "1.0"}, []policy.Defect{notFirst, extra}},
		{"several: the first counts", "##ACAP version=1.0\n###ACAP version=1.1\n", Marker{1, 2, "1.0"}, nil},
		{"a line that is no marker, then one", "##ACAP version\n##ACAP version=1.1\n", Marker{2, 2, "1.1"},
			[]policy.Defect{notFirst}},
		{"one hash is a comment", "#ACAP version=1.0\n", Marker{}, nil},
		{"hashes apart are a comment", "# #ACAP version=1.0\n", Marker{}, nil},
		{"no comment at all", "ACAP version=1.0\n", Marker{}, nil},
		{"no version", "##ACAP version=\n1.0", Marker{}, nil},
		{"a comment for a version", "##ACAP version= # 1.0", Marker{}, nil},
		{"no equals sign", "##ACAP version 1.0\n", Marker{}, nil},
		{"another word", "##ACAPS version=1.0\n", Marker{}, nil},
		{"words before it", "## see ACAP version=1.0\n", Marker{}, nil},
		{"letters that Unicode folds to ASCII", "##ACAP ver\u017Fion=1.0\n", Marker{}, nil},
		{"ends at every letter", "##\n##A\n##ACA\n##ACAP\n##ACAP ver", Marker{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := Parse([]byte(test.body), Options{})
			if doc.Marker != test.want {
				t.Errorf("Marker = %+v, want %+v", doc.Marker, test.want)
			}
			if doc.Marker.Found() != (test.want.Line > 0) {
				t.Errorf("Found() = %v", doc.Marker.Found())
			}
			if diff := cmp.Diff(test.defects, doc.Defects); diff != "" {
				t.Errorf("Defects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRLex4NoBreakSpace(t *testing.T) {
	type parts struct {
		field, value string
		nbsp         bool
	}
	nbsp := []policy.Defect{policy.DefectNBSP}
	for _, test := range []struct {
		name, body string
		want       []parts
		defects    []policy.Defect
	}{
		{"after the colon (the-acap.org)", "ACAP-disallow-crawl:\u00A0 /files/\r\n",
			[]parts{{"ACAP-disallow-crawl", "/files/", true}}, nbsp},
		{"around everything", "\u00A0Disallow\u00A0:\u00A0/a\u00A0\n", []parts{{"Disallow", "/a", true}}, nbsp},
		{"within a value: a blank a byte", "f: a\u00A0b=c\n", []parts{{"f", "a  b=c", true}}, nbsp},
		{"lone bytes", "f:\xA0\xA0/a\xA0b\n", []parts{{"f", "/a b", true}}, nbsp},
		{"only its own line is marked", "f: a\ng:\u00A0b\n", []parts{{"f", "a", false}, {"g", "b", true}}, nbsp},
		{"a line of nothing else is blank", "\u00A0\n\xA0\n", nil, nbsp},
		{"in a comment: nothing was forgiven", "f: a #\u00A0b\n#\u00A0\u00A0c\n", []parts{{"f", "a", false}}, nil},
		{"in the version marker", "##\u00A0ACAP\u00A0version=1.0\n", nil, nbsp},
		{"behind the version marker", "##ACAP version=1.0\u00A0pilot\n", nil, nil},
		{"a byte A0 within a character", "f: à\u0120\n", []parts{{"f", "à\u0120", false}}, nil},
		{"a byte A0 within a character, next to bytes", "f: à\xFF\n", []parts{{"f", "à\xFF", false}}, nil},
		{"other Unicode blanks are text", "f:\u2003a\u3000\n", []parts{{"f", "\u2003a\u3000", false}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := Parse([]byte(test.body), Options{})
			var got []parts
			for line := range doc.Lines() {
				got = append(got, parts{line.Field, line.Value, line.NBSP})
				if !strings.Contains(test.body, line.Raw) {
					t.Errorf("Raw %q is not as written", line.Raw)
				}
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(parts{})); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.defects, doc.Defects); diff != "" {
				t.Errorf("Defects (-want +got):\n%s", diff)
			}
			if strings.Contains(test.name, "marker") && doc.Marker.Version != "1.0" {
				t.Errorf("Marker = %+v, want version 1.0", doc.Marker)
			}
		})
	}
}

func TestRLex4UTF16(t *testing.T) {
	doc := Parse(append([]byte("\xFF\xFE"), encodeUTF16("f:\u00A0/a\n")...), Options{})
	for line := range doc.Lines() {
		if line.Value != "/a" || !line.NBSP || line.Raw != "f:\u00A0/a" {
			t.Errorf("line = %+v", line)
		}
	}
	if diff := cmp.Diff([]policy.Defect{policy.DefectNBSP}, doc.Defects); diff != "" {
		t.Errorf("Defects (-want +got):\n%s", diff)
	}
}

func TestRLex5FieldIs(t *testing.T) {
	for _, test := range []struct {
		name, body, field string
		want              bool
	}{
		{"same", "Disallow: /", "Disallow", true},
		{"other case", "dISALLOW: /", "Disallow", true},
		{"longer", "Disallows: /", "Disallow", false},
		{"shorter", "Disallo: /", "Disallow", false},
		{"no colon", "Disallow", "Disallow", false},
		{"no colon, no name", "Disallow", "", false},
		{"letters that Unicode folds to ASCII", "di\u017Fallow: /", "disallow", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, line := range lines(test.body) {
				if got := line.FieldIs(test.field); got != test.want {
					t.Errorf("FieldIs(%q) = %v, want %v", test.field, got, test.want)
				}
			}
		})
	}
}

func TestRLex7NotRobots(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html>\n<head><title>404</title>\n</head>\n"
	for _, test := range []struct {
		name, body string
		want       bool
	}{
		{"page", page, true},
		{"page behind white space", " \t\r\n\f\v" + page, true},
		{"page behind a no-break space", "\u00A0\xA0\n" + page, true},
		{"page behind a byte order mark", "\xEF\xBB\xBF\n" + page, true},
		{"page in UTF-16LE", "\xFF\xFE" + string(encodeUTF16(page)), true},
		{"page in UTF-16BE", "\xFE\xFF" + string(swapPairs(encodeUTF16(page))), true},
		{"page behind 20 KiB of blank lines", strings.Repeat("\r\n", 10<<10) + page, true},
		{"one byte", "<", true},
		{"empty", "", false},
		{"only white space", " \r\n\u00A0", false},
		{"text", "not found", false},
		{"robots.txt", "User-agent: *\n<html>", false},
		{"comment before a page", "# robots\n" + page, false},
		{"page with User-agent", "<pre>\nUser-agent: *\n", false},
		{"page with another case and blanks", "<pre>\r \tDISALLOW\t : /\n", false},
		{"page with Allow", "<p>\nAllow:/", false},
		{"page with Sitemap", "<p>\nSitemap: /s.xml", false},
		{"page with Crawl-delay", "<p>\ncrawl-delay: 1", false},
		{"page with Host", "<p>\nHost: a.example", false},
		{"page with Noindex", "<p>\nNoindex: /", false},
		{"page with a no-break space before a field", "<p>\n\u00A0Disallow: /", false},
		{"page with an ACAP field", "<p>\nacap-crawler: *", false},
		{"page with an ACAP field without a colon", "<p>\nACAP-ignore-conventional-records\n", false},
		{"robots.txt in UTF-16 behind a tag", "\xFF\xFE" + string(encodeUTF16("<p>\nDisallow: /")), false},
		{"a field without its colon", page + "Disallow\nallow /\n", true},
		{"a longer word", page + "Disallowed: robots\nhostname: x\n", true},
		{"a field within a line", page + "<p>User-agent: *</p>\n", true},
		{"a field in a comment", page + "# User-agent: *\n", true},
		{"ACAP without a hyphen", page + "ACAP is a protocol\n", true},
		{"a field beyond 8 KiB", page + strings.Repeat("\n", 8<<10) + "Host: x", false},
		{"a field at the end of what is read", page + strings.Repeat("\n", DefaultLimit-len(page)-len("Host: x\n")) +
			"Host: x\n", false},
		{"a field cut by the limit", page + strings.Repeat("\n", DefaultLimit-len(page)-len("Host: x")) + "Host: xy",
			true},
		{"a field beyond what is read", page + strings.Repeat("\n", DefaultLimit) + "Host: x", true},
		{"a page of one line that the limit cuts", "<p>" + strings.Repeat("a", DefaultLimit), true},
		{"page in UTF-32BE", utf32BE(page), true},
		{"robots.txt in UTF-32BE behind a tag", utf32BE("<p>\nDisallow: /"), false},
		{"'<' beyond what is read", strings.Repeat("\n", DefaultLimit) + page, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := NotRobots([]byte(test.body), Options{}); got != test.want {
				t.Errorf("NotRobots = %v, want %v", got, test.want)
			}
		})
	}
}

func TestRLex8Limit(t *testing.T) {
	limited := []policy.Defect{policy.DefectSizeLimit}
	for _, test := range []struct {
		name, body string
		options    Options
		want       map[int]string
		count      int
		defects    []policy.Defect
	}{
		{"whole body", "a: b\nc: d", Options{}, map[int]string{1: "a: b", 2: "c: d"}, 2, nil},
		{"limit is the size", "a: b\nc: d", Options{Limit: 9}, map[int]string{1: "a: b", 2: "c: d"}, 2, nil},
		{"line cut by the limit", "a: b\nc: /private", Options{Limit: 10}, map[int]string{1: "a: b"}, 1, limited},
		{"line end just beyond the limit", "a: b\nc: d\n", Options{Limit: 9}, map[int]string{1: "a: b"}, 1, limited},
		{"limit just behind LF", "a: b\nc: d\n", Options{Limit: 5}, map[int]string{1: "a: b"}, 1, limited},
		{"limit between CR and LF", "a: b\r\nc: d", Options{Limit: 5}, map[int]string{1: "a: b"}, 1, limited},
		{"limit within the only line", "a: b", Options{Limit: 2}, map[int]string{}, 0, limited},
		{"limit counts the byte order mark", "\xEF\xBB\xBFa: b\nc", Options{Limit: 7}, map[int]string{}, 0, limited},
		{"limit within a character", "a: b\nü", Options{Limit: 6}, map[int]string{1: "a: b"}, 1, limited},
		{"limit within a comment", "a: b\nc: d # e", Options{Limit: 12}, map[int]string{1: "a: b"}, 1, limited},
		{"negative limit is the default", "a: b", Options{Limit: -1}, map[int]string{1: "a: b"}, 1, nil},
		{"truncated within a line", "a: b\nc: /p", Options{Truncated: true}, map[int]string{1: "a: b"}, 1, nil},
		{"truncated behind LF", "a: b\nc: d\n", Options{Truncated: true}, map[int]string{1: "a: b", 2: "c: d"}, 2, nil},
		{"truncated behind a lone CR", "a: b\rc: d\r", Options{Truncated: true}, map[int]string{1: "a: b", 2: "c: d"},
			2, nil},
		{"truncated within the only line", "a: b", Options{Truncated: true}, map[int]string{}, 0, nil},
		{"truncated UTF-16 within a unit", "\xFF\xFEa\x00\n\x00b", Options{Truncated: true}, map[int]string{1: "a"}, 1,
			nil},
		{"truncated empty", "", Options{Truncated: true}, map[int]string{}, 0, nil},
		{"truncated and limited", "a: b\nc: d\ne", Options{Limit: 8, Truncated: true}, map[int]string{1: "a: b"}, 1,
			limited},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := Parse([]byte(test.body), test.options)
			if diff := cmp.Diff(test.want, numbered(doc)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if doc.LineCount != test.count || doc.Size != len(test.body) {
				t.Errorf("LineCount, Size = %d, %d, want %d, %d", doc.LineCount, doc.Size, test.count, len(test.body))
			}
			if diff := cmp.Diff(test.defects, doc.Defects); diff != "" {
				t.Errorf("Defects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRLex8CutMarkerDoesNotCount(t *testing.T) {
	if doc := Parse([]byte("##ACAP version=1"), Options{Truncated: true}); doc.Marker.Found() {
		t.Errorf("Marker = %+v of a cut line", doc.Marker)
	}
}

func TestRLex8CutCharacterIsNoEncoding(t *testing.T) {
	if doc := Parse([]byte("ü: ü\nü"), Options{Limit: len("ü: ü\nü") - 1}); doc.Encoding != UTF8 {
		t.Errorf("Encoding = %v, want %v", doc.Encoding, UTF8)
	}
}

func TestRLex8DefaultLimit(t *testing.T) {
	body := bytes.Repeat([]byte("a: b\n"), DefaultLimit/5+100)
	doc := Parse(body, Options{})
	if want := DefaultLimit / 5; doc.LineCount != want {
		t.Errorf("LineCount = %d, want %d", doc.LineCount, want)
	}
	if len(doc.raw) > DefaultLimit || doc.Size != len(body) {
		t.Errorf("read %d bytes of %d", len(doc.raw), doc.Size)
	}
}

func TestLinesStopsWhenAsked(t *testing.T) {
	count := 0
	for range Parse([]byte("a\nb\nc\n"), Options{}).Lines() {
		count++
		break
	}
	if count != 1 {
		t.Errorf("%d lines after a break at the first", count)
	}
}

func TestDocumentDoesNotKeepBody(t *testing.T) {
	body := []byte("Disallow: /a")
	doc := Parse(body, Options{})
	clear(body)
	if diff := cmp.Diff(map[int]string{1: "Disallow: /a"}, numbered(doc)); diff != "" {
		t.Errorf("lines after the body was reused (-want +got):\n%s", diff)
	}
}

func TestLinesAllocateNothing(t *testing.T) {
	doc := Parse(bytes.Repeat([]byte("Disallow:\u00A0/a # b\r\n"), 1000), Options{})
	length := 0
	allocs := testing.AllocsPerRun(10, func() {
		for line := range doc.Lines() {
			length += len(line.Value)
		}
	})
	if allocs > 1 { // the iterator itself
		t.Errorf("%v allocations for 1000 lines", allocs)
	}
}

func TestACAPAndSaid(t *testing.T) {
	for _, test := range []struct {
		name, body string
		acap       bool
		said       int
	}{
		{"none", "User-agent: *\nDisallow: /acap\n# acap\n\n", false, 2},
		{"a field", "User-agent: *\n \tacap-crawler: *", true, 2},
		{"a field with blanks for hyphens", "x\rACAP allow index: /\r", true, 2},
		{"behind a no-break space", "\u00A0AcaP-crawler: *\n", true, 1},
		{"a marker alone", "##ACAP version=1.1\n", true, 0},
		{"a marker behind a field", "a: b ##ACAP version=1.1\n", true, 1},
		{"a comment that is no marker", "##ACAP\n", false, 0},
		{"all line ends", "a\r\rb\r\n\r\nc\n\rd\r", false, 4},
		{"letters at the end", "aca", false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := Parse([]byte(test.body), Options{})
			if doc.ACAP != test.acap || doc.Said != test.said {
				t.Errorf("ACAP = %v, Said = %d, want %v, %d", doc.ACAP, doc.Said, test.acap, test.said)
			}
		})
	}
}
