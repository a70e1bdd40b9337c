// Package facts is the contract between the two stages: what reading an archive yields and what judging policies begins
// with. A fact holds raw text, never a parsed statement, so that a better parser re-runs the second stage only. The
// package defines the rows, their order and their forms on disk (Parquet) and on a pipe (Arrow IPC); it reads no
// archive and knows no policy.
package facts

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// SchemaVersion is the version of the Fact row and of the order of facts. 1: the first. 2: facts are ordered by crawl,
// what policies are made of comes before pages, and pages are in order of time. 3: METAs that stand in the body of a
// page are among its directives. 4: facts files are sorted blocks, bodies apart, and no longer Parquet. 5: a page in
// the place of a robots.txt has a digest in place of its body.
const SchemaVersion = 5

// LocalCrawl is the crawl of a fact that names none: archives of one's own have no name.
const LocalCrawl = "local"

// A Kind tells what a Fact is about.
type Kind string

const (
	KindInput  Kind = "input"  // one input file: counts and errors
	KindRobots Kind = "robots" // a capture of /robots.txt, failures and redirects included
	KindPolicy Kind = "policy" // a capture of another file that a policy may point to
	KindPage   Kind = "page"   // a captured page listed in table pages, with its raw directives
	// a copy of a capture that another site's robots.txt leads to; Site is the site that asked
	KindAnswer Kind = "answer"
	KindSite   Kind = "site" // one input's counters of a site
)

var kinds = [...]Kind{KindInput, KindRobots, KindPolicy, KindPage, KindAnswer, KindSite}

// order is the place of a kind among the facts of a site. A kind that this program does not know comes first.
func (k Kind) order() int {
	switch k {
	case KindSite:
		return 1
	case KindPolicy:
		return 2
	case KindAnswer:
		return 3
	case KindRobots:
		return 4
	case KindPage:
		return 5
	}
	return 0
}

// A Carrier is where in a capture a raw directive stood.
type Carrier string

const (
	CarrierMeta   Carrier = "meta"
	CarrierClass  Carrier = "class"
	CarrierPI     Carrier = "pi"
	CarrierHeader Carrier = "http-header"
	CarrierLink   Carrier = "link" // a link element of the head that names a licence of RSL
)

// A Parser is how a page was read (R-PARSE-1).
type Parser string

const (
	ParsedHTML Parser = "html"
	ParsedXML  Parser = "xml"
)

// A Directive is one piece of markup or one header field that may carry policy, as written.
type Directive struct {
	Carrier Carrier `parquet:"carrier,dict"`
	// byte offset in the decoded body of the tag, PI or element; index among the header fields; negative: not known, in
	// the order of the page
	Offset int64 `parquet:"offset"`
	// META name, element name in lower case, PI target, header field name, "link"
	Name string `parquet:"name,dict"`
	// META content, class token, PI data, header value, target of a link; entities decoded
	Value     string `parquet:"value,plain"`
	ElementID string `parquet:"element_id,plain"` // of a class token's element; "" if none
	// typographic quotes stood around an attribute value and were repaired (R-META-2)
	SmartQuotes bool `parquet:"smart_quotes"`
	Late        bool `parquet:"late"` // a PI after text or elements (R-PI-1)
	// a META in the body (R-META-1); false for a WAT, which does not say where a META stands
	InBody bool `parquet:"in_body"`
	// the tag, token, PI or field as written, at most MaxRaw bytes; "": not known
	Raw string `parquet:"raw,plain"`
}

// MaxRaw bounds Directive.Raw and Directive.Value, in bytes.
const MaxRaw = 4096

// MaxDirectives bounds the directives of one page; the defect "directives-limit" tells that there were more.
const MaxDirectives = 10_000

// A Count is a named number of something seen.
type Count struct {
	Name  string `parquet:"name,dict"`
	Value int64  `parquet:"value"`
}

// A Fact is one row of the contract. Fields that do not belong to its Kind are zero; "" and 0 mean not observed.
type Fact struct {
	Kind     Kind   `parquet:"kind,dict"`
	SiteHash int64  `parquet:"site_hash"`  // HashSite(Site), not negative
	Site     string `parquet:"site,plain"` // scheme, host and port as weburl.URL.Site gives them; "" for inputs
	Crawl    string `parquet:"crawl,dict"`
	Subset   string `parquet:"subset,dict"`

	// The capture: robots, policy and page facts.
	URL           string `parquet:"url,plain"`
	FetchTime     int64  `parquet:"fetch_time"`   // milliseconds since 1970 UTC; 0: not known
	FetchStatus   int32  `parquet:"fetch_status"` // 0: none
	FetchRedirect string `parquet:"fetch_redirect,plain"`
	ContentDigest string `parquet:"content_digest,plain"` // base32 SHA-1 of the payload, without "sha1:"
	MimeType      string `parquet:"content_mime_type,dict"`
	MimeDetected  string `parquet:"content_mime_detected,dict"`
	Languages     string `parquet:"content_languages,dict"`
	// reason: length, time, disconnect, …; suspected ones say so
	Truncated    string `parquet:"content_truncated,dict"`
	Segment      string `parquet:"warc_segment,dict"`
	Filename     string `parquet:"warc_filename,dict"`
	RecordOffset int64  `parquet:"warc_record_offset"`
	RecordLength int64  `parquet:"warc_record_length"` // -1: the record has no length of its own
	RecordIndex  int64  `parquet:"record_index"`       // among the records that share a compressed member, from 0
	RecordType   string `parquet:"record_type,dict"`   // response, resource, revisit; metadata: a WAT's
	// a WAT sums it up: METAs without a place, header fields, no body
	Partial bool `parquet:"partial"`

	// robots, policy: the body, decoded, at most the extractor's limit. Mostly one body a digest and site in a
	// task: a later capture of the same digest has none, unless the task has forgotten the body by then.
	Body []byte `parquet:"body,optional,plain"`
	// the body of a robots or policy fact lacks the letters acap, in any case; known of facts that were sorted
	NoACAP        bool  `parquet:"-"`
	BodyBytes     int64 `parquet:"body_bytes"` // of the whole decoded body, also where Body holds less
	BodyTruncated bool  `parquet:"body_truncated"`
	// PageDigest is the SHA-256 in hex of a body that is a page (R-LEX-7) without the letters of ACAP, and that the
	// first stage left out: Body is empty, and not nil. "" for every other body.
	PageDigest string `parquet:"page_digest,plain"`

	// pages, and robots answers that are markup (R-LEX-7).
	ParsedAs   Parser      `parquet:"parsed_as,dict"`
	Charset    string      `parquet:"charset,dict"`
	Directives []Directive `parquet:"directives,list"`

	Defects []string `parquet:"defects,list,dict"` // codes of archive, HTTP and page defects
	Counts  []Count  `parquet:"counts,list"`       // input and site facts, in order of Name

	// inputs
	InputBytes  int64  `parquet:"input_bytes"`        // as read, compressed; -1: not known
	InputDigest string `parquet:"input_digest,plain"` // SHA-256 in hex of the bytes read
	Error       string `parquet:"error,plain"`
}

// HashSite spreads sites evenly over [0, 2^63). Facts are ordered by it, and a bucket of sites is a range of it, so
// that the number of buckets is chosen when the facts are read. The scheme does not count: the http and the https site
// of a host are neighbours.
func HashSite(site string) int64 {
	if _, authority, ok := strings.Cut(site, "://"); ok {
		site = authority
	}
	sum := sha256.Sum256([]byte(site))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// CrawlName is the crawl that the fact belongs to, LocalCrawl where it names none.
func (f *Fact) CrawlName() string { return cmp.Or(f.Crawl, LocalCrawl) }

// Compare orders facts: by host and crawl; then all that policies of the host are made of, for http and https, before
// all pages; then by site and kind. Pages are in order of time, so that they pass by the policies in force at theirs.
// All else is newest first: where a bound cuts, it is the oldest that is left out. What is left goes by URL and place
// in the archive. It is the order of a facts file.
func Compare(a, b *Fact) int {
	if c := cmp.Compare(a.SiteHash, b.SiteHash); c != 0 {
		return c
	}
	if c := strings.Compare(a.CrawlName(), b.CrawlName()); c != 0 {
		return c
	}
	aKind, bKind := a.Kind.order(), b.Kind.order()
	page := KindPage.order()
	if (aKind == page) != (bKind == page) {
		return cmp.Compare(aKind, bKind)
	}
	if c := cmp.Or(strings.Compare(a.Site, b.Site), cmp.Compare(aKind, bKind)); c != 0 {
		return c
	}
	time := cmp.Compare(a.FetchTime, b.FetchTime)
	if aKind != page {
		time = -time
	}
	return cmp.Or(
		time,
		strings.Compare(a.URL, b.URL),
		strings.Compare(a.Filename, b.Filename),
		cmp.Compare(a.RecordOffset, b.RecordOffset),
		cmp.Compare(a.RecordIndex, b.RecordIndex),
	)
}

// Extension ends the name of a facts file. The content is Parquet; the name is not *.parquet, so that a reader of
// finished tables does not pick up facts.
const Extension = ".facts"
