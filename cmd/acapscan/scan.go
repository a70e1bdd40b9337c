package main

import (
	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/source"
)

type scanFlags struct {
	runFlags
	inputFlags
	extractFlags
	remoteFlags
	surveyFlags
	formatFlag
}

func newScan() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [INPUT…] -o DIR",
		Short: "Read archives and write the eight tables",
		Long: `Read archives and write the eight tables: extract and analyze in one. An input is a WARC or ARC file,
compressed or not, a folder of them, a pattern such as 'crawl/**/*.warc.gz', a URL (https:// or s3://), or - for
standard input. --paths and --records list others. DIR, a folder or s3://BUCKET/KEY, gets a folder a table, a manifest,
and _SUCCESS last.

Run the same command again to continue an interrupted run; on a finished folder it has nothing to do. Another command
needs another folder, or --overwrite.
` + exitStatusArchives,
		Example: "  acapscan scan crawl-data/ -o out\n" +
			"  acapscan scan --agents @common --pages acap a.warc.gz b.arc.gz -o out",
		Args: f.given,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dry {
				return f.dryRun(cmd, args, &f.extractFlags, &f.remoteFlags, f.MinComplete)
			}
			return f.reported(cmd, &f.s3Flags, func() error { return f.run(cmd, args) })
		},
	}
	f.runFlags.add(cmd.Flags(), "output `DIR`: a folder or s3://BUCKET/KEY; required")
	f.inputFlags.add(cmd.Flags())
	f.extractFlags.add(cmd.Flags())
	f.remoteFlags.add(cmd.Flags())
	f.addGiveUp(cmd.Flags())
	f.surveyFlags.add(cmd.Flags())
	f.formatFlag.add(cmd.Flags())
	return cmd
}

func (f *scanFlags) run(cmd *cobra.Command, args []string) error {
	if f.Output == source.Stdin {
		return pipeline.Usagef("scan writes a folder; " +
			"'acapscan extract INPUT -o - | acapscan analyze - -o -' writes to standard output")
	}
	tables, err := f.tables(&f.formatFlag)
	if err != nil {
		return err
	}
	corpus, err := f.corpus(cmd, args, &f.inputFlags, &f.remoteFlags, f.Note)
	if err != nil {
		return err
	}
	corpus.Options.Extract.PageBodies = tables.Survey.Reading.Without.Has(policy.RuleNotRobots)
	return f.Scan(cmd.Context(), corpus, tables)
}
