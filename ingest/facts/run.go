package facts

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/klauspost/compress/s2"
)

// This file has the runs of the external sort: sorted records in compressed blocks, and the offset of each bucket.

// blockBytes is about how long a block is, before it is compressed. A record of more has a block of its own.
const blockBytes = 64 << 10

// A run is a file of sorted records. Several goroutines read it through one open file.
type run struct {
	name    string
	size    int64
	records int64
	start   []int64 // by bucket, where its blocks begin; and where the last one ends

	mu   sync.Mutex
	file *os.File // nil where it rests
}

// open returns the file. Runs rest, that is, have no open file until they are read: before the merge there may be very
// many.
func (r *run) open() (*os.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.file == nil {
		r.file, err = os.Open(r.name)
	}
	return r.file, err
}

// rest closes the file until it is read.
func (r *run) rest() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := r.file
	if r.file = nil; file == nil {
		return nil
	}
	return file.Close()
}

// holds tells whether a bucket has records in the run.
func (r *run) holds(bucket int) bool { return r.start[bucket] < r.start[bucket+1] }

// close removes the run, if it is still there: one that could not be written was removed at once.
func (r *run) close() error {
	err := os.Remove(r.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(r.rest(), err)
}

// A runWriter writes a run. Records must come in order.
type runWriter struct {
	run     *run
	out     *bufio.Writer
	buckets int
	block   []byte
	packed  []byte
	err     error
}

func createRun(name string, buckets int) (*runWriter, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return newRunWriter(file, buckets), nil
}

func newRunWriter(file *os.File, buckets int) *runWriter {
	return &runWriter{run: &run{name: file.Name(), file: file, start: []int64{0}}, out: bufio.NewWriterSize(file, 256<<10), buckets: buckets}
}

// add writes a record of a bucket.
func (w *runWriter) add(bucket int, record []byte) error {
	for len(w.run.start) <= bucket {
		w.flush()
		w.run.start = append(w.run.start, w.run.size)
	}
	if len(w.block) > 0 && len(w.block)+len(record) > blockBytes {
		w.flush()
	}
	w.run.records++
	w.block = append(binary.AppendUvarint(w.block, uint64(len(record))), record...)
	return w.err
}

// flush writes the compressed block: its length, its checksum, its bytes.
func (w *runWriter) flush() {
	if len(w.block) == 0 || w.err != nil {
		return
	}
	w.packed = s2.Encode(w.packed[:cap(w.packed)], w.block)
	var head [8]byte
	binary.LittleEndian.PutUint32(head[0:], uint32(len(w.packed)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(w.packed, castagnoli))
	for _, part := range [][]byte{head[:], w.packed} {
		if _, err := w.out.Write(part); err != nil {
			w.err = err
		}
		w.run.size += int64(len(part))
	}
	if w.block = w.block[:0]; cap(w.block) > 4*blockBytes {
		w.block, w.packed = nil, nil
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// close ends the run, which rests.
func (w *runWriter) close() (*run, error) {
	w.flush()
	for len(w.run.start) <= w.buckets {
		w.run.start = append(w.run.start, w.run.size)
	}
	if err := errors.Join(w.err, w.out.Flush(), w.run.rest()); err != nil {
		return nil, errors.Join(err, w.run.close())
	}
	return w.run, nil
}

// A cursor reads the records of one bucket of a run.
type cursor struct {
	in     *io.SectionReader
	name   string
	packed []byte
	block  []byte
	left   []byte // of block
	record []byte // the one it stands at
}

func (r *run) cursor(bucket int) (*cursor, error) {
	file, err := r.open()
	if err != nil {
		return nil, err
	}
	from, to := r.start[bucket], r.start[bucket+1]
	return &cursor{in: io.NewSectionReader(file, from, to-from), name: r.name}, nil
}

// next reads the next record. It returns io.EOF at the end. The record is valid until the next call.
func (c *cursor) next() error {
	if len(c.left) == 0 {
		if err := c.fill(); err != nil {
			return err
		}
	}
	n, used := binary.Uvarint(c.left)
	if used <= 0 || n < hashBytes || n > uint64(len(c.left)-used) {
		return fmt.Errorf("%s: %w", c.name, errRecord)
	}
	c.record, c.left = c.left[used:used+int(n)], c.left[used+int(n):]
	return nil
}

func (c *cursor) fill() error {
	var head [8]byte
	if _, err := io.ReadFull(c.in, head[:]); err == io.EOF {
		return io.EOF
	} else if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	packed, sum := binary.LittleEndian.Uint32(head[0:]), binary.LittleEndian.Uint32(head[4:])
	if int64(packed) > c.in.Size() {
		return fmt.Errorf("%s: %w", c.name, errRecord)
	}
	c.packed = resized(c.packed, int(packed))
	if _, err := io.ReadFull(c.in, c.packed); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if crc32.Checksum(c.packed, castagnoli) != sum {
		return fmt.Errorf("%s: %w", c.name, errRecord)
	}
	var err error
	if c.block, err = s2.Decode(c.block[:cap(c.block)], c.packed); err != nil {
		return fmt.Errorf("%s: %w: %w", c.name, errRecord, err)
	}
	c.left = c.block
	return nil
}

func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
