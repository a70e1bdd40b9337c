package pipeline

import (
	"strings"
	"testing"
)

func TestCompleteness(t *testing.T) {
	for _, c := range []struct {
		name               string
		inputs, unreadable int64
		atLeast            float64
		says               string
		enough             bool
	}{
		{"all read", 3, 0, 1, "100.00 % of the inputs, needed 100.00 %", true},
		{"no inputs", 0, 0, 1, "100.00 %", true},
		{"one is missing", 3, 1, 1, "66.67 %", false},
		{"one may be missing", 3, 1, 0.6, "66.67 % of the inputs, needed 60.00 %", true},
		{"just as many as needed", 10, 1, 0.9, "90.00 %", true},
		{"one more than may", 10, 2, 0.9, "80.00 %", false},
		{"thirds", 3, 1, 2.0 / 3, "66.67 %", true},
		{"one of very many", 1_000_000, 1, 1, "99.99 %", false},
		{"all unreadable, and all may be", 2, 2, 0, "0.00 %", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := completeness{c.inputs, c.unreadable, c.atLeast}
			var b strings.Builder
			got.write(&b)
			if !strings.Contains(b.String(), c.says) {
				t.Errorf("it says %q", b.String())
			}
			if enough := got.status() == nil; enough != c.enough {
				t.Errorf("enough: %t", enough)
			}
		})
	}
}
