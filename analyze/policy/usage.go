package policy

import (
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
)

const (
	NoUsage             = terms.NoUsage
	Crawl               = terms.UsageCrawl
	Follow              = terms.UsageFollow
	Index               = terms.UsageIndex
	Preserve            = terms.UsagePreserve
	Present             = terms.UsagePresent
	Other               = terms.UsageOther
	PresentOriginal     = terms.UsagePresentOriginal
	PresentCurrentCopy  = terms.UsagePresentCurrentCopy
	PresentOldCopy      = terms.UsagePresentOldCopy
	PresentSnippet      = terms.UsagePresentSnippet
	PresentExtract      = terms.UsagePresentExtract
	PresentThumbnail    = terms.UsagePresentThumbnail
	PresentOldSnippet   = terms.UsagePresentOldSnippet
	PresentOldExtract   = terms.UsagePresentOldExtract
	PresentOldThumbnail = terms.UsagePresentOldThumbnail
	PresentLink         = terms.UsagePresentLink
	TrainAI             = terms.UsageTrainAI
	Search              = terms.UsageSearch
	AIInput             = terms.UsageAIInput
	TDM                 = terms.UsageTDM
)

// Usages lists the usages of ACAP in order: the six basic ones, then the ten of present.
func Usages() []Usage { return terms.UsagesOf(terms.FamilyACAP) }

// Preferences lists the usages that AI preferences are about, in order.
func Preferences() []Usage { return terms.UsagesOf(terms.FamilyAI) }

// StatedPreferences lists the usages of AI preferences that statements decide about, in order.
func StatedPreferences(statements []Statement) (stated []Usage) {
	for i := range statements {
		if st := &statements[i]; st.Usage.Family() == terms.FamilyAI && st.Status.Decides() {
			stated = appendOnce(stated, st.Usage)
		}
	}
	slices.Sort(stated)
	return stated
}

// ParseUsage reads the name of a usage of ACAP, in any ASCII case. It reports false for any other text.
func ParseUsage(s string) (Usage, bool) {
	u, ok := terms.Parse[Usage](LowerASCII(s))
	if u.Family() != terms.FamilyACAP {
		return NoUsage, false
	}
	return u, ok
}
