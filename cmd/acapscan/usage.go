package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/internal/console"
)

// flagError describes a mistake in the flags of a verb, in sentences of this program and not of package pflag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && !cmd.HasParent() && cmd.Flags().NArg() > 0:
		return unknownVerb(cmd, cmd.Flags().Arg(0)) // its flags are unknown because it is
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name = "-" + short
		}
		return pipeline.Usagef("there is no flag %s%s", name, console.Suggestion(name, flagNames(cmd)))
	case errors.As(err, &bare):
		value, _ := pflag.UnquoteUsage(bare.GetFlag())
		return pipeline.Usagef("--%s needs a value: --%s %s", bare.GetFlag().Name, bare.GetFlag().Name, value)
	case errors.As(err, &invalid):
		flag, why := invalid.GetFlag(), invalid.Unwrap().Error()
		switch flag.Value.Type() {
		case "int":
			why = fmt.Sprintf("%q is no whole number", invalid.GetValue())
		case "float64":
			why = fmt.Sprintf("%q is no number", invalid.GetValue())
		case "bool":
			why = fmt.Sprintf("%q is neither true nor false; the flag needs no value", invalid.GetValue())
		}
		return pipeline.Usagef("--%s: %s", flag.Name, why)
	}
	return pipeline.Usagef("%w", err)
}

// flagNames are the flags of a verb, as typed.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

func unknownVerb(root *cobra.Command, typed string) error {
	var verbs []string
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			verbs = append(verbs, cmd.Name())
		}
	}
	return pipeline.Usagef("there is no verb %q%s", typed, console.Suggestion(typed, verbs))
}

// schemes are those of the URLs that the verbs read.
var schemes = []string{"https", "http", "s3"}

// checkScheme refuses URLs that no verb reads.
func checkScheme(args []string) error {
	for _, arg := range args {
		scheme, rest, ok := strings.Cut(arg, ":/")
		if ok && !strings.HasPrefix(rest, "/") && !exists(arg) && slices.Contains(schemes, scheme) {
			return pipeline.Usagef("%s has one slash after the colon; did you mean %s://%s?", arg, scheme, rest)
		}
		scheme, _, ok = strings.Cut(arg, "://")
		switch {
		case !ok, strings.ContainsAny(scheme, `/\*?[`), exists(arg):
			continue
		}
		if !slices.Contains(schemes, strings.ToLower(scheme)) {
			return pipeline.Usagef("%s: acapscan reads no %s:// URLs, but https://, http:// and s3://", arg, scheme)
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// checkTerminal refuses to write binary data to a terminal.
func checkTerminal(out io.Writer, what string) error {
	if _, terminal := progress.Terminal(out); terminal {
		return pipeline.Usagef("%s is binary, and standard output is a terminal; write it to a file (>FILE) or a pipe",
			what)
	}
	return nil
}

// hint is the help for a mistake in the command line of a verb.
func hint(cmd *cobra.Command) string {
	if cmd == nil || !cmd.HasParent() || cmd.Name() == "help" {
		return "see 'acapscan help'"
	}
	return fmt.Sprintf("see 'acapscan help %s'", console.Printable(cmd.Name()))
}
