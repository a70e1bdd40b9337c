package decide_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/internal/terms"
)

// extentByHand is section 7 over the paths given: it finds whether some path is allowed, and some disallowed.
func extentByHand(view *decide.View, u policy.Usage, at time.Time, paths []string) policy.Extent {
	if u.Family() == terms.FamilyAI {
		return preferenceExtentByHand(view, u, paths)
	}
	var allowed, disallowed bool
	for _, path := range paths {
		if view.Decide(nil, decide.Question{Path: path, Usage: u, At: at}).Decision == policy.Disallowed {
			disallowed = true
		} else {
			allowed = true
		}
		if allowed && disallowed {
			return policy.ExtentSome
		}
	}
	if disallowed {
		return policy.ExtentNone
	}
	return policy.ExtentAll
}

// preferenceExtentByHand: the preference that is stated at every path, whether or not it may be crawled.
func preferenceExtentByHand(view *decide.View, u policy.Usage, paths []string) policy.Extent {
	found := map[policy.Decision]bool{}
	for _, path := range paths {
		found[view.Decide(nil, decide.Question{Path: path, Usage: u}).IfCrawled] = true
	}
	switch {
	case len(found) > 1:
		return policy.ExtentSome
	case found[policy.Allowed]:
		return policy.ExtentAll
	case found[policy.Disallowed]:
		return policy.ExtentNone
	}
	return 0
}

// comparable is the decision that classes of paths tell apart.
func comparable(d decide.Decision, u policy.Usage) policy.Decision {
	if u.Family() == terms.FamilyAI {
		return d.IfCrawled
	}
	return d.Decision
}

// TestExtentOfWorlds: what exploring finds is what looking at every short path finds, with references, purposes, local
// usages and both profiles. TestExtentByHand has longer paths, and no references that lead anywhere.
func TestExtentOfWorlds(t *testing.T) {
	short := shortPaths(5)
	n := 80
	if !longtest.Enabled() {
		n = 30
	}
	found := make(map[policy.Extent]int)
	beyond := 0
	for seed := range n {
		w := maker{rand.New(rand.NewPCG(200, uint64(seed)))}.worldOf(vocabulariesOf(seed)...)
		at := time.Time{}
		if seed%2 == 1 {
			at = afterExpiry
		}
		file, _ := w.open()
		known := decide.NewSite(file, w.answer, readings[seed/2%len(readings)])
		for _, who := range askedWho {
			view := known.For(who.agent, who.purpose)
			spaces := extent.NewPathClasses(view, 0)
			for _, usage := range worldUsages {
				got, want := spaces.Extent(usage, at), extentByHand(view, usage, at, short)
				if got == policy.ExtentSome && want != got && confirmed(view, spaces, usage, at) {
					beyond++ // a longer path makes it so
					want = got
				}
				if found[got]++; got != want {
					t.Fatalf(
						"seed %d, %+v, %s for %s %q at %v: %s, by hand %s\n%s",
						seed,
						readings[seed/2%len(readings)],
						usage,
						who.agent,
						who.purpose,
						at,
						got,
						want,
						w,
					)
				}
				// Every path's decision is that of some class, as Of promises; its basis need not be.
				decisions := make(map[policy.Decision]bool)
				for _, class := range spaces.Of(usage).Classes {
					q := decide.Question{Path: class.Path, Usage: usage, At: at}
					decisions[comparable(view.Decide(nil, q), usage)] = true
				}
				for _, path := range short {
					d := comparable(view.Decide(nil, decide.Question{Path: path, Usage: usage, At: at}), usage)
					if !decisions[d] {
						t.Fatalf(
							"seed %d, %s for %s %q: no class is decided as %s: %s\n%s",
							seed,
							usage,
							who.agent,
							who.purpose,
							path,
							d,
							w,
						)
					}
				}
			}
		}
	}
	t.Logf("%v; %d by paths longer than those tried", found, beyond)
	for _, e := range []policy.Extent{policy.ExtentAll, policy.ExtentSome, policy.ExtentNone} {
		if found[e] < n {
			t.Errorf("%s: only %d of %d", e, found[e], n*len(askedWho)*len(worldUsages))
		}
	}
}

// Two preferences whose patterns have one length, and stand in one order, have extents of their own.
func TestExtentsOfTwoPreferences(t *testing.T) {
	file := read(lines("User-agent: *", "Content-Usage: /aa train-ai=n", "Content-Usage: /bb search=n"))
	classes := extent.NewPathClasses(decide.NewSite(file, decide.Answered, decide.Options{}).For("*", ""), 0)
	for _, usage := range []policy.Usage{policy.TrainAI, policy.Search} {
		if got := classes.Extent(usage, time.Time{}); got != policy.ExtentSome {
			t.Errorf("%s: %s", usage, got)
		}
	}
}
