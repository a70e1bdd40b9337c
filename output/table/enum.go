package table

// An Enum is a column type with a closed list of values. A null column is outside of the list.
type Enum interface {
	// Values lists the allowed values in their documented order.
	Values() []string
}

func values[T ~string](list ...T) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = string(v)
	}
	return names
}

// AdoptionClass tells what a site does with ACAP, from least to most (docs/semantics.md, section 9).
type AdoptionClass string

const (
	AdoptionNone               AdoptionClass = "none"
	AdoptionMarkerOnly         AdoptionClass = "marker-only"
	AdoptionRecordWithoutRules AdoptionClass = "record-without-rules"
	AdoptionMirrorsREP         AdoptionClass = "mirrors-rep"
	AdoptionCrawlDiffers       AdoptionClass = "crawl-differs"
	AdoptionBeyondREP          AdoptionClass = "beyond-rep"
)

func (AdoptionClass) Values() []string {
	return values(AdoptionNone, AdoptionMarkerOnly, AdoptionRecordWithoutRules, AdoptionMirrorsREP, AdoptionCrawlDiffers,
		AdoptionBeyondREP)
}

// RobotsOutcome tells what a request for /robots.txt came to. NotCaptured belongs to sites, never to a capture.
type RobotsOutcome string

const (
	OutcomeRules              RobotsOutcome = "rules"               // 2xx with at least one statement that can decide
	OutcomeNoRules            RobotsOutcome = "no-rules"            // 2xx without
	OutcomeAbsent             RobotsOutcome = "absent"              // 4xx
	OutcomeForbidden          RobotsOutcome = "forbidden"           // 401, 403; counts as absent (R-REP-3)
	OutcomeUnreachable        RobotsOutcome = "unreachable"         // 5xx, 429, no answer (R-REP-3)
	OutcomeRedirectUnresolved RobotsOutcome = "redirect-unresolved" // R-SITE-2
	OutcomeNotRobots          RobotsOutcome = "not-robots"          // R-LEX-7
	OutcomeNotCaptured        RobotsOutcome = "not-captured"        // the archives hold no request
)

func (RobotsOutcome) Values() []string {
	return values(OutcomeRules, OutcomeNoRules, OutcomeAbsent, OutcomeForbidden, OutcomeUnreachable, OutcomeRedirectUnresolved,
		OutcomeNotRobots, OutcomeNotCaptured)
}

// RecordType is the type of the archive record that holds a capture. An ARC record counts as a response.
type RecordType string

const (
	RecordResponse RecordType = "response"
	RecordResource RecordType = "resource"
	RecordRevisit  RecordType = "revisit"
	RecordMetadata RecordType = "metadata"
)

func (RecordType) Values() []string {
	return values(RecordResponse, RecordResource, RecordRevisit, RecordMetadata)
}

// Parser is how a page was read (R-PARSE-1).
type Parser string

const (
	ParsedHTML Parser = "html"
	ParsedXML  Parser = "xml"
)

func (Parser) Values() []string { return values(ParsedHTML, ParsedXML) }

// Source is the carrier of a statement (docs/semantics.md, section 1).
type Source string

const (
	SourceRobots     Source = "robots.txt"
	SourceMeta       Source = "meta"
	SourceClass      Source = "class"
	SourcePI         Source = "pi"
	SourceHTTPHeader Source = "http-header"
)

func (Source) Values() []string {
	return values(SourceRobots, SourceMeta, SourceClass, SourcePI, SourceHTTPHeader)
}

// Vocabulary is the language of a statement. A further one is a further value.
type Vocabulary string

const (
	VocabularyACAP Vocabulary = "acap"
	VocabularyREP  Vocabulary = "rep"
)

func (Vocabulary) Values() []string { return values(VocabularyACAP, VocabularyREP) }

// Usage is what may be done with a resource: the sixteen of docs/semantics.md, section 1.
type Usage string

const (
	UsageCrawl               Usage = "crawl"
	UsageFollow              Usage = "follow"
	UsageIndex               Usage = "index"
	UsagePreserve            Usage = "preserve"
	UsagePresent             Usage = "present"
	UsageOther               Usage = "other"
	UsagePresentOriginal     Usage = "present-original"
	UsagePresentCurrentCopy  Usage = "present-currentcopy"
	UsagePresentOldCopy      Usage = "present-oldcopy"
	UsagePresentSnippet      Usage = "present-snippet"
	UsagePresentExtract      Usage = "present-extract"
	UsagePresentThumbnail    Usage = "present-thumbnail"
	UsagePresentOldSnippet   Usage = "present-oldsnippet"
	UsagePresentOldExtract   Usage = "present-oldextract"
	UsagePresentOldThumbnail Usage = "present-oldthumbnail"
	UsagePresentLink         Usage = "present-link"
)

func (Usage) Values() []string {
	return values(UsageCrawl, UsageFollow, UsageIndex, UsagePreserve, UsagePresent, UsageOther, UsagePresentOriginal,
		UsagePresentCurrentCopy, UsagePresentOldCopy, UsagePresentSnippet, UsagePresentExtract, UsagePresentThumbnail,
		UsagePresentOldSnippet, UsagePresentOldExtract, UsagePresentOldThumbnail, UsagePresentLink)
}

// Sense is what a statement does with its usage.
type Sense string

const (
	SenseAllow    Sense = "allow"
	SenseDisallow Sense = "disallow"
)

func (Sense) Values() []string { return values(SenseAllow, SenseDisallow) }

// Status tells how a statement was read; only valid and repaired ones decide.
type Status string

const (
	StatusValid    Status = "valid"
	StatusRepaired Status = "repaired"
	StatusIgnored  Status = "ignored"
	StatusInvalid  Status = "invalid"
	StatusRecorded Status = "recorded"
)

func (Status) Values() []string {
	return values(StatusValid, StatusRepaired, StatusIgnored, StatusInvalid, StatusRecorded)
}

// Scope tells whether a permission is about a site or about one page of it.
type Scope string

const (
	ScopeSite Scope = "site"
	ScopePage Scope = "page"
)

func (Scope) Values() []string { return values(ScopeSite, ScopePage) }

// Extent tells over how much of a site a usage is allowed (docs/semantics.md, section 7).
type Extent string

const (
	ExtentAll     Extent = "all"
	ExtentSome    Extent = "some"
	ExtentNone    Extent = "none"
	ExtentUnknown Extent = "unknown"
)

func (Extent) Values() []string { return values(ExtentAll, ExtentSome, ExtentNone, ExtentUnknown) }

// Decision is the answer for a usage, from the least restrictive to the most.
type Decision string

const (
	DecisionAllowed     Decision = "allowed"
	DecisionConditional Decision = "conditional" // allowed, qualifiers in force
	DecisionDisallowed  Decision = "disallowed"
)

func (Decision) Values() []string {
	return values(DecisionAllowed, DecisionConditional, DecisionDisallowed)
}

// Basis is what a decision rests on (docs/semantics.md, section 6).
type Basis string

const (
	BasisACAPPage            Basis = "acap-page"
	BasisACAPRobots          Basis = "acap-robots"
	BasisREPPage             Basis = "rep-page"
	BasisREPRobots           Basis = "rep-robots"
	BasisSilence             Basis = "silence"
	BasisNotCaptured         Basis = "robots-not-captured"
	BasisUnreachable         Basis = "robots-unreachable"
	BasisCrawlProhibited     Basis = "crawl-prohibited"
	BasisUndetermined        Basis = "undetermined"
	BasisExpired             Basis = "expired"
	BasisLocationMismatch    Basis = "location-mismatch"
	BasisReferenceUnresolved Basis = "reference-unresolved"
)

func (Basis) Values() []string {
	return values(BasisACAPPage, BasisACAPRobots, BasisREPPage, BasisREPRobots, BasisSilence, BasisNotCaptured, BasisUnreachable,
		BasisCrawlProhibited, BasisUndetermined, BasisExpired, BasisLocationMismatch, BasisReferenceUnresolved)
}

// Profile is the reading of ACAP that decided (docs/semantics.md, section 6).
type Profile string

const (
	Profile11    Profile = "1.1"
	ProfilePilot Profile = "pilot"
)

func (Profile) Values() []string { return values(Profile11, ProfilePilot) }

// OtherReading is how far the usage other reaches (R-DEC-13).
type OtherReading string

const (
	OtherBroad  OtherReading = "broad"
	OtherNarrow OtherReading = "narrow"
	OtherLevel  OtherReading = "level" // as rules version 1
)

func (OtherReading) Values() []string { return values(OtherBroad, OtherNarrow, OtherLevel) }

// ConflictKind tells which two voices differ (docs/semantics.md, section 8).
type ConflictKind string

const (
	ConflictACAPTie           ConflictKind = "acap-tie"
	ConflictACAPREP           ConflictKind = "acap-rep"
	ConflictACAPREPDrift      ConflictKind = "acap-rep-drift"
	ConflictPageRobots        ConflictKind = "page-robots"
	ConflictPageTie           ConflictKind = "page-tie"
	ConflictPageACAPREP       ConflictKind = "page-acap-rep"
	ConflictREPPageACAPRobots ConflictKind = "rep-page-acap-robots"
	ConflictMetaHeader        ConflictKind = "meta-header"
	ConflictPIMeta            ConflictKind = "pi-meta"
	ConflictPIHeader          ConflictKind = "pi-header"
	ConflictPIPI              ConflictKind = "pi-pi"
	ConflictMetaMeta          ConflictKind = "meta-meta"
	ConflictNamedAny          ConflictKind = "named-any"
	ConflictPurposeGeneral    ConflictKind = "purpose-general"
	ConflictPurposeTie        ConflictKind = "purpose-tie"
	ConflictElementPage       ConflictKind = "element-page"
	ConflictElementTie        ConflictKind = "element-tie"
	ConflictReading           ConflictKind = "reading"
)

func (ConflictKind) Values() []string {
	return values(ConflictACAPTie, ConflictACAPREP, ConflictACAPREPDrift, ConflictPageRobots, ConflictPageTie, ConflictPageACAPREP,
		ConflictREPPageACAPRobots, ConflictMetaHeader, ConflictPIMeta, ConflictPIHeader, ConflictPIPI, ConflictMetaMeta,
		ConflictNamedAny, ConflictPurposeGeneral, ConflictPurposeTie, ConflictElementPage, ConflictElementTie, ConflictReading)
}

// Severity tells whether the documents foresee a conflict (docs/semantics.md, section 8).
type Severity string

const (
	SeverityOverride      Severity = "override" // a pair that the documents foresee
	SeverityContradiction Severity = "contradiction"
)

func (Severity) Values() []string { return values(SeverityOverride, SeverityContradiction) }

// Winner is the side of a conflict that decides.
type Winner string

const (
	WinnerFirst   Winner = "first"
	WinnerSecond  Winner = "second"
	WinnerNeither Winner = "neither"
)

func (Winner) Values() []string { return values(WinnerFirst, WinnerSecond, WinnerNeither) }

// Reading is the reading that a conflict of kind reading sets against the default one.
type Reading string

const (
	ReadingPilot       Reading = "pilot"        // profile pilot
	ReadingOtherNarrow Reading = "other-narrow" // R-DEC-13, narrow
)

func (Reading) Values() []string { return values(ReadingPilot, ReadingOtherNarrow) }
