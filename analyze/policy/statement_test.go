package policy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEffectiveQualifiers(t *testing.T) {
	all := []Qualifier{{TimeLimit, "3-days"}, {MustUseResource, "/x"}, {"odd", ""}}
	rest := []Qualifier{{TimeLimit, "3-days"}, {"odd", ""}}
	for _, test := range []struct {
		name          string
		stated, asked Usage
		want          []Qualifier
	}{
		{"R-QUAL-3/of the usage itself", Present, Present, all},
		{"R-QUAL-3/of present for one of its ten", Present, PresentSnippet, rest},
		{"R-QUAL-3/of one of the ten for itself", PresentSnippet, PresentSnippet, all},
		{"R-DEC-13/of other where it reaches", Other, Index, all},
		{"R-DEC-13/of other where it reaches a presentation", Other, PresentLink, all},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Statement{Usage: test.stated, Qualifiers: all}
			if got := s.EffectiveQualifiers(test.asked); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// scopeAt returns the narrowest of the members that match a path (R-DEF-3); ok is false where none does.
func scopeAt(members []Pattern, path string) (scope Pattern, ok bool) {
	var matching []int
	for i, p := range members {
		if p.Match(path) {
			matching = append(matching, i)
		}
	}
	if len(matching) == 0 {
		return Pattern{}, false
	}
	at, _ := Narrowest(members, matching, RuleSet{})
	return members[at], true
}

func TestNarrowestIsTheNarrowestMember(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	letters := []string{"a", "b", "*", "/", "a*"}
	for range 20000 {
		var members []Pattern
		for range 1 + r.IntN(5) {
			text := []string{"/", "/", "*"}[r.IntN(3)]
			for range r.IntN(4) {
				text += letters[r.IntN(len(letters))]
			}
			if r.IntN(3) == 0 {
				text += "$"
			}
			p, err := ParsePattern(text)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, p)
		}
		path := "/" + []string{"", "a", "b", "ab", "aab", "a/b", "ba/ab"}[r.IntN(7)]
		scope, ok := scopeAt(members, path)
		for _, p := range members {
			if !p.Match(path) {
				continue
			}
			if !ok || scope.Contains(p) && !p.Contains(scope) {
				t.Fatalf("R-DEF-3/%v at %s: got %v, and %v is narrower", members, path, scope, p)
			}
		}
		slices.Reverse(members)
		if turned, _ := scopeAt(members, path); ok && turned.PathSet() != scope.PathSet() {
			t.Fatalf("R-DEF-3/%v at %s: got %v, and %v the other way round", members, path, turned, scope)
		}
	}
}
