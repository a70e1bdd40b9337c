package numbers

import (
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// Bounds of lists in Numbers.
const (
	MaxErrors       = 10
	maxErrorBytes   = 300
	maxFingerprints = 1 << 18
	examplesPerKind = 3
	maxCrawls       = 256
	maxCrawlers     = 1 << 16
)

// Numbers are what a report shows. A "site" is a row of table adoption: a site that several crawls saw counts once in
// each.
type Numbers struct {
	Manifest *manifest.Manifest
	Crawl    string // the only one, as the options chose; empty: all

	// First and Last are the times of the earliest and the latest capture of a robots.txt or of a page that keeps a
	// row; zero where there is none.
	First, Last time.Time

	Inputs      InputFigures
	Robots      RobotsFigures
	Pages       PageFigures
	Statements  StatementFigures
	Sites       SiteFigures
	Agents      AgentFigures
	Changes     ChangeFigures
	Permissions [2]PermissionFigures // by scope: site, page
	Conflicts   ConflictFigures
	Defects     *Grid // codes; columns DefectRobots and on
}

// Columns of Numbers.Defects: how many of these have a code. Of archives the occurrences are counted.
const (
	DefectRobots = iota
	DefectPage
	DefectStatement
	DefectArchive
	defectColumns
)

// A Count is a number of things of one name.
type Count struct {
	Name string
	N    int64
}

// InputFigures are about table inputs.
type InputFigures struct {
	Inputs, Incomplete, WithError int64
	Bytes                         int64 // read, as compressed there; of inputs that say so
	Records                       int64
	ByType                        []Count // records by type, in the order of the table's columns
	Status                        table.StatusClasses
	HTML, XML, Robots             int64
	PolicyFiles, PagesKept        int64
	Truncated                     int64
	Skipped                       *Grid // reasons; one column
	Places                        *Grid // crawl and subset, PlaceSeparator between; columns PlaceInputs and on
	Errors                        []InputError
}

// Columns of InputFigures.Places.
const (
	PlaceInputs   = iota
	PlaceProblems // inputs with an error
	PlaceRecords
	PlaceCaptures
	PlaceRobots
	PlaceKept
	placeColumns
)

// PlaceSeparator stands in no name of a crawl that a file system would take.
const PlaceSeparator = "\x00"

// An InputError is an input that could not be read, or not whole: the first ones of the table.
type InputError struct {
	Name, Error string
	Complete    bool
}

// RobotsFigures are about table robots.
type RobotsFigures struct {
	Captures, Selected int64
	Outcomes           *Grid // by outcome; one column
	OtherFields        *Grid // names of fields; how many selected robots.txt files have one
}

// PageFigures are about table pages: captures that keep a row.
type PageFigures struct {
	Kept                      int64
	Instead, InsteadWithMetas int64 // of Kept: in place of a robots.txt (R-LEX-7); of these, with an ACAP META
}

// StatementFigures are about table directives.
type StatementFigures struct {
	Total      int64
	BySource   *Grid // "vocabulary source"; columns by status, in the order of the enumeration
	ByUsage    *Grid // ACAP statements that decide, by usage; columns SenseAllow, SenseDisallow
	Qualifiers *Grid // names, of ACAP statements that decide; one column
}

// Columns of StatementFigures.ByUsage.
const (
	SenseAllow = iota
	SenseDisallow
)

// SiteFigures are about table adoption.
type SiteFigures struct {
	Sites, RobotsRead, Adopters, OtherScheme int64
	Classes                                  *Grid // by class; columns ClassSeen, ClassRead
	Crawls                                   *Grid // by crawl; a column each class, then crawlRead
	Versions                                 *Grid // by version as written; one column
	NoVersion                                int64 // adopters that state none
	Features                                 *Grid
	Domains                                  *Grid // top-level domains; columns DomainAdopters, DomainSites
	Outcomes                                 *Grid // of asking for robots.txt; one column
	// outcomes that give no robots.txt to read, of sites with decisions; one column
	Unread        *Grid
	Fingerprints  *Grid // of ACAP in robots.txt; one column
	Fingerprinted int64 // sites that have one
	// Vocabularies are sites by vocabulary: those that say something in robots.txt, then those that do in pages alone.
	Vocabularies *Grid
	// Sites whose robots.txt was read, by what it has.
	Voices         [voiceColumns]int64
	Pages          PageSums
	SitesWithPages int64
	AnyConflict    int64
	Limits         SiteLimits
}

// SiteLimits count what patterns, crawlers or purposes were too many for: sites, but for ExtentsUnknown.
type SiteLimits struct {
	ClassInexact          int64 // they count as crawl-differs, and may mirror
	ConflictsIncomplete   int64 // they may have conflicts without a row
	ConflictsApproximate  int64 // they have a conflict that is approximate
	PermissionsIncomplete int64 // not all that they name have rows
	WithExtentUnknown     int64
	ExtentsUnknown        int64 // rows in permissions
}

func (l *SiteLimits) add(r *siteRow) {
	for _, limit := range []struct {
		met  bool
		have *int64
	}{
		{!r.ClassExact, &l.ClassInexact}, {!r.ConflictsWhole, &l.ConflictsIncomplete},
		{r.ConflictsApprox > 0, &l.ConflictsApproximate},
		{!r.PermissionsWhole, &l.PermissionsIncomplete}, {r.ExtentsUnknown > 0, &l.WithExtentUnknown},
	} {
		if limit.met {
			*limit.have++
		}
	}
	l.ExtentsUnknown += r.ExtentsUnknown
}

// Columns of SiteFigures.Classes.
const (
	ClassSeen = iota // all sites
	ClassRead        // those whose robots.txt was read
	classColumns
)

// Columns of SiteFigures.Domains.
const (
	DomainAdopters = iota
	DomainSites
	domainColumns
)

// PageSums are sums over sites of their page captures, kept or not.
type PageSums struct {
	Pages, HTML, XML, Partial, ACAPMeta, ACAPClass, PI, XRobotsTag, Conventional int64
}

// Columns of SiteFigures.Voices. VoiceSame and VoiceDiffer are of the sites that have both.
const (
	VoiceREP = iota // conventional rules, and no ACAP statement
	VoiceBoth
	VoiceACAP // ACAP statements, and no conventional rule
	VoiceNeither
	VoiceSame
	VoiceDiffer
	VoiceNotCompared
	voiceColumns
)

// PermissionFigures are about table permissions: rows of one scope, for any crawler (*) and no purpose.
type PermissionFigures struct {
	Usages  *Grid // by usage; columns in the order of Decisions, and DecisionNotCrawled
	Extents *Grid // by usage; columns in the order of the enumeration
	Basis   *Grid // by basis; columns as Usages
	// Subjects are the sites or page captures that have such rows about usages of ACAP.
	Subjects int64
	// Preferring are the sites that have such rows about usages of AI preferences. Only of scope site.
	Preferring int64
	// Crawlers are sites by crawler: column 0 those with rows for it, then for each usage those where it is allowed on
	// no path, then for each usage those of them where it is so for * too. A site without rows for a crawler treats it
	// as *. Only of scope site.
	Crawlers *Grid
	// Elements are the rows about pages whose decision is another for a crawler that cannot act on elements (R-DEC-14).
	Elements int64

	site place
	rows []permissionRow // of that site
}

// DecisionNotCrawled is the column of PermissionFigures.Usages and Basis behind those of Decisions: disallowed for no
// other reason than that crawling is (R-DEC-11).
var DecisionNotCrawled = len(Decisions)

// ConflictFigures are about table conflicts.
type ConflictFigures struct {
	Total, Approximate int64
	Kinds              *Grid // by kind; columns in the order of table.Severity
	Rules              *Grid // "kind rule"; one column
	Winners            *Grid // by kind; columns in the order of table.Winner
	// Sites counts sites by kind: those with a contradiction of the kind, then those with overrides alone.
	Sites *Grid
	// Contradicting and Overriding are sites with a contradiction of any kind but reading, and with overrides alone.
	Contradicting, Overriding int64
	Examples                  map[table.ConflictKind][]Example

	site  place
	kinds map[table.ConflictKind]bool // of that site: whether one is a contradiction
}

// An Example is one conflict, its texts as the archives have them.
type Example struct {
	Crawl string
	Row   conflictRow
}

func newNumbers(m *manifest.Manifest, opts Options) *Numbers {
	f := &Numbers{
		Manifest: m, Crawl: opts.Crawl, Defects: newGrid(defectColumns),
		Inputs: InputFigures{Skipped: newGrid(1), Places: newGridOf(placeColumns, maxCrawls)},
		Robots: RobotsFigures{Outcomes: newGrid(1), OtherFields: newGrid(1)},
		Statements: StatementFigures{
			BySource: newGrid(len(Statuses)), ByUsage: newGrid(2), Qualifiers: newGrid(1),
		},
		Sites: SiteFigures{
			Classes: newGrid(classColumns), Crawls: newGridOf(len(Classes)+1, maxCrawls), Versions: newGrid(1),
			Features: newGrid(1),
			Domains:  newGrid(domainColumns), Outcomes: newGrid(1), Unread: newGrid(1),
			Fingerprints: newGridOf(1, maxFingerprints), Vocabularies: newGrid(2),
		},
		Agents: AgentFigures{
			crawls: newGridOf(crawlColumns, maxCrawlers), Crawlers: newGridOf(agentColumns, maxCrawlers),
			Domains: newGrid(2)},
		Changes: newChanges(nil),
		Conflicts: ConflictFigures{
			Kinds: newGrid(len(Severities)), Rules: newGrid(1), Winners: newGrid(len(Winners)),
			Examples: map[table.ConflictKind][]Example{}, Sites: newGrid(2), kinds: map[table.ConflictKind]bool{},
		},
	}
	for i := range f.Permissions {
		f.Permissions[i] = PermissionFigures{Usages: newGrid(len(Decisions) + 1), Extents: newGrid(len(Extents)),
			Basis: newGrid(len(Decisions) + 1), Crawlers: newGrid(1 + 2*len(Usages))}
	}
	return f
}

// The enumerations whose values are columns of grids.
var (
	Classes    = terms.Names[terms.AdoptionClass]()
	Statuses   = terms.Names[terms.Status]()
	Severities = terms.Names[terms.Severity]()
	Winners    = terms.Names[terms.Winner]()
	Extents    = terms.Names[terms.Extent]()
	Usages     = terms.Names[terms.Usage]()
	Decisions  = terms.Names[terms.Decision]()
)

// addIn counts in the column of a value of an enumeration. A value that this version does not know is not counted: the
// schema version says that there is none.
func addIn(g *Grid, name string, values []string, value string) {
	if column := slices.Index(values, value); column >= 0 {
		g.Add(name, column, 1)
	}
}

func (f *Numbers) sawTime(t *time.Time) {
	if t == nil {
		return
	}
	if f.First.IsZero() || t.Before(f.First) {
		f.First = *t
	}
	if t.After(f.Last) {
		f.Last = *t
	}
}

func (f *Numbers) addInput(p partition, r *table.Input) {
	in := &f.Inputs
	in.Inputs++
	if !r.Complete {
		in.Incomplete++
	}
	place := p.crawl + PlaceSeparator + p.subset
	in.Places.Add(place, PlaceInputs, 1)
	in.Places.Add(place, PlaceRecords, r.Records)
	in.Places.Add(place, PlaceCaptures, r.Captures)
	in.Places.Add(place, PlaceRobots, r.Robots)
	in.Places.Add(place, PlaceKept, r.PagesKept)
	if r.Error != nil {
		in.WithError++
		in.Places.Add(place, PlaceProblems, 1)
		if len(in.Errors) < MaxErrors {
			in.Errors = append(in.Errors, InputError{
				Name: Clip(r.WARCFilename, maxErrorBytes), Error: Clip(*r.Error, maxErrorBytes), Complete: r.Complete,
			})
		}
	}
	if r.Bytes != nil {
		in.Bytes += *r.Bytes
	}
	in.Records += r.Records
	types := []Count{
		{"response", r.RecordsResponse}, {"request", r.RecordsRequest}, {"metadata", r.RecordsMetadata},
		{"warcinfo", r.RecordsWarcinfo}, {"revisit", r.RecordsRevisit}, {"resource", r.RecordsResource},
		{"conversion", r.RecordsConversion}, {"other", r.RecordsOther},
	}
	if in.ByType == nil {
		in.ByType = types
	} else {
		for i := range types {
			in.ByType[i].N += types[i].N
		}
	}
	in.Status.Captures += r.Captures
	in.Status.Captures2xx += r.Captures2xx
	in.Status.Captures3xx += r.Captures3xx
	in.Status.Captures4xx += r.Captures4xx
	in.Status.Captures5xx += r.Captures5xx
	in.Status.CapturesOther += r.CapturesOther
	in.Status.CapturesNone += r.CapturesNone
	in.HTML += r.HTML
	in.XML += r.XML
	in.Robots += r.Robots
	in.PolicyFiles += r.PolicyFiles
	in.PagesKept += r.PagesKept
	in.Truncated += r.Truncated
	for reason, n := range r.Skipped.All() {
		in.Skipped.Add(reason, 0, n)
	}
	for code, n := range r.Defects.All() {
		f.Defects.Add(code, DefectArchive, n)
	}
}

func (f *Numbers) addRobots(_ partition, r *robotsRow) {
	f.sawTime(r.FetchTime)
	f.Robots.Captures++
	f.Robots.Outcomes.Add(string(r.Outcome), 0, 1)
	if r.Selected {
		f.Robots.Selected++
		for field := range r.OtherFields.All() {
			f.Robots.OtherFields.Add(field, 0, 1)
		}
	}
	for _, code := range r.Defects {
		f.Defects.Add(code, DefectRobots, 1)
	}
}

func (f *Numbers) addPage(_ partition, r *pageRow) {
	f.sawTime(r.FetchTime)
	f.Pages.Kept++
	if r.insteadOfRobots() {
		f.Pages.Instead++
		if r.ACAPMeta > 0 {
			f.Pages.InsteadWithMetas++
		}
	}
	for _, code := range r.Defects {
		f.Defects.Add(code, DefectPage, 1)
	}
}

func (f *Numbers) addDirective(_ partition, r *directiveRow) {
	s := &f.Statements
	s.Total++
	addIn(s.BySource, string(r.Vocabulary)+" "+string(r.Source), Statuses, string(r.Status))
	for _, code := range r.Defects {
		f.Defects.Add(code, DefectStatement, 1)
	}
	decides := r.Status.Is(terms.StatusValid) || r.Status.Is(terms.StatusRepaired)
	if !r.Vocabulary.Is(terms.VocabularyACAP) || !decides {
		return
	}
	if r.Usage != nil && r.Sense != nil {
		column := SenseAllow
		if r.Sense.Is(terms.SenseDisallow) {
			column = SenseDisallow
		}
		s.ByUsage.Add(string(*r.Usage), column, 1)
	}
	for i, q := range r.Qualifiers {
		repeated := slices.ContainsFunc(r.Qualifiers[:i],
			func(before table.Qualifier) bool { return before.Name == q.Name })
		if !repeated {
			s.Qualifiers.Add(q.Name, 0, 1)
		}
	}
}

func (f *Numbers) addSite(p partition, r *siteRow) {
	s := &f.Sites
	s.Sites++
	s.Limits.add(r)
	f.Changes.addSite(p, r)
	s.addVocabularies(r)
	s.Outcomes.Add(string(r.Outcome), 0, 1)
	s.Classes.Add(string(r.Class), ClassSeen, 1)
	if slices.Contains(unread, r.Outcome) && (!r.Class.Is(terms.AdoptionNone) || f.decidesAllSites()) {
		s.Unread.Add(string(r.Outcome), 0, 1)
	}
	addIn(s.Crawls, p.crawl, Classes, string(r.Class))
	if read := r.Outcome.Is(terms.OutcomeRules) || r.Outcome.Is(terms.OutcomeNoRules); read {
		s.RobotsRead++
		s.Classes.Add(string(r.Class), ClassRead, 1)
		s.Crawls.Add(p.crawl, len(Classes), 1)
		s.addVoices(r)
	}
	tld := ""
	if r.HostTLD != nil {
		tld = *r.HostTLD
	}
	s.Domains.Add(tld, DomainSites, 1)
	if !r.Class.Is(terms.AdoptionNone) {
		s.Adopters++
		s.Domains.Add(tld, DomainAdopters, 1)
		for _, version := range r.ACAPVersions {
			s.Versions.Add(version, 0, 1)
		}
		if len(r.ACAPVersions) == 0 {
			s.NoVersion++
		}
	}
	for _, feature := range r.Features {
		s.Features.Add(feature, 0, 1)
	}
	if r.ACAPFingerprint != nil {
		s.Fingerprinted++
		s.Fingerprints.Add(*r.ACAPFingerprint, 0, 1)
	}
	if r.OtherSite != nil {
		s.OtherScheme++
	}
	if r.Pages > 0 {
		s.SitesWithPages++
	}
	s.Pages.Pages += r.Pages
	s.Pages.HTML += r.PagesHTML
	s.Pages.XML += r.PagesXML
	s.Pages.Partial += r.PagesPartial
	s.Pages.ACAPMeta += r.PagesACAPMeta
	s.Pages.ACAPClass += r.PagesACAPClass
	s.Pages.PI += r.PagesPI
	s.Pages.XRobotsTag += r.PagesXRobotsTag
	s.Pages.Conventional += r.PagesConvention
	if len(r.ConflictsPerKind) > 0 {
		s.AnyConflict++
	}
}

// Columns of SiteFigures.Vocabularies.
const (
	VocabularyRobots = iota
	VocabularyPages
)

// addVocabularies counts a site once for each vocabulary.
func (s *SiteFigures) addVocabularies(r *siteRow) {
	for vocabulary, c := range r.vocabularies() {
		s.Vocabularies.Add(vocabulary, c, 1)
	}
}

// vocabularies are those of a site, each with its column of SiteFigures.Vocabularies. ACAP is every class but none, and
// REP in robots.txt is a rule that can decide, so that no figure has another number of them.
func (r *siteRow) vocabularies() map[string]int {
	column := map[string]int{}
	for name := range r.PagesVocabularies.All() {
		vocabulary, _, _ := strings.Cut(name, " ")
		column[vocabulary] = VocabularyPages
	}
	for name := range r.RobotsVocabularies.All() {
		if name != terms.VocabularyREP.String() {
			column[name] = VocabularyRobots
		}
	}
	if r.REPRules != nil && *r.REPRules > 0 {
		column[terms.VocabularyREP.String()] = VocabularyRobots
	}
	acap := terms.VocabularyACAP.String()
	if _, states := column[acap]; r.Class.Is(terms.AdoptionNone) {
		delete(column, acap)
	} else if !states { // a version alone
		column[acap] = VocabularyRobots
	}
	return column
}

// addVoices counts a site whose robots.txt was read.
func (s *SiteFigures) addVoices(r *siteRow) {
	rep, acap := r.REPRules != nil && *r.REPRules > 0, r.ACAPFingerprint != nil
	switch {
	case r.REPSameForAll != nil && *r.REPSameForAll:
		s.Voices[VoiceBoth]++
		s.Voices[VoiceSame]++
	case r.REPSameForAll != nil:
		s.Voices[VoiceBoth]++
		s.Voices[VoiceDiffer]++
	case rep && acap:
		s.Voices[VoiceBoth]++
		s.Voices[VoiceNotCompared]++
	case rep:
		s.Voices[VoiceREP]++
	case acap:
		s.Voices[VoiceACAP]++
	default:
		s.Voices[VoiceNeither]++
	}
}

// unread are the outcomes of sites whose decisions have the basis robots-not-captured where nothing else is said.
var unread = []table.RobotsOutcome{
	table.WordOf(terms.OutcomeNotCaptured), table.WordOf(terms.OutcomeRedirectUnresolved),
}

// decidesAllSites tells whether the run decided sites without ACAP, too.
func (f *Numbers) decidesAllSites() bool {
	choice := f.Manifest.Options["permissions"]
	return choice == "all" || choice == "all-sites"
}

func (f *Numbers) addPermission(p partition, r *permissionRow) {
	if r.Purpose != nil {
		return
	}
	if r.Scope.Is(terms.ScopeSite) {
		f.Permissions[0].addCrawler(place{p.crawl, r.Site}, r)
	}
	if r.Agent != AnyCrawler {
		return
	}
	g := &f.Permissions[0]
	if r.Scope.Is(terms.ScopePage) {
		g = &f.Permissions[1]
	}
	column := slices.Index(Decisions, string(r.Decision))
	switch {
	case r.Basis.Is(terms.BasisCrawlProhibited):
		column = DecisionNotCrawled
	case column < 0: // the schema version says that there is none
		return
	}
	if r.Usage.Is(terms.UsageCrawl) { // every subject has a row for each usage
		g.Subjects++
	}
	g.Usages.Add(string(r.Usage), column, 1)
	g.Basis.Add(string(r.Basis), column, 1)
	if r.Extent != nil {
		addIn(g.Extents, string(r.Usage), Extents, string(*r.Extent))
	}
	if r.WithoutElements != nil && *r.WithoutElements != r.Decision {
		g.Elements++
	}
}

func (f *Numbers) addConflict(p partition, r *conflictRow) {
	c := &f.Conflicts
	c.Total++
	if r.Approximate {
		c.Approximate++
	}
	addIn(c.Kinds, string(r.Kind), Severities, string(r.Severity))
	addIn(c.Winners, string(r.Kind), Winners, string(r.Winner))
	c.Rules.Add(string(r.Kind)+" "+r.Rule, 0, 1)
	if at := (place{p.crawl, r.Site}); at != c.site {
		c.endSite()
		c.site = at
	}
	if _, met := c.kinds[r.Kind]; met || len(c.kinds) < maxNames {
		c.kinds[r.Kind] = c.kinds[r.Kind] || r.Severity.Is(terms.SeverityContradiction)
	}
	have, known := c.Examples[r.Kind]
	if !known && len(c.Examples) >= maxNames {
		return
	}
	// One of a site, so that the examples show more than one publisher.
	example := Example{Crawl: p.crawl, Row: *r}
	i := slices.IndexFunc(have, func(e Example) bool { return e.Row.Site == r.Site })
	switch {
	case i < 0 && len(have) < examplesPerKind:
		c.Examples[r.Kind] = append(have, example)
		return
	case i < 0:
		i = slices.IndexFunc(have, func(e Example) bool { return !e.quotesBoth() })
	}
	if i >= 0 && example.quotesBoth() && !have[i].quotesBoth() {
		c.Examples[r.Kind] = append(slices.Delete(have, i, i+1), example)
	}
}

// quotesBoth reports whether both sides have a text, and none is silent.
func (e *Example) quotesBoth() bool { return e.Row.FirstRaw != nil && e.Row.SecondRaw != nil }

// A place is a site in a crawl. All rows of a place stand together.
type place struct{ crawl, site string }

// endSite counts the site of the rows before. An empty one has no rows.
func (c *ConflictFigures) endSite() {
	contradicts, overrides := false, false
	for kind, contradiction := range c.kinds {
		if contradiction {
			c.Sites.Add(string(kind), 0, 1)
		} else {
			c.Sites.Add(string(kind), 1, 1)
		}
		if !kind.Is(terms.ConflictReading) {
			contradicts, overrides = contradicts || contradiction, true
		}
	}
	switch {
	case contradicts:
		c.Contradicting++
	case overrides:
		c.Overriding++
	}
	clear(c.kinds)
}
