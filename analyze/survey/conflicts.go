package survey

import (
	"github.com/acapscan/acapscan/analyze/conflict"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/output/table"
)

// conflictRows finds what contradicts what: within the robots.txt that speaks for the site, and between each kept page and the
// robots.txt in force at its time.
func (s *site) conflictRows(views []pageView, rows *Rows) {
	at := Partition{Crawl: s.crawl}
	if f := s.file(); f != nil {
		evidence := s.evidence(nil, s.main)
		agents := distinctAgents(append(append([]policy.Agent(nil), f.NamedRecords...), f.NamedGroups...))
		found, more := conflict.OfSite(s.policyOf(s.main, s.opts.Decide), agents, s.purposes(), s.conflictOptions(s.main.asked.FetchTime))
		for _, c := range found {
			row := s.conflict(c, more, evidence)
			table.FillHost(&row.Key.Host, s.name)
			if c.Path != "" {
				row.ExampleURL = table.Of(s.name + c.Path)
			}
			rows.Conflicts[at] = append(rows.Conflicts[at], row)
		}
	}
	for _, v := range views {
		found, more := conflict.OfPage(v.policy, v.page, v.question(policy.NoUsage), s.agents(v.page), s.purposes(v.page), s.conflictOptions(v.fact.FetchTime))
		evidence := s.evidence(v.fact, v.answer)
		for _, c := range found {
			row := s.conflict(c, more, evidence)
			row.Key = keyOf(v.fact)
			row.ExampleURL = table.Observed(text(v.fact.URL))
			rows.Conflicts[at] = append(rows.Conflicts[at], row)
		}
	}
}

// conflict makes a row; more tells that the search ended before it had found everything.
func (s *site) conflict(c conflict.Conflict, more bool, e evidence) table.Conflict {
	s.conflicts[c.Kind.String()]++
	row := table.Conflict{
		Site: s.name, Kind: table.ConflictKind(c.Kind.String()), Severity: table.Severity(c.Severity.String()),
		Agent: text(string(c.Agent)), Purpose: table.Observed(text(c.Purpose)), Usage: table.Usage(c.Usage.String()),
		Winner: table.Winner(c.Winner.String()), Rule: string(c.Rule), Approximate: c.Approximate || more,
		Reading: table.Observed(table.Reading(c.Reading.String())),
	}
	if st := c.First; st != nil {
		row.FirstID = table.Of(e.id(st))
		row.FirstSource = table.Of(table.Source(st.Source.String()))
		row.FirstLine, row.FirstByteOffset = place(st)
		row.FirstRaw = s.verbatim(st.Raw)
		row.FirstSense = table.Observed(table.Sense(st.Sense.String()))
	}
	if st := c.Second; st != nil {
		row.SecondID = table.Of(e.id(st))
		row.SecondSource = table.Of(table.Source(st.Source.String()))
		row.SecondLine, row.SecondByteOffset = place(st)
		row.SecondRaw = s.verbatim(st.Raw)
		row.SecondSense = table.Observed(table.Sense(st.Sense.String()))
	}
	row.FirstDecision = decisionOrNull(c.FirstDecision)
	row.SecondDecision = decisionOrNull(c.SecondDecision)
	return row
}

func decisionOrNull(d policy.Decision) *table.Decision {
	if d == 0 {
		return nil
	}
	return table.Of(table.Decision(d.String()))
}
