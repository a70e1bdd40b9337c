package parquet

import (
	"reflect"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/acapscan/acapscan/output/rowtype"
)

// This file does what the library's writer leaves to its caller: it counts the bytes of rows, and replaces what is not
// UTF-8.

// A measure counts the bytes of values that rows have, neither encoded nor compressed. A null is one byte.
type measure struct {
	bytes   int64   // of all columns, since the owner last reset it
	sizes   []int64 // by leaf: bytes of text, since the owner last reset it
	invalid bool    // a string was not UTF-8, since the owner last reset it
}

// add counts the Go value of c at p. It looks at memory by the offsets that the type has, as the library's writer does:
// through package reflect it takes as long as half of all the rest (BenchmarkTables).
func (m *measure) add(c *column, p unsafe.Pointer) {
	if c.Optional {
		// A pointer; or a slice or a map, which begin with one.
		target := *(*unsafe.Pointer)(p)
		if target == nil {
			m.bytes += int64(c.leaves)
			return
		}
		if c.Pointer {
			p = target
		}
	}
	switch c.Kind {
	case rowtype.String:
		m.addString(c, *(*string)(p))
	case rowtype.Bytes:
		m.addText(c, len(*(*[]byte)(p)))
	case rowtype.Struct:
		m.bytes += c.fixed
		for _, f := range c.varying {
			m.add(f, unsafe.Add(p, f.offset))
		}
	case rowtype.List:
		list := (*sliceHeader)(p)
		if list.len == 0 {
			m.bytes += int64(c.leaves)
		}
		size := c.Type.Elem().Size()
		for i := range list.len {
			m.add(c.children[0], unsafe.Add(list.data, uintptr(i)*size))
		}
	case rowtype.Map:
		entries := *(*map[string]int64)(p)
		if len(entries) == 0 {
			m.bytes += int64(c.leaves)
		}
		for key := range entries {
			m.addString(c.children[0], key)
			m.bytes += fixedBytes(rowtype.Int64)
		}
	default:
		m.bytes += fixedBytes(c.Kind)
	}
}

// A sliceHeader is what a slice is made of.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

func (m *measure) addString(c *column, s string) {
	m.addText(c, len(s))
	if !utf8.ValidString(s) {
		m.invalid = true
	}
}

func (m *measure) addText(c *column, n int) {
	m.bytes += int64(n)
	m.sizes[c.firstLeaf] += int64(n)
}

// fixedBytes is the length of values that all have the same; 0 for other kinds.
func fixedBytes(k rowtype.Kind) int64 {
	switch k {
	case rowtype.Bool:
		return 1
	case rowtype.Int16, rowtype.Int32:
		return 4
	case rowtype.Int64, rowtype.Timestamp:
		return 8
	}
	return 0
}

// makeValid replaces, in v and in copies of what it refers to, each run of bytes that are not UTF-8 by one U+FFFD. V is
// the Go value of c, and must be settable.
func makeValid(c *column, v reflect.Value) {
	if c.Optional {
		value, ok := c.Value(v)
		if !ok {
			return
		}
		if c.Pointer {
			target := c.Target(v) // v refers to a copy from here on
			target.Set(value)
			value = target
		}
		v = value
	}
	switch c.Kind {
	case rowtype.String:
		v.SetString(strings.ToValidUTF8(v.String(), "\uFFFD"))
	case rowtype.Struct:
		for _, f := range c.varying {
			makeValid(f, v.FieldByIndex(f.Index))
		}
	case rowtype.List:
		if v.Len() == 0 {
			return // empty or nil: not the same in a column that may be null
		}
		elements := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(elements, v)
		v.Set(elements)
		for i := range v.Len() {
			makeValid(c.children[0], v.Index(i))
		}
	case rowtype.Map:
		if v.Len() == 0 {
			return
		}
		entries := reflect.MakeMapWithSize(v.Type(), v.Len())
		m := rowtype.MapOf(entries)
		for key, value := range rowtype.MapOf(v) {
			m[rowtype.ValidUTF8(key)] += value // keys may become equal
		}
		v.Set(entries)
	}
}
