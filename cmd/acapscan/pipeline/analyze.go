package pipeline

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
)

// Analyze makes tables of the facts that args name.
func (r *Run) Analyze(ctx context.Context, args []string, tables Tables, stdin io.Reader, stdout io.Writer) error {
	work, removeWork, err := storage.TempFolder("analyze")
	if err != nil {
		return err
	}
	defer removeWork()
	in, err := r.openFacts(ctx, args, stdin, filepath.Join(work, "stdin"), true)
	if err != nil {
		return err
	}
	defer warnUnnamed(r.Report, "facts", in.unnamed())
	m := r.newManifest(tables.Settings)
	if m.Options["facts"], err = in.all.Digest(ctx, r.Workers); err != nil {
		return err
	}
	var to storage.Store = storage.NewFolder(filepath.Join(work, "out"))
	if r.Output != source.Stdin {
		if to, err = r.Open(ctx, r.Output); err != nil {
			return err
		}
		defer to.Close()
		if err := checkTables(to, r.Overwrite); err != nil {
			return err
		}
		if done, err := r.finished(to, m, ""); done || err != nil {
			return err
		}
		release, err := r.lock(to, storage.Alone)
		if err != nil {
			return err
		}
		defer release()
		// An interrupted scan into the same folder may have left its facts.
		if err := storage.RemoveAll(scanFacts(to), ""); err != nil {
			return err
		}
	}
	found, err := r.makeTables(ctx, to, in.all, r.planOfTables(m, in.all), m, tables)
	if err != nil {
		return r.orFinishedElsewhere(to, err)
	}
	if r.Output == source.Stdin {
		if err := dataset.Stream(to, m, stdout); err != nil {
			return err
		}
	}
	return r.summarize(m, found, 0)
}

// AnalyzeBucket makes the part files of one bucket of sites in a store that several processes share. Complete commits
// them. parsing are the settings that Resolve had.
func (r *Run) AnalyzeBucket(
	ctx context.Context, args []string, bucket source.Shard, tables Tables, parsing map[string]string,
) error {
	if r.Output == source.Stdin || slices.Contains(args, source.Stdin) {
		return Usagef("--bucket reads and writes folders that all buckets share, not - for a stream")
	}
	if r.Overwrite {
		return Usagef("--overwrite would remove the work of other buckets; choose another folder, or remove this one")
	}
	in, err := r.openFacts(ctx, args, nil, "", false)
	if err != nil {
		return err
	}
	if in.answers == nil {
		return errNoAnswers
	}
	if why := in.answers.difference(r.planOfAnswers(in.facts, parsing, source.Shard{})); why != "" {
		return fmt.Errorf("the answers do not belong to this command: %s; run resolve again, into another folder", why)
	}
	m := r.newManifest(tables.Settings)
	m.Options["facts"] = in.answers.Facts
	to, err := r.Open(ctx, r.Output)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := dataset.Check(to); err != nil {
		return err
	}
	if have, err := tablesBefore(to, m, "choose another folder"); err != nil {
		return err
	} else if have != nil {
		r.nothingToDo(to, have.Counts)
		return nil
	}
	release, err := r.lock(to, storage.Shared)
	if err != nil {
		return err
	}
	defer release()
	plan := r.planOfTables(m, in.all)
	plan.Count = bucket.Of
	out, finished, err := dataset.Join(to, plan, bucket.Index, r.datasetOptions(tables.Format))
	if err != nil {
		return err
	}
	defer out.Abort()
	if finished {
		r.Report.Note("bucket %s of %s is finished already, nothing to do", bucket, to)
		r.Report.Done(progress.Outcome{Before: true}, "")
		return nil
	}
	work, removeWork, err := storage.TempFolder("analyze") // of this machine, even if the store is in S3
	if err != nil {
		return err
	}
	defer removeWork()
	surveying := tables.Survey
	if r.Memory > 0 && r.Memory < memoryOfBucket {
		surveying.MaxRows = survey.DefaultMaxRows
	}
	sum, err := r.analyze(surveying, func(opts analyzerun.Options) (*analyzerun.Summary, error) {
		return analyzerun.RunBucket(ctx, in.all, bucket.Index, filepath.Join(work, "sorted"), out, opts)
	})
	if err != nil {
		return describeMissing(to, err)
	}
	r.Report.Done(progress.Outcome{Counts: counts(sum)},
		fmt.Sprintf("bucket       %s\nsites        %d\n", bucket, sum.Sites))
	return nil
}
