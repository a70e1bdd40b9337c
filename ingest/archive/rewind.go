package archive

import "io"

const (
	rewindMin   = 128 << 10 // first size of the buffer
	rewindMax   = 4 << 20   // the most that is kept of a member
	rewindChunk = 32 << 10  // the least that is read at once

	// rewindKept is how far a rewind can always go back from what decoders have read.
	rewindKept = rewindMax/4*3 - rewindChunk - inputBuffer
)

// A rewindBuffer reads the input once and keeps the bytes from keepFrom on, at most rewindMax. So the search for the
// next good member can begin within a failed one.
type rewindBuffer struct {
	r        io.Reader
	buf      []byte
	base     int64 // offset in the input of buf[0]
	pos      int   // buf[pos:n] is still to be returned
	n        int
	keepFrom int64 // offset in the input; earlier bytes may be dropped
	err      error // of the input, sticky
}

// newRewindBuffer returns a rewindBuffer of the input r, which begins at the offset base.
func newRewindBuffer(r io.Reader, base int64) *rewindBuffer {
	return &rewindBuffer{r: r, buf: make([]byte, rewindMin), base: base}
}

// offset returns the offset in the input of the next byte.
func (b *rewindBuffer) offset() int64 { return b.base + int64(b.pos) }

func (b *rewindBuffer) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if b.pos == b.n {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.buf[b.pos:b.n])
	b.pos += n
	return n, nil
}

// fill reads at least one byte.
func (b *rewindBuffer) fill() error {
	if b.err != nil {
		return b.err
	}
	b.makeRoom()
	for range 100 {
		n, err := b.r.Read(b.buf[b.n:])
		if n > 0 {
			b.n += n
		}
		b.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	b.err = io.ErrNoProgress
	return b.err
}

// makeRoom frees at least rewindChunk bytes after b.n. It drops what precedes keepFrom, then grows, and at rewindMax
// drops the oldest bytes.
func (b *rewindBuffer) makeRoom() {
	if len(b.buf)-b.n >= rewindChunk {
		return
	}
	keep := min(max(b.keepFrom-b.base, 0), int64(b.pos))
	b.drop(int(keep))
	if len(b.buf)-b.n >= rewindChunk {
		return
	}
	if len(b.buf) < rewindMax {
		b.buf = append(make([]byte, 0, 2*len(b.buf)), b.buf[:b.n]...)[:2*len(b.buf)]
		return
	}
	b.drop(min(rewindMax/4, b.pos))
}

func (b *rewindBuffer) drop(k int) {
	copy(b.buf, b.buf[k:b.n])
	b.base += int64(k)
	b.pos -= k
	b.n -= k
}

// rewind goes back to the offset, or as near as the kept bytes allow, and never forward.
func (b *rewindBuffer) rewind(offset int64) {
	b.pos = int(min(max(offset-b.base, 0), int64(b.pos)))
}
