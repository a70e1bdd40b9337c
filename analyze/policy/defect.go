package policy

// A Defect is the code of something that a document did wrong, or that this program read leniently. Codes are stable: they stand
// in the tables, and a researcher counts by them.
type Defect string

// Defects of a robots.txt as a whole or of one of its lines. The rule that names each stands beside it.
const (
	DefectMarkerNotFirst   Defect = "marker-not-first"           // R-LEX-3: the version marker is not on the first line
	DefectMarkerExtraHash  Defect = "marker-extra-hashes"        // R-LEX-3: more than two hashes before the marker
	DefectNBSP             Defect = "nbsp"                       // R-LEX-4: U+00A0 stands where white space belongs
	DefectSizeLimit        Defect = "size-limit"                 // R-LEX-8: the file is longer than what is read of it
	DefectMissingColon     Defect = "missing-colon"              // R-LEX-6: a complete field name without its colon
	DefectSpaceForHyphen   Defect = "space-for-hyphen"           // R-LEX-6: "ACAP-allow preserve:"
	DefectPresentLinks     Defect = "present-links"              // R-LEX-6: "present-links" for "present-link"
	DefectPilotNamespace   Defect = "pilot-namespace"            // R-LEX-6: "acap:" for "the-acap:"
	DefectPathNotRooted    Defect = "path-not-rooted"            // R-PAT-1: a pattern that begins with neither '/' nor '*'
	DefectMissingResource  Defect = "missing-resource"           // R-PAT-1: no resource where one belongs
	DefectCrawlerName      Defect = "crawler-name-syntax"        // R-AGENT-1: more than a name
	DefectConventional     Defect = "conventional-in-record"     // R-REC-1
	DefectUnknownField     Defect = "unknown-field"              // R-REC-2: an ACAP- field that no document defines
	DefectAnyWithNamed     Defect = "any-with-named"             // R-REC-2: '*' among named crawlers
	DefectSeveralAny       Defect = "several-any-records"        // R-REC-4
	DefectRuleOutside      Defect = "rule-outside-record"        // R-REC-5: a rule before any crawler line
	DefectNoRules          Defect = "record-without-rules"       // R-REC-5
	DefectDefinitionLate   Defect = "definition-late"            // R-DEF-1: after first use, or between records
	DefectUndefinedName    Defect = "undefined-name"             // R-DEF-1
	DefectRedefinedName    Defect = "redefined-name"             // R-DEF-1: the first definition counts
	DefectLocalProhibition Defect = "local-usage-in-prohibition" // R-DEF-2
	DefectWithReference    Defect = "fields-with-reference"      // R-REF-1: rules beside a reference in one record
	DefectUnknownUsage     Defect = "unknown-usage"              // R-USE-1
	DefectPilotFeature     Defect = "pilot-feature"              // R-VER-1: reference or request field under 1.0 or later
	DefectVersionUnknown   Defect = "version-unknown"            // R-VER-1: above 1.1, read as 1.1
	DefectVersionGate      Defect = "version-gate"               // R-VER-1: a 1.1 qualifier under no version or 1.0
)

// Defects of statements wherever they stand.
const (
	DefectQualifiedProhibition  Defect = "qualified-prohibition"    // R-QUAL-1
	DefectQualifierNotForUsage  Defect = "qualifier-not-for-usage"  // R-QUAL-2, R-QUAL-3
	DefectQualifierNotForSource Defect = "qualifier-not-for-source" // R-QUAL-2, R-QUAL-3
	DefectUnknownQualifier      Defect = "unknown-qualifier"        // R-QUAL-2
	DefectUnknownQualifierValue Defect = "unknown-qualifier-value"  // R-QUAL-2
	DefectRedundantQualifier    Defect = "redundant-qualifier"      // R-QUAL-3: prohibited-modification=any and another one
)

// Defects of what a page or a header says.
const (
	DefectACAPText          Defect = "acap-text"           // R-META-1: prose that begins with the word ACAP
	DefectSmartQuotes       Defect = "smart-quotes"        // R-META-2
	DefectSeveralInOneMeta  Defect = "several-in-one-meta" // R-META-3
	DefectPITrailingSpace   Defect = "pi-trailing-space"   // R-PI-1
	DefectPILate            Defect = "pi-late"             // R-PI-1: after text
	DefectPISyntax          Defect = "pi-syntax"           // R-PI-1: an illegal robots PI; S1 asks that it be reported
	DefectUnknownDirective  Defect = "unknown-directive"   // R-MAP-9: a conventional directive that no table knows
	DefectUnknownDirectiveV Defect = "unknown-directive-value"
)

// Defects lists every defect, in the order of docs/defects.md.
func Defects() []Defect {
	return []Defect{
		DefectMarkerNotFirst, DefectMarkerExtraHash, DefectNBSP, DefectSizeLimit, DefectMissingColon, DefectSpaceForHyphen,
		DefectPresentLinks, DefectPilotNamespace, DefectPathNotRooted, DefectMissingResource, DefectCrawlerName,
		DefectConventional, DefectUnknownField, DefectAnyWithNamed, DefectSeveralAny, DefectRuleOutside, DefectNoRules,
		DefectDefinitionLate, DefectUndefinedName, DefectRedefinedName, DefectLocalProhibition, DefectWithReference,
		DefectUnknownUsage, DefectPilotFeature, DefectVersionUnknown, DefectVersionGate, DefectQualifiedProhibition,
		DefectQualifierNotForUsage, DefectQualifierNotForSource, DefectUnknownQualifier, DefectUnknownQualifierValue,
		DefectRedundantQualifier, DefectACAPText, DefectSmartQuotes, DefectSeveralInOneMeta, DefectPITrailingSpace,
		DefectPILate, DefectPISyntax, DefectUnknownDirective, DefectUnknownDirectiveV, DefectSyntax,
	}
}

// Slips lists the slips of the pen that R-LEX-6 reads as they were meant.
func Slips() []Defect {
	return []Defect{DefectMissingColon, DefectSpaceForHyphen, DefectPresentLinks, DefectPilotNamespace}
}

// Repairs lists the defects with which a statement is Repaired and decides. Who reads may refuse each: then what has it is Invalid.
func Repairs() []Defect { return append(Slips(), DefectSmartQuotes, DefectPITrailingSpace) }

// DefectSyntax marks a field of the vocabulary that cannot be read at all.
const DefectSyntax Defect = "syntax"
