// Package numbers counts what the tables of a finished run say, for the report. It reads every table once, as a stream,
// and its memory does not grow with the tables. It knows rows, not policies: it decides nothing and writes no sentence.
package numbers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// Options choose what is counted. The zero value is good.
type Options struct {
	// Crawl restricts the numbers to one crawl of the run, by its name. Empty: all of them.
	Crawl string
}

// ErrNoCrawl is what Collect returns for a crawl that the run does not have.
var ErrNoCrawl = errors.New("no such crawl")

// Collect reads the tables of the finished run in a store, of which m is the manifest, as manifest.Read returns it. An
// error names the file that could not be read.
func Collect(ctx context.Context, store storage.Store, m *manifest.Manifest, opts Options) (*Numbers, error) {
	if m.SchemaVersion != table.SchemaVersion {
		return nil, fmt.Errorf("the tables in %s have schema version %d, and this program reads %d", store,
			m.SchemaVersion,
			table.SchemaVersion)
	}
	parts, crawls := partsOf(m)
	if opts.Crawl != "" && !slices.Contains(crawls, opts.Crawl) {
		return nil, fmt.Errorf("%w %q in %s; there is %s", ErrNoCrawl, Clip(opts.Crawl, maxNameBytes), store,
			listed(crawls))
	}
	f := newNumbers(m, opts)
	if opts.Crawl == "" {
		f.Changes = newChanges(crawls)
	}
	read := &reading{ctx: ctx, store: store, crawl: opts.Crawl, parts: parts}
	// In the order of table.All.
	each(read, table.Inputs, f.addInput)
	each(read, table.RobotsTxt, f.addRobots)
	each(read, table.Pages, f.addPage)
	each(read, table.Directives, f.addDirective)
	each(read, table.Adoptions, f.addSite)
	each(read, table.Agents, func(p partition, r *agentRow) {
		f.Agents.add(p, r)
		f.Changes.addAgent(p, r)
	})
	f.Agents.endSite()
	f.Changes.finish()
	each(read, table.Permissions, f.addPermission)
	f.Permissions[0].endSite()
	each(read, table.Conflicts, f.addConflict)
	f.Conflicts.endSite()
	return f, read.err
}

// A partition is where a row stands: what the names of a file's folders say.
type partition struct{ crawl, subset string }

type part struct {
	partition
	table  table.Name
	output manifest.Output
}

// partsOf lists the part files in the order of their names, and the crawls of those that have rows.
func partsOf(m *manifest.Manifest) (parts []part, crawls []string) {
	for _, o := range m.Outputs {
		name, ok := o.Table()
		if !ok {
			continue
		}
		p := part{table: name, output: o}
		crawl, subset := table.PartitionOf(o.Path)
		if p.crawl = crawl; subset != nil {
			p.subset = *subset
		}
		parts = append(parts, p)
		if o.Rows > 0 && !slices.Contains(crawls, p.crawl) {
			crawls = append(crawls, p.crawl)
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.output.Path, b.output.Path) })
	slices.Sort(crawls)
	return parts, crawls
}

// listed names crawls for an error; a run may have a hundred.
func listed(crawls []string) string {
	const most = 12
	switch n := len(crawls); {
	case n == 0:
		return "none"
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(crawls[:most], ", "), n-most)
	}
	return strings.Join(crawls, ", ")
}

// reading goes through tables until an error.
type reading struct {
	ctx   context.Context
	store storage.Store
	crawl string // the only one to read, unless empty
	parts []part
	err   error
}

// each calls add for every row of a table. T has those columns of the table's row that the report looks at.
func each[T any](r *reading, name table.Name, add func(partition, *T)) {
	for _, p := range r.parts {
		if p.table != name || r.crawl != "" && p.crawl != r.crawl {
			continue
		}
		if r.err == nil {
			r.err = readPart(r, p, add)
		}
	}
}

func readPart[T any](r *reading, p part, add func(partition, *T)) error {
	total, err := dataset.EachRow(r.ctx, r.store, p.output, func(row *T) { add(p.partition, row) })
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err != nil:
		return fmt.Errorf("table %s cannot be read: %w", p.table, err)
	case total != p.output.Rows:
		return fmt.Errorf("%s in %s has %d rows, and the run wrote %d", p.output.Path, r.store, total, p.output.Rows)
	}
	return nil
}
