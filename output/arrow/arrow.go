// Package arrow writes rows of a Go struct type to Arrow IPC streams and files and
// reads them back. Streams are the form in which rows go through pipes; a file
// is a stream with a table of contents behind it.
//
// It knows no table and no policy: the struct type and its `parquet` tags are the
// schema, as package rowtype reads them. Of this module it must import nothing
// else, and no other package may import the Arrow library.
//
// # Types
//
//	column of a row                           Arrow
//	string                                    utf8
//	[]byte                                    binary
//	bool, int16, int32, int64                 the same
//	time.Time, int64 with option timestamp    timestamp[ms, UTC]
//	struct                                    struct
//	slice with option list                    list
//	map[string]int64                          map<utf8, int64>, sorted by key
//
// The options dict and plain say nothing here.
//
// # Several streams
//
// Streams may follow one another in one file or pipe. A [Reader] takes no byte
// beyond the end marker of its stream, so that the next can be opened on the same
// io.Reader; [NewReader] gives io.EOF where no further stream begins.
package arrow
