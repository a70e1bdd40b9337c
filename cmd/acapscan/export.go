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

// formatFlag is common to the verbs that write tables.
type formatFlag struct {
	format string
}

func (f *formatFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "",
		"`FORMAT` of the files: parquet (the default), or arrow (larger; readers can map them into memory)")
}

// chosen is the format, by default Parquet.
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
		Long: `Stream one of the seven tables in DIR, a folder or s3://BUCKET/KEY that scan or analyze wrote, to standard
output. It is an Arrow IPC stream, with the partition columns crawl and subset first. Memory does not grow with the
table.
` + exitStatusText,
		Example: "  acapscan export adoption out >adoption.arrows\n" +
			"  acapscan export permissions out |\n" +
			"      python3 -c 'import sys, polars; print(polars.read_ipc_stream(sys.stdin.buffer))'",
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
	stores := f.stores()
	store, m, err := stores.OpenRun(ctx, dir)
	if err != nil {
		return err
	}
	err = dataset.StreamTable(store, m, d.Name, stdout)
	if errors.Is(err, syscall.EPIPE) {
		// The reader has enough. Usually SIGPIPE has ended the program already; some parents ignore it.
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

// noTable is the error for an unknown table.
func noTable(name string) error {
	return usageError{fmt.Errorf("there is no table %q; tables are %s", name, strings.Join(tableNames(), ", "))}
}
