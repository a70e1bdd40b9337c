package terms

import (
	"fmt"
	"slices"
)

// A Usage is something that may be done with a resource (S3 4.5.3.1, S2 2.4). A statement about present covers the ten
// used resource types of present; a decision about present itself is about a form of presentation that none of the ten
// names.
type Usage uint8

const (
	NoUsage Usage = iota
	UsageCrawl
	UsageFollow
	UsageIndex
	UsagePreserve
	UsagePresent
	UsageOther
	UsagePresentOriginal
	UsagePresentCurrentCopy
	UsagePresentOldCopy
	UsagePresentSnippet
	UsagePresentExtract
	UsagePresentThumbnail
	UsagePresentOldSnippet
	UsagePresentOldExtract
	UsagePresentOldThumbnail
	UsagePresentLink
	UsageTrainAI
	UsageSearch
	UsageAIInput
	UsageTDM

	// UsageCount is one more than the last usage: the length of an array with a place for each, NoUsage included.
	UsageCount = int(iota)
)

// usages is the table of usages: one row each.
var usages = [UsageCount]struct {
	name   string
	phrase string // what a crawler does; %s is what it does it to
	form   bool   // a used resource type of present, which a statement about present covers (S3 4.5.2.5.1)
	family Family // the zero Family: that of ACAP
}{
	UsageCrawl:              {name: "crawl", phrase: "fetch %s"},
	UsageFollow:             {name: "follow", phrase: "follow the links in %s"},
	UsageIndex:              {name: "index", phrase: "index %s"},
	UsagePreserve:           {name: "preserve", phrase: "keep a copy of %s"},
	UsagePresent:            {name: "present", phrase: "show %s to users in any form"},
	UsageOther:              {name: "other", phrase: "use %s in any other way"},
	UsagePresentOriginal:    {name: "present-original", phrase: "show %s as it is on its site", form: true},
	UsagePresentCurrentCopy: {name: "present-currentcopy", phrase: "show the latest copy kept of %s", form: true},
	UsagePresentOldCopy:     {name: "present-oldcopy", phrase: "show an older copy kept of %s", form: true},
	UsagePresentSnippet:     {name: "present-snippet", phrase: "show a snippet of %s", form: true},
	UsagePresentExtract:     {name: "present-extract", phrase: "show an extract from %s", form: true},
	UsagePresentThumbnail:   {name: "present-thumbnail", phrase: "show a thumbnail of %s", form: true},
	UsagePresentOldSnippet:  {name: "present-oldsnippet", phrase: "show a snippet of an older copy of %s", form: true},
	UsagePresentOldExtract: {name: "present-oldextract", phrase: "show an extract from an older copy of %s",
		form: true},
	UsagePresentOldThumbnail: {name: "present-oldthumbnail", form: true,
		phrase: "show a thumbnail of an older copy of %s"},
	UsagePresentLink: {name: "present-link", phrase: "show a link to %s", form: true},
	UsageTrainAI:     {name: "train-ai", phrase: "train AI models on %s", family: FamilyAI},
	UsageSearch:      {name: "search", phrase: "list %s in a search application", family: FamilyAI},
	UsageAIInput:     {name: "ai-input", phrase: "give %s to an AI model as input", family: FamilyAI},
	UsageTDM:         {name: "tdm", phrase: "mine the text and data of %s", family: FamilyAI},
}

// A Family is the usages that statements of some vocabularies are about, and that are decided alike.
type Family uint8

const (
	FamilyACAP Family = iota // usages of ACAP, some of which conventional directives are about, too
	FamilyAI                 // usages that AI preferences are about
)

var families = list{FamilyACAP: {"acap", "usages of ACAP"}, FamilyAI: {"ai", "usages of AI preferences"}}

func (f Family) String() string { return families.name(uint8(f)) }

// Phrase describes the family.
func (f Family) Phrase() string { return families.phrase(uint8(f)) }
func (Family) size() int        { return len(families) }

// Family returns the family that u belongs to.
func (u Usage) Family() Family { return usages[u].family }

// UsagesOf lists the usages of a family in their documented order.
func UsagesOf(f Family) []Usage {
	return slices.DeleteFunc(All[Usage](), func(u Usage) bool { return u.Family() != f })
}

func (u Usage) String() string {
	if int(u) >= len(usages) {
		return fmt.Sprintf("invalid(%d)", u)
	}
	return usages[u].name
}

func (Usage) size() int { return len(usages) }

// Of says what a crawler does that uses a thing so, such as "follow the links in /a".
func (u Usage) Of(thing string) string { return fmt.Sprintf(usages[u].phrase, thing) }

// IsPresentation reports whether u is one of the ten used resource types of present.
func (u Usage) IsPresentation() bool { return int(u) < len(usages) && usages[u].form }

// Covers reports whether a statement about u is also one about v: about u itself, or one of the ten where u is present
// (S3 4.5.2.5.1).
func (u Usage) Covers(v Usage) bool { return u == v || u == UsagePresent && v.IsPresentation() }
