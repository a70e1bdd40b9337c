package decide

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// These bound the bytes of pattern that are compared for one decision, where statements with the same usage and pattern
// count once: so many times the bytes of the file's patterns, at least leastCompared, at most maxCompared. Beyond it
// the narrowest scope counts as not determined, and the usage is prohibited: "regardless of whether or not such
// determination is theoretically possible" (S3 4.3). Real files need less than a tenth of leastCompared; at maxCompared
// a decision takes some tenths of a second. A scope that policy.Narrowest does not determine has the same effect. The
// bound is that of the file, whatever the agent and the questions before.
const (
	comparedPerByte = 64
	leastCompared   = 1 << 18
	maxCompared     = 1 << 24
)

// RobotsACAP decides by the ACAP statements of the robots.txt, for a page without statements about the usage.
func (v *View) RobotsACAP(q Question) Partial {
	if v.cached != nil {
		return v.alone(policy.ACAP, q)
	}
	return v.robotsACAP(q)
}

func (v *View) robotsACAP(q Question) Partial {
	if q.Usage.Family() != terms.FamilyACAP {
		return Partial{}
	}
	if v.site.only.isUnknown() {
		return v.refer(v.undetermined(q))
	}
	var candidates []Candidate
	for _, c := range v.at(q.Path).acap {
		if v.concerns(c.Statement.Usage, q.Usage) {
			candidates = append(candidates, c)
		}
	}
	return v.refer(v.choose(candidates, q, policy.BasisACAPRobots))
}

// RobotsACAPUnder is RobotsACAP for a page with the decision of PageACAP. If the page names the usage itself,
// statements of the robots.txt about other do not cover it (R-DEC-13).
func (v *View) RobotsACAPUnder(page Partial, q Question) Partial {
	file := v.RobotsACAP(q)
	if file.byOther && page.direct && v.site.opts.Other == OtherBroad {
		return v.refer(Partial{})
	}
	return file
}

// PageACAP decides by the ACAP METAs of the page. Class tokens are about elements only. METAs about other do not cover
// a usage that an ACAP statement of the robots.txt is about (R-DEC-13).
func (v *View) PageACAP(page *policy.Page, q Question) Partial {
	candidates := v.metas(page, func(stated policy.Usage) bool { return v.concerns(stated, q.Usage) })
	p := v.choose(candidates, q, policy.BasisACAPPage)
	if !p.byOther || v.site.opts.Other != OtherBroad {
		return p
	}
	if v.robotsNames(q) {
		return Partial{}
	}
	p.CountsREP = true
	return p
}

// robotsNames reports whether an ACAP statement of the robots.txt is about the usage itself, or about present and the
// usage is one of its ten.
func (v *View) robotsNames(q Question) bool {
	if v.cached != nil {
		acap := v.alone(policy.ACAP, q)
		return acap.direct
	}
	return slices.ContainsFunc(v.at(q.Path).acap, func(c Candidate) bool { return c.Statement.Usage.Covers(q.Usage) })
}

// metas returns the ACAP METAs of a page, which may be nil, for the agent and purpose and the usages asked.
func (v *View) metas(page *policy.Page, asked func(policy.Usage) bool) (candidates []Candidate) {
	if page == nil {
		return nil
	}
	m := matcher{view: v}
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Vocabulary != policy.ACAP || st.Source != policy.Meta || !st.Status.Decides() || !asked(st.Usage) {
			continue
		}
		if c, ok := m.candidate(st, nil, false); ok {
			candidates = append(candidates, c)
		}
	}
	return candidates
}

// concerns reports whether a statement about one usage may be a candidate for another: it covers it, or it is about
// other (R-DEC-13).
func (v *View) concerns(stated, asked policy.Usage) bool {
	return stated.Covers(asked) || stated == policy.Other && v.otherReaches(asked)
}

// otherReaches: every usage but crawl; in the narrow interpretation, and without the rule, only other itself
// (R-DEC-13).
func (v *View) otherReaches(u policy.Usage) bool {
	return v.site.opts.Other != OtherNarrow && u != policy.Crawl && u.Family() == terms.FamilyACAP &&
		!v.without(policy.RuleOther)
}

// refer applies an unresolved permissions-reference: for its agents, usages that no statement naming them decides are
// disallowed (R-REF-1).
func (v *View) refer(p Partial) Partial {
	if len(v.unresolved) == 0 || p.Speaks() && (p.named || !v.unresolvedNamed) {
		return p
	}
	unknown := Partial{
		decision: policy.Disallowed, Basis: policy.BasisReferenceUnresolved, By: []policy.Rule{policy.RuleReference},
		direct: p.direct, byOther: p.byOther,
	}
	unknown.lose(policy.RuleReference, p.statements()...)
	return unknown
}

// choose applies R-DEC-13, R-DEC-3 to R-DEC-10 and R-DEC-0 to the candidates of one level.
func (v *View) choose(candidates []Candidate, q Question, basis policy.Basis) Partial {
	if len(candidates) == 0 {
		return Partial{}
	}
	t := trace{view: v, usage: q.Usage, left: candidates}
	direct := t.preferDirect()
	t.preferPurpose()
	t.preferNamed()
	if t.bothSenses() && t.profile() == Profile11 {
		t.preferNarrowest()
	}
	if t.bothSenses() {
		t.preferByCharacters()
	}
	p := t.settle(q, basis)
	p.direct, p.byOther = direct, !direct
	return p
}

// A trace is a choice: the candidates that are left, and the rules that removed the others.
type trace struct {
	view  *View
	usage policy.Usage
	left  []Candidate
	rules []policy.Rule
	lost  []Verdict
}

func (t *trace) profile() Profile { return t.view.site.opts.Profile }

// keep removes by a rule the candidates for which stays is false. Removing all or none changes nothing.
func (t *trace) keep(rule policy.Rule, stays func(i int) bool) {
	if t.view.without(rule) {
		return
	}
	n := 0
	for i := range t.left {
		if stays(i) {
			n++
		}
	}
	if n == 0 || n == len(t.left) {
		return
	}
	kept := make([]Candidate, 0, n)
	for i, c := range t.left {
		if stays(i) {
			kept = append(kept, c)
		} else {
			t.lost = append(t.lost, Verdict{c.Statement, rule})
		}
	}
	t.left, t.rules = kept, append(t.rules, rule)
}

// preferDirect removes statements about other if a statement is about the usage itself (R-DEC-13), and reports whether
// one is.
func (t *trace) preferDirect() bool {
	direct := 0
	for _, c := range t.left {
		if c.Statement.Usage.Covers(t.usage) {
			direct++
		}
	}
	switch direct {
	case 0:
		t.rules = append(t.rules, policy.RuleOther)
	case len(t.left):
	default:
		// Statements about other were no candidates, so they are not among the lost.
		isOther := func(c Candidate) bool { return !c.Statement.Usage.Covers(t.usage) }
		t.left = slices.DeleteFunc(slices.Clone(t.left), isOther)
	}
	return direct > 0
}

// preferPurpose: purpose-specific beats general (R-DEC-3, S2 2.2).
func (t *trace) preferPurpose() {
	t.keep(policy.RulePurpose, func(i int) bool { return t.left[i].Specific })
}

// preferNamed: a named agent beats any (R-DEC-4, S3 4.1).
func (t *trace) preferNamed() {
	highest := 0
	for _, c := range t.left {
		highest = max(highest, c.address())
	}
	t.keep(policy.RuleNamedAgent, func(i int) bool { return t.left[i].address() == highest })
}

func (t *trace) bothSenses() bool {
	for i := range t.left {
		if t.left[i].Statement.Sense != t.left[0].Statement.Sense {
			return true
		}
	}
	return false
}

// preferNarrowest: a statement is beaten by one of the opposite sense whose scope is a proper subset of its own
// (R-DEC-5, S2 2.3).
func (t *trace) preferNarrowest() {
	t.keepUnbeaten(policy.RuleNarrowest, func(a, b Candidate) bool {
		return a.Contains(b) && !b.Contains(a)
	})
}

// preferByCharacters: S3 4.5.2.5.3, for scopes that inclusion does not order (R-DEC-6).
func (t *trace) preferByCharacters() {
	t.keepUnbeaten(policy.RuleCharacters, func(a, b Candidate) bool {
		if a.Statement.OfPage() || !t.sameUsage(a.Statement.Usage, b.Statement.Usage) {
			return false
		}
		if t.profile() == Profile11 && (a.Scope.Contains(*b.Scope) || b.Scope.Contains(*a.Scope)) {
			return false
		}
		return b.Scope.NarrowerByCharacters(*a.Scope)
	})
}

// keepUnbeaten removes, all at once, every candidate that one of the opposite sense beats.
func (t *trace) keepUnbeaten(rule policy.Rule, beats func(loser, winner Candidate) bool) {
	scopes, of := DistinctScopes(t.left)
	bytes, most := CompareBytes(scopes), min(max(comparedPerByte*t.view.site.index().Bytes, leastCompared), maxCompared)
	t.view.budget.Spend(len(t.left))
	if bytes <= most {
		t.view.site.only.spend(bytes / BytesPerStep)
		t.view.budget.Spend(bytes / BytesPerStep)
	}
	if bytes > most || slices.ContainsFunc(t.left, func(c Candidate) bool { return c.vague }) {
		return
	}
	beaten := make([]bool, len(scopes))
	for i, a := range scopes {
		for _, b := range scopes {
			if a.Statement.Sense != b.Statement.Sense && beats(a, b) {
				beaten[i] = true
				break
			}
		}
	}
	t.keep(rule, func(i int) bool { return !beaten[of[i]] })
}

// A scopeKey is what matters of a candidate when scopes are compared.
type scopeKey struct {
	sense  policy.Sense
	usage  policy.Usage
	normal string
}

// normal is the pattern of the candidate's scope; "" for a page's own statement.
func (c Candidate) normal() string {
	if c.Scope == nil {
		return ""
	}
	return c.Scope.Normal()
}

// DistinctScopes returns the first candidate of each sense, usage and scope, and for each candidate the index of the
// one that equals it.
func DistinctScopes(all []Candidate) (distinct []Candidate, of []int) {
	of = make([]int, len(all))
	known := make(map[scopeKey]int)
	for i, c := range all {
		key := scopeKey{c.Statement.Sense, c.Statement.Usage, c.normal()}
		n, ok := known[key]
		if !ok {
			n = len(distinct)
			known[key] = n
			distinct = append(distinct, c)
		}
		of[i] = n
	}
	return distinct, of
}

// CompareBytes is how many bytes of pattern are compared if each candidate is compared with those of the opposite
// sense.
func CompareBytes(all []Candidate) int {
	var count, bytes [policy.Disallow + 1]int
	for _, c := range all {
		count[c.Statement.Sense]++
		bytes[c.Statement.Sense] += 1 + len(c.normal())
	}
	return count[policy.Allow]*bytes[policy.Disallow] + count[policy.Disallow]*bytes[policy.Allow]
}

// Contains reports whether the scope of c, in usages and paths, contains that of another.
func (c Candidate) Contains(other Candidate) bool {
	return c.Statement.Usage.Covers(other.Statement.Usage) && (c.Statement.OfPage() || c.Scope.Contains(*other.Scope))
}

// sameUsage: under profile pilot, present and its ten are one usage (R-DEC-6).
func (t *trace) sameUsage(a, b policy.Usage) bool {
	if t.profile() == ProfilePilot {
		a, b = asPresent(a), asPresent(b)
	}
	return a == b
}

func asPresent(u policy.Usage) policy.Usage {
	if u.IsPresentation() {
		return policy.Present
	}
	return u
}

// settle turns what is left into a decision: R-DEC-0, R-DEC-7 to R-DEC-10.
func (t *trace) settle(q Question, basis policy.Basis) Partial {
	p := Partial{Basis: basis, By: t.rules, Lost: t.lost}
	sense, rule := t.left[0].Statement.Sense, policy.RuleOneSense
	if t.bothSenses() || t.view.without(policy.RuleOneSense) {
		sense, rule, p.Basis = policy.Disallow, policy.RuleUndetermined, policy.BasisUndetermined
		if t.view.without(policy.RuleUndetermined) {
			sense = policy.Allow
		}
	}
	p.By = append(p.By, rule)
	var statements []*policy.Statement
	for _, c := range t.left {
		// After R-DEC-4 all that are left have one audience.
		p.named = p.named || c.Named
		if c.Statement.Sense != sense {
			p.lose(rule, c.Statement)
			continue
		}
		statements = append(statements, c.Statement)
		p.Deciding = append(p.Deciding, Verdict{c.Statement, rule})
	}
	if sense == policy.Disallow {
		p.decision = policy.Disallowed
		return p
	}
	t.view.permit(&p, statements, q, policy.RuleTogether)
	return p
}

// permit decides by permissions only, which are the deciding statements of p: they hold together by R-DEC-8 or R-REP-2,
// then location (R-DEC-9) and expiry (R-DEC-10) count.
func (v *View) permit(p *Partial, permissions []*policy.Statement, q Question, together policy.Rule) {
	if together == policy.RuleTogether && v.without(together) && len(permissions) > 1 {
		permissions = p.permitBy(leastQualified(permissions, q.Usage), together)
	}
	located := false
	var mismatched, expired []*policy.Statement
	var conditions conditions
	for _, st := range permissions {
		for _, qualifier := range st.EffectiveQualifiers(q.Usage) {
			switch {
			case qualifier.Locates() && v.belongs(qualifier, st) && !v.without(policy.RuleLocation):
				if weburl.Equivalent(qualifier.Value, q.URL) {
					located = true // spent: no condition
				} else {
					mismatched = append(mismatched, st)
				}
				continue
			case isExpired(qualifier, q.At) && v.belongs(qualifier, st) && !v.without(policy.RuleExpiry):
				expired = append(expired, st)
			}
			conditions.add(qualifier)
		}
	}
	p.Qualifiers = conditions.list
	if len(permissions) > 1 && len(p.Qualifiers)+len(mismatched) > 0 {
		p.By = appendRules(p.By, together)
	}
	if located {
		p.By = appendRules(p.By, policy.RuleLocation)
	}
	switch {
	case len(mismatched) > 0:
		p.prohibit(policy.BasisLocationMismatch, policy.RuleLocation, mismatched)
	case len(expired) > 0:
		p.prohibit(policy.BasisExpired, policy.RuleExpiry, expired)
	case len(p.Qualifiers) > 0:
		p.decision = policy.Conditional
	default:
		p.decision = policy.Allowed
	}
}

// leastQualified returns the first of several permissions that is unqualified for the usage, or else the first of all.
func leastQualified(permissions []*policy.Statement, u policy.Usage) *policy.Statement {
	for _, st := range permissions {
		if len(st.EffectiveQualifiers(u)) == 0 {
			return st
		}
	}
	return permissions[0]
}

// permitBy lets one of the deciding statements decide alone; the others lost to it.
func (p *Partial) permitBy(only *policy.Statement, rule policy.Rule) []*policy.Statement {
	for _, d := range p.Deciding {
		if d.Statement != only {
			p.lose(rule, d.Statement)
		}
	}
	p.By, p.Deciding = append(p.By, rule), []Verdict{{only, rule}}
	return []*policy.Statement{only}
}

// belongs reports whether a qualifier belongs to the statement that has it (R-QUAL-3).
func (v *View) belongs(qualifier policy.Qualifier, st *policy.Statement) bool {
	return v.without(policy.RuleQualifierPlace) || qualifier.Name.BelongsTo(st.Usage, st.Source)
}

// isExpired reports whether a time is after the UTC day that a time-limit names (R-DEC-10).
func isExpired(qualifier policy.Qualifier, at time.Time) bool {
	if at.IsZero() {
		return false
	}
	end, ok := qualifier.Until()
	return ok && !at.Before(end)
}

// prohibit turns permissions into a prohibition because conditions of some of them failed; the others lost to it.
func (p *Partial) prohibit(basis policy.Basis, rule policy.Rule, failed []*policy.Statement) {
	p.decision, p.Basis, p.Qualifiers = policy.Disallowed, basis, nil
	p.By = appendRules(p.By, rule)
	has := make(map[*policy.Statement]bool, len(failed))
	for _, st := range failed {
		has[st] = true
	}
	var deciding []Verdict
	for _, d := range p.Deciding {
		if has[d.Statement] {
			deciding = append(deciding, Verdict{d.Statement, rule})
		} else {
			p.lose(rule, d.Statement)
		}
	}
	p.Deciding = deciding
}
