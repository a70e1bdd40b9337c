package main

import (
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// The tasks of an array job.

// Shards read the inputs into one folder, in any order, and its facts are those of one process.
func TestShardsShareAFolder(t *testing.T) {
	archives := smallArchives(t, 7)
	undisturbed, out := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "facts")
	must(t, exitIncomplete, "extract", archives, "-o", undisturbed)
	extract := func(shard string, more ...string) outcome {
		t.Helper()
		return run(t, append([]string{"extract", archives, "--shard", shard, "-o", out}, more...)...)
	}
	for _, shard := range []string{"2/3", "0/3", "2/3"} {
		if got := extract(shard); got.status != exitDone {
			t.Fatalf("shard %s: exit status %d, it says %q", shard, got.status, got.stderr)
		}
	}
	refuses(t, "lacks 2 of 7 inputs", "analyze", out, "-o", filepath.Join(t.TempDir(), "tables"))
	refuses(t, "1/3", "analyze", out, "-o", filepath.Join(t.TempDir(), "tables"))
	refuses(t, "of 3 shards, and this is one of 4", "extract", archives, "--shard", "1/4", "-o", out)
	refuses(t, "other options, pages", "extract", archives, "--shard", "1/3", "-o", out, "--pages", "all")
	refuses(t, "of shards", "extract", archives, "-o", out)
	if got := extract("1/3", "--overwrite"); got.status != exitUsage {
		t.Errorf("--overwrite: exit status %d, it says %q", got.status, got.stderr)
	}
	if got := extract("1/3"); got.status != exitIncomplete || !strings.Contains(got.stderr, "last of 3 shards") {
		t.Errorf("exit status %d, it says %q", got.status, got.stderr)
	}
	for _, shard := range []string{"1/3", "0/3"} {
		if got := extract(shard); got.status != exitIncomplete || !strings.Contains(got.stderr, "nothing to do") {
			t.Errorf("shard %s of the finished facts: exit status %d, it says %q", shard, got.status, got.stderr)
		}
	}
	want, got := content(t, undisturbed), content(t, out)
	for _, all := range []map[string]string{want, got} {
		maps.DeleteFunc(all, func(name, _ string) bool { return name == facts.PlanFile || name == "_lock" })
	}
	sameContent(t, want, got)
	must(t, exitIncomplete, "analyze", out, "-o", filepath.Join(t.TempDir(), "tables"))
}

// A shard asks other machines again for what they did not give, also when all shards are finished.
func TestShardAsksAgain(t *testing.T) {
	archives := away(t)
	files := http.FileServer(http.Dir(filepath.Join(fixtures, "good")))
	var forbids atomic.Bool
	var asked atomic.Int64
	url := listen(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if forbids.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	})
	out := filepath.Join(t.TempDir(), "facts")
	extract := func(status int, shard string) {
		t.Helper()
		asked.Store(0)
		must(t, status, "extract", "--rate", "1000", "--workers", "1", "--shard", shard, "-o", out, url+"/"+archives[0], url+"/"+archives[1])
	}
	extract(exitDone, "0/2")
	forbids.Store(true)
	extract(exitIncomplete, "1/2")
	extract(exitIncomplete, "0/2") // of what is finished one input is unreadable
	if asked.Load() != 0 {
		t.Error("a shard that has read all asks again")
	}
	forbids.Store(false)
	extract(exitDone, "1/2")
	if asked.Load() == 0 {
		t.Error("what was forbidden is not asked for again")
	}
	extract(exitDone, "0/2")
	if asked.Load() != 0 {
		t.Error("when all is finished, it asks again")
	}
}
