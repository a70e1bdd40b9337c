// Package match finds the statements of a robots.txt whose patterns match a path. It knows neither agents nor what a
// statement allows, and decides nothing.
package match

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// An Index finds the statements that match a path at the cost of those whose patterns begin as the path does. It is not
// changed after New.
//
// Patterns are grouped by their literal beginning, up to the first '*'. The beginnings are sorted, and each knows the
// longest other that it begins with: one binary search and a walk up find all beginnings of a path. Patterns with a
// short beginning, such as /*a, are matched one by one, some 50 ns each.
type Index struct {
	// Entries are the statements that decide, in order: those of the file, then those of resolved references.
	Entries []Entry

	// statements of conventional groups of the file that decide, AI preferences included
	Grouped     []*policy.Statement
	Recorded    []*policy.Statement   // ACAP fields of the file that decide nothing
	NamedGroups map[policy.Agent]bool // agents that conventional groups name, by Agent.Key
	Bytes       int                   // of all patterns
	Weight      int                   // of all statements (see Weight)
	FixedWeight int                   // of those that count at every path: recorded ones, and those of references

	resources []resource
	heads     []head
	shapes    []shape
	members   []member
}

// An Entry is a statement that decides.
type Entry struct {
	*policy.Statement
	Reference int // the index of the file's reference that leads to it; -1: the file itself has it
}

// A Hit is a statement that matches a path, and its scope there (R-DEF-3).
type Hit struct {
	Entry int32 // in Index.Entries
	Vague bool  // the scope takes too much work to determine
	Scope *policy.Pattern
}

// A resource has the statements with the same paths: a pattern, or a resource set.
type resource struct {
	set     []policy.Pattern // nil for one pattern, which each statement may write in its own way
	entries []int32
}

// A head is the text of patterns before their first '*'.
type head struct {
	text     string
	parent   int32 // the longest other head that text begins with; -1: none
	from, to int32 // shapes
	bytes    int32 // of their patterns
}

// A shape is a pattern, reduced to what matters for matching.
type shape struct {
	pattern  policy.Pattern
	from, to int32 // members
}

// A member is the position of a pattern in a resource.
type member struct{ resource, at int32 }

// Weight is about how many items are compared to report whether a statement counts.
func Weight(st *policy.Statement) int {
	return 1 + len(st.Agents) + len(st.Purposes) + len(st.Patterns)
}

// New indexes a file, which must not change afterwards.
func New(file *policy.File) *Index {
	x := &Index{
		Entries:     make([]Entry, 0, len(file.Statements)),
		NamedGroups: make(map[policy.Agent]bool, len(file.NamedGroups)),
		Weight:      1, FixedWeight: 1,
	}
	for _, a := range file.NamedGroups {
		if a != policy.AnyAgent {
			x.NamedGroups[a.Key()] = true
		}
	}
	for i := range file.Statements {
		st := &file.Statements[i]
		x.Weight += Weight(st)
		switch {
		case st.Status.Decides():
			x.Entries = append(x.Entries, Entry{st, -1})
			if st.Vocabulary != policy.ACAP {
				x.Grouped = append(x.Grouped, st)
			}
		case st.Status == policy.Recorded && st.Vocabulary == policy.ACAP:
			x.Recorded = append(x.Recorded, st)
			x.FixedWeight += Weight(st)
		}
	}
	for i := range file.References {
		for j := range file.References[i].Resolved {
			st := &file.References[i].Resolved[j]
			x.Weight += Weight(st)
			x.FixedWeight += Weight(st)
			if st.Status.Decides() && st.Vocabulary == policy.ACAP {
				x.Entries = append(x.Entries, Entry{st, i})
			}
		}
	}
	x.group(x.items())
	return x
}

// An item is a pattern of a resource. A resource of one pattern gets its number when patterns are grouped.
type item struct {
	head, glob string
	end        bool
	pattern    *policy.Pattern
	entry      int32 // of one pattern
	member     member
}

// items lists the patterns of all statements, each resource set once.
func (x *Index) items() []item {
	items := make([]item, 0, len(x.Entries))
	add := func(p *policy.Pattern, entry int, at member) {
		glob, end := p.Glob()
		x.Bytes += p.Len()
		head, _, _ := strings.Cut(glob, "*")
		items = append(items, item{head, glob, end, p, int32(entry), at})
	}
	type set struct {
		first *policy.Pattern
		size  int
	}
	sets := make(map[set]int32)
	for i, e := range x.Entries {
		patterns := e.Patterns
		switch len(patterns) {
		case 0:
		case 1:
			add(&patterns[0], i, member{resource: -1})
		default:
			// Statements about one set share its patterns.
			number, known := sets[set{&patterns[0], len(patterns)}]
			if !known {
				number = int32(len(x.resources))
				sets[set{&patterns[0], len(patterns)}] = number
				x.resources = append(x.resources, resource{set: patterns})
				for at := range patterns {
					add(&patterns[at], i, member{number, int32(at)})
				}
			}
			x.resources[number].entries = append(x.resources[number].entries, int32(i))
		}
	}
	return items
}

// group sorts the items into heads and shapes.
func (x *Index) group(items []item) {
	order := make([]int32, len(items)) // sorted instead of the items, which are large
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &items[i], &items[j]
		if c := strings.Compare(a.head, b.head); c != 0 {
			return c
		}
		if c := strings.Compare(a.glob, b.glob); c != 0 {
			return c
		}
		if a.end != b.end {
			if a.end {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.member.resource, b.member.resource), cmp.Compare(a.member.at, b.member.at),
			cmp.Compare(a.entry, b.entry))
	})
	x.heads, x.shapes = make([]head, 0, len(items)), make([]shape, 0, len(items))
	x.members = make([]member, 0, len(items))
	x.resources = slices.Grow(x.resources, len(items))
	alone := make([]int32, 0, len(items)) // entries of one pattern
	up := int32(-1)
	for i := range order {
		it := &items[order[i]]
		before := &items[order[max(i-1, 0)]]
		newHead := i == 0 || it.head != before.head
		newShape := newHead || it.glob != before.glob || it.end != before.end
		if newHead {
			for up >= 0 && !strings.HasPrefix(it.head, x.heads[up].text) {
				up = x.heads[up].parent
			}
			x.heads = append(x.heads, head{text: it.head, parent: up, from: int32(len(x.shapes))})
			up = int32(len(x.heads) - 1)
		}
		if newShape {
			x.shapes = append(x.shapes, shape{pattern: *it.pattern, from: int32(len(x.members))})
			x.heads[up].to = int32(len(x.shapes))
			x.heads[up].bytes += int32(it.pattern.Len())
		}
		last := &x.shapes[len(x.shapes)-1]
		if it.member.resource >= 0 {
			x.members = append(x.members, it.member)
		} else {
			// Items of one pattern come first among those of a shape.
			if newShape {
				x.members = append(x.members, member{resource: int32(len(x.resources))})
				x.resources = append(x.resources, resource{})
			}
			alone = append(alone, it.entry)
			r := &x.resources[len(x.resources)-1]
			r.entries = alone[len(alone)-len(r.entries)-1:]
		}
		last.to = int32(len(x.members))
	}
}

// At returns the statements that match a path, in order, and the cost: how many patterns and statements were compared.
func (x *Index) At(path string, without policy.RuleSet) (hits []Hit, cost int) {
	shapes, cost, _ := x.Matching(path, nil)
	hits, more := x.Hits(shapes, without)
	return hits, cost + more
}

// Matching appends the numbers of the distinct patterns that match a path, always in one order. Paths with the same
// numbers have the same statements (see Hits). cost is how many beginnings and patterns were compared, bytes their
// length.
func (x *Index) Matching(path string, found []int32) (shapes []int32, cost, bytes int) {
	below := sort.Search(len(x.heads), func(i int) bool { return x.heads[i].text > path }) - 1
	if below < 0 {
		return found, 0, 0
	}
	// This head begins with every head that the path begins with, since it sorts between the two.
	common := 0
	for text := x.heads[below].text; common < len(text) && common < len(path) && text[common] == path[common]; {
		common++
	}
	for at := int32(below); at >= 0; at = x.heads[at].parent {
		h := &x.heads[at]
		cost++
		if len(h.text) > common {
			continue
		}
		cost += int(h.to - h.from)
		bytes += int(h.bytes)
		for i := h.from; i < h.to; i++ {
			if x.shapes[i].pattern.Match(path) {
				found = append(found, i)
			}
		}
	}
	return found, cost, bytes
}

// Hits returns the statements of the patterns that Matching found, in order, and the cost of finding them.
func (x *Index) Hits(shapes []int32, without policy.RuleSet) (hits []Hit, cost int) {
	var matching []member
	for _, i := range shapes {
		matching = append(matching, x.members[x.shapes[i].from:x.shapes[i].to]...)
	}
	if len(matching) > 1 {
		slices.SortFunc(matching, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.at, b.at))
		})
	}
	cost = len(matching)
	hits = make([]Hit, 0, len(matching))
	for len(matching) > 0 {
		n := 1
		for n < len(matching) && matching[n].resource == matching[0].resource {
			n++
		}
		cost += x.nested(matching[:n])
		hits = x.appendHits(hits, matching[:n], without)
		matching = matching[n:]
	}
	if len(hits) > 1 {
		slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(a.Entry, b.Entry) })
	}
	return hits, cost + len(hits)
}

// To compare so many bytes of patterns costs as much as one statement, and policy.Narrowest stops at maxNested.
const (
	bytesPerCost = 16
	maxNested    = 1 << 22 / bytesPerCost
)

// nested is the cost of finding the narrowest of these members of a resource.
func (x *Index) nested(matching []member) int {
	if len(matching) == 1 {
		return 0
	}
	bytes := 0
	for _, m := range matching {
		bytes += 1 + x.resources[m.resource].set[m.at].Len()
	}
	return min(len(matching)*bytes/bytesPerCost, maxNested)
}

// appendHits appends the statements of a resource, of which these members match the path.
func (x *Index) appendHits(hits []Hit, matching []member, without policy.RuleSet) []Hit {
	r := &x.resources[matching[0].resource]
	if r.set == nil {
		for _, e := range r.entries {
			hits = append(hits, Hit{Entry: e, Scope: &x.Entries[e].Patterns[0]})
		}
		return hits
	}
	members := make([]int, len(matching))
	for i, m := range matching {
		members[i] = int(m.at)
	}
	scope, determined := policy.Narrowest(r.set, members, without)
	for _, e := range r.entries {
		hits = append(hits, Hit{Entry: e, Vague: !determined, Scope: &r.set[scope]})
	}
	return hits
}
