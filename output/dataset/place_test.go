package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
	"github.com/acapscan/acapscan/output/manifest"
)

// makeBucket does what a task does: makes a bucket unless it is there.
func makeBucket(t *testing.T, store storage.Store, plan Plan, bucket int) error {
	t.Helper()
	w, finished, err := JoinTo(store, t.TempDir(), plan, bucket, Options{CreatedBy: "test"})
	if err != nil {
		return err
	}
	defer w.Abort()
	if finished {
		return nil
	}
	return tryToFill(t, w, bucket)
}

// complete does what the last task does, unless it is done.
func complete(t *testing.T, store storage.Store) error {
	t.Helper()
	if _, err := manifest.ReadFrom(store); err == nil {
		return ClearIn(store)
	}
	w, err := OpenSharedIn(store, t.TempDir(), Options{CreatedBy: "test"})
	if err != nil {
		return err
	}
	defer w.Abort()
	if missing := w.Missing(); len(missing) > 0 {
		t.Fatalf("missing are %v", missing)
	}
	return w.Commit(newManifest())
}

func timelessIn(store *storagetest.Memory) map[string]string {
	files := store.Files()
	delete(files, manifest.FileName)
	return files
}

func TestBucketsInAStore(t *testing.T) {
	store := storagetest.New()
	if _, err := OpenSharedIn(store, t.TempDir(), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was begun: %v", err)
	}
	check(t, makeBucket(t, store, planned(2), 1))
	check(t, makeBucket(t, store, planned(2), 1))
	for says, other := range map[string]Plan{"memory: holds buckets of other tables: they are of 2 buckets, and this is of 3": planned(3), "options, facts": {Program: "program 1", Buckets: 2}} {
		if err := makeBucket(t, store, other, 0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
	all, err := OpenSharedIn(store, t.TempDir(), Options{CreatedBy: "test"})
	check(t, err)
	if got := all.Missing(); !slices.Equal(got, []int{0}) || all.Plan().Buckets != 2 {
		t.Errorf("missing are %v of %d", got, all.Plan().Buckets)
	}
	check(t, all.Abort())
	check(t, makeBucket(t, store, planned(2), 0))
	for name := range store.Files() {
		if !strings.HasPrefix(name, WorkFolder+"/tables/") || strings.HasSuffix(name, ".parquet") {
			t.Errorf("before the end there is %s", name)
		}
	}
	check(t, complete(t, store))
	if diff := cmp.Diff(undisturbed(t, 2), timelessIn(store)); diff != "" {
		t.Errorf("(-one process +several):\n%.2000s", diff)
	}
	store.Small = 1 << 10 // a manifest of many inputs is no small file
	m, err := manifest.ReadFrom(store)
	check(t, err)
	if len(m.Outputs) < 7 {
		t.Errorf("the manifest lists %v", m.Outputs)
	}
}

// A task that is killed before any of its deeds is run again to the same part files.
func TestStoreKilledAtAnyMomentOfABucket(t *testing.T) {
	undisturbed := storagetest.New()
	check(t, makeBucket(t, undisturbed, planned(1), 0))
	want := undisturbed.Files()
	for deeds := 0; ; deeds++ {
		store := storagetest.New()
		err := makeBucket(t, store.Process(deeds), planned(1), 0)
		if err == nil {
			if deeds < 4 {
				t.Fatalf("%d deeds make no sense", deeds)
			}
			break
		}
		if !errors.Is(err, storagetest.ErrKilled) {
			t.Fatal(err)
		}
		check(t, makeBucket(t, store, planned(1), 0))
		got := store.Files()
		delete(got, waitingName(planFile)) // when it was begun stands there
		delete(want, waitingName(planFile))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("after %d deeds (-undisturbed +killed):\n%.2000s", deeds, diff)
		}
	}
}

// So it is with the end. _SUCCESS is there when all is.
func TestStoreKilledAtAnyMomentOfTheEnd(t *testing.T) {
	want := undisturbed(t, 1)
	bucket := storagetest.New()
	check(t, makeBucket(t, bucket, planned(1), 0))
	for deeds := 0; ; deeds += 3 {
		store := bucket.Clone()
		err := complete(t, store.Process(deeds))
		if err == nil {
			if deeds < 20 {
				t.Fatalf("%d deeds make no sense", deeds)
			}
			break
		}
		if !errors.Is(err, storagetest.ErrKilled) {
			t.Fatal(err)
		}
		left := store.Files()
		if _, finished := left[manifest.SuccessName]; finished {
			for name, content := range want {
				if left[name] != content {
					t.Errorf("after %d deeds there is _SUCCESS, and %s is not as it should be", deeds, name)
				}
			}
		}
		check(t, complete(t, store))
		if diff := cmp.Diff(want, timelessIn(store)); diff != "" {
			t.Fatalf("after %d deeds (-undisturbed +killed):\n%.2000s", deeds, diff)
		}
	}
}

// Part files of a bucket wait for the store together, and its mark for all of them.
func TestStoreTakesSeveralAtATime(t *testing.T) {
	const parts = 4 // of a bucket, see tryToFill
	store := storagetest.New()
	together := make(chan struct{})
	var put atomic.Int64
	store.Before = func(deed, name string) error {
		switch {
		case deed == "Put":
			if put.Add(1) == parts {
				close(together)
			}
			select {
			case <-together:
			case <-time.After(5 * time.Second):
				return fmt.Errorf("%s is put alone", name)
			}
		case name == waitingName(markName(0)):
			if files := store.Files(); len(files) != parts+1 { // with the plan
				return fmt.Errorf("%s comes before %d part files: %v", name, parts, slices.Sorted(maps.Keys(files)))
			}
		}
		return nil
	}
	check(t, makeBucket(t, store, planned(1), 0))
}

// Of two tasks that make the same bucket, one may come to its end at any moment of the other's.
func TestStoreTwiceAtOnce(t *testing.T) {
	want := undisturbed(t, 1)
	for at := 0; ; at++ {
		store := storagetest.New()
		one := store.Process(-1)
		var deeds atomic.Int64
		var happened atomic.Bool
		one.Before = func(string, string) error {
			if deeds.Add(1)-1 == int64(at) {
				happened.Store(true)
				return makeBucket(t, store, planned(1), 0)
			}
			return nil
		}
		check(t, makeBucket(t, one, planned(1), 0))
		check(t, complete(t, store))
		if diff := cmp.Diff(want, timelessIn(store)); diff != "" {
			t.Fatalf("at deed %d (-undisturbed +twice):\n%.2000s", at, diff)
		}
		if !happened.Load() {
			return
		}
	}
}

// Of two that end the same job, one may come to its end at any moment of the other's, which may fail then, and does no harm.
func TestStoreEndsTwiceAtOnce(t *testing.T) {
	want := undisturbed(t, 1)
	bucket := storagetest.New()
	check(t, makeBucket(t, bucket, planned(1), 0))
	for at := 0; ; at += 5 {
		store := bucket.Clone()
		one := store.Process(-1)
		var deeds atomic.Int64
		var happened atomic.Bool
		one.Before = func(string, string) error {
			if deeds.Add(1)-1 == int64(at) {
				happened.Store(true)
				return complete(t, store)
			}
			return nil
		}
		if err := complete(t, one); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("at deed %d: %v", at, err)
		}
		if _, err := manifest.ReadFrom(store); err != nil {
			t.Errorf("at deed %d: %v", at, err)
		}
		check(t, complete(t, store)) // it removes what the late one left
		if diff := cmp.Diff(want, timelessIn(store)); diff != "" {
			t.Fatalf("at deed %d (-undisturbed +twice):\n%.2000s", at, diff)
		}
		if !happened.Load() {
			return
		}
	}
}

func TestStoreOfOthers(t *testing.T) {
	store := storagetest.New()
	check(t, CheckIn(store))
	check(t, store.Write("notes.txt", nil))
	check(t, CheckIn(store))
	check(t, store.Write("inputs/somebody.warc.gz", nil))
	if err := CheckIn(store); err == nil || !strings.Contains(err.Error(), "memory: holds inputs/somebody.warc.gz, which is of other tables") {
		t.Errorf("it says %v", err)
	}
	for _, name := range []string{manifest.FileName, manifest.DataPackageName, manifest.SchemaFolder + "/somebody.json"} {
		theirs := storagetest.New()
		check(t, theirs.Write(name, nil))
		if err := CheckIn(theirs); err == nil || !strings.Contains(err.Error(), "memory: holds "+name+", which no run of this program made") {
			t.Errorf("of %s it says %v", name, err)
		}
		// Of a run whose end was killed it is its own.
		check(t, makeBucket(t, theirs, planned(1), 0))
		check(t, CheckIn(theirs))
	}
	check(t, makeBucket(t, store, planned(1), 0))
	if err := complete(t, store); err == nil || !strings.Contains(err.Error(), "inputs/somebody.warc.gz") {
		t.Errorf("the end says %v", err)
	}
	check(t, store.Remove("inputs/somebody.warc.gz"))
	// Part files that another process made otherwise are not taken for these.
	check(t, store.Write(waitingName("adoption/crawl=CC-1/part-00000.parquet"+stagedSuffix), []byte("other")))
	check(t, store.Remove(waitingName(markName(0))))
	if err := makeBucket(t, store, planned(1), 0); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another part file: %v", err)
	}
}
