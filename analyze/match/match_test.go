package match

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

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

func indexed(x *Index, path string, without policy.RuleSet) []string {
	var found []string
	hits, _ := x.At(path, without)
	for _, h := range hits {
		e := x.Entries[h.Entry]
		found = append(found, fmt.Sprint(e.Reference, " ", e.Line, " ", *h.Scope))
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
			st := policy.Statement{
				Vocabulary: []policy.Vocabulary{policy.ACAP, policy.REP}[r.IntN(2)],
				Line:       line,
				Status:     policy.Valid,
			}
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
		x := New(file)
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
				st := policy.Statement{
					Vocabulary: policy.ACAP,
					Line:       len(file.Statements),
					Status:     policy.Valid,
					Patterns:   []policy.Pattern{p},
				}
				file.Statements = append(file.Statements, st)
			}
		}
		path = policy.NormalizePath(path)
		x := New(file)
		for i := range file.Statements {
			for _, path := range []string{path, file.Statements[i].Patterns[0].Example() + path} {
				path = policy.NormalizePath(path)
				if diff := cmp.Diff(linear(file, path, policy.RuleSet{}),
					indexed(x, path, policy.RuleSet{})); diff != "" {
					t.Fatalf("%s (-want +got)\n%s", path, diff)
				}
			}
		}
	})
}
