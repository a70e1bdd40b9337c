package facts

import (
	"encoding/binary"
	"io"
	"os"
)

// A SpillFile is facts that are put aside on disk, and gone through later in the order they came in. It takes some hundred kilobytes of memory,
// however many there are. It is for one goroutine.
type SpillFile struct {
	out    *runWriter
	full   *run // once it is gone through
	record []byte
}

// NewSpillFile makes a SpillFile that lies in a folder, the system's for temporary files where it is "". Close removes it.
func NewSpillFile(folder string) (*SpillFile, error) {
	file, err := os.CreateTemp(folder, "acapscan-*.spill")
	if err != nil {
		return nil, err
	}
	return &SpillFile{out: newRunWriter(file, 1)}, nil
}

// NewSpillFile makes a SpillFile beside the sorted facts.
func (s *Sorted) NewSpillFile() (*SpillFile, error) { return NewSpillFile(s.folder) }

// Add puts a fact on the spill, with a number of the caller's. It keeps nothing of the fact.
func (p *SpillFile) Add(f *Fact, number int64) error {
	p.record = appendRecord(binary.BigEndian.AppendUint64(p.record[:0], uint64(number)), f)
	return p.out.add(0, p.record)
}

// Each calls visit for each fact, in the order of Add, which must not be called any more. The fact is the callee's to keep.
func (p *SpillFile) Each(visit func(f *Fact, number int64) error) error {
	if p.full == nil {
		full, err := p.out.close()
		if err != nil {
			return err
		}
		p.full = full
	}
	c, err := p.full.cursor(0)
	if err != nil {
		return err
	}
	for {
		if err := c.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		f := &Fact{}
		if err := readRecord(c.record[8:], f); err != nil {
			return err
		}
		if err := visit(f, int64(binary.BigEndian.Uint64(c.record))); err != nil {
			return err
		}
	}
}

// Close removes the spill.
func (p *SpillFile) Close() error { return p.out.run.close() }
