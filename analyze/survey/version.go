package survey

import "github.com/acapscan/acapscan/output/table"

// RulesVersion is the version of the rules that decide: it rises with every change that gives another decision,
// conflict or class for the same facts and options. It stands in the footer of every file and in the manifest.
const RulesVersion = 2

// RulesHistory lists every RulesVersion, the first one first.
func RulesHistory() []table.VersionNote {
	return []table.VersionNote{
		{Version: 1, Change: "The first: the rules of semantics.md."},
		{Version: 2, Change: "R-PAT-2 stands by itself, taken out of R-PAT-1: whoever reads reserved characters by RFC 3986 leaves it out. " +
			"R-META-1: pages are read with scripting on, METAs in the body and in XML that is not XHTML do not count. " +
			"R-VER-1: the version of a page is its own. R-DEC-9: a location that is no absolute URI is a condition. " +
			"R-DEC-13: a rule about other covers only what no explicit ACAP statement names at any level, and counts " +
			"beside conventional directives of its page. Section 8: five more kinds of conflict, and conditions in " +
			"page-robots. Section 9: the rules of a resolved reference are the site's rules. " +
			"R-LEX-1: UTF-32 is decoded, and what the HTTP header calls UTF-16 or UTF-32. R-LEX-6: acap: is right below 1.0. " +
			"R-LEX-7: known fields are searched in all that is read, not in 8 KiB. R-PAT-1: an ACAP resource that is not rooted " +
			"is read from the root. R-DEF-1: an empty definition leaves its name undefined, and qualifiers may name resource sets. " +
			"What has an element set (S0 3) is recorded."},
	}
}
