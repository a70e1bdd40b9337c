package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	ingestbatch "github.com/acapscan/acapscan/ingest/batch"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
)

type extractVerbFlags struct {
	runFlags
	inputFlags
	extractFlags
	remoteFlags
}

func newExtract() *cobra.Command {
	var f extractVerbFlags
	cmd := &cobra.Command{
		Use:   "extract [INPUT…] -o FACTS",
		Short: "Read archives into facts, the first stage of scan",
		Long: `Read archives into facts: every robots.txt, the directives of pages as written, and counters of everything else. It is
the first stage of scan and the long one; analyze makes tables of facts as often as you like. FACTS is a folder of
Parquet files named *.facts, of this machine or of S3 (s3://BUCKET/KEY), or - for one Arrow IPC stream on standard
output. Inputs are those of scan.

A run that was interrupted goes on when the same command is run again: only the inputs are read whose facts are missing.
The tasks of an array job each take a --shard, into one folder that they share, with the same command but for the shard;
the facts are finished when all shards are. Then resolve, and analyze --bucket.
` + exitStatusArchives,
		Example: "  acapscan extract crawl-data/ -o facts\n  acapscan extract a.warc.gz -o - | acapscan analyze - -o out",
		Args:    f.given,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dry {
				return f.dryRun(cmd, args)
			}
			return f.reported(cmd, func(r *reporter) error { return f.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), r) })
		},
	}
	f.runFlags.add(cmd.Flags(), "`FACTS` folder, s3:// too, or - for standard output; needed")
	f.inputFlags.add(cmd.Flags())
	f.inputFlags.addShard(cmd.Flags())
	f.extractFlags.add(cmd.Flags())
	f.remoteFlags.add(cmd.Flags())
	return cmd
}

func (f *extractVerbFlags) dryRun(cmd *cobra.Command, args []string) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	share, err := f.share()
	if err != nil {
		return err
	}
	inputs, err := f.list(cmd.Context(), args, cmd.InOrStdin(), &f.remoteFlags)
	if err != nil {
		return err
	}
	return f.inputFlags.dryRun(cmd.Context(), share.Select(inputs), opts, f.minComplete, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

func (f *extractVerbFlags) run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer, tell *reporter) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	share, err := f.share()
	if err != nil {
		return err
	}
	all, err := f.list(ctx, args, stdin, &f.remoteFlags)
	if err != nil {
		return err
	}
	inputs := share.Select(all)
	unnamed := newUnnamedCrawls(args, &f.inputFlags)
	opts.OnUnnamed = unnamed.add
	defer unnamed.warn(tell)
	if f.output == source.Stdin {
		folder, err := os.MkdirTemp("", "acapscan-facts-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		read, err := readInputs(ctx, inputs, folder, &f.runFlags, opts, tell)
		if err != nil {
			return err
		}
		if err := streamFacts(folder, stdout); err != nil {
			return err
		}
		return f.tellRead(tell, read)
	}
	plan := planOf(all, f.settings(all))
	plan.Shards = share.Of
	if remote.IsS3(f.output) {
		return f.runToS3(ctx, inputs, plan, opts, tell)
	}
	return f.runToFolder(ctx, inputs, plan, opts, tell)
}

// runToFolder reads the inputs into a folder of facts of this machine: all of a plan, or a share of them. Where they are a share others may
// be at work there at the same time, also on this one.
func (f *extractVerbFlags) runToFolder(ctx context.Context, inputs []source.Input, plan facts.Plan, opts ingestbatch.Options, tell *reporter) error {
	lock := storage.Alone
	if plan.Shards > 0 {
		lock = storage.Shared
		if f.overwrite {
			return usageError{errors.New("--overwrite would take from other shards what they have done; choose another folder, or remove this one")}
		}
	}
	release, err := hold(f.output, lock)
	if err != nil {
		return err
	}
	defer release()
	done, err := f.begin(inputs, plan)
	if err != nil {
		return err
	}
	if done != nil {
		return f.doneBefore(inputs, done, tell)
	}
	read, err := readInputs(ctx, inputs, f.output, &f.runFlags, opts, tell)
	if err != nil {
		return explainOutput(f.output, err)
	}
	finished, err := f.end(plan, read)
	if err != nil {
		return explainOutput(f.output, err)
	}
	if finished && plan.Shards > 0 {
		tell.note("%s is finished: this was the last of %d shards", f.output, plan.Shards)
		release()
		tidyShared(f.output)
	}
	return f.tellRead(tell, read)
}

// begin prepares the folder for the facts of a plan, or of a share of it. done is the plan of a folder where nothing is left to do.
func (f *extractVerbFlags) begin(inputs []source.Input, plan facts.Plan) (done *facts.Plan, err error) {
	if plan.Shards == 0 {
		return facts.Begin(f.output, plan, f.overwrite)
	}
	return facts.BeginShared(f.output, plan, source.Places(inputs))
}

// end says that the facts are in the folder, and tells whether those of all shares are.
func (f *extractVerbFlags) end(plan facts.Plan, read ingestbatch.Summary) (finished bool, err error) {
	if plan.Shards == 0 {
		plan.Unreadable = read.Unreadable
		return true, facts.End(f.output, plan)
	}
	return facts.EndShared(f.output, plan)
}

// doneBefore ends a run that has nothing to do.
func (f *extractVerbFlags) doneBefore(inputs []source.Input, done *facts.Plan, tell *reporter) error {
	if name := unrepeatable(inputs); name != "" {
		return errUnrepeatable(f.output, name)
	}
	tell.note("%s is finished already, nothing to do", f.output)
	tell.done(doneMessage{Before: true, Counts: map[string]int64{"inputs": int64(len(done.Inputs)), "input_errors": int64(done.Unreadable)}}, "")
	return completeness{int64(len(done.Inputs)), int64(done.Unreadable), f.minComplete}.status()
}

// runToS3 is runToFolder for facts in S3, where nothing is locked and nothing is named twice. Who has no share has the one of all.
func (f *extractVerbFlags) runToS3(ctx context.Context, inputs []source.Input, plan facts.Plan, opts ingestbatch.Options, tell *reporter) error {
	if f.overwrite {
		return usageError{errS3Overwrite}
	}
	plan.Shards = max(plan.Shards, 1)
	to, err := f.folder(ctx, f.output)
	if err != nil {
		return err
	}
	if err := probe(to, tell.note); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "acapscan-extract-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	depot, err := facts.OpenDepot(to, work)
	if err != nil {
		return err
	}
	if err := depot.Begin(plan); err != nil {
		return errors.Join(err, depot.Close())
	}
	read, err := readInputsTo(ctx, inputs, depot, &f.runFlags, opts, tell)
	if err != nil {
		return err
	}
	finished, err := depot.End()
	switch {
	case err != nil:
		return err
	case finished && read.Kept == len(inputs):
		tell.note("%s is finished already, nothing to do", to)
	case finished:
		tell.note("%s is finished: this was the last of %d shards", to, plan.Shards)
	}
	return f.tellRead(tell, read)
}

// planOf is the plan of facts of all these inputs.
func planOf(inputs []source.Input, options map[string]string) facts.Plan {
	plan := facts.Plan{Program: createdBy, Options: options, Inputs: make([]facts.PlannedInput, 0, len(inputs))}
	for _, in := range inputs {
		plan.Inputs = append(plan.Inputs, facts.PlannedInput{Name: in.Name, Bytes: in.Size, Records: digestRecords(in.Records)})
	}
	return plan
}

// digestRecords tells one choice of records from another; "" stands for all.
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

// streamFacts writes all facts of a folder as one Arrow IPC stream.
func streamFacts(folder string, stdout io.Writer) error {
	store, err := facts.OpenStore([]string{folder})
	if err != nil {
		return err
	}
	out, err := arrow.NewWriter[facts.Fact](stdout, facts.StreamMetadata())
	if err != nil {
		return err
	}
	batch := make([]facts.Fact, 0, 256)
	err = store.Scan(func(f *facts.Fact) error {
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

func (f *runFlags) tellRead(tell *reporter, s ingestbatch.Summary) error {
	read := completeness{int64(s.Inputs), int64(s.Unreadable), f.minComplete}
	var b strings.Builder
	read.tell(&b)
	fmt.Fprintf(&b, "records      %d\nbytes        %d\n", s.Records, s.Bytes)
	counts := map[string]int64{"inputs": read.inputs, "input_errors": read.unreadable, "records": s.Records}
	tell.done(doneMessage{BytesRead: s.Bytes, Counts: counts}, b.String())
	return read.status()
}
