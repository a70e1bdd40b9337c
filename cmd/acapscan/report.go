package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/report"
)

type reportFlags struct {
	s3Flags
	output string
	crawl  string
}

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report DIR -o FILE",
		Short: "Make one HTML page about the tables of a finished run",
		Long: `Make one HTML page about the tables that scan or analyze wrote to DIR, a folder or s3://BUCKET/KEY: what was read, adoption by class, version,
feature and top-level domain, what usages are allowed, conflicts with examples, and defects, each figure with its
denominator. The page needs neither a network nor a script, and holds third-party text unless the run was made with
--no-verbatim. FILE is replaced if it is there; - is standard output.
` + exitStatusText,
		Example: "  acapscan report out -o report.html\n  acapscan report out --crawl CC-MAIN-2018-34 -o - >2018.html",
		Args: func(_ *cobra.Command, args []string) error {
			if err := atLeast(1, "the folder of a run")(nil, args); err != nil {
				return err
			}
			return atMost(1)(nil, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args[0], cmd.OutOrStdout()) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "HTML `FILE`, or - for standard output; needed")
	cmd.Flags().StringVar(&f.crawl, "crawl", "", "report on one crawl of the run only, by its `NAME`")
	f.s3Flags.add(cmd.Flags())
	return cmd
}

func (f *reportFlags) run(ctx context.Context, dir string, stdout io.Writer) error {
	if f.output == "" {
		return usageError{errors.New("-o is missing")}
	}
	if f.output != source.Stdin {
		if err := checkReplaceable(f.output); err != nil {
			return err
		}
	}
	store, m, err := f.openRun(ctx, dir)
	if err != nil {
		return err
	}
	figures, err := report.Collect(ctx, store, m, report.Options{Crawl: f.crawl})
	if errors.Is(err, report.ErrNoCrawl) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if f.output == source.Stdin {
		return figures.Write(stdout)
	}
	return writeWhole(f.output, figures.Write)
}

// checkReplaceable tells of an output that must not be replaced by a file: a folder, a device, a pipe.
func checkReplaceable(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("the output needs a file, and %s is a folder", name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no ordinary file; -o - writes to standard output", name)
	}
	return nil
}

// writeWhole makes a file appear whole under its name, or not at all.
func writeWhole(name string, write func(io.Writer) error) error {
	file, err := storage.Create(name)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		return errors.Join(err, file.Abort())
	}
	return file.CommitDurably()
}
