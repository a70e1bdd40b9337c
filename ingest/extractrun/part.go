package extractrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime/debug"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// maxWarcinfo is how much of a warcinfo block is looked at, in bytes.
const maxWarcinfo = 64 << 10

// A sink takes what the records of an input hold, in their order.
type sink interface {
	crawl(name string) error            // a warcinfo says which crawl the archive belongs to
	capture(found *extract.Found) error // valid during the call
}

// A part is a stretch of an input being read, or the whole of it. What it counts are sums, to be merged in order.
type part struct {
	w    *worker
	in   source.Located
	sink sink
	// each is told of every record before it is read; may be nil. Its error ends the part.
	each func() error

	speculative bool // nobody knows yet whether it belongs to the input
	body        io.Closer
	counting    *counting
	archive     *archive.Reader
	offset      int64 // of the record being read
	untold      int64 // records that Progress does not know of yet
	read        int64 // bytes, of records that are read by their coordinates

	counts  map[string]int64
	lost    error // the first record that could not be read whole
	refused int64 // records lost for a defect of HTTP; the others are among those of the archive
	whole   bool  // read to the end
	faulty  bool  // this program panicked over it
	failure error // ended it
}

func (w *worker) part(in source.Located, to sink) *part {
	return &part{w: w, in: in, sink: to, counts: map[string]int64{}}
}

// open takes the input that body gives from the offset on.
func (p *part) open(body io.ReadCloser, offset int64) {
	p.body = body
	p.counting = &counting{r: body, n: offset}
}

// begin begins at the beginning of the input, whose bytes it digests. If until is not 0, it may end there.
func (p *part) begin(ctx context.Context, until int64) (err error) {
	defer guard(p.in, &p.faulty, &err)
	body, err := p.in.Open(ctx)
	if err != nil {
		return err
	}
	p.open(body, 0)
	if until > 0 {
		p.counting.r = io.LimitReader(body, p.in.Size)
	}
	p.counting.hash, p.counting.progress = sha256.New(), p.w.opts.Progress
	p.archive, err = archive.NewReader(p.counting, p.options(max(p.in.Size, 0), until))
	if err != nil {
		return fmt.Errorf("%s: %w", p.in.Name, err)
	}
	return nil
}

func (p *part) options(size, until int64) archive.Options {
	return archive.Options{Size: size, Until: until, Ignore: capture.Ignores, Strict: p.w.opts.Refuse.archive}
}

// resume goes on where another part ended.
func (p *part) resume(ctx context.Context, at archive.Mark, until int64) (err error) {
	defer guard(p.in, &p.faulty, &err)
	if err := p.openAt(ctx, at.Offset); err != nil {
		return err
	}
	p.archive = archive.Resume(p.counting, at, p.options(p.in.Size, until))
	return nil
}

// search begins at the first member behind a mark. The error is io.EOF if there is none before until.
func (p *part) search(ctx context.Context, ahead archive.Mark, until int64) (err error) {
	defer guard(p.in, &p.faulty, &err)
	p.speculative = true
	if err := p.openAt(ctx, ahead.Offset); err != nil {
		return err
	}
	p.archive, err = archive.Search(p.counting, ahead, p.options(p.in.Size, until))
	return err
}

// openAt opens the input at an offset, as long as it was when the run began.
func (p *part) openAt(ctx context.Context, offset int64) error {
	body, err := p.in.OpenAt(ctx, offset)
	if err != nil {
		return err
	}
	p.open(body, offset)
	p.counting.r = io.LimitReader(body, p.in.Size-offset)
	return nil
}

// close ends the reading of the input.
func (p *part) close() {
	if p.body != nil {
		p.body.Close() // it was read only
	}
}

// guard makes an error of a panic. Nothing that an archive holds may end the run: a panic is a fault of this program;
// it costs the input, and says so.
func guard(in source.Located, faulty *bool, err *error) {
	if cause := recover(); cause != nil {
		*faulty = true
		*err = fmt.Errorf("%s: this program has a fault, please report it: %v\n%s", in.Name, cause, debug.Stack())
	}
}

// toldAtOnce is how many records Progress is told of at a time: all workers add to it, and each would wait for the
// others.
const toldAtOnce = 64

// tell adds the records to Progress that were read since the last time.
func (p *part) tell() {
	p.w.opts.Progress.Records.Add(p.untold)
	p.untold = 0
}

// run reads the part to its end.
func (p *part) run() (err error) {
	defer guard(p.in, &p.faulty, &err)
	defer p.tell()
	for {
		record, err := p.archive.Next()
		switch {
		case err == io.EOF:
			_, more := p.archive.End()
			p.whole = !more
			return nil
		case isLost(err):
			p.lose(err)
			continue
		case err != nil:
			return fmt.Errorf("%s, at offset %d: %w", p.in.Name, p.archive.Stats().BytesRead, err)
		}
		if p.each != nil {
			if err := p.each(); err != nil {
				return err
			}
		}
		if !p.speculative {
			if p.untold++; p.untold == toldAtOnce {
				p.tell()
			}
		}
		p.offset = record.Offset
		if err := p.readRecord(record); err != nil {
			return err
		}
	}
}

func (p *part) readRecord(record *archive.Record) error {
	if record.Type == archive.Warcinfo {
		return p.readWarcinfo(record)
	}
	c, err := p.w.captures.Read(record)
	skip, skipped := err.(capture.Skip)
	switch {
	case skipped:
		if skip != capture.SkipType {
			p.counts[facts.CountSkippedPrefix+string(skip)]++
		}
		_, err := p.archive.Finish()
		return p.lose(err)
	case err != nil:
		return fmt.Errorf("%s, in the record at offset %d: %w", p.in.Name, record.Offset, err)
	}
	// What was read of a damaged record is kept, if its defect is not refused: its defects tell.
	length, err := p.archive.Finish()
	var lost *archive.RecordError
	refused := err != nil && errors.As(err, &lost) && p.w.opts.Refuse.archive[lost.Defect]
	if err := p.lose(err); err != nil || refused {
		return err
	}
	for _, d := range c.Defects {
		if p.w.opts.Refuse.http[d] {
			p.refused++
			return p.lose(&refusal{record.Offset, d})
		}
	}
	c.Length = length
	if c.Truncated != "" && c.Truncated != capture.TruncatedSuspected || record.Has(archive.Truncated) {
		p.counts[facts.CountTruncatedRecords]++
	}
	return p.sink.capture(p.w.finder.Find(c))
}

// lose keeps in mind the first error that costs a record, and returns any other.
func (p *part) lose(err error) error {
	switch {
	case err == nil:
		return nil
	case !isLost(err):
		return fmt.Errorf("%s, in the record at offset %d: %w", p.in.Name, p.offset, err)
	case p.lost == nil:
		p.lost = err
	}
	return nil
}

// readWarcinfo finds the crawl that the archive belongs to.
func (p *part) readWarcinfo(record *archive.Record) error {
	block, err := io.ReadAll(io.LimitReader(record.Block, maxWarcinfo))
	if err != nil && !isLost(err) {
		return err
	}
	if name := crawlOf(block); name != "" {
		if err := p.sink.crawl(name); err != nil {
			return err
		}
	}
	_, err = p.archive.Finish()
	return p.lose(err)
}

// isLost tells an error that costs one record.
func isLost(err error) bool {
	if err == nil {
		return false // as for most records, without an allocation
	}
	var lost *archive.RecordError
	var refused *refusal
	return errors.As(err, &lost) || errors.As(err, &refused)
}

// counting counts what is read of an input, and may digest it.
type counting struct {
	r        io.Reader
	n        int64     // offset in the input
	hash     hash.Hash // may be nil
	atEnd    bool
	progress *Progress // may be nil
}

// digest returns the SHA-256 in hex of an input that was read to its end.
func (c *counting) digest() string {
	if c.hash == nil || !c.atEnd {
		return ""
	}
	return hex.EncodeToString(c.hash.Sum(nil))
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.hash != nil {
		c.hash.Write(p[:n])
	}
	if c.progress != nil {
		c.progress.Bytes.Add(int64(n))
	}
	c.atEnd = c.atEnd || err == io.EOF
	return n, err
}
