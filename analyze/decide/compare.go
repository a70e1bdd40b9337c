package decide

import (
	"cmp"
	"slices"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/policy"
)

// This file is for callers that compare decisions (docs/semantics.md, section 8).

// Candidates returns the ACAP statements of the robots.txt, resolved references included, for the view's agent and
// purpose, whatever their usage and resource. The list must not be changed.
func (v *View) Candidates() []Candidate { return v.acap() }

// PageCandidates returns the ACAP METAs of a page for the view's agent and purpose, whatever their usage.
func (v *View) PageCandidates(page *policy.Page) []Candidate {
	return v.metas(page, func(policy.Usage) bool { return true })
}

// Rank orders candidates for a usage by R-DEC-13, R-DEC-3 and R-DEC-4, the highest first: at a path, only candidates of
// the highest rank count. ok is false where the candidate is not about the usage.
func (v *View) Rank(c Candidate, u policy.Usage) (rank int, ok bool) {
	if !v.without(policy.RuleNamedAgent) {
		rank += c.address()
	}
	if c.Specific && !v.without(policy.RulePurpose) {
		rank += 4
	}
	if c.Statement.Usage.Covers(u) {
		rank += 8
	}
	return rank, v.concerns(c.Statement.Usage, u)
}

// CrawlREP returns the conventional rules of the robots.txt about crawl that count for the agent (R-REP-1), and the
// cost of finding them.
func (v *View) CrawlREP() (statements []*policy.Statement, cost int) {
	return v.GroupRules(policy.Crawl)
}

// GroupRules returns the rules of conventional groups about a usage that count for the agent (R-REP-1), AI preferences
// included, and the cost of finding them.
func (v *View) GroupRules(u policy.Usage) (statements []*policy.Statement, cost int) {
	m := matcher{view: v}
	all := v.grouped()
	for _, st := range all {
		if st.Usage == u && v.counts(m.audience(st.Agents)) {
			statements = append(statements, st)
		}
	}
	return statements, len(all) + m.cost
}

// HasUnresolved reports whether a permissions-reference for the agent leads nowhere (R-REF-1).
func (v *View) HasUnresolved() bool { return len(v.unresolved) > 0 }

// Options returns the interpretation that the view decides by.
func (v *View) Options() Options { return v.site.opts }

// Budget returns the budget that questions are counted in; nil: none.
func (v *View) Budget() *cost.Budget { return v.budget }

// SameStatements reports whether the same ACAP statements of the robots.txt and of a page apply to two views of one
// Site and one agent with two purposes: then the answers to all questions are equal. page may be nil.
func (v *View) SameStatements(other *View, page *policy.Page) bool {
	if v.cached != nil && other.cached != nil {
		if v.StatementSet() != other.StatementSet() {
			return false
		}
	} else {
		v.budget.Spend(1 + len(v.acap())/candidatesCompared)
		if !slices.Equal(v.acap(), other.acap()) {
			return false
		}
	}
	return page == nil || slices.Equal(v.PageCandidates(page), other.PageCandidates(page))
}

// Cost is the cost of finding the statements of the robots.txt that apply at a path, in patterns, statements, names and
// purposes that are compared. It is free after a question about that path. Where decisions are cached it is 0; see
// Site.CacheCost.
func (v *View) Cost(path string) int {
	if v.cached != nil {
		return 0
	}
	return v.at(path).cost
}

// CacheCost is DecisionCache.Cost for a Site of a DecisionCache, and 0 for others.
func (s *Site) CacheCost() int {
	if !s.only.isCached() {
		return 0
	}
	return s.only.entry.cache.cost
}

// StatementCount is how many statements of the robots.txt are compared to decide at all paths of the site; 0 where
// decisions are cached.
func (v *View) StatementCount() int {
	if v.cached != nil {
		return 0
	}
	return len(v.acap()) + len(v.grouped())
}

// NamesUsage reports whether an ACAP statement of the robots.txt for the view's agent and purpose is about exactly this
// usage.
func (v *View) NamesUsage(u policy.Usage) bool {
	if v.cached != nil {
		return v.cached.set.usages&(1<<u) != 0
	}
	return slices.ContainsFunc(v.acap(), func(c Candidate) bool { return c.Statement.Usage == u })
}

// Unresolved returns the recorded statement of the first permissions-reference for the agent whose file is not in the
// corpus (R-REF-1); nil if there is none.
func (v *View) Unresolved() *policy.Statement {
	recorded := v.site.index().Recorded
	for _, ref := range v.unresolved {
		byLine := func(st *policy.Statement, line int) int { return cmp.Compare(st.Line, line) }
		at, ok := slices.BinarySearchFunc(recorded, ref.Line, byLine)
		if ok {
			return recorded[at]
		}
	}
	return nil
}

// EmptyDisallow returns the first empty Disallow of a group that counts for the agent: it matches nothing, which means
// that everything may be crawled. Nil where there is none.
func (v *View) EmptyDisallow() *policy.Statement {
	statements, _ := v.CrawlREP()
	for _, st := range statements {
		if st.Sense == policy.Disallow && len(st.Patterns) == 0 {
			return st
		}
	}
	return nil
}

// Own decides a usage by the statements about it only, as Decide does before crawl (R-DEC-11) and elements (R-DEC-14)
// count. Its result is never silence but allowed or disallowed, with a basis.
func (v *View) Own(page *policy.Page, q Question) Partial { return v.decideAsIfCrawled(page, q) }

// PageREPIn decides by the conventional statements in one carrier of the page, by R-REP-2 and as if the others were
// absent: METAs count with a PI as well (unlike R-REP-4).
func (v *View) PageREPIn(page *policy.Page, q Question, source policy.Source) Partial {
	if page == nil {
		return Partial{}
	}
	alone := *page // the statements are shared
	alone.XML = false
	return v.pageREP(&alone, q, func(st *policy.Statement) bool { return st.Source == source })
}
