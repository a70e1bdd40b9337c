package facts

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// A run is a file of sorted records, or a section of a facts file. Several goroutines read it through one open file.
type run struct {
	name    string
	size    int64 // bytes of all blocks
	records int64
	isFacts bool  // a section of a facts file: the file stays
	section Class // where isFacts
	lo, hi  int64 // the hashes of records to read

	mu     sync.Mutex
	blocks []block  // of a facts file: nil while the file is not open
	file   *os.File // nil while nobody reads it
}

// open returns the file and its blocks. Runs have no open file until they are read: before the merge there may be very
// many.
func (r *run) open() (*os.File, []block, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		return r.file, r.blocks, nil
	}
	file, err := os.Open(r.name)
	if err != nil {
		return nil, nil, err
	}
	if r.isFacts {
		index, err := readIndexOf(file)
		if err != nil {
			return nil, nil, errors.Join(explainIndex(r.name, err), file.Close())
		}
		r.blocks = index.sections[r.section].blocks
	}
	r.file = file
	return file, r.blocks, nil
}

// rest closes the file until it is read.
func (r *run) rest() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := r.file
	if r.isFacts {
		r.blocks = nil
	}
	if r.file = nil; file == nil {
		return nil
	}
	return file.Close()
}

// mayHold reports whether the run may have records with hashes in [lo, hi].
func (r *run) mayHold(lo, hi int64) bool { return r.isFacts || len(span(r.blocks, lo, hi)) > 0 }

// close removes the run, if it is still there: one that could not be written was removed at once.
func (r *run) close() error {
	if r.isFacts {
		return r.rest()
	}
	err := os.Remove(r.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(r.rest(), err)
}

// cursor begins to read the records with hashes in [lo, hi].
func (r *run) cursor(lo, hi int64) (*cursor, error) {
	file, blocks, err := r.open()
	if err != nil {
		return nil, err
	}
	lo, hi = max(lo, r.lo), min(hi, r.hi)
	return &cursor{in: file, name: r.name, blocks: span(blocks, lo, hi), lo: lo, hi: hi}, nil
}

// A runWriter writes a run. Records must come in order.
type runWriter struct {
	blockWriter
	run    *run
	file   *bufio.Writer
	bucket int // of the last record
}

func createRun(name string) (*runWriter, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return newRunWriter(file), nil
}

func newRunWriter(file *os.File) *runWriter {
	w := &runWriter{
		run:  &run{name: file.Name(), file: file, lo: minHash, hi: maxHash},
		file: bufio.NewWriterSize(file, 256<<10),
	}
	w.out = w.file
	return w
}

// add writes a record of a bucket. A block has records of one bucket only.
func (w *runWriter) add(bucket int, record, body []byte) error {
	if bucket != w.bucket {
		w.flush()
		w.bucket = bucket
	}
	return w.blockWriter.add(record, body)
}

// close ends the run, which rests.
func (w *runWriter) close() (*run, error) {
	w.flush()
	r := w.run
	r.blocks, r.size, r.records = w.blocks, w.at, w.records
	if err := errors.Join(w.err, w.file.Flush(), r.rest()); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}
