package policy

import "testing"

func TestParseUsage(t *testing.T) {
	if n := len(Usages()); n != 6+10 { // docs/semantics.md, section 1
		t.Errorf("%d usages", n)
	}
	for _, u := range Usages() {
		if got, ok := ParseUsage(u.String()); got != u || !ok {
			t.Errorf("%s: got %s", u, got)
		}
		if u.IsPresentation() != Present.Covers(u) && u != Present {
			t.Errorf("%s of present: %v", u, Present.Covers(u))
		}
		if u.Covers(Present) != (u == Present) {
			t.Errorf("%s covers present", u)
		}
	}
	for _, test := range []struct {
		text string
		want Usage
	}{{"Present-LINK", PresentLink}, {"present-", NoUsage}, {"", NoUsage}, {"pre\u017fent", NoUsage},
		{"present-lin\u212a", NoUsage}} {
		if got, ok := ParseUsage(test.text); got != test.want || ok != (test.want != NoUsage) {
			t.Errorf("%q: got %s", test.text, got)
		}
	}
}
