// Package crawlers decides crawl for the crawlers that a robots.txt names, in rows of table agents. Where conventional
// groups alone decide, their rules do so without an index, once for all crawlers with the same groups; its answers are
// those of package decide.
package crawlers

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// Rules are the conventional rules that count for an agent, in order: those of the groups that name it, or of '*'
// if none does (R-REP-1). They decide crawl like a View of a robots.txt without ACAP, under no disabled rule, and need
// no index of the file.
type Rules []*policy.Statement

// At returns the rule that decides a path, the first of several. Nil: no rule matches, so silence decides (R-DEC-12).
func (r Rules) At(path string, b *cost.Budget) (deciding *policy.Statement) {
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
func (r Rules) Matches(path string) bool {
	return slices.ContainsFunc(r, func(st *policy.Statement) bool {
		return slices.ContainsFunc(st.Patterns, func(p policy.Pattern) bool { return p.Match(path) })
	})
}

// Decide decides crawl at a path, and each other usage of ACAP: those are all decided alike (R-DEC-11, R-DEC-12). The
// decisions are those of a View for a page without statements, but do not list what lost. hidden: rules about crawl for
// any agent match, and do not count for this one, which a group names (R-REP-1).
func (r Rules) Decide(path string, hidden bool, b *cost.Budget) (crawl, others decide.Decision) {
	first := r.At(path, b)
	others = decided(policy.Allowed, policy.BasisSilence, policy.RuleSilence)
	if first == nil {
		if crawl = others; hidden {
			crawl.By = []policy.Rule{policy.RuleREPFile, policy.RuleSilence}
		}
		return crawl, others
	}
	decision := policy.Disallowed
	if first.Sense == policy.Allow {
		decision = policy.Allowed
	}
	crawl = decided(decision, policy.BasisREPRobots, policy.RuleREPFile)
	b.Spend(len(r))
	length := matchLength(first, path)
	for _, st := range r {
		if st.Sense == first.Sense && matchLength(st, path) == length {
			crawl.Deciding = append(crawl.Deciding, decide.Verdict{Statement: st, Rule: policy.RuleREPFile})
		}
	}
	if crawl.Decision == policy.Disallowed {
		others = others.UnderCrawl(crawl.By, crawl.Deciding, nil)
	}
	return crawl, others
}

// decided is a decision without statements.
func decided(d policy.Decision, basis policy.Basis, rule policy.Rule) decide.Decision {
	return decide.Decision{Decision: d, IfCrawled: d, WithoutElements: d, Basis: basis, By: []policy.Rule{rule}}
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
