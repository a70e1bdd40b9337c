package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

type analyzeFlags struct {
	runFlags
	surveyFlags
	s3Flags
	formatFlag
	bucket string
}

func newAnalyze() *cobra.Command {
	var f analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze FACTS… -o DIR",
		Short: "Make the seven tables of facts, the second stage of scan",
		Long: `Make the seven tables of facts: decide permissions, find conflicts, classify adoption. FACTS is a folder that extract
made, a facts file, or - for an Arrow IPC stream on standard input. DIR is a folder, or - for seven Arrow IPC streams on
standard output, one after another, each named in its schema metadata.

The tasks of an array job each make a --bucket of the sites, into one folder that they share, with the same command but
for the bucket; FACTS are then two folders, that of extract and that of resolve. A finished bucket is not made again.
Nothing is there to be read before complete has been run, once all buckets are finished.
` + exitStatusArchives,
		Example: "  acapscan analyze facts -o out\n  acapscan extract a.warc.gz -o - | acapscan analyze - -o - >tables.arrows",
		Args:    atLeast(1, "a folder of facts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.reported(cmd, func(r *progress.Reporter) error {
				return f.run(cmd.Context(), args, cmd.Flags(), cmd.InOrStdin(), cmd.OutOrStdout(), r)
			})
		},
	}
	f.runFlags.add(cmd.Flags(), "output folder `DIR`, s3:// too, or - for standard output; needed")
	f.surveyFlags.add(cmd.Flags())
	f.formatFlag.add(cmd.Flags())
	f.s3Flags.add(cmd.Flags())
	cmd.Flags().StringVar(&f.bucket, "bucket", "", "make bucket `I/N` of the sites only, from 0/N on; you choose N")
	return cmd
}

func (f *analyzeFlags) run(ctx context.Context, args []string, flags *pflag.FlagSet, stdin io.Reader, stdout io.Writer, tell *progress.Reporter) error {
	surveying, err := f.options()
	if err != nil {
		return err
	}
	format, err := f.chosen()
	if err != nil {
		return err
	}
	if f.output == source.Stdin && f.format != "" {
		return usageError{errors.New("--format is for folders; -o - writes Arrow IPC streams")}
	}
	if f.bucket != "" {
		return f.runBucket(ctx, args, flags, surveying, format, tell)
	}
	work, err := os.MkdirTemp("", "acapscan-analyze-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	asked, err := f.readFacts(ctx, args, stdin, filepath.Join(work, "stdin"), true)
	if err != nil {
		return err
	}
	defer warnUnnamed(tell.Note, "facts", asked.unnamedFacts())
	m := newManifest(f.named(surveying))
	m.Options["format"] = string(format)
	if m.Options["facts"], err = asked.all.Digest(ctx, f.workers); err != nil {
		return err
	}
	var to storage.Store = storage.NewFolder(filepath.Join(work, "out"))
	if f.output != source.Stdin {
		if to, err = f.open(ctx, f.output); err != nil {
			return err
		}
		defer to.Close()
		if err := checkTables(to, f.overwrite); err != nil {
			return err
		}
		if done, err := finished(to, m, "", &f.runFlags, tell); done || err != nil {
			return err
		}
		release, err := hold(to, storage.Alone, tell.Note)
		if err != nil {
			return err
		}
		defer release()
		// An interrupted scan into the same folder may have left its facts.
		if err := storage.RemoveAll(scanFacts(to), ""); err != nil {
			return err
		}
	}
	found, err := f.analyze(ctx, to, asked.all, m, surveying, format, tell)
	if finishedElsewhere(to, err) {
		tell.Note("%s was finished by another process just now", to)
		return nil
	}
	if err != nil {
		return err
	}
	if f.output == source.Stdin {
		if err := dataset.Stream(to, m, stdout); err != nil {
			return err
		}
	}
	return summarize(tell, m, found, 0, f.minComplete)
}

// analyze makes the tables of facts.
func (f *analyzeFlags) analyze(ctx context.Context, to storage.Store, set *facts.Set, m *manifest.Manifest, surveying survey.Options, format table.Format, tell *progress.Reporter) (*analyzerun.Summary, error) {
	out, err := dataset.Resume(to, planOfTables(m, set), datasetOptions(format))
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	sorted, err := sortedFolder(to)
	if err != nil {
		return nil, err
	}
	found, err := judgeFacts(ctx, set, sorted, out, &f.runFlags, surveying, tell)
	if err != nil {
		return nil, err
	}
	return found, commitRun(out, m, found)
}
