package parquet

import (
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

// shredder takes rows apart into the values of leaf columns, with the levels
// that say where a value stood. It owns copies of all bytes, so that a row may be
// changed as soon as it has been taken.
type shredder struct {
	tree    *tree
	values  [][]pq.Value    // by leaf
	sizes   []int64         // by leaf: bytes of values since the owner last reset it
	bytes   int64           // of all values in the batch, about
	arena   []byte          // what string and binary values point into
	entries []rowtype.Entry // scratch for a map
}

func newShredder(t *tree) *shredder {
	return &shredder{
		tree:   t,
		values: make([][]pq.Value, len(t.leaves)),
		sizes:  make([]int64, len(t.leaves)),
		arena:  make([]byte, 0, batchBytes),
	}
}

// reset forgets the values of the batch.
func (s *shredder) reset() {
	for i := range s.values {
		s.values[i] = s.values[i][:0]
	}
	s.bytes = 0
	s.arena = s.arena[:0]
	if cap(s.arena) > 16*batchBytes {
		s.arena = make([]byte, 0, batchBytes)
	}
}

func (s *shredder) row(v reflect.Value) { s.write(s.tree.root, v, 0) }

// write takes apart v, the Go value of c. Rep is the repetition level of its
// first value.
func (s *shredder) write(c *column, v reflect.Value, rep int) {
	if c.Optional {
		var ok bool
		if v, ok = c.Value(v); !ok {
			s.absent(c, c.null, rep)
			return
		}
	}
	switch c.Kind {
	case rowtype.Struct:
		for _, f := range c.children {
			if f.field >= 0 {
				s.write(f, v.Field(f.field), rep)
			} else {
				s.write(f, v.FieldByIndex(f.Index), rep)
			}
		}
	case rowtype.List:
		n := v.Len()
		if n == 0 {
			s.absent(c, c.empty, rep)
			return
		}
		for i := range n {
			s.write(c.children[0], v.Index(i), rep)
			rep = c.rep + 1
		}
	case rowtype.Map:
		if v.Len() == 0 {
			s.absent(c, c.empty, rep)
			return
		}
		s.entries = c.AppendEntries(s.entries[:0], v)
		key, value := c.children[0], c.children[1]
		for _, e := range s.entries {
			s.text(key, e.Key, rep)
			s.put(value, pq.Int64Value(e.Value), rep, 8)
			rep = c.rep + 1
		}
	case rowtype.Bytes:
		b := v.Bytes()
		at := len(s.arena)
		s.arena = append(s.arena, b...)
		s.put(c, pq.ByteArrayValue(s.arena[at:]), rep, len(b))
	case rowtype.String:
		s.text(c, rowtype.ValidUTF8(v.String()), rep)
	case rowtype.Bool:
		s.put(c, pq.BooleanValue(v.Bool()), rep, 1)
	case rowtype.Int16, rowtype.Int32:
		s.put(c, pq.Int32Value(int32(v.Int())), rep, 4)
	case rowtype.Int64:
		s.put(c, pq.Int64Value(v.Int()), rep, 8)
	case rowtype.Timestamp:
		s.put(c, pq.Int64Value(rowtype.Millis(v)), rep, 8)
	}
}

// text puts a string that is valid UTF-8.
func (s *shredder) text(c *column, str string, rep int) {
	at := len(s.arena)
	s.arena = append(s.arena, str...)
	s.put(c, pq.ByteArrayValue(s.arena[at:]), rep, len(str))
}

// put adds a value of leaf c. Size is the number of bytes it stands for.
func (s *shredder) put(c *column, v pq.Value, rep, size int) {
	leaf := c.firstLeaf
	if !c.flat {
		v = v.Level(rep, c.def, leaf)
	}
	s.values[leaf] = append(s.values[leaf], v)
	s.sizes[leaf] += int64(size)
	s.bytes += int64(size)
}

// absent adds to every leaf of c that nothing is there: what c says of a row's first values, where the levels differ with its own.
func (s *shredder) absent(c *column, first []pq.Value, rep int) {
	for i, v := range first {
		leaf := c.firstLeaf + i
		if rep > 0 {
			v = v.Level(rep, v.DefinitionLevel(), leaf)
		}
		s.values[leaf] = append(s.values[leaf], v)
	}
	s.bytes += int64(len(first))
}
