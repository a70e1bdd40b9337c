package survey

import (
	"maps"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/conflict"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// acapFeatures lists the features of ACAP that the site uses.
func (s *site) acapFeatures() []string {
	list := slices.Collect(maps.Keys(s.pages.features))
	if f := s.robots.File(); f != nil {
		for _, feature := range f.Features {
			list = append(list, string(feature))
		}
	}
	return sorted(list)
}

// adoptionClass returns the highest class of ACAP use that applies (docs/semantics.md, section 9). exact is false if
// ACAP and the conventional rules could not be compared within the budget; then they count as different.
func (s *site) adoptionClass() (class terms.AdoptionClass, exact bool) {
	// The counters of stage 1 are not enough: a META that begins with "ACAP" may be prose.
	if s.pages.acap {
		return terms.AdoptionBeyondREP, true
	}
	f := s.robots.File()
	if f == nil || !f.Marker.Found() && f.ACAPFields == 0 {
		return terms.AdoptionNone, true
	}
	if f.ACAPFields == 0 {
		return terms.AdoptionMarkerOnly, true
	}
	for _, definition := range []policy.Feature{policy.FeatureResourceSet, policy.FeatureQualifiedUsage,
		policy.FeatureCompositeUsage} {
		if slices.Contains(f.Features, definition) {
			return terms.AdoptionBeyondREP, true
		}
	}
	// The rules of a resolved reference are the site's rules.
	has, beyond := rulesBeyondREP(f.Statements)
	for i := range f.References {
		hasToo, beyondToo := rulesBeyondREP(f.References[i].Resolved)
		has, beyond = has || hasToo, beyond || beyondToo
	}
	switch {
	case beyond:
		return terms.AdoptionBeyondREP, true
	case !has:
		return terms.AdoptionRecordWithoutRules, true
	}
	c := s.sameForAll(f)
	if c.same && c.exact {
		return terms.AdoptionMirrorsREP, true
	}
	return terms.AdoptionCrawlDiffers, c.exact
}

// rulesBeyondREP reports whether statements include ACAP rules, and whether one of them has no conventional equivalent:
// it is about another usage than crawl, has a qualifier or a purpose, or uses a definition.
func rulesBeyondREP(statements []policy.Statement) (has, beyond bool) {
	for i := range statements {
		st := &statements[i]
		if st.Vocabulary != policy.ACAP || !st.Status.Decides() || st.Sense == policy.NoSense {
			continue
		}
		has = true
		defined := len(st.Patterns) > 1 || strings.Contains(st.Field, "(") // a resource set, a usage definition
		if st.Usage != policy.Crawl || len(st.Qualifiers) > 0 || len(st.Purposes) > 0 || defined {
			return true, true
		}
	}
	return has, false
}

// maxCompared is the limit on the agents of one site for whom ACAP and the conventional rules are compared.
const maxCompared = 256

// A comparison reports whether ACAP alone and the conventional rules alone decide crawl alike.
type comparison struct{ same, exact bool }

// comparisons of the robots.txt in force; nil before they are needed.
type comparisons struct{ forAll, forAny *comparison }

// sameForAll compares for "*" and every agent that either side names. Agents of one class are compared once.
func (s *site) sameForAll(f *policyfiles.File) comparison {
	if s.compared.forAll == nil {
		c := s.compareAll(f)
		s.compared.forAll = &c
	}
	return *s.compared.forAll
}

func (s *site) compareAll(f *policyfiles.File) comparison {
	agents := audience.NewClasses(f.File).First(audience.Distinct(f.Agents()))
	all := comparison{same: true, exact: len(agents) <= maxCompared}
	agents = agents[:min(len(agents), maxCompared)]
	budget := s.budgetFor(forComparison)
	defer func() { s.work.spent(budget) }()
	for i, agent := range agents {
		if i > 0 && budget.Over() {
			all.exact = false
			break
		}
		c := s.sameFor(agent, budget)
		if agent == policy.AnyAgent && (c.exact || len(agents) == 1) {
			s.compared.forAny = &c // a comparison for "*" alone has the same result
		}
		if !c.same {
			return comparison{same: false, exact: true}
		}
		all.exact = all.exact && c.exact
	}
	return all
}

func (s *site) sameForStar() comparison {
	if s.compared.forAny == nil {
		budget := s.budgetFor(forComparison)
		c := s.sameFor(policy.AnyAgent, budget)
		s.work.spent(budget)
		s.compared.forAny = &c
	}
	return *s.compared.forAny
}

func (s *site) sameFor(agent policy.Agent, budget *cost.Budget) (c comparison) {
	view := s.robots.PolicyOf(s.robots.Main).For(agent, "").Within(budget)
	c.same, c.exact = conflict.SameCrawl(view, extent.NewPathClasses(view, s.opts.Budget))
	return c
}

// adoptionRow makes the site's row.
func (s *site) adoptionRow(class terms.AdoptionClass, exact bool, other *site, out *output) {
	row := table.Adoption{
		Site: s.name, Class: table.WordOf(class), ClassExact: exact, Features: s.acapFeatures(),
		Outcome: table.WordOf(s.robots.Outcome()), RobotsCaptures: s.robots.Captures(),
		Pages: s.counters.counts[facts.CountPages], PagesHTML: s.counters.counts[facts.CountHTML],
		PagesXML:      s.counters.counts[facts.CountXML],
		PagesPartial:  s.counters.counts[facts.CountPagesPartial],
		PagesACAPMeta: s.pages.metas, PagesACAPBody: s.pages.inBody, PagesACAPClass: s.pages.tokens,
		PagesPI:               s.counters.counts[facts.CountPI],
		PagesXRobotsTag:       s.counters.counts[facts.CountXRobotsTag],
		PagesConventional:     s.counters.counts[facts.CountConventional],
		PagesConventionalBody: s.counters.counts[facts.CountConventionalBody],
		StatusClasses:         capturesOf(s.counters.counts),
		PagesVocabularies:     table.CountsOf(s.pages.vocabularies),
		Conflicts:             table.CountsOf(s.found.conflicts), ConflictsApproximate: s.found.approximate,
		ConflictsComplete:   !s.found.lacksConflicts && !s.truncated(),
		PermissionsComplete: !s.found.lacksPermissions && !s.truncated(), ExtentsUnknown: s.found.unknownExtents,
	}
	row.Host = s.hostColumns()
	row.ConventionalByText = countsWith(s.counters.counts, facts.CountMetaPrefix)
	row.DistinctBodies = s.robots.DistinctBodies()
	versions, agents := slices.Collect(maps.Keys(s.pages.versions)), slices.Collect(maps.Keys(s.pages.named))
	if f := s.robots.File(); f != nil {
		row.ACAPFingerprint = table.Observed(f.Summary().Fingerprint)
		row.REPGroups = table.Of(int64(f.Groups))
		row.REPRules = table.Of(f.Summary().Conventional)
		row.RobotsVocabularies = f.Summary().Vocabularies
		if f.Version.Stated() {
			versions = append(versions, text(f.Version.Text))
		}
		agents = slices.Grow(agents, len(f.NamedRecords)+len(f.ReferredAgents)+len(f.NamedGroups))
		for _, list := range [...][]policy.Agent{f.NamedRecords, f.ReferredAgents, f.NamedGroups} {
			for _, a := range list {
				if a != policy.AnyAgent && a != "" {
					agents = append(agents, text(string(a.Key())))
				}
			}
		}
		s.compareVocabularies(f, &row)
	}
	if statements := s.reservations().Main().Statements; len(statements) > 0 {
		counts := table.Counts{}
		maps.Copy(counts, row.RobotsVocabularies) // which belong to the file
		for _, st := range statements {
			if st.Status.Decides() || st.Status == policy.Recorded {
				counts[st.Vocabulary.String()]++
			}
		}
		row.RobotsVocabularies = counts
	}
	row.ACAPVersions, row.AgentsNamed = sorted(versions), sorted(agents)
	if other != nil {
		row.OtherSite, row.OtherOutcome = table.Of(other.name), table.Of(table.WordOf(other.robots.Outcome()))
	}
	add(out, out.rows.Adoption, Partition{Crawl: s.crawl}, row)
}

// compareVocabularies fills the columns that compare ACAP with the conventional rules, if the file has both.
func (s *site) compareVocabularies(f *policyfiles.File, row *table.Adoption) {
	if f.Records == 0 || f.Groups == 0 {
		return
	}
	if c := s.sameForAll(f); c.exact {
		row.REPSameForAll = table.Of(c.same)
	}
	if c := s.sameForStar(); c.exact {
		row.REPSameForStar = table.Of(c.same)
	}
}

// namedText returns the name of an agent for a list of names; nothing for "*".
func namedText(a policy.Agent) []string {
	if a == policy.AnyAgent || a == "" {
		return nil
	}
	return []string{text(string(a.Key()))}
}
