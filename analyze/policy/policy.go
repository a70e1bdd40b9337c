// Package policy is the language of permissions: usages, senses, agents, purposes, statements, qualifiers, decisions, and the
// rules that they are decided by. It parses no document, reads no file and decides nothing; vocabularies make its statements,
// package decide chooses among them.
//
// The rules are those of the project's reading of ACAP and of the Robots Exclusion Protocol (docs/semantics.md); each has an id
// such as R-DEC-5, and the documents are cited as S0 (ACAP 1.1 part 2), S1 (robots PI), S2 (implementation guide), S3 (ACAP
// part 1, pilot), S4 (common REP directives) and RFC (RFC 9309).
package policy

import "fmt"

// A Vocabulary is a language that statements are written in. More may come: nothing may assume that there are two.
type Vocabulary string

const (
	ACAP Vocabulary = "acap" // Automated Content Access Protocol
	REP  Vocabulary = "rep"  // conventional Robots Exclusion Protocol: robots.txt, META, X-Robots-Tag, robots PI
)

// A Source is the carrier that a statement was found in.
type Source uint8

const (
	RobotsTxt Source = iota + 1
	Meta
	Class
	PI
	HTTPHeader
)

var sourceNames = [...]string{RobotsTxt: "robots.txt", Meta: "meta", Class: "class", PI: "pi", HTTPHeader: "http-header"}

func (s Source) String() string { return name(sourceNames[:], int(s)) }

// A Sense is what a statement does with its usage. The zero Sense belongs to what is only recorded.
type Sense uint8

const (
	NoSense Sense = iota
	Allow
	Disallow
)

var senseNames = [...]string{NoSense: "", Allow: "allow", Disallow: "disallow"}

func (s Sense) String() string { return name(senseNames[:], int(s)) }

// Opposite returns the other sense. NoSense has none and returns itself.
func (s Sense) Opposite() Sense {
	switch s {
	case Allow:
		return Disallow
	case Disallow:
		return Allow
	}
	return NoSense
}

// A Status tells how a statement was read. Only Valid and Repaired ones decide.
type Status uint8

const (
	Valid    Status = iota + 1
	Repaired        // read by a named leniency
	Ignored         // the rules say to pass it over
	Invalid         // written against the rules
	Recorded        // a field that decides nothing
)

var statusNames = [...]string{Valid: "valid", Repaired: "repaired", Ignored: "ignored", Invalid: "invalid", Recorded: "recorded"}

func (s Status) String() string { return name(statusNames[:], int(s)) }

// Decides tells whether statements of this status are candidates of a decision.
func (s Status) Decides() bool { return s == Valid || s == Repaired }

// A Decision is the answer for a usage, ordered from the least restrictive to the most.
type Decision uint8

const (
	Allowed     Decision = iota + 1
	Conditional          // allowed, qualifiers in force
	Disallowed
)

var decisionNames = [...]string{Allowed: "allowed", Conditional: "conditional", Disallowed: "disallowed"}

func (d Decision) String() string { return name(decisionNames[:], int(d)) }

// A Basis tells what a decision rests on.
type Basis uint8

const (
	BasisACAPPage Basis = iota + 1
	BasisACAPRobots
	BasisREPPage
	BasisREPRobots
	BasisSilence
	BasisNotCaptured
	BasisUnreachable
	BasisCrawlProhibited
	BasisUndetermined
	BasisExpired
	BasisLocationMismatch
	BasisReferenceUnresolved
)

var basisNames = [...]string{
	BasisACAPPage: "acap-page", BasisACAPRobots: "acap-robots", BasisREPPage: "rep-page", BasisREPRobots: "rep-robots",
	BasisSilence: "silence", BasisNotCaptured: "robots-not-captured", BasisUnreachable: "robots-unreachable",
	BasisCrawlProhibited: "crawl-prohibited", BasisUndetermined: "undetermined", BasisExpired: "expired",
	BasisLocationMismatch: "location-mismatch", BasisReferenceUnresolved: "reference-unresolved",
}

func (b Basis) String() string { return name(basisNames[:], int(b)) }

// BasisNames lists every basis in order, for documentation and schemas.
func BasisNames() []string { return basisNames[1:] }

// An Extent tells over how much of a site a usage is allowed (docs/semantics.md, section 7).
type Extent uint8

const (
	ExtentAll     Extent = iota + 1 // nothing disallowed
	ExtentSome                      // some paths allowed, some not
	ExtentNone                      // nothing allowed
	ExtentUnknown                   // the paths could not be told apart within the budget
)

var extentNames = [...]string{ExtentAll: "all", ExtentSome: "some", ExtentNone: "none", ExtentUnknown: "unknown"}

func (e Extent) String() string { return name(extentNames[:], int(e)) }

// name returns names[i], or a visible mark where i is no value of its enumeration.
func name(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("invalid(%d)", i)
	}
	return names[i]
}
