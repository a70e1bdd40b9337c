package survey

import (
	"cmp"
	"slices"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/crawlers"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// A rootByGroups makes the rows of permissions about the root path of a site whose conventional groups alone decide:
// once for all agents with the same groups, from what table agents found of them.
type rootByGroups struct {
	site     *site
	groups   *crawlers.Decider
	budget   *cost.Budget
	evidence evidence
	steps    int // that a View takes to find its statements
	known    []rootOfGroups
}

// rootOfGroups are the rows of agents with the same groups.
type rootOfGroups struct {
	groups []int
	hidden bool // rules for any agent match the root, and do not count
	rows   []table.Permission

	written     bool // for an agent, in a part, from a number on
	part, first int
}

// rootByGroups returns nil if a View has to decide. Its budget ends about where that of a View does.
func (s *site) rootByGroups(a asks, asked audience.Audience, budget *cost.Budget, e evidence) *rootByGroups {
	if s.groups == nil || len(a.preferences) > 0 || len(asked.Purposes) > 1 || !s.groups.IsAbout(asked.Agents) {
		return nil
	}
	g := &rootByGroups{site: s, groups: s.groups, budget: budget, evidence: e}
	statements := s.groups.Statements()
	weight := 1
	for i := range statements {
		weight += match.Weight(&statements[i])
		if statements[i].Status.Decides() {
			g.steps++
		}
	}
	budget.Spend(weight)
	return g
}

// of returns the rows for an agent, without its name. nil: a View has to decide. It is good until the next call.
func (g *rootByGroups) of(agent int) *rootOfGroups {
	if g == nil {
		return nil
	}
	groups, hidden := g.groups.GroupsOf(agent)
	g.budget.Spend(1 + g.steps)
	for i := range g.known {
		if k := &g.known[i]; k.hidden == hidden && slices.Equal(k.groups, groups) {
			return k
		}
	}
	rules, over := g.groups.RulesOf(agent)
	if over == policy.ExtentUnknown {
		return nil
	}
	g.budget.Spend(3*g.steps + 2*extent.ExamplesCost(rules) + usageCost*decide.QuestionCost)
	crawl, others := rules.Decide("/", hidden, g.budget)
	rows := g.site.alikeRows(crawl, others, over, g.evidence)
	g.known = append(g.known, rootOfGroups{groups: groups, hidden: hidden, rows: rows})
	return &g.known[len(g.known)-1]
}

// addGroup adds the rows for an agent.
func (o *output) addGroup(crawl string, agent policy.Agent, r *rootOfGroups) error {
	at := Partition{Crawl: crawl}
	if !r.written || r.part != o.parts {
		r.written, r.part, r.first = true, o.parts, o.rows.Permissions.Count(at)
		return o.addPermissions(crawl, agent, "", r.rows)
	}
	o.rows.Permissions.Again(at, r.first, len(r.rows), string(agent))
	o.n += len(r.rows)
	return o.flushFull()
}

// usagesByName are the usages of ACAP in the order of the table.
var usagesByName = slices.SortedFunc(slices.Values(policy.Usages()), func(a, b policy.Usage) int {
	return cmp.Compare(a.String(), b.String())
})

// alikeRows makes the rows about the root path, where all usages but crawl are decided alike.
func (s *site) alikeRows(crawl, others decide.Decision, over policy.Extent, e evidence) []table.Permission {
	rows := make([]table.Permission, 0, terms.UsageCount)
	var other *table.Permission
	for _, usage := range usagesByName {
		if usage != policy.Crawl && other != nil {
			row := *other
			row.Usage = table.WordOf(usage)
			rows = append(rows, row)
			continue
		}
		d := others
		if usage == policy.Crawl {
			d = crawl
		}
		row := s.permission(terms.ScopeSite, usage, d, e)
		row.Key.Host = s.hostColumns()
		row.Extent = table.Observed(table.WordOf(over))
		if rows = append(rows, row); usage != policy.Crawl {
			other = &rows[len(rows)-1]
		}
	}
	return rows
}
