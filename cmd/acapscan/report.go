package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
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
		Long: `Make one HTML page about the tables in DIR, a folder or s3://BUCKET/KEY that scan or analyze wrote:
three findings, then figures about who blocks whom, which vocabularies sites use, what they permit, and where they
contradict themselves, each with its denominator. Each figure can be saved as SVG and its numbers as CSV. The page needs
no network and no script. It quotes third-party text, unless the run had --no-verbatim. An existing FILE is replaced; -
is standard output.
` + exitStatusText,
		Example: "  acapscan report out -o report.html\n  acapscan report out --crawl CC-MAIN-2018-34 -o - >2018.html",
		Args:    exactly("the folder of a run"),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "output HTML `FILE`, or - for standard output; required")
	cmd.Flags().StringVar(&f.crawl, "crawl", "", "report only on the crawl of this `NAME`")
	f.s3Flags.add(cmd.Flags())
	f.addGiveUp(cmd.Flags())
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, dir string) error {
	if f.output == "" {
		return missingOutput(cmd)
	}
	if f.output != source.Stdin {
		if err := checkReplaceable(f.output); err != nil {
			return err
		}
	}
	stores, err := f.stores(noteTo(cmd))
	if err != nil {
		return err
	}
	store, m, err := stores.OpenRun(cmd.Context(), dir)
	if err != nil {
		return err
	}
	figures, err := report.Collect(cmd.Context(), store, m, report.Options{Crawl: f.crawl, Rule: ruleText})
	if errors.Is(err, report.ErrNoCrawl) {
		return pipeline.Usagef("%w", err)
	}
	if err != nil {
		return err
	}
	if f.output == source.Stdin {
		return figures.Write(cmd.OutOrStdout())
	}
	return writeWhole(f.output, figures.Write)
}

// ruleText is what the report quotes of a rule.
func ruleText(id string) (text, source string, known bool) {
	rule, known := policy.ParseRule(id)
	if !known {
		return "", "", false
	}
	return rule.Text(), rule.Source(), true
}

// checkReplaceable refuses to replace a folder, a device or a pipe.
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

// writeWhole writes a file atomically.
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
