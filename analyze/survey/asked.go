package survey

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// This file is about whom and what a site is decided for: agents and purposes, and which of them are alike.

// Bounds on what one site can make the survey do. Real sites stay far below them; the documentation of the tables tells where they
// cut.
const (
	maxAgents   = 256 // agents of a site that rows are decided for, those of the options aside
	maxPurposes = 64  // purposes of a site

	maxPageWork  = 1 << 25 // of one page, if nothing were remembered
	freePageWork = 1 << 14 // steps of a page that are not counted; a millisecond
	maxPageCases = 1 << 18 // agents times purposes of the first page of a site; see pageCases
)

// pageCases bounds the agents times purposes of the nth page of a site, so that what all pages ask for grows with the
// logarithm of their number. A site that names a hundred crawlers has rows for all of them on 2600 pages; beyond,
// ACAP's crawlers keep theirs longest.
func pageCases(n int64) int { return int(maxPageCases / max(n, 1)) }

// usageCost is how many questions it takes to decide all usages: each asks about itself and about crawl
// (R-DEC-11).
const usageCost = 2 * (terms.UsageCount - 1)

// An audience is the agents and the purposes that rows are decided for.
type audience struct {
	agents   []policy.Agent // any first; then those named in ACAP, in order; then the others, in order; all in lower case
	purposes []string       // none first; then in order
	cut      bool           // there are more
}

// audienceOf returns any agent and those named; no purpose, and each of those named. It is cut to so many cases,
// agents times purposes: agents that only conventional statements name are dropped first.
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

// names are the agents and the purposes that a file or a page names.
type names struct {
	inACAP, conventional []policy.Agent // an agent may be in both
	purposes             []string       // without their stars
}

// and returns the names of both. It shares memory with neither.
func (n names) and(more names) names {
	return names{
		slices.Concat(n.inACAP, more.inACAP), slices.Concat(n.conventional, more.conventional), slices.Concat(n.purposes, more.purposes),
	}
}

// agents lists any agent, those named in ACAP and then those that are named only conventionally: each part in order,
// each agent once.
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

// named returns the names in the file, which may be nil: few more than any audience has, since a file may name
// thousands and each of its pages asks.
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
	acap, conventional, purposes := distinctAgents(n.inACAP), distinctAgents(n.conventional), distinctPurposes(n.purposes)
	return names{
		inACAP:       slices.Clone(acap[:min(len(acap), maxAgents+1)]),
		conventional: slices.Clone(conventional[:min(len(conventional), 2*maxAgents)]), // half of them may be named in ACAP too
		purposes:     slices.Clone(purposes[:min(len(purposes), maxPurposes+1)]),
	}
}

// namesIn returns the agents that statements of a page name, and the purposes of all statements. The agents of a
// robots.txt are those of its records and groups, of which some have no statement.
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

// with returns the audience with further agents.
func (a audience) with(agents []policy.Agent) audience {
	a.agents = distinctAgents(slices.Concat(a.agents, agents))
	return a
}

// distinctAgents returns any agent and those named, in lower case and order, each once. A name that is no text is no crawler's.
func distinctAgents(named []policy.Agent) []policy.Agent {
	list := make([]policy.Agent, 0, len(named)+1)
	for _, a := range named {
		if a != policy.AnyAgent && a != "" && utf8.ValidString(string(a)) {
			list = append(list, a.Key())
		}
	}
	slices.Sort(list)
	return append([]policy.Agent{policy.AnyAgent}, slices.Compact(list)...)
}

// distinctPurposes returns no purpose and those given in order, each once; case does not tell them apart (R-PURP-1).
func distinctPurposes(given []string) []string {
	list := make([]string, 0, len(given)+1)
	for _, p := range given {
		if p != "" && utf8.ValidString(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		if c := strings.Compare(lower(a), lower(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	list = slices.CompactFunc(list, func(a, b string) bool { return lower(a) == lower(b) })
	return append([]string{""}, list...)
}

// lower is the text with ASCII letters in lower case, as names are compared.
func lower(s string) string { return string(policy.Agent(s).Key()) }

// likeness tells which agents a file, or a page, cannot tell apart: those that the same lists of names hold. Agents that nothing
// names are like any.
type likeness struct {
	lists map[policy.Agent][]byte // the numbers of the lists that name an agent
	known map[*policy.Agent]bool  // lists are shared by the statements of a record
	count uint64
}

func newLikeness(f *policy.File) *likeness {
	l := &likeness{lists: map[policy.Agent][]byte{}, known: map[*policy.Agent]bool{}}
	l.statements(f.Statements)
	for i := range f.References {
		l.list(f.References[i].Agents)
		l.statements(f.References[i].Resolved)
	}
	l.alike(f.NamedGroups) // a group without rules hides the general one from its agents
	return l
}

func newPageLikeness(p *policy.Page) *likeness {
	l := &likeness{lists: map[policy.Agent][]byte{}, known: map[*policy.Agent]bool{}}
	l.statements(p.Statements)
	return l
}

func (l *likeness) statements(list []policy.Statement) {
	for i := range list {
		l.list(list[i].Agents)
	}
}

func (l *likeness) list(agents []policy.Agent) {
	if len(agents) == 0 || l.known[&agents[0]] {
		return
	}
	l.known[&agents[0]] = true
	l.alike(agents)
}

func (l *likeness) alike(agents []policy.Agent) {
	l.count++
	for _, a := range agents {
		if a != policy.AnyAgent {
			l.lists[a.Key()] = binary.AppendUvarint(l.lists[a.Key()], l.count)
		}
	}
}

// key is equal for agents that are alike.
func (l *likeness) key(a policy.Agent) string { return string(l.lists[a.Key()]) }

// distinct returns the first of each kind of agents that are alike.
func (l *likeness) distinct(agents []policy.Agent) []policy.Agent {
	var first []policy.Agent
	known := map[string]bool{}
	for _, a := range agents {
		if key := l.key(a); !known[key] {
			known[key] = true
			first = append(first, a)
		}
	}
	return first
}
