package capture

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/arena"
)

// Defaults of Options, in bytes.
const (
	DefaultMaxBody   = 8 << 20
	DefaultMaxCount  = 128 << 20
	DefaultMaxHeader = 256 << 10
)

// Options change how a Reader reads. The zero value is the default.
type Options struct {
	// MaxBody is the most that is kept of a decoded body, in bytes. 0 means DefaultMaxBody.
	MaxBody int
	// MaxCount is the most that is decoded to learn the length of a body, in bytes. It limits the time for a
	// decompression bomb. 0 means DefaultMaxCount.
	MaxCount int64
	// MaxHeader is the most that is read of an HTTP header, in bytes. 0 means DefaultMaxHeader.
	MaxHeader int
	// Want reports whether the caller needs the body of a capture. Its header is known then. Want must not keep the
	// capture. nil means every body. A robots.txt file is always read.
	Want func(*Capture) bool
}

// A Reader turns records into captures. It reuses its buffers and decoders: at most MaxBody bytes, the header, and
// windows of at most 8 MiB each. It is not safe for concurrent use.
type Reader struct {
	opts     Options
	capture  Capture
	in       input
	head     []byte // the HTTP header as read, or the first bytes of a block without one
	header   []Field
	found    bool // the block begins with an HTTP header
	tooLarge bool
	payload  payload
	coded    *bufio.Reader // of the payload, for peeking
	decoders [maxCodings]decoders
	body     []byte // of a capture, but where it lies in the archive's memory
	text     []byte // the body, converted from UTF-16 or UTF-32
	words    map[string]string
	sites    arena.Arena // names of sites
}

// NewReader returns a Reader.
func NewReader(opts Options) *Reader {
	if opts.MaxBody <= 0 {
		opts.MaxBody = DefaultMaxBody
	}
	if opts.MaxCount <= 0 {
		opts.MaxCount = DefaultMaxCount
	}
	if opts.MaxHeader <= 0 {
		opts.MaxHeader = DefaultMaxHeader
	}
	return &Reader{
		opts:  opts,
		in:    input{buf: bufio.NewReaderSize(nil, 4<<10)}, // for the header; longer reads bypass the buffer
		coded: bufio.NewReaderSize(nil, 16<<10),
		words: make(map[string]string),
	}
}

// Ignores reports whether records of that type and Content-Type are never captures. It is for archive.Options.
func Ignores(t archive.RecordType, contentType []byte) bool {
	switch t {
	case archive.Response, archive.Revisit, archive.Resource:
		return false
	case archive.Metadata:
		return !isWAT(contentType)
	}
	return true
}

// Read reads the capture in rec, whose block must be unread. The capture is valid until the next Read, and until
// the archive's Reader is asked for the next record. The error is a Skip if rec is not a capture, or else that of the
// input. A damaged block is a defect of the capture, not an error; archive.Reader.Finish reports it.
func (r *Reader) Read(rec *archive.Record) (*Capture, error) {
	switch {
	case rec.Type == archive.Metadata && isWAT([]byte(rec.ContentType)):
		return r.readWAT(rec)
	case Ignores(rec.Type, nil):
		return nil, SkipType
	}
	if rec.URI == "" {
		return nil, SkipURL
	}
	u, ok := weburl.Split(rec.URI)
	if !ok {
		return nil, SkipScheme
	}
	r.capture = Capture{
		URL: rec.URI, Parsed: u, Site: r.sites.Make(u.SiteLen(), u.WriteSite), Time: rec.Date, Length: -1, Record: rec,
		Defects: r.capture.Defects[:0],
	}
	c := &r.capture
	r.header, r.head, r.found, r.tooLarge = r.header[:0], r.head[:0], false, false
	r.in.reset(rec)
	r.readRecordHeader(rec)

	if rec.Type == archive.Resource {
		c.setContentType(r, []byte(rec.ContentType))
	} else if err := r.readHTTP(rec); err != nil {
		return nil, err
	}
	if rec.Type == archive.Revisit || r.tooLarge {
		c.BodyTruncated = r.tooLarge
		return c, nil
	}

	declared := rec.DeclaredLength
	if r.found {
		if declared -= int64(len(r.head)); declared < 0 {
			declared = -1
		}
		r.head = r.head[:0]
		if bytes.HasPrefix(r.in.peek(2), []byte("\r\n")) && c.contentLength() != declared {
			r.note(ExtraBlankLine)
			r.in.discard(2)
			declared = max(declared-2, -1)
		}
	}
	return c, r.readBody(declared)
}

// readRecordHeader reads the fields of the record header about the payload.
func (r *Reader) readRecordHeader(rec *archive.Record) {
	c := &r.capture
	for i := range rec.Header {
		name, value := rec.Header[i].Name, rec.Header[i].Value
		if value == "" {
			continue
		}
		switch len(name) {
		case len("WARC-Payload-Digest"):
			if c.Digest == "" && strings.EqualFold(name, "WARC-Payload-Digest") {
				c.Digest = r.digest(value)
			}
		case len("WARC-Truncated"):
			if c.Truncated == "" && strings.EqualFold(name, "WARC-Truncated") {
				c.Truncated = r.word([]byte(value))
			}
		case len("WARC-Identified-Payload-Type"):
			if c.MimeDetected == "" && strings.EqualFold(name, "WARC-Identified-Payload-Type") {
				c.MimeDetected = r.word([]byte(value))
			}
		}
	}
}

// isBase32 reports whether s has only characters of RFC 4648, section 6, in any case.
func isBase32(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// digest returns a labelled SHA-1 digest in base32, or "" for another algorithm.
func (r *Reader) digest(labelled string) string {
	algorithm, value, ok := strings.Cut(labelled, ":")
	if !ok || !strings.EqualFold(algorithm, "sha1") && !strings.EqualFold(algorithm, "sha-1") {
		return ""
	}
	value = strings.TrimSpace(value)
	switch len(value) {
	case 32:
		if isBase32(value) { // 32 characters are 160 bits without padding, so every string is valid
			return strings.ToUpper(value)
		}
	case 40:
		if sum, err := hex.DecodeString(value); err == nil {
			return base32.StdEncoding.EncodeToString(sum)
		}
	}
	r.note(DigestInvalid)
	return ""
}

// readHTTP reads the HTTP header of a response or revisit.
func (r *Reader) readHTTP(rec *archive.Record) error {
	c := &r.capture
	var err error
	if r.found, err = r.readHeader(); err != nil {
		return err
	}
	if !r.found {
		if rec.Type == archive.Response {
			r.note(NoHeader)
		}
		if rec.Format == archive.FormatARC {
			c.setContentType(r, []byte(rec.ContentType))
		}
		return nil
	}
	r.readFields()
	return nil
}

// readFields reads the fields of the HTTP header about the body and the redirect.
func (r *Reader) readFields() {
	c := &r.capture
	for _, f := range c.Header {
		if c.MimeType == "" && f.Is("Content-Type") {
			c.setContentType(r, f.Value)
		}
	}
	if c.Status/100 == 3 {
		if location := c.Header.Get("Location"); len(location) > 0 {
			var ok bool
			if c.Redirect, ok = weburl.Resolve(c.URL, string(location)); !ok {
				r.note(LocationInvalid)
			}
		}
	}
}

func (c *Capture) setContentType(r *Reader, value []byte) {
	mime, charset := cutContentType(value)
	if mime != nil {
		c.MimeType = r.word(mime)
	}
	if charset != nil && c.Charset == "" {
		c.Charset = r.word(charset)
	}
}

// ContentType reads a Content-Type leniently (RFC 9110 8.3). It returns the media type and the charset in lower case,
// each "" if missing.
func ContentType(value string) (mediaType, charset string) {
	mime, label := cutContentType([]byte(value))
	return strings.ToLower(string(mime)), strings.ToLower(string(label))
}

// cutContentType returns the media type and the first charset in a Content-Type, each nil if missing.
func cutContentType(value []byte) (mediaType, charset []byte) {
	mime, params, _ := bytes.Cut(value, []byte(";"))
	mime = bytes.TrimSpace(mime)
	if i := bytes.IndexAny(mime, ", \t"); i >= 0 {
		mime = mime[:i]
	}
	if n := bytes.IndexByte(mime, '/'); n > 0 && n < len(mime)-1 && len(mime) <= maxWord {
		mediaType = mime
	}
	for len(params) > 0 {
		var param []byte
		param, params, _ = bytes.Cut(params, []byte(";"))
		name, value, ok := bytes.Cut(param, []byte("="))
		if ok && len(charset) == 0 && (Field{Name: bytes.TrimSpace(name)}).Is("charset") {
			if value = bytes.Trim(value, " \t\"'"); len(value) <= 64 {
				charset = value
			}
		}
	}
	return mediaType, charset
}

// contentLength returns the Content-Length of the HTTP header, or -1 if missing or malformed.
func (c *Capture) contentLength() int64 {
	value := c.Header.Get("Content-Length")
	if len(value) == 0 || len(value) > 18 {
		return -1
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

const (
	maxWords = 1024 // strings in the cache of a Reader
	maxWord  = 127  // bytes: the longest media type (RFC 4288 4.2)
)

// word returns value in lower case, cut to maxWord. It caches the strings.
func (r *Reader) word(value []byte) string {
	value = value[:min(len(value), maxWord)]
	if s, ok := r.words[string(value)]; ok {
		return s
	}
	s := strings.ToLower(strings.ToValidUTF8(string(value), "\uFFFD"))
	if len(r.words) < maxWords {
		r.words[string(value)] = s
	}
	return s
}

func (r *Reader) note(d Defect) {
	if !r.has(d) {
		r.capture.Defects = append(r.capture.Defects, d)
	}
}

// blockError turns damage in the archive into a defect, and returns other errors.
func (r *Reader) blockError(err error) error {
	var damaged *archive.RecordError
	if errors.As(err, &damaged) {
		r.note(RecordDamaged)
		r.capture.BodyTruncated = true
		return nil
	}
	return err
}

// An input is what is left of a record's block. Most blocks are in memory, and nothing is copied of them.
type input struct {
	rest []byte        // of a block in memory, else nil
	buf  *bufio.Reader // of any other block
}

func (in *input) reset(rec *archive.Record) {
	in.rest = rec.Rest()
	in.buf.Reset(rec.Block)
}

// peek returns the next bytes without consuming them: n, or fewer at the end, or more.
func (in *input) peek(n int) []byte {
	if in.rest != nil {
		return in.rest
	}
	in.buf.Peek(n) // a later read returns an error again
	b, _ := in.buf.Peek(in.buf.Buffered())
	return b
}

// discard consumes n bytes, which peek has returned.
func (in *input) discard(n int) {
	if in.rest != nil {
		in.rest = in.rest[n:]
		return
	}
	in.buf.Discard(n)
}

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	if in.rest == nil {
		return in.buf.Read(p)
	}
	n := copy(p, in.rest)
	if in.rest = in.rest[n:]; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// payload is the content after the HTTP header as archived. It counts the bytes, optionally hashes them, and keeps the
// error of the block apart from the errors of the decoders that read it.
type payload struct {
	head []byte // already read
	in   *input
	sum  hash.Hash // nil if not needed
	hash hash.Hash // reused by the next payload
	n    int64
	err  error
}

func (p *payload) Read(b []byte) (n int, err error) {
	if len(p.head) > 0 {
		n = copy(b, p.head)
		p.head = p.head[n:]
	} else if p.err != nil {
		return 0, p.err
	} else {
		n, err = p.in.Read(b)
		p.err = err
	}
	if p.sum != nil {
		p.sum.Write(b[:n])
	}
	p.n += int64(n)
	return n, err
}

// whole reads the whole payload without a copy, if it is in memory and has at most limit bytes. Else it reads nothing
// and returns nil.
func (p *payload) whole(limit int) []byte {
	all := p.in.rest
	if len(p.head) > 0 || p.n > 0 || len(all) > limit || all == nil {
		return nil
	}
	p.in.discard(len(all))
	p.n, p.err = int64(len(all)), io.EOF
	return all
}

func (p *payload) reset(head []byte, in *input, digest bool) {
	p.head, p.in, p.n, p.err, p.sum = head, in, 0, nil, nil
	if digest {
		if p.hash == nil {
			p.hash = sha1.New()
		}
		p.hash.Reset()
		p.sum = p.hash
	}
}

// readBody reads the body, if the caller needs it. declared is the length of the payload in the record header, or -1.
func (r *Reader) readBody(declared int64) error {
	c := &r.capture
	c.BodyTruncated = c.BodyTruncated || c.Truncated != ""
	if c.Truncated == "" && suspect(c, declared) {
		c.Truncated, c.BodyTruncated = TruncatedSuspected, true
	}
	if r.opts.Want != nil && !c.IsRobots() && !r.opts.Want(c) {
		c.BodyBytes = max(declared, 0)
		return nil
	}
	stated := c.Digest != ""
	r.payload.reset(r.head, &r.in, !stated)
	r.coded.Reset(&r.payload)
	body := r.decode()
	plain := body == io.Reader(r.coded)
	sum := r.payload.sum // nil: none is to be computed here
	if plain {
		r.payload.sum = nil // the body is the payload
	}

	if err := r.fill(body); err != nil {
		return err
	}
	rest := io.Discard
	switch atEnd := r.payload.err == io.EOF; {
	case stated:
	case plain && atEnd && r.payload.n == int64(len(c.Body)):
		c.payload, sum = c.Body, nil // not nil, fill made it
	case plain: // a coding that proved false has peeked at the start
		sum.Reset()
		sum.Write(c.Body)
		rest = sum
	}
	if rest != io.Discard || (!stated || plain) && r.payload.err != io.EOF { // otherwise the body was read to its end
		if _, err := io.Copy(rest, r.coded); err != nil {
			if err := r.blockError(err); err != nil {
				return err
			}
		}
	}
	if plain {
		c.BodyBytes = r.payload.n
	}
	if sum != nil {
		c.Digest = base32.StdEncoding.EncodeToString(sum.Sum(nil))
	}
	if want := c.contentLength(); plain && want > r.payload.n && c.Status/100 == 2 && !r.has(NotCoded) &&
		!r.has(NotChunked) {
		r.note(ShortBody)
		c.BodyTruncated = true
	}
	r.toUTF8()
	return nil
}

func (r *Reader) has(d Defect) bool { return slices.Contains(r.capture.Defects, d) }

// fill reads the decoded body up to the limit, and counts the rest up to the other limit.
func (r *Reader) fill(body io.Reader) error {
	c := &r.capture
	r.body = r.body[:0]
	plain := body == io.Reader(r.coded)
	if plain {
		if all := r.payload.whole(r.opts.MaxBody); all != nil {
			c.Body, c.BodyBytes = all, int64(len(all))
			return nil
		}
	}
	for {
		if len(r.body) == r.opts.MaxBody {
			break
		}
		if len(r.body) == cap(r.body) {
			r.body = append(r.body, 0)[:len(r.body)]
		}
		n, err := body.Read(r.body[len(r.body):min(cap(r.body), r.opts.MaxBody)])
		r.body = r.body[:len(r.body)+n]
		if err != nil {
			c.Body, c.BodyBytes = r.body, int64(len(r.body))
			return r.bodyError(err)
		}
	}
	c.Body, c.BodyBytes = r.body, int64(len(r.body))
	if plain {
		if _, err := r.coded.Peek(1); err != io.EOF {
			r.note(BodyLimit)
			c.BodyTruncated = true
		}
		return nil // readBody counts the rest as payload
	}
	n, err := io.CopyN(io.Discard, body, r.opts.MaxCount)
	if c.BodyBytes += n; n > 0 {
		r.note(BodyLimit)
		c.BodyTruncated = true
	}
	if err == nil {
		r.note(CountLimit)
		return nil
	}
	return r.bodyError(err)
}

// bodyError decides why a body ended: at its end, by damage on the wire or in the archive, or by an error of the input.
func (r *Reader) bodyError(err error) error {
	if r.payload.err != nil && r.payload.err != io.EOF {
		return r.blockError(r.payload.err)
	}
	if err != io.EOF {
		r.note(TruncatedBody)
		r.capture.BodyTruncated = true
	}
	return nil
}

// suspect reports whether a payload is as long as Common Crawl's limit.
func suspect(c *Capture, length int64) bool {
	if c.Time.IsZero() {
		return false
	}
	if c.Time.Year() < 2025 {
		return length == 1<<20
	}
	return length == 5<<20
}
