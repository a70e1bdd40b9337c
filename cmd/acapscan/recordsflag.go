package main

import (
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/ingest/extractrun"
)

// recordsFlag is --refuse-records: a set of defects of records, one of them at a time, or all.
type recordsFlag struct{ refused extractrun.Refused }

func (f *recordsFlag) Set(code string) error {
	codes := []string{code}
	if code == "all" {
		codes = extractrun.RefusableDefects()
	}
	for _, code := range codes {
		if !f.refused.Add(code) {
			return fmt.Errorf("%q is none of all, %s", code, strings.Join(extractrun.RefusableDefects(), ", "))
		}
	}
	return nil
}

// String names the set, in one order whatever the order of the flags was.
func (f *recordsFlag) String() string {
	codes := f.refused.Codes()
	if len(codes) == len(extractrun.RefusableDefects()) {
		return "all"
	}
	return strings.Join(codes, ",")
}

func (f *recordsFlag) Type() string { return "defect" }
