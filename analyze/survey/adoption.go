package survey

import (
	"maps"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/conflict"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// acapFeatures are the features of ACAP that the site makes use of, sorted.
func (s *site) acapFeatures() []string {
	list := slices.Collect(maps.Keys(s.inPages.features))
	if f := s.file(); f != nil {
		for _, feature := range f.Features {
			list = append(list, string(feature))
		}
	}
	return sorted(list)
}

// adoptionClass tells what the site does with ACAP: the highest class that applies (docs/semantics.md, section 9). exact is false where
// ACAP and the conventional rules could not be compared within the budget: they count as different then.
func (s *site) adoptionClass() (class terms.AdoptionClass, exact bool) {
	// The counters of the first stage do not tell: a META that begins with the word ACAP may be prose.
	if s.inPages.acap {
		return terms.AdoptionBeyondREP, true
	}
	f := s.file()
	if f == nil || !f.Marker.Found() && f.ACAPFields == 0 {
		return terms.AdoptionNone, true
	}
	if f.ACAPFields == 0 {
		return terms.AdoptionMarkerOnly, true
	}
	for _, definition := range []policy.Feature{policy.FeatureResourceSet, policy.FeatureQualifiedUsage, policy.FeatureCompositeUsage} {
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

// rulesBeyondREP tells whether there are ACAP rules among statements, and whether one of them says what no
// conventional rule can: it is about another usage than crawl, has a qualifier or a purpose, or uses a definition.
func rulesBeyondREP(statements []policy.Statement) (has, beyond bool) {
	for i := range statements {
		st := &statements[i]
		if st.Vocabulary != policy.ACAP || !st.Status.Decides() || st.Sense == policy.NoSense {
			continue
		}
		has = true
		defined := len(st.Patterns) > 1 || strings.Contains(st.Field, "(") // a resource set, a local usage
		if st.Usage != policy.Crawl || len(st.Qualifiers) > 0 || len(st.Purposes) > 0 || defined {
			return true, true
		}
	}
	return has, false
}

// maxCompared bounds the agents of one site for whom ACAP and the conventional rules are compared.
const maxCompared = 256

// A comparison is what came of comparing the two vocabularies of the file that speaks for the site.
type comparison struct{ same, exact bool }

// sameForAll tells whether ACAP alone and the conventional rules alone decide crawl alike, for any and every agent that either
// side names. Agents that the file cannot tell apart are compared once.
func (s *site) sameForAll(f *robotsFile) comparison {
	if s.comparedForAll == nil {
		c := s.compareAll(f)
		s.comparedForAll = &c
	}
	return *s.comparedForAll
}

func (s *site) compareAll(f *robotsFile) comparison {
	agents := newLikeness(f.File).distinct(distinctAgents(slices.Concat(f.NamedRecords, f.agents, f.NamedGroups)))
	all := comparison{same: true, exact: len(agents) <= maxCompared}
	agents = agents[:min(len(agents), maxCompared)]
	budget := s.allowed(ofComparison)
	defer func() { s.spent(budget) }()
	for i, agent := range agents {
		if i > 0 && budget.Over() {
			all.exact = false
			break
		}
		c := s.sameFor(agent, budget)
		if agent == policy.AnyAgent && (c.exact || len(agents) == 1) {
			s.comparedForStar = &c // it would come to the same alone
		}
		if !c.same {
			return comparison{same: false, exact: true}
		}
		all.exact = all.exact && c.exact
	}
	return all
}

func (s *site) sameForStar() comparison {
	if s.comparedForStar == nil {
		budget := s.allowed(ofComparison)
		c := s.sameFor(policy.AnyAgent, budget)
		s.spent(budget)
		s.comparedForStar = &c
	}
	return *s.comparedForStar
}

func (s *site) sameFor(agent policy.Agent, budget *cost.Budget) (c comparison) {
	view := s.policyOf(s.main).For(agent, "").Within(budget)
	c.same, c.exact = conflict.SameCrawl(view, extent.NewPathClasses(view, s.states()))
	return c
}

// adoptionRow makes the site's row.
func (s *site) adoptionRow(class terms.AdoptionClass, exact bool, other *site, rows *Rows) {
	row := table.Adoption{
		Site: s.name, Class: table.WordOf(class), ClassExact: exact, Features: s.acapFeatures(), Outcome: table.WordOf(s.outcome()), RobotsCaptures: int64(len(s.answers)) + s.setAside,
		Pages: s.counts[facts.CountPages], PagesHTML: s.counts[facts.CountHTML], PagesXML: s.counts[facts.CountXML],
		PagesPartial:  s.counts[facts.CountPagesPartial],
		PagesACAPMeta: s.inPages.metas, PagesACAPBody: s.inPages.inBody, PagesACAPClass: s.inPages.tokens, PagesPI: s.counts[facts.CountPI],
		PagesXRobotsTag: s.counts[facts.CountXRobotsTag], PagesConventional: s.counts[facts.CountConventional],
		PagesConventionalBody: s.counts[facts.CountConventionalBody],
		StatusClasses:         capturesOf(func(name string) int64 { return s.counts[name] }),
		Conflicts:             table.CountsOf(s.conflicts), ConflictsApproximate: s.approximate, ConflictsComplete: !s.mayLackConflicts && !s.leftOut,
		PermissionsComplete: !s.mayLackPermissions && !s.leftOut, ExtentsUnknown: s.unknownExtents,
	}
	table.FillHost(&row.Host, s.name)
	contents := make(map[string]int64)
	for name, n := range s.counts {
		if content, ok := strings.CutPrefix(name, facts.CountMetaPrefix); ok {
			contents[text(content)] += n
		}
	}
	row.ConventionalByText = table.CountsOf(contents)
	bodies := make(map[string]bool)
	for _, a := range s.answers {
		if a.body != nil {
			bodies[a.digest] = true
		}
	}
	row.DistinctBodies = int64(len(bodies))
	versions, agents := slices.Collect(maps.Keys(s.inPages.versions)), slices.Collect(maps.Keys(s.inPages.named))
	if f := s.file(); f != nil {
		row.ACAPFingerprint = table.Observed(f.summary().fingerprint)
		row.REPGroups = table.Of(int64(f.Groups))
		row.REPRules = table.Of(f.summary().conventional)
		if f.Version.Stated() {
			versions = append(versions, text(f.Version.Text))
		}
		for _, a := range slices.Concat(f.NamedRecords, f.agents, f.NamedGroups) {
			agents = append(agents, namedText(a)...)
		}
		s.compareVocabularies(f, &row)
	}
	row.ACAPVersions, row.AgentsNamed = sorted(versions), sorted(agents)
	if other != nil {
		row.OtherSite, row.OtherOutcome = table.Of(other.name), table.Of(table.WordOf(other.outcome()))
	}
	at := Partition{Crawl: s.crawl}
	rows.Adoption[at] = append(rows.Adoption[at], row)
}

// speaksBy is 1 where a page says anything in ACAP by a carrier, where it counts; else 0.
func (s *site) speaksBy(p *policy.Page, source policy.Source) int64 {
	speaks := func(st policy.Statement) bool {
		return st.Vocabulary == policy.ACAP && st.Source == source && !s.passedOver(&st)
	}
	if slices.ContainsFunc(p.Statements, speaks) {
		return 1
	}
	return 0
}

// compareVocabularies fills the comparison of ACAP alone with the conventional rules alone, where the file has both.
func (s *site) compareVocabularies(f *robotsFile, row *table.Adoption) {
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

// conventionalRules counts the Allow and Disallow lines that decide.
func conventionalRules(f *policy.File) int64 {
	var n int64
	for i := range f.Statements {
		if st := &f.Statements[i]; st.Vocabulary == policy.REP && st.Usage == policy.Crawl && st.Status.Decides() {
			n++
		}
	}
	return n
}

// namedText is a crawler's name for a list of those that are named; none for any.
func namedText(a policy.Agent) []string {
	if a == policy.AnyAgent || a == "" {
		return nil
	}
	return []string{text(string(a.Key()))}
}
