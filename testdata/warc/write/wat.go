package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// An object is a JSON object whose members keep their order, as those of a WAT do. A name may stand twice.
type object []member

type member struct {
	name  string
	value any // an object, a list of them, a text or a list of texts
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// A summary is what a WAT says of one record.
type summary struct {
	typ, url, status string // of the record
	header           object
	metas            []object // nil: it was not read as HTML
	payload          string   // of which the digest is
	arc              bool     // the record was one of an ARC
}

func (s summary) json(date string) []byte {
	message := object{{"Response-Message", object{{"Version", "HTTP/1.1"}, {"Status", s.status}, {"Reason", "-"}}},
		{"Headers-Length", "120"}, {"Headers", s.header}}
	if s.metas != nil {
		message = append(message, member{"HTML-Metadata", object{
			{"Head", object{{"Metas", s.metas}, {"Title", "Report"}}},
			{"Links", []object{{{"path", "A@/href"}, {"url", "/"}, {"text", "ACAP"}}}},
		}})
	}
	message = append(message, member{"Entity-Length", fmt.Sprint(len(s.payload))}, member{"Entity-Digest", digest([]byte(s.payload))})
	payload := object{{"Actual-Content-Type", "application/http; msgtype=" + s.typ}}
	head := member{"WARC-Header-Metadata", object{{"WARC-Type", s.typ}, {"WARC-Date", date}, {"WARC-Target-URI", s.url}}}
	format := "WARC/1.0"
	switch {
	case s.typ == "request":
		payload = append(payload, member{"HTTP-Request-Metadata", object{{"Headers", s.header}}})
	case s.arc:
		digits := strings.NewReplacer("-", "", ":", "", "T", "", "Z", "").Replace(date)
		head = member{"ARC-Header-Metadata", object{{"Target-URI", s.url}, {"IP", "192.0.2.7"}, {"Date", digits}, {"Content-Type", "text/html"}}}
		format = "ARC"
		fallthrough
	default:
		payload = append(payload, member{"HTTP-Response-Metadata", message})
	}
	b, err := json.Marshal(object{
		{"Container", object{{"Filename", "reports.warc.gz"}, {"Compressed", true}, {"Offset", "512"}}},
		{"Envelope", object{{"Payload-Metadata", payload}, {"Format", format}, {"WARC-Header-Length", "300"}, head}},
	})
	if err != nil {
		panic(err) // of texts of this program
	}
	return b
}

// summary adds a metadata record. Its own date is that of the extraction, months after the capture.
func (w *warc) summary(s summary) {
	date := w.stamp()
	w.add(record{
		typ: "metadata", uri: s.url, date: "2019-02-01T00:00:00Z", id: w.id("metadata"), contentType: "application/json", block: s.json(date),
	})
}

// watMeta is a META as a WAT has it.
func watMeta(name, content string) object { return object{{"name", name}, {"content", content}} }

// addWATs adds summaries as Common Crawl and the Internet Archive publish them (WAT): METAs and header fields, no body. The layout is
// that of commoncrawl/ia-web-commons.
func addWATs(c *collection) {
	htmlHeader := object{{"Content-Type", "text/html; charset=utf-8"}, {"Server", "httpd"}}
	page := wire("wat")
	none := []object{}

	w := c.newWARC("good/wat/summaries.warc.wat.gz", "2018-08-19", "a WAT: each capture summed up as JSON; its robots.txt has no body there")
	w.summary(summary{typ: "request", url: page + "/1.html", header: object{{"Host", "wat.wire-service.example"}}})
	for _, s := range []struct {
		shows string
		summary
	}{
		{"a WAT: ACAP and conventional METAs without a place", summary{url: page + "/1.html", header: htmlHeader, metas: []object{
			{{"http-equiv", "Content-Type"}, {"content", "text/html"}}, watMeta("robots", "ACAP version 1.1"), watMeta("robots", "ACAP disallow-preserve"),
			watMeta("SearchBot1", "ACAP allow-preserve"), watMeta("robots", "noarchive"), watMeta("description", "Reports come in."),
			{{"name", "author"}}, {{"property", "og:title"}, {"content", "Report"}},
		}}},
		{"a WAT: X-Robots-Tag twice, as a list", summary{url: page + "/2.html", metas: none,
			header: object{{"Content-Type", "text/html"}, {"X-Robots-Tag", []string{"noindex", "SearchBot1: nofollow"}}}}},
		{"a WAT: XHTML, whose processing instructions are not told", summary{url: page + "/3.xhtml", metas: []object{watMeta("robots", "noindex")},
			header: object{{"Content-Type", "application/xhtml+xml"}}}},
		{"a WAT: no HTML, but X-Robots-Tag", summary{url: page + "/4.pdf", header: object{{"Content-Type", "application/pdf"}, {"X-Robots-Tag", "noarchive"}}}},
		{"a WAT: says nothing: counted", summary{url: page + "/5.html", header: htmlHeader, metas: none}},
		{"a WAT made of an ARC", summary{url: page + "/6.html", header: htmlHeader, metas: []object{watMeta("robots", "ACAP disallow-index")}, arc: true}},
		{"a WAT: an answer of failure, whose METAs do not count", summary{url: page + "/7.html", status: "404", header: htmlHeader,
			metas: []object{watMeta("robots", "ACAP disallow-index")}}},
	} {
		s.typ, s.payload = "response", "Reports come in."
		if s.status == "" {
			s.status = "200"
		}
		w.summary(s.summary)
		c.pages = append(c.pages, pageOf(w.crawl, s.url, s.shows))
	}
	w.summary(summary{typ: "response", url: page + "/robots.txt", status: "200", header: object{{"Content-Type", "text/plain"}}, payload: "User-agent: *\nDisallow: /wat/\n"})
	w.expect(page, unresolved, beyond, "a WAT: the answer is there and its body is not, so that it cannot say no-rules")
	w.add(record{typ: "metadata", uri: page + "/1.html", date: w.stamp(), id: w.id("metadata"), contentType: "application/json", block: []byte(`{"annotations":["no WAT"]}`)})
	w.done()

	page = wire("wat-limit")
	w = c.newWARC("good/wat/many-metas.warc.wat.gz", "2018-08-19", "a WAT of a page with 10,001 METAs: `wat-limit`")
	many := make([]object, 10_001)
	for i := range many {
		many[i] = watMeta("keywords", "tides")
	}
	many[0], many[10_000] = watMeta("robots", "ACAP disallow-index"), watMeta("robots", "ACAP disallow-preserve")
	w.summary(summary{typ: "response", url: page + "/1.html", status: "200", header: htmlHeader, metas: many, payload: "Reports come in."})
	w.expect(page, notCaptured, beyond, "a WAT with more METAs than are read")
	w.done()

	// The archive is whole; the JSON is not.
	page = wire("wat-cut")
	w = c.newWARC("damaged/wat-cut.warc.wat.gz", "2018-08-19", "a WAT whose JSON is cut: in its links, and before its answer: `wat-json-invalid`, and a record that is skipped")
	text := summary{typ: "response", url: page + "/1.html", status: "200", header: htmlHeader, metas: []object{watMeta("robots", "ACAP disallow-index")}}.json(w.stamp())
	for _, end := range []string{`"Links"`, `"HTTP-Response-Metadata"`} {
		cut, _, _ := bytes.Cut(text, []byte(end))
		w.add(record{typ: "metadata", uri: page + "/1.html", date: w.stamp(), id: w.id("metadata"), contentType: "application/json", block: cut})
	}
	w.done()
}

func pageOf(crawl, url, shows string) page { return page{crawl: crawl, url: url, shows: shows} }
