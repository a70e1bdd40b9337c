package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/internal/console"
)

// Exit statuses, as every help text says them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// exitStatus is the part of every help text that says what the exit status means. Verbs that read no archives leave
// line 3 out.
const (
	exitStatusText = `
EXIT STATUS
  0    done
  1    failed: nothing was written under a final name
  2    wrong usage
  130  interrupted
`
	exitStatusArchives = `
EXIT STATUS
  0    done, everything was readable
  1    failed: nothing was written under a final name
  2    wrong usage
  3    finished, but inputs were unreadable or cut, more than --min-complete allows: table inputs says which and why
  130  interrupted
`
)

// usageError is a mistake in the command line.
type usageError struct{ error }

// statusError ends the program with a status of its own. A nil error has been said already, or needs no words.
type statusError struct {
	status int
	error
}

func (e statusError) Unwrap() error { return e.error }

// saidError ends the program with a status of its own, after all has been said.
type saidError struct{ status int }

func (e saidError) Error() string { return fmt.Sprintf("exit status %d", e.status) }

// Run runs the program and returns its exit status. Data goes to stdout, what people read to stderr.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	if stdin != nil {
		stdin = newInterruptible(ctx, stdin)
	}
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	status, sentence := ending(ctx, root.ExecuteContext(ctx))
	if sentence != "" {
		_ = console.Say(stderr, sentence) // the status tells it, too
		if status == exitUsage {
			_ = console.Say(stderr, "see 'acapscan help' for the usage")
		}
	}
	return status
}

// ending is how an error ends the program: the exit status, and a sentence if there is one to be said.
func ending(ctx context.Context, err error) (status int, sentence string) {
	var said saidError
	var with statusError
	var usage usageError
	var usageBelow pipeline.UsageError
	switch {
	case err == nil:
		return exitDone, ""
	case errors.As(err, &said):
		return said.status, ""
	case ctx.Err() != nil:
		return exitInterrupted, "interrupted"
	case errors.As(err, &with):
		if with.error == nil {
			return with.status, ""
		}
		return with.status, with.Error()
	case errors.Is(err, pipeline.ErrIncomplete):
		return exitIncomplete, ""
	case errors.As(err, &usage), errors.As(err, &usageBelow):
		return exitUsage, err.Error()
	}
	return exitFailed, err.Error()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "acapscan",
		Short: "Tables of what web publishers tell machines they may do",
		Long: `acapscan reads crawled web archives (WARC and ARC), takes each site's robots.txt and each page's META, class
and processing-instruction directives, evaluates ACAP policies beside the conventional Robots Exclusion Protocol, and
writes Parquet tables of adoption, conflicts and per-usage permissions.
` + exitStatusArchives,
		Example: "  acapscan scan crawl/ -o out\n" +
			"  acapscan explain --robots robots.txt --url https://example.com/news/",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no verb %q", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newScan(), newExtract(), newAnalyze(), newExplain(), newCheck(), newSchema(), newExport(),
		newReport(), newAgents(), newVersion(), newList(), newResolve(), newComplete())
	root.SetHelpCommand(newHelp(root))
	return root
}

// newHelp is the verb help. That of package cobra takes any word for a verb.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Say what a verb does, with its flags",
		Long:    "Say what a verb does, with its flags and an example; without a verb, list the verbs.\n" + exitStatusText,
		Example: "  acapscan help scan",
		Args:    atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil || cmd == root && len(args) > 0 {
				return usageError{fmt.Errorf("there is no verb %q", args[0])}
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// atLeast and atMost are cobra.PositionalArgs whose errors count as usage.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("%s is missing", what)}
		}
		return nil
	}
}

// exactly is for a verb with one argument.
func exactly(what string) cobra.PositionalArgs { return cobra.MatchAll(atLeast(1, what), atMost(1)) }

func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError{fmt.Errorf("there is an argument too many: %q", args[n])}
		}
		return nil
	}
}
