package archive

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWARCHeader reads headers as they occur, and what they are flagged for.
func TestWARCHeader(t *testing.T) {
	date := time.Date(2014, 8, 1, 12, 0, 0, 0, time.UTC)
	base := Record{Format: FormatWARC, Version: "1.0", Type: Response, URI: "http://x/", Date: date,
		ContentType: "application/http; msgtype=response", DeclaredLength: 4}
	with := func(change func(*Record), defects ...Defect) Record {
		rec := base
		change(&rec)
		rec.Defects = defects
		return rec
	}
	same := func(*Record) {}
	tests := []struct {
		name   string
		header []string
		edit   func(string) string
		want   Record
	}{
		{name: "1.0", want: base},
		{name: "0.17", header: []string{"WARC/0.17"}, want: with(func(r *Record) { r.Version = "0.17" })},
		{name: "0.18", header: []string{"WARC/0.18"}, want: with(func(r *Record) { r.Version = "0.18" })},
		{name: "1.1", header: []string{"WARC/1.1"}, want: with(func(r *Record) { r.Version = "1.1" })},
		{name: "unknown version", header: []string{"WARC/2.0"},
			want: with(func(r *Record) { r.Version = "2.0" }, VersionUnknown)},
		{name: "space after the version", header: []string{"WARC/1.0 "}, want: base},

		{name: "other case of names and type", header: []string{"WARC-Type", "warc-type: RESPONSE"}, want: base},
		{name: "type warcinfo", header: []string{"WARC-Type: warcinfo"},
			want: with(func(r *Record) { r.Type = Warcinfo })},
		{name: "type conversion", header: []string{"WARC-Type: conversion"},
			want: with(func(r *Record) { r.Type = Conversion })},
		{name: "type unknown", header: []string{"WARC-Type: screenshot"},
			want: with(func(r *Record) { r.Type = OtherType }, TypeUnknown)},
		{name: "type missing", header: []string{"WARC-Type"},
			want: with(func(r *Record) { r.Type = OtherType }, TypeUnknown)},

		{name: "space before the colon", header: []string{"Content-Length", "Content-Length : 4"},
			want: with(same, HeaderSpaceBeforeColon)},
		{name: "no space after the colon", header: []string{"Content-Length:4"}, want: base},
		{name: "space after the value", header: []string{"Content-Length: 4 \t"}, want: base},
		{name: "folded", header: []string{"WARC-Target-URI: http://\r\n x/"},
			want: with(func(r *Record) { r.URI = "http:// x/" }, HeaderFolded, URISpaces)},
		{name: "folded with tabs, twice", header: []string{"X-Note: a\r\n\tb\r\n \t c"},
			want: with(same, HeaderFolded)},
		{name: "folded first line", header: []string{"WARC/1.0\r\n folded: x"}, want: base},
		{name: "repeated type", header: []string{"WARC-Type: response\r\nWARC-Type: request"},
			want: with(same, HeaderRepeated)},
		{name: "repeated URI", header: []string{"WARC-Target-URI: http://x/\r\nWARC-Target-URI: http://y/"},
			want: with(same, HeaderRepeated)},
		{name: "fields that may be repeated", header: []string{"WARC-Protocol: h2\r\nWARC-Protocol: tls/1.3"},
			want: base},
		{name: "line ends LF only", edit: func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") },
			want: with(same, HeaderLineEnd, BadSeparator)},
		{name: "line ends CR CR LF", edit: func(s string) string { return strings.ReplaceAll(s, "\r\n", "\r\r\n") },
			want: with(same, HeaderLineEnd, BadSeparator)},
		{name: "not UTF-8", header: []string{"X-Note: caf\xe9"}, want: with(same, HeaderNotUTF8)},
		{name: "line without a colon", header: []string{"X-Note: a\r\nno colon here"}, want: with(same, HeaderNoColon)},
		{name: "100 KB", header: []string{"X-Note: " + strings.Repeat("long ", 20_000)}, want: base},
		{name: "10,000 fields", header: []string{"X-Note: a" + strings.Repeat("\r\nX-Note: a", 10_000)}, want: base},
		{name: "10,000 folds", header: []string{"X-Note: a" + strings.Repeat("\r\n a", 10_000)},
			want: with(same, HeaderFolded)},
		{name: "empty line in another separator", edit: func(s string) string { return strings.TrimSuffix(s, "\r\n") },
			want: with(same, BadSeparator)},
		{name: "one line end too many", edit: func(s string) string { return s + "\r\n" },
			want: with(same, BadSeparator)},

		{name: "URI in brackets", header: []string{"WARC-Target-URI: <http://x/>"}, want: with(same, URIBrackets)},
		{name: "spaces in the URI", header: []string{"WARC-Target-URI: http://x/a b"},
			want: with(func(r *Record) { r.URI = "http://x/a b" }, URISpaces)},
		{name: "no URI", header: []string{"WARC-Target-URI"}, want: with(func(r *Record) { r.URI = "" }, URIMissing)},
		{name: "empty URI", header: []string{"WARC-Target-URI:"},
			want: with(func(r *Record) { r.URI = "" }, URIMissing)},
		{name: "no URI where none is needed", header: []string{"WARC-Target-URI", "WARC-Type: metadata"},
			want: with(func(r *Record) { r.URI, r.Type = "", Metadata })},
		{name: "IP address", header: []string{"WARC-IP-Address: 192.0.2.7"},
			want: with(func(r *Record) { r.IP = "192.0.2.7" })},

		{name: "date with fractions", header: []string{"WARC-Date: 2014-08-01T12:00:00.123456789Z"},
			want: with(func(r *Record) { r.Date = date.Add(123456789) })},
		{name: "date with a zone", header: []string{"WARC-Date: 2014-08-01T04:00:00-0800"}, want: base},
		{name: "date of a day", header: []string{"WARC-Date: 2014-08-01"},
			want: with(func(r *Record) { r.Date = date.Add(-12 * time.Hour) })},
		{name: "date in digits", header: []string{"WARC-Date: 20140801120000"}, want: base},
		{name: "date that is none", header: []string{"WARC-Date: 2009-03-65T08:43:19-0800"},
			want: with(func(r *Record) { r.Date = time.Time{} }, DateInvalid)},
		{name: "no date", header: []string{"WARC-Date"},
			want: with(func(r *Record) { r.Date = time.Time{} }, DateInvalid)},

		{name: "no empty line, another record follows", edit: func(s string) string {
			return strings.TrimSuffix(s, "\r\n\r\nbody\r\n\r\n") + "\r\n" + recC
		}, want: with(same, HeaderUnterminated, BadSeparator)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := warcText("http://x/", "body", tt.header...)
			if tt.edit != nil {
				text = tt.edit(text)
			}
			r, err := NewReader(strings.NewReader(text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			block, err := io.ReadAll(rec.Block)
			if err != nil {
				t.Fatal(err)
			}
			if want := "body"; string(block) != want && !rec.Has(HeaderUnterminated) {
				t.Errorf("block %q", block)
			}
			if _, err := r.Finish(); err != nil {
				t.Fatal(err)
			}
			got := *rec
			got.Header, got.Block = nil, nil
			got.Defects = append([]Defect(nil), rec.Defects...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeaderTooLarge(t *testing.T) {
	big := warcText("http://x/", page(200_000), "X-Note: "+strings.Repeat("long ", 60_000))
	for name, input := range map[string]string{"plain": recA + big + recB, "gzip": members(recA, big, recB),
		"one member": member(recA + big + recB)} {
		t.Run(name, func(t *testing.T) {
			records, stats := readAll(t, input, Options{})
			if len(records) != 3 || records[1].Err != HeaderTooLarge || records[2].Block != pageB || stats.Lost != 1 {
				t.Errorf("%d records, %d lost", len(records), stats.Lost)
			}
			records, _ = readAll(t, input, Options{MaxHeader: 1 << 20})
			if len(records) != 3 || records[1].Err != "" || records[1].URI != "http://x/" {
				t.Errorf("with a larger limit: %d records", len(records))
			}
			records, _ = readAll(t, input, Options{MaxHeader: 100})
			if len(records) != 3 || records[0].Err != HeaderTooLarge || records[2].Err != HeaderTooLarge {
				t.Errorf("with a smaller limit: %d records", len(records))
			}
		})
	}
}

func TestHeaderFields(t *testing.T) {
	h := Header{{"A", "1"}, {"b", "2"}, {"a", "3"}}
	if got := h.Get("B"); got != "2" {
		t.Errorf("Get(B) = %q", got)
	}
	if got := h.Get("c"); got != "" {
		t.Errorf("Get(c) = %q", got)
	}
	if diff := cmp.Diff([]string{"1", "3"}, h.Values("A")); diff != "" {
		t.Errorf("Values(A) (-want +got):\n%s", diff)
	}
}

func TestTypes(t *testing.T) {
	for _, typ := range RecordTypes() {
		if got := parseType(typ.String()); got != typ {
			t.Errorf("%v is read as %v", typ, got)
		}
	}
	if got := RecordType(200).String(); got != "other" {
		t.Errorf("a type that is none is %q", got)
	}
}

// TestDefects: every code is listed once.
func TestDefects(t *testing.T) {
	seen := make(map[Defect]bool)
	for _, d := range Defects() {
		if seen[d] || strings.Trim(string(d), "abcdefghijklmnopqrstuvwxyz8-") != "" {
			t.Errorf("code %q", d)
		}
		seen[d] = true
	}
}

// Every header that is not found plain is read line by line, which must come to the same; these are the ones that are
// found.
func TestPlainHeader(t *testing.T) {
	for _, tt := range []struct {
		name, header, rest string
		plain              bool
	}{
		{"usual", "WARC/1.0\r\nA: b\r\n\r\n", "body\r\n\r\n", true},
		{"LF", "WARC/1.0\nA: b\n\n", "body", true},
		{"without fields", "WARC/1.0\r\n\r\n", "", true},
		{"text like a version line", "WARC/1.0\r\nWARC/x: 1\r\n\r\n", "", true},
		{"another record", "WARC/1.0\r\nA: b\r\n", "WARC/1.0\r\nA: b\r\n\r\n", false},
		{"empty line of two CR and LF", "WARC/1.0\r\nA: b\r\n\r\r\n", "C: d\r\n\r\n", false},
		{"cut in the empty line", "WARC/1.0\r\nA: b\r\n\r", "", false},
		{"cut before it", "WARC/1.0\r\nA: b\r\n", "", false},
		{"nothing", "", "", false},
	} {
		want := 0
		if tt.plain {
			want = len(tt.header)
		}
		if got := plainHeader([]byte(tt.header + tt.rest)); got != want {
			t.Errorf("%s: %d bytes, want %d", tt.name, got, want)
		}
	}
}

// FuzzHeader: no header makes the parser panic, and its strings are parts of the header.
func FuzzHeader(f *testing.F) {
	f.Add(recA)
	f.Add("WARC/1.0\r\n folded\r\nA : b\r\n\tc\nno colon\r\r\n\r\nrest")
	f.Add("WARC/1.1\nContent-Length: 99999999999999999999\nWARC-Date: 2016\nWARC-Target-URI: <>\n")
	f.Fuzz(func(t *testing.T, text string) {
		rec := Record{DeclaredLength: -1}
		h := rawHeader{text: []byte(text)}
		h.parse(&rec, func(d Defect) {
			if !rec.Has(d) {
				rec.Defects = append(rec.Defects, d)
			}
		})
		h.deliver(&rec, string(h.text))
		if rec.DeclaredLength < -1 {
			t.Errorf("length %d", rec.DeclaredLength)
		}
		total := 0
		for _, field := range rec.Header {
			if strings.ContainsAny(field.Name+field.Value, "\n") {
				t.Errorf("field %q", field)
			}
			total += len(field.Name) + len(field.Value)
		}
		if total > len(text) {
			t.Errorf("fields of %d bytes from a header of %d", total, len(text))
		}
	})
}

// A first line that is longer than a header may be is passed by, and is not found again and again.
func TestFirstLineTooLong(t *testing.T) {
	r, err := NewReader(strings.NewReader(recA+"WARC/1"+strings.Repeat("y", 1000)+"\r\n\r\n"+recC),
		Options{MaxHeader: 600})
	if err != nil {
		t.Fatal(err)
	}
	records, lost := 0, 0
	for range 10 {
		if _, err := r.Next(); err == io.EOF {
			break
		} else if err != nil {
			lost++
		} else {
			records++
		}
	}
	if records != 2 || lost != 1 {
		t.Errorf("%d records, %d lost, want 2 and 1", records, lost)
	}
}
