// Package survey is stage 2 for a bucket of sites: facts in, rows of the eight tables out. For every site it finds
// the robots.txt in force at each capture, decides permissions, finds conflicts and extents, and classifies the use
// of ACAP. It reads and writes no files but spill files, and its rows depend on its input alone.
package survey

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// A DirectivesChoice selects the statements that have rows.
type DirectivesChoice string

const (
	// all of ACAP and of AI preferences; conventional rules of sites with ACAP and of pages
	DirectivesDefault DirectivesChoice = "default"
	DirectivesAll     DirectivesChoice = "all" // and the conventional rules of every site
)

// A PermissionsChoice selects the decisions that have rows.
type PermissionsChoice string

const (
	// sites with ACAP, and pages with ACAP; AI preferences of every site and page that states one
	PermissionsDefault   PermissionsChoice = "default"
	PermissionsAll       PermissionsChoice = "all"        // every site and every page
	PermissionsACAPSites PermissionsChoice = "acap-sites" // sites with ACAP
	PermissionsAllSites  PermissionsChoice = "all-sites"  // every site
)

// Options of a survey. Normal sets the defaults.
type Options struct {
	Reading     parse.Options
	Decide      decide.Options
	Directives  DirectivesChoice
	Permissions PermissionsChoice
	Agents      []policy.Agent // that permissions have rows for, besides those that a site names
	NoVerbatim  bool           // leave out third-party text
	Budget      int            // states when paths are explored; 0: the default of package paths
	MaxRows     int            // rows to hold before some become part files; 0: DefaultMaxRows
}

// Normal returns the options with defaults filled in.
func (o Options) Normal() Options {
	if o.Directives == "" {
		o.Directives = DirectivesDefault
	}
	if o.Permissions == "" {
		o.Permissions = PermissionsDefault
	}
	if o.MaxRows <= 0 {
		o.MaxRows = DefaultMaxRows
	}
	return o
}

// DefaultMaxRows is the default of Options.MaxRows: some hundred megabytes with the files they go to.
const DefaultMaxRows = 1 << 16

// An output counts rows, and ends a part of them when there are many.
type output struct {
	rows  Tables
	n     int                                   // rows of the part
	parts int                                   // how often lists ended
	end   func(least int) (rows int, err error) // see Surveyor.Bucket
	max   int                                   // rows of a part
	ended func() error                          // why the survey is to end, within a site too; nil while it is not

	newSpillFile func() (*facts.SpillFile, error)
	limits       policyfiles.Limits
	maxPageSteps int64 // for all pages of one site; see pageWork.exceeded
	cache        *policyfiles.Cache
	agents       agentMemory

	surveyed func(*site) // called for each finished site; only tests set it
	byViews  bool        // a View decides for each agent; only tests set it
}

// stopped reports whether the survey is to end.
func (o *output) stopped() bool { return o.ended() != nil }

// longPart is the part of all rows from which on a list is long.
const longPart = 8

// flushFull ends the long lists if there are many rows, and leaves the others to grow: each list becomes a part file.
// Where no list is long, it ends all.
func (o *output) flushFull() error {
	if o.n < o.max {
		return nil
	}
	n, err := o.flush(o.max / longPart)
	if n == 0 && err == nil {
		_, err = o.flush(0)
	}
	return err
}

// flush ends the lists of at least so many rows, and returns how many rows these were.
func (o *output) flush(least int) (rows int, err error) {
	if err := o.ended(); err != nil {
		return 0, err // rows may be incomplete
	}
	o.parts++
	rows, err = o.end(least)
	o.n -= rows
	return rows, err
}

// add adds a row to a table.
func add[T any](o *output, table Table[T], at Partition, row T) {
	*table.Next(at) = row
	o.n++
}

// A Surveyor surveys one bucket after another. It is for one goroutine.
type Surveyor struct {
	// NewSpillFile makes a spill file, for the captures of a robots.txt that was captured very often.
	NewSpillFile func() (*facts.SpillFile, error)

	opts  Options
	cache *policyfiles.Cache
}

// NewSurveyor returns a Surveyor. Several Surveyors of the same options may share cache; nil: a cache of its own. Its
// spill files are in the system's folder for temporary files.
func NewSurveyor(opts Options, cache *policyfiles.Cache) *Surveyor {
	if cache == nil {
		cache = policyfiles.NewCache(opts.Reading, opts.Decide, 0)
	}
	return &Surveyor{
		NewSpillFile: func() (*facts.SpillFile, error) { return facts.NewSpillFile("") },
		opts:         opts.Normal(), cache: cache,
	}
}

// Bucket surveys the facts of one bucket. scan calls its argument for each fact, in the order of facts.Compare, and
// for all facts of each of its hosts. Bucket gives its rows to tables, which make a list of each partition. Where there
// are many rows, and at its end, it calls end: this makes parts of the lists of at least so many rows, 0 of all, begins
// them again, and returns how many rows they had. The parts depend on the facts and options alone. Errors are those of
// scan and end. If the context ends, Bucket ends within a site too, and calls end no more.
func (s *Surveyor) Bucket(ctx context.Context, scan Scan, tables Tables,
	end func(least int) (rows int, err error)) error {
	return s.outputTo(ctx, tables, end).bucket(scan, s.opts)
}

// Lists is Bucket for few rows: it gives each part to emit, sorted.
func (s *Surveyor) Lists(ctx context.Context, scan Scan, emit func(*Rows) error) error {
	return s.output(ctx, emit).bucket(scan, s.opts)
}

func (s *Surveyor) output(ctx context.Context, emit func(*Rows) error) *output {
	rows := newRows()
	return s.outputTo(ctx, rows.takers(), func(least int) (int, error) {
		part := rows.take(least)
		n := part.count()
		if n == 0 {
			return 0, nil
		}
		part.sort()
		return n, emit(part)
	})
}

func (s *Surveyor) outputTo(ctx context.Context, tables Tables, end func(least int) (int, error)) *output {
	return &output{
		rows: tables, end: end, max: s.opts.MaxRows, newSpillFile: s.NewSpillFile,
		limits:       policyfiles.DefaultLimits(),
		maxPageSteps: math.MaxInt64, cache: s.cache,
		ended: func() error {
			if ctx.Err() == nil { // context.Cause takes a lock
				return nil
			}
			return context.Cause(ctx)
		},
	}
}

// A Scan calls visit for every fact of a set, and returns the first error of visit. visit may keep the fact, unless it
// is of a KindSite.
type Scan func(visit func(*facts.Fact) error) error

func (o *output) bucket(scan Scan, opts Options) (err error) {
	var current *host
	defer func() { err = errors.Join(err, current.close()) }()
	err = scan(func(f *facts.Fact) error {
		if err := parse.CheckBody(f, opts.Reading); err != nil {
			return err
		}
		if f.Kind == facts.KindInput {
			add(o, o.rows.Inputs, Partition{f.CrawlName(), subsetOf(f)}, inputRow(f))
			return o.flushFull()
		}
		if current == nil || current.hash != f.SiteHash || current.crawl != f.CrawlName() {
			if err := errors.Join(current.end(), current.close()); err != nil {
				return err
			}
			if current == nil {
				current = newHost(f, opts, o)
			} else {
				current.begin(f)
			}
		}
		return current.add(f)
	})
	if err != nil {
		return err
	}
	if err := current.end(); err != nil {
		return err
	}
	_, err = o.flush(0)
	return err
}

// subsetOf returns the subset of a fact.
func subsetOf(f *facts.Fact) string { return cmp.Or(f.Subset, table.LocalSubset) }
