package arrow

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/acapscan/acapscan/output/rowtype"
	"github.com/apache/arrow/go/v15/arrow"
)

// columnsOf reads the tags of a struct type and returns a column that stands for
// a whole row.
func columnsOf(row reflect.Type) (*rowtype.Column, error) {
	root, err := rowtype.Of(row)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return root, nil
}

// fieldsOf returns the Arrow fields of the columns below c, a struct.
func fieldsOf(c *rowtype.Column) []arrow.Field {
	fields := make([]arrow.Field, len(c.Children))
	for i, child := range c.Children {
		fields[i] = arrow.Field{Name: child.Name, Type: typeOf(child), Nullable: child.Optional}
	}
	return fields
}

// leafTypes are the types of the kinds that have no children.
var leafTypes = map[rowtype.Kind]arrow.DataType{
	rowtype.Bool:      arrow.FixedWidthTypes.Boolean,
	rowtype.Int16:     arrow.PrimitiveTypes.Int16,
	rowtype.Int32:     arrow.PrimitiveTypes.Int32,
	rowtype.Int64:     arrow.PrimitiveTypes.Int64,
	rowtype.Timestamp: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"},
	rowtype.String:    arrow.BinaryTypes.String,
	rowtype.Bytes:     arrow.BinaryTypes.Binary,
}

// typeOf returns the Arrow type of a column.
func typeOf(c *rowtype.Column) arrow.DataType {
	switch c.Kind {
	case rowtype.List:
		element := c.Children[0]
		// Named as other writers of Arrow name it.
		return arrow.ListOfField(arrow.Field{Name: "item", Type: typeOf(element), Nullable: element.Optional})
	case rowtype.Map:
		m := arrow.MapOf(typeOf(c.Children[0]), typeOf(c.Children[1]))
		m.SetItemNullable(false)
		m.KeysSorted = true
		return m
	case rowtype.Struct:
		return arrow.StructOf(fieldsOf(c)...)
	}
	return leafTypes[c.Kind]
}

// typeName returns an Arrow type in the words of [rowtype.Declaration].
func typeName(t arrow.DataType) string {
	nested := func(f arrow.Field) string {
		if f.Nullable {
			return typeName(f.Type) + "?"
		}
		return typeName(f.Type)
	}
	switch t := t.(type) {
	case *arrow.StringType:
		return "string"
	case *arrow.TimestampType:
		return fmt.Sprintf("timestamp[%v, %s]", t.Unit, t.TimeZone)
	case *arrow.MapType:
		return "map<" + nested(t.KeyField()) + ", " + nested(t.ItemField()) + ">"
	case *arrow.ListType:
		return "list<" + nested(t.ElemField()) + ">"
	case *arrow.StructType:
		fields := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = f.Name + ": " + nested(f)
		}
		return "struct<" + strings.Join(fields, ", ") + ">"
	case *arrow.BooleanType:
		return "bool"
	}
	return t.Name()
}
