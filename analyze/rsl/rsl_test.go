package rsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// show writes a statement in a line: place, licence, and what is unusual.
func show(st policy.Statement) string {
	text := fmt.Sprintf("%s %d.%d %s", st.Source, max(int64(st.Line), st.Offset), st.Part, st.Resource)
	if st.Status != policy.Recorded || st.Field != "license" || !st.AddressesAny() {
		text += " ???"
	}
	for _, d := range st.Defects {
		text += " !" + string(d)
	}
	return text
}

func shown(list []policy.Statement) (all []string) {
	for _, st := range list {
		all = append(all, show(st))
	}
	return all
}

func read(text string, options vocabulary.Options) []string {
	f := &policy.File{}
	Vocabulary().ReadRobots(robotstxt.Parse([]byte(text), robotstxt.Options{}), options, f)
	return shown(f.Statements)
}

// R-RSL-1.
func TestReadRobots(t *testing.T) {
	const text = "License: https://a.example/l.xml\nUser-agent: a\nLICENSE : http://b.example:8080/ä l.xml # ours\n" +
		"Disallow: /\nLicense: /l.xml\nLicense:\nlicense:\u00a0https://a.example/\nLicense https://a.example/x\n" +
		"License: https://a.example/%zz\n"
	want := []string{"robots.txt 1.1 https://a.example/l.xml", "robots.txt 3.1 http://b.example:8080/ä l.xml",
		"robots.txt 5.1 /l.xml !licence-syntax", "robots.txt 6.1  !licence-syntax",
		"robots.txt 7.1 https://a.example/ !nbsp",
		"robots.txt 9.1 https://a.example/%zz !licence-syntax"}
	if diff := cmp.Diff(want, read(text, vocabulary.Options{})); diff != "" {
		t.Error(diff)
	}
	exact := vocabulary.Options{Without: policy.RuleSet{}.With(policy.RuleFieldCase)}
	if got := read(text, exact); len(got) != 4 {
		t.Errorf("without R-LEX-5: %q", got)
	}
	if got := read(text, vocabulary.Options{Without: policy.RuleSet{}.With(policy.RuleLicence)}); got != nil {
		t.Errorf("without R-RSL-1: %q", got)
	}
}

func TestReadPage(t *testing.T) {
	field := func(value string) policy.Markup {
		return policy.Markup{Source: policy.HTTPHeader, Offset: 4, Name: "LINK", Value: value}
	}
	const of = `; rel="license"; type="application/rsl+xml"`
	for _, test := range []struct {
		name   string
		markup policy.Markup
		want   []string
	}{
		{"the publisher's example", field(`<https://example.com/license.xml>` + of),
			[]string{"http-header 4.1 https://example.com/license.xml"}},
		{"several links", field(`</a>; rel=next, </b>` + of + `,</c>` + of), []string{"http-header 4.1 /b",
			"http-header 4.2 /c"}},
		{"a comma in a target", field(`</a,b>` + of), []string{"http-header 4.1 /a,b"}},
		{"a comma and a semicolon in a title", field(`</a>; title="x, <y>; \"z"` + of), []string{"http-header 4.1 /a"}},
		{"several relations", field(`</a>; rel="next LICENSE"; type=application/RSL+XML`),
			[]string{"http-header 4.1 /a"}},
		{"blanks", field("\t< /a > ; rel = license ;type= \"application/rsl+xml; v=1\" ; "),
			[]string{"http-header 4.1 /a"}},
		{"the first relation counts", field(`</a>; rel=next; rel=license; type=application/rsl+xml`), nil},
		{"the first type counts", field(`</a>; rel=license; type=text/html; type=application/rsl+xml`), nil},
		{"an anchor", field(`</a>; anchor="/b"` + of), nil},
		{"no type", field(`</a>; rel=license`), nil},
		{"no link", field(`/a` + of), nil},
		{"no end", field(`</a` + of), nil},
		{"no URI", field(`<:>` + of), []string{"http-header 4.1 : !licence-syntax"}},
		{"no target", field(`<>` + of), []string{"http-header 4.1  !licence-syntax"}},
		{"an element", policy.Markup{Source: policy.Link, Offset: 9, Name: "link", Value: " /l.xml\n"},
			[]string{"link 9.1 /l.xml"}},
		{"a META", policy.Markup{Source: policy.Meta, Name: "license", Value: "https://a.example/"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &policy.Page{}
			Vocabulary().ReadPage([]policy.Markup{test.markup}, nil, vocabulary.Options{}, p)
			if diff := cmp.Diff(test.want, shown(p.Statements)); diff != "" {
				t.Error(diff)
			}
			without := &policy.Page{}
			Vocabulary().ReadPage([]policy.Markup{test.markup}, nil,
				vocabulary.Options{Without: policy.RuleSet{}.With(policy.RuleLicence)}, without)
			if len(without.Statements) > 0 {
				t.Errorf("without R-RSL-1: %q", shown(without.Statements))
			}
		})
	}
}

// FuzzLinks: targets and parameters are parts of the field, escapes aside; a link that is written after any field of
// whole links is found.
func FuzzLinks(f *testing.F) {
	f.Add(`</a>; rel=next, </b>; rel="license"; type="application/rsl+xml"`)
	f.Add(`</a>; title="x, <y>; \"z"; anchor=`)
	f.Add(`<>;;,,<;>;rel="`)
	f.Fuzz(func(t *testing.T, text string) {
		links := readLinks(text)
		for _, l := range links {
			if !strings.Contains(text, "<"+l.target+">") {
				t.Errorf("%q: %+v", text, l)
			}
		}
		if strings.ContainsAny(text, `"\`) {
			return // what follows may stand in quotes
		}
		for _, part := range strings.Split(text, ",") {
			if part = strings.Trim(part, " \t"); part != "" && len(readLinks(part+",<x>")) != 2 {
				return // no link: the list ends there
			}
		}
		const mine = "</mine>; rel=license"
		if got := readLinks(text + "," + mine); len(got) == 0 || got[len(got)-1] != (link{target: "/mine",
			rel: "license"}) {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
