package facts

import (
	"encoding/binary"
	"io"
	"os"

	"github.com/acapscan/acapscan/internal/extsort"
)

// A SpillFile holds facts on disk and gives them back in the order of Add. It takes some hundred kilobytes of memory,
// however many facts it holds. It is for one goroutine.
type SpillFile struct {
	out    *extsort.RunWriter
	full   bool // once it is gone through
	record []byte
}

// NewSpillFile makes a SpillFile in a folder; "" means the system's folder for temporary files. Close removes it.
func NewSpillFile(folder string) (*SpillFile, error) {
	file, err := os.CreateTemp(folder, "acapscan-*.spill")
	if err != nil {
		return nil, err
	}
	return &SpillFile{out: extsort.NewRunWriter(file)}, nil
}

// NewSpillFile makes a SpillFile in the folder of the sorted facts.
func (s *Sorted) NewSpillFile() (*SpillFile, error) { return NewSpillFile(s.Name()) }

// Add writes a fact and a number that the caller chooses. It keeps no reference to the fact.
func (p *SpillFile) Add(f *Fact, number int64) error {
	p.record = appendFields(binary.BigEndian.AppendUint64(p.record[:0], uint64(number)), f)
	return p.out.Add(p.record, f.Body)
}

// Each calls visit for each fact, in the order of Add. No Add may follow. The callee may keep the fact.
func (p *SpillFile) Each(visit func(f *Fact, number int64) error) error {
	begin := p.out.Again
	if !p.full {
		begin = p.out.End
	}
	c, err := begin()
	if err != nil {
		return err
	}
	p.full = true
	for {
		if err := c.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		f := &Fact{}
		hasBody, err := readFields(c.Record()[8:], f)
		if hasBody && err == nil {
			var body []byte
			body, err = c.Body()
			f.Body = append([]byte{}, body...)
		}
		if err != nil {
			return err
		}
		if err := visit(f, int64(binary.BigEndian.Uint64(c.Record()))); err != nil {
			return err
		}
	}
}

// Close removes the file.
func (p *SpillFile) Close() error { return p.out.Remove() }
