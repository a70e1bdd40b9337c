package survey

import (
	"cmp"
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// sitePermissions decides at the site's root path, and finds the extents over the site.
func (s *site) sitePermissions(hasACAP bool, out *output) error {
	file := s.reservations().Main()
	root := s.reserved(&policy.Page{}, file, "/")
	asks := s.asksOfSite(hasACAP, root)
	if asks.none() {
		return nil
	}
	answered := s.robots.PolicyOf(s.robots.Main)
	evidence := s.evidence(nil, s.robots.Main)
	evidence.reserving = file.Owner
	var at time.Time
	if s.robots.Main != nil {
		at = moment(s.robots.Main.Asked.FetchTime)
	}
	asked := audience.Of(s.robots.File().Named(), audience.MaxAgents*audience.MaxPurposes).With(s.opts.Agents)
	budget := s.budgetFor(forPermissions)
	var alike *audience.Classes
	known := map[string][]decided{}
	var groups *rootByGroups
	if !out.byViews {
		groups = s.rootByGroups(asks, asked, budget, evidence)
	}
	if groups == nil {
		budget.Spend(answered.Weight())
	}
	for _, purpose := range asked.Purposes {
		for i, agent := range asked.Agents {
			if budget.Over() && !s.always(agent, purpose) {
				asked.Cut = true
				continue
			}
			if byGroups := groups.of(i); byGroups != nil {
				budget.Spend(byGroups.steps)
				if err := out.addGroup(s.crawl, agent, byGroups); err != nil {
					return err
				}
				continue
			}
			if alike == nil {
				alike = audience.NewClasses(answered.File())
			}
			view, kind := answered.For(agent, purpose).Within(budget), alike.Of(agent)
			j := slices.IndexFunc(known[kind], func(d decided) bool { return view.SameStatements(d.view, nil) })
			if j < 0 {
				rows := s.rootRows(view, root, asks, at, evidence)
				j, known[kind] = len(known[kind]), append(known[kind], decided{view, nil, rows})
			}
			rows := known[kind][j].rows
			budget.Spend(stepsOf(rows))
			for j := range rows {
				if e := rows[j].Extent; e != nil && e.Is(terms.ExtentUnknown) {
					s.found.unknownExtents++
				}
			}
			if err := out.addPermissions(s.crawl, agent, purpose, rows); err != nil {
				return err
			}
		}
	}
	s.found.lacksPermissions = s.found.lacksPermissions || asked.Cut
	s.work.spent(budget)
	return nil
}

// asks are the usages that permissions have rows about.
type asks struct {
	acap        bool           // those of ACAP
	preferences []policy.Usage // those of AI preferences
}

func (a asks) none() bool { return !a.acap && len(a.preferences) == 0 }

// usages lists them, those of ACAP first.
func (a asks) usages() []policy.Usage {
	if !a.acap {
		return a.preferences
	}
	return append(policy.Usages(), a.preferences...)
}

// asksOfSite returns the usages that the site's rows are about: preferences are those that its robots.txt states, and
// the reservation of its root path.
func (s *site) asksOfSite(hasACAP bool, root *policy.Page) asks {
	a := asks{acap: hasACAP || s.opts.Permissions == PermissionsAll || s.opts.Permissions == PermissionsAllSites}
	if !a.acap && s.opts.Permissions != PermissionsDefault {
		return a
	}
	if f := s.robots.File(); f != nil {
		a.preferences = f.Preferences
	}
	return a.and(root)
}

// and adds the preferences of a page.
func (a asks) and(p *policy.Page) asks {
	a.preferences = slices.Concat(a.preferences, policy.StatedPreferences(p.Statements))
	slices.Sort(a.preferences)
	a.preferences = slices.Compact(a.preferences)
	return a
}

// reserved returns a page with the rule of a tdmrep.json that applies to it, and the page itself if none does
// (R-TDM-3).
func (s *site) reserved(p *policy.Page, file *policyfiles.ReservationFile, path string) *policy.Page {
	if len(file.Statements) == 0 {
		return p
	}
	with := *p
	steps, _ := parse.Reserve(&with, file.Statements, path, s.opts.Reading)
	s.pages.work.used += int64(steps)
	return &with
}

// reservations returns the versions of the site's tdmrep.json, once all policy files have come.
func (s *site) reservations() *policyfiles.Reservations {
	if s.reserving == nil {
		s.reserving = s.robots.Reservations(s.name)
	}
	return s.reserving
}

// asksOfPage returns the usages that a page's rows are about. Preferences of the robots.txt have rows about a page if
// the page has rows of its own.
func (s *site) asksOfPage(v *pageView) (a asks) {
	switch s.opts.Permissions {
	case PermissionsACAPSites, PermissionsAllSites:
		return a
	}
	a.acap = s.opts.Permissions == PermissionsAll || s.hasACAP(v.page)
	a.preferences = policy.StatedPreferences(v.page.Statements)
	if f := s.robots.FileOf(v.answer); f != nil && !a.none() {
		a.preferences = slices.Concat(a.preferences, f.Preferences)
		slices.Sort(a.preferences)
		a.preferences = slices.Compact(a.preferences)
	}
	return a
}

// rootRows decides usages at the root path for a view. If no ACAP statement is addressed to the agent, all usages of
// ACAP but crawl are decided alike (R-DEC-11, R-DEC-12).
func (s *site) rootRows(
	view *decide.View, root *policy.Page, asked asks, at time.Time, e evidence,
) []table.Permission {
	classes := extent.NewPathClasses(view, s.opts.Budget)
	onlyREP := len(view.Candidates()) == 0 && !view.HasUnresolved()
	rows := make([]table.Permission, 0, terms.UsageCount)
	for _, usage := range asked.usages() {
		if n := len(rows); onlyREP && n > 1 && usage.Family() == terms.FamilyACAP { // the first is crawl
			view.Budget().Spend(decide.QuestionCost)
			row := rows[n-1]
			row.Usage = table.WordOf(usage)
			rows = append(rows, row)
			continue
		}
		d := view.Decide(root, decide.Question{URL: s.name + "/", Path: "/", Usage: usage, At: at})
		row := s.permission(terms.ScopeSite, usage, d, e)
		row.Key.Host = s.hostColumns()
		row.Extent = table.Observed(table.WordOf(classes.Extent(usage, at)))
		rows = append(rows, row)
	}
	// In the order of the table, by name: sorting finds longer runs.
	slices.SortFunc(rows, func(a, b table.Permission) int { return cmp.Compare(a.Usage, b.Usage) })
	return rows
}

// always reports whether rows are made whatever the budget: for "*" and for the agents of the options.
func (s *site) always(agent policy.Agent, purpose string) bool {
	return purpose == "" && (agent == policy.AnyAgent || slices.ContainsFunc(s.opts.Agents, agent.Is))
}

// stepsOf returns the steps of writing rows.
func stepsOf(rows []table.Permission) (steps int) {
	for i := range rows {
		steps += cost.Row + len(rows[i].DecidingIDs)
	}
	return steps
}

// Limits on the rows of pages, far above real sites. docs/tables.md says what exceeds them.
const (
	maxPageWork  = 1 << 25 // steps for one page, if nothing is cached
	maxPageCases = 1 << 18 // agents times purposes of the first page of a site; see pageCases
)

// pageCases is the limit on agents times purposes of the nth page of a site: rows grow with the logarithm of the
// number of pages. A site that names a hundred agents has rows for all of them on 2,600 pages; agents named in ACAP
// keep theirs longest.
func pageCases(n int64) int { return int(maxPageCases / max(n, 1)) }

// usageCost is how many questions decide all usages: each asks about itself and about crawl (R-DEC-11).
const usageCost = 2 * int(terms.UsagePresentLink)

// pagePermissions decides the usages of a page that have rows.
func (s *site) pagePermissions(v *pageView, out *output) error {
	asks := s.asksOfPage(v)
	if asks.none() {
		return nil
	}
	s.pages.decided++
	question := v.question(policy.NoUsage, s.opts.Reading.Without)
	file := s.reservations().InForce(v.fact.FetchTime)
	page := s.reserved(v.page, file, question.Path)
	asks = asks.and(page)
	answered, asked := s.pageAudience(v, asks, question.Path)
	alike := audience.PageClasses(page.Statements)
	most := s.pages.work.share()
	evidence, key := s.evidence(v.fact, v.answer), s.key(v.fact)
	evidence.reserving = file.Owner
	type alikeFor struct {
		page string
		file decide.SetKey
	}
	known := map[alikeFor][]decided{}
	for _, purpose := range asked.Purposes {
		for _, agent := range asked.Agents {
			if err := out.ended(); err != nil {
				return err
			}
			if s.pages.work.used >= most && !s.always(agent, purpose) {
				asked.Cut = true
				continue
			}
			view := answered.For(agent, purpose)
			kind := alikeFor{alike.Of(agent), view.StatementSet()}
			said := view.PageCandidates(page)
			s.pages.work.used += int64(2*len(page.Statements) + len(known[kind]))
			i := slices.IndexFunc(known[kind], func(d decided) bool {
				return slices.Equal(said, d.said) &&
					view.SameStatements(d.view, nil)
			})
			if i < 0 {
				var rows []table.Permission
				for _, usage := range asks.usages() {
					question.Usage = usage
					d := view.Decide(page, question)
					row := s.permission(terms.ScopePage, usage, d, evidence)
					row.Key = key
					row.WithoutElements = table.Of(table.WordOf(d.WithoutElements))
					rows = append(rows, row)
				}
				i, known[kind] = len(known[kind]), append(known[kind], decided{view, said, rows})
				s.pages.work.used += int64(usageCost*len(page.Statements)) + s.pages.newSteps()
			}
			s.pages.work.used += int64(stepsOf(known[kind][i].rows))
			if err := out.addPermissions(s.crawl, agent, purpose, known[kind][i].rows); err != nil {
				return err
			}
		}
	}
	s.found.lacksPermissions = s.found.lacksPermissions || asked.Cut
	return nil
}

// pageAudience returns the policy at the path of a page, and for whom the page is decided.
//
// Preferences alone have rows for the crawlers that the page names, and not for all that the robots.txt does: headers
// state them for every page of large sites, and the rows of the site have what the robots.txt states to whom.
func (s *site) pageAudience(v *pageView, asks asks, path string) (*decide.Site, audience.Audience) {
	decisions := s.decisionsOf(v.answer)
	if s.pages.work.exceeded() {
		few := audience.Of(audience.Names{}, 1).With(s.opts.Agents)
		few.Cut = true
		return decisions.Unknown(), few
	}
	answered := decisions.At(path)
	cases := min(maxPageWork/(usageCost*(answered.Weight()+pageWeight(v.page))), pageCases(s.pages.decided))
	named := audience.NamesIn(v.page.Statements)
	if asks.acap {
		named = s.robots.FileOf(v.answer).Named().And(named)
	}
	return answered, audience.Of(named, cases).With(s.opts.Agents)
}

// decided are the rows of a site or page for one view of its policy. Agents and purposes with the same view share them.
type decided struct {
	view *decide.View
	said []decide.Candidate // the page's own statements
	rows []table.Permission
}

// pageWeight returns what the statements of a page add to decide.Site.Weight.
func pageWeight(p *policy.Page) (weight int) {
	for i := range p.Statements {
		weight += match.Weight(&p.Statements[i])
	}
	return weight
}

// addPermissions adds rows for an agent and a purpose.
func (o *output) addPermissions(crawl string, agent policy.Agent, purpose string, decided []table.Permission) error {
	for i := range decided {
		row := o.rows.Permissions.Next(Partition{Crawl: crawl})
		*row = decided[i]
		row.Agent, row.Purpose = string(agent), table.Observed(purpose)
	}
	o.n += len(decided)
	return o.flushFull()
}

// maxDeciding is the limit on the statements that one row lists.
const maxDeciding = decide.MaxListed

// permission makes a row without agent and purpose.
func (s *site) permission(scope terms.Scope, usage policy.Usage, d decide.Decision, e evidence) table.Permission {
	row := table.Permission{
		Scope: table.WordOf(scope), Site: s.name, Usage: table.WordOf(usage), Family: table.WordOf(usage.Family()),
		Decision: table.WordOf(d.Decision), IfCrawled: table.Of(table.WordOf(d.IfCrawled)),
		Basis: table.WordOf(d.Basis), Qualifiers: qualifiers(d.Qualifiers),
		Profile: table.WordOf(s.opts.Decide.Profile), OtherReading: table.WordOf(s.opts.Decide.Other),
	}
	for _, rule := range d.By {
		row.DecidedBy = append(row.DecidedBy, rule.String())
	}
	for i, v := range d.Deciding[:min(len(d.Deciding), maxDeciding)] {
		row.DecidingIDs = append(row.DecidingIDs, s.id(v.Statement, e))
		if i == 0 {
			row.DecidingSource = table.Of(table.WordOf(v.Statement.Source))
			row.DecidingLine, row.DecidingByteOffset = place(v.Statement)
			row.DecidingRaw = s.verbatim(v.Statement.Raw)
		}
	}
	return row
}
