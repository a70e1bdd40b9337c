package survey

import (
	"maps"

	"github.com/acapscan/acapscan/output/table"
)

// A Partition is a part of a table. Subset is empty in tables of sites.
type Partition struct {
	Crawl, Subset string
}

// Parts are the rows of a table by partition.
type Parts[T any] map[Partition][]T

// Rows are rows of a bucket, in the order of the tables.
type Rows struct {
	Inputs      Parts[table.Input]
	Robots      Parts[table.Robots]
	Pages       Parts[table.Page]
	Directives  Parts[table.Directive]
	Adoption    Parts[table.Adoption]
	Agents      Parts[table.Agent]
	Permissions Parts[table.Permission]
	Conflicts   Parts[table.Conflict]
}

func newRows() *Rows {
	return &Rows{
		Parts[table.Input]{}, Parts[table.Robots]{}, Parts[table.Page]{}, Parts[table.Directive]{},
		Parts[table.Adoption]{}, Parts[table.Agent]{}, Parts[table.Permission]{}, Parts[table.Conflict]{},
	}
}

type tableRows interface {
	count() int
	capacity() int
	empty()
	prune()
	moveLong(to tableRows, least int)
	moveEmpty(to tableRows)
}

func (r *Rows) tables() []tableRows {
	return []tableRows{r.Inputs, r.Robots, r.Pages, r.Directives, r.Adoption, r.Agents, r.Permissions, r.Conflicts}
}

func (r *Rows) count() (n int) {
	for _, t := range r.tables() {
		n += t.count()
	}
	return n
}

// takeLong takes the lists of at least so many rows.
func (r *Rows) takeLong(least int) *Rows {
	long := newRows()
	to := long.tables()
	for i, t := range r.tables() {
		t.moveLong(to[i], least)
	}
	return long
}

// giveBack empties the lists that takeLong took, and gives back their memory.
func (r *Rows) giveBack(from *Rows) {
	to := from.tables()
	for i, t := range r.tables() {
		t.moveEmpty(to[i])
	}
}

// empty removes all rows. It keeps memory for twice so many: partitions come and go.
func (r *Rows) empty(rows int) {
	capacity := 0
	for _, t := range r.tables() {
		capacity += t.capacity()
		t.empty()
	}
	if capacity > 2*rows {
		*r = *newRows()
	}
}

// prune removes partitions without rows.
func (r *Rows) prune() {
	for _, t := range r.tables() {
		t.prune()
	}
}

func (r *Rows) sort() {
	sortAll(r.Inputs)
	sortAll(r.Robots)
	sortAll(r.Pages)
	sortAll(r.Directives)
	sortAll(r.Adoption)
	sortAll(r.Agents)
	sortAll(r.Permissions)
	sortAll(r.Conflicts)
}

func sortAll[T any, R table.Row[T]](rows Parts[T]) {
	for _, list := range rows {
		table.Sort[T, R](list)
	}
}

func (p Parts[T]) count() (n int) {
	for _, list := range p {
		n += len(list)
	}
	return n
}

func (p Parts[T]) capacity() (n int) {
	for _, list := range p {
		n += cap(list)
	}
	return n
}

func (p Parts[T]) empty() {
	for at, list := range p {
		clear(list)
		p[at] = list[:0]
	}
}

func (p Parts[T]) prune() {
	maps.DeleteFunc(p, func(_ Partition, list []T) bool { return len(list) == 0 })
}

// moveLong moves lists of at least so many rows to Parts of the same table.
func (p Parts[T]) moveLong(to tableRows, least int) {
	for at, list := range p {
		if len(list) >= least {
			to.(Parts[T])[at] = list
			delete(p, at)
		}
	}
}

// moveEmpty moves all lists, without their rows.
func (p Parts[T]) moveEmpty(to tableRows) {
	for at, list := range p {
		clear(list)
		to.(Parts[T])[at] = list[:0]
	}
}
