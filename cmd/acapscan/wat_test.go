package main

import (
	"path/filepath"
	"testing"

	"github.com/acapscan/acapscan/output/table"
)

// What a WAT gives says in every table that it is a part: of pages, of the denominators of sites, of inputs.
func TestWATIsPartial(t *testing.T) {
	t.Parallel()
	wat := filepath.Join(fixtures, "good", "wat", "summaries.warc.wat.gz")
	out := scanOf(t, exitDone, wat)
	in := only(t, out)
	if in.CapturesPartial != 8 || in.Captures != 8 || in.Records != 11 || in.RecordsMetadata != 10 {
		t.Errorf("inputs: %d of %d captures are partial, of %d records %d metadata", in.CapturesPartial, in.Captures,
			in.Records, in.RecordsMetadata)
	}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		if !at.Row.Partial || at.Row.Charset != nil || at.Row.ACAPClass+at.Row.PI > 0 {
			t.Errorf("page %s: partial %v", deref(at.Row.URL), at.Row.Partial)
		}
	}
	sites := rows[table.Adoption](t, out, table.Adoptions)
	if len(sites) != 1 || sites[0].Row.Pages != 5 || sites[0].Row.PagesPartial != 5 ||
		sites[0].Row.PagesACAPMeta != 2 ||
		sites[0].Row.Outcome != "redirect-unresolved" {
		t.Errorf("adoption: %+v", sites)
	}
	statements := map[table.Source]int{}
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		row := at.Row
		statements[row.Source]++
		if known := row.Source == table.Source("http-header"); (row.ByteOffset != nil) != known ||
			(row.Raw != nil) != known {
			t.Errorf("%s %s of %s: offset %v, text %v", row.Source, row.Field, deref(row.URL), row.ByteOffset, row.Raw)
		}
	}
	if statements["meta"] != 7 || statements["http-header"] != 4 {
		t.Errorf("statements by source: %v", statements)
	}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		if row := at.Row; deref(row.URL) == "http://wat.wire-service.example/1.html" && row.Agent == "*" &&
			row.Usage == "preserve" &&
			(row.Decision != "disallowed" || row.DecidingByteOffset != nil || row.DecidingRaw != nil) {
			t.Errorf("%+v", row)
		}
	}

	// A WARC with the same answer has the body that the WAT lacks.
	with := scanOf(t, exitDone, wat, write(t, "a.warc.gz",
		response("http://other.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /wat/\n"),
		response("http://wat.wire-service.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /wat/\n")))
	for _, at := range rows[table.Robots](t, with, table.RobotsTxt) {
		if at.Row.Outcome != "rules" {
			t.Errorf("robots.txt of %s in %s: %s", at.Row.Site, deref(at.Row.WARCFilename), at.Row.Outcome)
		}
	}
}
