// Package analyzerun is the work list of stage 2: facts in, part files of the eight tables out. It sorts facts into
// buckets of sites on disk, then surveys several buckets at a time, each as a stream. It makes no decisions; package
// survey does.
package analyzerun

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/acapscan/acapscan/analyze/crosshost"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// Average facts of a bucket. Buckets are smaller if there would be few, so that all workers have some. But each bucket
// costs 3 ms for every table that has rows of it, as much as 300 facts.
const (
	bucketFacts = 1 << 16
	smallBucket = 1 << 12 // the only one
	midBucket   = 1 << 14 // of several
	fewBuckets  = 16
)

// maxBuckets limits the part files of a run.
const maxBuckets = 1 << 14

// Options of a run. The zero value has all defaults.
type Options struct {
	Workers int // buckets at a time; 0: the number of cores
	Survey  survey.Options
	// Memory limits sorting and the pass across hosts, in bytes; 0: DefaultMemory. Tables do not depend on it.
	Memory int64
	// Progress counts what is done; may be nil.
	Progress *Progress
}

// Progress counts what is done. Workers add to it, others only read it.
type Progress struct {
	Began atomic.Int64 // when the first bucket was begun, in Unix nanoseconds; 0 while facts are sorted
	Size  atomic.Int64 // bytes of sorted facts, an estimate of the work
	Done  atomic.Int64 // bytes of surveyed facts: exact for finished buckets, estimated for others
	Sites atomic.Int64 // surveyed

	perFact int64 // average bytes of a fact
}

// begin is called before the first bucket.
func (p *Progress) begin(size, facts int64) {
	p.perFact = size / max(facts, 1)
	p.Size.Store(size)
	p.Began.Store(time.Now().UnixNano())
}

// A bucketProgress counts what is done in one bucket.
type bucketProgress struct {
	*Progress
	size, done, unreported int64
}

// reportedFacts are counted at once, because all workers write to Progress.
const reportedFacts = 256

// fact counts a fact.
func (p *bucketProgress) fact() {
	if p.unreported++; p.unreported == reportedFacts {
		p.report(min(p.unreported*p.perFact, p.size-p.done))
	}
}

func (p *bucketProgress) report(bytes int64) {
	p.done += bytes
	p.Done.Add(bytes)
	p.unreported = 0
}

// finish counts the rest of the bucket.
func (p *bucketProgress) finish() { p.report(p.size - p.done) }

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 64 << 20

// minMemory is the least Options.Memory.
const minMemory = 1 << 20

// normal returns the options with defaults filled in.
func (o Options) normal() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	o.Memory = max(o.Memory, minMemory)
	if o.Progress == nil {
		o.Progress = &Progress{}
	}
	o.Survey = o.Survey.Normal()
	return o
}

// A Summary counts what a run found.
type Summary struct {
	Inputs, InputErrors, Records       int64
	Sites, RobotsCaptures, Statements  int64
	ACAPStatements, Pages, Permissions int64
	Adoption                           map[table.AdoptionClass]int64
	Conflicts                          map[table.ConflictKind]int64
	ConflictRows                       int64
	Limits                             LimitCounts
	InputList                          []manifest.Input
}

// LimitCounts counts what is not exact because a budget or limit ended it.
type LimitCounts struct {
	Classes     int64 // sites whose adoption_class is not exact
	Incomplete  int64 // sites with conflicts_complete false
	Approximate int64 // rows in conflicts
	Extents     int64 // rows in permissions whose extent is unknown
	Permissions int64 // sites with permissions_complete false
}

// AddSite adds the row of a site. Sums over adoption equal those over the other tables.
func (b *LimitCounts) AddSite(row *table.Adoption) {
	if !row.ClassExact {
		b.Classes++
	}
	if !row.ConflictsComplete {
		b.Incomplete++
	}
	if !row.PermissionsComplete {
		b.Permissions++
	}
	b.Approximate += row.ConflictsApproximate
	b.Extents += row.ExtentsUnknown
}

func (b *LimitCounts) add(c LimitCounts) {
	b.Classes += c.Classes
	b.Incomplete += c.Incomplete
	b.Approximate += c.Approximate
	b.Extents += c.Extents
	b.Permissions += c.Permissions
}

// CountBuckets returns the number of buckets for so many facts. It depends on nothing else, so that tables do not
// either.
func CountBuckets(rows int64) int {
	// A power of two, so that 2, 4 or 8 workers end together.
	n := int64(1)
	for n < fewBuckets && n*min(n*smallBucket, midBucket) < rows {
		n *= 2
	}
	return int(min(max(n, (rows+bucketFacts-1)/bucketFacts), maxBuckets))
}

// Run surveys all facts of the store into out, except buckets that are finished there. It makes and removes the
// folder work, for sorted facts: they take about as much space as the store.
func Run(ctx context.Context, store *facts.Set, work string, out *dataset.Writer, opts Options) (sum *Summary,
	err error) {
	opts = opts.normal()
	buckets := CountBuckets(store.Rows())
	if planned := out.Plan().Count; planned > 0 {
		buckets = planned
	}
	summaries := make([]*Summary, buckets)
	var missing []int
	for i := range summaries {
		if summaries[i] = finished(out, i); summaries[i] == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return sumUp(summaries), os.RemoveAll(work) // a run that was killed after its last bucket leaves sorted facts
	}
	if len(missing) < buckets { // sites of other buckets may need copies of policies, but not of pages
		store = store.Filter(func(f *facts.Fact) bool {
			return f.Kind != facts.KindPage || summaries[extsort.BucketOf(f.SiteHash, buckets)] == nil
		})
	}
	sorted, err := store.Sort(ctx, work, buckets, opts.Workers, opts.Memory)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	if err := crosshost.Resolve(ctx, sorted, opts.Survey.Reading, opts.Workers, opts.Memory); err != nil {
		return nil, err
	}
	opts.Progress.begin(largestFirst(missing, sorted), store.Rows()*int64(len(missing))/int64(buckets))
	// Sorting is over and its memory free.
	policies := policyfiles.NewCache(opts.Survey.Reading, opts.Survey.Decide, opts.Memory)
	err = parallel.Run(ctx, opts.Workers, len(missing), func(ctx context.Context) parallel.Worker {
		surveyor := survey.NewSurveyor(opts.Survey, policies)
		surveyor.NewSpillFile = sorted.NewSpillFile
		lot := newLot()
		return parallel.Worker{Do: func(n int) error {
			i := missing[n]
			number := partNumbers{first: i, step: buckets}
			sum, err := runBucket(ctx, sorted, i, number, out, surveyor, lot, opts.Progress)
			if err == nil {
				err = out.Finish(i, sum)
			}
			if err != nil {
				return fmt.Errorf("bucket %d of %d: %w", i, buckets, err)
			}
			summaries[i] = sum
			return nil
		}}
	})
	if err != nil {
		return nil, err
	}
	return sumUp(summaries), nil
}

// largestFirst sorts buckets so that no large one is alone at the end, and returns the size of all.
func largestFirst(buckets []int, sorted *facts.Sorted) (all int64) {
	sizes := make(map[int]int64, len(buckets))
	for _, i := range buckets {
		sizes[i] = sorted.Size(i)
		all += sizes[i]
	}
	slices.SortStableFunc(buckets, func(i, j int) int { return cmp.Compare(sizes[j], sizes[i]) })
	return all
}

// finished returns the summary of a bucket that an earlier run finished, else nil.
func finished(out *dataset.Writer, bucket int) *Summary {
	told, ok := out.Finished(bucket)
	if !ok {
		return nil
	}
	s := newSummary()
	if json.Unmarshal(told, s) != nil {
		return nil
	}
	return s
}

// sumUp adds up the summaries of all buckets.
func sumUp(summaries []*Summary) *Summary {
	total := newSummary()
	for _, s := range summaries {
		total.add(s)
	}
	manifest.SortInputs(total.InputList)
	return total
}

// SumUp adds up the summaries of all buckets in out. It is an error if one is not finished.
func SumUp(out *dataset.Writer) (*Summary, error) {
	var summaries []*Summary
	for i := range out.Plan().Count {
		s := finished(out, i)
		if s == nil {
			return nil, fmt.Errorf("bucket %d of %d is not finished", i, out.Plan().Count)
		}
		summaries = append(summaries, s)
	}
	return sumUp(summaries), nil
}

// bucketRows are the rows that RunBucket holds: a process with one surveyor has memory for more than one of many, and
// makes fewer part files. In S3 each costs two requests.
const bucketRows = 4 * survey.DefaultMaxRows

// RunBucket surveys one of the buckets that out has planned. The copies of the pass across hosts must be among the
// facts, see Resolve. work is as for Run.
func RunBucket(ctx context.Context, store *facts.Set, i int, work string, out *dataset.Writer,
	opts Options) (sum *Summary, err error) {
	if opts.Survey.MaxRows == 0 {
		opts.Survey.MaxRows = bucketRows
	}
	opts = opts.normal()
	n := out.Plan().Count
	lo, hi := extsort.Bucket(i, n)
	sorted, err := store.Range(lo, hi).Sort(ctx, work, 1, opts.Workers, opts.Memory)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	opts.Progress.begin(sorted.Size(0), store.Rows()/int64(n))
	surveyor := survey.NewSurveyor(opts.Survey, nil)
	surveyor.NewSpillFile = sorted.NewSpillFile
	sum, err = runBucket(ctx, sorted, 0, partNumbers{first: i, step: n}, out, surveyor, newLot(), opts.Progress)
	if err != nil {
		return nil, err
	}
	return sum, out.Finish(i, sum)
}

// Resolve gives to emit the copies that the pass across hosts adds to the facts of a store, sorted, each once. It
// makes and removes the folder work.
func Resolve(ctx context.Context, store *facts.Set, work string, opts Options,
	emit func(*facts.Fact) error) (err error) {
	opts = opts.normal()
	sorted, err := store.WithKinds(facts.KindRobots, facts.KindPolicy).Sort(ctx, work, CountBuckets(store.Rows()),
		opts.Workers, opts.Memory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	if err := crosshost.Resolve(ctx, sorted, opts.Survey.Reading, opts.Workers, opts.Memory); err != nil {
		return err
	}
	for i := range sorted.Buckets() {
		if err := sorted.ScanOnce(i, parallel.Stopping(ctx, emit), facts.Answers); err != nil {
			return err
		}
	}
	return nil
}

// ResolveStep takes a step of the pass across hosts for bucket i of n: see crosshost.Bucket. sent are the messages of
// all steps before it. It makes and removes the folder work.
func ResolveStep(ctx context.Context, store *facts.Set, i, n int, sent []*facts.Set, work string, opts Options,
	send func(*facts.Fact) error) (open int64, err error) {
	opts = opts.normal()
	scratch, err := facts.NewSorted(filepath.Join(work, "scratch"), 1)
	if err != nil {
		return 0, err
	}
	var sorted *facts.Sorted
	defer func() {
		if sorted != nil {
			err = errors.Join(err, sorted.Close())
		}
		err = errors.Join(err, scratch.Close())
	}()
	b := &crosshost.Bucket{
		Facts: func(hosts []int64) (*facts.Sorted, error) {
			own := store.WithKinds(facts.KindRobots, facts.KindPolicy).Range(extsort.Bucket(i, n)).OfHosts(hosts)
			sorted, err = own.Sort(ctx, filepath.Join(work, "sorted"), 1, opts.Workers, opts.Memory)
			return sorted, err
		},
		Scratch: scratch, Number: i, Of: n, Parsing: opts.Survey.Reading, Memory: opts.Memory, Send: send,
	}
	return b.Take(ctx, len(sent), sent)
}

// IsLastStep reports whether a step of the pass across hosts is the last: then the copies are merged. open is how many
// requests the step before it made.
func IsLastStep(step int, open int64) bool { return crosshost.IsLast(step, open) }

// MergeCopies gives to emit the copies for bucket i of n among the messages of all steps, sorted, each once. A copy is
// good only until emit returns.
func MergeCopies(ctx context.Context, i, n int, sent []*facts.Set, work string, opts Options,
	emit func(*facts.Fact) error) (err error) {
	opts = opts.normal()
	all, err := facts.Join(sent...)
	if err != nil {
		return err
	}
	sorted, err := crosshost.Copies(all, i, n).Sort(ctx, work, 1, opts.Workers, opts.Memory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	return sorted.ScanOncePassing(0, parallel.Stopping(ctx, emit), facts.Answers)
}

// partNumbers number the parts of a bucket: first, first+step, and so on.
type partNumbers struct{ first, step int }

// runBucket surveys a bucket.
func runBucket(ctx context.Context, sorted *facts.Sorted, i int, number partNumbers, out *dataset.Writer,
	surveyor *survey.Surveyor, lot *lot, p *Progress) (*Summary, error) {
	sum, part := newSummary(), number.first
	progress := &bucketProgress{Progress: p, size: sorted.Size(i)}
	scan := func(visit func(*facts.Fact) error) error {
		count := func(f *facts.Fact) error {
			progress.fact()
			return visit(f)
		}
		return sorted.ScanPolicies(i, parallel.Stopping(ctx, count), facts.Counters, facts.Policies, facts.Answers,
			facts.Pages)
	}
	defer lot.forget(0)
	err := surveyor.Bucket(ctx, scan, lot.tables(), func(least int) (int, error) {
		rows := lot.count(least)
		if rows == 0 {
			return 0, nil
		}
		defer lot.forget(least)
		found, err := lot.summarize(least)
		if err != nil {
			return 0, err
		}
		sum.add(found)
		p.Sites.Add(found.Sites)
		n := part
		part += number.step
		return int(rows), lot.write(out, least, n)
	})
	// Rows come in maps, whose order differs between runs; the done marker of the bucket has the summary and must not.
	manifest.SortInputs(sum.InputList)
	if err == nil {
		progress.finish()
	}
	return sum, err
}

func newSummary() *Summary {
	return &Summary{Adoption: map[table.AdoptionClass]int64{}, Conflicts: map[table.ConflictKind]int64{}}
}

// AddInput adds the row of an input, and lists it.
func (s *Summary) AddInput(row *table.Input) {
	s.Inputs++
	s.Records += row.Records
	listed := manifest.Input{Name: row.WARCFilename, Bytes: row.Bytes, SHA256: row.Digest}
	if row.Error != nil {
		s.InputErrors++
		listed.Error = *row.Error
	}
	s.InputList = append(s.InputList, listed)
}

func (s *Summary) add(t *Summary) {
	s.Inputs += t.Inputs
	s.InputErrors += t.InputErrors
	s.Records += t.Records
	s.Sites += t.Sites
	s.RobotsCaptures += t.RobotsCaptures
	s.Statements += t.Statements
	s.ACAPStatements += t.ACAPStatements
	s.Pages += t.Pages
	s.Permissions += t.Permissions
	s.ConflictRows += t.ConflictRows
	s.Limits.add(t.Limits)
	s.InputList = append(s.InputList, t.InputList...)
	for class, n := range t.Adoption {
		s.Adoption[class] += n
	}
	for kind, n := range t.Conflicts {
		s.Conflicts[kind] += n
	}
}
