package archive

import (
	"errors"
	"io"
)

// A Mark is the beginning of a compressed member, with what a Reader there knows of the archive before it. A Reader
// that resumes at a Mark returns the same records as the Reader that made it would.
type Mark struct {
	Offset int64 // in the input

	format     Format
	arcVersion string
	magic      string    // of the members
	dict       *zstdDict // of the archive
	repeats    int64     // bytes before it that were read again
}

// Ahead returns a later Mark for Search, at which no member needs to begin. It assumes that the part between does not
// change the Reader's state. It returns false before the first record, and for an archive that has no parts.
func (r *Reader) Ahead(offset int64) (Mark, bool) {
	m := r.mark(offset)
	return m, r.format != 0 && isOfParts(m.magic)
}

// isOfParts reports whether several Readers can read parts of an archive of such members.
func isOfParts(magic string) bool { return magic == magicGzip || magic == magicZstd }

func (r *Reader) mark(offset int64) Mark {
	m := Mark{Offset: offset, format: r.format, arcVersion: r.arcVersion, repeats: r.s.repeats}
	if !r.s.plain() {
		m.magic = r.s.dec.magic()
	}
	if d, ok := r.s.dec.(*zstdDecoder); ok {
		m.dict = d.dict
	}
	return m
}

// Resume returns a Reader that continues at a Mark where another Reader ended. The input begins at m.Offset.
func Resume(in io.Reader, m Mark, opts Options) *Reader {
	r := newReader(in, m.Offset, opts)
	r.from, r.format, r.arcVersion = m, m.format, m.arcVersion
	r.s.repeats = m.repeats
	r.s.dec = &gzipDecoder{}
	if m.magic == magicZstd {
		r.s.dec = &zstdDecoder{begun: true, dict: m.dict}
	}
	return r
}

// Search returns a Reader that begins with the first member at or after m (from Ahead) that begins with a record. The
// error is io.EOF if no such member begins before opts.Until, or that of the input.
//
// The result is speculative: the member may be part of another one, as in an archive of archives. Join decides, after
// the part before was read.
func Search(in io.Reader, m Mark, opts Options) (*Reader, error) {
	r := Resume(in, m, opts)
	r.s.repeats = repeatRate * m.Offset // the search may cost as much as in an input that begins here
	found, err := r.s.search(opts.Until)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, io.EOF
	}
	r.from.Offset = r.s.start
	// The part before may have used up its repeats, or more: then Join refuses.
	r.from.repeats = repeatRate * r.s.start
	r.s.repeats, r.s.starved = r.from.repeats, false
	return r, nil
}

// Join reports whether a Reader of Search began exactly where the Reader of the part before ended, in the same state.
// It may be called at any time. After true the Reader is equivalent to one of Resume.
func (r *Reader) Join(m Mark) bool {
	guess := r.from
	guess.repeats = m.repeats
	if guess != m {
		return false
	}
	if over := r.from.repeats - m.repeats; over != 0 {
		if over < 0 || r.starved || r.s != nil && r.s.starved {
			return false
		}
		r.end.repeats -= over
		if r.s != nil {
			r.s.repeats -= over
		}
	}
	r.from = m
	return true
}

// End returns the Mark at which Options.Until ended the Reader. It returns false while the Reader has not ended, and at
// the end of the archive.
func (r *Reader) End() (Mark, bool) {
	return r.end, r.stopped
}

// Close releases buffers and decoders. Afterwards only Join, End and Stats may be called. Close is optional.
func (r *Reader) Close() {
	if r.s == nil {
		return
	}
	r.Stats()
	r.starved = r.s.starved
	r.s, r.block, r.header, r.rec = nil, block{}, rawHeader{}, Record{}
	r.open, r.pending, r.err = false, nil, errClosed
}

var errClosed = errors.New("the archive reader is closed")

// isBeyond reports whether Options.Until ends the Reader at the current member.
func (r *Reader) isBeyond() bool {
	s := r.s
	return r.opts.Until > 0 && s.start >= r.opts.Until && r.format != 0 &&
		s.opened && !s.done && s.records == 0 && !s.plain() && isOfParts(s.dec.magic())
}

// stop leaves the current member to another Reader, which counts it.
func (r *Reader) stop() {
	if r.s.counted {
		r.stats.Members--
	}
	r.stopped, r.end = true, r.mark(r.s.start)
}
