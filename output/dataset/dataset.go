// Package dataset is the folder of the eight tables, in a store: part files are staged while a run goes on and get
// their names all at once when it ends, so that no reader ever sees half a run. It knows rows, not policies, and leaves
// what stands next to the tables to package manifest.
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
	"time"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// WorkFolder is where part files wait for the commit, with the plan of the run and the done markers of its buckets. No
// name in it ends in .parquet or .arrow.
const WorkFolder = storage.WorkFolder + "/tables"

const (
	stagedSuffix = ".staged"
	// committedName tells that the tables of an earlier run are removed: part files that lie in their folders are of
	// this one.
	committedName = "_commit"
)

// Options say how part files are written.
type Options struct {
	Format    table.Format      // of all files; Parquet where it is empty
	Metadata  map[string]string // footer key/values of every file
	CreatedBy string            // program and version, in Parquet

	rowGroupRows int // in Parquet; 0: as many as package parquet takes. Tests take fewer
}

// A Writer collects the part files of one run. Add may be called by several goroutines; which calls come first does not
// show.
type Writer struct {
	store      storage.Store
	job        *job.Job // nil: if the run is interrupted, nothing of it is kept
	opts       Options
	stage      string // for part files in the making
	committing bool   // by an earlier process: part files have begun to get their names

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

// kind is the job of the second stage: buckets of hosts to part files. Part p of a partition is of bucket p modulo the
// number of buckets.
func kind() job.Kind {
	return job.Kind{
		Makes: "tables", Item: "bucket", Again: "run the same command again", Tasks: "run again analyze --bucket",
		Suffix: stagedSuffix, Owns: func(_, _ int, name string) bool {
			_, ok := manifest.Output{Path: name}.Table()
			return ok
		}, IsFile: func(name string) bool { return strings.HasSuffix(name, stagedSuffix) || name == committedName },
	}
}

// Create begins a run that keeps nothing if it is interrupted. Remains of another run are removed; a finished run stays
// as it is until Commit. No other process may be at work in the store, which stays the caller's to close.
func Create(store storage.Store, opts Options) (*Writer, error) {
	if err := Clear(store); err != nil {
		return nil, err
	}
	return newWriter(store, opts)
}

// Resume begins a run, or goes on with the buckets that an interrupted run of the same plan finished. What a run of
// another plan left is removed. No other process may be at work in the store.
func Resume(store storage.Store, plan job.Plan, opts Options) (*Writer, error) {
	return begin(store, plan, job.Options{Replace: true}, opts)
}

// Join begins with one bucket of a plan that several processes share. Nothing of what others do is removed. It tells
// whether the bucket is finished already.
func Join(store storage.Store, plan job.Plan, bucket int, opts Options) (w *Writer, finished bool, err error) {
	plan.Shards = plan.Count
	w, err = begin(store, plan, job.Options{}, opts, bucket)
	if err != nil {
		return nil, false, err
	}
	_, finished = w.Finished(bucket)
	return w, finished, nil
}

// OpenShared opens the buckets that tasks of an array job have finished, to commit them. The error wraps fs.ErrNotExist
// where there are none.
func OpenShared(store storage.Store, opts Options) (*Writer, error) {
	return open(store, opts, func(w *Writer, at storage.Store) (*job.Job, error) {
		j, err := job.Open(at, kind(), job.Options{Name: store.String(), Moved: w.moved})
		if err == nil && j.Plan.Shards == 0 {
			err = fmt.Errorf("%s holds what an interrupted run left; run the same command again", store)
		}
		return j, err
	})
}

func begin(store storage.Store, plan job.Plan, how job.Options, opts Options, buckets ...int) (*Writer, error) {
	return open(store, opts, func(w *Writer, at storage.Store) (*job.Job, error) {
		how.Name, how.Moved = store.String(), w.moved
		return job.Begin(at, kind(), plan, how)
	}, buckets...)
}

// open makes a Writer, with the done markers of some buckets, or of all.
func open(store storage.Store, opts Options, start func(*Writer, storage.Store) (*job.Job, error),
	buckets ...int) (*Writer, error) {
	w, err := newWriter(store, opts)
	if err != nil {
		return nil, err
	}
	if w.committing, err = storage.Exists(store, WorkFolder+"/"+committedName); err == nil {
		w.job, err = start(w, storage.Sub(store, WorkFolder))
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(w.stage))
	}
	if len(buckets) == 0 {
		buckets = w.job.All()
	}
	err = w.job.Done(buckets, func(i int, m *job.DoneMarker) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, f := range m.Files {
			out := manifest.Output{Path: f.Name, Rows: f.Rows, Bytes: f.Bytes, SHA256: f.SHA256}
			w.keep(part{Output: out, number: buckets[i], placed: true})
		}
		w.finished[buckets[i]] = m.Summary
		return true
	})
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

func newWriter(store storage.Store, opts Options) (*Writer, error) {
	if opts.Format == "" {
		opts.Format = table.Parquet
	}
	dir, err := store.Stage()
	if err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp(dir, "tables-")
	if err != nil {
		return nil, err
	}
	return &Writer{
		store: store, opts: opts, stage: stage, staged: map[string]part{}, buckets: map[int][]string{},
		finished: map[int]json.RawMessage{},
	}, os.Chmod(stage, 0o755)
}

// moved reports whether a part file has its final name already.
func (w *Writer) moved(f job.File) bool {
	if !w.committing {
		return false
	}
	info, err := w.store.Stat(f.Name)
	return err == nil && info.Size == f.Bytes
}

// Plan returns what the part files are made of; of a run that keeps nothing it is empty.
func (w *Writer) Plan() job.Plan {
	if w.job == nil {
		return job.Plan{}
	}
	return w.job.Plan
}

// Began returns when the first process began, by the clock of the store: the plan was written then.
func (w *Writer) Began() (time.Time, error) {
	plan, err := w.store.Stat(WorkFolder + "/" + job.PlanFile)
	return plan.Modified, err
}

// Add stages the rows of one part of a table's partition. The rows must be in the table's order. It is an error if the
// partition has a part of that number. No rows, no file.
func Add[T any](w *Writer, name table.Name, crawl, subset string, part int, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	d, ok := table.Lookup(name)
	if !ok {
		return fmt.Errorf("there is no table %q", name)
	}
	return stage(w, name, d.Folder(crawl, subset), part, func(out partWriter[T]) error { return out.Write(rows) })
}

// AddColumns is Add for rows by column, in any order.
func AddColumns[T any](w *Writer, name table.Name, crawl, subset string, part int, rows *columns.Rows[T]) error {
	if rows.Len() == 0 {
		return nil
	}
	d, ok := table.Lookup(name)
	if !ok {
		return fmt.Errorf("there is no table %q", name)
	}
	order, err := rows.OrderBy(d.Order())
	if err != nil {
		return err
	}
	return stage(w, name, d.Folder(crawl, subset), part, func(out partWriter[T]) error {
		return out.WriteColumns(rows, order.Sorted())
	})
}

func stage[T any](w *Writer, name table.Name, folder string, number int, write func(partWriter[T]) error) error {
	final := path.Join(folder, table.PartName(number, w.opts.Format))
	if !w.claim(final, number) {
		return fmt.Errorf("there is a %s already", final) // rows would be lost
	}
	file := w.stagedPath(final)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	info, err := writePart(file, name, w.opts, write)
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
	if w.job != nil {
		bucket := p.number % w.job.Plan.Count
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

// stagedPath is where a part file is made.
func (w *Writer) stagedPath(final string) string {
	return filepath.Join(w.stage, filepath.FromSlash(final)+stagedSuffix)
}

// waitingName is the name of a part file that waits for the commit.
func waitingName(final string) string { return WorkFolder + "/" + final + stagedSuffix }

// Finished returns the summary of a bucket whose part files are all there.
func (w *Writer) Finished(bucket int) (summary json.RawMessage, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	summary, ok = w.finished[bucket]
	return summary, ok
}

// Missing lists the buckets that are not finished.
func (w *Writer) Missing() []int {
	var missing []int
	for i := range w.Plan().Count {
		if _, ok := w.Finished(i); !ok {
			missing = append(missing, i)
		}
	}
	return missing
}

// CheckFinished makes a sentence of the buckets that are missing.
func (w *Writer) CheckFinished() error { return w.job.Lacks(w.Missing()) }

// Finish says that all parts of a bucket have been added: from now on they outlast the process, see package job. A run
// without a plan keeps nothing.
func (w *Writer) Finish(bucket int, summary any) error {
	if w.job == nil {
		return nil
	}
	told, err := json.Marshal(summary)
	if err != nil {
		return err
	}
	m := job.DoneMarker{Summary: told}
	w.mu.Lock()
	finals := slices.Sorted(slices.Values(w.buckets[bucket]))
	for _, final := range finals {
		p := w.staged[final]
		p.placed = true
		w.staged[final] = p
		m.Files = append(m.Files, job.File{Name: final, Rows: p.Rows, Bytes: p.Bytes, SHA256: p.SHA256})
	}
	w.mu.Unlock()
	if err := w.job.Finish(bucket, m, func(f job.File) string { return w.stagedPath(f.Name) }); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished[bucket] = told
	return nil
}

// Commit gives all part files their names, removes those of an earlier run, and has the manifest written, _SUCCESS
// last. A table without rows gets a file without rows, so that every reader finds every table. Killed at any moment,
// the store has either no _SUCCESS, and the run goes on from there, or all of it.
func (w *Writer) Commit(m *manifest.Manifest) error {
	if err := w.fillEmptyTables(); err != nil {
		return err
	}
	finals := slices.Sorted(maps.Keys(w.staged))
	var entries []storage.Entry
	for _, final := range finals {
		m.Outputs = append(m.Outputs, w.staged[final].Output)
		if !w.staged[final].placed {
			entries = append(entries, storage.Entry{Name: waitingName(final), Path: w.stagedPath(final)})
		}
	}
	if err := w.store.Put(entries...); err != nil {
		return err
	}
	if err := w.clearTables(m.Outputs); err != nil {
		return err
	}
	waiting := map[string]bool{}
	err := w.store.List(WorkFolder+"/", func(name string, _ int64) error {
		waiting[name] = true
		return nil
	})
	if err != nil {
		return err
	}
	var moves []storage.Move
	for _, final := range finals {
		if name := waitingName(final); waiting[name] || !w.committing { // else it was moved before a kill
			moves = append(moves, storage.Move{From: name, To: final})
		}
	}
	if err := w.store.Move(moves...); err != nil {
		return err
	}
	if err := manifest.Write(w.store, m); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(w.stage), Clear(w.store))
}

// clearTables sees to it that only this run's files are in the tables' folders. Those of an earlier run are removed,
// where no other process can be at work; elsewhere they are an error. It notes that it was here: files which are there
// from now on are of this run.
func (w *Writer) clearTables(outputs []manifest.Output) error {
	if !w.store.Local() {
		return manifest.CheckForeign(w.store, outputs)
	}
	if err := manifest.Invalidate(w.store); err != nil || w.committing {
		return err
	}
	for _, d := range table.All() {
		if err := storage.RemoveAll(w.store, string(d.Name)+"/"); err != nil {
			return err
		}
	}
	return storage.Write(w.store, WorkFolder+"/"+committedName, nil)
}

// Abort removes what is not finished. After Commit it does nothing that matters.
func (w *Writer) Abort() error {
	err := os.RemoveAll(w.stage)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Plan().Shards > 0 || len(w.finished) > 0 {
		return err
	}
	return errors.Join(err, Clear(w.store))
}

// Clear removes what waits for a commit: of a run that is finished, or will not be. Where the store locks, no other
// process may be at work there.
func Clear(store storage.Store) error { return storage.RemoveAll(store, WorkFolder+"/") }

// ReadPlan reads the plan of a run that is not finished. The error wraps fs.ErrNotExist where there is none.
func ReadPlan(store storage.Store) (*job.Plan, error) {
	return job.ReadPlan(storage.Sub(store, WorkFolder))
}

// Check reports files that lie where tables go, or what stands next to them, and that no run of this program made:
// Commit would replace them.
func Check(store storage.Store) error {
	if locked, err := storage.Exists(store, storage.LockFile); locked || err != nil {
		return err
	}
	ours, theirs := false, ""
	names := append(manifest.Names(), manifest.SuccessName, manifest.FileName, storage.WorkFolder)
	err := manifest.EachBelow(store, names, func(name string, _ int64) error {
		switch at, _, _ := strings.Cut(name, "/"); at {
		case manifest.SuccessName, manifest.FileName, storage.WorkFolder:
			ours = true
		default:
			theirs = at
		}
		return nil
	})
	if err != nil || ours || theirs == "" {
		return err
	}
	return fmt.Errorf("%s holds %s, which no run of this program made and which this one would replace; choose "+
		"another folder", store, theirs)
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
