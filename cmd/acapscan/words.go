package main

import (
	"fmt"

	"github.com/acapscan/acapscan/analyze/policy"
)

// plural counts things, as in "1 defect" and "2 defects".
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// basisWords say what a decision rests on, after "because".
var basisWords = map[policy.Basis]string{
	policy.BasisACAPPage:            "the page itself says so in ACAP:",
	policy.BasisACAPRobots:          "the site's robots.txt says so in ACAP:",
	policy.BasisREPPage:             "the page or its HTTP header says so conventionally:",
	policy.BasisREPRobots:           "a conventional rule of the site's robots.txt says so:",
	policy.BasisSilence:             "nothing is said of it, and silence is permission",
	policy.BasisNotCaptured:         "nothing is known of the site's robots.txt, and nothing else is said",
	policy.BasisUnreachable:         "the site's robots.txt could not be fetched, and nothing else is said",
	policy.BasisCrawlProhibited:     "crawling is not allowed, so nothing that depends on it is:",
	policy.BasisUndetermined:        "permission and prohibition contradict each other and neither is narrower:",
	policy.BasisExpired:             "the permission has expired:",
	policy.BasisLocationMismatch:    "the permission holds at another address only:",
	policy.BasisReferenceUnresolved: "robots.txt refers to a file that is not there, and nothing else names this crawler",
}

// ruleWords say each rule in a sentence, with the section of the document it comes from.
var ruleWords = map[policy.Rule]string{
	policy.RuleOneSense:     "all statements that are left say the same",
	policy.RuleEmbedded:     "what a page says in ACAP overrides robots.txt (ACAP 1.1 part 2, 2.2.8)",
	policy.RuleACAPFirst:    "ACAP overrides a conventional rule in the same place; between a page and robots.txt the stricter counts (Implementation Guide 2.1)",
	policy.RulePurpose:      "a statement for this purpose overrides one for any purpose (Implementation Guide 2.2)",
	policy.RuleNamedAgent:   "a statement that names the crawler overrides one for any crawler (ACAP part 1, 4.1)",
	policy.RuleNarrowest:    "the statement about fewer resources or usages overrides the one about more (Implementation Guide 2.3)",
	policy.RuleCharacters:   "of two patterns that overlap, the one that is longer or has fewer wildcards counts (ACAP part 1, 4.5.2.5.3)",
	policy.RuleUndetermined: "where neither is narrower, the usage is prohibited (ACAP part 1, 4.3)",
	policy.RuleTogether:     "all permissions hold together, and an unqualified one lifts no condition (ACAP part 1, 4.3)",
	policy.RuleLocation:     "a permission with location= holds at that address only (ACAP 1.1 part 2, 2.2.9.1)",
	policy.RuleExpiry:       "a permission until a date ends with that day (Implementation Guide 2.5.1)",
	policy.RuleCrawl:        "every other usage depends on crawling (Implementation Guide 2.4)",
	policy.RuleSilence:      "silence is permission (ACAP part 1, 4.4)",
	policy.RuleOther:        "a statement about other usages reaches what nothing else speaks of (Implementation Guide 1.3, 2.4)",
	policy.RuleElements:     "an element may be forbidden by itself; a crawler that cannot act on elements leaves the page (ACAP 1.1 part 2, 2.2.6)",
	policy.RuleREPFile:      "the longest matching rule counts, Allow on a tie, of the groups that name the crawler or else of those for all (RFC 9309 2.2)",
	policy.RuleREPPage:      "META and header count together, the most restrictive first",
	policy.RuleREPAnswer:    "an unreachable robots.txt forbids what nothing else decides, one never captured does not (RFC 9309 2.3.1)",
	policy.RuleREPParser:    "in XML a legal robots processing instruction counts and conventional METAs do not",
	policy.RuleIgnoreREP:    "the file asks to ignore its conventional records (ACAP part 1, 4.5.5)",
	policy.RuleReference:    "a reference that cannot be followed leaves the usage prohibited (ACAP part 1, 4.3)",
	policy.RuleRobotsItself: "/robots.txt itself can always be crawled (RFC 9309 2.2.2)",
}
