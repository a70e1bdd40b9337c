package conflict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/rep"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
	"github.com/acapscan/acapscan/internal/terms"
)

func readRobots(body string) *policy.File {
	file := &policy.File{}
	doc := robotstxt.Parse([]byte(body), robotstxt.Options{})
	options := vocabulary.Options{Owned: vocabulary.NamesOf(acap.Vocabulary())}
	acap.ReadRobots(doc, options, file)
	rep.ReadRobots(doc, options, file)
	return file
}

// row is a conflict as the tests write it: kind, severity, agent, usage and path, then for each side its line or place
// and what it says alone, then winner and rule.
func row(c Conflict) string {
	text := fmt.Sprintf("%s %s %s %s", c.Kind, c.Severity, c.Agent, c.Usage)
	if c.Purpose != "" {
		text += " for " + c.Purpose
	}
	if c.Path != "" {
		text += " " + c.Path
	}
	if c.Reading != NoReading {
		text += " (" + c.Reading.String() + ")"
	}
	text += fmt.Sprintf(
		": %s %s, %s %s: %s by %s",
		place(c.First),
		c.FirstDecision,
		place(c.Second),
		c.SecondDecision,
		c.Winner,
		c.Rule,
	)
	if c.Approximate {
		text += " approximately"
	}
	return text
}

func place(st *policy.Statement) string {
	switch {
	case st == nil:
		return "silent"
	case st.OfPage():
		return fmt.Sprintf("%s@%d", st.Source, st.Offset)
	}
	return fmt.Sprintf("line %d", st.Line)
}

func rows(list []Conflict) []string {
	all := []string{}
	for _, c := range list {
		all = append(all, row(c))
	}
	return all
}

// only keeps the rows of some kinds.
func only(list []Conflict, kinds ...Kind) []Conflict {
	var kept []Conflict
	for _, c := range list {
		for _, k := range kinds {
			if c.Kind == k {
				kept = append(kept, c)
			}
		}
	}
	return kept
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

func TestOfSite(t *testing.T) {
	star := []policy.Agent{policy.AnyAgent}
	tests := []struct {
		name     string
		robots   string
		agents   []policy.Agent // nil: *
		purposes []string
		reading  decide.Options
		kinds    []Kind // nil: all
		want     []string
	}{
		{
			name:   "nothing said",
			robots: "",
		},
		{
			name:   "acap-tie: equal patterns",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a", "ACAP-disallow-index: /a"),
			want:   []string{"acap-tie contradiction * index /a: line 3 disallowed, line 2 allowed: first by R-DEC-7"},
		},
		{
			name:   "acap-tie: patterns that cross and that characters do not order",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /*.a", "ACAP-disallow-index: /*b"),
			want: []string{
				"acap-tie contradiction * index /b.a: line 3 disallowed, line 2 allowed: first by R-DEC-7",
			},
		},
		{
			name:   "acap-tie: a narrower permission is none",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /ab", "ACAP-disallow-index: /a"),
			want:   []string{},
		},
		{
			name:   "acap-tie: another usage is none",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a", "ACAP-disallow-follow: /a"),
			want:   []string{},
		},
		{
			name: "acap-tie: the shortest path that nothing narrower decides",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-allow-index: /a",
				"ACAP-disallow-index: /a",
				"ACAP-allow-index: /a$",
			),
			want:  []string{"acap-tie contradiction * index /aa: line 3 disallowed, line 2 allowed: first by R-DEC-7"},
			kinds: []Kind{ACAPTie},
		},
		{
			name: "acap-tie: every pair of statements, behind a prohibition that decides alone elsewhere",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-index: /x",
				"ACAP-allow-index: /abc",
				"ACAP-disallow-index: /abc",
				"ACAP-disallow-index: /abc",
				"ACAP-allow-index: /abcd",
				"ACAP-disallow-index: /abcd",
			),
			want: []string{
				"acap-tie contradiction * index /abc: line 4 disallowed, line 3 allowed: first by R-DEC-7",
				"acap-tie contradiction * index /abc: line 5 disallowed, line 3 allowed: first by R-DEC-7",
				"acap-tie contradiction * index /abcd: line 7 disallowed, line 6 allowed: first by R-DEC-7",
			},
		},
		{
			name: "acap-tie: about present, once and not for its ten",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-allow-present: /a time-limit=until-recrawled",
				"ACAP-disallow-present: /a",
			),
			want: []string{
				"acap-tie contradiction * present /a: line 3 disallowed, line 2 conditional: first by R-DEC-7",
			},
		},
		{
			name:   "acap-tie: about other, once and not for what it reaches",
			robots: lines("ACAP-crawler: *", "ACAP-allow-other: /a", "ACAP-disallow-other: /a"),
			want:   []string{"acap-tie contradiction * other /a: line 3 disallowed, line 2 allowed: first by R-DEC-7"},
			kinds:  []Kind{ACAPTie},
		},
		{
			name: "acap-tie: once for all purposes, and one that only a purpose has",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a", "ACAP-disallow-index: /a",
				"ACAP-usage-purpose: news", "ACAP-allow-index: /b", "ACAP-disallow-index: /b"),
			purposes: []string{"", "news", "sport"},
			want: []string{
				"acap-tie contradiction * index /a: line 3 disallowed, line 2 allowed: first by R-DEC-7",
				"acap-tie contradiction * index for news /b: line 6 disallowed, line 5 allowed: first by R-DEC-7",
			},
		},
		{
			name:   "acap-tie: for the agent that it is said to",
			robots: lines("ACAP-crawler: A", "ACAP-allow-index: /a", "ACAP-disallow-index: /a"),
			agents: []policy.Agent{"*", "a", "B"},
			want:   []string{"acap-tie contradiction a index /a: line 3 disallowed, line 2 allowed: first by R-DEC-7"},
		},
		{
			name:   "acap-tie: of a record for all, once for each agent",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a", "ACAP-disallow-index: /a"),
			agents: []policy.Agent{"*", "A"},
			want: []string{
				"acap-tie contradiction * index /a: line 3 disallowed, line 2 allowed: first by R-DEC-7",
				"acap-tie contradiction A index /a: line 3 disallowed, line 2 allowed: first by R-DEC-7",
			},
		},
		{
			name: "acap-rep: the member that holds the path leads, not a longer one of its set",
			robots: lines(
				"User-agent: *",
				"Allow: /",
				"ACAP-resource-set: s /b /somewhere/else/",
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: the-acap:resource-set:s",
				"ACAP-disallow-crawl: /bb",
			),
			kinds: []Kind{ACAPREP},
			want: []string{
				"acap-rep contradiction * crawl /b: line 5 disallowed, line 2 allowed: first by R-DEC-2",
				"acap-rep contradiction * crawl /bb: line 6 disallowed, line 2 allowed: first by R-DEC-2",
			},
		},
		{
			name:   "acap-rep: ACAP opens what the conventional rules close (S2 Ex 1.5)",
			robots: lines("User-agent: *", "Disallow: /", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
			want:   []string{"acap-rep override * crawl /: line 4 allowed, line 2 disallowed: first by R-DEC-2"},
		},
		{
			name: "acap-rep: reported under R-REC-6 too (S2 Ex 1.6)",
			robots: lines(
				"User-agent: *",
				"Allow: /",
				"ACAP-ignore-conventional-records",
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: /",
			),
			want: []string{"acap-rep override * crawl /: line 5 disallowed, line 2 allowed: first by R-REC-6"},
		},
		{
			name:   "acap-rep: an empty Disallow speaks for /",
			robots: lines("User-agent: *", "Disallow:", "ACAP-crawler: *", "ACAP-disallow-crawl: /a"),
			want:   []string{"acap-rep contradiction * crawl /a: line 4 disallowed, line 2 allowed: first by R-DEC-2"},
		},
		{
			name: "acap-rep: alike in other words",
			robots: lines(
				"User-agent: *",
				"Disallow: /a",
				"Disallow: /a/b",
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: /a*",
				"ACAP-allow-crawl: /",
			),
		},
		{
			name: "acap-rep: a row for each pair, at its shortest path",
			robots: lines(
				"User-agent: *",
				"Disallow: /",
				"ACAP-crawler: *",
				"ACAP-allow-crawl: /b",
				"ACAP-allow-crawl: /ab",
				"ACAP-allow-crawl: /bcd",
			),
			kinds: []Kind{ACAPREP},
			want: []string{
				"acap-rep override * crawl /b: line 4 allowed, line 2 disallowed: first by R-DEC-2",
				"acap-rep override * crawl /ab: line 5 allowed, line 2 disallowed: first by R-DEC-2",
				"acap-rep override * crawl /bcd: line 6 allowed, line 2 disallowed: first by R-DEC-2",
			},
		},
		{
			name: "acap-rep: an agent whose own group agrees has none",
			robots: lines(
				"User-agent: *",
				"Disallow: /",
				"User-agent: A",
				"Disallow:",
				"ACAP-crawler: *",
				"ACAP-allow-crawl: /",
			),
			agents: []policy.Agent{"*", "A"},
			want:   []string{"acap-rep override * crawl /: line 6 allowed, line 2 disallowed: first by R-DEC-2"},
		},
		{
			name: "acap-rep: /robots.txt itself is no example",
			robots: lines(
				"User-agent: *",
				"Disallow: /robots.txt",
				"Disallow: /robots.txt$",
				"ACAP-crawler: *",
				"ACAP-allow-crawl: /robots.txt",
			),
			kinds: []Kind{ACAPREP},
			want: []string{
				"acap-rep override * crawl /robots.txt?: line 5 allowed, line 2 disallowed: first by R-DEC-2",
			},
		},
		{
			name: "named-any: /robots.txt itself is crawled whoever asks, but not indexed",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: /robots.txt$",
				"ACAP-disallow-index: /robots.txt$",
				"ACAP-crawler: A",
				"ACAP-allow-crawl: /robots.txt$",
				"ACAP-allow-index: /robots.txt$",
			),
			agents: []policy.Agent{"A"},
			want: []string{
				"named-any override A index /robots.txt: line 6 allowed, line 3 disallowed: first by R-DEC-4",
			},
		},
		{
			name:   "acap-rep: a condition is a difference",
			robots: lines("User-agent: *", "Allow: /", "ACAP-crawler: *", "ACAP-allow-crawl: / made-up=1"),
			want:   []string{"acap-rep contradiction * crawl /: line 4 conditional, line 2 allowed: first by R-DEC-2"},
		},
		{
			name: "acap-rep-drift: conventional rules where ACAP is silent",
			robots: lines(
				"User-agent: *",
				"Disallow: /a",
				"Disallow: /b",
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: /a",
			),
			want: []string{
				"acap-rep-drift override * crawl /b: silent allowed, line 3 disallowed: second by R-REP-1",
			},
		},
		{
			name: "acap-rep-drift: ACAP where conventional rules are silent, a row for each pattern",
			robots: lines(
				"User-agent: *",
				"Disallow: /a",
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: /a",
				"ACAP-disallow-crawl: /c",
				"ACAP-disallow-crawl: /b",
			),
			want: []string{
				"acap-rep-drift contradiction * crawl /b: line 6 disallowed, silent allowed: first by R-DEC-0",
				"acap-rep-drift contradiction * crawl /c: line 5 disallowed, silent allowed: first by R-DEC-0",
			},
		},
		{
			name: "acap-rep-drift: conventional rules that do not count",
			robots: lines(
				"User-agent: *",
				"Disallow: /a",
				"Disallow: /b",
				"ACAP-ignore-conventional-records",
				"ACAP-crawler: *",
				"ACAP-disallow-crawl: /a",
			),
			want: []string{"acap-rep-drift override * crawl /b: silent allowed, line 3 disallowed: first by R-REC-6"},
		},
		{
			name:   "acap-rep-drift: none where ACAP does not speak of crawl",
			robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-disallow-index: /b"),
		},
		{
			name:   "acap-rep-drift: none where ACAP's only rule about crawl says nothing",
			robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-disallow-crawl:"),
		},
		{
			name:   "acap-rep-drift: none without conventional rules",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-crawl: /b"),
		},
		{
			name:   "acap-rep-drift: a reference that leads nowhere, named by its line",
			robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-permissions-reference: /p.txt"),
			kinds:  []Kind{ACAPREPDrift},
			want: []string{
				"acap-rep-drift contradiction * crawl /: line 4 disallowed, silent allowed: first by R-REF-1",
			},
		},
		{
			name:   "named-any: a named exception",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /a", "ACAP-crawler: A", "ACAP-allow-index: /a*"),
			agents: []policy.Agent{"*", "A", "B"},
			want:   []string{"named-any override A index /a: line 4 allowed, line 2 disallowed: first by R-DEC-4"},
		},
		{
			name: "named-any: the usage of the ten where one side is about present",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-present: /",
				"ACAP-crawler: A",
				"ACAP-allow-present-link: *",
			),
			agents: []policy.Agent{"A"},
			want: []string{
				"named-any override A present-link /: line 4 allowed, line 2 disallowed: first by R-DEC-4",
			},
		},
		{
			name: "named-any: not on another pattern, in the same sense, or between purposes",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-index: /a",
				"ACAP-allow-index: /c",
				"ACAP-disallow-index: /d",
				"ACAP-crawler: A",
				"ACAP-allow-index: /b",
				"ACAP-allow-index: /c",
				"ACAP-usage-purpose: news",
				"ACAP-allow-index: /d",
			),
			agents: []policy.Agent{"A"}, purposes: []string{"", "news"},
			want: []string{
				"purpose-general override A index for news /d: line 9 allowed, line 4 disallowed: first by R-DEC-3",
			},
		},
		{
			name: "purpose-general: a purpose excepted, for whomever it is",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-index: /a",
				"ACAP-usage-purpose: news*",
				"ACAP-allow-index: /a*",
				"ACAP-crawler: A",
				"ACAP-disallow-index: /a",
			),
			agents:   []policy.Agent{"*", "A"},
			purposes: []string{"", "news"}, kinds: []Kind{PurposeGeneral},
			want: []string{
				"purpose-general override * index for news /a: line 4 allowed, line 2 disallowed: first by R-DEC-3",
				"purpose-general override A index for news /a: line 4 allowed, line 2 disallowed: first by R-DEC-3",
				"purpose-general override A index for news /a: line 4 allowed, line 6 disallowed: first by R-DEC-3",
			},
		},
		{
			name: "purpose-general: the usage of the ten where one side is about present",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-present: /",
				"ACAP-usage-purpose: news",
				"ACAP-allow-present-link: *",
			),
			purposes: []string{"", "news"}, kinds: []Kind{PurposeGeneral},
			want: []string{
				"purpose-general override * present-link for news /: line 4 allowed, line 2 disallowed: first by " +
					"R-DEC-3",
			},
		},
		{
			name: "purpose-general: not on another pattern or usage, in the same sense, for a purpose that is all, " +
				"or for one that is not asked",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-index: /a",
				"ACAP-disallow-index: /c",
				"ACAP-disallow-follow: /d",
				"ACAP-disallow-index: /e",
				"ACAP-usage-purpose: news",
				"ACAP-allow-index: /b",
				"ACAP-disallow-index: /c",
				"ACAP-allow-preserve: /d",
				"ACAP-usage-purpose: *",
				"ACAP-allow-index: /e",
				"ACAP-usage-purpose: sport",
				"ACAP-allow-index: /a",
			),
			purposes: []string{"", "news"}, kinds: []Kind{PurposeGeneral},
		},
		{
			name: "purpose-tie: two patterns that one string fits, which is named",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-usage-purpose: news-*",
				"ACAP-allow-index: /a",
				"ACAP-usage-purpose: *-uk",
				"ACAP-disallow-index: /a*",
				"ACAP-usage-purpose: sport-*",
				"ACAP-allow-index: /b",
			),
			purposes: []string{"", "news-", "-uk", "sport-"},
			want: []string{
				"purpose-tie contradiction * index for news-uk /a: line 5 disallowed, line 3 allowed: first by R-DEC-7",
			},
		},
		{
			name: "purpose-tie: a purpose asked is the example where it fits both",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-usage-purpose: news",
				"ACAP-allow-index: /a",
				"ACAP-usage-purpose: n*",
				"ACAP-disallow-index: /a",
			),
			purposes: []string{"", "news", "n"},
			want: []string{
				"purpose-tie contradiction * index for news /a: line 5 disallowed, line 3 allowed: first by R-DEC-7",
			},
		},
		{
			name: "purpose-tie: not where one is narrower, between purposes that nothing fits together, or of one " +
				"purpose",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-usage-purpose: news-*",
				"ACAP-allow-index: /a",
				"ACAP-disallow-index: /b",
				"ACAP-usage-purpose: *-uk",
				"ACAP-disallow-index: /ab",
				"ACAP-usage-purpose: sport-*",
				"ACAP-allow-index: /b",
				"ACAP-usage-purpose: fun",
				"ACAP-usage-purpose: fan",
				"ACAP-allow-index: /c",
				"ACAP-usage-purpose: fan",
				"ACAP-disallow-index: /c",
			),
			purposes: []string{"", "news-", "-uk", "sport-", "fan", "fun"},
			want: []string{
				"acap-tie contradiction * index for fan /c: line 13 disallowed, line 11 allowed: first by R-DEC-7",
			},
		},
		{
			name:   "named-any: not between conventional groups",
			robots: lines("User-agent: *", "Disallow: /", "User-agent: A", "Allow: /"),
			agents: []policy.Agent{"A"},
		},
		{
			name: "named-any: a member of a resource set",
			robots: lines(
				"ACAP-resource-set: s /long/ /b",
				"ACAP-crawler: *",
				"ACAP-disallow-index: the-acap:resource-set:s",
				"ACAP-crawler: A",
				"ACAP-allow-index: /long/",
				"ACAP-allow-index: the-acap:resource-set:s",
			),
			agents: []policy.Agent{"A"},
			want: []string{
				"named-any override A index /long/: line 5 allowed, line 3 disallowed: first by R-DEC-4",
				"named-any override A index /b: line 6 allowed, line 3 disallowed: first by R-DEC-4",
			},
		},
		{
			name:   "reading: inclusion that the character method gets wrong",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /", "ACAP-disallow-index: *.htm$"),
			want: []string{
				"reading contradiction * index /.htm (pilot): line 3 disallowed, line 2 allowed: first by R-DEC-5",
			},
		},
		{
			name:   "reading: inclusion that the character method gets right",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a/*.gif$", "ACAP-disallow-index: /a/"),
		},
		{
			name:   "reading: inclusion between usages",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-present: /", "ACAP-allow-present-link: /"),
			want: []string{
				"reading contradiction * present-link / (pilot): line 3 allowed, line 2 disallowed: first by R-DEC-5",
			},
		},
		{
			name:    "reading: the same, read as the pilot",
			robots:  lines("ACAP-crawler: *", "ACAP-disallow-present: /", "ACAP-allow-present-link: /"),
			reading: decide.Options{Profile: decide.ProfilePilot},
			kinds:   []Kind{TwoReadings},
			want: []string{
				"reading contradiction * present-link / (pilot): line 3 allowed, line 2 disallowed: second by R-DEC-5",
			},
		},
		{
			name:   "reading: present and its ten as one usage",
			robots: lines("ACAP-crawler: *", "ACAP-allow-present: /abc", "ACAP-disallow-present-link: /a"),
			kinds:  []Kind{TwoReadings},
			want: []string{
				"reading contradiction * present-link /abc (pilot): line 3 disallowed, line 2 allowed: first by " +
					"R-DEC-6",
			},
		},
		{
			name:   "reading: conventional rules of another scope",
			robots: lines("User-agent: *", "Disallow: /ab", "ACAP-crawler: *", "ACAP-allow-crawl: /a"),
			kinds:  []Kind{TwoReadings},
			want: []string{
				"reading contradiction * crawl /ab (pilot): line 4 allowed, line 2 disallowed: first by R-DEC-2",
			},
		},
		{
			name:   "reading: conventional rules of equal scope, one behind the other",
			robots: lines("User-agent: *", "Disallow: /*x", "Allow: /abc", "ACAP-crawler: *", "ACAP-allow-crawl: /abc"),
			kinds:  []Kind{TwoReadings},
			want: []string{
				"reading contradiction * crawl /abcx (pilot): line 5 allowed, line 2 disallowed: first by R-DEC-2",
			},
		},
		{
			name: "reading: none where the pilot agrees",
			robots: lines(
				"User-agent: *",
				"Disallow: /a",
				"ACAP-crawler: *",
				"ACAP-allow-crawl: /a",
				"ACAP-disallow-crawl: /a/b",
			),
			kinds: []Kind{TwoReadings},
		},
		{
			name: "reading: other narrow, a row for each usage, the ten with present",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-disallow-other: /a",
				"ACAP-allow-preserve: /",
				"ACAP-allow-present-link: /",
			),
			want: []string{
				"reading contradiction * follow /a (other-narrow): line 2 disallowed, silent allowed: first by " +
					"R-DEC-13",
				"reading contradiction * index /a (other-narrow): line 2 disallowed, silent allowed: first by R-DEC-13",
				"reading contradiction * present /a (other-narrow): line 2 disallowed, silent allowed: first by " +
					"R-DEC-13",
			},
		},
		{
			name:   "reading: other narrow, none where other allows",
			robots: lines("ACAP-crawler: *", "ACAP-allow-other: /a"),
		},
		{
			name:   "no conflict in the documents' simplest example (S2 Ex 1.1)",
			robots: lines("User-agent: *", "Disallow:", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			agents := test.agents
			if agents == nil {
				agents = star
			}
			site := decide.NewSite(readRobots(test.robots), decide.Answered, test.reading)
			got, missing := OfSite(site, agents, test.purposes, Options{})
			wholeAnd(t, got, missing, test.kinds, test.want)
		})
	}
}

// wholeAnd checks that nothing was left out, and the rows of what was found: of those kinds only, if there are any.
func wholeAnd(t *testing.T, got []Conflict, missing Missing, kinds []Kind, want []string) {
	t.Helper()
	if missing != (Missing{}) {
		t.Error("left something out")
	}
	if kinds != nil {
		got = only(got, kinds...)
	}
	if want == nil {
		want = []string{}
	}
	if d := cmp.Diff(want, rows(got)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestNames(t *testing.T) {
	var kinds []string
	for _, k := range terms.All[Kind]() {
		kinds = append(kinds, k.String())
	}
	// Section 8 of docs/semantics.md.
	want := []string{
		"acap-tie",
		"acap-rep",
		"acap-rep-drift",
		"page-robots",
		"page-tie",
		"page-acap-rep",
		"rep-page-acap-robots",
		"meta-header",
		"pi-meta",
		"pi-header",
		"pi-pi",
		"meta-meta",
		"named-any",
		"purpose-general",
		"purpose-tie",
		"element-page",
		"element-tie",
		"reading",
		"aipref-signal",
		"ai-rep",
	}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got := Kind(99).String(); got != "invalid(99)" {
		t.Errorf("an impossible kind is %q", got)
	}
}

// TestOfSiteThroughReference: what a resolved reference says takes part, by name if its record names the agent
// (R-REF-1).
func TestOfSiteThroughReference(t *testing.T) {
	file := readRobots(
		lines("ACAP-crawler: *", "ACAP-disallow-index: /a", "ACAP-crawler: A", "ACAP-permissions-reference: /p.txt"),
	)
	file.References[0].Found = true
	file.References[0].Resolved = readRobots(lines("ACAP-crawler: *", "ACAP-allow-index: /a")).Statements
	found, _ := OfSite(
		decide.NewSite(file, decide.Answered, decide.Options{}),
		[]policy.Agent{"*", "A"},
		nil,
		Options{},
	)
	if len(found) != 1 || found[0].Kind != NamedAny || found[0].Agent != "A" ||
		found[0].First != &file.References[0].Resolved[0] {
		t.Errorf("%q", rows(found))
	}
}
