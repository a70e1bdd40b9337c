package survey

import (
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// Leaving a rule out changes the decision about crawling a page of day 3.
func TestWithout(t *testing.T) {
	const elsewhere = "http://www.example.com/robots.txt"
	refers := "ACAP-crawler: *\nACAP-permissions-reference: " + elsewhere + "\n"
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		robots        []facts.Fact
		with, without table.Basis // of crawling the page, which open allows by silence and closed prohibits
	}{
		{"R-SITE-1, the latest not after", policy.RuleInForce,
			[]facts.Fact{robots(file, 1, open), robots(file, 5, closed)},
			"silence", "rep-robots"},
		{"R-SITE-1, the nearest after", policy.RuleInForce,
			[]facts.Fact{robots(file, 5, closed), robots(file, 9, open)},
			"rep-robots", "silence"},
		{"R-SITE-1, a failure", policy.RuleInForce, []facts.Fact{robots(file, 1, closed), status(file, 2, 503)},
			"rep-robots", "robots-unreachable"},
		{"R-SITE-1, a page in its place", policy.RuleInForce,
			[]facts.Fact{robots(file, 1, closed), robots(file, 2, html)},
			"rep-robots", "not-robots"},
		{"R-SITE-1, at a redirect's end", policy.RuleInForce,
			[]facts.Fact{redirect(file, 2, elsewhere), robots(elsewhere, 1, closed), status(elsewhere, 4, 404)},
			"rep-robots", "silence"},
		{"R-SITE-2, to another host", policy.RuleRedirect,
			[]facts.Fact{redirect(file, 2, elsewhere), robots(elsewhere, 1, closed)},
			"rep-robots", "robots-not-captured"},
		{"R-SITE-2, on the host", policy.RuleRedirect,
			[]facts.Fact{redirect(file, 2, example+"/en/robots.txt"), robots(example+"/en/robots.txt", 1, closed)},
			"rep-robots", "robots-not-captured"},
		{"R-SITE-2, of a file referred to", policy.RuleRedirect, []facts.Fact{
			robots(file, 2, refers), redirect(elsewhere, 2, "http://third.example/robots.txt"), robots(elsewhere, 1,
				"ACAP-crawler: *\nACAP-allow-crawl: /\n"),
			robots("http://third.example/robots.txt", 2, "ACAP-crawler: *\nACAP-disallow-crawl: /\n"),
		}, "acap-robots", "acap-robots"},
		{"R-REF-1", policy.RuleReference, []facts.Fact{robots(file, 2, refers),
			robots(elsewhere, 1, "ACAP-crawler: *\nACAP-disallow-crawl: /\n")},
			"acap-robots", "silence"},
		{"R-LEX-7", policy.RuleNotRobots, []facts.Fact{robots(file, 1, closed), robots(file, 2, html)},
			"rep-robots", "silence"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := append(test.robots, page(example+"/a", 3, "robots", "noindex"))
			decided := func(without policy.RuleSet) table.Permission {
				opts := Options{Permissions: PermissionsAll}
				opts.Reading.Without = without
				return permissionsOf(surveyed(t, opts, list...), "page", "*", "", "crawl")[example+"/a"]
			}
			with, without := decided(policy.RuleSet{}), decided(policy.RuleSet{}.With(test.rule))
			if with.Basis != test.with || without.Basis != test.without {
				t.Errorf("%s, without the rule %s; want %s and %s", with.Basis, without.Basis, test.with, test.without)
			}
			if with.Basis == without.Basis && with.Decision == without.Decision {
				t.Errorf("%s by %s in both", with.Decision, with.Basis)
			}
		})
	}
}
