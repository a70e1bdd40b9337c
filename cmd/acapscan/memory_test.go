package main

import (
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
)

func TestMemorySizes(t *testing.T) {
	for text, want := range map[string]memory{
		"800MB": 800e6, "2GiB": 2 << 30, "1.5 GB": 1.5e9, "1000000000B": 1e9, "1TB": 1e12, "64KiB": 64 << 10,
		"": 0, "1": 0, "GB": 0, "-1GB": 0, "0MB": 0, "1 potato": 0, "NaNGB": 0, "InfGB": 0, "99999999999TB": 0,
	} {
		var got memory
		if err := got.Set(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestMemoryWorkers(t *testing.T) {
	for _, test := range []struct {
		limit  memory
		wanted int
		want   int
	}{
		{0, 7, 7}, {0, 0, runtime.GOMAXPROCS(0)}, {memoryOfProgram + memoryOfJudge, 7, 1}, {memoryOfProgram + 3*memoryOfJudge, 7, 3}, {1 << 40, 7, 7},
	} {
		if got := test.limit.workers(test.wanted, memoryOfJudge); got != test.want {
			t.Errorf("%d workers in %d bytes, want %d", got, test.limit, test.want)
		}
	}
}

// Too little is refused with a sentence, and the least that is taken gives the tables that as much as there is gives.
func TestMemoryLimit(t *testing.T) {
	input := filepath.Join("..", "..", "testdata", "warc", "good", "robots")
	for _, verb := range []string{"scan", "extract", "analyze"} {
		got := run(t, verb, input, "-o", filepath.Join(t.TempDir(), "x"), "--memory", "20MB")
		if got.status != exitUsage || !strings.Contains(got.stderr, "one worker needs") {
			t.Errorf("%s: status %d, %q", verb, got.status, got.stderr)
		}
	}
	tables := func(options ...string) map[string]string {
		dir := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, append([]string{"scan", input, "-o", dir}, options...)...)
		return content(t, dir)
	}
	sameContent(t, tables(), tables("--memory", "256MiB"))

	facts := filepath.Join(t.TempDir(), "facts")
	must(t, exitDone, "extract", input, "-o", facts)
	if got := run(t, "resolve", facts, "--memory", "20MB"); got.status != exitUsage || !strings.Contains(got.stderr, "one worker needs") {
		t.Errorf("resolve: status %d, %q", got.status, got.stderr)
	}
	most, least := must(t, exitDone, "resolve", facts), must(t, exitDone, "resolve", facts, "--memory", "256MiB")
	if most.stdout == "" || most.stdout != least.stdout {
		t.Errorf("resolve writes %d bytes, and %d in little memory", len(most.stdout), len(least.stdout))
	}
}

// The task of a bucket has the collector work as little as a process of all buckets does, where no limit is named.
func TestCollectorOfABucket(t *testing.T) {
	percent := debug.SetGCPercent(usualPercent)
	defer debug.SetGCPercent(percent)
	facts, answers := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "answers")
	must(t, exitDone, "extract", smallArchives(t, 1), "-o", facts)
	must(t, exitDone, "resolve", facts, "-o", answers)
	var while atomic.Uint64
	b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/pages/") {
			sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
			metrics.Read(sample)
			while.Store(sample[0].Value.Uint64())
		}
		return false
	})
	b.must(t, exitDone, "analyze", facts, answers, "--bucket", "0/1", "-o", "s3://run/tables")
	if got := while.Load(); got != largePercent {
		t.Errorf("while part files are put the collector lets %d percent grow, want %d", got, largePercent)
	}
	if got := debug.SetGCPercent(usualPercent); got != usualPercent {
		t.Errorf("afterwards %d percent", got)
	}
}

// A limit is undone with what goes with it.
func TestEnforce(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(usualPercent)
	defer debug.SetGCPercent(percent)
	undo := memory(1e9).enforce()
	if limit, got := debug.SetMemoryLimit(-1), debug.SetGCPercent(largePercent); limit != 9e8 || got != largePercent {
		t.Errorf("limit %d, %d percent", limit, got)
	}
	undo()
	if limit, got := debug.SetMemoryLimit(-1), debug.SetGCPercent(usualPercent); limit != before || got != usualPercent {
		t.Errorf("afterwards limit %d, %d percent", limit, got)
	}
	debug.SetGCPercent(50)
	undo = memory(1e9).enforce()
	if got := debug.SetGCPercent(50); got != 50 {
		t.Errorf("what was chosen became %d percent", got)
	}
	undo()
}
