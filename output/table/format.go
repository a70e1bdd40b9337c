package table

import (
	"fmt"
	"path"
)

// A Format is the form of the part files of a run. All of a run have one.
type Format string

const (
	Parquet Format = "parquet"
	Arrow   Format = "arrow" // Arrow IPC files, not streams
)

// Formats lists all forms, the usual one first.
func Formats() []Format { return []Format{Parquet, Arrow} }

// Extension ends the names of part files, the point included.
func (f Format) Extension() string { return "." + string(f) }

// MediaType is the registered media type of part files.
func (f Format) MediaType() string {
	if f == Arrow {
		return "application/vnd.apache.arrow.file"
	}
	return "application/vnd.apache.parquet"
}

// FormatOf returns the form of a file by its name. It reports false for the name of no part file.
func FormatOf(name string) (Format, bool) {
	for _, f := range Formats() {
		if path.Ext(name) == f.Extension() {
			return f, true
		}
	}
	return "", false
}

// PartName returns the file name of part n: "part-00042.parquet".
func PartName(n int, f Format) string { return fmt.Sprintf("part-%05d%s", n, f.Extension()) }
