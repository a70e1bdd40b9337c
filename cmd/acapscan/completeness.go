package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// addMinComplete adds the flag of completeness.atLeast.
func addMinComplete(flags *pflag.FlagSet, atLeast *float64) {
	flags.Float64Var(atLeast, "min-complete", 1, "`SHARE` of the inputs, from 0 to 1, that must be read whole for exit status 0 rather than 3")
}

func checkMinComplete(atLeast float64) error {
	if !(atLeast >= 0 && atLeast <= 1) {
		return usageError{fmt.Errorf("--min-complete %v is no share from 0 to 1", atLeast)}
	}
	return nil
}

// completeness is how many inputs of a run could be read whole, and how many of them have to be for exit status 0.
type completeness struct {
	inputs, unreadable int64
	atLeast            float64 // share of the inputs, from 0 to 1
}

// share is that of the inputs that could be read whole; of no input at all nothing is missing.
func (c completeness) share() float64 {
	if c.inputs == 0 {
		return 1
	}
	return float64(c.inputs-c.unreadable) / float64(c.inputs)
}

// tell writes the lines of a summary about it.
func (c completeness) tell(w io.Writer) {
	fmt.Fprintf(w, "inputs       %d, of which %d unreadable or cut\n", c.inputs, c.unreadable)
	fmt.Fprintf(w, "complete     %s of the inputs, needed %s\n", percent(c.share()), percent(c.atLeast))
}

// percent writes a share so that 100 % is never said of less.
func percent(share float64) string {
	text := fmt.Sprintf("%.2f", 100*share)
	if share < 1 && text == "100.00" {
		text = "99.99"
	}
	return text + " %"
}

// status is the error that ends the program with exit status 3, nil where enough could be read.
func (c completeness) status() error {
	const rounding = 1e-9 // 0.9 of 10 inputs is 9 of them
	if c.unreadable > 0 && c.share() < c.atLeast-rounding {
		return statusError{status: exitIncomplete}
	}
	return nil
}
