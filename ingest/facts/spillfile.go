package facts

import (
	"encoding/binary"
	"io"
	"os"
)

// A SpillFile holds facts on disk and gives them back in the order of Add. It takes some hundred kilobytes of memory,
// however many facts it holds. It is for one goroutine.
type SpillFile struct {
	out    *runWriter
	full   *run // once it is gone through
	record []byte
}

// NewSpillFile makes a SpillFile in a folder; "" means the system's folder for temporary files. Close removes it.
func NewSpillFile(folder string) (*SpillFile, error) {
	file, err := os.CreateTemp(folder, "acapscan-*.spill")
	if err != nil {
		return nil, err
	}
	return &SpillFile{out: newRunWriter(file)}, nil
}

// NewSpillFile makes a SpillFile in the folder of the sorted facts.
func (s *Sorted) NewSpillFile() (*SpillFile, error) { return NewSpillFile(s.folder) }

// Add writes a fact and a number that the caller chooses. It keeps no reference to the fact.
func (p *SpillFile) Add(f *Fact, number int64) error {
	p.record = appendFields(binary.BigEndian.AppendUint64(p.record[:0], uint64(number)), f)
	return p.out.add(0, p.record, f.Body)
}

// Each calls visit for each fact, in the order of Add. No Add may follow. The callee may keep the fact.
func (p *SpillFile) Each(visit func(f *Fact, number int64) error) error {
	if p.full == nil {
		full, err := p.out.close()
		if err != nil {
			return err
		}
		p.full = full
	}
	file, blocks, err := p.full.open()
	if err != nil {
		return err
	}
	c := &cursor{in: file, name: p.full.name, blocks: blocks, lo: minHash, hi: maxHash}
	for {
		if err := c.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		f := &Fact{}
		hasBody, err := readFields(c.record[8:], f)
		if hasBody && err == nil {
			var body []byte
			body, err = c.body()
			f.Body = append([]byte{}, body...)
		}
		if err != nil {
			return err
		}
		if err := visit(f, int64(binary.BigEndian.Uint64(c.record))); err != nil {
			return err
		}
	}
}

// Close removes the file.
func (p *SpillFile) Close() error { return p.out.run.close() }
