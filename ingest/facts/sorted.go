package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/acapscan/acapscan/internal/parallel"
)

// A Class tells facts by what they are needed for. They are sorted apart, so that one class is read without another.
type Class uint8

const (
	Counters Class = iota // counters of sites, and inputs
	Policies              // captures of robots.txt and of other files that a policy may point to
	Answers               // copies that the pass between the stages made
	Pages
	classes
)

func classOf(k Kind) Class {
	switch k {
	case KindRobots, KindPolicy:
		return Policies
	case KindAnswer:
		return Answers
	case KindPage:
		return Pages
	}
	return Counters
}

// Sorted is facts on disk in the order of Compare, divided into buckets of sites, in a folder of its own. Options bound
// the memory and the number of open files. A large set is written twice, a smaller one once.
type Sorted struct {
	folder  string
	buckets int
	made    atomic.Int64 // runs ever, for their names
	records [classes]*Records
	bodies  bodies // of answers, each once
}

// NewSorted begins a set of sorted facts in a folder. It makes the folder, or clears it of the files of a killed run.
// Close removes it.
func NewSorted(folder string, buckets int) (*Sorted, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	s := &Sorted{folder: folder, buckets: buckets}
	s.bodies.name = filepath.Join(folder, "bodies")
	for class := range s.records {
		s.records[class] = &Records{beside: s, isFacts: true}
	}
	return s, nil
}

// NewRecords begins a set of records in the folder of the facts, with the same number of buckets.
func (s *Sorted) NewRecords() *Records { return &Records{beside: s} }

// Buckets returns the number of buckets.
func (s *Sorted) Buckets() int { return s.buckets }

// Size returns the bytes that the facts of a bucket take on disk, an estimate of its work.
func (s *Sorted) Size(bucket int) int64 {
	var n int64
	lo, hi := Bucket(bucket, s.buckets)
	for _, r := range s.records {
		for _, run := range r.runs {
			_, blocks, err := run.open()
			if err != nil { // reading says it
				continue
			}
			for _, b := range span(blocks, lo, hi) {
				n += b.end() - b.at
			}
		}
	}
	return n
}

// Close removes the folder with the facts and records.
func (s *Sorted) Close() error {
	var err error
	for _, r := range s.records {
		err = errors.Join(err, r.Close())
	}
	return errors.Join(err, s.bodies.close(), os.RemoveAll(s.folder))
}

func (s *Sorted) create() (*runWriter, error) {
	return createRun(filepath.Join(s.folder, fmt.Sprintf("%06d.run", s.made.Add(1))))
}

// A Sorter sorts facts into a Sorted. It holds records up to a limit, then writes a run. Several sorters may write to
// one Sorted. Each is for one goroutine.
type Sorter struct {
	*RecordSorter
	bodies *bodies
	record []byte // the one being made
}

// NewSorter returns a Sorter that takes about so many bytes of memory, for facts and for the records of AddRecord
// together.
func (s *Sorted) NewSorter(memory int64, others ...*Records) *Sorter {
	records := append(s.records[:len(s.records):len(s.records)], others...)
	return &Sorter{RecordSorter: NewRecordSorter(memory, records...), bodies: &s.bodies}
}

// Add adds a fact and keeps no reference to it. The body of an answer is written once, even if many sites get a copy of
// it.
func (s *Sorter) Add(f *Fact) error {
	class := int(classOf(f.Kind))
	if f.Kind == KindAnswer && len(f.Body) > bodyRefSize {
		at, err := s.bodies.add(f.Body)
		if err != nil {
			return err
		}
		s.record = appendRef(appendFields(s.record[:0], f), at)
		return s.RecordSorter.Add(class, s.record)
	}
	s.record = appendFields(s.record[:0], f)
	return s.RecordSorter.Add(class, s.record, f.Body, bodyLength(f))
}

// AddRecord adds a record to one of the others.
func (s *Sorter) AddRecord(other int, record []byte) error {
	return s.RecordSorter.Add(int(classes)+other, record)
}

// Compact merges runs until at most maxRuns are left. Call it after the last Flush.
func (s *Sorted) Compact(ctx context.Context, workers int) error {
	for _, r := range s.records {
		if err := r.Compact(ctx, workers); err != nil {
			return err
		}
	}
	return nil
}

// A Facts reads the facts of one bucket in the order of Compare. The order of facts that compare as equal is always the
// same, too.
type Facts struct {
	*Stream
	bodies *bodies
}

// Open opens the facts of a bucket that are of one of the classes. Several goroutines may each read a stream of their
// own.
func (s *Sorted) Open(bucket int, of ...Class) (Facts, error) {
	var runs []*run
	for _, class := range of {
		runs = append(runs, s.records[class].runs...)
	}
	stream, err := s.stream(runs, bucket)
	return Facts{stream, &s.bodies}, err
}

// Fact returns the current fact. The caller may keep it, but must not change the body of an answer: answers share
// bodies.
func (s Facts) Fact() (*Fact, error) {
	f, err := s.Passing()
	if f.Body != nil && !hasRef(s.Record()) {
		f.Body = append([]byte{}, f.Body...)
	}
	return f, err
}

// Passing is Fact for a caller that looks at the body only before the stream goes on.
func (s Facts) Passing() (*Fact, error) { return s.read(func(*Fact) bool { return true }) }

// acapOnly is Passing, but a body without the letters of ACAP is empty: most facts are read without their bodies.
func (s Facts) acapOnly() (*Fact, error) { return s.read(func(f *Fact) bool { return !f.NoACAP }) }

func (s Facts) read(wantsBody func(*Fact) bool) (*Fact, error) {
	f := &Fact{}
	record := s.Record()
	if hasRef(record) {
		ref, err := readRef(record, f)
		if err == nil {
			f.Body, err = s.bodies.read(ref)
		}
		return f, err
	}
	hasBody, err := readFields(record, f)
	if hasBody && err == nil {
		if f.Body = []byte{}; wantsBody(f) {
			f.Body, err = s.heap[0].body()
		}
	}
	return f, err
}

// ScanACAP is Scan for a reader of ACAP: a body without the letters of acap, in any case, is empty, and a body is good
// only until visit returns.
func (s *Sorted) ScanACAP(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, Facts.acapOnly, func([]byte) bool { return false }, of)
}

// Scan calls visit for each fact of a bucket that is of one of the classes, see Open. The fact is the callee's to keep,
// see Facts.Fact.
func (s *Sorted) Scan(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, Facts.Fact, func([]byte) bool { return false }, of)
}

// ScanOnce is Scan, but facts that are the same come once.
func (s *Sorted) ScanOnce(bucket int, visit func(*Fact) error, of ...Class) error {
	var last []byte
	return s.scan(bucket, visit, Facts.Fact, func(record []byte) bool {
		record = withoutPlace(record)
		again := bytes.Equal(last, record)
		last = append(last[:0], record...)
		return again
	}, of)
}

func (s *Sorted) scan(
	bucket int, visit func(*Fact) error, fact func(Facts) (*Fact, error), pass func(record []byte) bool, of []Class,
) error {
	in, err := s.Open(bucket, of...)
	for err == nil {
		if err = in.Next(); err != nil || pass(in.Record()) {
			continue
		}
		var f *Fact
		if f, err = fact(in); err == nil {
			err = visit(f)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// farReaders files of a store are read at a time, however many workers there are, since the readers mostly wait. Each
// takes up to farBytes, so that sorting gets only half of the memory.
const (
	farReaders = 8
	farBytes   = 2 * wholeBytes
)

// Sort returns the facts of the set, sorted into buckets, in a folder that it makes. It merges the sections of facts
// files on this machine as they are: the files must stay until Close. Others it reads once, several at a time, and all
// sorters together take about so many bytes of memory. The caller closes the result.
func (s *Set) Sort(ctx context.Context, folder string, buckets, workers int, memory int64) (*Sorted, error) {
	sorted, err := NewSorted(folder, buckets)
	if err != nil {
		return nil, err
	}
	workers = max(workers, 1)
	sorters, memoryOfEach := workers, memory
	if s.isFar() {
		sorters = max(workers, int(min(memory/2/farBytes, farReaders)))
		memoryOfEach = max(memory/2, minSorting)
	}
	sorters = max(1, min(sorters, len(s.files), int(memoryOfEach/minSorting)))
	memoryOfEach /= int64(sorters)
	err = parallel.Run(ctx, sorters, len(s.files), func(ctx context.Context) parallel.Worker {
		sorter := sorted.NewSorter(memoryOfEach)
		add := parallel.Stopping(ctx, sorter.Add)
		return parallel.Worker{Do: func(i int) error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if s.isMergeable(&s.files[i]) {
				return s.addRuns(&s.files[i], sorted)
			}
			return s.scanFile(&s.files[i], add)
		}, End: sorter.Flush}
	})
	if err == nil {
		err = sorted.Compact(ctx, workers)
	}
	if err != nil {
		return nil, errors.Join(err, sorted.Close())
	}
	return sorted, nil
}

// isMergeable reports whether sections of the file can be runs: of a file on this machine, where all facts of a class
// are wanted or none.
func (s *Set) isMergeable(file *setFile) bool {
	return file.in.Local() && s.passes == nil && !slices.ContainsFunc(kinds[:], func(k Kind) bool {
		return s.wants(classOf(k)) && len(s.kinds) > 0 && !slices.Contains(s.kinds, k)
	})
}

// addRuns makes runs of the sections of a file.
func (s *Set) addRuns(file *setFile, to *Sorted) error {
	r, err := file.open(true)
	if err != nil {
		return err
	}
	lo, hi := s.hashes()
	for class := range r.index.sections {
		section := &r.index.sections[class]
		if section.records == 0 || !s.wants(Class(class)) {
			continue
		}
		first, last := section.blocks[0], section.blocks[len(section.blocks)-1]
		to.records[class].add(&run{
			name: file.path(), size: last.end() - first.at, records: section.records, isFacts: true,
			section: Class(class), lo: lo, hi: hi,
		})
	}
	return r.Close()
}
