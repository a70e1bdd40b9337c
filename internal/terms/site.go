package terms

// An AdoptionClass tells what a site does with ACAP, from least to most (docs/semantics.md, section 9).
type AdoptionClass uint8

const (
	AdoptionNone AdoptionClass = iota + 1
	AdoptionMarkerOnly
	AdoptionRecordWithoutRules
	AdoptionMirrorsREP
	AdoptionCrawlDiffers
	AdoptionBeyondREP
)

var adoptionClasses = list{
	AdoptionNone:               {"none", "no sign of ACAP"},
	AdoptionMarkerOnly:         {"marker-only", "states a version of ACAP and nothing else"},
	AdoptionRecordWithoutRules: {"record-without-rules", "ACAP fields, but no rule that could be read"},
	AdoptionMirrorsREP:         {"mirrors-rep", "ACAP says of crawling what the conventional rules say"},
	AdoptionCrawlDiffers:       {"crawl-differs", "only crawling, but not as the conventional rules have it"},
	AdoptionBeyondREP: {"beyond-rep",
		"what robots.txt cannot say: another usage, a condition, a purpose, a definition, ACAP in pages"},
}

func (c AdoptionClass) String() string { return adoptionClasses.name(uint8(c)) }

// Phrase describes the class.
func (c AdoptionClass) Phrase() string { return adoptionClasses.phrase(uint8(c)) }
func (AdoptionClass) size() int        { return len(adoptionClasses) }

// A RobotsOutcome is the result of a request for /robots.txt. OutcomeNotCaptured belongs to sites, never to a capture.
type RobotsOutcome uint8

const (
	OutcomeRules RobotsOutcome = iota + 1
	OutcomeNoRules
	OutcomeAbsent
	OutcomeForbidden          // counts as absent (R-REP-3)
	OutcomeUnreachable        // R-REP-3
	OutcomeRedirectUnresolved // R-SITE-2
	OutcomeNotRobots          // R-LEX-7
	OutcomeNotCaptured
)

var robotsOutcomes = list{
	OutcomeRules:              {"rules", "answered, with a rule that can decide"},
	OutcomeNoRules:            {"no-rules", "answered, without a rule that can decide"},
	OutcomeAbsent:             {"absent", "status 4xx: there is none"},
	OutcomeForbidden:          {"forbidden", "status 401 or 403: counts as none"},
	OutcomeUnreachable:        {"unreachable", "status 5xx or 429, or no answer"},
	OutcomeRedirectUnresolved: {"redirect-unresolved", "a redirect to what the archives do not hold"},
	OutcomeNotRobots:          {"not-robots", "a page instead of a robots.txt"},
	OutcomeNotCaptured:        {"not-captured", "the archives hold no request for it"},
}

func (o RobotsOutcome) String() string { return robotsOutcomes.name(uint8(o)) }

// Phrase describes the outcome.
func (o RobotsOutcome) Phrase() string { return robotsOutcomes.phrase(uint8(o)) }
func (RobotsOutcome) size() int        { return len(robotsOutcomes) }

// IsConclusive reports whether the server answered the request (R-SITE-1): it has a robots.txt, or said that it has
// none.
func (o RobotsOutcome) IsConclusive() bool {
	return o == OutcomeRules || o == OutcomeNoRules || o == OutcomeAbsent || o == OutcomeForbidden
}

// A RecordType is the type of the archive record that holds a capture. An ARC record counts as a response.
type RecordType uint8

const (
	RecordResponse RecordType = iota + 1
	RecordResource
	RecordRevisit
	RecordMetadata
)

var recordTypes = list{
	RecordResponse: {name: "response"}, RecordResource: {name: "resource"}, RecordRevisit: {name: "revisit"},
	RecordMetadata: {name: "metadata"},
}

func (t RecordType) String() string { return recordTypes.name(uint8(t)) }
func (RecordType) size() int        { return len(recordTypes) }

// A Parser is how a page was read (R-PARSE-1).
type Parser uint8

const (
	ParsedHTML Parser = iota + 1
	ParsedXML
)

var parsers = list{ParsedHTML: {name: "html"}, ParsedXML: {name: "xml"}}

func (p Parser) String() string { return parsers.name(uint8(p)) }
func (Parser) size() int        { return len(parsers) }
