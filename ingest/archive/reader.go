package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/acapscan/acapscan/internal/arena"
)

// headProbe is how many bytes of content are searched for the first record before the input is refused.
const headProbe = 1 << 20

// A Reader reads the records of one archive in order. It is for one goroutine.
type Reader struct {
	opts   Options
	s      *stream
	format Format // of the archive, 0 until the first record
	stats  Stats

	arcVersion string
	rec        Record
	block      block
	header     rawHeader   // of the current record; for an ARC record its line
	arena      arena.Arena // of the headers of delivered records

	open    bool // the current record is not finished
	length  int64
	lenErr  error // the result of Finish
	inRest  bool  // the content here is the rest of a record that already has a defect for it
	pending error // to be returned by the next Next
	err     error // ends the archive
}

// NewReader returns a Reader of the archive in r, and reads as far as the first record. The error wraps ErrEmpty or
// ErrNotArchive, or is that of r. The Reader does not close r.
func NewReader(r io.Reader, opts Options) (*Reader, error) {
	if opts.MaxHeader <= 0 {
		opts.MaxHeader = DefaultMaxHeader
	}
	rd := &Reader{opts: opts}
	rd.block.r = rd
	rd.s = &stream{
		in:      newRewindBuffer(r, opts.Base),
		stats:   &rd.stats,
		isStart: rd.startsMember,
		repeats: repeatRate * opts.Base, // the search may cost as much as in an input that begins here
	}
	b, _ := rd.s.in.Peek(8)
	if err := rd.s.ioErr(); err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, ErrEmpty
	}
	dec, err := newDecoder(b)
	if err != nil {
		return nil, err
	}
	if b, _ = rd.s.in.Peek(startProbe); dec == nil && !rd.startsAt(b) && rd.hasMember() {
		dec = &gzipDecoder{}
	}
	rd.s.dec = dec

	err = rd.seek()
	var lost *RecordError
	switch {
	case err == nil:
	case errors.As(err, &lost):
		rd.pending = err
	case err == io.EOF && rd.s.content() == 0:
		return nil, ErrEmpty
	case err == io.EOF:
		return nil, ErrNotArchive
	default:
		return nil, err
	}
	return rd, nil
}

// hasMember reports whether the first bytes of an input, not at its beginning, have a gzip member with a record.
func (r *Reader) hasMember() bool {
	b, _ := r.s.in.Peek(rewindPeek)
	for range 16 {
		i := bytes.Index(b, []byte(magicGzip))
		if i < 0 {
			return false
		}
		b = b[i:]
		var d gzipDecoder
		if d.start(&rewindBuffer{buf: b, n: len(b), err: io.EOF}) == nil {
			content := make([]byte, startProbe)
			n, _ := io.ReadFull(&d, content)
			if r.startsMember(content[:n]) {
				return true
			}
		}
		b = b[1:]
	}
	return false
}

// Next skips the rest of the current record and returns the next one. It returns io.EOF at the end of the archive,
// whole or not (see Stats.Truncated). A *RecordError reports a lost record: call Next again. Any other error is that of
// the input, and final.
//
// A record is whole only if Finish returned no error for it.
func (r *Reader) Next() (*Record, error) {
	if r.open {
		r.Finish()
	}
	if err := r.pending; err != nil {
		r.pending = nil
		return nil, err
	}
	if r.err != nil {
		return nil, r.err
	}
	err := r.seek()
	if err == nil {
		err = r.begin()
	}
	if err != nil {
		var lost *RecordError
		if !errors.As(err, &lost) {
			r.err = err
		}
		return nil, err
	}
	r.stats.Records[r.rec.Type]++
	return &r.rec, nil
}

// Finish skips the rest of the current record and returns its length in the input, in bytes. That is the length of its
// compressed members, or in a plain file the length up to the next record. It is -1 where records share a member.
//
// The error is a *RecordError if the record is damaged, or that of the input. Further calls return the same.
func (r *Reader) Finish() (length int64, err error) {
	if !r.open {
		return r.length, r.lenErr
	}
	r.open = false
	r.length, r.lenErr = r.finish()
	if r.lenErr == nil {
		return r.length, nil
	}
	r.length = -1
	var lost *RecordError
	if errors.As(r.lenErr, &lost) {
		if !r.rec.Has(lost.Defect) {
			r.rec.Defects = append(r.rec.Defects, lost.Defect) // Stats already count it
		}
		r.stats.Lost++
	} else {
		r.err = r.lenErr
	}
	return r.length, r.lenErr
}

// Stats returns the counts so far. Reading on changes the map.
func (r *Reader) Stats() Stats {
	r.stats.BytesRead = r.s.offset()
	if r.s.plain() && !r.s.done {
		r.stats.BytesRead = r.s.pos
	}
	return r.stats
}

// note records a defect of the current record, once.
func (r *Reader) note(d Defect) {
	if !r.rec.Has(d) {
		r.rec.Defects = append(r.rec.Defects, d)
		r.stats.add(d, r.rec.Offset)
	}
}

// memberFailed leaves the current member because of the error cause. It returns a *RecordError, or the error of the
// input.
func (r *Reader) memberFailed(cause error) error {
	at := r.s.start
	r.inRest = false
	d, err := r.s.fail(cause)
	if err != nil {
		return err
	}
	r.stats.add(d, at)
	return &RecordError{Offset: at, Defect: d, Err: cause}
}

// lost counts a record that Finish will not count.
func (r *Reader) lost(err error) error {
	var lost *RecordError
	if errors.As(err, &lost) {
		r.stats.Lost++
	}
	return err
}

// here returns the Offset of a record that begins at the current position.
func (r *Reader) here() int64 {
	if r.s.plain() {
		return r.s.pos
	}
	return r.s.start
}

// seek goes to the beginning of the next record.
func (r *Reader) seek() error {
	for {
		found, err := r.seekInMember()
		if err != nil {
			return r.lost(err)
		}
		if found {
			return nil
		}
		r.inRest = false
		if err := r.s.nextMember(); err != nil {
			return err
		}
	}
}

// seekInMember goes to the beginning of the next record in the current member, or to the end of the member. It records
// all content on the way but line ends.
func (r *Reader) seekInMember() (bool, error) {
	s := r.s
	begun, junk, at := s.pos, false, int64(0)
	for {
		w, err := s.peek(window)
		if len(w) == 0 {
			if err == io.EOF {
				if err := s.ioErr(); err != nil {
					return false, err
				}
				if s.opened && !s.done && !s.plain() && s.records == 0 && !junk && s.pos > begun {
					r.stats.add(EmptyMember, r.here())
				}
				if junk && s.plain() {
					r.passed(TrailingGarbage, at)
				} else if junk {
					r.passed(Junk, at)
				}
				return false, nil
			}
			return false, r.memberFailed(err)
		}
		if !junk {
			if k := newlines(w); k > 0 {
				s.discard(k)
				continue
			}
			if r.startsAt(w) {
				return true, nil
			}
		}
		i := r.findStart(w, !junk, err != nil)
		skip := i
		switch {
		case i < 0 && err == nil:
			skip = len(w) - startProbe - 1 // the last byte may be a line end
		case i < 0:
			skip = len(w)
		}
		if !junk {
			junk, at = true, r.here()
			if r.format == 0 && !s.plain() {
				if d, err := newDecoder(w); d != nil || err != nil {
					return false, fmt.Errorf("%w: it is compressed twice", ErrNotArchive)
				}
			}
		}
		s.discard(skip)
		r.stats.SkippedContent += int64(skip)
		if i >= 0 {
			r.passed(Junk, at)
			return true, nil
		}
		if r.format == 0 && s.content() > headProbe {
			return false, ErrNotArchive
		}
	}
}

// passed records content outside of records, unless it belongs to a record that has a defect for it.
func (r *Reader) passed(d Defect, offset int64) {
	if !r.inRest {
		r.stats.add(d, offset)
	}
}

// join opens the next member, because the current record may continue there.
func (r *Reader) join() (bool, error) {
	s := r.s
	if err := s.nextMember(); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	w, _ := s.peek(startProbe)
	if s.found || len(w) == 0 || r.startsMember(w) || r.startsAt(w) {
		return false, nil
	}
	r.note(SplitRecord)
	s.records = 1
	return true, nil
}

// begin reads the header of the record at the current position.
func (r *Reader) begin() error {
	s := r.s
	w, _ := s.peek(6)
	format := FormatARC
	if isVersionLine(w, true) {
		format = FormatWARC
	}
	if r.format == 0 {
		r.format = format
	}
	r.rec = Record{
		Format:         format,
		Offset:         r.here(),
		Index:          s.records,
		DeclaredLength: -1,
		Header:         r.rec.Header[:0],
		Defects:        r.rec.Defects[:0],
	}
	if s.plain() {
		r.rec.Index = 0
	}
	s.records++
	if r.rec.Index > 0 {
		r.note(MultiRecordMember)
	}
	r.header.text = r.header.text[:0]
	r.block = block{r: r, left: unknownLength, last: '\n'}
	r.inRest = false
	var err error
	if format == FormatWARC {
		err = r.readHeader()
	} else if ended, lineErr := r.readLine(); lineErr != nil {
		err = lineErr
	} else if !ended {
		r.note(HeaderUnterminated)
	}
	if err != nil {
		return r.lost(err)
	}
	if format == FormatWARC {
		r.header.parse(&r.rec, r.note)
		if ignore := r.opts.Ignore; ignore == nil || !ignore(r.rec.Type, r.header.in(r.header.contentType)) {
			r.header.deliver(&r.rec, r.arena.CopyBytes(r.header.text))
		}
	} else {
		readARCLine(strings.TrimRight(r.arena.CopyBytes(r.header.text), "\r\n"), &r.rec, r.note)
		if r.rec.Type == Warcinfo {
			b, _ := s.peek(4)
			r.arcVersion = arcVersion(b)
			if r.arcVersion == "" || r.arcVersion[0] != '1' {
				r.note(VersionUnknown)
			}
		}
		r.rec.Version = r.arcVersion
	}
	r.setLength()
	r.rec.Block = &r.block
	r.open = true
	return nil
}

// setLength decides whether to use the declared length.
func (r *Reader) setLength() {
	length := r.rec.DeclaredLength
	if r.rec.Has(HeaderUnterminated) {
		r.block.left = 0
		return
	}
	if length < 0 {
		return
	}
	limit := int64(maxLength)
	if size := r.opts.Size; size > 0 && r.s.plain() {
		limit = min(limit, size)
	} else if size > 0 && size < maxLength/maxInflation {
		if _, ok := r.s.dec.(*gzipDecoder); ok {
			limit = min(limit, size*maxInflation)
		}
	}
	if length > limit {
		r.note(LengthInvalid)
		return
	}
	r.block.left = length
}

// readHeader reads a WARC header into r.header.text, to the empty line.
func (r *Reader) readHeader() error {
	w, _ := r.s.peek(r.s.out.Buffered())
	if n := plainHeader(w); 0 < n && n <= r.opts.MaxHeader {
		r.header.text = append(r.header.text, w[:n]...)
		r.s.discard(n)
		return nil
	}
	for {
		if len(r.header.text) > 0 {
			if w, _ := r.s.peek(6); isVersionLine(w, true) {
				r.note(HeaderUnterminated)
				return nil
			}
		}
		n := len(r.header.text)
		ended, err := r.readLine()
		if err != nil {
			return err
		}
		if !ended {
			r.note(HeaderUnterminated)
			return nil
		}
		if newlines(r.header.text[n:]) == len(r.header.text)-n {
			return nil
		}
	}
}

// plainHeader returns the length of the header at the beginning of content, with the empty line. It returns 0 if the
// header does not end within content, or has a second version line. Nearly all headers are plain.
func plainHeader(content []byte) int {
	return PlainHeader(content, func(line []byte) bool { return isVersionLine(line, true) })
}

// PlainHeader returns the length of the lines at the beginning of content, up to and with the first empty one. It works
// for headers of records and of HTTP. It returns 0 if content may have no empty line, or if odd reports true for a line
// after the first. odd may be nil; its argument is the line and all that follows.
func PlainHeader(content []byte, odd func(line []byte) bool) int {
	for i := 0; ; {
		n := bytes.IndexByte(content[i:], '\n')
		if i += n + 1; n < 0 || i == len(content) {
			return 0
		}
		switch rest := content[i:]; {
		case rest[0] == '\n':
			return i + 1
		case rest[0] == '\r' && len(rest) > 1 && rest[1] == '\n':
			return i + 2
		case rest[0] == '\r', odd != nil && odd(rest):
			return 0
		}
	}
}

// readLine appends the next line to r.header.text, with its line end. It returns false if the record ends within the
// line.
func (r *Reader) readLine() (bool, error) {
	s := r.s
	for {
		chunk, err := s.line()
		if len(r.header.text)+len(chunk) > r.opts.MaxHeader {
			r.note(HeaderTooLarge)
			r.inRest = true
			if len(r.header.text) == 0 {
				s.discard(min(1, len(chunk))) // otherwise the search would find the same line again, without end
			}
			return false, &RecordError{r.rec.Offset, HeaderTooLarge,
				fmt.Errorf("the header has more than %d bytes", r.opts.MaxHeader)}
		}
		r.header.text = append(r.header.text, chunk...)
		s.discard(len(chunk))
		switch err {
		case nil:
			return true, nil
		case bufio.ErrBufferFull:
		case io.EOF:
			if s.plain() {
				if err := s.ioErr(); err != nil {
					return false, err
				}
				s.truncated(r.rec.Offset)
				r.note(Truncated)
				return false, &RecordError{r.rec.Offset, Truncated, errors.New("the input ends within the header")}
			}
			joined, err := r.join()
			if err != nil {
				return false, err
			}
			if !joined {
				r.block.crossed = true
				return false, nil
			}
		default:
			return false, r.memberFailed(err)
		}
	}
}

// finish skips the rest of the current record and returns its length.
func (r *Reader) finish() (int64, error) {
	s, b := r.s, &r.block
	b.drain()
	if b.err != nil {
		return -1, b.err
	}
	if b.crossed {
		r.checkSeparator(b.held[:b.trailer])
		return r.compressedLength(s.prevEnd), nil
	}
	// Now the separator, and then the next record, the end of the member, or content outside of records.
	w, err := s.peek(8)
	k := newlines(w)
	r.checkSeparator(w[:k])
	for k > 0 {
		s.discard(k)
		w, err = s.peek(window)
		k = newlines(w)
	}
	if len(w) > 0 && !r.startsAt(w) {
		r.inRest = r.rec.Has(LengthMismatch)
		found, err := r.seekInMember()
		r.inRest = false
		if err != nil {
			return -1, err
		}
		if found {
			return r.sharedLength(), nil
		}
	} else if len(w) > 0 {
		return r.sharedLength(), nil
	} else if err != io.EOF {
		return -1, r.memberFailed(err)
	}
	if err := s.ioErr(); err != nil {
		return -1, err
	}
	if s.plain() {
		return s.pos - r.rec.Offset, nil
	}
	return r.compressedLength(s.offset()), nil
}

// sharedLength is the length of a record if another one follows in its member.
func (r *Reader) sharedLength() int64 {
	if r.s.plain() {
		return r.s.pos - r.rec.Offset
	}
	return -1
}

// compressedLength is the length of a record whose last member ends at end.
func (r *Reader) compressedLength(end int64) int64 {
	if r.rec.Index > 0 {
		return -1
	}
	return end - r.rec.Offset
}

// checkSeparator records a defect if sep is not the separator of the format.
func (r *Reader) checkSeparator(sep []byte) {
	want := "\r\n\r\n"
	if r.rec.Format == FormatARC {
		want = "\n"
	}
	if string(sep) != want {
		r.note(BadSeparator)
	}
}
