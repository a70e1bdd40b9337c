package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/console"
)

// inputFlags say which inputs are read, beside the arguments.
type inputFlags struct {
	paths, records []string
	base           string
	limit          int
	shard          string
	dry            bool
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	f.addListing(flags)
	flags.BoolVar(&f.dry, "dry-run", false, "read no archive: print bytes, crawl, subset and name of each input; -: not known")
}

// addListing adds the flags that name inputs.
func (f *inputFlags) addListing(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.paths, "paths", nil, "read the inputs that `FILE` lists, a path a line, gzip or not; a URL, or - for standard input; repeatable")
	flags.StringArrayVar(&f.records, "records", nil, "read single records: `FILE` is CSV or Parquet with warc_filename, warc_record_offset and warc_record_length; repeatable")
	flags.StringVar(&f.base, "base-url", "", "where paths of --paths and --records begin: `BASE` is https://data.commoncrawl.org/, s3://commoncrawl/ or a folder")
	flags.IntVar(&f.limit, "limit", 0, "take the first `N` inputs only; 0: all")
}

// addShard adds the share of an array job. It belongs to extract alone: tables speak of sites, and a share of the
// inputs holds a share of what is known of a site.
func (f *inputFlags) addShard(flags *pflag.FlagSet) {
	flags.StringVar(&f.shard, "shard", "", "read the share `I/N` of the inputs, from 0/N on: every N-th one. All shards share one folder")
}

// given is a cobra.PositionalArgs: inputs are arguments, or listed.
func (f *inputFlags) given(_ *cobra.Command, args []string) error {
	if len(args)+len(f.paths)+len(f.records) == 0 {
		return usageError{fmt.Errorf("an input is missing: a file, a folder, a URL, --paths or --records")}
	}
	return nil
}

// share returns the share of the list that is read.
func (f *inputFlags) share() (source.Shard, error) {
	if f.shard == "" {
		return source.Shard{}, nil
	}
	share, err := source.ParseShard(f.shard)
	if err != nil {
		return share, usageError{fmt.Errorf("--shard %w", err)}
	}
	return share, nil
}

// list returns the inputs, those of other shares too. Those on other machines are asked for as far says.
func (f *inputFlags) list(ctx context.Context, args []string, stdin io.Reader, far *remoteFlags) ([]source.Input, error) {
	client, err := far.client()
	if err != nil {
		return nil, err
	}
	if f.limit < 0 {
		return nil, usageError{fmt.Errorf("--limit %d is negative", f.limit)}
	}
	if f.base != "" && len(f.paths)+len(f.records) == 0 {
		return nil, usageError{fmt.Errorf("--base-url is where paths of --paths and --records begin, and there are none")}
	}
	return source.List(ctx, source.Request{
		Args: args, Paths: f.paths, Records: f.records, Base: f.base, Limit: f.limit, Stdin: stdin, Remote: client,
	})
}

// maxAsked is how many inputs on other machines a dry run asks the size of: servers want few requests a second.
const maxAsked = 100

// dryRun prints what would be read, and sums it up on stderr. What it knows to be missing counts as it would in the
// run.
func (f *inputFlags) dryRun(ctx context.Context, inputs []source.Input, opts extractrun.Options, minComplete float64, stdout, stderr io.Writer) error {
	out := bufio.NewWriter(stdout)
	var total, records int64
	unknown, missing, asked := 0, 0, 0
	for _, in := range inputs {
		size, err := in.Size, in.Fault()
		if err == nil && size < 0 && !in.IsStream() && asked < maxAsked {
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
	return completeness{int64(len(inputs)), int64(missing), minComplete}.status()
}

// known writes a size.
func known(size int64) string {
	if size < 0 {
		return "-"
	}
	return strconv.FormatInt(size, 10)
}

// digestCoordinates tells one choice of records from another, over all inputs; "" where all are read as a whole.
func digestCoordinates(inputs []source.Input) string {
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
