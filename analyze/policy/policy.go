// Package policy is the language of permissions: usages, senses, agents, purposes, statements, qualifiers, decisions,
// and the rules that they are decided by. It parses no document, reads no file and decides nothing; vocabularies make
// its statements, package decide chooses among them.
//
// The rules are those of the project's reading of ACAP and of the Robots Exclusion Protocol (docs/semantics.md); each
// has an id such as R-DEC-5, and the specifications are cited as S0 (ACAP 1.1 part 2), S1 (robots PI), S2
// (implementation guide), S3 (ACAP part 1, pilot), S4 (common REP directives) and RFC (RFC 9309).
package policy

import "github.com/acapscan/acapscan/internal/terms"

// The closed lists of the language. Package terms says what each value is, and has its name in the tables.
type (
	Vocabulary = terms.Vocabulary
	Source     = terms.Source
	Sense      = terms.Sense
	Status     = terms.Status
	Usage      = terms.Usage
	Decision   = terms.Decision
	Basis      = terms.Basis
	Extent     = terms.Extent
)

const (
	ACAP          = terms.VocabularyACAP
	REP           = terms.VocabularyREP
	AIPref        = terms.VocabularyAIPref
	ContentSignal = terms.VocabularyContentSignal
	TDMRep        = terms.VocabularyTDMRep
	RSL           = terms.VocabularyRSL
	NoAI          = terms.VocabularyNoAI
)

const (
	RobotsTxt  = terms.SourceRobots
	Meta       = terms.SourceMeta
	Class      = terms.SourceClass
	PI         = terms.SourcePI
	HTTPHeader = terms.SourceHTTPHeader
	Link       = terms.SourceLink    // a link element of a page
	TDMFile    = terms.SourceTDMFile // /.well-known/tdmrep.json of a site
)

const (
	NoSense  = terms.NoSense
	Allow    = terms.SenseAllow
	Disallow = terms.SenseDisallow
)

const (
	Valid    = terms.StatusValid
	Repaired = terms.StatusRepaired // read by a named leniency
	Ignored  = terms.StatusIgnored  // the rules say to pass it over
	Invalid  = terms.StatusInvalid  // written against the rules
	Recorded = terms.StatusRecorded // a field that decides nothing
)

const (
	Allowed     = terms.DecisionAllowed
	Conditional = terms.DecisionConditional
	Disallowed  = terms.DecisionDisallowed
	Unstated    = terms.DecisionUnstated
)

const (
	BasisACAPPage            = terms.BasisACAPPage
	BasisACAPRobots          = terms.BasisACAPRobots
	BasisREPPage             = terms.BasisREPPage
	BasisREPRobots           = terms.BasisREPRobots
	BasisSilence             = terms.BasisSilence
	BasisNotCaptured         = terms.BasisNotCaptured
	BasisNotRobots           = terms.BasisNotRobots
	BasisUnreachable         = terms.BasisUnreachable
	BasisCrawlProhibited     = terms.BasisCrawlProhibited
	BasisUndetermined        = terms.BasisUndetermined
	BasisExpired             = terms.BasisExpired
	BasisLocationMismatch    = terms.BasisLocationMismatch
	BasisReferenceUnresolved = terms.BasisReferenceUnresolved
	BasisAIPage              = terms.BasisAIPage
	BasisAIRobots            = terms.BasisAIRobots
	BasisNoPreference        = terms.BasisNoPreference
)

const (
	ExtentAll     = terms.ExtentAll
	ExtentSome    = terms.ExtentSome
	ExtentNone    = terms.ExtentNone
	ExtentUnknown = terms.ExtentUnknown
)
