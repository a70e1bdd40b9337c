package decide

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A Partial is the decision that the statements of one vocabulary in one carrier give by themselves. The zero Partial
// is silence.
type Partial struct {
	Basis      policy.Basis  // the zero Basis for silence
	By         []policy.Rule // that took part
	Qualifiers []policy.Qualifier
	Deciding   []Verdict
	Lost       []Verdict // candidates that a rule removed

	// CountsREP: statements about other decide for a page, so its conventional statements count as well, and the more
	// restrictive of the two decides (R-DEC-13).
	CountsREP bool

	decision policy.Decision
	named    bool // the deciding statements name the agent; ACAP only
	direct   bool // an ACAP statement of the level is about the usage itself, even if another decides
	byOther  bool // the candidates are ACAP statements about other, since none of the level is direct (R-DEC-13)

	isTruncated bool              // it is cached and does not list all (see DecisionCache.At)
	leading     *policy.Statement // where it is truncated; see Leading
}

// byDefault is a decision that no statement makes.
func byDefault(d policy.Decision, basis policy.Basis, rule policy.Rule) Partial {
	return Partial{decision: d, Basis: basis, By: []policy.Rule{rule}}
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

// Leading returns the statement that represents the decision at a path: of those that decide, the first of those with
// the longest pattern that matches. Statements of a page have no pattern. Nil if none decides.
func (p *Partial) Leading(path string) (lead *policy.Statement) {
	if p.leading != nil {
		return p.leading
	}
	longest, n := -1, 0
	var patterns []policy.Pattern // sets are shared
	for _, v := range p.Deciding {
		if n == 0 || policy.IDOf(patterns) != policy.IDOf(v.Statement.Patterns) {
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
	for _, list := range [][]Verdict{p.Deciding, p.Lost} {
		for _, v := range list {
			if len(patterns) == 0 || policy.IDOf(patterns) != policy.IDOf(v.Statement.Patterns) {
				patterns, n = v.Statement.Patterns, 0
				for i := range patterns {
					n += patterns[i].Len()
				}
			}
			bytes += n
		}
	}
	return len(p.Deciding) + len(p.Lost), bytes
}

// prohibitsAll reports whether this decision about crawl prohibits every other usage (R-DEC-11): statements must have
// made it.
func (p *Partial) prohibitsAll() bool {
	if p.decision != policy.Disallowed {
		return false
	}
	switch p.Basis {
	case policy.BasisUnreachable, policy.BasisReferenceUnresolved, policy.BasisSilence: // the last without R-DEC-12
		return false
	}
	return true
}

// deciding returns the statements that decide.
func (p Partial) deciding() (all []*policy.Statement) {
	for _, v := range p.Deciding {
		all = append(all, v.Statement)
	}
	return all
}

// statements returns all candidates, those that lost included.
func (p Partial) statements() (all []*policy.Statement) {
	for _, v := range slices.Concat(p.Deciding, p.Lost) {
		all = append(all, v.Statement)
	}
	return all
}

// lose records that a rule removed candidates.
func (p *Partial) lose(rule policy.Rule, statements ...*policy.Statement) {
	p.Lost = appendVerdicts(p.Lost, rule, statements...)
}

func appendVerdicts(list []Verdict, rule policy.Rule, statements ...*policy.Statement) []Verdict {
	for _, st := range statements {
		list = append(list, Verdict{st, rule})
	}
	return list
}

// setAside records that a rule removed candidates of another decision before this one was made.
func (p *Partial) setAside(rule policy.Rule, removed []*policy.Statement) {
	if len(removed) == 0 {
		return
	}
	p.By = append([]policy.Rule{rule}, p.By...)
	p.lose(rule, removed...)
}

// absorb takes over the trace of a decision that is silent: the rules that removed its candidates come first.
func (p *Partial) absorb(silent Partial) {
	if len(silent.Lost) == 0 {
		return
	}
	p.By = append(slices.Clone(silent.By), p.By...)
	p.Lost = append(p.Lost, silent.Lost...)
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
	result := Partial{decision: winner.decision, Basis: winner.Basis}
	result.By = appendRules(appendRules(slices.Clone(acap.By), rep.By...), rule)
	result.Deciding = slices.Clone(winner.Deciding)
	result.Lost = append(slices.Clone(acap.Lost), rep.Lost...)
	switch {
	case winner.decision == policy.Conditional && other.decision == policy.Conditional:
		result.Qualifiers = mergeQualifiers(acap.Qualifiers, rep.Qualifiers)
		result.Deciding = append(result.Deciding, other.Deciding...)
	case winner.decision != other.decision:
		result.Qualifiers = winner.Qualifiers
		for _, v := range other.Deciding {
			result.Lost = append(result.Lost, Verdict{v.Statement, rule})
		}
	default:
		result.Deciding = append(result.Deciding, other.Deciding...)
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
	known map[policy.Qualifier]bool
}

func (c *conditions) add(q policy.Qualifier) {
	if c.known[q] {
		return
	}
	if c.known == nil {
		c.known = make(map[policy.Qualifier]bool)
	}
	c.known[q] = true
	c.list = append(c.list, q)
}
