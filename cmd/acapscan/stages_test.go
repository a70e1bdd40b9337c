package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/table"
)

// scanOf scans inputs and returns the output folder.
func scanOf(t *testing.T, status int, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	must(t, status, append([]string{"scan", "-o", out}, args...)...)
	return out
}

func TestTwoStagesAreOneScan(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	good, damaged := filepath.Join(fixtures, "good"), filepath.Join(fixtures, "damaged")
	want := content(t, onceScan(t, exitIncomplete, good, damaged))

	t.Run("through a folder", func(t *testing.T) {
		store, out := filepath.Join(folder, "facts"), filepath.Join(folder, "out")
		if got := must(t, exitIncomplete, "extract", good, damaged, "-o", store); got.stdout != "" {
			t.Errorf("extract prints %q", got.stdout)
		}
		must(t, exitIncomplete, "analyze", store, "-o", out)
		sameContent(t, want, content(t, out))
	})
	t.Run("through a stream", func(t *testing.T) {
		out := filepath.Join(folder, "streamed")
		extracted := must(t, exitIncomplete, "extract", good, damaged, "-o", "-")
		got := runWith(t.Context(), strings.NewReader(extracted.stdout), "analyze", "-", "-o", out)
		if got.status != exitIncomplete || got.stdout != "" {
			t.Fatalf("exit status %d, stdout %q, stderr %q", got.status, got.stdout, got.stderr)
		}
		sameContent(t, want, content(t, out))
	})
	t.Run("in several folders, in any order", func(t *testing.T) {
		var stores []string
		for _, archives := range []string{damaged, good} {
			store := filepath.Join(folder, "facts-"+filepath.Base(archives))
			run(t, "extract", archives, "-o", store)
			stores = append(stores, store)
		}
		out := filepath.Join(folder, "of-two")
		must(t, exitIncomplete, append([]string{"analyze", "-o", out}, stores...)...)
		sameContent(t, want, content(t, out))
	})
	t.Run("facts files by name", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(folder, "facts", "*"+facts.Extension))
		if err != nil || len(files) < 2 {
			t.Fatalf("%d facts files, %v", len(files), err)
		}
		out := filepath.Join(folder, "of-files")
		must(t, exitIncomplete, append([]string{"analyze", "-o", out}, files...)...)
		sameContent(t, want, content(t, out))
	})
}

func TestTablesAsStreams(t *testing.T) {
	t.Parallel()
	out := onceScan(t, exitDone, filepath.Join(fixtures, "good"))
	stream := strings.NewReader(goodStreams(t))

	sameStream[table.Input](t, stream, out, table.Inputs)
	sameStream[table.Robots](t, stream, out, table.RobotsTxt)
	sameStream[table.Page](t, stream, out, table.Pages)
	sameStream[table.Directive](t, stream, out, table.Directives)
	sameStream[table.Adoption](t, stream, out, table.Adoptions)
	sameStream[table.Agent](t, stream, out, table.Agents)
	sameStream[table.Permission](t, stream, out, table.Permissions)
	sameStream[table.Conflict](t, stream, out, table.Conflicts)
	if stream.Len() != 0 {
		t.Errorf("%d bytes are left behind the last stream", stream.Len())
	}
}

// goodStreams are the streams of the good archives, analyzed once for all tests.
var goodStreams = func() func(t *testing.T) string {
	var once sync.Once
	var got outcome
	return func(t *testing.T) string {
		t.Helper()
		store, _ := onceOf(t, exitDone, "extract", filepath.Join(fixtures, "good"))
		once.Do(func() { got = runWith(context.Background(), strings.NewReader(""), "analyze", store, "-o", "-") })
		if got.status != exitDone {
			t.Fatalf("exit status %d, it says %q", got.status, got.stderr)
		}
		return got.stdout
	}
}()

// sameStream reads the next table of the stream and compares it with the files of the folder row by row.
func sameStream[T any](t *testing.T, stream io.Reader, dir string, name table.Name) {
	t.Helper()
	r, err := arrow.NewReader[T](stream)
	if err != nil {
		t.Fatalf("table %s: %v", name, err)
	}
	if got := r.Metadata()[dataset.MetaTable]; got != string(name) {
		t.Fatalf("the stream is of table %q, want %s", got, name)
	}
	var got []T
	for {
		batch, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("table %s: %v", name, err)
		}
		got = append(got, batch...)
	}
	var want []T
	for _, at := range rows[T](t, dir, name) {
		want = append(want, at.Row)
	}
	if len(want) == 0 {
		t.Errorf("table %s is empty, which proves nothing", name)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("table %s (-folder +stream):\n%.3000s", name, diff)
	}
}

// The partition columns of a stream are those of the folders.
func TestStreamsHaveThePartition(t *testing.T) {
	t.Parallel()
	type row struct {
		Crawl  string  `parquet:"crawl,dict"`
		Subset *string `parquet:"subset,optional,dict"`
	}
	out := onceScan(t, exitDone, filepath.Join(fixtures, "good"))
	stream := strings.NewReader(goodStreams(t))
	for _, d := range table.All() {
		r, err := arrow.NewReader[row](stream)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for {
			batch, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range batch {
				if (row.Subset != nil) != d.PerSubset {
					t.Fatalf("table %s: subset is %v", d.Name, row.Subset)
				}
				got[row.Crawl+"/"+deref(row.Subset)]++
			}
		}
		want := map[string]int{}
		switch d.Name {
		case table.RobotsTxt:
			for _, at := range rows[table.Robots](t, out, d.Name) {
				want[at.Crawl+"/"+at.Subset]++
			}
		case table.Permissions:
			for _, at := range rows[table.Permission](t, out, d.Name) {
				want[at.Crawl+"/"]++
			}
		default:
			continue
		}
		if len(want) < 4 || !maps.Equal(want, got) {
			t.Errorf("table %s: rows by partition %v, in folders %v", d.Name, got, want)
		}
	}
}

func TestWorkersAndOrderDoNotShow(t *testing.T) {
	t.Parallel()
	t.Run("fixtures", func(t *testing.T) {
		sameForAnyWorkers(t, filepath.Join(fixtures, "good"), filepath.Join(fixtures, "damaged"))
	})
	t.Run("real archives", func(t *testing.T) {
		t.Parallel()
		need(t, real)
		if !longtest.Enabled() {
			t.Skip("takes half a minute")
		}
		sameForAnyWorkers(t, real)
	})
	t.Run("order of the arguments", func(t *testing.T) {
		good, damaged := filepath.Join(fixtures, "good"), filepath.Join(fixtures, "damaged")
		sameContent(t, content(t, onceScan(t, exitIncomplete, good, damaged)),
			content(t, scanOf(t, exitIncomplete, damaged, good)))
	})
}

func sameForAnyWorkers(t *testing.T, inputs ...string) {
	var want map[string]string
	for _, workers := range []int{1, 2, 4} {
		got := content(t, scanOf(t, exitIncomplete,
			append([]string{"--workers", fmt.Sprint(workers), "--directives", "all", "--permissions", "all"},
				inputs...)...))
		if want == nil {
			want = got
			continue
		}
		sameContent(t, want, got)
	}
}

func TestStreamsThatAreNone(t *testing.T) {
	extracted := must(t, exitDone, "extract", filepath.Join(fixtures, "good", "arc"), "-o", "-").stdout
	for _, c := range []struct{ name, stdin, says string }{
		{"nothing", "", "empty"},
		{"something else", "this is no stream", "no stream of facts"},
		{"a stream that is cut", extracted[:len(extracted)-100], "standard input"},
		{"another table's stream", must(t, exitDone, "analyze", factsOf(t), "-o", "-").stdout, "standard input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			got := runWith(t.Context(), strings.NewReader(c.stdin), "analyze", "-", "-o", out)
			if said := got.sentences(); got.status != exitFailed || len(said) != 1 ||
				!strings.Contains(said[0], c.says) {
				t.Errorf("exit status %d, it says %q", got.status, got.stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("the output folder was made")
			}
		})
	}
}

// factsOf extracts a small archive.
func factsOf(t *testing.T) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "facts")
	must(t, exitDone, "extract", filepath.Join(fixtures, "good", "arc"), "-o", store)
	return store
}

func TestFactsThatAreNone(t *testing.T) {
	folder := t.TempDir()
	text := write(t, "x.facts", []byte("no facts"))
	interrupted := factsOf(t)
	if err := os.Remove(filepath.Join(interrupted, job.MarkerName(0))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, facts, says string }{
		{"not there", filepath.Join(folder, "nothing"), "nothing"},
		{"an empty folder", folder, "no facts files"},
		{"a file that holds none", text, "x.facts"},
		{"of an interrupted run", interrupted, "interrupted"},
		{"archives", filepath.Join(fixtures, "good"), "no facts files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, exitFailed, "analyze", c.facts, "-o", filepath.Join(t.TempDir(), "out"))
			if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], c.says) ||
				strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("it says %q", got.stderr)
			}
		})
	}
}
