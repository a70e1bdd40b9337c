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
//	slice with option map                     MAP, names key_value, key and value
//
// What is nullable is optional, all else required. A string or []byte column must
// choose dict or plain: the library's default, DELTA_LENGTH_BYTE_ARRAY, cannot be
// read by older releases of Spark. A bool cannot have a dictionary; a struct and a
// map have no encoding but those of their columns.
package parquet
