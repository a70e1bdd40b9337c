package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func mustPattern(t testing.TB, s string) Pattern {
	t.Helper()
	p, err := ParsePattern(s)
	if err != nil {
		t.Fatalf("ParsePattern(%q): %v", s, err)
	}
	return p
}

func TestParsePattern(t *testing.T) {
	tests := []struct {
		name, in string
		err      error
		glob     string
		end      bool
		length   int
	}{
		{name: "plain prefix", in: "/private/", glob: "/private/", length: 9},
		{name: "white space around", in: " \t/a\r\n", glob: "/a", length: 2},
		{name: "white space inside is encoded", in: "/a b", glob: "/a%20b", length: 6},
		{name: "end", in: "/*.gif$", glob: "/*.gif", end: true, length: 7},
		{name: "dollar inside is literal", in: "/a$b", glob: "/a%24b", length: 6},
		{name: "only the last dollar ends", in: "/a$$", glob: "/a%24", end: true, length: 6},
		{name: "encoded dollar is literal", in: "/a%24", glob: "/a%24", length: 5},
		{name: "encoded star is literal", in: "/a%2ab", glob: "/a%2Ab", length: 6},
		{name: "final star changes nothing but the length", in: "/a*", glob: "/a", length: 3},
		{name: "final star and end", in: "/a*$", glob: "/a", length: 4},
		{name: "stars collapse but for the length", in: "/a***b", glob: "/a*b", length: 6},
		{name: "everything", in: "*", glob: "/", length: 1},
		{name: "everything, with an end", in: "**$", glob: "/", length: 3},
		{name: "star without slash", in: "*.htm$", glob: "*.htm", end: true, length: 6},
		{name: "unreserved is decoded", in: "/%7Ejoe/%62%61%7a", glob: "/~joe/baz", length: 9},
		{name: "other bytes are encoded", in: "/ツ", glob: "/%E3%83%84", length: 10},
		{name: "comment is dropped", in: "/a # note", glob: "/a", length: 2},
		{name: "empty", in: " \t ", err: ErrMissingResource},
		{name: "only a comment", in: "# note", err: ErrMissingResource},
		{name: "not rooted", in: "private/", err: ErrPathNotRooted},
		{name: "encoded slash is no root", in: "%2Fprivate/", err: ErrPathNotRooted},
		{name: "end alone", in: "$", err: ErrPathNotRooted},
		{name: "URL", in: "http://example.com/", err: ErrPathNotRooted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParsePattern(tt.in)
			if !errors.Is(err, tt.err) || (err != nil) != (tt.err != nil) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			glob, end := p.Glob()
			if glob != tt.glob || end != tt.end || p.Len() != tt.length {
				t.Errorf("glob %q %t, length %d; want %q %t, %d", glob, end, p.Len(), tt.glob, tt.end, tt.length)
			}
		})
	}
}

func TestNormalizePath(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "/"},
		{"only a query", "?a=b", "/?a=b"},
		{"only a fragment", "#top", "/"},
		{"fragment dropped", "/a?b#c#d", "/a?b"},
		{"not rooted", "a", "/a"},
		{"RFC 9309 2.2.2 row 1", "/foo/bar?baz=quz", "/foo/bar?baz=quz"},
		{"RFC 9309 2.2.2 row 3", "/foo/bar/ツ", "/foo/bar/%E3%83%84"},
		{"RFC 9309 2.2.2 row 4", "/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"},
		{"RFC 9309 2.2.2 row 5", "/foo/bar/%62%61%7A", "/foo/bar/baz"},
		{"encoded reserved is decoded", "/a%2fb%3Fc", "/a/b?c"},
		{"literal star", "/a*b", "/a%2Ab"},
		{"literal dollar", "/a$", "/a%24"},
		{"bytes of no URL", "/a b\"<|\x00\xff", "/a%20b%22%3C%7C%00%FF"},
		{"percent alone", "/100%", "/100%25"},
		{"percent before one digit", "/%4", "/%254"},
		{"percent before what decodes", "/%%34%31", "/%2541"},
		{"encoded percent", "/%2541", "/%2541"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := NormalizePath(tt.in); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if again := NormalizePath(tt.want); again != tt.want {
				t.Errorf("again: %q, want %q", again, tt.want)
			}
		})
	}
}

func TestPatternMatch(t *testing.T) {
	tests := []struct {
		pattern string
		hits    []string
		misses  []string
	}{
		{"/", []string{"/", "/a", ""}, nil},
		{"*", []string{"/", "/a?b"}, nil},
		{"/$", []string{"/", ""}, []string{"/a", "/?a"}},
		{
			"/fish",
			[]string{"/fish", "/fish.html", "/fish/salmon", "/fishheads", "/fish.php?id=1"},
			[]string{"/Fish.asp", "/catfish", "/?id=fish"},
		},
		{"/*.php$", []string{"/f.php", "/a/f.php", "/.php.php"}, []string{"/f.php?a", "/f.php/", "/f.php5", "/php"}},
		{"/fish*.php", []string{"/fish.php", "/fishheads/c.php?p"}, []string{"/Fish.PHP", "/fish.ph"}},
		{"*.gif$", []string{"/.gif", "/a/b.gif"}, []string{"/a.gif?x"}},
		{"/a*a$", []string{"/aa", "/aba"}, []string{"/a", "/ab"}},
		{"*/b", []string{"/b", "/a/b"}, []string{"/ab"}},
		{"/*?", []string{"/?", "/a?b"}, []string{"/a"}},
		{
			"/file-with-a-%2A.html",
			[]string{"/file-with-a-*.html", "/file-with-a-%2a.html"},
			[]string{"/file-with-a-x.html"},
		}, // RFC 9309 2.2.3
		{
			"/foo-%24",
			[]string{"/foo-$", "/foo-%24bar"},
			[]string{"/foo-"},
		}, // RFC 9309 2.2.3
		{"/a$b", []string{"/a$b", "/a%24bc"}, []string{"/a"}},
		{"/a%2Fb", []string{"/a%2fb", "/a/b"}, []string{"/a%252Fb"}},
		{"/%7Ejoe", []string{"/~joe/", "/%7ejoe"}, []string{"/%257Ejoe"}},
		{"/é", []string{"/é", "/%c3%a9"}, []string{"/\xe9"}},
	}
	for _, tt := range tests {
		p := mustPattern(t, tt.pattern)
		for _, path := range tt.hits {
			if !p.Match(NormalizePath(path)) {
				t.Errorf("%q does not match %q", tt.pattern, path)
			}
		}
		for _, path := range tt.misses {
			if p.Match(NormalizePath(path)) {
				t.Errorf("%q matches %q", tt.pattern, path)
			}
		}
	}
	if (Pattern{}).Match("/") {
		t.Error("the zero pattern matches")
	}
}

func TestPatternRelations(t *testing.T) {
	tests := []struct {
		p, q                         string
		contains, contained, narrows bool // narrows: p is narrower than q by characters
	}{
		{"/", "*", true, true, true},
		{"/*", "/", true, true, true},
		{"/a", "/a*", true, true, false},
		{"/", "/a", true, false, false},
		{"/TEXTS/", "/TEXTS/*.gif$", true, false, false}, // R-DEC-5
		{"/", "*.htm$", true, false, true},               // R-DEC-5; the character method says the opposite
		{"/a/*", "/a/b", true, false, false},
		{"/a$", "/a", false, true, true},
		{"/a$", "/a*", false, true, false}, // S3 4.5.2.5.3: any other character is narrower than a '$'
		{"/a*b", "/ac*b$", true, false, false},
		{"/a*b*c$", "/ab*c$", true, false, false},
		{"/a*bb", "/a*b", false, true, true},
		{"*/b", "/*/b", true, false, false},
		{"*/b", "/b", true, false, false},
		{"*b", "/*b", true, true, false},
		{"/a", "/b", false, false, false},
		{"/*.gif$", "/*.jpg$", false, false, false},
		{"/*.gif", "/*.jpg$", false, false, false},
		{"/a*.gif$", "/ab", false, false, false},
		{"/a$", "/*b", false, false, true},
		{"/%61", "/a", true, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.p+" "+tt.q, func(t *testing.T) {
			p, q := mustPattern(t, tt.p), mustPattern(t, tt.q)
			if p.Contains(q) != tt.contains || q.Contains(p) != tt.contained {
				t.Errorf("contains %t, is contained %t", p.Contains(q), q.Contains(p))
			}
			if same := p.PathSet() == q.PathSet(); same != (tt.contains && tt.contained) {
				t.Errorf("one set of paths: %t", same)
			}
			if p.NarrowerByCharacters(q) != tt.narrows {
				t.Errorf("narrower by characters %t", p.NarrowerByCharacters(q))
			}
		})
	}
}

// S3 4.5.2.5.3, step by step.
func TestNarrowerByCharacters(t *testing.T) {
	tests := []struct{ name, narrow, wide string }{
		{"one has run out", "/ab", "/a"},
		{"one has run out, a star follows", "/a*", "/a"},
		{"one has run out, an end follows", "/a$", "/a"},
		{"end against a letter", "/ab", "/a$"},
		{"end against a star", "/a*", "/a$"},
		{"star against a letter", "/a/", "/a*"},
		{"star first", "/", "*"},
		{"same stars before the difference", "/*/b", "/*/*"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, q := mustPattern(t, tt.narrow), mustPattern(t, tt.wide)
			if !p.NarrowerByCharacters(q) || q.NarrowerByCharacters(p) {
				t.Errorf("%t, the other way %t", p.NarrowerByCharacters(q), q.NarrowerByCharacters(p))
			}
		})
	}
	for _, pair := range [][2]string{{"/ab", "/ac"}, {"/ab*", "/ac$"}, {"/a", "/a"}, {"/a*$", "/a*$"}} {
		p, q := mustPattern(t, pair[0]), mustPattern(t, pair[1])
		if p.NarrowerByCharacters(q) || q.NarrowerByCharacters(p) {
			t.Errorf("%q and %q: the method does not tell", p, q)
		}
	}
}

// words returns all words over the letters, from the empty one up to a length.
func words(letters string, length int) []string {
	all := []string{""}
	for from := 0; length > 0; length-- {
		to := len(all)
		for ; from < to; from++ {
			for i := range len(letters) {
				all = append(all, all[from]+letters[i:i+1])
			}
		}
	}
	return all
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

// Every set of paths that a short pattern holds, and every relation of two such sets, against all short paths. The
// letter c stands in paths only: one of n+2 letters tells apart any two patterns of n letters that a path can tell
// apart. A path that two patterns hold need not be longer than both together.
func TestPatternsByBruteForce(t *testing.T) {
	const patternLength = 4
	paths := append(words("/abc", patternLength+1), words("/ab", 2*patternLength-1)...)
	for i, path := range paths {
		paths[i] = "/" + path
	}
	type set []uint64
	var patterns []Pattern
	var sets []set
	for _, w := range words("/ab*", patternLength) {
		if w == "" || w[0] != '/' && w[0] != '*' {
			continue
		}
		for _, text := range []string{w, w + "$"} {
			p := mustPattern(t, text)
			s := make(set, (len(paths)+63)/64)
			for i, path := range paths {
				want := globMatch(text, path)
				if p.Match(path) != want {
					t.Fatalf("%q matches %q: %t, want %t", text, path, !want, want)
				}
				if want {
					s[i/64] |= 1 << (i % 64)
				}
			}
			if example := p.Example(); !p.Match(example) || NormalizePath(example) != example {
				t.Errorf("%q: example %q", text, example)
			}
			patterns, sets = append(patterns, p), append(sets, s)
		}
	}
	for i, p := range patterns {
		for j, q := range patterns {
			contains := true
			for k := range sets[i] {
				contains = contains && sets[j][k]&^sets[i][k] == 0
			}
			if got := p.Contains(q); got != contains {
				t.Errorf("%q contains %q: %t, want %t", p, q, got, contains)
			}
		}
	}
	t.Logf("%d patterns, %d paths", len(patterns), len(paths))
}

func TestHostilePatternsAreCheap(t *testing.T) {
	const n = 2000
	stars := mustPattern(t, "/"+strings.Repeat("*", n)+"b")
	if stars.PathSet() != mustPattern(t, "/*b").PathSet() {
		t.Error("stars do not collapse")
	}
	p := mustPattern(t, "/"+strings.Repeat("*a", n)+"*b$")
	q := mustPattern(t, "/"+strings.Repeat("*a*c", n)+"*b$")
	path := "/" + strings.Repeat("a", 1<<20)
	if p.Match(path) || !p.Match(path+"b") {
		t.Error("wrong match")
	}
	if !p.Contains(q) || q.Contains(p) {
		t.Error("wrong relation")
	}
}

func TestZeroPattern(t *testing.T) {
	var zero Pattern
	all := mustPattern(t, "/")
	if zero.Match("/") || zero.Contains(all) || !all.Contains(zero) || zero.PathSet() == all.PathSet() {
		t.Error("the zero pattern holds a path")
	}
	if zero.Len() != 0 || zero.Example() != "" {
		t.Error("the zero pattern has a text")
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, s := range []string{"/", "*", "/a*$", "/%7e%2a$$", "/a b#c", "/ツ*\xff%", "$", "/*a**b$"} {
		f.Add(s, "/a%4")
	}
	f.Fuzz(func(t *testing.T, s, path string) {
		path = NormalizePath(path)
		if again := NormalizePath(path); again != path {
			t.Fatalf("%q normalises to %q", path, again)
		}
		p, err := ParsePattern(s)
		if err != nil {
			return
		}
		example := p.Example()
		if !p.Match(example) || NormalizePath(example) != example {
			t.Errorf("%q: example %q", s, example)
		}
		if !p.Contains(p) || p.NarrowerByCharacters(p) {
			t.Errorf("%q and itself", s)
		}
		if again, err := ParsePattern(p.norm); err != nil || again.norm != p.norm || again.PathSet() != p.PathSet() {
			t.Errorf("%q reads %q, that reads %q, %v", s, p.norm, again.norm, err)
		}
		// The path itself, read as a pattern: normalised paths hold no wildcards.
		exact, err := ParsePattern(path + "$")
		if err != nil {
			t.Fatal(err)
		}
		if in := p.Match(path); p.Contains(exact) != in {
			t.Errorf("%q and path %q: matches %t, contains %t", s, path, in, p.Contains(exact))
		}
		if len(p.norm)*len(path) < 200 && p.Match(path) != globMatch(p.norm, path) {
			t.Errorf("%q and path %q: matches %t", s, path, p.Match(path))
		}
	})
}

func BenchmarkPatternMatch(b *testing.B) {
	path := NormalizePath("/news/2009/09/25/some-article-of-a-paper.html?startindex=20&sort=date")
	for _, s := range []string{"/private/", "/news/", "/*startindex=", "/*.ece$", "/*/*/*/*article*=date$"} {
		b.Run(fmt.Sprintf("%q", s), func(b *testing.B) {
			p := mustPattern(b, s)
			for b.Loop() {
				p.Match(path)
			}
		})
	}
}

// Without R-PAT-1 '*' and '$' are letters.
func TestReadPatternWithout(t *testing.T) {
	without := RuleSet{}.With(RulePattern)
	for _, test := range []struct {
		text, path string
		want       bool
	}{
		{"/a*b$", "/a*b$c", true}, {"/a*b$", "/axb", false}, {"/a$", "/a", false}, {"/a$", "/a%24", true},
		{"/a*", "/a", false}, {" /a#b ", "/ax", true},
		{"/%7ea", "/~a", true},
	} {
		p, err := ReadPattern(test.text, without)
		if err != nil || p.Match(NormalizePath(test.path)) != test.want {
			t.Errorf("%s holds %s: %v, %v", test.text, test.path, !test.want, err)
		}
	}
	for text, want := range map[string]error{"*.gif": ErrPathNotRooted, "": ErrMissingResource, "a": ErrPathNotRooted} {
		if _, err := ReadPattern(text, without); err != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if p, err := ReadPattern("/a*b$", RuleSet{}); err != nil || !p.Match("/axb") {
		t.Errorf("with the rule: %v, %v", p, err)
	}
}

// Without R-PAT-2 a reserved byte that is written encoded is told from the byte itself; what no URL may hold raw is
// not.
func TestReadPatternWithoutEncoding(t *testing.T) {
	without := RuleSet{}.With(RuleEncoding)
	for _, test := range []struct {
		text, path string
		want       bool
	}{
		{"/a%2Fb", "/a/b", false}, {"/a%2Fb", "/a%2fb", true}, {"/a/b", "/a%2Fb", false}, {"*%2F*", "/a/b", false},
		{"*%2f*", "/a%2Fb", true},
		{"/a%3fb", "/a?b", false}, {"/%7Ea", "/~a", true}, {"/%61", "/a", true}, {"/a b", "/a%20b", true},
		{"/a[b]", "/a%5bb%5D", true},
		{"/a%5Bb", "/a[b", true}, {"/{a}", "/%7ba%7D", true}, {"/é", "/%c3%a9", true}, {"/100%", "/100%25", true},
		{"/%2A", "/*", true},
		{"/a%24", "/a$", true}, {"/it's", "/it%27s", false}, {"/\"", "/%22", true},
	} {
		p, err := ReadPattern(test.text, without)
		if err != nil || p.Match(ReadPath(test.path, without)) != test.want || !p.PartsReserved() {
			t.Errorf("%s holds %s: %t, %v", test.text, test.path, !test.want, err)
		}
		if !mustPattern(t, test.text).Match(NormalizePath(test.path)) {
			t.Errorf("with the rule %s does not hold %s", test.text, test.path)
		}
	}
	if again := ReadPath("/a%2fb%3F", without); again != "/a%2Fb%3F" || ReadPath(again, without) != again {
		t.Errorf("the path is %s", again)
	}
}
