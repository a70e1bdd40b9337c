package explain

import (
	"testing"

	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
)

func TestPlainWords(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"ACAP-crawler: *\nACAP-allow-index: /news/ time-limit=until-2012-05-17",
			"permits any crawler to index whatever begins with /news/, until the end of 2012-05-17"},
		{"ACAP-crawler: A\nACAP-crawler: B\nACAP-disallow-crawl: /",
			"forbids the crawlers A and B to fetch everything"},
		{"ACAP-crawler: A\nACAP-usage-purpose: x*\nACAP-usage-purpose: y\nACAP-disallow-follow: /*.gif$",
			"forbids the crawler A to follow the links in whatever has the form /*.gif, '*' being anything, for the " +
				"purpose x* or y"},
		{"ACAP-crawler: *\nACAP-allow-present-original: /a$ required-context=within-original-frame",
			"permits any crawler to show /a alone as it is on its site, within its original frame"},
		{"ACAP-crawler: *\nACAP-allow-present-snippet: /*/a max-length=20-words " +
			"must-use-resource=the-acap:extract:id:lead",
			"permits any crawler to show a snippet of whatever begins with the form /*/a, '*' being anything, at " +
				"most 20 words long, using only the extract that stands in the page's id \"lead\""},
		{"ACAP-crawler: *\nACAP-allow-present: / must-include-resource=http://a.example/c time-limit=3-days " +
			"prohibited-modification=style",
			"permits any crawler to show everything to users in any form, together with http://a.example/c, for 3 " +
				"days, in its own typography and layout"},
		{"ACAP-crawler: *\nACAP-allow-index: / frob=1",
			"permits any crawler to index everything, under the condition frob=1, which no document at hand explains"},
		{"ACAP-crawler: *\nACAP-allow-preserve: / time-limit=long",
			"permits any crawler to keep a copy of everything, under the condition time-limit=long, which no " +
				"document at hand explains"},
		{"ACAP-crawler: *\nACAP-composite-usage: all crawl index\nACAP-allow-(all): /",
			"permits any crawler to fetch everything and index everything"},
		{"ACAP-crawler: *\nACAP-resource-set: pics /a /b\nACAP-disallow-index: the-acap:resource-set:pics",
			"forbids any crawler to index whatever the file defines as the-acap:resource-set:pics"},
	} {
		robots := parse.ReadRobots([]byte("##ACAP version=1.1\n"+c.lines+"\n"), false, parse.Options{})
		e := &Explanation{Question: Question{Page: &Document{}}, robots: robots, page: &policy.Page{}}
		last := &robots.Statements[len(robots.Statements)-1]
		if got := plainWords(last, e.written(last)); got != c.want {
			t.Errorf("%q\nsays %q\nwant %q", c.lines, got, c.want)
		}
	}
}
