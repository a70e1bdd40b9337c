package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/table"
)

// programVersion is the version of this program; CHANGELOG.md has a heading for each.
const programVersion = "0.1.0"

// commit is set by the linker (Makefile); what is built otherwise does not know it.
var commit = "unknown"

// createdBy names the program in the footers of its files. It has no commit: equal versions write equal bytes.
const createdBy = "acapscan version " + programVersion

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, its rules and its tables",
		Long:    "Print the versions of the program, of the rules that decide, of the tables, of the facts and of the public suffix list.\n" + exitStatusText,
		Example: "  acapscan version",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "acapscan %s (commit %s, %s)\nrules %d\ntables %d\nfacts %d\npublic suffix list %s\n",
				programVersion, commit, runtime.Version(), survey.RulesVersion, table.SchemaVersion, facts.SchemaVersion, weburl.PublicSuffixVersion())
			return err
		},
	}
}
