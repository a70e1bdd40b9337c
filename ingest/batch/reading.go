package batch

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

// maxWarcinfo is how much of a warcinfo block is looked at, in bytes.
const maxWarcinfo = 64 << 10

// A reading is one input being read.
type reading struct {
	w      *worker
	in     source.Input
	out    *facts.Writer
	origin origin
	task   *extract.Task

	counting *counting
	archive  *archive.Reader
	record   *archive.Record
	length   int64
	counts   map[string]int64
	lost     error // the first record that could not be read whole
	whole    bool  // read to the end
	faulty   bool  // this program panicked over it
}

func newReading(w *worker, in source.Input, out *facts.Writer) *reading {
	r := &reading{w: w, in: in, out: out, origin: originOf(in.Name), counts: map[string]int64{}}
	r.task = extract.NewTask(w.opts.Extract, r.emit)
	return r
}

// guard makes an error of a panic. Nothing that an archive holds may end the run: a panic is a fault of this program; it costs the
// input, and says so.
func (r *reading) guard(err *error) {
	if p := recover(); p != nil {
		r.faulty = true
		*err = fmt.Errorf("%s: this program has a fault, please report it: %v\n%s", r.in.Name, p, debug.Stack())
	}
}

// run reads the input to its end.
func (r *reading) run(ctx context.Context) (err error) {
	defer r.guard(&err)
	body, err := r.in.Open(ctx)
	if err != nil {
		return err
	}
	defer body.Close()
	r.counting = &counting{r: body, hash: sha256.New(), progress: r.w.opts.Progress}
	r.archive, err = archive.NewReader(r.counting, archive.Options{Size: max(r.in.Size, 0)})
	if err != nil {
		return fmt.Errorf("%s: %w", r.in.Name, err)
	}
	for {
		record, err := r.archive.Next()
		switch {
		case err == io.EOF:
			r.whole = true
			return nil
		case isLost(err):
			r.lose(err)
			continue
		case err != nil:
			return fmt.Errorf("%s, at offset %d: %w", r.in.Name, r.archive.Stats().BytesRead, err)
		}
		r.w.opts.Progress.Records.Add(1)
		if err := r.readRecord(record); err != nil {
			return err
		}
	}
}

func (r *reading) readRecord(record *archive.Record) error {
	r.record = record
	if record.Type == archive.Warcinfo {
		return r.readWarcinfo(record)
	}
	c, err := r.w.captures.Read(record)
	skip, skipped := err.(capture.Skip)
	switch {
	case skipped:
		if skip != capture.SkipType {
			r.counts[facts.CountSkippedPrefix+string(skip)]++
		}
		_, err := r.archive.Finish()
		return r.lose(err)
	case err != nil:
		return fmt.Errorf("%s, in the record at offset %d: %w", r.in.Name, record.Offset, err)
	}
	// What was read of a damaged record is kept: its defects tell.
	length, err := r.archive.Finish()
	if err := r.lose(err); err != nil {
		return err
	}
	c.Length, r.length = length, length
	if c.Truncated != "" && c.Truncated != capture.TruncatedSuspected || record.Has(archive.Truncated) {
		r.counts[facts.CountTruncatedRecords]++
	}
	return r.task.Capture(c)
}

// lose keeps in mind the first error that costs a record, and returns any other.
func (r *reading) lose(err error) error {
	switch {
	case err == nil:
		return nil
	case !isLost(err):
		return fmt.Errorf("%s, in the record at offset %d: %w", r.in.Name, r.record.Offset, err)
	case r.lost == nil:
		r.lost = err
	}
	return nil
}

// readWarcinfo finds the crawl that the archive belongs to, where its path does not tell.
func (r *reading) readWarcinfo(record *archive.Record) error {
	block, err := io.ReadAll(io.LimitReader(record.Block, maxWarcinfo))
	if err != nil && !isLost(err) {
		return err
	}
	if r.origin.crawl == "" {
		r.origin.crawl = crawlOf(block)
	}
	_, err = r.archive.Finish()
	return r.lose(err)
}

// crawlOf reads the field isPartOf of a warcinfo block, which Common Crawl sets to the name of the crawl. Others write a name that
// people chose, with its blanks percent-encoded: it is decoded once, so that Temporary%20Collection and "Temporary Collection" are one.
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

// emit writes a fact of the input, with its place in the archive.
func (r *reading) emit(f *facts.Fact) error {
	f.Crawl, f.Subset, f.Segment, f.Filename = r.origin.crawl, r.origin.subset, r.origin.segment, r.origin.filename
	switch f.Kind {
	case facts.KindRobots, facts.KindPolicy, facts.KindPage:
		f.RecordOffset, f.RecordLength, f.RecordIndex = r.record.Offset, r.length, r.record.Index
	case facts.KindSite:
		// The input's counters are the sums over its sites; contents of METAs stay with their site. Defects of the archive are
		// counted by its reader, which sees those of records that are no captures too.
		for _, c := range f.Counts {
			if !strings.HasPrefix(c.Name, facts.CountMetaPrefix) && !isArchiveDefect(c.Name) {
				r.counts[c.Name] += c.Value
			}
		}
	}
	f.SiteHash = facts.HashSite(f.Site)
	if err := r.out.Write(f); err != nil {
		return &outputError{err}
	}
	return nil
}

// isArchiveDefect tells whether a counter is that of a defect of the archive, and not of HTTP or of a page.
func isArchiveDefect(counter string) bool {
	code, ok := strings.CutPrefix(counter, facts.CountDefectPrefix)
	return ok && slices.Contains(archive.Defects(), archive.Defect(code))
}

// finishTask writes the site facts.
func (r *reading) finishTask() (err error) {
	defer r.guard(&err)
	return r.task.Finish()
}

// finish writes the site facts and the input's own.
func (r *reading) finish(failure error) (Summary, error) {
	switch err := r.finishTask(); {
	case err == nil:
	case !r.faulty:
		return Summary{}, err
	case failure == nil:
		failure = err
	}
	input := facts.Fact{Kind: facts.KindInput, InputBytes: -1}
	sum := Summary{Inputs: 1}
	if r.archive != nil {
		stats := r.archive.Stats()
		sum.Records, sum.Lost = stats.Total(), stats.Lost
		r.countArchive(stats)
	}
	if r.counting != nil {
		sum.Bytes = r.counting.n
		input.InputBytes = r.counting.n
		if r.counting.atEnd {
			input.InputDigest = hex.EncodeToString(r.counting.hash.Sum(nil))
		}
	}
	switch {
	case failure != nil:
		input.Error = firstLine(failure.Error())
	case r.archive != nil && r.archive.Stats().Truncated:
		input.Error = fmt.Sprintf("%s ends within the record that begins at offset %d", r.in.Name, r.archive.Stats().TruncatedAt)
	case r.lost != nil:
		input.Error = fmt.Sprintf("%s: %s cannot be read whole, the first: %v", r.in.Name, records(sum.Lost), r.lost)
	}
	if say := r.w.opts.OnFailure; say != nil && input.Error != "" {
		if failure == nil {
			failure = errors.New(input.Error)
		}
		say(r.in.Name, failure)
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

func (r *reading) countArchive(stats archive.Stats) {
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

// counting counts and digests what is read of an input.
type counting struct {
	r        io.Reader
	n        int64
	hash     hash.Hash
	atEnd    bool
	progress *Progress
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.hash.Write(p[:n])
	c.progress.Bytes.Add(int64(n))
	c.atEnd = c.atEnd || err == io.EOF
	return n, err
}
