package extractrun

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// A reading is one input being read: it takes in what its records hold, in their order, and writes the facts.
type reading struct {
	opts   Options
	in     source.Located
	out    *facts.Writer
	origin origin
	task   *extract.Task

	opened bool // an archive was found
	stats  archive.Stats
	counts map[string]int64
	lost   error // the first record that could not be read whole
	whole  bool  // read to the end

	bytes  int64  // read of the input; -1: it could not be opened
	digest string // of the whole input; "" where it was not read to its end
}

func newReading(opts Options, in source.Located, out *facts.Writer) *reading {
	r := &reading{opts: opts, in: in, out: out, origin: opts.origin(in.Name), counts: map[string]int64{}}
	r.task = extract.NewTask(opts.Extract, r.emit)
	return r
}

// crawl takes the name of a crawl, where the path of the input does not tell.
func (r *reading) crawl(name string) error {
	if r.origin.crawl == "" {
		r.origin.crawl = name
	}
	return nil
}

// capture makes facts of what was found in a capture.
func (r *reading) capture(found *extract.Found) error {
	r.opts.Progress.found(found)
	return r.task.Take(found)
}

// merge adds what was counted of a part, after all before it.
func (r *reading) merge(p *part) {
	if p.archive != nil {
		r.opened = true
		r.stats.Merge(p.archive.Stats())
	}
	r.stats.Lost += p.refused
	for name, n := range p.counts {
		r.counts[name] += n
	}
	if r.lost == nil {
		r.lost = p.lost
	}
	r.whole = p.whole
}

// crawlOf reads the field isPartOf of a warcinfo block, which Common Crawl sets to the name of the crawl. Others write
// a name that people chose, with its blanks percent-encoded: it is decoded once, so that Temporary%20Collection and
// "Temporary Collection" are one.
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
func (r *reading) emit(f *facts.Fact) error {
	f.Crawl, f.Subset, f.Segment, f.Filename = r.origin.crawl, r.origin.subset, r.origin.segment, r.origin.filename
	if f.Kind == facts.KindSite {
		// The input's counters are the sums over its sites; contents of METAs stay with their site. Defects of the
		// archive are counted by its reader, which sees those of records that are no captures too.
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

// isArchiveDefect tells whether a counter is that of a defect of the archive, and not of HTTP or of a page.
func isArchiveDefect(counter string) bool {
	code, ok := strings.CutPrefix(counter, facts.CountDefectPrefix)
	return ok && slices.Contains(archive.Defects(), archive.Defect(code))
}

// finishTask writes the site facts. It tells whether this program panicked over them.
func (r *reading) finishTask() (faulty bool, err error) {
	defer guard(r.in, &faulty, &err)
	return false, r.task.Finish()
}

// finish writes the site facts and the input's own. What ended the input, nil if it was read to its end, is in failure.
func (r *reading) finish(failure error) (Summary, error) {
	switch faulty, err := r.finishTask(); {
	case err == nil:
	case !faulty:
		return Summary{}, err
	case failure == nil:
		failure = err
	}
	input := facts.Fact{Kind: facts.KindInput, SiteHash: facts.HashSite(""), InputBytes: r.bytes, InputDigest: r.digest}
	sum := Summary{Inputs: 1, Bytes: max(r.bytes, 0)}
	if r.opened {
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
		if r.opts.OnUnnamed != nil {
			r.opts.OnUnnamed(r.in.Input)
		}
	}
	if say := r.opts.OnFailure; say != nil && input.Error != "" {
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
