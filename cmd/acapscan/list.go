package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/ingest/source"
)

// newList is the verb list, which tells cmd/acapscan-spark what its map tasks are.
func newList() *cobra.Command {
	return &cobra.Command{
		Use:    "list INPUT…",
		Hidden: true,
		Short:  "Print the names of the inputs that scan would read",
		Long: `Print the names of the inputs that scan would read, in its order, each as a JSON string on a line of its own. It is for
programs that read every input in a process of its own.
` + exitStatusText,
		Example: "  acapscan list crawl-data/",
		Args:    atLeast(1, "an input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := source.Expand(cmd.Context(), args, cmd.InOrStdin())
			if err != nil {
				return err
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetEscapeHTML(false)
			for _, in := range inputs {
				if err := in.Fault(); err != nil {
					return err // a process of its own would say no more
				}
				if err := out.Encode(in.Name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
