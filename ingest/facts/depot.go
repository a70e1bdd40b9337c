package facts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
)

// A Depot is a folder of facts of shards in a store of files. It has the names that a Folder gives. The plan is written once, by the
// first, and never again: the facts are finished when all inputs have marks. Files of an input come before its mark, so that a process may
// be killed at any moment; of two that read the same input one puts a file, and the other finds it there. It is safe for concurrent
// use.
type Depot struct {
	store  storage.Store
	stage  *storage.Stage
	inputs []PlannedInput // of Begin
}

// OpenDepot begins to work with the facts in a store. Those of the inputs that are being read lie below work, a folder of this machine.
func OpenDepot(store storage.Store, work string) (*Depot, error) {
	stage, err := storage.NewStage(work)
	if err != nil {
		return nil, err
	}
	return &Depot{store: store, stage: stage}, nil
}

// Begin is BeginShared.
func (d *Depot) Begin(plan Plan) error {
	if err := plan.checkLength(); err != nil {
		return err
	}
	plan.Schema, plan.Finished, plan.Unreadable, plan.Afresh = SchemaVersion, false, 0, false
	d.inputs = plan.Inputs
	have, err := readPlanOf(d.store, plan.Inputs)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.beginPlan(plan); err != nil {
			return err
		}
		have, err = readPlanOf(d.store, plan.Inputs) // another process may have been first
	}
	if err != nil {
		return err
	}
	return have.checkShare(d.store.String(), plan)
}

// beginPlan writes the plan unless there is one.
func (d *Depot) beginPlan(plan Plan) error {
	listed, err := d.store.List("")
	if err != nil {
		return err
	}
	for name := range listed {
		if filepath.Ext(name) == Extension && !strings.Contains(name, "/") {
			return fmt.Errorf("%s holds facts files but no %s; choose another folder", d.store, PlanFile)
		}
	}
	name, err := stagePlan(d.stage, plan)
	if err != nil {
		return err
	}
	if err := d.store.Put(d.stage.Path(name), PlanFile); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Remove(d.stage.Path(name))
}

// End tells whether all inputs of the plan have their facts.
func (d *Depot) End() (finished bool, err error) {
	plan, err := readPlanOf(d.store, d.inputs)
	if err != nil {
		return false, err
	}
	listed, err := d.store.List("")
	return err == nil && len(unlisted(plan, listed)) == 0, err
}

// Kept calls visit for the inputs whose facts are there, see Keeper.
func (d *Depot) Kept(places []int, visit func(i int, mark *Mark)) error {
	listed, err := d.store.List("")
	if err != nil {
		return err
	}
	return marksOf(d.store, listed, places, visit)
}

// Create starts the facts of the input at a place of the list, on this machine.
func (d *Depot) Create(place int, opts WriterOptions) *Writer {
	return Create(d.stage.Path(baseName(place)), opts)
}

// Finish puts what w has written and closed of an input into the store, and then its mark. From this machine it is removed.
func (d *Depot) Finish(place int, w *Writer, mark Mark) error {
	text, err := mark.of(w)
	if err != nil {
		return err
	}
	name := markName(place)
	there, err := d.markOf(name, place)
	switch {
	case err != nil:
		return err
	case there.counts && (there.text == text || mark.Again && !there.mark.Again):
		return w.Discard() // another process was faster, or had better luck
	case there.counts && !there.mark.Again:
		return d.otherFacts(&mark)
	case there.text != "":
		// Of an input that is read again. As long as it has no mark it counts as not read.
		if err := d.store.Remove(name); err != nil {
			return err
		}
	}
	for _, file := range mark.Files {
		err := d.store.Put(d.stage.Path(file.Name), file.Name)
		if errors.Is(err, fs.ErrExist) { // of a reading that has no mark
			err = d.store.Replace(d.stage.Path(file.Name), file.Name)
		}
		if err != nil {
			return err
		}
	}
	if err := d.removeMore(place, &mark); err != nil {
		return err
	}
	switch err := d.store.WriteNew(name, []byte(text)); {
	case err == nil:
		return w.Discard()
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if have, err := d.store.Read(name); err == nil && string(have) == text {
		return w.Discard()
	}
	// Another process finished the input just now, with files that these may have replaced: nobody knows any more which are there.
	return errors.Join(d.otherFacts(&mark), d.store.Remove(name))
}

func (d *Depot) otherFacts(mark *Mark) error {
	return fmt.Errorf("another process read %s to other facts in %s at the same time; was the input changed? Run this shard again", mark.Input, d.store)
}

// A foundMark is a mark in a store, if there is one.
type foundMark struct {
	text   string
	mark   Mark
	counts bool // it can be read, and its files are there
}

func (d *Depot) markOf(name string, place int) (foundMark, error) {
	text, err := d.store.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return foundMark{}, nil
	}
	if err != nil {
		return foundMark{}, err
	}
	listed, err := d.store.List(baseName(place) + "-")
	if err != nil {
		return foundMark{}, err
	}
	found := foundMark{text: string(text)}
	found.counts = json.Unmarshal(text, &found.mark) == nil && found.mark.listed(listed, place)
	return found, nil
}

// removeMore removes files of an input that another reading left, and that the mark does not name.
func (d *Depot) removeMore(place int, mark *Mark) error {
	listed, err := d.store.List(baseName(place) + "-")
	if err != nil {
		return err
	}
	for name := range listed {
		if !slices.ContainsFunc(mark.Files, func(f File) bool { return f.Name == name }) {
			if err := d.store.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close removes what was not finished from this machine.
func (d *Depot) Close() error { return d.stage.Close() }

// listed tells whether the files are in a listing, which are those of the input at a place.
func (m *Mark) listed(listed map[string]int64, place int) bool {
	return m.every(place, func(file *File) bool {
		bytes, ok := listed[file.Name]
		return ok && bytes == file.Bytes
	})
}

// marksOf reads the marks of some places, as Keeper.Kept says.
func marksOf(store storage.Store, listed map[string]int64, places []int, visit func(i int, mark *Mark)) error {
	var mu sync.Mutex
	return parallel.EachNumber(len(places), func(i int) error {
		name := markName(places[i])
		if _, ok := listed[name]; !ok {
			return nil
		}
		text, err := store.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		mark := new(Mark)
		if json.Unmarshal(text, mark) == nil && mark.listed(listed, places[i]) {
			mu.Lock()
			defer mu.Unlock()
			visit(i, mark)
		}
		return nil
	})
}

// unlisted lists the places of a plan that have no mark in a listing.
func unlisted(plan *Plan, listed map[string]int64) []int {
	var places []int
	for place := range plan.Inputs {
		if _, ok := listed[markName(place)]; !ok {
			places = append(places, place)
		}
	}
	return places
}

// Stored are facts files in a store of files.
type Stored struct {
	Files []File // of a Depot's facts that were not checked, without digest and rows
	in    storage.Store
}

// List lists the facts of a depot, by the names that are there: an input that has no mark is missing. The error wraps fs.ErrNotExist where
// there is no plan of facts.
func List(store storage.Store) (*Stored, error) {
	found, _, err := list(store)
	return found, err
}

func list(store storage.Store) (*Stored, *Plan, error) {
	plan, err := readPlanOf(store, nil)
	if err != nil {
		return nil, nil, err
	}
	if plan.Shards == 0 && !plan.Finished { // of one process, that somebody put there
		return nil, nil, fmt.Errorf("%s holds the facts of a run that was interrupted", store)
	}
	listed, err := store.List("")
	if err != nil {
		return nil, nil, err
	}
	if err := plan.lacks(store.String(), unlisted(plan, listed)); err != nil {
		return nil, nil, err
	}
	return NewStored(store, listed), plan, nil
}

// NewStored returns the facts files of a listing.
func NewStored(store storage.Store, listed map[string]int64) *Stored {
	s := &Stored{in: store}
	for name, bytes := range listed {
		if filepath.Ext(name) == Extension && !strings.Contains(name, "/") {
			s.Files = append(s.Files, File{Name: name, Bytes: bytes})
		}
	}
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// ListChecked is List, and reads every mark: the facts must be just what the marks name. The digest is that of Digest.
func ListChecked(store storage.Store) (found *Stored, digest string, err error) {
	found, plan, err := list(store)
	if err != nil {
		return nil, "", err
	}
	places := make([]int, len(plan.Inputs))
	listed := map[string]int64{}
	for place := range places {
		places[place] = place
		listed[markName(place)] = 0
	}
	for _, file := range found.Files {
		listed[file.Name] = file.Bytes
	}
	there := make([]bool, len(places))
	err = marksOf(store, listed, places, func(place int, mark *Mark) {
		there[place] = true
		for _, file := range mark.Files {
			if i, ok := slices.BinarySearchFunc(found.Files, file.Name, func(f File, name string) int { return strings.Compare(f.Name, name) }); ok {
				found.Files[i] = file
			}
		}
	})
	if err != nil {
		return nil, "", err
	}
	if err := plan.lacks(store.String(), without(there)); err != nil {
		return nil, "", err
	}
	order := make([]*File, len(found.Files))
	for i := range found.Files {
		if order[i] = &found.Files[i]; order[i].SHA256 == "" {
			return nil, "", fmt.Errorf("%s holds %s, which is of no input that is finished; remove it", store, order[i].Name)
		}
	}
	slices.SortFunc(order, func(a, b *File) int { return compareRuns(a.Name, b.Name) })
	all := newFileDigest()
	for _, file := range order {
		all.add(file)
	}
	return found, all.String(), nil
}

// compareRuns puts names of facts files in the order of their places and numbers, both of which may have any number of digits.
func compareRuns(a, b string) int {
	before, _, _ := strings.Cut(a, "-")
	behind, _, _ := strings.Cut(b, "-")
	return cmp.Or(cmp.Compare(len(before), len(behind)), strings.Compare(before, behind), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// OpenStored opens facts files in stores of files. Rows of the result are those that Stored knows.
func OpenStored(parts ...*Stored) (*Store, error) {
	s := &Store{}
	for _, part := range parts {
		for _, file := range part.Files {
			s.files = append(s.files, storeFile{name: part.in.String() + "/" + file.Name, store: part.in, below: file.Name, bytes: file.Bytes, mark: file.SHA256})
			s.rows += file.Rows
		}
	}
	if len(s.files) == 0 {
		return nil, ErrNoFacts
	}
	slices.SortFunc(s.files, func(a, b storeFile) int { return strings.Compare(a.name, b.name) })
	return s, nil
}
