// Package batch is the work list of the second stage: facts in, part files of the seven tables out, a bucket of sites at a time and
// several buckets in parallel. It knows no policy; package survey does.
package batch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// bucketBytes is how much of the facts, as they are on disk, a bucket holds on average. A bucket is in memory as a whole, several
// times larger than on disk.
const bucketBytes = 8 << 20

// maxBuckets bounds the part files of a run.
const maxBuckets = 1 << 14

// Options of a run. The zero value is good.
type Options struct {
	Workers int // buckets at a time; 0 means all cores
	Survey  survey.Options
	Facts   facts.WriterOptions // of the answers that the pass between the stages writes
	// Progress is told of what is done; may be nil.
	Progress *Progress
}

// Progress counts what has been done. Workers only add to it; who shows it reads it.
type Progress struct {
	Total   atomic.Int64 // buckets; 0 as long as the pass between the stages goes on
	Began   atomic.Int64 // when the first bucket was begun, in Unix nanoseconds
	Buckets atomic.Int64 // finished
	Sites   atomic.Int64
}

func (p *Progress) begin(buckets int) {
	p.Began.Store(time.Now().UnixNano())
	p.Total.Store(int64(buckets))
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

// countBuckets returns how many buckets the facts are parted into: it depends on the facts alone.
func countBuckets(store *facts.Store) (int, error) {
	var total int64
	for _, file := range store.Files() {
		info, err := os.Stat(file)
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return int(min(max(1, (total+bucketBytes-1)/bucketBytes), maxBuckets)), nil
}

// Run surveys all facts of the store into out. work is a folder for what the pass between the stages writes; the caller removes it.
func Run(ctx context.Context, store *facts.Store, work string, out *dataset.Writer, opts Options) (*Summary, error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Progress == nil {
		opts.Progress = &Progress{}
	}
	opts.Survey = opts.Survey.Normal()
	buckets, err := countBuckets(store)
	if err != nil {
		return nil, err
	}
	store, err = resolve(ctx, store, work, opts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	summaries := make([]*Summary, buckets)
	opts.Progress.begin(buckets)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(opts.Workers, buckets) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= buckets || ctx.Err() != nil {
					return
				}
				var err error
				if summaries[i], err = runBucket(store, i, buckets, out, opts.Survey); err != nil {
					cancel(fmt.Errorf("bucket %d of %d: %w", i, buckets, err))
					return
				}
				opts.Progress.Buckets.Add(1)
				opts.Progress.Sites.Add(summaries[i].Sites)
			}
		}()
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	total := newSummary()
	for _, s := range summaries {
		total.add(s)
	}
	slices.SortFunc(total.InputList, func(a, b manifest.Input) int { return strings.Compare(a.Name, b.Name) })
	return total, nil
}

// resolve runs the pass between the stages and returns the store with what it wrote.
func resolve(ctx context.Context, store *facts.Store, work string, opts Options) (*facts.Store, error) {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, err
	}
	base := filepath.Join(work, "answers")
	answers := facts.Create(base, opts.Facts)
	scan := func(visit func(*facts.Fact) error) error {
		return store.Scan(func(f *facts.Fact) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return visit(f)
		})
	}
	if err := survey.Resolve(scan, answers.Write, opts.Survey.Reading); err != nil {
		return nil, err
	}
	if err := answers.Close(); err != nil {
		return nil, err
	}
	found, err := facts.OpenStore([]string{work})
	if err != nil {
		return nil, err
	}
	return store.With(found), nil
}

// runBucket surveys a bucket. Its first lot of rows is part i of every partition, the next part i+n, and so on.
func runBucket(store *facts.Store, i, n int, out *dataset.Writer, opts survey.Options) (*Summary, error) {
	list, err := store.Bucket(i, n)
	if err != nil {
		return nil, err
	}
	sum, part := newSummary(), i
	err = survey.Bucket(list, opts, func(rows *survey.Rows) error {
		sum.add(summarize(rows))
		lot := part
		part += n
		return addRows(out, lot, rows)
	})
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
			s.Inputs++
			s.Records += in.Records
			listed := manifest.Input{Name: in.WARCFilename, Bytes: in.Bytes, SHA256: in.Digest}
			if in.Error != nil {
				s.InputErrors++
				listed.Error = *in.Error
			}
			s.InputList = append(s.InputList, listed)
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
			if list[i].Vocabulary == table.VocabularyACAP {
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
