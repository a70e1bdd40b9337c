package survey

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/output/table"
)

// corpus makes facts of a few hosts that redirect and refer to each other in all ways of R-SITE-1, R-SITE-2, R-REF-1.
func corpus(seed uint64) []facts.Fact {
	random := rand.New(rand.NewPCG(seed, 1))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	url := func() string {
		return pick("http", "https") + "://" + pick("a", "b", "www.b", "c") + ".example" +
			pick("/robots.txt", "/robots.txt", "/x/robots.txt")
	}
	body := func() string {
		var b strings.Builder
		if random.IntN(2) == 0 {
			fmt.Fprintf(&b, "##ACAP version=%s\n", pick("1.0", "1.1", "0.3"))
		}
		for range 1 + random.IntN(3) {
			fmt.Fprintf(&b, "User-agent: %s\nDisallow: %s\n", pick("*", "A", "B", "C"), pick("/", "", "/p/", "/q"))
		}
		for range random.IntN(4) {
			fmt.Fprintf(&b, "ACAP-crawler: %s\n", pick("*", "a", "B"))
			switch random.IntN(4) {
			case 0:
				fmt.Fprintf(&b, "ACAP-permissions-reference: %s\n", pick("/x/robots.txt", url(), url()))
			case 1:
				fmt.Fprintf(&b, "ACAP-usage-purpose: %s\n", pick("news", "News*", "x"))
			}
			for range 1 + random.IntN(2) {
				fmt.Fprintf(&b, "ACAP-%s-%s: %s\n", pick("allow", "disallow"),
					pick("crawl", "index", "present", "present-snippet", "other"), pick("/", "/p/", "/q$", "nothing"))
			}
		}
		return b.String()
	}
	bodies := []string{body(), body(), body(), html, ""}
	var list []facts.Fact
	for range 30 {
		var f facts.Fact
		day := int64(random.IntN(6))
		switch random.IntN(9) {
		case 0, 1, 2:
			f = robots(url(), day, pick(bodies...))
		case 3:
			f = revisit(url(), day, pick(bodies...))
		case 4:
			f = again(url(), day, pick(bodies...))
		case 5, 6:
			f = redirect(url(), day, url())
		case 7:
			f = status(url(), day, int32([]int{404, 403, 429, 503, 304}[random.IntN(5)]))
		case 8:
			f = robots(url(), day, html)
			f = with(f, facts.CarrierMeta, "robots", pick("noindex", "ACAP disallow-index"))
		}
		list = append(list, f)
	}
	for range 8 {
		f := page(pick("http", "https")+"://"+pick("a", "b", "d")+".example/"+pick("", "p/1", "q"),
			int64(random.IntN(6)),
			"robots", pick("noindex", "ACAP allow-index", "ACAP news disallow-present", "ACAP version 1.1"), pick("B",
				"robots"), pick("nofollow", "ACAP disallow-index"))
		f = with(f, facts.CarrierHeader, "X-Robots-Tag", pick("index", "noarchive", "b: none"))
		list = append(list, with(f, facts.CarrierClass, "div",
			pick("the-acap:disallow-index", "the-acap:allow-present", "acap:other")))
	}
	for _, s := range []string{"http://a.example", "https://e.example"} {
		list = append(list, counters(s, map[string]int64{facts.CountPages: 3, facts.CountHTML: 3}),
			counters(s, map[string]int64{facts.CountPages: 4}))
	}
	for i := range list {
		list[i].RecordOffset = int64(1000 * i) // each has a place of its own
		if list[i].Kind != facts.KindSite && random.IntN(5) == 0 {
			list[i].Crawl = "CC-MAIN-2011-01"
		}
		if random.IntN(3) == 0 {
			list[i].Subset = "robotstxt"
		}
	}
	return append(list, facts.Fact{Kind: facts.KindInput, SiteHash: facts.HashSite(""), Crawl: "CC-MAIN-2010-01",
		Subset: "warc", Filename: "a.warc.gz"})
}

// Rows do not depend on the order of facts in the archives, nor on the number of buckets.
func TestAnyOrderAndBuckets(t *testing.T) {
	seeds := uint64(5)
	if longtest.Enabled() {
		seeds = 40
	}
	for seed := range seeds {
		list := corpus(seed)
		opts := Options{Permissions: PermissionsAll, Directives: DirectivesAll, Agents: []policy.Agent{"Z"}}
		want := surveyed(t, opts, list...)
		checkIDs(t, want)
		for _, buckets := range []int{1, 3, 16} {
			shuffled := slices.Clone(list)
			random := rand.New(rand.NewPCG(seed, uint64(buckets)))
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			all := answered(t, shuffled)
			got := newRows()
			for i := range buckets {
				lo, hi := extsort.Bucket(i, buckets)
				var bucket []facts.Fact
				for _, f := range all {
					if f.SiteHash >= lo && f.SiteHash <= hi {
						bucket = append(bucket, f)
					}
				}
				surveyedInto(t, got, opts, bucket)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %d buckets (-in order, in one bucket, +shuffled):\n%s", seed, buckets, diff)
			}
		}
	}
}

// Rows in several parts are the same rows, each part in order.
func TestParts(t *testing.T) {
	list := answered(t, corpus(7))
	opts := Options{Permissions: PermissionsAll, Directives: DirectivesAll}.Normal()
	want := surveyedInto(t, newRows(), opts, list)
	got, parts := newRows(), 0
	out := NewSurveyor(opts, nil).output(t.Context(), func(rows *Rows) error {
		parts++
		for _, part := range rows.Permissions {
			for i := range part[1:] {
				if part[i].Compare(&part[i+1]) > 0 {
					t.Fatal("a part is not in order")
				}
			}
		}
		addRows(got, rows)
		return nil
	})
	out.max = 50
	if err := out.bucket(scanOf(list), opts); err != nil {
		t.Fatal(err)
	}
	got.sort()
	if diff := cmp.Diff(want, got); diff != "" || parts < 10 {
		t.Errorf("%d parts (-one, +parts):\n%s", parts, diff)
	}
}

// Every id in a row names a row of directives, but with --permissions all only under --directives all.
func TestIDsByOptions(t *testing.T) {
	seeds := uint64(8)
	if longtest.Enabled() {
		seeds = 40
	}
	for seed := range seeds {
		list := corpus(seed)
		for _, opts := range []Options{
			{}, {Permissions: PermissionsACAPSites}, {Directives: DirectivesAll}, {Permissions: PermissionsAll,
				Directives: DirectivesAll},
		} {
			checkIDs(t, surveyed(t, opts, list...))
		}
	}
}

// The rows of a table have different keys.
func TestKeys(t *testing.T) {
	for seed := range uint64(20) {
		rows := surveyed(t, Options{Permissions: PermissionsAll, Directives: DirectivesAll}, corpus(seed)...)
		for at, list := range rows.Permissions {
			for i := range list[1:] {
				if list[i].Compare(&list[i+1]) == 0 {
					t.Fatalf("seed %d, %v: two permissions of %s, %s, %s, %s", seed, at, list[i].Site, list[i].Agent,
						value(list[i].Purpose), list[i].Usage)
				}
			}
		}
		for at, list := range rows.Conflicts {
			for i := range list[1:] {
				if list[i].Compare(&list[i+1]) == 0 {
					t.Fatalf("seed %d, %v: two conflicts of %s, %s, %s", seed, at, list[i].Site, list[i].Kind,
						list[i].Agent)
				}
			}
		}
	}
}

// Crawls are independent.
func TestCrawls(t *testing.T) {
	later := robots(file, 9, "ACAP-crawler: *\nACAP-disallow-crawl: /\n")
	later.Crawl = "CC-MAIN-2011-01"
	rows := surveyed(t, Options{Permissions: PermissionsAll}, robots(file, 1, open),
		page(example+"/a", 9, "robots", "noindex"), later)
	if n := len(rows.Adoption); n != 2 {
		t.Fatalf("%d partitions of adoption", n)
	}
	if class := rows.Adoption[Partition{Crawl: "CC-MAIN-2010-01"}][0].Class; class != "none" {
		t.Errorf("the first crawl has class %s by the second", class)
	}
	for _, p := range rows.Permissions[Partition{Crawl: "CC-MAIN-2010-01"}] {
		if p.Decision == "disallowed" && p.Usage == "crawl" {
			t.Errorf("a robots.txt of another crawl decides %s", value(p.URL))
		}
	}
	for _, row := range rowsOf(rows.Robots) {
		if !row.Selected {
			t.Error("each crawl has a robots.txt that decides for the site")
		}
	}
}

// A fact without a crawl belongs to table.LocalCrawl.
func TestCrawlThatIsNotNamed(t *testing.T) {
	named, unnamed := robots(file, 1, open), page(example+"/a", 2, "robots", "noindex")
	named.Crawl, unnamed.Crawl, unnamed.Subset = table.LocalCrawl, "", ""
	rows := surveyed(t, Options{}, named, unnamed)
	if len(rows.Adoption) != 1 || len(rowsOf(rows.Adoption)) != 1 {
		t.Errorf("adoption is %v", rows.Adoption)
	}
	if len(rows.Pages[Partition{table.LocalCrawl, table.LocalSubset}]) != 1 {
		t.Errorf("pages are %v", rows.Pages)
	}
}
