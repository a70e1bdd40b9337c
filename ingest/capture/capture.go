// Package capture reads an HTTP capture from an archive record: URL, time, status, header, and the decoded body.
//
// It accepts what archives contain: headers without a status line, declared codings that the body does not have,
// truncated bodies, and the summaries in WAT files. Package extract interprets bodies, package archive reads records.
package capture

import (
	"crypto/sha1"
	"encoding/base32"
	"time"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// A Capture is an answer of a web server, or an archive's summary of one. The next Read overwrites it, and the next
// record of the archive its body. Its strings may be kept, its byte slices may not.
type Capture struct {
	URL    string     // as in the archive
	Parsed weburl.URL // of URL
	Site   string     // scheme, host and port, from weburl.URL.Site
	Time   time.Time  // UTC; zero if unknown

	Status   int    // of the status line; 0 if missing
	Redirect string // the Location of a 3xx answer, resolved against URL; "" if missing or invalid
	Header   Header // of HTTP; empty for a resource record
	MimeType string // as served, without parameters, in lower case; "" if missing or malformed
	Charset  string // the parameter of the media type, in lower case; "" if missing

	// Body is the decoded body: without transfer and content codings, and with UTF-16 and UTF-32 turned into UTF-8. It
	// has at most Options.MaxBody bytes. It is nil in a revisit, and if Options.Want refused it.
	Body          []byte
	BodyBytes     int64 // length of the decoded body, counted up to Options.MaxCount; of a refused body: of the payload
	BodyTruncated bool  // Body is incomplete, because of the limit or in the archive or on the wire

	// Digest is the SHA-1 of the payload in base32 as WARC-Payload-Digest states it, "" if the record has none: see
	// PayloadDigest.
	Digest    string
	payload   []byte // all of it, if PayloadDigest is to compute the digest; else nil
	Truncated string // value of WARC-Truncated, TruncatedSuspected, or ""

	MimeDetected string // WARC-Identified-Payload-Type

	// Summary is the WAT's summary of the page, instead of Body; nil in other archives.
	Summary *Summary

	Record *archive.Record // valid until the archive's Reader overwrites it
	Length int64           // of the record in the input, in bytes; the caller sets it from archive.Reader.Finish

	Defects []Defect // of HTTP, each once
}

// PayloadDigest returns Digest, or else the SHA-1 of the bytes after the HTTP header as archived, as in warcio. It
// computes it now, since most captures have no row. "" if the record states none and Options.Want refused the body.
func (c *Capture) PayloadDigest() string {
	if c.Digest == "" && c.payload != nil {
		sum := sha1.Sum(c.payload)
		c.Digest = base32.StdEncoding.EncodeToString(sum[:])
	}
	return c.Digest
}

// TruncatedSuspected is the value of Capture.Truncated for a payload as long as Common Crawl's limit, if nothing else
// says that the payload is truncated. The limit was 1 MiB before 2025 and is 5 MiB since.
const TruncatedSuspected = "length-suspected"

// IsRobots reports whether this is a capture of the site's robots.txt.
func (c *Capture) IsRobots() bool { return c.Parsed.IsRobots() }

// A Field is one line of an HTTP header, with undecoded bytes, and without white space around the value.
type Field struct{ Name, Value []byte }

// A Header is the fields of an HTTP header, in order.
type Header []Field

// Get returns the value of the first field of that name, in any case, or nil.
func (h Header) Get(name string) []byte {
	for i := range h {
		if h[i].Is(name) {
			return h[i].Value
		}
	}
	return nil
}

// Is reports whether the field has this name, in any case.
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

// A Defect is the code of one way in which a capture violates HTTP. Codes are stable, because tables have them.
//
// Each constant's comment is its row in docs/defects.md, which a test of cmd/acapscan generates.
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
	// the header is longer than the limit (Options.MaxHeader). The body is unknown.
	HeaderTooLarge Defect = "http-header-too-large"
	// the header ends without an empty line.
	HeaderEnd Defect = "http-header-unterminated"
	// an extra blank line stands between header and body. It is skipped.
	ExtraBlankLine Defect = "http-extra-blank-line"
	// the header declares chunks and the body has none, as often in archives. The body is read as it is.
	NotChunked Defect = "http-not-chunked"
	// the header declares a content coding and the body has none. The body is read as it is.
	NotCoded Defect = "http-not-coded"
	// the content coding is unknown. The body is kept as it is.
	CodingUnknown Defect = "http-coding-unknown"
	// a coded body ends early or is damaged. What could be decoded is kept.
	TruncatedBody Defect = "truncated-body"
	// the body is shorter than Content-Length.
	ShortBody Defect = "http-short-body"
	// the body is longer than the limit (Options.MaxBody). The rest is counted and dropped.
	BodyLimit Defect = "body-limit"
	// the body is longer than the limit for counting (Options.MaxCount). Its length is a lower bound.
	CountLimit Defect = "body-count-limit"
	// the archive is damaged within the record.
	RecordDamaged Defect = "http-record-damaged"
	// the Location of a redirect is not a web address.
	LocationInvalid Defect = "http-location-invalid"
	// the SHA-1 digest of the payload cannot be read.
	DigestInvalid Defect = "http-payload-digest-invalid"
	// the JSON of a WAT record is damaged after its answer. What stands before the damage is read.
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

// A Skip is the reason why a record is not a capture. It is an error: the caller counts it and continues.
type Skip string

// Reasons to skip a record.
const (
	SkipType   Skip = "record-type" // a request, metadata outside of a WAT, warcinfo, conversion, …
	SkipScheme Skip = "not-http"    // dns:, ftp:, urn: and other URLs without a site
	SkipURL    Skip = "no-url"      // the record has no URL
	SkipWAT    Skip = "wat-damaged" // a WAT record that is unreadable before its answer
)

// Error returns one sentence.
func (s Skip) Error() string { return "the record is no HTTP capture (" + string(s) + ")" }
