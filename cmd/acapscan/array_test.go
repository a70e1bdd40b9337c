package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
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

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
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
	refuses(t, "those of an array job", "extract", archives, "-o", out)
	if got := extract("1/3", "--overwrite"); got.status != exitUsage {
		t.Errorf("--overwrite: exit status %d, it says %q", got.status, got.stderr)
	}
	if got := extract("1/3"); got.status != exitIncomplete || !strings.Contains(got.stderr, "last of 3 shards") {
		t.Errorf("exit status %d, it says %q", got.status, got.stderr)
	}
	// a shard knows of its own inputs
	for shard, status := range map[string]int{"1/3": exitIncomplete, "0/3": exitDone} {
		if got := extract(shard); got.status != status || !strings.Contains(got.stderr, "nothing to do") {
			t.Errorf("shard %s of the finished facts: exit status %d, it says %q", shard, got.status, got.stderr)
		}
	}
	want, got := content(t, undisturbed), content(t, out)
	for _, all := range []map[string]string{want, got} {
		maps.DeleteFunc(all, func(name, _ string) bool { return name == job.PlanFile || name == "_lock" })
	}
	sameContent(t, want, got)
	must(t, exitIncomplete, "analyze", out, "-o", filepath.Join(t.TempDir(), "tables"))
}

// A shard asks other machines again for what they did not give, also when all shards are finished.
func TestShardAsksAgain(t *testing.T) {
	t.Run("into a folder", func(t *testing.T) {
		shardAsksAgain(t, "-o", filepath.Join(t.TempDir(), "facts"))
	})
	t.Run("into S3", func(t *testing.T) {
		shardAsksAgain(t, append(newBucket(t, nil).flags, "-o", "s3://run/facts")...)
	})
}

// shardAsksAgain gives its flags to two shards.
func shardAsksAgain(t *testing.T, flags ...string) {
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
	extract := func(status int, shard string) {
		t.Helper()
		asked.Store(0)
		args := []string{"extract", "--rate", "1000", "--workers", "1", "--shard", shard, url + "/" + archives[0],
			url + "/" + archives[1]}
		must(t, status, append(args, flags...)...)
	}
	extract(exitDone, "0/2")
	forbids.Store(true)
	extract(exitIncomplete, "1/2")
	extract(exitDone, "0/2") // a shard knows of its own inputs
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

// rowsOf lists the rows of all tables of a finished folder, whatever part files they are in.
func rowsOf(t *testing.T, dir string) map[table.Name][]string {
	t.Helper()
	m, err := manifest.Read(storage.NewFolder(dir))
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if err := dataset.Stream(storage.NewFolder(dir), m, &stream); err != nil {
		t.Fatal(err)
	}
	rows := map[table.Name][]string{}
	addTables(t, rows, &stream)
	for name := range rows {
		slices.Sort(rows[name])
	}
	return rows
}

// An arrayJob runs the tasks of a job as processes of this machine.
type arrayJob struct {
	t       *testing.T
	program string
	random  *rand.Rand
	killed  atomic.Int64
}

func newArrayJob(t *testing.T) *arrayJob {
	t.Helper()
	if runtime.GOOS == "windows" || !longtest.Enabled() {
		t.Skip("kills the program again and again")
	}
	return &arrayJob{t: t, program: programPath(t), random: newRandom(t)}
}

// task runs a command to its end. It kills it after a while, and runs it again, with more time each time; 0: it is let
// be.
func (j *arrayJob) task(kill time.Duration, args []string) error {
	for {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(j.t.Context(), j.program, args...)
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		if kill > 0 {
			time.Sleep(kill)
			_ = cmd.Process.Kill() // it may have ended
		}
		err := cmd.Wait()
		if kill > 0 && err != nil && strings.Contains(err.Error(), "killed") {
			j.killed.Add(1)
			kill *= 3
			continue
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == exitIncomplete {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w; it says %q", strings.Join(args, " "), err, stderr.String())
		}
		return nil
	}
}

func (j *arrayJob) must(kill time.Duration, args []string) {
	j.t.Helper()
	if err := j.task(kill, args); err != nil {
		j.t.Fatal(err)
	}
}

// array runs so many tasks in random order, several at a time, some of them twice, and half of them killed.
func (j *arrayJob) array(n int, args func(i int) []string) {
	j.t.Helper()
	list := append(j.random.Perm(n), j.random.IntN(n), j.random.IntN(n))
	room := make(chan struct{}, 3)
	var wg sync.WaitGroup
	for _, i := range list {
		kill := time.Duration(0)
		if j.random.IntN(2) == 0 {
			kill = time.Duration(20+j.random.IntN(200)) * time.Millisecond
		}
		room <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-room }()
			if err := j.task(kill, args(i)); err != nil {
				j.t.Error(err)
			}
		}()
	}
	wg.Wait()
}

// resolveInSteps runs the steps of the pass across hosts. args adds the stores to a command.
func (j *arrayJob) resolveInSteps(buckets int, args func(...string) []string) (steps int) {
	j.t.Helper()
	for ; ; steps++ {
		task := func(i int) []string {
			return args("--bucket", fmt.Sprintf("%d/%d", i, buckets), "--step", fmt.Sprint(steps))
		}
		j.array(buckets, task)
		if got := must(j.t, exitDone, task(0)...); got.stdout == "finished\n" || j.t.Failed() {
			return steps
		}
	}
}

// An array job as processes of this machine: the tasks of each stage in random order, several at a time, some twice at
// once, some killed and started again. The tables have the rows of a scan, and before the end nothing looks finished.
func TestArrayJob(t *testing.T) {
	t.Parallel()
	job := newArrayJob(t)
	const shards, buckets = 3, 4
	archives := filepath.Join(fixtures, "good")
	folder := t.TempDir()
	store, answers, out := filepath.Join(folder, "facts"), filepath.Join(folder, "answers"), filepath.Join(folder,
		"out")

	job.array(shards, func(i int) []string {
		return []string{"extract", archives, "--shard", fmt.Sprintf("%d/%d", i, shards), "-o", store, "--workers", "1"}
	})
	bucket := func(i int) []string {
		return []string{"analyze", store, answers, "--bucket", fmt.Sprintf("%d/%d", i, buckets), "-o", out, "--workers",
			"1"}
	}
	refuses(t, "run 'acapscan resolve", "analyze", store, "--bucket", "0/4", "-o", out)
	oneTask := filepath.Join(folder, "answers of one task")
	job.must(30*time.Millisecond, []string{"resolve", store, "-o", oneTask})
	if got := must(t, exitDone, "resolve", store, "-o", oneTask); !strings.Contains(got.stderr, "nothing to do") {
		t.Errorf("resolve again says %q", got.stderr)
	}
	if _, err := storage.NewFolder(answers).Stage(); err != nil { // as a task that is killed leaves it
		t.Fatal(err)
	}
	if n := job.resolveInSteps(3, func(more ...string) []string {
		return append([]string{"resolve", store, "-o", answers}, more...)
	}); n < 3 {
		t.Errorf("it took %d steps", n)
	}
	if exists(filepath.Join(answers, storage.WorkFolder)) {
		t.Error("the work folder of the answers is left")
	}
	must(t, exitDone, bucket(2)...)
	refuses(t, "lacks 3 of 4 buckets; run again analyze --bucket 0/4, 1/4, 3/4", "complete", out)
	refuses(t, "of 4 buckets, these are 5", "analyze", store, answers, "--bucket", "0/5", "-o", out)
	refuses(t, "other options, permissions", "analyze", store, answers, "--bucket", "0/4", "-o", out, "--permissions",
		"all")
	refuses(t, "another --strict", "analyze", store, answers, "--bucket", "0/4", "-o", out, "--strict")
	refuses(t, "'acapscan complete", "analyze", store, "-o", out)
	refuses(t, "'acapscan complete", "scan", archives, "-o", out)
	job.array(buckets, bucket)
	for _, name := range filesBelow(t, out) {
		if _, part := table.FormatOf(name); part || name == manifest.SuccessName {
			t.Errorf("%s is there before the end", name)
		}
	}
	job.must(20*time.Millisecond, []string{"complete", out})
	want := content(t, out)
	for _, args := range [][]string{{"complete", out}, bucket(1)} {
		if got := must(t, exitDone, args...); !strings.Contains(got.stderr, "nothing to do") {
			t.Errorf("%s on what is finished says %q", args[0], got.stderr)
		}
	}
	sameContent(t, want, content(t, out))
	t.Logf("%d tasks were killed", job.killed.Load())

	sameAsScan(t, archives, out)
	for _, name := range []string{storage.WorkFolder, "_lock"} {
		if exists(filepath.Join(out, name)) {
			t.Errorf("%s is left", name)
		}
	}
}

// sameAsScan reports differences between the tables of an array job and those of a scan of the same archives: rows, and
// counts of the manifest.
func sameAsScan(t *testing.T, archives, out string) {
	t.Helper()
	scanned := onceScan(t, exitDone, archives)
	if diff := cmp.Diff(rowsOf(t, scanned), rowsOf(t, out)); diff != "" {
		t.Errorf("rows (-scan +array):\n%.3000s", diff)
	}
	one, err := manifest.Read(storage.NewFolder(scanned))
	if err != nil {
		t.Fatal(err)
	}
	other, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{one.Counts, one.Inputs}, []any{other.Counts, other.Inputs}); diff != "" {
		t.Errorf("manifest (-scan +array):\n%s", diff)
	}
}

func TestBucketsThatMakeNoSense(t *testing.T) {
	store := factsOf(t)
	answers, out := filepath.Join(t.TempDir(), "answers"), filepath.Join(t.TempDir(), "out")
	must(t, exitDone, "resolve", store, "-o", answers)
	others := filepath.Join(t.TempDir(), "others")
	must(t, exitDone, "resolve", store, "-o", others)
	for name, args := range map[string][]string{
		"no share":           {"analyze", store, answers, "--bucket", "4/4", "-o", out},
		"a stream out":       {"analyze", store, answers, "--bucket", "0/4", "-o", "-"},
		"a stream in":        {"analyze", "-", answers, "--bucket", "0/4", "-o", out},
		"overwriting":        {"analyze", store, answers, "--bucket", "0/4", "-o", out, "--overwrite"},
		"inputs":             {"analyze", store, answers, "--bucket", "0/4", "-o", out, "--min-complete", "0.5"},
		"answers twice":      {"analyze", store, answers, others, "--bucket", "0/4", "-o", out},
		"a format of no use": {"analyze", store, answers, "--bucket", "0/4", "-o", out, "--format", "csv"},
	} {
		t.Run(name, func(t *testing.T) { must(t, exitUsage, args...) })
	}
	if exists(out) {
		t.Error("there is an output folder")
	}
	refuses(t, "holds facts; choose another folder", "resolve", store, "-o", store)
}

// Answers of other facts are no answers: a bucket that took them would lack what other sites say.
func TestAnswersOfOtherFacts(t *testing.T) {
	store, out := factsOf(t), filepath.Join(t.TempDir(), "out")
	other, answers := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "answers")
	must(t, exitDone, "extract", write(t, "a.warc", numbered(1)), "-o", other)
	must(t, exitDone, "resolve", other, "-o", answers)
	refuses(t, "of other facts", "analyze", store, answers, "--bucket", "0/2", "-o", out)
	refuses(t, "other options, facts", "resolve", store, "-o", answers)
}
