//go:build unix

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const docs = "../../docs"

// The page says what follows from the results.
func TestPage(t *testing.T) {
	m, err := readMeasured(docs)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(page), m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("make project writes docs/scale.md anew (-computed +page):\n%s", diff)
	}
}

// made are results with round figures: reading pages costs 10 ns a byte, a capture of robots.txt 50 µs, a file 2 ms,
// and so on.
func made(t *testing.T) *measured {
	t.Helper()
	m := &measured{}
	for text, into := range map[string]any{
		`{"corpora": [
			{"name": "pages", "bytes": 300000000, "found": {"html": 1000}, "contenders": [{"name": "igzip",
			 "processor_s": 1}, {"name": "acapscan extract", "processor_s": 3}]},
			{"name": "robotstxt", "bytes": 3000000, "found": {"robots": 1000},
			 "contenders": [{"name": "acapscan extract", "processor_s": 0.05}]}],
		 "growth": [
			{"series": "records", "value": 5, "measures": [{"user_s": 9}]},
			{"series": "files", "value": 101, "measures": [{"user_s": 0.2, "system_s": 0.1}, {"user_s": 9},
			 {"user_s": 0.1}]},
			{"series": "files", "value": 1, "measures": [{"user_s": 0.1}]}],
		 "profiles": [{"corpus": "pages", "seconds": 3,
			"stages": [{"stage": "digest of the input", "share": 0.1}]}]}`: &m.bench,
		`{"runs": [
			{"pages": 1000, "sites": 10, "processor_s": 5},
			{"pages": 2000, "sites": 100, "facts_bytes": 1000, "work_bytes": 1500, "processor_s": 0.21},
			{"pages": 9000, "sites": 1, "processor_s": 7}]}`: &m.scale,
		`{"runs": [
			{"corpus": "robotstxt", "pages": "default", "facts": {"robots": 1000}, "facts_bytes": 500000,
			 "tables_bytes": 100000, "analyze": {"user_s": 0.1}},
			{"corpus": "pages", "pages": "acap", "facts": {"site": 100, "page": 0}, "facts_bytes": 3000,
			 "analyze": {"user_s": 0.002}},
			{"corpus": "pages", "pages": "default", "facts": {"site": 100, "page": 100}, "facts_bytes": 23000,
			 "tables_bytes": 30000},
			{"corpus": "pages", "pages": "all", "facts": {"site": 100, "page": 1000}, "facts_bytes": 103000,
			 "tables_bytes": 100000}]}`: &m.stages,
		`{"runs": [{"captures": 1000, "resolve": {"user_s": 9}}, {"captures": 2000, "resolve": {"user_s": 0.03, ` +
			`"system_s": 0.01}}]}`: &m.resolve,
	} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// What one thing takes, and what a crawl does, computed by hand from the results above.
func TestArithmetic(t *testing.T) {
	c, err := unitCosts(made(t))
	if err != nil {
		t.Fatal(err)
	}
	robots, full := c.robotsSubset(), c.fullCrawl("default")
	decade := full.times("ten years", 100)
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"a byte of pages", c.pageByte, 10e-9},
		{"a capture of robots.txt", c.robotsCapture, 50e-6},
		{"a file: from 1 to 101 files 0.2 s more", c.file, 2e-3},
		{"judging a capture", c.judgeRobots, 100e-6},
		{"judging the counters of a site", c.judgeSite, 20e-6},
		{"judging a page: 0.21 s less 100 sites, over 2000", c.judgePage, 100e-6},
		{"sorted facts", c.sorted, 1.5},
		{"share of pages that keep a row", c.kept["default"], 0.1},
		{"facts of such a page", c.factsPage["default"], 200},
		{"tables of such a page", c.tablesPage["all"], 100},

		{"robots.txt: 150 million captures at 50 µs and 90,000 files at 2 ms", robots.extract, 7500 + 180},
		{"robots.txt: judging", robots.analyze, 15000},
		{"robots.txt: facts", robots.facts, 75e9},
		{"robots.txt: tables", robots.tables, 15e9},
		{"robots.txt: work, 1.5 times the facts next to the tables", robots.disk, 112.5e9 + 15e9},
		{"between: 20 µs a capture", robots.between, 3000},
		{"hours of requests, one a second", robots.requestHours(), 25},
		{"hours of a gigabit", robots.transferHours(), 0.4},
		{"a crawl: 80 TB at 10 ns a byte more", full.extract, 7680 + 800_000 + 180},
		{"a crawl: 2.5 billion counters, a tenth as many pages", full.analyze, 15000 + 50_000 + 25_000},
		{"a crawl: facts", full.facts, 75e9 + 75e9 + 50e9},
		{"a crawl: tables", full.tables, 15e9 + 75e9},
		{"a crawl: requests", full.requestHours(), 50},
		{"core-hours", full.coreHours(), (807_860 + 3000 + 90_000) / 3600.0},
		{"hours of ten cores, seven tenths of the time", full.hoursOn(10), (807_860 + 90_000 + 3000) / 7.0 / 3600},
		{"hours of 320 cores: 32 between", full.hoursOn(320), ((807_860+90_000)/224.0 + 3000/22.4) / 3600},
		{"cost: cores, 290 GB for a month, 390 GB of disk", full.cost(full.disk), 900_860/3600.0/0.7*0.04 + 290*0.023 +
			390*0.08},
		{"ten years", decade.extract, 100 * full.extract},

		{"rows: 150 million captures, five for each of 40 million sites", robots.rows, 350e6},
		{"rows of a crawl: of a tenth of the pages, and as many of their directives", full.rows, 350e6 + 500e6},
		{"part files: 60,000 rows each, and sixteen of each bucket", float64(full.job().Parts), 14_166 + 16*64},
		{"counters of the sites of robots.txt, 30 bytes each", robots.classes[0], 4.5e9},
		{"policies: 500 bytes less those", full.classes[1], 70.5e9},
		{"pages", full.classes[2], 50e9},
		{"batches of 900 inputs a shard, five of 180", robots.job().Batches(), 500},
		{"requests: of writes at 5 dollars, of reads at 0.4", robots.requestCost(),
			robots.job().All().Writes*5e-6 + robots.job().All().Reads*0.4e-6},
		{"hours of an array job: 800 cores, 32 between, 64 buckets", full.jobHours(),
			(807_860/800.0 + 3000/32.0 + 90_000/64.0) / 0.7 / 3600},
	} {
		if math.Abs(x.got-x.want) > 1e-9*math.Abs(x.want) {
			t.Errorf("%s: %g, want %g", x.what, x.got, x.want)
		}
	}
}

// With the figures of the page, a crawl asks S3 for at most half a million things, those for the archives included.
func TestRequestsOfACrawl(t *testing.T) {
	m, err := readMeasured(docs)
	if err != nil {
		t.Fatal(err)
	}
	c, err := unitCosts(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range modes {
		w := c.fullCrawl(mode)
		for j := w.job(); j.Shards <= 200; j.Shards++ {
			if n := j.All().All() + w.files*gets.value; n > 500_000 {
				t.Errorf("--pages %s, %d shards: %.0f requests", mode, j.Shards, n)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{digits(0.012345), "0.0123"}, {digits(98.76), "98.8"}, {digits(12345), "12,300"}, {digits(0), "0"},
		{count(1234567.4), "1,234,567"}, {count(999), "999"},
		{size(80e12), "80 TB"}, {size(999), "999 B"}, {size(8.02e15), "8.02 PB"},
		{hours(0.001), "3.6 s"}, {hours(0.5), "30 min"}, {hours(25), "25 h"}, {hours(178), "7.42 days"},
	} {
		if x.got != x.want {
			t.Errorf("%q, want %q", x.got, x.want)
		}
	}
}

// A result that lacks what is counted with is an error, and so is a page without its marks.
func TestMissing(t *testing.T) {
	m := made(t)
	m.scale.Runs = m.scale.Runs[2:] // one site only
	if _, err := unitCosts(m); err == nil || !strings.Contains(err.Error(), "many sites") {
		t.Errorf("the second stage over many sites is missing, and the error is %v", err)
	}
	m = made(t)
	m.bench.Growth = nil
	if _, err := unitCosts(m); err == nil || !strings.Contains(err.Error(), "number of files") {
		t.Errorf("the growth is missing, and the error is %v", err)
	}
	m = made(t)
	m.resolve.Runs = nil
	if _, err := unitCosts(m); err == nil || !strings.Contains(err.Error(), "between") {
		t.Errorf("the pass between the stages is missing, and the error is %v", err)
	}
	if _, err := fill("# Scale\n", made(t)); err == nil || !strings.Contains(err.Error(), "marks of projection") {
		t.Errorf("the page has no marks, and the error is %v", err)
	}
	if got := made(t).scale.missing(); len(got) != 3 {
		t.Errorf("of 2, 20 and 50 million pages none was measured, missing are %q", got)
	}
}
