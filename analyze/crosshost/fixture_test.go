package crosshost

import (
	"maps"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

const (
	example = capturetest.Example
	file    = capturetest.File
	closed  = capturetest.Closed
	open    = capturetest.Open
	html    = capturetest.HTML
)

var (
	robots   = capturetest.Robots
	status   = capturetest.Status
	redirect = capturetest.Redirect
	revisit  = capturetest.Revisit
	again    = capturetest.Again
	inOrder  = capturetest.InOrder
	check    = capturetest.Check
)

// copiesOf lists what the pass adds to facts.
func copiesOf(t testing.TB, list []facts.Fact, opts parse.Options, buckets, workers int, memory int64) []facts.Fact {
	t.Helper()
	sorted := capturetest.Sorted(t, list, buckets)
	check(t, Resolve(t.Context(), sorted, opts, workers, memory))
	return capturetest.Copies(t, sorted)
}

// rowsOf surveys facts with their copies.
func rowsOf(t testing.TB, opts survey.Options, list, copies []facts.Fact) survey.Rows {
	t.Helper()
	scan := func(visit func(*facts.Fact) error) error {
		for _, f := range inOrder(slices.Concat(list, copies)) {
			if err := visit(&f); err != nil {
				return err
			}
		}
		return nil
	}
	var all survey.Rows
	check(t, survey.NewSurveyor(opts, nil).Lists(t.Context(), scan, func(rows *survey.Rows) error {
		if all.Inputs != nil {
			t.Fatal("rows come in several parts")
		}
		all = survey.Rows{
			Inputs: cloned(rows.Inputs), Robots: cloned(rows.Robots), Pages: cloned(rows.Pages),
			Directives: cloned(rows.Directives),
			Adoption:   cloned(rows.Adoption), Permissions: cloned(rows.Permissions), Conflicts: cloned(rows.Conflicts),
		}
		return nil
	}))
	return all
}

func cloned[T any](rows map[survey.Partition][]T) map[survey.Partition][]T {
	rows = maps.Clone(rows)
	for at := range rows {
		rows[at] = slices.Clone(rows[at])
	}
	return rows
}

// adoptionOf finds a site's row.
func adoptionOf(t testing.TB, rows survey.Rows, site string) table.Adoption {
	t.Helper()
	for _, list := range rows.Adoption {
		for _, row := range list {
			if row.Site == site {
				return row
			}
		}
	}
	t.Fatalf("there is no adoption row of %s", site)
	return table.Adoption{}
}
