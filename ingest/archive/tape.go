package archive

import "io"

const (
	tapeMin   = 128 << 10 // first size of the buffer
	tapeMax   = 4 << 20   // the most that is kept of a member for a second look
	tapeChunk = 32 << 10  // the least that is asked of the input at once

	// tapeKept is how far back from what decoders have taken a rewind always can go, however the bytes came in.
	tapeKept = tapeMax/4*3 - tapeChunk - inputBuffer
)

// A tape reads the input and keeps what was read since mark, up to tapeMax
// bytes, so that the search for the next good member can begin within a
// failed one although the input is read only once.
type tape struct {
	r    io.Reader
	buf  []byte
	base int64 // offset in the input of buf[0]
	pos  int   // buf[pos:n] is yet to be given out
	n    int
	mark int64 // offset in the input; what lies before may be dropped
	err  error // of the input, sticky
}

// newTape returns a tape of an input that r gives from the offset base on.
func newTape(r io.Reader, base int64) *tape {
	return &tape{r: r, buf: make([]byte, tapeMin), base: base}
}

// offset returns the offset in the input of the next byte.
func (t *tape) offset() int64 { return t.base + int64(t.pos) }

// Read gives out the next bytes of the input. It implements io.Reader.
func (t *tape) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if t.pos == t.n {
		if err := t.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.buf[t.pos:t.n])
	t.pos += n
	return n, nil
}

// fill reads at least one byte.
func (t *tape) fill() error {
	if t.err != nil {
		return t.err
	}
	t.makeRoom()
	for range 100 {
		n, err := t.r.Read(t.buf[t.n:])
		if n > 0 {
			t.n += n
		}
		t.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	t.err = io.ErrNoProgress
	return t.err
}

// makeRoom leaves room for at least tapeChunk bytes after t.n: by dropping
// what lies before mark, by growing, and at tapeMax by dropping the oldest.
func (t *tape) makeRoom() {
	if len(t.buf)-t.n >= tapeChunk {
		return
	}
	keep := min(max(t.mark-t.base, 0), int64(t.pos))
	t.drop(int(keep))
	if len(t.buf)-t.n >= tapeChunk {
		return
	}
	if len(t.buf) < tapeMax {
		t.buf = append(make([]byte, 0, 2*len(t.buf)), t.buf[:t.n]...)[:2*len(t.buf)]
		return
	}
	t.drop(min(tapeMax/4, t.pos))
}

func (t *tape) drop(k int) {
	copy(t.buf, t.buf[k:t.n])
	t.base += int64(k)
	t.pos -= k
	t.n -= k
}

// rewind goes back to the offset, or as near to it as what is kept allows, and
// never forward.
func (t *tape) rewind(offset int64) {
	t.pos = int(min(max(offset-t.base, 0), int64(t.pos)))
}
