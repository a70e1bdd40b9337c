package paths

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func parse(t testing.TB, texts ...string) []policy.Pattern {
	t.Helper()
	patterns := make([]policy.Pattern, len(texts))
	for i, text := range texts {
		p, err := policy.ParsePattern(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		patterns[i] = p
	}
	return patterns
}

func matched(patterns []policy.Pattern, path string) []int {
	var set []int
	for i, p := range patterns {
		if p.Match(path) {
			set = append(set, i)
		}
	}
	return set
}

// prefer orders paths as Class.Path says.
func prefer(a, b string) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return slices.CompareFunc([]byte(a), []byte(b), func(x, y byte) int { return cmp.Compare(rank[x], rank[y]) })
}

// words returns all normalised paths of a length at most, over some letters, in the order of prefer.
func words(letters string, length int) []string {
	paths := []string{"/"}
	for from := 0; length > 1; length-- {
		to := len(paths)
		for ; from < to; from++ {
			for i := range len(letters) {
				paths = append(paths, paths[from]+letters[i:i+1])
			}
		}
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return policy.NormalizePath(p) != p })
	slices.SortFunc(paths, prefer)
	return paths
}

// byHand finds the classes among the paths given, which are in the order of prefer.
func byHand(patterns []policy.Pattern, paths []string) []Class {
	var classes []Class
	seen := map[string]bool{}
	for _, path := range paths {
		set := matched(patterns, path)
		if key := fmt.Sprint(set); !seen[key] {
			seen[key] = true
			classes = append(classes, Class{path, set})
		}
	}
	return classes
}

func randomPatterns(r *rand.Rand, letters []string, count, length int) []string {
	texts := make([]string, 1+r.IntN(count))
	for i := range texts {
		var b strings.Builder
		b.WriteString([]string{"/", "/", "/", "*"}[r.IntN(4)])
		for range r.IntN(length) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		if r.IntN(3) == 0 {
			b.WriteByte('$')
		}
		texts[i] = b.String()
	}
	return texts
}

func TestExplore(t *testing.T) {
	tests := []struct {
		name     string
		patterns []string
		want     []Class
	}{
		{"no patterns", nil, []Class{{"/", nil}}},
		{"everything", []string{"/"}, []Class{{"/", []int{0}}}},
		{"one prefix", []string{"/private/"}, []Class{{"/", nil}, {"/private/", []int{0}}}},
		{"nested", []string{"/b/", "/"}, []Class{{"/", []int{1}}, {"/b/", []int{0, 1}}}},
		{"the same twice", []string{"/b", "/b*", "*"}, []Class{{"/", []int{2}}, {"/b", []int{0, 1, 2}}}},
		{"only the root", []string{"/$"}, []Class{{"/", []int{0}}, {"/a", nil}}},
		{"end", []string{"/b$", "/b"}, []Class{{"/", nil}, {"/b", []int{0, 1}}, {"/ba", []int{1}}}},
		{"suffix", []string{"/*.e$"}, []Class{{"/", nil}, {"/.e", []int{0}}}},
		{
			"two suffixes exclude each other",
			[]string{"*b$", "*c$"},
			[]Class{{"/", nil}, {"/b", []int{0}}, {"/c", []int{1}}},
		},
		{
			"suffix inside a prefix",
			[]string{"/T/", "/T/*.g$"},
			[]Class{{"/", nil}, {"/T/", []int{0}}, {"/T/.g", []int{0, 1}}},
		},
		{
			"overlapping literals",
			[]string{"*ab", "*ba$"},
			[]Class{{"/", nil}, {"/ab", []int{0}}, {"/ba", []int{1}}, {"/aba", []int{0, 1}}},
		},
		{"literal star", []string{"/%2A"}, []Class{{"/", nil}, {"/%2A", []int{0}}}},
		{
			"digits inside an encoding",
			[]string{"/%2A", "/*2A$"},
			[]Class{{"/", nil}, {"/2A", []int{1}}, {"/%2A", []int{0, 1}}, {"/%2Aa", []int{0}}},
		},
		{
			"an encoding is no beginning",
			[]string{"/%2A", "/$", "/a", "/%"},
			[]Class{{"/", []int{1}}, {"/b", nil}, {"/a", []int{2}}, {"/%25", []int{3}}, {"/%2A", []int{0}}},
		},
		{"wildcards in series", []string{"/*b*c"}, []Class{{"/", nil}, {"/bc", []int{0}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Explore(parse(t, tt.patterns...), Options{})
			got.Steps = 0
			want := Space{Classes: slices.Clone(tt.want), Exact: true}
			slices.SortFunc(want.Classes, func(a, b Class) int { return prefer(a.Path, b.Path) })
			if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestExploreLeavesZeroPatternsOut(t *testing.T) {
	got := Explore([]policy.Pattern{{}, parse(t, "/b")[0], {}}, Options{})
	got.Steps = 0
	want := Space{Classes: []Class{{"/", nil}, {"/b", []int{1}}}, Exact: true}
	if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

// With a pattern for each letter, the only paths that no pattern holds begin with an encoded byte.
func TestExploreWithoutAnyOtherLetter(t *testing.T) {
	texts := []string{"/$"}
	for _, c := range letters[:len(letters)-1] {
		texts = append(texts, "/"+string(c))
	}
	s := Explore(parse(t, texts...), Options{})
	if last := s.Classes[len(s.Classes)-1]; !s.Exact || len(s.Classes) != len(texts)+1 || last.Path != "/%00" ||
		len(last.Matched) != 0 {
		t.Errorf("%d classes, the last %v", len(s.Classes), last)
	}
}

// The classes of short paths are those that all short paths have, with the same first path each, and all classes are
// true.
func TestExploreByBruteForce(t *testing.T) {
	tests := []struct {
		name    string
		letters []string
		paths   []string
	}{
		// Of letters that no pattern has, the paths have the first. Two may be awaited in any state.
		{"letters", []string{"a", "b", "/", "*", "*"}, words("abc/", 6)},
		{"encoded bytes", []string{"2", "%2A", "%24", "*"}, words("a2A4%", 7)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			longest := len(tt.paths[len(tt.paths)-1])
			for range 400 {
				texts := randomPatterns(r, tt.letters, 5, 5)
				patterns := parse(t, texts...)
				got := Explore(patterns, Options{})
				var short []Class
				for i, c := range got.Classes {
					if policy.NormalizePath(c.Path) != c.Path || !slices.Equal(c.Matched, matched(patterns, c.Path)) {
						t.Fatalf("%q: class %v is not true", texts, c)
					}
					if i > 0 && prefer(got.Classes[i-1].Path, c.Path) >= 0 {
						t.Fatalf("%q: %v after %v", texts, c, got.Classes[i-1])
					}
					if len(c.Path) <= longest {
						short = append(short, c)
					}
				}
				if d := gocmp.Diff(byHand(patterns, tt.paths), short, cmpopts.EquateEmpty()); d != "" || !got.Exact {
					t.Fatalf("%q: exact %t %s", texts, got.Exact, d)
				}
			}
		})
	}
}

func TestExploreBudget(t *testing.T) {
	patterns := parse(t, "/*b$", "/*c*d", "/private/", "/*b*b$")
	full := Explore(patterns, Options{})
	var exactFrom int
	for budget := 1; ; budget++ {
		s := Explore(patterns, Options{Budget: budget})
		if d := gocmp.Diff(full.Classes[:len(s.Classes)], s.Classes, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("budget %d: not a beginning of all classes: %s", budget, d)
		}
		if s.Exact {
			exactFrom = budget
			if len(s.Classes) != len(full.Classes) {
				t.Errorf("budget %d: exact with %d of %d classes", budget, len(s.Classes), len(full.Classes))
			}
			break
		}
	}
	if exactFrom < 10 || len(full.Classes) < 8 {
		t.Errorf("%d classes, exact from budget %d", len(full.Classes), exactFrom)
	}
	if s := Explore(patterns, Options{Budget: 1 << 62}); !s.Exact {
		t.Error("not exact with a budget without end")
	}
}

// repRule is a rule of robots.txt as RFC 9309 decides it.
type repRule struct {
	pattern policy.Pattern
	allow   bool
}

func (r repRule) loses(other repRule) bool {
	if r.pattern.Len() != other.pattern.Len() {
		return r.pattern.Len() < other.pattern.Len()
	}
	return !r.allow || other.allow
}

// decide is the longest match, allow on a tie.
func decide(rules []repRule, matched []int) bool {
	best := repRule{allow: true}
	for _, i := range matched {
		if !rules[i].loses(best) {
			best = rules[i]
		}
	}
	return best.allow
}

// longestMatch is Options.Reduce for repRules.
func longestMatch(rules []repRule) func([]int) ([]int, func(int) bool) {
	return func(matched []int) ([]int, func(int) bool) {
		best, none := repRule{allow: true}, true
		var key []int
		for at, i := range matched {
			if none || !rules[i].loses(best) {
				best, none, key = rules[i], false, matched[at:at+1]
			}
		}
		if none {
			return nil, nil
		}
		return key, func(i int) bool { return rules[i].loses(best) }
	}
}

func TestReduceKeepsDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		texts := randomPatterns(r, []string{"a", "b", "/", "*", "*"}, 6, 5)
		patterns := parse(t, texts...)
		rules := make([]repRule, len(patterns))
		for i, p := range patterns {
			rules[i] = repRule{p, r.IntN(2) == 0}
		}
		full := Explore(patterns, Options{})
		reduced := Explore(patterns, Options{Reduce: longestMatch(rules)})
		if !full.Exact || !reduced.Exact || len(reduced.Classes) > len(full.Classes) {
			t.Fatalf("%q: %d classes, %d reduced", texts, len(full.Classes), len(reduced.Classes))
		}
		// The first path of a decision is the same, and it is the decision there.
		first := func(s Space) map[bool]string {
			paths := map[bool]string{}
			for _, c := range s.Classes {
				d := decide(rules, c.Matched)
				if want := decide(rules, matched(patterns, c.Path)); d != want {
					t.Fatalf("%q: at %q allowed %t, want %t", texts, c.Path, d, want)
				}
				if _, ok := paths[d]; !ok {
					paths[d] = c.Path
				}
			}
			return paths
		}
		if d := gocmp.Diff(first(full), first(reduced)); d != "" {
			t.Fatalf("%q: %s", texts, d)
		}
	}
}

func TestReduceTamesStars(t *testing.T) {
	var rules []repRule
	var patterns []policy.Pattern
	for i := range 20 {
		p := parse(t, "*"+strings.Repeat(letters[i:i+1], 1+i/4)+"*")[0]
		patterns = append(patterns, p)
		rules = append(rules, repRule{p, i%2 == 0})
	}
	if s := Explore(patterns, Options{Budget: 1000}); s.Exact {
		t.Error("a million classes within a thousand states")
	}
	s := Explore(patterns, Options{Reduce: longestMatch(rules), Budget: 10_000})
	if !s.Exact || len(s.Classes) > 21 {
		t.Errorf("exact %t, %d classes", s.Exact, len(s.Classes))
	}
}

func TestExploreIsBounded(t *testing.T) {
	repeat := func(n int, text func(i int) string) []string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = text(i)
		}
		return texts
	}
	tests := []struct {
		name     string
		patterns []string
		exact    bool
	}{
		{"stars in series", []string{"/" + strings.Repeat("*a*b", 2000)}, true},
		{"stars side by side", []string{"/" + strings.Repeat("*", 100_000)}, true},
		{
			"stars in series, each one a pattern",
			repeat(700, func(i int) string { return "/" + strings.Repeat("*a", i) + "$" }),
			true,
		},
		{
			"a state for every set of letters",
			repeat(26, func(i int) string { return "*" + letters[i:i+1] + "*z$" }),
			false,
		},
		{"one pattern 50,000 times", repeat(50_000, func(int) string { return "/a" }), true},
		{"many patterns at once at many paths", repeat(50_000, func(i int) string {
			return []string{"/a", fmt.Sprint("/a", i)}[i%2]
		}), false},
		{"a long literal", []string{"/" + strings.Repeat("a", 500_000)}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Explore(parse(t, tt.patterns...), Options{Budget: 600_000})
			if s.Exact != tt.exact {
				t.Errorf("exact %t, %d classes", s.Exact, len(s.Classes))
			}
		})
	}
}

func TestLettersAreThoseOfNormalisedPaths(t *testing.T) {
	for _, without := range []policy.RuleSet{{}, policy.RuleSet{}.With(policy.RuleEncoding)} {
		pattern, err := policy.ReadPattern("/", without)
		if err != nil {
			t.Fatal(err)
		}
		alphabet := alphabetOf([]policy.Pattern{{}, pattern})
		for c := range 256 {
			own := "/" + string([]byte{byte(c)})
			got := strings.IndexByte(letters, byte(c)) >= 0 && c != '%'
			if got != (policy.ReadPath(own, without) == own) && c != '%' {
				t.Errorf("byte %q: stands for itself %t", byte(c), got)
			}
			first, second := hexadecimal[c>>4], hexadecimal[c&15]
			encoded := fmt.Sprintf("/%%%c%c", first, second)
			begun := alphabet.after(0, '%')
			after := alphabet.after(begun, first)
			escaped := begun.letters().has(rank[first]) && after.letters().has(rank[second])
			if escaped != (policy.ReadPath(encoded, without) == encoded) {
				t.Errorf("%q: may stand in a path %t", encoded, escaped)
			}
			if alphabet.after(after, second) != 0 {
				t.Errorf("%q: goes on", encoded)
			}
		}
	}
}

// Without R-PAT-2 a reserved byte and its encoding are two.
func TestReservedOctetsApart(t *testing.T) {
	var patterns []policy.Pattern
	for _, text := range []string{"*%2F*", "/a/b", "/@"} {
		p, err := policy.ReadPattern(text, policy.RuleSet{}.With(policy.RuleEncoding))
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	space := Explore(patterns, Options{})
	var got []string
	for _, c := range space.Classes {
		got = append(got, fmt.Sprint(c.Path, c.Matched))
	}
	want := []string{"/[]", "/@[2]", "/a/b[1]", "/%2F[0]", "/@%2F[0 2]", "/a/b%2F[0 1]"}
	if !space.Exact || !slices.Equal(got, want) {
		t.Errorf("%q, exact %t", got, space.Exact)
	}
}

func FuzzExplore(f *testing.F) {
	f.Add("/\n/private/\n/*startindex=\n/*.ece$")
	f.Add("*a*b\n*%2A\n/$\n/%2")
	f.Fuzz(func(t *testing.T, file string) {
		var patterns []policy.Pattern
		for line := range strings.Lines(file) {
			if p, err := policy.ParsePattern(line); err == nil {
				patterns = append(patterns, p)
			}
		}
		s := Explore(patterns, Options{Budget: 2000})
		for _, c := range s.Classes {
			if policy.NormalizePath(c.Path) != c.Path || !slices.Equal(c.Matched, matched(patterns, c.Path)) {
				t.Errorf("class %v is not true", c)
			}
		}
		if !s.Exact {
			return
		}
		// Paths of which the patterns speak have their class, and none has it sooner.
		for _, p := range patterns {
			for _, path := range []string{p.Example(), p.Example() + "a", p.Example() + p.Example()} {
				set := matched(patterns, path)
				if !slices.ContainsFunc(
					s.Classes,
					func(c Class) bool { return slices.Equal(c.Matched, set) && len(c.Path) <= len(path) },
				) {
					t.Errorf("no class for %q, %v", path, set)
				}
			}
		}
	})
}

func benchmarkRules(count, stars int) []string {
	r := rand.New(rand.NewPCG(5, 6))
	texts := make([]string, count)
	for i := range texts {
		var b strings.Builder
		for range 3 {
			b.WriteByte('/')
			for range 9 {
				b.WriteByte(letters[r.IntN(26)])
			}
		}
		texts[i] = b.String()
		if i < stars {
			texts[i] = "/*" + texts[i][1:10]
			if i%2 == 1 {
				texts[i] += "$"
			}
		}
	}
	return texts
}

func BenchmarkExplore(b *testing.B) {
	for _, bench := range []struct {
		name         string
		rules, stars int
	}{
		{"1 rule", 1, 0},
		{"100 rules", 100, 0},
		{"200 rules, 5 with stars", 200, 5},
		{"10000 rules", 10_000, 0},
		{"10000 rules, 1 with star", 10_000, 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			patterns := parse(b, benchmarkRules(bench.rules, bench.stars)...)
			b.ReportAllocs()
			for b.Loop() {
				if s := Explore(patterns, Options{}); !s.Exact {
					b.Fatal("not exact")
				}
			}
		})
	}
	b.Run("200 rules, 20 with stars, longest match", func(b *testing.B) {
		patterns := parse(b, benchmarkRules(200, 20)...)
		rules := make([]repRule, len(patterns))
		for i, p := range patterns {
			rules[i] = repRule{p, i%5 == 0}
		}
		b.ReportAllocs()
		for b.Loop() {
			if s := Explore(patterns, Options{Reduce: longestMatch(rules)}); !s.Exact {
				b.Fatal("not exact")
			}
		}
	})
}
