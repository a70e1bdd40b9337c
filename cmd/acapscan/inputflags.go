package main

import (
	"bufio"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/console"
)

// inputFlags name the inputs that are no arguments.
type inputFlags struct {
	paths, records []string
	base           string
	limit          int
	shard          string
	dry            bool
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	f.addListing(flags)
	flags.BoolVar(&f.dry, "dry-run", false,
		"read no archive; print bytes, crawl, subset and name of each input (-: unknown)")
}

// addListing adds the flags that name inputs.
func (f *inputFlags) addListing(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.paths, "paths", nil,
		"read the inputs listed in `FILE`, a path a line, gzip or not; a URL, or - for standard input; repeatable")
	flags.StringArrayVar(&f.records, "records", nil,
		"read the records in `FILE`, CSV or Parquet: warc_filename, warc_record_offset, warc_record_length; repeatable")
	flags.StringVar(&f.base, "base-url", "",
		"`BASE` of the paths in --paths and --records: https://data.commoncrawl.org/, s3://commoncrawl/ or a folder")
	flags.IntVar(&f.limit, "limit", 0, "read the first `N` inputs only; 0: all")
}

// addShard adds the share of an array job, for extract only: tables are about sites, and a share of the inputs has a
// share of the captures of a site.
func (f *inputFlags) addShard(flags *pflag.FlagSet) {
	flags.StringVar(&f.shard, "shard", "",
		"read share `I/N` of the inputs only, 0/N to N-1/N: every N-th one; all shards share one folder")
}

// given is a cobra.PositionalArgs: inputs are arguments, or listed.
func (f *inputFlags) given(_ *cobra.Command, args []string) error {
	if len(args)+len(f.paths)+len(f.records) == 0 {
		return pipeline.Usagef("an input is missing: a file, a folder, a URL, --paths or --records")
	}
	return nil
}

// share returns the share of the inputs.
func (f *inputFlags) share() (source.Shard, error) {
	if f.shard == "" {
		return source.Shard{}, nil
	}
	share, err := source.ParseShard(f.shard)
	if err != nil {
		return share, pipeline.Usagef("--shard %w", err)
	}
	return share, nil
}

// list returns the inputs of all shares.
func (f *inputFlags) list(
	cmd *cobra.Command, args []string, far *remoteFlags, notify func(sentence string),
) ([]source.Input, error) {
	client, err := far.client(notify)
	if err != nil {
		return nil, err
	}
	if err := checkScheme(args); err != nil {
		return nil, err
	}
	if f.limit < 0 {
		return nil, pipeline.Usagef("--limit %d is negative", f.limit)
	}
	if f.base != "" && len(f.paths)+len(f.records) == 0 {
		return nil, pipeline.Usagef("--base-url is where paths of --paths and --records begin, and there are none")
	}
	return source.List(cmd.Context(), source.Request{
		Args: args, Paths: f.paths, Records: f.records, Base: f.base, Limit: f.limit, Stdin: cmd.InOrStdin(),
		Remote: client,
	})
}

// maxStats bounds the inputs on other machines whose size a dry run requests, because servers limit requests.
const maxStats = 100

// dryRun prints the inputs, and sums them up on standard error. Missing inputs count as they would in the run.
func (f *inputFlags) dryRun(
	cmd *cobra.Command, args []string, facts *extractFlags, far *remoteFlags, minComplete float64,
) error {
	opts, err := facts.options()
	if err != nil {
		return err
	}
	share, err := f.share()
	if err != nil {
		return err
	}
	inputs, err := f.list(cmd, args, far, noteTo(cmd))
	if err != nil {
		return err
	}
	inputs = share.Select(inputs)
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	out := bufio.NewWriter(cmd.OutOrStdout())
	var total, records int64
	unknown, missing, asked := 0, 0, 0
	for _, in := range inputs {
		size, err := in.Size, in.Fault()
		if err == nil && size < 0 && !in.IsStream() && asked < maxStats {
			asked++
			size, err = in.Stat(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err != nil {
			missing++
			if err := console.Say(stderr, fmt.Sprintf("%s: %v", in.Name, err)); err != nil {
				return err
			}
			size = -1
		} else if size < 0 {
			unknown++
		}
		total += max(size, 0)
		records += int64(len(in.Records))
		crawl, subset := opts.OriginOf(in.Name)
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", known(size), cmp.Or(crawl, "-"), subset, in.Name)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "inputs       %d, of which %d cannot be read\n", len(inputs), missing)
	if records > 0 {
		fmt.Fprintf(&b, "records      %d by their coordinates\n", records)
	}
	fmt.Fprintf(&b, "bytes        %d", total)
	if unknown > 0 {
		fmt.Fprintf(&b, ", and those of %d inputs whose size is not known before", unknown)
	}
	if _, err := fmt.Fprintln(stderr, b.String()); err != nil {
		return err
	}
	return pipeline.CheckComplete(int64(len(inputs)), int64(missing), minComplete)
}

// known writes a size.
func known(size int64) string {
	if size < 0 {
		return "-"
	}
	return strconv.FormatInt(size, 10)
}
