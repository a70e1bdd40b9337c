package main

import (
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/output/table"
)

type completeFlags struct {
	extractFlags
	surveyFlags
	s3Flags
	started     string
	inputs      string
	minComplete float64
}

// newComplete is the verb complete, the last step of an array job, and so of cmd/acapscan-spark.
func newComplete() *cobra.Command {
	var f completeFlags
	cmd := &cobra.Command{
		Use:   "complete DIR",
		Short: "Make tables of the buckets that an array job has finished",
		Long: `Give the part files of analyze --bucket, in a folder or s3://BUCKET/KEY, their final names, and write the files
next to the eight tables: manifest, views, schemas, data package, list of files and, last, _SUCCESS. Missing buckets are
an error, which names them. A finished folder stays as it is. Tables that lack inputs are written too; --min-complete
decides the exit status, as in scan.

Programs that write the tables themselves run it too. Then it reads every file for its digest,
and the flags other than --started, --inputs and --min-complete repeat those of extract and analyze. Such programs
remove the _SUCCESS of an earlier run first.
` + exitStatusArchives,
		Example: "  acapscan complete out\n  acapscan complete --min-complete 0.99 s3://bucket/run/tables",
		Args:    exactly("the folder of a run"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().StringVar(&f.started, "started", "",
		"`TIME` of the start of the run, such as 2025-10-12T08:00:00Z; default: now")
	cmd.Flags().StringVar(&f.inputs, "inputs", "", "`FILE` that list printed; the tables must have all of its inputs")
	addMinComplete(cmd.Flags(), &f.minComplete)
	f.extractFlags.add(cmd.Flags())
	f.surveyFlags.add(cmd.Flags())
	f.s3Flags.add(cmd.Flags())
	f.addGiveUp(cmd.Flags())
	return cmd
}

func (f *completeFlags) run(cmd *cobra.Command, dir string) error {
	if _, err := f.extractFlags.options(); err != nil {
		return err
	}
	surveying, err := f.surveyFlags.options()
	if err != nil {
		return err
	}
	if err := checkMinComplete(f.minComplete); err != nil {
		return err
	}
	var inputs []source.Input
	c := pipeline.Completion{Inputs: -1, Settings: f.surveyFlags.settings(surveying)}
	if f.inputs != "" {
		if inputs, err = readListed(f.inputs); err != nil {
			return err
		}
		c.Inputs = len(inputs)
	}
	maps.Copy(c.Settings, f.extractFlags.settings(inputs))
	c.Settings["format"] = string(table.Parquet)
	if f.started != "" {
		if c.Started, err = time.Parse(time.RFC3339, f.started); err != nil {
			return pipeline.Usagef("--started %q is no time such as 2025-10-12T08:00:00Z", f.started)
		}
	}
	always := []string{ // for tables of any program
		"started", "min-complete", "plain-http", "give-up", "s3-anonymous", "s3-profile", "s3-endpoint", "s3-region",
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(always, flag.Name) {
			c.TablesFlag = flag.Name
		}
	})
	run, err := quietRun(cmd, &f.s3Flags)
	if err != nil {
		return err
	}
	run.MinComplete = f.minComplete
	return continuable(cmd, dir, run.Complete(cmd.Context(), dir, c))
}
