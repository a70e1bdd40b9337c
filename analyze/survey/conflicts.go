package survey

import (
	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/conflict"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/output/table"
)

// conflictRows finds the conflicts within the robots.txt in force. It ignores the agents of the options: an agent that
// is not named has the conflicts of "*".
func (s *site) conflictRows(out *output) error {
	// Conventional rules have an order (R-REP-1), so there are no conflicts without another vocabulary.
	if f := s.robots.File(); f != nil && (f.HasACAPRule || len(f.Preferences) > 0) {
		evidence := s.evidence(nil, s.robots.Main)
		asked := audience.Of(f.Named(), audience.MaxAgents*audience.MaxPurposes)
		options := s.conflictOptions(s.robots.Main.Asked.FetchTime)
		options.Steps = s.budgetFor(forConflicts)
		found, missing := conflict.OfSite(s.robots.PolicyOf(s.robots.Main), asked.Agents, asked.Purposes, options)
		s.work.spent(options.Steps)
		missing.Ended = missing.Ended || asked.Cut
		s.found.lacksConflicts = s.found.lacksConflicts || missing != conflict.Missing{}
		for _, c := range found {
			row := s.conflict(c, missing, evidence)
			row.Key.Host = s.hostColumns()
			if c.Path != "" {
				row.ExampleURL = table.Of(s.name + c.Path)
			}
			add(out, out.rows.Conflicts, Partition{Crawl: s.crawl}, row)
		}
	}
	return out.flushFull()
}

// pageConflicts finds the conflicts within a page, and between it and the robots.txt in force at its time.
func (s *site) pageConflicts(v *pageView, out *output) {
	question := v.question(policy.NoUsage, s.opts.Reading.Without)
	// Without ACAP or AI preferences there are only conflicts within the page.
	answered := s.robots.PolicyOf(nil)
	var f *policyfiles.File
	options, cut := s.conflictOptions(v.fact.FetchTime), false
	preferences := len(policy.StatedPreferences(v.page.Statements)) > 0
	if inForce := s.robots.FileOf(v.answer); inForce != nil &&
		(inForce.HasACAPRule || s.hasACAP(v.page) || preferences) {
		if cut = s.pages.work.exceeded(); !cut {
			f, answered = inForce, s.decisionsOf(v.answer).At(question.Path)
		}
	}
	named := f.Named()
	if !preferences {
		named.Conventional = nil // conventional groups are about crawl, and have no conflict with a page
	}
	asked := audience.Of(named.And(audience.NamesIn(v.page.Statements)), pageCases(s.pages.seen))
	worked := 0
	options.Worked = &worked
	options.Work = int(min(conflict.DefaultWork, conflict.WorkPerStep*s.pages.work.share()))
	found, missing := conflict.OfPage(answered, v.page, question, asked.Agents, asked.Purposes, options)
	s.pages.work.used += int64(worked/conflict.WorkPerStep + cost.Row*len(found))
	missing.Ended = missing.Ended || asked.Cut || cut
	s.found.lacksConflicts = s.found.lacksConflicts || missing != conflict.Missing{}
	evidence := s.evidence(v.fact, v.answer)
	for _, c := range found {
		row := s.conflict(c, missing, evidence)
		row.Key = s.key(v.fact)
		row.ExampleURL = table.Observed(text(v.fact.URL))
		add(out, out.rows.Conflicts, Partition{Crawl: s.crawl}, row)
	}
}

func (s *site) conflictOptions(at int64) conflict.Options {
	return conflict.Options{Budget: s.opts.Budget, At: moment(at), Stopped: s.work.stopped}
}

// conflict makes a row. If the search ended early, there may be a shorter example.
func (s *site) conflict(c conflict.Conflict, missing conflict.Missing, e evidence) table.Conflict {
	approximate := c.Approximate || missing.Ended
	if s.found.conflicts == nil {
		s.found.conflicts = map[string]int64{}
	}
	s.found.conflicts[c.Kind.String()]++
	if approximate {
		s.found.approximate++
	}
	for _, st := range []*policy.Statement{c.First, c.Second} {
		if st != nil && st.Vocabulary == policy.REP && !st.OfPage() {
			if s.found.conventional == nil {
				s.found.conventional = map[*policy.Statement]bool{}
			}
			s.found.conventional[st] = true
		}
	}
	row := table.Conflict{
		Site: s.name, Kind: table.WordOf(c.Kind), Severity: table.WordOf(c.Severity),
		Agent: text(string(c.Agent)), Purpose: table.Observed(text(c.Purpose)), Usage: table.WordOf(c.Usage),
		Winner: table.WordOf(c.Winner), Rule: c.Rule.String(), Approximate: approximate,
		Reading: table.Observed(table.WordOf(c.Reading)),
	}
	if st := c.First; st != nil {
		row.FirstID = table.Of(s.id(st, e))
		row.FirstSource = table.Of(table.WordOf(st.Source))
		row.FirstLine, row.FirstByteOffset = place(st)
		row.FirstRaw = s.verbatim(st.Raw)
		row.FirstSense = table.Observed(table.WordOf(st.Sense))
	}
	if st := c.Second; st != nil {
		row.SecondID = table.Of(s.id(st, e))
		row.SecondSource = table.Of(table.WordOf(st.Source))
		row.SecondLine, row.SecondByteOffset = place(st)
		row.SecondRaw = s.verbatim(st.Raw)
		row.SecondSense = table.Observed(table.WordOf(st.Sense))
	}
	row.FirstDecision = decisionOrNull(c.FirstDecision)
	row.SecondDecision = decisionOrNull(c.SecondDecision)
	return row
}

func decisionOrNull(d policy.Decision) *table.Decision {
	if d == 0 {
		return nil
	}
	return table.Of(table.WordOf(d))
}
