package survey

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/crawlers"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// An agentTable is the rows of a robots.txt in table agents, without the columns of the site.
type agentTable struct {
	rows  []table.Agent
	cut   bool // rows are missing
	steps int64
}

// agentRows makes the rows of table agents, if the site has a robots.txt.
func (s *site) agentRows(out *output) {
	if outcome := s.robots.Outcome(); outcome != terms.OutcomeRules && outcome != terms.OutcomeNoRules {
		return
	}
	t := s.sharedAgents(&out.agents)
	if t == nil {
		clear(out.agents.table)
		t = &agentTable{rows: out.agents.table[:0]}
		s.groups = s.decideAgents(s.robots.File(), t, &out.agents)
		out.agents.table = t.rows
	}
	host := s.hostColumns()
	for i := range t.rows {
		row := out.rows.Agents.Next(Partition{Crawl: s.crawl})
		*row = t.rows[i]
		row.Site, row.Host, row.Complete = s.name, host, !t.cut
	}
	out.n += len(t.rows)
	s.work.all.Spend(int(t.steps))
}

// sharedAgents returns the rows of the robots.txt in force, if its groups alone decide: then they depend on its text
// alone, and all sites with the text share them. Else it returns nil.
func (s *site) sharedAgents(memory *agentMemory) *agentTable {
	f := s.robots.File()
	if f == nil || !f.IsShared || !s.groupsDecide(f) || s.asksOfEverySite() {
		return nil
	}
	return f.Shared(func() (any, bool) {
		shared := &agentTable{}
		s.decideAgents(f, shared, memory)
		return shared, !s.work.stopped()
	}).(*agentTable)
}

// asksOfEverySite reports whether permissions have rows about every site: they are made of what table agents found.
func (s *site) asksOfEverySite() bool {
	return s.opts.Permissions == PermissionsAll || s.opts.Permissions == PermissionsAllSites
}

// groupsDecide reports whether the conventional groups of a file, which may be nil, alone decide crawl.
func (s *site) groupsDecide(f *policyfiles.File) bool {
	return (f == nil || !f.HasACAPRule && !f.IgnoreConventional) && s.opts.Decide.Without == (policy.RuleSet{})
}

// decideAgents adds the rows of a file, which may be nil. It returns what it found of groups that alone decide.
func (s *site) decideAgents(f *policyfiles.File, t *agentTable, memory *agentMemory) *crawlers.Decider {
	named := f.Named()
	named.Purposes = nil
	asked := audience.Of(named, audience.MaxAgents).With(s.opts.Agents)
	budget := s.budgetFor(forAgents)
	d := crawlers.NewDecider(crawlers.Request{
		Site: s, URL: s.name + "/", At: moment(s.robots.Main.Asked.FetchTime), File: f, Agents: asked.Agents,
		GroupsDecide: s.groupsDecide(f), Options: s.opts.Decide, States: s.opts.Budget, Budget: budget,
	}, &memory.decider)

	t.cut = asked.Cut
	t.rows = slices.Grow(t.rows, len(asked.Agents))
	for i, agent := range asked.Agents {
		if budget.Over() && !s.always(agent, "") {
			t.cut = true
			continue
		}
		budget.Spend(cost.Row)
		t.rows = d.AppendRow(t.rows, i)
	}
	t.steps = budget.Spent()
	if !s.groupsDecide(f) {
		return nil
	}
	return d
}

// An agentMemory is memory that the sites use in turn: each until its rows are made.
type agentMemory struct {
	table   []table.Agent
	decider crawlers.Memory
}

// Policy is that of crawlers.Site: the robots.txt in force last.
func (s *site) Policy() *decide.Site { return s.robots.PolicyOf(s.robots.Main) }

// Cite is that of crawlers.Site.
func (s *site) Cite(row *table.Agent, st *policy.Statement) {
	row.DecidingLine, _ = place(st)
	row.DecidingRaw = s.verbatim(st.Raw)
}
