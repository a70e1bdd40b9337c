package dataset

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

func planned(buckets int) job.Plan {
	return job.Plan{Program: "program 1", Options: map[string]string{"facts": "x"}, Count: buckets}
}

// inStores runs a test in each kind of store, which is empty.
func inStores(t *testing.T, test func(t *testing.T, open func() storagetest.Process)) {
	for name, open := range storagetest.Stores(t) {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// fill adds a bucket, of two lots of rows.
func fill(t *testing.T, w *Writer, bucket int) error {
	t.Helper()
	for _, number := range []int{bucket, bucket + w.Plan().Count} {
		check(t, Add(w, table.Adoptions, "CC-1", "", number, adoption("http://a.example")))
		check(t, Add(w, table.Inputs, "CC-1", "warc", number, input("a.warc.gz")))
	}
	return w.Finish(bucket, map[string]int{"bucket": bucket})
}

func resume(t *testing.T, store storage.Store, plan job.Plan) *Writer {
	t.Helper()
	w, err := Resume(store, plan, Options{CreatedBy: "test"})
	check(t, err)
	return w
}

// run does what a run of one process does: all buckets that are missing, and the end.
func run(t *testing.T, store storage.Store, buckets int) error {
	t.Helper()
	defer store.Close()
	w, err := Resume(store, planned(buckets), Options{CreatedBy: "test"})
	if err != nil {
		return err
	}
	for _, bucket := range w.Missing() {
		if err := fill(t, w, bucket); err != nil {
			return err
		}
	}
	return w.Commit(newManifest())
}

// task does what a task does: makes a bucket unless it is there.
func task(t *testing.T, store storage.Store, buckets, bucket int) error {
	t.Helper()
	defer store.Close()
	w, finished, err := Join(store, planned(buckets), bucket, Options{CreatedBy: "test"})
	if err != nil || finished {
		return err
	}
	return errors.Join(fill(t, w, bucket), w.Abort())
}

// complete does what the last task does, unless it is done.
func complete(t *testing.T, store storage.Store) error {
	t.Helper()
	defer store.Close()
	if _, err := manifest.Read(store); err == nil {
		return Clear(store)
	}
	w, err := OpenShared(store, Options{CreatedBy: "test"})
	if err != nil {
		return err
	}
	if err := w.CheckFinished(); err != nil {
		t.Fatal(err)
	}
	return w.Commit(newManifest())
}

func timeless(t *testing.T, store storage.Store) map[string]string {
	t.Helper()
	files := storagetest.Contents(t, store)
	delete(files, manifest.FileName)
	return files
}

// undisturbed is the output of a run of so many buckets.
func undisturbed(t *testing.T, buckets int) map[string]string {
	t.Helper()
	store := storage.NewFolder(t.TempDir())
	check(t, run(t, store, buckets))
	return timeless(t, store)
}

func same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-undisturbed +got):\n%.2000s", what, diff)
	}
}

func TestFinishedBucketsStay(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		store := process()
		w := resume(t, store, planned(3))
		check(t, fill(t, w, 2))
		check(t, Add(w, table.Adoptions, "CC-1", "", 0, adoption("http://b.example"))) // and is killed, or
		check(t, w.Abort())
		check(t, store.Close())
		for name := range storagetest.Contents(t, store) {
			if !strings.HasPrefix(name, WorkFolder+"/") || strings.HasSuffix(name, ".parquet") {
				t.Errorf("before the end there is %s", name)
			}
		}
		w = resume(t, process(), planned(3))
		if got := w.Missing(); !slices.Equal(got, []int{0, 1}) {
			t.Errorf("missing are %v", got)
		}
		if told, ok := w.Finished(2); !ok || string(told) != `{"bucket":2}` {
			t.Errorf("bucket 2 tells %s, %v", told, ok)
		}
		check(t, w.Abort())
		check(t, run(t, process(), 3))
		same(t, "interrupted", undisturbed(t, 3), timeless(t, store))
	})
}

func TestAnotherPlanBeginsAnew(t *testing.T) {
	for name, change := range map[string]func(*job.Plan){
		"program": func(p *job.Plan) { p.Program = "program 2" }, "options": func(p *job.Plan) {
			p.Options = map[string]string{"facts": "y"}
		}, "buckets": func(p *job.Plan) { p.Count = 4 }, "shared": func(p *job.Plan) { p.Count = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			store := storage.NewFolder(t.TempDir())
			if name == "shared" {
				check(t, task(t, store, 3, 2))
			} else {
				w := resume(t, store, planned(3))
				check(t, fill(t, w, 2))
				check(t, w.Abort())
			}
			other := planned(3)
			change(&other)
			w := resume(t, store, other)
			if got := w.Missing(); len(got) != other.Count {
				t.Errorf("missing are %v", got)
			}
			check(t, w.Abort())
			check(t, store.Close())
			if found := storagetest.Contents(t, store); len(found) != 0 {
				t.Errorf("left are %v", found)
			}
		})
	}
}

// What is marked and was damaged since is not there.
func TestMarksOfPartsThatAreGone(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		store := open()()
		w := resume(t, store, planned(4))
		for i := range 4 {
			check(t, fill(t, w, i))
		}
		check(t, w.Abort())
		check(t, store.Remove(waitingName("adoption/crawl=CC-1/part-00000.parquet")))
		check(t, storage.Write(store, waitingName("inputs/crawl=CC-1/subset=warc/part-00005.parquet"), []byte("short")))
		check(t, storage.Write(store, WorkFolder+"/"+job.MarkerName(2), []byte("{")))
		if got := resume(t, store, planned(4)).Missing(); !slices.Equal(got, []int{0, 1, 2}) {
			t.Errorf("missing are %v", got)
		}
		check(t, run(t, store, 4))
		same(t, "damaged", undisturbed(t, 4), timeless(t, store))
	})
}

// Killed at any moment, a run goes on to the same end; _SUCCESS is there when all is, and nothing of a run before it is
// left.
func TestKilledAtAnyMoment(t *testing.T) {
	want := undisturbed(t, 1)
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		for deeds := 0; ; deeds += 2 {
			process := open()
			if store := process(); store.Local() {
				for _, old := range []string{"adoption/crawl=CC-0/part-00009.parquet",
					"conflicts/crawl=CC-1/part-00000.parquet", manifest.SuccessName} {
					check(t, storage.Write(store, old, []byte("of a run before")))
				}
				check(t, store.Close())
			}
			err := run(t, storagetest.KilledAfter(process(), deeds), 1)
			if err != nil && !errors.Is(err, storagetest.ErrKilled) {
				t.Fatal(err)
			}
			if _, unfinished := manifest.Read(process()); unfinished == nil {
				got := timeless(t, process())
				for name, content := range want {
					if got[name] != content {
						t.Errorf("after %d deeds there is _SUCCESS, and %s is not as it should be", deeds, name)
					}
				}
			}
			if err == nil {
				if deeds < 20 {
					t.Errorf("%d deeds make no sense", deeds)
				}
				return
			}
			release, err := process().Lock(storage.Alone)
			check(t, err)
			if _, err := manifest.Read(process()); err == nil {
				err = Clear(process()) // as a run on finished tables does
				check(t, err)
			} else {
				check(t, run(t, process(), 1))
			}
			release()
			same(t, "killed", want, timeless(t, process()))
		}
	})
}

// A task that is killed before any of its deeds is run again to the same part files, and so is the last task.
func TestTasksKilledAtAnyMoment(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		check(t, task(t, process(), 1, 0))
		want := storagetest.Contents(t, process())
		for deeds := 0; ; deeds++ {
			process := open()
			err := task(t, storagetest.KilledAfter(process(), deeds), 1, 0)
			if err == nil {
				break
			}
			if !errors.Is(err, storagetest.ErrKilled) {
				t.Fatal(err)
			}
			check(t, task(t, process(), 1, 0))
			same(t, "killed task", want, storagetest.Contents(t, process()))
		}
		want = undisturbed(t, 1)
		for deeds := 0; ; deeds += 3 {
			process := open()
			check(t, task(t, process(), 1, 0))
			err := complete(t, storagetest.KilledAfter(process(), deeds))
			if err == nil {
				return
			}
			if !errors.Is(err, storagetest.ErrKilled) {
				t.Fatal(err)
			}
			check(t, complete(t, process()))
			same(t, "killed end", want, timeless(t, process()))
		}
	})
}

// Of two tasks that make the same bucket, one may come to its end at any moment of the other's.
func TestTwiceAtOnce(t *testing.T) {
	want := undisturbed(t, 1)
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		for at := 0; ; at++ {
			process := open()
			deeds, happened := 0, false
			one := storagetest.Watched(process(), func(storagetest.Deed, string) error {
				deeds++
				if deeds-1 != at {
					return nil
				}
				happened = true
				return task(t, process(), 1, 0)
			})
			check(t, task(t, one, 1, 0))
			check(t, complete(t, process()))
			same(t, "twice", want, timeless(t, process()))
			if !happened {
				return
			}
		}
	})
}

// Of two that end a run at once where nothing is locked, each finds what is finished, or that another has removed what
// was to be named.
func TestEndsTwiceAtOnce(t *testing.T) {
	want := undisturbed(t, 1)
	for at := 0; ; at++ {
		memory := storagetest.New()
		check(t, task(t, memory.Process(), 1, 0))
		deeds, happened := 0, false
		one := storagetest.Watched(memory.Process(), func(storagetest.Deed, string) error {
			deeds++
			if deeds-1 != at {
				return nil
			}
			happened = true
			return complete(t, memory.Process())
		})
		if err := complete(t, one); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		check(t, complete(t, memory.Process()))
		same(t, "two ends", want, timeless(t, memory))
		if !happened {
			return
		}
	}
}

// Files that a run before left under final names do not count as this run's, though they have the size.
func TestFilesOfAnotherRunDoNotCount(t *testing.T) {
	store := storage.NewFolder(t.TempDir())
	check(t, run(t, store, 1))
	w := resume(t, store, planned(1))
	check(t, fill(t, w, 0))
	check(t, store.Remove(waitingName("adoption/crawl=CC-1/part-00000.parquet")))
	if got := resume(t, store, planned(1)).Missing(); len(got) != 1 {
		t.Errorf("missing are %v", got)
	}
}

// Buckets of several processes, two of them the same at the same time, come to the tables of one.
func TestSharedBuckets(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		if _, err := OpenShared(process(), Options{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("nothing was begun: %v", err)
		}
		join := func(bucket int) (*Writer, bool) {
			w, finished, err := Join(process(), planned(2), bucket, Options{CreatedBy: "test"})
			check(t, err)
			return w, finished
		}
		one, _ := join(1)
		two, finished := join(1)
		if finished {
			t.Error("no one has finished the bucket")
		}
		check(t, fill(t, one, 1))
		check(t, one.Abort())
		if _, finished := join(1); !finished {
			t.Error("the bucket is finished")
		}
		check(t, fill(t, two, 1))
		for says, other := range map[string]job.Plan{"of 2 buckets, these are 3": planned(3),
			"options, facts": {Program: "program 1", Count: 2}, "by program 1": {Count: 2}} {
			if _, _, err := Join(process(), other, 0, Options{}); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("error %v, want %q", err, says)
			}
		}
		all, err := OpenShared(process(), Options{CreatedBy: "test"})
		check(t, err)
		if err := all.CheckFinished(); err == nil || !strings.Contains(err.Error(),
			"lacks 1 of 2 buckets; run again analyze --bucket 0/2") {
			t.Errorf("of a missing bucket it says %v", err)
		}
		check(t, all.Abort())
		check(t, task(t, process(), 2, 0))
		all, err = OpenShared(process(), Options{CreatedBy: "test"})
		check(t, err)
		if got, _ := all.Finished(0); !json.Valid(got) {
			t.Errorf("bucket 0 tells %q", got)
		}
		if began, err := all.Began(); err != nil || began.IsZero() {
			t.Errorf("it began at %v, %v", began, err)
		}
		check(t, all.Commit(newManifest()))
		same(t, "shared", undisturbed(t, 2), timeless(t, process()))
	})
}

func TestSharedAndAlone(t *testing.T) {
	store := storage.NewFolder(t.TempDir())
	w := resume(t, store, planned(2))
	check(t, fill(t, w, 0))
	check(t, w.Abort())
	if _, _, err := Join(store, planned(2), 0, Options{}); err == nil ||
		!strings.Contains(err.Error(), "those of one process") {
		t.Errorf("a bucket in the folder of one process: %v", err)
	}
	if _, err := OpenShared(store, Options{}); err == nil || !strings.Contains(err.Error(), "same command again") {
		t.Errorf("what an interrupted run left: %v", err)
	}
}

// Plan and done markers are the same in every run, whenever it is.
func TestPlanAndMarkersAreTheSame(t *testing.T) {
	var want map[string]string
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		check(t, task(t, process(), 2, 1))
		got := storagetest.Contents(t, process())
		if want == nil {
			want = got
		}
		same(t, "another run", want, got)
	})
}

// What other programs wrote is in the way of tables, where this program was not at work before.
func TestFilesOfOthers(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		for _, name := range []string{"inputs/a.warc.gz", "paths.gz", "schema/x",
			"adoption/crawl=CC-1/part-00000.parquet"} {
			store := open()()
			check(t, Check(store))
			check(t, storage.Write(store, "somebody's", nil))
			check(t, Check(store))
			check(t, storage.Write(store, name, nil))
			if err := Check(store); err == nil || !strings.Contains(err.Error(), "which no run of this program made") {
				t.Errorf("beside %s: %v", name, err)
			}
			check(t, storage.Write(store, manifest.FileName, nil))
			check(t, Check(store))
		}
	})
	memory := storagetest.New()
	check(t, task(t, memory, 1, 0))
	check(t, storage.Write(memory, "conflicts/crawl=CC-9/part-00000.parquet", nil))
	if err := complete(t, memory); err == nil || !strings.Contains(err.Error(), "which is not of this run") {
		t.Errorf("a file of other tables: %v", err)
	}
}
