package decide

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/paths"
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

// A Candidate is an ACAP statement of the robots.txt that speaks to a view's agent and purpose.
type Candidate struct {
	Statement *policy.Statement
	Named     bool // to the agent by name, by itself or through a reference of a record that is (R-REF-1)
	Specific  bool // it names a purpose that fits (R-DEC-3)
}

// Candidates returns the ACAP statements of the robots.txt, resolved references included, that speak to the view's agent and
// purpose, whatever their usage and resource.
func (v *View) Candidates() []Candidate {
	v.budget.Spend(len(v.acap()))
	return shown(v.acap())
}

// PageCandidates returns the ACAP METAs of a page that speak to the view's agent and purpose, whatever their usage.
func (v *View) PageCandidates(page *policy.Page) []Candidate {
	return shown(v.metas(page, func(policy.Usage) bool { return true }))
}

func shown(candidates []candidate) []Candidate {
	all := make([]Candidate, len(candidates))
	for i, c := range candidates {
		all[i] = Candidate{Statement: c.st, Named: c.named, Specific: c.specific}
	}
	return all
}

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
	return slices.ContainsFunc(v.acap(), func(c candidate) bool { return c.st.Usage == u })
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

// EmptyDisallow returns the first empty Disallow of a group that counts for the agent: it matches nothing, and says by it that
// everything may be crawled. Nil where there is none.
func (v *View) EmptyDisallow() *policy.Statement {
	for _, st := range v.rep() {
		if st.Usage == policy.Crawl && st.Sense == policy.Disallow && len(st.Patterns) == 0 && v.inForce(st) {
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

// A Voice is what one vocabulary of a robots.txt says of one usage to one agent and purpose, seen over all paths.
type Voice struct {
	function *function
	owners   []*policy.Statement // by ranked.owner
}

// ACAPVoice is the voice of RobotsACAP. It is the same under every profile.
func (v *View) ACAPVoice(u policy.Usage) Voice {
	candidates := v.acap()
	owners := make([]*policy.Statement, len(candidates))
	for i, c := range candidates {
		owners[i] = c.st
	}
	return Voice{v.acapFunction(u), owners}
}

// REPVoice is the voice of RobotsREP, which speaks of crawl.
func (v *View) REPVoice() Voice { return Voice{v.repFunction(), v.rep()} }

// REPVoiceOutside is the voice of the conventional rules that the pilot's reading of R-DEC-2 does not set aside: those whose
// pattern is that of no ACAP rule about crawl. It means nothing without R-DEC-2, which the pilot reads so.
func (v *View) REPVoiceOutside() Voice {
	spoken := make(map[policy.PathSet]bool)
	seen := make(map[*policy.Pattern]bool) // sets are shared
	for _, c := range v.acap() {
		if c.st.Usage != policy.Crawl || len(c.st.Patterns) == 0 || seen[&c.st.Patterns[0]] {
			continue
		}
		seen[&c.st.Patterns[0]] = true
		for _, p := range c.st.Patterns {
			spoken[p.PathSet()] = true
		}
	}
	all := v.repFunction()
	outside := &function{partial: all.partial}
	for _, r := range all.rules {
		if !spoken[r.pattern.PathSet()] {
			outside.rules = append(outside.rules, r)
		}
	}
	return Voice{outside, v.rep()}
}

// Says tells whether there is any path at which the voice speaks by a rule.
func (o Voice) Says() bool { return len(o.function.rules) > 0 }

// Divided tells whether rules of both senses compete in one layer of the voice, so that it takes more than R-DEC-3, R-DEC-4 and
// R-DEC-13 to decide.
func (o Voice) Divided() bool {
	const allows, disallows = 1, 2
	senses := make(map[int]int)
	for _, r := range o.function.rules {
		if r.allow {
			senses[r.rank] |= allows
		} else {
			senses[r.rank] |= disallows
		}
		if senses[r.rank] == allows|disallows {
			return true
		}
	}
	return false
}

// Cost measures the work that a voice makes: octets of pattern to explore, and how many pairs of opposite rules were compared to
// make it.
func (o Voice) Cost() (octets, comparisons int) {
	for _, r := range o.function.rules {
		octets += r.pattern.Len()
	}
	return octets, o.function.pairs
}

// Voices explores the paths at which voices of one robots.txt differ, and remembers what it found: many agents and usages share
// their rules. It is not safe for concurrent use.
type Voices struct {
	budget int
	steps  *cost.Budget
	ids    map[*policy.Statement]uint64
	known  map[string]paths.Space
}

// NewVoices makes an explorer whose every exploration stays within twice budget states; 0 is the default of package paths. Each takes a share
// of the steps, which may be nil.
func NewVoices(budget int, steps *cost.Budget) *Voices {
	return &Voices{budget: budget, steps: steps, ids: make(map[*policy.Statement]uint64), known: make(map[string]paths.Space)}
}

// Of returns paths, the shortest first, at which the voices together say everything that they can say, and for which of their
// rules: where Spaces.Of has one path for each decision, this has one for each leading rule too. The leading rule of a voice is the
// longest of those that decide, the first of these; where both senses compete, the longest of each. known tells that the answer
// was remembered, and cost nothing.
func (s *Voices) Of(voices ...Voice) (space paths.Space, known bool) {
	var key []byte
	functions := make([]*function, len(voices))
	for i, o := range voices {
		functions[i] = o.function
		s.steps.Spend(len(o.function.rules))
		key = binary.AppendUvarint(key, uint64(len(o.function.rules)))
		for _, r := range o.function.rules {
			key = binary.AppendUvarint(key, s.id(o.owners[r.owner]))
			key = binary.AppendUvarint(key, uint64(r.rank))
		}
	}
	if space, ok := s.known[string(key)]; ok {
		return space, true
	}
	space = exploreLeading(functions, s.budget, s.steps)
	if !space.Exact {
		// Fewer paths may be enough for the decisions themselves.
		coarse := explore(functions, s.budget, s.steps)
		space.Classes = append(space.Classes, coarse.Classes...)
		slices.SortStableFunc(space.Classes, func(a, b paths.Class) int { return cmp.Compare(len(a.Path), len(b.Path)) })
	}
	s.known[string(key)] = space
	return space, false
}

// id numbers statements in the order in which they are met.
func (s *Voices) id(st *policy.Statement) uint64 {
	id, ok := s.ids[st]
	if !ok {
		id = uint64(len(s.ids))
		s.ids[st] = id
	}
	return id
}

// exploreLeading is explore, but where a rank is settled it still tells apart which rule leads.
func exploreLeading(functions []*function, budget int, steps *cost.Budget) paths.Space {
	patterns, byPattern := rulesByPattern(functions)
	reduce := func(matched []int) ([]int, func(int) bool) {
		fronts := make([]front, len(functions))
		for fi := range fronts {
			fronts[fi].rank = -1
		}
		for _, m := range matched {
			for _, at := range byPattern[m] {
				fronts[at.function].meet(&functions[at.function].rules[at.rule])
			}
		}
		var key []int
		for _, m := range matched {
			for _, at := range byPattern[m] {
				if fronts[at.function].needs(&functions[at.function].rules[at.rule]) {
					key = append(key, m)
					break
				}
			}
		}
		return key, func(i int) bool {
			for _, at := range byPattern[i] {
				if fronts[at.function].mayChange(&functions[at.function].rules[at.rule]) {
					return false
				}
			}
			return true
		}
	}
	return exploreWithin(patterns, paths.Options{Budget: budget, Reduce: reduce}, functions, steps)
}

// A front is what matters of the rules of one function that a path has matched.
type front struct {
	rank            int     // the highest, -1 for none
	settler         *ranked // a rule that settles the rank, nil where none does
	allows, forbids *ranked // that lead
}

// meet takes in a rule that matches.
func (f *front) meet(r *ranked) {
	if r.rank < f.rank {
		return
	}
	if r.rank > f.rank {
		*f = front{rank: r.rank}
	}
	if r.decisive && f.settler == nil {
		f.settler = r
	}
	if lead := f.lead(r); *lead == nil || r.leads(*lead) {
		*lead = r
	}
}

// lead is the place for which the rule stands.
func (f *front) lead(r *ranked) **ranked {
	if r.allow {
		return &f.allows
	}
	return &f.forbids
}

// needs tells whether a rule that has matched has to be remembered: all of the highest rank as long as it is open, then those that
// lead and one by which it is settled.
func (f *front) needs(r *ranked) bool {
	switch {
	case r.rank != f.rank:
		return false
	case f.settler == nil || r == f.allows || r == f.forbids:
		return true
	}
	return r == f.settler && !(f.allows != nil && f.allows.decisive) && !(f.forbids != nil && f.forbids.decisive)
}

// mayChange tells whether it would matter if a rule matched.
func (f *front) mayChange(r *ranked) bool {
	if r.rank != f.rank {
		return r.rank > f.rank
	}
	lead := *f.lead(r)
	return f.settler == nil || lead == nil || r.leads(lead)
}

// leads orders rules of one rank: the longer pattern first, then the earlier statement.
func (r *ranked) leads(other *ranked) bool {
	if n, m := r.pattern.Len(), other.pattern.Len(); n != m {
		return n > m
	}
	return r.owner < other.owner
}
