package policy

import (
	"fmt"
	"strings"
)

// A Rule is a rule of docs/semantics.md. Its String is the rule's id; see Rules for the whole list.
type Rule uint8

// The rules in the order of docs/semantics.md.
const (
	RuleLines       Rule = iota + 1 // R-LEX-1
	RuleComments                    // R-LEX-2
	RuleMarker                      // R-LEX-3
	RuleNBSP                        // R-LEX-4
	RuleFieldCase                   // R-LEX-5
	RuleRepairs                     // R-LEX-6
	RuleNotRobots                   // R-LEX-7
	RuleSizeLimit                   // R-LEX-8
	RulePattern                     // R-PAT-1
	RuleEncoding                    // R-PAT-2
	RuleAgentName                   // R-AGENT-1
	RulePurposeName                 // R-PURP-1

	RuleApart                // R-REC-1
	RuleRecord               // R-REC-2
	RuleSubRecord            // R-REC-3
	RuleSeveralAny           // R-REC-4
	RuleOutside              // R-REC-5
	RuleIgnoreREP            // R-REC-6
	RuleDefinition           // R-DEF-1
	RuleLocalUsage           // R-DEF-2
	RuleResourceSet          // R-DEF-3
	RuleReference            // R-REF-1
	RuleRequest              // R-ACT-1
	RuleUnknownUsage         // R-USE-1
	RuleQualifiedProhibition // R-QUAL-1
	RuleOddQualifier         // R-QUAL-2
	RuleQualifierPlace       // R-QUAL-3
	RuleVersion              // R-VER-1
	RuleInForce              // R-SITE-1
	RuleRedirect             // R-SITE-2

	RuleMeta        // R-META-1
	RuleMetaContent // R-META-2
	RuleMetaSeveral // R-META-3
	RuleMetaVersion // R-META-4
	RuleClass       // R-CLASS-1
	RulePI          // R-PI-1
	RuleParser      // R-PARSE-1
	RuleHeader      // R-HDR-1

	RuleMapRobots     // R-MAP-1
	RuleMapIndex      // R-MAP-2
	RuleMapCopies     // R-MAP-3
	RuleMapNoSnippet  // R-MAP-4
	RuleMapMaxSnippet // R-MAP-5
	RuleMapImage      // R-MAP-6
	RuleMapTranslate  // R-MAP-7
	RuleMapUntil      // R-MAP-8
	RuleMapRecorded   // R-MAP-9

	RuleREPFile   // R-REP-1
	RuleREPPage   // R-REP-2
	RuleREPAnswer // R-REP-3
	RuleREPParser // R-REP-4

	RuleOneSense     // R-DEC-0
	RuleEmbedded     // R-DEC-1
	RuleACAPFirst    // R-DEC-2
	RulePurpose      // R-DEC-3
	RuleNamedAgent   // R-DEC-4
	RuleNarrowest    // R-DEC-5
	RuleCharacters   // R-DEC-6
	RuleUndetermined // R-DEC-7
	RuleTogether     // R-DEC-8
	RuleLocation     // R-DEC-9
	RuleExpiry       // R-DEC-10
	RuleCrawl        // R-DEC-11
	RuleSilence      // R-DEC-12
	RuleOther        // R-DEC-13
	RuleElements     // R-DEC-14
)

// ruleDescription is what a person is told of a rule.
type ruleDescription struct {
	id      string
	text    string // one sentence, without its full stop
	source  string // where it comes from, for a person
	without string // how the program reads and decides where the rule is left out
}

const ours = "our choice"

var ruleDescriptions = [...]ruleDescription{
	RuleLines: {"R-LEX-1", "lines end in LF, CRLF or CR, a byte order mark is dropped, and UTF-16 and UTF-32 are decoded, by their mark or by what the HTTP header says", "RFC 9309 2.2",
		"only LF ends a line, and every byte is taken as it is"},
	RuleComments:  {"R-LEX-2", "'#' begins a comment anywhere in a line", "ACAP part 1, 4.1", "'#' begins a comment only at the beginning of a line"},
	RuleMarker:    {"R-LEX-3", "the comment ##ACAP version= states the version of the file", "ACAP part 1, 4.5.4", "##ACAP version= is a comment like any other"},
	RuleNBSP:      {"R-LEX-4", "a no-break space counts as white space", ours, "a no-break space is a letter"},
	RuleFieldCase: {"R-LEX-5", "the names of fields are the same in capitals and in small letters", "ACAP part 1, 4.5.6", "fields have their names only as the specifications write them: ACAP-crawler, User-agent"},
	RuleRepairs: {"R-LEX-6", "four errors are read as what their author meant; acap: is one of them from version 1.0 on", ours + ", after the examples of the Implementation Guide",
		"a statement that needs one of the four repairs is invalid"},
	RuleNotRobots: {"R-LEX-7", "a web page that came in the place of a robots.txt is not read as one; what begins like a page and has known fields further down is a robots.txt", "RFC 9309 2.3.1.5; else our choice",
		"every answer is read as a robots.txt"},
	RuleSizeLimit: {"R-LEX-8", "500 KiB are read, and a line that was cut is dropped", "RFC 9309 2.5", "the whole file is read, and a cut line too"},
	RulePattern: {"R-PAT-1", "a resource is the beginning of paths, in ACAP read from the root if it does not begin there, '*' stands for anything, a final '$' for the end, and /robots.txt itself can always be crawled", "ACAP part 1, 4.5.1; RFC 9309 2.2.2",
		"'*' and '$' are letters, a resource that does not begin with '/' is invalid, and a robots.txt may prohibit itself"},
	RuleEncoding: {"R-PAT-2", "a character and its percent-encoding are one, in patterns and in URLs, those reserved by RFC 3986 included", "RFC 9309 2.2.2; for ACAP our choice",
		"in patterns and URLs a reserved character differs from its percent-encoding"},
	RuleAgentName: {"R-AGENT-1", "a crawler's name ends at the first '/' or blank and is compared whole, capitals or small letters", "ACAP part 1, 4.5.6",
		"a crawler's name is all that the field holds"},
	RulePurposeName: {"R-PURP-1", "a purpose pattern matches a whole purpose, and '*' in it stands for anything", "Implementation Guide 2.1; ACAP part 1, 4.5.1",
		"a purpose fits only itself, letter by letter"},

	RuleApart: {"R-REC-1", "conventional groups and ACAP records are read as if the other were not there", "ACAP part 1, 4.1",
		"a conventional field ends an ACAP record"},
	RuleRecord:    {"R-REC-2", "crawler lines that follow each other share a record, and one after a rule begins another", "ACAP part 1, 4.5.2", "every crawler line begins a record"},
	RuleSubRecord: {"R-REC-3", "purpose lines begin a part of the record whose rules hold for these purposes", "ACAP part 1, 4.5.2.4", "purpose lines are ignored"},
	RuleSeveralAny: {"R-REC-4", "several records for any crawler are taken together", ours,
		"of several records for any crawler only the first counts"},
	RuleOutside:   {"R-REC-5", "a rule before any crawler line says nothing to anybody", "ACAP part 1, 4.5.2", "a rule before any crawler line is for any crawler"},
	RuleIgnoreREP: {"R-REC-6", "the file asks to ignore its conventional records", "ACAP part 1, 4.5.5", "a file cannot ask to ignore its conventional records"},
	RuleDefinition: {"R-DEF-1", "what a file defines holds for all of it, wherever the definition stands; a definition of nothing defines nothing", "ACAP part 1, 4.5.3",
		"a definition holds only for the lines that follow"},
	RuleLocalUsage:  {"R-DEF-2", "a usage that the file defines adds its qualifiers, or stands for several usages", "ACAP part 1, 4.5.3.1-2", "a usage that the file defines is unknown"},
	RuleResourceSet: {"R-DEF-3", "of the members of a resource set that hold a path the narrowest is the scope", "ACAP part 1, 4.5.3.3", "of a resource set the first member that holds a path is the scope"},
	RuleReference: {"R-REF-1", "a permissions-reference adds the rules of another file, and leaves what it would decide prohibited where that cannot be followed", "ACAP part 1, 4.5.2.2, 4.3; but 4.2 lets rules for any crawler speak there",
		"a permissions-reference is only recorded"},
	RuleRequest:      {"R-ACT-1", "requests to take down or to crawl again are recorded", "ACAP part 1, 4.5.2.3", "requests are unknown fields"},
	RuleUnknownUsage: {"R-USE-1", "a statement about an unknown usage is ignored", ours, "a statement about an unknown usage is invalid"},
	RuleQualifiedProhibition: {"R-QUAL-1", "a prohibition with qualifiers stands without them", "ACAP 1.1 part 2, 2.2.4, forbids it; the rest is our choice",
		"a prohibition with qualifiers is invalid"},
	RuleOddQualifier:   {"R-QUAL-2", "a qualifier that is not understood makes the permission conditional", ours, "a qualifier that is not understood is ignored"},
	RuleQualifierPlace: {"R-QUAL-3", "each qualifier belongs to certain usages and carriers", "ACAP part 1, 4.5.3.1; Implementation Guide, step 5", "any qualifier may stand with any usage, in any carrier"},
	RuleVersion:        {"R-VER-1", "some features belong to version 1.1 and some to the pilot only", "ACAP 1.1 part 2, 2.2.7", "every version has all features"},
	RuleInForce: {"R-SITE-1", "the robots.txt in force for a capture is the latest conclusive answer not after it, else the nearest after it", ours,
		"the latest answer is in force, conclusive or not"},
	RuleRedirect: {"R-SITE-2", "redirects of /robots.txt are followed, five at most", "RFC 9309 2.3.1.2", "redirects of /robots.txt are not followed"},

	RuleMeta:        {"R-META-1", "a META whose content begins with ACAP speaks to any crawler if its name is robots, else to the one that it names", "ACAP 1.1 part 2, 2.2.1", "a META in ACAP addresses any crawler"},
	RuleMetaContent: {"R-META-2", "its content is a purpose, a permission or prohibition, and qualifiers", "ACAP 1.1 part 2, 3", "the content of a META in ACAP is not read"},
	RuleMetaSeveral: {"R-META-3", "several statements in one META are all read", ours, "of several statements in one META only the first is read"},
	RuleMetaVersion: {"R-META-4", "a META states the version of its page", "ACAP 1.1 part 2, 2.2.7", "a META states no version"},
	RuleClass:       {"R-CLASS-1", "class tokens speak of the element that they stand on", "ACAP 1.1 part 2, 2.2.5", "class tokens are ignored"},
	RulePI: {"R-PI-1", "the first robots processing instruction that has one of the four legal forms counts", "Robots PI 1.0",
		"processing instructions are ignored"},
	RuleParser: {"R-PARSE-1", "the media type tells whether a page is XML, and without one the XML declaration", "Robots PI 1.0; how to tell is our choice", "every page is HTML"},
	RuleHeader: {"R-HDR-1", "an X-Robots-Tag may begin with the name of a crawler, which lasts to its end", "Common REP directives, 2; public practice",
		"an X-Robots-Tag addresses any crawler, and the name is a word like any other"},

	RuleMapRobots:     {"R-MAP-1", "Disallow and Allow are about crawl", "Common REP directives, 1", "Disallow and Allow are only recorded"},
	RuleMapIndex:      {"R-MAP-2", "noindex, nofollow, none and their opposites are about index and follow", "Common REP directives, 2", "noindex, nofollow, none and their opposites are only recorded"},
	RuleMapCopies:     {"R-MAP-3", "noarchive prohibits to present copies", "Common REP directives, 2", "noarchive is only recorded"},
	RuleMapNoSnippet:  {"R-MAP-4", "nosnippet prohibits to present snippets and extracts", "Common REP directives, 2", "nosnippet is only recorded"},
	RuleMapMaxSnippet: {"R-MAP-5", "max-snippet limits the length of a snippet", "public practice", "max-snippet is only recorded"},
	RuleMapImage:      {"R-MAP-6", "max-image-preview:none prohibits thumbnails", "public practice", "max-image-preview is only recorded"},
	RuleMapTranslate:  {"R-MAP-7", "notranslate permits to present without translation", "public practice", "notranslate is only recorded"},
	RuleMapUntil:      {"R-MAP-8", "unavailable_after permits until a date", "Common REP directives, 2; public practice", "unavailable_after is only recorded"},
	RuleMapRecorded:   {"R-MAP-9", "other conventional directives are recorded", ours, "other conventional directives leave no trace"},

	RuleREPFile: {"R-REP-1", "the longest matching rule counts, Allow on a tie, of the groups that name the crawler or else of those for all", "RFC 9309 2.2",
		"the first matching rule counts, not the longest"},
	RuleREPPage:   {"R-REP-2", "META and header count together, the most restrictive first", "Common REP directives, 2", "of META and header the first statement counts"},
	RuleREPAnswer: {"R-REP-3", "an unreachable robots.txt forbids what nothing else decides, one never captured does not", "RFC 9309 2.3.1", "a robots.txt that is unreachable or was not captured is silence"},
	RuleREPParser: {"R-REP-4", "in XML a legal robots processing instruction counts and conventional METAs do not", "Robots PI 1.0; ACAP 1.1 part 2, 3", "in XML both processing instructions and conventional METAs count"},

	RuleOneSense:  {"R-DEC-0", "all statements that are left say the same", "follows from the others", "statements that say the same are undetermined"},
	RuleEmbedded:  {"R-DEC-1", "what a page says in ACAP overrides robots.txt", "ACAP 1.1 part 2, 2.2.8", "page and robots.txt are decided apart, and the stricter counts"},
	RuleACAPFirst: {"R-DEC-2", "ACAP overrides a conventional rule in the same place; between a page and robots.txt the stricter counts", "Implementation Guide 2.1", "between ACAP and conventional rules the stricter counts everywhere"},
	RulePurpose:   {"R-DEC-3", "a statement for this purpose overrides one for any purpose", "Implementation Guide 2.2", "a statement for this purpose does not override one for any purpose"},
	RuleNamedAgent: {"R-DEC-4", "a statement that names the crawler overrides one for any crawler", "ACAP part 1, 4.1",
		"a statement that names the crawler does not override one for any crawler"},
	RuleNarrowest:    {"R-DEC-5", "the statement about fewer resources or usages overrides the one about more", "Implementation Guide 2.3", "a statement about fewer resources or usages does not override one about more"},
	RuleCharacters:   {"R-DEC-6", "of two patterns that overlap, compared letter by letter from the left, the first difference tells the narrower: '$' is wider than '*', '*' is wider than a letter, and a pattern is wider than one that goes on", "ACAP part 1, 4.5.2.5.3", "of two patterns that overlap neither is narrower"},
	RuleUndetermined: {"R-DEC-7", "where neither is narrower, the usage is prohibited", "ACAP part 1, 4.3", "if neither statement is narrower, the permissions count"},
	RuleTogether:     {"R-DEC-8", "all permissions hold together, and an unqualified one lifts no condition", "ACAP part 1, 4.3", "of several permissions an unqualified one counts, or else the first"},
	RuleLocation:     {"R-DEC-9", "a permission with location= holds at that address only", "ACAP 1.1 part 2, 2.2.9.1", "location= is a condition like any other"},
	RuleExpiry:       {"R-DEC-10", "a permission until a date ends with that day", "Implementation Guide 2.5.1", "no permission expires"},
	RuleCrawl:        {"R-DEC-11", "every other usage depends on crawling", "Implementation Guide 2.4", "each usage is decided without regard to crawling"},
	RuleSilence:      {"R-DEC-12", "silence is permission", "ACAP part 1, 4.4", "silence is prohibition"},
	RuleOther:        {"R-DEC-13", "a statement about other usages covers each usage that no explicit ACAP statement names, in the page or in robots.txt; against a conventional directive of its page the stricter counts", "Implementation Guide 1.3, 2.4", "a statement about other covers only usages outside the five basic ones"},
	RuleElements:     {"R-DEC-14", "an element may be forbidden by itself; a crawler that cannot act on elements leaves the page", "ACAP 1.1 part 2, 2.2.6", "statements about elements change nothing for the page"},
}

// Rules lists every rule in the order of docs/semantics.md.
func Rules() []Rule {
	var all []Rule
	for r := Rule(1); int(r) < len(ruleDescriptions); r++ {
		all = append(all, r)
	}
	return all
}

// ParseRule finds a rule by its id, written as in docs/semantics.md.
func ParseRule(id string) (r Rule, ok bool) {
	for i, d := range ruleDescriptions {
		if i > 0 && d.id == id {
			return Rule(i), true
		}
	}
	return 0, false
}

func (r Rule) description() ruleDescription {
	if int(r) >= len(ruleDescriptions) || r == 0 {
		return ruleDescription{id: fmt.Sprintf("invalid(%d)", r)}
	}
	return ruleDescriptions[r]
}

// String is the rule's id, such as "R-DEC-5".
func (r Rule) String() string { return r.description().id }

// MarshalText writes the rule's id.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Text is the rule in a sentence, without its full stop.
func (r Rule) Text() string { return r.description().text }

// Source names the document and section that the rule comes from, or says that it is our choice.
func (r Rule) Source() string { return r.description().source }

// Without says how the program reads and decides where the rule is left out (see RuleSet).
func (r Rule) Without() string { return r.description().without }

// A RuleSet is a set of rules. Options have one for the rules that are left out, so that whoever dissents from a rule
// can see what it changes, and so that a test can prove that each rule matters. The zero RuleSet is empty; RuleSets can
// be compared.
type RuleSet struct{ bits [2]uint64 }

// With returns the set with a rule added.
func (s RuleSet) With(r Rule) RuleSet {
	s.bits[r/64] |= 1 << (r % 64)
	return s
}

// String lists the ids of the rules in the order of docs/semantics.md, parted by commas.
func (s RuleSet) String() string {
	var ids []string
	for _, r := range Rules() {
		if s.Has(r) {
			ids = append(ids, r.String())
		}
	}
	return strings.Join(ids, ",")
}

// Has tells whether the rule is in the set.
func (s RuleSet) Has(r Rule) bool { return s.bits[r/64]&(1<<(r%64)) != 0 }
