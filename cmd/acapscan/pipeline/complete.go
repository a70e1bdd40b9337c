package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// A Completion is what Complete knows of the runs that wrote the files.
type Completion struct {
	Started    time.Time // zero: unknown
	Inputs     int       // how many there were; -1: unknown
	Settings   map[string]string
	TablesFlag string // a flag that describes tables of other programs; "" if the user gave none
}

// Complete commits the tables of finished buckets, or describes tables that other programs wrote. The error is
// ErrIncomplete if fewer inputs were readable than MinComplete.
func (r *Run) Complete(ctx context.Context, dir string, c Completion) error {
	to, err := r.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer to.Close()
	// Programs that write tables themselves remove _SUCCESS first.
	have, err := manifest.Read(to)
	if err == nil {
		dropWork(to)
		r.nothingToDo(to, have.Counts)
		return r.completenessOf(have).status()
	}
	if !errors.Is(err, manifest.ErrNotComplete) {
		return err
	}
	if _, err := dataset.ReadPlan(to); !errors.Is(err, fs.ErrNotExist) {
		if c.TablesFlag != "" {
			return Usagef("--%s is for tables that other programs wrote; the buckets in %s have the options of their "+
				"runs", c.TablesFlag, to)
		}
		return r.completeBuckets(to, c.Started)
	}
	m := r.newManifest(c.Settings)
	if !c.Started.IsZero() {
		m.Started = c.Started
	}
	var found *analyzerun.Summary
	if found, m.Outputs, err = analyzerun.SumUpTables(ctx, to); err != nil {
		return err
	}
	if len(m.Outputs) == 0 {
		return fmt.Errorf("%s holds neither tables nor buckets that analyze --bucket made", to)
	}
	if c.Inputs >= 0 && found.Inputs != int64(c.Inputs) {
		return fmt.Errorf("the tables in %s have %d inputs, and the list has %d", to, found.Inputs, c.Inputs)
	}
	fillManifest(m, found)
	if err := manifest.Write(to, m); err != nil {
		return err
	}
	return r.summarize(m, found, 0)
}

// completeBuckets commits the buckets that the tasks of an array job have finished.
func (r *Run) completeBuckets(to storage.Store, started time.Time) error {
	release, err := r.lock(to, storage.Alone)
	if err != nil {
		return err
	}
	defer release()
	plan, err := dataset.ReadPlan(to)
	if err != nil {
		return err
	}
	m := r.newManifest(plan.Options)
	if plan.Program != r.madeBy() {
		return fmt.Errorf("the buckets in %s were made by %s, and this is %s", to, plan.Program, r.madeBy())
	}
	out, err := dataset.OpenShared(to, r.datasetOptions(table.Format(plan.Options["format"])))
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := out.CheckFinished(); err != nil {
		return err
	}
	if m.Started = started; started.IsZero() {
		if m.Started, err = out.Began(); err != nil {
			return err
		}
	}
	found, err := analyzerun.SumUp(out)
	if err != nil {
		return err
	}
	fillManifest(m, found)
	if err := out.Commit(m); err != nil {
		return r.orFinishedElsewhere(to, err)
	}
	// The Spark job keeps its facts there.
	if err := storage.RemoveAll(to, storage.WorkFolder+"/"); err != nil {
		return err
	}
	return r.summarize(m, found, 0)
}
