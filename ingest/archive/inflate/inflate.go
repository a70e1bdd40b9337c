// Package inflate decodes gzip members (RFC 1951, RFC 1952), the compression of nearly every web archive: nine tenths of the cost
// of reading one is spent here.
//
// It is bounded and resumable: memory is a window of fixed size however large a member is, and what is decoded is handed out as
// it comes. It takes exactly a member's bytes from its source. It knows nothing of archives, finds no members and repairs
// nothing; it must not hand out a byte that the member does not have.
//
// It is written for speed in safe Go, without assembly. What made it fast is said beside the code; benchmarks are in
// bench_test.go, and compress/flate is the reference that it is fuzzed against.
package inflate

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Errors of a member. An input that ends within a member gives io.ErrUnexpectedEOF; a source's own error is returned as it is.
var (
	ErrHeader   = errors.New("no gzip header")
	ErrChecksum = errors.New("wrong gzip checksum or length")
	ErrCorrupt  = errors.New("corrupt deflate data")
)

const (
	// historySize is how far back a match may reach (RFC 1951, section 2).
	historySize = 32 << 10

	// windowSize is the room for decoded bytes: the history, what Peek may show, and some more, so that what is kept is moved
	// seldom. Of a member that fits in it nothing is ever moved. decodeStep is how much is decoded at a time at most, and decodeLeast
	// the room that there must be for it.
	windowSize  = historySize + MaxPeek + decodeLeast
	decodeStep  = 128 << 10
	decodeLeast = 64 << 10

	// maxMatch is the longest match, copySlack what a copy may write beyond it, and copyStep how much it moves at a time.
	maxMatch  = 258
	copyStep  = 32
	copySlack = 2 * copyStep

	// inputSlack is how much of the input one turn of the loop over symbols may look at: three refills of eight bytes.
	inputSlack = 32

	// lowWater is how much input is asked for before a block's header is read: no header is longer than 3 + 14 + 19*3 +
	// 316*(7+7) bits.
	lowWater = 1 << 10

	// padding is how many zeros stand behind the last bytes of an input, so that a header may be read beyond them.
	padding = lowWater
)

// MinBuffer is the size that the bufio.Reader of a Reader must have at least, in bytes. A hundred times that is good.
const MinBuffer = lowWater

// MaxPeek is how much Peek can show, in bytes.
const MaxPeek = 128 << 10

// step is what a Reader does next.
type step uint8

const (
	stepBlock   step = iota // a block's header follows
	stepStored              // bytes of a stored block
	stepSymbols             // symbols of a compressed block
	stepTrailer             // checksum and length
	stepDone
)

// A Reader decodes one member after another. It is not safe for concurrent use. The zero Reader is ready for Reset; a Reader is
// some 250 KB and is best kept for many members.
type Reader struct {
	source *bufio.Reader

	step   step
	last   bool // the block being read is the last one
	stored int  // bytes that are left of a stored block

	bits uint64 // bits taken from the input and not yet used, the next one lowest; above count they are zero between calls
	n    uint   // how many; less than eight between calls

	codes   *codes // of the block being read
	dynamic codes  // of a block that brings its own
	fixed   *codes // of RFC 1951, section 3.2.6; nil before it is needed
	builder builder

	given, made int // window[given:made] was decoded and is not yet handed out
	full        int // decoding stops where so much is in the window
	summed      int // as far as checksum and size go
	size        uint32
	checksum    uint32
	err         error // behind what is in the window

	scratch [lowWater + padding]byte // the last bytes of an input, zeros behind them
	window  [windowSize + maxMatch + copySlack]byte
}

// Reset begins the member at the source's position, by reading its header. The source's buffer must have MinBuffer bytes at
// least. Until Read returns an error the source is the Reader's; after io.EOF it stands behind the member.
func (r *Reader) Reset(source *bufio.Reader) error {
	r.source = source
	r.step, r.last, r.stored, r.bits, r.n = stepBlock, false, 0, 0, 0
	r.given, r.made, r.summed, r.size, r.checksum = 0, 0, 0, 0, 0
	r.err = r.readHeader()
	return r.err
}

// Read implements io.Reader. It returns io.EOF after the last byte of the member, if its checksum and length are right.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.given == r.made {
		if r.err != nil {
			return 0, r.err
		}
		r.decode()
	}
	n := copy(p, r.window[r.given:r.made])
	r.given += n
	return n, nil
}

// Peek returns the next n bytes of the member without consuming them, at most MaxPeek. They are a part of the window, valid until
// the next call. With fewer the error is what Read will return behind them.
func (r *Reader) Peek(n int) ([]byte, error) {
	for r.made-r.given < n {
		if r.err != nil {
			return r.window[r.given:r.made], r.err
		}
		r.decode()
	}
	return r.window[r.given : r.given+n], nil
}

// Discard consumes n bytes that Peek has shown.
func (r *Reader) Discard(n int) (int, error) {
	n = min(n, r.made-r.given)
	r.given += n
	return n, nil
}

// Buffered returns how many bytes Peek can show without decoding.
func (r *Reader) Buffered() int { return r.made - r.given }

// decode decodes the next bytes of the member, or finds its end or an error.
func (r *Reader) decode() {
	if windowSize-r.made < decodeLeast {
		r.slide()
	}
	r.full = min(r.made+decodeStep, windowSize)
	for r.err == nil && r.made < r.full {
		switch r.step {
		case stepStored:
			r.err = r.readStored()
		case stepTrailer:
			// The checksum is that of all content, and some of it may have just been decoded.
			r.sum()
			r.err = r.readTrailer()
			return
		case stepDone:
			r.err = io.EOF
		default:
			r.err = r.readCompressed()
		}
	}
	r.sum()
}

// slide moves what is still needed to the front of the window: what was not handed out, and the history.
func (r *Reader) slide() {
	from := min(r.given, max(r.made-historySize, 0))
	copy(r.window[:], r.window[from:r.made])
	r.given -= from
	r.made -= from
	r.summed -= from
}

// sum adds to checksum and size what is new in the window.
func (r *Reader) sum() {
	fresh := r.window[r.summed:r.made]
	r.checksum = crc32.Update(r.checksum, crc32.IEEETable, fresh)
	r.size += uint32(len(fresh))
	r.summed = r.made
}

// An input is a stretch of the source that is in memory. At least inputSlack bytes after limit may be looked at.
type input struct {
	b     []byte
	real  int   // bytes of b that the source has; padding stands behind them
	ended error // why nothing follows in the source: io.ErrUnexpectedEOF or its own error; nil where more may follow
}

// next returns what is in the source's buffer, of which there are lowWater bytes unless the source ends or fails before. Its
// bytes are consumed by advance.
func (r *Reader) next() input {
	n := r.source.Buffered()
	if n < lowWater {
		b, err := r.source.Peek(lowWater)
		if err != nil {
			clear(r.scratch[copy(r.scratch[:], b):])
			return input{r.scratch[:len(b)+padding], len(b), unexpected(err)}
		}
		n = r.source.Buffered()
	}
	b, _ := r.source.Peek(n)
	return input{b, n, nil}
}

// advance consumes the input up to the position pos, less the whole bytes that are still among the bits.
func (r *Reader) advance(in *input, pos int) error {
	pos -= int(r.n >> 3)
	r.n &= 7
	r.bits &= 1<<r.n - 1
	if pos > in.real {
		r.source.Discard(in.real)
		return in.ended
	}
	_, err := r.source.Discard(pos)
	return err
}

// readCompressed reads a block's header or goes on with its symbols, as far as the input in memory and the window reach.
func (r *Reader) readCompressed() error {
	in, pos := r.next(), 0
	var err error
	for r.made < r.full {
		if r.step == stepBlock {
			if in.ended == nil && len(in.b)-pos < lowWater {
				break
			}
			if pos, err = r.readBlockHeader(in.b, pos); err != nil {
				return r.first(r.advance(&in, pos), err)
			}
			if int64(in.real)*8 < int64(pos)*8-int64(r.n) {
				return r.first(r.advance(&in, pos), in.ended)
			}
			if r.step != stepSymbols {
				break
			}
		}
		limit := len(in.b) - inputSlack
		if in.ended != nil {
			limit = in.real - inputSlack
		}
		if pos > limit {
			if in.ended == nil {
				break
			}
			if pos, err = r.readLastSymbols(&in, pos); err != nil {
				return r.first(r.advance(&in, pos), err)
			}
		} else if pos, err = r.readSymbols(in.b, pos, limit, r.full); err != nil {
			return r.first(r.advance(&in, pos), err)
		}
		if r.step == stepTrailer {
			break
		}
	}
	return r.advance(&in, pos)
}

// first returns the error that came first: where the input had ended before, what was read behind its end means nothing.
func (r *Reader) first(ended, err error) error {
	if ended != nil {
		return ended
	}
	return err
}

// readLastSymbols reads symbols where the input is about to end, one turn of the loop at a time, so that a turn that went beyond
// the end can be undone.
func (r *Reader) readLastSymbols(in *input, pos int) (int, error) {
	for r.step == stepSymbols && r.made < r.full {
		made := r.made
		next, err := r.readSymbols(in.b, pos, -1, 0)
		if next*8-int(r.n) > in.real*8 {
			r.made = made
			return next, in.ended
		}
		if pos = next; err != nil {
			return pos, err
		}
	}
	return pos, nil
}

// readStored copies bytes of a stored block.
func (r *Reader) readStored() error {
	if r.stored == 0 {
		r.endBlock()
		return nil
	}
	if _, err := r.source.Peek(1); err != nil {
		return unexpected(err)
	}
	b, _ := r.source.Peek(min(r.source.Buffered(), r.stored, r.full-r.made))
	copy(r.window[r.made:], b)
	r.made += len(b)
	r.stored -= len(b)
	_, err := r.source.Discard(len(b))
	return err
}

func (r *Reader) endBlock() {
	r.step = stepBlock
	if r.last {
		r.step = stepTrailer
	}
}

// Flags of a member's header. RFC 1952, section 2.3.1.
const (
	flagHeaderCRC = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
)

// readHeader reads a member's header. Its optional fields may be of any length; none is kept. An input that has ended is io.EOF.
func (r *Reader) readHeader() error {
	head, err := r.source.Peek(10)
	if len(head) == 0 {
		return err
	}
	if n := min(len(head), 3); string(head[:n]) != "\x1f\x8b\x08"[:n] {
		return ErrHeader
	}
	if err != nil {
		return unexpected(err)
	}
	flags := head[3]
	if flags&(flagHeaderCRC|flagExtra|flagName|flagComment) == 0 {
		r.source.Discard(10)
		return nil
	}
	return r.readOptional(flags, crc32.ChecksumIEEE(head))
}

// readOptional reads the rest of a member's header, which has optional fields; sum is the checksum of its first ten bytes.
func (r *Reader) readOptional(flags byte, sum uint32) error {
	var err error
	r.source.Discard(10)
	take := func() (byte, error) {
		c, err := r.source.ReadByte()
		if flags&flagHeaderCRC != 0 {
			sum = crc32.Update(sum, crc32.IEEETable, []byte{c})
		}
		return c, unexpected(err)
	}
	if flags&flagExtra != 0 {
		low, err := take()
		if err != nil {
			return err
		}
		high, err := take()
		if err != nil {
			return err
		}
		for range int(low) | int(high)<<8 {
			if _, err := take(); err != nil {
				return err
			}
		}
	}
	for _, text := range []byte{flagName, flagComment} {
		for c := byte(1); flags&text != 0 && c != 0; {
			if c, err = take(); err != nil {
				return err
			}
		}
	}
	if flags&flagHeaderCRC != 0 {
		want, err := r.source.Peek(2)
		if err != nil {
			return unexpected(err)
		}
		if binary.LittleEndian.Uint16(want) != uint16(sum) {
			return fmt.Errorf("%w: its checksum is wrong", ErrHeader)
		}
		r.source.Discard(2)
	}
	return nil
}

// readTrailer checks what was decoded against the member's checksum and length. RFC 1952, section 2.3.
func (r *Reader) readTrailer() error {
	b, err := r.source.Peek(8)
	if err != nil {
		return unexpected(err)
	}
	checksum, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	r.source.Discard(8)
	r.step = stepDone
	if checksum != r.checksum || size != r.size {
		return ErrChecksum
	}
	return io.EOF
}

// unexpected makes an end of input where more must follow an unexpected one.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
