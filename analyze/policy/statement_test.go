package policy

import (
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
