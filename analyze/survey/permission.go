package survey

import (
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/output/table"
)

// sitePermissions decides the site's root path and tells the extent of every usage over the site.
func (s *site) sitePermissions(rows *Rows) {
	site := s.policyOf(s.main, s.opts.Decide)
	evidence := s.evidence(nil, s.main)
	at := moment(0)
	if s.main != nil {
		at = moment(s.main.asked.FetchTime)
	}
	for _, agent := range s.agents() {
		for _, purpose := range s.purposes() {
			view := site.For(agent, purpose)
			spaces := decide.NewSpaces(view, s.opts.Budget)
			for _, usage := range policy.Usages() {
				d := view.Decide(nil, decide.Question{URL: s.name + "/", Path: "/", Usage: usage, At: at})
				row := s.permission(table.ScopeSite, agent, purpose, usage, d, evidence)
				table.FillHost(&row.Key.Host, s.name)
				row.Extent = table.Of(table.Extent(spaces.Extent(usage, at).String()))
				rows.addPermission(s.crawl, row)
			}
		}
	}
}

// pagePermissions decides one page capture.
func (s *site) pagePermissions(v pageView, rows *Rows) {
	evidence := s.evidence(v.fact, v.answer)
	key := keyOf(v.fact)
	for _, agent := range s.agents(v.page) {
		for _, purpose := range s.purposes(v.page) {
			view := v.policy.For(agent, purpose)
			for _, usage := range policy.Usages() {
				d := view.Decide(v.page, v.question(usage))
				row := s.permission(table.ScopePage, agent, purpose, usage, d, evidence)
				row.Key = key
				row.WithoutElements = table.Of(table.Decision(d.WithoutElements.String()))
				rows.addPermission(s.crawl, row)
			}
		}
	}
}

func (r *Rows) addPermission(crawl string, row table.Permission) {
	at := Partition{Crawl: crawl}
	r.Permissions[at] = append(r.Permissions[at], row)
}

func (s *site) permission(scope table.Scope, agent policy.Agent, purpose string, usage policy.Usage, d decide.Decision, e evidence) table.Permission {
	row := table.Permission{
		Scope: scope, Site: s.name, Agent: text(string(agent)), Purpose: table.Observed(text(purpose)), Usage: table.Usage(usage.String()),
		Decision: table.Decision(d.Decision.String()), IfCrawled: table.Of(table.Decision(d.IfCrawled.String())),
		Basis: table.Basis(d.Basis.String()), Qualifiers: qualifiers(d.Qualifiers),
		Profile: table.Profile(s.opts.Decide.Profile.String()), OtherReading: table.OtherReading(s.opts.Decide.Other.String()),
	}
	for _, rule := range d.By {
		row.DecidedBy = append(row.DecidedBy, string(rule))
	}
	for i, v := range d.Deciding {
		row.DecidingIDs = append(row.DecidingIDs, e.id(v.Statement))
		if i == 0 {
			row.DecidingSource = table.Of(table.Source(v.Statement.Source.String()))
			row.DecidingLine, row.DecidingByteOffset = place(v.Statement)
			row.DecidingRaw = s.verbatim(v.Statement.Raw)
		}
	}
	return row
}
