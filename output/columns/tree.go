package columns

import (
	"fmt"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
)

// A Node is a column of a row type with its place among the columns without columns below them, the leaves.
type Node struct {
	rowtype.Column         // by value: rows are walked by it
	Children       []*Node // in place of Column.Children

	// Levels as in Dremel: Def of a value that is there (of a list or map: there and empty; its children begin one
	// higher), Rep of the node itself. A null has Def-1.
	Def, Rep int
	// The leaves below, in order.
	FirstLeaf, Leaves int

	offset uintptr // in the struct around it
}

// IsLeaf reports whether the column has no columns below it.
func (n *Node) IsLeaf() bool { return len(n.Children) == 0 }

// A Tree has the columns of a row type.
type Tree struct {
	Root   *Node // a struct, never null
	Leaves []*Node
}

// TreeOf reads the tags of a struct type.
func TreeOf(row reflect.Type) (*Tree, error) {
	root, err := rowtype.Of(row)
	if err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	t := &Tree{}
	t.Root = t.place(root, nil, 0, 0)
	return t, nil
}

// place gives levels, leaf numbers and offsets to a column and what is below it. def and rep are those of the column
// around it.
func (t *Tree) place(from, around *rowtype.Column, def, rep int) *Node {
	if from.Optional {
		def++
	}
	n := &Node{Column: *from, Def: def, Rep: rep, FirstLeaf: len(t.Leaves)}
	if around != nil && around.Kind == rowtype.Struct {
		for in, i := around.Type, 0; i < len(from.Index); i++ {
			field := in.Field(from.Index[i])
			n.offset, in = n.offset+field.Offset, field.Type
		}
	}
	if len(from.Children) == 0 {
		t.Leaves = append(t.Leaves, n)
	}
	if from.Kind == rowtype.List || from.Kind == rowtype.Map {
		def, rep = def+1, rep+1
	}
	for _, child := range from.Children {
		n.Children = append(n.Children, t.place(child, from, def, rep))
	}
	n.Leaves = len(t.Leaves) - n.FirstLeaf
	return n
}
