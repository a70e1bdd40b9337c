package arrow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

// kind says how the values of a column are kept.
type kind uint8

const (
	kindBool kind = iota
	kindInt16
	kindInt32
	kindInt64
	kindMillis // int64, milliseconds since 1970 UTC
	kindTime   // time.Time, stored like kindMillis
	kindString
	kindBytes
	kindStruct
	kindList
	kindMap
)

var (
	timeType = reflect.TypeFor[time.Time]()
	millis   = &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}
)

// leafTypes are the types of the kinds that have no children.
var leafTypes = map[kind]arrow.DataType{
	kindBool:   arrow.FixedWidthTypes.Boolean,
	kindInt16:  arrow.PrimitiveTypes.Int16,
	kindInt32:  arrow.PrimitiveTypes.Int32,
	kindInt64:  arrow.PrimitiveTypes.Int64,
	kindMillis: millis,
	kindTime:   millis,
	kindString: arrow.BinaryTypes.String,
	kindBytes:  arrow.BinaryTypes.Binary,
}

// column is a node of the schema, with where its values sit in a row type.
type column struct {
	name     string
	path     string // for people: the names from the root, joined by dots
	kind     kind
	optional bool
	pointer  bool         // the Go value is behind a pointer
	typ      reflect.Type // without the pointer
	index    []int        // of the field in the struct around it
	children []*column    // fields of a struct; element of a list; key and value of a map
}

// columnsOf reads the tags of a struct type and returns a column that stands for
// a whole row.
func columnsOf(t reflect.Type) (*column, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arrow: rows must be structs, not %v", t)
	}
	root := &column{kind: kindStruct, typ: t}
	if err := root.addFields(t, nil, 0); err != nil {
		return nil, fmt.Errorf("arrow: %v: %w", t, err)
	}
	return root, nil
}

// addFields adds the columns of struct type t to c. Index leads to t from the
// struct that c stands for, through embedded structs.
func (c *column) addFields(t reflect.Type, index []int, depth int) error {
	if depth > maxSchemaDepth {
		return fmt.Errorf("%v is nested too deeply", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, tagged := f.Tag.Lookup("parquet")
		if tag == "-" {
			continue
		}
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			if err := c.addFields(f.Type, at, depth+1); err != nil {
				return err
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			return fmt.Errorf("field %s of %v has no parquet tag with a name", f.Name, t)
		}
		if slices.ContainsFunc(c.children, func(o *column) bool { return o.name == name }) {
			return fmt.Errorf("column %s: two fields of %v have this name", name, t)
		}
		child := &column{name: name, path: strings.TrimPrefix(c.path+"."+name, "."), index: at}
		if err := child.describe(f.Type, strings.Split(options, ","), depth+1); err != nil {
			return fmt.Errorf("column %s: %w", child.path, err)
		}
		c.children = append(c.children, child)
	}
	if len(c.children) == 0 {
		return fmt.Errorf("%v has no columns", t)
	}
	return nil
}

// describe fills in what a Go type and the options of its tag say of a column.
// Which options make sense together is for output/parquet to say; here the ones
// that matter are looked up.
func (c *column) describe(t reflect.Type, options []string, depth int) error {
	has := func(option string) bool { return slices.Contains(options, option) }
	instant := has("timestamp") || has("timestamp(millisecond)") || has("timestamp(millisecond:utc)")
	if t.Kind() == reflect.Pointer {
		c.pointer, c.optional = true, true
		t = t.Elem()
	}
	c.typ = t
	switch t.Kind() {
	case reflect.Bool:
		c.kind = kindBool
	case reflect.Int16:
		c.kind = kindInt16
	case reflect.Int32:
		c.kind = kindInt32
	case reflect.Int64:
		c.kind = kindInt64
		if instant {
			c.kind = kindMillis
		}
	case reflect.String:
		c.kind = kindString
	case reflect.Slice:
		return c.describeSlice(options, depth)
	case reflect.Struct:
		if t == timeType {
			c.kind = kindTime
			break
		}
		c.kind = kindStruct
		if err := c.addFields(t, nil, depth+1); err != nil {
			return err
		}
	default:
		return fmt.Errorf("type %v is not supported", t)
	}
	if has("optional") && !c.pointer {
		return errors.New("optional needs a pointer here, so that null and the zero value stay apart")
	}
	return nil
}

func (c *column) describeSlice(options []string, depth int) error {
	if c.pointer {
		return fmt.Errorf("a pointer to %v has two ways to be null, use the option optional instead", c.typ)
	}
	c.optional = slices.Contains(options, "optional")
	elem := c.typ.Elem()
	switch {
	case slices.Contains(options, "list"):
		c.kind = kindList
		element := &column{name: "item", path: c.path}
		without := slices.DeleteFunc(slices.Clone(options), func(o string) bool { return o == "list" || o == "optional" })
		if err := element.describe(elem, without, depth+1); err != nil {
			return err
		}
		c.children = []*column{element}
	case slices.Contains(options, "map") && elem.Kind() == reflect.Struct:
		c.kind = kindMap
		around := &column{path: c.path}
		if err := around.addFields(elem, nil, depth+1); err != nil {
			return err
		}
		c.children = around.children
		if len(c.children) != 2 || !c.children[0].is("key", kindString) || !c.children[1].is("value", kindInt64) {
			return errors.New("the option map needs elements with two columns, key (string) and value (int64)")
		}
	case elem.Kind() == reflect.Uint8:
		c.kind = kindBytes
	default:
		return errors.New("a slice needs the option list or map")
	}
	return nil
}

func (c *column) is(name string, k kind) bool {
	return c.name == name && c.kind == k && !c.optional
}

// field returns the Arrow field of the column.
func (c *column) field() arrow.Field {
	return arrow.Field{Name: c.name, Type: c.dataType(), Nullable: c.optional}
}

func (c *column) dataType() arrow.DataType {
	switch c.kind {
	case kindList:
		return arrow.ListOfField(c.children[0].field())
	case kindMap:
		m := arrow.MapOf(c.children[0].dataType(), c.children[1].dataType())
		m.SetItemNullable(false)
		m.KeysSorted = true
		return m
	case kindStruct:
		return arrow.StructOf(c.fields()...)
	}
	return leafTypes[c.kind]
}

func (c *column) fields() []arrow.Field {
	fields := make([]arrow.Field, len(c.children))
	for i, f := range c.children {
		fields[i] = f.field()
	}
	return fields
}

// Column describes a column, for comparing schemas: two columns are the same if
// they are equal. The words are those of output/parquet.
type Column struct {
	Name string
	// Type is bool, int16, int32, int64, string, binary, timestamp[ms, UTC],
	// list<T>, map<string, int64> or struct<name: T, …>, where a nullable T ends
	// in a question mark.
	Type     string
	Nullable bool
}

// Schema returns the columns of row type T, in order, as the Arrow schema of a
// stream has them.
func Schema[T any]() ([]Column, error) {
	root, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(root.children))
	for i, f := range root.fields() {
		columns[i] = Column{Name: f.Name, Type: typeName(f.Type), Nullable: f.Nullable}
	}
	return columns, nil
}

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
