package extent

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
)

// Extents that examples give are those of an exploration.
func TestExamplesAreExact(t *testing.T) {
	found := map[policy.Extent]int{}
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		pick := func(from ...string) string { return from[random.IntN(len(from))] }
		var b strings.Builder
		for range 1 + random.IntN(2) {
			fmt.Fprintf(&b, "User-agent: %s\n", pick("*", "a"))
			for range random.IntN(4) {
				path := pick("/", "*", "/a", "/robots.txt", "", "/a$", "/*b", "/$", "/a/*")
				fmt.Fprintf(&b, "%s: %s\n", pick("Disallow", "Disallow", "Allow"), path)
			}
		}
		if seed%4 == 0 {
			b.WriteString("ACAP-ignore-conventional-records\n")
		}
		var opts decide.Options
		for _, rule := range []policy.Rule{
			policy.RuleCrawl, policy.RuleSilence, policy.RuleREPFile, policy.RulePattern,
		} {
			if random.IntN(8) == 0 {
				opts.Without = opts.Without.With(rule)
			}
		}
		file := parse.ReadRobots([]byte(b.String()), false, parse.Options{Without: opts.Without}).File
		view := decide.NewSite(file, decide.Answered, opts).For(policy.Agent(pick("*", "a", "z")), "")
		for _, usage := range []policy.Usage{policy.Crawl, policy.Index} {
			got := NewPathClasses(view, 0).byExamples(usage, time.Time{})
			if found[got]++; got == policy.ExtentUnknown {
				continue
			}
			if want := NewPathClasses(view, 0).byClasses(usage, time.Time{}); got != want {
				t.Fatalf("seed %d: %s is %s, explored %s without %v:\n%s", seed, usage, got, want, opts.Without,
					b.String())
			}
		}
	}
	for _, e := range []policy.Extent{policy.ExtentAll, policy.ExtentSome, policy.ExtentNone, policy.ExtentUnknown} {
		if found[e] < 100 {
			t.Errorf("%d extents are %s", found[e], e)
		}
	}
}
