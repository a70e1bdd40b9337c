package table

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Type is the type of a column, without regard to nulls.
type Type string

const (
	TypeString     Type = "string"
	TypeBool       Type = "bool"
	TypeInt16      Type = "int16"
	TypeInt32      Type = "int32"
	TypeInt64      Type = "int64"
	TypeTimestamp  Type = "timestamp[ms, UTC]"
	TypeStrings    Type = "list<string>"
	TypeCounts     Type = "map<string, int64>"
	TypeQualifiers Type = "list<struct<name: string, value: string>>"
)

// A Column describes a column of a table, from the struct field, its comment and its tags.
type Column struct {
	Name     string
	Type     Type
	Nullable bool
	Doc      string
	Example  string   // lists and maps in Python's notation, text without quotes
	Values   []string // allowed values of an enumeration; nil for any other column
	Since    int      // the SchemaVersion that brought it
}

// ExampleJSON returns the example as a JSON value of the column's type.
func (c Column) ExampleJSON() json.RawMessage {
	switch c.Type {
	case TypeString, TypeTimestamp:
		text, err := json.Marshal(c.Example)
		if err != nil {
			panic(fmt.Sprintf("table: the example of %s: %v", c.Name, err)) // a string always encodes
		}
		return text
	}
	return json.RawMessage(strings.ReplaceAll(c.Example, "'", `"`))
}

// columnsOf walks a row struct, embedded structs included. It panics at a field that breaks the rules of the package
// comment, which is a mistake in this package and never in data.
func columnsOf(row reflect.Type) []Column {
	var columns []Column
	for i := range row.NumField() {
		field := row.Field(i)
		if field.Anonymous {
			columns = append(columns, columnsOf(field.Type)...)
			continue
		}
		columns = append(columns, columnOf(row, field))
	}
	return columns
}

func columnOf(row reflect.Type, field reflect.StructField) Column {
	name, options, _ := strings.Cut(field.Tag.Get("parquet"), ",")
	c := Column{Name: name, Since: 1}
	comment := comments()[row.Name()+"."+field.Name]
	if i := strings.LastIndex(comment, exampleWord); i > 0 {
		c.Doc, c.Example = comment[:i], comment[i+len(exampleWord):]
	}
	t := field.Type
	if c.Nullable = t.Kind() == reflect.Pointer; c.Nullable {
		t = t.Elem()
	}
	var ok bool
	if c.Type, ok = typeOf(t); !ok {
		panic(fmt.Sprintf("table: %v.%s has the type %v, which no column has", row, field.Name, field.Type))
	}
	if since, ok := field.Tag.Lookup("since"); ok {
		c.Since, _ = strconv.Atoi(since) // 0 is no version, and panics below
	}
	if name == "" || c.Doc == "" || c.Example == "" || c.Since == 0 {
		panic(fmt.Sprintf("table: %v.%s needs a name in the tag parquet and a comment that ends with an example", row,
			field.Name))
	}
	if optional := strings.Contains(","+options+",", ",optional,"); optional != c.Nullable {
		panic(fmt.Sprintf("table: %v.%s must be a pointer with the option optional, or neither", row, field.Name))
	}
	if enum, ok := reflect.Zero(t).Interface().(Enum); ok {
		c.Values = enum.Values()
	}
	return c
}

// exampleWord stands between the description and the example in the comment of a field.
const exampleWord = " Example: "

//go:embed rows.go
var rowsSource string

// comments has the comment of each field of rows.go in one line, by type and field: "Host.Port".
var comments = sync.OnceValue(func() map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "rows.go", rowsSource, parser.ParseComments)
	if err != nil {
		panic("table: " + err.Error()) // the source of this program, which was compiled
	}
	found := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if row, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range row.Fields.List {
				for _, name := range field.Names {
					found[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
				}
			}
		}
		return false
	})
	return found
})

func typeOf(t reflect.Type) (Type, bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return TypeTimestamp, true
	case reflect.TypeFor[Counts]():
		return TypeCounts, true
	case reflect.TypeFor[[]Qualifier]():
		return TypeQualifiers, true
	case reflect.TypeFor[[]string]():
		return TypeStrings, true
	}
	switch t.Kind() {
	case reflect.String:
		return TypeString, true
	case reflect.Bool:
		return TypeBool, true
	case reflect.Int16:
		return TypeInt16, true
	case reflect.Int32:
		return TypeInt32, true
	case reflect.Int64:
		return TypeInt64, true
	}
	return "", false
}
