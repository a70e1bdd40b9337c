package survey

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/table"
)

// capture makes a fact of a kind; day is the time of the capture, and tells its record from others of one archive.
func capture(kind facts.Kind, url string, day int64, status int32) facts.Fact {
	u, ok := weburl.Split(url)
	if !ok {
		panic("no URL: " + url)
	}
	return facts.Fact{
		Kind: kind, Site: u.Site(), SiteHash: facts.HashSite(u.Site()), Crawl: "CC-MAIN-2010-01", Subset: "warc", URL: url,
		FetchTime: day * 86_400_000, FetchStatus: status, Filename: "a.warc.gz", RecordOffset: offsetOf(url, day), RecordLength: 100,
		RecordType: "response",
	}
}

// offsetOf gives records of different captures different places.
func offsetOf(url string, day int64) int64 {
	sum := sha1.Sum([]byte(url))
	return day*1_000_000 + int64(sum[0])<<8 + int64(sum[1])
}

func digestOf(body string) string {
	sum := sha1.Sum([]byte(body))
	return base32.StdEncoding.EncodeToString(sum[:])
}

// robots is a capture of a robots.txt, or of another file of that kind, with its body.
func robots(url string, day int64, body string) facts.Fact {
	kind := facts.KindPolicy
	if u, _ := weburl.Split(url); u.IsRobots() {
		kind = facts.KindRobots
	}
	f := capture(kind, url, day, 200)
	f.Body, f.BodyBytes, f.ContentDigest = []byte(body), int64(len(body)), digestOf(body)
	return f
}

// status is a capture of a robots.txt that gave no file.
func status(url string, day int64, code int32) facts.Fact {
	f := robots(url, day, "")
	f.FetchStatus, f.Body, f.BodyBytes, f.ContentDigest = code, nil, 0, digestOf("an error page")
	return f
}

// redirect is a capture of a robots.txt that leads elsewhere.
func redirect(url string, day int64, to string) facts.Fact {
	f := status(url, day, 301)
	f.FetchRedirect = to
	return f
}

// revisit is a capture that has its body elsewhere.
func revisit(url string, day int64, body string) facts.Fact {
	f := robots(url, day, body)
	f.Body, f.RecordType = nil, "revisit"
	return f
}

// again is a second capture of a body that the extractor gave out before.
func again(url string, day int64, body string) facts.Fact {
	f := robots(url, day, body)
	f.Body = nil
	return f
}

// page is a capture of an HTML page with METAs, given as name and content.
func page(url string, day int64, metas ...string) facts.Fact {
	f := capture(facts.KindPage, url, day, 200)
	f.ParsedAs, f.MimeType = facts.ParsedHTML, "text/html"
	for i := 0; i+1 < len(metas); i += 2 {
		f.Directives = append(f.Directives, facts.Directive{
			Carrier: facts.CarrierMeta, Offset: int64(100 * (i + 1)), Name: metas[i], Value: metas[i+1],
			Raw: fmt.Sprintf("<meta name=%q content=%q>", metas[i], metas[i+1]),
		})
	}
	return f
}

// with adds a directive to a capture.
func with(f facts.Fact, carrier facts.Carrier, name, value string) facts.Fact {
	f.Directives = append(f.Directives, facts.Directive{
		Carrier: carrier, Offset: int64(10_000 + 100*len(f.Directives)), Name: name, Value: value, Raw: value,
	})
	return f
}

// counters is a site fact: names and numbers by turns.
func counters(site string, counts map[string]int64) facts.Fact {
	f := facts.Fact{Kind: facts.KindSite, Site: site, SiteHash: facts.HashSite(site), Crawl: "CC-MAIN-2010-01", Subset: "warc", Filename: "a.warc.gz"}
	for name, n := range counts {
		f.Counts = append(f.Counts, facts.Count{Name: name, Value: n})
	}
	return f
}

// answered runs the pass between the stages and returns the facts with its copies, in order.
func answered(t testing.TB, list []facts.Fact) []facts.Fact { return answeredUnder(t, Options{}, list) }

func answeredUnder(t testing.TB, opts Options, list []facts.Fact) []facts.Fact {
	t.Helper()
	all := append(slices.Clone(list), copiesOf(t, list, opts, 3, 2, 1<<20)...)
	slices.SortStableFunc(all, func(a, b facts.Fact) int { return facts.Compare(&a, &b) })
	return all
}

// copiesOf lists what the pass between the stages adds to facts.
func copiesOf(t testing.TB, list []facts.Fact, opts Options, buckets, workers int, memory int64) (copies []facts.Fact) {
	t.Helper()
	sorted := sortedFacts(t, list, buckets)
	check(t, Resolve(t.Context(), sorted, opts.Reading, workers, memory))
	return answersIn(t, sorted)
}

// sortedFacts sorts facts into buckets.
func sortedFacts(t testing.TB, list []facts.Fact, buckets int) *facts.Sorted {
	t.Helper()
	sorted, err := facts.NewSorted(filepath.Join(t.TempDir(), "sorted"), buckets)
	check(t, err)
	t.Cleanup(func() { check(t, sorted.Close()) })
	sorter := sorted.NewSorter(0)
	for i := range list {
		check(t, sorter.Add(&list[i]))
	}
	check(t, sorter.Flush())
	return sorted
}

// answersIn lists what the pass between the stages has added, each once.
func answersIn(t testing.TB, sorted *facts.Sorted) (copies []facts.Fact) {
	t.Helper()
	for i := range sorted.Buckets() {
		check(t, sorted.ScanOnce(i, func(f *facts.Fact) error {
			copies = append(copies, *f)
			return nil
		}, facts.Answers))
	}
	return copies
}

func scanOf(list []facts.Fact) Scan {
	return func(visit func(*facts.Fact) error) error {
		for i := range list {
			f := list[i]
			if err := visit(&f); err != nil {
				return err
			}
		}
		return nil
	}
}

// surveyed surveys facts in one bucket.
func surveyed(t testing.TB, opts Options, list ...facts.Fact) *Rows {
	t.Helper()
	return surveyedInto(t, newRows(), opts, answeredUnder(t, opts, list))
}

// surveyedInto adds the rows of a bucket, whose facts are in order.
func surveyedInto(t testing.TB, all *Rows, opts Options, list []facts.Fact) *Rows {
	t.Helper()
	err := Bucket(t.Context(), scanOf(list), opts, func(rows *Rows) error {
		addRows(all, rows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all.sort()
	return all
}

func addRows(all, more *Rows) {
	addTo(all.Inputs, more.Inputs)
	addTo(all.Robots, more.Robots)
	addTo(all.Pages, more.Pages)
	addTo(all.Directives, more.Directives)
	addTo(all.Adoption, more.Adoption)
	addTo(all.Permissions, more.Permissions)
	addTo(all.Conflicts, more.Conflicts)
}

func addTo[T any](all, more map[Partition][]T) {
	for at, list := range more {
		all[at] = append(all[at], list...)
	}
}

// rowsOf lists the rows of a table, of all its partitions.
func rowsOf[T any](rows map[Partition][]T) []T {
	var all []T
	for _, list := range rows {
		all = append(all, list...)
	}
	return all
}

// adoptionOf finds a site's row.
func adoptionOf(t testing.TB, rows *Rows, site string) table.Adoption {
	t.Helper()
	for _, row := range rowsOf(rows.Adoption) {
		if row.Site == site {
			return row
		}
	}
	t.Fatalf("there is no adoption row of %s", site)
	return table.Adoption{}
}

// robotsOf finds the row of a capture of a site's robots.txt.
func robotsOf(t testing.TB, rows *Rows, site string, day int64) table.Robots {
	t.Helper()
	for _, row := range rowsOf(rows.Robots) {
		if row.Site == site && row.FetchTime != nil && row.FetchTime.UnixMilli() == day*86_400_000 {
			return row
		}
	}
	t.Fatalf("there is no robots row of %s on day %d", site, day)
	return table.Robots{}
}

// permissionsOf lists the rows of a scope, agent, purpose and usage, by URL or site.
func permissionsOf(rows *Rows, scope table.Scope, agent, purpose string, usage table.Usage) map[string]table.Permission {
	found := map[string]table.Permission{}
	for _, row := range rowsOf(rows.Permissions) {
		if row.Scope == scope && row.Agent == agent && value(row.Purpose) == purpose && row.Usage == usage {
			name := row.Site
			if row.URL != nil {
				name = *row.URL
			}
			found[name] = row
		}
	}
	return found
}

// value is what a pointer points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		return reflect.Zero(reflect.TypeFor[T]()).Interface().(T)
	}
	return *p
}

// capturesOfNone is what a host begins with.
func capturesOfNone() *captures {
	return newCaptures(policy.RuleSet{}, normalBounds(), NewPolicies(parse.Options{}, 0))
}
