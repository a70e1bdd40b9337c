package arrow

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/acapscan/acapscan/output/rowtype"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

const (
	// A batch ends with the row that reaches one of these.
	batchRows  = 8192
	batchBytes = 8 << 20
)

// Writer writes rows to a stream. The same rows give the same bytes, however they
// are split over calls of Write. A Writer must not be used by two goroutines at
// once.
type Writer[T any] struct {
	out     batchWriter
	root    *rowtype.Column
	builder *array.RecordBuilder
	entries []rowtype.Entry // scratch for a map
	rows    int             // in the builder
	bytes   int             // in the builder, about
	err     error           // of the first call that failed
	closed  bool
}

// A batchWriter is what the library writes batches with: to a stream, or to a file.
type batchWriter interface {
	Write(arrow.Record) error
	Close() error
}

// NewWriter starts a stream on w, with the given key/value pairs in its schema;
// the map may be nil. The schema is written with the first batch, or by Close.
// Closing the stream does not close w.
func NewWriter[T any](w io.Writer, metadata map[string]string) (*Writer[T], error) {
	return newWriter[T](metadata, func(schema *arrow.Schema) (batchWriter, error) {
		return ipc.NewWriter(w, ipc.WithSchema(schema)), nil
	})
}

func newWriter[T any](metadata map[string]string, open func(*arrow.Schema) (batchWriter, error)) (*Writer[T], error) {
	root, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	keys := slices.Sorted(maps.Keys(metadata))
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = metadata[k]
	}
	pairs := arrow.NewMetadata(keys, values)
	schema := arrow.NewSchema(fieldsOf(root), &pairs)
	out, err := open(schema)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return &Writer[T]{out: out, root: root, builder: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// Write adds rows, and writes the batches that are full. It keeps nothing of the
// rows. After an error the stream cannot be continued.
func (w *Writer[T]) Write(rows []T) (err error) {
	if w.err != nil {
		return w.err
	}
	if w.closed {
		return errors.New("arrow: the stream is closed")
	}
	defer func() {
		// The library panics when a column of a batch outgrows 2 GiB.
		if p := recover(); p != nil {
			err = fmt.Errorf("arrow: writing: %v", p)
		}
		w.err = err
	}()
	all := reflect.ValueOf(rows)
	for i := range rows {
		v := all.Index(i)
		for j, c := range w.root.Children {
			w.append(c, w.builder.Field(j), v.FieldByIndex(c.Index))
		}
		w.rows++
		if w.rows >= batchRows || w.bytes >= batchBytes {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes what the builder holds as one batch.
func (w *Writer[T]) flush() error {
	rec := w.builder.NewRecord()
	defer rec.Release()
	w.rows, w.bytes = 0, 0
	if err := w.out.Write(rec); err != nil {
		return fmt.Errorf("arrow: writing a batch: %w", err)
	}
	return nil
}

// Close writes what is left and the end marker. A second call does nothing. It
// must be called to give memory back, also after an error; the end marker is
// then left out, and a reader sees that the stream is not whole.
func (w *Writer[T]) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	defer w.builder.Release()
	if w.err != nil {
		return w.err
	}
	if w.rows > 0 {
		w.err = w.flush()
	}
	if w.err == nil {
		w.err = w.out.Close()
	}
	return w.err
}

// append adds v, the Go value of c, to its builder.
func (w *Writer[T]) append(c *rowtype.Column, to array.Builder, v reflect.Value) {
	w.bytes++
	v, ok := c.Value(v)
	if !ok {
		to.AppendNull()
		return
	}
	switch c.Kind {
	case rowtype.Bool:
		to.(*array.BooleanBuilder).Append(v.Bool())
	case rowtype.Int16:
		to.(*array.Int16Builder).Append(int16(v.Int()))
		w.bytes += 2
	case rowtype.Int32:
		to.(*array.Int32Builder).Append(int32(v.Int()))
		w.bytes += 4
	case rowtype.Int64:
		to.(*array.Int64Builder).Append(v.Int())
		w.bytes += 8
	case rowtype.Timestamp:
		to.(*array.TimestampBuilder).Append(arrow.Timestamp(rowtype.Millis(v)))
		w.bytes += 8
	case rowtype.String:
		s := rowtype.ValidUTF8(v.String())
		to.(*array.StringBuilder).Append(s)
		w.bytes += 4 + len(s)
	case rowtype.Bytes:
		b := v.Bytes()
		to.(*array.BinaryBuilder).Append(b)
		w.bytes += 4 + len(b)
	case rowtype.Struct:
		st := to.(*array.StructBuilder)
		st.Append(true)
		for i, f := range c.Children {
			w.append(f, st.FieldBuilder(i), v.FieldByIndex(f.Index))
		}
	case rowtype.List:
		list := to.(*array.ListBuilder)
		list.Append(true)
		w.bytes += 4
		for i := range v.Len() {
			w.append(c.Children[0], list.ValueBuilder(), v.Index(i))
		}
	case rowtype.Map:
		m := to.(*array.MapBuilder)
		m.Append(true)
		w.bytes += 4
		w.entries = rowtype.AppendEntries(w.entries[:0], rowtype.MapOf(v))
		keys, values := m.KeyBuilder().(*array.StringBuilder), m.ItemBuilder().(*array.Int64Builder)
		for _, e := range w.entries {
			keys.Append(e.Key)
			values.Append(e.Value)
			w.bytes += 12 + len(e.Key)
		}
	}
}
