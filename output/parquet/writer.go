package parquet

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/columns"
)

const (
	defaultRowGroupRows  = 1 << 20
	defaultRowGroupBytes = 256 << 20
	defaultCreatedBy     = "acapscan version unknown"

	defaultPageBytes = 1 << 20
	// A dictionary that outgrows this gives way to plain values for the rest of
	// the row group; older readers load dictionaries whole.
	dictionaryBytes = 4 << 20

	// Pages end only where a batch of rows ends, or pageRows further.
	batchRows  = 256
	batchBytes = 256 << 10
	pageRows   = 64
)

// Options says how a file is written. The zero value is good.
type Options struct {
	// RowGroupRows is the number of rows in a row group; 0 means 1,048,576.
	RowGroupRows int
	// RowGroupBytes ends a row group early: after the row with which its values,
	// neither encoded nor compressed, reach so many bytes. 0 means 256 MiB. Write
	// holds the values of a row group.
	RowGroupBytes int64
	// PageBytes is about how many bytes of values a page has; 0 means 1 MiB.
	PageBytes int
	// Metadata are the key/value pairs of the footer.
	Metadata map[string]string
	// CreatedBy names the program and its version, in the form that other readers
	// parse: "acapscan version 1.2.3". It must be the same for every run of a
	// version. Empty means "acapscan version unknown".
	CreatedBy string
}

// Info says what has been written.
type Info struct {
	Rows   int64
	Bytes  int64  // size of the file
	SHA256 string // of the file, in lower-case hexadecimal
}

// Writer writes rows to a file that has its name only from Commit on. The same
// rows and options give the same bytes, however the rows are split over calls of
// Write. A Writer must not be used by two goroutines at once.
type Writer[T any] struct {
	path string
	opts Options
	file *storage.File // nil after Commit and Abort
	out  *fileWriter
	err  error // of the first call that failed

	rows    int64            // that are written
	held    *columns.Rows[T] // rows of Write; nil before the first
	written int              // of held, the first
	bytes   int64            // of held, the others
}

// Create starts a file, as [storage.Create] does. An error about a struct tag names
// the column.
func Create[T any](path string, opts Options) (*Writer[T], error) {
	t, err := treeOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	if opts.RowGroupRows < 0 || opts.RowGroupBytes < 0 || opts.PageBytes < 0 {
		return nil, errors.New("parquet: the size of a row group or page must not be negative")
	}
	if opts.PageBytes == 0 {
		opts.PageBytes = defaultPageBytes
	}
	if opts.RowGroupRows == 0 {
		opts.RowGroupRows = defaultRowGroupRows
	}
	if opts.RowGroupBytes == 0 {
		opts.RowGroupBytes = defaultRowGroupBytes
	}
	if opts.CreatedBy == "" {
		opts.CreatedBy = defaultCreatedBy
	}
	file, err := storage.Create(path)
	if err != nil {
		return nil, err
	}
	out, err := newFileWriter(file, t, opts)
	if err != nil {
		return nil, errors.Join(err, file.Abort())
	}
	return &Writer[T]{path: path, opts: opts, file: file, out: out}, nil
}

// Write adds rows, and keeps nothing of them. After an error the file cannot be committed.
func (w *Writer[T]) Write(rows []T) error {
	return w.try(func() (err error) {
		if w.held == nil {
			if w.held, err = columns.New[T](); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(rows, batchRows) {
			before := w.held.Len()
			for i := range part {
				w.held.Append(&part[i])
			}
			sizes := w.held.RowBytes()
			for i := before; i < len(sizes); i++ {
				w.bytes += int64(sizes[i])
				if i+1-w.written >= w.opts.RowGroupRows || w.bytes >= w.opts.RowGroupBytes {
					if err := w.flush(i + 1); err != nil {
						return err
					}
				}
			}
			if w.written == 0 {
				continue
			}
			// Let go of the rows that are written. The others are the last ones of this part.
			more := len(sizes) - w.written
			w.held.Reset()
			w.written = 0
			for i := range more {
				w.held.Append(&part[len(part)-more+i])
			}
		}
		return nil
	})
}

// WriteColumns adds rows in the order of their numbers in order. After an error the file cannot be committed.
func (w *Writer[T]) WriteColumns(rows *columns.Rows[T], order []uint32) error {
	return w.try(func() error {
		if w.held != nil {
			return errors.New("a file has either rows or columns")
		}
		sizes := rows.RowBytes()
		for len(order) > 0 {
			n, bytes := 0, int64(0)
			for n < len(order) && n < w.opts.RowGroupRows && bytes < w.opts.RowGroupBytes {
				bytes += int64(sizes[order[n]])
				n++
			}
			if err := w.writeGroup(rows, order[:n]); err != nil {
				return err
			}
			order = order[n:]
		}
		return nil
	})
}

func (w *Writer[T]) try(do func() error) (err error) {
	if w.err != nil {
		return w.err
	}
	if w.file == nil {
		return fmt.Errorf("parquet: %s is closed", w.path)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			w.err = fmt.Errorf("parquet: writing %s: %w", w.path, err)
		}
		err = w.err
	}()
	return do()
}

// flush writes a row group of those of the first rows that are held that are not written yet.
func (w *Writer[T]) flush(rows int) error {
	order := make([]uint32, rows-w.written)
	for i := range order {
		order[i] = uint32(w.written + i)
	}
	w.written, w.bytes = rows, 0
	if len(order) == 0 {
		return nil
	}
	return w.writeGroup(w.held, order)
}

func (w *Writer[T]) flushAll() error {
	if w.held == nil {
		return nil
	}
	return w.flush(w.held.Len())
}

// writeGroup writes a row group.
func (w *Writer[T]) writeGroup(rows *columns.Rows[T], order []uint32) error {
	w.rows += int64(len(order))
	return w.out.writeGroup(rows.Leaves(), rows.RowBytes(), order)
}

// Commit writes what is left and gives the file its name, as
// [storage.File.Commit] does.
func (w *Writer[T]) Commit() (Info, error) {
	if w.file == nil {
		return Info{}, fmt.Errorf("parquet: %s is closed", w.path)
	}
	err := w.try(func() error { return errors.Join(w.flushAll(), w.out.close(w.rows)) })
	if err != nil {
		return Info{}, errors.Join(err, w.Abort())
	}
	file := w.file
	w.file, w.out = nil, nil
	return Info{Rows: w.rows, Bytes: file.Size(), SHA256: file.SHA256()}, file.Commit()
}

// Abort removes the temporary file. After Commit, or a second time, it does
// nothing, so that it can be deferred.
func (w *Writer[T]) Abort() error {
	if w.file == nil {
		return nil
	}
	file := w.file
	w.file, w.out = nil, nil
	return file.Abort()
}

// A check is where a page may end: before a row of a row group.
type check struct {
	row   int
	batch bool // a batch ends, too
}

// checksOf returns where pages may end among rows of these sizes. It depends on the rows alone.
func checksOf(checks []check, sizes []uint32, order []uint32) []check {
	checks = checks[:0]
	rows, bytes := 0, 0 // of the batch
	for i, row := range order {
		rows++
		bytes = min(bytes+int(sizes[row]), math.MaxInt32)
		if rows == batchRows || bytes >= batchBytes || i == len(order)-1 {
			checks = append(checks, check{i + 1, true})
			rows, bytes = 0, 0
		} else if rows%pageRows == 0 {
			checks = append(checks, check{i + 1, false})
		}
	}
	return checks
}
