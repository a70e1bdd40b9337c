package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/tools/conformance"
)

// explain and the table permissions say the same of the documents of the conformance suite, on the same bytes: as they
// are, and in UTF-16 and UTF-32 of either byte order (R-LEX-1). Each case is a crawl of its own. Cases that are crawls
// themselves, or that ask to read otherwise, are left out. Where tests may not be long, it takes one case of twelve.
func TestExplainSaysWhatPermissionsSayOfTheSuite(t *testing.T) {
	t.Parallel()
	cases, err := conformance.ReadAll(os.DirFS(filepath.Join("..", "..", "testdata", "conformance")))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	archives := filepath.Join(folder, "crawl")
	if err := os.Mkdir(archives, 0o777); err != nil {
		t.Fatal(err)
	}
	oneOf := 12
	if longtest.Enabled() {
		oneOf = 1
	}
	crawls := map[string]*suiteCrawl{}
	for i, c := range cases {
		if i%oneOf != 0 || c.Crawl != nil || c.Options != (conformance.Options{}) || c.Truncated ||
			len(c.Questions) == 0 {
			continue
		}
		for _, encode := range []suiteEncoding{suiteEncodings[0], suiteEncodings[1+i/oneOf%(len(suiteEncodings)-1)]} {
			s := newSuiteCrawl(t, c, encode, folder)
			if s == nil {
				continue
			}
			crawls[s.name] = s
			if err := os.WriteFile(filepath.Join(archives, s.name+".warc"), s.archive.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := scanOf(t, exitDone, archives, "--permissions", "all", "--pages", "all")
	sites, pages, wide := 0, 0, 0
	for q, want := range questionsOf(t, out) {
		s := crawls[q.crawl]
		if s == nil || !s.sites[q.site] {
			continue // of a file that is referred to
		}
		args := []string{"explain", "--json", "--agent", q.agent, "--at", suiteTime.Format(time.RFC3339)}
		if q.purpose != "" {
			args = append(args, "--purpose", q.purpose)
		}
		switch q.url {
		case "":
			sites++
			args = append(args, "--url", q.site+"/")
		case q.site + "/robots.txt": // a page in its place (R-LEX-7)
			pages++
			args = append(args, "--url", q.url, "--media-type", "text/plain", "--page", s.robots[1])
		default:
			pages++
			args = append(append(args, "--url", q.url), s.page...)
		}
		if s.wide {
			wide++
		}
		args = append(args, s.robots...)
		saysTheSame(t, s.name+": "+strings.Join(args, " "), objects(t, must(t, exitDone, args...).stdout), want)
		if t.Failed() && sites+pages > 20 {
			t.FailNow()
		}
	}
	t.Logf("%d questions about sites and %d about pages, %d of them in UTF-16 or UTF-32", sites, pages, wide)
	if few := sites < 70 || pages < 15 || wide < 40; few || oneOf == 1 && (sites < 1200 || pages < 350 || wide < 800) {
		t.Errorf("%d questions about sites and %d about pages, %d in UTF-16 or UTF-32: the test has lost its subject",
			sites, pages, wide)
	}
}

// A suiteCrawl is a case of the suite as an archive, and the same documents as flags of explain.
type suiteCrawl struct {
	name         string
	archive      bytes.Buffer
	sites        map[string]bool
	robots, page []string
	wide         bool
}

var suiteTime = time.Date(2012, 5, 17, 9, 0, 0, 0, time.UTC)

// newSuiteCrawl writes the documents of a case in an encoding; nil where they are no text.
func newSuiteCrawl(t *testing.T, c *conformance.Case, e suiteEncoding, folder string) *suiteCrawl {
	t.Helper()
	s := &suiteCrawl{name: strings.ReplaceAll(c.Path, "/", "-") + e.name, sites: map[string]bool{},
		wide: e.encode != nil}
	encode := func(document []byte) []byte {
		if e.encode == nil || document == nil {
			return document
		}
		return e.encode(strings.TrimPrefix(string(document), "\ufeff"))
	}
	documents := [][]byte{c.Robots, c.Page}
	for _, document := range c.Referred {
		documents = append(documents, document)
	}
	if s.wide && slices.ContainsFunc(documents,
		func(d []byte) bool { return !utf8.Valid(d) || strings.Contains(string(d), "\x00") }) {
		return nil
	}
	s.record("warcinfo", "", "application/warc-fields", []byte("isPartOf: "+s.name+"\r\n"))
	file := func(kind string, body []byte) string {
		name := filepath.Join(folder, s.name+"-"+kind)
		if err := os.WriteFile(name, body, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}

	mediaType := "text/html"
	if c.MediaType != nil {
		mediaType = *c.MediaType
	}
	var served []conformance.Header
	if mediaType != "" {
		served = append(served, conformance.Header{"Content-Type", mediaType})
		s.page = append(s.page, "--media-type", mediaType)
	}
	for _, h := range c.Headers {
		s.page = append(s.page, "--header", h[0]+": "+h[1])
	}
	body := encode(c.Page)
	if c.Page != nil {
		s.page = append(s.page, "--page", file("page", body))
	}
	captured := map[string]bool{}
	for _, q := range c.Questions {
		u, ok := weburl.Split(q.URL)
		if !ok || captured[q.URL] {
			continue
		}
		captured[q.URL] = true
		if site := u.Site(); !s.sites[site] {
			s.sites[site] = true
			switch {
			case c.Robots != nil:
				s.response(site+"/robots.txt", http.StatusOK, []conformance.Header{{"Content-Type", "text/plain"}},
					encode(c.Robots))
			case c.Answer == "answered":
				s.response(site+"/robots.txt", http.StatusNotFound, nil, nil)
			case c.Answer == "unreachable":
				s.response(site+"/robots.txt", http.StatusServiceUnavailable, nil, nil)
			}
			for locator, document := range c.Referred {
				if at, ok := weburl.Resolve(site+"/robots.txt", locator); ok {
					s.response(at, http.StatusOK, []conformance.Header{{"Content-Type", "text/plain"}},
						encode(document))
				}
			}
		}
		if u.Path != "/robots.txt" && (c.Page != nil || c.Headers != nil) {
			s.response(q.URL, http.StatusOK, append(served, c.Headers...), body)
		}
	}
	switch {
	case c.Robots != nil:
		s.robots = []string{"--robots", file("robots", encode(c.Robots))}
		for locator, document := range c.Referred {
			if strings.Contains(string(c.Robots), locator) { // else another file refers to it
				s.robots = append(s.robots, "--referred", locator+"="+file(fmt.Sprintf("referred-%x", locator),
					encode(document)))
			}
		}
	case c.Answer == "answered":
		s.robots = []string{"--robots-status", "404"}
	case c.Answer == "unreachable":
		s.robots = []string{"--robots-status", "503"}
	}
	return s
}

func (s *suiteCrawl) response(url string, status int, headers []conformance.Header, body []byte) {
	var block strings.Builder
	fmt.Fprintf(&block, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, h := range headers {
		fmt.Fprintf(&block, "%s: %s\r\n", h[0], h[1])
	}
	fmt.Fprintf(&block, "Content-Length: %d\r\n\r\n%s", len(body), body)
	s.record("response", url, "application/http; msgtype=response", []byte(block.String()))
}

func (s *suiteCrawl) record(kind, url, contentType string, block []byte) {
	fmt.Fprintf(&s.archive, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:%s-%d>\r\n", kind,
		suiteTime.Format(time.RFC3339), s.name, s.archive.Len())
	if url != "" {
		fmt.Fprintf(&s.archive, "WARC-Target-URI: %s\r\n", url)
	}
	fmt.Fprintf(&s.archive, "Content-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", contentType, len(block), block)
}

// A suiteEncoding writes a text with its byte order mark.
type suiteEncoding struct {
	name   string
	encode func(text string) []byte // nil: as it is
}

var suiteEncodings = []suiteEncoding{
	{"", nil},
	{"-utf-16le", func(text string) []byte { return wide16(binary.LittleEndian, text) }},
	{"-utf-16be", func(text string) []byte { return wide16(binary.BigEndian, text) }},
	{"-utf-32le", func(text string) []byte { return wide32(binary.LittleEndian, text) }},
	{"-utf-32be", func(text string) []byte { return wide32(binary.BigEndian, text) }},
}

func wide16(order binary.AppendByteOrder, text string) (b []byte) {
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func wide32(order binary.AppendByteOrder, text string) (b []byte) {
	for _, r := range "\ufeff" + text {
		b = order.AppendUint32(b, uint32(r))
	}
	return b
}
