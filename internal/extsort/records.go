// Package extsort sorts byte records on disk, in bounded memory: sorters hold records up to a limit and write sorted
// runs, and readers merge runs. A record begins with a hash, a range of hashes is a bucket, and each bucket is read by
// itself. A record may have a body, which is stored apart: it is read only if the reader asks for it. The package knows
// nothing of what records say.
package extsort

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/acapscan/acapscan/internal/parallel"
)

// Records are a set of sorted byte strings on disk, divided into buckets. Each begins with the hash that selects its
// bucket, see AppendHash.
type Records struct {
	in    *Folder
	split func(record []byte) (fields, body []byte) // nil: records have no bodies

	mu   sync.Mutex
	runs []*run
}

// A Folder has the files of several sets of records with the same buckets.
type Folder struct {
	name    string
	buckets int
	made    atomic.Int64 // runs ever, for their names
}

// NewFolder begins a folder with a number of buckets. It makes the folder, or clears it of the files of a killed run.
// Close removes it.
func NewFolder(name string, buckets int) (*Folder, error) {
	if err := os.RemoveAll(name); err != nil {
		return nil, err
	}
	return &Folder{name: name, buckets: buckets}, os.MkdirAll(name, 0o755)
}

// Name returns the name of the folder.
func (f *Folder) Name() string { return f.name }

// Buckets returns the number of buckets.
func (f *Folder) Buckets() int { return f.buckets }

// Close removes the folder with all files.
func (f *Folder) Close() error { return os.RemoveAll(f.name) }

// NewRecords begins a set of records. split returns the parts of a record as a RecordSorter gets it: what comparisons
// look at, and the body; nil: records have no bodies.
func (f *Folder) NewRecords(split func(record []byte) (fields, body []byte)) *Records {
	return &Records{in: f, split: split}
}

func (f *Folder) create() (*RunWriter, error) {
	name := filepath.Join(f.name, fmt.Sprintf("%06d.run", f.made.Add(1)))
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return NewRunWriter(file), nil
}

// Bucket returns the range of hashes [lo, hi] that bucket i of n holds. Hashes are not negative.
func Bucket(i, n int) (lo, hi int64) {
	width := uint64(1<<63) / uint64(n)
	lo = int64(uint64(i) * width)
	if i == n-1 {
		return lo, 1<<63 - 1
	}
	return lo, int64(uint64(i+1)*width) - 1
}

// BucketOf returns which of n buckets holds a hash: the one whose range it is in.
func BucketOf(hash int64, n int) int {
	width := uint64(1<<63) / uint64(n)
	return int(min(uint64(max(hash, 0))/width, uint64(n-1)))
}

// AppendHash appends a hash so that records compare as their hashes do.
func AppendHash(b []byte, hash int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(hash)^signBit)
}

const signBit = 1 << 63

// HashOf is the hash that a record begins with.
func HashOf(record []byte) int64 { return int64(binary.BigEndian.Uint64(record) ^ signBit) }

// hashBytes is how long a hash is at the beginning of a record, and so the least that a record has.
const hashBytes = 8

// maxRuns bounds how many runs of a set are read at a time. More runs are merged first.
const maxRuns = 64

// MinMemory is the least memory that records are sorted in, in bytes.
const MinMemory = 1 << 20

// Close removes the records.
func (r *Records) Close() error {
	var err error
	for _, run := range r.runs {
		err = errors.Join(err, run.remove())
	}
	r.runs = nil
	return err
}

// Empty reports whether there are none.
func (r *Records) Empty() bool { return len(r.runs) == 0 }

// Len returns how many there are.
func (r *Records) Len() int64 {
	var n int64
	for _, run := range r.runs {
		n += run.records
	}
	return n
}

// EmptyIn reports whether a bucket has none.
func (r *Records) EmptyIn(bucket int) bool {
	lo, hi := Bucket(bucket, r.in.buckets)
	return !slices.ContainsFunc(r.runs, func(run *run) bool { return run.mayHold(lo, hi) })
}

// Take takes all records of others, and leaves these empty.
func (r *Records) Take(others *Records) {
	r.runs = append(r.runs, others.runs...)
	others.runs = nil
}

// AddSection adds a section of records with hashes in [lo, hi], and no other.
func (r *Records) AddSection(s Section, size, records, lo, hi int64) {
	r.add(&run{Section: s, size: size, records: records, lo: lo, hi: hi})
}

// Size estimates the bytes that a bucket takes on disk.
func (r *Records) Size(bucket int) (n int64) {
	lo, hi := Bucket(bucket, r.in.buckets)
	for _, run := range r.runs {
		if _, blocks, err := run.Open(); err == nil { // else reading says it
			n += Size(Span(blocks, lo, hi))
		}
	}
	return n
}

func (r *Records) take(w *RunWriter) error {
	run, err := w.end()
	if err != nil {
		return err
	}
	r.add(run)
	return nil
}

func (r *Records) add(run *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = append(r.runs, run)
}

// Held are several sets of records in memory, to be sorted. Their memory is used again and again.
type Held struct {
	sets   [][]heldRecord
	chunks [][]byte // of records
	free   [][]byte // chunks without records
	bytes  int      // of chunks and sets
}

// A heldRecord is a record in memory. Most are told apart by their hashes.
type heldRecord struct {
	hash            int64
	chunk, at, size uint32
}

// Records are held in chunks of so many bytes; one that is longer has a chunk of its own.
const chunkBytes = 1 << 18

// HeldBytes is what Held takes for a record next to its bytes: its lists grow by doubling.
const HeldBytes = 2 * 24

// NewHeld returns so many empty sets.
func NewHeld(sets int) *Held { return &Held{sets: make([][]heldRecord, sets)} }

// Add adds a record to a set, in parts, of which it keeps nothing.
func (h *Held) Add(set int, parts ...[]byte) {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	last := len(h.chunks) - 1
	if last < 0 || len(h.chunks[last])+n > cap(h.chunks[last]) {
		h.chunks = append(h.chunks, h.chunk(n))
		last++
		h.bytes += cap(h.chunks[last])
	}
	chunk := h.chunks[last]
	at := len(chunk)
	for _, part := range parts {
		chunk = append(chunk, part...)
	}
	h.chunks[last] = chunk
	h.sets[set] = append(h.sets[set], heldRecord{HashOf(chunk[at:]), uint32(last), uint32(at), uint32(n)})
	h.bytes += HeldBytes
}

// chunk returns an empty chunk for at least n bytes.
func (h *Held) chunk(n int) []byte {
	last := len(h.free) - 1
	if last < 0 || n > chunkBytes {
		return make([]byte, 0, max(n, chunkBytes))
	}
	chunk := h.free[last]
	h.free = h.free[:last]
	return chunk
}

// Sorted yields the records of a set in order.
func (h *Held) Sorted(set int) iter.Seq[[]byte] {
	bytesOf := func(r heldRecord) []byte { return h.chunks[r.chunk][r.at : r.at+r.size] }
	slices.SortFunc(h.sets[set], func(a, b heldRecord) int {
		if c := cmp.Compare(a.hash, b.hash); c != 0 {
			return c
		}
		return bytes.Compare(bytesOf(a), bytesOf(b))
	})
	return func(yield func([]byte) bool) {
		for _, r := range h.sets[set] {
			if !yield(bytesOf(r)) {
				return
			}
		}
	}
}

// Empty removes all records.
func (h *Held) Empty() {
	for set := range h.sets {
		h.sets[set] = h.sets[set][:0]
	}
	for _, chunk := range h.chunks {
		if cap(chunk) == chunkBytes {
			h.free = append(h.free, chunk[:0])
		}
	}
	clear(h.chunks)
	h.chunks, h.bytes = h.chunks[:0], 0
}

// A RecordSorter sorts records into one or several sets. It holds records up to a limit, then writes a run for each
// set. Several sorters may write to the same sets. Each is for one goroutine.
type RecordSorter struct {
	to    []*Records
	limit int
	held  *Held
}

// NewRecordSorter returns a RecordSorter that takes about so many bytes of memory for all sets together.
func NewRecordSorter(memory int64, to ...*Records) *RecordSorter {
	return &RecordSorter{
		to: to, limit: int(min(max(memory, MinMemory), 1<<31)), held: NewHeld(len(to)),
	}
}

// Add adds a record to one of the sets, by its place among them. It keeps nothing of the record.
func (s *RecordSorter) Add(set int, record ...[]byte) error {
	if s.held.Add(set, record...); s.held.bytes < s.limit {
		return nil
	}
	return s.Flush()
}

// Flush writes what is held. It must be called at the end.
func (s *RecordSorter) Flush() error {
	for set, to := range s.to {
		if len(s.held.sets[set]) == 0 {
			continue
		}
		out, err := to.in.create()
		if err != nil {
			return err
		}
		for record := range s.held.Sorted(set) {
			var body []byte
			if to.split != nil {
				record, body = to.split(record)
			}
			if err := out.add(BucketOf(HashOf(record), to.in.buckets), record, body); err != nil {
				break // and close says it again
			}
		}
		if err := to.take(out); err != nil {
			return err
		}
	}
	s.held.Empty()
	return nil
}

// Compact merges runs until at most maxRuns are left, with several workers. Call it after the last Flush.
func (r *Records) Compact(ctx context.Context, workers int) error {
	for len(r.runs) > maxRuns {
		slices.SortFunc(r.runs, func(a, b *run) int { return cmp.Compare(a.size, b.size) })
		parts := partsOf(slices.Clone(r.runs), max(workers, 1))
		merged := make([]*run, len(parts)) // nil where that failed: the runs are there as before
		err := parallel.Run(ctx, workers, len(parts), func(ctx context.Context) parallel.Worker {
			return parallel.Worker{Do: func(i int) (err error) {
				merged[i], err = r.merge(ctx, parts[i])
				return err
			}}
		})
		for i, part := range parts {
			if merged[i] == nil {
				continue
			}
			r.runs = append(slices.DeleteFunc(r.runs, func(run *run) bool { return slices.Contains(part, run) }),
				merged[i])
			for _, run := range part {
				err = errors.Join(err, run.remove())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// partsOf divides too many runs, sorted by size, into parts to merge. Each worker has one part, and a part has at most
// maxRuns runs.
func partsOf(runs []*run, workers int) (parts [][]*run) {
	excess := len(runs) - maxRuns
	n := max((excess+maxRuns-2)/(maxRuns-1), min(workers, excess))
	for i := range n {
		size := excess/n + 1 // a part leaves one
		if i < excess%n {
			size++
		}
		size = min(size, len(runs))
		if size < 2 {
			break
		}
		parts = append(parts, runs[:size])
		runs = runs[size:]
	}
	return parts
}

// merge makes one run of several.
func (r *Records) merge(ctx context.Context, some []*run) (*run, error) {
	out, err := r.in.create()
	if err != nil {
		return nil, err
	}
	for i := range r.in.buckets {
		err := context.Cause(ctx)
		if err == nil {
			err = r.mergeBucket(some, i, out)
		}
		if err != nil {
			return nil, errors.Join(err, out.Remove())
		}
	}
	return out.end()
}

func (r *Records) mergeBucket(runs []*run, bucket int, out *RunWriter) error {
	in, err := r.in.stream(runs, bucket)
	for err == nil {
		if err = in.Next(); err != nil {
			break
		}
		var body []byte
		if body, err = in.Body(); err == nil {
			err = out.add(bucket, in.Record(), body)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// A Stream reads the records of one bucket of several sets, in order. Equal records are not merged.
type Stream struct {
	heap  cursors
	begun bool
}

// Open opens the records of a bucket. Several goroutines may each read a stream of their own.
func (r *Records) Open(bucket int) (*Stream, error) { return r.in.Open(bucket, r) }

// Open opens the records of a bucket of several sets as one.
func (f *Folder) Open(bucket int, of ...*Records) (*Stream, error) {
	var runs []*run
	for _, r := range of {
		runs = append(runs, r.runs...)
	}
	return f.stream(runs, bucket)
}

// stream reads a bucket of some runs.
func (f *Folder) stream(runs []*run, bucket int) (*Stream, error) {
	lo, hi := Bucket(bucket, f.buckets)
	var all []*Cursor
	for _, r := range runs {
		if !r.mayHold(lo, hi) {
			continue
		}
		c, err := r.cursor(lo, hi)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return Merge(all...)
}

// Merge reads the records of cursors that have not begun.
func Merge(all ...*Cursor) (*Stream, error) {
	s := &Stream{}
	for _, c := range all {
		switch err := c.Next(); {
		case err == nil:
			s.heap = append(s.heap, c)
		case err != io.EOF:
			return nil, err
		}
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.heap.down(i)
	}
	return s, nil
}

// Next reads the next record. It returns io.EOF after the last.
func (s *Stream) Next() error {
	if s.begun && len(s.heap) > 0 {
		switch err := s.heap[0].Next(); {
		case err == io.EOF:
			s.heap[0] = s.heap[len(s.heap)-1]
			s.heap = s.heap[:len(s.heap)-1]
		case err != nil:
			return err
		}
		s.heap.down(0)
	}
	s.begun = true
	if len(s.heap) == 0 {
		return io.EOF
	}
	return nil
}

// Body returns the body of the current record. It is valid until the next call of Next.
func (s *Stream) Body() ([]byte, error) { return s.heap[0].Body() }

// Record returns the current record. It is valid until the next call of Next.
func (s *Stream) Record() []byte { return s.heap[0].record }

// cursors are a heap: the one with the first record comes first.
type cursors []*Cursor

func (h cursors) down(i int) {
	for {
		first := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].compare(h[first]) < 0 {
				first = child
			}
		}
		if first == i {
			return
		}
		h[i], h[first] = h[first], h[i]
		i = first
	}
}
