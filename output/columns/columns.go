// Package columns holds rows of a struct type by column, in memory without pointers: the garbage collector does not
// look into it, a value that repeats the one before it is not stored again, and a file is written column by column from
// it, in any order of rows.
//
// The struct type and its tags are the columns, as package rowtype reads them. The package knows no format and no
// table, and must import nothing else of this module.
package columns

import (
	"bytes"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/acapscan/acapscan/output/rowtype"
)

// batchRows is how many rows are taken apart at a time, column by column.
const batchRows = 64

// Rows are rows of type T by column. They are for one goroutine at a time.
type Rows[T any] struct {
	tree  *Tree
	store store
	batch []T // the last rows, which are not taken apart yet
}

// New returns no rows. An error about a struct tag names the column.
func New[T any]() (*Rows[T], error) {
	tree, err := TreeOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	r := &Rows[T]{tree: tree, batch: make([]T, 0, batchRows)}
	r.store.leaves = make([]Leaf, len(tree.Leaves))
	for i, n := range tree.Leaves {
		r.store.leaves[i] = newLeaf(n)
	}
	return r, nil
}

// Next adds a row and returns it, to be set as a whole before the next call of any method. What it refers to must not
// change before then, and is let go of after some more rows.
func (r *Rows[T]) Next() *T {
	if len(r.batch) == batchRows {
		r.settle()
	}
	r.batch = r.batch[:len(r.batch)+1]
	return &r.batch[len(r.batch)-1]
}

// Append adds a copy of a row. The caller may change the row afterwards, and must not change what it refers to before
// the next call of another method.
func (r *Rows[T]) Append(row *T) { *r.Next() = *row }

// Again adds copies of n rows, the first of which has the number from, with another text in a column, which must be of
// text, and neither null nor below a list or map.
func (r *Rows[T]) Again(from, n int, column Column, text string) {
	r.settle()
	for i := range r.store.leaves {
		if i != int(column) {
			r.store.leaves[i].again(from, n)
		}
	}
	for row := from; row < from+n; row++ {
		r.store.addText(row, column, text)
	}
}

// Repeat adds copies of the last row, one with each text in a column, which must be as for Again.
func (r *Rows[T]) Repeat(column Column, texts []string) {
	r.settle()
	last := len(r.store.sizes) - 1
	for i := range r.store.leaves {
		if i == int(column) {
			continue
		}
		for n := 0; n < len(texts); { // twice as many each time
			more := min(n+1, len(texts)-n)
			r.store.leaves[i].again(last, more)
			n += more
		}
	}
	for _, text := range texts {
		r.store.addText(last, column, text)
	}
}

// addText adds the text of a column and the size to a copy of a row that has another text.
func (s *store) addText(row int, column Column, text string) {
	l := &s.leaves[column]
	l.spread()
	s.sizes = append(s.sizes, s.sizes[row]-uint32(len(l.Text(l.words[row])))+uint32(len(text)))
	l.words = append(l.words, l.text.add(text))
}

// A Column is the number of a leaf.
type Column int

// Column returns the column of a path, which must be there.
func (r *Rows[T]) Column(path string) Column {
	return Column(slices.IndexFunc(r.tree.Leaves, func(n *Node) bool { return n.Path == path }))
}

// settle takes apart the last rows.
func (r *Rows[T]) settle() {
	if len(r.batch) > 0 {
		r.store.take(r.tree.Root, unsafe.Pointer(&r.batch[0]), len(r.batch))
		clear(r.batch)
		r.batch = r.batch[:0]
	}
}

// Len returns the number of rows.
func (r *Rows[T]) Len() int { return len(r.store.sizes) + len(r.batch) }

// RowBytes returns how many bytes the values of each row have. A null has one byte.
func (r *Rows[T]) RowBytes() []uint32 {
	r.settle()
	return r.store.sizes
}

// Leaves returns the columns that hold values, in order. They are good until the next row, or Reset.
func (r *Rows[T]) Leaves() []Leaf {
	r.settle()
	return r.store.leaves
}

// Reset removes all rows. It keeps their memory for the next ones.
func (r *Rows[T]) Reset() {
	clear(r.batch)
	r.batch, r.store.sizes = r.batch[:0], r.store.sizes[:0]
	for i := range r.store.leaves {
		r.store.leaves[i].reset()
	}
}

// Memory returns how many bytes of memory the values of all rows have, with what Reset keeps.
func (r *Rows[T]) Memory() (n int) {
	for i := range r.store.leaves {
		l := &r.store.leaves[i]
		n += cap(l.defs) + cap(l.reps) + 4*(cap(l.starts)+cap(l.words)) + 8*cap(l.longs)
		n += cap(l.text.data) + 4*(cap(l.text.ends)+cap(l.text.table))
	}
	return n + 4*cap(r.store.sizes)
}

// A store takes rows apart.
type store struct {
	leaves  []Leaf
	sizes   []uint32        // bytes of values, by row
	bytes   int             // of the value that is being added
	entries []rowtype.Entry // memory for maps
}

// take adds n rows that lie side by side.
func (s *store) take(root *Node, rows unsafe.Pointer, n int) {
	from := len(s.sizes)
	s.sizes = slices.Grow(s.sizes, n)[:from+n]
	sizes := s.sizes[from:]
	clear(sizes)
	for _, c := range root.Children {
		values := array{unsafe.Add(rows, c.offset), root.Type.Size()}
		if c.IsLeaf() {
			s.leaves[c.FirstLeaf].take(values, sizes)
			continue
		}
		leaves := s.leaves[c.FirstLeaf : c.FirstLeaf+c.Leaves]
		empty := takeEmpty(c, leaves, values, sizes)
		if empty == n {
			continue
		}
		for i := range leaves {
			leaves[i].spread()
		}
		for i := empty; i < n; i++ {
			for j := range leaves {
				if l := &leaves[j]; l.starts != nil {
					l.starts = append(l.starts, uint32(len(l.defs)))
				}
			}
			s.bytes = 0
			s.add(c, values.at(i), 0)
			sizes[i] += uint32(s.bytes)
		}
	}
}

// takeEmpty adds the first rows, as long as a list is empty in them and in all rows before. It returns how many.
func takeEmpty(c *Node, leaves []Leaf, values array, sizes []uint32) (n int) {
	if c.Kind != rowtype.List || c.Optional {
		return 0
	}
	for i := range leaves {
		if l := &leaves[i]; l.same == 0 && l.entries() > 0 || l.same > 0 && int(l.def) != c.Def {
			return 0
		}
	}
	for n < len(sizes) && (*sliceHeader)(values.at(n)).len == 0 {
		sizes[n] += uint32(len(leaves))
		n++
	}
	for i := range leaves {
		leaves[i].def = byte(c.Def)
		leaves[i].same += uint32(n)
	}
	return n
}

// An array has the Go values of a column, one a row.
type array struct {
	first unsafe.Pointer
	size  uintptr // of a row
}

func (a array) at(i int) unsafe.Pointer { return unsafe.Add(a.first, uintptr(i)*a.size) }

// take adds the values of a leaf that is not below a list or map, and their bytes to sizes.
func (l *Leaf) take(values array, sizes []uint32) {
	first := 0
	if l.entries() == 0 {
		if first = l.takeSame(values, sizes); first == len(sizes) {
			return
		}
		l.spread()
	}
	if l.wide {
		l.longs = slices.Grow(l.longs, len(sizes))
	} else {
		l.words = slices.Grow(l.words, len(sizes))
	}
	if l.Node.Optional {
		l.defs = slices.Grow(l.defs, len(sizes))
	}
	if l.Node.Kind == rowtype.String && (l.Node.Pointer || !l.Node.Optional) {
		l.takeTexts(values, sizes, first)
		return
	}
	for i := first; i < len(sizes); i++ {
		l.takeOne(values.at(i), &sizes[i])
	}
}

// takeTexts is takeOne for the texts of all rows from first on: most cells of tables are texts, and most repeat the one
// before.
func (l *Leaf) takeTexts(values array, sizes []uint32, first int) {
	words, defs, t := l.words, l.defs, &l.text
	for i := first; i < len(sizes); i++ {
		p := (*string)(values.at(i))
		if l.Node.Optional {
			if p = *(**string)(unsafe.Pointer(p)); p == nil {
				words, defs = append(words, 0), append(defs, 0)
				sizes[i]++
				continue
			}
			defs = append(defs, 1)
		}
		sizes[i] += uint32(len(*p))
		if *p != t.last || len(t.data) == 0 {
			t.add(*p)
		}
		words = append(words, t.word)
	}
	l.words, l.defs = words, defs
}

func (l *Leaf) takeOne(p unsafe.Pointer, size *uint32) {
	if n := l.Node; n.Optional {
		target := *(*unsafe.Pointer)(p)
		if target == nil {
			l.addNone(0, 0)
			*size++
			return
		}
		l.defs = append(l.defs, 1)
		if n.Pointer {
			p = target
		}
	}
	*size += uint32(l.addValue(p))
}

// takeSame adds the first rows, as long as they are equal to all rows before. It returns how many.
func (l *Leaf) takeSame(values array, sizes []uint32) (n int) {
	if l.same == 0 {
		l.takeOne(values.at(0), &sizes[0])
		l.fold()
		n = 1
	}
	for from := n; ; n++ {
		if n == len(sizes) || !l.isSame(values.at(n), &sizes[n]) {
			l.same += uint32(n - from)
			return n
		}
	}
}

// isSame reports whether the value of a row is that of all rows before.
func (l *Leaf) isSame(p unsafe.Pointer, size *uint32) bool {
	n, bytes := l.Node, 8
	if n.Optional {
		target := *(*unsafe.Pointer)(p)
		if target == nil && l.def == 0 {
			*size++
			return true
		}
		if target == nil || l.def == 0 {
			return false
		}
		if n.Pointer {
			p = target
		}
	}
	same := false
	switch n.Kind {
	case rowtype.String:
		text := *(*string)(p)
		same, bytes = text == l.text.last, len(text)
	case rowtype.Int64:
		same = *(*int64)(p) == l.long
	case rowtype.Int32:
		same, bytes = *(*uint32)(p) == l.word, 4
	case rowtype.Bool:
		same, bytes = uint32(*(*uint8)(p)) == l.word, 1
	}
	if same {
		*size += uint32(bytes)
	}
	return same
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
	s.bytes += n.Leaves
	for i := n.FirstLeaf; i < n.FirstLeaf+n.Leaves; i++ {
		s.leaves[i].addNone(rep, def)
	}
}

func (s *store) addLeaf(n *Node, p unsafe.Pointer, rep int) {
	l := &s.leaves[n.FirstLeaf]
	l.addLevels(rep, n.Def)
	s.bytes += l.addValue(p)
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

	// How many entries there are while all are equal, one a row, and what they have. They are not in the lists then.
	same uint32
	def  byte
	word uint32
	long int64
}

// entries returns how many entries are in the lists.
func (l *Leaf) entries() int { return len(l.words) + len(l.longs) }

// fold takes the only entry out of the lists.
func (l *Leaf) fold() {
	if l.same = 1; l.defs != nil {
		l.def, l.defs = l.defs[0], l.defs[:0]
	}
	if l.wide {
		l.long, l.longs = l.longs[0], l.longs[:0]
	} else {
		l.word, l.words = l.words[0], l.words[:0]
	}
}

// spread puts entries that are all equal into the lists.
func (l *Leaf) spread() {
	n := int(l.same)
	if n == 0 {
		return
	}
	l.same = 0
	if l.defs != nil {
		l.defs = append(l.defs, bytes.Repeat([]byte{l.def}, n)...)
	}
	if l.starts != nil {
		l.reps = append(l.reps, make([]byte, n)...)
		for i := range uint32(n) {
			l.starts = append(l.starts, i)
		}
	}
	if l.wide {
		l.longs = append(l.longs, slices.Repeat([]int64{l.long}, n)...)
	} else {
		l.words = append(l.words, slices.Repeat([]uint32{l.word}, n)...)
	}
	l.def, l.word, l.long = 0, 0, 0
}

// again adds copies of the entries of n rows.
func (l *Leaf) again(from, n int) {
	if l.same > 0 {
		l.same += uint32(n)
		return
	}
	first, end := from, from+n
	if l.starts != nil {
		start, _ := l.Entries(uint32(from))
		_, stop := l.Entries(uint32(end - 1))
		for row := from; row < end; row++ {
			l.starts = append(l.starts, l.starts[row]-start+uint32(len(l.defs)))
		}
		first, end = int(start), int(stop)
		l.reps = append(l.reps, l.reps[first:end]...)
	}
	if l.defs != nil {
		l.defs = append(l.defs, l.defs[first:end]...)
	}
	if l.wide {
		l.longs = append(l.longs, l.longs[first:end]...)
	} else {
		l.words = append(l.words, l.words[first:end]...)
	}
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

// addNone adds an entry without a value.
func (l *Leaf) addNone(rep, def int) {
	l.addLevels(rep, def)
	if l.wide {
		l.longs = append(l.longs, 0)
	} else {
		l.words = append(l.words, 0)
	}
}

// addValue adds a Go value, and returns how many bytes it has.
func (l *Leaf) addValue(p unsafe.Pointer) int {
	switch l.Node.Kind {
	case rowtype.String:
		text := *(*string)(p)
		l.words = append(l.words, l.text.add(text))
		return len(text)
	case rowtype.Bytes:
		list := *(*[]byte)(p)
		l.words = append(l.words, l.text.add(unsafe.String(unsafe.SliceData(list), len(list))))
		return len(list)
	case rowtype.Int32:
		l.words = append(l.words, *(*uint32)(p))
		return 4
	case rowtype.Int64:
		l.longs = append(l.longs, *(*int64)(p))
		return 8
	case rowtype.Bool:
		l.words = append(l.words, uint32(*(*uint8)(p)))
		return 1
	case rowtype.Int16:
		l.words = append(l.words, uint32(int32(*(*int16)(p))))
		return 4
	}
	if l.Node.Type.Kind() == reflect.Int64 {
		l.longs = append(l.longs, *(*int64)(p))
	} else {
		l.longs = append(l.longs, (*time.Time)(p).UnixMilli())
	}
	return 8
}

func (l *Leaf) reset() {
	l.same, l.def, l.word, l.long = 0, 0, 0, 0
	l.defs, l.reps, l.starts = l.defs[:0], l.reps[:0], l.starts[:0]
	l.words, l.longs = l.words[:0], l.longs[:0]
	l.text.reset()
}

// IsRepeated reports whether the column is below a list or map, so that a row may have several entries.
func (l *Leaf) IsRepeated() bool { return l.starts != nil }

// Entries returns the first entry of a row, and the one after its last.
func (l *Leaf) Entries(row uint32) (from, to uint32) {
	if l.starts == nil || l.same > 0 {
		return row, row + 1
	}
	if int(row) == len(l.starts)-1 {
		return l.starts[row], uint32(len(l.defs))
	}
	return l.starts[row], l.starts[row+1]
}

// Defs returns the definition levels by entry, or nil if every row has a value.
func (l *Leaf) Defs() []byte {
	l.spread()
	return l.defs
}

// Reps returns the repetition levels by entry, or nil if each row has one entry.
func (l *Leaf) Reps() []byte {
	l.spread()
	return l.reps
}

// Words returns values of kinds Bool, Int16 and Int32 by entry, and of kinds String and Bytes what Text takes.
func (l *Leaf) Words() []uint32 {
	l.spread()
	return l.words
}

// Longs returns values of kinds Int64 and Timestamp by entry.
func (l *Leaf) Longs() []int64 {
	l.spread()
	return l.longs
}

// Same reports whether all entries are equal, one a row, and returns the definition level that they have, and what
// Words has of them.
func (l *Leaf) Same() (def int, word uint32, same bool) { return int(l.def), l.word, l.same > 0 }

// Text returns the bytes of a value of kind String or Bytes, of Words. They must not be changed.
func (l *Leaf) Text(word uint32) []byte { return l.text.at(word) }

// Prefixed is Text with the length before it, in four bytes, little-endian.
func (l *Leaf) Prefixed(word uint32) []byte { return l.text.prefixed(word) }

// Distinct returns how many texts a column with a dictionary has. Words are below it then.
func (l *Leaf) Distinct() int { return len(l.text.ends) }
