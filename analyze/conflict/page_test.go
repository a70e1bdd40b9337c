package conflict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/rep"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// readPage reads a page of pieces "meta NAME: CONTENT", "header: VALUE", "pi: DATA" and "class: TOKEN", at offsets 1,
// 2, ….
func readPage(xml bool, site *policy.File, pieces ...string) *policy.Page {
	var markup []policy.Markup
	for i, piece := range pieces {
		carrier, value, _ := strings.Cut(piece, ": ")
		carrier, name, _ := strings.Cut(carrier, " ")
		m := policy.Markup{Offset: int64(i + 1), Value: value}
		switch carrier {
		case "meta":
			m.Source, m.Name = policy.Meta, name
		case "header":
			m.Source, m.Name = policy.HTTPHeader, "X-Robots-Tag"
		case "pi":
			m.Source, m.Name, m.Raw = policy.PI, "robots", "<?robots "+value+"?>"
		case "class":
			m.Source, m.Name, m.Element = policy.Class, "div", &policy.Element{Name: "div"}
		}
		markup = append(markup, m)
	}
	page := &policy.Page{XML: xml}
	options := vocabulary.Options{Owned: vocabulary.NamesOf(acap.Vocabulary())}
	acap.ReadPage(markup, site, options, page)
	rep.ReadPage(markup, options, page)
	return page
}

func TestOfPage(t *testing.T) {
	const here = "http://site.example/a/b"
	tests := []struct {
		name     string
		robots   string
		page     []string
		xml      bool
		agents   []policy.Agent // nil: *
		purposes []string
		reading  decide.Options
		kinds    []Kind // nil: all
		want     []string
	}{
		{
			name:   "a page that says nothing",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /", "ACAP-disallow-index: /"),
		},
		{
			name: "page-robots: a META exception", robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /a/"),
			page: []string{"meta robots: ACAP allow-index"},
			want: []string{"page-robots override * index: meta@1 allowed, line 2 disallowed: first by R-DEC-1"},
		},
		{
			name: "page-robots: not where they agree, on another path, or on another usage",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /a/", "ACAP-allow-follow: /c",
				"ACAP-allow-preserve: /a"), page: []string{"meta robots: ACAP disallow-index",
				"meta robots: ACAP disallow-follow"},
		},
		{
			name: "page-robots: about present, once", robots: lines("ACAP-crawler: *", "ACAP-disallow-present: /a/"),
			page: []string{"meta robots: ACAP allow-present"},
			want: []string{"page-robots override * present: meta@1 allowed, line 2 disallowed: first by R-DEC-1"},
		},
		{
			name:   "page-robots: for the agent that the META names",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /"), page: []string{"meta A: ACAP allow-index"},
			agents: []policy.Agent{"*", "A"},
			want:   []string{"page-robots override A index: meta@1 allowed, line 2 disallowed: first by R-DEC-1"},
		},
		{
			name: "page-robots: by location", robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a"),
			page: []string{"meta robots: ACAP allow-index location=http://other.example/"},
			want: []string{"page-robots override * index: meta@1 disallowed, line 2 allowed: first by R-DEC-1"},
		},
		{
			name:   "page-robots: two permissions under different conditions",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /a time-limit=3-days"),
			page:   []string{"meta robots: ACAP allow-index time-limit=9-days"},
			want:   []string{"page-robots override * index: meta@1 conditional, line 2 conditional: first by R-DEC-1"},
		},
		{
			name: "page-robots: not under the same conditions, in another order, or by two statements",
			robots: lines(
				"ACAP-crawler: *",
				"ACAP-allow-index: /a time-limit=3-days odd=1",
				"ACAP-allow-present: / time-limit=3-days",
				"ACAP-allow-present: /a odd=1",
			),
			page: []string{
				"meta robots: ACAP allow-index odd=1 time-limit=3-days",
				"meta robots: ACAP allow-present odd=1 time-limit=3-days",
			},
		},
		{
			name:   "page-robots: not between other and what is explicit (R-DEC-13)",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /", "ACAP-allow-other: /"),
			page:   []string{"meta robots: ACAP allow-other", "meta robots: ACAP disallow-follow"},
			kinds:  []Kind{PageRobots},
		},
		{
			name: "page-robots: other at both levels", robots: lines("ACAP-crawler: *", "ACAP-disallow-other: /"),
			page:  []string{"meta robots: ACAP allow-other"},
			kinds: []Kind{PageRobots},
			want:  []string{"page-robots override * other: meta@1 allowed, line 2 disallowed: first by R-DEC-1"},
		},
		{
			name: "page-acap-rep: other next to a stricter META, which stands (R-DEC-13)",
			page: []string{"meta robots: noindex", "meta robots: ACAP allow-other"}, kinds: []Kind{PageACAPREP},
			want: []string{"page-acap-rep override * index: meta@2 allowed, meta@1 disallowed: second by R-DEC-13"},
		},
		{
			name: "page-tie: S0 2.2.8", page: []string{"meta robots: ACAP allow-index",
				"meta robots: ACAP disallow-index"},
			want: []string{"page-tie contradiction * index: meta@2 disallowed, meta@1 allowed: first by R-DEC-7"},
		},
		{
			name: "page-tie: not between present and one of its ten, or between a named crawler and all",
			page: []string{
				"meta robots: ACAP disallow-present",
				"meta robots: ACAP allow-present-link",
				"meta robots: ACAP disallow-index",
				"meta A: ACAP allow-index",
			},
			agents: []policy.Agent{"*", "A"}, kinds: []Kind{PageTie},
		},
		{
			name: "named-any: two METAs, S0 2.2.1", page: []string{"meta robots: ACAP disallow-present",
				"meta A: ACAP allow-present-link"},
			agents: []policy.Agent{"*", "A"}, kinds: []Kind{NamedAny},
			want: []string{"named-any override A present-link: meta@2 allowed, meta@1 disallowed: first by R-DEC-4"},
		},
		{
			name: "named-any: not of one sense, of other usages, between purposes, or for another crawler",
			page: []string{
				"meta robots: ACAP disallow-index",
				"meta A: ACAP disallow-index",
				"meta A: ACAP allow-follow",
				"meta A: ACAP news allow-index",
				"meta B: ACAP allow-index",
			},
			agents: []policy.Agent{"*", "A"}, purposes: []string{"", "news"}, kinds: []Kind{NamedAny},
		},
		{
			name: "page-tie: not between purposes", purposes: []string{"", "news"},
			page: []string{"meta robots: ACAP allow-index", "meta robots: ACAP news disallow-index"},
			want: []string{
				"purpose-general override * index for news: meta@2 disallowed, meta@1 allowed: first by R-DEC-3",
			},
		},
		{
			name:  "page-acap-rep: ACAP next to a stricter META",
			page:  []string{"meta robots: noindex", "meta robots: ACAP allow-index"},
			want:  []string{"page-acap-rep override * index: meta@2 allowed, meta@1 disallowed: first by R-DEC-2"},
			kinds: []Kind{PageACAPREP},
		},
		{
			name: "page-acap-rep: ACAP next to a laxer header",
			page: []string{"header: all", "meta robots: ACAP disallow-index"}, want: []string{
				"page-acap-rep contradiction * index: meta@2 disallowed, http-header@1 allowed: first by R-DEC-2",
			},
		},
		{
			name: "page-acap-rep: not where they agree (S2 Ex 4.6)",
			page: []string{"meta robots: noindex", "meta robots: ACAP disallow-index"},
		},
		{
			name: "page-acap-rep: not where the conventional side is silent",
			page: []string{"meta robots: nofollow", "meta robots: ACAP disallow-index"},
		},
		{
			name: "page-acap-rep: in the pilot's reading, which sets aside the same usage only",
			page: []string{
				"meta robots: nosnippet",
				"meta robots: ACAP allow-present",
			}, reading: decide.Options{Profile: decide.ProfilePilot},
			kinds: []Kind{PageACAPREP},
			want: []string{
				"page-acap-rep override * present-snippet: meta@2 allowed, meta@1 disallowed: second by R-DEC-2",
				"page-acap-rep override * present-extract: meta@2 allowed, meta@1 disallowed: second by R-DEC-2",
				"page-acap-rep override * present-oldsnippet: meta@2 allowed, meta@1 disallowed: second by R-DEC-2",
				"page-acap-rep override * present-oldextract: meta@2 allowed, meta@1 disallowed: second by R-DEC-2",
			},
		},
		{
			name:   "rep-page-acap-robots: a page's noindex stands",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /"), page: []string{"meta robots: noindex"},
			want: []string{
				"rep-page-acap-robots contradiction * index: meta@1 disallowed, line 2 allowed: first by R-DEC-2",
			},
		},
		{
			name:   "rep-page-acap-robots: boilerplate lifts nothing",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /"), page: []string{"meta robots: index,follow"},
			want: []string{
				"rep-page-acap-robots contradiction * index: meta@1 allowed, line 2 disallowed: second by R-DEC-2",
			},
		},
		{
			name:   "rep-page-acap-robots: neither next to an ACAP META",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /"),
			page:   []string{"header: index", "meta robots: ACAP allow-index"}, kinds: []Kind{REPPageACAPRobots},
			want: []string{
				"rep-page-acap-robots contradiction * index: http-header@1 allowed, line 2 disallowed: neither by " +
					"R-DEC-1",
			},
		},
		{
			name:   "rep-page-acap-robots: not on another usage or where they agree",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /", "ACAP-allow-preserve: /"),
			page:   []string{"meta robots: noindex, nofollow, noarchive"},
		},
		{
			name: "meta-header: the more restrictive counts",
			page: []string{"meta robots: index, nofollow", "header: noindex, follow"}, want: []string{
				"meta-header contradiction * follow: meta@1 disallowed, http-header@2 allowed: first by R-REP-2",
				"meta-header contradiction * index: meta@1 allowed, http-header@2 disallowed: second by R-REP-2",
			},
		},
		{
			name: "meta-header: not two METAs, another usage, or another agent",
			page: []string{"meta robots: index", "meta robots: noindex", "header: nofollow", "header: A: index"},
			want: []string{"meta-meta contradiction * index: meta@2 disallowed, meta@1 allowed: first by R-REP-2"},
		},
		{
			name: "meta-header: next to a PI the METAs are not obeyed", xml: true,
			page: []string{
				`pi: index="no" follow="no"`,
				"meta robots: noindex",
				"header: index",
			}, kinds: []Kind{MetaHeader},
			want: []string{
				"meta-header contradiction * index: meta@2 disallowed, http-header@3 allowed: second by R-REP-4",
			},
		},
		{
			name: "meta-header: next to a PI that does not count, as in HTML",
			page: []string{
				`pi: index="no" follow="no"`,
				"meta robots: noindex",
				"header: index",
			}, kinds: []Kind{MetaHeader},
			want: []string{
				"meta-header contradiction * index: meta@2 disallowed, http-header@3 allowed: first by R-REP-2",
			},
		},
		{
			name: "meta-header: in XML without a legal PI", xml: true,
			page: []string{`pi: index="none"`, "meta robots: noindex", "header: index"}, kinds: []Kind{MetaHeader},
			want: []string{
				"meta-header contradiction * index: meta@2 disallowed, http-header@3 allowed: first by R-REP-2",
			},
		},
		{
			name: "pi-header: parsed as XML the more restrictive counts", xml: true,
			page: []string{`pi: index="yes" follow="no"`, "header: noindex, follow"}, want: []string{
				"pi-header contradiction * follow: pi@1 disallowed, http-header@2 allowed: first by R-REP-2",
				"pi-header contradiction * index: pi@1 allowed, http-header@2 disallowed: second by R-REP-2",
			},
		},
		{
			name: "pi-header: parsed as HTML the header counts",
			page: []string{`pi: index="no" follow="no"`, "header: index, nofollow"}, want: []string{
				"pi-header contradiction * index: pi@1 disallowed, http-header@2 allowed: second by R-REP-4",
			},
		},
		{
			name: "pi-header: not an illegal PI, a header for another agent, or one on another usage", xml: true,
			page: []string{
				`pi: index="no"`,
				`pi: index="no" follow="yes"`,
				"header: A: index",
				"header: follow, noarchive",
			},
		},
		{
			name: "meta-meta: two METAs, the more restrictive counts", page: []string{"meta robots: index, nofollow",
				"meta robots: noindex, nofollow", "meta robots: index"},
			want: []string{"meta-meta contradiction * index: meta@2 disallowed, meta@1 allowed: first by R-REP-2"},
		},
		{
			name:   "meta-meta: two of one named agent, for it only; and both senses in one META",
			agents: []policy.Agent{"*", "A"}, page: []string{
				"meta A: nofollow",
				"meta a: follow",
				"meta robots: nosnippet, max-snippet:9",
			}, kinds: []Kind{MetaMeta},
			want: []string{
				"meta-meta contradiction * present-snippet: meta@3 disallowed, meta@3 conditional: first by R-REP-2",
				"meta-meta contradiction A follow: meta@1 disallowed, meta@2 allowed: first by R-REP-2",
				"meta-meta contradiction A present-snippet: meta@3 disallowed, meta@3 conditional: first by R-REP-2",
			},
		},
		{
			name: "meta-meta: neither next to a legal PI in XML", xml: true,
			page:  []string{`pi: index="no" follow="no"`, "meta robots: noindex", "meta robots: index"},
			kinds: []Kind{MetaMeta},
			want:  []string{"meta-meta contradiction * index: meta@2 disallowed, meta@3 allowed: neither by R-REP-4"},
		},
		{
			name:   "meta-meta: not on different usages, of different agents, or present and one of its ten",
			agents: []policy.Agent{"*", "A"}, page: []string{"meta robots: index, nofollow", "meta A: noindex",
				"meta robots: notranslate, nosnippet"},
		},
		{
			name: "purpose-general: two METAs, S2 2.2", page: []string{"meta robots: ACAP allow-index",
				"meta robots: ACAP news disallow-index"},
			purposes: []string{"", "news"},
			want: []string{
				"purpose-general override * index for news: meta@2 disallowed, meta@1 allowed: first by R-DEC-3",
			},
		},
		{
			name:     "purpose-general: not of one sense, of other usages, or for a purpose that is all",
			purposes: []string{"", "news"}, kinds: []Kind{PurposeGeneral}, page: []string{
				"meta robots: ACAP allow-index",
				"meta robots: ACAP news allow-index",
				"meta robots: ACAP news disallow-follow",
				"meta robots: ACAP * disallow-preserve",
			},
		},
		{
			name: "purpose-tie: two METAs that one string fits", page: []string{"meta robots: ACAP news-* allow-index",
				"meta robots: ACAP *-uk disallow-index"},
			purposes: []string{"", "news-", "-uk"},
			want: []string{
				"purpose-tie contradiction * index for news-uk: meta@2 disallowed, meta@1 allowed: first by R-DEC-7",
			},
		},
		{
			name:     "purpose-tie: not of METAs that nothing fits together, or of one purpose",
			purposes: []string{"", "news-", "sport-"}, page: []string{
				"meta robots: ACAP news-* allow-index",
				"meta robots: ACAP sport-* disallow-index",
				"meta robots: ACAP sport-* allow-index",
			},
			want: []string{
				"page-tie contradiction * index for sport-: meta@2 disallowed, meta@3 allowed: first by R-DEC-7",
			},
		},
		{
			name: "element-tie: both senses on one element",
			page: []string{"class: the-acap:allow-index the-acap:disallow-index"}, want: []string{
				"element-tie contradiction * index: class@1 disallowed, class@1 allowed: first by R-CLASS-1",
			},
		},
		{
			name: "element-tie: not on two elements, on two usages, or present and one of its ten",
			page: []string{
				"class: the-acap:allow-index the-acap:disallow-follow",
				"class: the-acap:disallow-index",
				"class: the-acap:disallow-present the-acap:allow-present-link",
			},
		},
		{
			name: "pi-meta: the first legal PI, behind an illegal one", xml: true,
			page: []string{
				`pi: index='yes' follow='no'`,
				`pi: index="yes" follow="no"`,
				"meta robots: noindex, nofollow",
			},
			want: []string{"pi-meta contradiction * index: pi@2 allowed, meta@3 disallowed: first by R-REP-4"},
		},
		{
			name: "pi-meta: parsed as XML", xml: true, page: []string{`pi: index="yes" follow="no"`,
				"meta robots: noindex, nofollow"},
			want: []string{"pi-meta contradiction * index: pi@1 allowed, meta@2 disallowed: first by R-REP-4"},
		},
		{
			name: "pi-meta: parsed as HTML", page: []string{`pi: index="yes" follow="no"`,
				"meta robots: noindex, nofollow"},
			want: []string{"pi-meta contradiction * index: pi@1 allowed, meta@2 disallowed: second by R-REP-4"},
		},
		{
			name: "pi-meta: not an illegal PI", xml: true,
			page: []string{`pi: follow="no" index="yes"`, "meta robots: noindex"},
		},
		{
			name: "pi-pi: the first counts", xml: true, page: []string{`pi: index="yes" follow="no"`,
				`pi: index="no" follow="no"`},
			want: []string{"pi-pi contradiction * index: pi@1 allowed, pi@2 disallowed: first by R-PI-1"},
		},
		{
			name: "pi-pi: parsed as HTML neither does", page: []string{`pi: index="yes" follow="no"`,
				`pi: index="no" follow="no"`},
			want: []string{"pi-pi contradiction * index: pi@1 allowed, pi@2 disallowed: neither by R-REP-4"},
		},
		{
			name: "pi-pi: not two that agree or an illegal one", xml: true,
			page: []string{`pi: index="no"`, `pi: index="yes" follow="no"`, `pi: index="yes" follow="no"`},
		},
		{
			name: "element-page: an exception to a META", page: []string{"meta robots: ACAP disallow-index",
				"class: the-acap:allow-index", "class: the-acap:allow-index"},
			want: []string{"element-page override * index: class@2 allowed, meta@1 disallowed: first by R-CLASS-1"},
		},
		{
			name:   "element-page: a prohibition within what the robots.txt allows",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: /"), page: []string{"class: the-acap:disallow-index"},
			want: []string{"element-page override * index: class@1 disallowed, line 2 allowed: first by R-CLASS-1"},
		},
		{
			name:   "element-page: a permission does not lift the robots.txt",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /"), page: []string{"class: the-acap:allow-index"},
			want: []string{"element-page contradiction * index: class@1 allowed, line 2 disallowed: second by R-DEC-1"},
		},
		{
			name:   "element-page: a permission lifts a conventional META, and not the conditions of the robots.txt",
			robots: lines("ACAP-crawler: *", "ACAP-allow-index: / time-limit=3-days"),
			page:   []string{"meta robots: noindex", "class: the-acap:allow-index"}, kinds: []Kind{ElementPage},
			want: []string{
				"element-page contradiction * index: class@2 allowed, meta@1 disallowed: neither by R-DEC-1",
			},
		},
		{
			name: "element-page: not where nothing decides the page, or the same",
			page: []string{"class: the-acap:disallow-index", "class: the-acap:disallow-follow",
				"meta robots: nofollow"},
		},
		{
			name:   "element-page: not because crawl is prohibited",
			robots: lines("ACAP-crawler: *", "ACAP-disallow-crawl: /"), page: []string{"class: the-acap:allow-index"},
		},
		{
			name: "reading: conventional METAs about one of the ten",
			page: []string{"meta robots: nosnippet", "meta robots: ACAP allow-present"}, kinds: []Kind{TwoReadings},
			want: []string{
				"reading contradiction * present-snippet (pilot): meta@2 allowed, meta@1 disallowed: first by R-DEC-2",
				"reading contradiction * present-extract (pilot): meta@2 allowed, meta@1 disallowed: first by R-DEC-2",
				"reading contradiction * present-oldsnippet (pilot): meta@2 allowed, meta@1 disallowed: first by " +
					"R-DEC-2",
				"reading contradiction * present-oldextract (pilot): meta@2 allowed, meta@1 disallowed: first by " +
					"R-DEC-2",
			},
		},
		{
			name: "reading: present and one of its ten", page: []string{"meta robots: ACAP disallow-present",
				"meta robots: ACAP allow-present-link"},
			want: []string{
				"reading contradiction * present-link (pilot): meta@2 allowed, meta@1 disallowed: first by R-DEC-5",
			},
		},
		{
			name: "reading: other in a META", page: []string{"meta robots: ACAP disallow-other",
				"meta robots: ACAP allow-present"},
			want: []string{
				"reading contradiction * follow (other-narrow): meta@1 disallowed, silent allowed: first by R-DEC-13",
				"reading contradiction * index (other-narrow): meta@1 disallowed, silent allowed: first by R-DEC-13",
				"reading contradiction * preserve (other-narrow): meta@1 disallowed, silent allowed: first by R-DEC-13",
			},
		},
		{
			name: "reading: not what the robots.txt alone leads to", robots: lines("ACAP-crawler: *",
				"ACAP-disallow-present: /", "ACAP-allow-present-link: /", "ACAP-disallow-other: /"),
			page: []string{"meta robots: ACAP disallow-index"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			agents := test.agents
			if agents == nil {
				agents = []policy.Agent{policy.AnyAgent}
			}
			file := readRobots(test.robots)
			site := decide.NewSite(file, decide.Answered, test.reading)
			q := decide.Question{URL: here, Path: "/a/b"}
			got, missing := OfPage(site, readPage(test.xml, file, test.page...), q, agents, test.purposes, Options{})
			wholeAnd(t, got, missing, test.kinds, test.want)
		})
	}
}

func TestOfPageExpiry(t *testing.T) {
	page := readPage(false, nil, "meta robots: ACAP allow-index time-limit=until-2010-01-01")
	site := decide.NewSite(
		readRobots(lines("ACAP-crawler: *", "ACAP-disallow-index: /")),
		decide.Answered,
		decide.Options{},
	)
	q := decide.Question{Path: "/"}
	if got, _ := OfPage(site, page, q, []policy.Agent{"*"}, nil, Options{}); len(got) != 1 {
		t.Errorf("outside time: %q", rows(got))
	}
	q.At = time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC)
	if got, _ := OfPage(site, page, q, []policy.Agent{"*"}, nil, Options{}); len(got) != 0 {
		t.Errorf("expired: %q", rows(got))
	}
}

func TestOfPageIsBounded(t *testing.T) {
	sense := []string{"allow", "disallow"}
	for name, piece := range map[string]func(i int) string{
		"metas":   func(i int) string { return fmt.Sprintf("meta robots: ACAP %s-present", sense[i%2]) },
		"robots":  func(i int) string { return "meta robots: " + []string{"index", "noindex"}[i%2] },
		"headers": func(i int) string { return "header: " + []string{"all", "none"}[i%2] },
		"pis":     func(i int) string { return `pi: index="` + []string{"yes", "no"}[i%2] + `" follow="no"` },
		"classes": func(i int) string { return "class: the-acap:" + sense[i%2] + "-index" },
	} {
		t.Run(name, func(t *testing.T) {
			var pieces []string
			for i := range 10_000 {
				pieces = append(pieces, piece(i))
			}
			page := readPage(true, nil, pieces...)
			site := decide.NewSite(nil, decide.Answered, decide.Options{})
			start := time.Now()
			found, missing := OfPage(
				site,
				page,
				decide.Question{Path: "/"},
				[]policy.Agent{"*", "A", "B"},
				[]string{"", "p"},
				Options{Max: 100},
			)
			took := time.Since(start)
			t.Logf("%d conflicts, %+v, %s", len(found), missing, took)
			if len(found) > 100 || took > time.Minute {
				t.Errorf("%d conflicts in %s", len(found), took)
			}
		})
	}
}

// What the quick check leaves out has no contradiction when it is searched, in every reading.
func TestConsistentPagesHaveNoConflicts(t *testing.T) {
	contents := []string{
		"noindex",
		"index, noindex",
		"none",
		"all",
		"nofollow,follow",
		"noarchive",
		"max-snippet:0",
		"max-snippet:20",
		"nosnippet, max-snippet:9",
		"max-image-preview:none",
		"notranslate",
		"unavailable_after: 1 Jan 2009",
		"noodp",
		"something",
	}
	quiet := 0
	for _, xml := range []bool{false, true} {
		for i, first := range contents {
			for _, second := range contents {
				for _, pieces := range [][]string{
					{"meta robots: " + first, "meta robots: " + second},
					{"meta robots: " + first, "meta googlebot: " + second},
					{"header: " + first, "header: otherbot: " + second}, {"meta robots: " + first},
					{"meta robots: " + first, "header: " + second},
					{"meta robots: ACAP disallow-index", "meta robots: " + first},
				} {
					page := readPage(xml, nil, pieces...)
					for _, reading := range []decide.Options{{}, {Profile: decide.ProfilePilot},
						{Other: decide.OtherNarrow}} {
						site := decide.NewSite(nil, decide.NotCaptured, reading)
						if len(page.Statements) == 0 || !isConsistent(site, page) {
							continue
						}
						quiet++
						q := decide.Question{
							URL:  "http://site.example/a",
							Path: "/a",
							At:   time.Unix(1_300_000_000+int64(i), 0),
						}
						found, missing := searchPage(
							site,
							page,
							q,
							[]policy.Agent{policy.AnyAgent, "googlebot"},
							nil,
							Options{},
						)
						if len(found) > 0 || missing != (Missing{}) {
							t.Fatalf("%q as XML %v in reading %v: %v %v", pieces, xml, reading, found, missing)
						}
					}
				}
			}
		}
	}
	if want := 2 * 4 * 3 * len(contents) * len(contents); quiet < want*2/3 || quiet > want {
		t.Errorf("%d searches were passed over, of some %d", quiet, want)
	}
	for _, pieces := range [][]string{
		{"meta robots: noindex", "header: noarchive"}, {"meta robots: ACAP disallow-index"},
		{`pi: index="no" follow="yes"`}, {"class: the-acap:disallow-index"},
	} {
		if isConsistent(decide.NewSite(nil, decide.NotCaptured, decide.Options{}), readPage(false, nil, pieces...)) {
			t.Errorf("%q has one voice", pieces)
		}
	}
}

// What a page's search finds in a site whole it finds where the page's place is remembered, in whatever order pages
// come.
func TestPagesOfRememberedPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	conflicts := 0
	for seed := range 150 {
		robots := pick(
			"",
			"ACAP-resource-set: s /a* *b$ /ab\n",
			"ACAP-crawler: bot\nACAP-permissions-reference: /gone\n",
		)
		for range 1 + r.IntN(4) {
			robots += pick(
				"ACAP-crawler: *\n",
				"ACAP-crawler: bot\n",
				"ACAP-crawler: bot\nACAP-crawler: *\n",
				"User-agent: *\n",
				"User-agent: bot\n",
			)
			for range 1 + r.IntN(4) {
				robots += pick(
					"",
					"",
					"ACAP-usage-purpose: news\n",
					"Disallow: /a\nAllow: /ab\n",
				) + "ACAP-" + pick(
					"allow",
					"disallow",
				) + "-" +
					pick(
						"index",
						"crawl",
						"present",
						"present-link",
						"other",
					) + ": " + pick(
					"/",
					"/a",
					"/*b",
					"the-acap:resource-set:s",
				) + "\n"
			}
		}
		file := readRobots(robots)
		site := decide.NewSite(file, decide.Answered, decide.Options{Profile: decide.Profile(seed % 2)})
		places := decide.NewDecisionCache(site)
		for range 12 {
			var said []string
			for range r.IntN(4) {
				said = append(
					said,
					pick(
						"meta robots: ACAP ",
						"meta bot: ACAP ",
						"meta bot: ACAP news ",
					)+pick(
						"allow",
						"disallow",
					)+"-"+pick(
						"index",
						"present",
						"other",
						"crawl",
					),
					pick("meta robots: ", "header: ")+pick("noindex", "index", "noarchive", "nofollow"),
				)
			}
			page := readPage(r.IntN(2) == 0, file, said...)
			q := decide.Question{
				Path: pick("/", "/a", "/ab", "/b", "/abb"),
				At:   time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC),
			}
			agents, purposes := []policy.Agent{"*", "bot", "else"}, []string{"", "news", "sport"}
			want, missing := OfPage(site, page, q, agents, purposes, Options{})
			worked := 0
			got, lacks := OfPage(places.At(q.Path), page, q, agents, purposes, Options{Worked: &worked})
			if d := cmp.Diff(rows(want), rows(got)); d != "" || missing != lacks {
				t.Fatalf(
					"seed %d, %v at %s: %+v, %+v (-whole +remembered)\n%s\n%s",
					seed,
					said,
					q.Path,
					missing,
					lacks,
					d,
					robots,
				)
			}
			if len(page.Statements) > 0 && worked <= 0 {
				t.Fatalf("seed %d, %v: %d worked", seed, said, worked)
			}
			conflicts += len(got)
		}
	}
	if conflicts < 5000 {
		t.Errorf("only %d conflicts", conflicts)
	}
}
