package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// The library trusts the lengths in a stream: it allocates what a message claims,
// and follows the offsets of its FlatBuffers wherever they lead. Neither running
// out of memory nor a stack overflow can be recovered from. So messages are
// taken from the stream here, within limits, and checked before the library sees
// them. (Arrow columnar format, "Encapsulated message format"; Message.fbs and
// Schema.fbs.)
//
// Streams come from this program and from pyarrow in our Spark job; they may be
// cut or have flipped bits (docs/architecture.md, "Our own files"). A limit on the
// length of messages and a recover are not enough for that: without the check,
// TestMutatedStreams ends with a batch for which the library allocates 1.1 TB,
// and, with an allocator that refuses this, with a schema for which it allocates
// 378 GB of fields (arrow/go v15.0.2, 2026-11-22).

const (
	maxMetadataBytes = 4 << 20
	maxBodyBytes     = 1 << 30
	maxFields        = 4096 // of a schema, nested ones included
	maxFieldDepth    = 32
	keptBodyBytes    = 16 << 20 // a larger body's buffer is not kept for the next

	continuation = 0xFFFFFFFF
)

// MessageHeader in Message.fbs.
const (
	headerSchema      = 1
	headerRecordBatch = 3
)

// errNotWhole is for a stream that ends before its end marker. The format lets a
// writer leave the marker out; but then a writer that was killed between two
// batches looks like one that was done.
var errNotWhole = fmt.Errorf("the stream ends before its end marker: %w", io.ErrUnexpectedEOF)

// messages reads the messages of one stream. It implements ipc.MessageReader.
type messages struct {
	r      io.Reader
	began  bool   // the stream has a first byte
	layout layout // by the schema
	body   []byte
}

// layout is what a batch must have by the schema. The library asks for node and
// buffer numbers as the schema has them, and reads what lies behind the vectors
// if they are shorter.
type layout struct{ nodes, buffers int }

func (m *messages) Retain()  {}
func (m *messages) Release() {}

// Message returns the next message, which is good until the next call, or io.EOF
// after the end marker. It reads no byte beyond the message.
func (m *messages) Message() (*ipc.Message, error) {
	var prefix [8]byte
	n, err := io.ReadFull(m.r, prefix[:])
	if n == 0 && err == io.EOF && !m.began {
		return nil, io.EOF
	}
	m.began = true
	if err != nil {
		return nil, notWhole(err)
	}
	if binary.LittleEndian.Uint32(prefix[:4]) != continuation {
		return nil, errors.New("not an Arrow stream")
	}
	size := binary.LittleEndian.Uint32(prefix[4:])
	if size == 0 {
		return nil, io.EOF
	}
	if size > maxMetadataBytes {
		return nil, fmt.Errorf("a message with %d bytes of metadata is over the limit of %d", size, maxMetadataBytes)
	}
	meta := make([]byte, size)
	if _, err := io.ReadFull(m.r, meta); err != nil {
		return nil, notWhole(err)
	}
	length, err := checkMessage(meta, &m.layout)
	if err != nil {
		return nil, err
	}
	// The buffer grows with what arrives, not with what is announced.
	body := bytes.NewBuffer(m.body[:0])
	if _, err := io.CopyN(body, m.r, length); err != nil {
		return nil, notWhole(err)
	}
	if m.body = body.Bytes(); cap(m.body) > keptBodyBytes {
		m.body = nil
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body.Bytes())), nil
}

func notWhole(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errNotWhole
	}
	return err
}

// checkMessage checks all of a message's metadata that the library follows or
// allocates by, and returns the length of the body. A schema sets the layout, a
// batch must have it.
func checkMessage(meta []byte, l *layout) (body int64, err error) {
	c := &checker{b: meta, budget: 4 * len(meta), fields: maxFields}
	msg := c.follow(0)
	header := c.table(msg, 2)
	body = c.value(msg, 3, 8)
	switch kind := c.value(msg, 1, 1); {
	case c.err != nil:
	case body < 0 || body > maxBodyBytes:
		c.fail("a message body of %d bytes is over the limit of %d", body, maxBodyBytes)
	case header == none:
		c.fail("a message without content")
	case kind == headerSchema:
		if body != 0 {
			c.fail("a schema with a body")
		}
		*l = c.schema(header)
	case kind == headerRecordBatch:
		c.batch(header, body, *l)
	default:
		c.fail("a message of kind %d is neither a schema nor a batch of rows", kind)
	}
	return body, c.err
}

// none is the position of what is not there: byte 0 always belongs to the root's
// offset.
const none = 0

// checker walks a FlatBuffer. After its first error everything is empty.
type checker struct {
	b      []byte
	budget int // bytes of strings and vectors yet to be met; parts can be shared
	fields int // fields yet to be met
	err    error
}

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// bytes returns n bytes at a position, or nil after an error.
func (c *checker) bytes(at, n int) []byte {
	if c.err != nil || at < 0 || n < 0 || at > len(c.b)-n {
		c.fail("the metadata of a message is damaged")
		return nil
	}
	return c.b[at : at+n]
}

// number returns the number of so many bytes at a position, or 0 after an error.
func (c *checker) number(at, size int) int64 {
	var b [8]byte
	copy(b[:], c.bytes(at, size))
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// follow returns where the offset at a position leads: always forward.
func (c *checker) follow(at int) int {
	to := int(c.number(at, 4))
	if c.err == nil && to == 0 {
		c.fail("the metadata of a message is damaged")
	}
	return at + to
}

// slot returns the position of a table's field, or none.
func (c *checker) slot(table, field int) int {
	vtable := table - int(int32(c.number(table, 4)))
	size := int(c.number(vtable, 2))
	if 4+2*field >= size {
		return none
	}
	offset := int(c.number(vtable+4+2*field, 2))
	if c.err != nil || offset == 0 {
		return none
	}
	return table + offset
}

// value returns a number of so many bytes in a field of a table, or 0 if there is none.
func (c *checker) value(table, field, size int) int64 {
	if at := c.slot(table, field); at != none {
		return c.number(at, size)
	}
	return 0
}

// table returns the position of a table in a field of another, or none.
func (c *checker) table(table, field int) int {
	if at := c.slot(table, field); at != none {
		return c.follow(at)
	}
	return none
}

// vector returns the position of the first element of a vector, or of the bytes
// of a string, and the number of elements of the given size.
func (c *checker) vector(table, field, size int) (at, n int) {
	at = c.table(table, field)
	if at == none || c.err != nil {
		return none, 0
	}
	n = int(c.number(at, 4))
	if n > len(c.b)/size || c.bytes(at+4, n*size) == nil {
		c.fail("the metadata of a message is damaged")
		return none, 0
	}
	if c.budget -= n * size; c.budget < 0 {
		c.fail("the metadata of a message uses its parts again and again")
		return none, 0
	}
	return at + 4, n
}

func (c *checker) schema(t int) (l layout) {
	if c.value(t, 0, 1) != 0 {
		c.fail("a big-endian stream is not supported")
	}
	at, n := c.vector(t, 1, 4)
	for i := 0; i < n && c.err == nil; i++ {
		c.field(c.follow(at+4*i), 0, &l)
	}
	c.pairs(t, 2)
	return l
}

const typeTimestamp = 10

// buffersOf has the number of buffers by Type in Schema.fbs: of the types that
// this package writes, and of a few simple ones for columns that are passed over.
var buffersOf = map[int64]int{
	2: 2, 3: 2, 6: 2, 8: 2, typeTimestamp: 2, // Int FloatingPoint Bool Date: validity, values
	4: 3, 5: 3, // Binary Utf8: validity, offsets, bytes
	12: 2, 17: 2, // List Map: validity, offsets
	13: 1, // Struct_: validity
}

func (c *checker) field(t, depth int, l *layout) {
	start, n := c.vector(t, 0, 1)
	name := c.bytes(start, n)
	if c.fields--; c.fields < 0 || depth > maxFieldDepth {
		c.fail("the schema has too many fields, or fields too deep")
		return
	}
	kind := c.value(t, 2, 1)
	typ := c.table(t, 3)
	if c.err != nil {
		return
	}
	buffers := buffersOf[kind]
	if buffers == 0 || typ == none {
		c.fail("column %q has an Arrow type that is not supported (number %d)", name, kind)
		return
	}
	if c.slot(t, 4) != none {
		c.fail("column %q is dictionary-encoded, which is not supported", name)
		return
	}
	l.nodes++
	l.buffers += buffers
	if kind == typeTimestamp {
		c.vector(typ, 1, 1) // the time zone
	}
	at, n := c.vector(t, 5, 4)
	for i := 0; i < n && c.err == nil; i++ {
		c.field(c.follow(at+4*i), depth+1, l)
	}
	c.pairs(t, 6)
}

// pairs checks a vector of key/value pairs.
func (c *checker) pairs(t, field int) {
	at, n := c.vector(t, field, 4)
	for i := 0; i < n && c.err == nil; i++ {
		pair := c.follow(at + 4*i)
		c.vector(pair, 0, 1)
		c.vector(pair, 1, 1)
	}
}

func (c *checker) batch(t int, body int64, l layout) {
	if c.slot(t, 3) != none {
		c.fail("a compressed batch is not supported")
	}
	if rows := c.value(t, 0, 8); rows < 0 {
		c.fail("a batch of %d rows", rows)
	}
	at, n := c.vector(t, 1, 16) // FieldNode: length, null_count
	if n < l.nodes {
		c.fail("a batch of %d columns, nested ones included, where the schema has %d", n, l.nodes)
	}
	for i := 0; i < n && c.err == nil; i++ {
		length, nulls := c.number(at+16*i, 8), c.number(at+16*i+8, 8)
		if length < 0 || length > 8*maxBodyBytes || nulls < 0 || nulls > length {
			c.fail("a column of %d values, %d of them null", length, nulls)
		}
	}
	at, n = c.vector(t, 2, 16) // Buffer: offset, length
	if n < l.buffers {
		c.fail("a batch of %d buffers, where the schema needs %d", n, l.buffers)
	}
	left := body
	for i := 0; i < n && c.err == nil; i++ {
		offset, length := c.number(at+16*i, 8), c.number(at+16*i+8, 8)
		// Together the buffers have at most the bytes of the body: the library
		// copies each.
		if offset < 0 || length < 0 || length > left || offset > body-length {
			c.fail("the buffers of a batch do not fit its body")
			return
		}
		left -= length
	}
}
