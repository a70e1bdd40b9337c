package dataset

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

// A Part is an open part file of a table, whatever its format.
type Part[T any] interface {
	// Read sets rows to the next ones and returns how many there were. The error is io.EOF at the end, with the last
	// rows or after.
	Read(rows []T) (int, error)
	Close() error
}

// OpenPart opens a part file for reading. It reads the columns of T, and passes over others.
func OpenPart[T any](store storage.Store, file manifest.Output) (Part[T], error) {
	name := store.String() + "/" + file.Path
	// Either error comes with a reader that is nil, which in a Part would not be.
	if f, _ := table.FormatOf(file.Path); f == table.Arrow {
		in, err := store.Open(file.Path)
		if err != nil {
			return nil, err
		}
		r, err := arrow.OpenFrom[T](name, in)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	in, err := store.OpenAt(file.Path, file.Bytes)
	if err != nil {
		return nil, err
	}
	r, err := parquet.OpenAt[T](name, in, file.Bytes)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &parquetPart[T]{r, in}, nil
}

// readRows is how many rows are read at a time.
const readRows = 1024

// EachRow calls visit for every row of a part file, with the columns of T, and returns how many there were. The row is
// good until visit returns. It ends with the error of ctx when that is done.
func EachRow[T any](
	ctx context.Context, store storage.Store, file manifest.Output, visit func(*T),
) (n int64, err error) {
	part, err := OpenPart[T](store, file)
	if err != nil {
		return 0, err
	}
	defer part.Close() // it was read only
	rows := make([]T, readRows)
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		read, err := part.Read(rows)
		for i := range rows[:read] {
			visit(&rows[i])
		}
		n += int64(read)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// A parquetPart is one in Parquet, with the file that it reads.
type parquetPart[T any] struct {
	*parquet.Reader[T]
	in io.Closer
}

func (p *parquetPart[T]) Close() error { return errors.Join(p.Reader.Close(), p.in.Close()) }

// A partWriter is a part file in the making, whatever its format.
type partWriter[T any] interface {
	Write(rows []T) error
	WriteColumns(rows *columns.Rows[T], order []uint32) error
	Commit() (parquet.Info, error)
	Abort() error
}

// An arrowWriter is one in Arrow.
type arrowWriter[T any] struct{ *arrow.FileWriter[T] }

// WriteColumns makes rows again, some at a time.
func (w arrowWriter[T]) WriteColumns(rows *columns.Rows[T], order []uint32) error {
	in, err := columns.Read[T](rows)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(order, readRows) {
		list := make([]T, len(some))
		for i, number := range some {
			in.Row(number, &list[i])
		}
		if err := w.Write(list); err != nil {
			return err
		}
	}
	return nil
}

func (w arrowWriter[T]) Commit() (parquet.Info, error) {
	info, err := w.FileWriter.Commit()
	return parquet.Info(info), err
}

func createPart[T any](file string, name table.Name, opts Options) (partWriter[T], error) {
	if opts.Format == table.Arrow {
		metadata := map[string]string{MetaTable: string(name)}
		maps.Copy(metadata, opts.Metadata)
		out, err := arrow.Create[T](file, metadata)
		return arrowWriter[T]{out}, err
	}
	return parquet.Create[T](file, parquet.Options{Metadata: opts.Metadata, CreatedBy: opts.CreatedBy,
		RowGroupRows: opts.rowGroupRows})
}

// writePart writes a whole part file. What it returns has no path.
func writePart[T any](file string, name table.Name, opts Options, write func(partWriter[T]) error) (manifest.Output,
	error) {
	out, err := createPart[T](file, name, opts)
	if err != nil {
		return manifest.Output{}, err
	}
	defer out.Abort()
	if err := write(out); err != nil {
		return manifest.Output{}, err
	}
	info, err := out.Commit()
	return manifest.Output{Rows: info.Rows, Bytes: info.Bytes, SHA256: info.SHA256}, err
}
