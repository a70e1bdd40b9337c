// Package conflict finds where a site or a page says different things of one usage, agent and resource: two statements,
// two carriers, or one policy in two readings (docs/semantics.md, section 8).
//
// It asks package decide what each side says alone and compares; it chooses nothing by itself, reads no file and makes
// no table rows. Silence says nothing: but for acap-rep-drift and reading, a conflict needs two sides that speak.
//
// Sides are compared by their decision, allowed, conditional or disallowed. Whether a usage is prohibited because crawl
// is (R-DEC-11) does not enter: the conflict is reported once, for crawl. Conditions that differ while both sides are
// conditional are a conflict of kind page-robots only.
//
// A row stands for a pair of statements. Where several decide on one side, the leading one is named: the one with the
// longest pattern that holds the path, the first of these. A pair is reported once for each agent: for the usage that
// both statements are written about if there is one, else for the first usage it settles, and for the first of the
// purposes asked; so a conflict about present is not repeated over its ten, nor a general one over all purposes.
package conflict

import (
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Kind tells which two voices differ.
type Kind = terms.ConflictKind

const (
	// ACAPTie: an ACAP permission and an ACAP prohibition of the robots.txt hold one path and nothing tells which is
	// narrower, so that R-DEC-7 prohibits. First is the prohibition, which wins. One row for each pair of statements
	// left. Always a contradiction: S3 4.3 says what a crawler does with a tie, but no document wants one.
	ACAPTie = terms.ConflictACAPTie

	// ACAPREP: ACAP alone and the conventional rules alone, both speaking, decide crawl differently on some path; an
	// empty Disallow speaks for "/". First is ACAP. R-DEC-2 settles it; under R-REC-6 it is reported too, settled by
	// that. An override where the conventional side is the stricter one, which is how S2 2.1.3 (Ex 1.5) opens a site to
	// crawlers that know ACAP, and under R-REC-6, by which the author declares that the two differ (Ex 1.6). Else a
	// contradiction: a crawler that does not know ACAP is let in where ACAP keeps crawlers out, for which no document
	// gives a reason.
	ACAPREP = terms.ConflictACAPREP

	// ACAPREPDrift: as ACAPREP, but one side is silent there and so allows (R-DEC-12). Only in files in which both
	// speak of crawl at all, to whatever agent; the side that is silent has no statement. One row for each leading
	// statement of the side that speaks. Severity as for ACAPREP.
	ACAPREPDrift = terms.ConflictACAPREPDrift

	// PageRobots: the ACAP METAs of the page against ACAP in the robots.txt. First is the page, which wins by R-DEC-1.
	// Always an override: S0 2.2.8 provides for it. Two permissions under different conditions differ, too.
	PageRobots = terms.ConflictPageRobots

	// PageTie: two ACAP METAs of one agent and usage, one allowing and one disallowing. First is the prohibition, which
	// wins by R-DEC-7 (S0 2.2.8). Always a contradiction.
	PageTie = terms.ConflictPageTie

	// PageACAPREP: the ACAP METAs of the page against what META, header field and PI say conventionally, together
	// (R-REP-2, R-REP-4). First is ACAP; R-DEC-2, or R-DEC-13 where the METAs are about other, and then the stricter
	// side wins. An override where the conventional side is the stricter one, as for ACAPREP, else a contradiction.
	PageACAPREP = terms.ConflictPageACAPREP

	// REPPageACAPRobots: what the page says conventionally against ACAP in the robots.txt. First is the page. The
	// more restrictive side wins by R-DEC-2; neither does where the page has an ACAP META about the usage, which
	// leaves both aside (R-DEC-1). METAs about other leave only the robots.txt aside. Always a contradiction: no
	// document settles it.
	REPPageACAPRobots = terms.ConflictREPPageACAPRobots

	// MetaHeader: a conventional META against an X-Robots-Tag field. First is the META. The more restrictive side wins
	// by R-REP-2; beside a PI in a document parsed as XML, the header does by R-REP-4. Always a contradiction: S4 tells
	// what applies then, but neither is meant as an exception to the other.
	MetaHeader = terms.ConflictMetaHeader

	// PIMeta: the first legal robots PI against a conventional META. First is the PI, which wins in a document parsed
	// as XML; in HTML the META does (R-REP-4). Always a contradiction: S1 says that they must indicate the same.
	PIMeta = terms.ConflictPIMeta

	// PIHeader: the first legal robots PI against the X-Robots-Tag fields. First is the PI. In a document parsed as
	// XML the more restrictive side wins by R-REP-2, in HTML the header does (R-REP-4). Always a contradiction: no
	// document settles it.
	PIHeader = terms.ConflictPIHeader

	// PIPI: a later legal robots PI that says otherwise than the first. First is the first one, which wins by R-PI-1;
	// neither does in a document parsed as HTML, where PIs decide nothing (R-REP-4). Always a contradiction.
	PIPI = terms.ConflictPIPI

	// MetaMeta: conventional METAs that permit and prohibit one usage, in one META or in several, all addressed to
	// the agent by name or all to any crawler. First is the first prohibition, Second the first permission. The
	// prohibition wins by R-REP-2; neither does beside a legal PI in a document parsed as XML (R-REP-4). Always a
	// contradiction: S4 tells what applies then, but no document wants one. A directive about present (notranslate)
	// is not set against one about one of its ten (nosnippet).
	MetaMeta = terms.ConflictMetaMeta

	// NamedAny: an ACAP statement that names the agent against one for any agent, both in the robots.txt or both METAs
	// of the page: opposite senses, equal patterns, purposes alike (both fit by name, or both are general), the same
	// usage or present and one of its ten. First is the one that names the agent, which wins by R-DEC-4. Always an
	// override (S3 4.1, S0 2.2.1). Conventional groups have no such conflict: a group that names the agent takes the
	// place of the general one (RFC 2.2.1).
	NamedAny = terms.ConflictNamedAny

	// PurposeGeneral: an ACAP statement for a purpose against one for any purpose, both in the robots.txt or both
	// METAs of the page: opposite senses, equal patterns, the same usage or present and one of its ten, whether or
	// not either names the agent. First is the one for the purpose, which wins by R-DEC-3. Always an override (S2
	// 2.2).
	PurposeGeneral = terms.ConflictPurposeGeneral

	// PurposeTie: as ACAPTie or PageTie, but the two statements have no purpose in common: what the agent crawls for
	// fits the purpose of each. The conflict's purpose is such a string: one of those asked, or a shortest one that
	// two patterns both fit, such as news-uk of news-* and *-uk. First is the prohibition, which wins by R-DEC-7.
	// Always a contradiction: no document ranks purposes.
	PurposeTie = terms.ConflictPurposeTie

	// ElementPage: a class token against what the page is decided by, where statements decide it. First is the token;
	// one row for all the tokens of a page that say the same, named by the first. For its element the token decides
	// (R-CLASS-1) and it is an override (S0 2.2.5); but a permission in a class token does not lift what the robots.txt
	// prohibits (R-DEC-1), and then it is a contradiction that the robots.txt wins.
	ElementPage = terms.ConflictElementPage

	// ElementTie: one element has class tokens of both senses on one usage. First is the prohibition, which wins by
	// R-CLASS-1 (S0 2.2.8). One row for all such elements of a page, named by the first. Always a contradiction, as
	// PageTie.
	ElementTie = terms.ConflictElementTie

	// TwoReadings: two readings of one policy decide differently. First is the default reading of the two, profile 1.1
	// or other broad; Second is profile pilot or other narrow; the winner is the one that the site was made with. For
	// each, the leading statement under it, none where it finds silence. The rule is the one on which they part. Always
	// a contradiction: the documents contradict each other. For a page, only where the page speaks of the usage.
	// Reported for each usage, the ten of present only where present does not have the same row.
	TwoReadings = terms.ConflictReading
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

// Missing tells what a search may not have found. The zero value: nothing.
type Missing struct {
	Ended bool // it ended before all had been looked at: Options.Max was reached, or the policy was too much work
	Paths bool // some paths could not be told apart within Options.Budget; conflicts found there are Approximate
}

// DefaultMax is Options.Max where it is not set.
const DefaultMax = 10_000

// DefaultBudget is Options.Budget where it is not set. Patterns without wildcards need at most a state an octet; real
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
