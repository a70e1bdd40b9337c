package numbers

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// Bounds of what a Grid keeps. Most names come from a closed list. Names out of an archive, such as versions, must not
// let the report grow.
const (
	maxNames     = 4096
	maxNameBytes = 128
)

// A Grid counts in rows that have names and columns that have numbers, in bounded memory: names beyond the limit are
// counted together, under no name, and a long name is cut. Which names those are depends on the order of the tables
// only.
type Grid struct {
	columns int
	limit   int
	rows    map[string][]int64
	rest    []int64
}

func newGrid(columns int) *Grid { return newGridOf(columns, maxNames) }

func newGridOf(columns, limit int) *Grid {
	return &Grid{columns: columns, limit: limit, rows: map[string][]int64{}, rest: make([]int64, columns)}
}

// Add counts n more in a row and a column. A column that the grid does not have panics: columns are this package's own.
func (g *Grid) Add(name string, column int, n int64) {
	if row, ok := g.rows[name]; ok {
		row[column] += n
		return
	}
	if len(name) > maxNameBytes {
		g.Add(Clip(name, maxNameBytes), column, n)
		return
	}
	if len(g.rows) >= g.limit {
		g.rest[column] += n
		return
	}
	row := make([]int64, g.columns)
	row[column] = n
	g.rows[name] = row
}

// Values returns the counts of a row, each 0 if the row is missing.
func (g *Grid) Values(name string) []int64 {
	if row, ok := g.rows[name]; ok {
		return row
	}
	return make([]int64, g.columns)
}

// Get returns the count of a row and a column.
func (g *Grid) Get(name string, column int) int64 { return g.Values(name)[column] }

// Row returns the sum of a row over all columns.
func (g *Grid) Row(name string) int64 { return Sum(g.rows[name]) }

// Beyond returns what is counted in each column under these names and under names beyond the limit.
func (g *Grid) Beyond(names []string) []int64 {
	total := slices.Clone(g.rest)
	for _, name := range names {
		for i, n := range g.rows[name] {
			total[i] += n
		}
	}
	return total
}

// Total returns the sum of each column over all rows, the names beyond the limit included.
func (g *Grid) Total() []int64 { return g.Beyond(g.Names()) }

// Len returns the number of names.
func (g *Grid) Len() int { return len(g.rows) }

// Full tells that there were names beyond the limit.
func (g *Grid) Full() bool { return Sum(g.rest) > 0 }

// Names returns the names in alphabetical order.
func (g *Grid) Names() []string { return slices.Sorted(maps.Keys(g.rows)) }

// By returns the names by falling count in the first column, then in the others; equal ones in alphabetical order.
func (g *Grid) By() []string {
	names := g.Names()
	slices.SortStableFunc(names, func(a, b string) int { return slices.Compare(g.rows[b], g.rows[a]) })
	return names
}

// In returns the given names, there or not, and then in alphabetical order those that the grid has beside them.
func (g *Grid) In(order []string) []string {
	names := slices.Clone(order)
	for _, name := range g.Names() {
		if !slices.Contains(order, name) {
			names = append(names, name)
		}
	}
	return names
}

// Sum adds the counts of a row.
func Sum(row []int64) int64 {
	var n int64
	for _, v := range row {
		n += v
	}
	return n
}

// Clip cuts text to so many bytes, not within a character.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
