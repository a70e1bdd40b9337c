package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// warcText returns a WARC record with that block. A line of header that begins
// with a default field's name takes its place; "Name" alone leaves it out.
func warcText(uri, block string, header ...string) string {
	fields := []string{
		"WARC-Type: response",
		"WARC-Target-URI: " + uri,
		"WARC-Date: 2014-08-01T12:00:00Z",
		"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>",
		"Content-Type: application/http; msgtype=response",
		fmt.Sprintf("Content-Length: %d", len(block)),
	}
	version := "WARC/1.0"
next:
	for _, h := range header {
		if strings.HasPrefix(h, "WARC/") {
			version = h
			continue
		}
		name, _, given := strings.Cut(h, ":")
		for i, f := range fields {
			if have, _, _ := strings.Cut(f, ":"); have == name {
				fields[i] = h
				if !given {
					fields = append(fields[:i:i], fields[i+1:]...)
				}
				continue next
			}
		}
		fields = append(fields, h)
	}
	return version + "\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n" + block + "\r\n\r\n"
}

// page returns an HTTP response whose body has n bytes.
func page(n int) string {
	var body strings.Builder
	for i := 0; body.Len() < n; i++ {
		fmt.Fprintf(&body, "<p>line %d\n", i*i*7919)
	}
	return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body.String()[:n]
}

// arcText returns an ARC record.
func arcText(uri, contentType, block string) string {
	return fmt.Sprintf("%s 192.0.2.1 20080430204825 %s %d\n%s\n", uri, contentType, len(block), block)
}

const arcVersionBlock = "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 76\n" +
	"1 1 Example Crawl\nURL IP-address Archive-date Content-type Archive-length\n\n"

// member returns the text as one gzip member.
func member(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// members returns each text as a gzip member.
func members(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(member(text))
	}
	return b.String()
}

// frames returns each text as a zstd frame.
func frames(texts ...string) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	var b []byte
	for _, text := range texts {
		b = z.EncodeAll([]byte(text), b)
	}
	return string(b)
}

// got is one answer of Next: a record with what Finish said of it, or an error.
type got struct {
	URI     string
	Block   string
	Defects []Defect
	Offset  int64
	Index   int64
	Length  int64 // -1 where Finish gave an error
	Err     Defect
}

// readAll reads an archive to its end. What it returns does not depend on how
// the input arrives, nor on whether blocks are read: both are checked.
func readAll(t *testing.T, input string, opts Options) ([]got, Stats) {
	t.Helper()
	records, stats := readOnce(t, strings.NewReader(input), opts, true)
	if len(input) < 64<<10 {
		again, stats2 := readOnce(t, iotest.OneByteReader(strings.NewReader(input)), opts, true)
		if diff := cmp.Diff(records, again); diff != "" {
			t.Errorf("byte by byte it reads otherwise (-whole +bytes):\n%s", diff)
		}
		if diff := cmp.Diff(stats, stats2); diff != "" {
			t.Errorf("byte by byte the stats differ (-whole +bytes):\n%s", diff)
		}
	}
	unread, stats3 := readOnce(t, iotest.DataErrReader(strings.NewReader(input)), opts, false)
	if len(unread) != len(records) {
		t.Errorf("without reading blocks there are %d records, not %d", len(unread), len(records))
	}
	if diff := cmp.Diff(stats, stats3); diff != "" {
		t.Errorf("without reading blocks the stats differ (-read +unread):\n%s", diff)
	}
	if stats.BytesRead != int64(len(input)) {
		t.Errorf("%d of %d bytes consumed", stats.BytesRead, len(input))
	}
	return records, stats
}

func readOnce(t *testing.T, input io.Reader, opts Options, blocks bool) ([]got, Stats) {
	t.Helper()
	r, err := NewReader(input, opts)
	if err != nil {
		t.Fatal(err)
	}
	return readRest(t, r, blocks)
}

// readRest reads on to the end of the Reader.
func readRest(t *testing.T, r *Reader, blocks bool) ([]got, Stats) {
	t.Helper()
	var records []got
	for {
		if len(records) > 100_000 {
			t.Fatal("there is no end")
		}
		rec, err := r.Next()
		if err == io.EOF {
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("Next after io.EOF: %v", err)
			}
			return records, r.Stats()
		}
		var lost *RecordError
		if errors.As(err, &lost) {
			records = append(records, got{Offset: lost.Offset, Length: -1, Err: lost.Defect})
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		g := got{URI: rec.URI, Offset: rec.Offset, Index: rec.Index}
		var blockErr error
		rest := rec.Rest()
		if blocks {
			var b []byte
			b, blockErr = io.ReadAll(rec.Block)
			g.Block = string(b)
		}
		g.Length, err = r.Finish()
		if errors.As(err, &lost) {
			g.Err = lost.Defect
		} else if err != nil {
			t.Fatal(err)
		}
		if blockErr != nil && blockErr != err {
			t.Errorf("Block gave %v, Finish %v", blockErr, err)
		}
		if blocks && rest != nil && (string(rest) != g.Block || err != nil) {
			t.Errorf("in memory there is %.100q…, in the block %.100q…, %v", rest, g.Block, err)
		}
		g.Defects = append(g.Defects, rec.Defects...)
		records = append(records, g)
	}
}
