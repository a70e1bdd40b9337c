// Package archive turns the bytes of a web archive into records: WARC 0.17 to
// 1.1 and ARC version 1, in gzip members, zstd frames, bzip2 or plain, told
// apart by their first bytes and never by a name.
//
// It knows framing and nothing else. It must not look into a block (HTTP is
// the business of package capture), open files or connections (package
// source), seek, or hold a block in memory: an archive is read in one pass,
// and what a Reader keeps is bounded whatever the archive says of itself
// (about 5 MiB, and up to 128 MiB more where a zstd frame asks for that
// window). An archive of many members may be read in parts, which others
// open at their offsets: see Mark.
//
// Archives are broken in many small ways. A Reader is lenient: it delivers
// what can be read, gives each oddity a code (Defect), and goes on after what
// cannot be read. Options.Strict turns chosen codes into the loss of the
// record.
package archive

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Format is the archive format that a record was written in.
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

// The record types. OtherType stands for a type that is missing or that the
// standard does not name.
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

// Header holds the fields of a record header in the order of the archive. An
// ARC record has the columns of its URL line under the names that ARC gives
// them: URL, IP-address, Archive-date, Content-type, Archive-length.
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

// Record is one record of an archive. The Record, its Header and its Defects
// belong to the Reader and are overwritten by the next call of Next; the
// strings may be kept, but each holds on to the texts of other headers, some
// kilobytes: what is kept for long is better cloned.
type Record struct {
	Format      Format
	Version     string // of the format: "1.0", "0.17"; "" for an ARC record without a version block before it
	Type        RecordType
	Header      Header
	URI         string    // as written, without surrounding < and >; "" if there is none
	Date        time.Time // in UTC; zero if there is none or it cannot be read
	ContentType string    // of the block; in ARC the column, which is that of the payload
	IP          string    // as written; "" if there is none

	// DeclaredLength is the length of the block in bytes by the header, -1 if
	// the header has none that can be read. It is a claim: the block may be
	// shorter or longer (LengthMismatch).
	DeclaredLength int64

	// Offset is where the record begins in the input, in bytes: the offset of
	// the compressed member that the record begins in, or in a plain file of
	// the record itself.
	Offset int64

	// Index is the position of the record within the member at Offset, 0 for
	// the first. With a member for each record, and in plain files, it is
	// always 0; where records share a member, Offset and Index together are
	// the record's key.
	Index int64

	// Block is the record block: for an ARC or WARC response, the HTTP message.
	// It is valid until the next call of Next or Finish. It ends with io.EOF,
	// or with a *RecordError where the archive is damaged; then what was read
	// before is all there is of it.
	Block io.Reader

	// Defects are the oddities of this record, each once, in the order found.
	// Those of the block and of what follows it are known after Finish.
	Defects []Defect
}

// Has reports whether the record shows the defect.
func (rec *Record) Has(d Defect) bool {
	for _, have := range rec.Defects {
		if have == d {
			return true
		}
	}
	return false
}

// Errors of an input as a whole.
var (
	// ErrEmpty means that the input has no content: no byte at all, or only
	// compressed members that are empty.
	ErrEmpty = errors.New("the input is empty")

	// ErrNotArchive means that no record was found where an archive would
	// begin. The error that wraps it says what was found, where that is known.
	ErrNotArchive = errors.New("the input is not a WARC or ARC archive")
)

// RecordError reports that one record is lost, in whole or in part. The caller
// counts it and goes on with Next.
type RecordError struct {
	Offset int64 // of the record or member in the input, as Record.Offset
	Defect Defect
	Err    error // the cause, nil where the defect says all
}

// Error returns one line.
func (e *RecordError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("record at offset %d: %s", e.Offset, e.Defect)
	}
	return fmt.Sprintf("record at offset %d: %s: %v", e.Offset, e.Defect, e.Err)
}

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// DefaultMaxHeader is the default of Options.MaxHeader, in bytes.
const DefaultMaxHeader = 256 << 10

// Options change how a Reader reads. The zero value is the lenient default.
type Options struct {
	// MaxHeader is the longest record header that is read, in bytes; a record
	// with a longer one is lost (HeaderTooLarge). 0 means DefaultMaxHeader.
	MaxHeader int

	// Size is the length of the input in bytes, 0 if unknown. It lets the
	// Reader see that a declared length cannot be true.
	Size int64

	// Base is where what is read begins in the archive, in bytes: offsets are those in the archive. Resume and Search do not look at
	// it, since a Mark says that already.
	Base int64

	// Until ends the Reader before the first member that begins at this offset
	// or behind it and that no record before it goes on into; End tells where.
	// 0 means the end of the archive, and so do archives that are no gzip
	// members or zstd frames, or in which no record has begun by then.
	Until int64

	// Ignore reports whether nobody looks into the records of a type and with that Content-Type, as written. Of such a WARC record
	// Header is empty, and so are URI, IP and ContentType; all else is as for any other. It must not keep contentType. nil means
	// none.
	Ignore func(t RecordType, contentType []byte) bool

	// Strict names the defects that cost a record: Next, or Finish for what is
	// known only then, returns a *RecordError for it. nil means none.
	Strict map[Defect]bool
}

// DefectCount counts one defect.
type DefectCount struct {
	Count int64
	First int64 // offset in the input of the first one, as Record.Offset
}

// Stats is what a Reader has seen so far.
type Stats struct {
	// BytesRead is how much of the input was consumed, in bytes; at the end of
	// an archive that was read to the end it is the length of the input.
	BytesRead int64

	Members int64 // compressed members that could be opened, 0 for plain files

	// Records counts the records that Next returned, by type. Records that
	// turned out damaged later are among them.
	Records [numTypes]int64

	// Lost counts the records that ended in a *RecordError, whether from Next,
	// Block or Finish.
	Lost int64

	SkippedInput   int64 // bytes of the input that belong to no readable member
	SkippedContent int64 // bytes of content (decompressed) that belong to no record

	// Defects counts each defect seen. Do not change it.
	Defects map[Defect]DefectCount

	// Truncated says that the input ends within a record or member, which
	// began at TruncatedAt.
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

// Merge adds what was seen of a later part of the same archive.
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
