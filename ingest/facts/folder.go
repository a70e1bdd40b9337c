package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/internal/storage"
)

// markExtension ends the name of a mark: 000012.done says that all facts of the input at place 12 are there.
const markExtension = ".done"

// A Mark says that the facts of an input are finished. It is written after the last of them.
type Mark struct {
	Input      string          `json:"input"`
	Unreadable bool            `json:"unreadable,omitempty"` // wholly or in part
	Again      bool            `json:"again,omitempty"`      // it may be readable another time: the next run of the same command tries
	Summary    json.RawMessage `json:"summary"`              // of who read it
	Files      []File          `json:"files"`
}

// A File is a facts file as it was written.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hexadecimal
	Rows   int64  `json:"rows"`
}

// A Keeper takes the facts of one input after another. It is safe for concurrent use.
type Keeper interface {
	// Kept calls visit for those of the inputs at some places whose facts are there, with the number of the place among these, in any order,
	// one after another. The mark is visit's during the call.
	Kept(places []int, visit func(i int, mark *Mark)) error
	// Create starts the facts of the input at a place of the list. What has been written is thrown away unless Finish is called.
	Create(place int, opts WriterOptions) *Writer
	// Finish keeps what w has written and closed of an input, and then its mark.
	Finish(place int, w *Writer, mark Mark) error
	// Close removes what was not finished.
	Close() error
}

// A Folder takes the facts of one input after another. They are written on a stage of this process and get their names when all of an
// input's are whole, so that a process that is killed, or another one that does the same, does no harm. It is safe for concurrent
// use.
type Folder struct {
	dir   string
	stage *storage.Stage
}

// OpenFolder begins to write facts into a folder, which it makes.
func OpenFolder(dir string) (*Folder, error) {
	stage, err := storage.NewStage(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, stage: stage}, nil
}

// Kept calls visit for the inputs whose facts are there, see Keeper.
func (f *Folder) Kept(places []int, visit func(i int, mark *Mark)) error {
	return marksAt(f.dir, places, visit)
}

// Create starts the facts of the input at a place of the list. What has been written is thrown away unless Finish is called.
func (f *Folder) Create(place int, opts WriterOptions) *Writer {
	return Create(f.stage.Path(baseName(place)), opts)
}

// Finish gives the files of an input, which w has written and closed, their names, and then writes its mark.
func (f *Folder) Finish(place int, w *Writer, mark Mark) error {
	text, err := mark.of(w)
	if err != nil {
		return err
	}
	final := filepath.Join(f.dir, markName(place))
	if have, err := os.ReadFile(final); err == nil {
		if string(have) == text && mark.whole(f.dir, place) {
			return nil // another process was faster
		}
		// Of an input that is read again: nobody knows whether it is the same, or its files are gone.
		if err := os.Remove(final); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	finals := map[string]string{}
	for _, file := range mark.Files {
		finals[file.Name] = filepath.Join(f.dir, file.Name)
	}
	if err := f.stage.PutAll(finals); err != nil {
		return err
	}
	for n := len(mark.Files); ; n++ {
		err := os.Remove(runName(filepath.Join(f.dir, baseName(place)), n))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
	}
	return f.stage.Write(final, []byte(text))
}

// Close removes what was not finished.
func (f *Folder) Close() error { return f.stage.Close() }

// baseName is the name of an input's files without number and extension.
func baseName(place int) string { return fmt.Sprintf("%06d", place) }

// markName is the name of an input's mark.
func markName(place int) string { return baseName(place) + markExtension }

// of has the mark name the files that w has written and closed, and returns it as it is kept.
func (m *Mark) of(w *Writer) (text string, err error) {
	m.Files = w.Files()
	encoded, err := json.Marshal(m)
	return string(encoded) + "\n", err
}

// namesAtOnce is how many names of a folder are held at a time: one of millions of files has only its marks gone through, and not held.
const namesAtOnce = 1 << 10

// eachName calls visit for every entry of a folder, in any order.
func eachName(folder string, visit func(fs.DirEntry) error) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(namesAtOnce)
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// eachMarked calls visit for the places of the inputs that have a mark in a folder, in any order, by the names alone.
func eachMarked(folder string, visit func(place int) error) error {
	return eachName(folder, func(e fs.DirEntry) error {
		if place, ok := markedPlace(e.Name()); ok {
			return visit(place)
		}
		return nil
	})
}

// eachMark calls visit for the marks of a folder, in any order. One whose files are not there as they were written does not count, nor does
// one that cannot be read. A folder that is not there has none.
func eachMark(folder string, visit func(place int, mark *Mark) error) error {
	err := eachMarked(folder, func(place int) error {
		mark, err := readMark(folder, place)
		if mark == nil {
			return err
		}
		return visit(place, mark)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// marksAt is eachMark for some places only, in their order, and with their numbers: a shard of many leaves the marks of the others alone.
func marksAt(folder string, places []int, visit func(i int, mark *Mark)) error {
	for i, place := range places {
		mark, err := readMark(folder, place)
		if err != nil {
			return err
		}
		if mark != nil {
			visit(i, mark)
		}
	}
	return nil
}

// readMark reads the mark of a place; nil if there is none that counts.
func readMark(folder string, place int) (*Mark, error) {
	text, err := os.ReadFile(filepath.Join(folder, markName(place)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	mark := new(Mark)
	if json.Unmarshal(text, mark) != nil || !mark.whole(folder, place) {
		return nil, nil
	}
	return mark, nil
}

// Begun tells whether the facts of any input of a folder are finished.
func Begun(folder string) (bool, error) {
	err := eachMark(folder, func(int, *Mark) error { return errBegun })
	if err == errBegun {
		return true, nil
	}
	return false, err
}

var errBegun = errors.New("an input is finished")

// unmarked lists the places of a plan that have no mark, by the names in the folder alone.
func unmarked(folder string, plan *Plan) ([]int, error) {
	marked := make([]bool, len(plan.Inputs))
	err := eachMarked(folder, func(place int) error {
		if place < len(marked) {
			marked[place] = true
		}
		return nil
	})
	return without(marked), err
}

// without lists the places that are not marked.
func without(marked []bool) []int {
	var places []int
	for place, ok := range marked {
		if !ok {
			places = append(places, place)
		}
	}
	return places
}

// Digest tells the finished facts of a folder from others, by their marks.
func Digest(folder string) (string, error) {
	var places []int
	err := eachMarked(folder, func(place int) error {
		places = append(places, place)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	slices.Sort(places)
	all := newFileDigest()
	err = marksAt(folder, slices.Compact(places), func(_ int, mark *Mark) {
		for i := range mark.Files {
			all.add(&mark.Files[i])
		}
	})
	return all.String(), err
}

// A fileDigest is made of facts files in the order of their places and numbers.
type fileDigest struct{ sum hash.Hash }

func newFileDigest() fileDigest { return fileDigest{sha256.New()} }

func (d fileDigest) add(file *File) { fmt.Fprintln(d.sum, file.Name, file.SHA256) }

func (d fileDigest) String() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// finished is what is finished in a folder.
type finished struct {
	files map[int]int // how many an input has, by its place
	again bool        // an input may be readable another time
}

func finishedIn(folder string) (*finished, error) {
	done := &finished{files: map[int]int{}}
	return done, eachMark(folder, func(place int, mark *Mark) error {
		done.files[place] = len(mark.Files)
		done.again = done.again || mark.Again
		return nil
	})
}

// holds tells whether a file of the folder is the mark of an input that is finished, or of its facts.
func (f *finished) holds(name string) bool {
	if place, ok := markedPlace(name); ok {
		return f.files[place] > 0
	}
	base, number, ok := strings.Cut(strings.TrimSuffix(name, Extension), "-")
	place, err := strconv.Atoi(base)
	run, odd := strconv.Atoi(number)
	return ok && err == nil && odd == nil && run < f.files[place] && name == runName(baseName(place), run)
}

// markedPlace returns the place of the input that a mark of that name is of.
func markedPlace(name string) (place int, ok bool) {
	base, ok := strings.CutSuffix(name, markExtension)
	place, err := strconv.Atoi(base)
	return place, ok && err == nil && place >= 0 && baseName(place) == base
}

// whole tells whether the files are there, which are those of the input at a place.
func (m *Mark) whole(folder string, place int) bool {
	return m.every(place, func(file *File) bool {
		info, err := os.Stat(filepath.Join(folder, file.Name))
		return err == nil && info.Size() == file.Bytes
	})
}

// every tells whether the mark names files that the input at a place has, and each is there.
func (m *Mark) every(place int, there func(*File) bool) bool {
	for i := range m.Files {
		if file := &m.Files[i]; file.Name != runName(baseName(place), i) || !there(file) {
			return false
		}
	}
	return len(m.Files) > 0
}

// tidy removes what an interrupted run did not finish.
func tidy(folder string, done *finished) error { return removeFacts(folder, done.holds) }

// clearFacts removes plan, marks and facts of a folder, in this order, and nothing else. It makes the folder if it is not there.
func clearFacts(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(folder, PlanFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := storage.SyncFolder(folder); err != nil {
		return err
	}
	return removeFacts(folder, func(string) bool { return false })
}

// removeFacts removes the marks of a folder, then its facts files, and the stages of processes that were killed, but for the names to
// be kept.
func removeFacts(folder string, keep func(name string) bool) error {
	isMark := func(name string) bool { _, ok := markedPlace(name); return ok }
	isFacts := func(name string) bool { return filepath.Ext(strings.TrimSuffix(name, ".tmp")) == Extension }
	for _, goes := range []func(string) bool{isMark, isFacts} {
		var names []string // removed while the folder is gone through, some file systems would pass over others
		err := eachName(folder, func(e fs.DirEntry) error {
			if !e.IsDir() && goes(e.Name()) && !keep(e.Name()) {
				names = append(names, e.Name())
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return storage.ClearStages(folder)
}
