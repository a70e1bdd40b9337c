package survey

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/output/table"
)

// When there are many rows, the long lists become parts, and the short ones grow; where all are short, all do.
func TestLongListsBecomeParts(t *testing.T) {
	var parts []string
	rows := newRows()
	o := &output{rows: rows.takers(), max: 80, ended: func() error { return nil }}
	o.end = func(least int) (int, error) {
		part := rows.take(least)
		if part.count() > 0 {
			parts = append(parts, fmt.Sprint(part.Pages.count(), " pages, ", part.Robots.count(), " robots, ",
				part.Inputs.count(), " inputs"))
		}
		return part.count(), nil
	}
	at := Partition{"c", "warc"}
	pages := func(n int) {
		t.Helper()
		for range n {
			add(o, o.rows.Pages, at, table.Page{})
			if err := o.flushFull(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 7 {
		add(o, o.rows.Robots, at, table.Robots{})
	}
	pages(73 + 73)
	for range 5 {
		add(o, o.rows.Robots, at, table.Robots{})
	}
	pages(68)
	for i := range 80 {
		add(o, o.rows.Inputs, Partition{"c", fmt.Sprint(i)}, table.Input{})
	}
	pages(1)
	if _, err := o.flush(0); err != nil {
		t.Fatal(err)
	}
	want := []string{"73 pages, 0 robots, 0 inputs", "73 pages, 0 robots, 0 inputs", "68 pages, 12 robots, 0 inputs",
		"1 pages, 0 robots, 80 inputs"}
	if diff := cmp.Diff(want, parts); diff != "" || o.n != 0 || rows.count() != 0 {
		t.Errorf("%d rows are left; parts (-want +got):\n%s", o.n, diff)
	}
}
