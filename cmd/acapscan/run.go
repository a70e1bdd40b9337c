package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/internal/console"
)

// Exit statuses, as in every help text.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// exitStatusText is the part of every help text about the exit status. Verbs that read no archives have no line 3.
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

// An exitError ends the program with this status, and nothing is left to say.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// errContinue ends an interrupted run that the same command continues.
var errContinue = errors.New("interrupted; run the same command again to continue")

// Run runs the program and returns its exit status. Data goes to stdout, messages for people go to stderr.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	if stdin != nil {
		stdin = newInterruptible(ctx, stdin)
	}
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	status, sentence := ending(ctx, err)
	if sentence != "" {
		_ = console.Say(stderr, sentence) // the status says it, too
		if status == exitUsage {
			_ = console.Say(stderr, hint(cmd))
		}
	}
	return status
}

// ending turns an error into the exit status, and into a sentence if one is left to say.
func ending(ctx context.Context, err error) (status int, sentence string) {
	var exit exitError
	var usage pipeline.UsageError
	switch {
	case err == nil:
		return exitDone, ""
	case errors.As(err, &exit):
		return int(exit), ""
	case errors.Is(err, errContinue):
		return exitInterrupted, err.Error()
	case ctx.Err() != nil:
		return exitInterrupted, "interrupted"
	case errors.Is(err, pipeline.ErrIncomplete):
		return exitIncomplete, ""
	case errors.As(err, &usage):
		return exitUsage, err.Error()
	}
	if path, bare := err.(*fs.PathError); bare && path.Op == "open" && errors.Is(path, fs.ErrNotExist) {
		if folder := filepath.Dir(path.Path); !exists(folder) {
			return exitFailed, fmt.Sprintf("there is no folder %q", folder)
		}
		return exitFailed, fmt.Sprintf("there is no file %q", path.Path)
	}
	return exitFailed, err.Error()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "acapscan",
		Short: "Tables of what web publishers tell machines they may do",
		Long: `acapscan reads crawled web archives (WARC and ARC), takes each site's robots.txt and each page's META,
class and processing-instruction directives, evaluates ACAP policies and the conventional Robots Exclusion Protocol, and
writes Parquet tables of adoption, conflicts and per-usage permissions.
` + exitStatusArchives,
		Example: "  acapscan scan crawl/ -o out\n" +
			"  acapscan explain --robots robots.txt --url https://example.com/news/",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownVerb(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.Version = programVersion
	root.SetVersionTemplate("acapscan {{.Version}}\n")
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version; 'acapscan version' prints those of rules and tables, too"
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newScan(), newExtract(), newAnalyze(), newExplain(), newCheck(), newSchema(), newExport(),
		newReport(), newAgents(), newVersion(), newList(), newResolve(), newComplete(), newCompletion(root),
		newMan(root))
	root.SetHelpCommand(newHelp(root))
	addCompletions(root)
	return root
}

// newHelp is the verb help. That of package cobra accepts any word as a verb.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Say what a verb does, with its flags",
		Long: "Say what a verb does, with its flags and an example. Without VERB, list the verbs.\n" +
			exitStatusText,
		Example: "  acapscan help scan",
		Args:    atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil || cmd == root && len(args) > 0 {
				return unknownVerb(root, args[0])
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
			return pipeline.Usagef("%s is missing", what)
		}
		return nil
	}
}

// exactly is for a verb with one argument.
func exactly(what string) cobra.PositionalArgs { return cobra.MatchAll(atLeast(1, what), atMost(1)) }

func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return pipeline.Usagef("the argument %q is one too many", args[n])
		}
		return nil
	}
}
