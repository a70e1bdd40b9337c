package conflict

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// OfPage finds the conflicts of a page with itself and with its site's robots.txt, for each of the agents and purposes;
// no purposes are as the purpose "". Of q, the URL, the path and the time count. OfSite finds the conflicts within the
// robots.txt. The order is always the same.
func OfPage(
	site *decide.Site, page *policy.Page, q decide.Question, agents []policy.Agent, purposes []string, opts Options,
) (found []Conflict, missing Missing) {
	if page == nil || len(page.Statements) == 0 || isConsistent(site, page) {
		return nil, Missing{}
	}
	return searchPage(site, page, q, agents, purposes, opts)
}

func searchPage(
	site *decide.Site, page *policy.Page, q decide.Question, agents []policy.Agent, purposes []string, opts Options,
) (found []Conflict, missing Missing) {
	p := &pageSearch{
		finder: newFinder(opts), site: site, page: page, question: q,
		pis: legalPIs(page), tokens: tokens(page), tied: tiedTokens(page),
	}
	p.cost = site.CacheCost()
	if opts.Worked != nil {
		all, before := p.work, p.cost
		defer func() { *opts.Worked += all - p.work - (p.cost-before)/costPerWork }()
	}
	for _, r := range []Reading{Pilot, OtherNarrow} {
		first, second := optionsOf(r, site.Options())
		p.sites = append(p.sites, sites{r, site.Under(first), site.Under(second)})
	}
	together := p.together(purposesOf(page.Statements), purposes)
	for _, agent := range agents {
		views := p.distinct(site, page, agent, purposes)
		for _, v := range views {
			if p.full() {
				return p.found, p.missing
			}
			p.start(agent, v)
			p.exceptions(namedAgainstAny)
			p.exceptions(purposeAgainstGeneral)
			for _, u := range usages() {
				p.usage(u)
			}
			p.preferences()
		}
		for _, purpose := range together {
			if p.full() {
				return p.found, p.missing
			}
			if v, isNew := p.viewOf(site, page, agent, purpose, views); isNew {
				p.start(agent, v)
				p.purposeTies()
			}
		}
	}
	return p.found, p.missing
}

// isConsistent reports whether no two statements can contradict: a page without ACAP and PIs that has METAs of one
// sense for each usage only, or header fields only, and a robots.txt without rules. Most pages with statements are
// such.
func isConsistent(site *decide.Site, page *policy.Page) bool {
	if !site.IsEmpty() {
		return false
	}
	source := page.Statements[0].Source
	var allowed, disallowed uint32 // usages, a bit each
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Vocabulary != policy.REP || st.Source != source || source == policy.PI {
			return false
		}
		switch {
		case source != policy.Meta || !st.Status.Decides():
		case st.Sense == policy.Allow:
			allowed |= 1 << st.Usage
		case st.Sense == policy.Disallow:
			disallowed |= 1 << st.Usage
		}
	}
	return allowed&disallowed == 0
}

// start begins the search for an agent and purpose.
func (p *pageSearch) start(agent policy.Agent, v purposeView) {
	p.agent, p.purpose, p.view = agent, v.purpose, v.view
	p.readings = p.readings[:0]
	for _, r := range p.sites {
		if r.reading == OtherNarrow && !v.view.NamesUsage(policy.Other) &&
			!slices.ContainsFunc(v.view.PageCandidates(p.page), isOther) {
			continue
		}
		p.readings = append(p.readings, views{r.reading, r.first.For(agent, v.purpose), r.second.For(agent, v.purpose)})
	}
	p.work -= 5 * p.view.StatementCount()
	p.payCache()
}

// costPerWork: the cost of a cache is counted more finely than the work of a search.
const costPerWork = 4

// payCache counts what the site's cache lacked.
func (p *pageSearch) payCache() {
	cost := p.site.CacheCost()
	p.work -= (cost - p.cost) / costPerWork
	p.cost = cost
}

// pageSearch is a search over the usages of one page.
type pageSearch struct {
	*finder
	site     *decide.Site
	page     *policy.Page
	question decide.Question
	pis      [][]*policy.Statement // legal robots PIs in order, each as its statements
	tokens   []*policy.Statement   // class tokens, one for each usage and decision
	tied     []tie                 // class tokens of one element, one pair a usage
	cost     int                   // of the site's cache, as far as it is counted

	agent   policy.Agent
	purpose string
	view    *decide.View

	sites    []sites
	readings []views // those that may differ for the agent
}

// views is one agent's view in two readings.
type views struct {
	reading       Reading
	first, second *decide.View
}

// decisions are all decisions about one usage of a page, by carrier.
type decisions struct {
	question                              decide.Question
	pageACAP, pageREP, fileACAP, decision decide.Partial
}

// add completes a conflict about the page itself.
func (p *pageSearch) add(c Conflict) {
	c.Agent, c.Purpose = p.agent, p.purpose
	p.finder.add(c)
}

// usage searches for the conflicts about one usage.
func (p *pageSearch) usage(u policy.Usage) {
	if p.full() {
		return
	}
	s := decisions{question: p.question}
	s.question.Usage = u
	s.pageACAP, s.pageREP = p.view.PageACAP(p.page, s.question), p.view.PageREP(p.page, s.question)
	s.fileACAP, s.decision = p.view.RobotsACAPUnder(s.pageACAP, s.question), p.view.Own(p.page, s.question)
	p.work -= 6 * len(p.page.Statements)
	p.asked(p.view, p.question.Path, 3)
	p.compared(s.pageACAP, s.pageACAP, s.fileACAP, s.fileACAP)
	p.robots(s)
	p.ties(s.pageACAP, u, func(Kind) bool { return true })
	p.conventional(s)
	p.conventionalAgainstRobots(s)
	p.metaHeader(s)
	p.metaMeta(s)
	p.processing(s)
	p.elements(s)
	p.elementTies(u)
	if s.pageACAP.Speaks() || s.pageREP.Speaks() {
		for _, r := range p.readings {
			p.reading(s, r)
		}
	}
	p.payCache()
}

// differ reports whether both decisions rest on statements and differ.
func differ(a, b decide.Partial) bool {
	return a.Speaks() && b.Speaks() && a.Decision() != b.Decision()
}

// between is a conflict of two decisions about a usage.
func (p *pageSearch) between(kind Kind, s decisions, first, second decide.Partial) Conflict {
	return Conflict{
		Kind: kind, Severity: Contradiction, Usage: s.question.Usage,
		First: p.side(first), FirstDecision: first.Decision(),
		Second: p.side(second), SecondDecision: second.Decision(),
		Winner: winner(s.decision.Decision(), first.Decision(), second.Decision()),
	}
}

func (p *pageSearch) side(d decide.Partial) *policy.Statement {
	return acapSide(p.view, d, p.question.Path)
}

// robots finds PageRobots.
func (p *pageSearch) robots(s decisions) {
	conditions := s.pageACAP.Decision() == policy.Conditional && s.fileACAP.Decision() == policy.Conditional &&
		!sameConditions(s.pageACAP.Qualifiers, s.fileACAP.Qualifiers)
	if !differ(s.pageACAP, s.fileACAP) && !conditions {
		return
	}
	c := p.between(PageRobots, s, s.pageACAP, s.fileACAP)
	c.Severity, c.Winner, c.Rule = Override, First, policy.RuleEmbedded
	p.add(c)
}

// sameConditions reports whether two lists have the same qualifiers, in any order. Each has a qualifier once.
func sameConditions(a, b []policy.Qualifier) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(q policy.Qualifier) bool { return !slices.Contains(b, q) })
}

// exceptions finds NamedAny and PurposeGeneral among the ACAP METAs of the page.
func (p *pageSearch) exceptions(e exception) {
	var special, others []decide.Candidate
	for _, c := range p.view.PageCandidates(p.page) {
		if e.special(c) {
			special = append(special, c)
		} else {
			others = append(others, c)
		}
	}
	for _, c := range special {
		for _, o := range others {
			p.work--
			if p.full() {
				return
			}
			u, alike := common(c.Statement.Usage, o.Statement.Usage)
			if !alike || e.alike(c) != e.alike(o) || c.Statement.Sense == o.Statement.Sense {
				continue
			}
			p.add(e.of(c.Statement, o.Statement, u))
		}
	}
}

// purposeTies finds PurposeTie for a purpose that was not asked.
func (p *pageSearch) purposeTies() {
	for _, u := range usages() {
		if p.full() {
			return
		}
		q := p.question
		q.Usage = u
		acap := p.view.PageACAP(p.page, q)
		p.work -= 2 * len(p.page.Statements)
		p.asked(p.view, q.Path, 1)
		p.compared(acap)
		p.ties(acap, u, func(k Kind) bool { return k == PurposeTie })
		p.payCache()
	}
}

// ties finds PageTie and PurposeTie, as far as they are wanted.
func (p *pageSearch) ties(acap decide.Partial, u policy.Usage, wanted func(Kind) bool) {
	eachPair(acap, func(prohibition, permission *policy.Statement) bool {
		if kind := tieKind(PageTie, prohibition, permission, p.purpose); wanted(kind) {
			p.add(Conflict{
				Kind: kind, Severity: Contradiction, Usage: u,
				First: prohibition, FirstDecision: policy.Disallowed,
				Second: permission, SecondDecision: alone(permission, u),
				Winner: First, Rule: policy.RuleUndetermined,
			})
		}
		p.work--
		return !p.full()
	})
}

// conventional finds PageACAPREP.
func (p *pageSearch) conventional(s decisions) {
	if !differ(s.pageACAP, s.pageREP) {
		return
	}
	c := p.between(PageACAPREP, s, s.pageACAP, s.pageREP)
	c.Severity, c.Rule = strictness(s.pageACAP.Decision(), s.pageREP.Decision()), policy.RuleACAPFirst
	if s.pageACAP.CountsREP {
		c.Rule = policy.RuleOther
	}
	p.add(c)
}

// conventionalAgainstRobots finds REPPageACAPRobots.
func (p *pageSearch) conventionalAgainstRobots(s decisions) {
	if !differ(s.pageREP, s.fileACAP) {
		return
	}
	c := p.between(REPPageACAPRobots, s, s.pageREP, s.fileACAP)
	c.Rule = policy.RuleACAPFirst
	switch {
	case s.pageACAP.CountsREP: // R-DEC-13: the METAs leave only the robots.txt aside
		c.Rule = policy.RuleEmbedded
		if c.Winner == Second {
			c.Winner = Neither
		}
	case s.pageACAP.Speaks():
		c.Winner, c.Rule = Neither, policy.RuleEmbedded
	}
	p.add(c)
}

// metaHeader finds MetaHeader.
func (p *pageSearch) metaHeader(s decisions) {
	meta := p.view.PageREPIn(p.page, s.question, policy.Meta)
	header := p.view.PageREPIn(p.page, s.question, policy.HTTPHeader)
	if !differ(meta, header) {
		return
	}
	c := p.between(MetaHeader, s, meta, header)
	stricter := max(meta.Decision(), header.Decision())
	c.Winner, c.Rule = winner(stricter, meta.Decision(), header.Decision()), policy.RuleREPPage
	if p.page.XML && len(p.pis) > 0 {
		c.Winner, c.Rule = Second, policy.RuleREPParser
	}
	p.add(c)
}

// metaMeta finds MetaMeta.
func (p *pageSearch) metaMeta(s decisions) {
	var first [2][policy.Disallow + 1]*policy.Statement // of METAs that name the agent, and of those for any; by sense
	for i := range p.page.Statements {
		st := &p.page.Statements[i]
		isREP := st.Vocabulary == policy.REP && st.Source == policy.Meta && st.Status.Decides()
		if !isREP || st.Usage != s.question.Usage {
			continue
		}
		for to, addressed := range [...]bool{st.Names(p.agent), st.AddressesAny()} {
			if addressed && first[to][st.Sense] == nil {
				first[to][st.Sense] = st
			}
		}
	}
	for _, of := range first {
		if of[policy.Allow] == nil || of[policy.Disallow] == nil {
			continue
		}
		c := Conflict{
			Kind: MetaMeta, Severity: Contradiction, Usage: s.question.Usage,
			First: of[policy.Disallow], FirstDecision: policy.Disallowed,
			Second: of[policy.Allow], SecondDecision: alone(of[policy.Allow], s.question.Usage),
			Winner: First, Rule: policy.RuleREPPage,
		}
		if p.page.XML && len(p.pis) > 0 {
			c.Winner, c.Rule = Neither, policy.RuleREPParser
		}
		p.add(c)
	}
}

// processing finds PIMeta, PIHeader and PIPI.
func (p *pageSearch) processing(s decisions) {
	if len(p.pis) == 0 {
		return
	}
	first := about(p.pis[0], s.question.Usage)
	if first == nil {
		return
	}
	p.work -= len(p.pis)
	c := Conflict{
		Severity: Contradiction, Usage: s.question.Usage,
		First: first, FirstDecision: alone(first, s.question.Usage), Winner: First,
	}
	meta := p.view.PageREPIn(p.page, s.question, policy.Meta)
	if meta.Speaks() && meta.Decision() != c.FirstDecision {
		c.Kind, c.Rule = PIMeta, policy.RuleREPParser
		c.Second, c.SecondDecision = p.side(meta), meta.Decision()
		if !p.page.XML {
			c.Winner = Second
		}
		p.add(c)
	}
	header := p.view.PageREPIn(p.page, s.question, policy.HTTPHeader)
	if header.Speaks() && header.Decision() != c.FirstDecision {
		c.Kind, c.Second, c.SecondDecision = PIHeader, p.side(header), header.Decision()
		c.Winner, c.Rule = Second, policy.RuleREPParser
		if p.page.XML {
			c.Rule = policy.RuleREPPage
			c.Winner = winner(max(c.FirstDecision, c.SecondDecision), c.FirstDecision, c.SecondDecision)
		}
		p.add(c)
	}
	c.Kind, c.Winner, c.Rule = PIPI, First, policy.RulePI
	if !p.page.XML {
		c.Winner, c.Rule = Neither, policy.RuleREPParser
	}
	for _, pi := range p.pis[1:] {
		later := about(pi, s.question.Usage)
		if later != nil && later.Sense != first.Sense {
			c.Second, c.SecondDecision = later, alone(later, s.question.Usage)
			p.add(c)
		}
	}
}

// legalPIs returns the robots PIs that S1's grammar allows, whether they count or not, in the order of the document.
func legalPIs(page *policy.Page) [][]*policy.Statement {
	var all [][]*policy.Statement
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Source != policy.PI || st.Sense == policy.NoSense || st.Status == policy.Invalid {
			continue
		}
		if n := len(all); n > 0 && all[n-1][0].Offset == st.Offset {
			all[n-1] = append(all[n-1], st)
		} else {
			all = append(all, []*policy.Statement{st})
		}
	}
	return all
}

// about returns the statement about a usage, nil if there is none.
func about(statements []*policy.Statement, u policy.Usage) *policy.Statement {
	for _, st := range statements {
		if st.Usage == u {
			return st
		}
	}
	return nil
}

// elements finds ElementPage.
func (p *pageSearch) elements(s decisions) {
	statement := len(s.decision.Deciding) > 0 || s.decision.Basis == policy.BasisReferenceUnresolved
	if !statement {
		return
	}
	over := p.view.ElementBound(p.page, s.question)
	for _, token := range p.tokens {
		said := alone(token, token.Usage)
		if token.Usage != s.question.Usage || said == s.decision.Decision() {
			continue
		}
		c := Conflict{
			Kind: ElementPage, Severity: Override, Usage: token.Usage, First: token, FirstDecision: said,
			Second: p.side(s.decision), SecondDecision: s.decision.Decision(), Winner: First, Rule: policy.RuleClass,
		}
		if holds := max(said, over.Decision()); holds != said {
			c.Severity, c.Rule = Contradiction, policy.RuleEmbedded
			c.Winner = winner(holds, said, s.decision.Decision())
		}
		p.add(c)
	}
}

// A tie is class tokens of both senses on one element and usage.
type tie struct{ prohibition, permission *policy.Statement }

// tiedTokens returns the first tie of each usage.
func tiedTokens(page *policy.Page) []tie {
	type place struct {
		offset int64
		usage  policy.Usage
	}
	var all []tie
	var seen uint32 // usages that have a tie, a bit each
	at := make(map[place]*policy.Statement)
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Source != policy.Class || !st.Status.Decides() || seen&(1<<st.Usage) != 0 {
			continue
		}
		here := place{st.Offset, st.Usage}
		other := at[here]
		switch {
		case other == nil:
			at[here] = st
		case other.Sense == st.Sense:
		case st.Sense == policy.Disallow:
			all, seen = append(all, tie{st, other}), seen|1<<st.Usage
		default:
			all, seen = append(all, tie{other, st}), seen|1<<st.Usage
		}
	}
	return all
}

// elementTies finds ElementTie.
func (p *pageSearch) elementTies(u policy.Usage) {
	for _, t := range p.tied {
		if t.prohibition.Usage == u {
			p.add(Conflict{
				Kind: ElementTie, Severity: Contradiction, Usage: u,
				First: t.prohibition, FirstDecision: policy.Disallowed,
				Second: t.permission, SecondDecision: alone(t.permission, u),
				Winner: First, Rule: policy.RuleClass,
			})
		}
	}
}

// tokens returns the class tokens that count, the first for each usage and decision.
func tokens(page *policy.Page) []*policy.Statement {
	type meaning struct {
		usage    policy.Usage
		decision policy.Decision
	}
	var all []*policy.Statement
	known := make(map[meaning]bool)
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Source != policy.Class || !st.Status.Decides() {
			continue
		}
		m := meaning{st.Usage, alone(st, st.Usage)}
		if !known[m] {
			known[m] = true
			all = append(all, st)
		}
	}
	return all
}

// reading finds TwoReadings.
func (p *pageSearch) reading(s decisions, r views) {
	first, second := r.first, r.second
	own, ownElse := first.Own(p.page, s.question), second.Own(p.page, s.question)
	p.work -= 4 * len(p.page.Statements)
	p.asked(first, p.question.Path, 4)
	p.compared(s.pageACAP, s.pageACAP, s.fileACAP, s.fileACAP)
	if own.Decision() == ownElse.Decision() {
		return
	}
	acap, acapElse := first.PageACAP(p.page, s.question), second.PageACAP(p.page, s.question)
	if !acap.Speaks() && !acapElse.Speaks() {
		acap, acapElse = first.RobotsACAPUnder(acap, s.question), second.RobotsACAPUnder(acapElse, s.question)
	}
	p.add(Conflict{
		Kind: TwoReadings, Reading: r.reading, Severity: Contradiction, Usage: s.question.Usage,
		First: p.side(own), FirstDecision: own.Decision(), Second: p.side(ownElse), SecondDecision: ownElse.Decision(),
		Winner: follows(r.reading, p.site.Options()), Rule: partedBy(r.reading, acap, acapElse),
	})
}
