package decide

import (
	"slices"

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

// Matches reports whether a rule matches a path.
func (r CrawlRules) Matches(path string) bool {
	return slices.ContainsFunc(r, func(st *policy.Statement) bool {
		return slices.ContainsFunc(st.Patterns, func(p policy.Pattern) bool { return p.Match(path) })
	})
}

// Decide decides crawl at a path, and each other usage of ACAP: those are all decided alike (R-DEC-11, R-DEC-12). The
// decisions are those of a View for a page without statements, but do not list what lost. hidden: rules about crawl for
// any agent match, and do not count for this one, which a group names (R-REP-1).
func (r CrawlRules) Decide(path string, hidden bool, b *cost.Budget) (crawl, others Decision) {
	first := r.At(path, b)
	if first == nil {
		others = byDefault(policy.Allowed, policy.BasisSilence, policy.RuleSilence).decided()
		if crawl = others; hidden {
			crawl.By = []policy.Rule{policy.RuleREPFile, policy.RuleSilence}
		}
		return crawl, others
	}
	p := Partial{Basis: policy.BasisREPRobots, By: []policy.Rule{policy.RuleREPFile}, decision: policy.Disallowed}
	if first.Sense == policy.Allow {
		p.decision = policy.Allowed
	}
	b.Spend(len(r))
	length := matchLength(first, path)
	for _, st := range r {
		if st.Sense == first.Sense && matchLength(st, path) == length {
			p.Deciding = append(p.Deciding, Verdict{st, policy.RuleREPFile})
		}
	}
	crawl = p.decided()
	others = byDefault(policy.Allowed, policy.BasisSilence, policy.RuleSilence).decided()
	if p.prohibitsAll() {
		others = others.underCrawl(&p, nil)
	}
	return crawl, others
}

// matchLength returns the length of the longest pattern of a statement that matches a path; -1: none does.
func matchLength(st *policy.Statement, path string) int {
	longest := -1
	for i := range st.Patterns {
		if p := &st.Patterns[i]; p.Len() > longest && p.Match(path) {
			longest = p.Len()
		}
	}
	return longest
}
