package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
)

type resolveFlags struct {
	readingFlags
	s3Flags
	resourceFlags
	output string
}

// newResolve is the verb resolve: the pass between the stages by itself, for array jobs and cmd/acapscan-spark, where
// analyze sees a part of the sites only.
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
	asked, err := f.readFacts(ctx, args, stdin, filepath.Join(work, "stdin"), true)
	if err != nil {
		return err
	}
	note := progress.New("resolve", progress.None, stderr).Note
	defer warnUnnamed(note, "facts", asked.unnamedFacts())
	sorted := filepath.Join(work, "sorted")
	if f.output != source.Stdin {
		to, err := f.open(ctx, f.output)
		if err != nil {
			return err
		}
		defer to.Close()
		return explainOutput(to, f.resolveTo(ctx, to, asked, sorted, note))
	}
	out, err := arrow.NewWriter[facts.Fact](stdout, facts.StreamMetadata())
	if err != nil {
		return err
	}
	if err := f.answer(ctx, asked.all, sorted, func(answer *facts.Fact) error { return out.Write([]facts.Fact{*answer}) }); err != nil {
		return err
	}
	return out.Close()
}

// resolveTo writes the answers of facts into a store, unless they are there. Two processes that do so at once write the
// same.
func (f *resolveFlags) resolveTo(ctx context.Context, to storage.Store, asked *factsArgs, sorted string, note func(format string, args ...any)) error {
	if planned, err := job.IsPlanned(to, facts.FactsJob().Makes); err != nil {
		return err
	} else if planned || slices.Contains(asked.places, to.String()) && asked.answers == nil {
		return fmt.Errorf("%s holds facts; choose another folder", to)
	}
	release, err := hold(to, storage.Alone, note)
	if err != nil {
		return err
	}
	defer release()
	sink, err := facts.OpenAnswers(to, answersPlan(asked.facts, &f.readingFlags))
	if err != nil {
		return err
	}
	if missing, err := sink.Missing(); err != nil {
		return err
	} else if len(missing) == 0 {
		note("%s is finished already, nothing to do", to)
		return nil
	}
	digest, err := asked.facts.Digest(ctx, f.workers)
	if err != nil {
		return err
	}
	summary, err := json.Marshal(answers{Facts: digest})
	if err != nil {
		return err
	}
	out := sink.Create(0, facts.WriterOptions{CreatedBy: createdBy})
	if err := f.answer(ctx, asked.all, sorted, out.Write); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return sink.Finish(0, out, job.DoneMarker{Summary: summary})
}

// answer gives the answers of facts, sorting them in a folder that it makes.
func (f *resolveFlags) answer(ctx context.Context, set *facts.Set, sorted string, emit func(*facts.Fact) error) error {
	opts := analyzerun.Options{
		Workers: f.memory.workers(f.workers, memoryOfJudge), Memory: f.memory.sorting(), Survey: survey.Options{Reading: f.reading()},
	}
	return analyzerun.Resolve(ctx, set, sorted, opts, emit)
}
