// Package analyzerun is the work list of the second stage: facts in, part files of the seven tables out. Facts are sorted into buckets of
// sites on disk first; then several buckets are surveyed in parallel, each as a stream. It knows no policy; package survey does.
package analyzerun

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/acapscan/acapscan/analyze/crosshost"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// A bucket has so many facts on average, a small one where there would be few buckets: all workers should have something to do.
const (
	bucketFacts = 1 << 16
	smallBucket = 1 << 12
	fewBuckets  = 16
)

// maxBuckets bounds the part files of a run.
const maxBuckets = 1 << 14

// Options of a run. The zero value is good.
type Options struct {
	Workers int // buckets at a time; 0 means all cores
	Survey  survey.Options
	// Memory is about how much memory sorting and the pass between the stages may take, in bytes; 0 means DefaultMemory. It changes no
	// table.
	Memory int64
	// Progress is told of what is done; may be nil.
	Progress *Progress
}

// Progress counts what has been done. Workers only add to it; who shows it reads it.
type Progress struct {
	Total   atomic.Int64 // buckets; 0 as long as facts are sorted
	Began   atomic.Int64 // when the first bucket was begun, in Unix nanoseconds
	Buckets atomic.Int64 // finished
	Sites   atomic.Int64
	Size    atomic.Int64 // octets of sorted facts of all these buckets; large ones are begun first, so that their number tells less
	Done    atomic.Int64 // of them, in buckets that are finished
}

func (p *Progress) begin(buckets int, size int64) {
	p.Size.Store(size)
	p.Began.Store(time.Now().UnixNano())
	p.Total.Store(int64(buckets))
}

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 64 << 20

// minMemory is the least that Options.Memory comes to.
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

// A Summary tells what a run found.
type Summary struct {
	Inputs, InputErrors, Records       int64
	Sites, RobotsCaptures, Statements  int64
	ACAPStatements, Pages, Permissions int64
	Adoption                           map[table.AdoptionClass]int64
	Conflicts                          map[table.ConflictKind]int64
	ConflictRows                       int64
	Beyond                             Beyond
	InputList                          []manifest.Input
}

// Beyond counts what ended at a budget, and so is not exact.
type Beyond struct {
	Classes     int64 // sites whose adoption_class rests on a comparison that ended
	Incomplete  int64 // sites that may have conflicts without a row
	Approximate int64 // rows in conflicts
	Extents     int64 // rows in permissions whose extent is unknown
	Permissions int64 // sites that name more crawlers or purposes than permissions has rows for
}

// AddSite counts what the row of a site tells: sums over adoption are those over the other tables.
func (b *Beyond) AddSite(row *table.Adoption) {
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

func (b *Beyond) add(c Beyond) {
	b.Classes += c.Classes
	b.Incomplete += c.Incomplete
	b.Approximate += c.Approximate
	b.Extents += c.Extents
	b.Permissions += c.Permissions
}

// CountBuckets returns how many buckets so many facts are parted into: it depends on the facts alone, so that the tables do.
func CountBuckets(rows int64) int {
	ceil := func(size int64) int64 { return (rows + size - 1) / size }
	return int(min(max(1, ceil(bucketFacts), min(ceil(smallBucket), fewBuckets)), maxBuckets))
}

// Run surveys all facts of the store into out, but for the buckets that are finished there. work is a folder, which Run makes and removes,
// for facts while they are sorted: they take about as much as the store does.
func Run(ctx context.Context, store *facts.Set, work string, out *dataset.Writer, opts Options) (sum *Summary, err error) {
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
		return sumUp(summaries), os.RemoveAll(work) // one that was killed behind its last bucket leaves sorted facts
	}
	if len(missing) < buckets { // policies may be asked for by sites of other buckets, pages are not
		store = store.Filter(func(f *facts.Fact) bool {
			return f.Kind != facts.KindPage || summaries[facts.BucketOf(f.SiteHash, buckets)] == nil
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
	opts.Progress.begin(len(missing), largestFirst(missing, sorted))
	policies := survey.NewPolicies(opts.Survey.Reading, opts.Memory) // what sorting took is free by now
	err = parallel.Run(ctx, opts.Workers, len(missing), func(ctx context.Context) parallel.Worker {
		surveyor := survey.NewSurveyor(opts.Survey, policies)
		surveyor.NewSpillFile = sorted.NewSpillFile
		return parallel.Worker{Do: func(n int) error {
			i := missing[n]
			sum, err := runBucket(ctx, sorted, i, lots{first: i, step: buckets}, out, surveyor)
			if err == nil {
				err = out.Finish(i, sum)
			}
			if err != nil {
				return fmt.Errorf("bucket %d of %d: %w", i, buckets, err)
			}
			summaries[i] = sum
			opts.Progress.Buckets.Add(1)
			opts.Progress.Done.Add(sorted.Size(i))
			opts.Progress.Sites.Add(sum.Sites)
			return nil
		}}
	})
	if err != nil {
		return nil, err
	}
	return sumUp(summaries), nil
}

// largestFirst brings buckets in the order they are begun in, lest a large one be alone at the end, and returns the size of all.
func largestFirst(buckets []int, sorted *facts.Sorted) (all int64) {
	sizes := make(map[int]int64, len(buckets))
	for _, i := range buckets {
		sizes[i] = sorted.Size(i)
		all += sizes[i]
	}
	slices.SortStableFunc(buckets, func(i, j int) int { return cmp.Compare(sizes[j], sizes[i]) })
	return all
}

// finished returns the summary of a bucket that an earlier run has finished, nil if there is none.
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

// SumUp returns what all buckets told that are finished in out.
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

// RunBucket surveys one bucket of as many as out has planned, and nothing else: what the pass between the stages gives must be among the
// facts, see Resolve. work is as for Run.
func RunBucket(ctx context.Context, store *facts.Set, i int, work string, out *dataset.Writer, opts Options) (sum *Summary, err error) {
	opts = opts.normal()
	n := out.Plan().Count
	lo, hi := facts.Bucket(i, n)
	sorted, err := store.Range(lo, hi).Sort(ctx, work, 1, opts.Workers, opts.Memory)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	opts.Progress.begin(1, sorted.Size(0))
	surveyor := survey.NewSurveyor(opts.Survey, nil)
	surveyor.NewSpillFile = sorted.NewSpillFile
	if sum, err = runBucket(ctx, sorted, 0, lots{first: i, step: n}, out, surveyor); err != nil {
		return nil, err
	}
	opts.Progress.Sites.Add(sum.Sites)
	opts.Progress.Done.Add(sorted.Size(0))
	opts.Progress.Buckets.Add(1)
	return sum, out.Finish(i, sum)
}

// Resolve gives to emit what the pass between the stages adds to the facts of a store, sorted, each once, in no more memory than
// Options.Memory says. work is a folder, which Resolve makes and removes.
func Resolve(ctx context.Context, store *facts.Set, work string, opts Options, emit func(*facts.Fact) error) (err error) {
	opts = opts.normal()
	sorted, err := store.WithKinds(facts.KindRobots, facts.KindPolicy).Sort(ctx, work, CountBuckets(store.Rows()), opts.Workers, opts.Memory)
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

// lots number the lots of rows of a bucket, each of which is a part of every partition: first, first+step, and so on.
type lots struct{ first, step int }

// runBucket surveys a bucket.
func runBucket(ctx context.Context, sorted *facts.Sorted, i int, number lots, out *dataset.Writer, surveyor *survey.Surveyor) (*Summary, error) {
	sum, part := newSummary(), number.first
	scan := func(visit func(*facts.Fact) error) error {
		return sorted.Scan(i, parallel.Stopping(ctx, visit), facts.Counters, facts.Policies, facts.Answers, facts.Pages)
	}
	err := surveyor.Bucket(ctx, scan, func(rows *survey.Rows) error {
		sum.add(summarize(rows))
		lot := part
		part += number.step
		return addRows(out, lot, rows)
	})
	// Rows come in maps, whose order differs from run to run: the summary goes into the bucket's mark, which must not.
	manifest.SortInputs(sum.InputList)
	return sum, err
}

func addRows(out *dataset.Writer, part int, rows *survey.Rows) error {
	for _, add := range []func() error{
		func() error { return addAll(out, table.Inputs, part, rows.Inputs) },
		func() error { return addAll(out, table.RobotsTxt, part, rows.Robots) },
		func() error { return addAll(out, table.Pages, part, rows.Pages) },
		func() error { return addAll(out, table.Directives, part, rows.Directives) },
		func() error { return addAll(out, table.Adoptions, part, rows.Adoption) },
		func() error { return addAll(out, table.Permissions, part, rows.Permissions) },
		func() error { return addAll(out, table.Conflicts, part, rows.Conflicts) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

func addAll[T any](out *dataset.Writer, name table.Name, part int, rows map[survey.Partition][]T) error {
	for at, list := range rows {
		if err := dataset.Add(out, name, at.Crawl, at.Subset, part, list); err != nil {
			return err
		}
	}
	return nil
}

func newSummary() *Summary {
	return &Summary{Adoption: map[table.AdoptionClass]int64{}, Conflicts: map[table.ConflictKind]int64{}}
}

func summarize(rows *survey.Rows) *Summary {
	s := newSummary()
	for _, list := range rows.Inputs {
		for _, in := range list {
			s.AddInput(&in)
		}
	}
	for _, list := range rows.Robots {
		s.RobotsCaptures += int64(len(list))
	}
	for _, list := range rows.Pages {
		s.Pages += int64(len(list))
	}
	for _, list := range rows.Directives {
		s.Statements += int64(len(list))
		for i := range list {
			if list[i].Vocabulary.Is(terms.VocabularyACAP) {
				s.ACAPStatements++
			}
		}
	}
	for _, list := range rows.Permissions {
		s.Permissions += int64(len(list))
	}
	for _, list := range rows.Adoption {
		s.Sites += int64(len(list))
		for i := range list {
			a := &list[i]
			s.Adoption[a.Class]++
			s.Beyond.AddSite(a)
		}
	}
	for _, list := range rows.Conflicts {
		s.ConflictRows += int64(len(list))
		for i := range list {
			s.Conflicts[list[i].Kind]++
		}
	}
	return s
}

// AddInput counts what the row of an input tells, and lists it.
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
	s.Beyond.add(t.Beyond)
	s.InputList = append(s.InputList, t.InputList...)
	for class, n := range t.Adoption {
		s.Adoption[class] += n
	}
	for kind, n := range t.Conflicts {
		s.Conflicts[kind] += n
	}
}
