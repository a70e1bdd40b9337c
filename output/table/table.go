// Package table defines the rows of the eight tables. Parquet and Arrow schema, the data dictionary (docs/tables.md)
// and the schema files (docs/schema) are all made from these structs and their tags, so that a column is described in
// one place.
//
// The package knows rows, not policies: it decides nothing, reads no file and imports no part of analyze. Columns of an
// enumeration hold the names of package terms.
//
// Every column is a field in rows.go. Its comment is the description in all documents and ends with an example ("…
// Example: 12"). The tag parquet has name and encoding, and the tag since the SchemaVersion that brought the column (1
// without it). A pointer is a nullable column: null means not observed or not applicable, and neither "" nor -1 ever
// stands for it. Lists and maps are never null; an empty one holds nothing.
package table

import (
	"iter"
	"maps"
	"slices"
	"time"
)

// Counts are numbers by name: a MAP in Parquet, sorted by key.
type Counts map[string]int64

// All goes through the names, sorted, and their numbers.
func (c Counts) All() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if !yield(name, c[name]) {
				return
			}
		}
	}
}

// CountsOf returns the entries of m; nil if m is empty.
func CountsOf[K ~string](m map[K]int64) Counts {
	if len(m) == 0 {
		return nil
	}
	counts := make(Counts, len(m))
	for key, value := range m {
		counts[string(key)] = value
	}
	return counts
}

// A Qualifier is a restriction on a permission, as written.
type Qualifier struct {
	Name  string `parquet:"name,dict"`
	Value string `parquet:"value,plain"`
}

// Observed returns a nullable column's value: null where v is the zero value of its type, which must then mean "not
// observed". It is for text and enumerations; a number whose zero is a value of its own needs [Of].
func Observed[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// ObservedIn is Observed for a value that does not change as long as its rows are used: it is not copied.
func ObservedIn[T comparable](v *T) *T {
	var zero T
	if *v == zero {
		return nil
	}
	return v
}

// Of returns a nullable column's value that is there, whatever it is.
func Of[T any](v T) *T { return &v }

// Millis returns the time of a number of milliseconds since 1970 in UTC, as columns of time hold it; null for 0, which
// in facts means "not known".
func Millis(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	return Of(time.UnixMilli(ms).UTC())
}
