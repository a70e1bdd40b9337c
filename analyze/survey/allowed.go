package survey

import (
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/ingest/facts"
)

// This file is about what a site may take. What its robots.txt is decided by has a budget that follows from the bytes of the file that speaks for
// it, and of those that its references lead to; what its pages take has one from these and from the directives of the pages. See package cost.

// A part is a thing that is found of a site's robots.txt.
type part int

const (
	ofComparison part = iota // how ACAP compares with the conventional rules
	ofPermissions
	ofConflicts
)

// allowed returns the budget for a part; they come in the order above. The first may take a third, and a third is kept for the last where there is
// ACAP that may conflict. Each crawler that the options name may take as much again.
func (s *site) allowed(p part) *cost.Budget {
	return cost.New(s.stepsFor(p)).EndWhen(s.stopped)
}

func (s *site) stepsFor(p part) int64 {
	all := cost.OfSite * cost.File(writtenFor(s.file())) * int64(1+len(s.opts.Agents))
	switch f := s.file(); {
	case p == ofComparison:
		return all / 3
	case p == ofPermissions && f != nil && f.acap:
		return all - all/3 - s.ofFile
	}
	return all - s.ofFile
}

// spent notes what a part took.
func (s *site) spent(b *cost.Budget) {
	s.ofFile += b.Spent()
	s.took.Spend(int(b.Spent()))
}

// writtenFor counts the bytes that a robots.txt was made of: its own, and those that its references lead to.
func writtenFor(f *robotsFile) int {
	if f == nil {
		return 0
	}
	n := len(f.owner.Body)
	counted := map[*facts.Fact]bool{}
	for _, body := range f.found {
		if body != nil && !counted[body] {
			counted[body] = true
			n += len(body.Body)
		}
	}
	return n
}

// directiveBytes counts what the directives of a page were written with.
func directiveBytes(f *facts.Fact) (n int) {
	for i := range f.Directives {
		d := &f.Directives[i]
		n += max(len(d.Raw), len(d.Name)+len(d.Value))
	}
	return n
}

// pageShare is how much one page may take beside what others left.
func (s *site) pageShare() int64 {
	return freePageWork + max(0, s.pagesAllowed()-s.inPages.work)/pagesShare
}

// pagesShare: a page may take one part of so many that are left.
const pagesShare = 8

// pagesAllowed is what the pages that have gone by may take together.
func (s *site) pagesAllowed() int64 { return min(s.captures.bounds.pages, s.inPages.allowed) }
