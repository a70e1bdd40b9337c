package extent

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// maxPaths limits the paths that OfCrawlRules tries.
const maxPaths = 16

// OfCrawlRules returns the extent of crawl if a few paths show it, as they do in most files. Unknown: it takes an
// exploration of all paths (PathClasses.Extent).
func OfCrawlRules(rules decide.CrawlRules, b *cost.Budget) policy.Extent {
	at := func(path string) policy.Sense {
		if st := rules.At(path, b); st != nil {
			return st.Sense
		}
		return policy.Allow
	}
	root, other := at("/"), policy.Disallow
	if root == policy.Disallow {
		other = policy.Allow
	}
	if !hasPattern(rules, other, func(policy.Pattern) bool { return true }) {
		switch {
		case root == policy.Allow:
			return policy.ExtentAll
		case hasPattern(rules, policy.Disallow, policy.Pattern.MatchesAll):
			return policy.ExtentNone
		}
		return policy.ExtentUnknown // such as Disallow: /$
	}
	tried := 0
	for _, st := range rules {
		if st.Sense != other {
			continue
		}
		for _, p := range st.Patterns {
			path := p.Example()
			if path == decide.RobotsPath {
				continue
			}
			if at(path) == other {
				return policy.ExtentSome
			}
			if tried++; tried == maxPaths {
				return policy.ExtentUnknown
			}
		}
	}
	return policy.ExtentUnknown
}

func hasPattern(rules decide.CrawlRules, sense policy.Sense, which func(policy.Pattern) bool) bool {
	return slices.ContainsFunc(rules, func(st *policy.Statement) bool {
		return st.Sense == sense && slices.ContainsFunc(st.Patterns, which)
	})
}
