package decide

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/analyze/policy"
)

// An index finds the statements of a robots.txt that hold a path, at the cost of those whose patterns begin as the path does.
//
// Patterns are kept by their literal beginning, up to the first '*'. The beginnings are in order, and each knows the longest other that
// it begins with; so those that a path begins with are found by one binary search and a walk up. Patterns with a short beginning,
// such as /*a, are looked at one by one, some 50 ns each.
type index struct {
	once      sync.Once
	entries   []entry             // the statements that decide, in order: those of the file, then those that references lead to
	recorded  []*policy.Statement // of the file: ACAP fields that decide nothing
	rep       []*policy.Statement // of the file: the conventional statements that decide
	octets    int                 // of all patterns
	weight    int                 // of all statements: see Site.Weight
	aside     int                 // of those that count at every place: what is recorded, and what references lead to
	named     map[policy.Agent]bool
	resources []resource
	heads     []head
	shapes    []shape
	members   []member
}

// An entry is a statement, and where it comes from.
type entry struct {
	st        *policy.Statement
	reference int // which of the file's references leads to it; -1: the file has it
}

// A resource is what statements with the same paths are about: a pattern, or a resource set.
type resource struct {
	set     []policy.Pattern // nil of one pattern, which each statement may write in its own way
	entries []int32
}

// A head is what patterns begin with before the first '*'.
type head struct {
	text     string
	parent   int32 // the longest other head that text begins with; -1: none
	from, to int32 // shapes
	octets   int32 // of their patterns
}

// A shape is a pattern as far as it matters for matching.
type shape struct {
	pattern  policy.Pattern
	from, to int32 // members
}

// A member is a pattern's place in a resource.
type member struct{ resource, at int32 }

// A hit is a statement that holds a path, and its scope there (R-DEF-3). The scope is vague where it takes too much to determine it.
type hit struct {
	entry int32
	vague bool
	scope *policy.Pattern
}

// of makes the index at its first use.
func (x *index) of(file *policy.File) *index {
	x.once.Do(func() { x.build(file) })
	return x
}

func (x *index) build(file *policy.File) {
	x.named = make(map[policy.Agent]bool, len(file.NamedGroups))
	for _, a := range file.NamedGroups {
		if a != policy.AnyAgent {
			x.named[a.Key()] = true
		}
	}
	x.entries = make([]entry, 0, len(file.Statements))
	x.weight, x.aside = 1, 1
	for i := range file.Statements {
		x.weight += Weight(&file.Statements[i])
		switch st := &file.Statements[i]; {
		case st.Status.Decides():
			x.entries = append(x.entries, entry{st, -1})
			if st.Vocabulary == policy.REP {
				x.rep = append(x.rep, st)
			}
		case st.Status == policy.Recorded && st.Vocabulary == policy.ACAP:
			x.recorded = append(x.recorded, st)
			x.aside += Weight(st)
		}
	}
	for i := range file.References {
		for j := range file.References[i].Resolved {
			weight := Weight(&file.References[i].Resolved[j])
			x.weight, x.aside = x.weight+weight, x.aside+weight
			if st := &file.References[i].Resolved[j]; st.Status.Decides() && st.Vocabulary == policy.ACAP {
				x.entries = append(x.entries, entry{st, i})
			}
		}
	}
	x.group(x.items())
}

// An item is a pattern of a resource. The resource of one pattern is not numbered before patterns are grouped.
type item struct {
	head, glob string
	end        bool
	pattern    *policy.Pattern
	entry      int32 // of one pattern
	member     member
}

// items lists the patterns of all statements, those of a resource set once.
func (x *index) items() []item {
	items := make([]item, 0, len(x.entries))
	add := func(p *policy.Pattern, entry int, at member) {
		glob, end := p.Glob()
		x.octets += p.Len()
		head, _, _ := strings.Cut(glob, "*")
		items = append(items, item{head, glob, end, p, int32(entry), at})
	}
	type set struct {
		first *policy.Pattern
		size  int
	}
	sets := make(map[set]int32)
	for i, e := range x.entries {
		patterns := e.st.Patterns
		switch len(patterns) {
		case 0:
		case 1:
			add(&patterns[0], i, member{resource: -1})
		default:
			// The statements about a set share its patterns.
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

// group makes heads and shapes of the items.
func (x *index) group(items []item) {
	order := make([]int32, len(items)) // moved in the place of the items, which are large
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
		if c := cmp.Compare(a.member.resource, b.member.resource); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.member.at, b.member.at), cmp.Compare(a.entry, b.entry))
	})
	x.heads, x.shapes, x.members = make([]head, 0, len(items)), make([]shape, 0, len(items)), make([]member, 0, len(items))
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
			x.heads[up].octets += int32(it.pattern.Len())
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

// at returns the statements that hold a path, in order, and how many looks at a pattern or a statement it took to find them.
func (x *index) at(path string, without policy.RuleSet) (hits []hit, looks int) {
	shapes, looks, _ := x.matching(path, nil)
	hits, more := x.about(shapes, without)
	return hits, looks + more
}

// matching adds the shapes that hold a path to those found, always in one order, and tells how many looks at a head or a pattern it took, and
// how many octets these patterns have.
func (x *index) matching(path string, found []int32) (shapes []int32, looks, octets int) {
	below := sort.Search(len(x.heads), func(i int) bool { return x.heads[i].text > path }) - 1
	if below < 0 {
		return found, 0, 0
	}
	// Whatever the path begins with, this head begins with too: it lies between the two.
	common := 0
	for text := x.heads[below].text; common < len(text) && common < len(path) && text[common] == path[common]; {
		common++
	}
	for at := int32(below); at >= 0; at = x.heads[at].parent {
		h := &x.heads[at]
		looks++
		if len(h.text) > common {
			continue
		}
		looks += int(h.to - h.from)
		octets += int(h.octets)
		for i := h.from; i < h.to; i++ {
			if x.shapes[i].pattern.Match(path) {
				found = append(found, i)
			}
		}
	}
	return found, looks, octets
}

// about returns the statements that hold a path which these shapes hold and no others, in order, and how many looks that took.
func (x *index) about(shapes []int32, without policy.RuleSet) (hits []hit, looks int) {
	var held []member
	for _, i := range shapes {
		held = append(held, x.members[x.shapes[i].from:x.shapes[i].to]...)
	}
	if len(held) > 1 {
		slices.SortFunc(held, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.at, b.at))
		})
	}
	looks = len(held)
	hits = make([]hit, 0, len(held))
	for len(held) > 0 {
		n := 1
		for n < len(held) && held[n].resource == held[0].resource {
			n++
		}
		looks += x.nested(held[:n])
		hits = x.appendHits(hits, held[:n], without)
		held = held[n:]
	}
	if len(hits) > 1 {
		slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.entry, b.entry) })
	}
	return hits, looks + len(hits)
}

// A look goes over some octets of a pattern, and policy.Narrowest stops after so many looks.
const (
	octetsPerLook  = 16
	maxNestedLooks = 1 << 22 / octetsPerLook
)

// nested measures what it takes to find the narrowest of these members of a resource, in looks.
func (x *index) nested(held []member) int {
	if len(held) == 1 {
		return 0
	}
	octets := 0
	for _, m := range held {
		octets += 1 + x.resources[m.resource].set[m.at].Len()
	}
	return min(len(held)*octets/octetsPerLook, maxNestedLooks)
}

// appendHits adds the statements about a resource, of which these members hold the path.
func (x *index) appendHits(hits []hit, held []member, without policy.RuleSet) []hit {
	r := &x.resources[held[0].resource]
	if r.set == nil {
		for _, e := range r.entries {
			hits = append(hits, hit{entry: e, scope: &x.entries[e].st.Patterns[0]})
		}
		return hits
	}
	members := make([]int, len(held))
	for i, m := range held {
		members[i] = int(m.at)
	}
	scope, determined := policy.Narrowest(r.set, members, without)
	for _, e := range r.entries {
		hits = append(hits, hit{entry: e, vague: !determined, scope: &r.set[scope]})
	}
	return hits
}
