package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// A Plan is what the part files of a run are made of, in how many buckets. Part p of a partition is of bucket p modulo Buckets.
type Plan struct {
	Program string            `json:"program"`
	Options map[string]string `json:"options"` // all that changes the tables, what they are made of among them
	Buckets int               `json:"buckets"`
	// Shared tells that each bucket is the work of a process of its own, and that another one commits them.
	Shared  bool      `json:"shared,omitempty"`
	Started time.Time `json:"started"` // does not tell one plan from another
}

// Names in the folder of what is staged.
const (
	planFile      = "_plan.json"
	committedFile = "_commit"
	markExtension = ".done"
)

// A mark says that all part files of a bucket are staged. It is written after the last of them.
type mark struct {
	Outputs []manifest.Output `json:"outputs"`
	Summary json.RawMessage   `json:"summary"` // of who made them
}

// difference tells why two plans do not give the same part files; "" where they do.
func (p *Plan) difference(q *Plan) string {
	switch {
	case p.Program != q.Program:
		return fmt.Sprintf("they are by %s, this is %s", p.Program, q.Program)
	case p.Shared != q.Shared && p.Shared:
		return "they are those of an array job"
	case p.Shared != q.Shared:
		return "they are those of an interrupted run of one process"
	case !maps.Equal(p.Options, q.Options):
		return "other options, " + strings.Join(storage.ChangedOptions(p.Options, q.Options), ", ")
	case p.Buckets != q.Buckets:
		return fmt.Sprintf("they are of %d buckets, and this is of %d", p.Buckets, q.Buckets)
	}
	return ""
}

// Resume begins a run in a folder, or goes on with the buckets that an interrupted run of the same plan finished. What else a run left
// that was interrupted is removed. No other process may be at work in the folder.
func Resume(dir string, plan Plan, opts Options) (*Writer, error) {
	if err := storage.ClearStages(dir); err != nil {
		return nil, fmt.Errorf("cannot clear the remains of an earlier run: %w", err)
	}
	have, err := ReadPlan(dir)
	goesOn := err == nil && have.difference(&plan) == ""
	if !goesOn {
		if err := os.RemoveAll(workFolder(dir)); err != nil {
			return nil, fmt.Errorf("cannot clear the remains of an earlier run: %w", err)
		}
	}
	w, err := newWriter(dir, plan, opts)
	if err != nil {
		return nil, err
	}
	if plan.Buckets > 0 && !goesOn {
		if err := w.begin(); err != nil {
			return nil, errors.Join(err, w.Abort())
		}
	}
	if goesOn {
		if err := w.readMarks(); err != nil {
			return nil, errors.Join(err, w.Abort())
		}
	}
	return w, nil
}

// Join begins with one bucket of a plan that several processes share. Nothing of what others do is removed. It tells whether the bucket
// is finished already.
func Join(dir string, plan Plan, bucket int, opts Options) (w *Writer, finished bool, err error) {
	plan.Shared = true
	w, err = newWriter(dir, plan, opts)
	if err != nil {
		return nil, false, err
	}
	return w.joined(bucket)
}

// JoinTo is Join for tables in a store. What is not finished of a part file lies below work, a folder of this machine.
func JoinTo(store storage.Store, work string, plan Plan, bucket int, opts Options) (w *Writer, finished bool, err error) {
	plan.Shared = true
	w, err = newStored(store, work, plan, opts)
	if err != nil {
		return nil, false, err
	}
	return w.joined(bucket)
}

func (w *Writer) joined(bucket int) (_ *Writer, finished bool, err error) {
	if err := w.join(bucket); err != nil {
		return nil, false, errors.Join(err, w.Abort())
	}
	_, finished = w.Finished(bucket)
	return w, finished, nil
}

// join writes the plan, or compares it with the one that is there, and reads the mark of a bucket.
func (w *Writer) join(bucket int) error {
	have, err := w.at.plan()
	if errors.Is(err, fs.ErrNotExist) {
		if err := w.begin(); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		have, err = w.at.plan() // another process may have been first
	}
	if err != nil {
		return err
	}
	if why := have.difference(&w.plan); why != "" {
		return fmt.Errorf("%s holds buckets of other tables: %s; choose another folder", w.at, why)
	}
	return w.readMark(bucket)
}

// OpenShared opens the buckets that processes of an array job have finished, to commit them. The error wraps fs.ErrNotExist where there
// are none. No other process may be at work in the folder.
func OpenShared(dir string, opts Options) (*Writer, error) {
	plan, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	if !plan.Shared {
		return nil, fmt.Errorf("%s holds what an interrupted run left; run the same command again", dir)
	}
	if err := storage.ClearStages(dir); err != nil {
		return nil, err
	}
	w, err := newWriter(dir, *plan, opts)
	if err != nil {
		return nil, err
	}
	return w.opened()
}

// OpenSharedIn is OpenShared for tables in a store, where others may be at work; work is as for JoinTo.
func OpenSharedIn(store storage.Store, work string, opts Options) (*Writer, error) {
	plan, err := ReadPlanIn(store)
	if err != nil {
		return nil, err
	}
	w, err := newStored(store, work, *plan, opts)
	if err != nil {
		return nil, err
	}
	return w.opened()
}

func (w *Writer) opened() (*Writer, error) {
	if err := w.readMarks(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// ReadPlan reads the plan of a folder that is not finished. The error wraps fs.ErrNotExist where there is none.
func ReadPlan(dir string) (*Plan, error) {
	return storage.ReadPlan[Plan](filepath.Join(workFolder(dir), planFile))
}

// ReadPlanIn is ReadPlan for tables in a store.
func ReadPlanIn(store storage.Store) (*Plan, error) {
	return storage.ReadPlanOf[Plan](store, waitingName(planFile))
}

// Plan returns what the part files are made of.
func (w *Writer) Plan() Plan { return w.plan }

// begin writes the plan. The error is fs.ErrExist where there is one.
func (w *Writer) begin() error {
	text, err := storage.EncodePlan(w.plan)
	if err != nil {
		return err
	}
	return w.at.begin(text)
}

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
	for i := range w.plan.Buckets {
		if _, ok := w.Finished(i); !ok {
			missing = append(missing, i)
		}
	}
	return missing
}

// Finish says that all parts of a bucket have been added: from now on they outlast the process. Killed at whatever moment, or done by
// several processes at a time, the outcome is the same. A run without a plan keeps nothing.
func (w *Writer) Finish(bucket int, summary any) error {
	if w.plan.Buckets == 0 {
		return nil
	}
	told, err := json.Marshal(summary)
	if err != nil {
		return err
	}
	m := mark{Summary: told}
	w.mu.Lock()
	finals := slices.Sorted(slices.Values(w.buckets[bucket]))
	for _, final := range finals {
		part := w.staged[final]
		part.placed = true
		w.staged[final] = part
		m.Outputs = append(m.Outputs, part.Output)
	}
	w.mu.Unlock()
	if err := w.at.put(finals); err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := w.at.mark(markName(bucket), append(text, '\n')); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished[bucket] = told
	return nil
}

func markName(bucket int) string { return fmt.Sprintf("%05d%s", bucket, markExtension) }

func (w *Writer) readMarks() error { return parallel.EachNumber(w.plan.Buckets, w.readMark) }

// readMark reads the mark of a bucket, if there is one whose files are there as they were written. Where the commit had begun, some
// have their final names.
func (w *Writer) readMark(bucket int) error {
	text, err := w.at.read(markName(bucket))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m := mark{}
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	for _, out := range m.Outputs {
		if _, ok := out.Table(); !ok || !w.at.holds(out.Path, out.Bytes) {
			return nil
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, out := range m.Outputs {
		w.keep(part{Output: out, number: bucket, placed: true})
	}
	w.finished[bucket] = m.Summary
	return nil
}
