package policy

// A Usage is something that may be done with a resource (S3 4.5.3.1, S2 2.4). A statement about Present covers the ten used
// resource types of present; a decision about Present itself is about a form of presentation that none of the ten names.
type Usage uint8

const (
	NoUsage Usage = iota
	Crawl
	Follow
	Index
	Preserve
	Present
	Other
	PresentOriginal
	PresentCurrentCopy
	PresentOldCopy
	PresentSnippet
	PresentExtract
	PresentThumbnail
	PresentOldSnippet
	PresentOldExtract
	PresentOldThumbnail
	PresentLink
)

var usageNames = [...]string{
	NoUsage: "", Crawl: "crawl", Follow: "follow", Index: "index", Preserve: "preserve", Present: "present", Other: "other",
	PresentOriginal: "present-original", PresentCurrentCopy: "present-currentcopy", PresentOldCopy: "present-oldcopy",
	PresentSnippet: "present-snippet", PresentExtract: "present-extract", PresentThumbnail: "present-thumbnail",
	PresentOldSnippet: "present-oldsnippet", PresentOldExtract: "present-oldextract", PresentOldThumbnail: "present-oldthumbnail",
	PresentLink: "present-link",
}

func (u Usage) String() string { return name(usageNames[:], int(u)) }

// Usages lists the sixteen in order: the six basic ones, then the ten of present.
func Usages() []Usage {
	all := make([]Usage, 0, len(usageNames)-1)
	for u := Crawl; u <= PresentLink; u++ {
		all = append(all, u)
	}
	return all
}

// ParseUsage reads the name of one of the sixteen usages, in any ASCII case. It reports false for any other text.
func ParseUsage(s string) (Usage, bool) {
	for u := Crawl; u <= PresentLink; u++ {
		if equalFoldASCII(s, usageNames[u]) {
			return u, true
		}
	}
	return NoUsage, false
}

// IsPresentation tells whether u is one of the ten used resource types of present.
func (u Usage) IsPresentation() bool { return u >= PresentOriginal && u <= PresentLink }

// Covers tells whether a statement about u speaks of v: of itself, or of one of the ten where u is Present (S3 4.5.2.5.1).
func (u Usage) Covers(v Usage) bool { return u == v || u == Present && v.IsPresentation() }
