package facts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sort"

	"github.com/klauspost/compress/s2"
)

// This file has the blocks of which runs and facts files consist: some sorted records, compressed, with their bodies
// apart. Most readers need few bodies, and a body is decompressed only for them.

// A block ends before its fields or bodies exceed these lengths, before compression. A longer record has its own block.
const (
	fieldBytes = 32 << 10
	bodyBytes  = 64 << 10
)

// A block is the place of some records in a file: two checksums, their compressed fields, their compressed bodies.
type block struct {
	at             int64
	fields, bodies uint32 // compressed lengths; bodies 0: none
	first, last    int64  // hashes
}

// blockHead is the length of the checksums.
const blockHead = 8

func (b *block) end() int64 { return b.at + blockHead + int64(b.fields) + int64(b.bodies) }

// span returns those of the sorted blocks that may have records with hashes in [lo, hi].
func span(blocks []block, lo, hi int64) []block {
	from := sort.Search(len(blocks), func(i int) bool { return blocks[i].last >= lo })
	to := sort.Search(len(blocks), func(i int) bool { return blocks[i].first > hi })
	return blocks[from:max(from, to)]
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A blockWriter writes records in blocks, one after another.
type blockWriter struct {
	out     io.Writer
	at      int64 // of the next block
	blocks  []block
	records int64

	first, last    int64 // hashes of the current block
	fields, bodies []byte
	packed         []byte
	err            error
}

// add adds a record: what HashOf and comparisons look at, and its body.
func (w *blockWriter) add(record, body []byte) error {
	if len(w.fields) > 0 && (len(w.fields)+len(record) > fieldBytes || len(w.bodies)+len(body) > bodyBytes) {
		w.flush()
	}
	if w.last = HashOf(record); len(w.fields) == 0 {
		w.first = w.last
	}
	w.records++
	w.fields = append(binary.AppendUvarint(w.fields, uint64(len(record))), record...)
	w.fields = binary.AppendUvarint(w.fields, uint64(len(body)))
	w.bodies = append(w.bodies, body...)
	return w.err
}

// flush ends the block.
func (w *blockWriter) flush() {
	if len(w.fields) == 0 || w.err != nil {
		return
	}
	need := s2.MaxEncodedLen(len(w.fields)) + s2.MaxEncodedLen(len(w.bodies)) + blockHead
	w.packed = resized(w.packed, need)
	fields := s2.Encode(w.packed[blockHead:], w.fields)
	bodies := w.packed[blockHead+len(fields):][:0]
	if len(w.bodies) > 0 {
		bodies = s2.Encode(w.packed[blockHead+len(fields):], w.bodies)
	}
	binary.LittleEndian.PutUint32(w.packed, crc32.Checksum(fields, castagnoli))
	binary.LittleEndian.PutUint32(w.packed[4:], crc32.Checksum(bodies, castagnoli))
	b := block{w.at, uint32(len(fields)), uint32(len(bodies)), w.first, w.last}
	_, w.err = w.out.Write(w.packed[:b.end()-b.at])
	w.blocks, w.at = append(w.blocks, b), b.end()
	w.fields, w.bodies = w.fields[:0], w.bodies[:0]
	if cap(w.packed) > 4*(fieldBytes+bodyBytes) {
		w.fields, w.bodies, w.packed = nil, nil, nil
	}
}

func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// A cursor reads those records of blocks whose hashes are in [lo, hi].
type cursor struct {
	in     io.ReaderAt
	name   string // of the file
	blocks []block
	lo, hi int64
	at     int // of blocks

	packed []byte
	fields []byte
	left   []byte // of fields
	record []byte // the current one

	bodiesSum       uint32
	hasBodies       bool   // bodies are those of the block
	bodies          []byte // decompressed when one is needed
	bodyAt, bodyEnd int
}

const (
	minHash = math.MinInt64
	maxHash = math.MaxInt64
)

// next reads the next record. It returns io.EOF at the end. The record is valid until the next call.
func (c *cursor) next() error {
	for {
		if len(c.left) == 0 {
			if err := c.fill(); err != nil {
				return err
			}
		}
		n, used := binary.Uvarint(c.left)
		if used <= 0 || n < hashBytes || n > uint64(len(c.left)-used) {
			return c.damaged()
		}
		c.record, c.left = c.left[used:used+int(n)], c.left[used+int(n):]
		body, used := binary.Uvarint(c.left)
		if used <= 0 || body > math.MaxInt32 {
			return c.damaged()
		}
		c.left = c.left[used:]
		c.bodyAt, c.bodyEnd = c.bodyEnd, c.bodyEnd+int(body)
		if hash := HashOf(c.record); hash > c.hi {
			return io.EOF
		} else if hash >= c.lo {
			return nil
		}
	}
}

// fill reads the fields of the next block.
func (c *cursor) fill() error {
	if c.at == len(c.blocks) {
		return io.EOF
	}
	b := &c.blocks[c.at]
	c.at++
	c.packed = resized(c.packed, blockHead+int(b.fields))
	if _, err := c.in.ReadAt(c.packed, b.at); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	c.bodiesSum, c.hasBodies, c.bodyAt, c.bodyEnd = binary.LittleEndian.Uint32(c.packed[4:]), false, 0, 0
	var err error
	c.fields, err = c.unpack(c.fields, c.packed[blockHead:], binary.LittleEndian.Uint32(c.packed))
	c.left = c.fields
	return err
}

func (c *cursor) unpack(to, packed []byte, sum uint32) ([]byte, error) {
	if crc32.Checksum(packed, castagnoli) != sum {
		return nil, c.damaged()
	}
	unpacked, err := s2.Decode(to[:cap(to)], packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", c.damaged(), err)
	}
	return unpacked, nil
}

// body returns the body of the current record. It is valid until the next block.
func (c *cursor) body() ([]byte, error) {
	if c.bodyAt == c.bodyEnd {
		return []byte{}, nil
	}
	if !c.hasBodies {
		b := &c.blocks[c.at-1]
		c.packed = resized(c.packed, int(b.bodies))
		_, err := c.in.ReadAt(c.packed, b.at+blockHead+int64(b.fields))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if c.bodies, err = c.unpack(c.bodies, c.packed, c.bodiesSum); err != nil {
			return nil, err
		}
		c.hasBodies = true
	}
	if c.bodyEnd > len(c.bodies) {
		return nil, c.damaged()
	}
	return c.bodies[c.bodyAt:c.bodyEnd:c.bodyEnd], nil
}

func (c *cursor) damaged() error {
	return fmt.Errorf("%s: the block at byte %d: %w", c.name, c.blocks[c.at-1].at, errRecord)
}

// compare orders cursors by their records. Equal records have equal bodies, but where an archive is cut differently.
func (c *cursor) compare(d *cursor) int {
	if order := bytes.Compare(c.record, d.record); order != 0 {
		return order
	}
	return cmp.Compare(c.bodyEnd-c.bodyAt, d.bodyEnd-d.bodyAt)
}
