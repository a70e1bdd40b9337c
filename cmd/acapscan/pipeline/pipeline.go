// Package pipeline runs the stages for the verbs that work through a corpus: it opens stores, refuses what another
// command left there, continues interrupted runs, and writes manifests and summaries. It knows no flags.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// A UsageError is a mistake in the command line.
type UsageError struct{ error }

// Unwrap returns the mistake.
func (e UsageError) Unwrap() error { return e.error }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// ErrIncomplete ends a run of which the output is written, but fewer inputs were readable than MinComplete.
var ErrIncomplete = errors.New("fewer inputs were readable than --min-complete")

// A Run is one verb at work. It may run once.
type Run struct {
	Stores
	Program     manifest.Program
	Output      string // a folder, s3://BUCKET/KEY, or - for standard output
	Overwrite   bool
	MinComplete float64 // share of the inputs, from 0 to 1
	Workers     int     // 0: all cores
	Memory      Memory
	Report      *progress.Reporter
}

// Note reports a sentence that is no failure.
func (r *Run) Note(sentence string) { r.Report.Note("%s", sentence) }

// A Corpus is the inputs of a run.
type Corpus struct {
	Inputs   []source.Input
	Args     []string // files and folders as given
	Listings []string // files that list others
	Options  extractrun.Options
	Settings map[string]string // options that change the facts, for plans and the manifest
}

// Tables say what stage 2 writes.
type Tables struct {
	Survey   survey.Options
	Format   table.Format
	Settings map[string]string // options that change the tables, for plans and the manifest
}

// createdBy names the program in the footers of its files. It has no commit: equal versions write equal bytes.
func (r *Run) createdBy() string { return "acapscan version " + r.Program.Version }

// madeBy names the build: the tables of two builds may differ.
func (r *Run) madeBy() string { return fmt.Sprintf("%s (%s)", r.createdBy(), r.Program.Commit) }

// newManifest begins the manifest of a run.
func (r *Run) newManifest(settings ...map[string]string) *manifest.Manifest {
	host, _ := os.Hostname()
	m := &manifest.Manifest{
		Program: r.Program, Options: map[string]string{}, RulesVersion: strconv.Itoa(survey.RulesVersion),
		PublicSuffixVersion: weburl.PublicSuffixVersion(), Started: time.Now(), Host: host,
	}
	for _, s := range settings {
		maps.Copy(m.Options, s)
	}
	return m
}

// planOfTables is the plan of the tables of some facts.
func (r *Run) planOfTables(m *manifest.Manifest, set *facts.Set) job.Plan {
	return job.Plan{
		Program: r.madeBy(), Options: maps.Clone(m.Options), Count: analyzerun.CountBuckets(set.Rows()),
	}
}

func (r *Run) datasetOptions(format table.Format) dataset.Options {
	return dataset.Options{Format: format, CreatedBy: r.createdBy(), Metadata: map[string]string{
		"acapscan.schema": strconv.Itoa(table.SchemaVersion), "acapscan.rules": strconv.Itoa(survey.RulesVersion),
		"acapscan.version": r.Program.Version,
	}}
}

// extract runs stage 1. analyzers is the number of workers of the stage after it, 0 if there is none.
func (r *Run) extract(
	ctx context.Context, inputs []source.Input, to *facts.Sink, opts extractrun.Options, analyzers int,
) (extractrun.Summary, error) {
	opts.Progress = r.Report.Extract(inputs, analyzers)
	opts.OnFailure = func(input string, err error) {
		if errors.Is(err, remote.ErrNotRequested) {
			r.Report.InputNotRequested(input, err)
		} else {
			r.Report.InputFailed(input, err)
		}
	}
	defer r.Report.Leave()
	opts.Workers = r.Memory.workers(r.Workers, memoryOfReader)
	return extractrun.RunTo(ctx, inputs, to, opts)
}

// analyzers is the number of workers of stage 2.
func (r *Run) analyzers() int { return r.Memory.workers(r.Workers, memoryOfJudge) }

// analyze runs stage 2: do makes the tables of all buckets or of one.
func (r *Run) analyze(
	opts survey.Options, do func(analyzerun.Options) (*analyzerun.Summary, error),
) (*analyzerun.Summary, error) {
	counts := r.Report.Analyze()
	defer r.Report.Leave()
	defer collect(largePercent)()
	return do(analyzerun.Options{
		Workers: r.analyzers(), Memory: r.Memory.sorting(), Survey: opts, Progress: counts,
	})
}

// makeTables makes the tables of facts, and commits them.
func (r *Run) makeTables(
	ctx context.Context, to storage.Store, set *facts.Set, plan job.Plan, m *manifest.Manifest, tables Tables,
) (*analyzerun.Summary, error) {
	out, err := dataset.Resume(to, plan, r.datasetOptions(tables.Format))
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	sorted, err := sortedFolder(to)
	if err != nil {
		return nil, err
	}
	found, err := r.analyze(tables.Survey, func(opts analyzerun.Options) (*analyzerun.Summary, error) {
		return analyzerun.Run(ctx, set, sorted, out, opts)
	})
	if err != nil {
		return nil, err
	}
	fillManifest(m, found)
	return found, out.Commit(m)
}

// finished reports whether the output folder holds what the run would make. Tables of another command are an error
// unless they may be overwritten; so are those of an input that cannot be compared, if one is named.
func (r *Run) finished(to storage.Store, next *manifest.Manifest, incomparable string) (bool, error) {
	if r.Overwrite {
		return false, nil
	}
	have, err := tablesBefore(to, next, "choose another folder"+orOverwrite(to))
	if have == nil || err != nil {
		return false, err
	}
	if incomparable != "" {
		return false, errUnrepeatable(to, incomparable)
	}
	dropWork(to)
	r.nothingToDo(to, have.Counts)
	return true, r.completenessOf(have).status()
}

// nothingToDo reports a folder that the same command finished before.
func (r *Run) nothingToDo(to storage.Store, counts map[string]int64) {
	r.Report.Note("%s is finished already, nothing to do", to)
	r.Report.Done(progress.Outcome{Before: true, Counts: counts}, "")
}

// orFinishedElsewhere returns the error of a run, unless it failed because another process finished the tables at the
// same time, and removed the files that were to be committed. Then the tables decide the result, as those of this run.
func (r *Run) orFinishedElsewhere(to storage.Store, err error) error {
	if to.Local() || !isNotExist(err) {
		return err
	}
	have, unfinished := manifest.Read(to)
	if unfinished != nil {
		return err
	}
	r.Report.Note("%s was finished by another process just now", to)
	return r.completenessOf(have).status()
}

// tablesBefore returns the manifest of finished tables in a store, nil if there are none. Tables of another command are
// an error, which gives the advice. If next lists no inputs they are not compared: facts have a digest.
func tablesBefore(to storage.Store, next *manifest.Manifest, advice string) (*manifest.Manifest, error) {
	have, err := manifest.Read(to)
	if errors.Is(err, manifest.ErrNotComplete) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	planned := *next
	if planned.Inputs == nil {
		planned.Inputs = have.Inputs
	}
	if why := have.Difference(&planned); why != "" {
		return nil, fmt.Errorf("%s holds the tables of another run; %s (%s)", to, advice, strings.TrimSuffix(why, "."))
	}
	return have, nil
}

// unrepeatable returns the name of an input, such as standard input, that may have other content each time; "" if there
// is none.
func unrepeatable(inputs []source.Input) string {
	for _, in := range inputs {
		if in.IsStream() {
			return in.Name
		}
	}
	return ""
}

// errUnrepeatable is the error for a finished folder that may or may not be what the run would make.
func errUnrepeatable(store storage.Store, input string) error {
	return fmt.Errorf("%s is finished, but whether from the present content of %s shows only when it is read; "+
		"choose another folder%s", store, input, orOverwrite(store))
}
