package capture

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha1"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/acapscan/acapscan/ingest/archive"
)

const page = "<html><head><title>A page</title></head><body>with some text in it</body></html>\n"

// response is a record of an HTTP answer; fields are name and value in turn.
func response(block string, fields ...string) *archive.Record {
	rec := &archive.Record{
		Format: archive.FormatWARC, Version: "1.0", Type: archive.Response, URI: "http://example.com/dir/page",
		Date: time.Date(2018, 8, 17, 0, 0, 0, 0, time.UTC), ContentType: "application/http; msgtype=response",
		DeclaredLength: int64(len(block)), Block: strings.NewReader(block),
	}
	for i := 0; i < len(fields); i += 2 {
		rec.Header = append(rec.Header, archive.Field{Name: fields[i], Value: fields[i+1]})
	}
	return rec
}

func read(t *testing.T, rec *archive.Record) *Capture {
	t.Helper()
	c, err := NewReader(Options{}).Read(rec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestInMemory: a block in memory gives the same capture as one that is read.
func TestInMemory(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for name, block := range map[string]string{
		"a page": head + "\r\n" + page, "no body": head + "\r\n", "no header": page, "nothing": "",
		"a header without an end": head, "another line end": "HTTP/1.1 200 OK\n\n" + page,
		"a blank line": "\r\n" + head,
		"folded":       head + " ; charset=x\r\n\r\n" + page,
		"blank lines":  head + "Content-Length: 82\r\n\r\n\r\n" + page,
		"chunks":       head + "Transfer-Encoding: chunked\r\n\r\n5\r\n<html\r\n0\r\n\r\n",
		"gzip":         head + "Content-Encoding: gzip\r\n\r\n" + zip(t, "gzip", page),
		"not coded":    head + "Content-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\n" + page,
		"UTF-16":       head + "\r\n\xFE\xFF\x00<\x00p", "short": head + "Content-Length: 9999\r\n\r\n" + page,
		"the limit":  head + "\r\n" + strings.Repeat("x", 1000),
		"over limit": head + "\r\n" + strings.Repeat("x", 1001),
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\n"+
				"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			io.WriteString(z, text)
			z.Close()
			var got [2]string
			r := NewReader(Options{MaxBody: 1000})
			for i, input := range []io.Reader{strings.NewReader(text), &zipped} {
				a, err := archive.NewReader(input, archive.Options{})
				if err != nil {
					t.Fatal(err)
				}
				rec, err := a.Next()
				if err != nil {
					t.Fatal(err)
				}
				if rest := rec.Rest(); (rest != nil) != (i == 1 && block != "") {
					t.Fatalf("%d bytes are in memory", len(rest))
				}
				c, err := r.Read(rec)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.Finish(); err != nil {
					t.Fatal(err)
				}
				got[i] = fmt.Sprintf("%d %q %s %q %t %d %t %s %v", c.Status, c.Header, c.Charset, c.Body, c.Body == nil,
					c.BodyBytes, c.BodyTruncated, c.PayloadDigest(), c.Defects)
			}
			if got[0] != got[1] {
				t.Errorf("read:\n%s\nin memory:\n%s", got[0], got[1])
			}
		})
	}
}

func sha(s string) string {
	sum := sha1.Sum([]byte(s))
	return base32.StdEncoding.EncodeToString(sum[:])
}

func TestHeader(t *testing.T) {
	type want struct {
		status  int
		mime    string
		charset string
		body    string
		defects []Defect
	}
	tests := []struct {
		name  string
		block string
		want  want
	}{
		{"plain", "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\n\r\nx",
			want{200, "text/html", "utf-8", "x", nil}},
		{"LF only", "HTTP/1.0 200 OK\nContent-Type: text/html\n\nx\n", want{200, "text/html", "", "x\n", nil}},
		{"lower case", "http/1.1 404 Not Found\r\ncontent-type: TEXT/HTML\r\n\r\nx",
			want{404, "text/html", "", "x", nil}},
		{"HTTP/2, no reason", "HTTP/2 200\r\n\r\nx", want{200, "", "", "x", nil}},
		{"empty reason", "HTTP/1.1 204 \r\n\r\n", want{204, "", "", "", nil}},
		{"status 0", "HTTP/1.1 0 OK\r\n\r\nx", want{0, "", "", "x", []Defect{StatusInvalid}}},
		{"status 999", "HTTP/1.1 999 Request denied\r\n\r\nx", want{999, "", "", "x", []Defect{StatusInvalid}}},
		{"status is no number", "HTTP/1.1 OK\r\n\r\nx", want{0, "", "", "x", []Defect{StatusInvalid}}},
		{"no status line", "Content-Type: text/html\r\nServer: a\r\n\r\nx",
			want{0, "text/html", "", "x", []Defect{NoStatusLine}}},
		{"no header, HTML", "<html>x", want{0, "", "", "<html>x", []Defect{NoHeader}}},
		{"no header, robots.txt", "User-agent: *\nDisallow: /\n",
			want{0, "", "", "User-agent: *\nDisallow: /\n", []Defect{NoHeader}}},
		{"empty block", "", want{0, "", "", "", []Defect{NoHeader}}},
		{"folded", "HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html;\r\n\tcharset=x\r\n\r\nx",
			want{200, "text/html", "x", "x", []Defect{HeaderFolded}}},
		{"no colon", "HTTP/1.1 200 OK\r\njunk\r\nContent-Type: text/html\r\n\r\nx",
			want{200, "text/html", "", "x", []Defect{HeaderNoColon}}},
		{"unterminated", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
			want{200, "text/html", "", "", []Defect{HeaderEnd}}},
		{"blank lines before", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx", want{200, "", "", "x", nil}},
		{"not UTF-8", "HTTP/1.1 200 \xE9\r\nX-\xFF: \xFE\r\nContent-Type: text/html\r\n\r\nx",
			want{200, "text/html", "", "x", nil}},
		{"several media types", "HTTP/1.1 200 OK\r\nContent-Type: junk\r\nContent-Type: text/html, text/plain\r\n\r\nx",
			want{200, "text/html", "", "x", nil}},
		{"quoted charset", "HTTP/1.1 200 OK\r\nContent-Type: text/html; a=b ;Charset = \"ISO-8859-1\"\r\n\r\nx",
			want{200, "text/html", "iso-8859-1", "x", nil}},
		{"line ends of two CR and LF", "HTTP/1.1 200 OK\r\r\nServer: a\r\r\n\r\r\nx\r\n\r\n",
			want{200, "", "", "x\r\n\r\n", nil}},
		{"extra blank line (CC-MAIN-2018-34)", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\r\nx",
			want{200, "", "", "x", []Defect{ExtraBlankLine}}},
		{"blank line that is the body's", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\r\nx",
			want{200, "", "", "\r\nx", nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			piecemeal := response(tt.block)
			piecemeal.Block = iotest.OneByteReader(piecemeal.Block)
			for _, rec := range []*archive.Record{response(tt.block), piecemeal} {
				c := read(t, rec)
				got := want{c.Status, c.MimeType, c.Charset, string(c.Body), append([]Defect(nil), c.Defects...)}
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(want{})); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestHeaderIsBounded(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 1<<20)
	c := read(t, response(block))
	if c.Status != 200 || !c.BodyTruncated || len(c.Header) > maxFields ||
		!cmp.Equal(c.Defects, []Defect{HeaderTooLarge}) {
		t.Errorf("status %d, truncated %v, %d fields, defects %v", c.Status, c.BodyTruncated, len(c.Header), c.Defects)
	}
}

func TestRedirect(t *testing.T) {
	for _, tt := range []struct{ status, location, want string }{
		{"301", "/other", "http://example.com/other"},
		{"302", "https://example.org/x", "https://example.org/x"},
		{"307", "next", "http://example.com/dir/next"},
		{"301", "mailto:a@b", ""},
		{"200", "/other", ""},
	} {
		c := read(t, response("HTTP/1.1 "+tt.status+" X\r\nLocation: "+tt.location+"\r\n\r\n"))
		if c.Redirect != tt.want {
			t.Errorf("%s to %s: %q, want %q", tt.status, tt.location, c.Redirect, tt.want)
		}
	}
}

func zip(t *testing.T, coding, s string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	case "chunked":
		for len(s) > 0 {
			n := min(len(s), 30)
			fmt.Fprintf(&b, "%X\r\n%s\r\n", n, s[:n])
			s = s[n:]
		}
		b.WriteString("0\r\n\r\n")
		return b.String()
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCodings(t *testing.T) {
	z := func(coding, s string) string { return zip(t, coding, s) }
	tests := []struct {
		name, fields, payload string
		defects               []Defect
	}{
		{"gzip", "Content-Encoding: gzip", z("gzip", page), nil},
		{"x-gzip", "Content-Encoding: x-gzip", z("gzip", page), nil},
		{"gzip in two members", "Content-Encoding: gzip", z("gzip", page[:20]) + z("gzip", page[20:]), nil},
		{"gzip with trailing bytes", "Content-Encoding: gzip", z("gzip", page) + "trailing", nil},
		{"deflate with zlib header", "Content-Encoding: deflate", z("deflate", page), nil},
		{"deflate, raw", "Content-Encoding: deflate", z("raw", page), nil},
		{"br", "Content-Encoding: br", z("br", page), nil},
		{"zstd", "Content-Encoding: zstd", z("zstd", page), nil},
		{"chunked", "Transfer-Encoding: chunked", z("chunked", page), nil},
		{"chunked with extension, lower case, LF", "Transfer-Encoding: Chunked", "51;a=b\n" + page + "\n0\n\n", nil},
		{"chunked gzip", "Transfer-Encoding: chunked\r\nContent-Encoding: gzip", z("chunked", z("gzip", page)), nil},
		{"several codings", "Content-Encoding: deflate, gzip", z("gzip", z("deflate", page)), nil},
		{"several fields", "Content-Encoding: br\r\nContent-Encoding: gzip", z("gzip", z("br", page)), nil},
		{"gzip twice", "Content-Encoding: gzip, gzip", z("gzip", z("gzip", page)), nil},
		{"br twice", "Content-Encoding: br, br", z("br", z("br", page)), nil},
		{"zstd twice", "Content-Encoding: zstd, zstd", z("zstd", z("zstd", page)), nil},
		{"deflate twice", "Content-Encoding: deflate, deflate", z("deflate", z("raw", page)), nil},
		{"identity", "Content-Encoding: identity", page, nil},
		{"plain under gzip", "Content-Encoding: gzip", page, []Defect{NotCoded}},
		{"plain under deflate", "Content-Encoding: deflate", page, []Defect{NotCoded}},
		{"plain under br", "Content-Encoding: br", page, []Defect{NotCoded}},
		{"plain under zstd", "Content-Encoding: zstd", page, []Defect{NotCoded}},
		{"plain under chunked", "Transfer-Encoding: chunked", page, []Defect{NotChunked}},
		{"gzip under unchunked", "Transfer-Encoding: chunked\r\nContent-Encoding: gzip", z("gzip", page),
			[]Defect{NotChunked}},
		{"unknown coding", "Content-Encoding: compress", page, []Defect{CodingUnknown}},
		{"X-Crawler fields decode nothing", "X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Transfer-Encoding: chunked",
			page, nil},
	}
	r := NewReader(Options{}) // one for all: decoders are used again
	for range 2 {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				rec := response("HTTP/1.1 200 OK\r\n" + tt.fields + "\r\n\r\n" + tt.payload)
				rec.Block = iotest.HalfReader(rec.Block)
				c, err := r.Read(rec)
				if err != nil {
					t.Fatal(err)
				}
				if string(c.Body) != page || c.BodyBytes != int64(len(page)) || c.BodyTruncated {
					t.Errorf("body %q, %d bytes, truncated %v", c.Body, c.BodyBytes, c.BodyTruncated)
				}
				if diff := cmp.Diff(tt.defects, append([]Defect(nil), c.Defects...)); diff != "" {
					t.Error(diff)
				}
				if want := sha(tt.payload); c.PayloadDigest() != want {
					t.Errorf("digest %s, want that of the payload as it is, %s", c.Digest, want)
				}
			})
		}
	}
}

func TestTruncatedCodedBodies(t *testing.T) {
	long := strings.Repeat(page, 500)
	for _, tt := range []struct{ coding, fields string }{
		{"gzip", "Content-Encoding: gzip"},
		{"deflate", "Content-Encoding: deflate"},
		{"raw", "Content-Encoding: deflate"},
		{"br", "Content-Encoding: br"},
		{"zstd", "Content-Encoding: zstd"},
		{"chunked", "Transfer-Encoding: chunked"},
	} {
		t.Run(tt.coding, func(t *testing.T) {
			payload := zip(t, tt.coding, long)
			c := read(t, response("HTTP/1.1 200 OK\r\n"+tt.fields+"\r\n\r\n"+payload[:len(payload)-12]))
			if !cmp.Equal(c.Defects, []Defect{TruncatedBody}) || !c.BodyTruncated ||
				!strings.HasPrefix(long, string(c.Body)) {
				t.Errorf("defects %v, truncated %v, %d bytes", c.Defects, c.BodyTruncated, len(c.Body))
			}
		})
	}
}

func TestBodyIsCapped(t *testing.T) {
	bomb := zip(t, "gzip", strings.Repeat("\x00", 40<<20))
	r := NewReader(Options{MaxBody: 1 << 20, MaxCount: 8 << 20})
	c, err := r.Read(response("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Body) != 1<<20 || c.BodyBytes != 9<<20 || !c.BodyTruncated ||
		!cmp.Equal(c.Defects, []Defect{BodyLimit, CountLimit}) {
		t.Errorf("%d of %d bytes, truncated %v, defects %v", len(c.Body), c.BodyBytes, c.BodyTruncated, c.Defects)
	}
	if c.PayloadDigest() != sha(bomb) {
		t.Error("the digest is not that of the payload")
	}

	plain := strings.Repeat("x", 3<<20)
	if c, err = r.Read(response("HTTP/1.1 200 OK\r\n\r\n" + plain)); err != nil {
		t.Fatal(err)
	}
	if len(c.Body) != 1<<20 || c.BodyBytes != 3<<20 || !c.BodyTruncated || !cmp.Equal(c.Defects, []Defect{BodyLimit}) {
		t.Errorf("plain: %d of %d bytes, truncated %v, defects %v", len(c.Body), c.BodyBytes, c.BodyTruncated,
			c.Defects)
	}
	if c.PayloadDigest() != sha(plain) {
		t.Error("plain: the digest is not that of the payload")
	}
	if c, err = r.Read(response("HTTP/1.1 200 OK\r\n\r\n" + plain[:1<<20+9])); err != nil {
		t.Fatal(err)
	}
	if len(c.Body) != 1<<20 || c.PayloadDigest() != sha(plain[:1<<20+9]) {
		t.Error("a few bytes more: the digest is not that of the payload")
	}
	exact := strings.Repeat("x", 1<<20)
	if c, err = r.Read(response("HTTP/1.1 200 OK\r\n\r\n" + exact)); err != nil {
		t.Fatal(err)
	}
	if c.PayloadDigest() != sha(exact) {
		t.Error("exact: the digest is not that of the payload")
	}
	if len(c.Body) != 1<<20 || c.BodyTruncated && c.Truncated == "" || len(c.Defects) > 0 {
		t.Errorf("exact: truncated %v, defects %v", c.BodyTruncated, c.Defects)
	}
}

func TestDigest(t *testing.T) {
	sum := sha1.Sum([]byte("other"))
	for _, tt := range []struct {
		name, field, want string
		defects           []Defect
	}{
		{"base32", "sha1:" + sha("other"), sha("other"), nil},
		{"lower case", "SHA1:" + strings.ToLower(sha("other")), sha("other"), nil},
		{"hex", "sha1:" + hex.EncodeToString(sum[:]), sha("other"), nil},
		{"another algorithm", "sha256:ABC", sha("x"), nil},
		{"padding is no digest", "sha1:" + strings.Repeat("A", 24) + "========", sha("x"), []Defect{DigestInvalid}},
		{"a letter that becomes ASCII in upper case", "sha1:" + strings.Repeat("a", 30) + "\u017F", sha("x"),
			[]Defect{DigestInvalid}},
		{"unreadable", "sha1:ABC", sha("x"), []Defect{DigestInvalid}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := read(t, response("HTTP/1.1 200 OK\r\n\r\nx", "WARC-Payload-Digest", tt.field))
			if c.PayloadDigest() != tt.want || !cmp.Equal(append([]Defect(nil), c.Defects...), tt.defects) {
				t.Errorf("%s, want %s; defects %v", c.Digest, tt.want, c.Defects)
			}
		})
	}
}

// A coding that proves false has read the start of the payload. The digest has it once, also of a body over the limit,
// and of a record that breaks off.
func TestDigestOfWhatIsNotCoded(t *testing.T) {
	body := strings.Repeat("User-agent: x\n", 200)
	for _, field := range []string{
		"Content-Length: 2800", "Content-Encoding: gzip", "Content-Encoding: br", "Transfer-Encoding: chunked",
	} {
		whole := "HTTP/1.1 200 OK\r\n" + field + "\r\n\r\n" + body
		damaged := response(whole)
		damaged.Block = io.MultiReader(damaged.Block, iotest.ErrReader(&archive.RecordError{Defect: archive.BadMember}))
		for name, rec := range map[string]*archive.Record{"over the limit": response(whole), "damaged": damaged} {
			c, err := NewReader(Options{MaxBody: 1000}).Read(rec)
			if err != nil {
				t.Fatal(err)
			}
			if c.PayloadDigest() != sha(body) {
				t.Errorf("%s, %s: the digest is %s, want %s; defects %v", field, name, c.PayloadDigest(), sha(body),
					c.Defects)
			}
		}
	}
}

func TestTruncated(t *testing.T) {
	c := read(t, response("HTTP/1.1 200 OK\r\n\r\nx", "WARC-Truncated", "length"))
	if c.Truncated != "length" || !c.BodyTruncated {
		t.Errorf("declared: %q, %v", c.Truncated, c.BodyTruncated)
	}
	// A record's header may be long. Words of it wait in memory for their facts, and are remembered.
	long := strings.Repeat("Long", 50_000)
	if c = read(t, response("HTTP/1.1 200 OK\r\n\r\nx", "WARC-Truncated", long, "WARC-Identified-Payload-Type",
		long)); c.Truncated != strings.ToLower(long[:maxWord]) ||
		c.MimeDetected != c.Truncated || !c.BodyTruncated {
		t.Errorf("a word of %d bytes has %d and %d", len(long), len(c.Truncated), len(c.MimeDetected))
	}
	mib := strings.Repeat("x", 1<<20)
	if c = read(t, response("HTTP/1.1 200 OK\r\n\r\n"+mib)); c.Truncated != TruncatedSuspected || !c.BodyTruncated {
		t.Errorf("1 MiB in 2018: %q", c.Truncated)
	}
	rec := response("HTTP/1.1 200 OK\r\n\r\n" + mib)
	rec.Date = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	if c = read(t, rec); c.Truncated != "" || c.BodyTruncated {
		t.Errorf("1 MiB in 2025: %q", c.Truncated)
	}
	if c = read(t, response("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx")); !c.BodyTruncated ||
		!cmp.Equal(c.Defects, []Defect{ShortBody}) {
		t.Errorf("short body: %v, %v", c.BodyTruncated, c.Defects)
	}
}

func TestDamagedRecord(t *testing.T) {
	rec := response("HTTP/1.1 200 OK\r\n\r\nabc")
	rec.Block = io.MultiReader(rec.Block, iotest.ErrReader(&archive.RecordError{Defect: archive.BadMember}))
	if c := read(t, rec); string(c.Body) != "abc" || !c.BodyTruncated ||
		!cmp.Equal(c.Defects, []Defect{RecordDamaged}) {
		t.Errorf("body %q, truncated %v, defects %v", c.Body, c.BodyTruncated, c.Defects)
	}
	broken := errors.New("the input is broken")
	for _, block := range []string{"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\nabc"} {
		rec.Block = io.MultiReader(strings.NewReader(block), iotest.ErrReader(broken))
		if _, err := NewReader(Options{}).Read(rec); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", block, err)
		}
	}
}

func TestRecordTypes(t *testing.T) {
	revisit := response("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "WARC-Payload-Digest", "sha1:"+sha("x"))
	revisit.Type = archive.Revisit
	if c := read(t, revisit); c.Status != 200 || c.Body != nil || c.Digest != sha("x") || c.MimeType != "text/html" {
		t.Errorf("revisit: %+v", c)
	}
	bare := response("")
	bare.Type = archive.Revisit
	if c := read(t, bare); c.Status != 0 || c.Body != nil || len(c.Defects) > 0 {
		t.Errorf("revisit without header: %+v", c)
	}
	resource := response("HTTP/1.1 is text here")
	resource.Type, resource.ContentType = archive.Resource, "text/plain; charset=x"
	if c := read(t, resource); c.Status != 0 || string(c.Body) != "HTTP/1.1 is text here" ||
		c.MimeType != "text/plain" || c.Charset != "x" {
		t.Errorf("resource: %+v", c)
	}
	arc := response("<html>")
	arc.Format, arc.ContentType = archive.FormatARC, "text/html"
	if c := read(t, arc); c.MimeType != "text/html" || string(c.Body) != "<html>" {
		t.Errorf("ARC without header: %+v", c)
	}
}

func TestSkips(t *testing.T) {
	for _, tt := range []struct {
		typ  archive.RecordType
		uri  string
		want Skip
	}{
		{archive.Request, "http://example.com/", SkipType},
		{archive.Metadata, "http://example.com/", SkipType},
		{archive.Conversion, "http://example.com/", SkipType},
		{archive.Response, "dns:example.com", SkipScheme},
		{archive.Resource, "urn:x", SkipScheme},
		{archive.Response, "", SkipURL},
	} {
		rec := response("")
		rec.Type, rec.URI = tt.typ, tt.uri
		if _, err := NewReader(Options{}).Read(rec); err != tt.want {
			t.Errorf("%v %q: %v, want %v", tt.typ, tt.uri, err, tt.want)
		}
	}
}

func TestWant(t *testing.T) {
	r := NewReader(Options{Want: func(c *Capture) bool { return !strings.HasPrefix(c.MimeType, "image/") }})
	rec := response("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nabc")
	if c, err := r.Read(rec); err != nil || c.Body != nil || c.BodyBytes != 3 || c.PayloadDigest() != "" {
		t.Errorf("unwanted: %+v, %v", c, err)
	}
	rec = response("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nabc")
	rec.URI = "http://example.com/robots.txt"
	if c, err := r.Read(rec); err != nil || string(c.Body) != "abc" || !c.IsRobots() {
		t.Errorf("robots.txt: %+v, %v", c, err)
	}
}

func TestWideCharsets(t *testing.T) {
	for _, tt := range []struct{ name, served, body, want, charset string }{
		{"UTF-16LE", "", "\xFF\xFEa\x00\x3D\xD8\x00\xDE\n\x00", "a\U0001F600\n", "utf-16le"},
		{"UTF-16BE", "", "\xFE\xFF\x00a\x00\xE4", "aä", "utf-16be"},
		{"UTF-32LE", "", "\xFF\xFE\x00\x00a\x00\x00\x00", "a", "utf-32le"},
		{"UTF-32BE", "", "\x00\x00\xFE\xFF\x00\x00\x00a", "a", "utf-32be"},
		{"header alone", "utf-16", "a\x00b\x00", "ab", "utf-16le"},
		{"header alone and wrong", "utf-16", "abcd", "abcd", "utf-16"},
		{"lone surrogate, odd byte", "", "\xFF\xFE\x00\xD8a\x00b", "\uFFFDa", "utf-16le"},
		{"UTF-8 stays bytes", "utf-8", "\xEF\xBB\xBFa\xFF", "\xEF\xBB\xBFa\xFF", "utf-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := read(t, response("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset="+tt.served+"\r\n\r\n"+tt.body))
			if string(c.Body) != tt.want || c.Charset != tt.charset || c.BodyBytes != int64(len(tt.want)) {
				t.Errorf("%q in %s, %d bytes; want %q in %s", c.Body, c.Charset, c.BodyBytes, tt.want, tt.charset)
			}
		})
	}
}

func TestReaderAllocatesLittle(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n" +
		zip(t, "gzip", page)
	rec, body := response(block), strings.NewReader(block)
	rec.Block = body
	r := NewReader(Options{})
	allocs := testing.AllocsPerRun(100, func() {
		body.Reset(block)
		if _, err := r.Read(rec); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 4 {
		t.Errorf("%v allocations a record", allocs)
	}
}

// realBlocks are small answers of real archives, a few of each file, where those are there.
func realBlocks(t testing.TB) (blocks [][]byte) {
	t.Helper()
	const folder = "../../../shared/data/warc"
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		// which may inflate to a quarter of a gigabyte
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".bz2") {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in, err := archive.NewReader(file, archive.Options{})
		if err != nil {
			return nil // no archive
		}
		for range 12 {
			rec, err := in.Next()
			if err != nil {
				return nil // the end, or damage
			}
			if rec.Type != archive.Response || rec.URI == "" {
				continue
			}
			if block, err := io.ReadAll(io.LimitReader(rec.Block, 8<<10)); err == nil {
				blocks = append(blocks, block)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return blocks
}

// FuzzRead checks that no block makes a Reader fail, panic or keep more than its limits, that what it says agrees with
// itself, and that it finds the same in a block that comes piece by piece.
func FuzzRead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n" +
		"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: deflate, br, zstd\r\n\r\n\x78\x9c\x00"))
	f.Add([]byte("\r\nhttp/1.1 301\nLocation: //x\n folded\n\n\r\n\xFF\xFEa\x00"))
	for _, block := range realBlocks(f) {
		f.Add(block)
	}
	opts := Options{MaxBody: 4096, MaxCount: 8192, MaxHeader: 2048}
	r, piecemeal := NewReader(opts), NewReader(opts)
	f.Fuzz(func(t *testing.T, block []byte) {
		for _, typ := range []archive.RecordType{archive.Response, archive.Revisit, archive.Resource} {
			rec := response(string(block))
			rec.Type = typ
			c, err := r.Read(rec)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Body) > 4096 || c.BodyBytes > int64(len(block))+4096+8192 || int64(len(c.Body)) > c.BodyBytes &&
				c.Charset == "" {
				t.Fatalf("%d of %d bytes kept of a block of %d", len(c.Body), c.BodyBytes, len(block))
			}
			if typ == archive.Response && len(c.PayloadDigest()) != 32 && !c.BodyTruncated {
				t.Fatalf("digest %q", c.Digest)
			}
			if c.Status < 0 || c.Status > 999 {
				t.Fatalf("status %d", c.Status)
			}
			rec.Block = iotest.OneByteReader(bytes.NewReader(block))
			again, err := piecemeal.Read(rec)
			if err != nil {
				t.Fatal(err)
			}
			if c.Status != again.Status || len(c.Header) != len(again.Header) || len(c.Header) > 0 &&
				!cmp.Equal(c.Header, again.Header) {
				t.Fatalf("header %d %q, piece by piece %d %q", c.Status, c.Header, again.Status, again.Header)
			}
			if !bytes.Equal(c.Body, again.Body) || !slices.Equal(c.Defects, again.Defects) ||
				c.MimeType != again.MimeType {
				t.Fatalf("%s %q %v, piece by piece %s %q %v", c.MimeType, c.Body, c.Defects, again.MimeType, again.Body,
					again.Defects)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, strings.Repeat(page, 250))
	w.Close()
	for _, bb := range []struct{ name, block string }{
		{"plain20KB", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nDate: x\r\nServer: y\r\n\r\n" +
			strings.Repeat(page, 250)},
		{"gzip20KB", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + z.String()},
	} {
		b.Run(bb.name, func(b *testing.B) {
			body := strings.NewReader(bb.block)
			rec := response(bb.block, "WARC-Payload-Digest", "sha1:"+sha("x"))
			rec.Block = body
			r := NewReader(Options{})
			b.SetBytes(int64(len(bb.block)))
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(bb.block)
				c, err := r.Read(rec)
				if err != nil {
					b.Fatal(err)
				}
				runtime.KeepAlive(c)
			}
		})
	}
}

func TestIgnores(t *testing.T) {
	for _, tt := range []struct {
		of          archive.RecordType
		contentType string
		want        bool
	}{
		{archive.Response, "application/http", false}, {archive.Revisit, "", false},
		{archive.Resource, "text/plain", false},
		{archive.Metadata, "application/json", false}, {archive.Metadata, " Application/JSON; charset=utf-8", false},
		{archive.Metadata, "application/warc-fields", true}, {archive.Request, "application/json", true},
		{archive.Warcinfo, "", true},
	} {
		if got := Ignores(tt.of, []byte(tt.contentType)); got != tt.want {
			t.Errorf("a %v record of type %q is ignored: %v", tt.of, tt.contentType, got)
		}
	}
}
