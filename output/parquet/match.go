package parquet

import (
	"fmt"

	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

// matchFields compares the columns below c, a struct, with the fields of a node in
// the schema of a file. Fields that are no column are passed over.
func matchFields(c *column, node pq.Node) error {
	for _, want := range c.Children {
		got := fieldOf(node, want.Name)
		if got == nil {
			return fmt.Errorf("column %s is missing", want.Path)
		}
		if err := matchColumn(want, got); err != nil {
			return err
		}
	}
	return nil
}

// matchColumn compares a column with a node: its type, whether it may be null, and
// what is below. Encodings do not matter.
func matchColumn(c *column, got pq.Node) error {
	want := nodeOf(c)
	differs := fmt.Errorf("column %s is %s, not %s", c.Path, describeNode(got), describeNode(want))
	if got.Optional() != want.Optional() || got.Repeated() || got.Leaf() != want.Leaf() {
		return differs
	}
	if want.Leaf() {
		if !sameLeaf(want.Type(), got.Type()) {
			return differs
		}
		return nil
	}
	if c.Kind == rowtype.Struct {
		return matchFields(c, got)
	}
	// A list and a map have one repeated group, around the element or the key and
	// value.
	middle := want.Fields()[0]
	fields := got.Fields()
	if len(fields) != 1 || fields[0].Name() != middle.Name() || !fields[0].Repeated() || fields[0].Leaf() {
		return differs
	}
	for _, child := range c.Children {
		f := fieldOf(fields[0], child.Name)
		if f == nil {
			return differs
		}
		if err := matchColumn(child, f); err != nil {
			return err
		}
	}
	return nil
}

// sameLeaf says whether two leaves hold the same values. Other writers leave out
// the annotation of integers as wide as their physical type.
func sameLeaf(want, got pq.Type) bool {
	if got.LogicalType() == nil && want.Kind() == got.Kind() {
		plain := pq.Int(32)
		if want.Kind() == pq.Int64 {
			plain = pq.Int(64)
		}
		return pq.EqualTypes(want, plain.Type()) || want.LogicalType() == nil
	}
	return pq.EqualTypes(want, got)
}

func describeNode(n pq.Node) string {
	s := "a group"
	if n.Leaf() {
		s = n.Type().String()
	} else if l := n.Type().LogicalType(); l != nil {
		s = l.String()
	}
	switch {
	case n.Optional():
		return "optional " + s
	case n.Repeated():
		return "repeated " + s
	}
	return "required " + s
}

func fieldOf(n pq.Node, name string) pq.Node {
	for _, f := range n.Fields() {
		if f.Name() == name {
			return f
		}
	}
	return nil
}
