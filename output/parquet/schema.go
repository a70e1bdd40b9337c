package parquet

import (
	"reflect"
	"slices"

	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

// Column describes a column, for comparing schemas: two columns are the same if
// they are equal.
type Column = rowtype.Declaration

// Schema returns the columns of row type T, in order.
func Schema[T any]() ([]Column, error) {
	t, err := treeOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return t.Root.Declarations(), nil
}

// group is a Parquet group whose fields keep their order; the library's own
// sorts them by name, each time that it reads them.
type group struct {
	pq.Group
	fields []pq.Field
}

func (g group) Fields() []pq.Field { return g.fields }

// groupOf returns the group of a struct's columns.
func groupOf(columns []*column) group {
	g, place := group{Group: pq.Group{}}, map[string]int{}
	for i, c := range columns {
		g.Group[c.Name], place[c.Name] = nodeOf(c), i
	}
	g.fields = g.Group.Fields()
	slices.SortFunc(g.fields, func(a, b pq.Field) int { return place[a.Name()] - place[b.Name()] })
	return g
}

// node returns the Parquet schema of the column.
func nodeOf(c *column) pq.Node {
	var n pq.Node
	switch c.Kind {
	case rowtype.Bool:
		n = pq.Leaf(pq.BooleanType)
	case rowtype.Int16:
		n = pq.Int(16)
	case rowtype.Int32:
		n = pq.Int(32)
	case rowtype.Int64:
		n = pq.Int(64)
	case rowtype.Timestamp:
		n = pq.Timestamp(pq.Millisecond)
	case rowtype.String:
		n = pq.String()
	case rowtype.Bytes:
		n = pq.Leaf(pq.ByteArrayType)
	case rowtype.List:
		n = pq.List(nodeOf(c.Children[0]))
	case rowtype.Map:
		n = pq.Map(nodeOf(c.Children[0]), nodeOf(c.Children[1]))
	case rowtype.Struct:
		n = groupOf(c.Children)
	}
	if c.IsLeaf() {
		if c.Encoding == rowtype.EncodingDict {
			n = pq.Encoded(n, &pq.RLEDictionary)
		} else {
			n = pq.Encoded(n, &pq.Plain)
		}
	}
	if c.Optional {
		n = pq.Optional(n)
	}
	return n
}

// filePath returns the names that lead to a leaf in a file, where a list and a map
// have a level more than in Go.
func filePath(t *tree, leaf int) []string {
	var path []string
	for c := t.Root; !c.IsLeaf(); {
		switch c.Kind {
		case rowtype.List:
			path = append(path, "list")
		case rowtype.Map:
			path = append(path, "key_value")
		}
		for _, child := range c.Children {
			if leaf < child.FirstLeaf+child.Leaves {
				c = child
				break
			}
		}
		path = append(path, c.Name)
	}
	return path
}
