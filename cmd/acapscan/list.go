package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/ingest/source"
)

type listFlags struct {
	inputFlags
	remoteFlags
}

// newList is the verb list, which tells cmd/acapscan-spark what its map tasks are.
func newList() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:    "list [INPUT…]",
		Hidden: true,
		Short:  "Print the inputs that scan would read",
		Long: `Print the inputs that scan would read, in its order, each as a JSON object on a line of its own. It is for programs that read
every input in a process of its own: an input that is listed goes to extract by --paths - or, where it has records, by
--records -, with the base-url that stands there; any other is an argument.
` + exitStatusText,
		Example: "  acapscan list crawl-data/",
		Args:    f.given,
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := f.list(cmd.Context(), args, cmd.InOrStdin(), &f.remoteFlags)
			if err != nil {
				return err
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetEscapeHTML(false)
			for _, in := range inputs {
				if in.IsStream() {
					return usageError{errors.New("standard input cannot be read by another process")}
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

// listedOf says how another process finds the input. What a folder holds and cannot be read has to be listed: as an
// argument it would be an error, and no row in table inputs.
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

// readListed reads what list printed. The inputs cannot be opened: they have their names and records.
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
			return nil, fmt.Errorf("%s is not what list prints: %w", file, err)
		}
		next := source.Input{Name: l.Name, Size: -1, Listed: l.Listed}
		for _, r := range l.Records {
			next.Records = append(next.Records, source.Range(r))
		}
		inputs = append(inputs, next)
	}
}
