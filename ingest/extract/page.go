package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/acapscan/acapscan/ingest/bodytext"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// parserOf returns the parser for a body (R-PARSE-1). It is XML for text/xml, application/xml and any +xml, and without
// a media type after an XML declaration; else HTML. It is "" if the body is not a page: the media type is another one,
// or it is missing or text/plain and the first bytes do not look like HTML.
func parserOf(mediaType string, body []byte) facts.Parser {
	switch {
	case mediaType == "text/html":
		return facts.ParsedHTML
	case isXMLType(mediaType):
		return facts.ParsedXML
	case mediaType == "" && hasXMLDeclaration(body):
		return facts.ParsedXML
	case (mediaType == "" || mediaType == "text/plain") && looksHTML(body):
		return facts.ParsedHTML
	}
	return ""
}

func isXMLType(mediaType string) bool {
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
		if foldPrefix(body, start) && len(body) > len(start) {
			if c := body[len(start)]; isSpace(c) || c == '>' || start == "<!--" {
				return true
			}
		}
	}
	return false
}

// A scanner scans one body after the other and reuses its memory.
type scanner struct {
	html  htmlScanner
	xml   xmlScanner
	found findings
}

// scan sets s.found.
func (s *scanner) scan(body []byte, as facts.Parser) {
	s.found.reset()
	switch as {
	case facts.ParsedHTML:
		s.html.scan(body, &s.found)
	case facts.ParsedXML:
		s.xml.scan(body, &s.found)
	}
}

// header adds the X-Robots-Tag fields to s.found (R-HDR-1).
func (s *scanner) header(header capture.Header) {
	for i, f := range header {
		if !f.Is("X-Robots-Tag") {
			continue
		}
		raw := make([]byte, 0, len(f.Name)+len(": ")+len(f.Value))
		raw = append(append(append(raw, f.Name...), ": "...), f.Value...)
		s.found.add(rawDirective{carrier: facts.CarrierHeader, offset: i, name: f.Name, value: f.Value, raw: raw})
	}
}

// charsetOf returns the charset of a page: of its byte order mark, the header, or the page itself; else windows-1252
// for HTML and UTF-8 for XML. Known labels become the name of their encoding. It is "" if the body is not a page.
func charsetOf(as facts.Parser, served string, body, inPage []byte) string {
	label := served
	switch {
	case as == "":
		return ""
	case strings.HasPrefix(served, "utf-16"), strings.HasPrefix(served, "utf-32"):
		return served // package capture has read the bytes
	case bytes.HasPrefix(body, utf8BOM):
		label = "utf-8"
	case label != "":
	case len(inPage) > 0:
		label = lower(cut(inPage, 64))
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
	var s scanner
	mediaType, served := contentType(mediaType, header)
	body, encoding := bodytext.Decode(body, served)
	if encoding != "" {
		served = encoding
	}
	as := parserOf(mediaType, body)
	s.scan(body, as)
	s.header(header)
	f := facts.Fact{
		Kind: facts.KindPage, MimeType: mediaType, BodyBytes: int64(len(body)), ParsedAs: as,
		Charset: charsetOf(as, served, body, s.found.charset), Directives: s.found.copyDirectives(),
	}
	for _, d := range s.found.defects {
		f.Defects = append(f.Defects, string(d))
	}
	return f
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
