package facts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/acapscan/acapscan/internal/parallel"
)

// This file is the external sort of records: of facts, and of the requests of the pass across hosts.

// Records are sorted byte strings on disk, divided into buckets. Each begins with the hash that selects its bucket, see
// AppendHash.
type Records struct {
	beside *Sorted

	mu   sync.Mutex
	runs []*run
}

// AppendHash appends a hash so that records compare as their hashes do.
func AppendHash(b []byte, hash int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(hash)^signBit)
}

// HashOf is the hash that a record begins with.
func HashOf(record []byte) int64 { return int64(binary.BigEndian.Uint64(record) ^ signBit) }

// hashBytes is how long a hash is at the beginning of a record, and so the least that a record has.
const hashBytes = 8

// maxRuns bounds how many runs of a set are read at a time. More runs are merged first.
const maxRuns = 64

// minSorting is the least memory that records are sorted in, in bytes.
const minSorting = 1 << 20

// Close removes the records.
func (r *Records) Close() error {
	var err error
	for _, run := range r.runs {
		err = errors.Join(err, run.close())
	}
	r.runs = nil
	return err
}

// Empty tells whether there are none.
func (r *Records) Empty() bool { return len(r.runs) == 0 }

// Len returns how many there are.
func (r *Records) Len() int64 {
	var n int64
	for _, run := range r.runs {
		n += run.records
	}
	return n
}

// EmptyIn tells whether a bucket has none.
func (r *Records) EmptyIn(bucket int) bool {
	return !slices.ContainsFunc(r.runs, func(run *run) bool { return run.holds(bucket) })
}

// Take takes all records of others, and leaves these empty.
func (r *Records) Take(others *Records) {
	r.runs = append(r.runs, others.runs...)
	others.runs = nil
}

func (r *Records) take(w *runWriter) error {
	run, err := w.close()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = append(r.runs, run)
	return nil
}

// A RecordSorter sorts records into one or several sets. It holds records up to a limit, then writes a run for each
// set. Several sorters may write to the same sets. Each is for one goroutine.
type RecordSorter struct {
	to     []*Records
	limit  int
	chunks [][]byte // of records
	free   [][]byte // chunks of earlier runs, to use again
	held   [][]heldRecord
	bytes  int
}

// A heldRecord is a record in memory. Most are told apart by their hashes.
type heldRecord struct {
	hash            int64
	chunk, at, size uint32
}

// Records are held in chunks of so many bytes; one that is longer has a chunk of its own.
const chunkBytes = 1 << 18

// Lists of held records grow by doubling: they take up to twice what they hold.
const heldRecordBytes = 2 * 24

// NewRecordSorter returns a RecordSorter that takes about so many bytes of memory for all sets together.
func NewRecordSorter(memory int64, to ...*Records) *RecordSorter {
	return &RecordSorter{to: to, limit: int(min(max(memory, minSorting), 1<<31)), held: make([][]heldRecord, len(to))}
}

// Add adds a record to one of the sets, by its place among them. It keeps nothing of the record.
func (s *RecordSorter) Add(set int, record []byte) error {
	n := len(record)
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last])+n > cap(s.chunks[last]) {
		s.chunks = append(s.chunks, s.chunk(n))
		s.bytes += cap(s.chunks[last+1])
		last++
	}
	at := len(s.chunks[last])
	s.chunks[last] = append(s.chunks[last], record...)
	s.held[set] = append(s.held[set], heldRecord{HashOf(record), uint32(last), uint32(at), uint32(n)})
	if s.bytes += heldRecordBytes; s.bytes < s.limit {
		return nil
	}
	return s.Flush()
}

// chunk returns an empty chunk with room for n bytes.
func (s *RecordSorter) chunk(n int) []byte {
	if last := len(s.free) - 1; last >= 0 && n <= chunkBytes {
		chunk := s.free[last]
		s.free = s.free[:last]
		return chunk
	}
	return make([]byte, 0, max(n, chunkBytes))
}

// Flush writes what is held. It must be called at the end.
func (s *RecordSorter) Flush() error {
	for set, held := range s.held {
		if len(held) == 0 {
			continue
		}
		slices.SortFunc(held, func(a, b heldRecord) int {
			if c := cmp.Compare(a.hash, b.hash); c != 0 {
				return c
			}
			return bytes.Compare(s.octets(a), s.octets(b))
		})
		beside := s.to[set].beside
		out, err := beside.create()
		if err != nil {
			return err
		}
		for _, h := range held {
			if err := out.add(BucketOf(h.hash, beside.buckets), s.octets(h)); err != nil {
				break // and close says it again
			}
		}
		if err := s.to[set].take(out); err != nil {
			return err
		}
		s.held[set] = held[:0]
	}
	for _, chunk := range s.chunks {
		if cap(chunk) == chunkBytes {
			s.free = append(s.free, chunk[:0])
		}
	}
	clear(s.chunks)
	s.chunks, s.bytes = s.chunks[:0], 0
	return nil
}

func (s *RecordSorter) octets(h heldRecord) []byte { return s.chunks[h.chunk][h.at : h.at+h.size] }

// Compact merges runs until at most maxRuns are left, with several workers. Call it after the last Flush.
func (r *Records) Compact(ctx context.Context, workers int) error {
	for len(r.runs) > maxRuns {
		slices.SortFunc(r.runs, func(a, b *run) int { return cmp.Compare(a.size, b.size) })
		lots := lotsOf(slices.Clone(r.runs), max(workers, 1))
		merged := make([]*run, len(lots)) // nil where that failed: the runs are there as before
		err := parallel.Run(ctx, workers, len(lots), func(ctx context.Context) parallel.Worker {
			return parallel.Worker{Do: func(i int) (err error) {
				merged[i], err = r.merge(ctx, lots[i])
				return err
			}}
		})
		for i, lot := range lots {
			if merged[i] == nil {
				continue
			}
			r.runs = append(slices.DeleteFunc(r.runs, func(run *run) bool { return slices.Contains(lot, run) }), merged[i])
			for _, run := range lot {
				err = errors.Join(err, run.close())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lotsOf divides too many runs, sorted by size, into lots to merge. Each worker has one lot, and a lot has at most
// maxRuns runs.
func lotsOf(runs []*run, workers int) (lots [][]*run) {
	excess := len(runs) - maxRuns
	n := max((excess+maxRuns-2)/(maxRuns-1), min(workers, excess))
	for i := range n {
		size := excess/n + 1 // a lot leaves one
		if i < excess%n {
			size++
		}
		size = min(size, len(runs))
		if size < 2 {
			break
		}
		lots = append(lots, runs[:size])
		runs = runs[size:]
	}
	return lots
}

// merge makes one run of several.
func (r *Records) merge(ctx context.Context, some []*run) (*run, error) {
	out, err := r.beside.create()
	if err != nil {
		return nil, err
	}
	for i := range r.beside.buckets {
		err := context.Cause(ctx)
		if err == nil {
			err = mergeBucket(some, i, out)
		}
		if err != nil {
			return nil, errors.Join(err, out.run.close())
		}
	}
	return out.close()
}

func mergeBucket(runs []*run, bucket int, out *runWriter) error {
	in, err := streamOf(runs, bucket)
	for err == nil {
		if err = in.Next(); err == nil {
			err = out.add(bucket, in.Record())
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
func (r *Records) Open(bucket int) (*Stream, error) { return openStream(bucket, r) }

func openStream(bucket int, of ...*Records) (*Stream, error) {
	var runs []*run
	for _, r := range of {
		runs = append(runs, r.runs...)
	}
	return streamOf(runs, bucket)
}

func streamOf(runs []*run, bucket int) (*Stream, error) {
	s := &Stream{}
	for _, r := range runs {
		if !r.holds(bucket) {
			continue
		}
		c, err := r.cursor(bucket)
		if err == nil {
			err = c.next()
		}
		if err != nil {
			return nil, err
		}
		s.heap = append(s.heap, c)
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.heap.down(i)
	}
	return s, nil
}

// Next reads the next record. It returns io.EOF after the last.
func (s *Stream) Next() error {
	if s.begun && len(s.heap) > 0 {
		switch err := s.heap[0].next(); {
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

// Record returns the current record. It is valid until the next call of Next.
func (s *Stream) Record() []byte { return s.heap[0].record }

// cursors are a heap: the one with the first record comes first.
type cursors []*cursor

func (h cursors) down(i int) {
	for {
		first := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < len(h) && bytes.Compare(h[child].record, h[first].record) < 0 {
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
