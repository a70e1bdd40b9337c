package source

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/output/parquet"
)

// Columns of a file of coordinates, named as in Common Crawl's columnar index. Other columns are ignored.
const (
	columnFilename = "warc_filename"
	columnOffset   = "warc_record_offset"
	columnLength   = "warc_record_length"
)

// maxRow limits a row of a CSV file, in bytes: an index also has URLs and lists of languages.
const maxRow = 1 << 20

// maxOffset and maxLength limit coordinates, so that their sums do not overflow.
const (
	maxOffset = 1 << 50
	maxLength = 1 << 36
)

// errNotLocal: Parquet files are read from the end, which needs a local file.
var errNotLocal = errors.New("coordinates in Parquet must be in a local file; CSV may come from anywhere")

// coordinates adds the records in files of coordinates, as inputs by archive. The inputs are sorted by name, so the
// order of the coordinates does not matter. An archive that is already an input as a whole is not added again.
func (e *expansion) coordinates(files []string) error {
	byArchive := map[string][]Range{}
	isLocal := true
	for _, name := range files {
		add := func(archive string, r Range) error {
			if err := e.count(); err != nil {
				return err
			}
			if err := checkRange(r); err != nil {
				return err
			}
			list, known := byArchive[archive]
			if !known {
				if err := checkPath(archive); err != nil {
					return err
				}
				archive = strings.Clone(archive) // the original is a part of the row
			}
			byArchive[archive] = append(list, r)
			return nil
		}
		local, err := e.readCoordinates(name, add)
		if err != nil {
			return err
		}
		isLocal = isLocal && local
	}
	for _, archive := range slices.Sorted(maps.Keys(byArchive)) {
		if err := e.listed(archive, isLocal, inOrder(byArchive[archive])); err != nil {
			return fmt.Errorf("coordinates in %s: %w", short(archive), err)
		}
	}
	return nil
}

func checkRange(r Range) error {
	switch {
	case r.Offset < 0 || r.Offset > maxOffset:
		return fmt.Errorf("%s %d is not an offset", columnOffset, r.Offset)
	case r.Length <= 0 || r.Length > maxLength:
		return fmt.Errorf("%s %d is not a length of a record", columnLength, r.Length)
	}
	return nil
}

// inOrder sorts ranges and keeps the longest at each offset: only the record at the offset is read.
func inOrder(list []Range) []Range {
	slices.SortFunc(list, func(a, b Range) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length))
	})
	return slices.Clip(slices.CompactFunc(list, func(a, b Range) bool { return a.Offset == b.Offset }))
}

// readCoordinates reads a file of coordinates. Its first bytes decide between CSV and Parquet.
func (e *expansion) readCoordinates(name string, add func(string, Range) error) (isLocal bool, err error) {
	text, err := e.openText(name)
	if err != nil {
		return false, err
	}
	defer text.Close()
	head := make([]byte, len(magicParquet))
	n, err := io.ReadFull(text, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, fmt.Errorf("%s: %w", text.name, err)
	}
	if string(head) != magicParquet {
		return text.isLocal, readCSV(text.name, io.MultiReader(bytes.NewReader(head[:n]), text), add)
	}
	if name == Stdin || !text.isLocal {
		return false, fmt.Errorf("%s: %w", text.name, errNotLocal)
	}
	return true, readParquet(name, add)
}

// readCSV reads coordinates from comma-separated values with a header line.
func readCSV(name string, in io.Reader, add func(string, Range) error) error {
	bounded := &bounded{r: in}
	rows := csv.NewReader(bounded)
	rows.ReuseRecord = true
	read := func() ([]string, error) {
		bounded.left = maxRow
		return rows.Read()
	}
	header, err := read()
	if err == io.EOF {
		return fmt.Errorf("%s is empty: the line with the names of the columns is missing", name)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var at [3]int
	for i, column := range []string{columnFilename, columnOffset, columnLength} {
		at[i] = slices.IndexFunc(header, func(have string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(have, byteOrderMark)), column)
		})
		if at[i] < 0 {
			return fmt.Errorf("%s has no column %s: coordinates are CSV with a first line of names, or Parquet", name,
				column)
		}
	}
	for {
		row, err := read()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r, err := parseRange(row[at[1]], row[at[2]])
		if err == nil {
			err = add(row[at[0]], r)
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			return inLine(name, line, err)
		}
	}
}

// parseRange reads the numbers of a coordinate.
func parseRange(offset, length string) (Range, error) {
	from, err := strconv.ParseInt(strings.TrimSpace(offset), 10, 64)
	if err != nil {
		return Range{}, fmt.Errorf("%s %q is not a number", columnOffset, short(offset))
	}
	n, err := strconv.ParseInt(strings.TrimSpace(length), 10, 64)
	if err != nil {
		return Range{}, fmt.Errorf("%s %q is not a number", columnLength, short(length))
	}
	return Range{from, n}, nil
}

// bounded reads at most left bytes. Its owner resets left for each row. Bytes in a buffer before it are extra.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a row of more than %d bytes", maxRow)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

const magicParquet = "PAR1"

// readParquet reads coordinates from a Parquet file. Writers use different integer types and nulls, so each column is
// read alone, in its own type.
func readParquet(file string, add func(string, Range) error) error {
	names, err := openNames(file)
	if err != nil {
		return err
	}
	defer names.close()
	offsets, err := openOffsets(file)
	if err != nil {
		return err
	}
	defer offsets.close()
	lengths, err := openLengths(file)
	if err != nil {
		return err
	}
	defer lengths.close()
	for row := 1; ; row++ {
		name, isName, err := names.next()
		if err == io.EOF {
			return nil
		}
		offset, isOffset, err2 := offsets.next()
		length, isLength, err3 := lengths.next()
		if err = errors.Join(err, err2, err3); err != nil {
			return err
		}
		if !isName || !isOffset || !isLength {
			err = errors.New("a coordinate is null")
		} else {
			err = add(name, Range{offset, length})
		}
		if err != nil {
			return fmt.Errorf("%s, row %d: %w", file, row, err)
		}
	}
}

func openNames(file string) (columnOf[string], error) {
	return openFirst(file,
		openColumn(func(v *struct {
			V string `parquet:"warc_filename,plain"`
		}) (string, bool) {
			return v.V, true
		}),
		openColumn(func(v *struct {
			V *string `parquet:"warc_filename,optional,plain"`
		}) (string, bool) {
			return deref(v.V)
		}),
		openColumn(func(v *struct {
			V []byte `parquet:"warc_filename,plain"`
		}) (string, bool) {
			return string(v.V), true
		}),
		openColumn(func(v *struct {
			V []byte `parquet:"warc_filename,optional,plain"`
		}) (string, bool) {
			return string(v.V), v.V != nil
		}),
	)
}

func openOffsets(file string) (columnOf[int64], error) {
	return openFirst(file,
		openColumn(func(v *struct {
			V int32 `parquet:"warc_record_offset"`
		}) (int64, bool) {
			return int64(v.V), true
		}),
		openColumn(func(v *struct {
			V *int32 `parquet:"warc_record_offset,optional"`
		}) (int64, bool) {
			return widen(v.V)
		}),
		openColumn(func(v *struct {
			V int64 `parquet:"warc_record_offset"`
		}) (int64, bool) {
			return v.V, true
		}),
		openColumn(func(v *struct {
			V *int64 `parquet:"warc_record_offset,optional"`
		}) (int64, bool) {
			return deref(v.V)
		}),
	)
}

func openLengths(file string) (columnOf[int64], error) {
	return openFirst(file,
		openColumn(func(v *struct {
			V int32 `parquet:"warc_record_length"`
		}) (int64, bool) {
			return int64(v.V), true
		}),
		openColumn(func(v *struct {
			V *int32 `parquet:"warc_record_length,optional"`
		}) (int64, bool) {
			return widen(v.V)
		}),
		openColumn(func(v *struct {
			V int64 `parquet:"warc_record_length"`
		}) (int64, bool) {
			return v.V, true
		}),
		openColumn(func(v *struct {
			V *int64 `parquet:"warc_record_length,optional"`
		}) (int64, bool) {
			return deref(v.V)
		}),
	)
}

func deref[T any](p *T) (v T, ok bool) {
	if p == nil {
		return v, false
	}
	return *p, true
}

func widen(p *int32) (int64, bool) {
	v, ok := deref(p)
	return int64(v), ok
}

// A columnOf returns the values of a column, in order. ok is false for null.
type columnOf[T any] struct {
	next  func() (v T, ok bool, err error)
	close func() error
}

// openFirst opens a column as the first type that fits.
func openFirst[T any](file string, ways ...func(file string) (columnOf[T], error)) (c columnOf[T], err error) {
	for _, open := range ways {
		if c, err = open(file); err == nil {
			return c, nil
		}
	}
	return c, err
}

// openColumn opens the column of a row type with one column.
func openColumn[R, T any](value func(*R) (T, bool)) func(file string) (columnOf[T], error) {
	return func(file string) (columnOf[T], error) {
		in, err := parquet.Open[R](file)
		if err != nil {
			return columnOf[T]{}, err
		}
		rows := make([]R, 256)
		n, at := 0, 0
		next := func() (v T, ok bool, err error) {
			if at == n {
				if n, err = in.Read(rows); err != nil && (err == io.EOF || n == 0) {
					return v, false, err
				}
				at = 0
			}
			v, ok = value(&rows[at])
			at++
			return v, ok, nil
		}
		return columnOf[T]{next, in.Close}, nil
	}
}
