package conflict

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/agents"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
)

// preferences finds AIPrefSignal over the paths of the site.
func (s *siteSearch) preferences(v *decide.View) {
	for _, u := range s.stated {
		rules := extent.Preferences(v, u)
		if len(rules) < 2 {
			continue
		}
		space := s.explore(rules...)
		for _, class := range space.Classes {
			if s.full() {
				return
			}
			q := s.at(class.Path, u)
			s.asked(v, q.Path, 1)
			eachDifference(v.RobotsPreferences(q), func(prohibition, permission decide.Partial) {
				c := betweenPreferences(prohibition, permission, q)
				c.Path, c.Approximate = q.Path, !space.Exact
				s.add(c)
			})
		}
	}
}

// preferences finds AIPrefSignal of which the page states one side at least.
func (p *pageSearch) preferences() {
	stated := policy.StatedPreferences(p.page.Statements)
	for _, u := range stated {
		q := p.question
		q.Usage = u
		p.work -= len(p.page.Statements)
		p.asked(p.view, q.Path, 1)
		own, file := p.view.PagePreferences(p.page, q), p.view.RobotsPreferences(q)
		eachDifference(slices.Concat(own, file), func(prohibition, permission decide.Partial) {
			c := betweenPreferences(prohibition, permission, q)
			if c.First.OfPage() || c.Second.OfPage() {
				p.add(c)
			}
		})
	}
}

// eachDifference visits the pairs of decisions of two vocabularies that prohibit and permit.
func eachDifference(parts []decide.Partial, visit func(prohibition, permission decide.Partial)) {
	for _, a := range parts {
		for _, b := range parts {
			if a.Decision() == policy.Disallowed && b.Decision() == policy.Allowed && a.Speaks() && b.Speaks() &&
				a.Deciding[0].Statement.Vocabulary != b.Deciding[0].Statement.Vocabulary {
				visit(a, b)
			}
		}
	}
}

func betweenPreferences(prohibition, permission decide.Partial, q decide.Question) Conflict {
	return Conflict{
		Kind: AIPrefSignal, Severity: Contradiction, Usage: q.Usage,
		First: prohibition.Leading(q.Path), FirstDecision: policy.Disallowed,
		Second: permission.Leading(q.Path), SecondDecision: policy.Allowed,
		Winner: First, Rule: policy.RulePreferences,
	}
}

// preferenceOf is the usage that crawlers of a purpose are for.
var preferenceOf = map[agents.Purpose]policy.Usage{
	agents.AITraining: policy.TrainAI, agents.AISearch: policy.AIInput, agents.AIUser: policy.AIInput,
}

// preferencesOf returns the usages that the well-known AI crawlers are for.
func preferencesOf() map[policy.Agent]policy.Usage {
	usages := map[policy.Agent]policy.Usage{}
	for _, a := range agents.Common() {
		if u, ok := preferenceOf[a.Purpose]; ok {
			usages[a.Name.Key()] = u
		}
	}
	return usages
}

// crawlAgainstPreference finds AIREP at the root path. The preference is the one that the robots.txt states to the
// crawler, or else to any crawler.
func (s *siteSearch) crawlAgainstPreference(v *decide.View) {
	if len(s.stated) == 0 || s.purpose != "" {
		return
	}
	if s.aiCrawlers == nil {
		s.aiCrawlers = preferencesOf()
	}
	u, known := s.aiCrawlers[s.agent.Key()]
	if !known || !slices.Contains(s.stated, u) {
		return
	}
	crawl := v.RobotsREP(s.at("/", policy.Crawl))
	rule, q := crawl.Leading("/"), s.at("/", u)
	preference := v.Own(nil, q)
	if preference.Leading("/") == nil {
		preference = s.site.For(policy.AnyAgent, "").Within(s.steps).Own(nil, q)
	}
	stated := preference.Leading("/")
	s.asked(v, "/", 3)
	if rule == nil || stated == nil || !rule.Names(s.agent) || crawl.Decision() == preference.Decision() {
		return
	}
	c := Conflict{
		Kind: AIREP, Severity: Override, Usage: u, Path: "/", First: rule, FirstDecision: crawl.Decision(),
		Second: stated, SecondDecision: preference.Decision(), Winner: Neither, Rule: policy.RulePreferenceCrawl,
	}
	if crawl.Decision() == policy.Disallowed {
		c.Winner = First
	}
	s.add(c)
}
