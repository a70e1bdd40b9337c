package rowtype

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

var timeType = reflect.TypeFor[time.Time]()

// Of reads the tags of a struct type and returns a column of kind Struct, without
// a name, that stands for a whole row. It says the same of a type each time; an
// error about a tag names the column.
func Of(row reflect.Type) (*Column, error) {
	if row.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows must be structs, not %v", row)
	}
	root := &Column{Kind: Struct, Type: row}
	if err := root.addFields(row, nil, 0); err != nil {
		return nil, fmt.Errorf("%v: %w", row, err)
	}
	return root, nil
}

// addFields adds the columns of struct type t to c, a column at the given depth.
// Index leads to t from the struct that c stands for, through embedded structs.
func (c *Column) addFields(t reflect.Type, index []int, depth int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, tagged := f.Tag.Lookup("parquet")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			if err := c.addFields(f.Type, at, depth); err != nil {
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
		if slices.ContainsFunc(c.Children, func(o *Column) bool { return o.Name == name }) {
			return fmt.Errorf("column %s: two fields of %v have this name", name, t)
		}
		child := &Column{Name: name, Path: name, Index: at}
		if c.Path != "" {
			child.Path = c.Path + "." + name
		}
		o, err := parseOptions(options)
		if err == nil {
			err = child.describe(f.Type, o, depth+1)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", child.Path, err)
		}
		c.Children = append(c.Children, child)
	}
	if len(c.Children) == 0 {
		return fmt.Errorf("%v has no columns", t)
	}
	return nil
}

// options are those of one tag.
type options struct {
	encoding                  Encoding
	optional, list, timestamp bool
}

func parseOptions(s string) (options, error) {
	var o options
	for s != "" {
		var option string
		option, s, _ = strings.Cut(s, ",")
		switch option {
		case "optional":
			o.optional = true
		case "list":
			o.list = true
		case "timestamp", "timestamp(millisecond)", "timestamp(millisecond:utc)":
			o.timestamp = true
		case "dict", "plain":
			if o.encoding != EncodingUnset {
				return o, errors.New("the tag chooses an encoding twice")
			}
			o.encoding = EncodingPlain
			if option == "dict" {
				o.encoding = EncodingDict
			}
		default:
			return o, fmt.Errorf("unknown tag option %q", option)
		}
	}
	return o, nil
}

// describe fills in what a Go type and the options of its tag say of a column at
// the given depth.
func (c *Column) describe(t reflect.Type, o options, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%v is nested too deeply", t)
	}
	if t.Kind() == reflect.Pointer {
		c.Pointer = true
		t = t.Elem()
	}
	c.Type, c.Encoding, c.Optional = t, o.encoding, c.Pointer || o.optional
	switch t.Kind() {
	case reflect.Bool:
		c.Kind = Bool
	case reflect.Int16:
		c.Kind = Int16
	case reflect.Int32:
		c.Kind = Int32
	case reflect.Int64:
		c.Kind = Int64
		if o.timestamp {
			c.Kind = Timestamp
		}
	case reflect.String:
		c.Kind = String
	case reflect.Map:
		if t.Key() != mapType.Key() || t.Elem() != mapType.Elem() {
			return fmt.Errorf("a map must be of string to int64, not %v", t)
		}
		c.Kind = Map
		c.Children = []*Column{
			{Name: "key", Path: c.Path + ".key", Kind: String, Encoding: EncodingDict, Type: t.Key()},
			{Name: "value", Path: c.Path + ".value", Kind: Int64, Type: t.Elem()},
		}
	case reflect.Slice:
		if err := c.describeSlice(o, depth); err != nil {
			return err
		}
	case reflect.Struct:
		if t == timeType {
			if !o.timestamp {
				return errors.New("a time.Time needs the option timestamp")
			}
			c.Kind = Timestamp
			break
		}
		c.Kind = Struct
		if err := c.addFields(t, nil, depth); err != nil {
			return err
		}
	default:
		return fmt.Errorf("type %v is not supported", t)
	}
	return c.checkOptions(o)
}

// describeSlice fills in the kind of a slice, and the columns below it.
func (c *Column) describeSlice(o options, depth int) error {
	switch elem := c.Type.Elem(); {
	case o.list:
		c.Kind = List
		element := &Column{Name: "element", Path: c.Path}
		c.Children = []*Column{element}
		return element.describe(elem, options{encoding: o.encoding, timestamp: o.timestamp}, depth+1)
	case elem.Kind() == reflect.Uint8:
		c.Kind = Bytes
	default:
		return errors.New("a slice needs the option list")
	}
	return nil
}

// checkOptions refuses options that the type cannot have, and types with two ways
// to be null or none.
func (c *Column) checkOptions(o options) error {
	hasNil := c.Kind == Bytes || c.Kind == List || c.Kind == Map
	switch {
	case c.Pointer && hasNil:
		return fmt.Errorf("a pointer to %v has two ways to be null, use the option optional instead", c.Type)
	case o.optional && !c.Pointer && !hasNil:
		return errors.New("optional needs a pointer here, so that null and the zero value stay apart")
	case o.list && c.Kind != List:
		return fmt.Errorf("the option list needs a slice, not %v", c.Type)
	case o.timestamp && c.Kind != Timestamp && c.Kind != List:
		return fmt.Errorf("the option timestamp needs a time.Time or an int64, not %v", c.Type)
	}
	return nil
}
