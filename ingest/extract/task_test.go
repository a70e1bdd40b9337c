package extract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// collect returns an emit function that appends copies of the facts to list.
func collect(list *[]*facts.Fact) func(*facts.Fact) error {
	return func(f *facts.Fact) error {
		kept := *f
		kept.Body, kept.Counts = bytes.Clone(f.Body), slices.Clone(f.Counts)
		*list = append(*list, &kept)
		return nil
	}
}

// run makes the facts of captures given as URL and HTTP message in turn.
func run(t *testing.T, opts Options, urlsAndBlocks ...string) (emitted []*facts.Fact) {
	t.Helper()
	task, finder := NewTask(opts, collect(&emitted)), NewFinder(opts)
	reader := capture.NewReader(capture.Options{Want: Want})
	for i := 0; i < len(urlsAndBlocks); i += 2 {
		rec := &archive.Record{
			Format: archive.FormatWARC, Type: archive.Response, URI: urlsAndBlocks[i],
			Date:  time.UnixMilli(1500000000000).UTC(),
			Block: strings.NewReader(urlsAndBlocks[i+1]), DeclaredLength: int64(len(urlsAndBlocks[i+1])),
			Offset: int64(i),
		}
		if urlsAndBlocks[i+1] == "revisit" {
			rec.Type, rec.Block = archive.Revisit, strings.NewReader("HTTP/1.1 200 OK\r\n\r\n")
			rec.Header = archive.Header{{Name: "WARC-Payload-Digest", Value: "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}
		}
		c, err := reader.Read(rec)
		if err != nil {
			t.Fatal(err)
		}
		c.Length = 100
		if err := task.Take(finder.Find(c)); err != nil {
			t.Fatal(err)
		}
	}
	if err := task.Finish(); err != nil {
		t.Fatal(err)
	}
	return emitted
}

func ok(mime, body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + mime + "\r\n\r\n" + body
}

// Only this order sorts the counters of most sites.
func TestCountersAreInOrder(t *testing.T) {
	if !slices.IsSorted(counterNames[:]) {
		t.Errorf("%q", counterNames)
	}
}

// kinds lists the facts but those of sites.
func kinds(emitted []*facts.Fact) (out []string) {
	for _, f := range emitted {
		if f.Kind != facts.KindSite {
			out = append(out, fmt.Sprintf("%s %s %d %q", f.Kind, f.URL, f.FetchStatus, f.Body))
		}
	}
	return out
}

func TestRobotsFacts(t *testing.T) {
	rules := ok("text/plain", "User-agent: *\n")
	got := run(t, Options{},
		"http://a.example/robots.txt", rules,
		"http://a.example/robots.txt", rules, // the same body
		"http://b.example/robots.txt", rules, // of another site
		"http://a.example/robots.txt", "HTTP/1.1 404 Not Found\r\n\r\n<html>not here",
		"http://a.example/robots.txt", "HTTP/1.1 301 Moved\r\nLocation: https://a.example/robots.txt\r\n\r\n",
		"http://a.example/robots.txt", "revisit",
		"http://a.example/robots.txt", ok("text/html", ""),
	)
	want := []string{
		`robots http://a.example/robots.txt 200 "User-agent: *\n"`,
		`robots http://a.example/robots.txt 200 ""`,
		`robots http://b.example/robots.txt 200 "User-agent: *\n"`,
		`robots http://a.example/robots.txt 404 ""`,
		`robots http://a.example/robots.txt 301 ""`,
		`robots http://a.example/robots.txt 200 ""`,
		`robots http://a.example/robots.txt 200 ""`,
	}
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Error(diff)
	}
	if got[4].FetchRedirect != "https://a.example/robots.txt" || got[5].RecordType != "revisit" ||
		got[1].BodyBytes != 14 ||
		got[1].ContentDigest != got[0].ContentDigest || got[0].FetchTime != 1500000000000 ||
		got[0].RecordLength != 100 || got[1].RecordOffset != 2 {
		t.Errorf("%+v\n%+v\n%+v", got[1], got[4], got[5])
	}
}

// R-LEX-7: an answer that is markup is read as a page, too. R-LEX-8: the body is limited.
func TestRobotsBodies(t *testing.T) {
	captures := []string{
		"http://a.example/robots.txt", ok("text/plain", " <html><meta name=robots content=none>"),
		"http://b.example/robots.txt", ok("text/plain", "0123456789"),
	}
	got := run(t, Options{MaxRobots: 10, PageBodies: true}, captures...)
	f := got[0]
	if f.ParsedAs != facts.ParsedHTML || len(f.Directives) != 1 || len(f.Body) != 10 || !f.BodyTruncated ||
		f.BodyBytes != 38 {
		t.Errorf("markup: %+v", f)
	}
	if f = got[1]; f.ParsedAs != "" || f.BodyTruncated || len(f.Body) != 10 {
		t.Errorf("text: %+v", f)
	}
	// Without the option the digest says what the body was, and nothing else changes.
	want, sum := *got[0], sha256.Sum256(got[0].Body)
	want.Body, want.PageDigest = []byte{}, hex.EncodeToString(sum[:])
	if diff := cmp.Diff([]*facts.Fact{&want, got[1]}, run(t, Options{MaxRobots: 10}, captures...)[:2]); diff != "" {
		t.Error(diff)
	}
}

func TestPolicyFacts(t *testing.T) {
	got := run(t, Options{},
		"http://a.example/acap/Robots.txt", ok("text/plain", "x"),
		"http://a.example/policy.txt", ok("text/plain", "# policy\rACAP-crawler: *\n"),
		"http://a.example/other.txt", ok("text/plain", "a\nuser-agent : *\n"),
		"http://a.example/nothing.txt", ok("text/plain", "see User-agent: *\n"),
		"http://a.example/page.html", ok("text/html", "<p>\nUser-agent: *\n"),
		"http://a.example/pdf", ok("application/pdf", "User-agent: *\n"),
		"http://a.example/missing.txt", "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n",
	)
	want := []string{
		`policy http://a.example/acap/Robots.txt 200 "x"`,
		`policy http://a.example/policy.txt 200 "# policy\rACAP-crawler: *\n"`,
		`policy http://a.example/other.txt 200 "a\nuser-agent : *\n"`,
	}
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Error(diff)
	}
}

// R-TDM-1: the file of a site's reservations is a policy file, with its body.
func TestReservationsFile(t *testing.T) {
	got := run(t, Options{},
		"http://a.example/.well-known/tdmrep.json", ok("application/json", "[]"),
		"http://a.example/.well-known/tdmrep.json", "HTTP/1.1 404 X\r\n\r\n",
		"http://a.example/x/.well-known/tdmrep.json", ok("application/json", "[]"),
	)
	want := []string{`policy http://a.example/.well-known/tdmrep.json 200 "[]"`,
		`policy http://a.example/.well-known/tdmrep.json 404 ""`}
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Error(diff)
	}
}

func TestWhichPagesKeepARow(t *testing.T) {
	pages := []string{
		"http://a.example/plain", ok("text/html", "<p>"),
		"http://a.example/index", ok("text/html", "<meta name=robots content='index,follow'>"),
		"http://a.example/noindex", ok("text/html", "<meta name=robots content=noindex>"),
		"http://a.example/acap", ok("text/html", "<meta name=robots content='ACAP allow-index'>"),
		"http://a.example/class", ok("text/html", "<p class=the-acap:allow-index>"),
		"http://a.example/pi", ok("text/xml", "<?robots x?><a/>"),
		"http://a.example/image", ok("image/png\r\nX-Robots-Tag: noindex", "png"),
		"http://a.example/text", ok("application/pdf\r\nContent-Usage: train-ai=n", "pdf"),
		"http://a.example/reserved", ok("text/html", "<meta name=tdm-reservation content=0>"),
		"http://a.example/failed",
		"HTTP/1.1 500 No\r\nContent-Type: text/html\r\n\r\n<meta name=robots content=noindex>",
		"http://a.example/revisit", "revisit",
	}
	for _, tt := range []struct {
		pages PageSet
		want  string
	}{
		{PagesDefault, "noindex acap class pi image text reserved"},
		{PagesACAP, "acap class"},
		{PagesAll, "plain index noindex acap class pi image text reserved"},
	} {
		got := run(t, Options{Pages: tt.pages}, pages...)
		var names []string
		for _, f := range got {
			if f.Kind == facts.KindPage {
				names = append(names, strings.TrimPrefix(f.URL, "http://a.example/"))
			}
		}
		if strings.Join(names, " ") != tt.want {
			t.Errorf("%d: %v, want %s", tt.pages, names, tt.want)
		}
	}
}

func TestSiteCounters(t *testing.T) {
	got := run(t, Options{Crawl: "C", Subset: "warc", Filename: "f", Segment: "s"},
		"http://a.example/robots.txt", ok("text/plain", "12345"),
		"http://a.example/1", ok("text/html", "<meta name=robots content='NOFOLLOW, noindex'><p class=acap:x>"),
		"http://a.example/2", ok("text/html", "<meta name=robots content=noindex><meta name=robots content=nofollow>"),
		"http://a.example/3", ok("text/html", "<meta name=robots content='ACAP allow-index'>"),
		"http://a.example/4", ok("text/xml", "<?robots?><a/>"),
		"http://a.example/5", "HTTP/1.1 301 X\r\nX-Robots-Tag: none\r\n\r\n",
		"http://a.example/6", ok("image/png", "1"),
		"http://b.example/1", "HTTP/1.1 999 X\r\nContent-Encoding: gzip\r\n\r\nplain",
	)
	var sites []*facts.Fact
	for _, f := range got {
		if f.Kind == facts.KindSite {
			sites = append(sites, f)
		}
	}
	if len(sites) != 2 || sites[0].Site != "http://a.example" || sites[0].Filename != "f" || sites[0].Crawl != "C" {
		t.Fatalf("%+v", sites)
	}
	want := []facts.Count{
		{Name: "acap-class", Value: 1}, {Name: "acap-meta", Value: 1},
		{Name: "bytes", Value: 5 + 62 + 69 + 45 + 14 + 1}, {Name: "captures", Value: 7},
		{Name: "conventional", Value: 2}, {Name: "html", Value: 3}, {Name: "meta:noindex,nofollow", Value: 2},
		{Name: "pages", Value: 4},
		{Name: "pages-kept", Value: 4}, {Name: "pi", Value: 1}, {Name: "robots", Value: 1},
		{Name: "status:2xx", Value: 6},
		{Name: "status:3xx", Value: 1}, {Name: "x-robots-tag", Value: 1}, {Name: "xml", Value: 1},
	}
	if diff := cmp.Diff(want, sites[0].Counts); diff != "" {
		t.Error(diff)
	}
	want = []facts.Count{
		{Name: "bytes", Value: 5}, {Name: "captures", Value: 1}, {Name: "defect:http-status-invalid", Value: 1},
		{Name: "status:other", Value: 1},
	}
	if diff := cmp.Diff(want, sites[1].Counts); diff != "" {
		t.Error(diff)
	}
}

// Counters are bounded: sites are given out when there are too many, contents beyond the bound are counted as others.
func TestCountersAreBounded(t *testing.T) {
	var captures []string
	for i := range 10 {
		captures = append(captures, fmt.Sprintf("http://s%d.example/", i%5), ok("text/html", "<p>"))
	}
	got := run(t, Options{MaxSites: 2}, captures...)
	sum := int64(0)
	for _, f := range got {
		for _, n := range f.Counts {
			if n.Name == facts.CountPages {
				sum += n.Value
			}
		}
	}
	if sum != 10 || len(got) < 5 {
		t.Errorf("%d facts of %d pages", len(got), sum)
	}

	captures = nil
	for i := range maxSiteContents + 10 {
		captures = append(captures, "http://a.example/",
			ok("text/html", fmt.Sprintf("<meta name=robots content=x%d>", i)))
	}
	got = run(t, Options{Pages: PagesACAP}, captures...)
	others, kinds := int64(0), 0
	for _, n := range got[0].Counts {
		if n.Name == facts.CountMetaOther {
			others = n.Value
		} else if strings.HasPrefix(n.Name, facts.CountMetaPrefix) {
			kinds++
		}
	}
	if others != 10 || kinds != maxSiteContents {
		t.Errorf("%d contents, %d others", kinds, others)
	}
}

func TestErrorOfEmitEndsTheCall(t *testing.T) {
	full := fmt.Errorf("the disk is full")
	task := NewTask(Options{}, func(*facts.Fact) error { return full })
	c := &capture.Capture{URL: "http://a.example/robots.txt", Site: "http://a.example"}
	c.Parsed.Scheme, c.Parsed.Host, c.Parsed.Path = "http", "a.example", "/robots.txt"
	if err := task.Take(NewFinder(Options{}).Find(c)); err != full {
		t.Error(err)
	}
	if err := task.Finish(); err != full {
		t.Error(err)
	}
}

// Facts and Tasks copy strings of captures: the header of a record, which no limit counts, may be a thousand times as
// long as its URL. Names of sites share arenas.
func TestHeadersAreNotHeld(t *testing.T) {
	const records, padding = 400, 100_000
	var emitted []*facts.Fact
	task, finder := NewTask(Options{}, collect(&emitted)), NewFinder(Options{})
	reader := capture.NewReader(capture.Options{Want: Want})
	heap := func() int64 {
		var stats runtime.MemStats
		for range 3 { // also frees what other tests left in pools
			runtime.GC()
		}
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := heap()
	for i := range records {
		url := fmt.Sprintf("http://%d.example/robots.txt", i)
		text := url + strings.Repeat(" ", padding)
		rec := &archive.Record{Type: archive.Revisit, URI: text[:len(url)],
			Block: strings.NewReader("HTTP/1.1 301 Moved\r\nLocation: \r\n\r\n")}
		c, err := reader.Read(rec)
		if err != nil {
			t.Fatal(err)
		}
		if err := task.Take(finder.Find(c)); err != nil {
			t.Fatal(err)
		}
		for j := range 40 { // known sites, in an arena with the next new one
			known := fmt.Sprintf("http://%s%d.example/", strings.Repeat("x", 200), j)
			c, err := reader.Read(&archive.Record{Type: archive.Revisit, URI: known,
				Block: strings.NewReader("HTTP/1.1 200 OK\r\n\r\n")})
			if err != nil {
				t.Fatal(err)
			}
			if err := task.Take(finder.Find(c)); err != nil {
				t.Fatal(err)
			}
		}
	}
	each := (heap() - before) / records
	if len(emitted) != records || emitted[0].ContentDigest != "" {
		t.Fatalf("%d facts, the first %+v", len(emitted), emitted[0])
	}
	if each > 3000 {
		t.Errorf("%d bytes a record stay in memory", each)
	}
	t.Logf("%d bytes a record stay in memory", each)
	runtime.KeepAlive(task)
	runtime.KeepAlive(emitted)
}
