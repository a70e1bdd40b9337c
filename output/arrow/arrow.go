// Package arrow writes rows of a Go struct type to Arrow IPC streams and reads
// them back: the form in which rows go through pipes.
//
// It knows no table and no policy: the struct type and its `parquet` tags are the
// schema, and it is the one that package output/parquet makes of them. It must
// not import another package of this module, and is one of two places that may
// import the Arrow library.
//
// # Types
//
//	Go type                                   Arrow
//	string, and types made from it            utf8
//	[]byte                                    binary
//	bool, int16, int32, int64                 the same
//	time.Time, int64 with option timestamp    timestamp[ms, UTC]
//	struct                                    struct
//	pointer to any of these                   the same, nullable
//	slice with option list                    list
//	slice with option map                     map<utf8, int64>, sorted by key
//
// A []byte, a list and a map are nullable with the option optional, and nil is
// null. The options dict and plain say nothing here. Embedded structs give their
// fields to the struct around them.
//
// # What is written
//
// Strings are UTF-8: each run of invalid bytes becomes one U+FFFD. Maps are
// written in the order of their keys, and values of equal keys are added up.
// Without the option optional, a nil slice is written as an empty one; read back,
// an empty list or map is nil and empty bytes are not.
//
// # Several streams
//
// Streams may follow one another in one file or pipe. A [Reader] takes no byte
// beyond the end marker of its stream, so that the next can be opened on the same
// io.Reader; [NewReader] gives io.EOF where no further stream begins.
package arrow

// maxSchemaDepth bounds the nesting of a row type, and stops at types that
// contain themselves.
const maxSchemaDepth = 16
