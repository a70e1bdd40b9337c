package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/table"
)

// formatFlag is common to the verbs that write a folder of tables.
type formatFlag struct {
	format string
}

func (f *formatFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "", "`FORMAT` of the files: parquet, which is the default, or arrow (Arrow IPC files: larger, and readers map them into memory)")
}

// chosen is the format, Parquet where none is given.
func (f *formatFlag) chosen() (table.Format, error) {
	if f.format == "" {
		return table.Parquet, nil
	}
	for _, known := range table.Formats() {
		if f.format == string(known) {
			return known, nil
		}
	}
	return "", usageError{fmt.Errorf("--format is parquet or arrow, not %q", f.format)}
}

func newExport() *cobra.Command {
	var f s3Flags
	cmd := &cobra.Command{
		Use:   "export TABLE DIR",
		Short: "Stream a table of a finished run to standard output",
		Long: `Stream one of the seven tables that scan or analyze wrote to DIR, a folder or s3://BUCKET/KEY, in either format, to
standard output: an Arrow IPC stream with the partition columns crawl and subset before the table's own. It needs little
memory, however large the table is.

` + exitStatusText,
		Example: "  acapscan export adoption out >adoption.arrows\n" +
			"  acapscan export permissions out | python3 -c 'import sys, polars; print(polars.read_ipc_stream(sys.stdin.buffer))'",
		Args: cobra.MatchAll(atLeast(2, "a table and the folder of a run"), atMost(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.export(cmd.Context(), args[0], args[1], cmd.OutOrStdout())
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *s3Flags) export(ctx context.Context, name, dir string, stdout io.Writer) error {
	d, ok := table.Lookup(table.Name(name))
	if !ok {
		return noTable(name)
	}
	store, m, err := f.openRun(ctx, dir)
	if err != nil {
		return err
	}
	err = dataset.StreamTable(store, m, d.Name, stdout)
	if errors.Is(err, syscall.EPIPE) {
		// Whoever reads has enough. Mostly the signal has ended the program already; some parents have it ignored.
		return statusError{status: exitFailed}
	}
	return err
}

func tableNames() (names []string) {
	for _, d := range table.All() {
		names = append(names, string(d.Name))
	}
	return names
}

// noTable tells of a word that is the name of no table.
func noTable(name string) error {
	return usageError{fmt.Errorf("there is no table %q; tables are %s", name, strings.Join(tableNames(), ", "))}
}
