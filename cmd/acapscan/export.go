package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/internal/console"
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
	return "", pipeline.Usagef("--format is parquet or arrow, not %q", f.format)
}

func newExport() *cobra.Command {
	var f s3Flags
	cmd := &cobra.Command{
		Use:   "export TABLE DIR",
		Short: "Stream a table of a finished run to standard output",
		Long: `Stream one of the eight tables in DIR, a folder or s3://BUCKET/KEY that scan or analyze wrote, to
standard output. It is an Arrow IPC stream, with the partition columns crawl and subset first. Memory does not grow with
the table.
` + exitStatusText,
		Example: "  acapscan export adoption out >adoption.arrows\n" +
			"  acapscan export permissions out |\n" +
			"      python3 -c 'import sys, polars; print(polars.read_ipc_stream(sys.stdin.buffer))'",
		Args:              exportArgs,
		ValidArgsFunction: completeTables,
		RunE: func(cmd *cobra.Command, args []string) error {
			stores, err := f.stores(noteTo(cmd))
			if err != nil {
				return err
			}
			return export(cmd.Context(), stores, args[0], args[1], cmd.OutOrStdout())
		},
	}
	f.add(cmd.Flags())
	f.addGiveUp(cmd.Flags())
	return cmd
}

func export(ctx context.Context, stores pipeline.Stores, name, dir string, stdout io.Writer) error {
	d, ok := table.Lookup(table.Name(name))
	if !ok {
		return noTable(name)
	}
	if err := checkTerminal(stdout, "an Arrow IPC stream"); err != nil {
		return err
	}
	store, m, err := stores.OpenRun(ctx, dir)
	if err != nil {
		return err
	}
	err = dataset.StreamTable(store, m, d.Name, stdout)
	if errors.Is(err, syscall.EPIPE) {
		// The reader has enough. Usually SIGPIPE has ended the program already; some parents ignore it.
		return exitError(exitFailed)
	}
	return err
}

// exportArgs says which of the two arguments is missing.
func exportArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return pipeline.Usagef("the table and the folder of a run are missing: acapscan export TABLE DIR")
	case len(args) == 1 && slices.Contains(tableNames(), args[0]):
		return pipeline.Usagef("the folder of a run is missing: acapscan export %s DIR", args[0])
	case len(args) == 1:
		return pipeline.Usagef("the table is missing: acapscan export TABLE %s; tables are %s",
			args[0], strings.Join(tableNames(), ", "))
	case len(args) == 2 && !slices.Contains(tableNames(), args[0]) && slices.Contains(tableNames(), args[1]):
		return pipeline.Usagef("the table stands first: acapscan export %s %s", args[1], args[0])
	}
	return atMost(2)(cmd, args)
}

func tableNames() (names []string) {
	for _, d := range table.All() {
		names = append(names, string(d.Name))
	}
	return names
}

// noTable is the error for an unknown table.
func noTable(name string) error {
	return pipeline.Usagef("there is no table %q; tables are %s%s", name, strings.Join(tableNames(), ", "),
		console.Suggestion(name, tableNames()))
}
