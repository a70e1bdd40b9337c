package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// dictionary is a zstd dictionary (RFC 8878, section 5) of id 2013, made once by klauspost/compress of records like these.
const dictionary = "\x37\xa4\x30\xec\xdd\x07\x00\x00\x20\x50\x49\x34\xc0\x7d\x78\x6c\xf2\xca\x4b\x0e\x31\x75\x48\x18\x5e\x63\x6c\xc8\x50\x4f\x14\x45" +
	"\x11\xf9\x5f\x81\x2b\xaa\x7b\xe8\x26\xb2\x08\x30\x94\x6a\x05\x3f\x12\xc0\x01\x04\x50\x94\xea\x2d\x09\x2d\x59\xfe\x3d\x32\x49\x02\x00" +
	"\x66\x5c\x40\x40\xa9\xc0\x40\x08\x80\x7a\x01\x00\x00\x00\x04\x00\x00\x00\x08\x00\x00\x00WARC/1.0\r\nWARC-Type: response\r\n"

// replaceOnce returns b with the first old replaced.
func replaceOnce(b []byte, old, with string) []byte {
	return bytes.Replace(b, []byte(old), []byte(with), 1)
}

// wire is a site of the Wire Service.
func wire(label string) string { return "http://" + label + ".wire-service.example" }

// newWire begins a file with the warcinfo, a robots.txt and three pages of one site of the Wire Service: five records.
func (c *collection) newWire(path, shows string) *warc {
	w := c.newWARC(path, "2012-05-17", shows)
	label := path[strings.LastIndex(path, "/")+1:]
	label, _, _ = strings.Cut(label, ".")
	damaged := strings.HasPrefix(path, "damaged/")
	w.capture(wire(label)+"/robots.txt", ok("text/plain", "##ACAP version=1.1\n"+copyOfREP))
	if !damaged {
		w.expect(wire(label), rules, beyond, "framing: "+shows)
	}
	for i := range 3 {
		w.capture(fmt.Sprintf("%s/%d.html", wire(label), i+1), htmlPage(fmt.Sprintf("Report %d", i+1), meta("robots", "ACAP disallow-preserve"), "<p>Reports come in.</p>"))
	}
	return w
}

// addTransfers adds HTTP as archives have it: a file and a page a case, with an ACAP META to be found.
func addTransfers(c *collection) {
	plain := html("Report", meta("robots", "ACAP disallow-preserve"), "<p>"+strings.Repeat("Reports come in. ", 20)+"</p>")
	long := html("Report", meta("robots", "ACAP disallow-preserve"), "<p>"+strings.Repeat("Reports come in. ", 70000)+"</p>")
	gz := string(stored([]byte(plain)))
	const typ = "Content-Type: text/html"
	for _, t := range []struct {
		name, shows string
		http        []byte
		fields      []string
	}{
		{"chunked", "chunks", answer("200 OK", chunked(plain), typ, "Transfer-Encoding: chunked"), nil},
		{"not-chunked", "said to be chunked, is not", answer("200 OK", plain, typ, "Transfer-Encoding: chunked"), nil},
		{"gzip", "gzip", answer("200 OK", gz, typ, "Content-Encoding: gzip"), nil},
		{"gzip-chunked", "gzip in chunks", answer("200 OK", chunked(gz), typ, "Content-Encoding: gzip", "Transfer-Encoding: chunked"), nil},
		{"gzip-twice", "gzip of gzip", answer("200 OK", string(stored([]byte(gz))), typ, "Content-Encoding: gzip, gzip"), nil},
		{"not-gzip", "said to be gzip, is plain", answer("200 OK", plain, typ, "Content-Encoding: gzip"), nil},
		{"cut-gzip", "a gzip body that ends too early; what is there is read", answer("200 OK", string(cutGzip(long)), typ, "Content-Encoding: gzip"), nil},
		{"deflate", "deflate with its zlib header", answer("200 OK", deflated(plain), typ, "Content-Encoding: deflate"), nil},
		{"deflate-raw", "deflate without one", answer("200 OK", string(storedBlocks([]byte(plain))), typ, "Content-Encoding: deflate"), nil},
		{"brotli", "br", answer("200 OK", brotli(plain), typ, "Content-Encoding: br"), nil},
		{"zstd", "zstd", answer("200 OK", string(zstdFrame([]byte(plain))), typ, "Content-Encoding: zstd"), nil},
		{"unknown-coding", "a coding that is not known, over plain bytes", answer("200 OK", plain, typ, "Content-Encoding: rot13"), nil},
		{"x-crawler", "X-Crawler-Content-Encoding over decoded bytes", answer("200 OK", plain, typ, "X-Crawler-Content-Encoding: gzip", "X-Crawler-Transfer-Encoding: chunked"), nil},
		{"no-colon", "a line without a colon", answer("200 OK", plain, typ, "made on a Thursday"), nil},
		{"bad-digest", "a payload digest that cannot be read, and then the right one", answer("200 OK", plain, typ), []string{"WARC-Payload-Digest: sha1:unknown"}},
		{"nine-mebibytes", "a body of which 8 MiB are kept", answer("200 OK", html("Report", meta("robots", "ACAP disallow-preserve"), "<p>"+strings.Repeat("Reports come in. ", 9<<16)+"</p>"), typ), nil},
		{"extra-line", "an empty line more between header and body", extraLine(answer("200 OK", plain, typ)), nil},
		{"no-status-line", "header without a status line", replaceOnce(answer("200 OK", plain, typ), "HTTP/1.1 200 OK\r\n", ""), nil},
		{"lower-case-status", "status line in lower case, no reason", replaceOnce(answer("200 OK", plain, typ), "HTTP/1.1 200 OK", "http/1.1 200"), nil},
		{"http-2", "HTTP/2", replaceOnce(answer("200 OK", plain, typ), "HTTP/1.1 200 OK", "HTTP/2 200"), nil},
		{"folded", "a field over two lines", answer("200 OK", plain, typ, "X-Robots-Tag: noarchive,\r\n\tnosnippet"), nil},
		{"lf-only", "lines of the header end in LF", []byte("HTTP/1.1 200 OK\nContent-Type: text/html\nServer: httpd\n\n" + plain), nil},
		{"cut-record", "WARC-Truncated: length", answer("200 OK", plain[:len(plain)-100], typ, fmt.Sprintf("Content-Length: %d", len(plain))), []string{"WARC-Truncated: length"}},
		{"one-mebibyte", "a payload of exactly 1 MiB in 2012: a cut is suspected", answer("200 OK", long[:1<<20], typ), nil},
		{"utf-16", "a page in UTF-16", answer("200 OK", utf16Text(binary.LittleEndian, plain), "Content-Type: text/html; charset=utf-16"), nil},
	} {
		w := c.newWARC("good/http/"+t.name+".warc.gz", "2012-05-17", "HTTP: "+t.shows)
		address := wire("http-" + t.name)
		w.capture(address+"/report.html", t.http, t.fields...)
		w.expect(address, notCaptured, beyond, "HTTP: "+t.shows)
		w.c.pages = append(w.c.pages, page{w.crawl, address + "/report.html", nil, "HTTP: " + t.shows})
		w.done()
	}
}

// cutGzip returns a gzip body that lacks its end.
func cutGzip(body string) []byte {
	whole := stored([]byte(body[:4096]))
	return whole[:len(whole)-1024]
}

// addFramings adds archives that are odd and whole.
func addFramings(c *collection) {
	const dir = "good/framing/"
	w := c.newWire(dir+"plain.warc", "no compression")
	w.done()

	w = c.newWire(dir+"one-member.warc.gz", "one gzip member for all records")
	w.doneWith(members(bytes.Join(w.records, nil)), "multi-record-member")

	w = c.newWire(dir+"two-in-a-member.warc.gz", "two records a member")
	w.doneWith(members(slices.Concat(w.records[0], w.records[1]), slices.Concat(w.records[2], w.records[3]), w.records[4]), "multi-record-member")

	w = c.newWire(dir+"split-record.warc.gz", "the third record goes on in a member of its own")
	third := w.records[2]
	w.doneWith(members(w.records[0], w.records[1], third[:len(third)-120], third[len(third)-120:], w.records[3], w.records[4]), "split-record")

	w = c.newWire(dir+"empty-member.warc.gz", "an empty member in the middle")
	w.doneWith(members(w.records[0], w.records[1], nil, w.records[2], w.records[3], w.records[4]), "empty-member")

	w = c.newWire(dir+"zstd-frames.warc.zst", "zstd frames (of raw blocks)")
	var frames []byte
	for _, r := range w.records {
		frames = append(frames, zstdFrame(r)...)
	}
	w.doneWith(frames)

	w = c.newWire(dir+"zstd-dictionary.warc.zst", "zstd frames that need the dictionary in the first, skippable one")
	frames = slices.Concat([]byte{0x5D, 0x2A, 0x4D, 0x18, byte(len(dictionary)), 0, 0, 0}, []byte(dictionary))
	for _, r := range w.records {
		f := zstdFrame(r)
		frames = slices.Concat(frames, f[:4], []byte{f[4] | 2, dictionary[4], dictionary[5]}, f[5:])
	}
	w.doneWith(frames)

	w = c.newWire(dir+"misnamed.warc", "gzip under a name that does not say so")
	w.doneWith(members(w.records...))

	// header adds a file whose response records have other header lines.
	header := func(name, shows string, change func(lines []string) []string, end string, defects ...string) {
		w := c.newWire(dir+name+".warc.gz", shows)
		for i := 1; i < len(w.records); i++ {
			head, block, _ := strings.Cut(string(w.records[i]), "\r\n\r\n")
			w.records[i] = []byte(strings.Join(change(strings.Split(head, "\r\n")), end) + end + end + block)
		}
		w.doneWith(members(w.records...), defects...)
	}
	version := func(v string) func([]string) []string {
		return func(lines []string) []string {
			lines[0] = "WARC/" + v
			return lines
		}
	}
	field := func(name string, change func(value string) string) func([]string) []string {
		return func(lines []string) []string {
			for i, l := range lines {
				if value, found := strings.CutPrefix(l, name+": "); found {
					lines[i] = name + ": " + change(value)
				}
			}
			return lines
		}
	}
	header("version-0-17", "WARC/0.17", version("0.17"), "\r\n")
	header("version-0-18", "WARC/0.18", version("0.18"), "\r\n")
	header("version-1-1", "WARC/1.1, times with fractions", func(lines []string) []string {
		return version("1.1")(field("WARC-Date", func(v string) string { return strings.TrimSuffix(v, "Z") + ".123456Z" })(lines))
	}, "\r\n")
	header("version-2-0", "WARC/2.0, which is not known", version("2.0"), "\r\n", "record-version-unknown")
	header("lf-headers", "header lines that end in LF", func(lines []string) []string { return lines }, "\n", "header-line-end")
	header("folded-headers", "a field over two lines", field("WARC-IP-Address", func(v string) string { return "\r\n\t" + v }), "\r\n", "header-folded")
	header("uri-brackets", "`<URI>`", field("WARC-Target-URI", func(v string) string { return "<" + v + ">" }), "\r\n", "uri-brackets")
	header("uri-spaces", "blanks in the URI", field("WARC-Target-URI", func(v string) string { return strings.Replace(v, ".html", ".html?q=tide table", 1) }), "\r\n", "uri-spaces")
	header("space-before-colon", "`Content-Length :`", func(lines []string) []string {
		for i, l := range lines {
			lines[i] = strings.Replace(l, "Content-Length:", "Content-Length :", 1)
		}
		return lines
	}, "\r\n", "header-space-before-colon")
	header("no-colon", "a line without a colon", func(lines []string) []string { return append(lines, "made on a Thursday") }, "\r\n", "header-no-colon")
	header("latin1-header", "bytes that are not UTF-8", func(lines []string) []string { return append(lines, "WARC-Operator: Ren\xE9") }, "\r\n", "header-not-utf8")

	header("repeated-field", "a field that may stand once stands twice", func(lines []string) []string { return append(lines, "WARC-Date: 1999-12-31T00:00:00Z") }, "\r\n", "header-repeated")

	w = c.newWire(dir+"no-uri.warc.gz", "a sixth record, a response without a URI")
	w.add(record{typ: "response", date: w.stamp(), id: w.id("no-uri"), contentType: "application/http; msgtype=response", block: htmlPage("Report 4", "", "<p>Where from?</p>")})
	w.doneWith(members(w.records...), "uri-missing")

	w = c.newWire(dir+"no-date.warc.gz", "a sixth record, a request whose date is a word")
	w.add(record{typ: "request", uri: wire("no-date") + "/1.html", date: "yesterday", id: w.id("no-date"), contentType: "application/http; msgtype=request",
		block: []byte("GET /1.html HTTP/1.1\r\n\r\n")})
	w.doneWith(members(w.records...), "date-invalid")

	w = c.newWire(dir+"all-types.warc.gz", "a record of each type, and of one that is not known")
	for _, typ := range []string{"request", "metadata", "resource", "conversion", "continuation", "revisit", "holiday"} {
		w.add(record{typ: typ, uri: wire("all-types") + "/" + typ + ".html", date: w.stamp(), id: w.id(typ), contentType: "text/html",
			block: []byte(html(typ, meta("robots", "ACAP disallow-index"), "<p>x</p>"))})
	}
	w.add(record{typ: "response", uri: "dns:all-types.wire-service.example", date: w.stamp(), id: w.id("dns"), contentType: "text/dns",
		block: []byte("20120517090000\nall-types.wire-service.example.\t600\tIN\tA\t192.0.2.7\n")})
	w.doneWith(members(w.records...), "type-unknown")
}

// addARC adds archives of 2008 in the older format.
func addARC(c *collection) {
	const urls = "URL IP-address Archive-date Content-type Archive-length\n"
	line := func(uri, mediaType string, block []byte) []byte {
		return fmt.Appendf(nil, "%s 192.0.2.9 20080430204825 %s %d\n%s\n", uri, mediaType, len(block), block)
	}
	build := func(path, label, shows string, counted int, change func(records [][]byte), defects ...string) {
		version := "1 1 WireService\n" + urls
		name := path[strings.LastIndex(path, "/")+1:]
		address := wire(label)
		text := html("Report", meta("robots", "ACAP disallow-preserve"), "<p>Reports come in.</p>")
		records := [][]byte{
			fmt.Appendf(nil, "filedesc://%s 0.0.0.0 20080430204825 text/plain %d\n%s\n", name, len(version)+counted, version),
			line(address+"/robots.txt", "text/plain", ok("text/plain", "##ACAP version=1.0\n"+copyOfREP)),
			line("dns:"+label+".wire-service.example", "text/dns", []byte("20080430204825\n"+label+".wire-service.example.\t600\tIN\tA\t192.0.2.9\n")),
			line(address+"/1.html", "text/html", ok("text/html", text)),
			line(address+"/tide table.html", "text/html; charset=utf-8", ok("text/html; charset=utf-8", text)),
		}
		change(records)
		f := file{path: path, shows: shows, records: len(records), defects: defects}
		if strings.HasSuffix(path, ".gz") {
			f.data = members(records...)
		} else {
			f.data = bytes.Join(records, nil)
		}
		c.files = append(c.files, f)
		c.sites = append(c.sites, site{"local", address, rules, beyond, shows, "good"})
	}
	same := func([][]byte) {}
	build("good/arc/2008-members.arc.gz", "arc-members", "ARC of 2008, a gzip member a record, a blank in a URL and in a content type; the version block's length is without the empty line", 0, same, "uri-spaces")
	build("good/arc/2008-plain.arc", "arc-plain", "the same without compression; the length is with the empty line, so that none is left to part it from what follows", 1, same, "bad-separator", "uri-spaces")
	build("good/arc/2008-columns.arc.gz", "arc-columns", "a URL line without an IP address", 0, func(records [][]byte) {
		records[3] = replaceOnce(records[3], " 192.0.2.9 ", "  ")
	}, "column-missing", "uri-spaces")
}

// addDamages adds archives that are not whole, or lie about themselves. Members are stored, so that each damage is where it is said
// to be.
func addDamages(c *collection) {
	const dir = "damaged/"
	w := c.newWire(dir+"flipped-bit.warc.gz", "a bit of the text flipped in the third record of five: its checksum tells")
	data := storedAll(w.records...)
	at := bytes.Index(data, []byte("Report 1"))
	data[at] ^= 0x10
	w.file.lost = 1
	w.doneWith(data, "bad-member")

	w = c.newWire(dir+"flipped-length.warc.gz", "a bit flipped in the compressed format of the third record of five: it cannot be inflated")
	first := len(storedAll(w.records[:2]...))
	data = storedAll(w.records...)
	data[first+13] ^= 1 // complement of the block's length
	w.file.records, w.file.lost = 4, 1
	w.doneWith(data, "bad-member")

	w = c.newWire(dir+"junk.warc.gz", "text between members")
	w.doneWith(slices.Concat(storedAll(w.records[:2]...), []byte("This is not an archive.\r\n"), storedAll(w.records[2:]...)), "junk")

	w = c.newWire(dir+"trailing-zeros.warc.gz", "zeros after the last member")
	w.doneWith(append(storedAll(w.records...), make([]byte, 512)...), "trailing-garbage")

	w = c.newWire(dir+"truncated.warc.gz", "the last member is cut")
	data = storedAll(w.records...)
	w.file.lost = 1
	w.doneWith(data[:len(data)-100], "truncated")

	w = c.newWire(dir+"truncated.warc", "the last record is cut, no compression")
	data = bytes.Join(w.records, nil)
	w.file.lost = 1
	w.doneWith(data[:len(data)-100], "truncated")

	// length adds a file whose third record declares another length, in members and plain.
	length := func(name, shows string, change func(line string, n int) string, defects ...string) {
		for _, ext := range []string{".warc.gz", ".warc"} {
			w := c.newWire(dir+name+ext, shows)
			var n int
			head, block, _ := strings.Cut(string(w.records[2]), "\r\n\r\n")
			lines := strings.Split(head, "\r\n")
			for i, l := range lines {
				if _, err := fmt.Sscanf(l, "Content-Length: %d", &n); err == nil {
					lines[i] = change(l, n)
				}
			}
			lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
			w.records[2] = []byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + block)
			if ext == ".warc" {
				w.doneWith(bytes.Join(w.records, nil), defects...)
				continue
			}
			w.doneWith(storedAll(w.records...), defects...)
		}
	}
	length("length-small", "the third record declares 100 bytes too few", func(_ string, n int) string { return fmt.Sprintf("Content-Length: %d", n-100) }, "bad-separator", "length-mismatch")
	length("length-large", "the third record declares 100 bytes too many", func(_ string, n int) string { return fmt.Sprintf("Content-Length: %d", n+100) }, "length-mismatch")
	length("length-huge", "the third record declares 2^40 bytes", func(string, int) string { return "Content-Length: 1099511627776" }, "length-invalid")
	length("length-negative", "the third record declares -1 bytes", func(string, int) string { return "Content-Length: -1" }, "length-invalid")
	length("length-missing", "the third record declares no length", func(string, int) string { return "" }, "length-missing")
	length("length-twice", "the third record declares its length twice, the second time wrongly", func(l string, _ int) string { return l + "\r\nContent-Length: 5" }, "length-repeated")

	w = c.newWire(dir+"unterminated-header.warc.gz", "the third record's header ends without an empty line")
	head, _, _ := bytes.Cut(w.records[2], []byte("\r\n\r\n"))
	w.records[2] = head
	w.doneWith(storedAll(w.records...), "bad-separator", "header-unterminated")

	large := c.newWire(dir+"header-too-large.warc.gz", "the third record's header has a field of 300 KiB: the record is lost")
	large.records[2] = replaceOnce(large.records[2], "\r\n", "\r\nWARC-Remark: "+strings.Repeat("long ", 60<<10)+"\r\n")
	large.file.records, large.file.lost = 4, 1
	large.doneWith(members(large.records...), "header-too-large")

	c.files = append(c.files, []file{
		{path: dir + "empty.warc.gz", shows: "no bytes at all", data: []byte{}},
		{path: dir + "not-an-archive.warc.gz", shows: "a web page under the name of an archive", data: []byte(html("Sign in", "", "<p>Your session has ended.</p>"))},
		{path: dir + "gzip-of-gzip.warc.gz", shows: "an archive compressed twice", data: stored(storedAll(w.records[0]))},
	}...)
}
