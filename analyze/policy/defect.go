package policy

// A Defect is the code of an error in a document. Codes are stable: they stand in the tables.
//
// The comment of each constant is its row in docs/defects.md, which a test of cmd/acapscan generates: where the code is
// counted (statement, file or page), the rules, what the document has, and how the program reads it.
type Defect string

// Defects of robots.txt and its lines.
const (
	// file (R-LEX-3): the version marker is below the first line. It counts, since real files have it anywhere.
	DefectMarkerNotFirst Defect = "marker-not-first"
	// file (R-LEX-3): more than two # stand before the version marker. It counts.
	DefectMarkerExtraHash Defect = "marker-extra-hashes"
	// statement, file (R-LEX-4): U+00A0 stands for white space, as some web editors write it. It is read as a space.
	DefectNBSP Defect = "nbsp"
	// file, statement (R-LEX-8): the file is longer than 500 KiB, a rule has more than 32 qualifiers or 64 usages,
	// or a document has too many statements. The rest is not read; a rule whose usages exceed the limit is invalid.
	DefectSizeLimit Defect = "size-limit"
	// file (R-LEX-7): the file begins like a page and has known fields further down, for example behind warnings of
	// PHP. It is read. A file without a known field is a page (outcome not-robots).
	DefectHTMLBeforeRules Defect = "html-before-rules"
	// statement, file (R-LEX-6): a complete ACAP field name has no colon. It is read as if the colon stood there, as
	// in example 5.8 of the Implementation Guide.
	DefectMissingColon Defect = "missing-colon"
	// statement, file (R-LEX-6): a space stands for a hyphen, as in "ACAP-allow preserve:". It is read as a hyphen,
	// as in annex A.2 of the Implementation Guide.
	DefectSpaceForHyphen Defect = "space-for-hyphen"
	// statement (R-LEX-6): "present-links" is read as "present-link", as in example 4.10 of the Implementation
	// Guide.
	DefectPresentLinks Defect = "present-links"
	// statement (R-LEX-6): "acap:" in a file of version 1.0 or later, or without a version, is read as "the-acap:".
	// Below 1.0 it is correct, and no defect.
	DefectPilotNamespace Defect = "pilot-namespace"
	// statement (R-PAT-1): a resource begins with neither / nor *. An ACAP rule is read from the root, private as
	// /private, since a prohibition must not be lost. A conventional rule is invalid; a request is recorded.
	DefectPathNotRooted Defect = "path-not-rooted"
	// statement (R-PAT-1): the resource is missing. The rule is invalid. An empty conventional "Disallow:" is no
	// defect: it matches nothing on purpose.
	DefectMissingResource Defect = "missing-resource"
	// file, statement (R-AGENT-1): a crawler field has more than a name, such as "MSNPTC/1.0". The name ends at the
	// first / or space. In a META the statement has the code.
	DefectCrawlerName Defect = "crawler-name-syntax"
	// file (R-PURP-1): a purpose has a space in it. It is read to its end, spaces included.
	DefectPurposeSyntax Defect = "purpose-syntax"
	// file (R-REC-1): a conventional line stands within an ACAP record. Each vocabulary is read without the lines of
	// the other.
	DefectConventional Defect = "conventional-in-record"
	// statement (R-REC-2): no ACAP specification defines this ACAP- field or the-acap: token. It is ignored, and
	// does not end a record.
	DefectUnknownField Defect = "unknown-field"
	// file (R-REC-2): * stands among named crawlers. The record is for all crawlers.
	DefectAnyWithNamed Defect = "any-with-named"
	// statement (R-REC-3): a permissions-reference or a request stands among the rules of a purpose. It belongs to the
	// record, whatever the purpose.
	DefectNotInSubRecord Defect = "not-in-sub-record"
	// file (R-REC-4): several records are for *. They are merged, since the-acap.org's own file has them.
	DefectSeveralAny Defect = "several-any-records"
	// statement, file (R-REC-5): a rule or a purpose stands before any crawler line. It is ignored.
	DefectRuleOutside Defect = "rule-outside-record"
	// file (R-REC-5): a record names crawlers and has no rule. It changes nothing.
	DefectNoRules Defect = "record-without-rules"
	// statement (R-DEF-1): a definition follows its first use, or stands between records. It holds for the whole
	// file, as in example 4.4 of the Implementation Guide, although part 1 wants definitions first.
	DefectDefinitionLate Defect = "definition-late"
	// statement (R-DEF-1): a qualified usage has no qualifier, a composite usage no usage, or a resource set no
	// member. The definition is invalid, and its name stays undefined.
	DefectEmptyDefinition Defect = "empty-definition"
	// statement (R-DEF-1): nothing defines this resource set or usage in parentheses. The rule is invalid; where only
	// a qualifier names the set, the permission is conditional.
	DefectUndefinedName Defect = "undefined-name"
	// statement (R-DEF-1): a name is defined twice. The second definition is ignored.
	DefectRedefinedName Defect = "redefined-name"
	// statement (R-DEF-2): a prohibition has a usage in parentheses, which part 1 allows in permissions only. The
	// rule is invalid.
	DefectLocalProhibition Defect = "local-usage-in-prohibition"
	// statement (R-REF-1): a record has rules next to a permissions-reference. Both count; the reference has the
	// code.
	DefectWithReference Defect = "fields-with-reference"
	// statement (R-REF-1): a record has several permissions-references. All count; each has the code.
	DefectSeveralRefs Defect = "several-references"
	// statement (R-REF-1): text follows the locator of a permissions-reference. It is not read.
	DefectReferenceSyntax Defect = "reference-syntax"
	// statement (R-ACT-1): a request has a pattern, or several resources, where one belongs. It is recorded as any
	// request.
	DefectRequestSyntax Defect = "request-syntax"
	// statement (R-USE-1): no ACAP specification defines this usage or used resource type. It is ignored, since it
	// may be of a later version.
	DefectUnknownUsage Defect = "unknown-usage"
	// statement (R-VER-1): a permissions-reference or request stands in a file of version 1.0 or later, which no
	// longer have them. It is read.
	DefectPilotFeature Defect = "pilot-feature"
	// file, statement (R-VER-1): the version is above 1.1. It is read as 1.1.
	DefectVersionUnknown Defect = "version-unknown"
	// statement (R-VER-1): a qualifier of version 1.1 stands in a document without a version or of version 1.0. The
	// statement is ignored, as part 2, 2.2.7 asks.
	DefectVersionGate Defect = "version-gate"
)

// Defects of statements in any carrier.
const (
	// statement (R-QUAL-1): a prohibition has qualifiers, which the ACAP specifications forbid. It holds without
	// them.
	DefectQualifiedProhibition Defect = "qualified-prohibition"
	// statement (R-QUAL-2, R-QUAL-3): the qualifier belongs to another usage. The permission is conditional and its
	// text is kept: the author wanted some condition.
	DefectQualifierNotForUsage Defect = "qualifier-not-for-usage"
	// statement (R-QUAL-2, R-QUAL-3): the qualifier belongs to another carrier, such as location in robots.txt. As
	// qualifier-not-for-usage.
	DefectQualifierNotForSource Defect = "qualifier-not-for-source"
	// statement (R-QUAL-2): no ACAP specification defines this qualifier. As qualifier-not-for-usage.
	DefectUnknownQualifier Defect = "unknown-qualifier"
	// statement (R-QUAL-2): no ACAP specification defines this value. As qualifier-not-for-usage.
	DefectUnknownQualifierValue Defect = "unknown-qualifier-value"
	// statement (R-QUAL-2): the qualifier used-resource, which the text of part 1, 4.5.3.1.1 has for must-use-resource
	// and no table defines. As qualifier-not-for-usage.
	DefectUsedResource Defect = "used-resource"
	// statement (R-QUAL-2): an element set, such as the-acap:idlist:a, b. Part 2, 3 defines the form and does not say
	// where it belongs. The statement is about elements and is recorded.
	DefectElementSet Defect = "element-set"
	// statement (R-QUAL-3): prohibited-modification=any stands next to another value, which it includes
	// (Implementation Guide 2.5.5). All are kept.
	DefectRedundantQualifier Defect = "redundant-qualifier"
)

// Defects of pages and header fields.
const (
	// page (R-META-1): the content of a META begins with the word ACAP and is prose, as in a description. It is
	// counted, and is no statement.
	DefectACAPText Defect = "acap-text"
	// statement (R-META-1): a META in ACAP, or a conventional one, stands in the body of the page. It is ignored;
	// --body-metas lets it count.
	DefectMetaInBody Defect = "meta-in-body"
	// statement (R-META-1): an ACAP META has the name *. It addresses any crawler, as the name robots does.
	DefectMetaNameAny Defect = "meta-name-any"
	// statement (R-META-2): typographic quotes enclose the values of a tag, as in the Implementation Guide itself.
	// They are read as quotes.
	DefectSmartQuotes Defect = "smart-quotes"
	// statement (R-META-3): one META has several statements. Each is read.
	DefectSeveralInOneMeta Defect = "several-in-one-meta"
	// statement (R-PI-1): a space stands before the ?> of a robots processing instruction, in none of the four legal
	// forms. It is accepted.
	DefectPITrailingSpace Defect = "pi-trailing-space"
	// statement (R-PI-1): a robots processing instruction follows text. It is read: its specification does not limit
	// its place.
	DefectPILate Defect = "pi-late"
	// statement (R-PI-1): a robots processing instruction has none of the four legal forms. It is invalid, and in
	// HTML recorded.
	DefectPISyntax Defect = "pi-syntax"
	// statement (R-MAP-9): a conventional directive is unknown. It is recorded.
	DefectUnknownDirective Defect = "unknown-directive"
	// statement (R-MAP-5, R-MAP-6, R-MAP-8): the value of a directive cannot be read, such as a date. It is
	// recorded.
	DefectUnknownDirectiveV Defect = "unknown-directive-value"
	// statement, file (R-META-2, R-LEX-3, R-DEF-1, R-REC-3, R-AIP-2): an ACAP field, marker or META, or an AI
	// preference, cannot be read at all. It is invalid; a marker without a version states none.
	DefectSyntax Defect = "syntax"
)

// Defects of AI preferences.
const (
	// statement (R-AIP-1): a preference has no key, often because no space follows the path. It is recorded.
	DefectMissingPreference Defect = "missing-preference"
	// statement (R-AIP-2): the value of a known key is none of those defined. It is recorded, and the preference is
	// unknown.
	DefectUnknownPreference Defect = "unknown-preference-value"
	// statement (R-AIP-2): a later value of the same key counts. This one is ignored.
	DefectRepeatedKey Defect = "repeated-key"
	// statement (R-RSL-1): a licence is named by something that is no URI, or in a robots.txt no absolute one. It is
	// recorded.
	DefectLicenceSyntax Defect = "licence-syntax"
)

// Slips lists the four repairs of R-LEX-6, which --strict refuses.
func Slips() []Defect {
	return []Defect{DefectMissingColon, DefectSpaceForHyphen, DefectPresentLinks, DefectPilotNamespace}
}

// Repairs lists the defects despite which a statement is Repaired and decides. Where a caller refuses one, the
// statement is Invalid.
func Repairs() []Defect {
	return append(Slips(), DefectPathNotRooted, DefectSmartQuotes, DefectPITrailingSpace)
}
