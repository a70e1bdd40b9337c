package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
	"github.com/acapscan/acapscan/tools/requests"
)

// Facts, answers and tables in S3.

// A bucket is what a service of S3 on this machine holds.
type bucket struct {
	gofakes3.Backend
	url   string
	flags []string // that lead there
}

// newBucket serves a bucket named run, behind a handler that may answer itself.
func newBucket(t *testing.T, before func(w http.ResponseWriter, r *http.Request) (answered bool)) *bucket {
	t.Helper()
	b := &bucket{Backend: s3mem.New()}
	if err := b.CreateBucket("run"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(b.Backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	b.url = listen(t, func(w http.ResponseWriter, r *http.Request) {
		if before == nil || !before(w, r) {
			fake.ServeHTTP(w, r)
		}
	})
	b.flags = []string{"--s3-endpoint", b.url, "--s3-anonymous"}
	return b
}

// content returns what is below a folder of the bucket, by names.
func (b *bucket) content(t *testing.T, folder string) map[string]string {
	t.Helper()
	prefix := gofakes3.Prefix{HasPrefix: true, Prefix: folder + "/"}
	list, err := b.ListBucket("run", &prefix, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, object := range list.Contents {
		o, err := b.GetObject("run", object.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(o.Contents)
		o.Contents.Close()
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(object.Key, prefix.Prefix)] = string(text)
	}
	return all
}

// run runs a verb that reads or writes the bucket.
func (b *bucket) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return run(t, append(args, b.flags...)...)
}

func (b *bucket) must(t *testing.T, status int, args ...string) outcome {
	t.Helper()
	return must(t, status, append(args, b.flags...)...)
}

func (b *bucket) refuses(t *testing.T, want string, args ...string) {
	t.Helper()
	refuses(t, want, append(args, b.flags...)...)
}

// Shards put their facts into S3, in any order and twice, and the objects are the files of one process.
func TestShardsShareABucket(t *testing.T) {
	archives := smallArchives(t, 7)
	local, answers := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "answers")
	must(t, exitIncomplete, "extract", archives, "--crawl", "spring", "-o", local)
	must(t, exitDone, "resolve", local, "-o", answers)
	b := newBucket(t, nil)
	extract := func(shard string) outcome {
		t.Helper()
		return b.run(t, "extract", archives, "--crawl", "spring", "--shard", shard, "-o", "s3://run/a/facts")
	}
	for _, shard := range []string{"2/3", "0/3", "2/3"} {
		if got := extract(shard); got.status != exitDone {
			t.Fatalf("shard %s: exit status %d, it says %q", shard, got.status, got.stderr)
		}
	}
	b.refuses(t, "s3://run/a/facts lacks 2 of 7 inputs", "resolve", "s3://run/a/facts", "-o", "s3://run/a/answers")
	b.refuses(t, "run again the shards 1/3", "analyze", "s3://run/a/facts", "-o", filepath.Join(t.TempDir(), "tables"))
	b.refuses(t, "of 3 shards, and this is one of 4", "extract", archives, "--crawl", "spring", "--shard", "1/4", "-o",
		"s3://run/a/facts")
	b.refuses(t, "other options, pages", "extract", archives, "--crawl", "spring", "--shard", "1/3", "-o",
		"s3://run/a/facts", "--pages", "all")
	b.must(t, exitUsage, "extract", archives, "--crawl", "spring", "--shard", "1/3", "-o", "s3://run/a/facts",
		"--overwrite")
	b.must(t, exitUsage, "extract", archives, "--crawl", "spring", "--shard", "1/3", "-o", "s3://run")
	if got := extract("1/3"); got.status != exitIncomplete || !strings.Contains(got.stderr, "last of 3 shards") {
		t.Errorf("exit status %d, it says %q", got.status, got.stderr)
	}
	before := b.content(t, "a/facts")
	for shard, status := range map[string]int{"1/3": exitIncomplete, "0/3": exitDone} {
		if got := extract(shard); got.status != status || !strings.Contains(got.stderr, "nothing to do") {
			t.Errorf("shard %s of the finished facts: exit status %d, it says %q", shard, got.status, got.stderr)
		}
	}
	sameContent(t, before, b.content(t, "a/facts"))
	want := content(t, local)
	for _, all := range []map[string]string{want, before} {
		maps.DeleteFunc(all, func(name, _ string) bool {
			return name == job.PlanFile || name == "_lock" ||
				name == "_conditional"
		})
	}
	sameContent(t, want, before)

	b.must(t, exitDone, "resolve", "s3://run/a/facts", "-o", "s3://run/a/answers")
	if got := b.must(t, exitDone, "resolve", "s3://run/a/facts/", "-o",
		"s3://run/a/answers"); !strings.Contains(got.stderr, "nothing to do") {
		t.Errorf("resolve again says %q", got.stderr)
	}
	if got, want := b.content(t, "a/answers")["000000-000.facts"], content(t,
		answers)["000000-000.facts"]; got != want ||
		got == "" {
		t.Errorf("the answers are not those of a folder: %d bytes, want %d", len(got), len(want))
	}
	b.refuses(t, "other options, strict", "resolve", "s3://run/a/facts", "-o", "s3://run/a/answers", "--strict")
	b.refuses(t, "holds facts; choose another folder", "resolve", "s3://run/a/facts", "-o", "s3://run/a/facts")
	b.refuses(t, "holds no facts of extract", "resolve", "s3://run/a/fact", "-o", "s3://run/a/answers")
	b.refuses(t, "other options, facts", "resolve", "s3://run/a/facts", local, "-o", "s3://run/a/answers")

	// A bucket takes no answers of other facts.
	if _, err := b.PutObject("run", "a/facts/000000-900.facts", nil, strings.NewReader("x"), 1, nil); err != nil {
		t.Fatal(err)
	}
	b.refuses(t, "they are of other facts", "analyze", "s3://run/a/facts", "s3://run/a/answers", "--bucket", "0/2",
		"-o", "s3://run/a/tables")
	b.refuses(t, "000000-900.facts, which is of no input that is finished", "resolve", "s3://run/a/facts", "-o",
		"s3://run/a/other")

	// One process has all of it, and makes the tables that local facts give.
	b.must(t, exitIncomplete, "extract", archives, "--crawl", "spring", "-o", "s3://run/b")
	here, there := filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "there")
	must(t, exitIncomplete, "analyze", local, "-o", here)
	b.must(t, exitIncomplete, "analyze", "s3://run/b", "-o", there)
	sameContent(t, content(t, here), content(t, there))
}

// Facts of two folders are the same in either order, as they are on this machine.
func TestFactsInTwoFoldersOfABucket(t *testing.T) {
	b := newBucket(t, nil)
	for _, name := range []string{"a", "b"} {
		b.must(t, exitDone, "extract", write(t, name+".warc", numbered(1)), "-o", "s3://run/"+name)
	}
	out := filepath.Join(t.TempDir(), "tables")
	b.must(t, exitDone, "analyze", "s3://run/a", "s3://run/b", "-o", out)
	if got := b.must(t, exitDone, "analyze", "s3://run/b", "s3://run/a", "s3://run/b/", "-o",
		out); !strings.Contains(got.stderr, "nothing to do") {
		t.Errorf("it says %q", got.stderr)
	}
}

// A service without conditional PUTs is reported once a task, and works.
func TestServiceWithoutConditions(t *testing.T) {
	archive := write(t, "a.warc", numbered(1))
	b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del("If-None-Match"); return false })
	for range 2 {
		got := b.must(t, exitDone, "extract", archive, "-o", "s3://run/facts")
		if n := strings.Count(got.stderr, "the service of s3://run/facts knows no conditional PUT"); n != 1 {
			t.Errorf("told %d times; it says %q", n, got.stderr)
		}
	}
	b.must(t, exitDone, "resolve", "s3://run/facts", "-o", "s3://run/answers")
}

// Without permission to delete, the tables are written, and the remaining files are reported.
func TestCompleteWhereNothingMayBeDeleted(t *testing.T) {
	archive := write(t, "a.warc", numbered(1))
	b := newBucket(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusForbidden)
		}
		return r.Method == http.MethodDelete
	})
	b.must(t, exitDone, "extract", archive, "-o", "s3://run/facts")
	b.must(t, exitDone, "resolve", "s3://run/facts", "-o", "s3://run/answers")
	b.must(t, exitDone, "analyze", "s3://run/facts", "s3://run/answers", "--bucket", "0/1", "-o", "s3://run/tables")
	b.refuses(t, "403 Forbidden", "complete", "s3://run/tables")
	if _, ok := b.content(t, "tables")[manifest.SuccessName]; !ok {
		t.Error("the tables are not there")
	}
}

// What an array job asks of S3 is what docs/scale.md counts with, whose figures are many times these: requests are paid
// for.
func TestRequestsOfAnArrayJob(t *testing.T) {
	const inputs = 5
	archives := smallArchives(t, inputs)
	var mu sync.Mutex
	asked := map[string]int{}
	b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool {
		kind := r.Method
		if r.URL.Query().Has("list-type") {
			kind = "LIST"
		}
		mu.Lock()
		defer mu.Unlock()
		asked[kind]++
		return false
	})
	for _, step := range []struct {
		args []string
		want map[string]int
	}{
		// Two PUTs try the service and one is the plan, which is looked for, and read again.
		{[]string{"extract", archives, "-o", "s3://run/facts", "--min-complete", "0"},
			map[string]int{"PUT": 2*inputs + 2 + 1, "LIST": 3, "GET": inputs + 2}},
		// It looks for answers that are there, among the facts too.
		{[]string{"resolve", "s3://run/facts", "-o", "s3://run/answers"},
			map[string]int{"PUT": 2 + 3, "LIST": 4, "GET": 2*inputs + 7}},
		// Eight part files, and a marker. Of facts and answers each file once; the others tell what folders are.
		{[]string{"analyze", "s3://run/facts", "s3://run/answers", "--bucket", "0/1", "-o", "s3://run/tables"},
			map[string]int{"PUT": 2 + 1 + 8 + 1, "LIST": 6, "GET": inputs + 1 + 11, "HEAD": 3}},
		// Eight copies, and thirteen files next to the tables. What waited is removed.
		{[]string{"complete", "s3://run/tables", "--min-complete", "0"},
			map[string]int{"PUT": 1 + 8 + 13, "LIST": 6, "GET": 4, "HEAD": 3, "DELETE": 8 + 2}},
	} {
		clear(asked)
		b.must(t, exitDone, step.args...)
		if diff := cmp.Diff(step.want, asked); diff != "" {
			t.Errorf("%s (-want +asked):\n%s", step.args[0], diff)
		}
	}
}

// An array job asks of S3 what tools/requests computes, from which docs/scale.md has the figures of a crawl. Of a long
// list the inputs share facts files and markers.
func TestRequestsGrowByTheLaw(t *testing.T) {
	t.Parallel()
	for _, j := range []requests.Job{
		{Inputs: 5, Shards: 1, Buckets: 2}, {Inputs: 1100, Shards: 2, Buckets: 3}, {Inputs: 600, Shards: 3, Buckets: 2},
	} {
		archives := t.TempDir()
		for i := range j.Inputs {
			robots := member(response(fmt.Sprintf("http://h%d.example/robots.txt", i%50), "text/plain",
				"User-agent: *\nDisallow: /x\n"))
			if err := os.WriteFile(filepath.Join(archives, fmt.Sprintf("%05d.warc.gz", i)), robots, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		asked := requests.Counts{}
		put, copied := 0, 0
		b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case r.Header.Get("X-Amz-Copy-Source") != "":
				copied++
				asked.Writes++
			case r.Method == http.MethodPut:
				put++
				asked.Writes++
			case r.Method == http.MethodPost, r.URL.Query().Has("list-type"):
				asked.Writes++
			case r.Method == http.MethodGet, r.Method == http.MethodHead:
				asked.Reads++
			}
			return false
		})
		step := func(tasks int, args func(i int) []string) requests.Counts {
			t.Helper()
			asked, put, copied = requests.Counts{}, 0, 0
			for i := range tasks {
				b.must(t, exitDone, args(i)...)
			}
			return asked
		}
		extract := step(j.Shards, func(i int) []string {
			return []string{"extract", archives, "--crawl", "c", "--shard", fmt.Sprintf("%d/%d", i, j.Shards), "-o",
				"s3://run/facts"}
		})
		resolve := step(1, func(int) []string {
			return []string{"resolve", "s3://run/facts", "-o", "s3://run/answers"}
		})
		analyze := step(j.Buckets, func(i int) []string {
			return []string{"analyze", "s3://run/facts", "s3://run/answers", "--bucket",
				fmt.Sprintf("%d/%d", i, j.Buckets), "-o", "s3://run/tables"}
		})
		complete := step(1, func(int) []string { return []string{"complete", "s3://run/tables"} })
		j.Empty = put - 14
		j.Parts = copied - j.Empty
		for name, c := range map[string]struct{ got, want requests.Counts }{
			"extract": {extract, j.Extract()}, "resolve": {resolve, j.Resolve()}, "analyze": {analyze, j.Analyze()},
			"complete": {complete, j.Complete()},
		} {
			if c.got != c.want {
				t.Errorf("%+v: %s asks %+v, by the law %+v", j, name, c.got, c.want)
			}
		}
	}
}

// Of tasks that make one bucket at the same time each ends well: their marks are the same, byte for byte.
func TestTasksOfOneBucketAtOnce(t *testing.T) {
	const tasks = 3
	var arrived atomic.Int64
	all := make(chan struct{})
	b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/tables/_work/tables/00000.done") {
			if arrived.Add(1) == tasks {
				close(all)
			}
			select {
			case <-all:
			case <-time.After(20 * time.Second): // one of them ended before
			}
		}
		return false
	})
	archives := filepath.Join(fixtures, "good", "crawl-data") // of two crawls
	b.must(t, exitDone, "extract", archives, "-o", "s3://run/facts", "--min-complete", "0")
	b.must(t, exitDone, "resolve", "s3://run/facts", "-o", "s3://run/answers")
	ends := make(chan outcome, tasks)
	for range tasks {
		go func() {
			ends <- b.run(t, "analyze", "s3://run/facts", "s3://run/answers", "--bucket", "0/1", "-o",
				"s3://run/tables", "--workers", "1")
		}()
	}
	for range tasks {
		if end := <-ends; end.status != exitDone {
			t.Errorf("exit status %d, it says %q", end.status, end.stderr)
		}
	}
}

// Every verb reads and writes a folder of S3 as it does one of this machine.
func TestEveryVerbTakesS3(t *testing.T) {
	archive := filepath.Join(fixtures, "good", "crawl-data")
	dir := t.TempDir()
	b := newBucket(t, nil)
	here := func(name string) string { return filepath.Join(dir, name) }
	away := func(name string) string { return "s3://run/" + name }
	same := func(name string) {
		t.Helper()
		got := timeless(t, b.inFolder(t, name))
		delete(got, "_conditional")
		sameContent(t, timeless(t, here(name)), got)
	}
	for _, step := range [][]string{
		{"scan", archive, "-o", "tables"},
		{"scan", archive, "-o", "arrow", "--format", "arrow"},
		{"extract", archive, "-o", "facts"},
		{"resolve", "facts", "-o", "answers"},
		{"analyze", "facts", "-o", "analyzed"},
		{"analyze", "facts", "answers", "--bucket", "0/1", "-o", "bucket"},
		{"complete", "bucket"},
	} {
		places := map[bool][]string{}
		for _, s3 := range []bool{false, true} {
			for _, arg := range step {
				if !strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "/") && arg != step[0] &&
					arg != "--format" &&
					!(arg == "arrow" && places[s3][len(places[s3])-1] == "--format") {
					arg = map[bool]func(string) string{false: here, true: away}[s3](arg)
				}
				places[s3] = append(places[s3], arg)
			}
		}
		must(t, exitDone, places[false]...)
		b.must(t, exitDone, places[true]...)
	}
	for _, name := range []string{"tables", "arrow", "analyzed", "bucket"} {
		same(name)
	}
	for _, args := range [][]string{{"report", "tables", "-o", "-"}, {"export", "adoption", "tables"},
		{"export", "conflicts", "arrow"}} {
		i := slices.IndexFunc(args, func(arg string) bool { return arg == "tables" || arg == "arrow" })
		local, remote := slices.Clone(args), slices.Clone(args)
		local[i], remote[i] = here(args[i]), away(args[i])
		want, got := must(t, exitDone, local...).stdout, b.must(t, exitDone, remote...).stdout
		if args[0] == "report" { // the times of the runs stand in it
			want, got = want[:200], got[:200]
		}
		if want != got || want == "" {
			t.Errorf("%v: %d bytes from S3, %d from a folder", args, len(got), len(want))
		}
	}
	if got := b.must(t, exitDone, "scan", archive, "-o", away("tables")); !strings.Contains(got.stderr,
		"nothing to do") {
		t.Errorf("scan again says %q", got.stderr)
	}
	b.refuses(t, "holds the tables of another run; choose another folder (", "scan", archive, "-o", away("tables"),
		"--pages", "all")
	if got := b.must(t, exitUsage, "scan", archive, "-o", away("tables"), "--overwrite"); !strings.Contains(got.stderr,
		"--overwrite is not for S3") {
		t.Errorf("--overwrite says %q", got.stderr)
	}
	b.refuses(t, "no finished run", "report", away("facts"), "-o", "-")
	// Facts on both sides.
	b.must(t, exitDone, "analyze", here("facts"), away("answers"), "-o", away("mixed"))
	for name := range b.content(t, "") {
		if strings.HasPrefix(name, "_work/") || strings.Contains(name, "/_work/") {
			t.Errorf("left is %s", name)
		}
	}
}

// A service that is away ends each verb after --give-up, with one sentence next to the message that it waits.
func TestEveryVerbGivesUp(t *testing.T) {
	archive, file := write(t, "a.warc", numbered(1)), filepath.Join(t.TempDir(), "report.html")
	stalls := listen(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server sees the end of a connection only behind the body
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	})
	for _, args := range [][]string{
		{"scan", archive, "-o", "s3://run/a"}, {"extract", archive, "-o", "s3://run/a"},
		{"resolve", "s3://run/a", "-o", "s3://run/b"}, {"analyze", "s3://run/a", "-o", "s3://run/b"},
		{"complete", "s3://run/a"}, {"report", "s3://run/a", "-o", file}, {"export", "adoption", "s3://run/a"},
		{"explain", "s3://run/a", "--site", "a.example"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			away := []string{"--s3-anonymous", "--s3-endpoint", "http://127.0.0.1:1", "--give-up", "2s"}
			got := must(t, exitFailed, append(args, away...)...)
			said := got.sentences()
			if len(said) != 2 || !strings.HasPrefix(said[0], "waiting for s3://run, for ") ||
				!strings.HasSuffix(said[1], "connection refused (given up after 2s)") {
				t.Errorf("it says %q", said)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			silent := []string{"--s3-anonymous", "--s3-endpoint", stalls, "--give-up", "2s"}
			began = time.Now()
			said = must(t, exitFailed, append(args, silent...)...).sentences()
			if len(said) != 1 || !strings.HasSuffix(said[0], "next to nothing for 2s (given up after 2s)") {
				t.Errorf("of a service that never answers it says %q", said)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			got = must(t, exitUsage, append(args, "--give-up", "0")...)
			if !strings.Contains(got.stderr, "--give-up") {
				t.Errorf("it says %q", got.stderr)
			}
		})
	}
}

// While the service and the server of the archives are away, each verb says so once, waits and goes on, and nothing is
// lost or doubled.
func TestEveryVerbWaits(t *testing.T) {
	t.Parallel()
	var back atomic.Int64 // when, in Unix nanoseconds
	away := func() bool { return time.Now().UnixNano() < back.Load() }
	b := newBucket(t, func(http.ResponseWriter, *http.Request) bool {
		if away() {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	archives := smallArchives(t, 3)
	files := http.FileServer(http.Dir(archives))
	web := listen(t, func(w http.ResponseWriter, r *http.Request) {
		if away() {
			panic(http.ErrAbortHandler)
		}
		files.ServeHTTP(w, r)
	})
	inputs := []string{web + "/00.warc.gz", web + "/02.warc.gz", "--crawl", "c", "--rate", "1000"}
	with := func(verb string, args ...string) []string { return append([]string{verb}, args...) }
	extract := func(out string) []string { return with("extract", append(inputs, "-o", "s3://run/"+out)...) }
	scan := func(out string) []string { return with("scan", append(inputs, "-o", "s3://run/"+out)...) }
	resolve := func(out string) []string { return with("resolve", "s3://run/facts", "-o", "s3://run/"+out) }
	analyze := func(out string) []string { return with("analyze", "s3://run/facts", "-o", "s3://run/"+out) }
	bucket := func(out string) []string {
		return with("analyze", "s3://run/facts", "s3://run/answers", "--bucket", "0/1", "-o", "s3://run/"+out)
	}
	for _, args := range [][]string{extract("facts"), resolve("answers"), scan("tables"), analyze("analyzed"),
		bucket("waiting"), bucket("bucket")} {
		b.must(t, exitDone, args...)
	}
	calm := map[string][]string{"facts2": {"facts"}, "answers2": {"answers"}, "tables2": {"tables"},
		"analyzed2": {"analyzed"}, "bucket2": {"bucket"}}
	waits := map[string][]string{
		"extract": extract("facts2"), "resolve": resolve("answers2"), "scan": scan("tables2"),
		"analyze": analyze("analyzed2"), "analyze --bucket": bucket("bucket2"),
		"complete": with("complete", "s3://run/waiting"), "report": with("report", "s3://run/tables", "-o", "-"),
		"export":  with("export", "adoption", "s3://run/tables"),
		"explain": with("explain", "s3://run/tables", "--site", "http://site1.example"),
	}
	back.Store(time.Now().Add(3500 * time.Millisecond).UnixNano())
	var running sync.WaitGroup
	for verb, args := range waits {
		running.Go(func() {
			got := b.run(t, args...)
			waiting, again := strings.Count(got.stderr, ": waiting for s3://run, for "),
				strings.Count(got.stderr, "s3://run answers again")
			if got.status != exitDone || waiting != 1 || again != 1 {
				t.Errorf("%s: exit status %d, it says %q", verb, got.status, got.stderr)
			}
		})
	}
	running.Wait()
	for name, of := range calm {
		want, got := b.inFolder(t, of[0]), b.inFolder(t, name)
		if strings.HasPrefix(name, "tables") || strings.HasPrefix(name, "analyzed") {
			sameContent(t, timeless(t, want), timeless(t, got))
		} else {
			sameContent(t, content(t, want), content(t, got))
		}
	}

	// The archives alone are away.
	back.Store(time.Now().Add(3500 * time.Millisecond).UnixNano())
	for _, mode := range []string{"none", "json"} {
		got := must(t, exitDone, append(with("extract", inputs...), "-o", filepath.Join(t.TempDir(), "facts"),
			"--progress", mode)...)
		host := strings.TrimPrefix(web, "http://")
		if strings.Count(got.stderr, "waiting for "+host+", ") != 1 ||
			strings.Count(got.stderr, host+" answers again") != 1 {
			t.Errorf("--progress %s: it says %q", mode, got.stderr)
		}
		back.Store(time.Now().Add(3500 * time.Millisecond).UnixNano())
	}
}

// A service on another machine has https://, unless the user says otherwise. 0.0.0.0 is no name of this machine, but
// Linux connects to it.
func TestEveryVerbProtectsS3(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no other name for this machine")
	}
	b := newBucket(t, nil)
	b.flags[1] = strings.Replace(b.url, "127.0.0.1", "0.0.0.0", 1)
	archive, file := write(t, "a.warc", numbered(1)), filepath.Join(t.TempDir(), "report.html")
	for _, args := range [][]string{
		{"scan", archive, "-o", "s3://run/tables"}, {"extract", archive, "-o", "s3://run/facts"},
		{"resolve", "s3://run/facts", "-o", "s3://run/answers"}, {"analyze", "s3://run/facts", "-o", "s3://run/b"},
		{"complete", "s3://run/tables"}, {"report", "s3://run/tables", "-o", file},
		{"export", "adoption", "s3://run/tables"}, {"explain", "s3://run/tables", "--site", "a.example"},
	} {
		got := b.must(t, exitUsage, args...)
		if !strings.Contains(got.stderr, "is not protected on its way: write https://") {
			t.Errorf("%s says %q", args[0], got.stderr)
		}
		b.must(t, exitDone, append(args, "--plain-http")...)
	}
}

// A plain WARC with a record that claims more than the input has gives the same rows from a file, over HTTP, from S3
// and from a file on standard input, whose lengths are known. A pipe has no length: if the record is the last one, its
// row is the same; if others follow, they are lost with it.
func TestRecordsBeyondTheInput(t *testing.T) {
	large := response("http://a.example/large", "text/html", acapPage+strings.Repeat("<p>\n", 1<<20))
	huge := bytes.Replace(large, []byte("Content-Length: "), []byte("Content-Length: 9"), 1)
	robots := response("http://a.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /\n")
	b := newBucket(t, nil)
	for name, c := range map[string]struct {
		content      []byte
		status, pipe int
		records      int64
	}{
		"last":   {bytes.Join([][]byte{robots, huge}, nil), exitIncomplete, exitIncomplete, 2},
		"middle": {bytes.Join([][]byte{huge, robots, large}, nil), exitDone, exitIncomplete, 3},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, name+".warc", c.content)
			if _, err := b.PutObject("run", name+".warc", nil, bytes.NewReader(c.content), int64(len(c.content)),
				nil); err != nil {
				t.Fatal(err)
			}
			web := listen(t, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
			stdin, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			scanned := func(status int, stdin io.Reader, input string) table.Input {
				t.Helper()
				out := filepath.Join(t.TempDir(), "out")
				args := append([]string{"scan", input, "--crawl", "one", "-o", out}, b.flags...)
				got := runWith(t.Context(), stdin, args...)
				if got.status != status {
					t.Errorf("%s: exit status %d, want %d; it says %q", input, got.status, status, got.stderr)
				}
				row := rows[table.Input](t, out, table.Inputs)[0].Row
				row.WARCFilename, row.Error = "", nil
				return row
			}
			want := scanned(c.status, nil, file)
			if want.RecordsResponse != c.records || !strings.Contains(fmt.Sprint(want.Defects), "length-invalid") {
				t.Errorf("from a file %+v", want)
			}
			for input, from := range map[string]io.Reader{
				web + "/" + name + ".warc": nil, "s3://run/" + name + ".warc": nil, "-": stdin,
			} {
				if diff := cmp.Diff(want, scanned(c.status, from, input)); diff != "" {
					t.Errorf("%s (-file +other):\n%s", input, diff)
				}
			}
			piped := scanned(c.pipe, bytes.NewReader(c.content), "-")
			if diff := cmp.Diff(want, piped); (diff != "") != (c.pipe != c.status) {
				t.Errorf("a pipe (-file +pipe):\n%s", diff)
			}
		})
	}
}

func TestS3WithoutCredentials(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "credentials"))
	refuses(t, "no credentials for S3 were found where the AWS tools look for them", "extract",
		write(t, "a.warc", numbered(1)), "-o", "s3://run/facts")
	refuses(t, "no credentials for S3 were found where the AWS tools look for them", "resolve", "s3://run/facts", "-o",
		t.TempDir())
}

// All verbs that read or write S3 use the flags for it.
func TestS3AsTold(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", write(t, "credentials",
		[]byte("[work]\naws_access_key_id = WORKKEY\naws_secret_access_key = s\n")))
	archive := write(t, "a.warc", numbered(1))
	for name, tt := range map[string]struct {
		flags []string
		want  string
	}{
		"signed":      {[]string{"--s3-profile", "work", "--s3-region", "eu-north-1"}, "WORKKEY eu-north-1"},
		"anonymously": {[]string{"--s3-anonymous"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			asked := map[string]bool{}
			b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool {
				signed := ""
				if _, credential, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
					signed = strings.Split(credential, "/")[0] + " " + strings.Split(credential, "/")[2]
				}
				mu.Lock()
				defer mu.Unlock()
				asked[signed] = true
				return false
			})
			for _, args := range [][]string{
				{"extract", archive, "-o", "s3://run/facts"},
				{"resolve", "s3://run/facts", "-o", "s3://run/answers"},
				{"analyze", "s3://run/facts", "-o", filepath.Join(t.TempDir(), "tables")},
				{"analyze", "s3://run/facts", "s3://run/answers", "--bucket", "0/1", "-o", "s3://run/tables"},
				{"complete", "s3://run/tables"},
				{"report", "s3://run/tables", "-o", "-"},
				{"export", "adoption", "s3://run/tables"},
				{"explain", "s3://run/tables", "--site", "a.example"},
				{"scan", archive, "-o", "s3://run/scanned"},
			} {
				clear(asked)
				must(t, exitDone, slices.Concat(args, []string{"--s3-endpoint", b.url}, tt.flags)...)
				if !asked[tt.want] || len(asked) != 1 {
					t.Errorf("%s is signed with %v, want %q", args[0], asked, tt.want)
				}
			}
		})
	}
}

// inFolder copies what is below a folder of the bucket to this machine.
func (b *bucket) inFolder(t *testing.T, folder string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range b.content(t, folder) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An array job on S3, as processes of this machine: in random order, several at a time, some twice at once, some killed
// and started again, of a service that fails now and then. The tables have the rows of a scan, and before the end
// nothing looks finished.
func TestArrayJobOnS3(t *testing.T) {
	t.Parallel()
	const shards, buckets = 3, 3
	archives := filepath.Join(fixtures, "good", "crawl-data")
	var asked atomic.Int64
	b := newBucket(t, func(w http.ResponseWriter, _ *http.Request) bool {
		switch n := asked.Add(1); {
		case n%331 == 0:
			w.WriteHeader(http.StatusInternalServerError)
		case n%317 == 0:
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	})
	if _, err := b.PutObject("run", "foreign/inputs/a.warc.gz", nil, strings.NewReader(""), 0, nil); err != nil {
		t.Fatal(err)
	}
	job := newArrayJob(t)
	job.array(shards, func(i int) []string {
		return append([]string{"extract", archives, "--shard", fmt.Sprintf("%d/%d", i, shards), "-o", "s3://run/facts",
			"--workers", "1"}, b.flags...)
	})
	bucketOf := func(i, n int, out string) []string {
		return append([]string{"analyze", "s3://run/facts", "s3://run/answers", "--bucket", fmt.Sprintf("%d/%d", i, n),
			"-o", out, "--workers", "1"}, b.flags...)
	}
	bucket := func(i int) []string { return bucketOf(i, buckets, "s3://run/tables") }
	b.refuses(t, "run 'acapscan resolve", "analyze", "s3://run/facts", "--bucket", "0/3", "-o", "s3://run/tables")
	job.must(30*time.Millisecond, append([]string{"resolve", "s3://run/facts", "-o", "s3://run/answers"}, b.flags...))
	b.refuses(t, "holds neither tables nor buckets that analyze --bucket made", "complete", "s3://run/tables")
	must(t, exitDone, bucket(2)...)
	b.refuses(t, "s3://run/tables lacks 2 of 3 buckets; run again analyze --bucket 0/3, 1/3", "complete",
		"s3://run/tables")
	refuses(t, "of 3 buckets, these are 5", bucketOf(0, 5, "s3://run/tables")...)
	refuses(t, "another --strict", append(bucket(0), "--strict")...)
	refuses(t, "holds inputs, which no run of this program made", bucketOf(0, 3, "s3://run/foreign")...)
	job.array(buckets, bucket)
	for name := range b.content(t, "tables") {
		if _, part := table.FormatOf(name); part || name == manifest.SuccessName {
			t.Errorf("%s is there before the end", name)
		}
	}
	complete := append([]string{"complete", "s3://run/tables"}, b.flags...)
	job.must(20*time.Millisecond, complete)
	want := b.content(t, "tables")
	for _, args := range [][]string{complete, bucket(1)} {
		if got := must(t, exitDone, args...); !strings.Contains(got.stderr, "nothing to do") {
			t.Errorf("%s on what is finished says %q", args[0], got.stderr)
		}
	}
	sameContent(t, want, b.content(t, "tables"))
	t.Logf("%d tasks were killed, %d requests", job.killed.Load(), asked.Load())
	for name := range want {
		if strings.HasPrefix(name, "_work/") {
			t.Errorf("%s is left", name)
		}
	}

	sameAsScan(t, archives, b.inFolder(t, "tables"))
}

// Standard error is for the program's own sentences: the library that sends requests writes nothing there.
func TestLibraryOfS3SaysNothing(t *testing.T) {
	b := newBucket(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			w.Header().Set("Content-Length", "1000") // and the connection breaks before
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		return false
	})
	cmd := exec.CommandContext(t.Context(), programPath(t), append([]string{"extract", "--progress", "json", "-o",
		"s3://run/a/facts", write(t, "a.warc", numbered(1)), "--give-up", "1s"}, b.flags[:2]...)...)
	cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret")
	said, _ := cmd.CombinedOutput() // where nothing can be written, it fails
	if lines := strings.Split(strings.TrimSpace(string(said)), "\n"); lines[0] == "" || slices.ContainsFunc(lines,
		func(line string) bool { return !strings.HasPrefix(line, "{") }) {
		t.Errorf("it says %q", said)
	}
}
