package decide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
)

// wordsOver returns all words over the letters, from the empty one up to a length.
func wordsOver(letters string, length int) []string {
	all := []string{""}
	for from := 0; length > 0; length-- {
		for to := len(all); from < to; from++ {
			for i := range len(letters) {
				all = append(all, all[from]+letters[i:i+1])
			}
		}
	}
	return all
}

// A bitset is a set of small numbers.
type bitset []uint64

func (s bitset) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// within reports whether all of s is in o.
func (s bitset) within(o bitset) bool {
	for k := range s {
		if s[k]&^o[k] != 0 {
			return false
		}
	}
	return true
}

// TestScopeOrder: R-DEC-5 orders scopes as sets of (usage, path) pairs are ordered by proper inclusion, here counted
// pair by pair over all short paths for every short pattern; and so it is a strict partial order.
func TestScopeOrder(t *testing.T) {
	paths := wordsOver(
		"/ab",
		6,
	) // of n+2 letters, and one more than patterns have: what they cannot tell apart, longer ones cannot
	usages := policy.Usages()
	type scope struct {
		Candidate
		pairs bitset
		name  string
	}
	var scopes []scope
	texts := []string{""} // the page itself
	for _, w := range wordsOver("/a*", 4) {
		if w != "" && w[0] != 'a' {
			texts = append(texts, w, w+"$")
		}
	}
	for _, text := range texts {
		for _, usage := range []policy.Usage{policy.Index, policy.Present, policy.PresentSnippet, policy.Other} {
			s := scope{
				Candidate: Candidate{Statement: &policy.Statement{Source: policy.RobotsTxt, Usage: usage}},
				name:      usage.String() + " " + text,
			}
			s.pairs = make(bitset, (len(usages)*len(paths)+63)/64)
			if text == "" {
				s.Statement.Source = policy.Meta
			} else {
				p, err := policy.ParsePattern(text)
				if err != nil {
					t.Fatal(err)
				}
				s.Scope = &p
			}
			for i, u := range usages {
				if !(u == usage || usage == policy.Present && strings.HasPrefix(u.String(), "present-")) {
					continue
				}
				for j, path := range paths {
					if text == "" || s.Scope.Match("/"+path) {
						s.pairs.add(i*len(paths) + j)
					}
				}
			}
			scopes = append(scopes, s)
		}
	}
	beats := make([]bitset, len(scopes)) // beats[i] has those that i beats
	for i, a := range scopes {
		beats[i] = make(bitset, (len(scopes)+63)/64)
		for j, b := range scopes {
			if a.Statement.OfPage() != b.Statement.OfPage() {
				continue // never compared: R-DEC-1
			}
			narrower := b.Contains(a.Candidate) && !a.Contains(b.Candidate)
			if want := a.pairs.within(b.pairs) && !b.pairs.within(a.pairs); narrower != want {
				t.Fatalf("%s is narrower than %s: %t, by pairs %t", a.name, b.name, narrower, want)
			}
			if narrower {
				beats[i].add(j)
			}
		}
	}
	ordered := 0
	for i, a := range scopes {
		if beats[i].has(i) {
			t.Errorf("%s is narrower than itself", a.name)
		}
		for j, b := range scopes {
			if !beats[i].has(j) {
				continue
			}
			ordered++
			if beats[j].has(i) {
				t.Errorf("%s and %s are narrower than each other", a.name, b.name)
			}
			if !beats[j].within(beats[i]) {
				t.Errorf("%s is narrower than %s, and not than all that this is narrower than", a.name, b.name)
			}
		}
	}
	t.Logf("%d scopes, %d pairs in order", len(scopes), ordered)
}

// A patternRule is a permission or prohibition of index, with the short paths that its pattern holds.
type patternRule struct {
	text  string
	allow bool
	holds bitset
}

// bySets decides by R-DEC-5 to R-DEC-7 as they are written: from the sets of paths that the rules hold, and S3's
// characters.
func bySets(rules []patternRule, path int) (policy.Decision, policy.Rule) {
	var left []patternRule
	for _, r := range rules {
		if r.holds.has(path) {
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		return policy.Allowed, policy.RuleSilence
	}
	opposed := func() bool {
		return slices.ContainsFunc(left, func(r patternRule) bool { return r.allow != left[0].allow })
	}
	first := policy.RuleOneSense
	remove := func(by policy.Rule, beats func(winner, loser patternRule) bool) {
		now := left
		left = slices.DeleteFunc(slices.Clone(now), func(loser patternRule) bool {
			return slices.ContainsFunc(
				now,
				func(winner patternRule) bool { return winner.allow != loser.allow && beats(winner, loser) },
			)
		})
		if len(left) < len(now) && first == policy.RuleOneSense {
			first = by
		}
	}
	if opposed() {
		remove(policy.RuleNarrowest, func(winner, loser patternRule) bool {
			return winner.holds.within(loser.holds) && !loser.holds.within(winner.holds)
		})
	}
	if opposed() {
		remove(policy.RuleCharacters, func(winner, loser patternRule) bool {
			return !winner.holds.within(loser.holds) && !loser.holds.within(winner.holds) &&
				firstDifference(winner.text, loser.text) < 0
		})
	}
	switch {
	case opposed() && first == policy.RuleOneSense:
		return policy.Disallowed, policy.RuleUndetermined
	case opposed() || !left[0].allow:
		return policy.Disallowed, first
	}
	return policy.Allowed, first
}

// TestRulesBySets: every policy of a permission and a prohibition with short patterns, and many of more rules, are
// decided at every short path as the sets of paths that they hold say.
func TestRulesBySets(t *testing.T) {
	paths := wordsOver("/ab", 5)
	var rules []patternRule
	for _, w := range wordsOver("/a*", 3) {
		if w == "" || w[0] == 'a' {
			continue
		}
		for _, text := range []string{w, w + "$"} {
			r := patternRule{text: text, holds: make(bitset, (len(paths)+63)/64)}
			for i, path := range paths {
				if globMatch(text, "/"+path) {
					r.holds.add(i)
				}
			}
			rules = append(rules, r)
		}
	}
	counted := make(map[policy.Rule]int)
	check := func(chosen []patternRule) {
		file := &policy.File{}
		for _, r := range chosen {
			p, err := policy.ParsePattern(r.text)
			if err != nil {
				t.Fatal(err)
			}
			st := policy.Statement{
				Vocabulary: policy.ACAP,
				Source:     policy.RobotsTxt,
				Agents:     []policy.Agent{policy.AnyAgent},
				Sense:      policy.Disallow,
				Usage:      policy.Index,
				Patterns:   []policy.Pattern{p},
				Status:     policy.Valid,
			}
			if r.allow {
				st.Sense = policy.Allow
			}
			file.Statements = append(file.Statements, st)
		}
		view := NewSite(file, Answered, Options{}).For(policy.AnyAgent, "")
		for i, path := range paths[:40] { // of up to three letters
			want, by := bySets(chosen, i)
			got := view.Decide(nil, Question{Path: "/" + path, Usage: policy.Index})
			if got.Decision != want || got.By[0] != by {
				text := ""
				for _, r := range chosen {
					text += fmt.Sprintf("%s allow %t; ", r.text, r.allow)
				}
				t.Fatalf("%s at /%s: %s by %v, want %s by %s", text, path, got.Decision, got.By, want, by)
			}
			counted[by]++
		}
	}
	for _, a := range rules {
		for _, d := range rules {
			a.allow = true
			check([]patternRule{a, d})
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		chosen := make([]patternRule, 3+r.IntN(3))
		for i := range chosen {
			chosen[i] = rules[r.IntN(len(rules))]
			chosen[i].allow = r.IntN(2) == 0
		}
		check(chosen)
	}
	for _, by := range []policy.Rule{policy.RuleSilence, policy.RuleOneSense, policy.RuleNarrowest,
		policy.RuleCharacters, policy.RuleUndetermined} {
		if counted[by] == 0 {
			t.Errorf("nothing is decided by %s", by)
		}
	}
	t.Logf("first by %v", counted)
}

// globMatch is the meaning of a pattern, without any thought for speed.
func globMatch(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		return globMatch(pattern[1:], path) || path != "" && globMatch(pattern, path[1:])
	}
	return path != "" && path[0] == pattern[0] && globMatch(pattern[1:], path[1:])
}

// firstDifference is the method of S3 4.5.2.5.3: -1 where a is the narrower, 1 where b is, 0 where it does not tell.
// What comes later here is the wider: a letter, '*', '$', the end.
func firstDifference(a, b string) int {
	rank := func(s string, i int) int {
		if i == len(s) {
			return 3
		}
		return strings.IndexByte("*$", s[i]) + 1
	}
	for i := 0; i < len(a) || i < len(b); i++ {
		switch m, n := rank(a, i), rank(b, i); {
		case m < n:
			return -1
		case m > n:
			return 1
		case a[i] != b[i]:
			return 0
		}
	}
	return 0
}
