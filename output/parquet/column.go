package parquet

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
)

// column is a column of a row type with its place in a file.
type column struct {
	rowtype.Column           // by value: rows are walked by it
	children       []*column // in place of Column.Children

	// Levels as in Dremel: def of a value that is there (of a list or map: there
	// and empty; its children begin one higher), rep of the node itself. A null has
	// def-1.
	def, rep int
	// The leaves below, in the order of the file.
	firstLeaf, leaves int

	offset uintptr // in the struct around it
	// Of a struct: the bytes of those children that have the same number in every row, and the other children.
	fixed   int64
	varying []*column
}

func (c *column) leaf() bool { return len(c.children) == 0 }

// tree has the columns of a row type.
type tree struct {
	root    *column // a struct, never null
	leaves  []*column
	nilable []*column // see nulls.go
}

// treeOf reads the tags of a struct type.
func treeOf(row reflect.Type) (*tree, error) {
	root, err := rowtype.Of(row)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if err := checkEncodings(root); err != nil {
		return nil, fmt.Errorf("parquet: %v: %w", row, err)
	}
	t := &tree{}
	t.root = t.place(root, nil, 0, 0)
	return t, nil
}

// checkEncodings refuses encodings that a column cannot have, and strings that
// leave theirs to the library.
func checkEncodings(c *rowtype.Column) error {
	unset := c.Encoding == rowtype.EncodingUnset
	switch c.Kind {
	case rowtype.String, rowtype.Bytes:
		if unset {
			return fmt.Errorf("column %s: %w", c.Path, errNoEncoding)
		}
	case rowtype.Struct, rowtype.Map:
		if !unset {
			return fmt.Errorf("column %s: %v cannot have an encoding", c.Path, c.Type)
		}
	case rowtype.Bool:
		if c.Encoding == rowtype.EncodingDict {
			return fmt.Errorf("column %s: %v cannot have a dictionary", c.Path, c.Type)
		}
	}
	for _, child := range c.Children {
		if err := checkEncodings(child); err != nil {
			return err
		}
	}
	return nil
}

var errNoEncoding = errors.New("the tag must choose dict or plain")

// place gives levels, leaf numbers and offsets to a column and what is below it.
// Def and rep are those of the column around it.
func (t *tree) place(from, around *rowtype.Column, def, rep int) *column {
	if from.Optional {
		def++
	}
	c := &column{Column: *from, def: def, rep: rep, firstLeaf: len(t.leaves)}
	if around != nil && around.Kind == rowtype.Struct {
		for in, i := around.Type, 0; i < len(from.Index); i++ {
			field := in.Field(from.Index[i])
			c.offset, in = c.offset+field.Offset, field.Type
		}
	}
	if len(from.Children) == 0 {
		t.leaves = append(t.leaves, c)
	}
	if from.Kind == rowtype.List || from.Kind == rowtype.Map {
		def, rep = def+1, rep+1
	}
	for _, child := range from.Children {
		placed := t.place(child, from, def, rep)
		c.children = append(c.children, placed)
		if n := fixedBytes(child.Kind); n > 0 && !child.Optional {
			c.fixed += n
		} else {
			c.varying = append(c.varying, placed)
		}
	}
	c.leaves = len(t.leaves) - c.firstLeaf
	return c
}
