package extsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/klauspost/compress/s2"
)

// This file has the blocks of which runs consist: some sorted records, compressed, with their bodies apart. Most
// readers need few bodies, and a body is decompressed only for them.

// A block ends before its fields or bodies exceed these lengths, before compression. A longer record has its own block.
const (
	fieldBytes = 32 << 10
	bodyBytes  = 64 << 10
)

// A Block is the place of some records in a file: two checksums, their compressed fields, their compressed bodies.
type Block struct {
	At             int64
	Fields, Bodies uint32 // compressed lengths; Bodies 0: none
	First, Last    int64  // hashes
}

// blockHead is the length of the checksums.
const blockHead = 8

// End returns the offset behind the block.
func (b *Block) End() int64 { return b.At + blockHead + int64(b.Fields) + int64(b.Bodies) }

// Size returns the bytes of blocks that follow one another.
func Size(blocks []Block) int64 {
	if len(blocks) == 0 {
		return 0
	}
	return blocks[len(blocks)-1].End() - blocks[0].At
}

// Span returns those of the sorted blocks that may have records with hashes in [lo, hi].
func Span(blocks []Block, lo, hi int64) []Block {
	from := sort.Search(len(blocks), func(i int) bool { return blocks[i].Last >= lo })
	to := sort.Search(len(blocks), func(i int) bool { return blocks[i].First > hi })
	return blocks[from:max(from, to)]
}

// Among returns those of the sorted blocks that may have records with one of the hashes, which are sorted.
func Among(blocks []Block, hashes []int64) []Block {
	var some []Block
	for i := range blocks {
		at, _ := slices.BinarySearch(hashes, blocks[i].First)
		if hashes = hashes[at:]; len(hashes) > 0 && hashes[0] <= blocks[i].Last {
			some = append(some, blocks[i])
		}
	}
	return some
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is CRC-32C.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// A BlockWriter writes records in blocks, one after another.
type BlockWriter struct {
	out     io.Writer
	at      int64 // of the next block
	blocks  []Block
	records int64

	first, last    int64 // hashes of the current block
	fields, bodies []byte
	packed         []byte
	err            error
}

// Reset begins to write to out, where the next byte has an offset. It keeps the memory of the writer.
func (w *BlockWriter) Reset(out io.Writer, at int64) {
	*w = BlockWriter{out: out, at: at, fields: w.fields[:0], bodies: w.bodies[:0], packed: w.packed}
}

// Section ends the block, and returns all blocks since the last Section, with the number of their records.
func (w *BlockWriter) Section() (blocks []Block, records int64, err error) {
	w.flush()
	blocks, records = w.blocks, w.records
	w.blocks, w.records = nil, 0
	return blocks, records, w.err
}

// Add adds a record: what HashOf and comparisons look at, and its body.
func (w *BlockWriter) Add(record, body []byte) error {
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
func (w *BlockWriter) flush() {
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
	binary.LittleEndian.PutUint32(w.packed, Checksum(fields))
	binary.LittleEndian.PutUint32(w.packed[4:], Checksum(bodies))
	b := Block{w.at, uint32(len(fields)), uint32(len(bodies)), w.first, w.last}
	_, w.err = w.out.Write(w.packed[:b.End()-b.At])
	w.blocks, w.at = append(w.blocks, b), b.End()
	w.fields, w.bodies = w.fields[:0], w.bodies[:0]
	if cap(w.packed) > 4*(fieldBytes+bodyBytes) {
		w.fields, w.bodies, w.packed = nil, nil, nil
	}
}

// ErrRecord is the error of a damaged record.
var ErrRecord = errors.New("a record of sorted facts is damaged")

func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// A Cursor reads those records of blocks whose hashes are in [lo, hi].
type Cursor struct {
	in     io.ReaderAt
	name   string // of the file
	blocks []Block
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

// The least and the greatest hash.
const (
	MinHash = math.MinInt64
	MaxHash = math.MaxInt64
)

// NewCursor returns a cursor before the first record of the blocks of a file, of which it reads those with hashes in
// [lo, hi].
func NewCursor(in io.ReaderAt, name string, blocks []Block, lo, hi int64) *Cursor {
	return &Cursor{in: in, name: name, blocks: blocks, lo: lo, hi: hi}
}

// Next reads the next record. It returns io.EOF at the end. The record is valid until the next call.
func (c *Cursor) Next() error {
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

// Record returns the current record.
func (c *Cursor) Record() []byte { return c.record }

// fill reads the fields of the next block.
func (c *Cursor) fill() error {
	if c.at == len(c.blocks) {
		return io.EOF
	}
	b := &c.blocks[c.at]
	c.at++
	c.packed = resized(c.packed, blockHead+int(b.Fields))
	if _, err := c.in.ReadAt(c.packed, b.At); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	c.bodiesSum, c.hasBodies, c.bodyAt, c.bodyEnd = binary.LittleEndian.Uint32(c.packed[4:]), false, 0, 0
	var err error
	c.fields, err = c.unpack(c.fields, c.packed[blockHead:], binary.LittleEndian.Uint32(c.packed))
	c.left = c.fields
	return err
}

func (c *Cursor) unpack(to, packed []byte, sum uint32) ([]byte, error) {
	if Checksum(packed) != sum {
		return nil, c.damaged()
	}
	unpacked, err := s2.Decode(to[:cap(to)], packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", c.damaged(), err)
	}
	return unpacked, nil
}

// Body returns the body of the current record. It is valid until the next block.
func (c *Cursor) Body() ([]byte, error) {
	if c.bodyAt == c.bodyEnd {
		return []byte{}, nil
	}
	if !c.hasBodies {
		b := &c.blocks[c.at-1]
		c.packed = resized(c.packed, int(b.Bodies))
		_, err := c.in.ReadAt(c.packed, b.At+blockHead+int64(b.Fields))
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

func (c *Cursor) damaged() error {
	return fmt.Errorf("%s: the block at byte %d: %w", c.name, c.blocks[c.at-1].At, ErrRecord)
}

// compare orders cursors by their records. Equal records have equal bodies, but where an archive is cut differently.
func (c *Cursor) compare(d *Cursor) int {
	if order := bytes.Compare(c.record, d.record); order != 0 {
		return order
	}
	return cmp.Compare(c.bodyEnd-c.bodyAt, d.bodyEnd-d.bodyAt)
}
