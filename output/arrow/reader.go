package arrow

import (
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// readRows is the number of rows a call of Read returns at most.
const readRows = 4096

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
			if err := b.read(r.rec.Column(b.at), r.next, v.FieldByIndex(b.column.Index)); err != nil {
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
