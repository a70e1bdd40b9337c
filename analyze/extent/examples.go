package extent

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// maxExamples is the limit on the rules of each sense whose patterns give an example path.
const maxExamples = 4

// stepsPerByte is the cost of a byte of pattern if examples are enough: what exploring the patterns of an ordinary file
// takes. So budgets end at the same place whether or not a file needs an exploration.
const stepsPerByte = 50

// byExamples finds the extent without an exploration, for agents to whom no ACAP statement is addressed. Nearly all
// conventional files allow one of a few example paths and disallow another, or disallow every path. ok is false if the
// examples do not tell.
func (s *PathClasses) byExamples(u policy.Usage, at time.Time) (e policy.Extent, ok bool) {
	if s.Over() || len(s.view.Candidates()) > 0 || s.view.HasUnresolved() {
		return e, false
	}
	statements, cost := s.view.CrawlREP()
	var allowing, disallowing []string
	bytes, everything := 0, false
	for _, st := range statements {
		list := &disallowing
		if st.Sense == policy.Allow {
			list = &allowing
		}
		for _, p := range st.Patterns {
			bytes += p.Len()
			if path := p.Example(); path != "" && len(*list) < maxExamples {
				*list = append(*list, path)
			}
			everything = everything || st.Sense == policy.Disallow && p.MatchesAll()
		}
	}
	s.view.Budget().Spend(cost + stepsPerByte*bytes)
	allowed, disallowed := false, false
	ask := func(path string) {
		if s.Questions--; path != decide.RobotsPath && s.Questions >= 0 {
			d := s.view.Decide(nil, decide.Question{Path: path, Usage: u, At: at}).Decision
			allowed, disallowed = allowed || d != policy.Disallowed, disallowed || d == policy.Disallowed
		}
	}
	ask("/")
	paths := slices.Concat(allowing, disallowing)
	if allowed {
		paths = disallowing
	}
	for _, path := range paths {
		if ask(path); allowed && disallowed {
			return policy.ExtentSome, true
		}
	}
	switch {
	case s.Questions < 0:
	case disallowed && everything && len(allowing) == 0, disallowed && bytes == 0:
		return policy.ExtentNone, true
	case allowed && bytes == 0: // there are no rules
		return policy.ExtentAll, true
	}
	return e, false
}
