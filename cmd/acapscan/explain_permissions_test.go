package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// explain and the table permissions give one answer. Explain gets the captured robots.txt, the captured page and the
// question of a row, and must answer with the row: for every site and page of the test archives. It also gets referred
// files that the archives have. Pages of a WAT are left out, because a WAT has no bodies.
func TestExplainSaysWhatPermissionsSay(t *testing.T) {
	t.Parallel()
	good := filepath.Join(fixtures, "good")
	out := scanOf(t, exitDone, good, "--permissions", "all", "--pages", "all")
	c := newCorpus(t, good, out)

	summed := map[string]bool{}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		if at.Row.Partial {
			summed[keyOf(deref(at.Row.WARCFilename), fmt.Sprint(deref(at.Row.RecordOffset)), deref(at.Row.URL))] = true
		}
	}
	questions := questionsOf(t, out)
	maps.DeleteFunc(questions, func(q asking,
		_ map[string]table.Permission) bool {
		return summed[keyOf(q.file, q.offset, q.url)]
	})
	latest := map[string]string{} // the latest captures of pages, by crawl and URL
	for q := range questions {
		latest[q.crawl+" "+q.url] = max(latest[q.crawl+" "+q.url], q.at)
	}
	sites, pages, followed, unresolved, recorded := 0, 0, 0, 0, 0
	captured := map[string]bool{} // asked of the tables
	for q, want := range questions {
		args := []string{"explain", "--json", "--agent", q.agent}
		if q.purpose != "" {
			args = append(args, "--purpose", q.purpose)
		}
		var inForce *table.Robots
		var moment time.Time
		if q.url == "" {
			sites++
			moment = time.Unix(1<<40, 0)
			inForce = c.answer(q.crawl, q.site, moment)
			args = append(args, "--url", q.site+"/")
			if inForce != nil && inForce.FetchTime != nil {
				args = append(args, "--at", inForce.FetchTime.UTC().Format(time.RFC3339Nano))
			}
		} else {
			pages++
			args = append(args, "--url", q.url)
			if q.at != "" {
				var err error
				if moment, err = time.Parse(time.RFC3339Nano, q.at); err != nil {
					t.Fatal(err)
				}
				args = append(args, "--at", q.at)
			}
			inForce = c.answer(q.crawl, q.site, moment)
			args = append(args, c.page(q.file, q.offset, q.url)...)
		}
		robots, references := c.robots(q.site, inForce)
		robots = append(robots, c.reservations(q.site, moment)...)
		if slices.Contains(robots, "--referred") {
			followed++
		} else if references > 0 {
			unresolved++
		}
		name := strings.Join(append(args, robots...), " ")
		saysTheSame(t, name, objects(t, must(t, exitDone, append(args, robots...)...).stdout), want)
		if key := q.crawl + " " + cmp.Or(q.url, q.site); q.at == latest[q.crawl+" "+q.url] &&
			!captured[key] {
			captured[key] = true
			args := []string{"explain", out, "--json", "--agent", q.agent, "--purpose", q.purpose, "--crawl", q.crawl,
				"--base-url", good, "--site", q.site}
			if q.url != "" {
				args = append(args[:len(args)-2], "--url", q.url)
			}
			saysTheSame(t, strings.Join(args, " "), objects(t, must(t, exitDone, args...).stdout), want)
		}
		if q.url != "" && c.captures[q.file+" "+q.offset] == 1 && recorded < 50 &&
			!strings.HasSuffix(q.url, "/robots.txt") {
			recorded++
			file := q.file
			if strings.HasPrefix(file, "crawl-data/") {
				file = filepath.Join(good, file)
			}
			args := append([]string{"explain", file, "--offset", q.offset, "--json", "--agent", q.agent, "--purpose",
				q.purpose}, robots...)
			saysTheSame(t, strings.Join(args, " "), objects(t, must(t, exitDone, args...).stdout), want)
		}
		if t.Failed() && sites+pages > 50 {
			t.FailNow()
		}
	}
	t.Logf("%d questions about sites and %d about pages; of a robots.txt that refers to a file that is there %d, "+
		"that is not %d", sites, pages, followed, unresolved)
	if sites < 200 || pages < 200 || followed < 6 || unresolved < 4 || len(captured) < 100 || recorded < 50 ||
		c.reserved < 4 {
		t.Errorf("%d questions about sites and %d about pages, %d and %d with references, %d asked of the tables, %d "+
			"of records, %d with a tdmrep.json: the test has lost its subject", sites, pages, followed, unresolved,
			len(captured), recorded, c.reserved)
	}
}

// asking is a question that rows of permissions answer, usage by usage; url is "" where it is about the site.
type asking struct{ crawl, site, url, at, file, offset, agent, purpose string }

// questionsOf returns the rows of permissions by question and usage.
func questionsOf(t *testing.T, out string) map[asking]map[string]table.Permission {
	questions := map[asking]map[string]table.Permission{}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		row := at.Row
		q := asking{crawl: at.Crawl, site: row.Site, agent: row.Agent, purpose: deref(row.Purpose)}
		if row.Scope == "page" {
			q.url, q.file, q.offset = deref(row.URL), deref(row.WARCFilename), fmt.Sprint(deref(row.RecordOffset))
			if row.FetchTime != nil {
				q.at = row.FetchTime.UTC().Format(time.RFC3339Nano)
			}
		}
		if questions[q] == nil {
			questions[q] = map[string]table.Permission{}
		}
		questions[q][string(row.Usage)] = row
	}
	return questions
}

// saysTheSame compares what explain said of a question, a line a usage, with the rows.
func saysTheSame(t *testing.T, name string, lines []map[string]any, want map[string]table.Permission) {
	t.Helper()
	if len(lines) != len(want) {
		t.Errorf("%s: %d usages, the table has %d", name, len(lines), len(want))
	}
	for _, said := range lines {
		row := want[said["usage"].(string)]
		if diff := gocmp.Diff(ofRow(row), ofExplain(row, said)); diff != "" {
			t.Errorf("%s\n%s (-table +explain):\n%s", name, row.Usage, diff)
		}
		// The text goes rule by rule: a statement that no rule removed would be missing.
		for _, lost := range said["lost"].([]any) {
			if rule := lost.(map[string]any)["rule"]; !slices.Contains(said["decided_by"].([]any), rule) {
				t.Errorf("%s\n%s: a statement lost by %v, which took no part", name, row.Usage, rule)
			}
		}
	}
}

// sameAnswer is what is compared.
type sameAnswer struct {
	Decision, IfCrawled, WithoutElements, Basis string
	DecidedBy, Qualifiers                       []string
	Source, Raw                                 string
	Line                                        int32
}

func ofRow(row table.Permission) sameAnswer {
	a := sameAnswer{
		Decision: string(row.Decision), IfCrawled: string(deref(row.IfCrawled)),
		WithoutElements: string(deref(row.WithoutElements)), Basis: string(row.Basis),
		DecidedBy: row.DecidedBy, Source: string(deref(row.DecidingSource)), Raw: deref(row.DecidingRaw),
		Line: deref(row.DecidingLine),
	}
	for _, q := range row.Qualifiers {
		a.Qualifiers = append(a.Qualifiers, q.Name+"="+q.Value)
	}
	return a
}

// ofExplain reads a line of explain. Rows about sites have nothing of elements, and only a robots.txt has lines in the
// table.
func ofExplain(row table.Permission, said map[string]any) sameAnswer {
	a := sameAnswer{Decision: said["decision"].(string), IfCrawled: said["decision_if_crawled"].(string),
		Basis: said["basis"].(string)}
	if row.Scope == "page" {
		a.WithoutElements = said["decision_without_elements"].(string)
	}
	for _, rule := range said["decided_by"].([]any) {
		a.DecidedBy = append(a.DecidedBy, rule.(string))
	}
	for _, q := range said["qualifiers"].([]any) {
		q := q.(map[string]any)
		a.Qualifiers = append(a.Qualifiers, fmt.Sprintf("%v=%v", q["name"], q["value"]))
	}
	if deciding := said["deciding"].([]any); len(deciding) > 0 {
		first := deciding[0].(map[string]any)
		a.Source, a.Raw = first["source"].(string), first["raw"].(string)
		if a.Source == "robots.txt" || a.Source == "tdmrep.json" {
			a.Line = int32(first["line"].(float64))
		}
	}
	return a
}

// A version is a body and the time of its capture.
type version struct {
	at   time.Time
	body []byte
}

// A corpus has the captures of an archive as files, and the robots.txt in force.
type corpus struct {
	t       *testing.T
	folder  string
	bodies  map[string][]byte         // of robots.txt and policy files, by SHA-256
	files   map[string][]byte         // the same by URL; those that are referred to were captured once
	answers map[string][]table.Robots // by crawl and site
	pages   map[string][]string       // flags that give a page, by file, offset and URL
	tdmrep  map[string][]version      // of each site's tdmrep.json, all of one crawl

	captures map[string]int // captures at a file and offset
	reserved int            // questions with a tdmrep.json
}

func newCorpus(t *testing.T, archives, tables string) *corpus {
	c := &corpus{t: t, folder: t.TempDir(), bodies: map[string][]byte{}, files: map[string][]byte{},
		answers: map[string][]table.Robots{}, pages: map[string][]string{}, tdmrep: map[string][]version{},
		captures: map[string]int{}}
	store, _ := onceOf(t, exitDone, "extract", archives)
	s, err := facts.Open([]string{store})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Scan(func(f *facts.Fact) error {
		if f.Body != nil {
			sum := sha256.Sum256(f.Body)
			body := bytes.Clone(f.Body)
			if f.BodyTruncated { // a line that was cut says nothing (R-LEX-8)
				body = body[:bytes.LastIndexByte(body, '\n')+1]
			}
			c.bodies[hex.EncodeToString(sum[:])], c.files[f.URL] = body, body
			if site, isReservation := strings.CutSuffix(f.URL, "/.well-known/tdmrep.json"); isReservation {
				c.tdmrep[site] = append(c.tdmrep[site], version{time.UnixMilli(f.FetchTime), body})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range rows[table.Robots](t, tables, table.RobotsTxt) {
		key := at.Crawl + " " + at.Row.Site
		c.answers[key] = append(c.answers[key], at.Row)
	}
	for _, name := range filesBelow(t, archives) {
		c.read(filepath.Join(archives, name))
	}
	return c
}

// read reads the captures of an archive.
func (c *corpus) read(file string) {
	in, err := os.Open(file)
	if err != nil {
		c.t.Fatal(err)
	}
	defer in.Close()
	records, err := archive.NewReader(in, archive.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	captures := capture.NewReader(capture.Options{})
	for n := 0; ; n++ {
		record, err := records.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			c.t.Fatalf("%s: %v", file, err)
		}
		got, err := captures.Read(record)
		if err != nil {
			continue // no capture
		}
		if got.IsRobots() { // facts do not have the body of a page in the place of a robots.txt
			if sum := sha256.Sum256(got.Body); c.bodies[hex.EncodeToString(sum[:])] == nil {
				c.bodies[hex.EncodeToString(sum[:])] = bytes.Clone(got.Body)
			}
		}
		c.captures[extractrun.Filename(file)+" "+fmt.Sprint(record.Offset)]++
		args := []string{}
		if got.MimeType != "" {
			args = append(args, "--media-type", got.MimeType)
		}
		for _, f := range got.Header {
			if markup.HasPolicy(capture.Header{f}) {
				args = append(args, "--header", string(f.Name)+": "+string(f.Value))
			}
		}
		args = append(args, "--page", c.write(fmt.Sprintf("%x-%d", sha256.Sum256([]byte(file)), n), got.Body))
		c.pages[keyOf(extractrun.Filename(file), fmt.Sprint(record.Offset), got.URL)] = args
	}
}

func (c *corpus) write(name string, body []byte) string {
	file := filepath.Join(c.folder, name)
	if err := os.WriteFile(file, body, 0o644); err != nil {
		c.t.Fatal(err)
	}
	return file
}

// keyOf names a capture.
func keyOf(file, offset, url string) string { return strings.Join([]string{file, offset, url}, " ") }

// page returns the flags that give a page.
func (c *corpus) page(file, offset, url string) []string {
	args, ok := c.pages[keyOf(file, offset, url)]
	if !ok {
		c.t.Fatalf("there is no capture of %s at %s in %s", url, offset, file)
	}
	return slices.Clone(args)
}

// answer is the robots.txt in force for a moment, by a second implementation of R-SITE-1: of the answers of the highest
// rank the latest not after the moment, else the first after it.
func (c *corpus) answer(crawl, site string, moment time.Time) *table.Robots {
	rank := map[table.RobotsOutcome]int{
		"rules": 2, "no-rules": 2, "absent": 2, "forbidden": 2, "unreachable": 1,
	}
	all := slices.Clone(c.answers[crawl+" "+site])
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b table.Robots) int {
		return cmp.Or(cmp.Compare(rank[b.Outcome], rank[a.Outcome]), deref(a.FetchTime).Compare(deref(b.FetchTime)))
	})
	best := &all[0]
	for i := range all {
		if rank[all[i].Outcome] == rank[best.Outcome] && !deref(all[i].FetchTime).After(moment) {
			best = &all[i]
		}
	}
	return best
}

// reservations returns the flag that gives the site's tdmrep.json in force for a moment (R-SITE-1).
func (c *corpus) reservations(site string, moment time.Time) []string {
	all := c.tdmrep[site]
	if len(all) == 0 {
		return nil
	}
	c.reserved++
	slices.SortStableFunc(all, func(a, b version) int { return a.at.Compare(b.at) })
	inForce := all[0]
	for _, v := range all {
		if !v.at.After(moment) {
			inForce = v
		}
	}
	return []string{"--tdmrep", c.write(fmt.Sprintf("tdmrep-%x", sha256.Sum256(inForce.body)), inForce.body)}
}

var referenceField = regexp.MustCompile(`(?im)^acap-permissions-reference:?[ \t]*(\S+)`)

// robots returns the flags that give an answer and the files that it refers to, and how many references it has.
func (c *corpus) robots(site string, a *table.Robots) (args []string, references int) {
	if a == nil {
		return nil, 0
	}
	switch a.Outcome {
	case "absent":
		return []string{"--robots-status", "404"}, 0
	case "forbidden":
		return []string{"--robots-status", "403"}, 0
	case "unreachable":
		return []string{"--robots-status", "503"}, 0
	case "rules", "no-rules", "not-robots":
		body := c.bodies[deref(a.BodyDigest)]
		args = []string{"--robots", c.write("robots-"+deref(a.BodyDigest), body)}
		found := referenceField.FindAllSubmatch(body, -1)
		for _, m := range found {
			locator, url := string(m[1]), string(m[1])
			if locator[0] == '/' {
				url = site + locator
			}
			if file, ok := c.files[url]; ok {
				args = append(args, "--referred", locator+"="+c.write(fmt.Sprintf("referred-%x", sha256.Sum256(file)),
					file))
			}
		}
		return args, len(found)
	}
	return nil, 0
}

// explain finds in the archives of a run what decided about a page then: the tdmrep.json and the file that the
// robots.txt refers to, both in the version in force at the capture (R-SITE-1).
func TestExplainFindsFilesInForce(t *testing.T) {
	t.Parallel()
	const site = "http://pub.example"
	var records bytes.Buffer
	capture := func(day int, path, mediaType, body string) {
		record := response(site+path, mediaType, body)
		records.Write(bytes.Replace(record, []byte("2012-05-17"), fmt.Appendf(nil, "2012-05-%02d", day), 1))
	}
	const allow, disallow = "ACAP-crawler: *\nACAP-allow-index: /\n", "ACAP-crawler: *\nACAP-disallow-index: /\n"
	page := `<meta name="robots" content="ACAP allow-preserve">`
	capture(10, "/robots.txt", "text/plain", "ACAP-crawler: *\nACAP-permissions-reference: /acap.txt\n")
	capture(10, "/acap.txt", "text/plain", disallow)
	capture(10, "/.well-known/tdmrep.json", "application/json", `[{"location": "/", "tdm-reservation": 1}]`)
	capture(11, "/early.html", "text/html", page)
	capture(12, "/robots.txt", "text/plain", "ACAP-crawler: *\nACAP-permissions-reference: /acap.txt\n#\n")
	capture(12, "/acap.txt", "text/plain", allow)
	capture(12, "/.well-known/tdmrep.json", "application/json", `[{"location": "/", "tdm-reservation": 0}]`)
	capture(13, "/late.html", "text/html", page)
	archive := filepath.Join(t.TempDir(), "a.warc")
	if err := os.WriteFile(archive, records.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out := scanOf(t, exitDone, archive)
	decided := map[string]int{}
	for q, want := range questionsOf(t, out) {
		args := []string{"explain", out, "--json", "--agent", q.agent, "--site", site}
		if q.url != "" {
			args = append(args[:len(args)-2], "--url", q.url)
		}
		saysTheSame(t, strings.Join(args, " "), objects(t, must(t, exitDone, args...).stdout), want)
		for _, usage := range []string{"index", "tdm"} {
			decided[fmt.Sprint(strings.TrimPrefix(q.url, site), " ", usage, " ", want[usage].Decision)]++
		}
	}
	want := map[string]int{" index allowed": 1, " tdm allowed": 1, "/early.html index disallowed": 1,
		"/early.html tdm disallowed": 1, "/late.html index allowed": 1, "/late.html tdm allowed": 1}
	if diff := gocmp.Diff(want, decided); diff != "" {
		t.Error(diff)
	}
}
