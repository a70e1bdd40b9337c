package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/acapscan/acapscan/ingest/archive/inflate"
)

const (
	// startProbe is how many bytes decide whether a record begins. A record that begins closer to the end of the
	// window is checked again after more input.
	startProbe = 8 << 10

	// warcTail is how many bytes after a declared length are checked: a separator and a version line.
	warcTail = 32

	// unknownLength marks a block that lasts until the next record begins.
	unknownLength = -1

	// maxLength is the longest block that a Reader accepts, 1 TiB.
	maxLength = 1<<40 - 1

	// maxInflation is the highest ratio that DEFLATE reaches, rounded up.
	maxInflation = 1040
)

// A block is the content of the current record.
//
// The declared length holds if the member ends or another record begins there. Otherwise the block ends where the next
// record begins within the declared length.
type block struct {
	r     *Reader
	left  int64 // of the declared length, not yet claimed, or unknownLength
	avail int   // bytes at the front of the window that belong to the block
	last  byte  // the byte before the window

	held     [4]byte // line ends at a member's end: content or separator
	heldFrom int     // held[heldFrom:heldTo] is still to be returned
	heldTo   int

	checked bool // the declared length was checked
	over    bool
	err     error // of the block, if it is damaged
	crossed bool  // the next member is open, because the block may continue there
	trailer int   // bytes of the separator that were consumed with the block
}

// Read implements io.Reader.
func (b *block) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := b.fill(); err != nil {
		return 0, err
	}
	if b.heldFrom < b.heldTo {
		n := copy(p, b.held[b.heldFrom:b.heldTo])
		b.heldFrom += n
		return n, nil
	}
	w, _ := b.r.s.peek(min(b.avail, len(p)))
	n := copy(p, w)
	b.consume(n)
	return n, nil
}

// drain consumes what is left of the block.
func (b *block) drain() {
	for b.fill() == nil {
		b.heldFrom = b.heldTo
		if b.avail > 0 {
			b.consume(b.avail)
		}
	}
}

// consume takes n of the avail bytes.
func (b *block) consume(n int) {
	if n == 0 {
		return
	}
	w, _ := b.r.s.peek(n)
	b.last = w[n-1]
	b.r.s.discard(n)
	b.avail -= n
}

// rest returns what is left of the block if it is in the window, and nothing will move it there before the next member.
func (b *block) rest() []byte {
	if b.fill() != nil || b.left != 0 || b.heldFrom < b.heldTo {
		return nil
	}
	z, ok := b.r.s.out.(*inflate.Reader)
	if !ok || !z.Ended() {
		return nil
	}
	w, _ := z.Peek(b.avail)
	return w[:len(w):len(w)] // behind it are the next records of the member
}

// fill makes bytes available. It returns io.EOF at the end of the block.
func (b *block) fill() error {
	for b.avail == 0 && b.heldFrom == b.heldTo {
		switch {
		case b.err != nil:
			return b.err
		case b.over:
			return io.EOF
		case b.left == 0 && b.checked:
			b.over = true
		case b.left == unknownLength:
			b.fillUnknown()
		default:
			b.fillDeclared()
		}
	}
	return nil
}

// fillDeclared claims the next bytes of a block of declared length.
func (b *block) fillDeclared() {
	s := b.r.s
	b.checked = true
	tail := warcTail
	if b.r.format == FormatARC {
		tail = startProbe
	}
	w, err := s.peek(int(min(b.left+int64(tail), window)))
	switch {
	case err == nil && b.left > window-startProbe:
		// The window shows too little of what follows the end.
		b.claim(window - 2*startProbe)
	case int64(len(w)) >= b.left:
		end := int(b.left)
		if i := b.r.lineCut(w, end, b.atLineStart()); i >= 0 {
			b.cut(w[:i])
			return
		}
		if (err == nil || err == io.EOF) && !b.r.endsHere(w[end:], err == io.EOF) {
			w, _ = s.peek(end + startProbe)
			if i := b.r.findStart(w, b.atLineStart(), true); i >= 0 && i < end {
				b.cut(w[:i])
				return
			}
			if !b.r.separated(w[end:]) {
				b.r.note(LengthMismatch)
			}
		}
		b.claim(end)
	case err != io.EOF:
		if len(w) == 0 {
			b.err = b.r.memberFailed(err)
			return
		}
		b.claim(len(w))
	default:
		b.fillShort(w)
	}
}

// fillShort claims from w, the rest of a member that ends before the declared length.
func (b *block) fillShort(w []byte) {
	r, s := b.r, b.r.s
	if i := r.findStart(w, b.atLineStart(), true); i >= 0 {
		b.cut(w[:i])
		return
	}
	if s.plain() {
		if len(w) > 0 {
			b.claim(len(w))
			return
		}
		if b.err = s.ioErr(); b.err != nil {
			return
		}
		// Here the length of the input is known, even if Options.Size was not given.
		if r.rec.DeclaredLength > s.pos-r.opts.Base {
			r.note(LengthInvalid)
		}
		s.truncated(r.rec.Offset)
		r.note(Truncated)
		cause := errors.New("the input ends before the end of the block")
		if b.left != unknownLength {
			cause = fmt.Errorf("the input ends %d bytes before the end of the block", b.left)
		}
		b.err = &RecordError{r.rec.Offset, Truncated, cause}
		return
	}
	sep := separatorLen(w)
	if len(w) > sep {
		b.claim(len(w) - sep)
		return
	}
	// The next member decides whether the line ends in the window are content or a separator.
	copy(b.held[:], w)
	s.discard(sep)
	joined, err := r.join()
	b.crossed = true
	switch {
	case err != nil:
		b.err = err
	case joined:
		b.crossed = false
		b.heldFrom, b.heldTo = 0, sep
		b.left -= int64(sep)
		if sep > 0 {
			b.last = b.held[sep-1]
		}
	default:
		r.note(LengthMismatch)
		b.trailer = sep
		b.over = true
	}
}

// fillUnknown claims the next bytes of a block that ends with the member or at the next record.
func (b *block) fillUnknown() {
	w, err := b.r.s.peek(window)
	if i := b.r.findStart(w, b.atLineStart(), err != nil); i >= 0 {
		end := i - separatorLen(w[:i])
		b.claimRest(end)
		return
	}
	switch {
	case err == nil:
		b.claim(len(w) - startProbe)
	case err == io.EOF && b.r.s.plain() && b.r.rec.DeclaredLength > 0 && b.r.rec.Has(LengthInvalid):
		b.fillShort(w) // more was declared than the input can hold, and no other record begins
	case err == io.EOF:
		b.claimRest(len(w) - separatorLen(w))
	case len(w) == 0:
		b.err = b.r.memberFailed(err)
	default:
		b.claim(len(w))
	}
}

// cut ends the block with w, because another record begins within the declared length.
func (b *block) cut(w []byte) {
	b.r.note(LengthMismatch)
	b.claimRest(len(w) - separatorLen(w))
}

func (b *block) claim(n int) {
	b.avail = n
	if b.left != unknownLength {
		b.left -= int64(n)
	}
}

func (b *block) claimRest(n int) {
	b.avail, b.left, b.checked = n, 0, true
}

func (b *block) atLineStart() bool { return b.last == '\n' }

// separatorLen returns the length of the line ends at the end of w that may separate records: CRLF CRLF, LF LF, or one.
func separatorLen(w []byte) int {
	for _, sep := range []string{"\r\n\r\n", "\n\n", "\r\n", "\n"} {
		if bytes.HasSuffix(w, []byte(sep)) {
			return len(sep)
		}
	}
	return 0
}

// newlines returns the number of line end bytes at the beginning of w.
func newlines(w []byte) int {
	for i, c := range w {
		if c != '\r' && c != '\n' {
			return i
		}
	}
	return len(w)
}

// endsHere reports whether a record can end before rest: at the end of the member, or before another record after any
// number of line ends. atEnd means that the member ends with rest.
func (r *Reader) endsHere(rest []byte, atEnd bool) bool {
	k := newlines(rest)
	if k == len(rest) {
		return atEnd || k > 0
	}
	return r.startsAt(rest[k:])
}

// lineCut returns the index of an ARC URL line that contains the declared end, or -1. A length that is some bytes too
// large ends there, and the rest of the line (ttp://…) looks like a URL line, too.
func (r *Reader) lineCut(w []byte, end int, atLineStart bool) int {
	if r.format != FormatARC {
		return -1
	}
	i := bytes.LastIndexByte(w[:end], '\n') + 1
	if i == end || i == 0 && !atLineStart || !r.isStrictStart(w[i:]) {
		return -1
	}
	return i
}

// separated reports whether rest begins with the separator of the format.
func (r *Reader) separated(rest []byte) bool {
	return r.format == FormatWARC && bytes.HasPrefix(rest, []byte("\r\n\r\n"))
}

// startsAt reports whether content, at a place where a record is expected, begins with one.
func (r *Reader) startsAt(content []byte) bool {
	return isVersionLine(content, true) || r.format != FormatWARC && isARCStart(content, false)
}

// startsMember reports whether content that a search found begins with a record.
func (r *Reader) startsMember(content []byte) bool {
	content = content[newlines(content):]
	return r.isStrictStart(content)
}

// isStrictStart reports whether content certainly begins with a record. Where text of pages may stand, only that
// counts.
func (r *Reader) isStrictStart(content []byte) bool {
	return isVersionLine(content, false) && isWARCHeader(content) ||
		r.format != FormatWARC && isARCStart(content, true)
}

// findStart returns the index of the first record that begins in w at the start of a line, or -1. It ignores the last
// startProbe bytes unless w ends the member: a later call sees more of them.
func (r *Reader) findStart(w []byte, atLineStart, atEnd bool) int {
	limit := len(w)
	if !atEnd {
		limit -= startProbe
	}
	if atLineStart && limit > 0 && r.isStrictStart(w) {
		return 0
	}
	sep := []byte("\nWARC/")
	if r.format != FormatWARC {
		sep = sep[:1] // every line may be the URL line of an ARC record
	}
	for i := 0; i < limit; {
		k := bytes.Index(w[i:], sep)
		if k < 0 {
			return -1
		}
		i += k + 1
		if i < limit && r.isStrictStart(w[i:]) {
			return i
		}
	}
	return -1
}

// isVersionLine reports whether content begins with a line WARC/n.n. If lax, the line need not end within content.
func isVersionLine(content []byte, lax bool) bool {
	rest, ok := bytes.CutPrefix(content, []byte("WARC/"))
	if !ok || len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	if lax {
		return true
	}
	i := 1
	for i < len(rest) && i < 8 && ('0' <= rest[i] && rest[i] <= '9' || rest[i] == '.') {
		i++
	}
	for i < len(rest) && (rest[i] == '\r' || rest[i] == ' ') {
		i++
	}
	return i < len(rest) && rest[i] == '\n'
}

// isWARCHeader reports whether one of the first lines after the version line is a WARC field.
func isWARCHeader(content []byte) bool {
	for range 16 {
		_, rest, ok := bytes.Cut(content, []byte("\n"))
		if !ok {
			return false
		}
		content = rest
		name, _, _ := bytes.Cut(content[:min(len(content), 64)], []byte(":"))
		if len(name) >= 5 && bytes.EqualFold(name[:5], []byte("WARC-")) ||
			bytes.EqualFold(bytes.TrimRight(name, " \t"), []byte("Content-Length")) {
			return true
		}
		if len(content) == 0 || content[0] == '\r' || content[0] == '\n' {
			return false
		}
	}
	return false
}
