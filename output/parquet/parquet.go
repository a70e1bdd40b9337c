// Package parquet writes rows of a Go struct type to Parquet files and reads
// them back.
//
// It is for files that appear whole or not at all, hold the same bytes for the
// same rows, and read alike in DuckDB, pyarrow, polars and Spark. It knows no
// table and no policy: the struct type and its tags are the schema, as package
// rowtype reads them. No other package may import the Parquet library.
//
// # Types
//
//	column of a row                           Parquet
//	string                                    BYTE_ARRAY, STRING
//	[]byte                                    BYTE_ARRAY
//	bool                                      BOOLEAN
//	int16, int32, int64                       INT32 or INT64, INT(16|32|64, signed)
//	time.Time, int64 with option timestamp    INT64, TIMESTAMP(MILLIS, UTC)
//	struct                                    group
//	slice with option list                    LIST, names list and element
//	map[string]int64                          MAP, names key_value, key and value
//
// What is nullable is optional, all else required. A string or []byte column must
// choose dict or plain: the library's default, DELTA_LENGTH_BYTE_ARRAY, cannot be
// read by older releases of Spark. A bool cannot have a dictionary; a struct and a
// map have no encoding but those of their columns.
//
// # What the library does, and what is done here
//
// Rows come from package columns, and pages are made of columns here (pages.go). The library's writer would take rows
// of Go structs, hold buffers of some megabytes a table, and hash each text of each row. A test compares our files with
// those of the library's writer, byte by byte (TestAsTheLibrary). The library encodes headers, the page index, footers
// and run lengths.
//
// Rows are read here (assemble.go), since the library's GenericReader puts all
// values of a row into memory before it looks at the first. From a file of 309
// bytes that holds a list of 41,943,040 nulls it allocates 5.8 GB; here that is an
// error at 4,194,304 elements, after 262 MB. It converts a column of another type;
// here that is an error that names the column (match.go). And not all rows of
// TestRoundTrip come back from it as they were written.
package parquet
