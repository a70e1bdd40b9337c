// Package parquet writes rows of a Go struct type to Parquet files and reads
// them back.
//
// It is for files that appear whole or not at all, hold the same bytes for the
// same rows, and read alike in DuckDB, pyarrow, polars and Spark. It knows no
// table and no policy: the struct type and its tags are the schema, as package
// rowtype reads them. Of this module it must import nothing else, and no other
// package may import the Parquet library.
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
// # What the library does, and what is left to do here
//
// Rows are written by the library's GenericWriter. Against taking rows apart here,
// as this package did before, it takes this much processor time, in nanoseconds a
// row (BenchmarkTables, three rounds by turns on a busy machine with two cores,
// 2026-11-22):
//
//	             here         library
//	permissions  2270–2570    2143–2228
//	directives   2516–2578    2158–2357
//	adoption     2461–2756    2301–2432    two maps a row
//	facts        2140–2326    1677–1870
//
// Files up to a page a column hold the same bytes either way. Beyond that pages
// end every 64 rows and no longer every 256, so that files of the same rows may
// be some per cent longer or shorter. Here remain: the bounds of row groups and
// dictionaries and what is not UTF-8 (measure.go); a fault of the library that
// turns nulls into empty values (nulls.go); and Reopen, which keeps the paths of
// columns that the library's Reset clears.
//
// Rows are read here (assemble.go), since the library's GenericReader puts all
// values of a row into memory before it looks at the first. From a file of 309
// bytes that holds a list of 41,943,040 nulls it allocates 5.8 GB; here that is an
// error at 4,194,304 elements, after 262 MB. It converts a column of another type;
// here that is an error that names the column (match.go). And not all rows of
// TestRoundTrip come back from it as they were written.
package parquet
