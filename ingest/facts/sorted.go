package facts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/acapscan/acapscan/internal/extsort"
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
	*extsort.Folder
	records [classes]*extsort.Records
	bodies  bodies // of answers, each once
}

// NewSorted begins a set of sorted facts in a folder. It makes the folder, or clears it of the files of a killed run.
// Close removes it.
func NewSorted(folder string, buckets int) (*Sorted, error) {
	in, err := extsort.NewFolder(folder, buckets)
	if err != nil {
		return nil, err
	}
	s := &Sorted{Folder: in, bodies: bodies{name: filepath.Join(folder, "bodies")}}
	for class := range s.records {
		s.records[class] = in.NewRecords(splitBody)
	}
	return s, nil
}

// NewRecords begins a set of records in the folder of the facts, with the same number of buckets.
func (s *Sorted) NewRecords() *extsort.Records { return s.Folder.NewRecords(nil) }

// Size returns the bytes that the facts of a bucket take on disk, an estimate of its work.
func (s *Sorted) Size(bucket int) (n int64) {
	for _, r := range s.records {
		n += r.Size(bucket)
	}
	return n
}

// Close removes the folder with the facts and records.
func (s *Sorted) Close() error {
	var err error
	for _, r := range s.records {
		err = errors.Join(err, r.Close())
	}
	return errors.Join(err, s.bodies.close(), s.Folder.Close())
}

// A Sorter sorts facts into a Sorted. It holds records up to a limit, then writes a run. Several sorters may write to
// one Sorted. Each is for one goroutine.
type Sorter struct {
	*extsort.RecordSorter
	bodies *bodies
	record []byte // the one being made
}

// NewSorter returns a Sorter that takes about so many bytes of memory, for facts and for the records of AddRecord
// together.
func (s *Sorted) NewSorter(memory int64, others ...*extsort.Records) *Sorter {
	records := append(s.records[:len(s.records):len(s.records)], others...)
	return &Sorter{RecordSorter: extsort.NewRecordSorter(memory, records...), bodies: &s.bodies}
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
	*extsort.Stream
	bodies *bodies
	spare  *spareFact
}

// A spareFact is memory for facts that pass by: counters of a site, or all.
type spareFact struct {
	fact *Fact
	all  bool
}

// next returns an empty fact.
func (s *spareFact) next() *Fact {
	if s == nil || s.fact == nil {
		return &Fact{}
	}
	f := s.fact
	s.fact = nil
	if s.all {
		*f = Fact{}
	} else {
		*f = Fact{Counts: f.Counts[:0]}
	}
	return f
}

// pass takes a fact that the reader had, if it need not keep it.
func (s *spareFact) pass(f *Fact) {
	if s != nil && (s.all || f.Kind == KindSite) {
		s.fact = f
	}
}

// Open opens the facts of a bucket that are of one of the classes. Several goroutines may each read a stream of their
// own.
func (s *Sorted) Open(bucket int, of ...Class) (Facts, error) {
	var records []*extsort.Records
	for _, class := range of {
		records = append(records, s.records[class])
	}
	stream, err := s.Folder.Open(bucket, records...)
	return Facts{stream, &s.bodies, nil}, err
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
	f := s.spare.next()
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
			f.Body, err = s.Body()
		}
	}
	return f, err
}

// ScanACAP is Scan for a reader of ACAP: a body without the letters of acap, in any case, is empty. A fact and its body
// are good only until visit returns, its texts and lists longer.
func (s *Sorted) ScanACAP(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, &spareFact{all: true}, Facts.acapOnly, func([]byte) bool { return false }, of)
}

// Scan calls visit for each fact of a bucket that is of one of the classes, see Open. The fact is the callee's to keep,
// see Facts.Fact.
func (s *Sorted) Scan(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, nil, Facts.Fact, func([]byte) bool { return false }, of)
}

// ScanPolicies is Scan for a reader that keeps no fact of KindSite: it is good until visit returns, its texts longer.
func (s *Sorted) ScanPolicies(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, &spareFact{}, Facts.Fact, func([]byte) bool { return false }, of)
}

// ScanOnce is Scan, but facts that are the same come once.
func (s *Sorted) ScanOnce(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, nil, Facts.Fact, sameAsLast(), of)
}

// ScanOncePassing is ScanOnce, but a fact and its body are good only until visit returns, its texts and lists longer.
func (s *Sorted) ScanOncePassing(bucket int, visit func(*Fact) error, of ...Class) error {
	return s.scan(bucket, visit, &spareFact{all: true}, Facts.Passing, sameAsLast(), of)
}

// sameAsLast returns a function that reports whether a record is the same as the one before.
func sameAsLast() func(record []byte) bool {
	var last []byte
	return func(record []byte) bool {
		record = withoutPlace(record)
		again := bytes.Equal(last, record)
		last = append(last[:0], record...)
		return again
	}
}

func (s *Sorted) scan(
	bucket int, visit func(*Fact) error, spare *spareFact, fact func(Facts) (*Fact, error),
	pass func(record []byte) bool, of []Class,
) error {
	in, err := s.Open(bucket, of...)
	in.spare = spare
	for err == nil {
		if err = in.Next(); err != nil || pass(in.Record()) {
			continue
		}
		var f *Fact
		if f, err = fact(in); err == nil {
			err = visit(f)
			in.spare.pass(f)
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
	farBytes   = 2*wholeBytes + readAheadBytes
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
		memoryOfEach = max(memory/2, extsort.MinMemory)
	}
	sorters = max(1, min(sorters, len(s.files), int(memoryOfEach/extsort.MinMemory)))
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
			return s.scanFile(&s.files[i], add, nil)
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

// addRuns makes runs of the sections of a file, which share one open file.
func (s *Set) addRuns(file *setFile, to *Sorted) error {
	shared := &sharedFile{setFile: file}
	index, err := shared.open()
	if err != nil {
		return err
	}
	lo, hi := s.hashes()
	for class := range index.sections {
		if x := &index.sections[class]; x.records > 0 && s.wants(Class(class)) {
			section := &fileSection{file: shared, class: Class(class), hosts: s.hosts}
			to.records[class].AddSection(section, extsort.Size(x.blocks), x.records, lo, hi)
		}
	}
	return shared.release()
}

// A sharedFile is a facts file whose sections are open or closed each by itself. It is open, and its index in memory,
// while one of them is.
type sharedFile struct {
	*setFile
	mu    sync.Mutex
	users int
	read  *fileReader // while there are users
}

// open adds a user.
func (f *sharedFile) open() (*index, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read == nil {
		read, err := f.setFile.open(true)
		if err != nil {
			return nil, err
		}
		f.read = read
	}
	f.users++
	return f.read.index, nil
}

// release ends the use by one user.
func (f *sharedFile) release() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	read := f.read
	f.read = nil
	return read.Close()
}

// A fileSection is the facts of a class in a file, as a run.
type fileSection struct {
	file  *sharedFile
	class Class
	hosts []int64 // see Set.hosts

	mu     sync.Mutex
	opened bool
	blocks []extsort.Block
}

// Open returns the file and the blocks of the class.
func (c *fileSection) Open() (io.ReaderAt, []extsort.Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.opened {
		index, err := c.file.open()
		if err != nil {
			return nil, nil, err
		}
		c.opened, c.blocks = true, blocksOf(index.sections[c.class].blocks, c.hosts)
	}
	return c.file.read.bytes.ReaderAt, c.blocks, nil
}

// Close ends the use of the file by the class.
func (c *fileSection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.opened {
		return nil
	}
	c.opened, c.blocks = false, nil
	return c.file.release()
}

func (c *fileSection) String() string { return c.file.path() }
