// Package capturetest makes facts of captures, for tests of stage 2.
package capturetest

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// A site, its robots.txt, and bodies of robots.txt files.
const (
	Example = "http://example.com"
	File    = Example + "/robots.txt"
	Closed  = "User-agent: *\nDisallow: /\n"
	Open    = "User-agent: *\nDisallow: /private/\n"
	HTML    = "<!DOCTYPE html><html><head><title>Not found</title></head></html>"
)

// Capture makes a fact of a kind. Captures of another URL or day have another record.
func Capture(kind facts.Kind, url string, day int64, status int32) facts.Fact {
	u, ok := weburl.Split(url)
	if !ok {
		panic("no URL: " + url)
	}
	return facts.Fact{
		Kind: kind, Site: u.Site(), SiteHash: facts.HashSite(u.Site()), Crawl: "CC-MAIN-2010-01", Subset: "warc",
		URL: url, FetchTime: day * 86_400_000, FetchStatus: status, Filename: "a.warc.gz",
		RecordOffset: offsetOf(url, day), RecordLength: 100, RecordType: "response",
	}
}

// offsetOf returns another record offset for each URL and day.
func offsetOf(url string, day int64) int64 {
	sum := sha1.Sum([]byte(url))
	return day*1_000_000 + int64(sum[0])<<8 + int64(sum[1])
}

// DigestOf is the content digest of a body.
func DigestOf(body string) string {
	sum := sha1.Sum([]byte(body))
	return base32.StdEncoding.EncodeToString(sum[:])
}

// Robots is a capture of a robots.txt, or of another policy file, with its body.
func Robots(url string, day int64, body string) facts.Fact {
	kind := facts.KindPolicy
	if u, _ := weburl.Split(url); u.IsRobots() {
		kind = facts.KindRobots
	}
	f := Capture(kind, url, day, 200)
	f.Body, f.BodyBytes, f.ContentDigest = []byte(body), int64(len(body)), DigestOf(body)
	return f
}

// Status is a capture of a robots.txt with another status than 200 and no body.
func Status(url string, day int64, code int32) facts.Fact {
	f := Robots(url, day, "")
	f.FetchStatus, f.Body, f.BodyBytes, f.ContentDigest = code, nil, 0, DigestOf("an error page")
	return f
}

// Redirect is a capture of a robots.txt that redirects.
func Redirect(url string, day int64, to string) facts.Fact {
	f := Status(url, day, 301)
	f.FetchRedirect = to
	return f
}

// Revisit is a revisit record: it names its body by the digest.
func Revisit(url string, day int64, body string) facts.Fact {
	f := Robots(url, day, body)
	f.Body, f.RecordType = nil, "revisit"
	return f
}

// Again is a capture whose body stage 1 wrote for an earlier capture.
func Again(url string, day int64, body string) facts.Fact {
	f := Robots(url, day, body)
	f.Body = nil
	return f
}

// Page is a capture of an HTML page with METAs, given as name and content.
func Page(url string, day int64, metas ...string) facts.Fact {
	f := Capture(facts.KindPage, url, day, 200)
	f.ParsedAs, f.MimeType = facts.ParsedHTML, "text/html"
	for i := 0; i+1 < len(metas); i += 2 {
		f.Directives = append(f.Directives, facts.Directive{
			Carrier: facts.CarrierMeta, Offset: int64(100 * (i + 1)), Name: metas[i], Value: metas[i+1],
			Raw: fmt.Sprintf("<meta name=%q content=%q>", metas[i], metas[i+1]),
		})
	}
	return f
}

// With adds a directive to a capture.
func With(f facts.Fact, carrier facts.Carrier, name, value string) facts.Fact {
	f.Directives = append(f.Directives, facts.Directive{
		Carrier: carrier, Offset: int64(10_000 + 100*len(f.Directives)), Name: name, Value: value, Raw: value,
	})
	return f
}

// Counters is a site fact.
func Counters(site string, counts map[string]int64) facts.Fact {
	f := facts.Fact{Kind: facts.KindSite, Site: site, SiteHash: facts.HashSite(site), Crawl: "CC-MAIN-2010-01",
		Subset: "warc", Filename: "a.warc.gz"}
	for name, n := range counts {
		f.Counts = append(f.Counts, facts.Count{Name: name, Value: n})
	}
	return f
}

// InOrder sorts facts into the order of facts.Compare, in place.
func InOrder(list []facts.Fact) []facts.Fact {
	slices.SortStableFunc(list, func(a, b facts.Fact) int { return facts.Compare(&a, &b) })
	return list
}

// Check ends the test at an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Sorted sorts facts into buckets.
func Sorted(t testing.TB, list []facts.Fact, buckets int) *facts.Sorted {
	t.Helper()
	sorted, err := facts.NewSorted(filepath.Join(t.TempDir(), "sorted"), buckets)
	Check(t, err)
	t.Cleanup(func() { Check(t, sorted.Close()) })
	sorter := sorted.NewSorter(0)
	for i := range list {
		Check(t, sorter.Add(&list[i]))
	}
	Check(t, sorter.Flush())
	return sorted
}

// Copies lists the copies that the pass across hosts added to sorted facts, each once.
func Copies(t testing.TB, sorted *facts.Sorted) (copies []facts.Fact) {
	t.Helper()
	for i := range sorted.Buckets() {
		Check(t, sorted.ScanOnce(i, func(f *facts.Fact) error {
			copies = append(copies, *f)
			return nil
		}, facts.Answers))
	}
	return copies
}
