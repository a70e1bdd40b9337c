package decide

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A Partial is the decision that the statements of one vocabulary in one carrier give by themselves. The zero Partial
// is silence.
type Partial struct {
	decision   policy.Decision
	basis      policy.Basis
	named      bool // the deciding statements name the agent; ACAP only
	direct     bool // an ACAP statement of the level is about the usage itself, even if another decides
	byOther    bool // the candidates are ACAP statements about other, since none of the level is direct (R-DEC-13)
	withREP    bool // they are, and conventional statements of the level count as well (R-DEC-13)
	rules      []policy.Rule
	qualifiers []policy.Qualifier
	deciding   []Verdict
	lost       []Verdict

	isTruncated bool              // it is cached and does not list all (see DecisionCache.At)
	leading     *policy.Statement // where it is truncated; see Leading
}

// byDefault is a decision that no statement makes.
func byDefault(d policy.Decision, basis policy.Basis, rule policy.Rule) Partial {
	return Partial{decision: d, basis: basis, rules: []policy.Rule{rule}}
}

// Speaks reports whether a statement decides.
func (p *Partial) Speaks() bool { return p.decision != 0 }

// Decision returns the decision; silence is Allowed (R-DEC-12, which no option leaves out here).
func (p *Partial) Decision() policy.Decision {
	if !p.Speaks() {
		return policy.Allowed
	}
	return p.decision
}

// Basis returns the basis of the decision; silence has the zero Basis.
func (p *Partial) Basis() policy.Basis { return p.basis }

// By returns the rules that took part.
func (p *Partial) By() []policy.Rule { return p.rules }

// CountsREP reports that statements about other decide for a page, so that its conventional statements count as well,
// and the more restrictive of the two decides (R-DEC-13).
func (p *Partial) CountsREP() bool { return p.withREP }

// Qualifiers returns the qualifiers in force.
func (p *Partial) Qualifiers() []policy.Qualifier { return p.qualifiers }

// Deciding returns the statements that decided.
func (p *Partial) Deciding() []Verdict { return p.deciding }

// Lost returns the candidates that a rule removed.
func (p *Partial) Lost() []Verdict { return p.lost }

// Leading returns the statement that represents the decision at a path: of those that decide, the first of those with
// the longest pattern that matches. Statements of a page have no pattern. Nil if none decides.
func (p *Partial) Leading(path string) (lead *policy.Statement) {
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

// Weight measures the work of choosing among the statements: how many there are, and the bytes of their patterns. A
// cached decision has none.
func (p *Partial) Weight() (statements, bytes int) {
	if p.isTruncated {
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
			bytes += n
		}
	}
	return len(p.deciding) + len(p.lost), bytes
}

// prohibitsAll reports whether this decision about crawl prohibits every other usage (R-DEC-11): statements must have
// made it.
func (p *Partial) prohibitsAll() bool {
	if p.decision != policy.Disallowed {
		return false
	}
	switch p.basis {
	case policy.BasisUnreachable, policy.BasisReferenceUnresolved, policy.BasisSilence: // the last without R-DEC-12
		return false
	}
	return true
}

// statements returns all candidates, those that lost included.
func (p Partial) statements() []*policy.Statement {
	var all []*policy.Statement
	for _, v := range p.deciding {
		all = append(all, v.Statement)
	}
	for _, v := range p.lost {
		all = append(all, v.Statement)
	}
	return all
}

// setAside records that a rule removed candidates of another decision before this one was made.
func (p *Partial) setAside(rule policy.Rule, removed []*policy.Statement) {
	if len(removed) == 0 {
		return
	}
	p.rules = append([]policy.Rule{rule}, p.rules...)
	for _, st := range removed {
		p.lost = append(p.lost, Verdict{st, rule})
	}
}

// absorb takes over the trace of a decision that is silent: the rules that removed its candidates come first.
func (p *Partial) absorb(silent Partial) {
	if len(silent.lost) == 0 {
		return
	}
	p.rules = append(slices.Clone(silent.rules), p.rules...)
	p.lost = append(p.lost, silent.lost...)
}

// combine returns the more restrictive of two decisions, with the conditions of both; the basis of equal ones is that
// of ACAP. The rule is R-DEC-2 for a page and a file, R-DEC-13 for statements about other and the conventional ones of
// their level.
func combine(acap, rep Partial, rule policy.Rule) Partial {
	if !rep.Speaks() {
		acap.absorb(rep)
		return acap
	}
	winner, other := acap, rep
	if rep.decision > acap.decision {
		winner, other = rep, acap
	}
	result := Partial{decision: winner.decision, basis: winner.basis}
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

// appendRules appends the rules that are missing.
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

// conditions are qualifiers that hold together, each once (R-DEC-8).
type conditions struct {
	list  []policy.Qualifier
	known map[policy.Qualifier]bool // nil while the list is short
}

// shortList is how many qualifiers are compared before they are put into a map.
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
