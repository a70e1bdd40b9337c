// Package extent finds over how much of a site a usage is allowed (docs/semantics.md, section 7), and the paths at
// which two sides of a policy can differ (section 8). It asks package decide at one path of each class that package
// paths finds, and decides nothing itself.
package extent

import (
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/paths"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// PathClasses explores the paths that a view's robots.txt distinguishes, and caches the results: many usages share
// their statements. It belongs to one View and is not safe for concurrent use.
type PathClasses struct {
	view    *decide.View
	budget  int
	known   map[string]paths.Space
	extents map[extentKey]policy.Extent
}

// NewPathClasses explores within budget states each time; 0 is the default of package paths.
func NewPathClasses(v *decide.View, budget int) *PathClasses {
	return &PathClasses{
		view: v, budget: budget, known: make(map[string]paths.Space), extents: make(map[extentKey]policy.Extent),
	}
}

// Of returns one path for every way in which the file can decide the usage, together with crawl: the decision at any
// path equals that at one of them. If the space is not Exact, some ways may be missing.
func (s *PathClasses) Of(u policy.Usage) paths.Space {
	if s.Over() {
		return paths.Space{}
	}
	if u.Family() == terms.FamilyAI {
		return s.explored(u.String(), Preferences(s.view, u))
	}
	opts := s.view.Options()
	rules := []*Rules{ACAP(s.view, policy.Crawl), REP(s.view)}
	if !opts.Without.Has(policy.RulePattern) {
		rules = append(rules, robotsRule())
	}
	if opts.Profile == decide.ProfilePilot {
		// A conventional rule that is set aside lets the next one decide.
		rules = append(rules, REPOutside(s.view), setAside(s.view))
	}
	if u != policy.Crawl {
		rules = append(rules, ACAP(s.view, u))
	}
	return s.explored("", rules)
}

// explored explores the paths that rules distinguish, or finds what is cached of it. The statements of all rules with
// one key are numbered alike.
func (s *PathClasses) explored(key string, rules []*Rules) paths.Space {
	for _, r := range rules {
		key += r.key() + "|"
	}
	if space, ok := s.known[key]; ok {
		return space
	}
	space := explore(rules, s.budget, s.view.Budget())
	s.known[key] = space
	return space
}

// Over reports whether the view's budget is used up.
func (s *PathClasses) Over() bool { return s.view.Budget().Over() }

// Extent tells over how much of the site the usage is allowed. It is a property of all paths; /robots.txt itself, which
// can always be crawled, does not count. It is unknown if a budget ends before both an allowed and a disallowed path
// are found.
func (s *PathClasses) Extent(u policy.Usage, at time.Time) policy.Extent {
	key := extentKey{s.coverage(u), at}
	extent, known := s.extents[key]
	if !known {
		extent = s.extent(u, at)
		s.extents[key] = extent
	}
	return extent
}

func (s *PathClasses) extent(u policy.Usage, at time.Time) policy.Extent {
	if u.Family() == terms.FamilyAI {
		return s.preferenceExtent(u)
	}
	if e := s.byExamples(u, at); e != policy.ExtentUnknown {
		return e
	}
	return s.byClasses(u, at)
}

func (s *PathClasses) byClasses(u policy.Usage, at time.Time) policy.Extent {
	space := s.Of(u)
	allowed, disallowed, exact := false, false, space.Exact
	for _, class := range space.Classes {
		if class.Path == decide.RobotsPath && !s.view.Options().Without.Has(policy.RulePattern) {
			continue
		}
		if s.Over() {
			exact = false
			break
		}
		q := decide.Question{Path: class.Path, Usage: u, At: at}
		if s.view.Decide(nil, q).Decision == policy.Disallowed {
			disallowed = true
		} else {
			allowed = true
		}
		if allowed && disallowed {
			return policy.ExtentSome
		}
	}
	switch {
	case !exact:
		return policy.ExtentUnknown
	case disallowed:
		return policy.ExtentNone
	}
	return policy.ExtentAll
}

// preferenceExtent is the extent of a usage of AI preferences, as if every path could be crawled: all or none if the
// same preference is stated at every path, some if it differs, and the zero Extent if none is stated anywhere.
func (s *PathClasses) preferenceExtent(u policy.Usage) policy.Extent {
	space := s.Of(u)
	var first policy.Decision
	for _, class := range space.Classes {
		if s.Over() {
			return policy.ExtentUnknown
		}
		d := s.view.Decide(nil, decide.Question{Path: class.Path, Usage: u}).IfCrawled
		if first != 0 && d != first {
			return policy.ExtentSome
		}
		first = d
	}
	switch {
	case !space.Exact:
		return policy.ExtentUnknown
	case first == policy.Allowed:
		return policy.ExtentAll
	case first == policy.Disallowed:
		return policy.ExtentNone
	}
	return 0
}

// An extentKey has all that an extent depends on.
type extentKey struct {
	coverage string
	at       time.Time
}

// coverage is equal for usages that the same statements of the robots.txt cover in the same way: no path is allowed for
// one of them and disallowed for the other.
func (s *PathClasses) coverage(u policy.Usage) string {
	if u.Family() == terms.FamilyAI {
		return u.String()
	}
	candidates := s.view.Candidates()
	key := make([]byte, 0, len(candidates)+1)
	if u == policy.Crawl {
		key = append(key, 'c') // conventional rules are about crawl, too
	}
	for _, c := range candidates {
		switch {
		case c.Statement.Usage.Covers(u):
			key = append(key, '+')
		case c.Statement.Usage == policy.Other && u != policy.Crawl: // R-DEC-13
			key = append(key, 'o')
		default:
			key = append(key, '-')
		}
	}
	return string(key)
}
