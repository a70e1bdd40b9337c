package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/url"
	"strings"
	"time"
)

// A warc collects the records of one WARC file.
type warc struct {
	c       *collection
	file    file
	crawl   string // of its rows in the tables
	clock   time.Time
	info    string // id of the warcinfo
	triples bool   // captures come as request, response, metadata
	records [][]byte
}

// newWARC begins a file with its warcinfo. Without a crawl in the path its captures belong to crawl local.
func (c *collection) newWARC(path, date, shows string) *warc {
	w := &warc{c: c, file: file{path: path, shows: shows}, crawl: "local", clock: day(date)}
	isPartOf := ""
	if _, rest, found := strings.Cut(path, "crawl-data/"); found {
		w.crawl, _, _ = strings.Cut(rest, "/")
		w.triples = true
		isPartOf = "isPartOf: " + w.crawl + "\r\n"
	}
	name := path[strings.LastIndex(path, "/")+1:]
	w.info = w.id("warcinfo")
	w.add(record{
		typ: "warcinfo", date: w.stamp(), id: w.info, contentType: "application/warc-fields", fields: []string{"WARC-Filename: " + name},
		block: []byte("software: acapscan testdata/warc/write\r\n" + isPartOf + "description: made for tests, no third-party content\r\n" +
			"format: WARC File Format 1.0\r\nrobots: classic\r\n"),
	})
	return w
}

func day(date string) time.Time {
	t, err := time.Parse("2006-01-02", date)
	if err != nil {
		panic(err) // a date of this program
	}
	return t.Add(9 * time.Hour)
}

// stamp returns the time and lets a minute pass.
func (w *warc) stamp() string {
	s := w.clock.Format(time.RFC3339)
	w.clock = w.clock.Add(time.Minute)
	return s
}

// on sets the day of what follows.
func (w *warc) on(date string) *warc {
	w.clock = day(date)
	return w
}

// id makes a record id of the file's name, the record's place and its role.
func (w *warc) id(role string) string {
	h := sha1.Sum(fmt.Appendf(nil, "%s %d %s", w.file.path, len(w.records), role))
	h[6], h[8] = h[6]&0x0F|0x50, h[8]&0x3F|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// A record is one WARC record.
type record struct {
	version     string // 1.0 where empty
	typ         string
	uri         string
	date        string
	id          string
	contentType string
	fields      []string // further header lines
	block       []byte
}

// header returns the lines before the block, the empty one left out.
func (r record) header() []string {
	lines := []string{"WARC/1.0", "WARC-Type: " + r.typ, "WARC-Date: " + r.date, "WARC-Record-ID: " + r.id}
	if r.version != "" {
		lines[0] = "WARC/" + r.version
	}
	lines = append(lines, fmt.Sprintf("Content-Length: %d", len(r.block)), "Content-Type: "+r.contentType)
	lines = append(lines, r.fields...)
	if r.uri != "" {
		lines = append(lines, "WARC-Target-URI: "+r.uri)
	}
	return lines
}

func (r record) bytes() []byte {
	return r.with(r.header())
}

// with returns the record under other header lines.
func (r record) with(header []string) []byte {
	return fmt.Appendf(nil, "%s\r\n\r\n%s\r\n\r\n", strings.Join(header, "\r\n"), r.block)
}

func (w *warc) add(r record) {
	w.records = append(w.records, r.bytes())
	w.file.records++
}

// response returns a response record of the capture.
func (w *warc) response(uri string, http []byte, fields ...string) record {
	fields = append([]string{"WARC-Warcinfo-ID: " + w.info, "WARC-IP-Address: 192.0.2.7"}, fields...)
	if _, payload, found := bytes.Cut(http, []byte("\r\n\r\n")); found {
		fields = append(fields, "WARC-Payload-Digest: "+digest(payload))
	}
	return record{
		typ: "response", uri: uri, date: w.stamp(), id: w.id("response"), contentType: "application/http; msgtype=response",
		fields: fields, block: http,
	}
}

func digest(b []byte) string {
	sum := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// capture adds one HTTP exchange.
func (w *warc) capture(uri string, http []byte, fields ...string) {
	r := w.response(uri, http, fields...)
	if !w.triples {
		w.add(r)
		return
	}
	u, err := url.Parse(uri)
	if err != nil {
		panic(err) // an address of this program
	}
	concurrent := []string{"WARC-Warcinfo-ID: " + w.info, "WARC-Concurrent-To: " + r.id}
	w.add(record{
		typ: "request", uri: uri, date: r.date, id: w.id("request"), contentType: "application/http; msgtype=request", fields: concurrent,
		block: fmt.Appendf(nil, "GET %s HTTP/1.0\r\nHost: %s\r\nUser-Agent: CCBot/1.0 (+http://crawler.example/faq)\r\nAccept: text/html,*/*;q=0.5\r\n\r\n",
			u.RequestURI(), u.Host),
	})
	w.add(r)
	w.add(record{
		typ: "metadata", uri: uri, date: r.date, id: w.id("metadata"), contentType: "application/warc-fields", fields: concurrent,
		block: []byte("fetchTimeMs: 61\r\n"),
	})
}

// revisit adds a record that says that the payload was the same as before.
func (w *warc) revisit(uri string, http, payload []byte) {
	w.add(record{
		typ: "revisit", uri: uri, date: w.stamp(), id: w.id("revisit"), contentType: "application/http; msgtype=response",
		fields: []string{
			"WARC-Warcinfo-ID: " + w.info, "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
			"WARC-Payload-Digest: " + digest(payload),
		},
		block: http,
	})
}

// robots adds a robots.txt as text/plain, and says what must be seen of its site.
func (w *warc) robots(siteName, body, outcome, class, shows string) {
	w.capture(siteName+"/robots.txt", ok("text/plain", body))
	w.expect(siteName, outcome, class, shows)
}

func (w *warc) expect(siteName, outcome, class, shows string) {
	folder, _, _ := strings.Cut(w.file.path, "/")
	w.c.sites = append(w.c.sites, site{w.crawl, siteName, outcome, class, shows, folder})
}

// page adds a page, and says what must be seen of it.
func (w *warc) page(url string, http []byte, shows string, conflicts ...string) {
	w.capture(url, http)
	w.c.pages = append(w.c.pages, page{w.crawl, url, conflicts, shows})
}

// done writes the records, a gzip member each, or plainly where the name does not end in .gz.
func (w *warc) done() {
	if strings.HasSuffix(w.file.path, ".gz") {
		w.doneWith(members(w.records...))
		return
	}
	w.doneWith(bytes.Join(w.records, nil))
}

// doneWith ends the file with the given bytes.
func (w *warc) doneWith(data []byte, defects ...string) {
	w.file.data, w.file.defects = data, defects
	w.c.files = append(w.c.files, w.file)
}

// members compresses each text as a gzip member, without a name or time.
func members(texts ...[]byte) []byte {
	var b bytes.Buffer
	for _, text := range texts {
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			panic(err) // the level is one
		}
		z.Write(text) // a bytes.Buffer takes everything
		z.Close()
	}
	return b.Bytes()
}

// stored makes a gzip member of stored blocks, whose bytes are known: a header of 10 bytes, the blocks, then checksum and length.
func stored(text []byte) []byte {
	b := append([]byte{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF}, storedBlocks(text)...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(text))
	return binary.LittleEndian.AppendUint32(b, uint32(len(text)))
}

// storedBlocks makes a DEFLATE stream of stored blocks (RFC 1951, section 3.2.4): for each of at most 65,535 bytes a header of 5.
func storedBlocks(text []byte) []byte {
	var b []byte
	for rest := text; ; {
		n := min(len(rest), 0xFFFF)
		final := byte(0)
		if n == len(rest) {
			final = 1
		}
		b = append(b, final, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		b = append(b, rest[:n]...)
		if rest = rest[n:]; len(rest) == 0 {
			return b
		}
	}
}

// storedAll makes a member of each text.
func storedAll(texts ...[]byte) []byte {
	var b []byte
	for _, text := range texts {
		b = append(b, stored(text)...)
	}
	return b
}
