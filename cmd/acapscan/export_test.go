package main

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// Whatever reads a run reads either format of it: the report, the stream of every table, and the program that is called
// again.
func TestFormatsHoldTheSame(t *testing.T) {
	t.Parallel()
	archives := filepath.Join(fixtures, "good", "pages")
	store, folders := filepath.Join(t.TempDir(), "facts"), map[table.Format]string{}
	must(t, exitDone, "extract", archives, "-o", store)
	for _, f := range table.Formats() {
		folders[f] = filepath.Join(t.TempDir(), "out")
		must(t, exitDone, "analyze", store, "--format", string(f), "-o", folders[f])
	}
	for _, d := range table.All() {
		want, got := must(t, exitDone, "export", string(d.Name), folders[table.Parquet]),
			must(t, exitDone, "export", string(d.Name), folders[table.Arrow])
		if got.stdout != want.stdout || got.stderr != "" || len(got.stdout) == 0 {
			t.Errorf("%s: %d bytes of the one format, %d of the other; it says %q", d.Name, len(want.stdout),
				len(got.stdout), got.stderr)
		}
		metadata := map[string]string{}
		r, err := arrow.NewReader[struct {
			Crawl string `parquet:"crawl,dict"`
		}](strings.NewReader(got.stdout))
		if err == nil {
			metadata = r.Metadata()
		}
		if err != nil || metadata[dataset.MetaTable] != string(d.Name) {
			t.Errorf("%s: %v, metadata %v", d.Name, err, metadata)
		}
	}
	for _, name := range filesBelow(t, folders[table.Arrow]) {
		if strings.HasSuffix(name, ".parquet") || name == manifest.ViewsName {
			t.Errorf("a run in Arrow has %s", name)
		}
	}
	// The end of the page has the time, the options and the sizes of the run.
	var pages [2]string
	for i, f := range table.Formats() {
		page := must(t, exitDone, "report", folders[f], "-o", "-").stdout
		pages[i], _, _ = strings.Cut(page, `<th scope="row">Run</th>`)
	}
	if len(pages[0]) < 10_000 || pages[0] != pages[1] {
		t.Error("the reports of the two formats differ")
	}
	if got := must(t, exitDone, "analyze", store, "--format", "arrow", "-o",
		folders[table.Arrow]); !strings.Contains(got.stderr, "nothing to do") {
		t.Errorf("again: it says %q", got.stderr)
	}
	if got := must(t, exitFailed, "analyze", store, "-o", folders[table.Arrow]); !strings.Contains(got.stderr,
		"other options: format") {
		t.Errorf("in another format: it says %q", got.stderr)
	}
	must(t, exitDone, "analyze", store, "--overwrite", "-o", folders[table.Arrow])
	sameContent(t, content(t, folders[table.Parquet]), content(t, folders[table.Arrow]))
}

func TestScanInArrow(t *testing.T) {
	out := scanOf(t, exitDone, write(t, "a.warc", response("http://a.example/", "text/html", acapPage)), "--format",
		"arrow")
	m, err := manifest.Read(storage.NewFolder(out))
	if err != nil || m.Format() != table.Arrow || m.Tables[table.Pages].Rows != 1 {
		t.Errorf("manifest %+v: %v", m, err)
	}
	var described struct {
		Resources []struct{ Format, MediaType string }
	}
	text, err := os.ReadFile(filepath.Join(out, manifest.DataPackageName))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &described); err != nil || described.Resources[0].Format != "arrow" ||
		described.Resources[0].MediaType != "application/vnd.apache.arrow.file" {
		t.Errorf("data package %+v: %v", described, err)
	}
}

// failing is standard output that takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestExportErrors(t *testing.T) {
	finished := reported(t)
	cut := reported(t)
	part, err := filepath.Glob(filepath.Join(cut, "adoption", "*", "*.parquet"))
	if err != nil || len(part) != 1 {
		t.Fatalf("%v, %v", part, err)
	}
	if err := os.Remove(part[0]); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		stdout io.Writer
		args   []string
		says   string // "": nothing
	}{
		{"not a run", io.Discard, []string{"adoption", t.TempDir()}, "no finished run"},
		{"no such folder", io.Discard, []string{"adoption", "nothing"}, "nothing"},
		{"a part file is gone", io.Discard, []string{"adoption", cut}, "no such file"},
		{"the disk is full", failing{syscall.ENOSPC}, []string{"adoption", finished}, "no space"},
		{"the reader has gone", failing{&fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}},
			[]string{"adoption", finished}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr strings.Builder
			status := Run(context.Background(), append([]string{"export"}, c.args...), strings.NewReader(""), c.stdout,
				&stderr)
			if status != exitFailed || !strings.Contains(stderr.String(), c.says) || c.says == "" && stderr.Len() > 0 {
				t.Errorf("exit status %d, it says %q", status, stderr.String())
			}
		})
	}
}
