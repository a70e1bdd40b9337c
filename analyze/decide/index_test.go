package decide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// linear finds what the index finds by looking at every statement.
func linear(file *policy.File, path string, without policy.RuleSet) []string {
	var found []string
	look := func(statements []policy.Statement, reference int, acapOnly bool) {
		for i := range statements {
			st := &statements[i]
			if !st.Status.Decides() || acapOnly && st.Vocabulary != policy.ACAP {
				continue
			}
			if scope, ok := scopeAt(st, path, without); ok {
				found = append(found, fmt.Sprint(reference, " ", st.Line, " ", scope))
			}
		}
	}
	look(file.Statements, -1, false)
	for i := range file.References {
		look(file.References[i].Resolved, i, true)
	}
	return found
}

// scopeAt returns the narrowest pattern of a statement that matches a path (R-DEF-3); ok is false where none does.
func scopeAt(st *policy.Statement, path string, without policy.RuleSet) (scope policy.Pattern, ok bool) {
	var matching []int
	for i, p := range st.Patterns {
		if p.Match(path) {
			matching = append(matching, i)
		}
	}
	if len(matching) == 0 {
		return policy.Pattern{}, false
	}
	at, _ := policy.Narrowest(st.Patterns, matching, without)
	return st.Patterns[at], true
}

func indexed(x *index, path string, without policy.RuleSet) []string {
	var found []string
	hits, _ := x.at(path, without)
	for _, h := range hits {
		e := x.entries[h.entry]
		found = append(found, fmt.Sprint(e.reference, " ", e.st.Line, " ", *h.scope))
	}
	return found
}

// randomFile has statements about patterns of few letters, so that they meet, and about sets that they share.
func randomFile(r *rand.Rand) *policy.File {
	pattern := func() policy.Pattern {
		text := []string{"/", "/", "*"}[r.IntN(3)]
		for range r.IntN(6) {
			text += []string{"a", "b", "*", "/", "%61", "!"}[r.IntN(6)]
		}
		p, err := policy.ParsePattern(text + []string{"", "", "$"}[r.IntN(3)])
		if err != nil {
			panic(err)
		}
		return p
	}
	var sets [3][]policy.Pattern
	for i := range sets {
		for range 2 + r.IntN(4) {
			sets[i] = append(sets[i], pattern())
		}
	}
	line := 0
	statements := func(n int) (list []policy.Statement) {
		for range n {
			line++
			st := policy.Statement{Vocabulary: []policy.Vocabulary{policy.ACAP, policy.REP}[r.IntN(2)], Line: line, Status: policy.Valid}
			switch r.IntN(8) {
			case 0: // an empty Disallow
			case 1:
				st.Patterns = sets[r.IntN(len(sets))]
			case 2:
				st.Status, st.Patterns = policy.Invalid, []policy.Pattern{pattern()}
			default:
				st.Patterns = []policy.Pattern{pattern()}
			}
			list = append(list, st)
		}
		return list
	}
	file := &policy.File{Statements: statements(r.IntN(40))}
	for range r.IntN(3) {
		file.References = append(file.References, policy.Reference{Found: true, Resolved: statements(r.IntN(6))})
	}
	return file
}

func TestIndexFindsWhatALookAtEachStatementFinds(t *testing.T) {
	paths := []string{"/", "/a", "/b", "/!", "/c"}
	for from := 0; len(paths[len(paths)-1]) < 5; from++ {
		for _, c := range []string{"a", "b", "/", "!", "c"} {
			paths = append(paths, paths[from]+c)
		}
	}
	found := 0
	for seed := range 80 {
		file := randomFile(rand.New(rand.NewPCG(8, uint64(seed))))
		x := (&index{}).of(file)
		for i, path := range paths {
			without := policy.RuleSet{}
			if i%7 == 0 {
				without = without.With(policy.RuleResourceSet)
			}
			want := linear(file, path, without)
			found += len(want)
			if diff := cmp.Diff(want, indexed(x, path, without)); diff != "" {
				t.Fatalf("seed %d, %s (-want +got)\n%s", seed, path, diff)
			}
		}
	}
	if found < 10_000 {
		t.Errorf("only %d statements held a path", found)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("/\n/private/\n/*startindex=\n/*.ece$", "/private/x.ece")
	f.Add("*a*b\n/*%2A\n/$\n/%2\n*", "/%2A")
	f.Fuzz(func(t *testing.T, robots, path string) {
		file := &policy.File{}
		for line := range strings.Lines(robots) {
			if p, err := policy.ParsePattern(line); err == nil {
				st := policy.Statement{Vocabulary: policy.ACAP, Line: len(file.Statements), Status: policy.Valid, Patterns: []policy.Pattern{p}}
				file.Statements = append(file.Statements, st)
			}
		}
		path = policy.NormalizePath(path)
		x := (&index{}).of(file)
		for i := range file.Statements {
			for _, path := range []string{path, file.Statements[i].Patterns[0].Example() + path} {
				path = policy.NormalizePath(path)
				if diff := cmp.Diff(linear(file, path, policy.RuleSet{}), indexed(x, path, policy.RuleSet{})); diff != "" {
					t.Fatalf("%s (-want +got)\n%s", path, diff)
				}
			}
		}
	})
}

// Candidates that are alike are compared once, and lose or stay together.
func TestUnbeatenAsIfEachWereCompared(t *testing.T) {
	view := NewSite(nil, Answered, Options{}).For("*", "")
	removed := 0
	for seed := range 500 {
		r := rand.New(rand.NewPCG(9, uint64(seed)))
		file := randomFile(r)
		tr := trace{view: view, usage: policy.PresentLink}
		for i := range file.Statements {
			st := &file.Statements[i]
			if len(st.Patterns) == 0 {
				continue
			}
			st.Source, st.Sense = policy.RobotsTxt, []policy.Sense{policy.Allow, policy.Disallow}[r.IntN(2)]
			st.Usage = []policy.Usage{policy.Present, policy.PresentLink}[r.IntN(2)]
			tr.left = append(tr.left, candidate{st: st, scope: &st.Patterns[r.IntN(len(st.Patterns))]})
		}
		beats := func(a, b candidate) bool { return tr.contains(a, b) && !tr.contains(b, a) }
		var want []int
		for _, a := range tr.left {
			if !slices.ContainsFunc(tr.left, func(b candidate) bool { return a.st.Sense != b.st.Sense && beats(a, b) }) {
				want = append(want, a.st.Line)
			}
		}
		removed += len(tr.left) - len(want)
		tr.keepUnbeaten(policy.RuleNarrowest, beats)
		var got []int
		for _, c := range tr.left {
			got = append(got, c.st.Line)
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
				Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Line: i + 1, Agents: []policy.Agent{policy.AnyAgent}, Usage: policy.Index,
				Sense: policy.Disallow, Status: policy.Valid, Patterns: []policy.Pattern{p},
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
			st := policy.Statement{Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Agents: []policy.Agent{policy.AnyAgent}, Usage: policy.Index, Status: policy.Valid}
			allow, disallow := st, st
			allow.Sense, allow.Patterns, disallow.Sense, disallow.Patterns = policy.Allow, set, policy.Disallow, []policy.Pattern{wide}
			view := NewSite(&policy.File{Statements: []policy.Statement{allow, disallow}}, Answered, Options{}).For("*", "")
			if d := view.Decide(nil, Question{Path: "/" + strings.Repeat("b", 1000) + "a", Usage: policy.Index}); d.Basis != test.want {
				t.Errorf("%s, %s", d.Decision, d.Basis)
			}
		})
	}
}

// Thousands of statements about a set of thousands of members are millions of rules: some of them are explored, and the extent is not
// known.
func TestExtentOfManyStatementsAboutALargeSet(t *testing.T) {
	var set []policy.Pattern
	for i := range 5000 {
		p, err := policy.ParsePattern(fmt.Sprint("/", i))
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, p)
	}
	file := &policy.File{}
	for range 5000 {
		file.Statements = append(file.Statements, policy.Statement{
			Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Agents: []policy.Agent{policy.AnyAgent}, Usage: policy.Index,
			Sense: policy.Allow, Status: policy.Valid, Patterns: set,
		})
	}
	view := NewSite(file, Answered, Options{}).For("*", "")
	if f := view.acapFunction(policy.Index); len(f.rules) != maxRules {
		t.Fatalf("%d rules", len(f.rules))
	}
	spaces := NewSpaces(view, 1<<15)
	spaces.Questions = 100
	if got := spaces.Extent(policy.Index, time.Time{}); got != policy.ExtentUnknown {
		t.Errorf("got %s", got)
	}
	if space, _ := NewVoices(1<<15, nil).Of(view.ACAPVoice(policy.Index)); space.Exact {
		t.Error("the voice is exact")
	}
	file.Statements = file.Statements[:10]
	if got := NewSpaces(NewSite(file, Answered, Options{}).For("*", ""), 0).Extent(policy.Index, time.Time{}); got != policy.ExtentAll {
		t.Errorf("ten statements: got %s", got)
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
		Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Agents: names[:1], Usage: policy.Index, Sense: policy.Allow, Status: policy.Valid,
		Patterns: []policy.Pattern{root},
	}}}
	for i := range 7000 {
		file.References = append(file.References, policy.Reference{Locator: fmt.Sprint("/", i), Line: i + 1, Agents: names})
	}
	site := NewSite(file, Answered, Options{})
	for agent, want := range map[policy.Agent]policy.Basis{"bot14999": policy.BasisReferenceUnresolved, "nobody": policy.BasisACAPRobots} {
		view := site.For(agent, "")
		if view.looks != len(names) {
			t.Errorf("%s: %d looks at %d names", agent, view.looks, len(names))
		}
		kept := slices.Clone(names[1:])
		clear(names[1:]) // who looks at them for a question finds nobody
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
	for vocabulary, usage := range map[policy.Vocabulary]policy.Usage{policy.ACAP: policy.Index, policy.REP: policy.Crawl} {
		file := &policy.File{}
		for range 500 {
			file.Statements = append(file.Statements, policy.Statement{
				Vocabulary: vocabulary, Source: policy.RobotsTxt, Agents: names, Usage: usage, Sense: policy.Allow, Status: policy.Valid, Patterns: []policy.Pattern{root},
			})
		}
		if looks := NewSite(file, Answered, Options{}).For("bot7", "").Looks("/a"); looks > 10*(len(names)+len(file.Statements)) {
			t.Errorf("%s: %d looks at %d names and %d rules", vocabulary, looks, len(names), len(file.Statements))
		}
	}
}

func TestConditionsAddUpOnce(t *testing.T) {
	var c conditions
	var want []policy.Qualifier
	for i := range 3 * shortList {
		q := policy.Qualifier{Name: policy.MaxLength, Value: fmt.Sprint(i)}
		want = append(want, q)
		c.add(q)
		c.add(want[i/2])
	}
	if diff := cmp.Diff(want, c.list); diff != "" {
		t.Error(diff)
	}
}
