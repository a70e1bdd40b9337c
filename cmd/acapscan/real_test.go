package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/output/table"
)

// Each real archive by itself, and all of them together, whatever they are: no panic, no failure, a row for each. Where
// tests may not be long, it takes one archive of four.
func TestRealArchives(t *testing.T) {
	t.Parallel()
	need(t, real)
	var archives []string
	oneOf := 4
	if longtest.Enabled() {
		oneOf = 1
	}
	for i, name := range filesBelow(t, real) {
		if i%oneOf == 0 {
			archives = append(archives, filepath.Join(real, name))
		}
	}
	if len(archives) < 50/oneOf {
		t.Fatalf("only %d files were found", len(archives))
	}
	lone := map[string]int64{}
	var mu sync.Mutex // of lone
	t.Run("each", func(t *testing.T) {
		for _, archive := range archives {
			t.Run(filepath.Base(archive), func(t *testing.T) {
				t.Parallel() // most of the time goes into waiting for the disk
				out := filepath.Join(t.TempDir(), "out")
				got := run(t, "scan", archive, "-o", out)
				if got.status != exitDone && got.status != exitIncomplete {
					t.Fatalf("exit status %d: %s", got.status, got.stderr)
				}
				sane(t, archive, got, out)
				mu.Lock()
				defer mu.Unlock()
				lone[filepath.ToSlash(archive)] = only(t, out).Records
			})
		}
	})
	t.Run("all of them", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		got := must(t, exitIncomplete, append([]string{"scan", "-o", out}, archives...)...)
		if strings.Contains(got.stderr, "fault") {
			t.Errorf("it says %q", got.stderr)
		}
		inputs := rows[table.Input](t, out, table.Inputs)
		if len(inputs) != len(archives) {
			t.Errorf("%d inputs have a row, want %d", len(inputs), len(archives))
		}
		for _, at := range inputs {
			if at.Row.Records != lone[at.Row.WARCFilename] {
				t.Errorf("%s has %d records among others and %d alone", at.Row.WARCFilename, at.Row.Records,
					lone[at.Row.WARCFilename])
			}
		}
	})
}

// sane checks that an exit status, what is said and the row of the input go together.
func sane(t *testing.T, archive string, got outcome, out string) {
	t.Helper()
	said, in := got.sentences(), only(t, out)
	if (got.status == exitIncomplete) != (in.Error != nil) || len(said) != got.status/exitIncomplete {
		t.Errorf("exit status %d, error %q, it says %q", got.status, deref(in.Error), said)
	}
	if in.Error != nil && !strings.Contains(*in.Error, archive) {
		t.Errorf("the error does not name the file: %q", *in.Error)
	}
	for _, text := range []string{"fault", "panic", "goroutine"} {
		if strings.Contains(got.stderr, text) {
			t.Errorf("it says %q", got.stderr)
		}
	}
}

// Each real file, as an argument of check and explain.
func TestRealPolicies(t *testing.T) {
	t.Parallel()
	need(t, realACAP)
	var files []string
	for _, folder := range []string{realACAP, real} {
		for _, name := range filesBelow(t, folder) {
			files = append(files, filepath.Join(folder, name))
		}
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, args := range [][]string{
				{"check", file}, {"check", "--json", file},
				{"check", "--strict", "--media-type", "application/xml", file},
				{"explain", "--robots", file, "--page", file, "--url", "http://a.example/news/1.html?id=2"},
				{"explain", "--json", "--robots", file, "--page", file, "--media-type", "text/xml", "--url",
					"http://a.example/", "--agent", "Googlebot",
					"--purpose", "news", "--at", "2012-05-17", "--profile", "pilot", "--other", "narrow"},
			} {
				got := must(t, exitDone, args...)
				if got.stdout == "" || strings.Contains(got.stderr, "fault") {
					t.Errorf("acapscan %s: stdout %q, stderr %q", strings.Join(args, " "), got.stdout, got.stderr)
				}
				if slices.Contains(args, "--json") {
					objects(t, got.stdout)
				}
			}
		})
	}
}

// Archives Unleashed keeps one crawl as ARC and as WARC: what it says must be the same, wherever the records are.
func TestARCAndWARCOfOneCrawl(t *testing.T) {
	t.Parallel()
	need(t, real)
	const resources = real + "/archivesunleashed+aut/src/test/resources/"
	scan := func(file string) string {
		return scanOf(t, exitDone, file, "--directives", "all", "--permissions", "all", "--pages", "all")
	}
	arc, warc := scan(resources+"arc/example.arc.gz"), scan(resources+"warc/example.warc.gz")
	sameRows[table.Directive](t, arc, warc, table.Directives)
	sameRows[table.Permission](t, arc, warc, table.Permissions)
	sameRows[table.Page](t, arc, warc, table.Pages)
	sameRows[table.Conflict](t, arc, warc, table.Conflicts)
}

// sameRows compares a table of two scans but for the columns that say where a record is and what only a WARC can say.
func sameRows[T any](t *testing.T, a, b string, name table.Name) {
	t.Helper()
	read := func(dir string) []string {
		var list []string
		for _, at := range rows[T](t, dir, name) {
			v := reflect.ValueOf(&at.Row).Elem()
			for _, field := range []string{"WARCFilename", "RecordOffset", "RecordLength", "ContentDigest",
				"StatementID", "DecidingIDs", "FirstID", "SecondID", "Defects"} {
				if f := v.FieldByName(field); f.IsValid() {
					f.SetZero()
				}
			}
			list = append(list, asJSONText(t, at.Row)) // without the crawl: the WARC names it, the ARC does not
		}
		slices.Sort(list)
		return list
	}
	want, got := read(a), read(b)
	if name != table.Conflicts && len(want) < 10 {
		t.Errorf("%s has %d rows, which proves little", name, len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-ARC +WARC):\n%.4000s", name, diff)
	}
}
