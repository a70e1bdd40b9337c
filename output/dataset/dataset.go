// Package dataset is the folder of the seven tables: part files are staged while a run goes on and get their names all at once
// when it ends, so that nobody ever reads half a run. It knows rows, not policies, and leaves what stands beside the tables to
// package manifest.
package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/output/commit"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// WorkFolder holds what a run has not finished. It lies in the output folder, so that a rename takes a file out of it, and no
// name in it ends in .parquet or .arrow.
const WorkFolder = commit.WorkFolder

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
	dir  string
	opts Options

	mu      sync.Mutex
	staged  map[string]manifest.Output // by path of the finished file
	crawls  []string                   // seen, for the tables that stay empty
	subsets map[string]string          // one subset of each crawl
}

// Create begins a run in a folder, which it makes. Remains of a run that was interrupted are removed; a finished run stays as it is
// until Commit.
func Create(dir string, opts Options) (*Writer, error) {
	if opts.Format == "" {
		opts.Format = table.Parquet
	}
	w := &Writer{dir: dir, opts: opts, staged: map[string]manifest.Output{}, subsets: map[string]string{}}
	if err := os.RemoveAll(w.workFolder()); err != nil {
		return nil, fmt.Errorf("cannot clear the remains of an earlier run: %w", err)
	}
	if err := os.MkdirAll(w.workFolder(), 0o755); err != nil {
		return nil, fmt.Errorf("cannot write to the output folder: %w", err)
	}
	return w, nil
}

func (w *Writer) workFolder() string { return filepath.Join(w.dir, WorkFolder, "tables") }

// Add stages the rows of one part of a table's partition. The rows must be in the table's order. It is an error if the partition has
// a part of that number. No rows, no file.
func Add[T any](w *Writer, name table.Name, crawl, subset string, part int, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return stage(w, name, crawl, subset, part, rows)
}

func stage[T any](w *Writer, name table.Name, crawl, subset string, part int, rows []T) error {
	d, ok := table.Lookup(name)
	if !ok {
		return fmt.Errorf("there is no table %q", name)
	}
	final := path.Join(d.Folder(crawl, subset), table.PartName(part, w.opts.Format))
	if !w.claim(final) {
		return fmt.Errorf("there is a %s already", final) // rows would be lost
	}
	file := w.stagedPath(final)
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
	w.staged[final] = info
	if d.PerSubset {
		if have, ok := w.subsets[crawl]; !ok || subset < have {
			w.subsets[crawl] = subset
		}
	}
	if !slices.Contains(w.crawls, crawl) {
		w.crawls = append(w.crawls, crawl)
	}
	return nil
}

// claim takes the path of a part file. It returns false where another part has it.
func (w *Writer) claim(final string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, taken := w.staged[final]; taken {
		return false
	}
	w.staged[final] = manifest.Output{}
	return true
}

func (w *Writer) stagedPath(final string) string {
	return filepath.Join(w.workFolder(), filepath.FromSlash(final)+stagedSuffix)
}

// Commit gives all part files their names, removes those of an earlier run, and has the manifest written, _SUCCESS last. A table
// without rows gets a file without rows, so that every reader finds every table. Killed at any moment, the folder has either no
// _SUCCESS, and the run is repeated, or all of it.
func (w *Writer) Commit(m *manifest.Manifest) error {
	if err := w.fillEmptyTables(); err != nil {
		return err
	}
	if err := manifest.Invalidate(w.dir); err != nil {
		return err
	}
	for _, d := range table.All() {
		if err := os.RemoveAll(filepath.Join(w.dir, string(d.Name))); err != nil {
			return err
		}
	}
	finals := make([]string, 0, len(w.staged))
	for final := range w.staged {
		finals = append(finals, final)
	}
	slices.Sort(finals)
	for _, final := range finals {
		to := filepath.Join(w.dir, filepath.FromSlash(final))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(w.stagedPath(final), to); err != nil {
			return err
		}
		m.Outputs = append(m.Outputs, w.staged[final])
	}
	// From _SUCCESS on nobody comes to clear anything.
	if err := w.clear(); err != nil {
		return err
	}
	return manifest.Write(w.dir, m)
}

// Abort removes what was staged. After Commit it does nothing that matters.
func (w *Writer) Abort() error { return w.clear() }

func (w *Writer) clear() error {
	if err := os.RemoveAll(w.workFolder()); err != nil {
		return err
	}
	// The work folder may hold the facts of the run as well; then it is not ours to remove.
	if err := os.Remove(filepath.Join(w.dir, WorkFolder)); err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotEmpty(err) {
		return err
	}
	return nil
}

func isNotEmpty(err error) bool {
	var pathErr *fs.PathError
	return errors.As(err, &pathErr) && strings.Contains(pathErr.Err.Error(), "not empty")
}

// fillEmptyTables stages a file without rows for each table that has none.
func (w *Writer) fillEmptyTables() error {
	crawl, subset := table.LocalCrawl, table.LocalSubset
	if len(w.crawls) > 0 {
		crawl = slices.Min(w.crawls)
		if have, ok := w.subsets[crawl]; ok {
			subset = have
		}
	}
	for _, d := range table.All() {
		if w.has(d.Name) {
			continue
		}
		if err := rowsOf[d.Name].stageNone(w, d.Name, crawl, subset); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) has(name table.Name) bool {
	for final := range w.staged {
		if strings.HasPrefix(final, string(name)+"/") {
			return true
		}
	}
	return false
}
