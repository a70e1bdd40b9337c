package decide

import (
	"cmp"
	"slices"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/policy"
)

// This file is for those who compare decisions (docs/semantics.md, section 8): what one carrier or one reading says alone, and the
// paths at which two of them can differ.

// Options returns the reading that the site was made with.
func (s *Site) Options() Options { return s.opts }

// Under returns the same policy under another reading.
func (s *Site) Under(opts Options) *Site {
	if s.here != nil {
		return s.here.under(s, opts)
	}
	return &Site{file: s.file, answer: s.answer, opts: opts, index: s.index}
}

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

// CrawlREP returns the conventional rules of the robots.txt about crawl that count for the agent (R-REP-1), and the cost
// of finding them.
func (v *View) CrawlREP() (statements []*policy.Statement, cost int) {
	l := listener{view: v}
	all := v.rep()
	for _, st := range all {
		if st.Usage == policy.Crawl && v.counts(l.audience(st.Agents)) {
			statements = append(statements, st)
		}
	}
	return statements, len(all) + l.looks
}

// HasUnresolved reports whether a permissions-reference for the agent leads nowhere (R-REF-1).
func (v *View) HasUnresolved() bool { return len(v.unresolved) > 0 }

// Options returns the interpretation that the view decides by.
func (v *View) Options() Options { return v.site.opts }

// Budget returns the budget that questions are counted in; nil: none.
func (v *View) Budget() *cost.Budget { return v.budget }

// HearsAs tells whether two views of one Site and one agent, for two purposes, are told the same in ACAP, by the robots.txt and by a page:
// then every question gets the same answer from both. The page may be nil.
func (v *View) HearsAs(other *View, page *policy.Page) bool {
	return v.hearsAs(other) && (page == nil || slices.Equal(v.PageCandidates(page), other.PageCandidates(page)))
}

// Looks measures what it takes to find what the robots.txt says of a path: patterns, statements, names and purposes that are looked at. It
// costs nothing after a question about that path. Where Places remember, it is nothing; see Site.Looks.
func (v *View) Looks(path string) int {
	if v.heard != nil {
		return 0
	}
	return v.at(path).looks
}

// Looks is Places.Looks of a Site that Places gave; of others it is 0.
func (s *Site) Looks() int {
	if s.here == nil || s.here.kept == nil {
		return 0
	}
	return s.here.kept.memory.looks
}

// Statements counts the statements of the robots.txt that are looked at to learn what it says of all paths of the site. Where Places
// remember, there are none.
func (v *View) Statements() int {
	if v.heard != nil {
		return 0
	}
	return len(v.acap()) + len(v.rep())
}

// HearsOf tells whether an ACAP statement of the robots.txt that speaks to the view's agent and purpose is about just this usage.
func (v *View) HearsOf(u policy.Usage) bool {
	if v.heard != nil {
		return v.heard.told.usages&(1<<u) != 0
	}
	return slices.ContainsFunc(v.acap(), func(c Candidate) bool { return c.Statement.Usage == u })
}

// Unresolved returns the recorded statement of the first permissions-reference meant for the agent that the corpus cannot follow
// (R-REF-1); nil where there is none.
func (v *View) Unresolved() *policy.Statement {
	recorded := v.site.index().Recorded
	for _, ref := range v.unresolved {
		at, ok := slices.BinarySearchFunc(recorded, ref.Line, func(st *policy.Statement, line int) int { return cmp.Compare(st.Line, line) })
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

// Own decides a usage by the statements about it, as Decide does before it looks at crawl (R-DEC-11) and at elements (R-DEC-14).
// What no statement decides is not silence here but allowed or disallowed with its basis.
func (v *View) Own(page *policy.Page, q Question) Part { return v.decideAsIfCrawled(page, q) }

// PageREPIn is what the page says conventionally in one of its carriers, taken alone: R-REP-2 within it, as if the others were not
// there, so that METAs speak beside a PI too (unlike R-REP-4).
func (v *View) PageREPIn(page *policy.Page, q Question, source policy.Source) Part {
	if page == nil {
		return Part{}
	}
	alone := *page // the statements are shared
	alone.XML = false
	return v.pageREP(&alone, q, func(st *policy.Statement) bool { return st.Source == source })
}
