package policy

import "testing"

func (p Pattern) String() string { return p.norm }

func TestPathSetsAreEqualWherePatternsContainEachOther(t *testing.T) {
	var patterns []Pattern
	letters := []string{"a", "*", "/", "$"}
	texts := []string{"/", "*"}
	for range 4 {
		for _, text := range texts {
			for _, c := range letters {
				texts = append(texts, text+c)
			}
		}
		if len(texts) > 400 {
			break
		}
	}
	for _, text := range texts {
		p, err := ParsePattern(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		patterns = append(patterns, p)
	}
	for _, p := range patterns {
		for _, q := range patterns {
			if same := p.PathSet() == q.PathSet(); same != (p.Contains(q) && q.Contains(p)) {
				t.Fatalf("%q and %q: one set of paths: %v", p.norm, q.norm, same)
			}
		}
	}
}
