//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the figures of docs/performance.md anew")

func TestMedianAndRatio(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"odd", []float64{9, 1, 2}, 2},
		{"even: the mean of the middle", []float64{4, 1, 2, 100}, 3},
	} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	// A round in which the machine was busy for both does not count more than another.
	if got := ratio([]float64{2, 20, 2}, []float64{1, 10, 2}); got != 2 {
		t.Errorf("ratio %v, want 2", got)
	}
}

func TestStageIsThatOfTheInnermostRoom(t *testing.T) {
	const traces = `File: run
Type: cpu
-----------+-------------------------------------------------------
     130ms   runtime.memmove
             bufio.(*Reader).Read
             github.com/acapscan/acapscan/ingest/capture.(*payload).Read
-----------+-------------------------------------------------------
      20ms   hash/crc32.ieeeCLMUL
             hash/crc32.Update
             github.com/acapscan/acapscan/ingest/archive/inflate.(*Reader).Read
-----------+-------------------------------------------------------
        2s   github.com/acapscan/acapscan/ingest/archive/inflate.load (inline)
             github.com/acapscan/acapscan/ingest/archive/inflate.(*Reader).readSymbols
-----------+-------------------------------------------------------
      10ms   runtime.futex
             runtime.schedule
-----------+-------------------------------------------------------
`
	spent := map[string]time.Duration{}
	if err := addTraces(strings.NewReader(traces), extractStages, spent); err != nil {
		t.Fatal(err)
	}
	want := map[string]time.Duration{
		"reading and moving bytes": 130 * time.Millisecond, "checksums of members": 20 * time.Millisecond,
		"inflate": 2 * time.Second,
		elsewhere: 10 * time.Millisecond,
	}
	if diff := cmp.Diff(want, spent); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if err := addTraces(strings.NewReader("File: run\n"), extractStages, map[string]time.Duration{}); err == nil {
		t.Error("a profile without samples is no error")
	}
}

// testResult has measures of one round, in seconds and megabytes.
func testResult(extract, two, iterate float64, peak int64) *result {
	c := corpusResult{Name: "pages", Files: 1, Bytes: 300e6, Found: counts{"records": 9}}
	for _, m := range []struct {
		name    string
		cores   int
		seconds float64
	}{
		{reference, 1, 1}, {twoReferences, 2, 0.5}, {oneCore, 1, extract}, {twoCores, 2, two}, {scan, 1, extract + 0.3},
		{iterating, 1, iterate},
	} {
		c.add(contender{name: m.name, cores: m.cores}, measure{Wall: m.seconds, User: m.seconds, Peak: peak << 20})
	}
	for i := range c.Contenders {
		c.Contenders[i].sum(&c)
	}
	return &result{Date: "2026-01-02", Corpora: []corpusResult{c},
		Allocations: []allocations{{Corpus: "pages", Objects: 15, Records: 10}},
		Memory: []memoryPoint{{Name: "one member", Content: 1 << 30, Measure: measure{Peak: 50 << 20}},
			{Name: "one member", Content: 10 << 30, Measure: measure{Peak: peak << 20}}}}
}

func TestTargets(t *testing.T) {
	reached := func(r *result) map[string]bool {
		got := map[string]bool{}
		for _, x := range r.targets() {
			what, _, _ := strings.Cut(x.what, ",")
			got[what] = x.reached
		}
		return got
	}
	want := map[string]bool{
		"pages: extract to libdeflate-gunzip": true, "pages: scan to libdeflate-gunzip": true,
		"pages: gain of extract's second worker to that of a second libdeflate-gunzip": true,
		"pages: peak memory of extract":                 true,
		"pages: objects allocated a record":             false,
		"one member: peak memory at 1024 MB of content": true,
	}
	if diff := cmp.Diff(want, reached(testResult(1.3, 0.65, 2.8, 60))); diff != "" {
		t.Errorf("reached (-want +got):\n%s", diff)
	}
	for what := range want {
		want[what] = false
	}
	if diff := cmp.Diff(want, reached(testResult(1.9, 1.1, 2.8, 200))); diff != "" {
		t.Errorf("not reached (-want +got):\n%s", diff)
	}
}

// Every line of the targets for robots.txt is there, over the corpus and over real files.
func TestTargetsOfRobotsFiles(t *testing.T) {
	r := &result{}
	for _, name := range []string{robotsFiles, realFiles} {
		c := corpusResult{Name: name, Files: 1, Bytes: 1e6, Found: counts{"records": 100_000}}
		for _, m := range []struct {
			name    string
			cores   int
			seconds float64
		}{
			{reference, 1, 1}, {twoReferences, 2, 0.5}, {oneCore, 1, 2.9}, {twoCores, 2, 1.5}, {scan, 1, 5.1},
			{twoScans, 2, 4}, {across, 1, 0.1}, {namedScan, 1, 10.1}, {asking, 1, 30},
		} {
			if m.cores == 1 || name == robotsFiles {
				c.add(contender{name: m.name, cores: m.cores},
					measure{Wall: m.seconds, User: m.seconds, Peak: 310 << 20})
			}
		}
		for i := range c.Contenders {
			c.Contenders[i].sum(&c)
		}
		r.Corpora = append(r.Corpora, c)
	}
	got := map[string]string{}
	for _, x := range r.targets() {
		what, _, _ := strings.Cut(x.what, ",")
		got[what] = x.got + map[bool]string{true: " yes", false: " no"}[x.reached]
	}
	want := map[string]string{
		"robotsfiles: gain of extract's second worker to that of a second libdeflate-gunzip": "0.97 yes",
		"robotsfiles: gain of scan's second worker to that of a second libdeflate-gunzip":    "0.64 no",
		"robotsfiles: the pass across hosts":                                                 "1.0 µs yes",
		"robotsfiles: peak memory of extract":                                                "310 MB no",
		"robotsfiles: peak memory of scan":                                                   "310 MB no",
	}
	for _, name := range []string{robotsFiles, realFiles} {
		want[name+": extract to libdeflate-gunzip"] = "2.90 yes"
		want[name+": scan to libdeflate-gunzip"] = "5.10 no"
		want[name+": scan to FastWARC with Protego"] = "0.17 yes"
		want[name+": permissions and statements of three agents for every site to scan"] = "1.98 yes"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestInflatingIsMeasuredOverWholeMembers(t *testing.T) {
	var in bytes.Buffer
	for _, content := range []string{"one", strings.Repeat("two ", 1000), "three"} {
		w := gzip.NewWriter(&in)
		w.Write([]byte(content))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "members.gz")
	if err := os.WriteFile(path, in.Bytes()[:in.Len()-3], 0o644); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]int{"pages": 2, hugeMember: 1} {
		x, err := measureInflating(what, path)
		if err != nil {
			t.Fatal(err)
		}
		if x.Members != want || x.Bytes == 0 || len(x.Ours) != inflatingRounds || len(x.Klauspost) != inflatingRounds {
			t.Errorf("%s: %+v, want %d members", what, x, want)
		}
	}
}

func TestSlowContendersRunFewerRounds(t *testing.T) {
	r := testResult(1.3, 0.65, 2.8, 60)
	if text := r.markdown(); !strings.Contains(text, " 9 records, 1 rounds. ") {
		t.Errorf("the text does not tell the rounds:\n%s", text)
	}
	again := testResult(1.3, 0.65, 2.8, 60).Corpora[0]
	for range 4 {
		again.add(contender{name: reference, cores: 1}, measure{User: 1})
	}
	r.put(corpusResult{Name: "robotstxt"})
	r.put(again)
	if text := r.markdown(); len(r.Corpora) != 2 || r.Corpora[0].Name != "pages" ||
		!strings.Contains(text, " 9 records, 5 rounds (slow contenders: 1). ") {
		t.Errorf("the text does not tell the rounds of a corpus that was measured again:\n%s", text)
	}
	names := map[string]bool{}
	for _, c := range (&bench{}).contenders() {
		if c.slow {
			names[c.name] = true
		}
	}
	want := map[string]bool{"warcio, iterating": true, fastSurvey: true, slowSurvey: true, namedScan: true}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
}

func TestSaveArchivesAndRewritesOnlyItsPart(t *testing.T) {
	docs := t.TempDir()
	page := filepath.Join(docs, "performance.md")
	if err := os.WriteFile(page, []byte("Prose.\n"+performanceMark+"\nold\n"+performanceMark+"\nMore.\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	r := testResult(1.3, 0.65, 2.8, 60)
	for range 2 {
		if err := r.save(docs, r.markdown()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.HasPrefix(text, "Prose.\n"+performanceMark) || !strings.HasSuffix(text, performanceMark+"\nMore.\n") ||
		strings.Contains(text, "old") {
		t.Errorf("performance.md:\n%s", text)
	}
	for _, want := range []string{"## Figures of 2026-01-02", "### Corpus pages",
		"| acapscan extract | 1.30 | 230.8 | 1.30 | 60 MB |"} {
		if !strings.Contains(text, want) {
			t.Errorf("performance.md does not have %q:\n%s", want, text)
		}
	}
	// What is archived is read again as it was.
	var again result
	if err := again.load(filepath.Join(docs, "benchmarks", "2026-01-02.json")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.markdown(), again.markdown()); diff != "" {
		t.Errorf("read again (-saved +read):\n%s", diff)
	}
}

// docs/performance.md shows the newest result.
func TestPageShowsTheNewestResult(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	results, err := filepath.Glob(filepath.Join(docs, "benchmarks", "2*.json"))
	if err != nil || len(results) == 0 {
		t.Fatalf("no results (%v)", err)
	}
	var newest result
	if err := newest.load(slices.Max(results)); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(page), newest.markdown())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.Join(docs, "performance.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("go test ./tools/bench -update writes docs/performance.md anew (-result +page):\n%s", diff)
	}
}

func TestACAPFieldsAreCountedAsThePythonSurveysDo(t *testing.T) {
	body := "\uFEFFACAP-crawler: *\r\n  acap-Allow-crawl : /\r\n# ACAP-crawler: x\r\nDisallow: /ACAP-x\r\n" +
		"##ACAP version=1.0\r\n"
	if got := acapFields([]byte(body)); got != 2 {
		t.Errorf("%d fields, want 2", got)
	}
}
