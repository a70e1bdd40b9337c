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

// A Defect is the code of one way in which a capture differs from HTTP. Codes are stable: they stand in tables.
//
// The comment of each constant is its row in docs/defects.md, which a test of cmd/acapscan generates.
type Defect string

// Defects of HTTP.
const (
	// the block of a response does not begin with an HTTP header.
	NoHeader Defect = "http-no-header"
	// the header has no status line.
	NoStatusLine Defect = "http-no-status-line"
	// the status is not three digits from 100 to 599.
	StatusInvalid Defect = "http-status-invalid"
	// a line has no colon. It is skipped.
	HeaderNoColon Defect = "http-header-no-colon"
	// a field continues over several lines. They are joined.
	HeaderFolded Defect = "http-header-folded"
	// the header is longer than the limit (Options.MaxHeader). The body is not found.
	HeaderTooLarge Defect = "http-header-too-large"
	// the header ends without an empty line.
	HeaderEnd Defect = "http-header-unterminated"
	// an extra blank line stands between header and body. It is skipped.
	ExtraBlankLine Defect = "http-extra-blank-line"
	// the header declares chunks and the body has none, as archives often have it. The body is read as it is.
	NotChunked Defect = "http-not-chunked"
	// the header declares a content coding and the body has none. The body is read as it is.
	NotCoded Defect = "http-not-coded"
	// the content coding is unknown. The body is kept as it is.
	CodingUnknown Defect = "http-coding-unknown"
	// a coded body ends early or is damaged. What could be decoded is kept.
	TruncatedBody Defect = "truncated-body"
	// the body is shorter than Content-Length.
	ShortBody Defect = "http-short-body"
	// the body is longer than the limit for keeping (Options.MaxBody). The rest is counted and dropped.
	BodyLimit Defect = "body-limit"
	// the body is longer than the limit for counting (Options.MaxCount).
	CountLimit Defect = "body-count-limit"
	// the archive is damaged within the record.
	RecordDamaged Defect = "http-record-damaged"
	// the Location of a redirect is not a web address.
	LocationInvalid Defect = "http-location-invalid"
	// the SHA-1 digest of the payload cannot be read.
	DigestInvalid Defect = "http-payload-digest-invalid"
	// the JSON of a WAT record is damaged behind its answer. What stands before the damage is read.
	WATInvalid Defect = "wat-json-invalid"
	// a WAT record has more JSON, header fields or METAs than the limit. The first are read.
	WATLimit Defect = "wat-limit"
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
