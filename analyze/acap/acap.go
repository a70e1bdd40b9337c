// Package acap reads the vocabulary of ACAP, the Automated Content Access Protocol: the ACAP- fields of a robots.txt and the METAs
// and class tokens of a page become statements of package policy, each with its place, its status and its defects.
//
// It decides nothing between statements, reads no conventional directive, parses no HTML and fetches nothing. It must not guess:
// what no document defines is kept as written and marked, and every leniency has a name (R-LEX-6) and a switch in Options.
//
// The rules are those of docs/semantics.md. S0 is ACAP 1.1 part 2 (pages), S2 the implementation guide, S3 part 1 (robots.txt).
package acap

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// Options choose how lenient the reader is. The zero Options are the default: all four repairs of R-LEX-6 and that of typographic quotes
// (R-META-2) are made, and what they touch is policy.Repaired with the repair's defect.
type Options struct {
	// Refuse are the repairs that are not made, of policy.Repairs. A statement that needs one is policy.Invalid with the same
	// defect.
	Refuse  []policy.Defect
	Without policy.RuleSet // the rules that are left out
	// BodyMETAs lets METAs that stand in the body of a page count as those in the head do (R-META-1).
	BodyMETAs bool
}

// refuses tells whether a repair is switched off.
func (o Options) refuses(repair policy.Defect) bool {
	return slices.Contains(o.Refuse, repair) || o.Without.Has(policy.RuleRepairs) && slices.Contains(policy.Slips(), repair)
}

// refusesAny tells whether one of the repairs is switched off.
func (o Options) refusesAny(repairs []policy.Defect) bool {
	return slices.ContainsFunc(repairs, o.refuses)
}

// Bounds on what a document can make of its bytes. Real documents stay far below; what a bound cuts off is marked
// policy.DefectSizeLimit.
const (
	maxQualifiers = 32      // of one statement, those of a local usage included
	maxParts      = 64      // usages of a composite usage, statements in one META
	maxExtraParts = 1 << 14 // statements of a document beyond one for each rule or token that was written
	maxPage       = 1 << 16 // statements of a page
	maxRefused    = 16      // members of one resource set that get a row of their own because they are no patterns
)

// cutPrefixFold returns what follows an ASCII prefix in s, in any case.
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

// appendOnce adds a defect to a list that does not have it.
func appendOnce(list []policy.Defect, d policy.Defect) []policy.Defect {
	if slices.Contains(list, d) {
		return list
	}
	return append(list, d)
}

// worsen gives s a status unless it has a worse one already.
func worsen(s *policy.Statement, status policy.Status) {
	rank := func(status policy.Status) int {
		return slices.Index([]policy.Status{policy.Recorded, policy.Valid, policy.Repaired, policy.Ignored, policy.Invalid}, status)
	}
	if rank(status) > rank(s.Status) {
		s.Status = status
	}
}
