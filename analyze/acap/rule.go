package acap

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A part is one usage of a rule, possibly from the definition of a local name (S3 4.5.3).
type part struct {
	usage      policy.Usage
	qualifiers []policy.Qualifier // of the definition; shared by all statements with it
	repairs    []policy.Defect    // of the definition
	defect     policy.Defect      // why there is no usage: unknown-usage, undefined-name; else ""
}

// maker makes statements from rules, in the same way for every carrier.
type maker struct {
	options Options
	version policy.Version // in force for the document (R-VER-1)
	// locals returns the parts of a local usage. Nil for a carrier without local usages: a META (S0 3).
	locals func(name string) (parts []part, ok bool)
	// hasSet reports whether a name is a resource set, for qualifiers. Nil for a carrier without sets. R-DEF-1.
	hasSet func(name string) bool
	extra  int // additional statements that are left; see maxExtraParts
}

// A rule is one written permission or prohibition.
type rule struct {
	base       policy.Statement // place, agents, purposes, resource, raw text, status and defects so far
	sense      policy.Sense
	target     string // the text after the sense
	qualifiers []policy.Qualifier
	repairs    []policy.Defect // of the line and of its heading
	cut        bool            // there are qualifiers over the limit
	elements   bool            // it has an element set, so it applies to elements of pages (S0 3)
}

// appendStatements appends the rule's statements, at least one, numbered from base.Part.
func (m *maker) appendStatements(list []policy.Statement, r rule) []policy.Statement {
	parts, ok := m.parts(&r)
	if !ok {
		parts = []part{{}} // base has the defect
	}
	if m.extra -= len(parts) - 1; m.extra < 0 {
		m.extra = 0
		parts = []part{{}}
		r.base.AddDefect(policy.DefectSizeLimit)
		worsen(&r.base, policy.Invalid)
	}
	for i, p := range parts {
		s := r.base
		s.Part += i
		s.Defects = slices.Clip(s.Defects) // so that an append does not change the next statement
		m.finish(&s, r, p)
		list = append(list, s)
	}
	return list
}

// parts returns the usages of a rule. If there is none, ok is false and r.base has the defect. R-USE-1, R-DEF-1,
// R-DEF-2.
func (m *maker) parts(r *rule) (parts []part, ok bool) {
	name, local := localName(r.target)
	switch {
	case !local:
		usage, repairs := readUsage(r.target)
		if usage == policy.NoUsage {
			return []part{{defect: policy.DefectUnknownUsage}}, true
		}
		return []part{{usage: usage, repairs: repairs}}, true
	case m.options.Without.Has(policy.RuleLocalUsage):
		return []part{{defect: policy.DefectUnknownUsage}}, true
	case r.sense == policy.Disallow:
		r.base.AddDefect(policy.DefectLocalProhibition)
		worsen(&r.base, policy.Invalid)
		return nil, false
	case m.locals == nil:
		return []part{{defect: policy.DefectUnknownUsage}}, true
	}
	if parts, ok = m.locals(name); !ok {
		return []part{{defect: policy.DefectUndefinedName}}, true
	}
	if len(parts) == 0 { // no part of the definition is valid
		return []part{{defect: policy.DefectUnknownUsage}}, true
	}
	return parts, true
}

// finish sets usage, qualifiers, status and defects of a statement.
func (m *maker) finish(s *policy.Statement, r rule, p part) {
	s.Sense, s.Usage = r.sense, p.usage
	s.Field = ruleName(r.sense, p.usage, r.target)
	if _, local := localName(r.target); local {
		s.Field = ruleName(r.sense, policy.NoUsage, r.target)
	}
	m.repair(s, r.repairs)
	m.repair(s, p.repairs)
	switch p.defect {
	case "":
	case policy.DefectUnknownUsage: // R-USE-1
		s.AddDefect(p.defect)
		worsen(s, m.unless(policy.RuleUnknownUsage, policy.Ignored, policy.Invalid))
	default:
		s.AddDefect(p.defect)
		worsen(s, policy.Invalid)
	}
	m.qualify(s, r, p)
	if r.elements {
		s.AddDefect(policy.DefectElementSet)
		if s.Status.Decides() {
			s.Status = policy.Recorded
		}
	}
}

// repair records the repairs of a statement. R-LEX-6, R-META-2.
func (m *maker) repair(s *policy.Statement, repairs []policy.Defect) {
	for _, repair := range repairs {
		s.AddDefect(repair)
		if m.options.Refuses(repair) {
			worsen(s, policy.Invalid)
		} else {
			worsen(s, policy.Repaired)
		}
	}
}

// qualify sets the qualifiers of a statement, from its definition and its own. R-QUAL-1, R-QUAL-2, R-VER-1.
//
// The version is checked first, also for prohibitions, because S0 2.2.7 has a crawler ignore the whole field.
func (m *maker) qualify(s *policy.Statement, r rule, p part) {
	all, cut := join(p.qualifiers, r.qualifiers)
	if cut || r.cut {
		s.AddDefect(policy.DefectSizeLimit)
	}
	if len(all) == 0 {
		return
	}
	if !m.version.Has11() && !m.options.Without.Has(policy.RuleVersion) &&
		slices.ContainsFunc(all, func(q policy.Qualifier) bool { return q.Name.Needs11() }) {
		s.AddDefect(policy.DefectVersionGate)
		worsen(s, policy.Ignored)
	}
	if s.Sense == policy.Disallow {
		// R-QUAL-1: the prohibition applies without them. Raw keeps the text.
		s.AddDefect(policy.DefectQualifiedProhibition)
		worsen(s, m.unless(policy.RuleQualifiedProhibition, s.Status, policy.Invalid))
		return
	}
	s.Qualifiers = all
	if s.Usage == policy.NoUsage {
		return // there is no usage for them
	}
	var odd []policy.Qualifier
	for _, q := range all {
		defects := m.check(q, s)
		for _, d := range defects {
			s.AddDefect(d)
		}
		if len(defects) > 0 {
			odd = append(odd, q)
		}
	}
	if redundant(all) {
		s.AddDefect(policy.DefectRedundantQualifier)
	}
	if len(odd) > 0 && m.options.Without.Has(policy.RuleOddQualifier) {
		s.Qualifiers = slices.DeleteFunc(slices.Clone(all),
			func(q policy.Qualifier) bool { return slices.Contains(odd, q) })
	}
}

// redundant reports whether the value any of prohibited-modification, which includes all others, stands with another
// value. S3 4.5.3.1 has no such list. S2 2.5.5 says what any means, so all values stay and the decision is the same.
// R-QUAL-3.
func redundant(list []policy.Qualifier) bool {
	n, any := 0, false
	for _, q := range list {
		if q.Name == policy.ProhibitedModification {
			n++
			any = any || strings.EqualFold(q.Value, "any")
		}
	}
	return n > 1 && any
}

// check returns the defects of a qualifier in a statement. R-QUAL-2, R-QUAL-3.
func (m *maker) check(q policy.Qualifier, s *policy.Statement) []policy.Defect {
	defects := q.Check(s.Usage, s.Source)
	if name, ok := policy.CutResourceSet(q.Value); ok && q.Name.TakesResource() && m.hasSet != nil { // R-DEF-1
		defects = slices.DeleteFunc(defects,
			func(d policy.Defect) bool { return d == policy.DefectUnknownQualifierValue })
		if !m.hasSet(policy.LowerASCII(name)) {
			defects = append(defects, policy.DefectUndefinedName)
		}
	}
	if m.options.Without.Has(policy.RuleQualifierPlace) {
		defects = slices.DeleteFunc(defects, func(d policy.Defect) bool {
			return d == policy.DefectQualifierNotForUsage || d == policy.DefectQualifierNotForSource
		})
	}
	return defects
}

// unless returns status, or without if the rule is disabled.
func (m *maker) unless(rule policy.Rule, status, without policy.Status) policy.Status {
	if m.options.Without.Has(rule) {
		return without
	}
	return status
}

// pilotNamespace returns the repair of acap: to the-acap:. Below version 1.0 acap: is correct. R-LEX-6.
func (m *maker) pilotNamespace() []policy.Defect {
	if m.version.Pilot() {
		return nil
	}
	return []policy.Defect{policy.DefectPilotNamespace}
}

// join returns a and b as one list, cut at maxQualifiers. It returns a list itself if the other is empty.
func join(a, b []policy.Qualifier) (all []policy.Qualifier, cut bool) {
	switch {
	case len(a) == 0:
		all = b
	case len(b) == 0:
		all = a
	default:
		all = slices.Concat(a, b[:min(len(b), maxQualifiers-min(len(a), maxQualifiers))])
	}
	cut = len(a)+len(b) > maxQualifiers
	return slices.Clip(all[:min(len(all), maxQualifiers)]), cut
}

// A token is a word of a rule after its resource or usage: a qualifier or an undefined word.
type token struct {
	text        string // the word, or the first word of the qualifier
	name, value string
	qualifier   bool
}

func (t token) isQualifier() bool { return t.qualifier }

// tokenize finds the qualifiers in a list of words. Blanks may surround '=' (R-QUAL-3, S3 4.5.6). The last qualifier
// may lack its value.
func tokenize(words []string) []token {
	tokens := make([]token, 0, len(words))
	for i := 0; i < len(words); i++ {
		t := token{text: words[i]}
		t.name, t.value, t.qualifier = strings.Cut(t.text, "=")
		if !t.qualifier && i+1 < len(words) && words[i+1][0] == '=' { // name =value
			i++
			t.value, t.qualifier = words[i][1:], true
		}
		if t.qualifier && t.name != "" && t.value == "" && i+1 < len(words) { // name= value
			i++
			t.value = words[i]
		}
		t.qualifier = t.qualifier && t.name != ""
		tokens = append(tokens, t)
	}
	return tokens
}

// elementSets are the prefixes of element sets. S0 3.
var elementSets = [...]string{"idlist:", "classlist:", "taglist:"}

// isElementSet reports whether a word begins an element set, in either spelling of the name space.
func isElementSet(word string) bool {
	rest, ok := cutPrefixFold(word, policy.Namespace)
	if !ok {
		rest, ok = cutPrefixFold(word, policy.PilotNamespace)
	}
	return ok && slices.ContainsFunc(elementSets[:],
		func(kind string) bool { _, is := cutPrefixFold(rest, kind); return is })
}

// cutElementSet removes the element set from the words after a rule's resource or usage: the-acap:idlist:a, b. It
// includes words after a comma, or names if commas were dropped. set is "" if there is none. S0 3 defines the form, but
// no ACAP specification says where it belongs. A rule with one applies to elements, and decides nothing for the page or
// the site.
func cutElementSet(tokens []token, commasDropped bool) (set string, rest []token) {
	at := slices.IndexFunc(tokens, func(t token) bool { return !t.qualifier && isElementSet(t.text) })
	if at < 0 {
		return "", tokens
	}
	var b strings.Builder // a line may be long
	b.WriteString(tokens[at].text)
	end := at + 1
	for ; end < len(tokens) && !tokens[end].qualifier; end++ {
		word := tokens[end].text
		if strings.HasSuffix(tokens[end-1].text, ",") {
			b.WriteString(" ")
		} else if commasDropped && policy.IsName(word) {
			b.WriteString(", ")
		} else {
			break
		}
		b.WriteString(word)
	}
	return b.String(), slices.Concat(tokens[:at], tokens[end:])
}

// readQualifiers turns tokens into qualifiers. An undefined word becomes a qualifier without a value. Such a permission
// is conditional (R-QUAL-2), and a prohibition applies (R-QUAL-1).
func (m *maker) readQualifiers(tokens []token) (list []policy.Qualifier, repairs []policy.Defect, cut bool) {
	if len(tokens) > maxQualifiers {
		tokens, cut = tokens[:maxQualifiers], true
	}
	for _, t := range tokens {
		q := policy.Qualifier{Name: policy.QualifierName(policy.LowerASCII(t.text))}
		if t.qualifier {
			q = policy.Qualifier{Name: policy.QualifierName(policy.LowerASCII(t.name)), Value: t.value}
		}
		if q.Name == policy.MustUseResource || q.Name == policy.MustIncludeResource {
			if rest, ok := cutPrefixFold(q.Value, policy.PilotNamespace); ok {
				q.Value = policy.Namespace + rest
				repairs = m.pilotNamespace()
			}
		}
		list = append(list, q)
	}
	return list, repairs, cut
}
