// Package acap reads the vocabulary of ACAP, the Automated Content Access Protocol. The ACAP- fields of a robots.txt
// and the METAs and class tokens of a page become statements of package policy, each with its place, status and
// defects.
//
// The package decides nothing between statements, and does not guess: it records undefined forms as written. Every
// leniency has a name (R-LEX-6) and a switch in Options.
//
// The rules are in docs/semantics.md. S0 is ACAP 1.1 part 2 (pages), S2 the implementation guide, S3 part 1
// (robots.txt).
package acap

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Options are those of every vocabulary.
type Options = vocabulary.Options

// Vocabulary describes ACAP.
func Vocabulary() vocabulary.Vocabulary {
	return vocabulary.Vocabulary{
		ID: policy.ACAP, Fields: []string{prefix}, ReadRobots: ReadRobots, ReadPage: ReadPage,
		OwnsContent: func(content string) bool {
			_, ok := cutACAP(content)
			return ok
		},
	}
}

// prefix begins the name of every field.
const prefix = "acap-"

// Limits on the statements of a document. Real documents stay far below. A document over a limit has the defect
// policy.DefectSizeLimit.
const (
	maxQualifiers = 32      // of one statement, those of a local usage included
	maxParts      = 64      // usages of a composite usage, statements in one META
	maxExtraParts = 1 << 14 // statements of a document in addition to one for each rule or token
	maxPage       = 1 << 16 // statements of a page
	maxRefused    = 16      // members of one resource set that have a row because they are not patterns
)

// cutPrefixFold returns s without an ASCII prefix, in any case.
func cutPrefixFold(s, prefix string) (rest string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// localName returns the name in `(name)`, in lower case; names ignore case (R-DEF-1, S3 4.5.3.2).
func localName(s string) (name string, ok bool) {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return "", false
	}
	return policy.LowerASCII(s[1 : len(s)-1]), true
}

// appendOnce adds a defect to a list unless the list has it.
func appendOnce(list []policy.Defect, d policy.Defect) []policy.Defect {
	if slices.Contains(list, d) {
		return list
	}
	return append(list, d)
}

// worsen sets the status of s unless it already has a worse one.
func worsen(s *policy.Statement, status policy.Status) {
	rank := func(status policy.Status) int {
		return slices.Index([]policy.Status{policy.Recorded, policy.Valid, policy.Repaired, policy.Ignored,
			policy.Invalid}, status)
	}
	if rank(status) > rank(s.Status) {
		s.Status = status
	}
}
