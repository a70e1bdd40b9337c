package archive

import (
	"errors"
	"io"
)

// A Mark is a place in an archive at which a compressed member begins, and
// what a Reader knows there of what stands before it. A Reader that goes on
// from a Mark finds what the Reader that made it would have found.
type Mark struct {
	Offset int64 // in the input

	format     Format
	arcVersion string
	magic      string    // of the members
	dict       *zstdDict // of the archive
	repeats    int64     // bytes read again before it
}

// Ahead returns a Mark further on, at which a member need not begin, for
// Search. It supposes that nothing between changes what the Reader knows
// already. It is false for an archive that cannot be read in parts, and before
// the first record.
func (r *Reader) Ahead(offset int64) (Mark, bool) {
	m := r.mark(offset)
	return m, r.format != 0 && isOfParts(m.magic)
}

// isOfParts reports whether an archive of members with that magic can be read
// in parts.
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

// Resume returns a Reader that goes on from a Mark at which a Reader ended.
// The input gives the archive from m.Offset on.
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

// Search returns a Reader that begins at the first member at m or behind it
// that begins with a record, m being one of Ahead's. The error is io.EOF if no
// such member begins before opts.Until, or that of the input.
//
// The Reader goes by a guess. What looks like a member may stand within another
// one, as an archive in an archive does: Join tells once the part before was
// read.
func Search(in io.Reader, m Mark, opts Options) (*Reader, error) {
	r := Resume(in, m, opts)
	r.s.repeats = repeatRate * m.Offset // the search may cost what one of an input that begins here may
	found, err := r.s.search(opts.Until)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, io.EOF
	}
	r.from.Offset = r.s.start
	// What stands before may have been repeated as often as its length allows, if not more: then Join refuses.
	r.from.repeats = repeatRate * r.s.start
	r.s.repeats, r.s.starved = r.from.repeats, false
	return r, nil
}

// Join reports whether a Reader of Search began where the Reader of the part
// before it ended, with nothing missing and nothing read twice, and reads as
// one that goes on from there does. It may be called at any time, and if it is
// true the Reader is one of Resume from then on.
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

// End returns the Mark at which the Reader ended because of Options.Until. It
// is false if the archive ended, and as long as the Reader has not.
func (r *Reader) End() (Mark, bool) {
	return r.end, r.stopped
}

// Close lets go of buffers and decoders. The Reader must not read on; Join, End
// and Stats may still be called. A Reader that nothing refers to need not be
// closed.
func (r *Reader) Close() {
	if r.s == nil {
		return
	}
	r.Stats()
	r.starved = r.s.starved
	r.s, r.block, r.header, r.rec = nil, block{}, rawHeader{}, Record{}
	r.open, r.pending, r.err = false, nil, errClosed
}

var errClosed = errors.New("the archive's reader is closed")

// isBeyond reports whether the Reader stands at the beginning of a member that
// Options.Until leaves to another.
func (r *Reader) isBeyond() bool {
	s := r.s
	return r.opts.Until > 0 && s.start >= r.opts.Until && r.format != 0 && s.opened && !s.done && s.records == 0 && !s.plain() && isOfParts(s.dec.magic())
}

// stop leaves the current member to another Reader, which will count it.
func (r *Reader) stop() {
	if r.s.counted {
		r.stats.Members--
	}
	r.stopped, r.end = true, r.mark(r.s.start)
}
