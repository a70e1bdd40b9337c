package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// programVersion is the version of this program; CHANGELOG.md has a heading for each.
const programVersion = "0.1.0"

// commit is set by the linker (Makefile).
var commit = "unknown"

func program() manifest.Program {
	return manifest.Program{Name: "acapscan", Version: programVersion, Commit: commit}
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, its rules and its tables",
		Long:    "Print the versions of program, rules, tables, facts and public suffix list.\n" + exitStatusText,
		Example: "  acapscan version",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "acapscan %s (commit %s, %s)\n"+
				"rules %d\ntables %d\nfacts %d\npublic suffix list %s\n",
				programVersion, commit, runtime.Version(), survey.RulesVersion, table.SchemaVersion, facts.SchemaVersion,
				weburl.PublicSuffixVersion())
			return err
		},
	}
}
