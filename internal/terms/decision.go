package terms

// A Decision is the answer for a usage, ordered from the least restrictive to the most.
type Decision uint8

const (
	DecisionAllowed     Decision = iota + 1
	DecisionConditional          // allowed, qualifiers in force
	DecisionDisallowed

	// DecisionUnstated: no preference is stated (R-PREF-4). It is about usages of AI preferences only, and has no place
	// in the order.
	DecisionUnstated
)

var decisions = list{
	DecisionAllowed:     {"allowed", "allowed"},
	DecisionConditional: {"conditional", "allowed under conditions"},
	DecisionDisallowed:  {"disallowed", "not allowed"},
	DecisionUnstated:    {"unstated", "not stated"},
}

func (d Decision) String() string { return decisions.name(uint8(d)) }

// Phrase describes the decision.
func (d Decision) Phrase() string { return decisions.phrase(uint8(d)) }
func (Decision) size() int        { return len(decisions) }

// A Basis is what a decision rests on (docs/semantics.md, section 6).
type Basis uint8

const (
	BasisACAPPage Basis = iota + 1
	BasisACAPRobots
	BasisREPPage
	BasisREPRobots
	BasisSilence
	BasisNotCaptured
	BasisNotRobots
	BasisUnreachable
	BasisCrawlProhibited
	BasisUndetermined
	BasisExpired
	BasisLocationMismatch
	BasisReferenceUnresolved
	BasisAIPage
	BasisAIRobots
	BasisNoPreference
)

var bases = list{
	BasisACAPPage:    {"acap-page", "the page itself says so in ACAP"},
	BasisACAPRobots:  {"acap-robots", "the site's robots.txt says so in ACAP"},
	BasisREPPage:     {"rep-page", "the page or its HTTP header says so conventionally"},
	BasisREPRobots:   {"rep-robots", "a conventional rule of the site's robots.txt says so"},
	BasisSilence:     {"silence", "nothing is said of it, and silence is permission"},
	BasisNotCaptured: {"robots-not-captured", "nothing is known of the site's robots.txt, and nothing else is said"},
	BasisNotRobots: {"not-robots",
		"a page stands in the place of the site's robots.txt, and nothing else is said"},
	BasisUnreachable: {"robots-unreachable",
		"the site's robots.txt could not be fetched, and nothing else is said"},
	BasisCrawlProhibited:  {"crawl-prohibited", "crawling is not allowed, so nothing that depends on it is"},
	BasisUndetermined:     {"undetermined", "permission and prohibition contradict each other and neither is narrower"},
	BasisExpired:          {"expired", "the permission has expired"},
	BasisLocationMismatch: {"location-mismatch", "the permission holds at another address only"},
	BasisReferenceUnresolved: {"reference-unresolved",
		"robots.txt refers this crawler to another file, whose contents are not known here, and nothing else names " +
			"the crawler"},
	BasisAIPage:       {"ai-page", "the page, its HTTP header or the site's tdmrep.json states this preference"},
	BasisAIRobots:     {"ai-robots", "the site's robots.txt states this preference"},
	BasisNoPreference: {"no-preference", "no preference is stated about it"},
}

func (b Basis) String() string { return bases.name(uint8(b)) }

// Phrase describes the basis; it can follow "because".
func (b Basis) Phrase() string { return bases.phrase(uint8(b)) }
func (Basis) size() int        { return len(bases) }

// A Scope reports whether a permission is about a site or about one page of it.
type Scope uint8

const (
	ScopeSite Scope = iota + 1
	ScopePage
)

var scopes = list{ScopeSite: {name: "site"}, ScopePage: {name: "page"}}

func (s Scope) String() string { return scopes.name(uint8(s)) }
func (Scope) size() int        { return len(scopes) }

// An Extent tells over how much of a site a usage is allowed (docs/semantics.md, section 7).
type Extent uint8

const (
	ExtentAll     Extent = iota + 1 // nothing disallowed
	ExtentSome                      // some paths allowed, some not
	ExtentNone                      // nothing allowed
	ExtentUnknown                   // the paths could not be told apart within the budget
)

var extents = list{
	ExtentAll: {name: "all"}, ExtentSome: {name: "some"}, ExtentNone: {name: "none"}, ExtentUnknown: {name: "unknown"},
}

func (e Extent) String() string { return extents.name(uint8(e)) }
func (Extent) size() int        { return len(extents) }

// A Profile is a reading of the documents (docs/semantics.md, section 6). The zero Profile is the default.
type Profile uint8

const (
	Profile11 Profile = iota // ACAP 1.1, the default

	// ProfilePilot is S3: no scope order by inclusion, and conventional rules set aside only where the scope is equal.
	ProfilePilot
)

var profiles = list{Profile11: {name: "1.1"}, ProfilePilot: {name: "pilot"}}

func (p Profile) String() string { return profiles.name(uint8(p)) }
func (Profile) size() int        { return len(profiles) }

// An OtherReading tells which usages a statement about the usage other covers (R-DEC-13). The zero OtherReading is the
// default.
type OtherReading uint8

const (
	// OtherBroad: every usage but crawl on which no ACAP statement speaks, neither in the page nor in the robots.txt.
	// A conventional statement of the same level counts as well, and the more restrictive of the two decides.
	OtherBroad OtherReading = iota

	// OtherNarrow: only a usage outside the five basic ones.
	OtherNarrow

	// OtherLevel: every usage but crawl on which no ACAP statement of the same level speaks, before conventional
	// statements. This is how rules version 1 read it.
	OtherLevel
)

var otherReadings = list{OtherBroad: {name: "broad"}, OtherNarrow: {name: "narrow"}, OtherLevel: {name: "level"}}

func (r OtherReading) String() string { return otherReadings.name(uint8(r)) }
func (OtherReading) size() int        { return len(otherReadings) }
