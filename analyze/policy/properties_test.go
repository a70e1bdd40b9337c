package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// An automaton is a pattern as a machine that reads a path: a state is a set of places in the pattern, one bit each. It
// knows only what '*' and a final '$' mean, and is exact, however long paths are. It is the reference for Contains and
// Equal.
type automaton struct {
	text string
	end  bool
}

func newAutomaton(pattern string) automaton {
	text, end := strings.CutSuffix(pattern, "$")
	return automaton{text, end}
}

// open adds the places that a '*' gives for nothing.
func (a automaton) open(state uint64) uint64 {
	for i := range len(a.text) {
		if a.text[i] == '*' && state&(1<<i) != 0 {
			state |= 1 << (i + 1)
		}
	}
	return state
}

func (a automaton) start() uint64 { return a.open(1) }

func (a automaton) read(state uint64, c byte) uint64 {
	var next uint64
	for i := range len(a.text) + 1 {
		switch {
		case state&(1<<i) == 0:
		case i == len(a.text):
			if !a.end {
				next |= 1 << i
			}
		case a.text[i] == '*':
			next |= 1 << i
		case a.text[i] == c:
			next |= 1 << (i + 1)
		}
	}
	return a.open(next)
}

func (a automaton) holds(state uint64) bool { return state&(1<<len(a.text)) != 0 }

// relate reads all paths with two patterns at once. Of letters in neither pattern one is enough.
func relate(p, q string) (contains, contained, overlaps bool) {
	a, b := newAutomaton(p), newAutomaton(q)
	type pair struct{ p, q uint64 }
	contains, contained = true, true
	todo := []pair{{a.read(a.start(), '/'), b.read(b.start(), '/')}}
	seen := map[pair]bool{todo[0]: true}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		inP, inQ := a.holds(at.p), b.holds(at.q)
		contains, contained, overlaps = contains && (inP || !inQ), contained && (inQ || !inP), overlaps || inP && inQ
		for _, c := range []byte("/abz") {
			if next := (pair{a.read(at.p, c), b.read(at.q, c)}); !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return contains, contained, overlaps
}

func checkRelation(t *testing.T, one, other string) {
	t.Helper()
	p, q := mustPattern(t, one), mustPattern(t, other)
	contains, contained, _ := relate(one, other)
	if got := p.Contains(q); got != contains {
		t.Errorf("%q contains %q: %t, want %t", p, q, got, contains)
	}
	if got := q.Contains(p); got != contained {
		t.Errorf("%q contains %q: %t, want %t", q, p, got, contained)
	}
	if got := p.PathSet() == q.PathSet(); got != (contains && contained) {
		t.Errorf("%q is equal to %q: %t, want %t", p, q, got, !got)
	}
}

// TestRelationsByAutomata: inclusion and equality are exact for '*' and '$' (R-DEC-5, R-PAT-1): for every pair of short
// patterns, and for long ones that are made to be near to each other.
func TestRelationsByAutomata(t *testing.T) {
	var all []string
	for _, w := range words("/a*", 4) {
		if w != "" && w[0] != 'a' {
			all = append(all, w, w+"$")
		}
	}
	for i, p := range all {
		for _, q := range all[:i+1] {
			checkRelation(t, p, q)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	nested, met := 0, 0
	const tried = 6000
	for range tried {
		p := randomGlob(r, 12)
		q := nearGlob(r, p)
		checkRelation(t, p, q)
		contains, contained, overlaps := relate(p, q)
		if contains != contained {
			nested++
		}
		if overlaps {
			met++
		}
	}
	t.Logf(
		"%d short patterns, each with each; of %d pairs of long ones %d are nested, %d overlap",
		len(all),
		tried,
		nested,
		met,
	)
	if nested < tried/10 || met < tried/3 || met > tried*19/20 {
		t.Errorf("the long pairs are of one kind: %d nested, %d overlap", nested, met)
	}
}

func randomGlob(r *rand.Rand, length int) string {
	var b strings.Builder
	b.WriteByte("//*"[r.IntN(3)])
	for range r.IntN(length) {
		b.WriteByte("aabb/**"[r.IntN(7)])
	}
	if r.IntN(3) == 0 {
		b.WriteByte('$')
	}
	return b.String()
}

// nearGlob changes a pattern a little.
func nearGlob(r *rand.Rand, p string) string {
	text, end := strings.CutSuffix(p, "$")
	for range 1 + r.IntN(3) {
		at := 1 + r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text = text[:at] + string("ab*/"[r.IntN(4)]) + text[at:]
		case 1:
			if at < len(text) {
				text = text[:at] + text[at+1:]
			}
		case 2:
			if at < len(text) {
				text = text[:at] + string("ab*"[r.IntN(3)]) + text[at+1:]
			}
		case 3:
			end = !end
		}
	}
	if end {
		text += "$"
	}
	return text
}

func FuzzRelations(f *testing.F) {
	f.Add("/a*b$", "/ab*b")
	f.Add("*/a", "/*a*")
	f.Add("/*a*b*", "/ba*a*b$")
	f.Fuzz(func(t *testing.T, p, q string) {
		for _, s := range []string{p, q} {
			body := strings.TrimSuffix(s, "$")
			if len(s) > 20 || body == "" || body[0] != '/' && body[0] != '*' || strings.Trim(body, "/ab*") != "" {
				t.Skip()
			}
		}
		checkRelation(t, p, q)
	})
}

// How a byte is written changes nothing: neither what a pattern holds nor what is narrower.
func TestOctetsWrittenOtherwise(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	encoded := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			if c := s[i]; i > 0 && (c == 'a' || c == 'b') && r.IntN(2) == 0 {
				fmt.Fprintf(&b, []string{"%%%02x", "%%%02X"}[r.IntN(2)], c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	for range 2000 {
		one, other := randomGlob(r, 10), randomGlob(r, 10)
		p, q, same := mustPattern(t, one), mustPattern(t, other), mustPattern(t, encoded(one))
		if p.PathSet() != same.PathSet() || p.Len() != same.Len() || p.Contains(q) != same.Contains(q) ||
			p.NarrowerByCharacters(q) != same.NarrowerByCharacters(q) {
			t.Fatalf("%q and %q are not alike beside %q", p, same, q)
		}
	}
}

// TestCharacterMethodIsAnOrder: the method of S3 4.5.2.5.3 is a strict partial order, so that R-DEC-6 never removes
// everything, and the order by which a resource set's scope is chosen is a total one that agrees with it (R-DEF-3).
func TestCharacterMethodIsAnOrder(t *testing.T) {
	var patterns []Pattern
	for _, w := range words("/ab*$", 4) {
		if w != "" && (w[0] == '/' || w[0] == '*') {
			patterns = append(patterns, mustPattern(t, w))
		}
	}
	seen := make(map[string]bool)
	patterns = slices.DeleteFunc(patterns, func(p Pattern) bool { // a '$' within is %24: of those that are alike, one
		again := seen[p.norm] || strings.Contains(p.norm, "%24")
		seen[p.norm] = true
		return again
	})
	n := len(patterns)
	narrower := make([][]bool, n)
	for i, p := range patterns {
		narrower[i] = make([]bool, n)
		for j, q := range patterns {
			want := byColumns(p.norm, q.norm)
			narrower[i][j] = p.NarrowerByCharacters(q)
			if narrower[i][j] != (want < 0) {
				t.Fatalf("%q is narrower than %q: %t", p, q, narrower[i][j])
			}
			switch {
			case i == j && (narrower[i][j] || before(p, q)):
				t.Errorf("%q before itself", p)
			case i != j && before(p, q) == before(q, p):
				t.Errorf("%q and %q: both before the other, or neither", p, q)
			case narrower[i][j] && !before(p, q):
				t.Errorf("%q is narrower than %q and not before it", p, q)
			}
		}
	}
	for i := range patterns {
		for j := range patterns {
			if !narrower[i][j] {
				continue
			}
			for k := range patterns {
				if narrower[j][k] && !narrower[i][k] {
					t.Fatalf("%q is narrower than %q, that than %q", patterns[i], patterns[j], patterns[k])
				}
			}
		}
	}
	t.Logf("%d patterns", n)
}

// byColumns is the method in other words: patterns as rows of a table whose columns go from letter through '*' and '$'
// to nothing; the first column in which they differ decides, if it is not two letters. -1: p is the narrower.
func byColumns(p, q string) int {
	width := func(s string, i int) int {
		if i >= len(s) {
			return 3
		}
		return strings.IndexByte("*$", s[i]) + 1
	}
	for i := range max(len(p), len(q)) {
		switch a, b := width(p, i), width(q, i); {
		case a != b && a < b:
			return -1
		case a != b:
			return 1
		case p[i] != q[i]:
			return 0
		}
	}
	return 0
}

// TestScopeOfASet: the scope of a resource set at a path holds the path, contains no other member that does, is the
// same however the set lists its members, and is not moved by members that do not hold the path. R-DEF-3.
func TestScopeOfASet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	paths := words("/ab", 4)
	for range 2000 {
		var members []Pattern
		for range 1 + r.IntN(5) {
			members = append(members, mustPattern(t, randomGlob(r, 4)))
		}
		path := "/" + paths[r.IntN(len(paths))]
		scope, ok := scopeAt(members, path)
		holding := slices.DeleteFunc(slices.Clone(members), func(p Pattern) bool { return !p.Match(path) })
		if ok != (len(holding) > 0) {
			t.Fatalf("%q at %q: %t", members, path, ok)
		}
		if !ok {
			continue
		}
		inside := func(p Pattern) bool { return scope.Contains(p) && !p.Contains(scope) }
		if !slices.Contains(holding, scope) || slices.ContainsFunc(holding, inside) {
			t.Fatalf("%q at %q: %q", members, path, scope)
		}
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for _, other := range [][]Pattern{members, holding} {
			if again, _ := scopeAt(other, path); again != scope {
				t.Fatalf("%q at %q: %q, and of %q %q", members, path, scope, other, again)
			}
		}
	}
}

// TestPurposesByBruteForce: R-PURP-1, whole strings, '*' any sequence, a final '$' redundant, ASCII case ignored.
func TestPurposesByBruteForce(t *testing.T) {
	for _, text := range words("aB*", 4) {
		for _, end := range []string{"", "$"} {
			for _, purpose := range words("Ab", 4) {
				general := text != "" && strings.Trim(text, "*") == ""
				want := general || purpose != "" && globMatch(strings.ToLower(text)+"$", strings.ToLower(purpose))
				if p := Purpose(text + end); p.Fits(purpose) != want || p.General() != general {
					t.Errorf("%q fits %q: %t, general %t", p, purpose, p.Fits(purpose), p.General())
				}
			}
		}
	}
}

// Hostile texts cost what their length costs. Each of these takes some milliseconds; it would take minutes if the work
// were the product of two lengths, and would not end if every '*' were tried everywhere.
func TestHostileTextsAreCheap(t *testing.T) {
	const n = 250_000
	deep := strings.Repeat("*a", n)
	for _, test := range []struct {
		name string
		work func() bool // false: a wrong answer
	}{
		{"many stars, no match", func() bool {
			return !mustPattern(t, "/"+deep+"*b$").Match("/" +
				strings.Repeat("a", 2*n))
		}},
		{"many stars, all matched", func() bool {
			return mustPattern(t, "/"+deep+"$").Match("/" +
				strings.Repeat("a", 2*n))
		}},
		{"a literal that nearly matches everywhere", func() bool {
			return !mustPattern(t, "/*"+strings.Repeat("a", n)+"b").Match("/" + strings.Repeat("a", 2*n))
		}},
		{"two literals that nearly match everywhere", func() bool {
			return !mustPattern(t, "/*"+strings.Repeat("ab", n/2)+"*"+strings.Repeat("ab", n/2)+"c").Match("/" +
				strings.Repeat("ab", 2*n))
		}},
		{"contains, stars on both sides", func() bool {
			p, q := mustPattern(t, "/"+deep+"*b"), mustPattern(t, "/"+strings.Repeat("*a*c", n)+"*b$")
			return p.Contains(q) && !q.Contains(p)
		}},
		{"equal but for the stars", func() bool {
			return mustPattern(t, "/"+strings.Repeat("*", n)+"b").PathSet() == mustPattern(t, "*/*b").PathSet()
		}},
		{"narrower at the very end", func() bool {
			return mustPattern(t, "/"+deep+"b").NarrowerByCharacters(mustPattern(t, "/"+deep+"*"))
		}},
		{"a purpose that nearly fits everywhere", func() bool {
			return !Purpose("*" + strings.Repeat("a", n) +
				"b").Fits(strings.Repeat("a", 2*n))
		}},
		{"a purpose of many stars", func() bool { return !Purpose(deep + "*b").Fits(strings.Repeat("a", 2*n)) }},
		{"bytes to encode", func() bool { return len(NormalizePath("/"+strings.Repeat("%%4", n))) == 1+7*n }},
	} {
		t.Run(test.name, func(t *testing.T) {
			done := make(chan bool, 1)
			start := time.Now()
			go func() { done <- test.work() }()
			select {
			case right := <-done:
				if !right {
					t.Error("a wrong answer")
				}
				t.Logf("%s", time.Since(start).Round(time.Millisecond))
			case <-time.After(20 * time.Second):
				t.Fatal("does not come to an end")
			}
		})
	}
}

// FuzzNames feeds the parsers of short texts: agents, purposes, versions, usages, qualifiers, rules.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "*", "MSNPTC/1.0", "news*$", "1.1", "0.9.3", "999999999999999999999",
		"present-oldsnippet", "PRESENT-LINK", "R-DEC-5", " a b", "\u212aelvin", "\xff*", "until-2001-02-29",
		"until-9999-12-31", "UNTIL-2001-01-01", "7-days", "-days", "the-acap:extract:id:", "the-acap:credit:meta:x",
		"within-user-frame"} {
		f.Add(s, "news")
	}
	f.Add("n*w*s", "neWs")
	f.Fuzz(func(t *testing.T, s, purpose string) {
		agent, clean := ParseAgent(s)
		if again, _ := ParseAgent(string(agent)); again != agent {
			t.Errorf("agent %q reads %q", agent, again)
		}
		if strings.ContainsAny(string(agent), "/ \t\r\n") || clean && agent == "" {
			t.Errorf("agent %q of %q, clean %t", agent, s, clean)
		}
		if !agent.Is(agent.Key()) || agent.Key().Key() != agent.Key() {
			t.Errorf("agent %q is not %q", agent, agent.Key())
		}
		p := Purpose(s)
		fits := p.Fits(purpose)
		if p.General() && !fits || fits && !p.General() && purpose == "" {
			t.Errorf("purpose %q fits %q: %t", p, purpose, fits)
		}
		if len(s)+len(purpose) < 40 && s != "" && purpose != "" && isASCII(s+purpose) &&
			!strings.Contains(strings.TrimSuffix(s, "$"), "$") {
			if want := p.General() || globMatch(strings.ToLower(strings.TrimSuffix(s, "$"))+"$",
				strings.ToLower(purpose)); fits != want {
				t.Errorf("purpose %q fits %q: %t", p, purpose, fits)
			}
		}
		if plain := Purpose(p.Plain()); plain != "" && !p.General() && !p.Fits(string(plain)) {
			t.Errorf("purpose %q does not fit %q", p, plain)
		}
		if v, ok := ParseVersion(s); ok != v.Stated() || v.Unknown() && !v.Has11() || v.Pilot() && v.Unknown() {
			t.Errorf("version %q: %+v %t", s, v, ok)
		} else if again, _ := ParseVersion(v.Text); ok && again != v {
			t.Errorf("version %q reads %+v, that %+v", s, v, again)
		}
		if u, ok := ParseUsage(s); ok && !strings.EqualFold(u.String(), s) {
			t.Errorf("usage %q reads %s", s, u)
		}
		if r, ok := ParseRule(s); ok != (r != 0) || ok && r.String() != s {
			t.Errorf("rule %q reads %s", s, r)
		}
		for name := range qualifierRules {
			q := Qualifier{name, s}
			for _, u := range Usages() {
				for _, source := range anywhere {
					if known := slices.Contains(q.Check(u, source), DefectQualifierNotForUsage) ||
						slices.Contains(q.Check(u, source), DefectQualifierNotForSource); known == name.BelongsTo(
						u,
						source,
					) {
						t.Errorf("%s for %s in %s: belongs %t", name, u, source, !known)
					}
				}
			}
			if end, ok := q.Until(); ok &&
				(name != TimeLimit || end.Hour() != 0 || !strings.HasPrefix(strings.ToLower(s), "until-") ||
					slices.Contains(q.Check(Index, RobotsTxt), DefectUnknownQualifierValue)) {
				t.Errorf("%s=%s ends %s", name, s, end)
			}
		}
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }
