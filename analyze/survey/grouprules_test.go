package survey

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/output/table"
)

// Rows of permissions by the groups of a robots.txt are those that a View of it gives for each agent.
func TestPermissionsByGroups(t *testing.T) {
	seeds := 150
	if longtest.Enabled() {
		seeds = 4_000
	}
	prohibited, hidden := 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 18))
		var list []facts.Fact
		for i := range 10 {
			list = append(list, robots(fmt.Sprintf("http://host%d.example/robots.txt", i), 1, randomRobots(r, i == 0)))
		}
		list = answered(t, list)
		opts := Options{Permissions: PermissionsAllSites, Agents: []policy.Agent{"a", "z"}}.Normal()
		made := func(byViews bool) []table.Permission {
			rows := newRows()
			out := outputTo(t, opts, rows)
			out.byViews = byViews
			check(t, out.bucket(scanOf(list), opts))
			rows.sort()
			return rowsOf(rows.Permissions)
		}
		got := made(false)
		if diff := cmp.Diff(made(true), got); diff != "" {
			t.Fatalf("seed %d (-by views +by groups):\n%s", seed, diff)
		}
		for i := range got {
			if got[i].Basis == "crawl-prohibited" {
				prohibited++
			}
			if len(got[i].DecidedBy) == 2 && got[i].DecidedBy[1] == "R-DEC-12" {
				hidden++
			}
		}
	}
	if prohibited < 1000 || hidden < 50 {
		t.Errorf("only %d usages that crawl prohibits, %d decisions where rules are hidden", prohibited, hidden)
	}
}
