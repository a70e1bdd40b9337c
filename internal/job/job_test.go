package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kind is a job that makes two texts of an item, or as many as the item's name has letters.
func kind() Kind {
	return Kind{
		Makes: "texts", Item: "input", Again: "run it again", Tasks: "run again the shards",
		Owns:   func(item, i int, name string) bool { return name == fmt.Sprintf("%d-%d.text", item, i) },
		Prefix: func(item int) string { return fmt.Sprintf("%d-", item) },
		ItemOf: func(name string) (int, bool) {
			base, _, _ := strings.Cut(name, "-")
			item, err := strconv.Atoi(base)
			return item, err == nil
		},
		IsFile: func(name string) bool { return filepath.Ext(name) == ".text" },
	}
}

func plan(names ...string) Plan {
	p := Plan{Program: "acapscan 1", Options: map[string]string{"pages": "default"}, Items: []Item{}}
	for _, name := range names {
		p.Items = append(p.Items, Item{Name: name, Bytes: 10})
	}
	return p
}

func shared(names ...string) Plan {
	p := plan(names...)
	p.Shards = 2
	return p
}

func begin(t *testing.T, at storage.Store, p Plan, opts Options) *Job {
	t.Helper()
	j, err := Begin(at, kind(), p, opts)
	check(t, err)
	return j
}

// finish makes the files of an item: its texts.
func finish(t *testing.T, at storage.Store, j *Job, item int, m DoneMarker, texts ...string) error {
	t.Helper()
	dir, err := at.Stage()
	check(t, err)
	for i, text := range texts {
		f := File{Name: fmt.Sprintf("%d-%d.text", item, i), Bytes: int64(len(text)), SHA256: "of " + text, Rows: 1}
		m.Files = append(m.Files, f)
		check(t, os.WriteFile(filepath.Join(dir, f.Name), []byte(text), 0o644))
	}
	m.Summary = json.RawMessage("{}")
	return j.Finish(item, m, func(f File) string { return filepath.Join(dir, f.Name) })
}

// work does what a task does: each of the items, unless it is done.
func work(t *testing.T, at storage.Store, p Plan, items ...int) error {
	t.Helper()
	defer at.Close()
	j, err := Begin(at, kind(), p, Options{})
	if err != nil {
		return err
	}
	done := map[int]bool{}
	err = j.Done(items, func(i int, m *DoneMarker) bool {
		done[items[i]] = !m.Retry
		return !m.Retry
	})
	for _, item := range items {
		if err == nil && !done[item] {
			err = finish(t, at, j, item, DoneMarker{Item: p.Items[item].Name}, "first", "second")
		}
	}
	return err
}

func inStores(t *testing.T, test func(t *testing.T, open func() storagetest.Process)) {
	for name, open := range storagetest.Stores(t) {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

func holds(t *testing.T, at storage.Store, want ...string) {
	t.Helper()
	var got []string
	check(t, at.List("", func(name string, _ int64) error {
		got = append(got, name)
		return nil
	}))
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func says(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	for _, text := range want {
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, want %q", what, err, text)
		}
	}
}

func TestPlanIsJSONLines(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	p := shared("a", "<b>", "c")
	p.Items[1].Records, p.Items[2].Bytes = "abc", -1
	begin(t, at, p, Options{})
	text, err := storage.Read(at, PlanFile)
	check(t, err)
	want := `{"makes":"texts","program":"acapscan 1","options":{"pages":"default"},"shards":2,"items":3}
{"name":"a","bytes":10}
{"name":"<b>","bytes":10,"records":"abc"}
{"name":"c","bytes":-1}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	check(t, storage.Write(at, PlanFile, text[:len(text)-10]))
	_, err = Begin(at, kind(), p, Options{})
	says(t, "a plan that is cut", err, PlanFile+" cannot be read")
	check(t, storage.Write(at, PlanFile, nil))
	_, err = ReadPlan(at)
	says(t, "an empty plan", err, PlanFile+" cannot be read", "unexpected EOF")
	check(t, storage.Write(at, PlanFile, []byte(strings.Repeat("x", maxLine+1))))
	_, err = ReadPlan(at)
	says(t, "a line without an end", err, PlanFile+" cannot be read", "too long")
}

// A plan is read a line at a time, however many items it has.
func TestPlanIsReadInBoundedMemory(t *testing.T) {
	const items = 20_000
	at := storage.NewFolder(t.TempDir())
	p := Plan{}
	for i := range items {
		p.Items = append(p.Items, Item{Name: fmt.Sprintf("crawl-data/segment-%09d/%s.warc.gz", i,
			strings.Repeat("x", 100))})
	}
	begin(t, at, p, Options{})
	k := kind()
	p.Makes, p.Count = k.Makes, items
	var why string
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			var err error
			if _, why, err = k.compare(at, &p); err != nil {
				b.Fatal(err)
			}
		}
	})
	if why != "" {
		t.Errorf("the plan differs: %s", why)
	}
	if each := allocated.AllocedBytesPerOp() / items; each > 600 {
		t.Errorf("%d bytes are allocated of each item", each)
	}
	if name, err := nameOf(at, items-1); err != nil || name != p.Items[items-1].Name {
		t.Errorf("the last is %s, %v", name, err)
	}
}

func TestBegin(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		at := open()()
		defer at.Close()
		begin(t, at, plan("a"), Options{})
		j := begin(t, at, plan("a", "b"), Options{}) // nothing of the other is finished
		check(t, finish(t, at, j, 0, DoneMarker{}, "x"))
		_, err := Begin(at, kind(), plan("a"), Options{OrElse: ", or --overwrite it"})
		says(t, "another plan in an unfinished folder", err, "unfinished texts", "2 inputs, these are 1",
			"choose another folder, or --overwrite it")
		_, err = j.Files(false)
		says(t, "an input is missing", err, "1 of 2 inputs are missing; run it again")
		j = begin(t, at, plan("a", "b"), Options{})
		check(t, finish(t, at, j, 1, DoneMarker{}, "y"))
		_, err = j.Files(true)
		check(t, err)
		if missing, err := begin(t, at, plan("a", "b"), Options{}).Missing(); err != nil || len(missing) > 0 {
			t.Errorf("missing are %v, %v", missing, err)
		}
		items := plan("a", "b").Items
		for want, other := range map[string]Plan{
			"b where this has c": plan("a", "c"),
			"a has changed: it had 10 bytes and has no known size": {Program: "acapscan 1",
				Options: map[string]string{"pages": "default"}, Items: []Item{{Name: "a", Bytes: -1}, items[1]}},
			"other records of b": {Program: "acapscan 1", Options: map[string]string{"pages": "default"},
				Items: []Item{items[0], {Name: "b", Bytes: 10, Records: "x"}}},
			"options, other, pages": {Program: "acapscan 1", Options: map[string]string{"pages": "all", "other": ""},
				Items: items},
			"by acapscan 1": {Program: "acapscan 2", Options: map[string]string{"pages": "default"}, Items: items},
			"version 0": {Program: "acapscan 1", Schema: 2, Options: map[string]string{"pages": "default"},
				Items: items},
			"2 inputs, these are 3": plan("a", "b", "c"), "2 inputs, these are 0": plan(),
			"those of one process": shared("a", "b"),
		} {
			_, err := Begin(at, kind(), other, Options{})
			says(t, want, err, want)
		}
		other := kind()
		other.Makes = "pictures"
		_, err = Begin(at, other, plan("a", "b"), Options{})
		says(t, "another kind", err, "they are texts")
		_, err = Open(at, other, Options{})
		says(t, "another kind", err, "holds texts, and pictures are needed")
		holds(t, at, PlanFile, "0-0.text", "000000.done", "1-0.text", "000001.done")
		check(t, storage.Write(at, "notes.txt", nil))
		check(t, begin(t, at, plan("c"), Options{Overwrite: true}).End())
		holds(t, at, PlanFile, "notes.txt")
	})
}

// The same command goes on where it was interrupted, also if it was told to overwrite; but what another command began
// it begins anew.
func TestOverwritingGoesOn(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	defer at.Close()
	done := func(opts Options, item int) {
		t.Helper()
		check(t, finish(t, at, begin(t, at, plan("a", "b"), opts), item, DoneMarker{}, "x"))
	}
	overwrite := Options{Overwrite: true}
	done(Options{}, 0)
	begin(t, at, plan("a", "b"), overwrite)
	holds(t, at, PlanFile, afreshName)
	done(overwrite, 0)
	begin(t, at, plan("a", "b"), overwrite)
	holds(t, at, "0-0.text", "000000.done", PlanFile, afreshName)
	done(overwrite, 1)
	begin(t, at, plan("a", "b"), Options{Overwrite: true, Continues: true})
	holds(t, at, "0-0.text", "000000.done", "1-0.text", "000001.done", PlanFile, afreshName)
	check(t, begin(t, at, plan("a", "b"), overwrite).End())
	holds(t, at, PlanFile)
	check(t, storage.Write(at, PlanFile, []byte("damaged")))
	if _, err := Begin(at, kind(), plan("a"), Options{}); err == nil {
		t.Error("a damaged plan is no error")
	}
	begin(t, at, plan("a"), Options{Replace: true})
	begin(t, at, plan("b"), Options{Replace: true})
}

// What an interrupted run of one process left goes when it goes on, and nothing else.
func TestInterruptedRunIsTidied(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	defer at.Close()
	check(t, finish(t, at, begin(t, at, plan("a", "b", "c", "d"), Options{}), 0, DoneMarker{}, "x"))
	text, err := storage.Read(at, "000000.done")
	check(t, err)
	for _, name := range []string{"0-1.text", "1-0.text", "7-0.text", "odd.text", "notes.txt", "notes.done",
		"-00001.done"} {
		check(t, storage.Write(at, name, []byte("x")))
	}
	check(t, storage.Write(at, "000001.done", text)) // a marker speaks for the files of its own item only
	check(t, storage.Write(at, "000002.done", []byte("{")))
	check(t, storage.Write(at, "000003.done", []byte(strings.ReplaceAll(string(text), "0-0.text", "3-0.text"))))
	begin(t, at, plan("a", "b", "c", "d"), Options{})
	holds(t, at, "0-0.text", "000000.done", PlanFile, "notes.txt", "notes.done", "-00001.done")
}

func TestFolderOfUnknownFiles(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		at := open()()
		defer at.Close()
		check(t, storage.Write(at, "0-0.text", nil))
		for _, p := range []Plan{plan("a"), shared("a")} {
			_, err := Begin(at, kind(), p, Options{})
			says(t, "files without a plan", err, "holds texts files but no "+PlanFile)
		}
		check(t, begin(t, at, plan("a"), Options{Overwrite: true}).End())
		holds(t, at, PlanFile)
	})
}

func TestShards(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		check(t, work(t, process(), shared("a", "b", "c"), 1))
		j, err := Open(process(), kind(), Options{})
		check(t, err)
		_, err = j.Files(false)
		says(t, "what is missing", err, "lacks 2 of 3 inputs, the first: a; run again the shards 0/2")
		for want, other := range map[string]Plan{"2 shards, and this is one of 3": {Shards: 3},
			"those of an array job": {}} {
			p := plan("a", "b", "c")
			p.Shards = other.Shards
			_, err := Begin(process(), kind(), p, Options{})
			says(t, want, err, want)
		}
		check(t, work(t, process(), shared("a", "b", "c"), 0, 2))
		files, err := j.Files(true)
		if check(t, err); len(files) != 6 || files[5] != (File{"2-1.text", 6, "of second", 1}) {
			t.Errorf("files are %v", files)
		}
		if names, err := j.Files(false); err != nil || len(names) != 6 ||
			names[5] != (File{Name: "2-1.text", Bytes: 6}) {
			t.Errorf("names are %v, %v", names, err)
		}
		begin(t, process(), plan("a", "b", "c"), Options{}) // one process has nothing left to do
		check(t, storage.Write(process(), "1-7.text", nil))
		_, err = j.Files(true)
		says(t, "a file of no item", err, "holds 1-7.text, which is of no input that is finished; remove it")
		check(t, process().Remove("1-7.text", "1-0.text"))
		_, err = j.Files(true)
		says(t, "a file that is gone", err, "lacks 1 of 3 inputs, the first: b; run again the shards 1/2")
		check(t, work(t, process(), shared("a", "b", "c"), 1))
		if _, err := j.Files(true); err != nil {
			t.Error(err)
		}
	})
}

// Killed at any moment, an item is made again to the same files.
func TestKilledAtAnyMoment(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		check(t, work(t, process(), shared("a", "b"), 1))
		want := storagetest.Contents(t, process())
		for deeds := 0; ; deeds++ {
			process := open()
			err := work(t, storagetest.KilledAfter(process(), deeds), shared("a", "b"), 1)
			if err == nil {
				if deeds < 4 {
					t.Errorf("%d deeds make no sense", deeds)
				}
				return
			}
			if !errors.Is(err, storagetest.ErrKilled) {
				t.Fatal(err)
			}
			check(t, work(t, process(), shared("a", "b"), 1))
			if diff := cmp.Diff(want, storagetest.Contents(t, process())); diff != "" {
				t.Fatalf("after %d deeds (-undisturbed +killed):\n%s", deeds, diff)
			}
		}
	})
}

// Of two that make the same item, one may come to its end at any moment of the other's.
func TestTwiceAtOnce(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		process := open()
		check(t, work(t, process(), shared("a", "b"), 1))
		want := storagetest.Contents(t, process())
		for at := 0; ; at++ {
			process := open()
			deeds, happened := 0, false
			one := storagetest.Watched(process(), func(storagetest.Deed, string) error {
				deeds++
				if deeds-1 != at {
					return nil
				}
				happened = true
				return work(t, process(), shared("a", "b"), 1)
			})
			check(t, work(t, one, shared("a", "b"), 1))
			if diff := cmp.Diff(want, storagetest.Contents(t, process())); diff != "" {
				t.Fatalf("at deed %d (-undisturbed +twice):\n%s", at, diff)
			}
			if !happened {
				return
			}
		}
	})
}

// Of two that make other files of one item at the same time, each is told, and nothing counts as done that is a
// mixture.
func TestOtherFilesAtOnce(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		for at := 0; at < 4; at++ {
			process := open()
			p := shared("a")
			begin(t, process(), p, Options{})
			deeds := 0
			one := storagetest.Watched(process(), func(storagetest.Deed, string) error {
				deeds++
				if deeds-1 != at {
					return nil
				}
				two := process()
				defer two.Close()
				return finish(t, two, begin(t, two, p, Options{}), 0, DoneMarker{Item: "a"}, "other")
			})
			j, err := Open(one, kind(), Options{})
			check(t, err)
			if err := finish(t, one, j, 0, DoneMarker{Item: "a"}, "first", "second"); deeds > at {
				says(t, "the other", err, "another process made other texts of a in")
				if _, err := storage.Read(process(), "000000.done"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("at deed %d there is a marker: %v", at, err)
				}
			}
			check(t, work(t, process(), p, 0))
			j, err = Open(process(), kind(), Options{})
			check(t, err)
			if files, err := j.Files(true); err != nil || len(files) != 2 {
				t.Errorf("files are %v, %v", files, err)
			}
			check(t, one.Close())
		}
	})
}

// An item that may be readable another time is done again, and what was read whole stays.
func TestRetry(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		at := open()()
		defer at.Close()
		p := shared("a")
		check(t, finish(t, at, begin(t, at, p, Options{}), 0, DoneMarker{Item: "a", Retry: true}, "half", "of", "it"))
		check(t, work(t, at, p, 0))
		holds(t, at, PlanFile, "0-0.text", "0-1.text", "000000.done")
		want := storagetest.Contents(t, at)
		check(t, finish(t, at, begin(t, at, p, Options{}), 0, DoneMarker{Item: "a", Retry: true}, "worse luck"))
		if diff := cmp.Diff(want, storagetest.Contents(t, at)); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
		err := finish(t, at, begin(t, at, p, Options{}), 0, DoneMarker{Item: "a"}, "changed")
		says(t, "other files", err, "another process made other texts of a")
		// An item of which no one knows whether it is the same replaces all that it had.
		j := begin(t, at, p, Options{})
		check(t, j.Done([]int{0}, func(int, *DoneMarker) bool { return false }))
		check(t, finish(t, at, j, 0, DoneMarker{Item: "a"}, "changed"))
		holds(t, at, PlanFile, "0-0.text", "000000.done")
		if begun, err := j.Begun(); !begun || err != nil {
			t.Errorf("begun: %v, %v", begun, err)
		}
	})
}

// A listed counts how often its files are listed.
type listed struct {
	storage.Store
	lists int
}

func (l *listed) List(prefix string, visit func(string, int64) error) error {
	l.lists++
	return l.Store.List(prefix, visit)
}

// Nothing is listed for each item: a folder may have millions. What a killed process left of an item goes all the same.
func TestItemsAreNotListedOneByOne(t *testing.T) {
	inStores(t, func(t *testing.T, open func() storagetest.Process) {
		at := &listed{Store: open()()}
		defer at.Close()
		p := shared(strings.Split(strings.Repeat("x", 20), "")...)
		j := begin(t, at, p, Options{})
		check(t, storage.Write(at, "7-5.text", []byte("of a killed process")))
		check(t, j.Done(j.All(), func(int, *DoneMarker) bool { return true }))
		before := at.lists
		for item := range j.Plan.Count {
			check(t, finish(t, at, j, item, DoneMarker{}, "x"))
		}
		if n := at.lists - before; n != 1 {
			t.Errorf("%d lists for %d items, of which one has files that are left", n, j.Plan.Count)
		}
		if _, err := j.Files(true); err != nil {
			t.Error(err)
		}
	})
}

// An option that one run lacks is one they do not share, be it empty in the other.
func TestChangedOptions(t *testing.T) {
	have := map[string]string{"same": "1", "other": "1", "gone": ""}
	want := map[string]string{"same": "1", "other": "2", "new": ""}
	if got := ChangedOptions(have, want); !slices.Equal(got, []string{"gone", "new", "other"}) {
		t.Errorf("got %v", got)
	}
}

func TestNameShares(t *testing.T) {
	for _, tt := range []struct {
		shares []int
		want   string
	}{
		{nil, ""}, {[]int{3}, "3/30"}, {[]int{0, 3}, "0/30, 3/30"},
	} {
		if got := NameShares(tt.shares, 30); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.shares, got, tt.want)
		}
	}
	many := make([]int, 23)
	if got := NameShares(many, 30); strings.Count(got, "/30") != 20 || !strings.HasSuffix(got, " and 3 more") {
		t.Errorf("of 23 shares: %q", got)
	}
}

// Each item is in one batch, of its own shard, and the batches are numbered without a gap.
func TestBatches(t *testing.T) {
	for _, items := range []int{0, 1, 2, 7, 30, 31} {
		for _, shards := range []int{0, 1, 2, 3, 40} {
			for _, size := range []int{0, 1, 2, 3, 50} {
				p := Plan{Shards: shards, Batch: size, Count: items}
				batchOf := make([]int, items)
				for batch := range p.Batches() {
					some := p.ItemsOf(batch)
					if len(some) == 0 || len(some) > max(size, 1) || !slices.IsSorted(some) {
						t.Errorf("%+v: batch %d has the items %v", p, batch, some)
					}
					for _, item := range some {
						if p.BatchOf(item) != batch || shards > 0 && item%shards != batch%shards {
							t.Errorf("%+v: item %d is in %d, and batch %d has it", p, item, p.BatchOf(item), batch)
						}
						batchOf[item]++
					}
				}
				if slices.ContainsFunc(batchOf, func(n int) bool { return n != 1 }) {
					t.Errorf("%+v: the items are in so many batches: %v", p, batchOf)
				}
			}
		}
	}
}

// A job in batches has a marker for each, says so, and one process takes what the shards of an array job have finished.
func TestJobInBatches(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	defer at.Close()
	p := shared("a", "b", "c", "d", "e", "f", "g")
	p.Shards, p.Batch = 2, 3
	alone := p
	alone.Shards, alone.Batch = 0, 4
	j := begin(t, at, p, Options{})
	check(t, finish(t, at, j, 0, DoneMarker{}, "x")) // a, c, e
	check(t, finish(t, at, j, 2, DoneMarker{}, "x")) // g
	_, err := j.Files(false)
	says(t, "a batch is missing", err, "lacks 1 of 3 batches of inputs, the first: b; run again the shards 1/2")
	_, err = Begin(at, kind(), alone, Options{})
	says(t, "unfinished", err, "they are those of an array job")
	other := p
	other.Batch = 2
	_, err = Begin(at, kind(), other, Options{})
	says(t, "other batches", err, "they are of batches of 3 inputs, these are of 2")
	check(t, finish(t, at, j, 1, DoneMarker{}, "x"))
	j = begin(t, at, alone, Options{})
	if missing, err := j.Missing(); err != nil || len(missing) > 0 || j.Plan.Batch != 3 || len(j.All()) != 3 {
		t.Errorf("missing are %v of %v, %v", missing, j.All(), err)
	}
}
