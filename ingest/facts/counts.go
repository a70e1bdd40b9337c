package facts

// Names of the counters of a site fact. A capture of a page is counted under CountPages and, where it applies, under
// the others; every percentage of a survey has one of them as its denominator.
const (
	CountPages            = "pages"
	CountHTML             = "html"
	CountXML              = "xml"
	CountACAPMeta         = "acap-meta"            // pages with an ACAP META in the head
	CountACAPBody         = "acap-meta-in-body"    // pages with an ACAP META in the body
	CountACAPClass        = "acap-class"           // pages with an ACAP class token
	CountPI               = "pi"                   // pages with a robots PI
	CountXRobotsTag       = "x-robots-tag"         // captures with an X-Robots-Tag field
	CountConventional     = "conventional"         // pages with a conventional META in the head
	CountConventionalBody = "conventional-in-body" // pages with one in the body
	CountBytes            = "bytes"                // decoded bytes of the captures
	CountCaptures         = "captures"             // captures of any kind, robots.txt included
	CountMetaPrefix       = "meta:"                // + normalised content of the conventional METAs in a page's head
	CountMetaOther        = "meta:(other)"         // contents beyond the bound on distinct ones
	CountStatusPrefix     = "status:"              // + 2xx, 3xx, 4xx, 5xx, other, none
	CountDefectPrefix     = "defect:"              // + code
	CountPartial          = "partial"              // captures that a WAT sums up
	// pages among them: what they have in class attributes and PIs cannot be known
	CountPagesPartial = "pages-partial"
)

// Names of the counters of an input fact, next to the ones above, which sum up its captures.
const (
	CountMembers = "members"
	CountRecords = "records"
	// + type: warcinfo, response, request, resource, metadata, revisit, conversion, other
	CountRecordPrefix     = "record:"
	CountRobots           = "robots" // captures of /robots.txt
	CountPolicyFiles      = "policy-files"
	CountPagesKept        = "pages-kept"
	CountSkippedPrefix    = "skipped:" // + reason
	CountTruncatedRecords = "truncated-records"
	CountFirstDefect      = "first-defect-offset"
	CountIncomplete       = "incomplete"    // 1 where the input was not read to its end
	CountRecordsAsked     = "records-asked" // of an input of which single records were read, by their coordinates
)
