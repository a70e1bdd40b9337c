package survey

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/hostiletest"
	"github.com/acapscan/acapscan/ingest/facts"
)

// factsOf are the facts of captures.
func factsOf(captures []hostiletest.Capture) (list []facts.Fact) {
	for _, c := range captures {
		day := int64(c.Day + 1)
		switch {
		case c.Location != "":
			list = append(list, redirect(c.URL, day, c.Location))
		case len(c.Metas) > 0:
			var metas []string
			for _, m := range c.Metas {
				metas = append(metas, m.Name, m.Content)
			}
			list = append(list, page(c.URL, day, metas...))
		default:
			list = append(list, robots(c.URL, day, c.Robots))
		}
	}
	return list
}

// Hosts that have one body share what was read of it, and no row shows it.
func TestHostsThatShareBodies(t *testing.T) {
	for _, kind := range hostiletest.Kinds()[1:3] {
		t.Run(kind.Name, func(t *testing.T) {
			list := answered(t, factsOf(kind.Make(6)))
			want := newRows()
			for from := 0; from < len(list); {
				to := from
				for to < len(list) && list[to].SiteHash == list[from].SiteHash {
					to++
				}
				surveyedInto(t, want, Options{Permissions: PermissionsAll}, list[from:to])
				from = to
			}
			got := surveyedInto(t, newRows(), Options{Permissions: PermissionsAll}, list)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-each host alone +together):\n%.3000s", diff)
			}
		})
	}
}

func TestContainsFold(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "-": false, "acap-permissions-reference": true, "x\nACAP-Permissions-Reference: /a": true, "acap-permissions-referenc": false,
		"-acap-permissions-reference": true, "acap-acap-permissions-reference": true, "acap--permissions-reference": false,
		"acap_permissions_reference": false, "permissions-reference": false,
	} {
		if got := containsFold([]byte(text), referenceField); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
