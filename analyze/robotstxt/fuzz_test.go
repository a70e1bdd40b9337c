package robotstxt

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/bodytext"
)

var seeds = []string{
	"",
	"##ACAP version=1.1\r\nUser-agent:*\rDisallow: /a#b\n\nACAP-disallow-crawl:\u00A0 /files/\n",
	"\xEF\xBB\xBF### acap VERSION = 1.0 # x\nf\xA0: \xA0à\xFF",
	"\xFF\xFEf\x00:\x00\xA0\x00a\x00\r\x00\n\x00b\x00\x34\xD8\x1E\xDDx",
	"\xFE\xFF\x00f\x00:\xD8\x34\xDD\x1E\x00\n\x00",
	"<html>\nUser-agent : *\nACAP-crawler\n",
}

// simpleLines is R-LEX-1 said in the simplest way: the lines of a text, blank ones included, without a last empty one.
func simpleLines(text string) []string {
	all := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// fileDefects is every defect of a file as a whole, in the order in which they are listed.
var fileDefects = []policy.Defect{policy.DefectSizeLimit, policy.DefectMarkerNotFirst, policy.DefectMarkerExtraHash,
	policy.DefectNBSP}

func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed), 0, false)
		f.Add([]byte(seed), len(seed)/2+1, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, limit int, truncated bool) {
		before := slices.Clone(body)
		options := Options{Limit: limit, Truncated: truncated}
		doc := Parse(body, options)
		if !slices.Equal(before, body) {
			t.Fatal("body was written to")
		}

		if len(doc.raw) != len(doc.text) {
			t.Fatalf("raw has %d bytes, text %d", len(doc.raw), len(doc.text))
		}
		simple := simpleLines(doc.raw)
		if doc.LineCount != len(simple) {
			t.Fatalf("LineCount = %d, want %d", doc.LineCount, len(simple))
		}
		if (truncated || limit > 0 && len(body) > limit) && doc.raw != "" &&
			!strings.ContainsAny(doc.raw[len(doc.raw)-1:], "\r\n") {
			t.Fatalf("a cut line was kept: %q", simple[len(simple)-1])
		}
		if wantBytes := !utf8.ValidString(doc.raw); wantBytes != (doc.Encoding == Bytes) {
			t.Fatalf("Encoding = %v of %q", doc.Encoding, doc.raw)
		}

		last, nbsp := 0, false
		seen := slices.Collect(doc.Lines())
		for _, line := range seen {
			if line.Number <= last {
				t.Fatalf("line %d after line %d", line.Number, last)
			}
			last = line.Number
			nbsp = nbsp || line.NBSP
			if line.Raw != simple[line.Number-1] {
				t.Fatalf("line %d: Raw = %q, want %q", line.Number, line.Raw, simple[line.Number-1])
			}
			checkLine(t, line)
		}
		if nbsp && !slices.Contains(doc.Defects, policy.DefectNBSP) {
			t.Fatal("a line has an nbsp, the document has not")
		}
		if !slices.IsSortedFunc(doc.Defects, func(a, b policy.Defect) int {
			return slices.Index(fileDefects, a) - slices.Index(fileDefects, b)
		}) || len(slices.Compact(slices.Clone(doc.Defects))) != len(doc.Defects) {
			t.Fatalf("Defects = %v", doc.Defects)
		}
		if doc.Marker.Found() && (doc.Marker.Line > doc.LineCount || doc.Marker.Hashes < 2 ||
			doc.Marker.Version == "") {
			t.Fatalf("Marker = %+v of %d lines", doc.Marker, doc.LineCount)
		}

		again := Parse(body, options)
		if diff := cmp.Diff(doc, again, cmp.AllowUnexported(Document{}, policy.RuleSet{})); diff != "" {
			t.Fatalf("a second reading differs:\n%s", diff)
		}
		if !slices.Equal(seen, slices.Collect(doc.Lines())) {
			t.Fatal("a second walk differs")
		}
	})
}

// checkLine checks what holds for every line by itself.
func checkLine(t *testing.T, line Line) {
	t.Helper()
	code, _, _ := strings.Cut(line.Raw, "#")
	if line.Text == "" || strings.ContainsAny(line.Text, "#\r\n") || trim(line.Text) != line.Text ||
		len(line.Text) > len(code) {
		t.Fatalf("Text = %q of %q", line.Text, line.Raw)
	}
	field, value, hasColon := strings.Cut(line.Text, ":")
	if !hasColon {
		field, value = "", line.Text
	}
	if line.HasColon != hasColon || line.Field != trim(field) || line.Value != trim(value) {
		t.Fatalf("parts of %q: %q, %q, %v", line.Text, line.Field, line.Value, line.HasColon)
	}
	if !line.NBSP && line.Text != trim(code) {
		t.Fatalf("Text = %q of %q without an nbsp", line.Text, line.Raw)
	}
}

func FuzzNotRobots(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	var lines, limit policy.RuleSet
	lines, limit = lines.With(policy.RuleLines), limit.With(policy.RuleSizeLimit)
	f.Fuzz(func(t *testing.T, body []byte) {
		if bodytext.IsPage(body) {
			for _, opts := range []Options{{}, {Limit: 4 << 10}, {Without: lines}, {Without: limit},
				{Without: lines, Limit: 1 << 13}} {
				if !NotRobots(body, opts) {
					t.Fatalf("a page for the first stage, and a robots.txt with %+v", opts)
				}
			}
		}
		if !NotRobots(body, Options{}) {
			return
		}
		for line := range Parse(body, Options{}).Lines() {
			for _, field := range bodytext.KnownFields {
				if line.FieldIs(field) {
					t.Fatalf("a page, with %q", line.Raw)
				}
			}
		}
	})
}

// BenchmarkParse reads bodies of 500 KiB and walks their lines once; hostile ones must stay within a small factor of
// the first.
func BenchmarkParse(b *testing.B) {
	for _, test := range []struct{ name, unit string }{
		{"rules", "User-agent: Example\r\nDisallow: /a/path/of/middling/length/ # why\r\n"},
		{"newlines", "\n"},
		{"carriage returns", "\r"},
		{"one long line", "a"},
		{"hashes", "#"},
		{"no-break spaces", "f:\u00A0a\n"},
	} {
		body := []byte(strings.Repeat(test.unit, DefaultLimit/len(test.unit)))
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			length := 0
			for b.Loop() {
				for line := range Parse(body, Options{}).Lines() {
					length += len(line.Value)
				}
			}
		})
	}
}

// BenchmarkNotRobots looks for a known field in half a mebibyte, the first half of it blank lines, the second short
// ones.
func BenchmarkNotRobots(b *testing.B) {
	body := []byte(strings.Repeat("\n", DefaultLimit/2-1) + "<" + strings.Repeat("p\n", DefaultLimit/4))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if !NotRobots(body, Options{}) {
			b.Fatal("not taken for a page")
		}
	}
}
