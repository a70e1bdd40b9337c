package survey

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// Limits on whom rows are for, far above real sites. docs/tables.md says what exceeds them.
const (
	maxAgents   = 256 // of a site, without those of the options
	maxPurposes = 64  // of a site

	maxPageWork  = 1 << 25 // steps for one page, if nothing is cached
	maxPageCases = 1 << 18 // agents times purposes of the first page of a site; see pageCases
)

// pageCases is the limit on agents times purposes of the nth page of a site: rows grow with the logarithm of the
// number of pages. A site that names a hundred agents has rows for all of them on 2,600 pages; agents named in ACAP
// keep theirs longest.
func pageCases(n int64) int { return int(maxPageCases / max(n, 1)) }

// usageCost is how many questions decide all usages: each asks about itself and about crawl (R-DEC-11).
const usageCost = 2 * (terms.UsageCount - 1)

// An audience is the agents and purposes that rows are for.
type audience struct {
	agents   []policy.Agent // "*", then those named in ACAP, then the others: in lower case, each part in order
	purposes []string       // "", then the others in order
	cut      bool           // there are more
}

// audienceOf returns "*" and the named agents, no purpose and the named purposes, limited to so many cases: agents
// times purposes. Agents that only conventional statements name are dropped first.
func audienceOf(all names, cases int) audience {
	a := audience{agents: all.agents(), purposes: distinctPurposes(all.purposes)}
	most := len(a.agents) * len(a.purposes)
	a.agents, a.purposes = a.agents[:min(len(a.agents), maxAgents)], a.purposes[:min(len(a.purposes), maxPurposes)]
	for len(a.agents)*len(a.purposes) > max(cases, 1) {
		if len(a.agents) >= len(a.purposes) {
			a.agents = a.agents[:len(a.agents)-1]
		} else {
			a.purposes = a.purposes[:len(a.purposes)-1]
		}
	}
	a.cut = len(a.agents)*len(a.purposes) < most
	return a
}

// with returns the audience with further agents.
func (a audience) with(agents []policy.Agent) audience {
	a.agents = distinctAgents(slices.Concat(a.agents, agents))
	return a
}

// names are the agents and purposes that a file or a page names.
type names struct {
	inACAP, conventional []policy.Agent // an agent may be in both
	purposes             []string       // without their stars
}

// and returns the names of both, in new lists.
func (n names) and(more names) names {
	return names{
		slices.Concat(n.inACAP, more.inACAP), slices.Concat(n.conventional, more.conventional),
		slices.Concat(n.purposes, more.purposes),
	}
}

// agents lists "*", the agents named in ACAP, and those named only conventionally.
func (n names) agents() []policy.Agent {
	list := distinctAgents(n.inACAP)
	inACAP := len(list)
	for _, a := range distinctAgents(n.conventional)[1:] {
		if _, known := slices.BinarySearch(list[1:inACAP], a); !known {
			list = append(list, a)
		}
	}
	return list
}

// named returns the names in the file, which may be nil. It returns few more than an audience has: a file may name
// thousands, and every page asks.
func (f *robotsFile) named() names {
	if f == nil {
		return names{}
	}
	f.compiled.namesOnce.Do(func() { f.compiled.names = f.nameAll() })
	return f.compiled.names
}

func (f *robotsFile) nameAll() names {
	n := namesIn(f.Statements)
	n.inACAP = append(append(n.inACAP, f.NamedRecords...), f.agents...)
	n.conventional = append(n.conventional, f.NamedGroups...)
	for i := range f.References {
		n.purposes = append(n.purposes, namesIn(f.References[i].Resolved).purposes...)
	}
	acap, conventional := distinctAgents(n.inACAP), distinctAgents(n.conventional)
	purposes := distinctPurposes(n.purposes)
	return names{
		inACAP: slices.Clone(acap[:min(len(acap), maxAgents+1)]),
		conventional: slices.Clone(conventional[:min(len(conventional),
			2*maxAgents)]), // half may be named in ACAP, too
		purposes: slices.Clone(purposes[:min(len(purposes), maxPurposes+1)]),
	}
}

// namesIn returns the agents of a page's statements, and the purposes of all statements. The agents of a robots.txt are
// those of its records and groups, some of which have no statement.
func namesIn(statements []policy.Statement) (n names) {
	for i := range statements {
		st := &statements[i]
		switch {
		case !st.OfPage():
		case st.Vocabulary == policy.ACAP:
			n.inACAP = append(n.inACAP, st.Agents...)
		default:
			n.conventional = append(n.conventional, st.Agents...)
		}
		for _, p := range st.Purposes {
			if plain := p.Plain(); plain != "" && !(len(n.purposes) > 0 && n.purposes[len(n.purposes)-1] == plain) {
				n.purposes = append(n.purposes, plain)
			}
		}
	}
	return n
}

// distinctAgents returns "*" and the named agents, in lower case and order. It drops names that are not valid UTF-8.
func distinctAgents(named []policy.Agent) []policy.Agent {
	list := make([]policy.Agent, 1, len(named)+1)
	list[0] = policy.AnyAgent
	for _, a := range named {
		if a != policy.AnyAgent && a != "" && utf8.ValidString(string(a)) {
			list = append(list, a.Key())
		}
	}
	slices.Sort(list[1:])
	return slices.Compact(list)
}

// distinctPurposes returns "" and the purposes in order. Letter case does not distinguish purposes (R-PURP-1).
func distinctPurposes(given []string) []string {
	list := make([]string, 1, len(given)+1)
	for _, p := range given {
		if p != "" && utf8.ValidString(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list[1:], func(a, b string) int {
		return cmp.Or(strings.Compare(lower(a), lower(b)), strings.Compare(a, b))
	})
	return slices.CompactFunc(list, func(a, b string) bool { return lower(a) == lower(b) })
}

// lower returns the text with ASCII letters in lower case, as names are compared.
func lower(s string) string { return string(policy.Agent(s).Key()) }

// agentClasses tells which agents a file or a page cannot distinguish: those in the same lists of names. Agents that
// are not named are like "*".
type agentClasses struct {
	lists map[policy.Agent][]byte              // the numbers of the lists that name an agent
	known map[policy.ListID[policy.Agent]]bool // the statements of a record share a list
	count uint64
}

func newAgentClasses(f *policy.File) *agentClasses {
	c := pageAgentClasses(f.Statements)
	for i := range f.References {
		c.addShared(f.References[i].Agents)
		c.addAll(f.References[i].Resolved)
	}
	c.add(f.NamedGroups) // a group without rules hides the group of "*" from its agents
	return c
}

func pageAgentClasses(statements []policy.Statement) *agentClasses {
	c := &agentClasses{lists: map[policy.Agent][]byte{}, known: map[policy.ListID[policy.Agent]]bool{}}
	c.addAll(statements)
	return c
}

func (c *agentClasses) addAll(list []policy.Statement) {
	for i := range list {
		c.addShared(list[i].Agents)
	}
}

func (c *agentClasses) addShared(agents []policy.Agent) {
	if id := policy.IDOf(agents); len(agents) > 0 && !c.known[id] {
		c.known[id] = true
		c.add(agents)
	}
}

func (c *agentClasses) add(agents []policy.Agent) {
	c.count++
	for _, a := range agents {
		if a != policy.AnyAgent {
			key := a.Key()
			c.lists[key] = binary.AppendUvarint(c.lists[key], c.count)
		}
	}
}

// of returns the class of an agent.
func (c *agentClasses) of(a policy.Agent) string { return string(c.lists[a.Key()]) }

// first returns the first agent of each class.
func (c *agentClasses) first(agents []policy.Agent) []policy.Agent {
	var first []policy.Agent
	known := map[string]bool{}
	for _, a := range agents {
		if class := c.of(a); !known[class] {
			known[class] = true
			first = append(first, a)
		}
	}
	return first
}
