package report

import "github.com/acapscan/acapscan/output/table"

// What the values of enumerations mean, in few words (docs/semantics.md has the definitions). A value without words stands for itself.
var (
	classWords = map[table.AdoptionClass]string{
		table.AdoptionNone:               "no sign of ACAP",
		table.AdoptionMarkerOnly:         "states a version of ACAP and nothing else",
		table.AdoptionRecordWithoutRules: "ACAP fields, but no rule that could be read",
		table.AdoptionMirrorsREP:         "ACAP says of crawling what the conventional rules say",
		table.AdoptionCrawlDiffers:       "only crawling, but not as the conventional rules have it",
		table.AdoptionBeyondREP:          "what robots.txt cannot say: another usage, a condition, a purpose, a definition, ACAP in pages",
	}
	outcomeWords = map[table.RobotsOutcome]string{
		table.OutcomeRules:              "answered, with a rule that can decide",
		table.OutcomeNoRules:            "answered, without a rule that can decide",
		table.OutcomeAbsent:             "status 4xx: there is none",
		table.OutcomeForbidden:          "status 401 or 403: counts as none",
		table.OutcomeUnreachable:        "status 5xx or 429, or no answer",
		table.OutcomeRedirectUnresolved: "a redirect to what the archives do not hold",
		table.OutcomeNotRobots:          "a page instead of a robots.txt",
		table.OutcomeNotCaptured:        "the archives hold no request for it",
	}
	basisWords = map[table.Basis]string{
		table.BasisACAPPage:            "ACAP in the page",
		table.BasisACAPRobots:          "ACAP in robots.txt",
		table.BasisREPPage:             "conventional directives of the page or its header",
		table.BasisREPRobots:           "conventional rules of robots.txt",
		table.BasisSilence:             "nothing is said, and silence is permission",
		table.BasisNotCaptured:         "nothing is said, and the archives hold no robots.txt that can be read",
		table.BasisUnreachable:         "nothing is said, and robots.txt was unreachable",
		table.BasisCrawlProhibited:     "crawling is not allowed, so nothing is",
		table.BasisUndetermined:        "permission and prohibition of equal rank",
		table.BasisExpired:             "the permission has expired",
		table.BasisLocationMismatch:    "the permission holds at another address only",
		table.BasisReferenceUnresolved: "robots.txt refers to a file that the archives do not hold",
	}
	kindWords = map[table.ConflictKind]string{
		table.ConflictACAPTie:           "ACAP in robots.txt allows and disallows, neither being narrower",
		table.ConflictACAPREP:           "ACAP and the conventional rules of one robots.txt decide crawling differently",
		table.ConflictACAPREPDrift:      "ACAP and the conventional rules differ, but only where one of the two is silent",
		table.ConflictPageRobots:        "ACAP in the page against ACAP in robots.txt",
		table.ConflictPageTie:           "two ACAP METAs of a page",
		table.ConflictPageACAPREP:       "ACAP META against a conventional META or header field",
		table.ConflictREPPageACAPRobots: "a conventional directive of the page against ACAP in robots.txt",
		table.ConflictMetaHeader:        "conventional META against X-Robots-Tag",
		table.ConflictPIMeta:            "processing instruction against META",
		table.ConflictPIHeader:          "processing instruction against X-Robots-Tag",
		table.ConflictPIPI:              "two processing instructions of a page",
		table.ConflictNamedAny:          "a named crawler against any crawler",
		table.ConflictMetaMeta:          "conventional METAs of a page that permit and prohibit",
		table.ConflictPurposeGeneral:    "a rule for a purpose against one for any purpose",
		table.ConflictPurposeTie:        "rules for two purposes that one crawl may have",
		table.ConflictElementPage:       "an element of the page against the page",
		table.ConflictElementTie:        "an element of the page that permits and prohibits",
		table.ConflictReading:           "two readings of the documents decide differently",
	}
	statusWords = map[table.Status]string{
		table.StatusValid:    "as the documents have it",
		table.StatusRepaired: "read in spite of a mistake",
		table.StatusIgnored:  "not known, or not in its place",
		table.StatusInvalid:  "wrong, so that it does not count",
		table.StatusRecorded: "decides nothing",
	}
)
