package console

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"scan", "scan", 0}, {"scna", "scan", 1}, {"scn", "scan", 1}, {"scann", "scan", 1}, {"", "ab", 2},
		{"abc", "xyz", 3}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%q and %q differ by %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
