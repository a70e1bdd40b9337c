package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/output/commit"
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
	// Kept returns the marks of those inputs, by their places, whose facts are there.
	Kept(places []int) (map[int]Mark, error)
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
	stage *commit.Stage
}

// OpenFolder begins to write facts into a folder, which it makes.
func OpenFolder(dir string) (*Folder, error) {
	stage, err := commit.NewStage(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, stage: stage}, nil
}

// Kept is MarksAt.
func (f *Folder) Kept(places []int) (map[int]Mark, error) { return MarksAt(f.dir, places) }

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
		if string(have) == text && mark.whole(f.dir) {
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

// Marks reads the marks of a folder, by the place of the input. One whose files are not there as they were written does not count, nor
// does one that cannot be read.
func Marks(folder string) (map[int]Mark, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	marks := map[int]Mark{}
	for _, e := range entries {
		if place, ok := markedPlace(e.Name()); ok {
			if err := readMark(folder, place, marks); err != nil {
				return nil, err
			}
		}
	}
	return marks, nil
}

// MarksAt is Marks for those places only: a shard of many leaves the marks of the others alone.
func MarksAt(folder string, places []int) (map[int]Mark, error) {
	marks := map[int]Mark{}
	for _, place := range places {
		if err := readMark(folder, place, marks); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

// readMark reads the mark of a place into marks, if there is one that counts.
func readMark(folder string, place int, marks map[int]Mark) error {
	text, err := os.ReadFile(filepath.Join(folder, markName(place)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	mark := Mark{}
	if json.Unmarshal(text, &mark) == nil && mark.whole(folder) {
		marks[place] = mark
	}
	return nil
}

// unmarked lists the places of a plan that have no mark, by the names in the folder alone.
func unmarked(folder string, plan *Plan) ([]int, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	marked := map[int]bool{}
	for _, e := range entries {
		if place, ok := markedPlace(e.Name()); ok {
			marked[place] = true
		}
	}
	var places []int
	for place := range plan.Inputs {
		if !marked[place] {
			places = append(places, place)
		}
	}
	return places, nil
}

// Digest tells the finished facts of a folder from others, by their marks.
func Digest(folder string) (string, error) {
	marks, err := Marks(folder)
	if err != nil {
		return "", err
	}
	return digestOf(marks), nil
}

func digestOf(marks map[int]Mark) string {
	sum := sha256.New()
	for _, place := range slices.Sorted(maps.Keys(marks)) {
		for _, file := range marks[place].Files {
			fmt.Fprintln(sum, file.Name, file.SHA256)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// anyAgain tells whether an input may be readable another time.
func anyAgain(marks map[int]Mark) bool {
	for _, mark := range marks {
		if mark.Again {
			return true
		}
	}
	return false
}

// markedPlace returns the place of the input that a mark of that name is of.
func markedPlace(name string) (place int, ok bool) {
	base, ok := strings.CutSuffix(name, markExtension)
	place, err := strconv.Atoi(base)
	return place, ok && err == nil && baseName(place) == base
}

// whole tells whether the files are there.
func (m *Mark) whole(folder string) bool {
	for _, file := range m.Files {
		info, err := os.Stat(filepath.Join(folder, filepath.Base(file.Name)))
		if err != nil || info.Size() != file.Bytes {
			return false
		}
	}
	return len(m.Files) > 0
}

// tidy removes what an interrupted run did not finish.
func tidy(folder string, marks map[int]Mark) error {
	keep := map[string]bool{}
	for place, mark := range marks {
		keep[markName(place)] = true
		for _, file := range mark.Files {
			keep[file.Name] = true
		}
	}
	return removeFacts(folder, keep)
}

// clearFacts removes plan, marks and facts of a folder, in this order, and nothing else. It makes the folder if it is not there.
func clearFacts(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(folder, PlanFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := commit.SyncFolder(folder); err != nil {
		return err
	}
	return removeFacts(folder, nil)
}

// removeFacts removes the marks of a folder, then its facts files, and the stages of processes that were killed, but for the names to
// be kept.
func removeFacts(folder string, keep map[string]bool) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	isMark := func(name string) bool { _, ok := markedPlace(name); return ok }
	isFacts := func(name string) bool { return filepath.Ext(strings.TrimSuffix(name, ".tmp")) == Extension }
	for _, goes := range []func(string) bool{isMark, isFacts} {
		for _, e := range entries {
			if e.IsDir() || !goes(e.Name()) || keep[e.Name()] {
				continue
			}
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return commit.ClearStages(folder)
}
