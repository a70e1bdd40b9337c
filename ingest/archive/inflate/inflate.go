// Package inflate decompresses gzip members (RFC 1951, RFC 1952). Nearly all web archives use gzip, and 90 % of the
// time to read one is spent here.
//
// Memory is a window of fixed size. A Reader returns bytes as soon as it has them, and reads exactly the bytes of the
// member from its source. The package knows no archives, does not search for members and repairs nothing.
//
// It is safe Go without assembly, optimized for speed; comments at the code say how. Benchmarks are in bench_test.go.
// Fuzz tests compare it with compress/flate.
package inflate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Errors of a member. If the input ends within a member, the error is io.ErrUnexpectedEOF. Errors of the source are
// returned as they are.
var (
	ErrHeader   = errors.New("no gzip header")
	ErrChecksum = errors.New("wrong gzip checksum or length")
	ErrCorrupt  = errors.New("corrupt deflate data")
)

const (
	// historySize is the longest distance of a match (RFC 1951, section 2).
	historySize = 32 << 10

	// windowSize is the capacity of the window: the history, the bytes for Peek, and spare bytes, so that data moves
	// seldom. A member that fits never moves. decodeStep is the most that is decoded at once, and decodeLeast the space
	// that this needs.
	windowSize  = historySize + MaxPeek + decodeLeast
	decodeStep  = 128 << 10
	decodeLeast = 64 << 10

	// maxMatch is the longest match, copySlack how far a copy may write after it, and copyStep the size of its steps.
	maxMatch  = 258
	copyStep  = 32
	copySlack = 2 * copyStep

	// inputSlack is the most that one iteration over symbols reads: three refills of eight bytes.
	inputSlack = 32

	// lowWater is how many bytes are requested before the header of a block. A header has at most 3 + 14 + 19*3 +
	// 316*(7+7) bits.
	lowWater = 1 << 10

	// padding is the number of zeros after the end of the input, so that a header may be read past the end.
	padding = lowWater
)

// A Source is the input of a Reader, with a buffer, as bufio.Reader has it.
type Source interface {
	io.ByteReader
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
}

// MinBuffer is the least size of the source's buffer, in bytes. A hundred times as much is better.
const MinBuffer = lowWater

// MaxPeek is the most that Peek can return, in bytes.
const MaxPeek = 128 << 10

// step is the next step of a Reader.
type step uint8

const (
	stepBlock   step = iota // the header of a block
	stepStored              // bytes of a stored block
	stepSymbols             // symbols of a compressed block
	stepTrailer             // checksum and length
	stepDone
)

// A Reader decompresses one member after another. It is not safe for concurrent use. The zero Reader is ready for
// Reset. A Reader has some 250 KB: reuse it.
type Reader struct {
	source Source

	step   step
	last   bool // the current block is the last one
	stored int  // bytes that are left of a stored block

	bits uint64 // bits read from the input and not yet used, the next one lowest; between calls zero above n
	n    uint   // number of these bits; less than eight between calls

	codes   *codes // of the current block
	dynamic codes  // of a dynamic block
	fixed   *codes // of RFC 1951, section 3.2.6; nil until needed
	builder builder

	given, made int // window[given:made] is decoded and not yet returned
	full        int // decoding stops at this size of the window
	summed      int // end of the bytes in checksum and size
	size        uint32
	checksum    uint32
	err         error // after the bytes in the window

	scratch [lowWater + padding]byte // the last bytes of the input, followed by zeros
	window  [windowSize + maxMatch + copySlack]byte
}

// Reset begins the member at the position of source by reading its header. The buffer of source must have at least
// MinBuffer bytes. The Reader owns source until Read returns an error. After io.EOF source is at the end of the member.
func (r *Reader) Reset(source Source) error {
	r.source = source
	r.step, r.last, r.stored, r.bits, r.n = stepBlock, false, 0, 0, 0
	r.given, r.made, r.summed, r.size, r.checksum = 0, 0, 0, 0, 0
	r.err = r.readHeader()
	return r.err
}

// Read implements io.Reader. It returns io.EOF after the last byte if the checksum and the length are right.
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

// Peek returns the next n bytes of the member without consuming them, at most MaxPeek. They are valid until the next
// call. If there are fewer, the error is that of Read after them.
func (r *Reader) Peek(n int) ([]byte, error) {
	for r.made-r.given < n {
		if r.err != nil {
			return r.window[r.given:r.made], r.err
		}
		r.decode()
	}
	return r.window[r.given : r.given+n], nil
}

// Discard consumes n bytes, which Peek has returned.
func (r *Reader) Discard(n int) (int, error) {
	n = min(n, r.made-r.given)
	r.given += n
	return n, nil
}

// Buffered returns how many bytes Peek can return without decoding.
func (r *Reader) Buffered() int { return r.made - r.given }

// Ended reports whether the member is decoded to its end, without a fault. Then results of Peek are valid until Reset.
func (r *Reader) Ended() bool { return r.err == io.EOF }

// decode decodes the next bytes of the member, and detects its end and errors.
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
			// The checksum must include the bytes just decoded.
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

// slide moves the history and the bytes that are not yet returned to the front of the window.
func (r *Reader) slide() {
	from := min(r.given, max(r.made-historySize, 0))
	copy(r.window[:], r.window[from:r.made])
	r.given -= from
	r.made -= from
	r.summed -= from
}

// sum adds the new bytes in the window to checksum and size.
func (r *Reader) sum() {
	fresh := r.window[r.summed:r.made]
	r.checksum = crc32.Update(r.checksum, crc32.IEEETable, fresh)
	r.size += uint32(len(fresh))
	r.summed = r.made
}

// An input is a part of the source in memory, with at least inputSlack readable bytes after limit.
type input struct {
	b     []byte
	real  int   // bytes of b from the source; padding follows
	ended error // why the source has no more bytes: io.ErrUnexpectedEOF or its own error; nil if it may have more
}

// next returns the content of the source's buffer without consuming it. It has lowWater bytes, or fewer if the source
// ends or fails.
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

// advance consumes the input up to the position pos, without the whole bytes that are still in bits.
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

// readCompressed reads the header of a block or more of its symbols, as far as the input and the window allow.
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

// first returns the earlier error: anything read after the end of the input is meaningless.
func (r *Reader) first(ended, err error) error {
	if ended != nil {
		return ended
	}
	return err
}

// readLastSymbols reads symbols near the end of the input, one iteration at a time. It undoes an iteration that went
// past the end.
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

// Flags in the header of a member (RFC 1952, section 2.3.1).
const (
	flagHeaderCRC = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
)

// readHeader reads the header of a member. It skips optional fields of any length. An empty input gives io.EOF.
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

// readOptional reads the optional fields of a header. sum is the checksum of its first ten bytes.
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
			return fmt.Errorf("%w: wrong checksum", ErrHeader)
		}
		r.source.Discard(2)
	}
	return nil
}

// readTrailer compares the content with the checksum and the length of the member (RFC 1952, section 2.3).
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

// unexpected turns io.EOF into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
