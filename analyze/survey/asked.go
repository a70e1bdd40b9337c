package survey

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/policy"
)

// This file is about whom and what a site is decided for: agents and purposes, and which of them are alike.

// Bounds on what one site can make the survey do. Real sites stay far below them; the documentation of the tables tells where they
// cut.
const (
	maxAgents   = 256 // agents of a site that rows are decided for, those of the options aside
	maxPurposes = 64  // purposes of a site

	maxSiteWork  = 1 << 28 // things looked at to decide a site's own rows: seconds
	maxPageWork  = 1 << 25 // of one page, if nothing were remembered
	maxPagesWork = 1 << 31 // of all pages, but for freePageWork of each: two minutes; what is remembered costs nothing
	freePageWork = 1 << 14 // a millisecond
	maxPageCases = 1 << 18 // agents times purposes of the first page of a site; see pageCases

	maxStates = 1 << 22 // states of all explorations of a site's paths, for one usage
	minStates = 1 << 15 // of one: what every real file needs
)

// pageCases bounds the agents times purposes of the nth page of a site, so that what all pages ask for grows with the logarithm of
// their number. Of pages that name what real ones do, tens of thousands have all that they ask for.
func pageCases(n int64) int { return int(maxPageCases / max(n, 1)) }

// usageCost is how many questions it takes to decide the sixteen usages.
const usageCost = 32

// An audience is whom and what rows are decided for.
type audience struct {
	agents   []policy.Agent // any first; then in order, in lower case
	purposes []string       // none first; then in order
	cut      bool           // there are more
}

// audienceOf returns any agent, and those that ACAP names in a file and in a page; no purpose, and each pattern of the two with
// every '*' removed. It is cut to so many cases, agents times purposes. Either may be nil.
func audienceOf(f *robotsFile, p *policy.Page, cases int) audience {
	var a audience
	if f != nil {
		a = *f.named()
	}
	if p != nil {
		agents, purposes := named(p.Statements)
		a.agents, a.purposes = slices.Concat(a.agents, agents), slices.Concat(a.purposes, purposes)
	}
	a.agents, a.purposes = distinctAgents(a.agents), distinctPurposes(a.purposes)
	all := len(a.agents) * len(a.purposes)
	a.agents, a.purposes = a.agents[:min(len(a.agents), maxAgents)], a.purposes[:min(len(a.purposes), maxPurposes)]
	for len(a.agents)*len(a.purposes) > max(cases, 1) {
		if len(a.agents) >= len(a.purposes) {
			a.agents = a.agents[:len(a.agents)-1]
		} else {
			a.purposes = a.purposes[:len(a.purposes)-1]
		}
	}
	a.cut = len(a.agents)*len(a.purposes) < all
	return a
}

// named returns the agents and purposes that the file names, as audienceOf has them: some more than any audience is cut to, since a file may
// name thousands and each of its pages asks.
func (f *robotsFile) named() *audience {
	if f.names != nil {
		return f.names
	}
	agents, purposes := named(f.Statements)
	agents = append(append(agents, f.NamedRecords...), f.agents...)
	for i := range f.References {
		_, more := named(f.References[i].Resolved)
		purposes = append(purposes, more...)
	}
	a := audience{agents: distinctAgents(agents), purposes: distinctPurposes(purposes)}
	a.agents, a.purposes = a.agents[:min(len(a.agents), maxAgents+1)], a.purposes[:min(len(a.purposes), maxPurposes+1)]
	f.names = &audience{agents: slices.Clone(a.agents), purposes: slices.Clone(a.purposes)}
	return f.names
}

// named returns the agents that ACAP statements of a page name, and the purposes that statements state, without their stars.
func named(statements []policy.Statement) (agents []policy.Agent, purposes []string) {
	for i := range statements {
		st := &statements[i]
		if st.Vocabulary == policy.ACAP && st.OfPage() {
			agents = append(agents, st.Agents...)
		}
		for _, p := range st.Purposes {
			if plain := p.Plain(); plain != "" && !(len(purposes) > 0 && purposes[len(purposes)-1] == plain) {
				purposes = append(purposes, plain)
			}
		}
	}
	return agents, purposes
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
