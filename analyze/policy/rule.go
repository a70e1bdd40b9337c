package policy

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Rule is a rule of docs/semantics.md. Its String is the rule's id; rules.csv has its texts, in the same order.
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

	RulePreferenceFile  // R-PREF-1
	RulePreferences     // R-PREF-2
	RulePreferenceCrawl // R-PREF-3
	RuleUnstated        // R-PREF-4

	RuleUsageLine   // R-AIP-1
	RuleDictionary  // R-AIP-2
	RuleUsageHeader // R-AIP-3

	RuleSignal       // R-SIG-1
	RuleManaged      // R-SIG-2
	RuleSignalHeader // R-SIG-3
	RuleNoAI         // R-NOAI-1
	RuleLicence      // R-RSL-1

	RuleReservation      // R-TDM-1
	RuleReservationOrder // R-TDM-2
	RuleReservationFile  // R-TDM-3
)

// A ruleText is a row of rules.csv.
type ruleText struct {
	id      string
	text    string // one sentence, without its full stop
	source  string // where the rule comes from
	without string // how the program reads and decides if the rule is left out
}

//go:embed rules.csv
var rulesCSV string

// ruleTexts are the rows of rules.csv. The first is the head, in the place of the zero Rule.
var ruleTexts = sync.OnceValue(func() (texts []ruleText) {
	rows, err := csv.NewReader(strings.NewReader(rulesCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("rules.csv: %v", err)) // a test reads it
	}
	for _, row := range rows {
		texts = append(texts, ruleText{row[0], row[1], row[2], row[3]})
	}
	return texts
})

// Rules lists every rule in the order of docs/semantics.md.
func Rules() (all []Rule) {
	for r := range ruleTexts()[1:] {
		all = append(all, Rule(r+1))
	}
	return all
}

// ParseRule finds a rule by its id, written as in docs/semantics.md.
func ParseRule(id string) (r Rule, ok bool) {
	i := slices.IndexFunc(ruleTexts()[1:], func(t ruleText) bool { return t.id == id })
	return Rule(i + 1), i >= 0
}

func (r Rule) row() ruleText {
	if texts := ruleTexts(); r > 0 && int(r) < len(texts) {
		return texts[r]
	}
	return ruleText{id: fmt.Sprintf("invalid(%d)", r)}
}

// String is the rule's id, such as "R-DEC-5".
func (r Rule) String() string { return r.row().id }

// MarshalText writes the rule's id.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Text is the rule in a sentence, without its full stop.
func (r Rule) Text() string { return r.row().text }

// Source names the document and section that the rule comes from, or says that it is our choice.
func (r Rule) Source() string { return r.row().source }

// Without says how the program reads and decides if the rule is left out (see RuleSet).
func (r Rule) Without() string { return r.row().without }

// A RuleSet is a set of rules. Options have one for the rules that are left out: a researcher sees what a rule changes,
// and a test proves that each rule matters. The zero RuleSet is empty; RuleSets can be compared.
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

// Has reports whether the rule is in the set.
func (s RuleSet) Has(r Rule) bool { return s.bits[r/64]&(1<<(r%64)) != 0 }
