package survey

import "github.com/acapscan/acapscan/output/table"

// RulesVersion is the version of the rules that decide: it rises with every change that gives another decision,
// conflict or class for the same facts and options. It stands in the footer of every file and in the manifest.
const RulesVersion = 3

// RulesHistory lists every RulesVersion, the first one first.
func RulesHistory() []table.VersionNote {
	return []table.VersionNote{
		{Version: 1, Change: "The first: the rules of semantics.md."},
		{Version: 2, Change: "R-PAT-2 is new, taken out of R-PAT-1. Changed: R-LEX-1, R-LEX-6, R-LEX-7, R-PAT-1, " +
			"R-DEF-1, " +
			"R-META-1, R-VER-1, R-DEC-9, R-DEC-13, element sets (R-QUAL-2), the kinds of conflicts (section 8), " +
			"and the " +
			"adoption by a resolved reference (section 9)."},
		{Version: 3, Change: "AI preferences (section 10, R-PREF-1 to R-PREF-4)."},
	}
}
