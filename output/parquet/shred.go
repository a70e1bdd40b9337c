package parquet

import (
	"reflect"
	"time"

	pq "github.com/parquet-go/parquet-go"
)

// shredder takes rows apart into the values of leaf columns, with the levels
// that say where a value stood. It owns copies of all bytes, so that a row may be
// changed as soon as it has been taken.
type shredder struct {
	tree    *tree
	values  [][]pq.Value // by leaf
	sizes   []int64      // by leaf: bytes of values since the owner last reset it
	bytes   int64        // of all values in the batch, about
	arena   []byte       // what string and binary values point into
	entries []entry      // scratch for a map
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

func (s *shredder) row(v reflect.Value) { s.write(s.tree.root, v, 0, 0) }

// write takes apart v, the Go value of c. Rep is the repetition level of its
// first value, def the definition level of what is around it.
func (s *shredder) write(c *column, v reflect.Value, rep, def int) {
	if c.pointer {
		if v.IsNil() {
			s.null(c, rep, def)
			return
		}
		v = v.Elem()
	}
	switch c.kind {
	case kindStruct:
		for _, f := range c.children {
			s.write(f, v.FieldByIndex(f.index), rep, c.def)
		}
	case kindList:
		n := v.Len()
		if n == 0 {
			s.empty(c, v, rep, def)
			return
		}
		for i := range n {
			s.write(c.children[0], v.Index(i), rep, c.def+1)
			rep = c.rep + 1
		}
	case kindMap:
		if v.Len() == 0 {
			s.empty(c, v, rep, def)
			return
		}
		s.entries = appendEntries(s.entries[:0], c, v)
		key, value := c.children[0], c.children[1]
		for _, e := range s.entries {
			s.text(key, e.key, rep)
			s.put(value, pq.Int64Value(e.value), rep, 8)
			rep = c.rep + 1
		}
	case kindBytes:
		if c.optional && v.IsNil() {
			s.null(c, rep, def)
			return
		}
		b := v.Bytes()
		at := len(s.arena)
		s.arena = append(s.arena, b...)
		s.put(c, pq.ByteArrayValue(s.arena[at:]), rep, len(b))
	case kindString:
		s.text(c, validUTF8(v.String()), rep)
	case kindBool:
		s.put(c, pq.BooleanValue(v.Bool()), rep, 1)
	case kindInt16, kindInt32:
		s.put(c, pq.Int32Value(int32(v.Int())), rep, 4)
	case kindInt64, kindMillis:
		s.put(c, pq.Int64Value(v.Int()), rep, 8)
	case kindTime:
		// Through the address, which every value of a row has: no copy is made.
		s.put(c, pq.Int64Value(v.Addr().Interface().(*time.Time).UnixMilli()), rep, 8)
	}
}

// text puts a string that is valid UTF-8.
func (s *shredder) text(c *column, str string, rep int) {
	at := len(s.arena)
	s.arena = append(s.arena, str...)
	s.put(c, pq.ByteArrayValue(s.arena[at:]), rep, len(str))
}

func (s *shredder) put(c *column, v pq.Value, rep, size int) {
	leaf := c.firstLeaf
	s.values[leaf] = append(s.values[leaf], v.Level(rep, c.def, leaf))
	s.sizes[leaf] += int64(size)
	s.bytes += int64(size)
}

// empty writes a list or map without elements, which is null if it may be and is
// nil.
func (s *shredder) empty(c *column, v reflect.Value, rep, def int) {
	if c.optional && v.IsNil() {
		s.null(c, rep, def)
		return
	}
	s.null(c, rep, c.def)
}

// null writes into every leaf of c that nothing is there from level def on.
func (s *shredder) null(c *column, rep, def int) {
	for leaf := c.firstLeaf; leaf < c.firstLeaf+c.leaves; leaf++ {
		s.values[leaf] = append(s.values[leaf], pq.NullValue().Level(rep, def, leaf))
		s.bytes++
	}
}
