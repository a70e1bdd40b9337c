package crawlers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/analyze/crawlers"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
)

// Rules decide like a View of their robots.txt, and list what decides in the same order.
func TestRulesDecideLikeAView(t *testing.T) {
	for _, text := range []string{
		"", "Disallow:\n", "Disallow: /\n", "Disallow: /\nDisallow: /*\nAllow: /open\n", "Allow: /\nDisallow: /\n",
		"Disallow: /a\nAllow: /a\nDisallow: /a$\n", "Disallow: /a/\nAllow: /a/b\nDisallow: /*b\nDisallow: /a/b/c$\n",
	} {
		file := parse.ReadRobots([]byte("User-agent: *\n"+text), false, parse.Options{}).File
		var rules crawlers.Rules
		for i := range file.Statements {
			if st := &file.Statements[i]; st.Status.Decides() {
				rules = append(rules, st)
			}
		}
		view := decide.NewSite(file, decide.Answered, decide.Options{}).For(policy.AnyAgent, "")
		for _, path := range []string{"/", "/a", "/a/", "/a/b", "/a/b/c", "/open", "/xb"} {
			crawl, others := rules.Decide(path, false, nil)
			for usage, got := range map[policy.Usage]decide.Decision{policy.Crawl: crawl, policy.Index: others} {
				q := decide.Question{URL: "http://a.example" + path, Path: path, Usage: usage}
				want := view.Decide(nil, q)
				if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(decide.Decision{}, "Lost"), cmpopts.EquateEmpty(),
					cmp.Comparer(func(a, b *policy.Statement) bool { return a == b })); diff != "" {
					t.Errorf("%q, %s of %s (-View +Rules):\n%s", text, usage, path, diff)
				}
			}
			if decides := rules.At(path, nil) != nil; decides != rules.Matches(path) {
				t.Errorf("%q: a rule decides %s: %t, and a rule matches it: %t", text, path, decides, !decides)
			}
		}
	}
}
