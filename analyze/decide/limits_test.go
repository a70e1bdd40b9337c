package decide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// Candidates that are alike are compared once, and lose or stay together.
func TestUnbeatenAsIfEachWereCompared(t *testing.T) {
	view := NewSite(nil, Answered, Options{}).For("*", "")
	removed := 0
	for seed := range 500 {
		r := rand.New(rand.NewPCG(9, uint64(seed)))
		tr := trace{view: view, usage: policy.PresentLink}
		for line := range r.IntN(40) {
			text := []string{"/", "/", "*"}[r.IntN(3)]
			for range r.IntN(6) {
				text += []string{"a", "b", "*", "/", "%61", "!"}[r.IntN(6)]
			}
			scope, err := policy.ParsePattern(text + []string{"", "", "$"}[r.IntN(3)])
			if err != nil {
				t.Fatal(err)
			}
			tr.left = append(tr.left, Candidate{Scope: &scope, Statement: &policy.Statement{
				Line: line, Source: policy.RobotsTxt,
				Sense: []policy.Sense{policy.Allow, policy.Disallow}[r.IntN(2)],
				Usage: []policy.Usage{policy.Present, policy.PresentLink}[r.IntN(2)],
			}})
		}
		beats := func(a, b Candidate) bool { return a.Contains(b) && !b.Contains(a) }
		var want []int
		for _, a := range tr.left {
			if !slices.ContainsFunc(
				tr.left,
				func(b Candidate) bool { return a.Statement.Sense != b.Statement.Sense && beats(a, b) },
			) {
				want = append(want, a.Statement.Line)
			}
		}
		removed += len(tr.left) - len(want)
		tr.keepUnbeaten(policy.RuleNarrowest, beats)
		var got []int
		for _, c := range tr.left {
			got = append(got, c.Statement.Line)
		}
		if !slices.Equal(got, want) && len(want) > 0 {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
	}
	if removed < 500 {
		t.Errorf("only %d were beaten", removed)
	}
}

// Beyond the limit nothing is narrower: the usage is prohibited (R-DEC-7, S3 4.3). Alike statements do not count.
func TestTooMuchToCompareIsUndetermined(t *testing.T) {
	policyOf := func(n int, pattern func(i int) string) *View {
		file := &policy.File{}
		for i := range n {
			p, err := policy.ParsePattern(pattern(i))
			if err != nil {
				t.Fatal(err)
			}
			st := policy.Statement{
				Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Line: i + 1, Agents: []policy.Agent{policy.AnyAgent},
				Usage: policy.Index, Sense: policy.Disallow, Status: policy.Valid, Patterns: []policy.Pattern{p},
			}
			if i == 0 || i > n/2 {
				st.Sense = policy.Allow
			}
			file.Statements = append(file.Statements, st)
		}
		return NewSite(file, Answered, Options{}).For("*", "")
	}
	path := "/" + strings.Repeat("a", 3000)
	for _, test := range []struct {
		name    string
		n       int
		pattern func(i int) string
		want    policy.Basis
	}{
		{"few", 10, func(i int) string { return path[:3001-i] }, policy.BasisACAPRobots},
		{"many that are alike", 20_000, func(i int) string {
			if i == 0 || i > 10_000 {
				return path
			}
			return path[:3000]
		}, policy.BasisACAPRobots},
		{"many", 1500, func(i int) string { return path[:3001-i] }, policy.BasisUndetermined},
	} {
		t.Run("S3 4.3/"+test.name, func(t *testing.T) {
			d := policyOf(test.n, test.pattern).Decide(nil, Question{Path: path, Usage: policy.Index})
			if d.Basis != test.want {
				t.Errorf("%s, %s", d.Decision, d.Basis)
			}
		})
	}
}

// A set of nested members by thousands has no scope that could be told in time: as above.
func TestVagueScopesAreUndetermined(t *testing.T) {
	for _, test := range []struct {
		name    string
		members int
		want    policy.Basis
	}{{"few members", 20, policy.BasisACAPRobots}, {"too many", 900, policy.BasisUndetermined}} {
		t.Run("S3 4.3/"+test.name, func(t *testing.T) {
			var set []policy.Pattern
			for i := range test.members {
				p, err := policy.ParsePattern("/*" + strings.Repeat("b", i) + "a")
				if err != nil {
					t.Fatal(err)
				}
				set = append(set, p)
			}
			wide, _ := policy.ParsePattern("/")
			st := policy.Statement{
				Vocabulary: policy.ACAP,
				Source:     policy.RobotsTxt,
				Agents:     []policy.Agent{policy.AnyAgent},
				Usage:      policy.Index,
				Status:     policy.Valid,
			}
			allow, disallow := st, st
			allow.Sense, allow.Patterns = policy.Allow, set
			disallow.Sense, disallow.Patterns = policy.Disallow, []policy.Pattern{
				wide,
			}
			view := NewSite(
				&policy.File{Statements: []policy.Statement{allow, disallow}},
				Answered,
				Options{},
			).For("*", "")
			if d := view.Decide(nil, Question{Path: "/" + strings.Repeat("b", 1000) + "a",
				Usage: policy.Index}); d.Basis != test.want {
				t.Errorf("%s, %s", d.Decision, d.Basis)
			}
		})
	}
}

// Thousands of references of a record with thousands of names, which lead nowhere, cost a question nothing.
func TestManyUnresolvedReferencesOfManyAgents(t *testing.T) {
	names := []policy.Agent{policy.AnyAgent}
	for i := range 15_000 {
		names = append(names, policy.Agent(fmt.Sprint("bot", i)))
	}
	root, err := policy.ParsePattern("/")
	if err != nil {
		t.Fatal(err)
	}
	file := &policy.File{Statements: []policy.Statement{{
		Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Agents: names[:1], Usage: policy.Index, Sense: policy.Allow,
		Status: policy.Valid, Patterns: []policy.Pattern{root},
	}}}
	for i := range 7000 {
		file.References = append(
			file.References,
			policy.Reference{Locator: fmt.Sprint("/", i), Line: i + 1, Agents: names},
		)
	}
	site := NewSite(file, Answered, Options{})
	for agent, want := range map[policy.Agent]policy.Basis{"bot14999": policy.BasisReferenceUnresolved,
		"nobody": policy.BasisACAPRobots} {
		view := site.For(agent, "")
		if view.cost != len(names) {
			t.Errorf("%s: %d looks at %d names", agent, view.cost, len(names))
		}
		kept := slices.Clone(names[1:])
		clear(names[1:]) // a question finds none of them
		for i := range 20 {
			if d := view.Decide(nil, Question{Path: fmt.Sprint("/", i), Usage: policy.Index}); d.Basis != want {
				t.Fatalf("%s: %s", agent, d.Basis)
			}
		}
		copy(names[1:], kept)
	}
}

// The names of a record are read once for a path, however many rules of it hold there.
func TestManyRulesOfManyAgents(t *testing.T) {
	names := []policy.Agent{policy.AnyAgent}
	for i := range 999 {
		names = append(names, policy.Agent(fmt.Sprint("bot", i)))
	}
	root, err := policy.ParsePattern("/")
	if err != nil {
		t.Fatal(err)
	}
	for vocabulary, usage := range map[policy.Vocabulary]policy.Usage{policy.ACAP: policy.Index,
		policy.REP: policy.Crawl} {
		file := &policy.File{}
		for range 500 {
			file.Statements = append(file.Statements, policy.Statement{
				Vocabulary: vocabulary, Source: policy.RobotsTxt, Agents: names, Usage: usage, Sense: policy.Allow,
				Status: policy.Valid, Patterns: []policy.Pattern{root},
			})
		}
		if looks := NewSite(file, Answered, Options{}).For("bot7",
			"").Cost("/a"); looks > 10*(len(names)+len(file.Statements)) {
			t.Errorf("%s: %d looks at %d names and %d rules", vocabulary, looks, len(names), len(file.Statements))
		}
	}
}

func TestConditionsAddUpOnce(t *testing.T) {
	var c conditions
	var want []policy.Qualifier
	for i := range 48 {
		q := policy.Qualifier{Name: policy.MaxLength, Value: fmt.Sprint(i)}
		want = append(want, q)
		c.add(q)
		c.add(want[i/2])
	}
	if diff := cmp.Diff(want, c.list); diff != "" {
		t.Error(diff)
	}
}
