package parquet

import (
	"bytes"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A scratch is memory for the pages of a column.
type scratch struct {
	entries, there []uint32 // of some rows: all entries, and those with a value

	// Of the page in the making.
	reps, defs []byte
	plain      []byte  // values; booleans have a byte each
	indexes    []int32 // values in a dictionary

	// Of the page, encoded.
	repBytes, defBytes, encoded, compressed []byte

	out        bytes.Buffer // finished pages
	dictionary bytes.Buffer

	protocol thrift.CompactProtocol
}

// scratches are shared by all columns of all files: each needs one for as long as it takes to write its pages.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// encode writes the header of a page.
func (s *scratch) encode(to *bytes.Buffer, header *format.PageHeader) error {
	return thrift.NewEncoder(s.protocol.NewWriter(to)).Encode(header)
}

func (s *scratch) writePage(header *format.PageHeader, parts ...[]byte) error {
	if err := s.encode(&s.out, header); err != nil {
		return err
	}
	for _, part := range parts {
		s.out.Write(part)
	}
	return nil
}

func (s *scratch) endPage() {
	s.reps, s.defs, s.plain, s.indexes = s.reps[:0], s.defs[:0], s.plain[:0], s.indexes[:0]
}

func (s *scratch) reset() {
	s.endPage()
	s.out.Reset()
}
