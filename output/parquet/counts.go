package parquet

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Count is one entry of [Counts].
type Count struct {
	Key   string `parquet:"key,dict"`
	Value int64  `parquet:"value"`
}

// Counts is a map from names to numbers, kept as a slice: it has an order, and
// costs one allocation. It is written as Parquet's MAP logical type, and readers
// see map<string, int64>. The writer sorts the entries by key and adds up the
// values of equal keys; it does not change the slice.
//
// The type is recognised by its shape, so a package that must not import this
// one may declare its own.
type Counts []Count

// CountsOf returns the entries of m, sorted by key; nil if m is empty.
func CountsOf(m map[string]int64) Counts {
	if len(m) == 0 {
		return nil
	}
	c := make(Counts, 0, len(m))
	for k, v := range m {
		c = append(c, Count{k, v})
	}
	slices.SortFunc(c, func(a, b Count) int { return strings.Compare(a.Key, b.Key) })
	return c
}

// Get returns the value of key, or 0. It looks at every entry.
func (c Counts) Get(key string) int64 {
	var sum int64
	for _, e := range c {
		if e.Key == key {
			sum += e.Value
		}
	}
	return sum
}

// appendEntries appends the entries of v, a Go map or a slice shaped like
// Counts, to dst: valid UTF-8, sorted by key, each key once.
func appendEntries(dst []Count, c *column, v reflect.Value) []Count {
	if v.Kind() == reflect.Map {
		for it := v.MapRange(); it.Next(); {
			dst = append(dst, Count{validUTF8(it.Key().String()), it.Value().Int()})
		}
	} else {
		key, value := c.children[0].index, c.children[1].index
		for i := range v.Len() {
			e := v.Index(i)
			dst = append(dst, Count{validUTF8(e.FieldByIndex(key).String()), e.FieldByIndex(value).Int()})
		}
	}
	byKey := func(a, b Count) int { return cmp.Compare(a.Key, b.Key) }
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

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
