package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/acapscan/acapscan/ingest/archive/inflate"
)

const (
	// window is how many bytes of content can be peeked at. A declared length is checked if its end is in the window.
	window = inflate.MaxPeek

	// After damage the search starts within the failed member, so it reads and decompresses bytes twice. This is
	// bounded, against hostile inputs: repeats may cost repeatFree bytes and repeatRate times the input. Then the
	// search only goes forward.
	repeatFree = 64 << 20
	repeatRate = 4
	trialCost  = 128 << 10 // the least that is charged for a possible member
)

// A stream is the content of the input, member by member. A plain input is one member. After damage it finds the next
// good member.
type stream struct {
	in    *rewindBuffer
	dec   decoder // nil: plain
	mem   memberBytes
	out   content       // the content of the current member
	buf   *bufio.Reader // over mem: the window of all formats but gzip, nil until needed
	stats *Stats

	// isStart reports whether content begins with a record. The search calls it.
	isStart func(content []byte) bool

	opened  bool
	done    bool  // no member follows
	start   int64 // offset in the input of the current member
	prevEnd int64 // offset in the input where the previous member ended

	plainBase int64 // offset of a plain input's first byte
	pos       int64 // content consumed, in bytes; in a plain input the offset
	records   int64 // records begun in the current member
	found     bool  // the current member was found by search and begins a record
	repeats   int64 // bytes read again so far
}

// A content is that of a member, with a window of up to window bytes. It keeps the error after them.
type content interface {
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
}

// memberBytes is the content of one member. It keeps its error.
type memberBytes struct {
	r   io.Reader
	err error
}

func (m *memberBytes) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(p)
	m.err = err
	return n, err
}

// offset returns the offset in the input of the first byte that no decoder has read.
func (s *stream) offset() int64 { return s.in.offset() }

// plain reports whether the input is not compressed.
func (s *stream) plain() bool { return s.dec == nil }

// ioErr returns the error of the input itself, or nil.
func (s *stream) ioErr() error {
	if err := s.in.err; err != nil && err != io.EOF {
		return fmt.Errorf("reading the input at offset %d: %w", s.in.base+int64(s.in.n), err)
	}
	return nil
}

// content returns the number of bytes of content that were consumed.
func (s *stream) content() int64 { return s.pos - s.plainBase }

// peek returns the next n bytes of the current member, at most window, without consuming them. If there are fewer, the
// error is io.EOF at the end of the member, or why the rest is unreadable. The next call returns it again.
func (s *stream) peek(n int) ([]byte, error) {
	if !s.opened || s.done {
		return nil, io.EOF
	}
	return s.out.Peek(n)
}

// line returns the next line with its line end, without consuming it. If it is longer than the window, the error is
// bufio.ErrBufferFull; if it is longer than the member, the member's error.
func (s *stream) line() ([]byte, error) {
	for n := min(256, max(1, s.out.Buffered())); ; n = min(2*n, window) {
		w, err := s.peek(n)
		if i := bytes.IndexByte(w, '\n'); i >= 0 {
			return w[:i+1], nil
		}
		if err != nil {
			return w, err
		}
		if n == window {
			return w, bufio.ErrBufferFull
		}
	}
}

// discard consumes n bytes, which peek has returned.
func (s *stream) discard(n int) {
	n, _ = s.out.Discard(n)
	s.pos += int64(n)
}

// open begins the member at the current position, the offset at.
func (s *stream) open(at int64) {
	s.opened, s.done, s.found = true, false, false
	s.start, s.records = at, 0
	switch dec := s.dec.(type) {
	case nil:
		s.mem = memberBytes{r: s.in}
	case *gzipDecoder:
		s.out = &dec.z  // its own window needs no copy
		dec.start(s.in) // Peek returns its error
		return
	default:
		s.mem = memberBytes{r: s.dec, err: noEOF(s.dec.start(s.in))}
	}
	if s.buf == nil {
		s.buf = bufio.NewReaderSize(nil, window)
	}
	s.buf.Reset(&s.mem)
	s.out = s.buf
}

// nextMember opens the next member that has content, or returns io.EOF. Reading the content shows damage in the member.
func (s *stream) nextMember() error {
	if s.done {
		return io.EOF
	}
	s.prevEnd = s.offset()
	if s.plain() {
		if s.opened {
			s.done = true
			return io.EOF
		}
		s.in.keepFrom = 1<<63 - 1 // a plain input is never read twice
		s.plainBase = s.prevEnd
		s.pos = s.plainBase
		s.open(s.plainBase)
		return nil
	}
	for {
		if err := s.dec.skip(s.in); err != nil {
			s.done = true
			if err := s.ioErr(); err != nil {
				return err
			}
			s.truncated(s.prevEnd)
			return io.EOF
		}
		at := s.offset()
		s.in.keepFrom = at
		magic := s.dec.magic()
		b, _ := s.in.Peek(len(magic))
		if len(b) == 0 {
			s.done = true
			if err := s.ioErr(); err != nil {
				return err
			}
			return io.EOF
		}
		if string(b) != magic[:len(b)] {
			found, err := s.search()
			if err != nil {
				return err
			}
			if !found {
				s.done = true
				s.stats.add(TrailingGarbage, at)
				s.stats.SkippedInput += s.offset() - at
				return io.EOF
			}
			s.stats.add(Junk, at)
			s.stats.SkippedInput += s.start - at
			return nil
		}
		s.open(at)
		_, err := s.peek(1)
		if err != io.EOF {
			if err == nil {
				s.stats.Members++
			}
			return nil
		}
		s.stats.Members++
		s.stats.add(EmptyMember, at)
	}
}

// truncated records that the input ends within the record or member at the offset.
func (s *stream) truncated(offset int64) {
	if !s.stats.Truncated {
		s.stats.Truncated, s.stats.TruncatedAt = true, offset
	}
}

// fail leaves the current member because of the error cause, and opens the next good one. It returns BadMember, or
// Truncated if the input ends within the member without a good one in it. The error is that of the input.
func (s *stream) fail(cause error) (Defect, error) {
	if err := s.ioErr(); err != nil {
		s.done = true
		return "", err
	}
	at := s.start
	// A decoder can read past a damaged end, through the whole of the next member. So even after a wrong checksum the
	// end of the member is unknown.
	if s.mayRepeat() {
		from := s.offset()
		to := max(at+1, from-rewindKept)
		s.repeats += from - to
		s.in.rewind(to)
	}
	found, err := s.search()
	if err != nil {
		s.done = true
		return "", err
	}
	if found {
		s.stats.SkippedInput += s.start - at
		return BadMember, nil
	}
	s.done = true
	s.stats.SkippedInput += s.offset() - at
	if errors.Is(cause, io.ErrUnexpectedEOF) {
		s.truncated(at)
		return Truncated, nil
	}
	return BadMember, nil
}

// search opens the next member that begins with a record.
func (s *stream) search() (bool, error) {
	magic := []byte(s.dec.magic())
	for {
		s.in.keepFrom = s.offset()
		b, _ := s.in.Peek(max(s.in.Buffered(), len(magic)))
		if len(b) < len(magic) {
			s.in.Discard(len(b))
			return false, s.ioErr()
		}
		i := bytes.Index(b, magic)
		if i < 0 {
			s.in.Discard(len(b) - len(magic) + 1)
			continue
		}
		s.in.Discard(i)
		at := s.offset()
		s.in.keepFrom = at
		if !s.mayRepeat() {
			s.in.Discard(1)
			continue
		}
		if s.try(at) {
			return true, nil
		}
		if err := s.ioErr(); err != nil {
			return false, err
		}
		s.repeats += max(trialCost, s.offset()-at)
		s.in.rewind(at + 1)
	}
}

// try opens the member at the current position and reports whether it begins with a record.
func (s *stream) try(at int64) bool {
	s.open(at)
	b, _ := s.peek(startProbe)
	if !s.isStart(b) {
		return false
	}
	s.found = true
	s.stats.Members++
	return true
}

// mayRepeat reports whether the limit allows to read bytes again.
func (s *stream) mayRepeat() bool {
	return s.repeats <= repeatFree+repeatRate*s.offset()
}
