package robotstxt

import (
	"iter"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// The fields of conventional groups, as RFC 9309 spells them.
const (
	UserAgent = "User-agent"
	Allow     = "Allow"
	Disallow  = "Disallow"
)

// A GroupLine is a line with a field, and the group that it stands in.
type GroupLine struct {
	Line
	Name   string         // of the field, in lower case
	Agents []policy.Agent // of the group, so far; its lines share the list
	Begun  bool           // a User-agent line stands before it, or it is one

	// of a User-agent line
	Names bool         // it is one
	First bool         // it begins a group
	Agent policy.Agent // what it names, "" if nothing
	Clean bool         // the name needed no repair (R-AGENT-1)
}

// Groups yields the lines with a field. A group has User-agent lines, then rules, and the User-agent line after a rule
// begins the next group. Lines with other fields do not end its list of names (RFC 2.2.4). The fields of rules are
// given as documented: without R-LEX-5 they count in that spelling only, and so does User-agent.
func (d *Document) Groups(without policy.RuleSet, rules ...string) iter.Seq[GroupLine] {
	exact := without.Has(policy.RuleFieldCase)
	named := func(g *GroupLine, documented string) bool {
		if exact {
			return g.Field == documented
		}
		return len(g.Name) == len(documented) && hasPrefixFold(g.Name, documented)
	}
	return func(yield func(GroupLine) bool) {
		var group []policy.Agent
		begun, inBody := false, false
		for line := range d.Lines() {
			if !line.HasColon {
				continue
			}
			g := GroupLine{Line: line, Name: lowerName(line.Field)}
			if g.Names = named(&g, UserAgent); g.Names {
				if inBody || !begun {
					group, inBody, begun, g.First = nil, false, true, true
				}
				g.Agent, g.Clean = policy.ReadAgent(line.Value, without)
				if g.Agent != "" {
					group = append(group, g.Agent)
				}
			}
			g.Agents, g.Begun = group, begun
			for i := 0; i < len(rules) && begun && !inBody; i++ {
				inBody = named(&g, rules[i])
			}
			if !yield(g) {
				return
			}
		}
	}
}

// lowerName returns the name of a field in lower case. The common ones cost no allocation.
func lowerName(field string) string {
	for _, name := range [...]string{"disallow", "allow", "user-agent", "sitemap", "crawl-delay"} {
		if len(field) == len(name) && field[0]|0x20 == name[0] && hasPrefixFold(field, name) {
			return name
		}
	}
	return strings.ToLower(field)
}
