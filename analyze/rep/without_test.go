package rep

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// What is read differs where a rule is left out, as policy.Rule.Without says.
func TestWithout(t *testing.T) {
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		text          string // of a robots.txt, or
		markup        policy.Markup
		with, without []string
	}{
		{"R-LEX-5", policy.RuleFieldCase,
			"User-agent: *\nDISALLOW: /a\nDisallow: /b\nSitemap: s\nsitemap: s\nacap-crawler: *\n", policy.Markup{},
			[]string{"2.1 disallow disallow crawl /a", "3.1 disallow disallow crawl /b", "4.1 sitemap s recorded",
				"5.1 sitemap s recorded", "holds /abc"},
			[]string{"3.1 disallow disallow crawl /b", "4.1 sitemap s recorded", "disallow 1", "sitemap 1"}},
		{"R-PAT-1", policy.RulePattern, "User-agent: *\nDisallow: *.gif\nDisallow: /a*$\n", policy.Markup{},
			[]string{"2.1 disallow disallow crawl *.gif", "3.1 disallow disallow crawl /a*$", "holds /abc"},
			[]string{"2.1 disallow disallow crawl *.gif invalid !path-not-rooted", "3.1 disallow disallow crawl /a*$"}},
		{"R-AGENT-1", policy.RuleAgentName, "User-agent: a/1.0\nDisallow: /\n", policy.Markup{},
			[]string{"2.1 disallow disallow crawl / [a]", "1 crawler-name-syntax", "holds /abc"},
			[]string{"2.1 disallow disallow crawl / [a/1.0]", "holds /abc"}},
		{"R-AGENT-1, a META", policy.RuleAgentName, "", meta("a/1.0", "noindex"),
			[]string{"1.1 noindex disallow index [a]"}, []string{"1.1 noindex disallow index [a/1.0]"}},
		{"R-REC-5", policy.RuleOutside, "Disallow: /\nAllow: x\nUser-agent: a\nAllow: /\n", policy.Markup{},
			[]string{"1.1 disallow disallow crawl / [] ignored !rule-outside-record",
				"2.1 allow allow crawl x [] ignored !rule-outside-record", "4.1 allow allow crawl / [a]", "holds /abc"},
			[]string{"1.1 disallow disallow crawl / !rule-outside-record",
				"2.1 allow allow crawl x invalid !rule-outside-record !path-not-rooted", "4.1 allow allow crawl / [a]",
				"holds /abc", "holds /abc"}},
		{"R-PI-1", policy.RulePI, "", pi(` index="no" follow="yes"`),
			[]string{"1.1 robots disallow index", "1.2 robots allow follow"}, nil},
		{"R-HDR-1", policy.RuleHeader, "", header("a: noindex"),
			[]string{"1.1 noindex disallow index [a]"},
			[]string{"1.1 a recorded !unknown-directive", "1.2 noindex disallow index"}},
		{"R-MAP-1", policy.RuleMapRobots, "User-agent: a\nDisallow: /\nUser-agent: b\nAllow: /\n", policy.Markup{},
			[]string{"2.1 disallow disallow crawl / [a]", "4.1 allow allow crawl / [b]", "holds /abc", "holds /abc"},
			[]string{"2.1 disallow / [a] recorded", "4.1 allow / [b] recorded"}},
		{"R-MAP-2", policy.RuleMapIndex, "", meta("robots", "none,nocache"),
			[]string{"1.1 none disallow index", "1.2 none disallow follow", "1.3 nocache disallow present-currentcopy",
				"1.4 nocache disallow present-oldcopy"},
			[]string{"1.1 none recorded", "1.2 nocache disallow present-currentcopy",
				"1.3 nocache disallow present-oldcopy"}},
		{"R-MAP-3", policy.RuleMapCopies, "", meta("robots", "noarchive,nocache,index"),
			[]string{"1.1 noarchive disallow present-currentcopy", "1.2 noarchive disallow present-oldcopy",
				"1.3 nocache disallow present-currentcopy",
				"1.4 nocache disallow present-oldcopy", "1.5 index allow index"},
			[]string{"1.1 noarchive recorded", "1.2 nocache recorded", "1.3 index allow index"}},
		{"R-MAP-4", policy.RuleMapNoSnippet, "", meta("robots", "max-snippet:0,max-snippet:5"),
			[]string{"1.1 max-snippet disallow present-snippet", "1.2 max-snippet disallow present-extract",
				"1.3 max-snippet disallow present-oldsnippet",
				"1.4 max-snippet disallow present-oldextract",
				"1.5 max-snippet allow present-snippet {max-length=5-chars}"},
			[]string{"1.1 max-snippet 0 recorded", "1.2 max-snippet allow present-snippet {max-length=5-chars}"}},
		{"R-MAP-5", policy.RuleMapMaxSnippet, "", meta("robots", "max-snippet:5"),
			[]string{"1.1 max-snippet allow present-snippet {max-length=5-chars}"},
			[]string{"1.1 max-snippet 5 recorded"}},
		{"R-MAP-6", policy.RuleMapImage, "", meta("robots", "max-image-preview:none"),
			[]string{"1.1 max-image-preview disallow present-thumbnail"},
			[]string{"1.1 max-image-preview none recorded"}},
		{"R-MAP-7", policy.RuleMapTranslate, "", meta("robots", "notranslate"),
			[]string{"1.1 notranslate allow present {prohibited-modification=translation}"},
			[]string{"1.1 notranslate recorded"}},
		{"R-MAP-8", policy.RuleMapUntil, "", meta("robots", "unavailable_after: 25 Jun 2010"),
			[]string{"1.1 unavailable_after allow index {time-limit=until-2010-06-25}",
				"1.2 unavailable_after allow present {time-limit=until-2010-06-25}"},
			[]string{"1.1 unavailable_after 25 Jun 2010 recorded"}},
		{"R-MAP-9", policy.RuleMapRecorded, "", meta("robots", "noodp, wat, noindex"),
			[]string{"1.1 noodp recorded", "1.2 wat recorded !unknown-directive", "1.3 noindex disallow index"},
			[]string{"1.1 noindex disallow index"}},
		{"R-MAP-9, robots.txt", policy.RuleMapRecorded, "User-agent: *\nCrawl-delay: 5\n", policy.Markup{},
			[]string{"2.1 crawl-delay 5 recorded"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(without policy.RuleSet) []string {
				f, p := &policy.File{}, &policy.Page{XML: true}
				ReadRobots(robotstxt.Parse([]byte(test.text), robotstxt.Options{}), Options{Without: without}, f)
				ReadPage([]policy.Markup{test.markup}, Options{Without: without}, p)
				all := showAll(append(f.Statements, p.Statements...))
				for _, finding := range f.Findings {
					all = append(all, fmt.Sprintf("%d %s", finding.Line, finding.Defect))
				}
				for _, name := range []string{"disallow", "sitemap"} {
					if n := f.Fields[name]; n > 0 {
						all = append(all, fmt.Sprintf("%s %d", name, n))
					}
				}
				for _, s := range f.Statements {
					if len(s.Patterns) == 1 && s.Patterns[0].Match("/abc") {
						all = append(all, "holds /abc")
					}
				}
				return all
			}
			if diff := cmp.Diff(test.with, read(policy.RuleSet{})); diff != "" {
				t.Errorf("with the rule (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.without, read(policy.RuleSet{}.With(test.rule))); diff != "" {
				t.Errorf("without the rule (-want +got):\n%s", diff)
			}
			if slices.Equal(test.with, test.without) {
				t.Error("the rule changes nothing")
			}
		})
	}
}
