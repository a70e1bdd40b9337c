// Package columns holds rows of a struct type by column, in memory without pointers: the garbage collector does not
// look into it, a value that repeats the one before it is not stored again, and a file is written column by column from
// it, in any order of rows.
//
// The struct type and its tags are the columns, as package rowtype reads them. The package knows no format and no
// table, and must import nothing else of this module.
package columns

import (
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/acapscan/acapscan/output/rowtype"
)

// Rows are rows of type T by column. They are for one goroutine at a time.
type Rows[T any] struct {
	tree  *Tree
	store store
}

// New returns no rows. An error about a struct tag names the column.
func New[T any]() (*Rows[T], error) {
	tree, err := TreeOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	r := &Rows[T]{tree: tree}
	r.store.leaves = make([]Leaf, len(tree.Leaves))
	for i, n := range tree.Leaves {
		if r.store.leaves[i] = newLeaf(n); n.Rep > 0 {
			r.store.repeated = append(r.store.repeated, i)
		}
	}
	return r, nil
}

// Append adds a copy of a row. The caller may change the row, and what it refers to, afterwards.
func (r *Rows[T]) Append(row *T) {
	s := &r.store
	s.bytes = 0
	for _, i := range s.repeated {
		l := &s.leaves[i]
		l.starts = append(l.starts, uint32(len(l.defs)))
	}
	for _, n := range r.tree.Root.Children {
		s.add(n, unsafe.Add(unsafe.Pointer(row), n.offset), 0)
	}
	s.sizes = append(s.sizes, uint32(min(s.bytes, math.MaxUint32)))
	s.total += s.bytes
}

// Len returns the number of rows.
func (r *Rows[T]) Len() int { return len(r.store.sizes) }

// Bytes returns how many bytes the values of all rows have. A null has one byte.
func (r *Rows[T]) Bytes() int64 { return r.store.total }

// RowBytes returns how many bytes the values of each row have.
func (r *Rows[T]) RowBytes() []uint32 { return r.store.sizes }

// Leaves returns the columns that hold values, in order. They are good until the next Append or Reset.
func (r *Rows[T]) Leaves() []Leaf { return r.store.leaves }

// Reset removes all rows. It keeps their memory for the next ones.
func (r *Rows[T]) Reset() {
	s := &r.store
	s.sizes, s.total = s.sizes[:0], 0
	for i := range s.leaves {
		s.leaves[i].reset()
	}
}

// A store takes rows apart.
type store struct {
	leaves   []Leaf
	repeated []int    // numbers of leaves below a list or map
	sizes    []uint32 // bytes of values, by row
	total    int64
	bytes    int64           // of the row that is being added
	entries  []rowtype.Entry // memory for maps
}

// A sliceHeader is what a slice is made of.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// add adds the Go value of n at p. It looks at memory by the offsets that the type has: through package reflect it
// takes several times as long.
func (s *store) add(n *Node, p unsafe.Pointer, rep int) {
	if n.Optional {
		// A pointer; or a slice or a map, which begin with one.
		target := *(*unsafe.Pointer)(p)
		if target == nil {
			s.addNone(n, rep, n.Def-1)
			return
		}
		if n.Pointer {
			p = target
		}
	}
	switch n.Kind {
	case rowtype.Struct:
		for _, f := range n.Children {
			s.add(f, unsafe.Add(p, f.offset), rep)
		}
	case rowtype.List:
		list := (*sliceHeader)(p)
		if list.len == 0 {
			s.addNone(n, rep, n.Def)
			return
		}
		element, size := n.Children[0], n.Type.Elem().Size()
		for i := range list.len {
			s.add(element, unsafe.Add(list.data, uintptr(i)*size), rep)
			rep = n.Rep + 1
		}
	case rowtype.Map:
		s.addMap(n, *(*map[string]int64)(p), rep)
	default:
		s.addLeaf(n, p, rep)
	}
}

func (s *store) addMap(n *Node, entries map[string]int64, rep int) {
	if len(entries) == 0 {
		s.addNone(n, rep, n.Def)
		return
	}
	s.entries = rowtype.AppendEntries(s.entries[:0], entries)
	for i := range s.entries {
		e := &s.entries[i]
		s.addLeaf(n.Children[0], unsafe.Pointer(&e.Key), rep)
		s.addLeaf(n.Children[1], unsafe.Pointer(&e.Value), rep)
		rep = n.Rep + 1
	}
	clear(s.entries)
}

// addNone adds to all leaves of n that nothing is there from level def on.
func (s *store) addNone(n *Node, rep, def int) {
	s.bytes += int64(n.Leaves)
	for i := n.FirstLeaf; i < n.FirstLeaf+n.Leaves; i++ {
		l := &s.leaves[i]
		l.addLevels(rep, def)
		if l.wide {
			l.longs = append(l.longs, 0)
		} else {
			l.words = append(l.words, 0)
		}
	}
}

func (s *store) addLeaf(n *Node, p unsafe.Pointer, rep int) {
	l := &s.leaves[n.FirstLeaf]
	l.addLevels(rep, n.Def)
	switch n.Kind {
	case rowtype.String:
		text := *(*string)(p)
		s.bytes += int64(len(text))
		l.words = append(l.words, l.text.add(text))
	case rowtype.Bytes:
		list := *(*[]byte)(p)
		s.bytes += int64(len(list))
		l.words = append(l.words, l.text.add(unsafe.String(unsafe.SliceData(list), len(list))))
	case rowtype.Bool:
		s.bytes++
		l.words = append(l.words, uint32(*(*uint8)(p)))
	case rowtype.Int16:
		s.bytes += 4
		l.words = append(l.words, uint32(int32(*(*int16)(p))))
	case rowtype.Int32:
		s.bytes += 4
		l.words = append(l.words, *(*uint32)(p))
	case rowtype.Int64:
		s.bytes += 8
		l.longs = append(l.longs, *(*int64)(p))
	case rowtype.Timestamp:
		s.bytes += 8
		if n.Type.Kind() == reflect.Int64 {
			l.longs = append(l.longs, *(*int64)(p))
		} else {
			l.longs = append(l.longs, (*time.Time)(p).UnixMilli())
		}
	}
}

// A Leaf holds the values of a column without columns below it. It has an entry for each row; below a list or map an
// entry for each element, and one for a list that is null or empty.
type Leaf struct {
	Node *Node

	wide       bool
	defs, reps []byte   // levels, by entry; nil where all are 0
	starts     []uint32 // the first entry, by row; nil where that is the number of the row
	words      []uint32 // values of 32 bits at most, by entry; of texts: where they are in text. 0 where there is none
	longs      []int64  // values of 64 bits, by entry. 0 where there is none
	text       text
}

func newLeaf(n *Node) Leaf {
	l := Leaf{Node: n, wide: n.Kind == rowtype.Int64 || n.Kind == rowtype.Timestamp}
	if n.Def > 0 {
		l.defs = []byte{}
	}
	if n.Rep > 0 {
		l.reps, l.starts = []byte{}, []uint32{}
	}
	l.text.bytes = n.Kind == rowtype.Bytes
	l.text.dictionary = n.Encoding == rowtype.EncodingDict
	return l
}

func (l *Leaf) addLevels(rep, def int) {
	if l.defs != nil {
		l.defs = append(l.defs, byte(def))
	}
	if l.reps != nil {
		l.reps = append(l.reps, byte(rep))
	}
}

func (l *Leaf) reset() {
	l.defs, l.reps, l.starts = l.defs[:0], l.reps[:0], l.starts[:0]
	l.words, l.longs = l.words[:0], l.longs[:0]
	l.text.reset()
}

// IsRepeated reports whether the column is below a list or map, so that a row may have several entries.
func (l *Leaf) IsRepeated() bool { return l.starts != nil }

// Entries returns the first entry of a row, and the one after its last.
func (l *Leaf) Entries(row uint32) (from, to uint32) {
	if l.starts == nil {
		return row, row + 1
	}
	if int(row) == len(l.starts)-1 {
		return l.starts[row], uint32(len(l.defs))
	}
	return l.starts[row], l.starts[row+1]
}

// Defs returns the definition levels by entry, or nil if every row has a value.
func (l *Leaf) Defs() []byte { return l.defs }

// Reps returns the repetition levels by entry, or nil if each row has one entry.
func (l *Leaf) Reps() []byte { return l.reps }

// Words returns values of kinds Bool, Int16 and Int32 by entry, and of kinds String and Bytes what Text takes.
func (l *Leaf) Words() []uint32 { return l.words }

// Longs returns values of kinds Int64 and Timestamp by entry.
func (l *Leaf) Longs() []int64 { return l.longs }

// Text returns the bytes of a value of kind String or Bytes, of Words. They must not be changed.
func (l *Leaf) Text(word uint32) []byte { return l.text.at(word) }

// Prefixed is Text with the length before it, in four bytes, little-endian.
func (l *Leaf) Prefixed(word uint32) []byte { return l.text.prefixed(word) }

// Distinct returns how many texts a column with a dictionary has. Words are below it then.
func (l *Leaf) Distinct() int { return len(l.text.ends) }
