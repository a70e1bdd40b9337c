package capture

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// A coding is a transfer or content coding that a Reader can decode.
type coding uint8

const (
	chunked coding = iota
	gzipCoding
	deflateCoding
	brotliCoding
	zstdCoding
)

// contentCodings are the names of content codings, with their old ones. identity and its misspellings change nothing.
var contentCodings = map[string]coding{
	"gzip": gzipCoding, "x-gzip": gzipCoding, "deflate": deflateCoding, "x-deflate": deflateCoding, "br": brotliCoding,
	"zstd": zstdCoding,
}

var noCodings = map[string]bool{
	"": true, "identity": true, "none": true, "utf-8": true, "utf8": true, "binary": true, "text": true, "8bit": true,
	"plain": true,
}

// maxCodings limits the codings of one body.
const maxCodings = 4

// decoders are the decoders of one coding, made when first needed. Each coding of a body has its own, because a body
// may name one twice.
type decoders struct {
	out    *bufio.Reader // the input of the next coding
	chunks chunkReader
	gzip   gzipReader
	zlib   io.ReadCloser
	flate  io.ReadCloser
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

// decode returns a reader of the decoded body, or r.coded if the body has no coding. It ignores codings that the body
// does not have: archives often keep decoded bodies with the original header. Only Transfer-Encoding and
// Content-Encoding count. A crawler that decodes a body renames the field, such as X-Crawler-Content-Encoding.
func (r *Reader) decode() io.Reader {
	body := r.coded
	codings, n := r.codings()
	for i, c := range codings[:n] {
		next, ok := r.decoders[i].undo(c, body)
		if !ok {
			if head, _ := body.Peek(1); len(head) == 0 {
				break // an empty body may have any coding
			}
			if c == chunked {
				r.note(NotChunked)
			} else {
				r.note(NotCoded)
			}
			continue
		}
		if i == n-1 {
			return next
		}
		if r.decoders[i].out == nil {
			r.decoders[i].out = bufio.NewReaderSize(nil, 4<<10)
		}
		body = r.decoders[i].out
		body.Reset(next)
	}
	return body
}

// codings returns the declared codings, in the order in which they are decoded.
func (r *Reader) codings() (codings [maxCodings]coding, n int) {
	add := func(c coding) {
		if n < maxCodings {
			codings[n] = c
			n++
		}
	}
	header := r.capture.Header
	for _, f := range header {
		if f.Is("Transfer-Encoding") && n == 0 && bytes.Contains(bytes.ToLower(f.Value), []byte("chunked")) {
			add(chunked)
		}
	}
	for i := len(header) - 1; i >= 0; i-- {
		if !header[i].Is("Content-Encoding") {
			continue
		}
		for rest := header[i].Value; len(rest) > 0; {
			comma := bytes.LastIndexByte(rest, ',')
			name := r.word(bytes.Trim(rest[comma+1:], " \t\"'"))
			rest = rest[:max(comma, 0)]
			if c, known := contentCodings[name]; known {
				add(c)
			} else if !noCodings[name] {
				r.note(CodingUnknown)
			}
		}
	}
	return codings, n
}

// undo returns a reader that decodes in, or false if in does not look encoded.
func (d *decoders) undo(c coding, in *bufio.Reader) (io.Reader, bool) {
	head, _ := in.Peek(sniffLength)
	switch c {
	case chunked:
		if !looksChunked(head) {
			return nil, false
		}
		d.chunks = chunkReader{in: in}
		return &d.chunks, true
	case gzipCoding:
		if !bytes.HasPrefix(head, []byte{0x1F, 0x8B}) {
			return nil, false
		}
		d.gzip.reset(in)
		return &d.gzip, true
	case deflateCoding:
		if len(head) >= 2 && head[0]&0x0F == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			return d.withHeader(in)
		}
		if looksText(head) {
			return nil, false
		}
		if d.flate == nil {
			d.flate = flate.NewReader(nil)
		}
		reset := d.flate.(flate.Resetter).Reset
		if reset(bytes.NewReader(head), nil) != nil || !decodes(d.flate) {
			return nil, false
		}
		return d.flate, reset(in, nil) == nil
	case brotliCoding:
		if looksText(head) {
			return nil, false
		}
		if d.brotli == nil {
			d.brotli = brotli.NewReader(nil)
		}
		if d.brotli.Reset(bytes.NewReader(head)) != nil || !decodes(d.brotli) {
			return nil, false
		}
		return d.brotli, d.brotli.Reset(in) == nil
	case zstdCoding:
		if !bytes.HasPrefix(head, []byte{0x28, 0xB5, 0x2F, 0xFD}) {
			return nil, false
		}
		if d.zstd == nil {
			var err error
			d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
			if err != nil {
				return nil, false
			}
		}
		if err := d.zstd.Reset(in); err != nil {
			return nil, false
		}
		return d.zstd, true
	}
	return nil, false
}

// withHeader returns a reader of deflate with a zlib header.
func (d *decoders) withHeader(in *bufio.Reader) (io.Reader, bool) {
	var err error
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(in)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(in, nil)
	}
	if err != nil {
		return nil, false
	}
	return d.zlib, true
}

// sniffLength is how many bytes of a body decide whether it is encoded.
const sniffLength = 512

// looksText reports whether the beginning of a body is text. Raw deflate and brotli have no magic bytes, but their
// first bytes are nearly always invalid in text or UTF-8.
func looksText(head []byte) bool {
	for _, c := range head {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B || c == 0x7F {
			return false
		}
	}
	if len(head) < sniffLength && len(head) < 16 {
		// A few encoded bytes may all be printable. HTML begins with '<'.
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("<"))
	}
	return true
}

// decodes reports whether a decoder accepts the beginning of a body. A beginning that is too short to decode counts as
// accepted.
func decodes(decoder io.Reader) bool {
	var out [64]byte
	n, err := decoder.Read(out[:])
	return n > 0 || err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// looksChunked reports whether a body begins with the length line of a chunk.
func looksChunked(head []byte) bool {
	n := 0
	for n < len(head) && isHex(head[n]) {
		n++
	}
	if n == 0 || n > maxChunkDigits {
		return false
	}
	for n < len(head) && (head[n] == ' ' || head[n] == '\t') {
		n++
	}
	return n < len(head) && (head[n] == '\r' || head[n] == '\n' || head[n] == ';')
}

// maxChunkDigits limits the length of a chunk, leading zeros included.
const maxChunkDigits = 15

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

var errChunk = errors.New("the chunked body is damaged")

// chunkReader decodes the chunked transfer coding (RFC 9112 7.1). It returns io.EOF after the last chunk, and
// io.ErrUnexpectedEOF if the body ends before.
type chunkReader struct {
	in   *bufio.Reader
	left int64
	more bool // a chunk was read; its line end follows
	err  error
}

func (c *chunkReader) Read(p []byte) (int, error) {
	for c.left == 0 && c.err == nil {
		c.next()
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.in.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	c.err = err
	if n > 0 {
		err = nil
	}
	return n, err
}

// next reads the length line of the next chunk.
func (c *chunkReader) next() {
	line, err := c.in.ReadSlice('\n')
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		c.err = err
		return
	}
	if line = bytes.TrimSpace(line); c.more && len(line) == 0 {
		c.more = false
		return
	}
	size, n := int64(0), 0
	for n < len(line) && n <= maxChunkDigits && isHex(line[n]) {
		digit := line[n]
		switch {
		case digit <= '9':
			digit -= '0'
		default:
			digit = digit | 0x20 - 'a' + 10
		}
		size = size<<4 | int64(digit)
		n++
	}
	switch {
	case n == 0 || n > maxChunkDigits || c.more:
		c.err = errChunk
	case size == 0:
		c.err = io.EOF
	}
	c.left, c.more = size, true
}

// gzipReader reads consecutive gzip members. Anything after them does not belong to the body.
type gzipReader struct {
	in     *bufio.Reader
	z      *gzip.Reader
	open   bool
	member int
	err    error
}

func (g *gzipReader) reset(in *bufio.Reader) {
	g.in, g.open, g.member, g.err = in, false, 0, nil
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for g.err == nil {
		if !g.open {
			if g.next(); g.err != nil {
				break
			}
		}
		n, err := g.z.Read(p)
		if err == io.EOF {
			g.open, err = false, nil
		}
		g.err = err
		if n > 0 {
			return n, nil
		}
	}
	return 0, g.err
}

// next opens the next member. More than a thousand empty members are an attack.
func (g *gzipReader) next() {
	if head, _ := g.in.Peek(2); g.member > 0 && !bytes.Equal(head, []byte{0x1F, 0x8B}) || g.member > 1000 {
		g.err = io.EOF
		return
	}
	if g.z == nil {
		g.z = new(gzip.Reader)
	}
	if g.err = g.z.Reset(g.in); g.err == io.EOF {
		g.err = io.ErrUnexpectedEOF
	}
	g.z.Multistream(false)
	g.open = true
	g.member++
}
