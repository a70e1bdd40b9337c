package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan is the verb man, with which tools/release makes the manual. That of package cobra reads help texts as
// Markdown, where * and _ mean something else.
func newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Hidden: true,
		Short:  "Write the manual pages",
		Long: "Write the manual pages, one for the program and one for each verb, to the folder DIR.\n" +
			exitStatusText,
		Example: "  acapscan man share/man/man1",
		Args:    exactly("a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			pages := []*cobra.Command{root}
			for _, cmd := range root.Commands() {
				if !cmd.Hidden {
					pages = append(pages, cmd)
				}
			}
			for _, cmd := range pages {
				file := filepath.Join(args[0], pageName(cmd)+".1")
				if err := os.WriteFile(file, []byte(manPage(cmd, pages)), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is the manual page of a verb, or of the program, in the macros of man(7). It has no date, so that equal
// programs have equal pages. All: the commands with a page.
func manPage(cmd *cobra.Command, all []*cobra.Command) string {
	var b strings.Builder
	text, status, _ := strings.Cut(cmd.Long, "\nEXIT STATUS\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"acapscan %s\" \"User Commands\"\n", strings.ToUpper(pageName(cmd)), programVersion)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(cmd.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", strings.ReplaceAll(roff(strings.TrimSpace(text)), "\n\n", "\n.PP\n"))
	if !cmd.HasParent() {
		b.WriteString(".SH VERBS\n")
		for _, verb := range all[1:] {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(pageName(verb)), roff(verb.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	cmd.InitDefaultHelpFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { b.WriteString(manOption(f)) })
	for _, part := range []struct{ title, lines string }{{"EXAMPLES", cmd.Example}, {"EXIT STATUS", status}} {
		fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", part.title, roff(strings.TrimRight(part.lines, "\n")))
	}
	var others []string
	for _, other := range all {
		if other != cmd {
			others = append(others, ".BR "+roff(pageName(other))+" (1)")
		}
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	return b.String()
}

func manOption(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "\\fB" + roff("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		name = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + name
	}
	if value != "" {
		name += " \\fI" + roff(value) + "\\fR"
	}
	switch f.DefValue {
	case "", "0", "[]", "false":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	return ".TP\n" + name + "\n" + roff(usage) + "\n"
}

// roff escapes text: no character of it is a command.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
