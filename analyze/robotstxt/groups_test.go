package robotstxt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
)

// RFC 2.2.1: a group has names, then rules. Which fields are rules is what the caller says.
func TestGroups(t *testing.T) {
	const text = "Sitemap: s\nUser-Agent: a\nCrawl-Delay: 1\nuser-agent: b\nUsage: x\nUser-agent: c\nDISALLOW: /\n" +
		"no colon\nUser-agent:\nAllow: /\n"
	read := func(without policy.RuleSet, rules ...string) (lines []string) {
		for l := range Parse([]byte(text), Options{}).Groups(without, rules...) {
			lines = append(lines, fmt.Sprintf("%d %s %v %v %v %q", l.Number, l.Name, l.Agents, l.Begun, l.First,
				l.Agent))
		}
		return lines
	}
	for _, test := range []struct {
		name    string
		without policy.RuleSet
		rules   []string
		want    []string
	}{
		{"conventional", policy.RuleSet{}, []string{Allow, Disallow}, []string{
			`1 sitemap [] false false ""`, `2 user-agent [a] true true "a"`, `3 crawl-delay [a] true false ""`,
			`4 user-agent [a b] true false "b"`, `5 usage [a b] true false ""`, `6 user-agent [a b c] true false "c"`,
			`7 disallow [a b c] true false ""`, `9 user-agent [] true true ""`, `10 allow [] true false ""`}},
		{"a further rule", policy.RuleSet{}, []string{Allow, Disallow, "Usage"}, []string{
			`1 sitemap [] false false ""`, `2 user-agent [a] true true "a"`, `3 crawl-delay [a] true false ""`,
			`4 user-agent [a b] true false "b"`, `5 usage [a b] true false ""`, `6 user-agent [c] true true "c"`,
			`7 disallow [c] true false ""`, `9 user-agent [] true true ""`, `10 allow [] true false ""`}},
		{"without R-LEX-5", policy.RuleSet{}.With(policy.RuleFieldCase), []string{Allow, Disallow, "Usage"}, []string{
			`1 sitemap [] false false ""`, `2 user-agent [] false false ""`, `3 crawl-delay [] false false ""`,
			`4 user-agent [] false false ""`, `5 usage [] false false ""`, `6 user-agent [c] true true "c"`,
			`7 disallow [c] true false ""`, `9 user-agent [c] true false ""`, `10 allow [c] true false ""`}},
	} {
		if got := read(test.without, test.rules...); !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n%q, want\n%q", test.name, got, test.want)
		}
	}
}
