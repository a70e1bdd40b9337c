// Package cost counts the work of decisions in steps, and limits it by the length of the text. A step compares a
// statement, a name, a pattern or a byte of one: 10 to 50 ns. Steps depend on the text alone, so that a budget always
// ends at the same place.
package cost

import "math"

// A site may take Multiple times the steps of an ordinary site of its size: its robots.txt OfSite, table agents
// OfAgents, its pages OfPages, and work without a budget, such as the rows for "*", the rest.
const (
	Multiple = 50
	OfSite   = 20
	OfAgents = 5
	OfPages  = 10
)

// Steps of an ordinary file with permissions for every site: about half of 7,977 real files of 2017 take less.
//
//	go test ./analyze/survey -run TestOrdinaryCost -v
//
// counts them, and fails if it is not about half.
const (
	perFile = 1400 // most are those of sixteen rows
	perByte = 30

	perPage     = 2000 // a page with ACAP: sixteen rows, and a look at its conflicts
	perPageByte = 2
)

// Row is the steps of a row.
const Row = 16

// File is the steps of an ordinary robots.txt, with the files that it redirects or refers to.
func File(bytes int) int64 { return perFile + perByte*int64(bytes) }

// Page is the steps of an ordinary page with so many bytes of directives.
func Page(bytes int) int64 { return perPage + perPageByte*int64(bytes) }

// A Budget is a limit on steps. A nil Budget has no limit and counts nothing. It is for one goroutine.
type Budget struct {
	limit, spent int64
	stopped      func() bool // nil: never
	ended        bool        // by stopped
	ask          int64       // how much is spent when stopped is asked again
}

// stepsBetween is the number of steps between two calls of stopped: a millisecond or two.
const stepsBetween = 1 << 16

// New returns a budget of so many steps.
func New(steps int64) *Budget { return &Budget{limit: steps} }

// EndWhen makes the budget end when stopped returns true; nil: never. The results are to be thrown away then: they do
// not depend on the text alone.
func (b *Budget) EndWhen(stopped func() bool) *Budget {
	b.stopped = stopped
	return b
}

// Spend counts steps.
func (b *Budget) Spend(steps int) {
	if b == nil {
		return
	}
	b.spent += int64(steps)
	if b.spent >= b.ask {
		b.ask = b.spent + stepsBetween
		b.Stopped()
	}
}

// Stopped reports whether stopped ended the budget.
func (b *Budget) Stopped() bool {
	if b == nil || b.stopped == nil {
		return false
	}
	b.ended = b.ended || b.stopped()
	return b.ended
}

// Spent returns the steps so far.
func (b *Budget) Spent() int64 {
	if b == nil {
		return 0
	}
	return b.spent
}

// Left returns the steps that are left, at least 0.
func (b *Budget) Left() int {
	if b == nil {
		return math.MaxInt
	}
	if b.ended {
		return 0
	}
	return int(max(0, b.limit-b.spent))
}

// Over reports whether no steps are left.
func (b *Budget) Over() bool { return b.Left() == 0 }

// Share returns the steps that one of many tasks may take: half of what is left, so that all tasks together stay
// within the budget.
func (b *Budget) Share() int { return b.Left() / 2 }
