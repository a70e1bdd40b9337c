package dataset

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

func planned(buckets int) Plan {
	return Plan{Program: "program 1", Options: map[string]string{"facts": "x"}, Buckets: buckets}
}

func resume(t *testing.T, dir string, plan Plan) *Writer {
	t.Helper()
	w, err := Resume(dir, plan, Options{CreatedBy: "test"})
	check(t, err)
	return w
}

// fill adds a bucket, of two lots of rows.
func fill(t *testing.T, w *Writer, bucket int) {
	t.Helper()
	check(t, tryToFill(t, w, bucket))
}

func tryToFill(t *testing.T, w *Writer, bucket int) error {
	t.Helper()
	for _, number := range []int{bucket, bucket + w.plan.Buckets} {
		check(t, Add(w, table.Adoptions, "CC-1", "", number, adoption("http://a.example")))
		check(t, Add(w, table.Inputs, "CC-1", "warc", number, input("a.warc.gz")))
	}
	return w.Finish(bucket, map[string]int{"bucket": bucket})
}

// undisturbed is the output of a run of so many buckets.
func undisturbed(t *testing.T, buckets int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	w := resume(t, dir, planned(buckets))
	for i := range buckets {
		fill(t, w, i)
	}
	check(t, w.Commit(newManifest()))
	return timeless(t, dir)
}

func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := tree(t, dir)
	delete(files, manifest.FileName)
	return files
}

func TestFinishedBucketsStay(t *testing.T) {
	dir := t.TempDir()
	w := resume(t, dir, planned(3))
	fill(t, w, 2)
	check(t, Add(w, table.Adoptions, "CC-1", "", 0, adoption("http://b.example"))) // and is killed, or
	check(t, w.Abort())
	if found := parquetFiles(t, dir); len(found) != 0 {
		t.Errorf("before the end there are %v", found)
	}

	w = resume(t, dir, planned(3))
	if got := w.Missing(); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("missing are %v", got)
	}
	if told, ok := w.Finished(2); !ok || string(told) != `{"bucket":2}` {
		t.Errorf("bucket 2 tells %s, %v", told, ok)
	}
	fill(t, w, 0)
	fill(t, w, 1)
	check(t, w.Commit(newManifest()))
	if diff := cmp.Diff(undisturbed(t, 3), timeless(t, dir)); diff != "" {
		t.Errorf("(-undisturbed +interrupted):\n%.2000s", diff)
	}
}

func TestAnotherPlanBeginsAnew(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"program": func(p *Plan) { p.Program = "program 2" }, "options": func(p *Plan) { p.Options = map[string]string{"facts": "y"} },
		"buckets": func(p *Plan) { p.Buckets = 4 },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w := resume(t, dir, planned(3))
			fill(t, w, 2)
			check(t, w.Abort())
			other := planned(3)
			change(&other)
			w = resume(t, dir, other)
			if got := w.Missing(); len(got) != other.Buckets {
				t.Errorf("missing are %v", got)
			}
			check(t, w.Abort())
			if found := tree(t, dir); len(found) != 0 {
				t.Errorf("left are %v", found)
			}
		})
	}
}

// What is marked and was damaged since is not there.
func TestMarksOfPartsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	w := resume(t, dir, planned(4))
	for i := range 4 {
		fill(t, w, i)
	}
	check(t, w.Abort())
	check(t, os.Remove(placedPath(w.dir, "adoption/crawl=CC-1/part-00000.parquet")))
	check(t, os.Truncate(placedPath(w.dir, "inputs/crawl=CC-1/subset=warc/part-00005.parquet"), 10))
	check(t, os.WriteFile(filepath.Join(workFolder(dir), markName(2)), []byte("{"), 0o644))
	if got := resume(t, dir, planned(4)).Missing(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("missing are %v", got)
	}
}

// Killed between any two steps of the commit, the run goes on, works on no bucket again, and nothing of a run before it is left.
func TestKilledAtEachStepOfTheCommit(t *testing.T) {
	want := undisturbed(t, 1)
	for step := 0; ; step++ {
		dir := t.TempDir()
		for _, old := range []string{"adoption/crawl=CC-0/part-00009.parquet", "conflicts/crawl=CC-1/part-00000.parquet", manifest.SuccessName} {
			check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, old)), 0o755))
			check(t, os.WriteFile(filepath.Join(dir, old), []byte("of a run before"), 0o644))
		}
		w := resume(t, dir, planned(1))
		fill(t, w, 0)
		// As Commit does, so many steps.
		check(t, manifest.Invalidate(dir))
		if step > 0 {
			check(t, w.at.(*folder).clearTables())
		}
		left := step - 1
		for final := range w.staged {
			if left--; left < 0 {
				break
			}
			check(t, os.MkdirAll(filepath.Dir(finalPath(dir, final)), 0o755))
			check(t, os.Rename(placedPath(dir, final), finalPath(dir, final)))
		}
		if _, err := manifest.Read(dir); !errors.Is(err, manifest.ErrNotComplete) {
			t.Errorf("after %d steps: the half of a run counts as whole: %v", step, err)
		}
		w = resume(t, dir, planned(1))
		if got := w.Missing(); len(got) != 0 {
			t.Errorf("after %d steps: missing are %v", step, got)
		}
		check(t, w.Commit(newManifest()))
		if diff := cmp.Diff(want, timeless(t, dir)); diff != "" {
			t.Fatalf("after %d steps (-undisturbed +killed):\n%.2000s", step, diff)
		}
		if left > 0 {
			return
		}
	}
}

// Files that a run before left under final names do not count as this run's, though they have the size.
func TestFilesOfAnotherRunDoNotCount(t *testing.T) {
	dir := t.TempDir()
	w := resume(t, dir, planned(1))
	fill(t, w, 0)
	check(t, w.Commit(newManifest()))
	w = resume(t, dir, planned(1))
	fill(t, w, 0)
	check(t, os.Remove(placedPath(w.dir, "adoption/crawl=CC-1/part-00000.parquet")))
	if got := resume(t, dir, planned(1)).Missing(); len(got) != 1 {
		t.Errorf("missing are %v", got)
	}
}

func join(t *testing.T, dir string, plan Plan, bucket int) (*Writer, bool) {
	t.Helper()
	w, finished, err := Join(dir, plan, bucket, Options{CreatedBy: "test"})
	check(t, err)
	return w, finished
}

// Buckets of several processes, two of them the same at the same time, come to the tables of one.
func TestSharedBuckets(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenShared(dir, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was begun: %v", err)
	}
	one, _ := join(t, dir, planned(2), 1)
	two, finished := join(t, dir, planned(2), 1)
	if finished {
		t.Error("nobody has finished the bucket")
	}
	fill(t, one, 1)
	check(t, one.Abort())
	if _, finished := join(t, dir, planned(2), 1); !finished {
		t.Error("the bucket is finished")
	}
	fill(t, two, 1)
	if found := parquetFiles(t, dir); len(found) != 0 {
		t.Errorf("before the end there are %v", found)
	}
	for says, other := range map[string]Plan{"of 2 buckets, and this is of 3": planned(3), "options, facts": {Program: "program 1", Buckets: 2}, "by program 1": {Buckets: 2}} {
		if _, _, err := Join(dir, other, 0, Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
	all, err := OpenShared(dir, Options{CreatedBy: "test"})
	check(t, err)
	if got := all.Missing(); !slices.Equal(got, []int{0}) || all.Plan().Buckets != 2 {
		t.Errorf("missing are %v of %d", got, all.Plan().Buckets)
	}
	check(t, all.Abort())
	three, _ := join(t, dir, planned(2), 0)
	fill(t, three, 0)
	all, err = OpenShared(dir, Options{CreatedBy: "test"})
	check(t, err)
	if got, _ := all.Finished(0); !json.Valid(got) {
		t.Errorf("bucket 0 tells %q", got)
	}
	check(t, all.Commit(newManifest()))
	if diff := cmp.Diff(undisturbed(t, 2), timeless(t, dir)); diff != "" {
		t.Errorf("(-one process +several):\n%.2000s", diff)
	}
}

func TestSharedAndAlone(t *testing.T) {
	dir := t.TempDir()
	w := resume(t, dir, planned(2))
	fill(t, w, 0)
	check(t, w.Abort())
	if _, _, err := Join(dir, planned(2), 0, Options{}); err == nil || !strings.Contains(err.Error(), "interrupted run of one process") {
		t.Errorf("a bucket in the folder of one process: %v", err)
	}
	if _, err := OpenShared(dir, Options{}); err == nil || !strings.Contains(err.Error(), "same command again") {
		t.Errorf("what an interrupted run left: %v", err)
	}
}
