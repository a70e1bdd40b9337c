package decide

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A Part is what one vocabulary in one carrier says of a question, taken alone. The zero Part is silence.
type Part struct {
	decision   policy.Decision
	basis      policy.Basis
	named      bool // what decides is said to the agent by name; of ACAP only
	direct     bool // an ACAP statement of the level is about the usage itself, even if another decides
	byOther    bool // ACAP statements about other are the candidates, since none of the level is direct (R-DEC-13)
	beside     bool // so they are, and conventional statements of the level count beside them (R-DEC-13)
	short      bool // it is remembered, and does not list all; see Places.At
	rules      []policy.Rule
	qualifiers []policy.Qualifier
	deciding   []Verdict
	lost       []Verdict
	leading    *policy.Statement // of a part in short; see Leading
}

// Speaks tells whether anything was said.
func (p *Part) Speaks() bool { return p.decision != 0 }

// Decision is what was said; Allowed where nothing was (R-DEC-12, which no reading leaves out here).
func (p *Part) Decision() policy.Decision {
	if !p.Speaks() {
		return policy.Allowed
	}
	return p.decision
}

// Basis of the decision; the zero Basis where nothing was said.
func (p *Part) Basis() policy.Basis { return p.basis }

// By lists the rules that took part.
func (p *Part) By() []policy.Rule { return p.rules }

// BesideREP tells that the part of a page rests on statements about other, so that conventional statements of the
// page count beside it, and the more restrictive of the two decides (R-DEC-13).
func (p *Part) BesideREP() bool { return p.beside }

// Qualifiers in force.
func (p *Part) Qualifiers() []policy.Qualifier { return p.qualifiers }

// Deciding are the statements that decided.
func (p *Part) Deciding() []Verdict { return p.deciding }

// Lost are the candidates that a rule removed.
func (p *Part) Lost() []Verdict { return p.lost }

// Leading returns the statement that stands for a part at a path: of those that decide the one with the longest pattern that holds it, the
// first of these. Statements of a page have no pattern. Nil where none decides.
func (p *Part) Leading(path string) (lead *policy.Statement) {
	if p.leading != nil {
		return p.leading
	}
	longest, n := -1, 0
	var patterns []policy.Pattern // sets are shared
	for _, v := range p.deciding {
		if n == 0 || !sameList(patterns, v.Statement.Patterns) {
			patterns, n = v.Statement.Patterns, 0
			for i := range patterns {
				if patterns[i].Len() > n && patterns[i].Match(path) {
					n = patterns[i].Len()
				}
			}
		}
		if n > longest {
			lead, longest = v.Statement, n
		}
	}
	return lead
}

// Weight measures what it takes to choose among the statements of a part: how many there are, and the octets of their patterns. It is
// nothing where that is remembered.
func (p *Part) Weight() (statements, octets int) {
	if p.short {
		return 0, 0
	}
	var patterns []policy.Pattern // sets are shared
	n := 0
	for _, list := range [][]Verdict{p.deciding, p.lost} {
		for _, v := range list {
			if len(patterns) == 0 || !sameList(patterns, v.Statement.Patterns) {
				patterns, n = v.Statement.Patterns, 0
				for i := range patterns {
					n += patterns[i].Len()
				}
			}
			octets += n
		}
	}
	return len(p.deciding) + len(p.lost), octets
}

// prohibitsAll tells whether this decision about crawl takes every other usage with it (R-DEC-11): one that statements made.
func (p *Part) prohibitsAll() bool {
	if p.decision != policy.Disallowed {
		return false
	}
	switch p.basis {
	case policy.BasisUnreachable, policy.BasisReferenceUnresolved, policy.BasisSilence: // the last without R-DEC-12
		return false
	}
	return true
}

// statements are all candidates of the part, those that lost included.
func (p Part) statements() []*policy.Statement {
	var all []*policy.Statement
	for _, v := range p.deciding {
		all = append(all, v.Statement)
	}
	for _, v := range p.lost {
		all = append(all, v.Statement)
	}
	return all
}

// setAside notes that a rule removed candidates of another part before this one was decided.
func (p *Part) setAside(rule policy.Rule, removed []*policy.Statement) {
	if len(removed) == 0 {
		return
	}
	p.rules = append([]policy.Rule{rule}, p.rules...)
	for _, st := range removed {
		p.lost = append(p.lost, Verdict{st, rule})
	}
}

// absorb takes over the trace of a part that came to no decision: the rules that removed its candidates come first.
func (p *Part) absorb(silent Part) {
	if len(silent.lost) == 0 {
		return
	}
	p.rules = append(slices.Clone(silent.rules), p.rules...)
	p.lost = append(p.lost, silent.lost...)
}

// combine lets two parts each be decided by itself; the more restrictive counts, conditions are added, and where they
// are equal the basis is the first one's, ACAP's. The rule says so: R-DEC-2 of a page and a file, R-DEC-13 of
// statements about other and the conventional ones of their level.
func combine(acap, rep Part, rule policy.Rule) Part {
	if !rep.Speaks() {
		acap.absorb(rep)
		return acap
	}
	winner, other := acap, rep
	if rep.decision > acap.decision {
		winner, other = rep, acap
	}
	result := Part{decision: winner.decision, basis: winner.basis}
	result.rules = appendRules(appendRules(slices.Clone(acap.rules), rep.rules...), rule)
	result.deciding = slices.Clone(winner.deciding)
	result.lost = append(slices.Clone(acap.lost), rep.lost...)
	switch {
	case winner.decision == policy.Conditional && other.decision == policy.Conditional:
		result.qualifiers = mergeQualifiers(acap.qualifiers, rep.qualifiers)
		result.deciding = append(result.deciding, other.deciding...)
	case winner.decision != other.decision:
		result.qualifiers = winner.qualifiers
		for _, v := range other.deciding {
			result.lost = append(result.lost, Verdict{v.Statement, rule})
		}
	default:
		result.deciding = append(result.deciding, other.deciding...)
	}
	return result
}

// appendRules adds the rules that are not there yet.
func appendRules(rules []policy.Rule, more ...policy.Rule) []policy.Rule {
	for _, r := range more {
		if !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	return rules
}

// mergeQualifiers returns the qualifiers of both lists.
func mergeQualifiers(a, b []policy.Qualifier) []policy.Qualifier {
	var both conditions
	for _, q := range slices.Concat(a, b) {
		both.add(q)
	}
	return both.list
}

// conditions add up, each once (R-DEC-8).
type conditions struct {
	list  []policy.Qualifier
	known map[policy.Qualifier]bool // nil while the list is short
}

// shortList is how many qualifiers are looked through before a map is made of them.
const shortList = 16

func (c *conditions) add(q policy.Qualifier) {
	if c.known == nil && len(c.list) >= shortList {
		c.known = make(map[policy.Qualifier]bool)
		for _, have := range c.list {
			c.known[have] = true
		}
	}
	if c.known[q] || c.known == nil && slices.Contains(c.list, q) {
		return
	}
	c.list = append(c.list, q)
	if c.known != nil {
		c.known[q] = true
	}
}
