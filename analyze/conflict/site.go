package conflict

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/paths"
	"github.com/acapscan/acapscan/analyze/policy"
)

// OfSite finds the conflicts within a robots.txt, over all its paths, for each of the agents and purposes; "" is no
// purpose, and no purposes at all are as that one. The order is always the same: by agent and purpose as given, and of
// one kind and usage the shortest path first. What is found at a path is true of that path, even where others are
// missing.
func OfSite(
	site *decide.Site, agents []policy.Agent, purposes []string, opts Options,
) (found []Conflict, missing Missing) {
	if opts.Budget <= 0 {
		opts.Budget = DefaultBudget
	}
	s := &siteSearch{
		finder: newFinder(opts), site: site, opts: opts, explorer: extent.NewExplorer(opts.Budget, opts.Steps),
		bothSpeak: bothSpeak(site.File()), stated: policy.StatedPreferences(site.File().Statements),
	}
	for _, r := range []Reading{Pilot, OtherNarrow} {
		first, second := optionsOf(r, site.Options())
		s.readings = append(s.readings, sites{r, site.Under(first), site.Under(second)})
	}
	stated := purposesOf(site.File().Statements)
	for i := range site.File().References {
		stated = append(stated, purposesOf(site.File().References[i].Resolved)...)
	}
	together := s.together(stated, purposes)
	before := s.work
	defer func() { s.steps.Spend((before - s.work) / WorkPerStep) }()
	for _, agent := range agents {
		if s.full() {
			break
		}
		views := s.distinct(site, nil, agent, purposes)
		for _, v := range views {
			s.view(v.view, agent, v.purpose)
		}
		for _, purpose := range together {
			if s.full() {
				break
			}
			if v, isNew := s.viewOf(site, nil, agent, purpose, views); isNew {
				s.start(v.view, agent, purpose)
				s.onlyPurposes = true
				s.ties(v.view)
				s.onlyPurposes = false
			}
		}
	}
	return s.found, s.missing
}

// siteSearch is a search over the paths of one site.
type siteSearch struct {
	*finder
	site      *decide.Site
	opts      Options
	explorer  *extent.Explorer
	bothSpeak bool           // ACAP and conventional rules have statements about crawl
	stated    []policy.Usage // of AI preferences, by the robots.txt
	readings  []sites

	aiCrawlers map[policy.Agent]policy.Usage // the usages that well-known AI crawlers are for; nil before it is needed

	agent      policy.Agent
	purpose    string
	statements int // of the view

	onlyPurposes bool // only ties of kind PurposeTie are searched
	known        map[rulesKey]*extent.Rules
}

// sites is one policy in two readings.
type sites struct {
	reading       Reading
	first, second *decide.Site
}

// bothSpeak reports whether a file has statements about crawl in ACAP and conventional ones, for any agent.
func bothSpeak(f *policy.File) bool {
	mayNameCrawl := func(r policy.Reference) bool { return !r.Found || namesCrawl(r.Resolved, policy.ACAP) }
	acap := slices.ContainsFunc(f.References, mayNameCrawl)
	return (acap || namesCrawl(f.Statements, policy.ACAP)) && namesCrawl(f.Statements, policy.REP)
}

func namesCrawl(statements []policy.Statement, vocabulary policy.Vocabulary) bool {
	for i := range statements {
		st := &statements[i]
		if st.Vocabulary == vocabulary && st.Usage == policy.Crawl && st.Status.Decides() {
			return true
		}
	}
	return false
}

// view searches for one agent and purpose.
func (s *siteSearch) view(v *decide.View, agent policy.Agent, purpose string) {
	if s.full() {
		return
	}
	s.start(v, agent, purpose)
	s.ties(v)
	if s.bothSpeak {
		s.acapREP(v)
	}
	s.exceptions(v, namedAgainstAny)
	s.exceptions(v, purposeAgainstGeneral)
	s.preferences(v)
	s.crawlAgainstPreference(v)
	for _, r := range s.readings {
		s.reading(v, r)
	}
}

// start begins the search for an agent and purpose.
func (s *siteSearch) start(v *decide.View, agent policy.Agent, purpose string) {
	s.agent, s.purpose = agent, purpose
	s.statements, s.known = v.StatementCount(), make(map[rulesKey]*extent.Rules)
	s.work -= s.statements
}

// add completes a conflict.
func (s *siteSearch) add(c Conflict) {
	c.Agent, c.Purpose = s.agent, s.purpose
	s.finder.add(c)
}

// explore returns paths at which the rules decide all that they can decide.
func (s *siteSearch) explore(rules ...*extent.Rules) paths.Space {
	if s.full() {
		return paths.Space{}
	}
	space, known := s.explorer.Of(rules...)
	s.missing.Paths = s.missing.Paths || !space.Exact
	if !known {
		for _, r := range rules {
			bytes, _ := r.Cost()
			s.work -= workPerState * bytes
		}
		s.explored(space, s.opts.Budget)
	}
	return space
}

// acap returns the ACAP rules about a usage.
func (s *siteSearch) acap(v *decide.View, u policy.Usage) *extent.Rules {
	key := rulesKey{v, u}
	known, ok := s.known[key]
	if !ok {
		known = extent.ACAP(v, u)
		s.known[key] = known
		bytes, comparisons := known.Cost()
		s.work -= s.statements + comparisons*(1+bytes/(16*(1+s.statements)))
	}
	return known
}

// A rulesKey identifies ACAP rules among those of one agent and purpose.
type rulesKey struct {
	view  *decide.View
	usage policy.Usage
}

// at is the question about a path of the space.
func (s *siteSearch) at(path string, u policy.Usage) decide.Question {
	return decide.Question{Path: probe(path, u), Usage: u, At: s.opts.At}
}

// probe is the path at which to ask: /robots.txt itself can always be crawled (R-PAT-1), so its neighbour stands for
// it.
func probe(path string, u policy.Usage) string {
	if u == policy.Crawl && path == "/robots.txt" {
		return path + "?"
	}
	return path
}

// ties finds ACAPTie and PurposeTie.
func (s *siteSearch) ties(v *decide.View) {
	for _, u := range usages() {
		if s.full() {
			return
		}
		acap := s.acap(v, u)
		if !acap.Divided() {
			continue
		}
		space := s.explore(acap)
		for _, class := range space.Classes {
			if s.full() {
				return
			}
			q := s.at(class.Path, u)
			acap := v.RobotsACAP(q)
			s.asked(v, q.Path, 1)
			s.compared(acap)
			eachPair(acap, func(prohibition, permission *policy.Statement) bool {
				s.work--
				kind := tieKind(ACAPTie, prohibition, permission, s.purpose)
				if kind != PurposeTie && s.onlyPurposes {
					return !s.full()
				}
				s.add(Conflict{
					Kind: kind, Severity: Contradiction, Usage: u, Path: q.Path,
					First: prohibition, FirstDecision: policy.Disallowed,
					Second: permission, SecondDecision: alone(permission, u),
					Winner: First, Rule: policy.RuleUndetermined, Approximate: !space.Exact,
				})
				return !s.full()
			})
		}
	}
}

// acapREP finds ACAPREP and ACAPREPDrift.
func (s *siteSearch) acapREP(v *decide.View) {
	space := s.explore(s.acap(v, policy.Crawl), extent.REP(v))
	empty := v.EmptyDisallow()
	ignore := s.site.File().IgnoreConventional
	for _, class := range space.Classes {
		if s.full() {
			return
		}
		q := s.at(class.Path, policy.Crawl)
		acap, rep := v.RobotsACAP(q), v.RobotsREP(q)
		s.asked(v, q.Path, 1)
		s.compared(acap)
		if acap.Decision() == rep.Decision() {
			continue
		}
		own := v.Own(nil, q)
		s.asked(v, q.Path, 1)
		s.compared(acap)
		c := Conflict{
			Kind: ACAPREP, Severity: strictness(acap.Decision(), rep.Decision()), Usage: policy.Crawl, Path: q.Path,
			First: acapSide(v, acap, q.Path), FirstDecision: acap.Decision(),
			Second: rep.Leading(q.Path), SecondDecision: rep.Decision(),
			Winner: winner(own.Decision(), acap.Decision(), rep.Decision()), Rule: policy.RuleACAPFirst,
			Approximate: !space.Exact,
		}
		switch {
		case !rep.Speaks() && empty != nil:
			c.Second = empty
		case !rep.Speaks():
			c.Kind, c.Rule = ACAPREPDrift, decidingRule(acap)
		case !acap.Speaks():
			c.Kind, c.Rule = ACAPREPDrift, decidingRule(rep)
		}
		if ignore {
			c.Severity, c.Rule = Override, policy.RuleIgnoreREP
		}
		s.add(c)
	}
}

// acapSide names the statement that stands for ACAP's side in the robots.txt.
func acapSide(v *decide.View, d decide.Partial, path string) *policy.Statement {
	if d.Basis == policy.BasisReferenceUnresolved {
		return v.Unresolved()
	}
	return d.Leading(path)
}

// decidingRule is the rule that made a decision.
func decidingRule(d decide.Partial) policy.Rule {
	if deciding := d.Deciding; len(deciding) > 0 {
		return deciding[0].Rule
	}
	by := d.By
	return by[len(by)-1]
}

// An exception is a kind that sets special statements against the others on the same resource.
type exception struct {
	kind    Kind
	rule    policy.Rule
	special func(decide.Candidate) bool
	alike   func(decide.Candidate) bool // what both have to be or not to be
}

var (
	namedAgainstAny = exception{NamedAny, policy.RuleNamedAgent,
		func(c decide.Candidate) bool { return c.Named }, func(c decide.Candidate) bool { return c.Specific }}
	purposeAgainstGeneral = exception{PurposeGeneral, policy.RulePurpose,
		func(c decide.Candidate) bool { return c.Specific }, func(decide.Candidate) bool { return false }}
)

// of is the conflict of two statements on a usage.
func (e exception) of(special, other *policy.Statement, u policy.Usage) Conflict {
	return Conflict{
		Kind: e.kind, Severity: Override, Usage: u,
		First: special, FirstDecision: alone(special, u),
		Second: other, SecondDecision: alone(other, u),
		Winner: First, Rule: e.rule,
	}
}

// exceptions finds NamedAny or PurposeGeneral.
func (s *siteSearch) exceptions(v *decide.View, e exception) {
	var special []decide.Candidate
	others := make(map[resourceKey][]decide.Candidate)
	candidates := v.Candidates()
	s.steps.Spend(len(candidates))
	for _, c := range candidates {
		if e.special(c) {
			special = append(special, c)
			continue
		}
		for _, p := range c.Statement.Patterns {
			key := resourceKey{p.PathSet(), c.Statement.Sense, e.alike(c)}
			others[key] = append(others[key], c)
		}
	}
	if len(others) == 0 {
		return
	}
	for _, c := range special {
		// Of several members of a resource set, the one with the shortest path is the example.
		members := slices.Clone(c.Statement.Patterns)
		slices.SortStableFunc(members, func(a, b policy.Pattern) int { return len(a.Example()) - len(b.Example()) })
		for _, p := range members {
			for _, o := range others[resourceKey{p.PathSet(), c.Statement.Sense.Opposite(), e.alike(c)}] {
				s.work--
				if s.full() {
					return
				}
				u, ok := common(c.Statement.Usage, o.Statement.Usage)
				path := probe(p.Example(), u)
				if ok && p.Match(path) {
					found := e.of(c.Statement, o.Statement, u)
					found.Path = path
					s.add(found)
				}
			}
		}
	}
}

// A resourceKey is what the two statements of an exception have in common.
type resourceKey struct {
	pattern policy.PathSet
	sense   policy.Sense
	alike   bool
}

// common is the usage that statements about two usages are both about: the same, or that of the ten which present
// covers.
func common(a, b policy.Usage) (policy.Usage, bool) {
	switch {
	case a.Covers(b):
		return b, true
	case b.Covers(a):
		return a, true
	}
	return policy.NoUsage, false
}

// reading finds TwoReadings.
func (s *siteSearch) reading(v *decide.View, r sites) {
	rep := extent.REP(v)
	if r.reading == OtherNarrow && !v.NamesUsage(policy.Other) {
		return
	}
	first, second := r.first.For(s.agent, s.purpose).Within(s.steps), r.second.For(s.agent, s.purpose).Within(s.steps)
	asked := v // with the rules of both interpretations, or the wider of the two
	if r.reading == OtherNarrow {
		asked = first
	}
	for _, u := range policy.Usages() {
		if s.full() {
			return
		}
		acap := s.acap(asked, u)
		rules := []*extent.Rules{acap}
		switch {
		case r.reading == OtherNarrow && (u == policy.Crawl || u == policy.Other):
			continue
		case r.reading == Pilot && u == policy.Crawl && !acap.Empty() && !rep.Empty():
			rules = append(rules, rep, extent.REPOutside(v))
		case r.reading == Pilot && !acap.Divided():
			continue
		}
		space := s.explore(rules...)
		for _, class := range space.Classes {
			if s.full() {
				return
			}
			q := s.at(class.Path, u)
			acap, acapElse := first.RobotsACAP(q), second.RobotsACAP(q)
			own, ownElse := acap, acapElse
			if u == policy.Crawl {
				own, ownElse = first.Own(nil, q), second.Own(nil, q)
			}
			s.asked(first, q.Path, 4)
			s.compared(acap, acapElse, acap, acapElse)
			if own.Decision() == ownElse.Decision() {
				continue
			}
			s.add(Conflict{
				Kind: TwoReadings, Reading: r.reading, Severity: Contradiction, Usage: u, Path: q.Path,
				First: acapSide(first, own, q.Path), FirstDecision: own.Decision(),
				Second: acapSide(second, ownElse, q.Path), SecondDecision: ownElse.Decision(),
				Winner: follows(r.reading, s.site.Options()), Rule: partedBy(r.reading, acap, acapElse),
				Approximate: !space.Exact,
			})
		}
	}
}

func isOther(c decide.Candidate) bool { return c.Statement.Usage == policy.Other }

// SameCrawl reports whether ACAP alone and the conventional rules alone decide crawl alike on every path of the site,
// for the view's agent and purpose; silence allows (docs/semantics.md, section 9, mirrors-rep). A difference is exact;
// sameness is exact if the paths can be distinguished within the budget of the classes, which must be of v.
func SameCrawl(v *decide.View, classes *extent.PathClasses) (same, exact bool) {
	space := classes.Of(policy.Crawl)
	f := newFinder(Options{})
	for _, class := range space.Classes {
		if f.full() || classes.Over() {
			return true, false
		}
		q := decide.Question{Path: probe(class.Path, policy.Crawl), Usage: policy.Crawl}
		acap, rep := v.RobotsACAP(q), v.RobotsREP(q)
		f.asked(v, q.Path, 1)
		f.compared(acap)
		if acap.Decision() != rep.Decision() {
			return false, true
		}
	}
	return true, space.Exact
}
