package rowtype

import (
	"reflect"
	"slices"
	"strings"
)

// Entry is an entry of a map column.
type Entry struct {
	Key   string
	Value int64
}

// AppendEntries appends the entries of v, a slice for map column c, to dst in the
// form in which they are written: valid UTF-8, sorted by key, the values of equal
// keys added up. Dst must be empty; it is there for its memory. V is not changed.
func (c *Column) AppendEntries(dst []Entry, v reflect.Value) []Entry {
	key, value := c.Children[0].Index, c.Children[1].Index
	for i := range v.Len() {
		e := v.Index(i)
		dst = append(dst, Entry{ValidUTF8(e.FieldByIndex(key).String()), e.FieldByIndex(value).Int()})
	}
	byKey := func(a, b Entry) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(dst, byKey) {
		slices.SortFunc(dst, byKey)
	}
	n := 0
	for _, e := range dst {
		if n > 0 && dst[n-1].Key == e.Key {
			dst[n-1].Value += e.Value
			continue
		}
		dst[n] = e
		n++
	}
	return dst[:n]
}
