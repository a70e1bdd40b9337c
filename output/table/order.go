package table

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A Row is a pointer to a row of a table. Compare orders rows as their table's files have them.
type Row[T any] interface {
	*T
	Compare(*T) int
	group() string // rows of one group come together, and are nearly in order
}

// Sort puts rows into the order of their table's files. Rows that differ in the table's key never compare equal, so the
// result does not depend on the order they came in.
func Sort[T any, R Row[T]](rows []T) {
	compare := func(a, b uint32) int { return R(&rows[a]).Compare(&rows[b]) }
	same := func(a, b uint32) bool { return R(&rows[a]).group() == R(&rows[b]).group() }
	apply(rows, order(len(rows), compare, same))
}

// order returns the order of n rows. It sorts ascending runs of a group, and sorts rows only where runs overlap.
func order(n int, compare func(a, b uint32) int, same func(a, b uint32) bool) []uint32 {
	type run struct{ first, last uint32 }
	var runs []run
	for i := range uint32(n) {
		if i == 0 || !same(i-1, i) || compare(i-1, i) > 0 {
			runs = append(runs, run{first: i})
		}
		runs[len(runs)-1].last = i
	}
	slices.SortFunc(runs, func(a, b run) int { return compare(a.first, b.first) })
	places := make([]uint32, 0, n)
	from, overlap := 0, false // of the runs that overlap with the last ones
	var greatest uint32       // of these
	for i, r := range runs {
		switch {
		case i == 0 || compare(greatest, r.first) <= 0:
			if overlap {
				slices.SortFunc(places[from:], compare)
			}
			from, overlap, greatest = len(places), false, r.last
		default:
			if overlap = true; compare(greatest, r.last) < 0 {
				greatest = r.last
			}
		}
		for at := r.first; at <= r.last; at++ {
			places = append(places, at)
		}
	}
	if overlap {
		slices.SortFunc(places[from:], compare)
	}
	return places
}

// apply moves each row to its place, once: rows are large.
func apply[T any](rows []T, places []uint32) {
	for start := range places {
		from := int(places[start])
		if from == start {
			continue
		}
		first, to := rows[start], start
		for from != start {
			rows[to] = rows[from]
			places[to] = uint32(to)
			to, from = from, int(places[from])
		}
		rows[to] = first
		places[to] = uint32(to)
	}
}

func (r *Input) group() string      { return "" }
func (r *Robots) group() string     { return r.Site }
func (r *Page) group() string       { return r.Site }
func (r *Directive) group() string  { return r.Site }
func (r *Adoption) group() string   { return r.Site }
func (r *Permission) group() string { return r.Site }
func (r *Conflict) group() string   { return r.Site }
func (r *Agent) group() string      { return r.Site }

// Compare orders rows by their place in the table's files: negative where r comes first.
func (r *Input) Compare(o *Input) int { return strings.Compare(r.WARCFilename, o.WARCFilename) }

// Compare orders rows by their place in the table's files: negative where r comes first.
func (r *Robots) Compare(o *Robots) int { return r.Key.compare(&o.Key) }

// Compare orders rows by their place in the table's files: negative where r comes first.
func (r *Page) Compare(o *Page) int { return r.Key.compare(&o.Key) }

// Compare orders rows by their place in the table's files: negative where r comes first.
func (r *Directive) Compare(o *Directive) int {
	if c := r.Key.compare(&o.Key); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(r.Source, o.Source), compareNull(r.Line, o.Line)); c != 0 {
		return c
	}
	return cmp.Or(
		compareNull(r.ByteOffset, o.ByteOffset),
		cmp.Compare(r.Part, o.Part),
		strings.Compare(r.StatementID, o.StatementID),
	)
}

// Compare orders rows by their place in the table's files: negative where r comes first.
func (r *Adoption) Compare(o *Adoption) int {
	return cmp.Or(strings.Compare(r.SURTHostName, o.SURTHostName), strings.Compare(r.Site, o.Site))
}

// Compare orders rows by their place in the table's files: negative where r comes first.
func (r *Agent) Compare(o *Agent) int {
	if c := compareSite(&r.Host, r.Site, &o.Host, o.Site); c != 0 {
		return c
	}
	return strings.Compare(r.Agent, o.Agent)
}

// Compare orders rows by their place in the table's files: negative where r comes first. A site's own rows come before
// those of its pages.
func (r *Permission) Compare(o *Permission) int {
	if c := compareSite(&r.Host, r.Site, &o.Host, o.Site); c != 0 {
		return c
	}
	// The word site sorts after page; rows about the site belong first.
	if c := -cmp.Compare(r.Scope, o.Scope); c != 0 {
		return c
	}
	if c := r.Key.compare(&o.Key); c != 0 {
		return c
	}
	return cmp.Or(
		strings.Compare(r.Agent, o.Agent),
		compareNull(r.Purpose, o.Purpose),
		cmp.Compare(r.Usage, o.Usage),
	)
}

// Compare orders rows by their place in the table's files: negative where r comes first. Conflicts within a site's
// robots.txt come before those that pages are part of.
func (r *Conflict) Compare(o *Conflict) int {
	if c := compareSite(&r.Host, r.Site, &o.Host, o.Site); c != 0 {
		return c
	}
	if c := r.Key.compare(&o.Key); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(r.Kind, o.Kind),
		strings.Compare(r.Agent, o.Agent),
		compareNull(r.Purpose, o.Purpose),
		cmp.Compare(r.Usage, o.Usage),
		compareNull(r.FirstID, o.FirstID),
		compareNull(r.SecondID, o.SecondID),
		strings.Compare(r.Rule, o.Rule),
		compareNull(r.ExampleURL, o.ExampleURL),
	)
}

func compareSite(r *Host, site string, o *Host, otherSite string) int {
	return cmp.Or(strings.Compare(r.SURTHostName, o.SURTHostName), strings.Compare(site, otherSite))
}

func (k *Key) compare(o *Key) int {
	if c := compareNull(k.URLSurtkey, o.URLSurtkey); c != 0 {
		return c // as most do; cmp.Or would look at all columns first
	}
	if c := compareTime(k.FetchTime, o.FetchTime); c != 0 {
		return c
	}
	return cmp.Or(
		compareNull(k.WARCFilename, o.WARCFilename),
		compareNull(k.RecordOffset, o.RecordOffset),
		// Records that share a compressed member.
		compareNull(k.URL, o.URL),
		compareNull(k.ContentDigest, o.ContentDigest),
	)
}

// compareNull orders null before every value.
func compareNull[T cmp.Ordered](a, b *T) int {
	switch {
	case a == nil || b == nil:
		return compareBool(a != nil, b != nil)
	default:
		return cmp.Compare(*a, *b)
	}
}

func compareTime(a, b *time.Time) int {
	if a == nil || b == nil {
		return compareBool(a != nil, b != nil)
	}
	return a.Compare(*b)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
