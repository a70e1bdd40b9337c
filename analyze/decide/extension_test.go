package decide

import (
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
)

func TestExtensionIsOfEqualPatterns(t *testing.T) {
	var patterns []policy.Pattern
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
		p, err := policy.ParsePattern(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		patterns = append(patterns, p)
	}
	for _, p := range patterns {
		for _, q := range patterns {
			if same := extensionOf(p) == extensionOf(q); same != p.Equal(q) {
				t.Fatalf("%q and %q: equal %v, of one extension %v", p, q, p.Equal(q), same)
			}
		}
	}
}
