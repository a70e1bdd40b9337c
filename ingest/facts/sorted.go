package facts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// A Class tells facts by what they are needed for. They are sorted apart, so that one class is read without another.
type Class uint8

const (
	Heads   Class = iota // what policies are made of, counters and inputs
	Answers              // copies that the pass between the stages made
	Pages
	classes
)

func classOf(k Kind) Class {
	switch k {
	case KindAnswer:
		return Answers
	case KindPage:
		return Pages
	}
	return Heads
}

// maxRuns bounds the runs of a class that are read at a time. Where there are more they are merged first.
const maxRuns = 64

// minSorting is the least memory that facts are sorted in, in bytes.
const minSorting = 1 << 20

// Sorted is facts on disk in the order of Compare, parted into buckets of sites. Each fact was written once, or twice where there are
// very many; what is in memory is bounded by options, and so is the number of open files. It lies in a folder of its own.
type Sorted struct {
	folder  string
	buckets int

	mu   sync.Mutex
	runs [classes][]*run
	made int // runs ever, for their names
}

// NewSorted begins a set of sorted facts in a folder, which it makes, or clears of what a run left that was killed. Close removes it.
func NewSorted(folder string, buckets int) (*Sorted, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return &Sorted{folder: folder, buckets: buckets}, nil
}

// Buckets returns the number of buckets.
func (s *Sorted) Buckets() int { return s.buckets }

// Close removes the facts.
func (s *Sorted) Close() error {
	var err error
	for class := range s.runs {
		for _, r := range s.runs[class] {
			err = errors.Join(err, r.close())
		}
		s.runs[class] = nil
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

// bucketOf returns the bucket of a site hash: the one whose range, as Bucket has it, holds it.
func (s *Sorted) bucketOf(hash int64) int { return BucketOf(hash, s.buckets) }

func (s *Sorted) create() (*runWriter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return createRun(filepath.Join(s.folder, fmt.Sprintf("%06d.run", s.made)), s.buckets)
}

func (s *Sorted) take(class Class, w *runWriter) error {
	r, err := w.close()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[class] = append(s.runs[class], r)
	return nil
}

// A Sorter sorts facts into a Sorted: it holds records up to a limit, and writes a run. Several may work at a time for one Sorted, each
// for one goroutine.
type Sorter struct {
	to     *Sorted
	limit  int
	record []byte   // the one being made
	chunks [][]byte // of records
	held   [classes][]heldRecord
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

// NewSorter returns a Sorter that takes about so many bytes of memory.
func (s *Sorted) NewSorter(memory int64) *Sorter {
	return &Sorter{to: s, limit: int(min(max(memory, minSorting), 1<<31))}
}

// Add adds a fact, of which it keeps nothing.
func (s *Sorter) Add(f *Fact) error {
	s.record = appendRecord(s.record[:0], f)
	n := len(s.record)
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last])+n > cap(s.chunks[last]) {
		s.chunks = append(s.chunks, make([]byte, 0, max(n, chunkBytes)))
		s.bytes += cap(s.chunks[last+1])
		last++
	}
	at := len(s.chunks[last])
	s.chunks[last] = append(s.chunks[last], s.record...)
	class := classOf(f.Kind)
	s.held[class] = append(s.held[class], heldRecord{f.SiteHash, uint32(last), uint32(at), uint32(n)})
	if s.bytes += heldRecordBytes; s.bytes < s.limit {
		return nil
	}
	return s.Flush()
}

// Flush writes what is held. It must be called at the end.
func (s *Sorter) Flush() error {
	for class, held := range s.held {
		if len(held) == 0 {
			continue
		}
		slices.SortFunc(held, func(a, b heldRecord) int {
			if c := cmp.Compare(a.hash, b.hash); c != 0 {
				return c
			}
			return bytes.Compare(s.octets(a), s.octets(b))
		})
		out, err := s.to.create()
		if err != nil {
			return err
		}
		for _, h := range held {
			if err := out.add(s.to.bucketOf(h.hash), s.octets(h)); err != nil {
				break // and close says it again
			}
		}
		if err := s.to.take(Class(class), out); err != nil {
			return err
		}
		s.held[class] = held[:0]
	}
	clear(s.chunks)
	s.chunks, s.bytes = s.chunks[:0], 0
	return nil
}

func (s *Sorter) octets(h heldRecord) []byte { return s.chunks[h.chunk][h.at : h.at+h.size] }

// Settle merges runs until few enough are left to be read at a time. It must be called once a Sorter has written more.
func (s *Sorted) Settle(ctx context.Context) error {
	for class := range s.runs {
		for len(s.runs[class]) > maxRuns {
			slices.SortFunc(s.runs[class], func(a, b *run) int { return cmp.Compare(a.size, b.size) })
			some := s.runs[class][:min(maxRuns, len(s.runs[class])-maxRuns+1)]
			out, err := s.create()
			if err != nil {
				return err
			}
			for i := range s.buckets {
				err = merge(some, i, func(record []byte) error { return out.add(i, record) })
				if err = errors.Join(err, context.Cause(ctx)); err != nil {
					return errors.Join(err, out.run.close())
				}
			}
			merged, err := out.close()
			if err != nil {
				return err
			}
			for _, r := range some {
				err = errors.Join(err, r.close())
			}
			s.runs[class] = append(slices.Clone(s.runs[class][len(some):]), merged)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Scan calls visit for each fact of a bucket that is of one of the classes, in the order of Compare; facts that it does not tell apart
// come in an order of their own, which is always the same. The fact is the callee's to keep. Several goroutines may scan at a time.
func (s *Sorted) Scan(bucket int, visit func(*Fact) error, of ...Class) error {
	var runs []*run
	for _, class := range of {
		runs = append(runs, s.runs[class]...)
	}
	return merge(runs, bucket, func(record []byte) error {
		f := &Fact{}
		if err := readRecord(record, f); err != nil {
			return err
		}
		return visit(f)
	})
}

// merge calls visit for the records of a bucket of all runs, in order.
func merge(runs []*run, bucket int, visit func([]byte) error) error {
	var heap cursors
	for _, r := range runs {
		c := r.cursor(bucket)
		if err := c.next(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		heap = append(heap, c)
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		heap.down(i)
	}
	for len(heap) > 0 {
		if err := visit(heap[0].record); err != nil {
			return err
		}
		switch err := heap[0].next(); {
		case err == io.EOF:
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		case err != nil:
			return err
		}
		heap.down(0)
	}
	return nil
}

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

// Sort reads each file of the store once, several at a time, and returns its facts sorted into buckets, in a folder that it makes. Of
// memory, all sorters together take about so many bytes. The caller closes what is returned.
func (s *Store) Sort(ctx context.Context, folder string, buckets, workers int, memory int64) (*Sorted, error) {
	sorted, err := NewSorted(folder, buckets)
	if err != nil {
		return nil, err
	}
	workers = max(1, min(workers, len(s.files), int(memory/minSorting)))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sorter := sorted.NewSorter(memory / int64(workers))
			add := func(f *Fact) error {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return sorter.Add(f)
			}
			for i := next.Add(1) - 1; i < int64(len(s.files)); i = next.Add(1) - 1 {
				if err := s.scanFile(&s.files[i], add); err != nil {
					cancel(err)
					return
				}
			}
			if err := sorter.Flush(); err != nil {
				cancel(err)
			}
		}()
	}
	wg.Wait()
	err = context.Cause(ctx)
	if err == nil {
		err = sorted.Settle(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, sorted.Close())
	}
	return sorted, nil
}
