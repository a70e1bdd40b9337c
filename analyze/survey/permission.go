package survey

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/paths"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/output/table"
)

// sitePermissions decides the site's root path and tells the extent of every usage over the site.
func (s *site) sitePermissions(out *output) error {
	answered := s.policyOf(s.main)
	evidence := s.evidence(nil, s.main)
	var at time.Time
	if s.main != nil {
		at = moment(s.main.asked.FetchTime)
	}
	cost := costOf(answered.File(), nil)
	audience := audienceOf(s.file(), nil, maxSiteWork/(usageCost*cost)).with(s.opts.Agents)
	s.mayLackPermissions = s.mayLackPermissions || audience.cut
	alike := newLikeness(answered.File(), nil)
	cases := len(alike.distinct(audience.agents)) * len(audience.purposes)
	known := map[string][]decided{}
	for _, purpose := range audience.purposes {
		for _, agent := range audience.agents {
			view, kind := answered.For(agent, purpose), alike.key(agent)
			i := slices.IndexFunc(known[kind], func(d decided) bool { return view.HearsAs(d.view, nil) })
			if i < 0 {
				var rows []table.Permission
				spaces := decide.NewSpaces(view, s.states(cases))
				spaces.Questions = max(maxSiteWork/(cost*cases), usageCost)
				for _, usage := range policy.Usages() {
					d := view.Decide(nil, decide.Question{URL: s.name + "/", Path: "/", Usage: usage, At: at})
					row := s.permission(table.ScopeSite, usage, d, evidence)
					table.FillHost(&row.Key.Host, s.name)
					row.Extent = table.Of(table.Extent(spaces.Extent(usage, at).String()))
					rows = append(rows, row)
				}
				i, known[kind] = len(known[kind]), append(known[kind], decided{view, rows})
			}
			rows := known[kind][i].rows
			for j := range rows {
				if *rows[j].Extent == table.ExtentUnknown {
					s.unknownExtents++
				}
			}
			if err := out.addPermissions(s.crawl, agent, purpose, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// states is how many states each of so many explorations may look at.
func (s *site) states(explorations int) int {
	states := max(maxStates/explorations, minStates)
	if s.opts.Budget > 0 {
		return min(states, s.opts.Budget)
	}
	return min(states, paths.DefaultBudget)
}

// pagePermissions decides a page, if it is one of those that have rows of their own.
func (s *site) pagePermissions(v *pageView, out *output) error {
	switch {
	case s.opts.Permissions == PermissionsSites:
		return nil
	case s.opts.Permissions != PermissionsAll && !carriesACAP(v.page):
		return nil
	}
	s.inPages.decided++
	question := v.question(policy.NoUsage)
	answered := s.policyOf(v.answer).At(question.Path)
	cost := costOf(answered.File(), v.page)
	audience := audienceOf(s.fileOf(v.answer), v.page, min(maxPageWork/(usageCost*cost), pageCases(s.inPages.decided))).with(s.opts.Agents)
	s.mayLackPermissions = s.mayLackPermissions || audience.cut
	alike := newLikeness(answered.File(), v.page)
	evidence, key := s.evidence(v.fact, v.answer), s.key(v.fact)
	known := map[string][]decided{}
	for _, purpose := range audience.purposes {
		for _, agent := range audience.agents {
			view, kind := answered.For(agent, purpose), alike.key(agent)
			i := slices.IndexFunc(known[kind], func(d decided) bool { return view.HearsAs(d.view, v.page) })
			if i < 0 {
				var rows []table.Permission
				for _, usage := range policy.Usages() {
					question.Usage = usage
					d := view.Decide(v.page, question)
					row := s.permission(table.ScopePage, usage, d, evidence)
					row.Key = key
					row.WithoutElements = table.Of(table.Decision(d.WithoutElements.String()))
					rows = append(rows, row)
				}
				i, known[kind] = len(known[kind]), append(known[kind], decided{view, rows})
			}
			if err := out.addPermissions(s.crawl, agent, purpose, known[kind][i].rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// decided is what was decided of a site or page for one purpose, and for those for which an agent is told the same.
type decided struct {
	view *decide.View
	rows []table.Permission
}

// costOf is about how many things are looked at to answer one question; never 0.
func costOf(f *policy.File, p *policy.Page) int {
	cost := 1
	add := func(statements []policy.Statement) {
		for i := range statements {
			cost += weight(&statements[i])
		}
	}
	add(f.Statements)
	for i := range f.References {
		add(f.References[i].Resolved)
	}
	if p != nil {
		add(p.Statements)
	}
	return cost
}

// addPermissions adds the rows of a case, decided for an agent and a purpose that are like these.
func (o *output) addPermissions(crawl string, agent policy.Agent, purpose string, decided []table.Permission) error {
	at := Partition{Crawl: crawl}
	for _, row := range decided {
		row.Agent, row.Purpose = string(agent), table.Observed(purpose)
		o.rows.Permissions[at] = append(o.rows.Permissions[at], row)
	}
	return o.flushFull()
}

// maxDeciding bounds the statements that one row lists.
const maxDeciding = 100

// permission makes a row for any agent and purpose.
func (s *site) permission(scope table.Scope, usage policy.Usage, d decide.Decision, e evidence) table.Permission {
	row := table.Permission{
		Scope: scope, Site: s.name, Usage: table.Usage(usage.String()),
		Decision: table.Decision(d.Decision.String()), IfCrawled: table.Of(table.Decision(d.IfCrawled.String())),
		Basis: table.Basis(d.Basis.String()), Qualifiers: qualifiers(d.Qualifiers),
		Profile: table.Profile(s.opts.Decide.Profile.String()), OtherReading: table.OtherReading(s.opts.Decide.Other.String()),
	}
	for _, rule := range d.By {
		row.DecidedBy = append(row.DecidedBy, rule.String())
	}
	for i, v := range d.Deciding[:min(len(d.Deciding), maxDeciding)] {
		row.DecidingIDs = append(row.DecidingIDs, s.id(v.Statement, e))
		if i == 0 {
			row.DecidingSource = table.Of(table.Source(v.Statement.Source.String()))
			row.DecidingLine, row.DecidingByteOffset = place(v.Statement)
			row.DecidingRaw = s.verbatim(v.Statement.Raw)
		}
	}
	return row
}
