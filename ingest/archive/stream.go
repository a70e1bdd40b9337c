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
	inputBuffer = 64 << 10

	// window is how much content is in sight at once. A declared length is
	// checked against what follows it where its end is in sight.
	window = inflate.MaxPeek

	// After damage the input is searched from within the failed member, so
	// that bytes are read, and inflated, twice. An input made for it could
	// have that happen without end; repeats may cost repeatFree bytes and
	// repeatRate times the input, and beyond that the search only goes on.
	repeatFree = 64 << 20
	repeatRate = 4
	trialCost  = 128 << 10 // of a look at the first bytes of a would-be member, at least
)

// A stream is the content of the input, member by member; a plain input is
// one member. It finds the next good member after damage.
type stream struct {
	tape  *tape
	in    *bufio.Reader // over tape; what decoders read
	dec   decoder       // nil: plain
	mem   memberBytes
	out   content       // the content of the current member
	buf   *bufio.Reader // over mem; the window of all but gzip, nil before it is needed
	stats *Stats

	// isStart reports whether content begins with a record, for the search.
	isStart func(content []byte) bool
	// seen is told of defects of the input that belong to no record.
	seen func(d Defect, offset int64)

	opened  bool
	done    bool  // no member follows
	start   int64 // offset in the input of the current member
	counted bool  // the current member is among Stats.Members
	prevEnd int64 // offset in the input where the member before it ended

	plainBase int64 // offset of a plain input's first byte
	pos       int64 // content consumed, in bytes; in a plain input the offset
	records   int64 // records begun in the current member
	found     bool  // the current member was found by search and begins a record
	repeats   int64 // bytes read again so far
	starved   bool  // something was not read again, as too much had been
}

// A content is a member's, of which up to window bytes are in sight. An error behind them is kept.
type content interface {
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
}

// memberBytes is the content of one member, with its error kept.
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

// offset returns the offset in the input of the first byte that no decoder has
// taken.
func (s *stream) offset() int64 { return s.tape.offset() - int64(s.in.Buffered()) }

// plain reports whether the input is not compressed.
func (s *stream) plain() bool { return s.dec == nil }

// ioErr returns the error of the input itself, nil if it could be read so far.
func (s *stream) ioErr() error {
	if err := s.tape.err; err != nil && err != io.EOF {
		return fmt.Errorf("reading the input at offset %d: %w", s.tape.base+int64(s.tape.n), err)
	}
	return nil
}

// content returns how much content was consumed, in bytes.
func (s *stream) content() int64 { return s.pos - s.plainBase }

// peek returns the next n bytes of the current member without consuming them,
// at most window. With fewer the error is io.EOF at the end of the member, or
// says why the rest cannot be read; it is returned again by the next call.
func (s *stream) peek(n int) ([]byte, error) {
	if !s.opened || s.done {
		return nil, io.EOF
	}
	return s.out.Peek(n)
}

// line returns the next line with its line end, without consuming it, or as much
// of it as the window holds (bufio.ErrBufferFull) or the member (its error).
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

// discard consumes n bytes that peek has shown.
func (s *stream) discard(n int) {
	n, _ = s.out.Discard(n)
	s.pos += int64(n)
}

// open begins the member at the reader's position, which is offset at.
func (s *stream) open(at int64) {
	s.opened, s.done, s.found, s.counted = true, false, false, false
	s.start, s.records = at, 0
	switch dec := s.dec.(type) {
	case nil:
		s.mem = memberBytes{r: s.in}
	case *gzipDecoder:
		s.out = &dec.z  // what has been decoded is looked at where it is
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

// nextMember goes on to the next member that has content. It returns io.EOF
// if there is none. Damage within the member shows when its content is read.
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
		s.tape.mark = 1<<63 - 1 // nothing is read twice
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
		s.tape.mark = at
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
			found, err := s.search(noLimit)
			if err != nil {
				return err
			}
			if !found {
				s.done = true
				s.seen(TrailingGarbage, at)
				s.stats.SkippedInput += s.offset() - at
				return io.EOF
			}
			s.seen(Junk, at)
			s.stats.SkippedInput += s.start - at
			return nil
		}
		s.open(at)
		_, err := s.peek(1)
		if err != io.EOF {
			if err == nil {
				s.count()
			}
			return nil
		}
		s.count()
		s.seen(EmptyMember, at)
	}
}

// count counts the current member.
func (s *stream) count() {
	s.counted = true
	s.stats.Members++
}

// truncated notes that the input ends within what began at the offset.
func (s *stream) truncated(offset int64) {
	if !s.stats.Truncated {
		s.stats.Truncated, s.stats.TruncatedAt = true, offset
	}
}

// fail leaves the current member, which gave the error cause, for the next good
// one. It returns BadMember, or Truncated if the input ends within the member
// and nothing good lies in between; the error is that of the input itself.
func (s *stream) fail(cause error) (Defect, error) {
	if err := s.ioErr(); err != nil {
		s.done = true
		return "", err
	}
	at := s.start
	// Not even a wrong checksum tells where the member ends: a decoder can run
	// through a damaged end and the whole of the next member.
	if s.mayRepeat() {
		from := s.offset()
		to := max(at+1, from-tapeKept)
		s.repeats += from - to
		s.rewind(to)
	}
	found, err := s.search(noLimit)
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

// noLimit is a limit for search that no member is beyond.
const noLimit = 1<<63 - 1

// search goes on to the next member that begins with a record, and before limit, and opens it.
func (s *stream) search(limit int64) (bool, error) {
	magic := []byte(s.dec.magic())
	for {
		s.tape.mark = s.offset()
		if s.tape.mark >= limit {
			return false, nil
		}
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
		s.tape.mark = at
		if at >= limit {
			return false, nil
		}
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
		s.rewind(at + 1)
	}
}

// try opens the member at the reader's position and reports whether it begins
// with a record.
func (s *stream) try(at int64) bool {
	s.open(at)
	b, _ := s.peek(startProbe)
	if !s.isStart(b) {
		return false
	}
	s.found = true
	s.count()
	return true
}

// mayRepeat reports whether bytes may be read once more.
func (s *stream) mayRepeat() bool {
	may := s.repeats <= repeatFree+repeatRate*s.offset()
	s.starved = s.starved || !may
	return may
}

// rewind goes back to the offset in the input, as near as the tape allows.
func (s *stream) rewind(offset int64) {
	s.tape.rewind(offset)
	s.in.Reset(s.tape)
}
