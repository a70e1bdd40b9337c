package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
)

func sharedPlan(names ...string) Plan {
	p := plan(names...)
	p.Shards = 2
	return p
}

// readInput reads an input of so many facts into a depot, as a task does: if it is not there.
func readInput(t *testing.T, store storage.Store, p Plan, place, n int, mark Mark) error {
	t.Helper()
	d, err := OpenDepot(store, t.TempDir())
	check(t, err)
	defer d.Close()
	if err := d.Begin(p); err != nil {
		return err
	}
	kept := false
	if err := d.Kept([]int{place}, func(_ int, m *Mark) { kept = !m.Again }); err != nil || kept {
		return err
	}
	return finishAt(t, d, place, n, mark)
}

func finishAt(t *testing.T, d *Depot, place, n int, mark Mark) error {
	t.Helper()
	w := d.Create(place, WriterOptions{RunBytes: 16000})
	for _, fact := range someFacts(n) {
		check(t, w.Write(&fact))
	}
	check(t, w.Close())
	mark.Input, mark.Summary = "x", json.RawMessage("{}")
	return d.Finish(place, w, mark)
}

func depotFacts(t *testing.T, store storage.Store) int {
	t.Helper()
	found, digest, err := ListChecked(store)
	check(t, err)
	if len(digest) != 64 {
		t.Errorf("the digest is %q", digest)
	}
	opened, err := OpenStored(found)
	check(t, err)
	n := 0
	check(t, opened.Scan(func(*Fact) error { n++; return nil }))
	if opened.Rows() != int64(n) {
		t.Errorf("%d rows are told of, and there are %d", opened.Rows(), n)
	}
	return n
}

func TestDepot(t *testing.T) {
	store := storagetest.New()
	p := sharedPlan("a", "b", "c")
	check(t, readInput(t, store, p, 1, 20, Mark{}))
	if _, err := List(store); err == nil || !strings.Contains(err.Error(), "memory: lacks 2 of 3 inputs, the first: a; run again the shards 0/2") {
		t.Errorf("of what is missing it says %v", err)
	}
	check(t, readInput(t, store, p, 0, 10, Mark{}))
	check(t, readInput(t, store, p, 2, 0, Mark{Unreadable: true}))
	if n := depotFacts(t, store); n != 30 {
		t.Errorf("%d facts", n)
	}
	// The names and the bytes are those of a folder: one may be copied into the other.
	folder := t.TempDir()
	f, err := OpenFolder(folder)
	check(t, err)
	w := f.Create(1, WriterOptions{RunBytes: 16000})
	for _, fact := range someFacts(20) {
		check(t, w.Write(&fact))
	}
	check(t, w.Close())
	check(t, f.Finish(1, w, Mark{Input: "x", Summary: json.RawMessage("{}")}))
	check(t, f.Close())
	files := store.Files()
	for _, name := range names(t, folder) {
		if _, ok := files[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
	d, err := OpenDepot(store, t.TempDir())
	check(t, err)
	if done, err := d.End(); !done || err != nil {
		t.Errorf("the end: %v, %v", done, err)
	}
	check(t, d.Close())
}

// The plan of many inputs is no small file: it is read in pieces.
func TestDepotOfLongPlan(t *testing.T) {
	store := storagetest.New()
	store.Small = 1 << 10
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("%d.warc.gz", i))
	}
	p := sharedPlan(names...)
	for range 2 { // the second finds the plan
		check(t, readInput(t, store, p, 0, 3, Mark{}))
	}
	if _, err := List(store); err == nil || !strings.Contains(err.Error(), "lacks 99 of 100 inputs, the first: 1.warc.gz") {
		t.Errorf("it says %v", err)
	}
	text, err := storage.EncodePlan(Plan{Program: p.Program, Schema: SchemaVersion, Options: p.Options, Inputs: p.Inputs, Shards: p.Shards})
	check(t, err)
	if got := store.Files()[PlanFile]; got != string(text) {
		t.Errorf("the plan is\n%s", got)
	}
}

func TestDepotRefuses(t *testing.T) {
	p := sharedPlan("a", "b")
	other := sharedPlan("a")
	four := sharedPlan("a", "b")
	four.Shards = 4
	for name, tt := range map[string]struct {
		files map[string]string
		plan  Plan
		want  string
	}{
		"other inputs":        {nil, other, "memory: holds unfinished facts that another command makes: they are of 2 inputs, these are 1; choose another folder"},
		"other shards":        {nil, four, "they are of 2 shards, and this is one of 4"},
		"facts without plan":  {map[string]string{"a.facts": ""}, p, "holds facts files but no _facts.json"},
		"a plan that is none": {map[string]string{PlanFile: "{"}, p, "memory:/_facts.json cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			store := storagetest.New()
			if tt.files == nil {
				check(t, readInput(t, store, p, 0, 3, Mark{}))
			}
			for name, text := range tt.files {
				check(t, store.WriteNew(name, []byte(text)))
			}
			want := store.Files()
			if err := readInput(t, store, tt.plan, 0, 3, Mark{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
			if diff := cmp.Diff(want, store.Files()); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

// A process that is killed before any of its deeds leaves what the next one goes on with, to the same end.
func TestDepotKilledAtAnyMoment(t *testing.T) {
	p := sharedPlan("a", "b")
	undisturbed := storagetest.New()
	check(t, readInput(t, undisturbed, p, 0, 60, Mark{}))
	want := undisturbed.Files()
	for deeds := 0; ; deeds++ {
		store := storagetest.New()
		err := readInput(t, store.Process(deeds), p, 0, 60, Mark{})
		if err == nil {
			if deeds < 4 {
				t.Fatalf("it takes %d deeds: there is nothing to kill", deeds)
			}
			break
		}
		if !errors.Is(err, storagetest.ErrKilled) {
			t.Fatal(err)
		}
		check(t, readInput(t, store, p, 0, 60, Mark{}))
		if diff := cmp.Diff(want, store.Files()); diff != "" {
			t.Errorf("killed before deed %d (-undisturbed +killed):\n%.500s", deeds, diff)
		}
	}
}

// An input that was not to be had is read again, to other facts. Whenever the process is killed that does so, the input is finished with the facts
// of one reading, or not at all.
func TestDepotReadsAgain(t *testing.T) {
	p := sharedPlan("a")
	again := Mark{Unreadable: true, Again: true}
	undisturbed := storagetest.New()
	check(t, readInput(t, undisturbed, p, 0, 20, Mark{}))
	want := undisturbed.Files()
	for deeds := 0; ; deeds++ {
		store := storagetest.New()
		check(t, readInput(t, store, p, 0, 60, again)) // as far as it came: more files than there will be
		err := readInput(t, store.Process(deeds), p, 0, 20, Mark{})
		if err == nil {
			break
		}
		if _, failed := List(store); failed == nil {
			if n := depotFacts(t, store); n != 60 && n != 20 {
				t.Errorf("killed before deed %d: %d facts", deeds, n)
			}
		}
		check(t, readInput(t, store, p, 0, 20, Mark{}))
		if diff := cmp.Diff(want, store.Files()); diff != "" {
			t.Errorf("killed before deed %d (-undisturbed +killed):\n%.500s", deeds, diff)
		}
	}
	t.Run("another has better luck", func(t *testing.T) {
		store := undisturbed.Process(-1)
		d, err := OpenDepot(store, t.TempDir())
		check(t, err)
		check(t, finishAt(t, d, 0, 60, again))
		check(t, d.Close())
		if diff := cmp.Diff(want, undisturbed.Files()); diff != "" {
			t.Errorf("files (-before +after):\n%.500s", diff)
		}
	})
}

// Of two processes that read the same input at the same time, one may come to its end at any moment of the other's.
func TestDepotTwiceAtOnce(t *testing.T) {
	p := sharedPlan("a")
	for _, tt := range []struct {
		name  string
		other int // facts that the other one reads
		err   string
	}{
		{"the same facts", 60, ""},
		{"other facts", 20, "another process read x to other facts in memory: at the same time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			undisturbed := storagetest.New()
			check(t, readInput(t, undisturbed, p, 0, 60, Mark{}))
			for at := 0; ; at++ {
				store := storagetest.New()
				if err := readInput(t, store.Process(1), p, 0, 60, Mark{}); !errors.Is(err, storagetest.ErrKilled) { // the plan is there
					t.Fatal(err)
				}
				d, err := OpenDepot(store, t.TempDir())
				check(t, err)
				one := store.Process(-1)
				deeds, happened := 0, false
				one.Before = func(string, string) error {
					if deeds++; deeds-1 == at {
						happened = true
						return finishAt(t, d, 0, tt.other, Mark{})
					}
					return nil
				}
				err = readInput(t, one, p, 0, 60, Mark{})
				check(t, d.Close())
				if !happened {
					check(t, err)
					break
				}
				if err != nil && (tt.err == "" || !strings.Contains(err.Error(), tt.err)) {
					t.Errorf("at deed %d: %v, want %q", at, err, tt.err)
				}
				// Whatever was said, what counts as finished is of one reading; and the next run of the task ends it.
				if _, failed := List(store); failed == nil {
					if n := depotFacts(t, store); n != 60 && n != tt.other {
						t.Errorf("at deed %d: %d facts", at, n)
					}
				} else if err == nil {
					t.Errorf("at deed %d: both ended well, and %v", at, failed)
				}
				check(t, readInput(t, store, p, 0, 60, Mark{}))
				if got := store.Files(); tt.err == "" && !maps.Equal(got, undisturbed.Files()) {
					t.Errorf("at deed %d there are %v", at, slices.Sorted(maps.Keys(got)))
				}
				depotFacts(t, store)
			}
		})
	}
}

func TestDepotFindsWhatIsWrong(t *testing.T) {
	p := sharedPlan("a")
	for _, tt := range []struct {
		name string
		harm func(store *storagetest.Memory)
		want string
	}{
		{"a file is gone", func(s *storagetest.Memory) { _ = s.Remove("000000-000.facts") }, "lacks 1 of 1 inputs"},
		{"a file of nobody", func(s *storagetest.Memory) { _ = s.WriteNew("000000-900.facts", nil) }, "holds 000000-900.facts, which is of no input that is finished"},
		{"a mark that is none", func(s *storagetest.Memory) {
			_ = s.Remove("000000.done")
			_ = s.WriteNew("000000.done", []byte("{"))
		}, "lacks 1 of 1 inputs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := storagetest.New()
			check(t, readInput(t, store, p, 0, 60, Mark{}))
			tt.harm(store)
			if _, _, err := ListChecked(store); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it says %v, want %q", err, tt.want)
			}
			check(t, readInput(t, store, p, 0, 60, Mark{}))
			if tt.name != "a file of nobody" {
				depotFacts(t, store)
			}
		})
	}
}

// A file that has the length that its mark says, and other content, is found where all of it is read.
func TestDepotFileOfOtherContent(t *testing.T) {
	store := storagetest.New()
	check(t, readInput(t, store, sharedPlan("a"), 0, 3, Mark{}))
	const name = "000000-000.facts"
	check(t, store.Write(name, []byte(strings.Repeat("x", len(store.Files()[name])))))
	found, _, err := ListChecked(store)
	check(t, err)
	opened, err := OpenStored(found)
	check(t, err)
	if err := opened.Scan(func(*Fact) error { return nil }); err == nil || !strings.Contains(err.Error(), "memory:/000000-000.facts is not what the mark of its input says") {
		t.Errorf("it says %v", err)
	}
}

// A failing store gives the files of another, and fails when so many reads of a file were done.
type failing struct {
	storage.Store
	reads int
}

var errRead = errors.New("memory:/000000-000.facts: the server answered 403 Forbidden")

func (f failing) Open(name string, size int64) (io.ReaderAt, error) {
	at, err := f.Store.Open(name, size)
	return &failingReader{at, f.reads}, err
}

type failingReader struct {
	io.ReaderAt
	left int
}

func (r *failingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.left--; r.left < 0 {
		return 0, errRead
	}
	return r.ReaderAt.ReadAt(p, off)
}

// What a store says of a read is told as it says it, whichever read that was: nothing is wrong with the file.
func TestDepotReadFails(t *testing.T) {
	store := storagetest.New()
	check(t, readInput(t, store, sharedPlan("a"), 0, 3, Mark{}))
	lo, hi := Bucket(0, 1)
	for reads := 0; ; reads++ {
		found, _, err := ListChecked(failing{store, reads})
		check(t, err)
		opened, err := OpenStored(found)
		check(t, err)
		err = opened.Range(lo, hi).Scan(func(*Fact) error { return nil })
		if err == nil {
			if reads < 4 {
				t.Errorf("there are %d reads", reads)
			}
			break
		}
		if err.Error() != errRead.Error() {
			t.Errorf("read %d: %v", reads, err)
		}
	}
}
