package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/explain"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/internal/console"
)

type checkFlags struct {
	readingFlags
	pageFlags
	json   bool
	failOn string
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "List the statements of a robots.txt or a page, and what is wrong with them",
		Long: `List the statements of robots.txt files and pages, with their status and defects. The content decides
whether a file is read as robots.txt or as a page (R-LEX-7). --json prints an object a line: type "statement", with the
names of the columns of table directives, or type "file". A class token that names a local usage of robots.txt is
undefined here.

EXIT STATUS
  0    done
  1    failed; or there are defects, under --fail-on defects
  2    wrong usage
  130  interrupted
`,
		Example: "  acapscan check robots.txt\n  acapscan check --json --fail-on defects robots.txt page.html",
		Args:    atLeast(1, "a file to check"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(args, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	f.pageFlags.add(flags)
	flags.BoolVar(&f.json, "json", false, "print a JSON object a line")
	flags.StringVar(&f.failOn, "fail-on", "", "exit 1 on any of these: `defects`")
	f.addReading(flags)
	f.addPages(flags)
	return cmd
}

func (f *checkFlags) run(files []string, stdout io.Writer) error {
	if f.failOn != "" && f.failOn != "defects" {
		return pipeline.Usagef("--fail-on is defects, not %q", f.failOn)
	}
	out := bufio.NewWriter(stdout)
	found := 0
	for _, file := range files {
		list, err := f.list(file)
		if err != nil {
			return err
		}
		found += list.Defects()
		write := list.WriteText
		if f.json {
			write = list.WriteJSON
		}
		if err := write(out); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if found > 0 && f.failOn == "defects" {
		return fmt.Errorf("%s found", console.Plural(found, "defect"))
	}
	return nil
}

// list reads a file. Its content decides whether it is a robots.txt or a page.
func (f *checkFlags) list(file string) (*explain.Listing, error) {
	robots, err := readRobots(file, f.mediaType)
	if err != nil {
		return nil, err
	}
	if !parse.NotRobots(robots.Body, f.reading()) {
		return explain.ListRobots(robots, f.reading()), nil
	}
	page, err := f.read(file)
	if err != nil {
		return nil, err
	}
	return explain.ListPage(page, f.reading()), nil
}
