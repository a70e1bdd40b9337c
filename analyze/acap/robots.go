package acap

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// ReadRobots adds the ACAP content of a robots.txt to f: statements in line order, findings, the version, records,
// references and definitions. It ignores conventional lines (R-REC-1). The defects of the document (doc.Defects: nbsp,
// size-limit, marker-not-first, marker-extra-hashes) are not repeated as findings.
//
// ReadRobots never fails. Its strings share the memory of the document's text. The document limits its size, with
// maxExtraParts additional statements.
func ReadRobots(doc *robotstxt.Document, options Options, f *policy.File) {
	if !doc.ACAP { // nearly every file
		return
	}
	r := &robotsReader{file: f, named: map[policy.Agent]bool{}, usages: map[string]localUsage{},
		sets: map[string]*resourceSet{}}
	r.maker = maker{options: options, extra: maxExtraParts, locals: r.local, hasSet: r.isSet}
	for _, agent := range f.NamedRecords {
		r.named[agent.Key()] = true
	}
	r.readMarker(doc.Marker)
	r.collect(doc)
	for line := range doc.Lines() {
		if _, isOwn := cutPrefixFold(line.Text, prefix); isOwn {
			f.ACAPFields++
		}
		if field, ok := readField(line, options); ok {
			r.read(field)
		} else if r.record != nil && isConventional(line) { // R-REC-1
			r.find(policy.DefectConventional, line.Number)
			if options.Without.Has(policy.RuleApart) {
				r.closeRecord()
				r.record = nil
			}
		}
	}
	r.closeRecord()
	r.addFindings()
}

// robotsReader reads one file. It collects definitions first, because they may follow their use (R-DEF-1).
type robotsReader struct {
	maker
	file        *policy.File
	line        int          // the current line
	definitions []definition // in line order; read removes them from the front
	usages      map[string]localUsage
	sets        map[string]*resourceSet
	record      *record // nil before the first crawler line
	anyRecords  int     // records with the crawler `*`
	named       map[policy.Agent]bool
	findings    []policy.Finding
}

// A record is a list of crawlers with the statements that apply to them. R-REC-2, S3 4.5.2.
type record struct {
	heading        // its crawler fields
	line       int // of the first crawler field
	agents     []policy.Agent
	anyLine    int // of the first `*`, or 0
	rules      int
	others     int   // references and requests
	references []int // indices of references in the file's statements
	sub        *subRecord
}

// A subRecord is a list of purposes with the rules that apply to them. R-REC-3, S3 4.5.2.4.
type subRecord struct {
	heading  // its purpose fields
	purposes []policy.Purpose
}

// A heading is the list of fields at the beginning of a record or a sub-record.
type heading struct {
	repairs []policy.Defect // of these fields
	unread  policy.Defect   // why one of them is invalid
	closed  bool            // the next such field begins a new record or sub-record
}

// readHeading records the repairs of a field of a heading. It returns false, with a finding, if one of them is refused.
func (r *robotsReader) readHeading(h *heading, f field) bool {
	if i := slices.IndexFunc(f.repairs, r.options.Refuses); i >= 0 {
		h.unread = f.repairs[i]
		return false
	}
	for _, repair := range f.repairs {
		r.find(repair, f.line.Number)
		h.repairs = appendOnce(h.repairs, repair)
	}
	return true
}

// readMarker sets the version of the file. R-LEX-3, R-VER-1. An invalid version leaves the file without one.
func (r *robotsReader) readMarker(marker robotstxt.Marker) {
	if !marker.Found() {
		return
	}
	r.file.AddFeature(policy.FeatureMarker)
	version, ok := policy.ParseVersion(marker.Version)
	switch {
	case !ok:
		r.find(policy.DefectSyntax, marker.Line)
		return
	case version.Unknown():
		r.find(policy.DefectVersionUnknown, marker.Line)
	}
	r.file.Version, r.version = version, version
}

func (r *robotsReader) find(d policy.Defect, line int) {
	r.findings = append(r.findings, policy.Finding{Defect: d, Line: line})
}

// addFindings adds the findings to the file by line, each once. Some are found after those of later lines, so that
// File.AddFinding would not see that it has them.
func (r *robotsReader) addFindings() {
	slices.SortStableFunc(r.findings, func(a, b policy.Finding) int { return cmp.Compare(a.Line, b.Line) })
	have := make(map[policy.Finding]bool, len(r.file.Findings)+len(r.findings))
	for _, finding := range r.file.Findings {
		have[finding] = true
	}
	for _, finding := range r.findings {
		if !have[finding] {
			have[finding] = true
			r.file.Findings = append(r.file.Findings, finding)
		}
	}
}

func (r *robotsReader) read(f field) {
	r.line = f.line.Number
	if f.kind == requestField && r.options.Without.Has(policy.RuleRequest) {
		f.kind = unknownField
	}
	switch f.kind {
	case crawlerField:
		r.readCrawler(f)
	case purposeField:
		r.readPurpose(f)
	case referenceField:
		r.readReference(f)
	case requestField:
		r.readRequest(f)
	case ignoreField:
		r.readIgnore(f)
	case ruleField:
		r.readRule(f)
	case unknownField: // R-REC-2: it ends no record
		s := r.statement(f)
		s.AddDefect(policy.DefectUnknownField)
		worsen(&s, policy.Ignored)
		r.add(s)
	default:
		r.readDefinition()
	}
}

// isConventional reports whether a line is a field of a conventional group. A Sitemap belongs to none (RFC 2.2.4).
func isConventional(line robotstxt.Line) bool {
	return line.FieldIs("user-agent") || line.FieldIs("disallow") || line.FieldIs("allow") ||
		line.FieldIs("crawl-delay") ||
		line.FieldIs("noindex")
}

// statement returns a new statement of a line: with its place, agents and purposes, and policy.Recorded.
func (r *robotsReader) statement(f field) policy.Statement {
	s := policy.Statement{
		Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Line: f.line.Number, Offset: -1, Part: 1,
		Field: f.name, Status: policy.Recorded, Raw: f.line.Raw,
	}
	if f.line.NBSP {
		s.AddDefect(policy.DefectNBSP)
	}
	if r.record != nil {
		s.Agents = slices.Clip(r.record.agents)
		if r.record.sub != nil {
			s.Purposes = slices.Clip(r.record.sub.purposes)
		}
	}
	return s
}

// recorded returns the statement of a field that decides nothing. ok is false if the field needs a refused repair.
func (r *robotsReader) recorded(f field) (s policy.Statement, ok bool) {
	s = r.statement(f)
	for _, repair := range f.repairs {
		s.AddDefect(repair)
	}
	if slices.ContainsFunc(f.repairs, r.options.Refuses) {
		worsen(&s, policy.Invalid)
		return s, false
	}
	return s, true
}

func (r *robotsReader) add(s policy.Statement) { r.file.Statements = append(r.file.Statements, s) }

// readCrawler reads a crawler field. An invalid one also begins a record: its rules must not apply to the crawlers of
// the previous record. A record without a valid crawler is invalid. R-REC-2, R-AGENT-1.
func (r *robotsReader) readCrawler(f field) {
	if r.record == nil || r.record.closed || r.options.Without.Has(policy.RuleRecord) {
		r.closeRecord()
		r.record = &record{line: f.line.Number}
		r.file.Records++
		r.file.AddFeature(policy.FeatureCrawlerRecord)
	}
	record := r.record
	if !r.readHeading(&record.heading, f) {
		s, _ := r.recorded(f)
		s.Agents = nil
		r.add(s)
		return
	}
	agent, clean := policy.ReadAgent(f.value, r.options.Without)
	if !clean {
		r.find(policy.DefectCrawlerName, f.line.Number)
	}
	if agent == "" {
		record.unread = policy.DefectCrawlerName
		return
	}
	if agent == policy.AnyAgent && record.anyLine == 0 {
		record.anyLine = f.line.Number
	}
	if agent == policy.AnyAgent && r.anyRecords > 0 && r.options.Without.Has(policy.RuleSeveralAny) {
		record.unread = policy.DefectSeveralAny
		return
	}
	record.agents = append(record.agents, agent)
	if agent != policy.AnyAgent {
		r.file.AddFeature(policy.FeatureNamedCrawler)
	}
	if !r.named[agent.Key()] {
		r.named[agent.Key()] = true
		r.file.NamedRecords = append(r.file.NamedRecords, agent)
	}
}

// closeRecord records the defects of a whole record. R-REC-2, R-REC-4, R-REC-5, R-REF-1.
func (r *robotsReader) closeRecord() {
	record := r.record
	if record == nil {
		return
	}
	if record.rules+record.others == 0 {
		r.find(policy.DefectNoRules, record.line)
	}
	if record.anyLine > 0 {
		if named := slices.ContainsFunc(record.agents,
			func(a policy.Agent) bool { return a != policy.AnyAgent }); named {
			r.find(policy.DefectAnyWithNamed, record.anyLine)
		}
		if r.anyRecords++; r.anyRecords > 1 {
			r.find(policy.DefectSeveralAny, record.line)
		}
	}
	for _, i := range record.references {
		if record.rules > 0 {
			r.file.Statements[i].AddDefect(policy.DefectWithReference)
		}
		if len(record.references) > 1 {
			r.file.Statements[i].AddDefect(policy.DefectSeveralRefs)
		}
	}
}

// readPurpose reads a usage purpose field. An invalid one also begins a sub-record, so that its rules do not become
// general. R-REC-3.
func (r *robotsReader) readPurpose(f field) {
	if r.options.Without.Has(policy.RuleSubRecord) {
		return
	}
	record := r.record
	if record == nil {
		r.find(policy.DefectRuleOutside, f.line.Number)
		return
	}
	record.closed = true
	if record.sub == nil || record.sub.closed {
		record.sub = &subRecord{}
	}
	sub := record.sub
	if !r.readHeading(&sub.heading, f) {
		s, _ := r.recorded(f)
		r.add(s)
		return
	}
	if f.value == "" {
		r.find(policy.DefectSyntax, f.line.Number)
		sub.unread = policy.DefectSyntax
		return
	}
	if strings.ContainsFunc(f.value, isBlankRune) { // R-PURP-1
		r.find(policy.DefectPurposeSyntax, f.line.Number)
	}
	sub.purposes = append(sub.purposes, policy.Purpose(f.value))
	r.file.AddFeature(policy.FeaturePurpose)
}

// readReference reads a permissions reference. R-REF-1, S3 4.5.2.2.
func (r *robotsReader) readReference(f field) {
	s, rest, ok := r.pilotField(f)
	if rest != "" {
		s.AddDefect(policy.DefectReferenceSyntax)
	}
	if r.options.Without.Has(policy.RuleReference) {
		r.add(s)
		return
	}
	if ok {
		r.file.AddFeature(policy.FeatureReference)
		r.file.References = append(r.file.References, policy.Reference{
			Agents: s.Agents, Locator: s.Resource, Line: s.Line, Raw: s.Raw,
		})
	}
	if r.record != nil {
		r.record.references = append(r.record.references, len(r.file.Statements))
	}
	r.add(s)
}

// readRequest reads an action request. R-ACT-1, S3 4.5.2.3.
func (r *robotsReader) readRequest(f field) {
	s, rest, ok := r.pilotField(f)
	if rest != "" || strings.Contains(s.Resource, "*") || strings.HasSuffix(s.Resource, "$") {
		s.AddDefect(policy.DefectRequestSyntax)
	}
	if ok {
		r.file.AddFeature(policy.FeatureRequest)
		if s.Resource[0] != '/' {
			s.AddDefect(policy.DefectPathNotRooted)
		}
	}
	r.add(s)
}

// pilotField reads the common part of references and requests. They belong to a record, not to a sub-record (R-REC-3),
// and name a resource. Versions from 1.0 on do not have them (R-VER-1). rest is the text after the resource. ok is
// false if the field has no effect.
func (r *robotsReader) pilotField(f field) (s policy.Statement, rest string, ok bool) {
	s, ok = r.recorded(f)
	s.Resource, rest, _ = cutBlank(f.value)
	if r.record != nil && r.record.sub != nil {
		s.AddDefect(policy.DefectNotInSubRecord)
		s.Purposes = nil
	}
	if r.version.Stated() && !r.version.Pilot() && !r.options.Without.Has(policy.RuleVersion) {
		s.AddDefect(policy.DefectPilotFeature)
	}
	if s.Resource == "" {
		s.AddDefect(policy.DefectMissingResource)
		worsen(&s, policy.Invalid)
		ok = false
	}
	if r.record == nil {
		s.AddDefect(policy.DefectRuleOutside)
		worsen(&s, policy.Ignored)
		return s, rest, false
	}
	r.record.closed = true
	r.record.others++
	if len(r.record.agents) == 0 {
		s.AddDefect(r.record.unread)
		worsen(&s, policy.Invalid)
		ok = false
	}
	return s, rest, ok
}

// readIgnore reads the directive to ignore conventional records, which may stand anywhere. R-REC-6, S3 4.5.5.
func (r *robotsReader) readIgnore(f field) {
	s, ok := r.recorded(f)
	s.Agents, s.Purposes = nil, nil // it applies to the file
	if ok {
		r.file.IgnoreConventional = !r.options.Without.Has(policy.RuleIgnoreREP)
		r.file.AddFeature(policy.FeatureIgnoreConventional)
	}
	r.add(s)
}

// readRule reads a permission or prohibition. S3 4.5.2.5.
func (r *robotsReader) readRule(f field) {
	s := r.statement(f)
	s.Status = policy.Valid
	w := rule{sense: f.sense, target: f.target, repairs: f.repairs}
	if record := r.record; record == nil { // R-REC-5
		s.AddDefect(policy.DefectRuleOutside)
		if r.options.Without.Has(policy.RuleOutside) {
			s.Agents = []policy.Agent{policy.AnyAgent}
		} else {
			worsen(&s, policy.Ignored)
		}
	} else {
		record.closed = true
		record.rules++
		w.repairs = append(w.repairs, record.repairs...)
		if len(record.agents) == 0 {
			s.AddDefect(record.unread)
			worsen(&s, policy.Invalid)
		}
		if sub := record.sub; sub != nil {
			sub.closed = true
			w.repairs = append(w.repairs, sub.repairs...)
			if len(sub.purposes) == 0 {
				s.AddDefect(sub.unread)
				worsen(&s, policy.Invalid)
			}
		}
	}
	rest := r.readResource(&s, &w, f.value)
	if rest != "" {
		var repairs []policy.Defect
		set, tokens := cutElementSet(tokenize(strings.FieldsFunc(rest, isBlankRune)), false)
		if set != "" {
			w.elements, s.Resource = true, strings.TrimLeft(s.Resource+" "+set, " ")
		}
		w.qualifiers, repairs, w.cut = r.readQualifiers(tokens)
		w.repairs = append(w.repairs, repairs...)
		if slices.ContainsFunc(tokens, token.isQualifier) {
			r.file.AddFeature(policy.FeatureQualifier)
		}
	}
	w.base = s
	r.file.Statements = r.appendStatements(r.file.Statements, w)
}

// readResource reads the resource at the beginning of a rule's value and returns the rest. An element set is not a
// resource, so it stays in the rest. R-PAT-1, R-DEF-1, R-DEF-3.
func (r *robotsReader) readResource(s *policy.Statement, w *rule, value string) (rest string) {
	s.Resource, rest, _ = cutBlank(value)
	name, found := cutPrefixFold(s.Resource, policy.Namespace+"resource-set:")
	if !found {
		if name, found = cutPrefixFold(s.Resource, policy.PilotNamespace+"resource-set:"); found {
			w.repairs = append(w.repairs, r.pilotNamespace()...)
		}
	}
	if found {
		set := r.sets[policy.LowerASCII(name)]
		switch {
		case set == nil || !r.holds(set.line, s.Line):
			s.AddDefect(policy.DefectUndefinedName)
			worsen(s, policy.Invalid)
		case len(set.patterns) == 0:
			s.AddDefect(policy.DefectMissingResource)
			worsen(s, policy.Invalid)
			w.repairs = append(w.repairs, set.repairs...)
		default:
			s.Patterns = set.patterns // shared, because a set may be large, and many rules may use it
			w.repairs = append(w.repairs, set.repairs...)
		}
		return rest
	}
	if isElementSet(s.Resource) { // commas may follow: readRule reads it with the rest
		s.Resource = ""
		return value
	}
	pattern, repaired, err := r.readPattern(s.Resource)
	if (repaired || errors.Is(err, policy.ErrPathNotRooted)) && startsWithQualifier(value) {
		s.Resource, rest, repaired, err = "", value, false, policy.ErrMissingResource
	}
	if repaired {
		w.repairs = append(w.repairs, policy.DefectPathNotRooted)
	}
	if err != nil {
		s.AddDefect(patternDefect(err))
		worsen(s, policy.Invalid)
		return rest
	}
	s.Patterns = []policy.Pattern{pattern}
	return rest
}

// startsWithQualifier reports whether a rule's value has no resource and begins with a known qualifier.
func startsWithQualifier(value string) bool {
	name, _, found := strings.Cut(value, "=")
	return found && policy.QualifierName(policy.LowerASCII(strings.TrimRightFunc(name, isBlankRune))).Known()
}

// patternDefect returns the defect for an error of policy.ParsePattern.
func patternDefect(err error) policy.Defect {
	switch {
	case errors.Is(err, policy.ErrMissingResource):
		return policy.DefectMissingResource
	case errors.Is(err, policy.ErrPathNotRooted):
		return policy.DefectPathNotRooted
	}
	return policy.DefectSyntax
}
