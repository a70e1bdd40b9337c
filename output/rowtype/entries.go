package rowtype

import (
	"reflect"
	"slices"
	"strings"
)

var mapType = reflect.TypeFor[map[string]int64]()

// MapOf returns the map that v, the Go value of a column of kind Map, holds. It is no copy.
func MapOf(v reflect.Value) map[string]int64 {
	return v.Convert(mapType).Interface().(map[string]int64)
}

// MakeEmpty sets dst, the Go value of a list or map, to an empty one that is not nil.
func (c *Column) MakeEmpty(dst reflect.Value) {
	if c.Kind == Map {
		dst.Set(reflect.MakeMap(c.Type))
		return
	}
	dst.Set(reflect.MakeSlice(c.Type, 0, 0))
}

// Entry is an entry of a map column.
type Entry struct {
	Key   string
	Value int64
}

// AppendEntries appends the entries of a map to dst in the form in which they are
// written: valid UTF-8, sorted by key, the values of equal keys added up. Dst must
// be empty; it is there for its memory.
func AppendEntries(dst []Entry, m map[string]int64) []Entry {
	for key, value := range m {
		dst = append(dst, Entry{ValidUTF8(key), value})
	}
	slices.SortFunc(dst, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
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
