// Package archive turns the bytes of a web archive into records. It reads WARC 0.17 to 1.1 and ARC version 1, in gzip
// members, zstd frames, bzip2 or plain. The first bytes decide the format, never the name.
//
// The package knows framing only. Package capture reads HTTP, package source opens files and connections. A Reader
// reads an archive in one pass, without seeking, and never holds a block in memory. It keeps about 5 MiB, and up to
// 128 MiB more for the window of a zstd frame.
//
// A Reader delivers what it can read, records each fault with a code (Defect), and continues after damage.
package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Format is the format of a record.
type Format uint8

// The formats that are read.
const (
	FormatWARC Format = iota + 1
	FormatARC
)

// String returns "warc" or "arc".
func (f Format) String() string {
	switch f {
	case FormatWARC:
		return "warc"
	case FormatARC:
		return "arc"
	}
	return "unknown"
}

// RecordType is the type of a record (WARC 1.1, section 6).
type RecordType uint8

// The record types. OtherType means that the type is missing or that the standard does not name it.
const (
	OtherType RecordType = iota
	Warcinfo
	Response
	Request
	Resource
	Metadata
	Revisit
	Conversion
	Continuation

	numTypes = iota
)

var typeNames = [numTypes]string{
	OtherType:    "other",
	Warcinfo:     "warcinfo",
	Response:     "response",
	Request:      "request",
	Resource:     "resource",
	Metadata:     "metadata",
	Revisit:      "revisit",
	Conversion:   "conversion",
	Continuation: "continuation",
}

// RecordTypes returns every record type, OtherType first.
func RecordTypes() []RecordType {
	types := make([]RecordType, numTypes)
	for i := range types {
		types[i] = RecordType(i)
	}
	return types
}

// String returns the name as WARC-Type writes it, "other" for OtherType.
func (t RecordType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return typeNames[OtherType]
}

// parseType reads the value of WARC-Type, in any case.
func parseType(s string) RecordType {
	for t := Warcinfo; t < numTypes; t++ {
		if strings.EqualFold(s, typeNames[t]) {
			return t
		}
	}
	return OtherType
}

// Field is one named field of a record header.
type Field struct{ Name, Value string }

// Header holds the fields of a record header in the order of the archive. For an ARC record these are the columns of
// its URL line, under the names of ARC: URL, IP-address, Archive-date, Content-type, Archive-length.
type Header []Field

// Get returns the value of the first field of that name, in any case, or "".
func (h Header) Get(name string) string {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Values returns the values of all fields of that name, in any case.
func (h Header) Values(name string) []string {
	var values []string
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			values = append(values, h[i].Value)
		}
	}
	return values
}

// Record is one record of an archive. The next call of Next overwrites the Record, its Header and its Defects. Strings
// may be kept, but they share allocations of some kilobytes: clone those that you keep for long.
type Record struct {
	Format      Format
	Version     string // of the format: "1.0", "0.17"; "" for an ARC record without a version block
	Type        RecordType
	Header      Header
	URI         string    // as written, without surrounding < and >; "" if missing
	Date        time.Time // in UTC; zero if missing or malformed
	ContentType string    // of the block; in ARC the column, which describes the payload
	IP          string    // as written; "" if missing

	// DeclaredLength is the length of the block in bytes according to the header, -1 if missing or malformed. The block
	// may be shorter or longer (LengthMismatch).
	DeclaredLength int64

	// Offset is where the record begins in the input, in bytes. In a compressed file it is the offset of the member in
	// which the record begins.
	Offset int64

	// Index is the position of the record within the member at Offset, from 0. Where records share a member, Offset and
	// Index together identify a record. Elsewhere it is 0.
	Index int64

	// Block is the record block: for an ARC or WARC response, the HTTP message. It is valid until the next call of Next
	// or Finish. It ends with io.EOF, or with a *RecordError where the archive is damaged.
	Block io.Reader

	// Defects are the faults of this record, each once, in the order found. After Finish they include those of the
	// block and of what follows it.
	Defects []Defect
}

// Has reports whether the record shows the defect.
func (rec *Record) Has(d Defect) bool {
	return slices.Contains(rec.Defects, d)
}

// Rest returns what is left of Block without consuming it, if all of it is in memory, else nil. It is nil, too, if
// nothing is left. It is nearly always in memory at the end of a gzip member. The bytes are valid until the next call
// of Next, even after Finish.
func (rec *Record) Rest() []byte {
	if b, ok := rec.Block.(*block); ok {
		return b.rest()
	}
	return nil
}

// Errors of an input as a whole.
var (
	// ErrEmpty means that the input has no content: no bytes, or only empty compressed members.
	ErrEmpty = errors.New("the input is empty")

	// ErrNotArchive means that the input has no record where an archive would begin. The wrapping error says what the
	// input is, if known.
	ErrNotArchive = errors.New("the input is not a WARC or ARC archive")
)

// RecordError reports the loss of one record, in whole or in part. The caller counts it and calls Next again.
type RecordError struct {
	Offset int64 // of the record or member in the input, as Record.Offset
	Defect Defect
	Err    error // the cause, nil if Defect alone says it
}

func (e *RecordError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("record at offset %d: %s", e.Offset, e.Defect)
	}
	return fmt.Sprintf("record at offset %d: %s: %v", e.Offset, e.Defect, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// DefaultMaxHeader is the default of Options.MaxHeader, in bytes.
const DefaultMaxHeader = 256 << 10

// Options change how a Reader reads. The zero value is the default.
type Options struct {
	// MaxHeader is the longest record header that a Reader accepts, in bytes. A record with a longer one is lost
	// (HeaderTooLarge). 0 means DefaultMaxHeader.
	MaxHeader int

	// Size is the length of the input in bytes, 0 if unknown. With it the Reader detects impossible declared lengths
	// when it reads them, and finds the records behind; without it only at the end of the input.
	Size int64

	// Base is the offset in the archive, in bytes, of the first byte of the input.
	Base int64

	// Ignore reports whether the caller ignores records of this type and Content-Type (as written). For such a WARC
	// record Header, URI, IP and ContentType are empty. Ignore must not keep contentType. nil means that the caller
	// needs all records.
	Ignore func(t RecordType, contentType []byte) bool
}

// DefectCount counts one defect.
type DefectCount struct {
	Count int64
	First int64 // offset in the input of the first one, as Record.Offset
}

// Stats counts what a Reader has read so far.
type Stats struct {
	// BytesRead is how many bytes of the input the Reader consumed. At the end of an archive it is the input's length.
	BytesRead int64

	Members int64 // compressed members that the Reader could open, 0 for plain files

	// Records counts the records that Next returned, by type, including those that proved damaged later.
	Records [numTypes]int64

	// Lost counts the records that ended in a *RecordError from Next, Block or Finish.
	Lost int64

	SkippedInput   int64 // bytes of the input outside of readable members
	SkippedContent int64 // bytes of decompressed content outside of records

	// Defects counts each defect. Do not change the map.
	Defects map[Defect]DefectCount

	// Truncated says that the input ends within a record or member that began at TruncatedAt.
	Truncated   bool
	TruncatedAt int64
}

// Total returns the number of records that Next returned.
func (s *Stats) Total() int64 {
	var n int64
	for _, c := range s.Records {
		n += c
	}
	return n
}

// Merge adds the Stats of a Reader that read a later part of the same archive.
func (s *Stats) Merge(later Stats) {
	s.BytesRead = later.BytesRead
	s.Members += later.Members
	for t, n := range later.Records {
		s.Records[t] += n
	}
	s.Lost += later.Lost
	s.SkippedInput += later.SkippedInput
	s.SkippedContent += later.SkippedContent
	for d, c := range later.Defects {
		if have, seen := s.Defects[d]; seen {
			c.Count, c.First = c.Count+have.Count, have.First
		} else if s.Defects == nil {
			s.Defects = make(map[Defect]DefectCount)
		}
		s.Defects[d] = c
	}
	if !s.Truncated {
		s.Truncated, s.TruncatedAt = later.Truncated, later.TruncatedAt
	}
}

func (s *Stats) add(d Defect, offset int64) {
	c, seen := s.Defects[d]
	if !seen {
		if s.Defects == nil {
			s.Defects = make(map[Defect]DefectCount)
		}
		c.First = offset
	}
	c.Count++
	s.Defects[d] = c
}
