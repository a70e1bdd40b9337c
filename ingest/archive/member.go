package archive

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/acapscan/acapscan/ingest/archive/inflate"
)

// A decoder decompresses one member after the other. It reads exactly the bytes of the member from the input.
type decoder interface {
	// magic returns the first bytes of a member.
	magic() string

	// skip consumes what may precede a member.
	skip(in *rewindBuffer) error

	// start begins the member at the reader's position.
	start(in *rewindBuffer) error

	// Read returns the content of the member. It returns io.EOF after a whole member with the right checksum, and
	// io.ErrUnexpectedEOF if the input ends within the member.
	Read(p []byte) (int, error)
}

const (
	magicGzip  = "\x1f\x8b\x08"
	magicZstd  = "\x28\xb5\x2f\xfd"
	magicBzip2 = "BZh"
	magicLZ4   = "\x04\x22\x4d\x18"
	magicXZ    = "\xfd7zXZ\x00"
	magicZip   = "PK\x03\x04"
)

// newDecoder returns the decoder for an input with these first bytes, or nil for a plain input.
func newDecoder(b []byte) (decoder, error) {
	begins := func(magic string) bool { return bytes.HasPrefix(b, []byte(magic)) }
	switch {
	case begins(magicGzip):
		return &gzipDecoder{}, nil
	case begins(magicZstd), isSkippable(b):
		return &zstdDecoder{}, nil
	case begins(magicBzip2) && len(b) > 3 && '1' <= b[3] && b[3] <= '9':
		return &bzip2Decoder{}, nil
	case len(b) > 0 && len(b) < len(magicGzip) && magicGzip[:len(b)] == string(b):
		return &gzipDecoder{}, nil // the input ends within the magic bytes
	case begins(magicLZ4):
		return nil, fmt.Errorf("%w: LZ4 compression is not supported", ErrNotArchive)
	case begins(magicXZ):
		return nil, fmt.Errorf("%w: XZ compression is not supported", ErrNotArchive)
	case begins(magicZip):
		return nil, fmt.Errorf("%w: it is a ZIP or WACZ container", ErrNotArchive)
	}
	return nil, nil
}

// gzipDecoder decompresses gzip members (RFC 1952).
type gzipDecoder struct{ z inflate.Reader }

func (d *gzipDecoder) magic() string              { return magicGzip }
func (d *gzipDecoder) skip(*rewindBuffer) error   { return nil }
func (d *gzipDecoder) Read(p []byte) (int, error) { return d.z.Read(p) }

func (d *gzipDecoder) start(in *rewindBuffer) error { return d.z.Reset(in) }

// bzip2Decoder decompresses bzip2. compress/bzip2 reads all concatenated streams, so the rest of the input is one
// member.
type bzip2Decoder struct{ r io.Reader }

func (d *bzip2Decoder) magic() string              { return magicBzip2 }
func (d *bzip2Decoder) skip(*rewindBuffer) error   { return nil }
func (d *bzip2Decoder) Read(p []byte) (int, error) { return d.r.Read(p) }

func (d *bzip2Decoder) start(in *rewindBuffer) error {
	d.r = bzip2.NewReader(in)
	return nil
}

const (
	// zstdMaxWindow is the largest accepted window of a zstd frame, as in the reference decoder.
	zstdMaxWindow = 128 << 20
	// zstdMaxDict is the largest accepted dictionary, compressed or not.
	zstdMaxDict = 16 << 20

	zstdSkippable = 0x184d2a50 // to 0x184d2a5f
	zstdDictFrame = 0x184d2a5d
)

// zstdDecoder decompresses zstd frames (RFC 8878), with the dictionary that the first skippable frame may hold (IIPC,
// Zstandard compression of WARC files).
type zstdDecoder struct {
	dec     *zstd.Decoder
	frame   zstdFrame
	begun   bool   // no dictionary may follow
	dict    []byte // nil: none
	dictErr error  // why the dictionary cannot be used
}

func (d *zstdDecoder) magic() string { return magicZstd }

func isSkippable(b []byte) bool {
	return len(b) >= 4 && binary.LittleEndian.Uint32(b)&^0xf == zstdSkippable
}

func (d *zstdDecoder) skip(in *rewindBuffer) error {
	for {
		b, _ := in.Peek(8)
		if len(b) < 8 || !isSkippable(b) {
			return nil
		}
		kind, size := binary.LittleEndian.Uint32(b), int64(binary.LittleEndian.Uint32(b[4:]))
		if _, err := in.Discard(8); err != nil {
			return err
		}
		if kind == zstdDictFrame && !d.begun {
			d.begun = true
			if size <= zstdMaxDict {
				raw, err := io.ReadAll(io.LimitReader(in, size))
				if err != nil {
					return err
				}
				d.dict, d.dictErr = inflateDict(raw)
				continue
			}
			d.dictErr = fmt.Errorf("the zstd dictionary has %d bytes, more than %d", size, zstdMaxDict)
		}
		for size > 0 {
			n, err := in.Discard(int(min(size, 1<<20)))
			if err == io.EOF {
				return io.ErrUnexpectedEOF
			} else if err != nil {
				return err
			}
			size -= int64(n)
		}
	}
}

// inflateDict returns the content of a dictionary frame, which may be compressed.
func inflateDict(raw []byte) ([]byte, error) {
	if !bytes.HasPrefix(raw, []byte(magicZstd)) {
		return raw, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(zstdMaxDict), zstd.WithDecoderMaxWindow(zstdMaxDict))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(raw, nil)
}

func (d *zstdDecoder) start(in *rewindBuffer) error {
	d.begun = true
	if d.dec == nil {
		opts := []zstd.DOption{
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdMaxWindow), zstd.WithDecoderMaxMemory(zstdMaxWindow),
		}
		if d.dict != nil && d.dictErr == nil {
			opts = append(opts, zstd.WithDecoderDicts(d.dict))
		}
		dec, err := zstd.NewReader(nil, opts...)
		if err != nil {
			d.dictErr = err // the decoder accepts all other options
			dec, err = zstd.NewReader(nil, opts[:4]...)
			if err != nil {
				return err
			}
		}
		d.dec = dec
	}
	d.frame = zstdFrame{in: in}
	return d.dec.Reset(&d.frame)
}

func (d *zstdDecoder) Read(p []byte) (int, error) {
	n, err := d.dec.Read(p)
	switch {
	case err == nil:
	case d.frame.err != nil && d.frame.err != io.EOF:
		err = d.frame.err
	case err == io.EOF && d.frame.err != io.EOF:
		// The decoder can finish before the end of the frame.
		if _, rest := io.Copy(io.Discard, &d.frame); rest != nil {
			err = rest
		}
	case errors.Is(err, zstd.ErrUnknownDictionary) && d.dictErr != nil:
		err = d.dictErr
	}
	return n, err
}

var errZstdFrame = errors.New("corrupt zstd frame")

// A zstdFrame returns the bytes of exactly one frame. It reads the block headers (RFC 8878, section 3.1.1), because the
// decoder would continue with the next frame.
type zstdFrame struct {
	in       *rewindBuffer
	head     [18]byte // header bytes still to be returned
	from, to int
	body     int // bytes of in to pass on after head
	begun    bool
	last     bool // the last block was read
	checksum bool
	err      error
}

// Read implements io.Reader. io.EOF is the end of the frame.
func (f *zstdFrame) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if f.err == nil && f.from == f.to && f.body == 0 {
		f.err = f.next()
	}
	if f.err != nil {
		return 0, f.err
	}
	if f.from < f.to {
		n := copy(p, f.head[f.from:f.to])
		f.from += n
		return n, nil
	}
	n, err := f.in.Read(p[:min(len(p), f.body)])
	f.body -= n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	f.err = err
	return n, err
}

// next reads the next header of the frame.
func (f *zstdFrame) next() error {
	switch {
	case !f.begun:
		f.begun = true
		if err := f.fetch(5); err != nil {
			return err
		}
		descriptor := f.head[4]
		f.checksum = descriptor&4 != 0
		single := descriptor&0x20 != 0
		rest := [4]int{0, 1, 2, 4}[descriptor&3] + [4]int{0, 2, 4, 8}[descriptor>>6]
		if !single {
			rest++ // window descriptor
		} else if descriptor>>6 == 0 {
			rest++ // content size of one byte
		}
		if _, err := io.ReadFull(f.in, f.head[5:5+rest]); err != nil {
			return noEOF(err)
		}
		f.to += rest
		return nil
	case !f.last:
		if err := f.fetch(3); err != nil {
			return err
		}
		h := int(f.head[0]) | int(f.head[1])<<8 | int(f.head[2])<<16
		f.last = h&1 != 0
		switch f.body = h >> 3; h >> 1 & 3 {
		case 1:
			f.body = 1 // one byte, repeated
		case 3:
			return errZstdFrame
		}
		return nil
	case f.checksum:
		f.checksum = false
		return f.fetch(4)
	}
	return io.EOF
}

func (f *zstdFrame) fetch(n int) error {
	f.from, f.to = 0, n
	_, err := io.ReadFull(f.in, f.head[:n])
	return noEOF(err)
}

// noEOF turns io.EOF into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
