package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// watRecord is a metadata record with that JSON. Its own date is not that of the capture.
func watRecord(json string) *archive.Record {
	rec := response(json)
	rec.Type, rec.ContentType, rec.Date = archive.Metadata, "application/json",
		time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	return rec
}

// answered is a WAT record of an answer; message are the members of its HTTP-Response-Metadata.
func answered(message string) string {
	return `{"Container":{"Offset":"7"},"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{` + message +
		`}},"Format":"WARC/1.0",` +
		`"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Date":"2018-08-17T00:00:00Z","WARC-Target-URI":"http://` +
		`example.com/dir/page"}}}`
}

const (
	status200 = `"Response-Message":{"Version":"HTTP/1.1","Status":"200","Reason":"OK"}`
	sha1Empty = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
)

func metas(pairs ...string) (list []Meta) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Meta{[]byte(pairs[i]), []byte(pairs[i+1]), i / 2})
	}
	return list
}

func TestWAT(t *testing.T) {
	base := Capture{
		URL: "http://example.com/dir/page", Site: "http://example.com",
		Time: time.Date(2018, 8, 17, 0, 0, 0, 0, time.UTC), Status: 200, Length: -1,
		Summary: &Summary{Type: archive.Response},
	}
	with := func(change func(*Capture)) Capture {
		c := base
		summary := *base.Summary
		c.Summary = &summary
		change(&c)
		return c
	}
	tests := []struct {
		name, json string
		want       Capture
	}{
		{"the least", answered(status200), base},
		{"header fields, one of them repeated", answered(status200 +
			`,"Headers":{"Content-Type":"Text/HTML; charset=\"UTF-8\"","X-Robots-Tag":["noindex"," bot: nofollow "],` +
			`"Odd":` +
			`{"a":[1]}}`),
			with(func(c *Capture) {
				c.MimeType, c.Charset = "text/html", "utf-8"
				c.Header = Header{{[]byte("Content-Type"), []byte(`Text/HTML; charset="UTF-8"`)},
					{[]byte("X-Robots-Tag"), []byte("noindex")}, {[]byte("X-Robots-Tag"), []byte("bot: nofollow")}}
			})},
		{"METAs", answered(status200 +
			`,"HTML-Metadata":{"Head":{"Title":"x","Metas":[{"name":"robots","content":"noindex"},{"content":"ACAP ` +
			`allow-index","name":"Bot"}]},"Links":[{"url":"/"}]}`),
			with(func(c *Capture) {
				c.Summary.HTML, c.Summary.Metas = true, metas("robots", "noindex", "Bot", "ACAP allow-index")
			})},
		{"METAs that are none", answered(status200 +
			`,"HTML-Metadata":{"Head":{"Metas":[{"name":"robots"},7,null,["x",{"y":1}],{"name":"a",` +
			`"content":{"b":[]}},` +
			`{"name":"robots","content":"all"}]}}`),
			with(func(c *Capture) {
				c.Summary.HTML, c.Summary.Metas = true, []Meta{{[]byte("robots"), []byte("all"), 5}}
			})},
		{"values of other kinds than they should be",
			answered(`"Response-Message":[{"Status":"404"}],"Headers":"none","HTML-Metadata":{"Head":7},` +
				`"Entity-Length":-5,` +
				`"Entity-Digest":null`),
			with(func(c *Capture) { c.Status, c.Summary.HTML, c.Defects = 0, true, []Defect{StatusInvalid} })},
		{"a METAs object, a status that is a number",
			answered(`"Response-Message":{"Status":301},"HTML-Metadata":{"Head":{"Metas":{"name":"robots",` +
				`"content":{"x":` +
				`["y"]}}}},"Headers":{"Location":"/next"}`),
			with(func(c *Capture) {
				c.Status, c.Redirect, c.Summary.HTML = 301, "http://example.com/next", true
				c.Header = Header{{[]byte("Location"), []byte("/next")}}
			})},
		{"length and digest", answered(status200 + `,"Entity-Length":"12","Entity-Digest":"sha1:` + sha1Empty + `"`),
			with(func(c *Capture) { c.BodyBytes, c.Digest = 12, sha1Empty })},
		{"what the record header says",
			`{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"revisit","WARC-Target-URI":"http://example.com/",` +
				`"WARC-Date":` +
				`"2018-08-17T00:00:00Z",` +
				`"WARC-Payload-Digest":"sha1:` + sha1Empty +
				`","WARC-Truncated":"length","WARC-Identified-Payload-Type":"text/html"},"Payload-Metadata":` +
				`{"HTTP-Response-Metadata":{` + status200 + `}}}}`,
			with(func(c *Capture) {
				c.URL, c.Digest, c.Truncated, c.BodyTruncated, c.MimeDetected = "http://example.com/", sha1Empty,
					"length", true, "text/html"
				c.Summary.Type = archive.Revisit
			})},
		{"of an ARC", `{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{` + status200 +
			`}},"ARC-Header-Metadata":{"Target-URI":"http://example.com/a","Date":"20080430204825"}}}`,
			with(func(c *Capture) {
				c.URL, c.Time = "http://example.com/a", time.Date(2008, 4, 30, 20, 48, 25, 0, time.UTC)
			})},
		{"no header metadata: the URL of the WAT record, no time",
			`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{` + status200 + `}}}}`,
			with(func(c *Capture) { c.Time, c.Summary.Type = time.Time{}, archive.OtherType })},
		{"cut behind a META",
			strings.SplitAfter(answered(status200+`,"HTML-Metadata":{"Head":{"Metas":[{"name":"robots",`+
				`"content":"none"},`+
				`{"name":"x`), `"x`)[0],
			with(func(c *Capture) {
				c.Time, c.Summary = time.Time{}, &Summary{HTML: true, Metas: metas("robots", "none")}
				c.Defects = []Defect{WATInvalid}
			})},
		{"bytes that are not UTF-8", answered(status200 +
			`,"HTML-Metadata":{"Head":{"Metas":[{"name":"robots","content":"` + "\xE9" + `\u0000\ud800"}]}}`),
			with(func(c *Capture) {
				c.Summary.HTML, c.Summary.Metas = true, metas("robots", "\uFFFD\x00\uFFFD")
			})},
	}
	r := NewReader(Options{}) // one for all
	for range 2 {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				rec := watRecord(tt.json)
				c, err := r.Read(rec)
				if err != nil {
					t.Fatal(err)
				}
				got := *c
				got.Record = nil
				if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreTypes(weburl.URL{}), cmpopts.EquateEmpty(),
					cmpopts.IgnoreUnexported(Capture{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// What is no capture, and why.
func TestWATSkips(t *testing.T) {
	tests := []struct {
		name, json, contentType string
		want                    error
	}{
		{"a request", `{"Envelope":{"Payload-Metadata":{"HTTP-Request-Metadata":{"Headers":{"Host":"x"}}},` +
			`"WARC-Header-Metadata":{"WARC-Type":"request"}}}`, "", SkipType},
		{"a warcinfo", `{"Envelope":{"Payload-Metadata":{"WARC-Info-Metadata":{"robots":"classic"}}}}`, "", SkipType},
		{"JSON that is no WAT", `{"pages":[1,2,{"Envelope":{}}]}`, "", SkipType},
		{"a list", `[1,{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{}}}}]`, "", SkipType},
		{"no JSON", `fetchTimeMs: 7`, "", SkipType},
		{"nothing", ``, "", SkipType},
		{"another media type", answered(status200), "application/warc-fields", SkipType},
		{"media type with a parameter, cut before the answer", `{"Envelope":{"Payload-Metadata":{"Actual`,
			"Application/JSON; charset=utf-8", SkipWAT},
		{"another scheme", strings.Replace(answered(status200), "http://example.com/dir/page", "dns:example.com", 1),
			"", SkipScheme},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := watRecord(tt.json)
			if tt.contentType != "" {
				rec.ContentType = tt.contentType
			}
			if c, err := NewReader(Options{}).Read(rec); err != tt.want {
				t.Errorf("%+v, %v; want %v", c, err, tt.want)
			}
		})
	}
	rec := watRecord(`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{}}}}`)
	rec.URI = ""
	if _, err := NewReader(Options{}).Read(rec); err != SkipURL {
		t.Errorf("no URL: %v", err)
	}
}

// Damage of the archive within a WAT record is the record's; an error of the input is not.
func TestWATOfDamagedInput(t *testing.T) {
	text := answered(status200 + `,"Headers":{"Content-Type":"text/html"}`)
	at := strings.Index(text, `,"Format"`)
	for _, tt := range []struct {
		cause error
		at    int
		want  error
	}{
		{&archive.RecordError{Defect: archive.BadMember}, at, nil},
		{&archive.RecordError{Defect: archive.BadMember}, 60, SkipWAT},
		{io.ErrClosedPipe, at, io.ErrClosedPipe},
		{io.ErrClosedPipe, 60, io.ErrClosedPipe},
	} {
		rec := watRecord("")
		rec.Block = io.MultiReader(strings.NewReader(text[:tt.at]), failing{tt.cause})
		c, err := NewReader(Options{}).Read(rec)
		if !errors.Is(err, tt.want) || tt.want == nil && (err != nil ||
			!cmp.Equal(c.Defects, []Defect{RecordDamaged}) || c.MimeType != "text/html") {
			t.Errorf("%v at %d: %v, want %v", tt.cause, tt.at, err, tt.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Hostile JSON costs no more than its bounds.
func TestWATIsBounded(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	many := func(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }
	for _, tt := range []struct {
		name, json string
		defects    []Defect
	}{
		{"many METAs", answered(status200 + `,"HTML-Metadata":{"Head":{"Metas":[` +
			many(50_000, `{"name":"a","content":"b"}`) + `]}}`), []Defect{WATLimit}},
		{"many METAs of nothing", answered(status200 + `,"HTML-Metadata":{"Head":{"Metas":[` + many(500_000, `{}`) +
			`]}}`), nil},
		{"many header fields", answered(status200 + `,"Headers":{"A":[` + many(50_000, `"b"`) + `]}`),
			[]Defect{WATLimit}},
		{"deep lists in what is passed over", answered(status200 + `,"Links":` + strings.Repeat("[", 1_000_000)),
			[]Defect{WATInvalid}},
		{"deep objects in a header field", answered(status200 + `,"Headers":{"A":` + strings.Repeat(`{"a":`, 200_000)),
			[]Defect{WATInvalid}},
		{"a long text that is passed over", answered(status200 + `,"HTML-Metadata":{"Text":"` + long + `"}`), nil},
		{"longer than is read", answered(status200 + `,"HTML-Metadata":{"Text":"` + long + long + long + `"}`),
			[]Defect{WATLimit}},
		{"members that repeat themselves", answered(many(100_000, status200)), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := NewReader(Options{})
			c, err := r.Read(watRecord(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if !cmp.Equal(c.Defects, tt.defects, cmpopts.EquateEmpty()) || c.Status != 200 {
				t.Errorf("status %d, defects %v, want %v", c.Status, c.Defects, tt.defects)
			}
			if len(c.Summary.Metas) > MaxMetas || len(c.Header) > maxFields {
				t.Errorf("%d METAs and %d header fields", len(c.Summary.Metas), len(c.Header))
			}
			if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 4<<20 {
				t.Errorf("%d bytes are kept", kept)
			}
			if total := after.TotalAlloc - before.TotalAlloc; total > 160<<20 {
				t.Errorf("%d bytes were allocated for %d", total, len(tt.json))
			}
		})
	}
}

// The real WAT that is known sums up a request and nothing else.
func TestRealWAT(t *testing.T) {
	const folder = "../../../shared/data/warc/commoncrawl+whirlwind-python"
	for _, name := range []string{"whirlwind.warc.wat", "whirlwind.warc.wat.gz"} {
		f, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Skip("the shared archives are not here")
		}
		defer f.Close()
		in, err := archive.NewReader(f, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, seen := NewReader(Options{}), ""
		for {
			rec, err := in.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			_, err = r.Read(rec)
			seen += fmt.Sprintf("%s %v; ", rec.Type, err == SkipType)
		}
		if want := "warcinfo true; metadata true; "; seen != want {
			t.Errorf("%s: %s, want %s", name, seen, want)
		}
	}
}

// FuzzWAT: whatever JSON a record holds, reading it ends within the bounds and gives the same twice.
func FuzzWAT(f *testing.F) {
	f.Add([]byte(answered(status200 +
		`,"Headers":{"A":["b",7],"X-Robots-Tag":"noindex"},"HTML-Metadata":{"Head":{"Metas":[{"name":"robots",` +
		`"content":` +
		`"none"}]}}`)))
	f.Add([]byte(`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":[{}]},` +
		`"ARC-Header-Metadata":{"Date":"2008"}}` +
		`}`))
	f.Add([]byte(`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{"a":{"b":[}`))
	f.Add([]byte(`[[[{"Envelope":1e999}]]]`))
	for _, name := range []string{"whirlwind.warc.wat"} {
		if text, err := os.ReadFile("../../../shared/data/warc/commoncrawl+whirlwind-python/" + name); err == nil {
			_, json, _ := strings.Cut(string(text), "\r\n\r\n{")
			f.Add([]byte("{" + json))
		}
	}
	r := NewReader(Options{MaxBody: 4096})
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := r.Read(watRecord(string(text)))
		if err != nil {
			var skip Skip
			if !errors.As(err, &skip) {
				t.Fatal(err)
			}
			return
		}
		first := *c
		size := 0
		for _, m := range first.Summary.Metas {
			size += len(m.Name) + len(m.Content)
		}
		for _, h := range first.Header {
			size += len(h.Value)
		}
		if size > 3*4096 {
			t.Errorf("%d bytes out of %d", size, min(len(text), 4096))
		}
		again, err := NewReader(Options{MaxBody: 4096}).Read(watRecord(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		again.Record = first.Record
		if diff := cmp.Diff(first, *again, cmpopts.IgnoreTypes(weburl.URL{}), cmpopts.EquateEmpty(),
			cmpopts.IgnoreFields(Capture{}, "Record"), cmpopts.IgnoreUnexported(Capture{})); diff != "" {
			t.Errorf("read again, it is another:\n%s", diff)
		}
	})
}
