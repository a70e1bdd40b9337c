// Package capture reads one HTTP capture out of an archive record: URL, time, status, header, and the body with its codings
// undone. It takes what archives hold: headers without a status line, codings that are named and not there, bodies that end too
// early, and the summaries that a WAT has in place of answers. It must not judge content: what a body says is the business of package extract, how records are framed that of package
// archive.
package capture

import (
	"time"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// A Capture is one answer of a web server, or what an archive holds in place of one. It belongs to the Reader that made it and
// is overwritten by the next Read; its strings may be kept, its byte slices may not.
type Capture struct {
	URL    string     // as the archive has it
	Parsed weburl.URL // of URL
	Site   string     // scheme, host and port, as weburl.URL.Site gives them
	Time   time.Time  // UTC; zero if the archive does not tell

	Status   int    // of the status line; 0: none
	Redirect string // the Location of a 3xx answer, resolved against URL; "" if there is none that can be
	Header   Header // of HTTP; empty for a resource record
	MimeType string // as served, without parameters, in lower case; "" if missing or no media type
	Charset  string // the parameter of the media type, in lower case; "" if missing

	// Body is the body with transfer and content codings undone and UTF-16 and UTF-32 turned into UTF-8, at most
	// Options.MaxBody bytes of it. nil where the body was not wanted and in a revisit.
	Body          []byte
	BodyBytes     int64 // of the whole body, decoded as far as Options.MaxCount; of a body that was not wanted: of the payload
	BodyTruncated bool  // Body is not all there was, by the cap, in the archive or on the wire

	// Digest is the SHA-1 of the payload in base32: what the record's WARC-Payload-Digest says or, where it says none in SHA-1,
	// the digest of the bytes behind the HTTP header as the archive has them, no coding undone: what warcio computes. ""
	// where the record says none and the body was not wanted.
	Digest    string
	Truncated string // reason of WARC-Truncated, TruncatedSuspected, or ""

	MimeDetected string // WARC-Identified-Payload-Type

	// Summary is what a WAT says of the page; then there is no Body. nil: the capture is out of a record of its own.
	Summary *Summary

	Record *archive.Record // valid as long as the archive's Reader says
	Length int64           // of the record in the input, in bytes; set by who knows it, from archive.Reader.Finish

	Defects []Defect // of HTTP, each once
}

// TruncatedSuspected stands in Capture.Truncated where nothing says that the payload was cut, but its length is exactly the limit
// of Common Crawl: 1 MiB before 2025, 5 MiB since.
const TruncatedSuspected = "length-suspected"

// IsRobots tells whether this is a capture of its site's robots.txt.
func (c *Capture) IsRobots() bool { return c.Parsed.IsRobots() }

// A Field is one line of an HTTP header, bytes as they are, white space around the value removed.
type Field struct{ Name, Value []byte }

// A Header is the fields of an HTTP header in their order.
type Header []Field

// Get returns the value of the first field of that name, in any case; nil if there is none.
func (h Header) Get(name string) []byte {
	for i := range h {
		if h[i].Is(name) {
			return h[i].Value
		}
	}
	return nil
}

// Is tells whether the field has this name, in any case.
func (f Field) Is(name string) bool {
	if len(f.Name) != len(name) {
		return false
	}
	for i := range name {
		if toLower(f.Name[i]) != toLower(name[i]) {
			return false
		}
	}
	return true
}

func toLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// A Defect is the code of one way in which a capture is not what HTTP says. The codes are stable: they stand in tables.
type Defect string

// Defects of HTTP.
const (
	NoHeader        Defect = "http-no-header"        // a response whose block does not begin with an HTTP header
	NoStatusLine    Defect = "http-no-status-line"   // a header without one
	StatusInvalid   Defect = "http-status-invalid"   // a status that is not three digits from 100 to 599
	HeaderNoColon   Defect = "http-header-no-colon"  // a line without a colon; it is ignored
	HeaderFolded    Defect = "http-header-folded"    // a field goes on over several lines
	HeaderTooLarge  Defect = "http-header-too-large" // longer than Options.MaxHeader; the body is not found
	HeaderEnd       Defect = "http-header-unterminated"
	ExtraBlankLine  Defect = "http-extra-blank-line"       // between header and body; it is skipped
	NotChunked      Defect = "http-not-chunked"            // said to be chunked, is not; read as it is
	NotCoded        Defect = "http-not-coded"              // said to be content-coded, is not; read as it is
	CodingUnknown   Defect = "http-coding-unknown"         // a content coding that is not known; the body is kept as it is
	TruncatedBody   Defect = "truncated-body"              // a coded body that ends early or is damaged; what could be decoded is kept
	ShortBody       Defect = "http-short-body"             // fewer bytes than the Content-Length of a body without codings
	BodyLimit       Defect = "body-limit"                  // longer than Options.MaxBody; the rest is counted and dropped
	CountLimit      Defect = "body-count-limit"            // longer than Options.MaxCount; the rest is not even counted
	RecordDamaged   Defect = "http-record-damaged"         // the archive is damaged within the record
	LocationInvalid Defect = "http-location-invalid"       // a 3xx answer whose Location is no web address
	DigestInvalid   Defect = "http-payload-digest-invalid" // a SHA-1 WARC-Payload-Digest that cannot be read
	WATInvalid      Defect = "wat-json-invalid"            // a record of a WAT whose JSON cannot be read to its end; what stands before is kept
	WATLimit        Defect = "wat-limit"                   // a record of a WAT with more JSON, header fields or METAs than is read
)

// Defects returns every defect.
func Defects() []Defect {
	return []Defect{
		NoHeader, NoStatusLine, StatusInvalid, HeaderNoColon, HeaderFolded, HeaderTooLarge, HeaderEnd,
		ExtraBlankLine, NotChunked, NotCoded, CodingUnknown, TruncatedBody, ShortBody,
		BodyLimit, CountLimit, RecordDamaged, LocationInvalid, DigestInvalid, WATInvalid, WATLimit,
	}
}

// A Skip is the reason why a record is no capture. It is an error that callers count and go on after.
type Skip string

// Reasons to skip a record.
const (
	SkipType   Skip = "record-type" // a request, metadata that is no WAT's, warcinfo, conversion, …
	SkipScheme Skip = "not-http"    // dns:, ftp:, urn: and other addresses that have no site
	SkipURL    Skip = "no-url"      // no address at all
	SkipWAT    Skip = "wat-damaged" // a record of a WAT that cannot be read as far as its answer
)

// Error returns one sentence.
func (s Skip) Error() string { return "the record is no HTTP capture (" + string(s) + ")" }
