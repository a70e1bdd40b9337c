// Package job runs work of hours that can be killed at any moment, repeated, and shared by many processes: a plan with
// a work list, and a done marker for each item, written after the files of the item. The caller has the work list:
// inputs that become facts, hosts that become answers, buckets that become tables. The package reads and writes a
// storage.Store.
//
// Equal plans give equal files. So several processes may work on the same item at the same time, in any order, and be
// killed at any moment: the files are the same in the end.
//
// Items of a long list are done in batches (Plan.Batch), since files and markers cost requests. A batch has one marker.
// Its number stands in names where that of an item does, and is the item that methods and a Kind speak of.
package job

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
)

// A Kind describes what a job makes, from which items.
type Kind struct {
	Makes string // the files, in the plural: facts
	Item  string // one thing of the work list: input
	Again string // what a user does if items are missing: run the same extract again
	Tasks string // the same for an array job, whose tasks are named behind it: run again the shards
	// Suffix ends the names of files that wait for another step, which removes it; "": no step follows.
	Suffix string
	// Owns reports whether the i-th file of an item may have that name.
	Owns func(item, i int, name string) bool
	// Prefix begins the names of all files of an item, and of no other. ItemOf is its inverse. Nil: not known.
	Prefix func(item int) string
	ItemOf func(name string) (item int, ok bool)
	// IsFile reports whether a name is that of a file that a job of this kind makes, Suffix included.
	IsFile func(name string) bool
}

// A DoneMarker says that the files of an item are there. It is written after the last of them.
type DoneMarker struct {
	Item       string          `json:"item,omitempty"`       // its name
	Unreadable bool            `json:"unreadable,omitempty"` // wholly or in part
	Retry      bool            `json:"retry,omitempty"`      // it may be readable another time
	Unnamed    bool            `json:"unnamed,omitempty"`    // nothing names the crawl that its records are of
	Summary    json.RawMessage `json:"summary"`              // by the maker of the files
	Files      []File          `json:"files"`
}

// A File is a file as it was written.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hexadecimal
	Rows   int64  `json:"rows"`
}

// Options say how a job begins. The zero value is good.
type Options struct {
	// Overwrite begins anew, but goes on with what the same command with Overwrite has begun.
	Overwrite bool
	// Continues says that a further step removes the items when all are done: Overwrite goes on with finished items,
	// too.
	Continues bool
	// Replace begins anew without an error if the folder has another plan.
	Replace bool
	// Name is that of the folder in sentences; "": its own.
	Name string
	// OrElse ends the sentence of an error that tells to choose another folder: ", or --overwrite it".
	OrElse string
	// Moved reports whether a file that a marker names and that is not in the folder was moved by the step behind this
	// job. May be nil.
	Moved func(File) bool
}

// A Job is at work in a folder of a store. It is safe for concurrent use.
type Job struct {
	Plan Plan // without its Items
	kind Kind
	at   storage.Store
	opts Options

	mu      sync.Mutex
	redo    map[int]bool // items whose markers do not count
	left    map[int]bool // items without markers that have files: of processes that were killed, or are at work
	knows   bool         // what left holds
	unnamed bool
}

// At returns a job without a plan, which can only finish items.
func At(at storage.Store, kind Kind) *Job { return &Job{at: at, kind: kind, redo: map[int]bool{}} }

// Open opens the job in a folder, whatever its plan. The error wraps fs.ErrNotExist where there is none.
func Open(at storage.Store, kind Kind, opts Options) (*Job, error) {
	plan, err := ReadPlan(at)
	if err != nil {
		return nil, err
	}
	j := At(at, kind)
	j.Plan, j.opts = *plan, opts
	if plan.Makes != kind.Makes {
		return nil, fmt.Errorf("%s holds %s, and %s are needed", at, plan.Makes, kind.Makes)
	}
	return j, nil
}

// Begin begins a job in a folder, or goes on with what processes with an equal plan have finished. A folder with files
// that another plan gives is an error, unless Options say otherwise, or no item was finished. Where the plan has no
// Shards no other process may be at work in the folder: its owner holds the lock.
func Begin(at storage.Store, kind Kind, plan Plan, opts Options) (*Job, error) {
	j := At(at, kind)
	j.opts = opts
	plan.Makes = kind.Makes
	if plan.Items != nil {
		plan.Count = len(plan.Items)
	}
	j.Plan = plan
	j.Plan.Items = nil
	have, why, err := kind.compare(at, &plan)
	if errors.Is(err, fs.ErrNotExist) {
		if err := j.checkEmpty(); err != nil {
			return nil, err
		}
		if err := j.begin(&plan); err != nil {
			return nil, err
		}
		have, why, err = kind.compare(at, &plan) // another process may have been first
	}
	if err != nil && !opts.Overwrite && !opts.Replace {
		return nil, err
	}
	goesOn := err == nil && why == ""
	if goesOn && opts.Overwrite {
		missing, err := j.Missing()
		if err != nil {
			return nil, err
		}
		afresh, err := IsAfresh(at)
		if err != nil {
			return nil, err
		}
		goesOn = afresh && (len(missing) > 0 || opts.Continues)
	}
	if goesOn {
		if why, err = j.differentShards(have); err != nil {
			return nil, err
		}
		goesOn = why == ""
	}
	switch {
	case goesOn:
		return j, j.tidy()
	case opts.Overwrite, opts.Replace:
	default:
		if err := j.refuse(why); err != nil {
			return nil, err
		}
	}
	if err := j.Clear(); err != nil {
		return nil, err
	}
	return j, j.begin(&plan)
}

// String is the name of the folder, for sentences.
func (j *Job) String() string {
	return cmp.Or(j.opts.Name, j.at.String())
}

// checkEmpty gives an error for files of this kind in a folder without a plan.
func (j *Job) checkEmpty() error {
	if j.opts.Replace || j.opts.Overwrite {
		return j.Clear()
	}
	return j.at.List("", func(name string, _ int64) error {
		if j.kind.IsFile(name) {
			return fmt.Errorf("%s holds %s files but no %s; choose another folder%s", j, j.kind.Makes, PlanFile,
				j.opts.OrElse)
		}
		return nil
	})
}

// begin writes the plan unless there is one.
func (j *Job) begin(plan *Plan) error {
	if j.opts.Overwrite {
		if err := storage.Write(j.at, afreshName, nil); err != nil {
			return err
		}
	}
	file, err := plan.write(j.at)
	if err != nil {
		return err
	}
	if err = j.at.PutNew(storage.Entry{Name: PlanFile, Path: file}); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// afreshName lies next to the plan of a run with Overwrite until the run ends, so that the same command goes on with
// what it has begun.
const afreshName = "_afresh"

// IsAfresh reports whether a job with Overwrite has begun in the folder and not ended.
func IsAfresh(at storage.Store) (bool, error) { return storage.Exists(at, afreshName) }

// End records that all items are done, so that another run with Overwrite begins anew.
func (j *Job) End() error {
	if !j.opts.Overwrite {
		return nil
	}
	return j.at.Remove(afreshName)
}

// differentShards tells why tasks of an array job, and one process, do not go on with each other's work.
func (j *Job) differentShards(have *Plan) (why string, err error) {
	switch want := &j.Plan; {
	case have.Shards == want.Shards:
		return "", nil
	case want.Shards == 0: // what an array job has finished is as good
		alone := *want
		want.Shards, want.Batch = have.Shards, have.Batch
		missing, err := j.Missing()
		if err != nil || len(missing) == 0 {
			return "", err
		}
		*want = alone
		return "they are those of an array job", nil
	case have.Shards == 0:
		return "they are those of one process", nil
	default:
		return fmt.Sprintf("they are of %d shards, and this is one of %d", have.Shards, want.Shards), nil
	}
}

// refuse is the error for a plan that differs from the one in the folder; nil where nothing was finished that would be
// lost.
func (j *Job) refuse(why string) error {
	have, err := ReadPlan(j.at)
	if err != nil {
		return err
	}
	l, err := j.list(have.Batches(), "")
	if err != nil {
		return err
	}
	what := j.kind.Makes
	switch {
	case l.done == 0 && j.Plan.Shards == 0 && have.Shards == 0 && have.Makes == j.kind.Makes:
		return nil
	case l.done < have.Batches():
		what = "unfinished " + what
	}
	return fmt.Errorf("%s holds %s that another command makes: %s; choose another folder%s", j, what, why,
		j.opts.OrElse)
}

// Clear removes the plan, the markers and the files of the job, in this order, and nothing else.
func (j *Job) Clear() error {
	if err := j.at.Remove(PlanFile, afreshName); err != nil {
		return err
	}
	isMarker := func(name string) bool { _, ok := markedItem(name); return ok }
	for _, goes := range []func(string) bool{isMarker, j.kind.IsFile} {
		var names []string
		err := j.at.List("", func(name string, _ int64) error {
			if goes(name) {
				names = append(names, name)
			}
			return nil
		})
		if err == nil {
			err = j.at.Remove(names...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A listing is what is in the folder of a job, in eight bytes a file: jobs have millions.
type listing struct {
	marked []bool   // by item
	done   int      // how many are marked
	files  []uint64 // digests of names and sizes, sorted
	seed   maphash.Seed
	left   map[int]bool // items without markers that have files
}

// list lists the folder of a job with so many items: the names that begin with prefix.
func (j *Job) list(items int, prefix string) (*listing, error) {
	l := &listing{marked: make([]bool, items), seed: maphash.MakeSeed(), left: map[int]bool{}}
	err := j.at.List(prefix, func(name string, size int64) error {
		if item, ok := markedItem(name); ok {
			if item < items && !l.marked[item] {
				l.marked[item] = true
				l.done++
			}
		} else if j.kind.IsFile(name) {
			l.files = append(l.files, l.digest(name, size))
			if j.kind.ItemOf != nil {
				if item, ok := j.kind.ItemOf(name); ok && (item >= items || !l.marked[item]) {
					l.left[item] = true
				}
			}
		}
		return nil
	})
	slices.Sort(l.files)
	maps.DeleteFunc(l.left, func(item int, _ bool) bool { return item < items && l.marked[item] })
	return l, err
}

func (l *listing) digest(name string, size int64) uint64 {
	return maphash.Comparable(l.seed, struct {
		name string
		size int64
	}{name, size})
}

func (l *listing) holds(name string, size int64) bool {
	_, ok := slices.BinarySearch(l.files, l.digest(name, size))
	return ok
}

const markerSuffix = ".done"

// MarkerName is the name of the done marker of an item.
func MarkerName(item int) string { return fmt.Sprintf("%06d%s", item, markerSuffix) }

// markedItem returns the item that a marker of that name is of.
func markedItem(name string) (item int, ok bool) {
	base, ok := strings.CutSuffix(name, markerSuffix)
	item, err := strconv.Atoi(base)
	return item, ok && err == nil && item >= 0 && MarkerName(item) == name
}

// Done calls visit for the done markers of some items, with the number of the item among these, in any order, one after
// another. A marker whose files are not there as they were written does not count. Visit returns whether the item is
// done: else Finish may replace it.
func (j *Job) Done(items []int, visit func(i int, m *DoneMarker) (done bool)) error {
	if len(items) == 0 {
		return nil
	}
	l, err := j.list(slices.Max(items)+1, "")
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.left, j.knows = l.left, true
	j.mu.Unlock()
	return parallel.EachNumber(len(items), func(i int) error {
		item := items[i]
		if !l.marked[item] {
			return nil
		}
		text, err := storage.Read(j.at, MarkerName(item))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed since
		}
		if err != nil {
			return err
		}
		m := new(DoneMarker)
		counts := j.counts(l, item, text, m)
		j.mu.Lock()
		defer j.mu.Unlock()
		if !counts || !visit(i, m) {
			j.redo[item] = true
		}
		return nil
	})
}

// All lists the items of the plan.
func (j *Job) All() []int {
	return unmarked(make([]bool, j.Plan.Batches()))
}

// counts reads a marker, and reports whether its files are there.
func (j *Job) counts(l *listing, item int, text []byte, m *DoneMarker) bool {
	if json.Unmarshal(text, m) != nil || m.Summary == nil {
		return false
	}
	for i, file := range m.Files {
		there := l.holds(file.Name+j.kind.Suffix, file.Bytes) || j.opts.Moved != nil && j.opts.Moved(file)
		if !there || !j.kind.Owns(item, i, file.Name) {
			return false
		}
	}
	return true
}

// Missing lists the items that have no marker, by the names in the folder alone.
func (j *Job) Missing() ([]int, error) {
	l, err := j.list(j.Plan.Batches(), "")
	if err != nil {
		return nil, err
	}
	return unmarked(l.marked), nil
}

func unmarked(marked []bool) (items []int) {
	for item, ok := range marked {
		if !ok {
			items = append(items, item)
		}
	}
	return items
}

// Begun reports whether any item is finished.
func (j *Job) Begun() (bool, error) {
	l, err := j.list(j.Plan.Batches(), "")
	return err == nil && l.done > 0, err
}

// Lacks makes a sentence of items that are missing; nil where none is.
func (j *Job) Lacks(missing []int) error {
	if len(missing) == 0 {
		return nil
	}
	n := j.Plan.Shards
	if n == 0 {
		return fmt.Errorf("%s holds the %s of a run that was interrupted: %d of %d %s are missing; %s",
			j, j.kind.Makes, len(missing), j.Plan.Batches(), j.items(), j.kind.Again)
	}
	first := ""
	if name, err := nameOf(j.at, j.Plan.ItemsOf(missing[0])[0]); err == nil && name != "" {
		first = ", the first: " + name
	}
	shards := map[int]bool{}
	for _, item := range missing {
		shards[item%n] = true
	}
	return fmt.Errorf("%s lacks %d of %d %s%s; %s %s",
		j, len(missing), j.Plan.Batches(), j.items(), first, j.kind.Tasks,
		NameShares(slices.Sorted(maps.Keys(shards)), n))
}

// items is what has markers, in the plural.
func (j *Job) items() string {
	if j.Plan.Batch > 1 {
		return "batches of " + j.kind.Item + "s"
	}
	return j.kind.Item + "s"
}

// tidy removes the files that an interrupted run of one process left without a marker.
func (j *Job) tidy() error {
	if !j.at.Local() || j.Plan.Shards > 0 || j.kind.Prefix == nil {
		return nil
	}
	files, marked, err := j.listFiles()
	if err != nil {
		return err
	}
	counts := slices.Clone(marked)
	if err := j.check(files, counts); err != nil {
		return err
	}
	var names []string
	for item := range marked {
		if marked[item] && !counts[item] {
			names = append(names, MarkerName(item))
		}
	}
	for _, file := range files {
		if file.SHA256 == "" {
			names = append(names, file.Name)
		}
	}
	return j.at.Remove(names...)
}

// listFiles lists the files, sorted by name, and tells which items have markers.
func (j *Job) listFiles() (files []File, marked []bool, err error) {
	marked = make([]bool, j.Plan.Batches())
	err = j.at.List("", func(name string, size int64) error {
		if item, ok := markedItem(name); ok && item < len(marked) {
			marked[item] = true
		} else if j.kind.IsFile(name) {
			files = append(files, File{Name: name, Bytes: size})
		}
		return nil
	})
	slices.SortFunc(files, compareNames)
	return files, marked, err
}

// Files lists the files of a finished job, sorted by name. An item that is missing is an error. By the names alone, or
// checked: then every marker is read, the files have digests and rows, and must be just what the markers name.
func (j *Job) Files(checked bool) ([]File, error) {
	files, marked, err := j.listFiles()
	if err != nil {
		return nil, err
	}
	if checked {
		if err := j.check(files, marked); err != nil {
			return nil, err
		}
	}
	if err := j.Lacks(unmarked(marked)); err != nil || !checked {
		return files, err
	}
	if i := slices.IndexFunc(files, func(f File) bool { return f.SHA256 == "" }); i >= 0 {
		return nil, fmt.Errorf("%s holds %s, which is of no %s that is finished; remove it", j, files[i].Name,
			j.kind.Item)
	}
	return files, nil
}

func compareNames(a, b File) int { return strings.Compare(a.Name, b.Name) }

// check reads all markers, completes the files by what they say, and leaves those marked whose files are there.
func (j *Job) check(files []File, marked []bool) error {
	find := func(f File) (int, bool) {
		i, ok := slices.BinarySearchFunc(files, f, compareNames)
		return i, ok && files[i].Bytes == f.Bytes
	}
	return parallel.EachNumber(len(marked), func(item int) error {
		if !marked[item] {
			return nil
		}
		text, err := storage.Read(j.at, MarkerName(item))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		m := new(DoneMarker)
		good := err == nil && json.Unmarshal(text, m) == nil && m.Summary != nil
		j.mu.Lock() // of files too: each worker searches all of them
		defer j.mu.Unlock()
		for i, f := range m.Files {
			_, there := find(f)
			good = good && there && j.kind.Owns(item, i, f.Name)
		}
		if marked[item] = good; !good {
			return nil
		}
		for _, f := range m.Files { // no file is of two items
			i, _ := find(f)
			files[i] = f
		}
		j.unnamed = j.unnamed || m.Unnamed
		return nil
	})
}

// Unnamed reports whether one of the markers that a checked Files read has Unnamed set.
func (j *Job) Unnamed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unnamed
}

// Finish puts the files of an item, from where path has them on this machine, and then the marker. An equal marker of
// another process is no error.
func (j *Job) Finish(item int, m DoneMarker, path func(File) string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	name := MarkerName(item)
	have, there, err := j.marker(item)
	switch {
	case err != nil:
		return err
	case there != nil && (bytes.Equal(have, text) || m.Retry && !there.Retry):
		return nil // another process was faster, or had better luck
	case there != nil && !there.Retry && !j.redone(item):
		return j.otherFiles(&m)
	case have != nil: // as long as the item has no marker it counts as not done
		if err := j.at.Remove(name); err != nil {
			return err
		}
	}
	entries := make([]storage.Entry, len(m.Files))
	for i, file := range m.Files {
		entries[i] = storage.Entry{Name: file.Name + j.kind.Suffix, Path: path(file)}
	}
	if err := j.at.Put(entries...); err != nil {
		return err
	}
	if have != nil || j.mayHaveOthers(item) {
		if err := j.removeOthers(item, m.Files); err != nil {
			return err
		}
	}
	switch err := j.at.PutNew(storage.Entry{Name: name, Content: text}); {
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if have, err := storage.Read(j.at, name); err == nil && bytes.Equal(have, text) {
		return nil
	}
	// Another process finished the item just now, and these files may have replaced some of its files.
	return errors.Join(j.otherFiles(&m), j.at.Remove(name))
}

func (j *Job) redone(item int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.redo[item]
}

func (j *Job) otherFiles(m *DoneMarker) error {
	return fmt.Errorf("another process made other %s of %s in %s at the same time; was the input changed? Run this "+
		"command again", j.kind.Makes, cmp.Or(m.Item, "a "+j.kind.Item), j)
}

// marker reads the marker of an item; nil where there is none. m is nil where it does not count.
func (j *Job) marker(item int) (text []byte, m *DoneMarker, err error) {
	text, err = storage.Read(j.at, MarkerName(item))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	m = new(DoneMarker)
	prefix := ""
	if j.kind.Prefix != nil {
		prefix = j.kind.Prefix(item)
	}
	l, err := j.list(0, prefix)
	if err != nil || !j.counts(l, item, text, m) {
		m = nil
	}
	return text, m, err
}

// mayHaveOthers reports whether an item may have files that a killed process left. A list for each item would take long
// in a folder of millions.
func (j *Job) mayHaveOthers(item int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return !j.knows || j.left[item]
}

// removeOthers removes files of an item that a killed process left, and that the marker does not name.
func (j *Job) removeOthers(item int, files []File) error {
	if j.kind.Prefix == nil {
		return nil
	}
	var others []string
	err := j.at.List(j.kind.Prefix(item), func(name string, _ int64) error {
		if j.kind.IsFile(name) && !slices.ContainsFunc(files,
			func(f File) bool { return f.Name+j.kind.Suffix == name }) {
			others = append(others, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return j.at.Remove(others...)
}
