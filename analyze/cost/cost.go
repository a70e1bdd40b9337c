// Package cost counts what judging takes, in steps, and holds it to what was written. A step is a look at a statement, a name, a pattern or
// a place in one: 10 to 50 ns. Steps depend on the text alone, and not on the machine or on what else is judged, so that a budget cuts always
// at the same place.
package cost

import "math"

// Multiple is how many times what an ordinary site of its size takes a site may take. Of that its robots.txt has OfSite by itself, and its
// pages OfPages; what is done in any case, such as the rows for any crawler, may take the rest.
const (
	Multiple = 50
	OfSite   = 20
	OfPages  = 10
)

// What an ordinary file takes, with rows for every site (--permissions all): about half of 7,977 real ones of 2017 take less.
//
//	go test ./analyze/survey -run TestOrdinaryCost -v
//
// tells how many do, and fails where it is not about half. One in a hundred takes some thousand times as much, for its wildcards.
const (
	perFile = 1400 // steps, whatever it says: most are those of sixteen rows
	perByte = 30

	perPage     = 2000 // a page with ACAP: sixteen rows, and a look at its conflicts
	perPageByte = 2
)

// Row is what a row takes.
const Row = 16

// File is what an ordinary robots.txt of so many bytes takes, references and redirects included.
func File(bytes int) int64 { return perFile + perByte*int64(bytes) }

// Page is what an ordinary page takes with so many bytes of directives.
func Page(bytes int) int64 { return perPage + perPageByte*int64(bytes) }

// A Budget is how many steps may still be taken. A nil Budget has no end, and counts nothing. It is for one goroutine.
type Budget struct {
	limit, spent int64
	stopped      func() bool // nil: never
	ended        bool        // by stopped
	ask          int64       // how much is spent when stopped is asked again
}

// stepsBetween is after how many steps a Budget asks again whether all is to stop: a millisecond or two.
const stepsBetween = 1 << 16

// New returns a budget of so many steps.
func New(steps int64) *Budget { return &Budget{limit: steps} }

// EndWhen has the budget end as soon as stopped says so, which is asked now and then. What ended so is to be thrown away: it does not
// depend on the text alone. nil is never.
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

// Stopped asks whether the budget was made to end before its steps were taken.
func (b *Budget) Stopped() bool {
	if b == nil || b.stopped == nil {
		return false
	}
	b.ended = b.ended || b.stopped()
	return b.ended
}

// Add allows more steps.
func (b *Budget) Add(steps int64) { b.limit += steps }

// Spent is how many steps were counted.
func (b *Budget) Spent() int64 {
	if b == nil {
		return 0
	}
	return b.spent
}

// Left is how many steps may still be taken; it is not negative.
func (b *Budget) Left() int {
	if b == nil {
		return math.MaxInt
	}
	if b.ended {
		return 0
	}
	return int(max(0, b.limit-b.spent))
}

// Over tells whether none is left.
func (b *Budget) Over() bool { return b.Left() == 0 }

// share is the part of what is left that one thing may take. The next gets as much of what is then left, so that the first ones get most, and
// all together never more than there is.
const share = 2

// Share is how many steps one of many things may take.
func (b *Budget) Share() int { return b.Left() / share }
