package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
)

// readingFlags change how files are read and decided; several verbs have them.
type readingFlags struct {
	strict  bool
	refuse  repairsFlag
	without rulesFlag
	profile string
	other   string

	bodyMETAs bool
}

func (f *readingFlags) addReading(flags *pflag.FlagSet) {
	flags.BoolVar(&f.strict, "strict", false, "refuse the four repairs of R-LEX-6, like --refuse of each")
	flags.Var(&f.refuse, "refuse",
		"make no repair of this `DEFECT`, so that the statement is invalid; repeatable: "+f.refuse.choices())
	flags.Var(&f.without, "without", "leave out this `RULE` of docs/semantics.md, such as R-DEC-1; repeatable")
}

// addPages adds the flag that changes how pages are read.
func (f *readingFlags) addPages(flags *pflag.FlagSet) {
	flags.BoolVar(&f.bodyMETAs, "body-metas", false,
		"count METAs in the body of a page like those in the head (R-META-1)")
}

func (f *readingFlags) addDeciding(flags *pflag.FlagSet) {
	flags.StringVar(&f.profile, "profile", "1.1",
		"interpretation of the ACAP specifications: `1.1`, or pilot (that of 2007)")
	flags.StringVar(&f.other, "other", "broad",
		"usages that a rule about other covers: `broad`, narrow or level (R-DEC-13)")
}

func (f *readingFlags) reading() parse.Options {
	opts := parse.Options{Refuse: slices.Clone(f.refuse.defects), Without: f.without.rules, BodyMETAs: f.bodyMETAs}
	if f.strict {
		opts.Refuse = append(opts.Refuse, policy.Slips()...)
	}
	return opts
}

// readingSettings are the options that change how policies are read.
func (f *readingFlags) readingSettings() map[string]string {
	return map[string]string{
		"strict": strconv.FormatBool(f.strict), "refuse": f.refuse.String(), "without": f.without.String(),
	}
}

func (f *readingFlags) deciding() (decide.Options, error) {
	opts := decide.Options{Without: f.without.rules}
	var ok bool
	if opts.Profile, ok = terms.Parse[decide.Profile](f.profile); !ok {
		return opts, pipeline.Usagef("--profile is 1.1 or pilot, not %q", f.profile)
	}
	if opts.Other, ok = terms.Parse[decide.Reach](f.other); !ok {
		return opts, pipeline.Usagef("--other is broad, narrow or level, not %q", f.other)
	}
	return opts, nil
}

// rulesFlag is --without, a set of rules. Each flag adds one.
type rulesFlag struct{ rules policy.RuleSet }

func (f *rulesFlag) Set(id string) error {
	rule, ok := policy.ParseRule(id)
	if !ok {
		return fmt.Errorf("%q is no rule of docs/semantics.md", id)
	}
	f.rules = f.rules.With(rule)
	return nil
}

func (f *rulesFlag) String() string { return f.rules.String() }

func (f *rulesFlag) Type() string { return "rule" }

// repairsFlag is --refuse, a sorted set of repairs. Each flag adds one.
type repairsFlag struct{ defects []policy.Defect }

func (f *repairsFlag) Set(code string) error {
	defect := policy.Defect(code)
	if !slices.Contains(policy.Repairs(), defect) {
		return fmt.Errorf("%q is none of %s", code, f.choices())
	}
	if !slices.Contains(f.defects, defect) {
		f.defects = append(f.defects, defect)
		slices.Sort(f.defects)
	}
	return nil
}

func (f *repairsFlag) String() string { return console.Join(f.defects, ",") }

func (f *repairsFlag) Type() string { return "defect" }

func (f *repairsFlag) choices() string { return console.Join(policy.Repairs(), ", ") }
