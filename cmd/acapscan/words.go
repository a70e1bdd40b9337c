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

// ruleWords say a rule in a sentence, with the section of the document that it comes from.
func ruleWords(r policy.Rule) string { return fmt.Sprintf("%s (%s)", r.Text(), r.Source()) }
