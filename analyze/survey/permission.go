package survey

import (
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
	alike := newLikeness(answered.File(), nil)
	cases := len(alike.distinct(audience.agents)) * len(audience.purposes)
	for _, purpose := range audience.purposes {
		known := map[string][]table.Permission{}
		for _, agent := range audience.agents {
			rows := known[alike.key(agent)]
			if rows == nil {
				view := answered.For(agent, purpose)
				spaces := decide.NewSpaces(view, s.states(cases))
				spaces.Questions = max(maxSiteWork/(cost*cases), usageCost)
				for _, usage := range policy.Usages() {
					d := view.Decide(nil, decide.Question{URL: s.name + "/", Path: "/", Usage: usage, At: at})
					row := s.permission(table.ScopeSite, purpose, usage, d, evidence)
					table.FillHost(&row.Key.Host, s.name)
					row.Extent = table.Of(table.Extent(spaces.Extent(usage, at).String()))
					rows = append(rows, row)
				}
				known[alike.key(agent)] = rows
			}
			for i := range rows {
				if *rows[i].Extent == table.ExtentUnknown {
					s.unknownExtents++
				}
			}
			if err := out.addPermissions(s.crawl, agent, rows); err != nil {
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

// pagePermissions decides each of the pages that have rows of their own.
func (s *site) pagePermissions(views []pageView, out *output) error {
	var pages []*pageView
	for i := range views {
		switch v := &views[i]; {
		case s.opts.Permissions == PermissionsSites:
		case s.opts.Permissions == PermissionsAll, carriesACAP(v.page):
			pages = append(pages, v)
		}
	}
	for _, v := range pages {
		question := v.question(policy.NoUsage)
		answered := s.policyOf(v.answer).At(question.Path)
		cost := costOf(answered.File(), v.page)
		audience := audienceOf(s.fileOf(v.answer), v.page, min(maxPageWork/(usageCost*cost), maxPageCases/len(pages))).with(s.opts.Agents)
		alike := newLikeness(answered.File(), v.page)
		evidence, key := s.evidence(v.fact, v.answer), keyOf(v.fact)
		for _, purpose := range audience.purposes {
			known := map[string][]table.Permission{}
			for _, agent := range audience.agents {
				rows := known[alike.key(agent)]
				if rows == nil {
					view := answered.For(agent, purpose)
					for _, usage := range policy.Usages() {
						question.Usage = usage
						d := view.Decide(v.page, question)
						row := s.permission(table.ScopePage, purpose, usage, d, evidence)
						row.Key = key
						row.WithoutElements = table.Of(table.Decision(d.WithoutElements.String()))
						rows = append(rows, row)
					}
					known[alike.key(agent)] = rows
				}
				if err := out.addPermissions(s.crawl, agent, rows); err != nil {
					return err
				}
			}
		}
	}
	return nil
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

// addPermissions adds the rows of a case, decided for an agent that is like this one.
func (o *output) addPermissions(crawl string, agent policy.Agent, decided []table.Permission) error {
	at := Partition{Crawl: crawl}
	for _, row := range decided {
		row.Agent = string(agent)
		o.rows.Permissions[at] = append(o.rows.Permissions[at], row)
	}
	return o.flushFull()
}

// maxDeciding bounds the statements that one row lists.
const maxDeciding = 100

// permission makes a row for any agent.
func (s *site) permission(scope table.Scope, purpose string, usage policy.Usage, d decide.Decision, e evidence) table.Permission {
	row := table.Permission{
		Scope: scope, Site: s.name, Purpose: table.Observed(purpose), Usage: table.Usage(usage.String()),
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
