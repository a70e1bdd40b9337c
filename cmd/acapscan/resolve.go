package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	analyzebatch "github.com/acapscan/acapscan/analyze/batch"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/output/arrow"
)

type resolveFlags struct {
	readingFlags
	s3Flags
	resourceFlags
	output string
}

// newResolve is the verb resolve: the pass between the stages by itself, for array jobs and cmd/acapscan-spark, where analyze sees a
// part of the sites only.
func newResolve() *cobra.Command {
	var f resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve FACTS… -o ANSWERS",
		Short: "Write what the robots.txt of one host leads to at another, for an array job",
		Long: `Write the facts that analyze lacks where it is given a part of the sites: for each site whose robots.txt leads to another
host, a copy of what the corpus holds there. ANSWERS is a folder, which analyze --bucket is given beside FACTS, or - for
an Arrow IPC stream on standard output. FACTS and ANSWERS may be in S3. Facts of robots.txt and of policy files are enough; others are passed over.
Analyze makes nothing else of answers that come twice.
` + exitStatusText,
		Example: "  acapscan resolve facts -o answers",
		Args:    atLeast(1, "a folder of facts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.resourceFlags.check(); err != nil {
				return err
			}
			defer f.memory.enforce()()
			return f.resolve(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", source.Stdin, "`ANSWERS` folder, s3:// too, or - for standard output")
	f.addReading(cmd.Flags())
	f.resourceFlags.add(cmd.Flags())
	f.s3Flags.add(cmd.Flags())
	return cmd
}

func (f *resolveFlags) resolve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	work, err := os.MkdirTemp("", "acapscan-resolve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	asked, err := f.ask(ctx, args, stdin, filepath.Join(work, "stdin"), true)
	if err != nil {
		return err
	}
	note := newReporter("resolve", progressNone, stderr).note
	switch {
	case remote.IsS3(f.output):
		return f.resolveToS3(ctx, asked, work, note)
	case f.output != source.Stdin:
		return f.resolveInto(ctx, asked, work, note)
	}
	out, err := arrow.NewWriter[facts.Fact](stdout, facts.StreamMetadata())
	if err != nil {
		return err
	}
	if err := f.answer(ctx, asked.store, work, func(answer *facts.Fact) error { return out.Write([]facts.Fact{*answer}) }); err != nil {
		return err
	}
	return out.Close()
}

// answer gives the answers of a store, sorting its facts in a folder for work.
func (f *resolveFlags) answer(ctx context.Context, store *facts.Store, work string, emit func(*facts.Fact) error) error {
	opts := analyzebatch.Options{
		Workers: f.memory.workers(f.workers, memoryOfJudge), Memory: f.memory.sorting(), Survey: survey.Options{Reading: f.reading()},
	}
	return analyzebatch.Resolve(ctx, store, filepath.Join(work, "sorted"), opts, emit)
}
