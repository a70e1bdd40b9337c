package decide_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/extract/markup"
)

func TestElementsThemselves(t *testing.T) {
	for _, c := range []struct {
		name, robots, page string
		usage              policy.Usage
		want               []string // "ID DECISION RULE... NAME=VALUE..."
	}{
		{"R-CLASS-1/both senses on one", "", `<p id=a class="the-acap:allow-index the-acap:disallow-index">`,
			policy.Index, []string{"a disallowed [R-CLASS-1 R-DEC-7]"}},
		{"R-CLASS-1/the narrower usage on one", "",
			`<p id=a class="the-acap:disallow-present the-acap:allow-present-snippet">`, policy.PresentSnippet,
			[]string{"a allowed [R-CLASS-1 R-DEC-5 R-DEC-0]"}},
		{"R-CLASS-1/the innermost, not the narrowest", "",
			`<div id=a class="the-acap:allow-present-snippet"><p id=b class="the-acap:disallow-present">`,
			policy.PresentSnippet, []string{"a allowed [R-CLASS-1 R-DEC-0]", "b disallowed [R-CLASS-1 R-DEC-0]"}},
		{"R-CLASS-1/other usages are not touched", "", `<p id=a class="the-acap:disallow-index">`, policy.Follow, nil},
		{"R-CLASS-1/a token about crawl leaves the page's decision",
			"##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /", `<p id=a class="the-acap:allow-crawl">`,
			policy.Index, []string{"a allowed [R-DEC-0]"}},
		{"R-DEC-11/an element that must not be fetched, and what is inside", "",
			`<div id=a class="the-acap:disallow-crawl"><p id=b class="the-acap:allow-index">`, policy.Index,
			[]string{"a disallowed [R-CLASS-1 R-DEC-0 R-DEC-11]", "b disallowed [R-CLASS-1 R-DEC-0 R-DEC-11]"}},
		{"R-DEC-11/may be fetched again further in", "",
			`<div id=a class="the-acap:disallow-crawl"><p id=b class="the-acap:allow-crawl">`, policy.Index,
			[]string{"a disallowed [R-CLASS-1 R-DEC-0 R-DEC-11]", "b allowed [R-DEC-12]"}},
		{"R-DEC-1/a conventional rule of robots.txt", "User-agent: *\nDisallow: /",
			`<p id=a class="the-acap:allow-crawl">`, policy.Crawl,
			[]string{"a disallowed [R-CLASS-1 R-DEC-0 R-REP-1 R-DEC-1]"}},
		{"R-DEC-1/a conventional META is lifted, robots.txt is not",
			"##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / time-limit=3-days",
			`<meta name=robots content=noindex><p id=a class="the-acap:allow-index">`, policy.Index,
			[]string{"a conditional [R-CLASS-1 R-DEC-0 R-DEC-1] time-limit=3-days"}},
		{"R-DEC-1/conditions of both", "##ACAP version=1.1\nACAP-qualified-usage: short preserve " +
			"time-limit=3-days\nACAP-crawler: *\nACAP-allow-preserve: / " +
			"time-limit=until-recrawled", `<p id=a class="the-acap:allow-(short)">`, policy.Preserve,
			[]string{"a conditional [R-CLASS-1 R-DEC-0 R-DEC-1] time-limit=3-days time-limit=until-recrawled"}},
		{"R-DEC-1/where robots.txt says the same, the token decides",
			"##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /", `<p id=a class="the-acap:disallow-index">`,
			policy.Index, []string{"a disallowed [R-CLASS-1 R-DEC-0]"}},
		{"R-REF-1/a reference that leads nowhere",
			"##ACAP version=1.1\nACAP-crawler: *\nACAP-permissions-reference: /x.txt",
			`<p id=a class="the-acap:allow-index">`, policy.Index,
			[]string{"a disallowed [R-CLASS-1 R-DEC-0 R-REF-1 R-DEC-1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scene{robots: c.robots, page: "<!DOCTYPE html>" + c.page}
			file := s.file()
			page := s.pageOf(file)
			var offsets []int64
			for _, st := range page.Statements {
				if st.Source == policy.Class {
					offsets = append(offsets, st.Offset)
				}
			}
			inside := markup.Nesting([]byte(s.page), "html", offsets)
			around := func(offset int64) (int64, bool) { outer, ok := inside[offset]; return outer, ok }
			q := decide.Question{URL: site + "/", Path: "/", Usage: c.usage}
			view := decide.NewSite(file, decide.Answered, decide.Options{}).For(policy.AnyAgent, "")
			var got []string
			for _, e := range view.Elements(page, q, around) {
				words := fmt.Sprintf("%s %s %v", e.Element.ID, e.Decision, e.By)
				for _, q := range e.Qualifiers {
					words += fmt.Sprintf(" %s=%s", q.Name, q.Value)
				}
				got = append(got, words)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if touched := view.Decide(page, q).Elements; (len(touched) == 0) != (len(got) == 0) ||
				slices.ContainsFunc(touched, func(st *policy.Statement) bool { return st.Source != policy.Class }) {
				t.Errorf("the decision about the page lists %d tokens", len(touched))
			}
		})
	}
}
