package facts

import (
	"encoding/binary"
	"io"
	"os"
)

// A Pile is facts that are put aside on disk, and gone through later in the order they came in. It takes some hundred kilobytes of memory,
// however many there are. It is for one goroutine.
type Pile struct {
	out    *runWriter
	full   *run // once it is gone through
	record []byte
}

// NewPile makes a Pile that lies in a folder, the system's for temporary files where it is "". Close removes it.
func NewPile(folder string) (*Pile, error) {
	file, err := os.CreateTemp(folder, "acapscan-*.pile")
	if err != nil {
		return nil, err
	}
	return &Pile{out: newRunWriter(file, 1)}, nil
}

// NewPile makes a Pile beside the sorted facts.
func (s *Sorted) NewPile() (*Pile, error) { return NewPile(s.folder) }

// Add puts a fact on the pile, with a number of the caller's. It keeps nothing of the fact.
func (p *Pile) Add(f *Fact, number int64) error {
	p.record = appendRecord(binary.BigEndian.AppendUint64(p.record[:0], uint64(number)), f)
	return p.out.add(0, p.record)
}

// Each calls visit for each fact, in the order of Add, which must not be called any more. The fact is the callee's to keep.
func (p *Pile) Each(visit func(f *Fact, number int64) error) error {
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

// Close removes the pile.
func (p *Pile) Close() error { return p.out.run.close() }
