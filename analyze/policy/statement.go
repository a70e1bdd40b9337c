package policy

import "slices"

// A Statement is one written permission or prohibition about one usage, or a field that is only recorded. Where one
// written rule means several usages it is one Statement a usage, told apart by Part.
type Statement struct {
	Vocabulary Vocabulary
	Source     Source
	Line       int   // 1-based line of the robots.txt; 0 elsewhere
	Offset     int64 // byte offset in the decoded page, or number of the header field, from 0; -1 in a robots.txt
	Part       int   // 1-based within what was written at the position

	Field      string // the field's or directive's name, in lower case: "acap-allow-index", "disallow", "noindex"
	Agents     []Agent
	Purposes   []Purpose // empty: no purpose, general
	Sense      Sense
	Usage      Usage
	Resource   string    // as written; "" for a page's own statement and for an empty conventional Disallow
	Patterns   []Pattern // one pattern, or the members of a resource set; nil for a page's own statement
	Qualifiers []Qualifier

	Status  Status
	Defects []Defect
	Raw     string   // the line, tag attribute, token, PI or header field as written
	Element *Element // of a class token; nil elsewhere
}

// An Element is what a class token stands on (R-CLASS-1).
type Element struct {
	Name string // tag name in lower case
	ID   string // the id attribute, "" if none
}

// OfPage reports whether the statement is about the page that carries it, and not about paths of a site.
func (s *Statement) OfPage() bool { return s.Source != RobotsTxt }

// Names reports whether the statement is addressed to the agent by name.
func (s *Statement) Names(agent Agent) bool {
	return slices.ContainsFunc(s.Agents, func(a Agent) bool { return a != AnyAgent && a.Is(agent) })
}

// AddressesAny reports whether the statement is addressed to any crawler.
func (s *Statement) AddressesAny() bool { return slices.Contains(s.Agents, AnyAgent) }

// Addresses reports whether the statement is addressed to the agent, by name or as any crawler.
func (s *Statement) Addresses(agent Agent) bool { return s.AddressesAny() || s.Names(agent) }

// FitsPurpose reports whether the statement counts for the purpose ("": none), and whether it does so only generally:
// without naming a purpose, or by a pattern that fits all (R-PURP-1, R-DEC-3). It heeds R-PURP-1 among the rules left
// out.
func (s *Statement) FitsPurpose(purpose string, without RuleSet) (fits, general bool) {
	general = len(s.Purposes) == 0
	for _, p := range s.Purposes {
		switch {
		case without.Has(RulePurposeName):
			fits = fits || purpose != "" && string(p) == purpose
		case p.General():
			general = true
		default:
			fits = fits || p.Fits(purpose)
		}
	}
	return fits || general, general && !fits
}

// maxNested bounds the bytes of pattern that Narrowest compares. Members that hold one path are few in real files.
const maxNested = 1 << 22

// Narrowest returns which member of a resource set is the scope at a path, given the members that match the path
// (R-DEF-3): one that contains no other, and of several the first by NarrowerByCharacters, in whatever order the set
// lists them. held is ascending and not empty. Where that takes too much work, determined is false, and other members
// may lie inside the one returned.
func Narrowest(members []Pattern, held []int, without RuleSet) (scope int, determined bool) {
	if len(held) == 1 || without.Has(RuleResourceSet) {
		return held[0], true
	}
	bytes := 0
	for _, i := range held {
		bytes += 1 + len(members[i].norm)
	}
	left, work := slices.Clone(held), 0
	for {
		scope = left[0]
		for _, i := range left[1:] {
			if before(members[i], members[scope]) {
				scope = i
			}
		}
		if work += bytes + len(left)*len(members[scope].norm); work > maxNested {
			return scope, false
		}
		inside := 0
		left = slices.DeleteFunc(left, func(i int) bool {
			if !members[scope].Contains(members[i]) || members[i].Contains(members[scope]) {
				return true
			}
			inside += 1 + len(members[i].norm)
			return false
		})
		if len(left) == 0 {
			return scope, true
		}
		bytes = inside
	}
}

// before orders patterns as the method of S3 4.5.2.5.3 does, the narrower first, and by bytes where it does not tell.
func before(p, q Pattern) bool {
	return p.NarrowerByCharacters(q) || !q.NarrowerByCharacters(p) && p.norm < q.norm
}

// EffectiveQualifiers are the qualifiers that restrict usage u where the statement decides it: one stated for present
// holds for its ten, must-use-resource excepted (R-QUAL-3). One stated for other holds wherever other reaches
// (R-DEC-13).
func (s *Statement) EffectiveQualifiers(u Usage) []Qualifier {
	if s.Usage != Present || !u.IsPresentation() {
		return s.Qualifiers
	}
	var held []Qualifier
	for _, q := range s.Qualifiers {
		if q.Name != MustUseResource {
			held = append(held, q)
		}
	}
	return held
}

// A ListID identifies a list in memory: statements of a record or group share their lists, so that equal identities
// spare reading them. A group that goes on after one of its rules has a longer list at the same place.
type ListID[T any] struct {
	first *T
	n     int
}

// IDOf identifies a list; all empty lists are one.
func IDOf[T any](list []T) ListID[T] {
	if len(list) == 0 {
		return ListID[T]{}
	}
	return ListID[T]{&list[0], len(list)}
}

// HasDefect reports whether the statement carries the code.
func (s *Statement) HasDefect(d Defect) bool { return slices.Contains(s.Defects, d) }

// AddDefect adds a code once.
func (s *Statement) AddDefect(d Defect) { s.Defects = appendOnce(s.Defects, d) }
