// Package audience finds for whom decisions are made: the agents and purposes that a robots.txt or a page names, within
// limits, and which of these agents it cannot distinguish. It decides nothing.
package audience

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/policy"
)

// Limits on an audience, far above real sites. docs/tables.md says what exceeds them.
const (
	MaxAgents   = 256
	MaxPurposes = 64
)

// An Audience is the agents and purposes that rows are for.
type Audience struct {
	Agents   []policy.Agent // "*", then those named in ACAP, then the others: in lower case, each part in order
	Purposes []string       // "", then the others in order
	Cut      bool           // there are more
}

// Of returns "*" and the named agents, no purpose and the named purposes, limited to so many cases: agents times
// purposes. Agents that only conventional statements name are dropped first.
func Of(all Names, cases int) Audience {
	a := Audience{Agents: all.agents(), Purposes: distinctPurposes(all.Purposes)}
	most := len(a.Agents) * len(a.Purposes)
	a.Agents, a.Purposes = a.Agents[:min(len(a.Agents), MaxAgents)], a.Purposes[:min(len(a.Purposes), MaxPurposes)]
	for len(a.Agents)*len(a.Purposes) > max(cases, 1) {
		if len(a.Agents) >= len(a.Purposes) {
			a.Agents = a.Agents[:len(a.Agents)-1]
		} else {
			a.Purposes = a.Purposes[:len(a.Purposes)-1]
		}
	}
	a.Agents, a.Cut = slices.Clip(a.Agents), len(a.Agents)*len(a.Purposes) < most
	return a
}

// With returns the audience with further agents, all in order.
func (a Audience) With(agents []policy.Agent) Audience {
	if len(agents) > 0 {
		a.Agents = slices.Concat(a.Agents, agents)
	}
	a.Agents = Distinct(a.Agents)
	return a
}

// Names are the agents and purposes that a file or a page names.
type Names struct {
	InACAP, Conventional []policy.Agent // an agent may be in both
	Purposes             []string       // without their stars
}

// And returns the names of both, in new lists.
func (n Names) And(more Names) Names {
	return Names{
		slices.Concat(n.InACAP, more.InACAP), slices.Concat(n.Conventional, more.Conventional),
		slices.Concat(n.Purposes, more.Purposes),
	}
}

// agents lists "*", the agents named in ACAP, and those named only conventionally.
func (n Names) agents() []policy.Agent {
	if len(n.InACAP) == 0 {
		return Distinct(n.Conventional)
	}
	list := Distinct(n.InACAP)
	inACAP := len(list)
	for _, a := range Distinct(n.Conventional)[1:] {
		if _, known := slices.BinarySearch(list[1:inACAP], a); !known {
			list = append(list, a)
		}
	}
	return list
}

// NamesOfFile returns the names in a robots.txt, and the purposes and agents of the files that it refers to. It returns
// few more than an Audience has.
func NamesOfFile(f *policy.File, referred []policy.Agent) Names {
	var names Names
	if len(f.NamedGroups) > 0 {
		list := Distinct(f.NamedGroups)
		names.Conventional = atMost(list, 2*MaxAgents) // half may be named in ACAP, too
	}
	if f.Records+len(f.NamedRecords)+len(f.References)+len(referred) == 0 { // nearly every file
		return names
	}
	purposes := NamesIn(f.Statements).Purposes
	for i := range f.References {
		purposes = append(purposes, NamesIn(f.References[i].Resolved).Purposes...)
	}
	names.InACAP = atMost(Distinct(slices.Concat(f.NamedRecords, referred)), MaxAgents+1)
	names.Purposes = atMost(distinctPurposes(purposes), MaxPurposes+1)
	return names
}

// atMost returns a list with at most n elements, and drops the memory of others.
func atMost[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return slices.Clone(list[:n])
}

// NamesIn returns the agents of a page's statements, and the purposes of all statements. The agents of a robots.txt are
// those of its records and groups, some of which have no statement.
func NamesIn(statements []policy.Statement) (n Names) {
	for i := range statements {
		st := &statements[i]
		switch {
		case !st.OfPage():
		case st.Vocabulary == policy.ACAP:
			n.InACAP = append(n.InACAP, st.Agents...)
		default:
			n.Conventional = append(n.Conventional, st.Agents...)
		}
		for _, p := range st.Purposes {
			if plain := p.Plain(); plain != "" && !(len(n.Purposes) > 0 && n.Purposes[len(n.Purposes)-1] == plain) {
				n.Purposes = append(n.Purposes, plain)
			}
		}
	}
	return n
}

// Distinct returns "*" and the named agents, in lower case and order: the list itself if it is that already. It drops
// names that are not valid UTF-8.
func Distinct(named []policy.Agent) []policy.Agent {
	if isDistinct(named) {
		return slices.Clip(named)
	}
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

// isDistinct reports whether Distinct returned the list, or would return one like it.
func isDistinct(list []policy.Agent) bool {
	if len(list) == 0 || list[0] != policy.AnyAgent {
		return false
	}
	for i, a := range list[1:] {
		if a <= list[i] && i > 0 || a == policy.AnyAgent || a == "" || a.CompareKey(a) != 0 ||
			!utf8.ValidString(string(a)) {
			return false
		}
	}
	return true
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

// Classes say which agents a file or a page cannot distinguish: those in the same lists of names. Agents that are not
// named are like "*".
type Classes struct {
	lists map[policy.Agent][]byte              // the numbers of the lists that name an agent
	known map[policy.ListID[policy.Agent]]bool // the statements of a record share a list
	count uint64
}

// NewClasses returns the classes of a robots.txt with the files that it refers to.
func NewClasses(f *policy.File) *Classes {
	c := PageClasses(f.Statements)
	for i := range f.References {
		c.addShared(f.References[i].Agents)
		c.addAll(f.References[i].Resolved)
	}
	c.add(f.NamedGroups) // a group without rules hides the group of "*" from its agents
	return c
}

// PageClasses returns the classes of the statements of a page.
func PageClasses(statements []policy.Statement) *Classes {
	c := &Classes{lists: map[policy.Agent][]byte{}, known: map[policy.ListID[policy.Agent]]bool{}}
	c.addAll(statements)
	return c
}

func (c *Classes) addAll(list []policy.Statement) {
	for i := range list {
		c.addShared(list[i].Agents)
	}
}

func (c *Classes) addShared(agents []policy.Agent) {
	if id := policy.IDOf(agents); len(agents) > 0 && !c.known[id] {
		c.known[id] = true
		c.add(agents)
	}
}

func (c *Classes) add(agents []policy.Agent) {
	c.count++
	for _, a := range agents {
		if a != policy.AnyAgent {
			key := a.Key()
			c.lists[key] = binary.AppendUvarint(c.lists[key], c.count)
		}
	}
}

// Of returns the class of an agent.
func (c *Classes) Of(a policy.Agent) string { return string(c.lists[a.Key()]) }

// First returns the first agent of each class.
func (c *Classes) First(agents []policy.Agent) []policy.Agent {
	var first []policy.Agent
	known := map[string]bool{}
	for _, a := range agents {
		if class := c.Of(a); !known[class] {
			known[class] = true
			first = append(first, a)
		}
	}
	return first
}
