package arrow

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/acapscan/acapscan/output/rowtype"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// binding ties a column to a field of the stream's schema.
type binding struct {
	column   *rowtype.Column
	at       int // among the fields of the stream, or of the struct around it
	children []binding
}

// bindFields finds the columns below c, by name.
func bindFields(c *rowtype.Column, fields []arrow.Field) ([]binding, error) {
	bound := make([]binding, len(c.Children))
	for i, want := range c.Children {
		at := -1
		for j, f := range fields {
			if f.Name != want.Name {
				continue
			}
			if at >= 0 {
				return nil, fmt.Errorf("column %s is there twice", want.Path)
			}
			at = j
		}
		if at < 0 {
			return nil, fmt.Errorf("column %s is missing", want.Path)
		}
		b, err := bind(want, fields[at].Type)
		if err != nil {
			return nil, err
		}
		b.at = at
		bound[i] = b
	}
	return bound, nil
}

// bind compares the type of a column with that of a field. Whether a field may be
// null does not matter: a value that is null is met when it is read.
func bind(c *rowtype.Column, got arrow.DataType) (binding, error) {
	b := binding{column: c}
	var err error
	switch c.Kind {
	case rowtype.List:
		if l, ok := got.(*arrow.ListType); ok {
			b.children = make([]binding, 1)
			b.children[0], err = bind(c.Children[0], l.Elem())
			return b, err
		}
	case rowtype.Map:
		// Keys and values have their place; names differ between writers.
		if m, ok := got.(*arrow.MapType); ok {
			b.children = make([]binding, 2)
			for i, t := range []arrow.DataType{m.KeyType(), m.ItemType()} {
				if b.children[i], err = bind(c.Children[i], t); err != nil {
					return b, err
				}
			}
			return b, nil
		}
	case rowtype.Struct:
		if s, ok := got.(*arrow.StructType); ok {
			b.children, err = bindFields(c, s.Fields())
			return b, err
		}
	default:
		if arrow.TypeEqual(leafTypes[c.Kind], got) {
			return b, nil
		}
	}
	return b, fmt.Errorf("column %s is %s, not %s", c.Path, typeName(got), typeName(typeOf(c)))
}

// read sets dst, which is zero, to value i of an array.
func (b *binding) read(from arrow.Array, i int, dst reflect.Value) error {
	c := b.column
	if from.IsNull(i) {
		if !c.Optional {
			return fmt.Errorf("column %s is null in a row, which is not allowed", c.Path)
		}
		return nil
	}
	dst = c.Target(dst)
	switch c.Kind {
	case rowtype.Bool:
		dst.SetBool(from.(*array.Boolean).Value(i))
	case rowtype.Int16:
		dst.SetInt(int64(from.(*array.Int16).Value(i)))
	case rowtype.Int32:
		dst.SetInt(int64(from.(*array.Int32).Value(i)))
	case rowtype.Int64:
		dst.SetInt(from.(*array.Int64).Value(i))
	case rowtype.Timestamp:
		rowtype.SetMillis(dst, int64(from.(*array.Timestamp).Value(i)))
	case rowtype.String:
		dst.SetString(strings.Clone(from.(*array.String).Value(i)))
	case rowtype.Bytes:
		// Not nil, even if empty: nil is null.
		dst.SetBytes(append([]byte{}, from.(*array.Binary).Value(i)...))
	case rowtype.Struct:
		s := from.(*array.Struct)
		for j := range b.children {
			child := &b.children[j]
			if err := child.read(s.Field(child.at), i, dst.FieldByIndex(child.column.Index)); err != nil {
				return err
			}
		}
	case rowtype.List:
		list := from.(*array.List)
		values := list.ListValues()
		return b.readElements(list, i, dst, func(at int) error {
			return b.children[0].read(values, at, rowtype.AppendZero(dst))
		})
	case rowtype.Map:
		m := from.(*array.Map)
		return b.readElements(m.List, i, dst, func(at int) error {
			var key string
			var value int64
			if err := b.children[0].read(m.Keys(), at, reflect.ValueOf(&key).Elem()); err != nil {
				return err
			}
			if err := b.children[1].read(m.Items(), at, reflect.ValueOf(&value).Elem()); err != nil {
				return err
			}
			rowtype.MapOf(dst)[key] = value
			return nil
		})
	}
	return nil
}

// readElements reads the elements of list i into dst. A function adds each, from
// its place among the values of all lists.
func (b *binding) readElements(list *array.List, i int, dst reflect.Value, add func(at int) error) error {
	c := b.column
	from, to := list.ValueOffsets(i)
	if from < 0 || from > to || to-from > rowtype.MaxElements {
		return fmt.Errorf("column %s has a list from element %d to %d", c.Path, from, to)
	}
	if c.Optional || c.Kind == rowtype.Map && from < to { // nil would be null, and a nil map takes nothing
		c.MakeEmpty(dst)
	}
	for at := int(from); at < int(to); at++ {
		if err := add(at); err != nil {
			return err
		}
	}
	return nil
}
