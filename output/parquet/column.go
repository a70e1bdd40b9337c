package parquet

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/rowtype"
)

// column is a column of a row type with its place in a file.
type column = columns.Node

// tree has the columns of a row type.
type tree = columns.Tree

// treeOf reads the tags of a struct type.
func treeOf(row reflect.Type) (*tree, error) {
	t, err := columns.TreeOf(row)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if err := checkEncodings(&t.Root.Column); err != nil {
		return nil, fmt.Errorf("parquet: %v: %w", row, err)
	}
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
