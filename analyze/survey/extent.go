package survey

import (
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// extents tells over how much of a site one agent's usages are allowed (docs/semantics.md, section 7), as decide.Spaces does, but
// ends as soon as both are seen, decides usages that the same statements speak of once, and asks no more questions than it may.
type extents struct {
	view   *decide.View
	spaces *decide.Spaces
	at     time.Time
	asks   int // questions left
	known  map[string]policy.Extent
}

func newExtents(view *decide.View, at time.Time, budget, asks int) *extents {
	return &extents{view: view, spaces: decide.NewSpaces(view, budget), at: at, asks: asks, known: map[string]policy.Extent{}}
}

func (e *extents) of(u policy.Usage) policy.Extent {
	key := e.spokenOf(u)
	extent, known := e.known[key]
	if !known {
		extent = e.explore(u)
		e.known[key] = extent
	}
	return extent
}

// spokenOf is equal for usages that the same statements of the robots.txt speak of, in the same way: no path is allowed for one and
// not for the other.
func (e *extents) spokenOf(u policy.Usage) string {
	candidates := e.view.Candidates()
	key := make([]byte, 0, len(candidates)+1)
	if u == policy.Crawl {
		key = append(key, 'c') // of which conventional rules speak, too
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

func (e *extents) explore(u policy.Usage) policy.Extent {
	space := e.spaces.Of(u)
	allowed, disallowed, exact := false, false, space.Exact
	for _, class := range space.Classes {
		if class.Path == "/robots.txt" {
			continue // always crawlable, it does not count
		}
		if e.asks--; e.asks < 0 {
			exact = false
			break
		}
		if d := e.view.Decide(nil, decide.Question{Path: class.Path, Usage: u, At: e.at}); d.Decision == policy.Disallowed {
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
