package extent

import (
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// maxExamples limits the paths that ByExamples asks about.
const maxExamples = 16

// ByExamples finds the extent of crawl without an exploration, from the conventional rules that count for an agent.
// Nearly all files allow the root and disallow an example path of a rule, or the reverse, or have rules of one sense.
// allowed decides a path by these rules alone, and silence allows. It returns unknown if the examples do not tell.
func ByExamples(rules []*policy.Statement, allowed func(path string) bool) policy.Extent {
	root := allowed("/")
	other := policy.Allow
	if root {
		other = policy.Disallow
	}
	examples, everything := 0, len(rules) == 0
	for _, st := range rules {
		for i := range st.Patterns {
			p := &st.Patterns[i]
			if st.Sense != other {
				everything = everything || p.MatchesAll()
				continue
			}
			if examples++; examples > maxExamples {
				return policy.ExtentUnknown
			}
			if path := p.Example(); path != decide.RobotsPath && allowed(path) != root {
				return policy.ExtentSome
			}
		}
	}
	switch {
	case examples > 0:
		return policy.ExtentUnknown
	case root:
		return policy.ExtentAll
	case everything:
		return policy.ExtentNone
	}
	return policy.ExtentUnknown // such as Disallow: /$
}

// stepsPerByte is the cost of a byte of pattern if examples are enough: what exploring the patterns of an ordinary file
// takes. So budgets end at the same place whether or not a file needs an exploration.
const stepsPerByte = 50

// ExamplesCost is the cost of ByExamples, without that of finding the rules.
func ExamplesCost(rules []*policy.Statement) (steps int) {
	for _, st := range rules {
		for i := range st.Patterns {
			steps += stepsPerByte * st.Patterns[i].Len()
		}
	}
	return steps
}

// byExamples is ByExamples for a usage and a view, if no ACAP statement is addressed to the agent; else unknown.
func (s *PathClasses) byExamples(u policy.Usage, at time.Time) policy.Extent {
	if s.Over() || len(s.view.Candidates()) > 0 || s.view.HasUnresolved() ||
		s.view.Options().Without.Has(policy.RuleSilence) {
		return policy.ExtentUnknown
	}
	rules, cost := s.view.CrawlREP()
	s.view.Budget().Spend(cost + ExamplesCost(rules))
	return ByExamples(rules, func(path string) bool {
		return s.view.Decide(nil, decide.Question{Path: path, Usage: u, At: at}).Decision != policy.Disallowed
	})
}
