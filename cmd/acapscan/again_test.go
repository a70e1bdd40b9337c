package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// put writes a file, and the folders to it.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each verb that writes a folder, on an archive that is good and one that is not an archive, and longer than what is
// read of it.
func TestTheSameCommandAgain(t *testing.T) {
	t.Parallel()
	good := write(t, "good.warc", response("http://a.example/", "text/html", acapPage))
	other := write(t, "other.warc", response("http://b.example/", "text/html", acapPage))
	bad := write(t, "bad.warc.gz", bytes.Repeat([]byte("this is no archive, and a long one at that\n"), 100_000))
	store := filepath.Join(t.TempDir(), "facts")
	must(t, exitIncomplete, "extract", good, bad, "-o", store)
	for _, c := range []struct {
		verb          string
		args, options []string // a command, and an option of it that changes results
		inputs        []string // others
	}{
		{"scan", []string{"scan", good, bad}, []string{"--pages", "all"}, []string{"scan", good, other}},
		{"scan, fewer inputs", []string{"scan", good, bad}, []string{"--profile", "pilot"}, []string{"scan", bad}},
		{"extract", []string{"extract", good, bad}, []string{"--pages", "all"}, []string{"extract", good, other}},
		{"analyze", []string{"analyze", store}, []string{"--other", "narrow"}, []string{"analyze", factsOf(t)}},
	} {
		t.Run(c.verb, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			to := func(args []string, more ...string) []string { return slices.Concat(args, []string{"-o", out}, more) }
			must(t, exitIncomplete, to(c.args)...)
			want := content(t, out)

			got := must(t, exitIncomplete, to(c.args, "--workers", "1", "--progress", "none")...)
			if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], "nothing to do") {
				t.Errorf("again: it says %q", said)
			}
			sameContent(t, want, content(t, out))

			for name, args := range map[string][]string{"other options": to(c.args, c.options...),
				"other inputs": to(c.inputs)} {
				got := must(t, exitFailed, args...)
				if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], out) ||
					!strings.Contains(said[0], "--overwrite") {
					t.Errorf("%s: it says %q", name, got.stderr)
				}
				sameContent(t, want, content(t, out))
			}

			must(t, exitIncomplete, to(c.args, append(c.options, "--overwrite")...)...)
			must(t, exitIncomplete, to(c.args, "--overwrite")...)
			sameContent(t, want, content(t, out))
		})
	}
}

func TestAnInputThatHasChanged(t *testing.T) {
	archive := write(t, "a.warc", response("http://a.example/", "text/html", acapPage))
	out := scanOf(t, exitDone, archive)
	put(t, archive, string(response("http://a.example/longer", "text/html", acapPage)))
	got := must(t, exitFailed, "scan", archive, "-o", out)
	if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], "a.warc has changed") {
		t.Errorf("it says %q", got.stderr)
	}
}

// What stands on standard input now cannot be compared with what stood there before.
func TestStandardInputAgain(t *testing.T) {
	for _, verb := range []string{"scan", "extract"} {
		t.Run(verb, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			first := string(response("http://a.example/", "text/html", acapPage))
			second := string(response("http://b.example/", "text/html", acapPage))
			if got := runWith(t.Context(), strings.NewReader(first), verb, "-", "-o", out); got.status != exitDone {
				t.Fatalf("exit status %d: %s", got.status, got.stderr)
			}
			want := content(t, out)
			got := runWith(t.Context(), strings.NewReader(second), verb, "-", "-o", out)
			if said := got.sentences(); got.status != exitFailed || len(said) != 1 ||
				!strings.Contains(said[0], "--overwrite") {
				t.Errorf("exit status %d, it says %q", got.status, got.stderr)
			}
			sameContent(t, want, content(t, out))
			if got := runWith(t.Context(), strings.NewReader(first), verb, "-", "-o", out,
				"--overwrite"); got.status != exitDone {
				t.Errorf("exit status %d: %s", got.status, got.stderr)
			}
			sameContent(t, want, content(t, out))
		})
	}
}

// A folder as an interrupted run may leave it is taken up, and its remains are removed.
func TestRemainsOfAnInterruptedRun(t *testing.T) {
	archive := write(t, "a.warc", response("http://a.example/", "text/html", acapPage))
	want := content(t, scanOf(t, exitDone, archive))
	for name, prepare := range map[string]func(out string){
		"staged tables and facts": func(out string) {
			put(t, filepath.Join(out, storage.WorkFolder, "tables", "pages", "crawl=x", "subset=y",
				"part-00000.parquet.staged"), "half")
			put(t, filepath.Join(out, storage.WorkFolder, "facts", "000007-000.facts"), "half")
			put(t, filepath.Join(out, storage.WorkFolder, "facts", "000000-000.facts.tmp"), "half")
		},
		"some tables in place": func(out string) {
			put(t, filepath.Join(out, storage.WorkFolder, "tables", "x.staged"), "half")
			put(t, filepath.Join(out, "pages", "crawl=x", "subset=y", "part-00000.parquet"), "of the other run")
		},
		"all but the last file": func(out string) {
			must(t, exitDone, "scan", archive, "-o", out, "--pages", "all")
			if err := os.Remove(filepath.Join(out, manifest.SuccessName)); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(out, storage.WorkFolder, "stage-1", "file-1"), "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			prepare(out)
			must(t, exitDone, "scan", archive, "-o", out)
			sameContent(t, want, content(t, out))
		})
	}
	t.Run("of scan, by analyze", func(t *testing.T) {
		store, out := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "out")
		put(t, filepath.Join(out, storage.WorkFolder, "facts", "000007-000.facts"), "half")
		must(t, exitDone, "extract", archive, "-o", store)
		must(t, exitDone, "analyze", store, "-o", out)
		sameContent(t, want, content(t, out))
	})
	t.Run("of extract", func(t *testing.T) {
		store, again := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "again")
		must(t, exitDone, "extract", archive, "-o", store)
		want := content(t, store)
		must(t, exitDone, "extract", archive, "-o", again)
		if err := os.Remove(filepath.Join(again, job.MarkerName(0))); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(again, "000005-000.facts"), "of the interrupted run")
		put(t, filepath.Join(again, storage.WorkFolder, "stage-1", "000000-000.facts.tmp"), "half")
		must(t, exitDone, "extract", archive, "-o", again)
		sameContent(t, want, content(t, again))
	})
}

// What lies in the output folder and was made by no run is never replaced, not even with --overwrite: it may be the
// archives.
func TestNothingOfOthersIsReplaced(t *testing.T) {
	store := factsOf(t)
	for _, name := range []string{"inputs/a.warc", "pages/index.html", "datapackage.json", "schema/own.json",
		"views.sql", "paths.gz"} {
		for _, args := range [][]string{{"scan", filepath.Join(fixtures, "good", "arc")}, {"analyze", store}} {
			t.Run(args[0]+" "+name, func(t *testing.T) {
				out := t.TempDir()
				put(t, filepath.Join(out, name), "mine")
				for _, more := range [][]string{nil, {"--overwrite"}} {
					got := must(t, exitFailed, slices.Concat(args, []string{"-o", out}, more)...)
					first, _, _ := strings.Cut(name, "/")
					if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], first) {
						t.Errorf("it says %q", got.stderr)
					}
				}
				if left := content(t, out); len(left) != 1 || left[name] != "mine" {
					t.Errorf("left is %v", left)
				}
			})
		}
	}
	t.Run("other files stay", func(t *testing.T) {
		out := t.TempDir()
		put(t, filepath.Join(out, "notes.txt"), "mine")
		must(t, exitDone, "analyze", store, "-o", out)
		must(t, exitDone, "analyze", store, "-o", out, "--overwrite")
		if got := content(t, out)["notes.txt"]; got != "mine" {
			t.Errorf("notes.txt is %q", got)
		}
	})
}
