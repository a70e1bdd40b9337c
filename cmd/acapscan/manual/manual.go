// Package manual writes the manual pages of a command line from the help texts of its verbs, in the macros of man(7).
// Package cobra's own writer reads help texts as Markdown, where * and _ mean something else.
package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Name is the name of the page of a verb, or of the program.
func Name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// Page is the manual page of a verb, or of the program. It has no date, so that equal programs have equal pages. The
// commands with a page are all, the program first.
func Page(cmd *cobra.Command, all []*cobra.Command, version string) string {
	var b strings.Builder
	text, status, _ := strings.Cut(cmd.Long, "\nEXIT STATUS\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"acapscan %s\" \"User Commands\"\n", strings.ToUpper(Name(cmd)), version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(Name(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(cmd.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", strings.ReplaceAll(roff(strings.TrimSpace(text)), "\n\n", "\n.PP\n"))
	if !cmd.HasParent() {
		b.WriteString(".SH VERBS\n")
		for _, verb := range all[1:] {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(Name(verb)), roff(verb.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	cmd.InitDefaultHelpFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { b.WriteString(option(f)) })
	for _, part := range []struct{ title, lines string }{{"EXAMPLES", cmd.Example}, {"EXIT STATUS", status}} {
		fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", part.title, roff(strings.TrimRight(part.lines, "\n")))
	}
	var others []string
	for _, other := range all {
		if other != cmd {
			others = append(others, ".BR "+roff(Name(other))+" (1)")
		}
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	return b.String()
}

func option(f *pflag.Flag) string {
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
