package survey

import (
	"github.com/acapscan/acapscan/output/table"
)

// A Partition is a part of a table. Subset is empty in tables of sites.
type Partition struct {
	Crawl, Subset string
}

// Tables take the rows of a bucket as they come.
type Tables struct {
	Inputs      Table[table.Input]
	Robots      Table[table.Robots]
	Pages       Table[table.Page]
	Directives  Table[table.Directive]
	Adoption    Table[table.Adoption]
	Agents      Table[table.Agent]
	Permissions PermissionTable
	Conflicts   Table[table.Conflict]
}

// A PermissionTable takes the rows of table permissions. Those of most agents differ in the name alone, and those of
// most usages, too.
type PermissionTable interface {
	Table[table.Permission]
	// Count returns how many rows a partition has in this part.
	Count(at Partition) int
	// Again adds copies of n of these rows, the first of which has the number from, for another agent.
	Again(at Partition, from, n int, agent string)
	// Repeat adds copies of the last row for other usages.
	Repeat(at Partition, usages []string)
}

// A Table takes the rows of a table.
type Table[T any] interface {
	// Next adds a row to a partition and returns it, to be set as a whole at once. What it refers to does not change.
	Next(at Partition) *T
}

// Parts are the rows of a table by partition.
type Parts[T any] map[Partition][]T

// Next adds a row.
func (p Parts[T]) Next(at Partition) *T {
	p[at] = append(p[at], *new(T))
	return &p[at][len(p[at])-1]
}

// permissionLists are rows of permissions by partition.
type permissionLists struct{ Parts[table.Permission] }

// Count is that of PermissionTable.
func (p permissionLists) Count(at Partition) int { return len(p.Parts[at]) }

// Again is that of PermissionTable.
func (p permissionLists) Again(at Partition, from, n int, agent string) {
	for i := from; i < from+n; i++ {
		row := p.Parts[at][i]
		row.Agent = agent
		*p.Next(at) = row
	}
}

// Repeat is that of PermissionTable.
func (p permissionLists) Repeat(at Partition, usages []string) {
	last := len(p.Parts[at]) - 1
	for _, usage := range usages {
		row := p.Parts[at][last]
		row.Usage = table.Usage(usage)
		*p.Next(at) = row
	}
}

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
	move(to tableRows, least int)
}

func (r *Rows) takers() Tables {
	return Tables{
		r.Inputs, r.Robots, r.Pages, r.Directives, r.Adoption, r.Agents, permissionLists{r.Permissions}, r.Conflicts,
	}
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

// take takes the lists of at least so many rows, and one.
func (r *Rows) take(least int) *Rows {
	taken := newRows()
	to := taken.tables()
	for i, t := range r.tables() {
		t.move(to[i], max(1, least))
	}
	return taken
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

// move moves lists of at least so many rows to Parts of the same table.
func (p Parts[T]) move(to tableRows, least int) {
	for at, list := range p {
		if len(list) >= least {
			to.(Parts[T])[at] = list
			delete(p, at)
		}
	}
}
