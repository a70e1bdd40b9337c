// Package survey is the second stage: facts of a bucket of sites in, rows of the seven tables out. For every site it finds the
// robots.txt that speaks for a capture, decides permissions, finds conflicts and extents, and tells what the site does with
// ACAP. It reads and writes no file; what it is given decides what it gives back, byte for byte.
package survey

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// RulesVersion is the version of the rules that decide, one line a bump. 1: the first.
const RulesVersion = 1

// A DirectivesChoice selects which statements leave a row.
type DirectivesChoice string

const (
	DirectivesDefault DirectivesChoice = "default" // all ACAP; conventional rules of sites with ACAP and of kept pages
	DirectivesAll     DirectivesChoice = "all"     // conventional rules of every site too
)

// A PermissionsChoice selects which decisions leave a row.
type PermissionsChoice string

const (
	PermissionsDefault PermissionsChoice = "default" // sites with ACAP, and pages that carry ACAP
	PermissionsAll     PermissionsChoice = "all"     // every site and every kept page
	PermissionsSites   PermissionsChoice = "sites"   // as the default, without rows about pages
)

// Options of a survey. The zero value is the default but for Directives and Permissions, which Normal sets.
type Options struct {
	Reading     reading.Options
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

// Bounds on the rows that one site can cause. Real sites stay far below them; the conflicts table says where its bound cut.
const (
	maxAgents   = 256 // agents decided for, of a site
	maxPurposes = 64  // purposes decided for, of a site
)

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

// Bucket surveys the facts of one bucket, which must be in the order of facts.Compare and hold all facts of each of its hosts.
func Bucket(list []facts.Fact, opts Options) *Rows {
	opts = opts.Normal()
	rows := newRows()
	for len(list) > 0 {
		host := list
		for i := range list {
			if list[i].SiteHash != list[0].SiteHash {
				host = list[:i]
				break
			}
		}
		list = list[len(host):]
		surveyHost(host, opts, rows)
	}
	rows.sort()
	return rows
}

// surveyHost surveys the sites of one host and port (its http and its https), crawl by crawl.
func surveyHost(list []facts.Fact, opts Options, rows *Rows) {
	type key struct{ crawl, site string }
	sites := make(map[key]*site)
	var order []key
	for i := range list {
		f := &list[i]
		if f.Kind == facts.KindInput {
			at := Partition{f.Crawl, f.Subset}
			rows.Inputs[at] = append(rows.Inputs[at], inputRow(f))
			continue
		}
		k := key{f.Crawl, f.Site}
		if sites[k] == nil {
			sites[k] = newSite(f.Crawl, f.Site, opts)
			order = append(order, k)
		}
		sites[k].add(f)
	}
	slices.SortFunc(order, func(a, b key) int {
		if a.crawl != b.crawl {
			return strings.Compare(a.crawl, b.crawl)
		}
		return strings.Compare(a.site, b.site)
	})
	// The outcome of the other scheme is part of a site's row, so all answers are found before any row is made.
	for _, k := range order {
		sites[k].findAnswers()
	}
	for _, k := range order {
		s := sites[k]
		if !s.seen() {
			continue // only copies of answers for a site that nothing else is known of
		}
		var other *site
		if twin := otherScheme(k.site); twin != "" {
			if t := sites[key{k.crawl, twin}]; t != nil && t.seen() {
				other = t
			}
		}
		s.survey(other, rows)
	}
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
