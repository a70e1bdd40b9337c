// Package rep reads the conventional vocabulary into statements (R-MAP-1 to R-MAP-9, S4, S1). These are the groups of a
// robots.txt according to RFC 9309, robots METAs, X-Robots-Tag and robots processing instructions. It decides nothing.
package rep

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// Options choose how to read conventional documents. The zero value is the default.
type Options struct {
	// Refuse are the refused repairs, of policy.Repairs. A statement that needs one is policy.Invalid with the same
	// defect.
	Refuse  []policy.Defect
	Without policy.RuleSet // the disabled rules
	// BodyMETAs lets METAs in the body of a page count like those in the head (R-META-1).
	BodyMETAs bool
}

// repaired returns the status of a statement that needs a repair.
func (o Options) repaired(repair policy.Defect) policy.Status {
	if slices.Contains(o.Refuse, repair) {
		return policy.Invalid
	}
	return policy.Repaired
}

// recordedFields are conventional fields of a robots.txt that decide nothing (R-MAP-9).
var recordedFields = map[string]bool{
	"cache-delay": true, "clean-param": true, "crawl-delay": true, "host": true, "noarchive": true, "nofollow": true,
	"noindex": true, "nosnippet": true, "request-rate": true, "robot-version": true, "sitemap": true,
	"visit-time": true,
}

// Limits for counters of fields that belong to no vocabulary.
const (
	maxFieldName = 40
	maxFields    = 100
)

// maxExpected limits the preallocated statements, because not every line has one.
const maxExpected = 512

// ReadRobots adds the conventional groups of a robots.txt to f, without the ACAP lines (R-REC-1). Package decide merges
// groups (R-REP-1). f.Fields counts the fields of other vocabularies. ReadRobots returns the number of lines with a
// field of a group: user-agent, allow and disallow. Statements share the memory of the
// document's text.
func ReadRobots(doc *robotstxt.Document, options Options, f *policy.File) (fields int) {
	f.Statements = slices.Grow(f.Statements, min(doc.Said, maxExpected)) // most lines make one each
	g := groups{file: f, options: options, seen: make(map[policy.Agent]bool)}
	for line := range doc.Lines() {
		if !line.HasColon {
			continue
		}
		field := fieldName(line.Field)
		if field == userAgent || field == allow || field == disallow {
			fields++
		}
		if options.Without.Has(policy.RuleFieldCase) && !asDocumented(line.Field) {
			if !isACAP(field) {
				g.count(field)
			}
			continue
		}
		switch {
		case field == userAgent:
			g.agent(line)
		case field == allow:
			g.rule(line, field, policy.Allow)
		case field == disallow:
			g.rule(line, field, policy.Disallow)
		case isACAP(field):
		default:
			g.other(line, field)
		}
	}
	return fields
}

// The fields of a group.
const (
	userAgent = "user-agent"
	allow     = "allow"
	disallow  = "disallow"
)

// fieldName returns the name of a field in lower case. The common ones cost no allocation.
func fieldName(field string) string {
	name := ""
	switch len(field) {
	case len(disallow):
		name = disallow
	case len(userAgent):
		name = userAgent
	case len(allow):
		name = allow
	case len("sitemap"):
		name = "sitemap"
	case len("crawl-delay"):
		name = "crawl-delay"
	}
	if strings.EqualFold(field, name) {
		return name
	}
	return strings.ToLower(field)
}

// isACAP reports whether a field belongs to the other vocabulary, with both spellings that R-LEX-6 repairs.
func isACAP(field string) bool { return strings.HasPrefix(field, "acap-") }

// asDocumented reports whether a field's name has the letter case of the specifications: User-agent, Disallow. R-LEX-5.
func asDocumented(name string) bool {
	return name != "" && name[:1] == strings.ToUpper(name[:1]) && name[1:] == strings.ToLower(name[1:])
}

// groups reads conventional groups: one or more user-agent lines, then rules. Other fields do not end a group (RFC
// 2.2.4).
type groups struct {
	file    *policy.File
	options Options
	agents  []policy.Agent // of the current group; shared by its statements
	inBody  bool           // the group has a rule, so the next user-agent line begins a new group
	begun   bool
	seen    map[policy.Agent]bool

	patterns []policy.Pattern // preallocated for later statements, one each
}

// pattern returns a list of one pattern.
func (g *groups) pattern(p policy.Pattern) []policy.Pattern {
	n := len(g.patterns)
	if n == cap(g.patterns) {
		free := cap(g.file.Statements) - len(g.file.Statements) + 1 // with the one that asks
		g.patterns, n = make([]policy.Pattern, 0, max(1, min(free, 64))), 0
	}
	g.patterns = append(g.patterns, p)
	return g.patterns[n : n+1 : n+1]
}

func (g *groups) agent(line robotstxt.Line) {
	if g.inBody || !g.begun {
		g.agents, g.inBody, g.begun = nil, false, true
		g.file.Groups++
	}
	agent, clean := policy.ReadAgent(line.Value, g.options.Without)
	if !clean {
		g.file.AddFinding(policy.DefectCrawlerName, line.Number)
	}
	if agent == "" {
		return
	}
	agent = policy.Agent(strings.Clone(string(agent))) // rows hold it, and not all of the document
	g.agents = append(g.agents, agent)
	if key := agent.Key(); !g.seen[key] {
		g.seen[key] = true
		g.file.NamedGroups = append(g.file.NamedGroups, agent)
		g.file.NamedGroupLines = append(g.file.NamedGroupLines, line.Number)
	}
}

func (g *groups) rule(line robotstxt.Line, field string, sense policy.Sense) {
	st := g.statement(line, field)
	st.Sense, st.Usage = sense, policy.Crawl
	outside := !g.begun // R-REC-5
	if outside {
		st.AddDefect(policy.DefectRuleOutside)
		if g.options.Without.Has(policy.RuleOutside) {
			st.Agents, outside = []policy.Agent{policy.AnyAgent}, false
		}
	}
	switch pattern, err := policy.ReadPattern(st.Resource, g.options.Without); {
	case outside:
		st.Status = policy.Ignored
	case st.Resource == "" && sense == policy.Disallow:
		// Valid, and matches nothing (R-PAT-1).
	case err == nil:
		st.Patterns = g.pattern(pattern)
	case st.Resource == "":
		st.Status = policy.Invalid
		st.AddDefect(policy.DefectMissingResource)
	default:
		st.Status = policy.Invalid
		st.AddDefect(policy.DefectPathNotRooted)
	}
	if g.options.Without.Has(policy.RuleMapRobots) {
		st.Status, st.Sense, st.Usage, st.Patterns = policy.Recorded, policy.NoSense, policy.NoUsage, nil
	}
	g.inBody = g.begun
}

func (g *groups) other(line robotstxt.Line, field string) {
	if recordedFields[field] {
		if g.options.Without.Has(policy.RuleMapRecorded) {
			return
		}
		g.statement(line, strings.Clone(field)).Status = policy.Recorded
		return
	}
	g.count(field)
}

// count counts a field of another vocabulary.
func (g *groups) count(field string) {
	if !isFieldName(field) {
		return
	}
	if g.file.Fields == nil {
		g.file.Fields = make(map[string]int)
	}
	if _, known := g.file.Fields[field]; known || len(g.file.Fields) < maxFields {
		g.file.Fields[strings.Clone(field)]++
	}
}

// statement adds a statement of a line, valid so far.
func (g *groups) statement(line robotstxt.Line, field string) *policy.Statement {
	g.file.Statements = append(g.file.Statements, policy.Statement{
		Vocabulary: policy.REP, Source: policy.RobotsTxt, Line: line.Number, Offset: -1, Part: 1,
		Field: field, Resource: line.Value, Agents: g.agents, Status: policy.Valid, Raw: line.Raw,
	})
	st := &g.file.Statements[len(g.file.Statements)-1]
	if line.NBSP {
		st.AddDefect(policy.DefectNBSP)
	}
	return st
}

// isFieldName reports whether text before a colon may be the name of a field, not prose or a URL.
func isFieldName(s string) bool {
	if s == "" || len(s) > maxFieldName {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_')) {
			return false
		}
	}
	return s != "http" && s != "https"
}
