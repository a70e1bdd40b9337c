package decide

import (
	"math"

	"github.com/acapscan/acapscan/analyze/policy"
)

// RobotsREP decides by the conventional rules of the robots.txt, which are about crawl only: the longest match of RFC
// 9309 among the groups that name the agent, or those for '*' if none does; allow wins a tie (R-REP-1).
func (v *View) RobotsREP(q Question) Partial {
	if v.cached != nil {
		return v.alone(policy.REP, q)
	}
	return v.robotsREP(q, anything)
}

func anything(grouped) bool { return true }

func (v *View) robotsREP(q Question, counts func(grouped) bool) Partial {
	if q.Usage != policy.Crawl {
		return Partial{}
	}
	if v.site.only.isUnknown() {
		return v.undeterminedIn(v.at(q.Path).of(policy.REP), q)
	}
	var rules []grouped
	for _, c := range v.at(q.Path).of(policy.REP) {
		if c.Statement.Usage == policy.Crawl && counts(c) {
			rules = append(rules, c)
		}
	}
	return v.longest(rules, policy.Allow, policy.RuleREPFile, policy.BasisREPRobots)
}

// longest decides by the longest of the patterns that match, among the statements in force; one sense wins a tie.
// Without the rule the first statement decides.
func (v *View) longest(statements []grouped, tie policy.Sense, rule policy.Rule, basis policy.Basis) (p Partial) {
	best, sense := -1, policy.NoSense
	var matching []matched
	for _, c := range statements {
		st := c.Statement
		if !c.inForce {
			p.lose(rule, st)
			continue
		}
		n := c.Scope.Len()
		if v.without(rule) {
			n = math.MaxInt - len(matching) // the first counts, as if it were the longest
		}
		matching = append(matching, matched{st, n})
		if n > best || n == best && st.Sense == tie {
			best, sense = n, st.Sense
		}
	}
	if len(matching)+len(p.Lost) > 0 {
		p.By = []policy.Rule{rule}
	}
	if len(matching) == 0 {
		return p
	}
	p.Basis, p.decision = basis, policy.Disallowed
	if sense == policy.Allow {
		p.decision = policy.Allowed
	}
	for _, m := range matching {
		if m.length == best && m.Statement.Sense == sense {
			p.Deciding = append(p.Deciding, Verdict{m.Statement, rule})
		} else {
			p.lose(rule, m.Statement)
		}
	}
	return p
}

// matched is a statement with the length of its pattern in bytes.
type matched struct {
	Statement *policy.Statement
	length    int
}

// robotsREPOutside decides by the conventional rules that profile pilot does not set aside: those whose scope equals
// that of no ACAP candidate (S3 4.3).
func (v *View) robotsREPOutside(q Question) Partial {
	scopes := make(map[policy.PathSet]bool)
	for _, c := range v.at(q.Path).acap {
		if c.Statement.Usage == policy.Crawl && !c.vague {
			scopes[c.Scope.PathSet()] = true
		}
	}
	var aside []*policy.Statement
	p := v.robotsREP(q, func(c grouped) bool {
		if scopes[c.Scope.PathSet()] {
			aside = append(aside, c.Statement)
			return false
		}
		return true
	})
	p.setAside(policy.RuleACAPFirst, aside)
	return p
}

// PageREP decides by the conventional statements of the page: META and header together, those for the agent and for all
// together, the most restrictive counts, conditions added (R-REP-2). In a document parsed as XML, a legal PI replaces
// the METAs (R-REP-4).
func (v *View) PageREP(page *policy.Page, q Question) Partial {
	return v.pageREP(page, q, anyStatement)
}

func (v *View) pageREP(page *policy.Page, q Question, counts func(*policy.Statement) bool) Partial {
	if page == nil {
		return Partial{}
	}
	var p Partial
	pi := page.XML && hasPI(page) && !v.without(policy.RuleREPParser)
	var held []*policy.Statement
	for i := range page.Statements {
		st := &page.Statements[i]
		isREP := st.Vocabulary == policy.REP && st.Status.Decides()
		if !isREP || !st.Usage.Covers(q.Usage) || !st.Addresses(v.agent) || !counts(st) {
			continue
		}
		if pi && st.Source == policy.Meta {
			p.lose(policy.RuleREPParser, st)
			continue
		}
		held = append(held, st)
	}
	if len(p.Lost) > 0 {
		p.By = append(p.By, policy.RuleREPParser)
	}
	return v.mostRestrictive(p, held, q, policy.RuleREPPage, policy.BasisREPPage)
}

// mostRestrictive completes a decision by statements that count together: the prohibitions, else the permissions with
// all their conditions. Without the rule the first statement decides. It is silent without statements.
func (v *View) mostRestrictive(p Partial, held []*policy.Statement, q Question, rule policy.Rule,
	basis policy.Basis) Partial {
	if len(held) == 0 {
		return p
	}
	p.By, p.Basis = append(p.By, rule), basis
	if v.without(rule) {
		p.lose(rule, held[1:]...)
		held = held[:1]
	}
	var allows, disallows []*policy.Statement
	for _, st := range held {
		if st.Sense == policy.Disallow {
			disallows = append(disallows, st)
		} else {
			allows = append(allows, st)
		}
	}
	if len(disallows) == 0 {
		p.Deciding = appendVerdicts(nil, rule, allows...)
		v.permit(&p, allows, q, rule)
		return p
	}
	p.decision = policy.Disallowed
	p.Deciding = appendVerdicts(nil, rule, disallows...)
	p.lose(rule, allows...)
	return p
}

// pageREPOutside decides by the conventional statements of the page that profile pilot does not set aside: those with a
// usage that no ACAP statement of the page has.
func (v *View) pageREPOutside(page *policy.Page, q Question) Partial {
	said := make(map[policy.Usage]bool)
	for _, c := range v.PageCandidates(page) {
		said[c.Statement.Usage] = true
	}
	var aside []*policy.Statement
	p := v.pageREP(page, q, func(st *policy.Statement) bool {
		if said[st.Usage] {
			aside = append(aside, st)
		}
		return !said[st.Usage]
	})
	p.setAside(policy.RuleACAPFirst, aside)
	return p
}

// hasPI reports whether the page has a robots PI that is obeyed.
func hasPI(page *policy.Page) bool {
	for i := range page.Statements {
		if page.Statements[i].Source == policy.PI && page.Statements[i].Status.Decides() {
			return true
		}
	}
	return false
}
