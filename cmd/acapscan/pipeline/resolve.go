package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
)

// Resolve writes answers: the facts of other hosts that the sites of the facts lack. settings are those of parsing.
func (r *Run) Resolve(
	ctx context.Context, args []string, parsing parse.Options, settings map[string]string,
	stdin io.Reader, stdout io.Writer,
) error {
	work, removeWork, err := storage.TempFolder("resolve")
	if err != nil {
		return err
	}
	defer removeWork()
	in, err := r.openFacts(ctx, args, stdin, filepath.Join(work, "stdin"), true)
	if err != nil {
		return err
	}
	defer warnUnnamed(r.Report, "facts", in.unnamed())
	answer := func(emit func(*facts.Fact) error) error {
		return analyzerun.Resolve(ctx, in.all, filepath.Join(work, "sorted"), analyzerun.Options{
			Workers: r.Memory.workers(r.Workers, memoryOfJudge), Memory: r.Memory.sorting(),
			Survey: survey.Options{Reading: parsing},
		}, emit)
	}
	if r.Output != source.Stdin {
		to, err := r.Open(ctx, r.Output)
		if err != nil {
			return err
		}
		defer to.Close()
		return describeMissing(to, r.resolveTo(ctx, to, in, settings, answer))
	}
	out, err := arrow.NewWriter[facts.Fact](stdout, facts.StreamMetadata())
	if err != nil {
		return err
	}
	if err := answer(func(f *facts.Fact) error { return out.Write([]facts.Fact{*f}) }); err != nil {
		return err
	}
	return out.Close()
}

// resolveTo writes answers into a store that lacks them. Two processes that do so at once write the same.
func (r *Run) resolveTo(
	ctx context.Context, to storage.Store, in *factsArgs, settings map[string]string,
	answer func(emit func(*facts.Fact) error) error,
) error {
	if planned, err := job.IsPlanned(to, facts.FactsJob().Makes); err != nil {
		return err
	} else if planned || slices.Contains(in.names, to.String()) && in.answers == nil {
		return fmt.Errorf("%s holds facts; choose another folder", to)
	}
	release, err := r.lock(to, storage.Alone)
	if err != nil {
		return err
	}
	defer release()
	sink, err := facts.OpenAnswers(to, r.planOfAnswers(in.facts, settings))
	if err != nil {
		return err
	}
	if missing, err := sink.Missing(); err != nil {
		return err
	} else if len(missing) == 0 {
		r.Report.Note("%s is finished already, nothing to do", to)
		return nil
	}
	digest, err := in.facts.Digest(ctx, r.Workers)
	if err != nil {
		return err
	}
	summary, err := json.Marshal(answers{Facts: digest})
	if err != nil {
		return err
	}
	out := sink.Create(0, facts.WriterOptions{CreatedBy: r.createdBy()})
	if err := answer(out.Write); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return sink.Finish(ctx, 0, job.DoneMarker{Summary: summary}, out)
}
