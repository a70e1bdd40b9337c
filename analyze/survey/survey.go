// Package survey is the second stage: facts of a bucket of sites in, rows of the seven tables out. For every site it finds the
// robots.txt that speaks for a capture, decides permissions, finds conflicts and extents, and tells what the site does with
// ACAP. It reads and writes no file; what it is given decides what it gives back, byte for byte.
package survey

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// A DirectivesChoice selects which statements leave a row.
type DirectivesChoice string

const (
	DirectivesDefault DirectivesChoice = "default" // all ACAP; conventional rules of sites with ACAP and of kept pages
	DirectivesAll     DirectivesChoice = "all"     // conventional rules of every site too
)

// A PermissionsChoice selects which decisions leave a row.
type PermissionsChoice string

const (
	PermissionsDefault   PermissionsChoice = "default"    // sites with ACAP, and pages with ACAP
	PermissionsAll       PermissionsChoice = "all"        // every site and every kept page
	PermissionsACAPSites PermissionsChoice = "acap-sites" // sites with ACAP, and no page
	PermissionsAllSites  PermissionsChoice = "all-sites"  // every site, and no page
)

// Options of a survey. The zero value is the default but for Directives and Permissions, which Normal sets.
type Options struct {
	Reading     parse.Options
	Decide      decide.Options
	Directives  DirectivesChoice
	Permissions PermissionsChoice
	Agents      []policy.Agent // decided for beside those that a site names
	NoVerbatim  bool           // leave out third-party text
	Budget      int            // states of an exploration of paths; 0: the default of package paths
}

// Normal returns the options with defaults filled in.
func (o Options) Normal() Options {
	if o.Directives == "" {
		o.Directives = DirectivesDefault
	}
	if o.Permissions == "" {
		o.Permissions = PermissionsDefault
	}
	return o
}

// A Partition is where rows belong: Subset is empty in tables that join across subsets.
type Partition struct {
	Crawl, Subset string
}

// Rows are the rows that a bucket gives, by partition, sorted as the tables are.
type Rows struct {
	Inputs      map[Partition][]table.Input
	Robots      map[Partition][]table.Robots
	Pages       map[Partition][]table.Page
	Directives  map[Partition][]table.Directive
	Adoption    map[Partition][]table.Adoption
	Permissions map[Partition][]table.Permission
	Conflicts   map[Partition][]table.Conflict
}

func newRows() *Rows {
	return &Rows{
		Inputs: map[Partition][]table.Input{}, Robots: map[Partition][]table.Robots{}, Pages: map[Partition][]table.Page{},
		Directives: map[Partition][]table.Directive{}, Adoption: map[Partition][]table.Adoption{},
		Permissions: map[Partition][]table.Permission{}, Conflicts: map[Partition][]table.Conflict{},
	}
}

// maxHeld is how many rows are held before they are given out: some hundred megabytes at most, with the files that they go to.
const maxHeld = 1 << 16

// An output collects rows and gives them out when there are many.
type output struct {
	rows *Rows
	emit func(*Rows) error
	max  int

	ended func() error // why all is to end, in the midst of a site too; nil as long as it is not

	newSpillFile newSpillFile
	bounds       bounds
	cache        *Policies // nil before the first host

	surveyed func(*site) // told of each site that is done; nil but in tests
}

// policies is the cache of what was read.
func (o *output) policies(opts Options) *Policies {
	if o.cache == nil {
		o.cache = NewPolicies(opts.Reading, 0)
	}
	return o.cache
}

// flushFull gives the rows out if there are many.
func (o *output) flushFull() error {
	if o.rows.count() < o.max {
		return nil
	}
	return o.flush()
}

// hasEnded tells why all is to end, nil as long as it is not.
func (o *output) hasEnded() error {
	if o.ended == nil { // in tests
		return nil
	}
	return o.ended()
}

func (o *output) flush() error {
	if err := o.hasEnded(); err != nil {
		return err // rows made since may lack what was not looked for
	}
	o.rows.prune()
	o.rows.sort()
	err := o.emit(o.rows)
	o.rows.empty()
	return err
}

// Bucket surveys the facts of one bucket. scan calls its argument for each of them, in the order of facts.Compare; all facts of each of
// its hosts must be among them. Pages go by one at a time, so that no more of a site is held than its policies. It gives its rows to
// emit, which must not keep the lists beyond its return: all at once, or in several lots where they are many, each lot sorted by itself.
// What the lots are depends on the facts and the options alone. Errors are those of scan and emit. It
// ends with the context, in the midst of a site too, and gives nothing out from then on.
func Bucket(ctx context.Context, scan Scan, opts Options, emit func(*Rows) error) error {
	return NewSurveyor(opts).Bucket(ctx, scan, emit)
}

// A Surveyor surveys one bucket after another. It holds the memory of its rows for the next; it is for one goroutine.
type Surveyor struct {
	// NewSpillFile makes a place for captures of a robots.txt that was captured very often; nil: in the system's folder for temporary files.
	NewSpillFile func() (*facts.SpillFile, error)

	// Policies are what bodies say that several hosts have; nil: the Surveyor has its own.
	Policies *Policies

	opts Options
	rows *Rows
}

// NewSurveyor returns a Surveyor.
func NewSurveyor(opts Options) *Surveyor { return &Surveyor{opts: opts.Normal(), rows: newRows()} }

func spillAnywhere() (*facts.SpillFile, error) { return facts.NewSpillFile("") }

// Bucket is the function Bucket.
func (s *Surveyor) Bucket(ctx context.Context, scan Scan, emit func(*Rows) error) error {
	if s.rows.count() > 0 { // after an error
		s.rows.empty()
	}
	out := &output{rows: s.rows, emit: emit, max: maxHeld, newSpillFile: s.NewSpillFile, bounds: normalBounds()}
	out.ended = func() error {
		if ctx.Err() == nil { // this is asked often, and takes no lock
			return nil
		}
		return context.Cause(ctx)
	}
	if s.Policies == nil {
		s.Policies = NewPolicies(s.opts.Reading, 0)
	}
	out.cache = s.Policies
	if out.newSpillFile == nil {
		out.newSpillFile = spillAnywhere
	}
	return out.bucket(scan, s.opts)
}

// A Scan calls visit for every fact of a set, and ends with the first error of visit. The fact is the callee's to keep.
type Scan func(visit func(*facts.Fact) error) error

func (o *output) bucket(scan Scan, opts Options) (err error) {
	var current *host
	defer func() { err = errors.Join(err, current.close()) }()
	err = scan(func(f *facts.Fact) error {
		if f.Kind == facts.KindInput {
			at := Partition{f.CrawlName(), subsetOf(f)}
			o.rows.Inputs[at] = append(o.rows.Inputs[at], inputRow(f))
			return o.flushFull()
		}
		if current == nil || current.hash != f.SiteHash || current.crawl != f.CrawlName() {
			if err := errors.Join(current.end(), current.close()); err != nil {
				return err
			}
			current = newHost(f, opts, o)
		}
		return current.add(f)
	})
	if err != nil {
		return err
	}
	if err := current.end(); err != nil {
		return err
	}
	return o.flush()
}

// subsetOf is the subset of a fact. What names none has one name, lest it be told apart from what has just that.
func subsetOf(f *facts.Fact) string { return cmp.Or(f.Subset, table.LocalSubset) }

// count returns how many rows there are.
func (r *Rows) count() int {
	return countAll(r.Inputs) + countAll(r.Robots) + countAll(r.Pages) + countAll(r.Directives) + countAll(r.Adoption) +
		countAll(r.Permissions) + countAll(r.Conflicts)
}

// maxKept bounds the rows that there is room for between two lots: partitions come and go.
const maxKept = 2 * maxHeld

// empty removes all rows, and leaves room for others.
func (r *Rows) empty() {
	if roomOf(r.Inputs)+roomOf(r.Robots)+roomOf(r.Pages)+roomOf(r.Directives)+roomOf(r.Adoption)+roomOf(r.Permissions)+roomOf(r.Conflicts) > maxKept {
		*r = *newRows()
		return
	}
	emptyAll(r.Inputs)
	emptyAll(r.Robots)
	emptyAll(r.Pages)
	emptyAll(r.Directives)
	emptyAll(r.Adoption)
	emptyAll(r.Permissions)
	emptyAll(r.Conflicts)
}

func emptyAll[T any](rows map[Partition][]T) {
	for at, list := range rows {
		clear(list)
		rows[at] = list[:0]
	}
}

// prune takes away the partitions that nothing came for since the last lot.
func (r *Rows) prune() {
	pruneAll(r.Inputs)
	pruneAll(r.Robots)
	pruneAll(r.Pages)
	pruneAll(r.Directives)
	pruneAll(r.Adoption)
	pruneAll(r.Permissions)
	pruneAll(r.Conflicts)
}

func pruneAll[T any](rows map[Partition][]T) {
	maps.DeleteFunc(rows, func(_ Partition, list []T) bool { return len(list) == 0 })
}

func roomOf[T any](rows map[Partition][]T) int {
	n := 0
	for _, list := range rows {
		n += cap(list)
	}
	return n
}

func countAll[T any](rows map[Partition][]T) int {
	n := 0
	for _, list := range rows {
		n += len(list)
	}
	return n
}

func (r *Rows) sort() {
	sortAll[table.Input](r.Inputs)
	sortAll[table.Robots](r.Robots)
	sortAll[table.Page](r.Pages)
	sortAll[table.Directive](r.Directives)
	sortAll[table.Adoption](r.Adoption)
	sortAll[table.Permission](r.Permissions)
	sortAll[table.Conflict](r.Conflicts)
}

func sortAll[T any, R interface {
	*T
	Compare(*T) int
}](rows map[Partition][]T) {
	for _, list := range rows {
		table.Sort[T, R](list)
	}
}
