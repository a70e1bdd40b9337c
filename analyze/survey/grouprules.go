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

// rootOfGroups are the rows of agents with the same groups, one for each usage of ACAP: all usages but crawl are
// decided alike at the root path.
type rootOfGroups struct {
	groups []int
	hidden bool // rules for any agent match the root, and do not count

	rows  [2]table.Permission // about crawl, and about the first of the other usages
	steps int                 // of writing all rows

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
	g.known = append(g.known, rootOfGroups{groups: groups, hidden: hidden})
	made := &g.known[len(g.known)-1]
	for i, d := range []decide.Decision{crawl, others} {
		row := &made.rows[i]
		*row = g.site.permission(terms.ScopeSite, []policy.Usage{policy.Crawl, otherUsages[0]}[i], d, g.evidence)
		row.Key.Host = g.site.hostColumns()
		row.Extent = table.Observed(table.WordOf(over))
	}
	made.steps = stepsOf(made.rows[:]) + len(otherNames)*stepsOf(made.rows[1:])
	return made
}

// addGroup adds the rows for an agent.
func (o *output) addGroup(crawl string, agent policy.Agent, r *rootOfGroups) error {
	at := Partition{Crawl: crawl}
	n := len(r.rows) + len(otherNames)
	o.n += n
	if r.written && r.part == o.parts {
		o.rows.Permissions.Again(at, r.first, n, string(agent))
		return o.flushFull()
	}
	r.written, r.part, r.first = true, o.parts, o.rows.Permissions.Count(at)
	for i := range r.rows {
		row := o.rows.Permissions.Next(at)
		*row = r.rows[i]
		row.Agent = string(agent)
	}
	o.rows.Permissions.Repeat(at, otherNames)
	return o.flushFull()
}

// otherUsages are the usages of ACAP but crawl, which comes before them in the order of the table, and otherNames the
// names of all but the first.
var otherUsages, otherNames = func() (usages []policy.Usage, names []string) {
	for _, usage := range policy.Usages() {
		if usage != policy.Crawl {
			usages = append(usages, usage)
		}
	}
	slices.SortFunc(usages, func(a, b policy.Usage) int { return cmp.Compare(a.String(), b.String()) })
	for _, usage := range usages[1:] {
		names = append(names, usage.String())
	}
	return usages, names
}()
