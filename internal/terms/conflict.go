package terms

// A ConflictKind tells which two voices differ (docs/semantics.md, section 8). Package conflict says of each when it is
// reported, which side is the first, and which wins.
type ConflictKind uint8

const (
	ConflictACAPTie ConflictKind = iota + 1
	ConflictACAPREP
	ConflictACAPREPDrift
	ConflictPageRobots
	ConflictPageTie
	ConflictPageACAPREP
	ConflictREPPageACAPRobots
	ConflictMetaHeader
	ConflictPIMeta
	ConflictPIHeader
	ConflictPIPI
	ConflictMetaMeta
	ConflictNamedAny
	ConflictPurposeGeneral
	ConflictPurposeTie
	ConflictElementPage
	ConflictElementTie
	ConflictReading
	ConflictAIPrefSignal
	ConflictAIREP
)

var conflictKinds = list{
	ConflictACAPTie: {"acap-tie", "ACAP in robots.txt allows and disallows, neither being narrower"},
	ConflictACAPREP: {"acap-rep",
		"ACAP and the conventional rules of one robots.txt decide crawling differently"},
	ConflictACAPREPDrift: {"acap-rep-drift",
		"ACAP and the conventional rules differ, but only where one of the two is silent"},
	ConflictPageRobots:  {"page-robots", "ACAP in the page against ACAP in robots.txt"},
	ConflictPageTie:     {"page-tie", "two ACAP METAs of a page"},
	ConflictPageACAPREP: {"page-acap-rep", "ACAP META against a conventional META or header field"},
	ConflictREPPageACAPRobots: {"rep-page-acap-robots",
		"a conventional directive of the page against ACAP in robots.txt"},
	ConflictMetaHeader:     {"meta-header", "conventional META against X-Robots-Tag"},
	ConflictPIMeta:         {"pi-meta", "processing instruction against META"},
	ConflictPIHeader:       {"pi-header", "processing instruction against X-Robots-Tag"},
	ConflictPIPI:           {"pi-pi", "two processing instructions of a page"},
	ConflictMetaMeta:       {"meta-meta", "conventional METAs of a page that permit and prohibit"},
	ConflictNamedAny:       {"named-any", "a named crawler against any crawler"},
	ConflictPurposeGeneral: {"purpose-general", "a rule for a purpose against one for any purpose"},
	ConflictPurposeTie:     {"purpose-tie", "rules for two purposes that one crawl may have"},
	ConflictElementPage:    {"element-page", "an element of the page against the page"},
	ConflictElementTie:     {"element-tie", "an element of the page that permits and prohibits"},
	ConflictReading:        {"reading", "two readings of the documents decide differently"},
	ConflictAIPrefSignal:   {"aipref-signal", "two vocabularies of AI preferences permit and prohibit one usage"},
	ConflictAIREP:          {"ai-rep", "a conventional rule about an AI crawler by name against the AI preference"},
}

func (k ConflictKind) String() string { return conflictKinds.name(uint8(k)) }

// Phrase describes the kind.
func (k ConflictKind) Phrase() string { return conflictKinds.phrase(uint8(k)) }
func (ConflictKind) size() int        { return len(conflictKinds) }

// A Severity reports whether the documents foresee a pair (docs/semantics.md, section 8).
type Severity uint8

const (
	SeverityOverride      Severity = iota + 1 // they do: one side is an exception to the other
	SeverityContradiction                     // they do not
)

var severities = list{SeverityOverride: {name: "override"}, SeverityContradiction: {name: "contradiction"}}

func (s Severity) String() string { return severities.name(uint8(s)) }
func (Severity) size() int        { return len(severities) }

// A Winner is the side of a conflict that decides.
type Winner uint8

const (
	WinnerFirst Winner = iota + 1
	WinnerSecond
	WinnerNeither
)

var winners = list{WinnerFirst: {name: "first"}, WinnerSecond: {name: "second"}, WinnerNeither: {name: "neither"}}

func (w Winner) String() string { return winners.name(uint8(w)) }
func (Winner) size() int        { return len(winners) }

// A Reading is one that a conflict of kind reading sets against the default one.
type Reading uint8

const (
	NoReading          Reading = iota // every other kind
	ReadingPilot                      // profile pilot against 1.1
	ReadingOtherNarrow                // other narrow against broad (R-DEC-13)
)

var readings = list{ReadingPilot: {name: "pilot"}, ReadingOtherNarrow: {name: "other-narrow"}}

func (r Reading) String() string { return readings.name(uint8(r)) }
func (Reading) size() int        { return len(readings) }
