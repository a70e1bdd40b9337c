// Package conflict finds where a site or a page has contradicting policies for one usage, agent and resource: two
// statements, two carriers, or two interpretations of one policy (docs/semantics.md, section 8).
//
// It compares what package decide decides for each side alone; it decides nothing itself and reads no file. Except for
// acap-rep-drift and reading, both sides need a statement. Sides are compared by their decision: allowed, conditional
// or disallowed. Conditions of two conditional sides count for page-robots only, and R-DEC-11 does not count: a
// conflict about crawl is reported once, for crawl.
//
// A row is a pair of statements. If several statements decide on one side, the row has the leading one: the first of
// those with the longest pattern that matches the path. A pair is reported once for each agent: for the usage of both
// statements, else for the first usage that it settles, and for the first of the purposes asked. So a conflict about
// present is not repeated for its ten, nor a general one for all purposes.
package conflict

import (
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Kind tells which two sides differ.
type Kind = terms.ConflictKind

const (
	// ACAPTie: an ACAP permission and an ACAP prohibition of the robots.txt match one path, and neither is narrower.
	// First is the prohibition, which wins by R-DEC-7. One row for each pair of statements that is left. A
	// contradiction: no ACAP specification wants a tie.
	ACAPTie = terms.ConflictACAPTie

	// ACAPREP: ACAP alone and the conventional rules alone decide crawl differently at some path, and both have a rule
	// there; an empty Disallow is one for "/". First is ACAP. R-DEC-2 settles it, or R-REC-6. An override if the
	// conventional side is stricter, which opens a site to crawlers that know ACAP (S2 2.1.3, Ex 1.5), or under
	// R-REC-6, which declares that both differ (Ex 1.6). Else a contradiction: a crawler that does not know ACAP may
	// fetch what ACAP prohibits.
	ACAPREP = terms.ConflictACAPREP

	// ACAPREPDrift: as ACAPREP, but one side is silent there, so it allows (R-DEC-12) and has no statement. Only in
	// files with statements of both about crawl, for whatever agent. One row for each leading statement.
	ACAPREPDrift = terms.ConflictACAPREPDrift

	// PageRobots: the ACAP METAs of the page against ACAP in the robots.txt. First is the page, which wins by R-DEC-1.
	// Two permissions under different conditions differ, too. An override (S0 2.2.8).
	PageRobots = terms.ConflictPageRobots

	// PageTie: two ACAP METAs of one agent and usage with opposite senses. First is the prohibition, which wins by
	// R-DEC-7 (S0 2.2.8). A contradiction.
	PageTie = terms.ConflictPageTie

	// PageACAPREP: the ACAP METAs of the page against META, header field and PI together (R-REP-2, R-REP-4). First is
	// ACAP. R-DEC-2 settles it, or R-DEC-13 for METAs about other: then the stricter side wins. Severity as for
	// ACAPREP.
	PageACAPREP = terms.ConflictPageACAPREP

	// REPPageACAPRobots: conventional statements of the page against ACAP in the robots.txt. First is the page. The
	// stricter side wins by R-DEC-2; neither if the page has an ACAP META about the usage, which sets both aside
	// (R-DEC-1). METAs about other set aside the robots.txt only. A contradiction: no specification settles it.
	REPPageACAPRobots = terms.ConflictREPPageACAPRobots

	// MetaHeader: conventional META against X-Robots-Tag. First is the META. The stricter side wins by R-REP-2; the
	// header by R-REP-4 if a PI counts, in a document parsed as XML. A contradiction: neither is an exception to the
	// other.
	MetaHeader = terms.ConflictMetaHeader

	// PIMeta: the first legal robots PI against a conventional META. First is the PI, which wins in a document parsed
	// as XML; in HTML the META does (R-REP-4). A contradiction: S1 says that they must indicate the same.
	PIMeta = terms.ConflictPIMeta

	// PIHeader: the first legal robots PI against X-Robots-Tag. First is the PI. In a document parsed as XML the
	// stricter side wins by R-REP-2, in HTML the header (R-REP-4). A contradiction: no specification settles it.
	PIHeader = terms.ConflictPIHeader

	// PIPI: a later legal robots PI that differs from the first. First is the first one, which wins by R-PI-1; neither
	// does in a document parsed as HTML, where PIs decide nothing (R-REP-4). A contradiction.
	PIPI = terms.ConflictPIPI

	// MetaMeta: conventional METAs that permit and prohibit one usage, in one META or in several, all naming the agent
	// or all for any crawler. First is the first prohibition, which wins by R-REP-2; neither does if a PI counts
	// (R-REP-4). A contradiction. Present (notranslate) is not compared with one of its ten (nosnippet).
	MetaMeta = terms.ConflictMetaMeta

	// NamedAny: an ACAP statement that names the agent against one for any agent, both in the robots.txt or both METAs
	// of the page: opposite senses, equal patterns, both for a purpose or both general, one usage or present and one of
	// its ten. First names the agent and wins by R-DEC-4. An override (S3 4.1, S0 2.2.1). Conventional groups have no
	// such conflict: a group that names the agent replaces the general one (RFC 2.2.1).
	NamedAny = terms.ConflictNamedAny

	// PurposeGeneral: as NamedAny, but an ACAP statement for a purpose against one for any purpose, whether or not
	// either names the agent. First is for the purpose and wins by R-DEC-3. An override (S2 2.2).
	PurposeGeneral = terms.ConflictPurposeGeneral

	// PurposeTie: as ACAPTie or PageTie, but the two statements have no purpose in common, and one purpose fits both.
	// The conflict's purpose is such a string: one of those asked, or a shortest one, such as news-uk for news-* and
	// *-uk. First is the prohibition, which wins by R-DEC-7. A contradiction: no specification ranks purposes.
	PurposeTie = terms.ConflictPurposeTie

	// ElementPage: a class token against statements that decide the page. First is the token; one row for all tokens of
	// a page with one decision, with the first of them. The token wins for its element (R-CLASS-1): an override (S0
	// 2.2.5). But it does not permit what the robots.txt prohibits (R-DEC-1): then the robots.txt wins, a
	// contradiction.
	ElementPage = terms.ConflictElementPage

	// ElementTie: one element has class tokens of both senses about one usage. First is the prohibition, which wins by
	// R-CLASS-1 (S0 2.2.8). One row for all such elements of a page. A contradiction.
	ElementTie = terms.ConflictElementTie

	// TwoReadings: two interpretations of one policy decide differently. First is the default one of the two, profile
	// 1.1 or other broad; Second is profile pilot or other narrow. The winner is the interpretation that the site was
	// made with, the rule is the one by which they differ, and a statement is missing where an interpretation finds
	// silence. A contradiction between the specifications. For a page, only if the page has a statement about the
	// usage. Reported for each usage, for the ten of present only if present does not have the same row.
	TwoReadings = terms.ConflictReading
)

const (
	// AIPrefSignal: two vocabularies of AI preferences permit and prohibit one usage, such as Content-Usage and
	// Content-Signal of one robots.txt, or a header field and the robots.txt. First is the prohibition, which wins by
	// R-PREF-2. A contradiction.
	AIPrefSignal = terms.ConflictAIPrefSignal

	// AIREP: a conventional group shuts a well-known AI crawler out by name, and the preference about its usage
	// permits; or the group lets it crawl by name, and the preference prohibits. At the root path. The usage is
	// train-ai for crawlers for training, ai-input for those that search or fetch for a model; the preference is the
	// one stated to the crawler, or else to any. First is the conventional rule; it wins if it prohibits (R-PREF-3),
	// else neither does: both hold. An override: crawling and usage are two stages (ATTACH 3.1).
	AIREP = terms.ConflictAIREP
)

// The other closed lists of a conflict.
type (
	Severity = terms.Severity
	Winner   = terms.Winner
	Reading  = terms.Reading
)

const (
	Override      = terms.SeverityOverride
	Contradiction = terms.SeverityContradiction
)

const (
	First   = terms.WinnerFirst
	Second  = terms.WinnerSecond
	Neither = terms.WinnerNeither
)

const (
	NoReading   = terms.NoReading
	Pilot       = terms.ReadingPilot
	OtherNarrow = terms.ReadingOtherNarrow
)

// A Conflict is a pair of sides that say different things.
type Conflict struct {
	Kind     Kind
	Severity Severity
	Agent    policy.Agent
	Purpose  string // "" is no purpose; of kind PurposeTie it may be one that was not asked
	Usage    policy.Usage
	Path     string // a shortest path at which the sides differ; "" where it is the page itself

	// The leading statements of the sides; nil where a side is silent or decides by a default. An unresolved reference
	// (R-REF-1) is named by the recorded statement of its line. They belong to the File and the Page.
	First, Second                 *policy.Statement
	FirstDecision, SecondDecision policy.Decision // what each side says alone; silence allows

	Winner  Winner
	Rule    policy.Rule // that settles it; for TwoReadings, on which they part
	Reading Reading

	// Approximate tells that the paths were too many to be told apart: there may be further conflicts of this kind,
	// agent and usage, or a shorter path.
	Approximate bool
}

// Missing lists what a search may not have found. The zero value: nothing.
type Missing struct {
	Ended bool // it ended before all had been looked at: Options.Max was reached, or the policy was too much work
	Paths bool // some paths could not be told apart within Options.Budget; conflicts found there are Approximate
}

// DefaultMax is Options.Max where it is not set.
const DefaultMax = 10_000

// DefaultBudget is Options.Budget where it is not set. Patterns without wildcards need at most a state a byte; real
// robots.txt files with ACAP stay below 16 KiB.
const DefaultBudget = 1 << 17

// Options of a search; the zero value is ready for use.
type Options struct {
	Max    int          // how many conflicts are returned at most; 0 or less: DefaultMax
	Budget int          // states of each exploration of a site's paths (package paths); 0 or less: DefaultBudget
	Work   int          // what the search may do, in looks at a statement or a state; 0 or less: DefaultWork
	Worked *int         // where not nil, what the search of a page did is added to it, but for what Site.Looks counts
	Steps  *cost.Budget // where not nil, counts the search of a site, and ends it
	// Stopped, if set, is asked now and then, and ends the search once it is true.
	Stopped func() bool
	At      time.Time // for a site: the time of R-DEC-10; with the zero Time nothing expires
}
