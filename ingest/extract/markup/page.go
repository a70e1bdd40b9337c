package markup

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/acapscan/acapscan/ingest/bodytext"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// ParserOf returns the parser for a body (R-PARSE-1). It is XML for text/xml, application/xml and any +xml, and without
// a media type after an XML declaration; else HTML. It is "" if the body is not a page: the media type is another one,
// or it is missing or text/plain and the first bytes do not look like HTML.
func ParserOf(mediaType string, body []byte) facts.Parser {
	as := ParserOfPage(mediaType, body)
	if as == facts.ParsedXML || mediaType == "text/html" ||
		(mediaType == "" || mediaType == "text/plain") && looksHTML(body) {
		return as
	}
	return ""
}

// ParserOfPage is ParserOf for a body that is a page, whatever the media type says.
func ParserOfPage(mediaType string, body []byte) facts.Parser {
	if IsXMLType(mediaType) || mediaType == "" && hasXMLDeclaration(body) {
		return facts.ParsedXML
	}
	return facts.ParsedHTML
}

// IsXMLType reports whether a media type is one of XML.
func IsXMLType(mediaType string) bool {
	return mediaType == "text/xml" || mediaType == "application/xml" || strings.HasSuffix(mediaType, "+xml")
}

func hasXMLDeclaration(body []byte) bool {
	body = bytes.TrimPrefix(body, utf8BOM)
	return bytes.HasPrefix(body, []byte("<?xml")) && len(body) > len("<?xml") && isSpace(body[len("<?xml")])
}

// htmlStarts are the first bytes of HTML without a media type (WHATWG MIME Sniffing 7.1).
var htmlStarts = []string{
	"<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
	"<title", "<b", "<body",
	"<br", "<p", "<meta", "<!--",
}

func looksHTML(body []byte) bool {
	body = bytes.TrimPrefix(body, utf8BOM)
	body = body[skipSpace(body, 0):]
	for _, start := range htmlStarts {
		if FoldPrefix(body, start) && len(body) > len(start) {
			if c := body[len(start)]; isSpace(c) || c == '>' || start == "<!--" {
				return true
			}
		}
	}
	return false
}

// A Scanner finds the directives of one page after the other and reuses its memory. The next page overwrites the
// Findings.
type Scanner struct {
	html  htmlScanner
	xml   xmlScanner
	found Findings
}

// Scan returns the Findings of a body; none if as is "".
func (s *Scanner) Scan(body []byte, as facts.Parser) *Findings {
	s.found.reset()
	switch as {
	case facts.ParsedHTML:
		s.html.scan(body, &s.found)
	case facts.ParsedXML:
		s.xml.scan(body, &s.found)
	}
	return &s.found
}

// Summary returns the Findings of the METAs in a WAT.
func (s *Scanner) Summary(metas []capture.Meta) *Findings {
	s.found.reset()
	s.found.summary(metas)
	return &s.found
}

// headerFields are the names of the header fields that may carry policy (R-HDR-1, R-AIP-3, R-SIG-3, R-TDM-1). Of the
// fields Link only those with a licence of RSL may (R-RSL-1).
var headerFields = []string{"X-Robots-Tag", "Content-Usage", "Content-Signal", "tdm-reservation", "tdm-policy"}

// HasPolicy reports whether a header has one of headerFields.
func HasPolicy(header capture.Header) bool { return slices.ContainsFunc(header, mayCarryPolicy) }

func mayCarryPolicy(field capture.Field) bool {
	for _, name := range headerFields {
		if len(field.Name) == len(name) && field.Is(name) { // nearly all fields end at their lengths, without a call
			return true
		}
	}
	return field.Is("Link") && mayNameLicence(field.Value)
}

// AddHeader adds the headerFields of a header.
func (f *Findings) AddHeader(header capture.Header) {
	for i, field := range header {
		if !mayCarryPolicy(field) {
			continue
		}
		raw := slices.Concat(field.Name, []byte(": "), field.Value)
		f.add(Directive{Carrier: facts.CarrierHeader, offset: i, Name: field.Name, Value: field.Value, raw: raw})
	}
}

// CharsetOf returns the charset of a page: of its byte order mark, the header, or the page itself; else windows-1252
// for HTML and UTF-8 for XML. Known labels become the name of their encoding. It is "" if the body is not a page.
func (f *Findings) CharsetOf(as facts.Parser, served string, body []byte) string {
	label := served
	switch {
	case as == "":
		return ""
	case strings.HasPrefix(served, "utf-16"), strings.HasPrefix(served, "utf-32"):
		return served // package capture has read the bytes
	case bytes.HasPrefix(body, utf8BOM):
		label = "utf-8"
	case label != "":
	case len(f.charset) > 0:
		label = lower(cut(f.charset, 64))
	case as == facts.ParsedXML:
		label = "utf-8"
	default:
		label = "windows-1252"
	}
	if _, name := charset.Lookup(label); name != "" {
		return name
	}
	return strings.ToValidUTF8(label, "\uFFFD")
}

// Page reads a page from outside of an archive, like a capture with this media type and these header fields. mediaType
// may have a charset; "" means unknown. The fact has all raw directives, even where a page in an archive would have no
// row, and no origin. Offsets are those in Text. A body that is not a page has an empty ParsedAs and the header's
// directives.
func Page(body []byte, mediaType string, header capture.Header) facts.Fact {
	var s Scanner
	mediaType, served := contentType(mediaType, header)
	body, encoding := bodytext.Decode(body, served)
	if encoding != "" {
		served = encoding
	}
	as := ParserOf(mediaType, body)
	found := s.Scan(body, as)
	found.AddHeader(header)
	return facts.Fact{
		Kind: facts.KindPage, MimeType: mediaType, BodyBytes: int64(len(body)), ParsedAs: as,
		Charset: found.CharsetOf(as, served, body), Directives: found.Copy(), Defects: found.Defects,
	}
}

// Text returns a body as Page reads it: UTF-16 and UTF-32 are turned into UTF-8 (R-LEX-1).
func Text(body []byte, mediaType string, header capture.Header) []byte {
	_, served := contentType(mediaType, header)
	text, _ := bodytext.Decode(body, served)
	return text
}

// contentType separates a media type and its charset, which the header may have instead.
func contentType(mediaType string, header capture.Header) (mime, charset string) {
	mime, _, _ = strings.Cut(mediaType, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	if _, charset = capture.ContentType(mediaType); charset == "" {
		_, charset = capture.ContentType(string(header.Get("Content-Type")))
	}
	return mime, charset
}
