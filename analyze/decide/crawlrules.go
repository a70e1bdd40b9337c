package decide

import (
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/policy"
)

// CrawlRules are the conventional rules that count for an agent, in order: those of the groups that name it, or of '*'
// if none does (R-REP-1). They decide crawl like a View of a robots.txt without ACAP, under no disabled rule, and need
// no index of the file.
type CrawlRules []*policy.Statement

// At returns the rule that decides a path, the first of several. Nil: no rule matches, so silence decides (R-DEC-12).
func (r CrawlRules) At(path string, b *cost.Budget) (deciding *policy.Statement) {
	b.Spend(len(r))
	best := -1
	for _, st := range r {
		for _, p := range st.Patterns {
			n := p.Len()
			if n < best || n == best && (st.Sense == deciding.Sense || st.Sense == policy.Disallow) || !p.Match(path) {
				continue
			}
			best, deciding = n, st
		}
	}
	return deciding
}
