package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// level is the level of Common Crawl's members, gzip's default.
const level = 6

// An archive is a WARC file being written.
type archive struct {
	file    *os.File
	out     *bufio.Writer
	gz      *gzip.Writer
	seed    string // of its record ids
	records int
	info    string // id of the warcinfo
	clock   time.Time
	buf     bytes.Buffer
}

func newArchive(path, seed string) (*archive, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	a := &archive{file: file, out: bufio.NewWriterSize(file, 1<<20), seed: seed,
		clock: time.Date(2023, 3, 20, 8, 35, 13, 0, time.UTC)}
	if a.gz, err = gzip.NewWriterLevel(a.out, level); err != nil {
		return nil, err
	}
	a.info = a.id()
	block := "isPartOf: " + crawl + "\r\npublisher: acapscan, tools/corpus\r\n" +
		"description: made for benchmarks\r\noperator: none\r\nhostname: bench.example\r\n" +
		"software: acapscan tools/corpus\r\n" +
		"robots: checked via crawler-commons 1.4-SNAPSHOT\r\nformat: WARC File Format 1.1\r\n" +
		"conformsTo: https://iipc.github.io/warc-specifications/\r\n"
	return a, a.write([]byte(block), "warcinfo", a.info, "application/warc-fields",
		"WARC-Filename: "+filepath.Base(path))
}

func (a *archive) close() error {
	if err := a.out.Flush(); err != nil {
		return err
	}
	return a.file.Close()
}

// id makes a record id from the name of the archive and the number of the record.
func (a *archive) id() string {
	a.records++
	h := sha1.Sum(fmt.Appendf(nil, "%s %d", a.seed, a.records))
	h[6], h[8] = h[6]&0x0F|0x40, h[8]&0x3F|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// write writes one record as one member.
func (a *archive) write(block []byte, typ, id, contentType string, fields ...string) error {
	b := &a.buf
	b.Reset()
	fmt.Fprintf(b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: %s\r\nContent-Length: %d\r\n"+
		"Content-Type: %s\r\n",
		typ, a.clock.Format(time.RFC3339), id, len(block), contentType)
	for _, f := range fields {
		b.WriteString(f)
		b.WriteString("\r\n")
	}
	b.WriteString("\r\n")
	b.Write(block)
	b.WriteString("\r\n\r\n")
	a.gz.Reset(a.out)
	if _, err := a.gz.Write(b.Bytes()); err != nil {
		return err
	}
	return a.gz.Close()
}

// An exchange is a request and its answer.
type exchange struct {
	url      string
	address  string   // of the server
	status   string   // with its reason
	header   []string // of HTTP, in order
	body     []byte   // without codings
	identify string   // detected media type
	language string   // JSON of its languages; "" for anything but a page
	millis   int
}

// response writes the answer of an exchange alone.
func (a *archive) response(x exchange) error {
	a.clock = a.clock.Add(time.Second / 4)
	block := fmt.Appendf(nil, "HTTP/1.1 %s\r\n%s\r\n\r\n%s", x.status, strings.Join(x.header, "\r\n"), x.body)
	return a.write(block, "response", a.id(), "application/http; msgtype=response", "WARC-Target-URI: "+x.url)
}

// capture writes the three records of an exchange.
func (a *archive) capture(x exchange) error {
	u, err := url.Parse(x.url)
	if err != nil {
		return err
	}
	a.clock = a.clock.Add(time.Second / 4)
	request := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nUser-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\n"+
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"+
		"Accept-Language: en-US,en;q=0.5\r\n"+
		"If-Modified-Since: Sat, 28 Jan 2023 15:48:47 UTC\r\nAccept-Encoding: br,gzip\r\nHost: %s\r\n"+
		"Connection: Keep-Alive\r\n\r\n",
		u.RequestURI(), u.Host)
	response := fmt.Appendf(nil, "HTTP/1.1 %s\r\n%s\r\n\r\n%s", x.status, strings.Join(x.header, "\r\n"), x.body)
	metadata := fmt.Appendf(nil, "fetchTimeMs: %d\r\ncharset-detected: UTF-8\r\n", x.millis)
	if x.language != "" {
		metadata = append(append(append(metadata, "languages-cld2: "...), x.language...), "\r\n"...)
	}

	requestID, responseID, metadataID := a.id(), a.id(), a.id()
	common := []string{"WARC-Warcinfo-ID: " + a.info, "WARC-IP-Address: " + x.address, "WARC-Target-URI: " + x.url}
	if err := a.write(request, "request", requestID, "application/http; msgtype=request", common...); err != nil {
		return err
	}
	err = a.write(response, "response", responseID, "application/http; msgtype=response",
		"WARC-Warcinfo-ID: "+a.info, "WARC-Concurrent-To: "+requestID, "WARC-IP-Address: "+x.address,
		"WARC-Target-URI: "+x.url,
		"WARC-Payload-Digest: "+digest(x.body), "WARC-Block-Digest: "+digest(response),
		"WARC-Identified-Payload-Type: "+x.identify)
	if err != nil {
		return err
	}
	return a.write(metadata, "metadata", metadataID, "application/warc-fields",
		"WARC-Warcinfo-ID: "+a.info, "WARC-Concurrent-To: "+responseID, "WARC-Target-URI: "+x.url)
}

func digest(b []byte) string {
	sum := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}
