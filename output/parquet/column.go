package parquet

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	pq "github.com/parquet-go/parquet-go"
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

var kindNames = [...]string{
	kindBool: "bool", kindInt16: "int16", kindInt32: "int32", kindInt64: "int64",
	kindMillis: "timestamp[ms, UTC]", kindTime: "timestamp[ms, UTC]",
	kindString: "string", kindBytes: "binary",
}

// encoding is what a tag chooses for the values of a leaf.
type encoding uint8

const (
	encodingUnset encoding = iota
	encodingPlain
	encodingDict
)

// column is a node of the schema, with where its values sit in a row type.
type column struct {
	name     string
	path     string // for people: the names from the root, joined by dots
	kind     kind
	encoding encoding
	optional bool
	pointer  bool         // the Go value is behind a pointer
	typ      reflect.Type // without the pointer
	index    []int        // of the field in the struct around it
	children []*column    // fields of a struct; element of a list; key and value of a map

	// Levels as in Dremel: def of a value that is there (of a list or map: there
	// and empty; its children begin one higher), rep of the node itself.
	def, rep int
	// The leaves below, in the order of the file.
	firstLeaf, leaves int
}

func (c *column) leaf() bool { return len(c.children) == 0 }

// tree is the schema of a row type.
type tree struct {
	root   *column // a struct, never null
	leaves []*column
}

// treeOf reads the tags of a struct type.
func treeOf(t reflect.Type) (*tree, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("parquet: rows must be structs, not %v", t)
	}
	root := &column{kind: kindStruct, typ: t}
	if err := root.addFields(t, nil, 0); err != nil {
		return nil, fmt.Errorf("parquet: %v: %w", t, err)
	}
	tr := &tree{root: root}
	tr.number(root, 0, 0)
	return tr, nil
}

// number gives levels and leaf numbers to c and what is below it; def and rep
// are those of the node around it.
func (t *tree) number(c *column, def, rep int) {
	if c.optional {
		def++
	}
	c.def, c.rep, c.firstLeaf = def, rep, len(t.leaves)
	if c.leaf() {
		t.leaves = append(t.leaves, c)
	}
	if c.kind == kindList || c.kind == kindMap {
		def, rep = def+1, rep+1
	}
	for _, child := range c.children {
		t.number(child, def, rep)
	}
	c.leaves = len(t.leaves) - c.firstLeaf
}

// addFields adds the columns of struct type t to c. Index leads to t from the
// struct that c stands for, through embedded structs.
func (c *column) addFields(t reflect.Type, index []int, depth int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, tagged := f.Tag.Lookup("parquet")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			if depth == maxSchemaDepth {
				return fmt.Errorf("%v is nested too deeply", t)
			}
			if err := c.addFields(f.Type, at, depth+1); err != nil {
				return err
			}
			continue
		case !f.IsExported():
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			return fmt.Errorf("field %s of %v has no parquet tag with a name", f.Name, t)
		}
		if slices.ContainsFunc(c.children, func(o *column) bool { return o.name == name }) {
			return fmt.Errorf("column %s: two fields of %v have this name", name, t)
		}
		child := &column{name: name, path: name, index: at}
		if c.path != "" {
			child.path = c.path + "." + name
		}
		if err := child.describe(f.Type, options, depth+1); err != nil {
			return fmt.Errorf("column %s: %w", child.path, err)
		}
		c.children = append(c.children, child)
	}
	if len(c.children) == 0 {
		return fmt.Errorf("%v has no columns", t)
	}
	return nil
}

// tagOptions are the options of one tag.
type tagOptions struct {
	encoding                       encoding
	optional, list, asMap, instant bool
}

func parseOptions(s string) (tagOptions, error) {
	var o tagOptions
	for s != "" {
		var option string
		option, s, _ = strings.Cut(s, ",")
		switch option {
		case "optional":
			o.optional = true
		case "list":
			o.list = true
		case "map":
			o.asMap = true
		case "timestamp", "timestamp(millisecond)", "timestamp(millisecond:utc)":
			o.instant = true
		case "dict", "plain":
			if o.encoding != encodingUnset {
				return o, errors.New("the tag chooses an encoding twice")
			}
			o.encoding = encodingPlain
			if option == "dict" {
				o.encoding = encodingDict
			}
		default:
			return o, fmt.Errorf("unknown tag option %q", option)
		}
	}
	return o, nil
}

var timeType = reflect.TypeFor[time.Time]()

// describe fills in what a Go type and the options of its tag say of a column.
func (c *column) describe(t reflect.Type, options string, depth int) error {
	o, err := parseOptions(options)
	if err != nil {
		return err
	}
	return c.describeType(t, o, depth)
}

func (c *column) describeType(t reflect.Type, o tagOptions, depth int) error {
	if depth > maxSchemaDepth {
		return fmt.Errorf("%v is nested too deeply", t)
	}
	if t.Kind() == reflect.Pointer {
		c.pointer, c.optional = true, true
		t = t.Elem()
	}
	c.typ, c.encoding = t, o.encoding
	nilable := false
	switch t.Kind() {
	case reflect.Bool:
		c.kind = kindBool
	case reflect.Int16:
		c.kind = kindInt16
	case reflect.Int32:
		c.kind = kindInt32
	case reflect.Int64:
		c.kind = kindInt64
		if o.instant {
			c.kind = kindMillis
		}
	case reflect.String:
		c.kind = kindString
	case reflect.Map:
		return errors.New("a Go map has no order: use a slice of a struct with the columns key and value, and the option map")
	case reflect.Slice:
		nilable = true
		switch elem := t.Elem(); {
		case elem.Kind() == reflect.Uint8 && !o.list:
			c.kind = kindBytes
		case o.list:
			c.kind = kindList
			element := &column{name: "element", path: c.path}
			if err := element.describeType(elem, tagOptions{encoding: o.encoding, instant: o.instant}, depth+1); err != nil {
				return err
			}
			c.children = []*column{element}
		case o.asMap && elem.Kind() == reflect.Struct:
			c.kind = kindMap
			around := &column{path: c.path}
			if err := around.addFields(elem, nil, depth+1); err != nil {
				return err
			}
			c.children = around.children
			if !isEntry(c.children) {
				return errors.New("the option map needs elements with two columns, key (string) and value (int64)")
			}
		default:
			return errors.New("a slice needs the option list or map")
		}
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
	return c.checkOptions(t, o, nilable)
}

// checkOptions refuses options that the type cannot have, and types that the
// format cannot hold as they are.
func (c *column) checkOptions(t reflect.Type, o tagOptions, nilable bool) error {
	switch {
	case c.pointer && nilable:
		return fmt.Errorf("a pointer to %v has two ways to be null, use the option optional instead", t)
	case o.optional && !nilable && !c.pointer:
		return errors.New("optional needs a pointer here, so that null and the zero value stay apart")
	case o.list && c.kind != kindList:
		return fmt.Errorf("the option list needs a slice, not %v", t)
	case o.asMap && c.kind != kindMap:
		return fmt.Errorf("the option map needs a slice of structs, not %v", t)
	case o.instant && c.kind != kindTime && c.kind != kindMillis && c.kind != kindList:
		return fmt.Errorf("the option timestamp needs a time.Time or an int64, not %v", t)
	case (c.kind == kindString || c.kind == kindBytes) && o.encoding == encodingUnset:
		return errNoEncoding
	case (c.kind == kindStruct || c.kind == kindMap) && o.encoding != encodingUnset, c.kind == kindBool && o.encoding == encodingDict:
		return fmt.Errorf("%v cannot have an encoding", t)
	}
	c.optional = c.optional || o.optional
	return nil
}

var errNoEncoding = errors.New("the tag must choose dict or plain")

func isEntry(fields []*column) bool {
	return len(fields) == 2 &&
		fields[0].name == "key" && fields[0].kind == kindString && !fields[0].optional &&
		fields[1].name == "value" && fields[1].kind == kindInt64 && !fields[1].optional
}

// group is a Parquet group whose fields keep their order; the library's own
// sorts them by name.
type group struct {
	pq.Group
	order []string
}

func (g group) Fields() []pq.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b pq.Field) int {
		return slices.Index(g.order, a.Name()) - slices.Index(g.order, b.Name())
	})
	return fields
}

// node returns the Parquet schema of the column.
func (c *column) node() pq.Node {
	var n pq.Node
	switch c.kind {
	case kindBool:
		n = pq.Leaf(pq.BooleanType)
	case kindInt16:
		n = pq.Int(16)
	case kindInt32:
		n = pq.Int(32)
	case kindInt64:
		n = pq.Int(64)
	case kindMillis, kindTime:
		n = pq.Timestamp(pq.Millisecond)
	case kindString:
		n = pq.String()
	case kindBytes:
		n = pq.Leaf(pq.ByteArrayType)
	case kindList:
		n = pq.List(c.children[0].node())
	case kindMap:
		n = pq.Map(c.children[0].node(), c.children[1].node())
	case kindStruct:
		g := group{Group: pq.Group{}}
		for _, f := range c.children {
			g.Group[f.name] = f.node()
			g.order = append(g.order, f.name)
		}
		n = g
	}
	if c.leaf() {
		if c.encoding == encodingDict {
			n = pq.Encoded(n, &pq.RLEDictionary)
		} else {
			n = pq.Encoded(n, &pq.Plain)
		}
	}
	if c.optional {
		n = pq.Optional(n)
	}
	return n
}

// filePath returns the names that lead to the node in a file, where a list and a
// map have a level more than in Go.
func (t *tree) filePath(leaf int) []string {
	var path []string
	for c := t.root; !c.leaf(); {
		switch c.kind {
		case kindList:
			path = append(path, "list")
		case kindMap:
			path = append(path, "key_value")
		}
		for _, child := range c.children {
			if leaf < child.firstLeaf+child.leaves {
				c = child
				break
			}
		}
		path = append(path, c.name)
	}
	return path
}

// Column describes a column, for comparing schemas: two columns are the same if
// they are equal.
type Column struct {
	Name string
	// Type is bool, int16, int32, int64, string, binary, timestamp[ms, UTC],
	// list<T>, map<string, int64> or struct<name: T, …>, where a nullable T ends
	// in a question mark.
	Type     string
	Nullable bool
}

// Schema returns the columns of row type T, in order.
func Schema[T any]() ([]Column, error) {
	t, err := treeOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(t.root.children))
	for i, c := range t.root.children {
		columns[i] = Column{Name: c.name, Type: c.typeName(), Nullable: c.optional}
	}
	return columns, nil
}

func (c *column) typeName() string {
	nested := func(c *column) string {
		if c.optional {
			return c.typeName() + "?"
		}
		return c.typeName()
	}
	switch c.kind {
	case kindList:
		return "list<" + nested(c.children[0]) + ">"
	case kindMap:
		return "map<" + nested(c.children[0]) + ", " + nested(c.children[1]) + ">"
	case kindStruct:
		fields := make([]string, len(c.children))
		for i, f := range c.children {
			fields[i] = f.name + ": " + nested(f)
		}
		return "struct<" + strings.Join(fields, ", ") + ">"
	}
	return kindNames[c.kind]
}
