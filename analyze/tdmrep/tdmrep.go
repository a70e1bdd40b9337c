// Package tdmrep reads reservations of the TDM Reservation Protocol into statements: METAs, header fields and the file
// /.well-known/tdmrep.json (R-TDM-1 to R-TDM-3). TDMREP is the report of the W3C community group of 2025-12-07. It
// decides nothing.
package tdmrep

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Vocabulary describes the protocol.
func Vocabulary() vocabulary.Vocabulary {
	names := []string{reservation, tdmPolicy}
	return vocabulary.Vocabulary{ID: policy.TDMRep, METAs: names, Headers: names, ReadPage: readPage}
}

// The properties: names of METAs and header fields, and members of a rule in tdmrep.json.
const (
	reservation = "tdm-reservation"
	tdmPolicy   = "tdm-policy"
)

// readPage adds the reservations of a page and of its header (R-TDM-1). A META supersedes header fields of its name
// (R-TDM-2).
func readPage(markup []policy.Markup, _ *policy.File, options vocabulary.Options, p *policy.Page) {
	begin := len(p.Statements)
	for _, m := range markup {
		name := policy.LowerASCII(strings.TrimSpace(m.Name))
		if m.Source != policy.Meta && m.Source != policy.HTTPHeader || name != reservation && name != tdmPolicy {
			continue
		}
		value := strings.Trim(m.Value, " \t\r\n\f")
		st := statement(m.Source, name, value)
		if options.Without.Has(policy.RuleReservation) {
			st = vocabulary.Recorded(statement(m.Source, tdmPolicy, value), value)
			st.Field = name
		}
		st.Offset, st.Raw = m.Offset, m.Raw
		options.AddMarkupDefects(&st, &m)
		p.Statements = append(p.Statements, st)
	}
	if !options.Without.Has(policy.RuleReservationOrder) {
		supersede(p.Statements[begin:])
	}
}

// supersede marks the header fields that METAs of the same page supersede. R-TDM-2.
func supersede(statements []policy.Statement) {
	for i := range statements {
		st := &statements[i]
		if st.Source == policy.HTTPHeader && counts(st) && slices.ContainsFunc(statements,
			func(other policy.Statement) bool {
				return other.Source == policy.Meta && other.Field == st.Field && counts(&other)
			}) {
			st.Status = policy.Ignored
		}
	}
}

// counts reports whether a statement sets its property: others must not reset what another carrier says.
func counts(st *policy.Statement) bool {
	return st.Status == policy.Valid || st.Status == policy.Repaired || st.Field == tdmPolicy &&
		st.Status == policy.Recorded
}

// statement returns the statement of a property, for any agent and without a place. 1 reserves the rights, 0 does not,
// and any other value is an error that leaves the property unset (TDMREP 4.1). A policy is only recorded.
func statement(source policy.Source, name, value string) policy.Statement {
	st := policy.Statement{
		Vocabulary: policy.TDMRep, Source: source, Part: 1, Field: name, Resource: value,
		Agents: []policy.Agent{policy.AnyAgent}, Status: policy.Recorded,
	}
	if name == tdmPolicy {
		return st
	}
	st.Usage, st.Status, st.Resource = policy.TDM, policy.Valid, ""
	switch value {
	case "1":
		st.Sense = policy.Disallow
	case "0":
		st.Sense = policy.Allow
	default:
		st.Usage, st.Status, st.Resource = policy.NoUsage, policy.Invalid, value
		st.AddDefect(policy.DefectUnknownPreference)
	}
	return st
}
