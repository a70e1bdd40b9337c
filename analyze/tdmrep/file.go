package tdmrep

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Path is where a site has its file (TDMREP 5.1).
const Path = "/.well-known/tdmrep.json"

// maxRules limits the rules of a file. Real ones have fewer than a hundred.
const maxRules = 1000

// maxText limits what a statement holds of a rule or of a value, in bytes.
const maxText = 4096

// ReadFile reads a tdmrep.json. Each rule makes a statement about tdm, and one that records its policy. Line is the
// number
// of the rule in sequence, from 1: of the rules that match a path the first counts. A rule with an error is invalid.
// A body that is no JSON array has one invalid statement. ReadFile keeps nothing of body. R-TDM-1.
func ReadFile(body []byte, options vocabulary.Options) (list []policy.Statement) {
	if options.Without.Has(policy.RuleReservation) {
		return nil
	}
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	var rules []json.RawMessage
	if err := json.Unmarshal(body, &rules); err != nil || rules == nil {
		return []policy.Statement{unreadable(1, body)}
	}
	for i, text := range rules {
		if i == maxRules {
			list[len(list)-1].AddDefect(policy.DefectSizeLimit)
			break
		}
		list = append(list, readRule(i+1, text, options)...)
	}
	return list
}

// readRule returns the statements of one rule. The names of its members have one letter case.
func readRule(number int, text []byte, options vocabulary.Options) []policy.Statement {
	var rule map[string]json.RawMessage
	if err := json.Unmarshal(text, &rule); err != nil || rule == nil {
		return []policy.Statement{unreadable(number, text)}
	}
	st := statement(policy.TDMFile, reservation, flag(rule[reservation]))
	st.Line, st.Offset, st.Raw = number, -1, cut(text)
	location, _ := stringOf(rule["location"])
	pattern, err := policy.ReadPattern(location, options.Without)
	switch {
	case err == nil:
		st.Patterns = []policy.Pattern{pattern}
	case errors.Is(err, policy.ErrMissingResource):
		st.AddDefect(policy.DefectMissingResource)
	default:
		st.AddDefect(policy.DefectPathNotRooted)
	}
	if err != nil {
		st.Status = policy.Invalid
	}
	if st.Status == policy.Valid {
		st.Resource = cut(location)
	}
	list := []policy.Statement{st}
	if raw, ok := rule[tdmPolicy]; ok {
		uri, isString := stringOf(raw)
		st := statement(policy.TDMFile, tdmPolicy, cut(uri))
		st.Line, st.Offset, st.Part, st.Raw = number, -1, 2, list[0].Raw
		if !isString {
			st.Status = policy.Invalid
			st.AddDefect(policy.DefectUnknownPreference)
		}
		list = append(list, st)
	}
	return list
}

// unreadable returns the statement of a rule that cannot be read, or with number 1 of such a file.
func unreadable(number int, text []byte) policy.Statement {
	return policy.Statement{
		Vocabulary: policy.TDMRep, Source: policy.TDMFile, Line: number, Offset: -1, Part: 1, Field: reservation,
		Agents: []policy.Agent{policy.AnyAgent}, Status: policy.Invalid, Defects: []policy.Defect{policy.DefectSyntax},
		Raw: cut(text),
	}
}

// flag returns the numbers 1 and 0 as a header field has them, and any other value as written.
func flag(value json.RawMessage) string {
	var number *float64
	if json.Unmarshal(value, &number) == nil && number != nil {
		switch *number {
		case 0:
			return "0"
		case 1:
			return "1"
		}
	}
	return cut(value)
}

// stringOf returns a JSON string, and false for any other value.
func stringOf(value json.RawMessage) (s string, ok bool) {
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// Reserve adds to a page the rule of a tdmrep.json that applies to it: the first that matches its normalised path,
// where neither the page nor its header sets a reservation (R-TDM-3). It returns the steps that it took, and whether it
// added one.
func Reserve(p *policy.Page, rules []policy.Statement, path string) (steps int, added bool) {
	for i := range p.Statements {
		if st := &p.Statements[i]; st.Usage == policy.TDM && st.Status.Decides() && st.Vocabulary == policy.TDMRep {
			return 0, false
		}
	}
	for i := range rules {
		st := rules[i]
		steps++
		if !st.Status.Decides() || len(st.Patterns) != 1 {
			continue
		}
		if steps += st.Patterns[0].Len() + len(path); st.Patterns[0].Match(path) {
			st.Patterns = nil // it is about this page
			p.Statements = append(slices.Clip(p.Statements), st)
			return steps, true
		}
	}
	return steps, false
}

func cut[T ~string | ~[]byte](text T) string { return string(text[:min(len(text), maxText)]) }
