package survey

import (
	"fmt"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

func TestTooManyQuestions(t *testing.T) {
	var list []facts.Fact
	for i := range maxAsked + 1 {
		list = append(list, redirect("http://asks.example/robots.txt", int64(i), fmt.Sprintf("http://other%d.example/robots.txt", i)))
	}
	list = append(list, redirect("http://asks-once.example/robots.txt", 1, "http://other.example/robots.txt"), robots("http://other.example/robots.txt", 1, "User-agent: *\nDisallow: /\n"))
	rows := surveyed(t, Options{}, list...)
	for site, complete := range map[string]bool{"http://asks.example": false, "http://asks-once.example": true, "http://other.example": true} {
		row := adoptionOf(t, rows, site)
		if row.PermissionsComplete != complete || row.ConflictsComplete != complete {
			t.Errorf("%s is complete: %v, %v", site, row.PermissionsComplete, row.ConflictsComplete)
		}
	}
}
