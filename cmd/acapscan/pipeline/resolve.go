package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

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

// checkAnswers refuses to write answers where facts lie.
func checkAnswers(to storage.Store, in *factsArgs) error {
	planned, err := job.IsPlanned(to, facts.FactsJob().Makes)
	if err == nil && (planned || slices.Contains(in.names, to.String()) && in.answers == nil) {
		err = fmt.Errorf("%s holds facts; choose another folder", to)
	}
	return err
}

// resolveTo writes answers into a store that lacks them. Two processes that do so at once write the same.
func (r *Run) resolveTo(
	ctx context.Context, to storage.Store, in *factsArgs, settings map[string]string,
	answer func(emit func(*facts.Fact) error) error,
) error {
	if err := checkAnswers(to, in); err != nil {
		return err
	}
	release, err := r.lock(to, storage.Alone)
	if err != nil {
		return err
	}
	defer release()
	sink, err := facts.OpenAnswers(to, r.planOfAnswers(in.facts, settings, source.Shard{}))
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

// stepsFolder is where the steps of an array job wait until all answers are written, in the store of the answers.
const stepsFolder = storage.WorkFolder + "/steps"

// A stepSummary is what the done marker of a step says.
type stepSummary struct {
	Open int64 `json:"open"` // requests that it made
}

// ResolveBucket takes a step of the pass across hosts for one bucket of hosts, which several processes share with those
// of other buckets. Step n+1 of any bucket needs step n of all. It returns whether the step was the last: then the
// answers of the bucket are written.
func (r *Run) ResolveBucket(
	ctx context.Context, args []string, bucket source.Shard, step int, parsing parse.Options,
	settings map[string]string,
) (last bool, err error) {
	if r.Output == source.Stdin || slices.Contains(args, source.Stdin) {
		return false, Usagef("--bucket reads and writes folders that all buckets share, not - for a stream")
	}
	in, err := r.openFacts(ctx, args, nil, "", false)
	if err != nil {
		return false, err
	}
	to, err := r.Open(ctx, r.Output)
	if err != nil {
		return false, err
	}
	defer to.Close()
	if err := checkAnswers(to, in); err != nil {
		return false, err
	}
	release, err := r.lock(to, storage.Shared)
	if err != nil {
		return false, err
	}
	defer release()
	defer func() {
		if last && err == nil {
			err = leaveShared(to, release)
		}
	}()
	plan := r.planOfAnswers(in.facts, settings, bucket)
	answers, err := facts.OpenAnswers(to, plan)
	if err != nil {
		return false, err
	}
	defer func() {
		if last && err == nil {
			err = removeSteps(to, answers)
		}
	}()
	if done, err := isFinished(answers.Job, bucket.Index); done || err != nil {
		return done, err
	}
	work, removeWork, err := storage.TempFolder("resolve")
	if err != nil {
		return false, err
	}
	defer removeWork()
	s := &steps{r, to, plan, bucket, filepath.Join(work, "sorted"), analyzerun.Options{
		Workers: r.Workers, Memory: r.Memory.sorting(), Survey: survey.Options{Reading: parsing},
	}}
	last, err = s.take(ctx, step, in, answers)
	if err != nil { // the same task elsewhere may have been the last of all, which removes the steps
		if done, doneErr := isFinished(answers.Job, bucket.Index); done && doneErr == nil {
			return true, nil
		}
	}
	return last, describeMissing(to, err)
}

// isFinished reports whether an item is done.
func isFinished(j *job.Job, item int) (done bool, err error) {
	err = j.Done([]int{item}, func(int, *job.DoneMarker) bool {
		done = true
		return true
	})
	return done, err
}

// steps are the steps of the pass across hosts for one bucket.
type steps struct {
	*Run
	to     storage.Store
	plan   job.Plan // of the answers
	bucket source.Shard
	work   string
	opts   analyzerun.Options
}

// at is the folder of a step.
func (s *steps) at(step int) storage.Store {
	return storage.Sub(s.to, fmt.Sprintf("%s/%03d", stepsFolder, step))
}

func (s *steps) take(ctx context.Context, step int, in *factsArgs, answers *facts.Sink) (last bool, err error) {
	plan := s.plan
	plan.Options = maps.Clone(plan.Options)
	plan.Options["step"] = strconv.Itoa(step)
	var sent []*facts.Set
	for before := range step {
		messages, err := facts.OpenFolder(s.at(before), false)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("step %d needs step %d of all buckets", step, before)
		}
		if err != nil {
			return false, err
		}
		sent = append(sent, messages)
	}
	open := int64(0)
	if step > 0 {
		if open, err = s.open(step - 1); err != nil {
			return false, err
		}
	}
	if analyzerun.IsLastStep(step, open) {
		return true, s.write(ctx, sent, in, answers)
	}
	sink, err := facts.OpenAnswers(s.at(step), plan)
	if err != nil {
		return false, err
	}
	if done, err := isFinished(sink.Job, s.bucket.Index); done || err != nil {
		return false, err
	}
	out := sink.Create(s.bucket.Index, facts.WriterOptions{CreatedBy: s.createdBy()})
	made, err := analyzerun.ResolveStep(ctx, in.facts, s.bucket.Index, s.bucket.Of, sent, s.work, s.opts, out.Write)
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return false, err
	}
	summary, err := json.Marshal(stepSummary{made})
	if err != nil {
		return false, err
	}
	return false, sink.Finish(ctx, s.bucket.Index, job.DoneMarker{Summary: summary}, out)
}

// open returns how many requests all buckets made in a finished step.
func (s *steps) open(step int) (open int64, err error) {
	j, err := job.Open(s.at(step), facts.AnswersJob(), job.Options{})
	if err != nil {
		return 0, err
	}
	all := j.All()
	var damaged error
	read := 0
	err = j.Done(all, func(_ int, m *job.DoneMarker) bool {
		var told stepSummary
		damaged = errors.Join(damaged, json.Unmarshal(m.Summary, &told))
		open += told.Open
		read++
		return true
	})
	if err == nil && damaged == nil && read < len(all) {
		err = fmt.Errorf("%s lacks files of %d of %d parts; run again step %d of all buckets", s.at(step),
			len(all)-read, len(all), step)
	}
	return open, errors.Join(err, damaged)
}

// write writes the answers of the bucket.
func (s *steps) write(ctx context.Context, sent []*facts.Set, in *factsArgs, answers *facts.Sink) error {
	summary := []byte("{}")
	if s.bucket.Index == 0 { // one marker tells the facts
		checked, err := s.openFacts(ctx, in.args, nil, "", true)
		if err != nil {
			return err
		}
		digest, err := checked.facts.DigestOfMarkers(ctx, s.Workers)
		if err != nil {
			return err
		}
		if summary, err = json.Marshal(map[string]string{"facts": digest}); err != nil {
			return err
		}
	}
	out := answers.Create(s.bucket.Index, facts.WriterOptions{CreatedBy: s.createdBy()})
	err := analyzerun.MergeCopies(ctx, s.bucket.Index, s.bucket.Of, sent, s.work, s.opts, out.Write)
	if err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return answers.Finish(ctx, s.bucket.Index, job.DoneMarker{Summary: summary}, out)
}

// removeSteps removes the steps if the answers of all buckets are written. A task that was killed before it did so, or
// wrote a step while another was the last, leaves that to the next one.
func removeSteps(to storage.Store, answers *facts.Sink) error {
	if missing, err := answers.Missing(); err != nil || len(missing) > 0 {
		return err
	}
	return storage.RemoveAll(to, stepsFolder+"/")
}
