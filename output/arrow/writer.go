package arrow

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

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
	out     *ipc.Writer
	root    *column
	builder *array.RecordBuilder
	entries []entry // scratch for a map
	rows    int     // in the builder
	bytes   int     // in the builder, about
	err     error   // of the first call that failed
	closed  bool
}

// NewWriter starts a stream on w, with the given key/value pairs in its schema;
// the map may be nil. The schema is written with the first batch, or by Close.
// Closing the stream does not close w.
func NewWriter[T any](w io.Writer, metadata map[string]string) (*Writer[T], error) {
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
	schema := arrow.NewSchema(root.fields(), &pairs)
	return &Writer[T]{
		out:     ipc.NewWriter(w, ipc.WithSchema(schema)),
		root:    root,
		builder: array.NewRecordBuilder(memory.DefaultAllocator, schema),
	}, nil
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
		for j, c := range w.root.children {
			w.append(c, w.builder.Field(j), v.FieldByIndex(c.index))
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
func (w *Writer[T]) append(c *column, to array.Builder, v reflect.Value) {
	w.bytes++
	if c.pointer {
		if v.IsNil() {
			to.AppendNull()
			return
		}
		v = v.Elem()
	} else if c.optional && v.IsNil() { // a slice
		to.AppendNull()
		return
	}
	switch c.kind {
	case kindBool:
		to.(*array.BooleanBuilder).Append(v.Bool())
	case kindInt16:
		to.(*array.Int16Builder).Append(int16(v.Int()))
		w.bytes += 2
	case kindInt32:
		to.(*array.Int32Builder).Append(int32(v.Int()))
		w.bytes += 4
	case kindInt64:
		to.(*array.Int64Builder).Append(v.Int())
		w.bytes += 8
	case kindMillis:
		to.(*array.TimestampBuilder).Append(arrow.Timestamp(v.Int()))
		w.bytes += 8
	case kindTime:
		// Through the address, which every value of a row has: no copy is made.
		to.(*array.TimestampBuilder).Append(arrow.Timestamp(v.Addr().Interface().(*time.Time).UnixMilli()))
		w.bytes += 8
	case kindString:
		s := validUTF8(v.String())
		to.(*array.StringBuilder).Append(s)
		w.bytes += 4 + len(s)
	case kindBytes:
		b := v.Bytes()
		to.(*array.BinaryBuilder).Append(b)
		w.bytes += 4 + len(b)
	case kindStruct:
		st := to.(*array.StructBuilder)
		st.Append(true)
		for i, f := range c.children {
			w.append(f, st.FieldBuilder(i), v.FieldByIndex(f.index))
		}
	case kindList:
		list := to.(*array.ListBuilder)
		list.Append(true)
		w.bytes += 4
		for i := range v.Len() {
			w.append(c.children[0], list.ValueBuilder(), v.Index(i))
		}
	case kindMap:
		m := to.(*array.MapBuilder)
		m.Append(true)
		w.bytes += 4
		w.entries = appendEntries(w.entries[:0], c, v)
		keys, values := m.KeyBuilder().(*array.StringBuilder), m.ItemBuilder().(*array.Int64Builder)
		for _, e := range w.entries {
			keys.Append(e.key)
			values.Append(e.value)
			w.bytes += 12 + len(e.key)
		}
	}
}

// entry is an entry of a map column.
type entry struct {
	key   string
	value int64
}

// appendEntries appends the entries of v, a slice for map column c, to dst:
// valid UTF-8, sorted by key, the values of equal keys added up. Dst must be
// empty.
func appendEntries(dst []entry, c *column, v reflect.Value) []entry {
	key, value := c.children[0].index, c.children[1].index
	for i := range v.Len() {
		e := v.Index(i)
		dst = append(dst, entry{validUTF8(e.FieldByIndex(key).String()), e.FieldByIndex(value).Int()})
	}
	byKey := func(a, b entry) int { return strings.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(dst, byKey) {
		slices.SortFunc(dst, byKey)
	}
	n := 0
	for _, e := range dst {
		if n > 0 && dst[n-1].key == e.key {
			dst[n-1].value += e.value
			continue
		}
		dst[n] = e
		n++
	}
	return dst[:n]
}

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
