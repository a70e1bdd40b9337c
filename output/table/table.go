// Package table defines the rows of the eight tables. Parquet and Arrow schema, the data dictionary (docs/tables.md) and the
// schema files (docs/schema) are all made from these structs and their tags, so that a column is described in one place.
//
// The package knows rows, not policies: it decides nothing, reads no file and imports no part of analyze. Columns of an
// enumeration hold the names of package terms.
//
// Every column has the tags parquet (name and encoding), doc, example and since (the SchemaVersion that brought it). A pointer
// is a nullable column: null means not observed or not applicable, and neither "" nor -1 ever stands for it. Lists and maps are
// never null; an empty one holds nothing.
package table

import (
	"iter"
	"maps"
	"slices"
	"time"
)

// A Host is what a URL says of the machine it leads to, in the columns of Common Crawl's columnar index.
type Host struct {
	HostName         string  `parquet:"url_host_name,plain" doc:"Host name of the URL, in lower case, internationalised names in their xn-- form." example:"www.example.co.uk" since:"1"`
	HostNameReversed *string `parquet:"url_host_name_reversed,optional,plain" doc:"Host name with its labels in reverse order, so that the hosts of a domain sort together. Null for an IP address." example:"uk.co.example.www" since:"1"`
	HostTLD          *string `parquet:"url_host_tld,optional,dict" doc:"Last label of the host name. Null for an IP address." example:"uk" since:"1"`
	RegisteredDomain *string `parquet:"url_host_registered_domain,optional,plain" doc:"Registered domain of the host under the ICANN part of the public suffix list. Null for an IP address and for a public suffix itself." example:"example.co.uk" since:"1"`
	SURTHostName     string  `parquet:"surt_host_name,plain" doc:"Host part of url_surtkey, without the port." example:"uk,co,example" since:"1"`
	Protocol         string  `parquet:"url_protocol,dict" doc:"Scheme of the URL, in lower case." example:"https" since:"1"`
	Port             *int32  `parquet:"url_port,optional" doc:"Port, where the URL writes one." example:"8080" since:"1"`
}

// A Key is where a capture came from: its URL, its fetch, its content and its record in an archive. Names and derivations are
// those of Common Crawl's columnar index. (WARCFilename, RecordOffset) is exact, save for records that share a compressed member.
type Key struct {
	URLSurtkey *string `parquet:"url_surtkey,optional,plain" doc:"SURT form of the URL, made as the Internet Archive's aggressive canonicaliser does. Null only in rows about a site." example:"uk,co,example)/news?id=7" since:"1"`
	URL        *string `parquet:"url,optional,plain" doc:"URL of the capture, as the archive writes it. Null only in rows about a site." example:"https://www.example.co.uk/news?id=7" since:"1"`
	Host
	Path          *string    `parquet:"url_path,optional,plain" doc:"Path of the URL." example:"/news" since:"1"`
	Query         *string    `parquet:"url_query,optional,plain" doc:"Query of the URL, without the question mark. Null where the URL has none." example:"id=7" since:"1"`
	FetchTime     *time.Time `parquet:"fetch_time,optional,timestamp(millisecond)" doc:"Time of the capture (WARC-Date), UTC." example:"2018-08-14T09:26:53.000Z" since:"1"`
	FetchStatus   *int16     `parquet:"fetch_status,optional" doc:"HTTP status of the answer. Null where none could be read." example:"200" since:"1"`
	FetchRedirect *string    `parquet:"fetch_redirect,optional,plain" doc:"Target of a redirect, made absolute." example:"https://www.example.co.uk/robots.txt" since:"1"`
	ContentDigest *string    `parquet:"content_digest,optional,plain" doc:"SHA-1 of the payload in base32, as the archive states it (WARC-Payload-Digest without sha1:)." example:"FZDQQJYDQLYCQTLJ3MHYRHB3EQZVAXYS" since:"1"`
	MIMEType      *string    `parquet:"content_mime_type,optional,dict" doc:"Media type that the server stated, in lower case and without parameters." example:"text/html" since:"1"`
	MIMEDetected  *string    `parquet:"content_mime_detected,optional,dict" doc:"Media type that the crawler detected, where the archive says so." example:"application/xhtml+xml" since:"1"`
	Languages     *string    `parquet:"content_languages,optional,dict" doc:"Languages that the crawler detected, ISO-639-3 codes with commas between, where the archive says so." example:"eng,cym" since:"1"`
	Truncated     *string    `parquet:"content_truncated,optional,dict" doc:"Why the payload is cut, as the archive says (WARC-Truncated: length, time, disconnect, unspecified); length-suspected where only its length speaks for a cut. Null: whole." example:"length" since:"1"`
	WARCSegment   *string    `parquet:"warc_segment,optional,dict" doc:"Segment of the crawl, where the path of the input names one." example:"1534221215284.54" since:"1"`
	WARCFilename  *string    `parquet:"warc_filename,optional,dict" doc:"Archive file that holds the record: from crawl-data/ on where the path has it, else the input as given." example:"crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/robotstxt/CC-MAIN-20180819012213-20180819032213-00000.warc.gz" since:"1"`
	RecordOffset  *int64     `parquet:"warc_record_offset,optional" doc:"Offset in bytes of the record (compressed: of its member) in the file." example:"854213" since:"1"`
	RecordLength  *int64     `parquet:"warc_record_length,optional" doc:"Length in bytes of the record in the file, as compressed there. Null where records share a compressed member." example:"1432" since:"1"`
}

// Counts are numbers by name: a MAP in Parquet, sorted by key.
type Counts map[string]int64

// All goes through the names, sorted, and their numbers.
func (c Counts) All() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if !yield(name, c[name]) {
				return
			}
		}
	}
}

// CountsOf returns the entries of m; nil if m is empty.
func CountsOf[K ~string](m map[K]int64) Counts {
	if len(m) == 0 {
		return nil
	}
	counts := make(Counts, len(m))
	for key, value := range m {
		counts[string(key)] = value
	}
	return counts
}

// A Qualifier is a restriction on a permission, as written.
type Qualifier struct {
	Name  string `parquet:"name,dict"`
	Value string `parquet:"value,plain"`
}

// Observed returns a nullable column's value: null where v is the zero value of its type, which must then mean "not observed".
// It is for text and enumerations; a number whose zero is a value of its own needs [Of].
func Observed[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Of returns a nullable column's value that is there, whatever it is.
func Of[T any](v T) *T { return &v }

// Millis returns the time of a number of milliseconds since 1970 in UTC, as columns of time hold it; null for 0, which in facts
// means "not known".
func Millis(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	return Of(time.UnixMilli(ms).UTC())
}
