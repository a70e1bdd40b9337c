package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/cmd/acapscan/manual"
)

// newMan is the verb man, with which tools/release makes the manual.
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
				file := filepath.Join(args[0], manual.Name(cmd)+".1")
				if err := os.WriteFile(file, []byte(manual.Page(cmd, pages, programVersion)), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
