package decide

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/paths"
	"github.com/acapscan/acapscan/analyze/policy"
)

// A Spaces explores the paths that a view's robots.txt can tell apart, and remembers what it found: many usages share their
// statements. It belongs to one View and is not safe for concurrent use.
type Spaces struct {
	// Questions is how many Extent may still ask; the answers that it gave are remembered. NewSpaces sets no limit.
	Questions int

	view    *View
	budget  int
	known   map[string]paths.Space
	extents map[extentKey]policy.Extent
}

// NewSpaces makes an explorer whose every exploration stays within budget states; 0 is the default of package paths.
func NewSpaces(v *View, budget int) *Spaces {
	return &Spaces{
		Questions: math.MaxInt, view: v, budget: budget, known: make(map[string]paths.Space), extents: make(map[extentKey]policy.Extent),
	}
}

// Of returns one path for every way in which the file can decide the usage, and crawl with it: a decision at any path equals
// the decision at one of them. Where the space is not Exact, some ways may be missing.
func (s *Spaces) Of(u policy.Usage) paths.Space {
	if s.view.budget.Over() {
		return paths.Space{}
	}
	functions := []*function{s.view.acapFunction(policy.Crawl), s.view.repFunction()}
	if !s.view.without(policy.RulePattern) {
		functions = append(functions, robotsFunction())
	}
	if s.view.site.opts.Profile == ProfilePilot {
		// A conventional rule that is set aside lets the next one speak.
		functions = append(functions, s.view.REPVoiceOutside().function, s.view.asideFunction())
	}
	if u != policy.Crawl {
		functions = append(functions, s.view.acapFunction(u))
	}
	key := ""
	for _, f := range functions {
		key += f.key() + "|"
	}
	if space, ok := s.known[key]; ok {
		return space
	}
	space := explore(functions, s.budget, s.view.budget)
	s.known[key] = space
	return space
}

// Over tells whether the view's budget ended.
func (s *Spaces) Over() bool { return s.view.budget.Over() }

// Extent tells over how much of the site the usage is allowed (docs/semantics.md, section 7). It is a property of the decision
// function over all paths; /robots.txt itself, which is always crawlable, does not count. Where the questions end before both answers
// were seen, it is unknown.
func (s *Spaces) Extent(u policy.Usage, at time.Time) policy.Extent {
	key := extentKey{s.view.spokenOf(u), at}
	extent, known := s.extents[key]
	if !known {
		extent = s.extent(u, at)
		s.extents[key] = extent
	}
	return extent
}

func (s *Spaces) extent(u policy.Usage, at time.Time) policy.Extent {
	space := s.Of(u)
	allowed, disallowed, exact := false, false, space.Exact
	for _, class := range space.Classes {
		if class.Path == robotsPath && !s.view.without(policy.RulePattern) {
			continue
		}
		if s.Questions--; s.Questions < 0 || s.view.budget.Over() {
			exact = false
			break
		}
		if s.view.Decide(nil, Question{Path: class.Path, Usage: u, At: at}).Decision == policy.Disallowed {
			disallowed = true
		} else {
			allowed = true
		}
		if allowed && disallowed {
			return policy.ExtentSome
		}
	}
	switch {
	case !exact:
		return policy.ExtentUnknown
	case disallowed:
		return policy.ExtentNone
	}
	return policy.ExtentAll
}

// An extentKey tells apart what an extent depends on.
type extentKey struct {
	spokenOf string
	at       time.Time
}

// spokenOf is equal for usages that the same statements of the robots.txt speak of, in the same way: no path is allowed for one and
// not for the other.
func (v *View) spokenOf(u policy.Usage) string {
	candidates := v.acap()
	key := make([]byte, 0, len(candidates)+1)
	if u == policy.Crawl {
		key = append(key, 'c') // of which conventional rules speak, too
	}
	for _, c := range candidates {
		switch {
		case c.st.Usage.Covers(u):
			key = append(key, '+')
		case c.st.Usage == policy.Other && u != policy.Crawl: // R-DEC-13
			key = append(key, 'o')
		default:
			key = append(key, '-')
		}
	}
	return string(key)
}

// A function is how one vocabulary decides one usage, seen as a function of the set of patterns that a path matches. Of the
// rules that match only those of the highest rank matter; a rule is decisive when, once it matches and no higher rank does, no
// other rule of its rank can change the outcome. This is what lets an exploration forget what no longer matters: twenty
// patterns such as /*from=* would otherwise make a million classes.
type function struct {
	rules   []ranked
	partial bool // there are more rules than maxRules, and the rest is left out
	pairs   int  // of opposite rules that were compared to find the decisive ones
}

// maxRules bounds the rules of a function. A file of 500 KiB has fewer, unless many statements share a resource set of many members; what
// is left out then makes the exploration inexact.
const maxRules = 1 << 18

func (f *function) add(r ranked) {
	if len(f.rules) >= maxRules {
		f.partial = true
		return
	}
	f.rules = append(f.rules, r)
}

type ranked struct {
	pattern  policy.Pattern
	owner    int // which statement the rule is a member of
	rank     int
	allow    bool
	decisive bool
}

// key identifies a function among those of one view: equal keys, equal functions.
func (f *function) key() string {
	b := make([]byte, 0, 8*len(f.rules))
	for _, r := range f.rules {
		b = binary.AppendUvarint(b, uint64(r.owner))
		b = binary.AppendUvarint(b, uint64(r.rank))
	}
	return string(b)
}

// robotsFunction keeps /robots.txt, which can always be crawled (R-PAT-1), in a class of its own: it is no example of what holds
// elsewhere.
func robotsFunction() *function {
	itself, _ := policy.ParsePattern(robotsPath + "$")
	return &function{rules: []ranked{{pattern: itself, allow: true}}}
}

// acapFunction: the layers of R-DEC-13, R-DEC-3 and R-DEC-4 are ranks, since each lets only the upper layer stand at a URL.
func (v *View) acapFunction(u policy.Usage) *function {
	f := &function{}
	defer func() { v.budget.Spend(len(v.acap()) + len(f.rules)) }()
	for i, c := range v.acap() {
		if !v.concerns(c.st.Usage, u) {
			continue
		}
		rank := 0
		if !v.without(policy.RuleNamedAgent) {
			rank += c.address()
		}
		if c.specific && !v.without(policy.RulePurpose) {
			rank += 4
		}
		if c.st.Usage.Covers(u) {
			rank += 8
		}
		for _, p := range c.st.Patterns {
			f.add(ranked{pattern: p, owner: i, rank: rank, allow: c.st.Sense == policy.Allow})
		}
		if f.partial {
			break
		}
	}
	f.markDecisive(v)
	return f
}

// repFunction: the longest match decides and allow wins a tie (RFC 2.2.2), so every rank has one outcome. Without R-REP-1 every
// rule has a rank of its own, the first the highest.
func (v *View) repFunction() *function {
	f := &function{}
	var heard listener
	heard.view = v
	defer func() { v.budget.Spend(len(v.rep()) + heard.looks) }()
	for i, st := range v.rep() {
		if st.Usage != policy.Crawl || !v.counts(heard.audience(st.Agents)) {
			continue
		}
		allow := st.Sense == policy.Allow
		for _, p := range st.Patterns {
			rank := 2 * p.Len()
			if allow {
				rank++
			}
			if v.without(policy.RuleREPFile) {
				rank = len(v.rep()) - i
			}
			f.add(ranked{pattern: p, owner: i, rank: rank, allow: allow, decisive: true})
		}
	}
	return f
}

// asideFunction keeps apart the paths at which a resource set has another scope (R-DEF-3), where a member is what a conventional rule
// holds: there the pilot sets that rule aside, and elsewhere in the set it does not (R-DEC-2).
func (v *View) asideFunction() *function {
	conventional := make(map[policy.PathSet]bool)
	for _, st := range v.rep() {
		if st.Usage == policy.Crawl && v.inForce(st) {
			for _, p := range st.Patterns {
				conventional[p.PathSet()] = true
			}
		}
	}
	f := &function{}
	seen := make(map[*policy.Pattern]bool) // sets are shared
	for i, c := range v.acap() {
		if c.st.Usage != policy.Crawl || len(c.st.Patterns) < 2 || seen[&c.st.Patterns[0]] {
			continue
		}
		seen[&c.st.Patterns[0]] = true
		if !slices.ContainsFunc(c.st.Patterns, func(p policy.Pattern) bool { return conventional[p.PathSet()] }) {
			continue
		}
		for _, p := range c.st.Patterns {
			f.add(ranked{pattern: p, owner: i})
		}
	}
	return f
}

// maxMarked bounds the octets of pattern that markDecisive compares for one rank. Beyond it nothing is decisive, which is true but
// forgets nothing.
const maxMarked = 1 << 23

// markDecisive finds the rules that settle their rank: those of a rank with one sense only and no condition that may fail, and
// prohibitions that no permission of their rank beats. Without R-DEC-7 these last no longer settle it; and without R-DEC-4 none does
// where it matters to a reference which agent the rules name (R-REF-1).
func (f *function) markDecisive(v *View) {
	if v.without(policy.RuleNamedAgent) && len(v.unresolved) > 0 {
		return
	}
	byRank := make(map[int][]int)
	for i, r := range f.rules {
		byRank[r.rank] = append(byRank[r.rank], i)
	}
	for _, rank := range slices.Sorted(maps.Keys(byRank)) {
		members := byRank[rank]
		var allows, disallows []int
		conditional := false
		for _, i := range members {
			st := v.acap()[f.rules[i].owner].st
			if f.rules[i].allow {
				allows = append(allows, i)
			} else {
				disallows = append(disallows, i)
			}
			conditional = conditional || len(st.Qualifiers) > 0
		}
		if len(allows) == 0 || len(disallows) == 0 {
			for _, i := range members {
				f.rules[i].decisive = !conditional
			}
			continue
		}
		if v.without(policy.RuleUndetermined) {
			continue
		}
		permissions, _ := v.distinctScopes(f, allows)
		prohibitions, of := v.distinctScopes(f, disallows)
		octets := opposed(slices.Concat(permissions, prohibitions))
		if octets > maxMarked || octets/octetsCompared > v.budget.Share() {
			continue
		}
		v.budget.Spend(octets / octetsCompared)
		f.pairs += len(permissions) * len(prohibitions)
		t := trace{view: v}
		may := make([]bool, len(prohibitions)) // be beaten, by any permission
		for i, d := range prohibitions {
			may[i] = slices.ContainsFunc(permissions, func(a candidate) bool { return t.mayBeat(d, a) })
		}
		beatable := make(map[int]bool) // statements of which a member may be
		for i, d := range disallows {
			beatable[f.rules[d].owner] = beatable[f.rules[d].owner] || may[of[i]]
		}
		for _, d := range disallows {
			f.rules[d].decisive = !beatable[f.rules[d].owner]
		}
	}
}

// distinctScopes returns these rules as candidates, and as distinctScopes does.
func (v *View) distinctScopes(f *function, rules []int) (distinct []candidate, of []int) {
	all := make([]candidate, len(rules))
	for i, r := range rules {
		all[i] = candidate{st: v.acap()[f.rules[r].owner].st, scope: &f.rules[r].pattern}
	}
	return distinctScopes(all)
}

// mayBeat tells whether R-DEC-5 or R-DEC-6 could let the permission a remove the prohibition d at some path.
func (t *trace) mayBeat(d, a candidate) bool {
	return t.contains(d, a) && !t.contains(a, d) || a.scope.NarrowerByCharacters(*d.scope)
}

// explore finds the classes of paths that a set of functions can tell apart.
func explore(functions []*function, budget int, steps *cost.Budget) paths.Space {
	patterns, byPattern := rulesByPattern(functions)
	rules := make([][]ranked, len(functions)) // by function
	for fi, f := range functions {
		rules[fi] = f.rules
	}
	reduce := func(matched []int) ([]int, func(int) bool) {
		top := make([]int, len(functions))      // highest rank matched, -1 for none
		settled := make([]bool, len(functions)) // a decisive rule of that rank matched
		for fi := range top {
			top[fi] = -1
		}
		for _, m := range matched {
			for _, at := range byPattern[m] {
				r := rules[at.function][at.rule]
				if r.rank > top[at.function] {
					top[at.function], settled[at.function] = r.rank, false
				}
				if r.rank == top[at.function] && r.decisive {
					settled[at.function] = true
				}
			}
		}
		// A settled rank is remembered by the first rule that settles it, an open one by all its rules that match.
		var key []int
		remembered := make([]bool, len(functions))
		for _, m := range matched {
			keep := false
			for _, at := range byPattern[m] {
				r, fi := rules[at.function][at.rule], at.function
				switch {
				case r.rank != top[fi]:
				case !settled[fi]:
					keep = true
				case r.decisive && !remembered[fi]:
					keep, remembered[fi] = true, true
				}
			}
			if keep {
				key = append(key, m)
			}
		}
		irrelevant := func(i int) bool {
			for _, at := range byPattern[i] {
				rank := rules[at.function][at.rule].rank
				if rank > top[at.function] || rank == top[at.function] && !settled[at.function] {
					return false
				}
			}
			return true
		}
		return key, irrelevant
	}
	return exploreWithin(patterns, paths.Options{Budget: budget, Reduce: reduce}, functions, steps)
}

// exploreWithin explores in a share of what is left.
func exploreWithin(patterns []policy.Pattern, opts paths.Options, functions []*function, steps *cost.Budget) paths.Space {
	octets := 0
	for _, p := range patterns {
		octets += p.Len()
	}
	steps.Spend(len(patterns))
	opts.Stopped = steps.Stopped
	if opts.Steps = steps.Share(); octets >= opts.Steps {
		return paths.Space{}
	}
	space := paths.Explore(patterns, opts)
	steps.Spend(space.Steps)
	space.Exact = space.Exact && !partial(functions)
	return space
}

func partial(functions []*function) bool {
	return slices.ContainsFunc(functions, func(f *function) bool { return f.partial })
}

// place is where a rule is: in which function, at which index.
type place struct{ function, rule int }

// rulesByPattern returns the patterns of functions, each once, and where the rules of each are. Of the rules of a pattern that differ by
// their owner only it has the first: statements may share a resource set by thousands.
func rulesByPattern(functions []*function) (patterns []policy.Pattern, byPattern [][]place) {
	type kind struct {
		pattern, function, rank int
		allow, decisive         bool
	}
	index := make(map[policy.Pattern]int)
	known := make(map[kind]bool)
	for fi, f := range functions {
		for ri, r := range f.rules {
			i, ok := index[r.pattern]
			if !ok {
				i = len(patterns)
				index[r.pattern] = i
				patterns, byPattern = append(patterns, r.pattern), append(byPattern, nil)
			}
			if k := (kind{i, fi, r.rank, r.allow, r.decisive}); !known[k] {
				known[k] = true
				byPattern[i] = append(byPattern[i], place{fi, ri})
			}
		}
	}
	return patterns, byPattern
}
