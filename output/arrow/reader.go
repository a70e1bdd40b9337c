package arrow

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

const (
	// readRows is the number of rows a call of Read returns at most.
	readRows = 4096
	// maxElements bounds a list or map in a row.
	maxElements = 1 << 22
)

// Reader reads rows from a stream. It reads the columns of T, and needs each to
// be in the stream with the same type; other columns are passed over. A column
// may be nullable in the stream and not in T, for other writers call every column
// so: then a null is an error. A stream that is damaged, or ends before its end
// marker, gives an error. A Reader must not be used by two goroutines at once.
type Reader[T any] struct {
	in    *ipc.Reader
	bound []binding // by column of T
	rec   arrow.Record
	next  int   // row of rec
	err   error // of the call that failed, or io.EOF
}

// NewReader opens the stream that begins at the next byte of r. It returns io.EOF
// itself if r has no further byte. An error about a column that is missing or of
// another type names it.
func NewReader[T any](r io.Reader) (_ *Reader[T], err error) {
	defer recoverDamaged(&err)
	root, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	source := &messages{r: r}
	in, err := ipc.NewReaderFromMessageReader(source)
	if err != nil {
		if !source.began {
			return nil, io.EOF
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("a stream without a schema")
		}
		return nil, damaged(err)
	}
	bound, err := bindFields(root, in.Schema().Fields())
	if err != nil {
		return nil, damaged(err)
	}
	return &Reader[T]{in: in, bound: bound}, nil
}

// Metadata returns the key/value pairs of the schema, in a new map.
func (r *Reader[T]) Metadata() map[string]string {
	pairs := r.in.Schema().Metadata()
	m := make(map[string]string, pairs.Len())
	for i, k := range pairs.Keys() {
		m[k] = pairs.Values()[i]
	}
	return m
}

// Read returns the next rows: at least one, at most some thousands. They, and
// what they refer to, are new and the caller's. After the last it returns io.EOF,
// and the io.Reader stands behind the end marker. After an error it returns the
// same error again.
func (r *Reader[T]) Read() (rows []T, err error) {
	if r.err != nil {
		return nil, r.err
	}
	defer func() {
		if err != nil {
			rows, r.err = nil, err
		}
	}()
	defer recoverDamaged(&err)
	for r.rec == nil || r.next == int(r.rec.NumRows()) {
		r.rec, r.next = nil, 0
		rec, err := r.in.Read()
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			return nil, damaged(err)
		}
		r.rec = rec
	}
	rows = make([]T, min(readRows, int(r.rec.NumRows())-r.next))
	all := reflect.ValueOf(rows)
	for i := range rows {
		v := all.Index(i)
		for _, b := range r.bound {
			if err := b.read(r.rec.Column(b.at), r.next, v.FieldByIndex(b.column.index)); err != nil {
				return nil, damaged(err)
			}
		}
		r.next++
	}
	return rows, nil
}

// recoverDamaged turns a panic of the library, which is how it answers to buffers
// shorter than what they should hold, into an error.
func recoverDamaged(err *error) {
	if p := recover(); p != nil {
		*err = damaged(fmt.Errorf("%v", p))
	}
}

func damaged(err error) error { return fmt.Errorf("arrow: reading a stream: %w", err) }

// binding ties a column to a field of the stream's schema.
type binding struct {
	column   *column
	at       int // among the fields of the stream, or of the struct around it
	children []binding
}

// bindFields finds the columns below c, by name.
func bindFields(c *column, fields []arrow.Field) ([]binding, error) {
	bound := make([]binding, len(c.children))
	for i, want := range c.children {
		at := -1
		for j, f := range fields {
			if f.Name != want.name {
				continue
			}
			if at >= 0 {
				return nil, fmt.Errorf("column %s is there twice", want.path)
			}
			at = j
		}
		if at < 0 {
			return nil, fmt.Errorf("column %s is missing", want.path)
		}
		b, err := bind(want, fields[at].Type)
		if err != nil {
			return nil, err
		}
		b.at = at
		bound[i] = b
	}
	return bound, nil
}

// bind compares the type of a column with that of a field.
func bind(c *column, got arrow.DataType) (binding, error) {
	b := binding{column: c}
	var err error
	switch c.kind {
	case kindList:
		if l, ok := got.(*arrow.ListType); ok {
			b.children = make([]binding, 1)
			b.children[0], err = bind(c.children[0], l.Elem())
			return b, err
		}
	case kindMap:
		// Keys and values have their place; names differ between writers.
		if m, ok := got.(*arrow.MapType); ok {
			b.children = make([]binding, 2)
			for i, t := range []arrow.DataType{m.KeyType(), m.ItemType()} {
				if b.children[i], err = bind(c.children[i], t); err != nil {
					return b, err
				}
			}
			return b, nil
		}
	case kindStruct:
		if s, ok := got.(*arrow.StructType); ok {
			b.children, err = bindFields(c, s.Fields())
			return b, err
		}
	default:
		if arrow.TypeEqual(leafTypes[c.kind], got) {
			return b, nil
		}
	}
	return b, fmt.Errorf("column %s is %s, not %s", c.path, typeName(got), typeName(c.dataType()))
}

// read sets dst, which is zero, to value i of an array.
func (b *binding) read(from arrow.Array, i int, dst reflect.Value) error {
	c := b.column
	if from.IsNull(i) {
		if !c.optional {
			return fmt.Errorf("column %s is null in a row, which is not allowed", c.path)
		}
		return nil
	}
	if c.pointer {
		p := reflect.New(c.typ)
		dst.Set(p)
		dst = p.Elem()
	}
	switch c.kind {
	case kindBool:
		dst.SetBool(from.(*array.Boolean).Value(i))
	case kindInt16:
		dst.SetInt(int64(from.(*array.Int16).Value(i)))
	case kindInt32:
		dst.SetInt(int64(from.(*array.Int32).Value(i)))
	case kindInt64:
		dst.SetInt(from.(*array.Int64).Value(i))
	case kindMillis:
		dst.SetInt(int64(from.(*array.Timestamp).Value(i)))
	case kindTime:
		*dst.Addr().Interface().(*time.Time) = time.UnixMilli(int64(from.(*array.Timestamp).Value(i))).UTC()
	case kindString:
		dst.SetString(strings.Clone(from.(*array.String).Value(i)))
	case kindBytes:
		// Not nil, even if empty: nil is null.
		dst.SetBytes(append([]byte{}, from.(*array.Binary).Value(i)...))
	case kindStruct:
		s := from.(*array.Struct)
		for j := range b.children {
			child := &b.children[j]
			if err := child.read(s.Field(child.at), i, dst.FieldByIndex(child.column.index)); err != nil {
				return err
			}
		}
	case kindList:
		list := from.(*array.List)
		values := list.ListValues()
		return b.readElements(list, i, dst, func(at int, element reflect.Value) error {
			return b.children[0].read(values, at, element)
		})
	case kindMap:
		m := from.(*array.Map)
		return b.readElements(m.List, i, dst, func(at int, element reflect.Value) error {
			if err := b.children[0].read(m.Keys(), at, element.FieldByIndex(c.children[0].index)); err != nil {
				return err
			}
			return b.children[1].read(m.Items(), at, element.FieldByIndex(c.children[1].index))
		})
	}
	return nil
}

// readElements sets dst to the elements of list i, each read by a function from
// its place among the values of all lists.
func (b *binding) readElements(list *array.List, i int, dst reflect.Value, read func(at int, element reflect.Value) error) error {
	c := b.column
	from, to := list.ValueOffsets(i)
	if from < 0 || from > to || to-from > maxElements {
		return fmt.Errorf("column %s has a list from element %d to %d", c.path, from, to)
	}
	if c.optional { // nil would be null
		dst.Set(reflect.MakeSlice(c.typ, 0, 0))
	}
	for at := int(from); at < int(to); at++ {
		// Memory grows with the elements that are really there.
		n := dst.Len()
		if n == dst.Cap() {
			dst.Grow(max(1, min(n, int(to)-at)))
		}
		dst.SetLen(n + 1)
		if err := read(at, dst.Index(n)); err != nil {
			return err
		}
	}
	return nil
}
