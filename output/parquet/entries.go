package parquet

import (
	"reflect"
	"slices"
	"strings"
)

// entry is an entry of a map column.
type entry struct {
	key   string
	value int64
}

// appendEntries appends the entries of v, a slice for map column c, to dst:
// valid UTF-8, sorted by key, the values of equal keys added up. Dst must be
// empty.
func appendEntries(dst []entry, c *column, v reflect.Value) []entry {
	key, value := c.children[0].index, c.children[1].index
	for i := range v.Len() {
		e := v.Index(i)
		dst = append(dst, entry{validUTF8(e.FieldByIndex(key).String()), e.FieldByIndex(value).Int()})
	}
	byKey := func(a, b entry) int { return strings.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(dst, byKey) {
		slices.SortFunc(dst, byKey)
	}
	n := 0
	for _, e := range dst {
		if n > 0 && dst[n-1].key == e.key {
			dst[n-1].value += e.value
			continue
		}
		dst[n] = e
		n++
	}
	return dst[:n]
}

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
