package policy

import "github.com/acapscan/acapscan/internal/terms"

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
)

// Usages lists all usages in order: the six basic ones, then the ten of present.
func Usages() []Usage { return terms.All[Usage]() }

// ParseUsage reads the name of a usage, in any ASCII case. It reports false for any other text.
func ParseUsage(s string) (Usage, bool) { return terms.Parse[Usage](LowerASCII(s)) }
