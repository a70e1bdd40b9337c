package columns

import (
	"fmt"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
)

// A Reader makes rows of type C again, which may have only some of the columns. It keeps nothing of them.
type Reader[C any] struct {
	root    *Node
	leaves  []*Leaf // by leaf of C
	entries []uint32
}

// Read returns a reader of some columns of rows. It is good until the next row, or Reset.
func Read[C, T any](r *Rows[T]) (*Reader[C], error) {
	r.settle()
	tree, err := TreeOf(reflect.TypeFor[C]())
	if err != nil {
		return nil, err
	}
	in := &Reader[C]{root: tree.Root, entries: make([]uint32, len(tree.Leaves))}
	for _, want := range tree.Leaves {
		var found *Leaf
		for i := range r.store.leaves {
			l := &r.store.leaves[i]
			if n := l.Node; n.Path == want.Path && n.Kind == want.Kind && n.Def == want.Def && n.Rep == want.Rep {
				l.spread()
				found = l
			}
		}
		if found == nil {
			return nil, fmt.Errorf("columns: there is no column %s such as %v has", want.Path, tree.Root.Type)
		}
		in.leaves = append(in.leaves, found)
	}
	return in, nil
}

// Row sets a row to that of a number.
func (in *Reader[C]) Row(number uint32, row *C) {
	for i, l := range in.leaves {
		in.entries[i], _ = l.Entries(number)
	}
	v := reflect.ValueOf(row).Elem()
	v.SetZero()
	in.read(in.root, v)
}

// def is the definition level of the next entry of the first leaf of n: it says what there is of n.
func (in *Reader[C]) def(n *Node) int {
	l := in.leaves[n.FirstLeaf]
	if l.defs == nil {
		return 0
	}
	return int(l.defs[in.entries[n.FirstLeaf]])
}

// more reports whether the next entry of the first leaf of n is a further element of n, a list or map.
func (in *Reader[C]) more(n *Node) bool {
	l, entry := in.leaves[n.FirstLeaf], in.entries[n.FirstLeaf]
	return int(entry) < len(l.reps) && int(l.reps[entry]) == n.Rep+1
}

// skip passes over one entry of each leaf of n, which says that nothing is there.
func (in *Reader[C]) skip(n *Node) {
	for i := n.FirstLeaf; i < n.FirstLeaf+n.Leaves; i++ {
		in.entries[i]++
	}
}

// read sets dst, which is zero, to the next value of n.
func (in *Reader[C]) read(n *Node, dst reflect.Value) {
	def := in.def(n)
	if n.Optional && def < n.Def {
		in.skip(n)
		return
	}
	dst = n.Target(dst)
	switch n.Kind {
	case rowtype.Struct:
		for _, f := range n.Children {
			in.read(f, dst.FieldByIndex(f.Index))
		}
	case rowtype.List, rowtype.Map:
		if def == n.Def {
			if n.Optional { // nil would be null
				n.MakeEmpty(dst)
			}
			in.skip(n)
			return
		}
		if n.Kind == rowtype.Map {
			n.MakeEmpty(dst)
		}
		for more := true; more; more = in.more(n) {
			if n.Kind == rowtype.List {
				in.read(n.Children[0], rowtype.AppendZero(dst))
				continue
			}
			var key string
			var value int64
			in.read(n.Children[0], reflect.ValueOf(&key).Elem())
			in.read(n.Children[1], reflect.ValueOf(&value).Elem())
			rowtype.MapOf(dst)[key] = value
		}
	default:
		in.readLeaf(n, dst)
	}
}

func (in *Reader[C]) readLeaf(n *Node, dst reflect.Value) {
	l, entry := in.leaves[n.FirstLeaf], in.entries[n.FirstLeaf]
	in.entries[n.FirstLeaf]++
	switch n.Kind {
	case rowtype.Bool:
		dst.SetBool(l.words[entry] != 0)
	case rowtype.Int16, rowtype.Int32:
		dst.SetInt(int64(int32(l.words[entry])))
	case rowtype.Int64:
		dst.SetInt(l.longs[entry])
	case rowtype.Timestamp:
		rowtype.SetMillis(dst, l.longs[entry])
	case rowtype.String:
		dst.SetString(string(l.Text(l.words[entry])))
	case rowtype.Bytes:
		// Not nil, even if empty: nil is null.
		dst.SetBytes(append([]byte{}, l.Text(l.words[entry])...))
	}
}
