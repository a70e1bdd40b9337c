package acap

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// A definition is a field that defines a local name. S3 4.5.3.
type definition struct {
	kind     kind
	name     string             // in lower case; "" if nothing is defined
	rows     []policy.Statement // its statements: itself first, then the members of a set that are not patterns
	words    []string           // after the name
	repairs  []policy.Defect
	features []policy.Feature
}

// A resourceSet is a named list of patterns. R-DEF-3, S3 4.5.3.3.
type resourceSet struct {
	line     int              // of the definition
	patterns []policy.Pattern // shared by all rules that use the set
	repairs  []policy.Defect  // of the definition
}

// A localUsage is a named list of usages. R-DEF-2.
type localUsage struct {
	line      int // of the definition
	parts     []part
	qualified bool // and not composite
}

// collect reads all definitions of the file first, so that rules anywhere can use them. R-DEF-1.
func (r *robotsReader) collect(doc *robotstxt.Document) {
	fields := 0
	late := false // after a record, or a rule outside of one: S3 4.1 and its grammar have definitions before
	for line := range doc.Lines() {
		f, ok := readField(line, r.options)
		switch {
		case !ok:
		case f.kind.defines():
			r.define(f, late)
		case f.kind == crawlerField || f.kind == ruleField:
			late = true
		}
		if ok {
			fields++
		}
	}
	r.file.Statements = slices.Grow(r.file.Statements, fields) // most fields make one each
	// A composite usage may name a qualified one that follows it.
	for i := range r.definitions {
		if d := &r.definitions[i]; d.name != "" && d.kind == compositeUsageField {
			r.defineComposite(d)
		}
	}
}

// define reads one definition, without the parts of a composite usage.
func (r *robotsReader) define(f field, late bool) {
	d := definition{kind: f.kind, repairs: f.repairs}
	s, _ := r.recorded(f)
	if late {
		s.AddDefect(policy.DefectDefinitionLate)
	}
	name, rest, _ := cutBlank(f.value)
	d.words = strings.FieldsFunc(rest, isBlankRune)
	d.rows = []policy.Statement{s}
	switch {
	case !policy.IsName(name):
		d.fail(policy.DefectSyntax, policy.Invalid)
	case len(d.words) == 0, f.kind == qualifiedUsageField && len(d.words) == 1: // its name is undefined
		d.fail(policy.DefectEmptyDefinition, policy.Invalid)
	case r.defined(f.kind, policy.LowerASCII(name)):
		d.fail(policy.DefectRedefinedName, policy.Ignored)
	default:
		d.name = policy.LowerASCII(name)
		switch f.kind {
		case resourceSetField:
			d.rows[0].Resource = rest
			r.defineSet(&d)
		case qualifiedUsageField:
			r.defineQualified(&d)
		case compositeUsageField:
			r.usages[d.name] = localUsage{line: s.Line} // the name is taken
		}
	}
	r.definitions = append(r.definitions, d)
}

// fail marks a definition that defines nothing useful.
func (d *definition) fail(defect policy.Defect, status policy.Status) {
	d.rows[0].AddDefect(defect)
	worsen(&d.rows[0], status)
}

// defined reports whether the name is defined. Qualified and composite usages share one name space. R-DEF-1.
func (r *robotsReader) defined(k kind, name string) bool {
	if k == resourceSetField {
		return r.sets[name] != nil
	}
	_, taken := r.usages[name]
	return taken
}

// defineSet reads the members of a resource set. A member that is not a pattern has a row of its own.
func (r *robotsReader) defineSet(d *definition) {
	set := &resourceSet{line: d.rows[0].Line, repairs: d.repairs}
	for _, word := range d.words {
		pattern, repaired, err := r.readPattern(word)
		if repaired {
			d.rows[0].AddDefect(policy.DefectPathNotRooted)
			set.repairs = appendOnce(slices.Clip(set.repairs), policy.DefectPathNotRooted)
		}
		if err == nil {
			set.patterns = append(set.patterns, pattern)
			continue
		}
		defect := patternDefect(err)
		d.rows[0].AddDefect(defect)
		if n := len(d.rows); n <= maxRefused {
			row := d.rows[0]
			row.Part, row.Resource = n+1, word
			row.Status, row.Defects = policy.Invalid, []policy.Defect{defect}
			d.rows = append(d.rows, row)
		}
	}
	if len(set.patterns) == 0 {
		d.fail(policy.DefectMissingResource, policy.Invalid)
	}
	r.sets[d.name] = set
	if d.rows[0].Status == policy.Recorded {
		r.file.ResourceSets++
	}
	d.features = []policy.Feature{policy.FeatureResourceSet}
}

// defineQualified reads the usage and the qualifiers of a qualified usage. S3 4.5.3.1.
func (r *robotsReader) defineQualified(d *definition) {
	p := part{repairs: d.repairs}
	var repairs, more []policy.Defect
	if p.usage, repairs = readUsage(d.words[0]); p.usage == policy.NoUsage {
		p.defect = policy.DefectUnknownUsage
		d.rows[0].AddDefect(p.defect)
	}
	var cut bool
	p.qualifiers, more, cut = r.readQualifiers(tokenize(d.words[1:]))
	if cut {
		d.rows[0].AddDefect(policy.DefectSizeLimit)
	}
	p.repairs = slices.Concat(p.repairs, repairs, more)
	d.features = []policy.Feature{policy.FeatureQualifiedUsage}
	if len(p.qualifiers) > 0 {
		d.features = append(d.features, policy.FeatureQualifier)
	}
	r.setUsage(d, []part{p})
}

// defineComposite reads the usages of a composite usage: standard ones and qualified ones. S3 4.5.3.2.
func (r *robotsReader) defineComposite(d *definition) {
	words := d.words
	if len(words) > maxParts {
		words = words[:maxParts]
		d.rows[0].AddDefect(policy.DefectSizeLimit)
	}
	parts := make([]part, 0, len(words))
	for _, word := range words {
		var p part
		if name, local := localName(word); !local {
			if p.usage, p.repairs = readUsage(word); p.usage == policy.NoUsage {
				p.defect = policy.DefectUnknownUsage
			}
		} else if u := r.usages[name]; u.qualified &&
			r.holds(u.line, d.rows[0].Line) { // not a composite one (S3 4.5.3)
			p = u.parts[0]
		} else {
			p.defect = policy.DefectUndefinedName
		}
		if p.defect != "" {
			d.rows[0].AddDefect(p.defect)
		}
		p.repairs = slices.Concat(d.repairs, p.repairs)
		parts = append(parts, p)
	}
	d.features = []policy.Feature{policy.FeatureCompositeUsage}
	r.setUsage(d, parts)
}

// setUsage defines the name as the parts, here and in the file. The file has only the parts with a usage.
func (r *robotsReader) setUsage(d *definition, parts []part) {
	r.usages[d.name] = localUsage{line: d.rows[0].Line, parts: parts, qualified: d.kind == qualifiedUsageField}
	local := policy.LocalUsage{Name: d.name, Line: d.rows[0].Line}
	for _, p := range parts {
		if len(p.repairs) > 0 {
			for _, repair := range p.repairs {
				d.rows[0].AddDefect(repair)
			}
			if slices.ContainsFunc(p.repairs, r.options.Refuses) {
				worsen(&d.rows[0], policy.Invalid)
				continue
			}
		}
		if p.usage != policy.NoUsage {
			local.Parts = append(local.Parts, policy.QualifiedUsage{Usage: p.usage, Qualifiers: p.qualifiers})
		}
	}
	if r.file.Locals == nil {
		r.file.Locals = map[string]policy.LocalUsage{}
	}
	r.file.Locals[d.name] = local
}

// isSet reports whether a name is a resource set at the current line. R-DEF-1.
func (r *robotsReader) isSet(name string) bool {
	set := r.sets[name]
	return set != nil && r.holds(set.line, r.line)
}

// readPattern reads a pattern. It repairs a missing root, unless that repair is refused. R-PAT-1.
func (r *robotsReader) readPattern(text string) (p policy.Pattern, repaired bool, err error) {
	if r.options.Refuses(policy.DefectPathNotRooted) {
		p, err = policy.ReadPattern(text, r.options.Without)
		return p, false, err
	}
	return policy.ReadRooted(text, r.options.Without)
}

// local returns the parts of a local usage.
func (r *robotsReader) local(name string) (parts []part, ok bool) {
	usage, ok := r.usages[name]
	return usage.parts, ok && r.holds(usage.line, r.line)
}

// holds reports whether a definition applies to another line of the file. R-DEF-1.
func (r *robotsReader) holds(definition, use int) bool {
	return definition < use || !r.options.Without.Has(policy.RuleDefinition)
}

// readDefinition adds the statements of the next collected definition.
func (r *robotsReader) readDefinition() {
	d := r.definitions[0]
	r.definitions = r.definitions[1:]
	r.file.Statements = append(r.file.Statements, d.rows...)
	if d.rows[0].Status == policy.Recorded {
		for _, feature := range d.features {
			r.file.AddFeature(feature)
		}
	}
}
