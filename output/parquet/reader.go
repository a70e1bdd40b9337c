package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

// maxFooterBytes bounds what is allocated on the word of a file's last bytes.
const maxFooterBytes = 256 << 20

// Reader reads rows from a file. It reads the columns of T, and needs each to be
// in the file with the same type and nullability; other columns are passed over.
// A damaged file gives an error, not a panic and not made-up rows: pages carry
// checksums. What the decoder allocates for one page is bounded only by the
// format, at 2 GiB; and what a page swells to that was compressed to do harm is
// not bounded: open files of writers, not of strangers. Columns compressed with
// LZ4 are refused, because the library answers a damaged page of theirs with an
// ever larger buffer. A Reader must not be used by two goroutines at once.
type Reader[T any] struct {
	path   string
	file   file // nil after Close
	pq     *pq.File
	tree   *tree
	index  []int // by leaf: number of the column in the file
	groups []pq.RowGroup
	asm    *assembler // of the row group being read; nil between two
	left   int64      // rows left in it
	err    error      // of the call that failed
}

// file is where the bytes of a Reader come from.
type file interface {
	io.ReaderAt
	io.Closer
}

// elsewhere is a file that is not one of this machine. It needs no closing.
type elsewhere struct{ io.ReaderAt }

func (elsewhere) Close() error { return nil }

// Open opens a file for reading rows of type T. An error about a column that is
// missing or of another type names it.
func Open[T any](path string) (*Reader[T], error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("parquet: %s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return open[T](path, file, info.Size())
}

// OpenAt is Open for a file that is not one of this machine, of so many bytes. The name stands in errors.
func OpenAt[T any](name string, r io.ReaderAt, size int64) (*Reader[T], error) {
	return open[T](name, elsewhere{r}, size)
}

func open[T any](path string, from file, size int64) (*Reader[T], error) {
	t, err := treeOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	r := &Reader[T]{path: path, file: from, tree: t}
	if err := r.open(size); err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return r, nil
}

func (r *Reader[T]) open(size int64) (err error) {
	defer recoverCorrupt(r.path, &err)
	if err := checkFooter(r.file, size); err != nil {
		return fmt.Errorf("parquet: %s: %w", r.path, err)
	}
	_, far := r.file.(elsewhere) // there a read costs a request, and what matters stands at the end
	r.pq, err = pq.OpenFile(r.file, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true), pq.SkipMagicBytes(far))
	if err != nil {
		return fmt.Errorf("parquet: %s: %w", r.path, err)
	}
	if err := matchFields(r.tree.Root, r.pq.Schema()); err != nil {
		return fmt.Errorf("parquet: %s: %w", r.path, err)
	}
	r.index = make([]int, len(r.tree.Leaves))
	for i, leaf := range r.tree.Leaves {
		found, ok := r.pq.Schema().Lookup(filePath(r.tree, i)...)
		if !ok {
			return fmt.Errorf("parquet: %s: column %s is missing", r.path, leaf.Path)
		}
		if c := found.Node.Compression(); c != nil && c.CompressionCodec() == pq.Lz4Raw.CompressionCodec() {
			return fmt.Errorf("parquet: %s: column %s is compressed with %v, which is not read", r.path, leaf.Path, c)
		}
		r.index[i] = found.ColumnIndex
	}
	r.groups = r.pq.RowGroups()
	return nil
}

func checkFooter(file io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return fmt.Errorf("%d bytes are too few for a Parquet file", size)
	}
	if _, err := file.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return errors.New("not a whole Parquet file: it does not end in PAR1")
	}
	if n := int64(binary.LittleEndian.Uint32(tail[:])); n > maxFooterBytes || n > size-12 {
		return fmt.Errorf("the footer is said to have %d bytes, in a file of %d", n, size)
	}
	return nil
}

// NumRows returns the number of rows in the file, whatever SeekRange chose.
func (r *Reader[T]) NumRows() int64 { return r.pq.NumRows() }

// Metadata returns the key/value pairs of the footer, in a new map.
func (r *Reader[T]) Metadata() map[string]string {
	pairs := r.pq.Metadata().KeyValueMetadata
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		m[p.Key] = p.Value
	}
	return m
}

// SeekRange makes the next Read start again, and read only those row groups in
// which a value of an int64 column may lie in [lo, hi], by the bounds that the
// file states. Rows outside of the range that share a row group with rows inside
// of it are read too. The column is named by its path, the names joined by dots,
// and may hold timestamps, in milliseconds; it must be one of the columns of T,
// and not within a list or a map.
func (r *Reader[T]) SeekRange(column string, lo, hi int64) (err error) {
	if r.file == nil {
		return fmt.Errorf("parquet: %s is closed", r.path)
	}
	defer recoverCorrupt(r.path, &err)
	leaf := -1
	for i, c := range r.tree.Leaves {
		if c.Path == column && c.Rep == 0 && (c.Kind == rowtype.Int64 || c.Kind == rowtype.Timestamp) {
			leaf = i
		}
	}
	if leaf < 0 {
		return fmt.Errorf("parquet: %s is not an int64 column of %v outside of lists", column, r.tree.Root.Type)
	}
	r.closeGroup()
	r.err = nil
	r.groups = nil
	for _, g := range r.pq.RowGroups() {
		chunk, ok := g.ColumnChunks()[r.index[leaf]].(*pq.FileColumnChunk)
		if ok {
			if lowest, highest, known := chunk.Bounds(); known && (lowest.Int64() > hi || highest.Int64() < lo) {
				continue
			}
		}
		r.groups = append(r.groups, g)
	}
	return nil
}

// Read fills rows from the start and returns how many it filled: at the end of
// the rows 0 and io.EOF, as io.Reader does. What the rows refer to is new and
// the caller's. With an error, the rows counted are good.
func (r *Reader[T]) Read(rows []T) (n int, err error) {
	if r.file == nil {
		return 0, fmt.Errorf("parquet: %s is closed", r.path)
	}
	if r.err != nil {
		return 0, r.err
	}
	defer func() {
		if err != nil && err != io.EOF {
			r.err = err
		}
	}()
	defer recoverCorrupt(r.path, &err)
	all := reflect.ValueOf(rows)
	for n < len(rows) {
		for r.asm == nil || r.left == 0 {
			more, err := r.nextGroup()
			if err != nil {
				return n, fmt.Errorf("parquet: %s: %w", r.path, err)
			}
			if !more {
				if n == 0 {
					return 0, io.EOF
				}
				return n, nil
			}
		}
		if err := r.asm.row(all.Index(n)); err != nil {
			return n, fmt.Errorf("parquet: %s: %w", r.path, err)
		}
		r.left--
		n++
	}
	return n, nil
}

// nextGroup goes on to the next row group, if there is one.
func (r *Reader[T]) nextGroup() (bool, error) {
	if r.asm != nil {
		if err := r.asm.checkEnd(); err != nil {
			return false, err
		}
		r.closeGroup()
	}
	if len(r.groups) == 0 {
		return false, nil
	}
	g := r.groups[0]
	r.groups = r.groups[1:]
	r.left = g.NumRows()
	if r.left < 0 {
		return false, fmt.Errorf("a row group is said to have %d rows", r.left)
	}
	r.asm = &assembler{tree: r.tree, cursors: make([]cursor, len(r.tree.Leaves))}
	chunks := g.ColumnChunks()
	for i, leaf := range r.tree.Leaves {
		r.asm.cursors[i] = cursor{column: leaf, pages: chunks[r.index[i]].Pages()}
	}
	return true, nil
}

func (r *Reader[T]) closeGroup() {
	if r.asm != nil {
		r.asm.close()
		r.asm = nil
	}
	r.left = 0
}

// Close closes the file. A second call does nothing.
func (r *Reader[T]) Close() (err error) {
	if r.file == nil {
		return nil
	}
	defer func() { r.file = nil }()
	defer func() { err = errors.Join(err, r.file.Close()) }()
	defer recoverCorrupt(r.path, &err)
	r.closeGroup()
	return nil
}

// recoverCorrupt turns a panic of the decoder into an error. The library
// promises errors for damaged files, and keeps the promise nearly everywhere;
// what it misses must cost the file, not the run.
func recoverCorrupt(path string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("parquet: %s is corrupt: the decoder panicked: %v", filepath.Base(path), p)
	}
}
