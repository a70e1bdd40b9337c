package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// reported is a small finished run in a folder of its own.
func reported(t *testing.T) string {
	t.Helper()
	archive := write(t, "a.warc",
		response("https://www.example.com/robots.txt", "text/plain",
			"##ACAP version=1.0\nACAP-crawler: *\nACAP-disallow-crawl: /a/\n\nUser-agent: *\nAllow: /a/\n"),
		response("https://www.example.com/b.html", "text/html", acapPage))
	out := filepath.Join(t.TempDir(), "out")
	must(t, exitDone, "scan", archive, "-o", out)
	return out
}

func TestReport(t *testing.T) {
	run := reported(t)
	before := content(t, run)
	file := filepath.Join(t.TempDir(), "report.html")
	if got := must(t, exitDone, "report", run, "-o", file); got.stdout != "" || got.stderr != "" {
		t.Errorf("it says %q and %q", got.stdout, got.stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!DOCTYPE html>", "ACAP-disallow-crawl: /a/", "https://www.example.com/a/",
		"acap-rep", "beyond-rep"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := must(t, exitDone, "report", run, "-o", "-"); got.stdout != string(page) || got.stderr != "" {
		t.Error("standard output has another page than the file")
	}
	if got := must(t, exitDone, "report", run, "--crawl", "local", "-o", "-"); !strings.Contains(got.stdout,
		"Only crawl local of the run is shown.") {
		t.Error("the page of one crawl does not say so")
	}
	must(t, exitDone, "report", run, "-o", file) // replaces it
	sameContent(t, before, content(t, run))
	if left := filesBelow(t, filepath.Dir(file)); len(left) != 1 {
		t.Errorf("next to the report there is %v", left)
	}
}

func TestReportErrors(t *testing.T) {
	finished := reported(t)
	unfinished := reported(t)
	if err := os.Remove(filepath.Join(unfinished, manifest.SuccessName)); err != nil {
		t.Fatal(err)
	}
	file := write(t, "file", []byte("x"))
	out := filepath.Join(t.TempDir(), "report.html")
	for _, c := range []struct {
		name   string
		status int
		args   []string
		says   string
	}{
		{"without a folder", exitUsage, []string{"-o", out}, "the folder of a run is missing"},
		{"two folders", exitUsage, []string{finished, finished, "-o", out}, "is one too many"},
		{"without -o", exitUsage, []string{finished}, "-o FILE is missing"},
		{"no such crawl", exitUsage, []string{finished, "--crawl", "frob", "-o", out},
			`no such crawl "frob" in ` + finished + "; there is local"},
		{"no such folder", exitFailed, []string{finished + "x", "-o", out}, "there is no folder"},
		{"a file", exitFailed, []string{file, "-o", out}, "is a file, and the folder of a run is needed"},
		{"a folder of no run", exitFailed, []string{t.TempDir(), "-o", out},
			"holds no finished run: it has no _SUCCESS"},
		{"an unfinished run", exitFailed, []string{unfinished, "-o", out}, "holds no finished run: it has no _SUCCESS"},
		{"to a folder", exitFailed, []string{finished, "-o", t.TempDir()}, "the output needs a file"},
		{"to a device", exitFailed, []string{finished, "-o", os.DevNull},
			"is no ordinary file; -o - writes to standard output"},
		{"to nowhere", exitFailed, []string{finished, "-o", filepath.Join(file+"s", "r.html")}, "there is no folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, c.status, append([]string{"report"}, c.args...)...)
			if said := got.sentences(); len(said) == 0 || !strings.Contains(said[0], c.says) {
				t.Errorf("it says %q, want %q", got.stderr, c.says)
			}
			if got.stdout != "" || exists(out) || exists(out+storage.TempSuffix) {
				t.Error("something was written")
			}
		})
	}
}

func TestReportInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	run := reported(t)
	cancel()
	out := filepath.Join(t.TempDir(), "report.html")
	if got := runWith(ctx, nil, "report", run, "-o", out); got.status != exitInterrupted || exists(out) {
		t.Errorf("exit status %d: %s", got.status, got.stderr)
	}
}
