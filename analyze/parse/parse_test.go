package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
)

func show(statements []policy.Statement) []string {
	var all []string
	for _, s := range statements {
		place := fmt.Sprint(s.Line)
		if s.OfPage() {
			place = s.Source.String()
		}
		all = append(all, fmt.Sprintf("%s %s %s %s", place, s.Vocabulary, s.Field, s.Status))
	}
	return all
}

func TestReadRobots(t *testing.T) {
	body := []byte("User-agent: *\nACAP-crawler: *\n### ACAP version=1.1\nDisallow: /a\nACAP-allow-crawl: /b\nAllow: " +
		"/c\nACAP-odd: x\nSitemap: /s\n\nContent-Signal: x\n")
	got := ReadRobots(body, false, Options{})
	for i := range body {
		body[i] = 'x' // it keeps nothing of the body
	}
	if diff := cmp.Diff([]string{"4 rep disallow valid", "5 acap acap-allow-crawl valid", "6 rep allow valid",
		"7 acap acap-odd ignored", "8 rep sitemap recorded",
		"10 content-signal content-signal recorded"}, show(got.Statements)); diff != "" {
		t.Errorf("by line, whatever the vocabulary:\n%s", diff)
	}
	if got.Statements[1].Raw != "ACAP-allow-crawl: /b" {
		t.Errorf("raw: got %q", got.Statements[1].Raw)
	}
	want := []policy.Finding{{Defect: policy.DefectMarkerNotFirst, Line: 3}, {Defect: policy.DefectMarkerExtraHash,
		Line: 3}, {Defect: policy.DefectConventional, Line: 4}, {Defect: policy.DefectConventional, Line: 6}}
	if diff := cmp.Diff(want, got.Findings); diff != "" {
		t.Error(diff)
	}
	if got.Lines != 10 || got.Size != len(body) || got.ACAPFields != 3 || got.REPFields != 3 || !got.Marker.Found() ||
		got.Version.Text != "1.1" || got.Fields["content-signal"] != 1 {
		t.Errorf("got %d lines, %d bytes, %d and %d fields, marker %+v, version %q, others %v", got.Lines, got.Size,
			got.ACAPFields, got.REPFields, got.Marker, got.Version.Text, got.Fields)
	}
}

func TestReadRobotsLimits(t *testing.T) {
	for _, test := range []struct {
		name      string
		body      string
		truncated bool
		limit     int
		want      []string
		defects   int
	}{
		{"R-LEX-8/cut by the archive", "User-agent: *\nDisallow: /a\nDisallow: /private", true, 0,
			[]string{"2 rep disallow valid"}, 0},
		{"R-LEX-8/whole without a last line end", "User-agent: *\nDisallow: /a\nDisallow: /private", false, 0,
			[]string{"2 rep disallow valid", "3 rep disallow valid"}, 0},
		{"R-LEX-8/cut by the limit", "User-agent: *\nDisallow: /a\nDisallow: /private\n", false, 30,
			[]string{"2 rep disallow valid"}, 1},
		{"R-LEX-8/500 KiB", "User-agent: *\n" + strings.Repeat("#", 500<<10) + "\nDisallow: /\n", false, 0, nil, 1},
		{"nothing", "", false, 0, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ReadRobots([]byte(test.body), test.truncated, Options{Limit: test.limit})
			if diff := cmp.Diff(test.want, show(got.Statements)); diff != "" {
				t.Error(diff)
			}
			if len(got.Findings) != test.defects || test.defects > 0 &&
				got.Findings[0].Defect != policy.DefectSizeLimit {
				t.Errorf("findings %v", got.Findings)
			}
		})
	}
}

func TestOptionsReachTheVocabulary(t *testing.T) {
	text := []byte("ACAP-crawler: *\nACAP-allow-index /a\n")
	for refused, want := range map[policy.Defect]policy.Status{
		policy.DefectPresentLinks: policy.Repaired, policy.DefectMissingColon: policy.Invalid,
	} {
		got := ReadRobots(text, false, Options{Refuse: []policy.Defect{refused}}).Statements
		if len(got) != 1 || got[0].Status != want {
			t.Errorf("R-LEX-6/%s refused: got %v", refused, show(got))
		}
	}
}

func TestNotRobots(t *testing.T) {
	if !NotRobots([]byte("\n <!DOCTYPE html><title>Not found</title>"), Options{}) ||
		NotRobots([]byte("User-agent: *\n"), Options{}) {
		t.Error("R-LEX-7")
	}
}

func page(t *testing.T, mediaType, body string, site *policy.File, fields ...string) *policy.Page {
	t.Helper()
	var header capture.Header
	for _, f := range fields {
		header = append(header, capture.Field{Name: []byte("X-Robots-Tag"), Value: []byte(f)})
	}
	fact := markup.Page([]byte(body), mediaType, header)
	return ReadPage(&fact, site, Options{})
}

func TestReadPage(t *testing.T) {
	body := `<html><head><meta name="robots" content="noindex"><meta name="robots" content="ACAP allow-index"></head>` +
		`<body><p class="the-acap:allow-(q)" id="one">x</p><?robots index="no" follow="no"?></body></html>`
	site := ReadRobots([]byte("##ACAP version=1.1\nACAP-qualified-usage: q preserve time-limit=3-days\n"), false,
		Options{}).File
	got := page(t, "text/html", body, site, "nofollow", "noarchive")
	want := []string{"meta rep noindex valid", "meta acap acap-allow-index valid", "class acap acap-allow-(q) valid",
		"pi rep robots recorded", "pi rep robots recorded",
		"http-header rep nofollow valid", "http-header rep noarchive valid", "http-header rep noarchive valid"}
	if diff := cmp.Diff(want, show(got.Statements)); diff != "" {
		t.Error(diff)
	}
	class := got.Statements[2]
	if class.Usage != policy.Preserve || class.Element == nil ||
		*class.Element != (policy.Element{Name: "p", ID: "one"}) || got.XML {
		t.Errorf("got %+v, parsed as XML %v", class, got.XML)
	}
	if got := page(t, "text/html", body, nil).Statements[2]; got.Status != policy.Invalid ||
		!got.HasDefect(policy.DefectUndefinedName) {
		t.Errorf("R-CLASS-1/without a site: got %s %v", got.Status, got.Defects)
	}
	if got := page(t, "application/xhtml+xml", `<?robots index="no" follow="no"?>`+body, site); !got.XML ||
		got.Statements[slices.IndexFunc(got.Statements,
			func(s policy.Statement) bool { return s.Source == policy.PI })].Status != policy.Valid {
		t.Errorf("R-PARSE-1/R-PI-1: got XML %v, %v", got.XML, show(got.Statements))
	}
}

func TestReadPageOfNoDirectives(t *testing.T) {
	if p := ReadPage(&facts.Fact{}, nil, Options{}); len(p.Statements) != 0 || p.XML {
		t.Errorf("got %+v", p)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("##ACAP version=1.0\nUser-agent: *\nACAP-crawler: *\nACAP-allow-index: / ref=x\n"),
		`<meta name="robots" content="ACAP allow-other ref=x">`, "noindex", true)
	f.Fuzz(func(t *testing.T, body []byte, markup, field string, xml bool) {
		r := ReadRobots(body, xml, Options{})
		if !slices.IsSortedFunc(r.Statements, func(a, b policy.Statement) int { return a.Line - b.Line }) ||
			r.Marker != (robotstxt.Marker{}) && r.Marker.Line > r.Lines {
			t.Errorf("not by line: %v", show(r.Statements))
		}
		mediaType := "text/html"
		if xml {
			mediaType = "text/xml"
		}
		for _, st := range page(t, mediaType, markup, r.File, field).Statements {
			if !st.OfPage() || st.Status == 0 || st.Line != 0 || (st.Source == policy.Class) != (st.Element != nil) {
				t.Errorf("got %+v", st)
			}
		}
	})
}
