package main

import (
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/console"
)

type analyzeFlags struct {
	runFlags
	surveyFlags
	s3Flags
	formatFlag
	bucket string
}

func newAnalyze() *cobra.Command {
	var f analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze FACTS… -o DIR",
		Short: "Turn facts into the eight tables, stage 2 of scan",
		Long: `Turn facts into the eight tables: decide permissions, find conflicts, classify adoption. FACTS is a
folder or s3://BUCKET/KEY that extract wrote, a facts file, or - for an Arrow IPC stream on standard input. DIR is a
folder or s3://BUCKET/KEY, or - for eight Arrow IPC streams on standard output, each named in its schema metadata.

The tasks of an array job run the same command, each with another --bucket of the sites, into one folder; their FACTS
are two folders, those of extract and of resolve. When all buckets are done, run complete: it makes the tables.
` + exitStatusArchives,
		Example: "  acapscan analyze facts -o out\n" +
			"  acapscan extract a.warc.gz -o - | acapscan analyze - -o - >tables.arrows",
		Args: atLeast(1, "a folder of facts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.reported(cmd, &f.s3Flags, func() error { return f.run(cmd, args) })
		},
	}
	f.runFlags.add(cmd.Flags(), "output `DIR`: a folder, s3://BUCKET/KEY, or - for standard output; required")
	f.surveyFlags.add(cmd.Flags())
	f.formatFlag.add(cmd.Flags())
	f.s3Flags.add(cmd.Flags())
	f.addGiveUp(cmd.Flags())
	cmd.Flags().StringVar(&f.bucket, "bucket", "", "make bucket `I/N` of the sites only, 0/N to N-1/N; you choose N")
	return cmd
}

func (f *analyzeFlags) run(cmd *cobra.Command, args []string) error {
	tables, err := f.tables(&f.formatFlag)
	if err != nil {
		return err
	}
	if f.Output == source.Stdin && f.format != "" {
		return pipeline.Usagef("--format is for folders; -o - writes Arrow IPC streams")
	}
	if err := f.checkStream(cmd); err != nil {
		return err
	}
	if f.bucket == "" {
		return f.Analyze(cmd.Context(), args, tables, cmd.InOrStdin(), cmd.OutOrStdout())
	}
	bucket, err := source.ParseShard(f.bucket)
	if err != nil {
		return pipeline.Usagef("--bucket %w", err)
	}
	if cmd.Flags().Changed("min-complete") {
		return pipeline.Usagef("--min-complete is for all inputs, and a bucket of sites has no list of them")
	}
	return f.AnalyzeBucket(cmd.Context(), args, bucket, tables, f.readingSettings())
}

// surveyFlags change what stage 2 decides and writes.
type surveyFlags struct {
	readingFlags
	directives  string
	permissions string
	agents      []string
	noVerbatim  bool
}

func (f *surveyFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.directives, "directives", "default",
		"conventional rules in table directives: `default` (of sites with ACAP and pages with a row) or all")
	flags.StringVar(&f.permissions, "permissions", "default",
		"rows in table permissions: `default` (sites and pages with ACAP or AI preferences), acap-sites, all-sites, "+
			"all (with pages)")
	flags.StringSliceVar(&f.agents, "agents", nil,
		"decide also for these crawlers: `NAMES`, @FILE (one a line) or @common; a site names others")
	flags.BoolVar(&f.noVerbatim, "no-verbatim", false, "leave out the text that sites wrote: third parties own it")
	f.addReading(flags)
	f.addPages(flags)
	f.addDeciding(flags)
}

func (f *surveyFlags) options() (survey.Options, error) {
	opts := survey.Options{
		Reading: f.reading(), NoVerbatim: f.noVerbatim, Directives: survey.DirectivesChoice(f.directives),
		Permissions: survey.PermissionsChoice(f.permissions),
	}
	var err error
	if opts.Decide, err = f.deciding(); err != nil {
		return opts, err
	}
	switch opts.Directives {
	case survey.DirectivesDefault, survey.DirectivesAll:
	default:
		return opts, pipeline.Usagef("--directives is default or all, not %q", f.directives)
	}
	switch opts.Permissions {
	case survey.PermissionsDefault, survey.PermissionsACAPSites, survey.PermissionsAllSites, survey.PermissionsAll:
	case "sites":
		return opts, pipeline.Usagef("--permissions sites has a new name, acap-sites: it decides sites with ACAP; " +
			"all-sites decides every site")
	default:
		return opts, pipeline.Usagef("--permissions is default, acap-sites, all-sites or all, not %q", f.permissions)
	}
	opts.Agents, err = readAgents(f.agents)
	return opts, err
}

// settings are the options that change the tables.
func (f *surveyFlags) settings(opts survey.Options) map[string]string {
	agents := slices.Sorted(slices.Values(opts.Agents))
	settings := map[string]string{
		"directives": f.directives, "permissions": f.permissions, "agents": console.Join(agents, ","),
		"no-verbatim": strconv.FormatBool(f.noVerbatim), "body-metas": strconv.FormatBool(f.bodyMETAs),
		"profile": f.profile, "other": f.other,
	}
	maps.Copy(settings, f.readingSettings())
	return settings
}

// tables are the options of stage 2.
func (f *surveyFlags) tables(format *formatFlag) (t pipeline.Tables, err error) {
	if t.Survey, err = f.options(); err != nil {
		return t, err
	}
	if t.Format, err = format.chosen(); err != nil {
		return t, err
	}
	t.Settings = f.settings(t.Survey)
	t.Settings["format"] = string(t.Format)
	return t, nil
}
