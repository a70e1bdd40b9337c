package archive

import "io"

const (
	rewindMin   = 128 << 10 // first size of the buffer
	rewindMax   = 4 << 20   // the most that is kept of a member
	rewindChunk = 32 << 10  // the least that is read at once

	rewindPeek = 64 << 10 // the most for Peek

	// rewindKept is how far a rewind can always go back from what decoders have read.
	rewindKept = rewindMax/4*3 - rewindChunk - rewindPeek
)

// A rewindBuffer reads the input once and keeps the bytes from keepFrom on, at most rewindMax. So the search for the
// next good member can begin within a failed one. Decoders read it as they would read a bufio.Reader.
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
	if _, err := b.Peek(1); err != nil {
		return 0, err
	}
	n := copy(p, b.buf[b.pos:b.n])
	b.pos += n
	return n, nil
}

// ReadByte implements io.ByteReader.
func (b *rewindBuffer) ReadByte() (byte, error) {
	p, err := b.Peek(1)
	if err != nil {
		return 0, err
	}
	b.pos++
	return p[0], nil
}

// Peek returns the next n bytes without consuming them, at most rewindPeek or what is buffered. They are valid until
// the next read. If there are fewer, the error is that of the input after them.
func (b *rewindBuffer) Peek(n int) ([]byte, error) {
	for b.n-b.pos < n {
		if err := b.fill(); err != nil {
			return b.buf[b.pos:b.n], err
		}
	}
	return b.buf[b.pos : b.pos+n], nil
}

// Buffered returns how many bytes Peek can return without reading.
func (b *rewindBuffer) Buffered() int { return b.n - b.pos }

// Discard consumes n bytes, or fewer where the input ends.
func (b *rewindBuffer) Discard(n int) (int, error) {
	for left := n; ; {
		k := min(left, b.n-b.pos)
		b.pos += k
		if left -= k; left == 0 {
			return n, nil
		}
		if err := b.fill(); err != nil {
			return n - left, err
		}
	}
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

// rewind goes to the offset, or as near as the bytes in memory allow. It may lie ahead: behind a byte of a member that
// a decoder refused without consuming it.
func (b *rewindBuffer) rewind(offset int64) {
	b.pos = int(min(max(offset-b.base, 0), int64(b.n)))
}
