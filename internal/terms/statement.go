package terms

// A Vocabulary is a language that statements are written in. Their texts are cited in docs/semantics.md.
type Vocabulary uint8

const (
	VocabularyACAP Vocabulary = iota + 1 // Automated Content Access Protocol

	// VocabularyREP is the conventional Robots Exclusion Protocol: robots.txt, META, X-Robots-Tag, robots PI.
	VocabularyREP

	VocabularyAIPref        // the preferences of the IETF: Content-Usage
	VocabularyContentSignal // Content-Signal in robots.txt and headers
	VocabularyTDMRep        // the TDM Reservation Protocol
	VocabularyRSL           // Really Simple Licensing
	VocabularyNoAI          // the directives noai and noimageai
)

var vocabularies = list{
	VocabularyACAP: {name: "acap"}, VocabularyREP: {name: "rep"}, VocabularyAIPref: {name: "aipref"},
	VocabularyContentSignal: {name: "content-signal"}, VocabularyTDMRep: {name: "tdmrep"}, VocabularyRSL: {name: "rsl"},
	VocabularyNoAI: {name: "noai"},
}

func (v Vocabulary) String() string { return vocabularies.name(uint8(v)) }
func (Vocabulary) size() int        { return len(vocabularies) }

// A Source is the carrier that a statement was found in.
type Source uint8

const (
	SourceRobots Source = iota + 1
	SourceMeta
	SourceClass
	SourcePI
	SourceHTTPHeader
	SourceLink
	SourceTDMFile
)

var sources = list{
	SourceRobots: {name: "robots.txt"}, SourceMeta: {name: "meta"}, SourceClass: {name: "class"},
	SourcePI: {name: "pi"}, SourceHTTPHeader: {name: "http-header"},
	SourceLink: {name: "link"}, SourceTDMFile: {name: "tdmrep.json"},
}

func (s Source) String() string { return sources.name(uint8(s)) }
func (Source) size() int        { return len(sources) }

// A Sense is what a statement does with its usage. The zero Sense belongs to what is only recorded.
type Sense uint8

const (
	NoSense Sense = iota
	SenseAllow
	SenseDisallow
)

var senses = list{SenseAllow: {name: "allow"}, SenseDisallow: {name: "disallow"}}

func (s Sense) String() string { return senses.name(uint8(s)) }
func (Sense) size() int        { return len(senses) }

// Opposite returns the other sense. NoSense has none and returns itself.
func (s Sense) Opposite() Sense {
	switch s {
	case SenseAllow:
		return SenseDisallow
	case SenseDisallow:
		return SenseAllow
	}
	return NoSense
}

// A Status tells how a statement was read. Only valid and repaired ones decide.
type Status uint8

const (
	StatusValid Status = iota + 1
	StatusRepaired
	StatusIgnored
	StatusInvalid
	StatusRecorded
)

var statuses = list{
	StatusValid:    {"valid", "as the documents have it"},
	StatusRepaired: {"repaired", "read in spite of a mistake"},
	StatusIgnored:  {"ignored", "not known, or not in its place"},
	StatusInvalid:  {"invalid", "wrong, so that it does not count"},
	StatusRecorded: {"recorded", "decides nothing"},
}

func (s Status) String() string { return statuses.name(uint8(s)) }

// Phrase describes the status.
func (s Status) Phrase() string { return statuses.phrase(uint8(s)) }
func (Status) size() int        { return len(statuses) }

// Decides reports whether statements of this status are candidates of a decision.
func (s Status) Decides() bool { return s == StatusValid || s == StatusRepaired }
