package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/source"
)

type listFlags struct {
	inputFlags
	remoteFlags
}

// newList is the verb list, from which cmd/acapscan-spark counts its tasks.
func newList() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:    "list [INPUT…]",
		Hidden: true,
		Short:  "Print the inputs that scan would read",
		Long: `Print the inputs that scan would read, in its order, a JSON object a line, for programs that run extract
once an input. A listed input goes to --paths -, or with records to --records -, with its base_url; any other is an
argument.
` + exitStatusText,
		Example: "  acapscan list crawl-data/",
		Args:    f.given,
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := f.list(cmd, args, &f.remoteFlags, noteTo(cmd))
			if err != nil {
				return err
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetEscapeHTML(false)
			for _, in := range inputs {
				if in.IsStream() {
					return pipeline.Usagef("standard input cannot be read by another process")
				}
				if err := out.Encode(listedOf(in, f.base)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.inputFlags.addListing(cmd.Flags())
	f.remoteFlags.add(cmd.Flags())
	return cmd
}

// A listedInput is an input as list prints it.
type listedInput struct {
	Name    string        `json:"name"`
	Listed  bool          `json:"listed,omitempty"`
	Base    string        `json:"base_url,omitempty"`
	Records []listedRange `json:"records,omitempty"`
}

type listedRange struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// listedOf describes the input for another process. Unreadable files of a folder are listed: as an argument such a file
// would be an error, and no row in table inputs.
func listedOf(in source.Input, base string) listedInput {
	l := listedInput{Name: in.Name, Listed: in.Listed || in.Fault() != nil}
	if in.Listed {
		l.Base = base
	}
	for _, r := range in.Records {
		l.Records = append(l.Records, listedRange{r.Offset, r.Length})
	}
	return l
}

// readListed reads the output of list. The inputs have names and records, but cannot be opened.
func readListed(file string) ([]source.Input, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var inputs []source.Input
	for d := json.NewDecoder(bufio.NewReader(in)); ; {
		var l listedInput
		if err := d.Decode(&l); err == io.EOF {
			return inputs, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s is no output of list: %w", file, err)
		}
		next := source.Input{Name: l.Name, Size: -1, Listed: l.Listed}
		for _, r := range l.Records {
			next.Records = append(next.Records, source.Range(r))
		}
		inputs = append(inputs, next)
	}
}
