package extent

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// Rules are how one vocabulary of a robots.txt decides one usage for one agent and purpose, as a function of the
// patterns that a path matches. Of the rules that match, only those of the highest rank matter. A rule is decisive if
// no other rule of its rank can change the outcome once it matches and no higher rank does. So an exploration can
// forget what no longer matters: twenty patterns such as /*from=* would otherwise make a million classes.
type Rules struct {
	rules   []rule
	owners  []*policy.Statement // by rule.owner
	partial bool                // there are more rules than maxRules; the rest is left out
	pairs   int                 // of opposite rules that were compared to find the decisive ones
}

type rule struct {
	pattern  policy.Pattern
	owner    int // the statement that the rule belongs to
	rank     int
	allow    bool
	decisive bool
}

// maxRules bounds the rules. A file of 500 KiB has fewer, unless many statements share a large resource set; leaving
// out rules makes an exploration inexact.
const maxRules = 1 << 18

func (f *Rules) add(r rule) {
	if len(f.rules) >= maxRules {
		f.partial = true
		return
	}
	f.rules = append(f.rules, r)
}

// key identifies rules among those of one view: equal keys, equal rules.
func (f *Rules) key() string {
	b := make([]byte, 0, 8*len(f.rules))
	for _, r := range f.rules {
		b = binary.AppendUvarint(b, uint64(r.owner))
		b = binary.AppendUvarint(b, uint64(r.rank))
	}
	return string(b)
}

// Empty reports whether there is no rule, so that nothing is decided at any path.
func (f *Rules) Empty() bool { return len(f.rules) == 0 }

// Divided reports whether rules of both senses have one rank, so that R-DEC-3, R-DEC-4 and R-DEC-13 do not decide all.
func (f *Rules) Divided() bool {
	senses := make(map[int]bool) // by rank: whether the first rule allows
	for _, r := range f.rules {
		if allow, known := senses[r.rank]; known && allow != r.allow {
			return true
		}
		senses[r.rank] = r.allow
	}
	return false
}

// Cost returns the bytes of pattern to explore, and how many pairs of opposite rules were compared.
func (f *Rules) Cost() (bytes, comparisons int) {
	for _, r := range f.rules {
		bytes += r.pattern.Len()
	}
	return bytes, f.pairs
}

// robotsRule gives /robots.txt, which can always be crawled (R-PAT-1), a class of its own: it is no example of others.
func robotsRule() *Rules {
	itself, _ := policy.ParsePattern(decide.RobotsPath + "$")
	return &Rules{rules: []rule{{pattern: itself, allow: true}}}
}

// ACAP returns the rules of View.RobotsACAP, which are the same under every profile. The layers of R-DEC-13, R-DEC-3
// and R-DEC-4 are ranks, since only the highest layer decides at a path.
func ACAP(v *decide.View, u policy.Usage) *Rules {
	candidates := v.Candidates()
	f := &Rules{owners: make([]*policy.Statement, len(candidates))}
	defer func() { v.Budget().Spend(len(candidates) + len(f.rules)) }()
	for i, c := range candidates {
		f.owners[i] = c.Statement
		rank, ok := v.Rank(c, u)
		if !ok || f.partial {
			continue
		}
		for _, p := range c.Statement.Patterns {
			f.add(rule{pattern: p, owner: i, rank: rank, allow: c.Statement.Sense == policy.Allow})
		}
	}
	f.markDecisive(v)
	return f
}

// REP returns the rules of View.RobotsREP, which are about crawl. The longest match decides and allow wins a tie (RFC
// 2.2.2), so every rank has one outcome. Without R-REP-1 every rule has a rank of its own, the first the highest.
func REP(v *decide.View) *Rules {
	statements, cost := v.CrawlREP()
	v.Budget().Spend(cost)
	return longest(statements, policy.Allow, v.Options().Without.Has(policy.RuleREPFile))
}

// Preferences returns the rules of AI preferences about a usage, for each vocabulary of a robots.txt: the longest match
// decides and a prohibition wins a tie (R-PREF-1).
func Preferences(v *decide.View, u policy.Usage) (all []*Rules) {
	statements, cost := v.GroupRules(u)
	v.Budget().Spend(cost)
	for len(statements) > 0 {
		var same, others []*policy.Statement
		for _, st := range statements {
			if st.Vocabulary == statements[0].Vocabulary {
				same = append(same, st)
			} else {
				others = append(others, st)
			}
		}
		all = append(all, longest(same, policy.Disallow, v.Options().Without.Has(policy.RulePreferenceFile)))
		statements = others
	}
	return all
}

// longest returns the rules of statements of which the longest match decides, or the first if inOrder. One sense wins a
// tie.
func longest(statements []*policy.Statement, tie policy.Sense, inOrder bool) *Rules {
	f := &Rules{owners: statements}
	for i, st := range statements {
		for _, p := range st.Patterns {
			r := rule{pattern: p, owner: i, rank: 2 * p.Len(), allow: st.Sense == policy.Allow, decisive: true}
			if st.Sense == tie {
				r.rank++
			}
			if inOrder {
				r.rank = len(statements) - i
			}
			f.add(r)
		}
	}
	return f
}

// REPOutside returns the conventional rules that profile pilot does not set aside: those whose pattern matches the
// paths of no ACAP rule about crawl. It has no meaning without R-DEC-2.
func REPOutside(v *decide.View) *Rules {
	set := make(map[policy.PathSet]bool)
	eachResource(v, func(_ int, patterns []policy.Pattern) {
		for _, p := range patterns {
			set[p.PathSet()] = true
		}
	})
	f := REP(v)
	f.rules = slices.DeleteFunc(f.rules, func(r rule) bool { return set[r.pattern.PathSet()] })
	return f
}

// setAside distinguishes the paths at which a resource set has another scope (R-DEF-3), if a conventional rule has the
// pattern of a member: there profile pilot sets that rule aside, and elsewhere in the set it does not (R-DEC-2).
func setAside(v *decide.View) *Rules {
	conventional := make(map[policy.PathSet]bool)
	statements, _ := v.CrawlREP()
	for _, st := range statements {
		for _, p := range st.Patterns {
			conventional[p.PathSet()] = true
		}
	}
	f := &Rules{}
	eachResource(v, func(i int, patterns []policy.Pattern) {
		met := func(p policy.Pattern) bool { return conventional[p.PathSet()] }
		if len(patterns) < 2 || !slices.ContainsFunc(patterns, met) {
			return
		}
		for _, p := range patterns {
			f.add(rule{pattern: p, owner: i})
		}
	})
	return f
}

// eachResource visits the resources of the ACAP statements about crawl, each resource set once, with the number of its
// first candidate.
func eachResource(v *decide.View, visit func(candidate int, patterns []policy.Pattern)) {
	seen := make(map[*policy.Pattern]bool) // statements share sets
	for i, c := range v.Candidates() {
		patterns := c.Statement.Patterns
		if c.Statement.Usage != policy.Crawl || len(patterns) == 0 || seen[&patterns[0]] {
			continue
		}
		seen[&patterns[0]] = true
		visit(i, patterns)
	}
}

// maxMarked bounds the bytes of pattern that markDecisive compares for one rank. Beyond it no rule is decisive, which
// is correct but forgets nothing.
const maxMarked = 1 << 23

// markDecisive finds the rules that settle their rank: those of a rank with one sense only and no condition that may
// fail, and prohibitions that no permission of their rank beats. Without R-DEC-7 the latter no longer settle it.
// Without R-DEC-4 none does if it matters to a reference which agent the rules name (R-REF-1).
func (f *Rules) markDecisive(v *decide.View) {
	without := v.Options().Without
	if without.Has(policy.RuleNamedAgent) && v.HasUnresolved() {
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
			if f.rules[i].allow {
				allows = append(allows, i)
			} else {
				disallows = append(disallows, i)
			}
			conditional = conditional || len(f.owners[f.rules[i].owner].Qualifiers) > 0
		}
		if len(allows) == 0 || len(disallows) == 0 {
			for _, i := range members {
				f.rules[i].decisive = !conditional
			}
			continue
		}
		if without.Has(policy.RuleUndetermined) {
			continue
		}
		permissions, _ := decide.DistinctScopes(f.candidates(allows))
		prohibitions, of := decide.DistinctScopes(f.candidates(disallows))
		bytes := decide.CompareBytes(slices.Concat(permissions, prohibitions))
		if bytes > maxMarked || bytes/decide.BytesPerStep > v.Budget().Share() {
			continue
		}
		v.Budget().Spend(bytes / decide.BytesPerStep)
		f.pairs += len(permissions) * len(prohibitions)
		beatable := make([]bool, len(prohibitions)) // by any permission
		for i, d := range prohibitions {
			beatable[i] = slices.ContainsFunc(permissions, func(a decide.Candidate) bool { return mayBeat(a, d) })
		}
		owners := make(map[int]bool) // statements of which a member may be beaten
		for i, d := range disallows {
			owners[f.rules[d].owner] = owners[f.rules[d].owner] || beatable[of[i]]
		}
		for _, d := range disallows {
			f.rules[d].decisive = !owners[f.rules[d].owner]
		}
	}
}

// candidates returns these rules as candidates.
func (f *Rules) candidates(rules []int) []decide.Candidate {
	all := make([]decide.Candidate, len(rules))
	for i, r := range rules {
		all[i] = decide.Candidate{Statement: f.owners[f.rules[r].owner], Scope: &f.rules[r].pattern}
	}
	return all
}

// mayBeat reports whether R-DEC-5 or R-DEC-6 could let a permission remove a prohibition at some path.
func mayBeat(permission, prohibition decide.Candidate) bool {
	return prohibition.Contains(permission) && !permission.Contains(prohibition) ||
		permission.Scope.NarrowerByCharacters(*prohibition.Scope)
}
