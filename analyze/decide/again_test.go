package decide_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// What a site and a view remember of the questions before changes no answer; and a policy cut down to one path answers
// for it as the whole one does.
func TestWhatWasAskedBeforeChangesNothing(t *testing.T) {
	answers, paths := 0, shortPaths(4)
	for seed := range 200 {
		m := maker{rand.New(rand.NewPCG(10, uint64(seed)))}
		s := scene{robots: m.definitions() + strings.Join(m.blocks(), ""), page: metas(m.metas()...)}
		if seed%2 == 0 {
			s.referred = m.definitions() + strings.Join(m.blocks(), "")
		}
		file := s.file()
		pages := []*policy.Page{nil, s.pageOf(file), s.pageOf(file)}
		pages[2].XML = true
		opts := readings[seed%len(readings)]
		asked := decide.NewSite(file, decide.Availability(seed%4), opts)
		views := make([]*decide.View, len(askedWho))
		for i, who := range askedWho {
			views[i] = asked.For(who.agent, who.purpose)
		}
		for range 60 {
			i := m.IntN(len(views))
			who, page := askedWho[i], pages[m.IntN(len(pages))]
			path := paths[m.IntN(3)*m.IntN(len(paths)/3)]
			q := decide.Question{URL: site + path, Path: path, Usage: askedUsages[m.IntN(len(askedUsages))]}
			if m.IntN(2) == 0 {
				q.At = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
			}
			tell := func(d decide.Decision) string { return head(d) + " " + s.show(d) }
			want := tell(
				decide.NewSite(file, decide.Availability(seed%4), opts).For(who.agent, who.purpose).Decide(page, q),
			)
			if got := tell(views[i].Decide(page, q)); got != want {
				t.Fatalf("seed %d, %+v: asked before\n%s\n%s", seed, q, cmp.Diff(want, got), s.robots)
			}
			if got := tell(asked.At(path).For(who.agent, who.purpose).Decide(page, q)); got != want {
				t.Fatalf("seed %d, %+v: cut down to the path\n%s\n%s", seed, q, cmp.Diff(want, got), s.robots)
			}
			if want != "allowed silence R-DEC-12 " {
				answers++
			}
		}
	}
	if answers < 6000 {
		t.Errorf("only %d answers that say something", answers)
	}
}
