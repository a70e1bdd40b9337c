package survey

import (
	"reflect"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/crosshost"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

const (
	example = capturetest.Example
	file    = capturetest.File
	closed  = capturetest.Closed
	open    = capturetest.Open
	html    = capturetest.HTML
	noRules = "# nothing here\n"
)

var (
	robots   = capturetest.Robots
	status   = capturetest.Status
	redirect = capturetest.Redirect
	revisit  = capturetest.Revisit
	again    = capturetest.Again
	page     = capturetest.Page
	with     = capturetest.With
	counters = capturetest.Counters
	inOrder  = capturetest.InOrder
	check    = capturetest.Check
)

// answered returns the facts with the copies of the pass across hosts, in order.
func answered(t testing.TB, list []facts.Fact) []facts.Fact { return answeredUnder(t, Options{}, list) }

func answeredUnder(t testing.TB, opts Options, list []facts.Fact) []facts.Fact {
	t.Helper()
	return inOrder(append(slices.Clone(list), copiesOf(t, list, opts, 3, 2, 1<<20)...))
}

// copiesOf lists the copies that the pass across hosts adds to facts.
func copiesOf(t testing.TB, list []facts.Fact, opts Options, buckets, workers int, memory int64) (copies []facts.Fact) {
	t.Helper()
	sorted := capturetest.Sorted(t, list, buckets)
	check(t, crosshost.Resolve(t.Context(), sorted, opts.Reading, workers, memory))
	return capturetest.Copies(t, sorted)
}

func scanOf(list []facts.Fact) Scan {
	return func(visit func(*facts.Fact) error) error {
		for i := range list {
			f := list[i]
			if err := visit(&f); err != nil {
				return err
			}
		}
		return nil
	}
}

// surveyed surveys facts in one bucket.
func surveyed(t testing.TB, opts Options, list ...facts.Fact) *Rows {
	t.Helper()
	return surveyedInto(t, newRows(), opts, answeredUnder(t, opts, list))
}

// surveyedInto adds the rows of a bucket, whose facts are in order.
func surveyedInto(t testing.TB, all *Rows, opts Options, list []facts.Fact) *Rows {
	t.Helper()
	check(t, outputTo(t, opts, all).bucket(scanOf(list), opts.Normal()))
	all.sort()
	return all
}

func addRows(all, more *Rows) {
	addTo(all.Inputs, more.Inputs)
	addTo(all.Robots, more.Robots)
	addTo(all.Pages, more.Pages)
	addTo(all.Directives, more.Directives)
	addTo(all.Adoption, more.Adoption)
	addTo(all.Agents, more.Agents)
	addTo(all.Permissions, more.Permissions)
	addTo(all.Conflicts, more.Conflicts)
}

func addTo[T any](all, more Parts[T]) {
	for at, list := range more {
		all[at] = append(all[at], list...)
	}
}

// rowsOf lists the rows of all partitions of a table.
func rowsOf[T any](rows Parts[T]) []T {
	var all []T
	for _, list := range rows {
		all = append(all, list...)
	}
	return all
}

// adoptionOf finds a site's row.
func adoptionOf(t testing.TB, rows *Rows, site string) table.Adoption {
	t.Helper()
	for _, row := range rowsOf(rows.Adoption) {
		if row.Site == site {
			return row
		}
	}
	t.Fatalf("there is no adoption row of %s", site)
	return table.Adoption{}
}

// robotsOf finds the row of a robots.txt capture.
func robotsOf(t testing.TB, rows *Rows, site string, day int64) table.Robots {
	t.Helper()
	for _, row := range rowsOf(rows.Robots) {
		if row.Site == site && row.FetchTime != nil && row.FetchTime.UnixMilli() == day*86_400_000 {
			return row
		}
	}
	t.Fatalf("there is no robots row of %s on day %d", site, day)
	return table.Robots{}
}

// permissionsOf lists the rows of a scope, agent, purpose and usage, by URL or site.
func permissionsOf(rows *Rows, scope table.Scope, agent, purpose string,
	usage table.Usage) map[string]table.Permission {
	found := map[string]table.Permission{}
	for _, row := range rowsOf(rows.Permissions) {
		if row.Scope == scope && row.Agent == agent && value(row.Purpose) == purpose && row.Usage == usage {
			name := row.Site
			if row.URL != nil {
				name = *row.URL
			}
			found[name] = row
		}
	}
	return found
}

// value returns *p, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		return reflect.Zero(reflect.TypeFor[T]()).Interface().(T)
	}
	return *p
}

// outputTo returns an output that adds its rows to all.
func outputTo(t testing.TB, opts Options, all *Rows) *output {
	return NewSurveyor(opts, nil).output(t.Context(), func(rows *Rows) error {
		addRows(all, rows)
		return nil
	})
}
