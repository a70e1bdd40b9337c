package extsort

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
)

// A Section is sorted blocks in a file of the caller, which a set of records reads as a run. It is safe for concurrent
// use.
type Section interface {
	// Open returns the file and the blocks. It opens the file if it is not open.
	Open() (io.ReaderAt, []Block, error)
	// Close closes the file until the next Open. The file stays.
	Close() error
	String() string // the name of the file
}

// A run is sorted records in one file: one that the sort wrote, or a Section.
type run struct {
	Section
	size    int64 // bytes of all blocks
	records int64
	lo, hi  int64 // the hashes of records to read
	own     *ownFile
}

// mayHold reports whether the run may have records with hashes in [lo, hi].
func (r *run) mayHold(lo, hi int64) bool { return r.own == nil || len(Span(r.own.blocks, lo, hi)) > 0 }

// remove closes the run, and removes the file that the sort wrote.
func (r *run) remove() error {
	if r.own == nil {
		return r.Close()
	}
	err := os.Remove(r.own.name)
	if errors.Is(err, fs.ErrNotExist) { // one that could not be written was removed at once
		err = nil
	}
	return errors.Join(r.Close(), err)
}

// cursor begins to read the records with hashes in [lo, hi].
func (r *run) cursor(lo, hi int64) (*Cursor, error) {
	file, blocks, err := r.Open()
	if err != nil {
		return nil, err
	}
	lo, hi = max(lo, r.lo), min(hi, r.hi)
	return NewCursor(file, r.String(), Span(blocks, lo, hi), lo, hi), nil
}

// An ownFile is a Section that is a whole file. Several goroutines read it through one open file, which is opened when
// it is read: before the merge there may be very many.
type ownFile struct {
	name   string
	blocks []Block

	mu   sync.Mutex
	file *os.File // nil while no one reads it
}

// Open returns the file and its blocks.
func (f *ownFile) Open() (io.ReaderAt, []Block, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		file, err := os.Open(f.name)
		if err != nil {
			return nil, nil, err
		}
		f.file = file
	}
	return f.file, f.blocks, nil
}

// Close closes the file.
func (f *ownFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.file
	if f.file = nil; file == nil {
		return nil
	}
	return file.Close()
}

func (f *ownFile) String() string { return f.name }

// A RunWriter writes a run. Records must come in order.
type RunWriter struct {
	BlockWriter
	run    *run // allocated by itself: it outlives the buffers of the writer
	file   *bufio.Writer
	bucket int // of the last record
}

// NewRunWriter returns a RunWriter for an empty file, which becomes its own.
func NewRunWriter(file *os.File) *RunWriter {
	own := &ownFile{name: file.Name(), file: file}
	w := &RunWriter{
		run:  &run{Section: own, own: own, lo: MinHash, hi: MaxHash},
		file: bufio.NewWriterSize(file, 256<<10),
	}
	w.Reset(w.file, 0)
	return w
}

// add writes a record of a bucket. A block has records of one bucket only.
func (w *RunWriter) add(bucket int, record, body []byte) error {
	if bucket != w.bucket {
		w.flush()
		w.bucket = bucket
	}
	return w.Add(record, body)
}

// end ends the run, and closes the file until it is read.
func (w *RunWriter) end() (*run, error) {
	blocks, records, err := w.Section()
	w.run.own.blocks, w.run.records, w.run.size = blocks, records, w.at
	if err := errors.Join(err, w.file.Flush(), w.run.Close()); err != nil {
		return nil, errors.Join(err, w.Remove())
	}
	return w.run, nil
}

// End ends the run, and returns a cursor that reads it from its beginning.
func (w *RunWriter) End() (*Cursor, error) {
	r, err := w.end()
	if err != nil {
		return nil, err
	}
	return r.cursor(MinHash, MaxHash)
}

// Again returns another cursor after End.
func (w *RunWriter) Again() (*Cursor, error) { return w.run.cursor(MinHash, MaxHash) }

// Remove removes the file.
func (w *RunWriter) Remove() error { return w.run.remove() }
