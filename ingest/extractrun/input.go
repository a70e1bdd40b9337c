package extractrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// maxWarcinfo is how much of a warcinfo block is searched for the crawl, in bytes.
const maxWarcinfo = 64 << 10

// An inputReader reads the records of one input in their order, and writes facts.
type inputReader struct {
	w      *worker
	in     source.Located
	out    *facts.Writer
	origin origin
	task   *extract.Task

	archived bool // an archive was found
	stats    archive.Stats
	counts   map[string]int64
	lost     error // the first record that could not be read whole
	whole    bool  // read to the end
	faulty   bool  // this program panicked over it

	bytes  int64  // read of the input, -1 if it could not be opened
	digest string // SHA-256 of the input in hex, "" if it was not read to its end
}

func newInputReader(w *worker, in source.Input) *inputReader {
	r := &inputReader{
		w: w, in: in.Locate(), out: w.to.Create(in.Place, w.opts.Facts), origin: w.opts.origin(in.Name),
		counts: map[string]int64{}, bytes: -1,
	}
	r.task = extract.NewTask(w.opts.Extract, r.emit)
	return r
}

// read reads the input to its end, or until an error ends it.
func (r *inputReader) read(ctx context.Context) (err error) {
	defer guard(r.in, &r.faulty, &err)
	if r.in.Records != nil {
		return r.readCoordinates(ctx)
	}
	body, err := r.in.Open(ctx)
	if err != nil {
		return err
	}
	defer body.Close() // it was read only
	in := &counting{r: body, hash: sha256.New(), progress: r.w.opts.Progress}
	defer func() { r.bytes, r.digest = in.n, in.digest() }()
	size := max(source.SizeOf(body), r.in.Size, 0)
	a, err := archive.NewReader(in, archive.Options{Size: size, Ignore: capture.Ignores})
	if errors.Is(err, archive.ErrNotArchive) {
		// How far the reader looked depends on the sizes of reads, and the count of bytes must not.
		_, _ = io.CopyN(io.Discard, in, refusedBytes-in.n) // the input is refused anyway
		if in.n >= refusedBytes {
			in.progress.Bytes.Add(refusedBytes - in.n)
			in.n, in.atEnd = refusedBytes, false
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.in.Name, err)
	}
	defer func() { r.archived, r.stats = true, a.Stats() }()
	return r.readArchive(a)
}

// refusedBytes count as read of an input that is no archive, or all of a shorter one.
const refusedBytes = 1 << 20

// guard turns a panic into an error. No content of an archive may end the run: the panic is a fault of this program,
// and costs the input.
func guard(in source.Located, faulty *bool, err *error) {
	if cause := recover(); cause != nil {
		*faulty = true
		*err = fmt.Errorf("%s: this program has a fault, please report it: %v\n%s", in.Name, cause, debug.Stack())
	}
}

// progressBatch is how many records are added to Progress at once, because all workers write to it.
const progressBatch = 64

// readArchive reads an archive to its end.
func (r *inputReader) readArchive(a *archive.Reader) error {
	unreported := int64(0)
	defer func() { r.w.opts.Progress.Records.Add(unreported) }()
	for {
		record, err := a.Next()
		switch {
		case err == io.EOF:
			r.whole = true
			return nil
		case isLost(err):
			r.lose(err)
			continue
		case err != nil:
			return fmt.Errorf("%s, at offset %d: %w", r.in.Name, a.Stats().BytesRead, err)
		}
		if unreported++; unreported == progressBatch {
			r.w.opts.Progress.Records.Add(unreported)
			unreported = 0
		}
		if err := r.readRecord(a, record); err != nil {
			return err
		}
	}
}

func (r *inputReader) readRecord(a *archive.Reader, record *archive.Record) error {
	if record.Type == archive.Warcinfo {
		return r.readWarcinfo(a, record)
	}
	c, err := r.w.captures.Read(record)
	skip, skipped := err.(capture.Skip)
	if err != nil && !skipped {
		return fmt.Errorf("%s, in the record at offset %d: %w", r.in.Name, record.Offset, err)
	}
	length, err := r.finishRecord(a, record)
	switch {
	case err != nil:
		return err
	case skipped:
		if skip != capture.SkipType {
			r.counts[facts.CountSkippedPrefix+string(skip)]++
		}
		return nil
	}
	c.Length = length
	if c.Truncated != "" && c.Truncated != capture.TruncatedSuspected || record.Has(archive.Truncated) {
		r.counts[facts.CountTruncatedRecords]++
	}
	found := r.w.finder.Find(c)
	r.w.opts.Progress.add(found)
	return r.task.Take(found)
}

// finishRecord reads the rest of a record. A damaged record is no error: what was read of it counts, with its defects.
func (r *inputReader) finishRecord(a *archive.Reader, record *archive.Record) (length int64, err error) {
	length, err = a.Finish()
	switch {
	case isLost(err):
		r.lose(err)
	case err != nil:
		return 0, fmt.Errorf("%s, in the record at offset %d: %w", r.in.Name, record.Offset, err)
	}
	return length, nil
}

// lose keeps the first error that costs a record.
func (r *inputReader) lose(err error) {
	if r.lost == nil {
		r.lost = err
	}
}

// isLost reports whether an error costs one record only.
func isLost(err error) bool {
	if err == nil {
		return false // as for most records, without an allocation
	}
	var lost *archive.RecordError
	return errors.As(err, &lost)
}

// readWarcinfo finds the crawl of the archive if the path does not name it. The first warcinfo with a name counts.
func (r *inputReader) readWarcinfo(a *archive.Reader, record *archive.Record) error {
	block, err := io.ReadAll(io.LimitReader(record.Block, maxWarcinfo))
	if err != nil && !isLost(err) {
		return err
	}
	if r.origin.crawl == "" {
		r.origin.crawl = crawlOf(block)
	}
	_, err = r.finishRecord(a, record)
	return err
}

// crawlOf reads the field isPartOf of a warcinfo block, which Common Crawl sets to the name of the crawl. Other
// archives have percent-encoded names in it. Such a name is decoded once, so Temporary%20Collection becomes "Temporary
// Collection".
func crawlOf(block []byte) string {
	for _, line := range bytes.Split(block, []byte("\n")) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(bytes.TrimSpace(name)), "isPartOf") {
			if value := bytes.TrimSpace(value); len(value) <= 100 {
				name := string(value)
				if plain, err := url.PathUnescape(name); err == nil {
					name = plain
				}
				return strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD")
			}
		}
	}
	return ""
}

// emit writes a copy of a fact of the input, with its place in the archive.
func (r *inputReader) emit(f *facts.Fact) error {
	f.Crawl, f.Subset, f.Segment, f.Filename = r.origin.crawl, r.origin.subset, r.origin.segment, r.origin.filename
	if f.Kind == facts.KindSite {
		// The counters of the input are the sums over its sites, without the contents of METAs. The archive's reader
		// counts defects of the archive: it also sees records that are no captures.
		for _, c := range f.Counts {
			if !strings.HasPrefix(c.Name, facts.CountMetaPrefix) && !isArchiveDefect(c.Name) {
				r.counts[c.Name] += c.Value
			}
		}
	}
	if err := r.out.Write(f); err != nil {
		return &outputError{err}
	}
	return nil
}

// isArchiveDefect reports whether a counter counts a defect of the archive, and not one of HTTP or of a page.
func isArchiveDefect(counter string) bool {
	code, ok := strings.CutPrefix(counter, facts.CountDefectPrefix)
	return ok && slices.Contains(archive.Defects(), archive.Defect(code))
}

// finishTask writes the site facts. faulty means that this program panicked over them.
func (r *inputReader) finishTask() (faulty bool, err error) {
	defer guard(r.in, &faulty, &err)
	return false, r.task.Finish()
}

// finish writes the site facts and the input fact. failure is what ended the input, nil at its end.
func (r *inputReader) finish(failure error) (Summary, error) {
	switch faulty, err := r.finishTask(); {
	case err == nil:
	case !faulty:
		return Summary{}, err
	case failure == nil:
		failure = err
	}
	input := facts.Fact{Kind: facts.KindInput, SiteHash: facts.HashSite(""), InputBytes: r.bytes, InputDigest: r.digest}
	sum := Summary{Inputs: 1, Bytes: max(r.bytes, 0)}
	if r.archived {
		sum.Records, sum.Lost = r.stats.Total(), r.stats.Lost
		r.countArchive(r.stats)
	}
	switch {
	case failure != nil:
		input.Error = firstLine(failure.Error())
	case r.stats.Truncated:
		input.Error = fmt.Sprintf("%s ends within the record that begins at offset %d", r.in.Name, r.stats.TruncatedAt)
	case r.lost != nil:
		input.Error = fmt.Sprintf("%s: %s cannot be read whole, the first: %v", r.in.Name, records(sum.Lost), r.lost)
	}
	if r.origin.crawl == "" && sum.Records > 0 {
		sum.unnamed = true
		if r.w.opts.OnUnnamed != nil {
			r.w.opts.OnUnnamed(r.in.Input)
		}
	}
	if report := r.w.opts.OnFailure; report != nil && input.Error != "" {
		if failure == nil {
			failure = errors.New(input.Error)
		}
		report(r.in.Name, failure)
	}
	if !r.whole {
		r.counts[facts.CountIncomplete] = 1
	}
	if input.Error != "" {
		sum.Unreadable = 1
	}
	for name, n := range r.counts {
		input.Counts = append(input.Counts, facts.Count{Name: name, Value: n})
	}
	slices.SortFunc(input.Counts, func(a, b facts.Count) int { return strings.Compare(a.Name, b.Name) })
	if err := r.emit(&input); err != nil {
		return Summary{}, err
	}
	return sum, r.out.Close()
}

func records(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func (r *inputReader) countArchive(stats archive.Stats) {
	r.counts[facts.CountMembers] = stats.Members
	r.counts[facts.CountRecords] = stats.Total()
	for _, t := range archive.RecordTypes() {
		name := t.String()
		if t == archive.Continuation {
			name = archive.OtherType.String()
		}
		r.counts[facts.CountRecordPrefix+name] += stats.Records[t]
	}
	first := int64(-1)
	for defect, seen := range stats.Defects {
		r.counts[facts.CountDefectPrefix+string(defect)] += seen.Count
		if first < 0 || seen.First < first {
			first = seen.First
		}
	}
	if first >= 0 {
		r.counts[facts.CountFirstDefect] = first
	}
	if stats.Lost > 0 {
		r.counts[facts.CountSkippedPrefix+"damaged"] += stats.Lost
	}
}

// counting counts the bytes read of an input, and hashes them.
type counting struct {
	r        io.Reader
	n        int64     // offset in the input
	hash     hash.Hash // SHA-256; nil: none
	atEnd    bool
	progress *Progress
}

// digest returns the hash in hex of an input that was read to its end, else "".
func (c *counting) digest() string {
	if !c.atEnd {
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
	c.progress.Bytes.Add(int64(n))
	c.atEnd = c.atEnd || err == io.EOF
	return n, err
}
