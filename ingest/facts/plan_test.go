package facts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
)

func plan(names ...string) Plan {
	p := Plan{Program: "acapscan 1", Options: map[string]string{"pages": "default"}}
	for _, name := range names {
		p.Inputs = append(p.Inputs, PlannedInput{Name: name, Bytes: 10})
	}
	return p
}

// names lists the files of a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	check(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// finishInput writes some facts of the input at a place, and its mark.
func finishInput(t *testing.T, folder string, place int, unreadable bool) {
	t.Helper()
	f, err := OpenFolder(folder)
	check(t, err)
	w := f.Create(place, WriterOptions{})
	for _, fact := range someFacts(3 + place) {
		check(t, w.Write(&fact))
	}
	check(t, w.Close())
	check(t, f.Finish(place, w, Mark{Input: "x", Unreadable: unreadable, Summary: json.RawMessage("{}")}))
	check(t, f.Close())
}

// begin prepares a folder that is not finished.
func begin(t *testing.T, folder string, p Plan, overwrite bool) {
	t.Helper()
	if done, err := Begin(folder, p, overwrite); done != nil || err != nil {
		t.Fatalf("there is something left to do: %v, %v", done, err)
	}
}

func want(t *testing.T, folder string, files ...string) {
	t.Helper()
	if got := names(t, folder); !slices.Equal(got, files) {
		t.Errorf("in the folder is %v, want %v", got, files)
	}
}

func TestPlan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "facts")
	begin(t, folder, plan("a"), false)
	begin(t, folder, plan("a", "b"), false) // nothing of the other is finished
	finishInput(t, folder, 0, true)
	// The run is killed: it has left half of an input's facts, half a file, a stage, and there are things that are not its own.
	for _, name := range []string{"000000-001.facts", "000000--00.facts", "000000-0.facts", "000001-000.facts", "000001-001.facts.tmp", "notes.txt", "notes.done", "-00001.done"} {
		check(t, os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644))
	}
	_, err := storage.NewStage(folder)
	check(t, err)
	if _, err := Begin(folder, plan("a"), false); err == nil || !strings.Contains(err.Error(), "--overwrite") || !strings.Contains(err.Error(), "2 inputs, these are 1") {
		t.Errorf("another plan in an unfinished folder: %v", err)
	}
	begin(t, folder, plan("a", "b"), false)
	want(t, folder, "-00001.done", "000000-000.facts", "000000.done", PlanFile, "notes.done", "notes.txt")
	if err := CheckFinished(folder); err == nil || !strings.Contains(err.Error(), "1 of 2 inputs") {
		t.Errorf("an input is missing: %v", err)
	}
	finishInput(t, folder, 1, false)
	finished := plan("a", "b")
	finished.Unreadable = 1
	check(t, End(folder, finished))
	check(t, CheckFinished(folder))

	done, err := Begin(folder, plan("a", "b"), false)
	if err != nil || done == nil || !done.Finished || done.Unreadable != 1 {
		t.Fatalf("the same plan when finished: %+v, %v", done, err)
	}
	for says, other := range map[string]Plan{
		"b where this has c": plan("a", "c"), "a has changed: it had 10 bytes and has 11 bytes": {Program: "acapscan 1", Options: map[string]string{"pages": "default"}, Inputs: []PlannedInput{{Name: "a", Bytes: 11}, {Name: "b", Bytes: 10}}},
		"options, other, pages": {Program: "acapscan 1", Options: map[string]string{"pages": "all", "other": ""}, Inputs: plan("a", "b").Inputs},
		"by acapscan 1":         {Program: "acapscan 2", Options: map[string]string{"pages": "default"}, Inputs: plan("a", "b").Inputs},
		"2 inputs, these are 3": plan("a", "b", "c"),
	} {
		if _, err := Begin(folder, other, false); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
	if got := names(t, folder); !slices.Contains(got, "000000-000.facts") {
		t.Errorf("a refused plan removed facts: %v", got)
	}
	begin(t, folder, plan("c"), true)
	want(t, folder, "-00001.done", PlanFile, "notes.done", "notes.txt")
}

// The same command goes on where it was interrupted, also if it was told to overwrite; but what another command began it begins anew.
func TestOverwritingGoesOn(t *testing.T) {
	folder := t.TempDir()
	begin(t, folder, plan("a", "b"), false)
	finishInput(t, folder, 0, false)
	begin(t, folder, plan("a", "b"), true)
	want(t, folder, PlanFile)
	finishInput(t, folder, 0, false)
	begin(t, folder, plan("a", "b"), true)
	want(t, folder, "000000-000.facts", "000000.done", PlanFile)
	finishInput(t, folder, 1, false)
	check(t, End(folder, plan("a", "b")))
	begin(t, folder, plan("a", "b"), true)
	want(t, folder, PlanFile)
}

// What is marked and has been damaged since is not there.
func TestMarksOfFilesThatAreGone(t *testing.T) {
	folder := t.TempDir()
	begin(t, folder, plan("a", "b", "c"), false)
	for place := range 3 {
		finishInput(t, folder, place, false)
	}
	check(t, os.Remove(filepath.Join(folder, "000000-000.facts")))
	check(t, os.Truncate(filepath.Join(folder, "000001-000.facts"), 100))
	begin(t, folder, plan("a", "b", "c"), false)
	want(t, folder, "000002-000.facts", "000002.done", PlanFile)
}

// Facts that were finished and are gone are not passed over, and the same command makes them again.
func TestFinishedFactsThatAreGone(t *testing.T) {
	folder := t.TempDir()
	begin(t, folder, plan("a", "b"), false)
	for place := range 2 {
		finishInput(t, folder, place, false)
	}
	check(t, End(folder, plan("a", "b")))
	check(t, CheckFinished(folder))
	check(t, os.Remove(filepath.Join(folder, "000001-000.facts")))
	if err := CheckFinished(folder); err == nil || !strings.Contains(err.Error(), "1 of 2 inputs") {
		t.Errorf("a file is gone: %v", err)
	}
	begin(t, folder, plan("a", "b"), false)
	finishInput(t, folder, 1, false)
	check(t, End(folder, plan("a", "b")))
	want(t, folder, "000000-000.facts", "000000.done", "000001-000.facts", "000001.done", PlanFile)
	check(t, CheckFinished(folder))
}

// A shard whose facts are gone makes them again, although it left the same mark before.
func TestSharedFactsThatAreGone(t *testing.T) {
	folder := t.TempDir()
	shared := plan("a")
	shared.Shards = 1
	_, err := BeginShared(folder, shared, []int{0})
	check(t, err)
	finishInput(t, folder, 0, false)
	check(t, os.Remove(filepath.Join(folder, "000000-000.facts")))
	finishInput(t, folder, 0, false)
	if all, err := EndShared(folder, plan("a", "b")); !all || err != nil {
		t.Errorf("all is there again: %v, %v", all, err)
	}
	want(t, folder, "000000-000.facts", "000000.done", PlanFile)
}

// An input that is read again, since nobody knows what it holds, replaces all of what it had.
func TestInputReadAgain(t *testing.T) {
	folder := t.TempDir()
	long, err := OpenFolder(folder)
	check(t, err)
	w := long.Create(0, WriterOptions{RunBytes: 1}) // a file a fact
	for _, fact := range someFacts(4) {
		check(t, w.Write(&fact))
	}
	check(t, w.Close())
	check(t, long.Finish(0, w, Mark{Summary: json.RawMessage("{}")}))
	check(t, long.Close())
	finishInput(t, folder, 0, false)
	want(t, folder, "000000-000.facts", "000000.done")
	mark, err := readMark(folder, 0)
	if err != nil || mark == nil || mark.Input != "x" {
		t.Errorf("the mark is %+v, %v", mark, err)
	}
}

// A mark speaks for the files of its own input only.
func TestMarkOfOtherFiles(t *testing.T) {
	folder := t.TempDir()
	begin(t, folder, plan("a", "b", "c"), false)
	finishInput(t, folder, 0, false)
	text, err := os.ReadFile(filepath.Join(folder, "000000.done"))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(folder, "000001.done"), text, 0o644))
	check(t, os.WriteFile(filepath.Join(folder, "000002.done"), bytes.ReplaceAll(text, []byte("000000-000"), []byte("../x/000000-000")), 0o644))
	begin(t, folder, plan("a", "b", "c"), false)
	want(t, folder, "000000-000.facts", "000000.done", PlanFile)
}

// Of inputs that are finished a run holds some tens of bytes each, and not their marks.
func TestMarksAreNotHeld(t *testing.T) {
	folder := t.TempDir()
	begin(t, folder, plan("a"), false)
	finishInput(t, folder, 0, false)
	text, err := os.ReadFile(filepath.Join(folder, "000000.done"))
	check(t, err)
	const n = 4000
	for place := 1; place < n; place++ {
		check(t, os.Link(filepath.Join(folder, "000000-000.facts"), runName(filepath.Join(folder, baseName(place)), 0)))
		check(t, os.WriteFile(filepath.Join(folder, markName(place)), bytes.ReplaceAll(text, []byte("000000"), []byte(baseName(place))), 0o644))
	}
	var before, after runtime.MemStats
	for range 3 { // what other tests left in pools goes, too
		runtime.GC()
	}
	runtime.ReadMemStats(&before)
	done, err := finishedIn(folder)
	check(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(done.files) != n {
		t.Fatalf("%d of %d are finished", len(done.files), n)
	}
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; each > 64 {
		t.Errorf("%d bytes are held of each", each)
	} else {
		t.Logf("%d bytes are held of each, whose mark has %d", each, len(text))
	}
}

func TestSharedPlan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "facts")
	shared := func(shards int, names ...string) Plan {
		p := plan(names...)
		p.Shards = shards
		return p
	}
	start := func() {
		t.Helper()
		if done, err := BeginShared(folder, shared(2, "a", "b", "c"), []int{1}); done != nil || err != nil {
			t.Fatalf("%v, %v", done, err)
		}
	}
	start()
	start()
	for says, other := range map[string]Plan{"inputs": shared(2, "a"), "of 2 shards, and this is one of 3": shared(3, "a", "b", "c")} {
		if _, err := BeginShared(folder, other, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
	finishInput(t, folder, 1, true)
	start()
	if all, err := EndShared(folder, Plan{}); all || err != nil {
		t.Errorf("of three inputs one is there: %v, %v", all, err)
	}
	if err := CheckFinished(folder); err == nil || !strings.Contains(err.Error(), "shards 0/2") || strings.Contains(err.Error(), "1/2") {
		t.Errorf("shard 0 is missing: %v", err)
	}
	finishInput(t, folder, 0, false)
	finishInput(t, folder, 2, false)
	for range 2 {
		if all, err := EndShared(folder, plan("a", "b")); !all || err != nil {
			t.Errorf("all is there: %v, %v", all, err)
		}
	}
	check(t, CheckFinished(folder))
	for _, share := range [][]int{{0, 2}, {1}} {
		if done, err := BeginShared(folder, shared(2, "a", "b", "c"), share); err != nil || done == nil || done.Unreadable != 1 {
			t.Errorf("finished: %+v, %v", done, err)
		}
	}
	if _, err := Begin(folder, plan("a", "b"), false); err == nil || !strings.Contains(err.Error(), "inputs") {
		t.Errorf("one process, with other inputs: %v", err)
	}
}

// What may be readable another time is read again by its shard, also when all shards are finished, and counted again.
func TestSharedPlanAsksAgain(t *testing.T) {
	folder := t.TempDir()
	shared := plan("a", "b")
	shared.Shards = 2
	_, err := BeginShared(folder, shared, []int{0})
	check(t, err)
	finishInput(t, folder, 0, false)
	f, err := OpenFolder(folder)
	check(t, err)
	w := f.Create(1, WriterOptions{})
	check(t, w.Close())
	check(t, f.Finish(1, w, Mark{Unreadable: true, Again: true, Summary: json.RawMessage("{}")}))
	check(t, f.Close())
	if all, err := EndShared(folder, plan("a", "b")); !all || err != nil {
		t.Errorf("both are there: %v, %v", all, err)
	}
	if done, err := BeginShared(folder, shared, []int{0}); err != nil || done == nil || done.Unreadable != 1 {
		t.Errorf("the shard that has read all: %+v, %v", done, err)
	}
	if done, err := BeginShared(folder, shared, []int{1}); err != nil || done != nil {
		t.Errorf("the shard that has not: %+v, %v", done, err)
	}
	if all, err := EndShared(folder, plan("a", "b")); !all || err != nil { // of a shard that was at work all the time
		t.Errorf("both are there: %v, %v", all, err)
	}
	check(t, os.Remove(filepath.Join(folder, "000001.done")))
	if err := CheckFinished(folder); err == nil || !strings.Contains(err.Error(), "shards 1/2") {
		t.Errorf("while an input is read again: %v", err)
	}
	finishInput(t, folder, 1, false)
	if all, err := EndShared(folder, plan("a", "b")); !all || err != nil {
		t.Errorf("both are there: %v, %v", all, err)
	}
	if done, err := BeginShared(folder, shared, []int{1}); err != nil || done == nil || done.Unreadable != 0 {
		t.Errorf("in the end: %+v, %v", done, err)
	}
}

// Facts that shards made in folders of their own are finished when they are put together.
func TestSharesPutTogether(t *testing.T) {
	folder := t.TempDir()
	shared := plan("a", "b")
	shared.Shards = 2
	_, err := BeginShared(folder, shared, []int{0})
	check(t, err)
	finishInput(t, folder, 0, false)
	if CheckFinished(folder) == nil {
		t.Error("an input is missing")
	}
	finishInput(t, folder, 1, false)
	check(t, CheckFinished(folder))
}

func TestFolderOfUnknownFacts(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "000000"), someFacts(3), WriterOptions{})
	if _, err := Begin(folder, plan("a"), false); err == nil || !strings.Contains(err.Error(), PlanFile) {
		t.Errorf("facts without a plan: %v", err)
	}
	check(t, os.WriteFile(filepath.Join(folder, PlanFile), []byte("{"), 0o644))
	if _, err := Begin(folder, plan("a"), false); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("a damaged plan: %v", err)
	}
	if _, err := Begin(folder, plan("a"), true); err != nil {
		t.Errorf("overwriting a damaged plan: %v", err)
	}
}

// Facts that are not finished are told of, by whatever name somebody calls their folder.
func TestCheckFollowsLinks(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "facts")
	if _, err := Begin(folder, plan("a"), false); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	check(t, os.Symlink(folder, link))
	for _, path := range []string{folder, filepath.Dir(folder), link} {
		if err := Check(path); err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("of %s is said: %v", path, err)
		}
	}
}

// The text of a plan is that which every plan has, although it is made and read in pieces.
func TestPlanText(t *testing.T) {
	for name, p := range map[string]Plan{
		"no inputs":        {Program: "p", Inputs: []PlannedInput{}},
		"one":              plan("a"),
		"records and more": {Program: `"inputs": []`, Schema: 2, Options: map[string]string{`"inputs": []`: "<&>"}, Inputs: []PlannedInput{{`"inputs": []`, -1, "ab"}, {"<ä>\u2028", 0, ""}}, Shards: 3, Afresh: true, Finished: true, Unreadable: 7},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := storage.EncodePlan(p)
			check(t, err)
			var text bytes.Buffer
			check(t, encodePlan(&text, p))
			got := text.Bytes()
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, like := range [][]PlannedInput{nil, p.Inputs, {{Name: "other"}}} {
				read, err := decodePlan("x", bytes.NewReader(got), like)
				check(t, err)
				if diff := cmp.Diff(&p, read, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-written +read):\n%s", diff)
				}
			}
			for n := range len(got) - 1 {
				if _, err := decodePlan("x", bytes.NewReader(got[:n]), nil); err == nil {
					t.Fatalf("the first %d of %d bytes are taken for a plan", n, len(got))
				}
			}
		})
	}
	for _, text := range []string{"", "[]", "null", `{"inputs": {}}`, `{"inputs": [7]}`, `{"inputs": null, "program": 7}`, `{"program": 7}`, "{} {}", "{}x", `{"inputs": [}`} {
		if _, err := decodePlan("x", strings.NewReader(text), nil); err == nil || !strings.HasPrefix(err.Error(), "x cannot be read: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A plan that is too long to be read again is refused before anything is written or removed, and one that somebody else wrote is not read.
func TestPlanTooLong(t *testing.T) {
	name := strings.Repeat("x", 1<<20) // all inputs share it, so that it takes no memory
	long := plan(slices.Repeat([]string{name}, maxPlan>>20)...)
	const says = "16384 inputs is too long: the names of the inputs take more than 17179869184 bytes; take fewer"
	refused := func(t *testing.T, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("it says %v", err)
		}
	}
	folder := t.TempDir()
	begin(t, folder, plan("a"), false)
	finishInput(t, folder, 0, false)
	_, err := Begin(folder, long, true)
	refused(t, err)
	_, err = BeginShared(folder, long, nil)
	refused(t, err)
	want(t, folder, "000000-000.facts", "000000.done", PlanFile)
	store := storagetest.New()
	d, err := OpenDepot(store, t.TempDir())
	check(t, err)
	refused(t, d.Begin(long))
	check(t, d.Close())
	if len(store.Files()) > 0 {
		t.Errorf("there is %v", store.Files())
	}
	long.Inputs = long.Inputs[:len(long.Inputs)-2] // 16382 names, and 100 bytes each beside them
	check(t, long.checkLength())
}
