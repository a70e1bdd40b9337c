package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// runBucket makes the part files of one bucket of sites. They wait in the output folder, which other processes share,
// for complete.
func (f *analyzeFlags) runBucket(ctx context.Context, args []string, flags *pflag.FlagSet, surveying survey.Options, format table.Format, tell *progress.Reporter) error {
	bucket, err := source.ParseShard(f.bucket)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("--bucket %w", err)}
	case f.output == source.Stdin || slices.Contains(args, source.Stdin):
		return usageError{errors.New("--bucket reads and writes folders that all buckets share, not - for a stream")}
	case f.overwrite:
		return usageError{errors.New("--overwrite would take from other buckets what they have done; choose another folder, or remove this one")}
	case flags.Changed("min-complete"):
		return usageError{errors.New("--min-complete is for all inputs; a bucket of sites knows nothing of them")}
	}
	asked, err := f.readFacts(ctx, args, nil, "", false)
	if err != nil {
		return err
	}
	if asked.answers == nil {
		return errNoAnswers
	}
	if why := asked.answers.difference(answersPlan(asked.facts, &f.readingFlags)); why != "" {
		return fmt.Errorf("the answers do not belong to this command: %s; run resolve again, into another folder", why)
	}
	m := newManifest(f.named(surveying))
	m.Options["format"], m.Options["facts"] = string(format), asked.answers.Facts
	to, err := f.open(ctx, f.output)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := dataset.Check(to); err != nil {
		return err
	}
	if done, err := bucketsCompleted(to, m, tell); done || err != nil {
		return err
	}
	release, err := hold(to, storage.Shared, tell.Note)
	if err != nil {
		return err
	}
	defer release()
	plan := planOfTables(m, asked.all)
	plan.Count = bucket.Of
	out, finished, err := dataset.Join(to, plan, bucket.Index, datasetOptions(format))
	if err != nil {
		return err
	}
	defer out.Abort()
	if finished {
		tell.Note("bucket %s of %s is finished already, nothing to do", bucket, to)
		tell.Done(progress.Outcome{Before: true}, "")
		return nil
	}
	work, err := os.MkdirTemp("", "acapscan-analyze-") // of this machine, whatever the folder is
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	sum, err := judge(&f.runFlags, surveying, tell, func(opts analyzerun.Options) (*analyzerun.Summary, error) {
		return analyzerun.RunBucket(ctx, asked.all, bucket.Index, filepath.Join(work, "sorted"), out, opts)
	})
	if err != nil {
		return explainOutput(to, err)
	}
	tell.Done(progress.Outcome{Counts: counts(sum)}, fmt.Sprintf("bucket       %s\nsites        %d\n", bucket, sum.Sites))
	return nil
}

// bucketsCompleted tells whether the folder holds finished tables of just this command. Those of another are an error.
func bucketsCompleted(to storage.Store, next *manifest.Manifest, tell *progress.Reporter) (bool, error) {
	have, err := tablesBefore(to, next, "choose another folder")
	if have == nil || err != nil {
		return false, err
	}
	tell.Note("%s is finished already, nothing to do", to)
	tell.Done(progress.Outcome{Before: true, Counts: have.Counts}, "")
	return true, nil
}

// completeBuckets makes tables of the buckets that the tasks of an array job have finished.
func (f *completeFlags) completeBuckets(at storage.Store, flags *pflag.FlagSet, started *time.Time, tell *progress.Reporter) error {
	changed := ""
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "started" && !strings.HasPrefix(flag.Name, "s3-") {
			changed = flag.Name
		}
	})
	if changed != "" {
		return usageError{fmt.Errorf("--%s is for tables that other programs wrote; the buckets in %s know how they were made", changed, at)}
	}
	release, err := hold(at, storage.Alone, tell.Note)
	if err != nil {
		return err
	}
	defer release()
	plan, err := dataset.ReadPlan(at)
	if err != nil {
		return err
	}
	m := newManifest(plan.Options)
	if program := programOfTables(); plan.Program != program {
		return fmt.Errorf("the buckets in %s were made by %s, and this is %s", at, plan.Program, program)
	}
	out, err := dataset.OpenShared(at, datasetOptions(table.Format(plan.Options["format"])))
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := out.CheckFinished(); err != nil {
		return err
	}
	if started != nil {
		m.Started = *started
	} else if m.Started, err = out.Began(); err != nil {
		return err
	}
	found, err := analyzerun.SumUp(out)
	if err != nil {
		return err
	}
	if err := commitRun(out, m, found); err != nil {
		if !finishedElsewhere(at, err) {
			return err
		}
		tell.Note("%s was finished by another process just now", at)
		return nil
	}
	return summarizeCompleted(m, found, tell)
}

// summarizeCompleted says what is in the tables. Of inputs that could not be read the manifest tells, and not the exit
// status.
func summarizeCompleted(m *manifest.Manifest, found *analyzerun.Summary, tell *progress.Reporter) error {
	var status statusError
	if err := summarize(tell, m, found, 0, 1); err != nil && !errors.As(err, &status) {
		return err
	}
	return nil
}
