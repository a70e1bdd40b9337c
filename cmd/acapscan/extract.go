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

	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
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
			return f.reported(cmd, func(r *progress.Reporter) error {
				return f.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), r)
			})
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

func (f *extractVerbFlags) run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer, tell *progress.Reporter) error {
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
		return f.stream(ctx, inputs, opts, stdout, tell)
	}
	plan := planOf(all, f.settings(all))
	plan.Shards = share.Of
	if plan.Shards > 0 && f.overwrite {
		return usageError{errors.New("--overwrite would take from other shards what they have done; choose another folder, or remove this one")}
	}
	to, err := f.open(ctx, f.output)
	if err != nil {
		return err
	}
	defer to.Close()
	return explainOutput(to, f.extract(ctx, to, inputs, plan, opts, tell))
}

// stream writes facts to standard output.
func (f *extractVerbFlags) stream(ctx context.Context, inputs []source.Input, opts extractrun.Options, stdout io.Writer, tell *progress.Reporter) error {
	dir, err := os.MkdirTemp("", "acapscan-facts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder := storage.NewFolder(dir)
	sink, err := facts.NewSink(folder)
	if err != nil {
		return err
	}
	read, err := readInputs(ctx, inputs, sink, &f.runFlags, opts, tell)
	if err != nil {
		return err
	}
	if err := streamFacts(dir, stdout); err != nil {
		return err
	}
	return f.tellRead(tell, read)
}

// extract reads the inputs into a folder of facts: all of a plan, or a share of them. Where they are a share others may
// be at work there at the same time, also on this one.
func (f *extractVerbFlags) extract(ctx context.Context, to storage.Store, inputs []source.Input, plan job.Plan, opts extractrun.Options, tell *progress.Reporter) error {
	if err := checkOverwrite(to, f.overwrite); err != nil {
		return err
	}
	mode, orElse := storage.Alone, orOverwrite(to)
	if plan.Shards > 0 {
		mode, orElse = storage.Shared, ""
	}
	release, err := hold(to, mode, tell.Note)
	if err != nil {
		return err
	}
	defer release()
	sink, err := facts.OpenSink(to, plan, job.Options{Overwrite: f.overwrite, OrElse: orElse})
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
	read, err := readInputs(ctx, inputs, sink, &f.runFlags, opts, tell)
	if err != nil {
		return err
	}
	missing, err := sink.Missing()
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		if err := sink.End(); err != nil {
			return err
		}
	}
	switch {
	case len(missing) > 0:
	case read.Kept == len(inputs):
		tell.Note("%s is finished already, nothing to do", to)
		counts := map[string]int64{"inputs": int64(read.Inputs), "input_errors": int64(read.Unreadable)}
		tell.Done(progress.Outcome{Before: true, Counts: counts}, "")
		return completeness{int64(read.Inputs), int64(read.Unreadable), f.minComplete}.status()
	case plan.Shards > 0:
		tell.Note("%s is finished: this was the last of %d shards", to, plan.Shards)
		if err := to.Close(); err != nil {
			return err
		}
		release()
		tidyShared(to)
	}
	return f.tellRead(tell, read)
}

// planOf is the plan of facts of all these inputs.
func planOf(inputs []source.Input, options map[string]string) job.Plan {
	plan := job.Plan{Program: createdBy, Options: options, Items: make([]job.Item, 0, len(inputs))}
	for _, in := range inputs {
		plan.Items = append(plan.Items, job.Item{Name: in.Name, Bytes: in.Size, Records: digestRecords(in.Records)})
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

func (f *runFlags) tellRead(tell *progress.Reporter, s extractrun.Summary) error {
	read := completeness{int64(s.Inputs), int64(s.Unreadable), f.minComplete}
	var b strings.Builder
	read.tell(&b)
	fmt.Fprintf(&b, "records      %d\nbytes        %d\n", s.Records, s.Bytes)
	counts := map[string]int64{"inputs": read.inputs, "input_errors": read.unreadable, "records": s.Records}
	tell.Done(progress.Outcome{BytesRead: s.Bytes, Counts: counts}, b.String())
	return read.status()
}
