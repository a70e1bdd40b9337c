// Package parquet writes rows of a Go struct type to Parquet files and reads
// them back.
//
// It is for files that appear whole or not at all, hold the same bytes for the
// same rows, and read alike in DuckDB, pyarrow, polars and Spark. It knows no
// table and no policy: the struct type and its tags are the schema. It must not
// import another package of this module.
//
// # Struct tags
//
// Every exported field needs a tag `parquet:"name"`, or `parquet:"-"` to be left
// out. Options follow the name, separated by commas; they are those of
// parquet-go, of which this package takes:
//
//	dict, plain  the encoding. A string or []byte column must choose one: the
//	             library's default, DELTA_LENGTH_BYTE_ARRAY, cannot be read by
//	             older releases of Spark. For a list, the choice is for its
//	             elements. Choose dict where values repeat.
//	optional     null is allowed: for []byte, lists and maps, where nil is null.
//	             Anything else is nullable by being a pointer, so that null and
//	             the zero value stay apart.
//	list         the field is a slice, written as a three-level LIST
//	timestamp    an int64 counts milliseconds since 1970 UTC; also written
//	             timestamp(millisecond). It says nothing new of a time.Time
//	map          the field is a slice of structs with the columns key (string) and
//	             value (int64), written as a MAP. A Go map has no order, and is
//	             not taken
//
// # Types
//
//	Go type                                   Parquet
//	string, and types made from it            BYTE_ARRAY, STRING
//	[]byte                                    BYTE_ARRAY
//	bool                                      BOOLEAN
//	int16, int32, int64, and types from them  INT32 or INT64, INT(16|32|64, signed)
//	time.Time                                 INT64, TIMESTAMP(MILLIS, UTC); what is finer is cut off
//	struct                                    group
//	pointer to any of these                   the same, optional
//	slice of any of these                     LIST, names list and element
//	slice with the option map                 MAP, names key_value, key and value
//
// Embedded structs give their fields to the struct around them.
//
// # What is written
//
// Strings are UTF-8: each run of invalid bytes becomes one U+FFFD. Keep bytes
// that must survive in a []byte column. Maps are written in the order of their
// keys, and values of equal keys are added up, so that a map never has a key
// twice.
//
// Without the option optional, a nil slice is written as an empty one;
// read back, an empty list or map is nil and empty bytes are not.
package parquet

import (
	"fmt"
	"path/filepath"
)

// TempSuffix is added to the name of a file until it is committed. Nothing under
// a name with this suffix is whole.
const TempSuffix = ".tmp"

// maxSchemaDepth bounds the nesting of a row type, and stops at types that
// contain themselves.
const maxSchemaDepth = 16

// recoverCorrupt turns a panic of the decoder into an error. The library
// promises errors for damaged files, and keeps the promise nearly everywhere;
// what it misses must cost the file, not the run.
func recoverCorrupt(path string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("parquet: %s is corrupt: the decoder panicked: %v", filepath.Base(path), p)
	}
}
