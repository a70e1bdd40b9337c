// Package agents has the list of well-known crawlers that --agents @common names: agents.csv. It decides nothing.
package agents

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// An Agent is a well-known crawler, or a name that crawlers obey in robots.txt, such as Google-Extended.
type Agent struct {
	Name     policy.Agent `json:"name"`
	Operator string       `json:"operator"`
	Purpose  Purpose      `json:"purpose"`
	Listed   string       `json:"listed"` // the day on which the row was written, such as 2026-11-22
	Source   string       `json:"source"` // where the operator describes the agent, or who does instead
}

// A Purpose is what an operator crawls for.
type Purpose string

// The purposes of the list.
const (
	Search     Purpose = "search"      // an index for people
	AITraining Purpose = "ai-training" // text and images to train models
	AISearch   Purpose = "ai-search"   // an index for answers of models
	AIUser     Purpose = "ai-user"     // pages that the user of a model asks for
	Archive    Purpose = "archive"     // copies for the future
	Dataset    Purpose = "dataset"     // crawls that anyone may use
	SEO        Purpose = "seo"         // figures about links and ranking
)

//go:embed agents.csv
var list string

// Common returns the list, in alphabetical order.
func Common() []Agent {
	rows, err := csv.NewReader(strings.NewReader(list)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("agents.csv: %v", err)) // a test reads it
	}
	var all []Agent
	for _, row := range rows[1:] {
		all = append(all, Agent{policy.Agent(row[0]), row[1], Purpose(row[2]), row[3], row[4]})
	}
	return all
}
