package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/source"
)

// runFlags are common to the verbs that work through a corpus.
type runFlags struct {
	pipeline.Run
	progress progress.Mode
}

func (f *runFlags) add(flags *pflag.FlagSet, output string) {
	flags.StringVarP(&f.Output, "output", "o", "", output)
	addResources(flags, &f.Run)
	flags.BoolVar(&f.Overwrite, "overwrite", false, "replace what another run left in the output folder")
	addMinComplete(flags, &f.MinComplete)
	flags.StringVar((*string)(&f.progress), "progress", string(progress.Auto),
		"progress on standard error: bar, plain (a line a minute), json or none; `auto` is bar on a terminal, else "+
			"plain")
}

// addResources adds the flags about workers and memory. They change no results.
func addResources(flags *pflag.FlagSet, r *pipeline.Run) {
	flags.IntVar(&r.Workers, "workers", 0, "run `N` workers; 0: all cores")
	flags.Var(&r.Memory, "memory", "limit memory to `SIZE`, such as 800MB or 2GiB: fewer workers, the same tables")
}

func checkResources(r *pipeline.Run) error {
	if r.Workers < 0 {
		return pipeline.Usagef("--workers %d is negative", r.Workers)
	}
	return r.Memory.Check()
}

func addMinComplete(flags *pflag.FlagSet, atLeast *float64) {
	flags.Float64Var(atLeast, "min-complete", 1,
		"exit 0 and not 3 if at least this `SHARE` of the inputs was readable, from 0 to 1")
}

func checkMinComplete(atLeast float64) error {
	if !(atLeast >= 0 && atLeast <= 1) {
		return pipeline.Usagef("--min-complete %v is no share from 0 to 1", atLeast)
	}
	return nil
}

// reported runs a verb within its memory, and reports progress.
func (f *runFlags) reported(cmd *cobra.Command, s3 *s3Flags, run func() error) (err error) {
	switch {
	case f.Output == "":
		return missingOutput(cmd)
	case !f.progress.Known():
		return pipeline.Usagef("--progress is auto, bar, plain, json or none, not %q", f.progress)
	}
	if err = checkMinComplete(f.MinComplete); err != nil {
		return err
	}
	if err = checkResources(&f.Run); err != nil {
		return err
	}
	defer f.Memory.Enforce()()
	f.Report = progress.New(cmd.Name(), f.progress, cmd.ErrOrStderr())
	if f.Stores, err = s3.stores(f.Note); err != nil {
		return err
	}
	f.Program = program()
	stop := f.Report.Start()
	err = run()
	stop()
	err = continuable(cmd, f.Output, err)
	if status, sentence := ending(cmd.Context(), err); f.Report.End(status, sentence) && status != exitDone {
		return exitError(status)
	}
	return err
}

// checkStream refuses to write a stream to a terminal.
func (f *runFlags) checkStream(cmd *cobra.Command) error {
	if f.Output != source.Stdin {
		return nil
	}
	return checkTerminal(cmd.OutOrStdout(), "an Arrow IPC stream")
}

// missingOutput names the value that -o needs.
func missingOutput(cmd *cobra.Command) error {
	value, _ := pflag.UnquoteUsage(cmd.Flags().Lookup("output"))
	return pipeline.Usagef("-o %s is missing: where to write", value)
}

// continuable makes the error of an interrupted run errContinue, unless the run read or wrote a stream.
func continuable(cmd *cobra.Command, output string, err error) error {
	stream := output == source.Stdin || slices.Contains(cmd.Flags().Args(), source.Stdin)
	if err == nil || cmd.Context().Err() == nil || stream {
		return err
	}
	return errContinue
}

// quietRun is a run of a verb without progress.
func quietRun(cmd *cobra.Command, s3 *s3Flags) (run pipeline.Run, err error) {
	run = pipeline.Run{Program: program(), Report: progress.New(cmd.Name(), progress.None, cmd.ErrOrStderr())}
	run.Stores, err = s3.stores(run.Note)
	return run, err
}
