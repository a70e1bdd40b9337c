package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/output/table"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [TABLE]",
		Short: "Print the columns of a table as JSON, or list the tables",
		Long: `Print the schema of a table as JSON: every column with its type, description, example, allowed values and
the first schema version with it. Without TABLE, list the tables, one a line.
` + exitStatusText,
		Example:           "  acapscan schema\n  acapscan schema permissions",
		Args:              atMost(1),
		ValidArgsFunction: completeTables,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				for _, d := range table.All() {
					if _, err := fmt.Fprintf(out, "%-12s one row for %s\n", d.Name, d.Row); err != nil {
						return err
					}
				}
				return nil
			}
			d, ok := table.Lookup(table.Name(args[0]))
			if !ok {
				return noTable(args[0])
			}
			_, err := out.Write(d.Schema())
			return err
		},
	}
}
