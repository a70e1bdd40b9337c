package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/agents"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
)

// newAgents is the verb agents, which prints the list that --agents @common asks about.
func newAgents() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Print the well-known crawlers of --agents @common",
		Long: `Print the crawlers that --agents @common asks about, with the operator of each, its purpose, the day on
which it was listed, and a source. Purposes are search, archive, dataset (crawls that anyone may use), seo (figures
about links), ai-training, ai-search (an index for answers of models) and ai-user (pages that the user of a model asks
for).
` + exitStatusText,
		Example: "  acapscan agents\n  acapscan agents --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				lines := json.NewEncoder(cmd.OutOrStdout())
				for _, a := range agents.Common() {
					if err := lines.Encode(a); err != nil {
						return err
					}
				}
				return nil
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(out, "NAME\tOPERATOR\tPURPOSE\tLISTED\tSOURCE")
			for _, a := range agents.Common() {
				fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", a.Name, a.Operator, a.Purpose, a.Listed, a.Source)
			}
			return out.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, an object a line")
	return cmd
}

// readAgents reads the values of --agents: names, @common, and @FILE with a name a line.
func readAgents(values []string) ([]policy.Agent, error) {
	var asked []policy.Agent
	for _, value := range values {
		value = strings.TrimSpace(value)
		file, isFile := strings.CutPrefix(value, "@")
		switch {
		case value == "@common":
			for _, a := range agents.Common() {
				asked = append(asked, a.Name)
			}
		case isFile:
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, line := range strings.Split(string(text), "\n") {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
					agent, _ := policy.ParseAgent(line)
					asked = append(asked, agent)
				}
			}
		case value != "":
			agent, clean := policy.ParseAgent(value)
			if !clean {
				return nil, pipeline.Usagef("--agents: %q is no crawler's name", value)
			}
			asked = append(asked, agent)
		}
	}
	return asked, nil
}
