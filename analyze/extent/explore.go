package extent

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/paths"
	"github.com/acapscan/acapscan/analyze/policy"
)

// An Explorer finds the paths at which rules of one robots.txt differ, and caches the results: many agents and usages
// share their rules. It is not safe for concurrent use.
type Explorer struct {
	budget int
	steps  *cost.Budget
	ids    map[*policy.Statement]uint64
	known  map[string]paths.Space
}

// NewExplorer explores within twice budget states each time; 0 is the default of package paths. Each exploration takes
// a share of the steps, which may be nil.
func NewExplorer(budget int, steps *cost.Budget) *Explorer {
	return &Explorer{
		budget: budget, steps: steps, ids: make(map[*policy.Statement]uint64), known: make(map[string]paths.Space),
	}
}

// Of returns paths, the shortest first, at which the rules together decide everything that they can decide, and by
// which leading rules: PathClasses.Of has one path for each decision, Of has one for each leading rule too. The leading
// rule is the longest of those that decide, the first of these; if both senses compete, the longest of each. known
// reports that the result was cached and cost nothing.
func (s *Explorer) Of(all ...*Rules) (space paths.Space, known bool) {
	var key []byte
	for _, f := range all {
		s.steps.Spend(len(f.rules))
		key = binary.AppendUvarint(key, uint64(len(f.rules)))
		for _, r := range f.rules {
			key = binary.AppendUvarint(key, s.id(f.owners[r.owner]))
			key = binary.AppendUvarint(key, uint64(r.rank))
		}
	}
	if space, ok := s.known[string(key)]; ok {
		return space, true
	}
	space = exploreLeading(all, s.budget, s.steps)
	if !space.Exact {
		// Fewer paths may be enough for the decisions themselves.
		coarse := explore(all, s.budget, s.steps)
		space.Classes = append(space.Classes, coarse.Classes...)
		byLength := func(a, b paths.Class) int { return cmp.Compare(len(a.Path), len(b.Path)) }
		slices.SortStableFunc(space.Classes, byLength)
	}
	s.known[string(key)] = space
	return space, false
}

// id numbers statements in the order in which they occur.
func (s *Explorer) id(st *policy.Statement) uint64 {
	id, ok := s.ids[st]
	if !ok {
		id = uint64(len(s.ids))
		s.ids[st] = id
	}
	return id
}

// A position is where a rule is.
type position struct {
	of   int // the index of its Rules
	rule *rule
}

// rulesByPattern returns the patterns of all rules, each once, and the rules of each pattern. Of rules that differ only
// by their owner it has the first: thousands of statements may share a resource set.
func rulesByPattern(all []*Rules) (patterns []policy.Pattern, byPattern [][]position) {
	type kind struct {
		pattern, of, rank int
		allow, decisive   bool
	}
	index := make(map[policy.Pattern]int)
	known := make(map[kind]bool)
	for fi, f := range all {
		for ri := range f.rules {
			r := &f.rules[ri]
			i, ok := index[r.pattern]
			if !ok {
				i = len(patterns)
				index[r.pattern] = i
				patterns, byPattern = append(patterns, r.pattern), append(byPattern, nil)
			}
			if k := (kind{i, fi, r.rank, r.allow, r.decisive}); !known[k] {
				known[k] = true
				byPattern[i] = append(byPattern[i], position{fi, r})
			}
		}
	}
	return patterns, byPattern
}

// A front has the rules of one vocabulary and usage that matter after a path has matched some.
type front interface {
	meet(r *rule)           // takes in a rule that matches
	needs(r *rule) bool     // whether a rule that has matched must be remembered
	mayChange(r *rule) bool // whether it would matter if a rule matched
}

// exploreWith explores in a share of the steps that are left, with a new front for each set of matched patterns.
func exploreWith(all []*Rules, newFront func() front, budget int, steps *cost.Budget) paths.Space {
	patterns, byPattern := rulesByPattern(all)
	bytes := 0
	for _, p := range patterns {
		bytes += p.Len()
	}
	steps.Spend(len(patterns))
	share := steps.Share()
	if bytes >= share {
		return paths.Space{}
	}
	reduce := func(matched []int) ([]int, func(int) bool) {
		fronts := make([]front, len(all))
		for i := range fronts {
			fronts[i] = newFront()
		}
		for _, m := range matched {
			for _, at := range byPattern[m] {
				fronts[at.of].meet(at.rule)
			}
		}
		var key []int
		for _, m := range matched {
			keep := false
			for _, at := range byPattern[m] {
				keep = fronts[at.of].needs(at.rule) || keep // needs may count
			}
			if keep {
				key = append(key, m)
			}
		}
		return key, func(i int) bool {
			mayChange := func(at position) bool { return fronts[at.of].mayChange(at.rule) }
			return !slices.ContainsFunc(byPattern[i], mayChange)
		}
	}
	opts := paths.Options{Budget: budget, Reduce: reduce, Stopped: steps.Stopped, Steps: share}
	space := paths.Explore(patterns, opts)
	steps.Spend(space.Steps)
	space.Exact = space.Exact && !slices.ContainsFunc(all, func(f *Rules) bool { return f.partial })
	return space
}

// explore finds the classes of paths that the rules decide differently.
func explore(all []*Rules, budget int, steps *cost.Budget) paths.Space {
	return exploreWith(all, func() front { return &decisionFront{rank: -1} }, budget, steps)
}

// exploreLeading is explore, but distinguishes also which rule leads if the rank is settled.
func exploreLeading(all []*Rules, budget int, steps *cost.Budget) paths.Space {
	return exploreWith(all, func() front { return &leadingFront{rank: -1} }, budget, steps)
}

// A decisionFront keeps what the decision depends on.
type decisionFront struct {
	rank       int // the highest, -1 for none
	settled    bool
	remembered bool // one rule that settles the rank is enough
}

func (f *decisionFront) meet(r *rule) {
	if r.rank > f.rank {
		f.rank, f.settled = r.rank, false
	}
	f.settled = f.settled || r.rank == f.rank && r.decisive
}

// needs is true of the first rule that settles the rank, or of all rules of a rank that is open.
func (f *decisionFront) needs(r *rule) bool {
	if r.rank != f.rank || f.settled && (!r.decisive || f.remembered) {
		return false
	}
	f.remembered = f.settled
	return true
}

func (f *decisionFront) mayChange(r *rule) bool {
	return r.rank > f.rank || r.rank == f.rank && !f.settled
}

// A leadingFront keeps the leading rules as well.
type leadingFront struct {
	rank            int   // the highest, -1 for none
	settler         *rule // settles the rank; nil where no rule does
	allows, forbids *rule // that lead
}

func (f *leadingFront) meet(r *rule) {
	if r.rank < f.rank {
		return
	}
	if r.rank > f.rank {
		*f = leadingFront{rank: r.rank}
	}
	if r.decisive && f.settler == nil {
		f.settler = r
	}
	if lead := f.lead(r); *lead == nil || r.leads(*lead) {
		*lead = r
	}
}

// lead returns the field for rules of this sense.
func (f *leadingFront) lead(r *rule) **rule {
	if r.allow {
		return &f.allows
	}
	return &f.forbids
}

// needs is true of all rules of the highest rank while it is open, then of those that lead and one that settles it.
func (f *leadingFront) needs(r *rule) bool {
	switch {
	case r.rank != f.rank:
		return false
	case f.settler == nil || r == f.allows || r == f.forbids:
		return true
	}
	return r == f.settler && !(f.allows != nil && f.allows.decisive) && !(f.forbids != nil && f.forbids.decisive)
}

func (f *leadingFront) mayChange(r *rule) bool {
	if r.rank != f.rank {
		return r.rank > f.rank
	}
	lead := *f.lead(r)
	return f.settler == nil || lead == nil || r.leads(lead)
}

// leads orders rules of one rank: the longer pattern first, then the earlier statement.
func (r *rule) leads(other *rule) bool {
	if n, m := r.pattern.Len(), other.pattern.Len(); n != m {
		return n > m
	}
	return r.owner < other.owner
}
