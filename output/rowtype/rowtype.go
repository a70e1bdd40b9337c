// Package rowtype says what columns the rows of a Go struct type have: one
// reading of the struct tags for every format.
//
// A codec asks [Of] for the columns of a row type, makes a schema of its format
// from them, and walks rows by them. What all formats must do alike with the
// values of a column is here too: which values are null, how a time is counted,
// how a string and a map are brought into the form in which they are written.
// This package knows no format, no table and no file. It must not import another
// package of this module, nor a library of a format.
//
// # Struct tags
//
// Every exported field needs a tag `parquet:"name"`, or `parquet:"-"` to be left
// out. (The key is that of the library parquet-go, whose options these are, as
// far as they go.) Options follow the name, separated by commas:
//
//	dict, plain  how the values are encoded, for a format that has the choice. For
//	             a list, the choice is for its elements. Choose dict where values
//	             repeat
//	optional     null is allowed: for []byte, lists and maps, where nil is null.
//	             Anything else is nullable by being a pointer, so that null and
//	             the zero value stay apart
//	list         the field is a slice, written as a list
//	timestamp    a time.Time, or an int64 that counts milliseconds since 1970 UTC;
//	             also written timestamp(millisecond). A time.Time must have it
//
// # Go types
//
// A column is a bool, an int16, int32 or int64, a string, a []byte, a struct, a
// slice with the option list, or a map[string]int64; or a type made from one of
// these, or a time.Time; or a pointer to one of these that is neither a slice nor
// a map. Embedded structs give their fields to the struct around them.
//
// # Values
//
// Strings are UTF-8: each run of invalid bytes becomes one U+FFFD. Keep bytes
// that must survive in a []byte column. Of a time, what is finer than a
// millisecond is cut off. Maps are written in the order of their keys, which have
// a dictionary where the format has one; values whose keys become equal as UTF-8
// are added up.
//
// Without the option optional, a nil slice or map is the same as an empty one;
// read back, an empty list or map is nil and empty bytes are not.
package rowtype

import "reflect"

// MaxElements bounds a list or map in a row that is read: a format may say in a
// few bytes that a list has any number of elements.
const MaxElements = 1 << 22

// maxDepth bounds the nesting of columns, and stops at types that contain
// themselves.
const maxDepth = 16

// Kind says what the values of a column are.
type Kind uint8

const (
	Bool Kind = iota
	Int16
	Int32
	Int64
	Timestamp // a time.Time, or an int64 that counts milliseconds since 1970 UTC; see [Millis]
	String
	Bytes
	Struct
	List
	Map // of strings to int64; see [MapOf] and [AppendEntries]
)

// Encoding is what a tag chooses for the values of a column.
type Encoding uint8

const (
	EncodingUnset Encoding = iota
	EncodingPlain
	EncodingDict
)

// Column is a column of a row type, with where its values sit in a row. It must
// not be changed.
type Column struct {
	// Name is that of the tag, or element for the elements of a list.
	Name string
	// Path is for people: the names from the row to the column, joined by dots. The
	// elements of a list have the path of the list.
	Path     string
	Kind     Kind
	Encoding Encoding // of a list: of its elements
	Optional bool     // null is allowed
	Pointer  bool     // the Go value is behind a pointer, and nil is null
	Type     reflect.Type
	Index    []int // of the field in the struct around it, for reflect.Value.FieldByIndex
	// Children are the fields of a struct; the element of a list; key and value of
	// a map. Columns of other kinds have none.
	Children []*Column
}
