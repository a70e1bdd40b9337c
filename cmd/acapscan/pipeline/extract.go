package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
)

// Extract reads a share of the archives into a store of facts, or as a stream to standard output.
func (r *Run) Extract(ctx context.Context, corpus Corpus, share source.Shard, stdout io.Writer) error {
	unnamed := newUnnamedCrawls(corpus)
	corpus.Options.OnUnnamed = unnamed.add
	defer unnamed.warn(r.Report)
	inputs := share.Select(corpus.Inputs)
	if r.Output == source.Stdin {
		return r.extractStream(ctx, inputs, corpus.Options, stdout)
	}
	plan := r.planOfFacts(corpus.Inputs, corpus.Settings)
	plan.Shards = share.Of
	if plan.Shards > 0 && r.Overwrite {
		return Usagef("--overwrite would remove the work of other shards; choose another folder, or remove this one")
	}
	to, err := r.Open(ctx, r.Output)
	if err != nil {
		return err
	}
	defer to.Close()
	return describeMissing(to, r.extractTo(ctx, to, inputs, plan, corpus.Options))
}

func (r *Run) extractStream(
	ctx context.Context, inputs []source.Input, opts extractrun.Options, stdout io.Writer,
) error {
	temp, removeTemp, err := storage.TempFolder("facts")
	if err != nil {
		return err
	}
	defer removeTemp()
	dir := filepath.Join(temp, "facts")
	sink, err := facts.NewSink(storage.NewFolder(dir))
	if err != nil {
		return err
	}
	read, err := r.extract(ctx, inputs, sink, opts, 0)
	if err != nil {
		return err
	}
	if err := writeStream(dir, stdout); err != nil {
		return err
	}
	return r.summarizeInputs(read)
}

// extractTo reads all inputs of a plan, or a share of them. Other processes may read other shares at the same time, or
// this one.
func (r *Run) extractTo(
	ctx context.Context, to storage.Store, inputs []source.Input, plan job.Plan, opts extractrun.Options,
) error {
	if err := checkOverwrite(to, r.Overwrite); err != nil {
		return err
	}
	mode, orElse := storage.Alone, orOverwrite(to)
	if plan.Shards > 0 {
		mode, orElse = storage.Shared, ""
	}
	release, err := r.lock(to, mode)
	if err != nil {
		return err
	}
	defer release()
	sink, err := facts.OpenSink(to, plan, job.Options{Overwrite: r.Overwrite, OrElse: orElse})
	if err != nil {
		return err
	}
	if name := unrepeatable(inputs); name != "" {
		if missing, err := sink.Missing(); err != nil {
			return err
		} else if len(missing) == 0 {
			return errUnrepeatable(to, name)
		}
	}
	read, err := r.extract(ctx, inputs, sink, opts, 0)
	if err != nil {
		return err
	}
	missing, err := sink.Missing()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return r.summarizeInputs(read)
	}
	if err := sink.End(); err != nil {
		return err
	}
	switch {
	case read.Kept == len(inputs):
		r.nothingToDo(to, map[string]int64{"inputs": int64(read.Inputs), "input_errors": int64(read.Unreadable)})
		return completeness{int64(read.Inputs), int64(read.Unreadable), r.MinComplete}.status()
	case plan.Shards > 0:
		r.Report.Note("%s is finished: this was the last of %d shards", to, plan.Shards)
		if err := leaveShared(to, release); err != nil {
			return err
		}
	}
	return r.summarizeInputs(read)
}

// planOfFacts is the plan of the facts of all these inputs.
func (r *Run) planOfFacts(inputs []source.Input, settings map[string]string) job.Plan {
	plan := job.Plan{Program: r.createdBy(), Options: settings, Items: make([]job.Item, 0, len(inputs))}
	for _, in := range inputs {
		plan.Items = append(plan.Items, job.Item{Name: in.Name, Bytes: in.Size, Records: digestRecords(in.Records)})
	}
	return plan
}

// digestRecords distinguishes choices of records of an input; "" stands for all.
func digestRecords(records []source.Range) string {
	if records == nil {
		return ""
	}
	sum := sha256.New()
	for _, r := range records {
		fmt.Fprintln(sum, r.Offset, r.Length)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// DigestCoordinates distinguishes choices of records of all inputs; "" if every input is read as a whole.
func DigestCoordinates(inputs []source.Input) string {
	sum := sha256.New()
	found := false
	for _, in := range inputs {
		if in.Records != nil {
			found = true
			fmt.Fprintln(sum, in.Name, digestRecords(in.Records))
		}
	}
	if !found {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// writeStream writes all facts of a folder as one Arrow IPC stream.
func writeStream(folder string, stdout io.Writer) error {
	set, err := facts.Open([]string{folder})
	if err != nil {
		return err
	}
	out, err := arrow.NewWriter[facts.Fact](stdout, facts.StreamMetadata())
	if err != nil {
		return err
	}
	batch := make([]facts.Fact, 0, 256)
	err = set.Scan(func(f *facts.Fact) error {
		if batch = append(batch, *f); len(batch) < cap(batch) {
			return nil
		}
		err := out.Write(batch)
		batch = batch[:0]
		return err
	})
	if err != nil {
		return err
	}
	if err := out.Write(batch); err != nil {
		return err
	}
	return out.Close()
}

// summarizeInputs ends a run of stage 1 alone.
func (r *Run) summarizeInputs(s extractrun.Summary) error {
	read := completeness{int64(s.Inputs), int64(s.Unreadable), r.MinComplete}
	var b strings.Builder
	read.write(&b)
	fmt.Fprintf(&b, "records      %d\nbytes        %d\n", s.Records, s.Bytes)
	counts := map[string]int64{"inputs": read.inputs, "input_errors": read.unreadable, "records": s.Records}
	r.Report.Done(progress.Outcome{BytesRead: s.Bytes, Counts: counts}, b.String())
	return read.status()
}
