package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/source"
)

type resolveFlags struct {
	readingFlags
	s3Flags
	pipeline.Run
	bucket string
	step   int
}

// newResolve is the verb resolve: the pass between the stages for array jobs and cmd/acapscan-spark, whose tasks of
// analyze have a part of the sites each.
func newResolve() *cobra.Command {
	var f resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve FACTS… -o ANSWERS",
		Short: "Follow redirects and references between hosts, for an array job",
		Long: `Follow the redirects and references of each robots.txt to other hosts, and write copies of the facts that
they reach. A task of analyze --bucket has a part of the sites, and needs these copies. ANSWERS is a folder or
s3://BUCKET/KEY, an argument of analyze --bucket next to FACTS; or - for an Arrow IPC stream on standard output. Facts of
robots.txt and of policy files are enough, others are skipped. Duplicate answers do no harm.

With --bucket the work is an array job too, of one bucket of hosts a task, in steps: all tasks take step 0, then all take
step 1, and so on, until each prints "finished"; before, they print "more".
` + exitStatusText,
		Example: "  acapscan resolve facts -o answers\n  acapscan resolve facts -o answers --bucket 3/8 --step 0",
		Args:    atLeast(1, "a folder of facts"),
		RunE:    f.run,
	}
	cmd.Flags().StringVarP(&f.Output, "output",
		"o", source.Stdin, "output `ANSWERS`: a folder, s3://BUCKET/KEY, or - for standard output")
	f.addReading(cmd.Flags())
	addResources(cmd.Flags(), &f.Run)
	f.s3Flags.add(cmd.Flags())
	f.addGiveUp(cmd.Flags())
	cmd.Flags().StringVar(&f.bucket, "bucket", "", "take a step for bucket `I/N` of the hosts only; you choose N")
	cmd.Flags().IntVar(&f.step, "step", 0, "`NUMBER` of the step that the bucket takes, from 0")
	return cmd
}

func (f *resolveFlags) run(cmd *cobra.Command, args []string) error {
	if err := checkResources(&f.Run); err != nil {
		return err
	}
	defer f.Memory.Enforce()()
	if f.Output == source.Stdin {
		if err := checkTerminal(cmd.OutOrStdout(), "an Arrow IPC stream"); err != nil {
			return err
		}
	}
	run, err := quietRun(cmd, &f.s3Flags)
	if err != nil {
		return err
	}
	run.Output, run.Workers, run.Memory = f.Output, f.Workers, f.Memory
	if f.bucket != "" {
		return continuable(cmd, f.Output, f.takeStep(cmd, args, &run))
	}
	if cmd.Flags().Changed("step") {
		return pipeline.Usagef("--step is for tasks with --bucket")
	}
	err = run.Resolve(cmd.Context(), args, f.reading(), f.readingSettings(), cmd.InOrStdin(), cmd.OutOrStdout())
	return continuable(cmd, f.Output, err)
}

// takeStep takes a step for one bucket.
func (f *resolveFlags) takeStep(cmd *cobra.Command, args []string, run *pipeline.Run) error {
	bucket, err := source.ParseShard(f.bucket)
	if err != nil {
		return pipeline.Usagef("--bucket %w", err)
	}
	if f.step < 0 {
		return pipeline.Usagef("--step is 0 or more, not %d", f.step)
	}
	last, err := run.ResolveBucket(cmd.Context(), args, bucket, f.step, f.reading(), f.readingSettings())
	if err != nil {
		return err
	}
	said := "more"
	if last {
		said = "finished"
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
	return err
}
