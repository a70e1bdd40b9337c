package decide

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// decidePreference decides a usage of AI preferences. The preferences of all vocabularies count alike, and nothing else
// speaks of these usages.
func (v *View) decidePreference(page *policy.Page, q Question) Decision {
	stated := v.decideAsIfCrawled(page, q)
	d := Decision{IfCrawled: stated.decision}
	if file := v.file(q); file.Speaks() && !v.without(policy.RulePreferenceCrawl) {
		if crawl := v.decideCrawl(page, q); crawl.prohibitsAll() {
			stated = v.pagePreference(page, q, anyStatement)
			if !stated.Speaks() {
				stated = byDefault(policy.Unstated, policy.BasisCrawlProhibited, policy.RulePreferenceCrawl)
			}
			stated.By = appendRules(slices.Clone(stated.By), policy.RulePreferenceCrawl)
			stated.Lost = slices.Clip(stated.Lost)
			stated.lose(policy.RulePreferenceCrawl, file.statements()...)
		}
	}
	d.Decision, d.WithoutElements, d.Basis = stated.decision, stated.decision, stated.Basis
	d.By, d.Deciding, d.Lost = stated.By, stated.Deciding, stated.Lost
	return d
}

func anyStatement(*policy.Statement) bool { return true }

// robotsPreference decides by the longest match among the statements of one vocabulary: as R-REP-1 does, but a
// prohibition wins a tie (R-PREF-1).
func (v *View) robotsPreference(same []grouped, q Question) Partial {
	if v.site.only.isUnknown() {
		return v.undeterminedIn(same, q)
	}
	var about []grouped
	for _, c := range same {
		if c.Statement.Usage == q.Usage {
			about = append(about, c)
		}
	}
	return v.longest(about, policy.Disallow, policy.RulePreferenceFile, policy.BasisAIRobots)
}

// RobotsPreferences returns what the preferences of the robots.txt decide alone, vocabulary by vocabulary. Nothing, if
// it is unknown which of them match.
func (v *View) RobotsPreferences(q Question) (parts []Partial) {
	if v.site.only.isUnknown() {
		return nil
	}
	for _, alone := range v.voices(q, nil) {
		parts = append(parts, alone.Partial)
	}
	return parts
}

// PagePreferences returns what the preferences of a page decide alone, vocabulary by vocabulary.
func (v *View) PagePreferences(page *policy.Page, q Question) (parts []Partial) {
	for _, vocabulary := range terms.All[policy.Vocabulary]() {
		only := func(st *policy.Statement) bool { return st.Vocabulary == vocabulary }
		if p := v.pagePreference(page, q, only); p.Speaks() {
			parts = append(parts, p)
		}
	}
	return parts
}

// pagePreference decides by the preferences of a page and of its header fields.
func (v *View) pagePreference(page *policy.Page, q Question, counts func(*policy.Statement) bool) (p Partial) {
	var held []*policy.Statement
	if page == nil {
		return p
	}
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Usage == q.Usage && st.Status.Decides() && st.Addresses(v.agent) && counts(st) {
			held = append(held, st)
		}
	}
	p = v.mostRestrictive(p, held, q, policy.RulePreferences, policy.BasisAIPage)
	p.nameReservationFile(len(held))
	return p
}

// nameReservationFile names the rule by which a statement of tdmrep.json counts for a page (R-TDM-3), alone if it is
// the only one of the page.
func (p *Partial) nameReservationFile(held int) {
	for i := range p.Deciding {
		if p.Deciding[i].Statement.Source != policy.TDMFile {
			continue
		}
		p.Deciding[i].Rule = policy.RuleReservationFile
		if held == 1 {
			p.By = nil
		}
		p.By = append([]policy.Rule{policy.RuleReservationFile}, p.By...)
		return
	}
}

// weigh decides by decisions about one preference: a prohibition, else a permission (R-PREF-2). It is silent if all
// are.
func (v *View) weigh(parts ...Partial) (p Partial) {
	speaking := 0
	for _, part := range parts {
		switch p.By = appendRules(p.By, part.By...); {
		case !part.Speaks():
		case !p.Speaks(), part.decision > p.decision && !v.without(policy.RulePreferences):
			p.lose(policy.RulePreferences, p.deciding()...)
			p.decision, p.Basis, p.Deciding = part.decision, part.Basis, slices.Clone(part.Deciding)
			speaking++
		case part.decision == p.decision && !v.without(policy.RulePreferences):
			p.Deciding = append(p.Deciding, part.Deciding...)
			speaking++
		default:
			p.lose(policy.RulePreferences, part.deciding()...)
			speaking++
		}
		p.Lost = append(p.Lost, part.Lost...)
	}
	if speaking > 1 {
		p.By = appendRules(p.By, policy.RulePreferences)
	}
	return p
}

// orUnstated returns the decision, or one by default if it is silent: R-PREF-4, and R-REP-3 if the robots.txt is
// unknown.
func (v *View) orUnstated(p Partial) Partial {
	if p.Speaks() {
		return p
	}
	silent := byDefault(policy.Unstated, policy.BasisNoPreference, policy.RuleUnstated)
	if v.without(policy.RuleUnstated) {
		silent.decision = policy.Allowed
	}
	if basis, ok := unknownFile[v.site.availability]; ok && !v.without(policy.RuleREPAnswer) {
		silent.Basis, silent.By = basis, append(silent.By, policy.RuleREPAnswer)
	}
	silent.absorb(p)
	return silent
}

// unknownFile are the bases of what nothing decides where the robots.txt is unknown (R-REP-3).
var unknownFile = map[Availability]policy.Basis{
	NotCaptured: policy.BasisNotCaptured, NotRobots: policy.BasisNotRobots, Unreachable: policy.BasisUnreachable,
}
