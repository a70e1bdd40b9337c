package extractrun

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// robustnessDesign is the document whose rows the cases below are named after.
const robustnessDesign = "../../../shared/design/robustness.md"

// A text is one record to be written, in parts that a case may change.
type text struct {
	version string
	fields  []string // header lines; Content-Length is added unless length says otherwise
	length  func(n int) []string
	end     string // of header lines
	http    string // with its empty line
	body    string
	after   string // separator
}

// page is the i-th of five records: a page with an ACAP META.
func page(i int) text {
	return text{
		version: "1.0", end: "\r\n", after: "\r\n\r\n",
		fields: []string{
			"WARC-Type: response", fmt.Sprintf("WARC-Target-URI: http://a.example/%d", i),
			"WARC-Date: 2014-08-01T12:00:00Z", "Content-Type: application/http; msgtype=response",
		},
		http: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
		body: pageBody(`<meta name="robots" content="` + says + `">`),
	}
}

// says is the content of the META of each page.
const says = "ACAP disallow-index"

func pageBody(head string) string {
	return "<!DOCTYPE html><html><head><title>A page</title>" + head +
		"</head><body><p>with some text</p></body></html>\n"
}

func (r text) String() string {
	block := r.http + r.body
	fields := slices.Clone(r.fields)
	if r.length == nil {
		fields = append(fields, fmt.Sprintf("Content-Length: %d", len(block)))
	} else {
		fields = append(fields, r.length(len(block))...)
	}
	return "WARC/" + r.version + r.end + strings.Join(fields, r.end) + r.end + r.end + block + r.after
}

// arcText is the i-th page as a record of an ARC.
func (r text) arc(i int, url, ip, mime string) string {
	block := r.http + r.body
	return fmt.Sprintf("%s %s 20080430204825 %s %d\n%s\n", fmt.Sprintf(url, i), ip, mime, len(block), block)
}

func member(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close() // into memory: no error
	return b.String()
}

func members(list ...string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(member(s))
	}
	return b.String()
}

// A container writes five records as one input.
type container struct {
	name  string
	write func(r []string) string
}

var (
	plain = container{"plain", func(r []string) string { return strings.Join(r, "") }}
	zip   = container{"gzip", func(r []string) string { return members(r...) }}
	both  = []container{plain, zip}
)

// in returns a container of another writer.
func in(name string, write func(r []string) string) []container { return []container{{name, write}} }

// A want is the expected result of an input.
type want struct {
	found   string   // numbers of the pages whose META was found; "": all five
	third   []string // content of the third page's METAs; nil: the same as of the others
	records int64    // returned; 0: five
	lost    int64
	skipped []string // reasons
	status  string   // class of the third; "": 2xx
	defects []string // of the input; each may be of several records
	pages   int64    // counted as pages; 0: as many as captures with a 2xx
	flags   []string // of the third page's fact; nil: all defects
	error   string   // a part of it; "": none
	cut     int64    // truncated records
	why     string   // why the third page is cut, in its fact
	charset string   // of the third page; "": windows-1252
	revisit int64    // records of that type
}

// A robustness is a case of the design's table: five records, the third odd.
type robustness struct {
	row   string // of the design document, in its words
	name  string
	third func(r *text) // makes the third record odd
	as    []container   // nil: plain and gzip
	want  want
}

// header returns a change of the third record's header lines.
func header(lines ...string) func(*text) {
	return func(r *text) { r.fields = append(r.fields, lines...) }
}

// instead returns a change that replaces the line of that name.
func instead(name, line string) func(*text) {
	return func(r *text) {
		i := slices.IndexFunc(r.fields, func(f string) bool { return strings.HasPrefix(f, name+":") })
		if r.fields = slices.Delete(r.fields, i, i+1); line != "" {
			r.fields = append(r.fields, line)
		}
	}
}

func version(v string) func(*text) { return func(r *text) { r.version = v } }

func length(lines ...string) func(*text) {
	return func(r *text) { r.length = func(int) []string { return lines } }
}

func off(by int) func(*text) {
	return func(r *text) {
		r.length = func(n int) []string { return []string{fmt.Sprintf("Content-Length: %d", n+by)} }
	}
}

// answer returns a change of the third record's HTTP header.
func answer(http string) func(*text) { return func(r *text) { r.http = http } }

// coded returns a change that codes the body of the third record.
func coded(fields string, code func(string) string) func(*text) {
	return func(r *text) {
		r.http, r.body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+fields+"\r\n\r\n", code(r.body)
	}
}

// html returns a change of the head and the body of the third page.
func html(head, body string) func(*text) {
	return func(r *text) {
		r.body = "<!DOCTYPE html><html><head><title>A page</title>" + head + "</head><body>" + body + "</body></html>\n"
	}
}

func plainText(s string) string { return s }

func coding(open func(w io.Writer) io.WriteCloser) func(string) string {
	return func(s string) string {
		var b bytes.Buffer
		w := open(&b)
		io.WriteString(w, s)
		w.Close() // into memory: no error
		return b.String()
	}
}

var (
	gzipped  = member
	zlibbed  = coding(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	deflated = coding(func(w io.Writer) io.WriteCloser {
		z, _ := flate.NewWriter(w, 6) // the level is one
		return z
	})
	brotlied = coding(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	zstded   = coding(func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // these options cannot fail
		return z
	})
)

func chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s) }

// padded returns a change that makes the payload of the third record n bytes long.
func padded(n int, date string) func(*text) {
	return func(r *text) {
		instead("WARC-Date", "WARC-Date: "+date)(r)
		r.body += strings.Repeat(" ", n-len(r.body))
	}
}

// frames writes each record as a zstd frame.
func frames(r []string) string {
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) // these options cannot fail
	var b []byte
	for _, s := range r {
		b = z.EncodeAll([]byte(s), b)
	}
	return string(b)
}

// framesByDictionary writes the dictionary as the first, skippable frame, then each record as a frame that needs it.
func framesByDictionary(r []string) string {
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, []byte(r[i%5][i:]))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: []byte(r[0] + r[1])})
	if err != nil {
		panic(err) // the records are constant
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	b := append(binary.LittleEndian.AppendUint32([]byte{0x5D, 0x2A, 0x4D, 0x18}, uint32(len(dict))), dict...)
	for _, s := range r {
		b = z.EncodeAll([]byte(s), b)
	}
	return string(b)
}

// fiveInBzip2 has the five records, compressed by bzip2.
const fiveInBzip2 = "" +
	"QlpoOTFBWSZTWaMNndsAAb1fgAAScAP+fy5s1rA+59zgQAJbhVAEY0NDQAZDQAAAAAxoaGgAyGgAAAAAiqnqMIAaAAAAAAApUk0Kn6ZMIo/U9KPR" +
	"G0h6aTTIyeKW0gCvRKaUBOKbUypPSaKxZmlSZJEuJIsTRMTjPfPbNE6TxnfNE+cxNs75956T9U905T9p5zExMTCek7U3zdN2qcpke+b02TE+8wnh" +
	"Oc7p1JieCaE+E2aphPlM58JiaMk4zJiY0TKeyb08YnCfEqJGkEypsVmSNICsEgJrSJM69Z9pmmmaJomU0zXNU6T6k+hPCfSKqvJMCZEnpGkSUE5p" +
	"fSVMCd0gCd0wzOfWcJsi3EznSdJ3zmnOfGeE+M5TZOyfabJ+89J5zXPFOqZTNNqek8JxnCr0mcymafynnNRPVNc1z+J5TSm+apvm6ZpynKYTE4pl" +
	"N87ppm2fOZJ1k5TJMTrmudkym2aSZTbM5ids6TQmCYJxnqnGaZtTvq9k0zrm5Oyb51zyJxnVNycZ/k1TKeU6pwnNNk1TtTRVie1MplPwmRM01Tum" +
	"c4ThM0/Qm1OcyTXMp8ptJ3J7lZE/i7kinChIUYbO7YA="

// versionBlock of an ARC with a declared length.
func versionBlock(length int) string {
	return fmt.Sprintf("filedesc://x.arc 0.0.0.0 20080430204825 text/plain %d\n1 1 Example Crawl\nURL IP-address "+
		"Archive-date Content-type Archive-length\n\n", length)
}

// inARC writes an ARC of a version block and the five pages; change may make the URL line of the third odd.
func inARC(block, url, ip, mime string) []container {
	list := func() []string {
		r := []string{block}
		for i := 1; i <= 5; i++ {
			if i == 3 {
				r = append(r, page(i).arc(i, url, ip, mime))
			} else {
				r = append(r, page(i).arc(i, "http://a.example/%d", "192.0.2.1", "text/html"))
			}
		}
		return r
	}
	return []container{
		{"ARC, plain", func([]string) string { return strings.Join(list(), "") }},
		{"ARC, gzip", func([]string) string { return members(list()...) }},
	}
}

func robustnesses() []robustness {
	const (
		rowMember    = "one gzip member for all records, several records a member"
		rowSplit     = "a record split over members"
		rowEmpty     = "empty member in the middle"
		rowBit       = "flipped bit, bad CRC"
		rowHole      = "hole, junk between members"
		rowTrailing  = "trailing zeros or garbage"
		rowTruncated = "truncated last member, truncated plain file"
		rowLength    = "Content-Length too small, too large, negative, 2^40, missing, not a number, twice"
		rowHeader    = "`Content-Length :`, folded headers, repeated headers, LF only, extra or missing CRLF, bytes " +
			"that are not UTF-8, 100 KB header, line without a colon, FEXTRA, unknown type"
		rowVersion = "WARC 0.17, 0.18, 1.0, 1.1, unknown 2.0; `<…>` around the URI; spaces in the URI; no URI"
		rowARC     = "ARC v1 (both readings of the version block's length; spaces in URL and content type; missing " +
			"columns; gzip and plain)"
		rowCodecs = "zstd frames, with and without a dictionary frame; bzip2"
		rowNone   = "zero-length file; gzip in gzip; not an archive"
		rowBomb   = "member of many GB, decompression bomb"

		rowStatus   = "status line missing (2008, `dns:`), lower-case `http/1.1`, `HTTP/2`, empty reason, `0 OK`"
		rowBlank    = "extra blank line between header and body (every response of CC-MAIN-2018-34)"
		rowCrawler  = "`X-Crawler-Content-Encoding` and other `X-Crawler-*`"
		rowNotCoded = "`Content-Encoding: gzip` over plain bytes, `chunked` over unchunked bytes (29 of 43, 30 of 51 " +
			"real ones)"
		rowCodings = "gzip, deflate (both), br, zstd, several codings; truncated coded bodies"
		rowCut     = "`WARC-Truncated`; payload of exactly 1 MiB before 2025 or 5 MiB since"
		rowRevisit = "revisit"
		rowCharset = "charset: BOM, header, META, else windows-1252; UTF-16"
		rowMETA    = "META in comments, script, style, template, title, textarea, body"
		rowMarkup  = "`<META NAME='robots'CONTENT=noindex>`, upper case, no quotes, no space, entities in values, " +
			"newlines in values, duplicate attributes (first counts)"
		rowQuotes    = "typographic quotes around values (S2)"
		rowClasses   = "class attributes on 10,000 elements; nesting of a million"
		noindex      = "meta robots=noindex"
		ok           = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
		withoutThird = "1 2 4 5"
	)
	// third returns a container that changes the third member.
	third := func(change func(m string) string) []container {
		return in("gzip", func(r []string) string {
			return members(r[:2]...) + change(member(r[2])) + members(r[3:]...)
		})
	}
	flip := func(i int) func(string) string {
		return func(m string) string {
			b := []byte(m)
			b[(len(b)+i)%len(b)] ^= 0x10
			return string(b)
		}
	}
	silent := []string{}
	meta := func(quoted string) []string { return []string{"meta " + quoted} }

	cases := []robustness{
		{row: rowMember, name: "one for all", as: in("gzip", func(r []string) string {
			return member(strings.Join(r, ""))
		}),
			want: want{defects: []string{"multi-record-member"}}},
		{row: rowMember, name: "several", as: in("gzip", func(r []string) string {
			return members(r[0], r[1]+r[2]+r[3],
				r[4])
		}),
			want: want{defects: []string{"multi-record-member"}}},
		{row: rowSplit, name: "within its block", as: in("gzip", func(r []string) string {
			return members(r[0], r[1],
				r[2][:300], r[2][300:], r[3], r[4])
		}),
			want: want{defects: []string{"split-record"}}},
		{row: rowSplit, name: "within its header", as: in("gzip", func(r []string) string {
			return members(r[0], r[1],
				r[2][:30], r[2][30:], r[3], r[4])
		}),
			want: want{defects: []string{"split-record"}}},
		{row: rowEmpty, as: in("gzip", func(r []string) string { return members(r[0], r[1], "", r[2], r[3], r[4]) }),
			want: want{defects: []string{"empty-member"}, flags: silent}},
		{row: rowBit, name: "flipped bit in the compressed bytes", as: third(flip(40)),
			want: want{found: withoutThird, records: 4, lost: 1, defects: []string{"bad-member"}, error: "1 record"}},
		{row: rowBit, name: "flipped bit in the checksum", as: third(flip(-6)),
			want: want{lost: 1, defects: []string{"bad-member"}, error: "1 record"}},
		{row: rowHole, name: "hole", as: third(func(m string) string { return m[:60] + m[120:] }),
			want: want{found: withoutThird, records: 4, lost: 1, defects: []string{"bad-member"}, error: "1 record"}},
		{row: rowHole, name: "hole over the end of the member before", as: in("gzip", func(r []string) string {
			second, third := member(r[1]), member(r[2])
			return member(r[0]) + second[:20] + third[20:] + members(r[3], r[4])
		}), want: want{found: "1 4 5", records: 3, lost: 1, defects: []string{"bad-member"}, error: "1 record"}},
		{row: rowHole, name: "junk", as: in("gzip", func(r []string) string {
			return members(r[:2]...) +
				"some junk\x1f\x8b\x08" + members(r[2:]...)
		}),
			want: want{defects: []string{"junk"}, flags: silent}},
		{row: rowTrailing, name: "zeros", as: in("gzip", func(r []string) string {
			return members(r...) +
				strings.Repeat("\x00", 512)
		}),
			want: want{defects: []string{"trailing-garbage"}, flags: silent}},
		{row: rowTrailing, name: "garbage", as: in("gzip", func(r []string) string {
			return members(r...) + "GARBAGE"
		}),
			want: want{defects: []string{"trailing-garbage"}, flags: silent}},
		{row: rowTrailing, name: "zeros", as: in("plain", func(r []string) string {
			return strings.Join(r, "") +
				strings.Repeat("\x00", 512)
		}),
			want: want{defects: []string{"trailing-garbage"}, flags: silent}},
		{row: rowTruncated, as: in("gzip", func(r []string) string {
			m := member(r[2])
			return members(r[:2]...) +
				m[:len(m)-6]
		}),
			want: want{found: "1 2 3", records: 3, lost: 1, defects: []string{"truncated"},
				error: "ends within the record that begins at offset", cut: 1}},
		{row: rowTruncated, as: in("plain", func(r []string) string { return r[0] + r[1] + r[2][:len(r[2])-30] }),
			want: want{found: "1 2 3", records: 3, lost: 1, defects: []string{"truncated", "http-record-damaged"},
				error: "ends within the record that begins at offset", cut: 1}},

		{row: rowLength, name: "too small", third: off(-20), want: want{defects: []string{"bad-separator",
			"length-mismatch"}}},
		{row: rowLength, name: "too large", third: off(+100), want: want{defects: []string{"length-mismatch"}}},
		{row: rowLength, name: "negative", third: length("Content-Length: -1"),
			want: want{defects: []string{"length-invalid"}}},
		{row: rowLength, name: "2^40", third: length("Content-Length: 1099511627776"),
			want: want{defects: []string{"length-invalid"}}},
		{row: rowLength, name: "missing", third: length(), want: want{defects: []string{"length-missing"}}},
		{row: rowLength, name: "not a number", third: length("Content-Length: many"),
			want: want{defects: []string{"length-invalid"}}},
		{row: rowLength, name: "twice", third: func(r *text) {
			r.length = func(n int) []string {
				return []string{fmt.Sprintf("Content-Length: %d", n), "Content-Length: 7"}
			}
		}, want: want{defects: []string{"length-repeated"}}},
		{row: rowLength, name: "page text that looks like a record", third: func(r *text) {
			r.body += "\r\nWARC/1.0\r\nWhat a record begins with: see the standard\r\n\r\n"
		}},

		{row: rowHeader, name: "`Content-Length :`", third: func(r *text) {
			r.length = func(n int) []string { return []string{fmt.Sprintf("Content-Length : %d", n)} }
		}, want: want{defects: []string{"header-space-before-colon"}}},
		{row: rowHeader, name: "folded headers", third: header("X-Note: one\r\n two"),
			want: want{defects: []string{"header-folded"}}},
		{row: rowHeader, name: "repeated headers", third: header("WARC-Date: 2015-01-01T00:00:00Z"),
			want: want{defects: []string{"header-repeated"}}},
		{row: rowHeader, name: "LF only", third: func(r *text) { r.end = "\n" },
			want: want{defects: []string{"header-line-end"}}},
		{row: rowHeader, name: "extra CRLF", third: func(r *text) { r.after += "\r\n" },
			want: want{defects: []string{"bad-separator"}}},
		{row: rowHeader, name: "missing CRLF", third: func(r *text) { r.after = "\r\n" },
			want: want{defects: []string{"bad-separator"}}},
		{row: rowHeader, name: "bytes that are not UTF-8", third: header("X-Note: caf\xe9"),
			want: want{defects: []string{"header-not-utf8"}}},
		{row: rowHeader, name: "100 KB header", third: header("X-Note: " + strings.Repeat("long ", 20_000))},
		{row: rowHeader, name: "header beyond the cap", third: header("X-Note: " + strings.Repeat("long ", 60_000)),
			want: want{found: withoutThird, records: 4, lost: 1, defects: []string{"header-too-large"},
				error: "1 record"}},
		{row: rowHeader, name: "line without a colon", third: header("no colon here"),
			want: want{defects: []string{"header-no-colon"}}},
		{row: rowHeader, name: "FEXTRA", as: third(func(m string) string {
			return m[:3] + "\x04" + m[4:10] +
				"\x06\x00sl\x02\x00ab" + m[10:]
		})},
		{row: rowHeader, name: "unknown type", third: instead("WARC-Type", "WARC-Type: screenshot"),
			want: want{found: withoutThird, defects: []string{"type-unknown"}, pages: 4, status: "-"}},

		{row: rowVersion, name: "0.17", third: version("0.17")},
		{row: rowVersion, name: "0.18", third: version("0.18")},
		{row: rowVersion, name: "1.0", third: version("1.0")},
		{row: rowVersion, name: "1.1", third: version("1.1")},
		{row: rowVersion, name: "2.0", third: version("2.0"), want: want{defects: []string{"record-version-unknown"}}},
		{row: rowVersion, name: "<…> around the URI", third: instead("WARC-Target-URI",
			"WARC-Target-URI: <http://a.example/3>"), want: want{defects: []string{"uri-brackets"}}},
		{row: rowVersion, name: "spaces in the URI", third: instead("WARC-Target-URI",
			"WARC-Target-URI: http://a.example/3 4"), want: want{found: "1 2 3 4 4 5",
			defects: []string{"uri-spaces"}}},
		{row: rowVersion, name: "no URI", third: instead("WARC-Target-URI", ""),
			want: want{found: withoutThird, skipped: []string{"no-url"}, defects: []string{"uri-missing"}, pages: 4,
				status: "-"}},

		{row: rowARC, name: "length with the empty line",
			as:   inARC(versionBlock(75), "http://a.example/%d", "192.0.2.1", "text/html"),
			want: want{records: 6, defects: []string{"bad-separator"}, flags: silent}},
		{row: rowARC, name: "length too large by a byte",
			as:   inARC(versionBlock(76), "http://a.example/%d", "192.0.2.1", "text/html"),
			want: want{records: 6, defects: []string{"bad-separator", "length-mismatch"}, flags: silent}},
		{row: rowARC, name: "length without the empty line",
			as: inARC(versionBlock(74), "http://a.example/%d", "192.0.2.1", "text/html"), want: want{records: 6}},
		{row: rowARC, name: "spaces in URL and content type", as: inARC(versionBlock(74), "http://a.example/%d 4",
			"192.0.2.1", "text/html; charset=utf-8"),
			want: want{found: "1 2 3 4 4 5", records: 6, defects: []string{"uri-spaces"}}},
		{row: rowARC, name: "missing columns", as: inARC(versionBlock(74), "http://a.example/%d", "", "text/html"),
			want: want{records: 6, defects: []string{"column-missing"}}},

		{row: rowCodecs, name: "zstd frames", as: in("zstd", frames)},
		{row: rowCodecs, name: "with a dictionary frame", as: in("zstd", framesByDictionary)},
		{row: rowCodecs, name: "bzip2", as: in("bzip2", func([]string) string {
			b, err := base64.StdEncoding.DecodeString(fiveInBzip2)
			if err != nil {
				panic(err) // the input is constant
			}
			return string(b)
		}), want: want{defects: []string{"multi-record-member"}}},

		{row: rowNone, name: "zero-length file", as: in("none", func([]string) string { return "" }),
			want: want{found: "-", records: -1, pages: -1, status: "-", error: archive.ErrEmpty.Error()}},
		{row: rowNone, name: "gzip in gzip", as: in("gzip", func(r []string) string { return member(members(r...)) }),
			want: want{found: "-", records: -1, pages: -1, status: "-", error: archive.ErrNotArchive.Error()}},
		{row: rowNone, name: "not an archive", as: in("plain", func([]string) string { return pageBody("") }),
			want: want{found: "-", records: -1, pages: -1, status: "-", error: archive.ErrNotArchive.Error()}},
		{row: rowBomb, name: "of 40 MiB", third: func(r *text) { r.body += strings.Repeat("\x00", 40<<20) },
			as: []container{zip}, want: want{defects: []string{"body-limit"}}},

		{row: rowStatus, name: "missing", third: answer("Content-Type: text/html\r\nServer: x\r\n\r\n"),
			want: want{status: "none", defects: []string{"http-no-status-line"}}},
		{row: rowStatus, name: "no header at all", third: answer(""), want: want{status: "none",
			defects: []string{"http-no-header"}}},
		{row: rowStatus, name: "dns:", third: func(r *text) {
			instead("WARC-Target-URI", "WARC-Target-URI: dns:a.example")(r)
			r.http, r.body = "", "20080430204825\na.example.\t600\tIN\tA\t192.0.2.1\n"
		}, want: want{found: withoutThird, skipped: []string{"not-http"}, pages: 4, status: "-"}},
		{row: rowStatus, name: "lower-case", third: answer("http/1.1 200 ok\r\ncontent-type: text/html\r\n\r\n")},
		{row: rowStatus, name: "HTTP/2", third: answer("HTTP/2 200\r\nContent-Type: text/html\r\n\r\n")},
		{row: rowStatus, name: "empty reason", third: answer("HTTP/1.1 200 \r\nContent-Type: text/html\r\n\r\n")},
		{row: rowStatus, name: "0 OK", third: answer("HTTP/1.1 0 OK\r\nContent-Type: text/html\r\n\r\n"),
			want: want{status: "none", defects: []string{"http-status-invalid"}}},

		{row: rowBlank, third: func(r *text) {
			r.http = ok + fmt.Sprintf("Content-Length: %d\r\n\r\n\r\n", len(r.body))
		}, want: want{defects: []string{"http-extra-blank-line"}}},
		{row: rowCrawler, third: coded("X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Transfer-Encoding: "+
			"chunked\r\nX-Crawler-Content-Length: 7", plainText)},
		{row: rowNotCoded, name: "gzip", third: coded("Content-Encoding: gzip", plainText),
			want: want{defects: []string{"http-not-coded"}}},
		{row: rowNotCoded, name: "chunked", third: coded("Transfer-Encoding: chunked", plainText),
			want: want{defects: []string{"http-not-chunked"}}},
		{row: rowNotCoded, name: "chunked that is", third: coded("Transfer-Encoding: chunked", chunked)},

		{row: rowCodings, name: "gzip", third: coded("Content-Encoding: gzip", gzipped)},
		{row: rowCodings, name: "deflate with a zlib header", third: coded("Content-Encoding: deflate", zlibbed)},
		{row: rowCodings, name: "deflate without one", third: coded("Content-Encoding: deflate", deflated)},
		{row: rowCodings, name: "br", third: coded("Content-Encoding: br", brotlied)},
		{row: rowCodings, name: "zstd", third: coded("Content-Encoding: zstd", zstded)},
		{row: rowCodings, name: "several",
			third: coded("Content-Encoding: br, deflate, gzip\r\nTransfer-Encoding: chunked",
				func(s string) string { return chunked(gzipped(zlibbed(brotlied(s)))) })},
		{row: rowCodings, name: "truncated gzip", third: coded("Content-Encoding: gzip",
			func(s string) string { z := gzipped(s); return z[:len(z)-12] }),
			want: want{defects: []string{"truncated-body"}}},
		{row: rowCodings, name: "truncated deflate", third: coded("Content-Encoding: deflate",
			func(s string) string { z := zlibbed(s); return z[:len(z)-6] }),
			want: want{defects: []string{"truncated-body"}}},
		{row: rowCodings, name: "truncated br", third: coded("Content-Encoding: br", func(s string) string {
			z := brotlied(s + strings.Repeat("<p>more of it.</p>\n", 10_000))
			return z[:len(z)-3]
		}), want: want{defects: []string{"truncated-body"}}},
		{row: rowCodings, name: "truncated zstd", third: coded("Content-Encoding: zstd", func(s string) string {
			z := zstded(s + strings.Repeat("<p>and so on, with no directive</p>", 60_000))
			return z[:len(z)-20]
		}), want: want{defects: []string{"truncated-body"}}},

		{row: rowCut, name: "WARC-Truncated", third: header("WARC-Truncated: time"), want: want{cut: 1, why: "time"}},
		{row: rowCut, name: "1 MiB before 2025", third: padded(1<<20, "2024-12-31T23:59:59Z"),
			want: want{why: "length-suspected"}},
		{row: rowCut, name: "5 MiB since", third: padded(5<<20, "2025-01-01T00:00:00Z"),
			want: want{why: "length-suspected"}},
		{row: rowCut, name: "1 MiB since", third: padded(1<<20, "2025-01-01T00:00:00Z")},
		{row: rowCut, name: "a byte more than 1 MiB before 2025", third: padded(1<<20+1, "2024-12-31T23:59:59Z")},
		{row: rowRevisit, third: instead("WARC-Type", "WARC-Type: revisit"),
			want: want{found: withoutThird, pages: 4, revisit: 1}},

		{row: rowCharset, name: "BOM", third: func(r *text) { r.body = "\xEF\xBB\xBF" + r.body },
			want: want{charset: "utf-8"}},
		{row: rowCharset, name: "header",
			third: answer("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n"),
			want:  want{charset: "koi8-r"}},
		{row: rowCharset, name: "META", third: html("<meta charset=shift_jis><meta name=robots content='"+says+"'>",
			""), want: want{charset: "shift_jis"}},
		{row: rowCharset, name: "header before META", third: func(r *text) {
			html("<meta charset=shift_jis><meta name=robots content='"+says+"'>", "")(r)
			r.http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n"
		}, want: want{charset: "koi8-r"}},
		{row: rowCharset, name: "else windows-1252", third: html("<meta name=robots content='"+says+"'>", "caf\xe9")},
		{row: rowCharset, name: "UTF-16", third: func(r *text) {
			b := []byte{0xFF, 0xFE}
			for _, c := range []byte(r.body) {
				b = append(b, c, 0)
			}
			r.body = string(b)
		}, want: want{charset: "utf-16le"}},

		{row: rowMETA, name: "comments", third: html("<!-- <meta name=robots content=noindex> -->", ""),
			want: want{third: silent}},
		{row: rowMETA, name: "script", third: html("<script>'<meta name=robots content=noindex>'</script>", ""),
			want: want{third: silent}},
		{row: rowMETA, name: "style", third: html("<style><meta name=robots content=noindex></style>", ""),
			want: want{third: silent}},
		{row: rowMETA, name: "template", third: html("<template><meta name=robots content=noindex></template>", ""),
			want: want{third: silent}},
		{row: rowMETA, name: "title", third: html("<title><meta name=robots content=noindex></title>", ""),
			want: want{third: silent}},
		{row: rowMETA, name: "textarea", third: html("", "<textarea><meta name=robots content=noindex></textarea>"),
			want: want{third: silent}},
		{row: rowMETA, name: "body", third: html("", "<p><meta name=robots content=noindex>"),
			want: want{third: []string{noindex + " in the body"}}},
		{row: rowMarkup, name: "no space", third: html(`<META NAME='robots'CONTENT=noindex>`, ""),
			want: want{third: []string{noindex}}},
		{row: rowMarkup, name: "upper case", third: html(`<META NAME="ROBOTS" CONTENT="NOINDEX">`, ""),
			want: want{third: meta("ROBOTS=NOINDEX")}},
		{row: rowMarkup, name: "no quotes", third: html(`<meta name=robots content=noindex>`, ""),
			want: want{third: []string{noindex}}},
		{row: rowMarkup, name: "entities in values",
			third: html(`<meta name="&#114;obots" content="no&#x69;ndex">`, ""), want: want{third: []string{noindex}}},
		{row: rowMarkup, name: "newlines in values",
			third: html("<meta\nname=robots\ncontent='noindex,\nnofollow'>", ""),
			want:  want{third: meta("robots=noindex,\nnofollow")}},
		{row: rowMarkup, name: "duplicate attributes",
			third: html(`<meta name=robots name=x content=noindex content=index>`, ""),
			want:  want{third: []string{noindex}}},
		{row: rowQuotes, name: "UTF-8", third: html("<META name=“robots”\ncontent=“ACAP disallow-index”>", "")},
		{row: rowQuotes, name: "windows-1252",
			third: html("<META name=\x93robots\x94 content=\x93ACAP disallow-index\x94>", "")},
		{row: rowClasses, name: "10,000 elements", third: html("",
			strings.Repeat(`<p class="a the-acap:disallow-index b">x`, 10_001)),
			want: want{third: slices.Repeat([]string{"class p=the-acap:disallow-index"}, facts.MaxDirectives),
				defects: []string{"directives-limit"}}},
		{row: rowClasses, name: "nesting of a million", third: html("<meta name=robots content='"+says+"'>",
			strings.Repeat("<div>", 1_000_000))},
	}
	return cases
}

// containers returns the containers of the case.
func (c robustness) containers() []container {
	if c.as == nil {
		return both
	}
	return c.as
}

// records returns the five records, with an odd third one.
func (c robustness) records() (list []string) {
	for i := 1; i <= 5; i++ {
		r := page(i)
		if i == 3 && c.third != nil {
			c.third(&r)
		}
		list = append(list, r.String())
	}
	return list
}

// Each row of the design's tables is a generated file of five records with an odd third one. The test checks the
// records, their defects, and the counters of the input's fact.
func TestRobustness(t *testing.T) {
	for _, tt := range robustnesses() {
		for _, c := range tt.containers() {
			name := tt.row
			if tt.name != "" {
				name += ": " + tt.name
			}
			t.Run(name+", "+c.name, func(t *testing.T) {
				content := c.write(tt.records())
				input := bytesInput("five", []byte(content))
				list, sum := read(t, []source.Input{input}, Options{Workers: 1,
					Extract: extract.Options{Pages: extract.PagesAll}})
				tt.want.check(t, list, sum, len(content))
			})
		}
	}
}

// check compares the result of an input.
func (w want) check(t *testing.T, list []facts.Fact, sum Summary, size int) {
	t.Helper()
	var found []string
	thirdIs, third := []string(nil), false
	var flags []string
	shared := []string{string(archive.MultiRecordMember)} // the one defect that others share with the third
	for _, f := range ofKind(list, facts.KindPage) {
		number := strings.TrimPrefix(f.URL, "http://a.example/")
		var said []string
		for _, d := range f.Directives {
			place := ""
			if d.InBody {
				place = " in the body"
			}
			said = append(said, fmt.Sprintf("%s %s=%s%s", d.Carrier, d.Name, d.Value, place))
		}
		if f.RecordType != "response" || f.Kind != facts.KindPage {
			t.Errorf("%s is a %s of a %s", f.URL, f.Kind, f.RecordType)
		}
		if strings.HasPrefix(number, "3") {
			thirdIs, third, flags = said, true, f.Defects
			charset := "windows-1252"
			if w.charset != "" {
				charset = w.charset
			}
			if f.Truncated != w.why || f.Charset != charset {
				t.Errorf("the third is cut by %q and of the charset %s, want %q and %s", f.Truncated, f.Charset, w.why,
					charset)
			}
		} else if !cmp.Equal(said, []string{"meta robots=" + says}) {
			t.Errorf("page %s says %q", number, said)
		} else if len(f.Defects) > 0 && !(cmp.Equal(f.Defects, shared) && slices.Contains(w.defects, shared[0])) {
			t.Errorf("page %s has the defects %q, and only the third is odd", number, f.Defects)
		}
		found = append(found, strings.Fields(number)...)
	}
	slices.Sort(found)
	wantFound := w.found
	if wantFound == "" {
		wantFound = "1 2 3 4 5"
	}
	if got := strings.Join(found, " "); got != strings.Trim(wantFound, "-") {
		t.Errorf("delivered pages %q, want %q", got, wantFound)
	}
	if third {
		wantThird := w.third
		if wantThird == nil {
			wantThird = []string{"meta robots=" + says}
		}
		if diff := cmp.Diff(wantThird, thirdIs, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the third says (-want +got):\n%.2000s", diff)
		}
		wantFlags := w.flags
		if wantFlags == nil {
			wantFlags = w.defects
		}
		slices.Sort(wantFlags)
		slices.Sort(flags)
		if diff := cmp.Diff(wantFlags, flags, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("flags of the third (-want +got):\n%s", diff)
		}
	}

	in := onlyInput(t, list)
	counts := countsOf(in)
	records := w.records
	switch records {
	case 0:
		records = 5
	case -1:
		records = 0
	}
	if counts[facts.CountRecords] != records || sum.Records != records || sum.Lost != w.lost ||
		counts[facts.CountSkippedPrefix+"damaged"] != w.lost {
		t.Errorf("%d records, %d lost; want %d and %d", counts[facts.CountRecords],
			counts[facts.CountSkippedPrefix+"damaged"], records, w.lost)
	}
	var defects, skipped []string
	for name, n := range counts {
		if code, is := strings.CutPrefix(name, facts.CountDefectPrefix); is && n > 0 {
			defects = append(defects, code)
		}
		if reason, is := strings.CutPrefix(name, facts.CountSkippedPrefix); is && reason != "damaged" && n > 0 {
			skipped = append(skipped, reason)
		}
	}
	slices.Sort(defects)
	slices.Sort(w.defects)
	if diff := cmp.Diff(w.defects, defects, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("defects of the input (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(w.skipped, skipped, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	pages := w.pages
	switch pages {
	case 0:
		pages = int64(len(strings.Fields(strings.ReplaceAll(wantFound, "4 4", "4"))))
	case -1:
		pages = 0
	}
	if counts[facts.CountPages] != pages {
		t.Errorf("%d pages are counted, want %d", counts[facts.CountPages], pages)
	}
	if status := w.status; status == "none" && counts[facts.CountStatusPrefix+status] != 1 {
		t.Errorf("no capture is counted without a status: %v", counts)
	} else if status == "" && counts[facts.CountStatusPrefix+"2xx"] != counts[facts.CountCaptures] {
		t.Errorf("%d of %d captures are of 2xx", counts[facts.CountStatusPrefix+"2xx"], counts[facts.CountCaptures])
	}
	if n := counts[facts.CountRecordPrefix+"revisit"]; n != w.revisit {
		t.Errorf("%d revisits, want %d", n, w.revisit)
	}
	if counts[facts.CountTruncatedRecords] != w.cut {
		t.Errorf("%d truncated records, want %d", counts[facts.CountTruncatedRecords], w.cut)
	}
	if w.error == "" && in.Error != "" || !strings.Contains(in.Error, w.error) ||
		(sum.Unreadable == 1) != (w.error != "") {
		t.Errorf("error %q, %d inputs unreadable; want %q", in.Error, sum.Unreadable, w.error)
	}
	if w.records >= 0 && in.InputBytes != int64(size) {
		t.Errorf("%d of %d bytes were read", in.InputBytes, size)
	}
}

// Every row of the design has a case with its words.
func TestEveryRowHasACase(t *testing.T) {
	document, err := os.ReadFile(robustnessDesign)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the design is not here")
	} else if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, c := range robustnesses() {
		covered[c.row] = false
	}
	tables := 0
	for _, line := range strings.Split(string(document), "\n") {
		cells := strings.Split(line, " | ")
		switch row := strings.TrimPrefix(cells[0], "| "); {
		case strings.HasPrefix(line, "## "):
			tables++
		case tables > 3 || len(cells) != 2 || row == "case":
		default:
			if _, ok := covered[row]; !ok {
				t.Errorf("no case for %q", row)
			}
			covered[row] = true
		}
	}
	for _, row := range slices.Sorted(maps.Keys(covered)) {
		if !covered[row] {
			t.Errorf("the document has no row %q", row)
		}
	}
}
