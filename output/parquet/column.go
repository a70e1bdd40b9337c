package parquet

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
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

	field int  // in the struct around it, if that is all that Index says; else -1
	flat  bool // of a leaf: its values have no levels
	// For a row's first values: what the leaves below get where the column is null, or empty. Most columns of most rows are.
	null, empty []pq.Value
}

func (c *column) leaf() bool { return len(c.children) == 0 }

// tree has the columns of a row type.
type tree struct {
	root   *column // a struct, never null
	leaves []*column
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
	t.root = t.place(root, 0, 0)
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

// place gives levels and leaf numbers to c and what is below it; def and rep are
// those of the column around it.
func (t *tree) place(from *rowtype.Column, def, rep int) *column {
	if from.Optional {
		def++
	}
	c := &column{Column: *from, def: def, rep: rep, firstLeaf: len(t.leaves), field: -1}
	if len(from.Index) == 1 {
		c.field = from.Index[0]
	}
	if len(from.Children) == 0 {
		t.leaves = append(t.leaves, c)
		c.flat = def == 0 && rep == 0
	}
	if from.Kind == rowtype.List || from.Kind == rowtype.Map {
		def, rep = def+1, rep+1
	}
	for _, child := range from.Children {
		c.children = append(c.children, t.place(child, def, rep))
	}
	c.leaves = len(t.leaves) - c.firstLeaf
	for leaf := c.firstLeaf; leaf < c.firstLeaf+c.leaves; leaf++ {
		if c.Optional {
			c.null = append(c.null, pq.NullValue().Level(0, c.def-1, leaf))
		}
		c.empty = append(c.empty, pq.NullValue().Level(0, c.def, leaf))
	}
	return c
}
