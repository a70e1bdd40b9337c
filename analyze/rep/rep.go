// Package rep reads the conventional vocabulary into statements (R-MAP-1 to R-MAP-9, S4, S1). These are the groups of a
// robots.txt according to RFC 9309, robots METAs, X-Robots-Tag and robots processing instructions. It decides nothing.
package rep

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Options are those of every vocabulary.
type Options = vocabulary.Options

// Vocabulary describes the conventional vocabulary. Names that belong to no other one are its own.
func Vocabulary() vocabulary.Vocabulary {
	return vocabulary.Vocabulary{
		ID: policy.REP, ReadRobots: ReadRobots,
		ReadPage: func(markup []policy.Markup, _ *policy.File, options Options, p *policy.Page) {
			ReadPage(markup, options, p)
		},
	}
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

// maxExpected limits the statements that are preallocated before the file has any, because not every line has one.
const maxExpected = 512

// ReadRobots adds the conventional groups of a robots.txt to f, without the lines of other vocabularies (R-REC-1).
// Package decide merges groups (R-REP-1). f.Fields counts the fields that are not conventional, and f.REPFields the
// lines with a field of a group: user-agent, allow and disallow. Statements share the memory of the document's text.
func ReadRobots(doc *robotstxt.Document, options Options, f *policy.File) {
	f.Statements = slices.Grow(f.Statements, min(doc.Said, maxExpected)) // most lines make one each
	r := reader{file: f, options: options, said: doc.Said}
	for l := range doc.Groups(options.Without, robotstxt.Allow, robotstxt.Disallow) {
		line := &l
		ofGroup := line.Name == userAgent || line.Name == allow || line.Name == disallow
		if ofGroup {
			f.REPFields++
		}
		switch {
		case options.Owned.HasPrefix(line.Name):
		case options.Without.Has(policy.RuleFieldCase) && !asDocumented(line.Field):
			r.count(line.Name)
		case line.Name == userAgent:
			r.agent(line)
		case line.Name == allow:
			r.rule(line, policy.Allow)
		case line.Name == disallow:
			r.rule(line, policy.Disallow)
		default:
			r.other(line)
		}
	}
}

// The fields of a group.
const (
	userAgent = "user-agent"
	allow     = "allow"
	disallow  = "disallow"
)

// asDocumented reports whether a field's name has the letter case of the specifications: User-agent, Disallow. R-LEX-5.
func asDocumented(name string) bool {
	return name != "" && name[:1] == strings.ToUpper(name[:1]) && name[1:] == strings.ToLower(name[1:])
}

// reader reads the conventional groups of one file.
type reader struct {
	file    *policy.File
	options Options
	said    int                   // lines that may have a statement
	seen    map[policy.Agent]bool // agents of many groups, by Agent.Key; nil while they are few

	patterns []policy.Pattern // preallocated for later statements, one each
}

// pattern returns a list of one pattern.
func (r *reader) pattern(p policy.Pattern) []policy.Pattern {
	n := len(r.patterns)
	if n == cap(r.patterns) {
		left := r.said - len(r.file.Statements) + 1 // with the one that asks
		r.patterns, n = make([]policy.Pattern, 0, max(1, min(left, 64))), 0
	}
	r.patterns = append(r.patterns, p)
	return r.patterns[n : n+1 : n+1]
}

func (r *reader) agent(line *robotstxt.GroupLine) {
	if line.First {
		r.file.Groups++
	}
	if !line.Clean {
		r.file.AddFinding(policy.DefectCrawlerName, line.Number)
	}
	if line.Agent == "" {
		return
	}
	if !r.known(line.Agent) {
		r.file.NamedGroups = append(r.file.NamedGroups, line.Agent)
		r.file.NamedGroupLines = append(r.file.NamedGroupLines, line.Number)
	}
}

// fewAgents are compared one by one.
const fewAgents = 16

// known reports whether an agent was asked about before.
func (r *reader) known(agent policy.Agent) bool {
	if r.seen == nil && len(r.file.NamedGroups) < fewAgents {
		return slices.ContainsFunc(r.file.NamedGroups, agent.Is)
	}
	if r.seen == nil {
		r.seen = make(map[policy.Agent]bool, 2*fewAgents)
		for _, a := range r.file.NamedGroups {
			r.seen[a.Key()] = true
		}
	}
	key := agent.Key()
	known := r.seen[key]
	r.seen[key] = true
	return known
}

func (r *reader) rule(line *robotstxt.GroupLine, sense policy.Sense) {
	st := r.statement(line, line.Name)
	st.Sense, st.Usage = sense, policy.Crawl
	outside := !line.Begun // R-REC-5
	if outside {
		st.AddDefect(policy.DefectRuleOutside)
		if r.options.Without.Has(policy.RuleOutside) {
			st.Agents, outside = []policy.Agent{policy.AnyAgent}, false
		}
	}
	switch pattern, err := policy.ReadPattern(st.Resource, r.options.Without); {
	case outside:
		st.Status = policy.Ignored
	case st.Resource == "" && sense == policy.Disallow:
		// Valid, and matches nothing (R-PAT-1).
	case err == nil:
		st.Patterns = r.pattern(pattern)
	case st.Resource == "":
		st.Status = policy.Invalid
		st.AddDefect(policy.DefectMissingResource)
	default:
		st.Status = policy.Invalid
		st.AddDefect(policy.DefectPathNotRooted)
	}
	if r.options.Without.Has(policy.RuleMapRobots) {
		st.Status, st.Sense, st.Usage, st.Patterns = policy.Recorded, policy.NoSense, policy.NoUsage, nil
	}
}

func (r *reader) other(line *robotstxt.GroupLine) {
	if recordedFields[line.Name] {
		if r.options.Without.Has(policy.RuleMapRecorded) {
			return
		}
		r.statement(line, strings.Clone(line.Name)).Status = policy.Recorded
		return
	}
	r.count(line.Name)
}

// count counts a field that is not conventional. One of another vocabulary is counted in any case.
func (r *reader) count(field string) {
	if !isFieldName(field) {
		return
	}
	if r.file.Fields == nil {
		r.file.Fields = make(map[string]int)
	}
	switch n := r.file.Fields[field]; {
	case n > 0:
		r.file.Fields[field] = n + 1
	case len(r.file.Fields) < maxFields || r.options.Owned.HasField(field):
		r.file.Fields[strings.Clone(field)] = 1
	}
}

// statement adds a statement of a line, valid so far.
func (r *reader) statement(line *robotstxt.GroupLine, field string) *policy.Statement {
	if n := len(r.file.Statements); n == cap(r.file.Statements) {
		// To grow at once to what the lines before let expect costs fewer copies than many small steps.
		r.file.Statements = slices.Grow(r.file.Statements, min(max(r.said-n, 1), 3*n+1))
	}
	r.file.Statements = append(r.file.Statements, policy.Statement{
		Vocabulary: policy.REP, Source: policy.RobotsTxt, Line: line.Number, Offset: -1, Part: 1,
		Field: field, Resource: line.Value, Agents: line.Agents, Status: policy.Valid, Raw: line.Raw,
	})
	st := &r.file.Statements[len(r.file.Statements)-1]
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
