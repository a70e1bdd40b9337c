// Package dataset is the folder of the seven tables: part files are staged while a run goes on and get their names all at once
// when it ends, so that nobody ever reads half a run. It knows rows, not policies, and leaves what stands beside the tables to
// package manifest.
package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// WorkFolder holds what a run has not finished. It lies in the output folder, so that a rename takes a file out of it, and no
// name in it ends in .parquet or .arrow.
const WorkFolder = storage.WorkFolder

const stagedSuffix = ".staged"

// Options say how part files are written.
type Options struct {
	Format    table.Format      // of all files; Parquet where it is empty
	Metadata  map[string]string // footer key/values of every file
	CreatedBy string            // program and version, in Parquet

	rowGroupRows int // in Parquet; 0: as many as package parquet takes. Tests take fewer
}

// A Writer collects the part files of one run. Add may be called by several goroutines; which calls come first does not show.
type Writer struct {
	dir   string // of this machine: the output folder, or one for the stage
	plan  Plan
	opts  Options
	stage *storage.Stage
	at    place

	mu       sync.Mutex
	staged   map[string]part         // by path of the finished file
	buckets  map[int][]string        // paths of those that are written, by bucket
	finished map[int]json.RawMessage // summaries, by bucket
}

// A part is a part file that has not its final name yet.
type part struct {
	manifest.Output
	number int  // that its name tells
	placed bool // it waits for the commit; else it lies on the stage of this process
}

// Create begins a run without a plan in a folder, which it makes: if it is interrupted, nothing of it is kept. Remains of another run
// that was interrupted are removed; a finished run stays as it is until Commit.
func Create(dir string, opts Options) (*Writer, error) { return Resume(dir, Plan{}, opts) }

func newWriter(dir string, plan Plan, opts Options) (*Writer, error) {
	if opts.Format == "" {
		opts.Format = table.Parquet
	}
	s, err := storage.NewStage(dir)
	if err != nil {
		return nil, err
	}
	return &Writer{
		dir: dir, plan: plan, opts: opts, stage: s, at: &folder{dir: dir, stage: s},
		staged: map[string]part{}, buckets: map[int][]string{}, finished: map[int]json.RawMessage{},
	}, nil
}

// workFolder is where part files wait for the commit.
func workFolder(dir string) string { return filepath.Join(dir, WorkFolder, "tables") }

// Add stages the rows of one part of a table's partition. The rows must be in the table's order. It is an error if the partition has
// a part of that number. No rows, no file.
func Add[T any](w *Writer, name table.Name, crawl, subset string, part int, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	d, ok := table.Lookup(name)
	if !ok {
		return fmt.Errorf("there is no table %q", name)
	}
	return stage(w, name, d.Folder(crawl, subset), part, rows)
}

func stage[T any](w *Writer, name table.Name, folder string, number int, rows []T) error {
	final := path.Join(folder, table.PartName(number, w.opts.Format))
	if !w.claim(final, number) {
		return fmt.Errorf("there is a %s already", final) // rows would be lost
	}
	file := w.stage.Path(stagedName(final))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	info, err := writePart(file, name, rows, w.opts)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	info.Path = final
	w.keep(part{Output: info, number: number})
	return nil
}

// keep notes a part file that is written. The caller holds the lock.
func (w *Writer) keep(p part) {
	w.staged[p.Path] = p
	if w.plan.Buckets > 0 {
		bucket := p.number % w.plan.Buckets
		w.buckets[bucket] = append(w.buckets[bucket], p.Path)
	}
}

// claim takes the path of a part file. It returns false where another part has it.
func (w *Writer) claim(final string, number int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, taken := w.staged[final]; taken {
		return false
	}
	w.staged[final] = part{number: number}
	return true
}

func stagedName(final string) string { return "tables/" + final + stagedSuffix }

// Commit gives all part files their names, removes those of an earlier run, and has the manifest written, _SUCCESS last. A table
// without rows gets a file without rows, so that every reader finds every table. Killed at any moment, the folder has either no
// _SUCCESS, and the run goes on from there, or all of it.
func (w *Writer) Commit(m *manifest.Manifest) error {
	if err := w.fillEmptyTables(); err != nil {
		return err
	}
	finals := slices.Sorted(maps.Keys(w.staged))
	waiting := slices.DeleteFunc(slices.Clone(finals), func(final string) bool { return w.staged[final].placed })
	if err := w.at.put(waiting); err != nil {
		return err
	}
	for _, final := range finals {
		m.Outputs = append(m.Outputs, w.staged[final].Output)
	}
	if err := w.at.commit(m, finals, w.staged); err != nil {
		return err
	}
	return errors.Join(w.stage.Close(), w.at.clear())
}

// Abort removes what is not finished. After Commit it does nothing that matters.
func (w *Writer) Abort() error {
	err := w.stage.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan.Shared || len(w.finished) > 0 {
		return err
	}
	return errors.Join(err, Clear(w.dir))
}

// Clear removes what waits for a commit in a folder: of a run that is finished, or will not be. No other process may be at work there.
func Clear(dir string) error {
	if err := os.RemoveAll(workFolder(dir)); err != nil {
		return err
	}
	return storage.RemoveEmpty(filepath.Join(dir, WorkFolder)) // it may hold the facts of the run as well
}

// fillEmptyTables stages a file without rows for each table that has none, in the first partition that there is.
func (w *Writer) fillEmptyTables() error {
	crawl, subset := "crawl="+table.LocalCrawl, "subset="+table.LocalSubset
	for i, final := range slices.SortedFunc(maps.Keys(w.staged), byPartition) {
		at := strings.Split(final, "/")
		if i == 0 {
			crawl = at[1]
		}
		if at[1] == crawl && len(at) > 3 {
			subset = at[2]
			break
		}
	}
	for _, d := range table.All() {
		if w.has(d.Name) {
			continue
		}
		folder := path.Join(string(d.Name), crawl)
		if d.PerSubset {
			folder = path.Join(folder, subset)
		}
		if err := rowsOf[d.Name].stageNone(w, d.Name, folder); err != nil {
			return err
		}
	}
	return nil
}

// byPartition orders the paths of part files by crawl and subset, whatever the table.
func byPartition(a, b string) int {
	_, a, _ = strings.Cut(a, "/")
	_, b, _ = strings.Cut(b, "/")
	return strings.Compare(a, b)
}

func (w *Writer) has(name table.Name) bool {
	for final := range w.staged {
		if strings.HasPrefix(final, string(name)+"/") {
			return true
		}
	}
	return false
}
