// Package hostiletest makes captures that take stage 2 much time for their size, for tests.
package hostiletest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A Capture is an archived exchange of a hostile corpus.
type Capture struct {
	URL      string
	Day      int    // days since the first capture
	Location string // of a redirect; "" where there is none
	Robots   string // the body of a file in robots.txt syntax; "" of pages and redirects
	Metas    []Meta // of a page
}

// A Meta is a META element of a page.
type Meta struct{ Name, Content string }

// A Kind is a way to take much time.
type Kind struct {
	Name string
	// Full is the size that once took too long.
	Full int
	// Make returns captures of about size sites, or of size pages of one site.
	Make func(size int) []Capture
}

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		{"rules", 1000, rules},
		{"redirects", 3000, redirects},
		{"references", 3000, references},
		{"pages under stars", 200, pagesUnderStars},
		{"names in pages", 1000, namesInPages},
	}
}

var (
	usages = []string{
		"crawl", "follow", "index", "preserve", "present", "other", "present-original", "present-currentcopy",
		"present-oldcopy", "present-snippet",
		"present-extract", "present-thumbnail", "present-oldsnippet", "present-oldextract", "present-oldthumbnail",
		"present-link",
	}
	senses = []string{"allow", "disallow"}
)

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// stars makes a pattern with several wildcards.
func stars(r *rand.Rand, least, most int) string {
	var b strings.Builder
	b.WriteByte('/')
	for range least + r.IntN(most-least+1) {
		b.WriteByte('*')
		for range 1 + r.IntN(2) {
			b.WriteByte(byte('a' + r.IntN(6)))
		}
	}
	if r.IntN(3) == 0 {
		b.WriteByte('$')
	}
	return b.String()
}

// rules: each host has 6,000 bytes of ACAP about all usages, to many agents, with several '*' in each pattern.
func rules(hosts int) (list []Capture) {
	for host := range hosts {
		r := rand.New(rand.NewPCG(1, uint64(host)))
		var b strings.Builder
		b.WriteString("##ACAP version=1.1\n")
		for n := 0; b.Len() < 6000; n++ {
			if n%4 == 0 {
				fmt.Fprintf(&b, "ACAP-crawler: %s\n", []string{"*", fmt.Sprintf("bot%d", r.IntN(40))}[r.IntN(2)])
			}
			fmt.Fprintf(&b, "ACAP-%s-%s: %s\n", pick(r, senses), pick(r, usages), stars(r, 2, 5))
		}
		list = append(list, Capture{URL: fmt.Sprintf("http://h%d.example/robots.txt", host), Robots: b.String()})
	}
	return list
}

// redirects: each host redirects three times to one host, of which five captures have 500 KiB of conventional rules
// with two '*'.
func redirects(hosts int) (list []Capture) {
	for version := range 5 {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for n := version; b.Len() < 499<<10; n++ {
			fmt.Fprintf(&b, "Disallow: /*%d*a\n", n)
		}
		list = append(list, Capture{URL: "http://target.example/robots.txt", Day: 10 * version, Robots: b.String()})
	}
	for host := range hosts {
		for turn := range 3 {
			list = append(list, Capture{
				URL: fmt.Sprintf("http://h%d.example/robots.txt", host), Day: 13*turn +
					host%7, Location: "http://target.example/robots.txt",
			})
		}
	}
	return list
}

// references: each host refers to seven others, and has a rule for those that refer to it.
func references(hosts int) (list []Capture) {
	for host := range hosts {
		var b strings.Builder
		b.WriteString("ACAP-crawler: *\n")
		for n := range 7 {
			fmt.Fprintf(&b, "ACAP-permissions-reference: http://h%d.example/robots.txt\n", (host+1+n*n)%hosts)
		}
		fmt.Fprintf(&b, "ACAP-disallow-index: /%d\n", host)
		list = append(list, Capture{URL: fmt.Sprintf("http://h%d.example/robots.txt", host), Robots: b.String()})
	}
	return list
}

// pagesUnderStars: each of many patterns with '*' matches other pages of one host.
func pagesUnderStars(pages int) (list []Capture) {
	r := rand.New(rand.NewPCG(4, 4))
	var b strings.Builder
	b.WriteString("##ACAP version=1.1\nACAP-crawler: *\n")
	for b.Len() < 300<<10 {
		fmt.Fprintf(&b, "ACAP-%s-%s: %s\n", pick(r, senses), pick(r, usages), stars(r, 2, 12))
	}
	list = append(list, Capture{URL: "http://one.example/robots.txt", Robots: b.String()})
	for page := range pages {
		path := []byte("/")
		for range 100 {
			path = append(path, byte('a'+r.IntN(6)))
		}
		list = append(list, Capture{
			URL: fmt.Sprintf("http://one.example%s%d", path,
				page), Day: 1, Metas: []Meta{{"robots", "ACAP allow-follow"}, {"robots", "noarchive"}},
		})
	}
	return list
}

// namesInPages: pages of one site that each name hundreds of agents and purposes.
func namesInPages(pages int) (list []Capture) {
	list = append(list, Capture{URL: "http://one.example/robots.txt",
		Robots: "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /a\n"})
	for page := range pages {
		r := rand.New(rand.NewPCG(5, uint64(page)))
		c := Capture{URL: fmt.Sprintf("http://one.example/a/%d", page), Day: 1}
		for n := range 200 {
			c.Metas = append(c.Metas, Meta{
				fmt.Sprintf("bot%d", r.IntN(100_000)), fmt.Sprintf("ACAP p%d %s-%s", n, pick(r, senses),
					pick(r, usages)),
			})
		}
		list = append(list, c)
	}
	return list
}

// Page returns the markup of a page.
func (c Capture) Page() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>t</title>")
	for _, m := range c.Metas {
		fmt.Fprintf(&b, "<meta name=%q content=%q>", m.Name, m.Content)
	}
	b.WriteString("</head><body></body></html>\n")
	return b.String()
}

// Archive returns the captures as a WARC file with a gzip member for each.
func Archive(captures []Capture) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(nil)
	for _, c := range captures {
		status, mediaType, location, body := "200 OK", "text/plain", "", c.Robots
		switch {
		case c.Location != "":
			status, location = "301 Moved Permanently", "Location: "+c.Location+"\r\n"
		case len(c.Metas) > 0:
			mediaType, body = "text/html", c.Page()
		}
		block := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s", status, mediaType,
			location, len(body), body)
		date := time.Date(2010, 1, 1+c.Day, 9, 0, 0, 0, time.UTC).Format(time.RFC3339)
		z.Reset(&b)
		fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\n"+
			"Content-Type: application/http; msgtype=response\r\n"+
			"Content-Length: %d\r\n\r\n%s\r\n\r\n", c.URL, date, len(block), block)
		z.Close() // a buffer takes all that is written
	}
	return b.Bytes()
}
