package survey

import (
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/ingest/facts"
)

// The budget for a site's robots.txt follows from the bytes of the file in force and of the files that it refers to.
// The budget for its pages follows from the same bytes and from the directives of the pages. See package cost.

// A task is work for a site's robots.txt. Tasks come in this order.
type task int

const (
	forComparison  task = iota // of ACAP with the conventional rules
	forPermissions             // at the root
	forConflicts
	forAgents // it has a budget of its own
)

// work is what was done for a site, in steps.
type work struct {
	stopped func() bool  // reports whether the survey is to end, within a site too
	forFile int64        // for the robots.txt
	all     *cost.Budget // without end; nil before the first
}

// budgetFor returns the budget for a task. The comparison may take a third, and a third is kept for the conflicts if
// there can be any. Each agent of the options adds as much again.
func (s *site) budgetFor(t task) *cost.Budget { return cost.New(s.stepsFor(t)).EndWhen(s.work.stopped) }

func (s *site) stepsFor(t task) int64 {
	ordinary := cost.File(s.robots.File().Bytes()) * int64(1+len(s.opts.Agents))
	if t == forAgents {
		return cost.OfAgents * ordinary
	}
	all := cost.OfSite * ordinary
	switch f := s.robots.File(); {
	case t == forComparison:
		return all / 3
	case t == forPermissions && f != nil && f.HasACAPRule:
		return all - all/3 - s.work.forFile
	}
	return all - s.work.forFile
}

// spent notes the work for a task.
func (w *work) spent(b *cost.Budget) {
	w.forFile += b.Spent()
	w.all.Spend(int(b.Spent()))
}

// directiveBytes returns the length of the directives of a page as written.
func directiveBytes(f *facts.Fact) (n int) {
	for i := range f.Directives {
		d := &f.Directives[i]
		n += max(len(d.Raw), len(d.Name)+len(d.Value))
	}
	return n
}

// freePageWork is how many steps of a page are not counted: a millisecond.
const freePageWork = 1 << 14

// pageWork is the work for the pages of a site, in steps, without freePageWork of each page.
type pageWork struct {
	limit   int64 // of the options
	allowed int64 // by the robots.txt and the pages so far
	before  int64 // for earlier pages
	used    int64 // for the current page
}

// allowFiles adds what robots.txt of these lengths allow.
func (w *pageWork) allowFiles(bytes []int) {
	for _, n := range bytes {
		w.allowed += cost.OfPages * cost.File(n)
	}
}

func (w *pageWork) left() int64 { return max(0, min(w.limit, w.allowed)-w.before) }

// exceeded reports whether earlier pages took so much that the robots.txt is no longer searched for rules at a page.
func (w *pageWork) exceeded() bool { return w.left() == 0 }

// share is how much the current page may take: a part of what is left.
func (w *pageWork) share() int64 { return freePageWork + w.left()/8 }

// endPage begins the next page.
func (w *pageWork) endPage() {
	w.before += max(0, w.used-freePageWork)
	w.used = 0
}
