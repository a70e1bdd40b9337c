package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/reading"
)

// readingFlags are the flags that say how documents are read and decided; several verbs have them.
type readingFlags struct {
	strict  bool
	profile string
	other   string
}

func (f *readingFlags) addReading(flags *pflag.FlagSet) {
	flags.BoolVar(&f.strict, "strict", false, "make no repairs: what needs one is invalid (R-LEX-6)")
}

func (f *readingFlags) addDeciding(flags *pflag.FlagSet) {
	flags.StringVar(&f.profile, "profile", "1.1", "reading of the documents: `1.1` or pilot")
	flags.StringVar(&f.other, "other", "broad", "what the usage other reaches: `broad` or narrow (R-DEC-13)")
}

func (f *readingFlags) reading() reading.Options {
	return reading.Options{ACAP: acap.Options{Strict: f.strict}}
}

func (f *readingFlags) deciding() (decide.Options, error) {
	var opts decide.Options
	switch f.profile {
	case "1.1":
	case "pilot":
		opts.Profile = decide.ProfilePilot
	default:
		return opts, usageError{fmt.Errorf("--profile is 1.1 or pilot, not %q", f.profile)}
	}
	switch f.other {
	case "broad":
	case "narrow":
		opts.Other = decide.OtherNarrow
	default:
		return opts, usageError{fmt.Errorf("--other is broad or narrow, not %q", f.other)}
	}
	return opts, nil
}
