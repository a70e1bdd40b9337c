package columns

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/output/rowtype"
)

// An Order compares rows by some of their columns, one after the other. Null comes before every value.
type Order[T any] struct {
	rows  *Rows[T]
	by    []sortColumn
	group *Leaf
}

type sortColumn struct {
	leaf       *Leaf
	descending bool
}

// OrderBy returns the order by columns of these names; - before a name is descending. Rows with the same value in the
// column group should come together, and nearly in order: then sorting them takes less time. Columns must not be below
// a list or map.
func (r *Rows[T]) OrderBy(group string, names []string) (*Order[T], error) {
	r.settle()
	o := &Order[T]{rows: r}
	for _, name := range names {
		path, descending := strings.CutPrefix(name, "-")
		leaf := r.leaf(path)
		if leaf == nil {
			return nil, fmt.Errorf("columns: there is no column %s to sort by", path)
		}
		o.by = append(o.by, sortColumn{leaf, descending})
	}
	if group != "" {
		if o.group = r.leaf(group); o.group == nil {
			return nil, fmt.Errorf("columns: there is no column %s to group by", group)
		}
	}
	return o, nil
}

func (r *Rows[T]) leaf(path string) *Leaf {
	for i := range r.store.leaves {
		if l := &r.store.leaves[i]; l.Node.Path == path && l.starts == nil {
			return l
		}
	}
	return nil
}

// Compare is negative if row a comes before row b.
func (o *Order[T]) Compare(a, b uint32) int {
	for i := range o.by {
		by := &o.by[i]
		if c := by.leaf.compare(a, b); c != 0 {
			if by.descending {
				return -c
			}
			return c
		}
	}
	return 0
}

// compare compares two entries.
func (l *Leaf) compare(a, b uint32) int {
	if l.same > 0 {
		return 0
	}
	if l.defs != nil {
		if x, y := int(l.defs[a]) == l.Node.Def, int(l.defs[b]) == l.Node.Def; !x || !y {
			switch {
			case x == y:
				return 0
			case x:
				return 1
			}
			return -1
		}
	}
	switch {
	case l.wide:
		return cmp.Compare(l.longs[a], l.longs[b])
	case l.words[a] == l.words[b]:
		return 0
	case l.Node.Kind == rowtype.String || l.Node.Kind == rowtype.Bytes:
		return bytes.Compare(l.Text(l.words[a]), l.Text(l.words[b]))
	}
	return cmp.Compare(int32(l.words[a]), int32(l.words[b]))
}

// Sorted returns the numbers of all rows, sorted. Rows that compare equal may come in any order. It sorts ascending
// runs of a group, and sorts rows only where runs overlap.
func (o *Order[T]) Sorted() []uint32 {
	type run struct{ first, last uint32 }
	var runs []run
	for i := range uint32(o.rows.Len()) {
		if i == 0 || o.group != nil && o.group.compare(i-1, i) != 0 || o.Compare(i-1, i) > 0 {
			runs = append(runs, run{first: i})
		}
		runs[len(runs)-1].last = i
	}
	slices.SortFunc(runs, func(a, b run) int { return o.Compare(a.first, b.first) })
	rows := make([]uint32, 0, o.rows.Len())
	from, overlap := 0, false // of the runs that overlap with the last ones
	var greatest uint32       // of these
	for i, r := range runs {
		if i == 0 || o.Compare(greatest, r.first) <= 0 {
			if overlap {
				slices.SortFunc(rows[from:], o.Compare)
			}
			from, overlap, greatest = len(rows), false, r.last
		} else if overlap = true; o.Compare(greatest, r.last) < 0 {
			greatest = r.last
		}
		for row := r.first; row <= r.last; row++ {
			rows = append(rows, row)
		}
	}
	if overlap {
		slices.SortFunc(rows[from:], o.Compare)
	}
	return rows
}
