package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/report/numbers"
	"github.com/acapscan/acapscan/output/table"
)

var update = flag.Bool("update", false, "write the golden page anew")

// rows are what a test's run writes, all of one partition.
type rows struct {
	crawl, subset string
	inputs        []table.Input
	robots        []table.Robots
	pages         []table.Page
	directives    []table.Directive
	sites         []table.Adoption
	agents        []table.Agent
	permissions   []table.Permission
	conflicts     []table.Conflict
}

// write makes the folder of a finished run.
func write(t *testing.T, options map[string]string, partitions ...rows) string {
	t.Helper()
	dir := t.TempDir()
	w, err := dataset.Create(storage.NewFolder(dir), dataset.Options{CreatedBy: "acapscan version test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range partitions {
		err := errors.Join(
			dataset.Add(w, table.Inputs, p.crawl, p.subset, 0, p.inputs),
			dataset.Add(w, table.RobotsTxt, p.crawl, p.subset, 0, p.robots),
			dataset.Add(w, table.Pages, p.crawl, p.subset, 0, p.pages),
			dataset.Add(w, table.Directives, p.crawl, p.subset, 0, p.directives),
			dataset.Add(w, table.Adoptions, p.crawl, "", 0, p.sites),
			dataset.Add(w, table.Agents, p.crawl, "", 0, p.agents),
			dataset.Add(w, table.Permissions, p.crawl, "", 0, p.permissions),
			dataset.Add(w, table.Conflicts, p.crawl, "", 0, p.conflicts),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	m := &manifest.Manifest{
		Program: manifest.Program{Name: "acapscan", Version: "0.0.0-test", Commit: "none"}, RulesVersion: "1",
		PublicSuffixVersion: "test",
		Options:             options,
		Started:             time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Ended:               time.Date(2026, 1, 2, 3, 5, 6, 0, time.UTC),
		Host:                "secret-host",
	}
	if err := w.Commit(m); err != nil {
		t.Fatal(err)
	}
	return dir
}

func collect(t *testing.T, dir string, opts Options) *Report {
	t.Helper()
	m, err := manifest.Read(storage.NewFolder(dir))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Collect(t.Context(), storage.NewFolder(dir), m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func render(t *testing.T, f *Report) string {
	t.Helper()
	var b strings.Builder
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func site(name string, class table.AdoptionClass, outcome table.RobotsOutcome) table.Adoption {
	a := table.Adoption{Site: name, Class: class, ClassExact: true, Outcome: outcome, ConflictsComplete: true,
		PermissionsComplete: true}
	table.FillHost(&a.Host, name)
	return a
}

func key(url string, at time.Time) table.Key {
	var k table.Key
	table.FillURL(&k, url)
	k.FetchTime = table.Of(at)
	return k
}

// agents are rows of a site, by pairs of a crawler and its extent.
func agents(name string, pairs ...string) (list []table.Agent) {
	for i := 0; i < len(pairs); i += 2 {
		row := table.Agent{
			Site: name, Agent: pairs[i], NamedIn: []string{"rep"}, CrawlExtent: table.Extent(pairs[i+1]),
			RootDecision: "allowed",
			Basis:        "rep-robots", Complete: true,
		}
		table.FillHost(&row.Host, name)
		list = append(list, row)
	}
	return list
}

// permissions are a row for each usage of ACAP.
func permissions(base table.Permission) []table.Permission {
	base.DecidedBy, base.Profile, base.OtherReading = []string{"R-DEC-12"}, "1.1", "broad"
	var list []table.Permission
	for _, usage := range terms.UsagesOf(terms.FamilyACAP) {
		row := base
		row.Usage = table.WordOf(usage)
		list = append(list, row)
	}
	return list
}

var fetched = time.Date(2012, 5, 17, 8, 30, 0, 0, time.UTC)

// example is a small run with something in every table.
func example() rows {
	const post = "https://www.post.example.com"
	first := site(post, "beyond-rep", "rules")
	first.ACAPVersions, first.Features, first.ACAPFingerprint = []string{"1.0", "1.1"},
		[]string{"crawler-record", "qualifier"}, table.Of("aa")
	first.OtherSite, first.REPSameForAll = table.Of("http://www.post.example.com"), table.Of(false)
	first.Pages, first.PagesHTML, first.PagesXML, first.PagesACAPMeta, first.PagesConventional = 10, 9, 1, 2, 5
	first.Conflicts = table.Counts{"acap-rep": 2, "meta-header": 1}
	first.ConflictsApproximate, first.ExtentsUnknown, first.PermissionsComplete = 2, 16, false
	twin := site("http://www.post.example.com", "mirrors-rep", "no-rules")
	twin.ACAPVersions, twin.Features, twin.ACAPFingerprint = []string{"1.0"}, []string{"crawler-record"}, table.Of("aa")
	twin.REPSameForAll = table.Of(true)
	silent := site("https://silent.example.org", "none", "not-captured")
	silent.Pages, silent.PagesHTML, silent.PagesPartial = 30, 30, 30
	marker := site("http://192.0.2.1", "marker-only", "rules")
	hostile := site("https://hostile.example.net", "crawl-differs", "rules")
	hostile.ClassExact, hostile.ConflictsComplete, hostile.PermissionsComplete, hostile.ExtentsUnknown = false, false,
		false, 3

	allowed := permissions(table.Permission{
		Scope: "site", Site: post, Agent: "*", Extent: table.Of[table.Extent]("some"), Decision: "allowed",
		Basis: "silence",
	})
	allowed[2].Decision, allowed[2].Basis, allowed[2].Extent = "conditional", "acap-robots",
		table.Of[table.Extent]("all")
	allowed[3].Decision, allowed[3].Basis, allowed[3].Extent = "disallowed", "acap-robots",
		table.Of[table.Extent]("none")
	denied := permissions(table.Permission{
		Scope: "site", Site: twin.Site, Agent: "*", Extent: table.Of[table.Extent]("none"), Decision: "disallowed",
		Basis: "crawl-prohibited",
	})
	denied[0].Basis = "rep-robots"
	other := permissions(table.Permission{
		Scope: "site", Site: post, Agent: "googlebot", Extent: table.Of[table.Extent]("none"), Decision: "disallowed",
		Basis: "acap-robots",
	})
	purpose := permissions(table.Permission{
		Scope: "site", Site: post, Agent: "*", Purpose: table.Of("news"), Extent: table.Of[table.Extent]("none"),
		Decision: "disallowed", Basis: "acap-robots",
	})
	page := permissions(table.Permission{
		Scope: "page", Site: post, Key: key(post+"/a", fetched), Agent: "*", Decision: "allowed",
		WithoutElements: table.Of[table.Decision]("allowed"), Basis: "acap-page",
	})
	page[4].WithoutElements = table.Of[table.Decision]("disallowed")

	conflict := table.Conflict{
		Site: post, Kind: "acap-rep", Severity: "override", Agent: "*", Usage: "crawl",
		ExampleURL: table.Of(post + "/a?b=1&c=2"),
		FirstID:    table.Of("1"), FirstSource: table.Of[table.Source]("robots.txt"), FirstLine: table.Of(int32(12)),
		FirstRaw:   table.Of("ACAP-allow-crawl: /a"),
		FirstSense: table.Of[table.Sense]("allow"), FirstDecision: table.Of[table.Decision]("allowed"),
		SecondSource: table.Of[table.Source]("robots.txt"), SecondDecision: table.Of[table.Decision]("disallowed"),
		Winner: "first", Rule: "R-DEC-2", Approximate: true,
	}
	again := conflict
	again.Severity, again.Agent, again.Rule = "contradiction", "searchbot1", "R-REC-6"
	onPage := table.Conflict{
		Site: post, Key: key(post+"/b", fetched), Kind: "meta-header", Severity: "contradiction", Agent: "*",
		Purpose: table.Of("news"),
		Usage:   "index", ExampleURL: table.Of(post + "/b"),
		FirstID: table.Of("2"), FirstSource: table.Of[table.Source]("meta"), FirstByteOffset: table.Of(int64(1512)),
		FirstRaw: table.Of("index"), FirstSense: table.Of[table.Sense]("allow"),
		SecondID: table.Of("3"), SecondSource: table.Of[table.Source]("http-header"),
		SecondByteOffset: table.Of(int64(0)),
		SecondRaw:        table.Of("X-Robots-Tag: noindex"),
		SecondSense:      table.Of[table.Sense]("disallow"), Winner: "second", Rule: "R-REP-2",
	}

	statement := table.Directive{
		Key: key(post+"/robots.txt", fetched), Site: post, StatementID: "1", Source: "robots.txt", Vocabulary: "acap",
		Sense: table.Of[table.Sense]("allow"), Usage: table.Of[table.Usage]("index"), Status: "repaired",
		Defects:    []string{"missing-colon"},
		Qualifiers: []table.Qualifier{{Name: "time-limit", Value: "30-days"}, {Name: "time-limit", Value: "7-days"}},
	}
	invalid := statement
	invalid.Status = "invalid"
	conventional := table.Directive{
		Key: key(post+"/robots.txt", fetched), Site: post, StatementID: "2", Source: "robots.txt", Vocabulary: "rep",
		Sense: table.Of[table.Sense]("disallow"), Usage: table.Of[table.Usage]("crawl"), Status: "valid",
	}
	return rows{
		crawl: "CC-MAIN-2012-21", subset: "warc",
		inputs: []table.Input{
			{
				WARCFilename: "crawl-data/a.warc.gz", Complete: true, Bytes: table.Of(int64(12_345_678)), Records: 100,
				RecordsResponse: 60, RecordsRequest: 40,
				StatusClasses: table.StatusClasses{Captures: 60, Captures2xx: 50, Captures4xx: 10}, HTML: 40, XML: 1,
				Robots:    3,
				PagesKept: 1,
				Skipped:   table.Counts{"media-type": 7}, Defects: table.Counts{"content-length": 2},
			},
			{WARCFilename: "crawl-data/b.warc.gz", Error: table.Of("the file ends inside a gzip member at offset " +
				"1048576"),
				Truncated: 1},
		},
		robots: []table.Robots{
			{
				Key: key(post+"/robots.txt", fetched), Site: post, RecordType: "response", Outcome: "rules",
				Selected:    true,
				OtherFields: table.Counts{"sitemap": 3}, Defects: []string{"missing-colon"},
			},
			{Key: key(post+"/robots.txt", fetched.AddDate(6, 0, 0)), Site: post, RecordType: "response",
				Outcome: "unreachable"},
		},
		pages: []table.Page{
			{Key: key(post+"/a", fetched), Site: post, ACAPMeta: 1, Defects: []string{"smart-quotes"}},
			{Key: key(post+"/b", fetched), Site: post, XRobotsTag: 1},
		},
		directives: []table.Directive{statement, invalid, conventional},
		sites:      []table.Adoption{first, twin, silent, marker, hostile},
		agents: slices.Concat(agents(post, "*", "some", "gptbot", "none"),
			agents(marker.Site, "*", "all", "ccbot", "some", "gptbot", "none"),
			agents(twin.Site, "*", "none", "slurp", "all")),
		permissions: append(append(append(append(allowed, denied...), other...), purpose...), page...),
		conflicts:   []table.Conflict{conflict, again, onPage},
	}
}

var defaults = map[string]string{"profile": "1.1", "other": "broad", "permissions": "default", "directives": "default",
	"agents": ""}

// A page that came in the place of a robots.txt has a row and no part in the site's counts of pages: the report says
// so, where it would contradict itself. Its decisions have a basis of their own, which is not that of a robots.txt
// never captured.
func TestPageInsteadOfRobots(t *testing.T) {
	const name = "http://page.example"
	s := site(name, "beyond-rep", "not-robots")
	s.Pages, s.PagesHTML = 3, 3
	other := site("http://none.example", "none", "not-captured")
	run := rows{
		crawl: "local", subset: "warc", sites: []table.Adoption{s, other},
		robots: []table.Robots{{Key: key(name+"/robots.txt", fetched), Site: name, RecordType: "response",
			Outcome:  "not-robots",
			Selected: true}},
		pages: []table.Page{
			{Key: key(name+"/robots.txt", fetched), Site: name, ACAPMeta: 2},
			{Key: key(name+"/robots.txt?a", fetched), Site: name, ACAPMeta: 1},
		},
		permissions: permissions(table.Permission{Scope: "site", Site: name, Agent: "*",
			Extent:   table.Of[table.Extent]("all"),
			Decision: "allowed", Basis: "not-robots"}),
	}
	const unread = "Of these sites, 1 have no capture of robots.txt, and 0 a redirect or revisit whose target is " +
		"not in the archives"
	for choice, withSilent := range map[string]bool{"default": false, "acap-sites": false, "all-sites": true,
		"all": true} {
		options := map[string]string{"profile": "1.1", "other": "broad", "permissions": choice}
		page := render(t, collect(t, write(t, options, run), Options{}))
		for _, want := range []string{
			"1 capture of /robots.txt gave a page instead (R-LEX-7).",
			"An ACAP META is in 1 of 4 page captures (25.0%).", ">ACAP META, in place of robots.txt<",
			"whether they keep a row in table pages (1 do)",
			"a page stands in the place of the site&#39;s robots.txt, and nothing else is said",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("--permissions %s: the report does not say %q", choice, want)
			}
		}
		if strings.Contains(page, unread) != withSilent {
			t.Errorf("--permissions %s: it is %v that the report says %q", choice, !withSilent, unread)
		}
	}
}

func TestFigures(t *testing.T) {
	f := collect(t, write(t, defaults, example()), Options{})
	counts := map[string]int64{
		"inputs": f.Inputs.Inputs, "incomplete": f.Inputs.Incomplete, "with error": f.Inputs.WithError,
		"bytes": f.Inputs.Bytes, "records": f.Inputs.Records,
		"responses": f.Inputs.ByType[0].N, "captures": f.Inputs.Status.Captures, "4xx": f.Inputs.Status.Captures4xx,
		"truncated":       f.Inputs.Truncated,
		"skipped":         f.Inputs.Skipped.Get("media-type", 0),
		"place":           f.Inputs.Places.Get("CC-MAIN-2012-21\x00warc", numbers.PlaceProblems),
		"robots captures": f.Robots.Captures, "selected": f.Robots.Selected,
		"unreachable":   f.Robots.Outcomes.Get("unreachable", 0),
		"sitemap files": f.Robots.OtherFields.Get("sitemap", 0), "kept": f.Pages.Kept,
		"instead of robots.txt": f.Pages.Instead, "with ACAP METAs": f.Pages.InsteadWithMetas,
		"unread":     f.Sites.Unread.Get("not-robots", 0),
		"statements": f.Statements.Total, "allow index": f.Statements.ByUsage.Get("index", numbers.SenseAllow),
		"conventional crawl":         f.Statements.ByUsage.Row("crawl"),
		"statements with time-limit": f.Statements.Qualifiers.Get("time-limit", 0),
		"repaired":                   f.Statements.BySource.Get("acap robots.txt", 1),
		"sites":                      f.Sites.Sites, "robots read": f.Sites.RobotsRead, "adopters": f.Sites.Adopters,
		"both schemes": f.Sites.OtherScheme,
		"mirrors seen": f.Sites.Classes.Get("mirrors-rep", numbers.ClassSeen),
		"none read":    f.Sites.Classes.Get("none", numbers.ClassRead),
		"version 1.0":  f.Sites.Versions.Get("1.0", 0),
		"no version":   f.Sites.NoVersion, "com": f.Sites.Domains.Get("com", numbers.DomainAdopters),
		"org seen":      f.Sites.Domains.Get("org", numbers.DomainSites),
		"org":           f.Sites.Domains.Get("org", numbers.DomainAdopters),
		"no domain":     f.Sites.Domains.Get("", numbers.DomainAdopters),
		"fingerprinted": f.Sites.Fingerprinted,
		"fingerprints":  int64(f.Sites.Fingerprints.Len()), "both": f.Sites.Voices[numbers.VoiceBoth],
		"same": f.Sites.Voices[numbers.VoiceSame], "neither": f.Sites.Voices[numbers.VoiceNeither],
		"pages":           f.Sites.Pages.Pages,
		"pages with META": f.Sites.Pages.ACAPMeta, "sites with pages": f.Sites.SitesWithPages,
		"sites with a conflict":              f.Sites.AnyConflict,
		"sites with acap-rep":                f.Conflicts.Sites.Row("acap-rep"),
		"inexact classes":                    f.Sites.Limits.ClassInexact,
		"incomplete conflicts":               f.Sites.Limits.ConflictsIncomplete,
		"sites with an approximate conflict": f.Sites.Limits.ConflictsApproximate,
		"incomplete permissions":             f.Sites.Limits.PermissionsIncomplete,
		"sites with an unknown extent":       f.Sites.Limits.WithExtentUnknown,
		"unknown extents":                    f.Sites.Limits.ExtentsUnknown,
		"site subjects":                      f.Permissions[0].Subjects, "page subjects": f.Permissions[1].Subjects,
		"index conditional":   f.Permissions[0].Usages.Get("index", 1),
		"preserve disallowed": f.Permissions[0].Usages.Get("preserve", 2),
		"index not crawled":   f.Permissions[0].Usages.Get("index", numbers.DecisionNotCrawled),
		"crawl disallowed":    f.Permissions[0].Usages.Get("crawl", 2),
		"crawl rows":          f.Permissions[0].Usages.Row("crawl"),
		"extent all":          f.Permissions[0].Extents.Get("index", 0), "elements": f.Permissions[1].Elements,
		"page basis": f.Permissions[1].Basis.Row("acap-page"),
		"conflicts":  f.Conflicts.Total, "approximate": f.Conflicts.Approximate,
		"contradictions":           f.Conflicts.Kinds.Get("acap-rep", 1),
		"won by second":            f.Conflicts.Winners.Get("meta-header", 1),
		"by R-REC-6":               f.Conflicts.Rules.Get("acap-rep R-REC-6", 0),
		"missing-colon files":      f.Defects.Get("missing-colon", numbers.DefectRobots),
		"missing-colon statements": f.Defects.Get("missing-colon", numbers.DefectStatement),
		"smart-quotes pages":       f.Defects.Get("smart-quotes", numbers.DefectPage),
		"content-length":           f.Defects.Get("content-length", numbers.DefectArchive),
	}
	want := map[string]int64{
		"inputs": 2, "incomplete": 1, "with error": 1, "bytes": 12_345_678, "records": 100, "responses": 60,
		"captures": 60,
		"4xx":      10, "truncated": 1,
		"skipped": 7, "place": 1, "robots captures": 2, "selected": 1, "unreachable": 1, "sitemap files": 1, "kept": 2,
		"instead of robots.txt": 0, "with ACAP METAs": 0, "unread": 0,
		"statements": 3, "allow index": 1, "conventional crawl": 0, "statements with time-limit": 1, "repaired": 1,
		"sites": 5, "robots read": 4, "adopters": 4, "both schemes": 1, "mirrors seen": 1, "none read": 0,
		"version 1.0": 2,
		"no version":  2, "com": 2,
		"org seen": 1, "org": 0, "no domain": 1, "fingerprinted": 2, "fingerprints": 1, "both": 2, "same": 1,
		"neither": 2, "pages": 40,
		"pages with META":  2,
		"sites with pages": 2, "sites with a conflict": 1, "sites with acap-rep": 1,
		"inexact classes": 1, "incomplete conflicts": 1, "sites with an approximate conflict": 1,
		"incomplete permissions":       2,
		"sites with an unknown extent": 2, "unknown extents": 19,
		"site subjects": 2, "page subjects": 1, "index conditional": 1, "preserve disallowed": 1,
		"index not crawled": 1,
		"crawl disallowed":  1, "crawl rows": 2,
		"extent all": 1, "elements": 1, "page basis": int64(len(terms.UsagesOf(terms.FamilyACAP))),
		"conflicts": 3, "approximate": 2, "contradictions": 1, "won by second": 1, "by R-REC-6": 1,
		"missing-colon files": 1, "missing-colon statements": 2, "smart-quotes pages": 1, "content-length": 2,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if !f.First.Equal(fetched) || !f.Last.Equal(fetched.AddDate(6, 0, 0)) {
		t.Errorf("captures from %v to %v", f.First, f.Last)
	}
	if n := len(f.Conflicts.Examples["acap-rep"]); n != 1 {
		t.Errorf("%d examples of one site", n)
	}
}

// A crawler is blocked where its row says so, and without a row where * is.
func TestBlockedAgents(t *testing.T) {
	f := collect(t, write(t, defaults, example()), Options{}).Agents
	if f.Sites != 3 || f.Incomplete != 0 {
		t.Errorf("%d sites, %d incomplete", f.Sites, f.Incomplete)
	}
	for crawler, want := range map[string]numbers.Blocked{
		"*": {AsAny: 1, Partly: 1}, "gptbot": {ByName: 2, AsAny: 1}, "ccbot": {AsAny: 1, Partly: 2},
		"slurp": {Partly: 1},
	} {
		if got := f.Blocked(crawler); want != got {
			t.Errorf("%s is blocked %+v, want %+v", crawler, got, want)
		}
	}
}

// Examples are of different sites, and those with two lines to quote come before those with one.
func TestExamplesQuoteTwoLines(t *testing.T) {
	r := example()
	silent, both := r.conflicts[0], r.conflicts[0]
	silent.SecondRaw, both.SecondRaw = nil, table.Of("Disallow: /a")
	r.conflicts = nil
	for i, c := range []table.Conflict{silent, silent, both, silent, both, both} {
		c.Site = fmt.Sprintf("https://s%d.example", i)
		r.conflicts = append(r.conflicts, c, c)
		if i == 4 { // a site whose first conflict has one line
			r.conflicts[len(r.conflicts)-2].SecondRaw = nil
		}
	}
	var got []string
	for _, e := range collect(t, write(t, defaults, r), Options{}).Conflicts.Examples["acap-rep"] {
		got = append(got, e.Row.Site)
	}
	if want := []string{"https://s2.example", "https://s4.example", "https://s5.example"}; !slices.Equal(got, want) {
		t.Errorf("examples of %q, want %q", got, want)
	}
}

// someRule is the text of one rule.
func someRule(id string) (text, source string, known bool) {
	return "the text of <" + id + ">", "somewhere 1.2", id == "R-DEC-11"
}

// A rule that is known has its text at the end of the page, once, and every mention leads there.
func TestRulesAreQuoted(t *testing.T) {
	got := render(t, collect(t, write(t, defaults, example()), Options{Rule: someRule}))
	if strings.Count(got, `<div id="R-DEC-11"><dt>R-DEC-11</dt><dd>the text of &lt;R-DEC-11&gt;`) != 1 ||
		strings.Count(got, `<a class="rule" href="#R-DEC-11">R-DEC-11</a>`) == 0 {
		t.Error("the page names a rule and does not lead to its text")
	}
	if strings.Contains(got, `href="#R-DEC-14"`) || !strings.Contains(got, "R-DEC-14") {
		t.Error("a rule without a text is a link")
	}
	if got := render(t, collect(t, write(t, defaults, example()), Options{})); strings.Contains(got,
		"that this page names") {
		t.Error("without texts there is a list of rules")
	}
}

func TestPageGolden(t *testing.T) {
	dir := write(t, defaults, example())
	got := render(t, collect(t, dir, Options{Rule: someRule}))
	if again := render(t, collect(t, dir, Options{Rule: someRule})); again != got {
		t.Error("the same tables give another page")
	}
	got = regexp.MustCompile(`;base64,[^"]*`).ReplaceAllString(got, ";base64,…") // they repeat the page
	// Sizes of files and the words of table are not this package's.
	got = regexp.MustCompile(`(?s)<figure id="tables".*?</figure>`).ReplaceAllString(got, "…")
	golden := filepath.Join("testdata", "report.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the page differs; -update writes it anew (-want +got):\n%s", diff)
	}
}

func TestPageIsSelfContained(t *testing.T) {
	got := render(t, collect(t, write(t, defaults, example()), Options{}))
	for _, part := range []string{"<script", "<link", "<img", "<iframe", "@import", "src=", "secret-host", "ZgotmplZ"} {
		if strings.Contains(got, part) {
			t.Errorf("the page has %q", part)
		}
	}
	ids := map[string]bool{}
	for _, part := range strings.Split(got, ` id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if ids[id] {
			t.Errorf("id %s is there twice", id)
		}
		ids[id] = true
	}
	for _, mark := range []string{`href="#`, `url(#`} {
		for _, part := range strings.Split(got, mark)[1:] {
			id := part[:strings.IndexAny(part, `)"`)]
			if !ids[id] {
				t.Errorf("%s%s leads nowhere", mark, id)
			}
		}
	}
	charts := strings.Count(got, ` class="chart"`)
	if n := strings.Count(got, "</desc>"); n != charts || charts < 2*10 {
		t.Errorf("%d charts, %d of them described", charts, n)
	}
	if n := strings.Count(got, "<figure "); strings.Count(got, "<table ")+strings.Count(got, `<p class="none">`) != n ||
		strings.Count(got, "<details>") != charts/2 {
		t.Errorf("%d figures, %d charts, %d tables, %d of them folded", n, charts/2, strings.Count(got, "<table "),
			strings.Count(got, "<details>"))
	}
}

func TestHostileTextIsEscaped(t *testing.T) {
	const evil = `</title></code></style><script>alert(1)</script><img src=x onerror="alert(2)">`
	r := example()
	r.crawl = evil
	r.sites[0].Site = "javascript:alert(1)//" + evil
	r.sites[0].ACAPVersions, r.sites[0].Features, r.sites[0].HostTLD = []string{evil}, []string{evil}, table.Of(evil)
	r.inputs[1].WARCFilename, r.inputs[1].Error = evil, table.Of(evil)
	r.inputs[0].Skipped, r.inputs[0].Defects = table.Counts{evil: 1}, table.Counts{evil: 1}
	r.robots[0].OtherFields, r.robots[0].Defects = table.Counts{evil: 1}, []string{evil}
	r.directives[0].Qualifiers[0].Name = evil
	c := &r.conflicts[0]
	c.Site, c.Agent, c.Purpose, c.Rule = "javascript:alert(1)//", evil, table.Of(evil), evil
	c.ExampleURL = table.Of("javascript:alert('" + evil + "')")
	c.FirstRaw = table.Of(evil + "\u202e\x00\n\xff" + strings.Repeat("a", 1<<20))
	c.URL = table.Of("https://user:pass@evil.example/")
	c.Approximate = false
	r.conflicts[2].ExampleURL = table.Of(`https://www.post.example.com/"><script>alert(3)</script>`)
	options := map[string]string{"profile": evil, evil: evil}
	got := render(t, collect(t, write(t, options, r), Options{}))
	for _, part := range []string{"<script", "<img", `onerror="`, `href="javascript:`, "href=\"https://user", "\u202e",
		"\x00", "\xff", strings.Repeat("a", 400), "ZgotmplZ"} {
		if strings.Contains(got, part) {
			at := strings.Index(got, part)
			t.Errorf("the page has %q: …%s…", part, got[max(0, at-80):min(len(got), at+80)])
		}
	}
	if !strings.Contains(got, "&lt;script&gt;alert(1)") {
		t.Error("the text is not shown")
	}
	if len(got) > 1<<18 {
		t.Errorf("the page has %d bytes", len(got))
	}
}

func TestEmptyTables(t *testing.T) {
	for _, name := range []string{"no rows at all", "an input without records"} {
		t.Run(name, func(t *testing.T) {
			r := rows{crawl: "local", subset: "warc"}
			if name != "no rows at all" {
				r.inputs = []table.Input{{WARCFilename: "empty.warc.gz", Complete: true}}
			}
			got := render(t, collect(t, write(t, nil, r), Options{}))
			for _, want := range []string{"No site was seen.", "No conflict was found.", "No defect was found.",
				"The table has no such rows."} {
				if !strings.Contains(got, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			for _, part := range []string{" of 0 sites", ` class="chart"`, "NaN", "%!", "Examples", "0001"} {
				if strings.Contains(got, part) {
					t.Errorf("the page has %q", part)
				}
			}
		})
	}
}

// TestFiguresTellTheirDenominators: beside every figure stands what it counts, and beside every chart what it does not
// say.
func TestFiguresTellTheirDenominators(t *testing.T) {
	first, second := example(), example()
	second.crawl = "CC-MAIN-2018-34"
	p := collect(t, write(t, defaults, first, second), Options{}).page()
	charts := 0
	for _, s := range p.Sections[:len(p.Sections)-1] { // the last is about the run
		for _, fig := range s.Figures {
			told := map[string]int{}
			for _, n := range fig.Notes {
				told[n.Label]++
			}
			if told["Denominator"] != 1 {
				t.Errorf("%s has %d denominators", fig.ID, told["Denominator"])
			}
			if fig.Charted() && told["Caveat"] == 0 {
				t.Errorf("%s is a chart without a caveat", fig.ID)
			}
			if fig.Charted() {
				charts++
			}
		}
	}
	if charts < 12 {
		t.Errorf("%d charts", charts)
	}
}

func TestSeveralCrawls(t *testing.T) {
	first, second := example(), example()
	second.crawl = "CC-MAIN-2018-34"
	second.sites = second.sites[:3]
	dir := write(t, defaults, first, second)

	both := collect(t, dir, Options{})
	if both.Sites.Sites != 8 || both.Inputs.Inputs != 4 || both.Sites.Crawls.Len() != 2 {
		t.Errorf("%d sites, %d inputs, %d crawls", both.Sites.Sites, both.Inputs.Inputs, both.Sites.Crawls.Len())
	}
	page := render(t, both)
	for _, want := range []string{"2 crawls; a site counts once in each.", "once in each crawl", "crawl by crawl",
		">2 of 3 (66.7%)<", ">4 of 5 (80.0%)<",
		"lowest in crawl CC-MAIN-2018-34, 2 of 3 (66.7%), and highest in CC-MAIN-2012-21, 4 of 5 (80.0%)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of both lacks %q", want)
		}
	}

	if _, values := tableOf(t, page, "agents-crawls"); values["gptbot"]["CC-MAIN-2012-21"] != 1 ||
		values["*"]["CC-MAIN-2018-34"] != ratio(1, 3) || values["slurp"]["CC-MAIN-2012-21"] != 0 {
		t.Errorf("blocked crawl by crawl: %v", values)
	}

	one := collect(t, dir, Options{Crawl: "CC-MAIN-2018-34"})
	if one.Sites.Sites != 3 || one.Inputs.Inputs != 2 {
		t.Errorf("of one crawl: %d sites, %d inputs", one.Sites.Sites, one.Inputs.Inputs)
	}
	page = render(t, one)
	if strings.Contains(page, "CC-MAIN-2012-21") || strings.Contains(page, "once in each crawl") {
		t.Error("the page of one crawl tells of the other")
	}

	m, err := manifest.Read(storage.NewFolder(dir))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Collect(t.Context(), storage.NewFolder(dir), m, Options{Crawl: "CC-MAIN-1999-01"})
	if !errors.Is(err, ErrNoCrawl) || !strings.Contains(err.Error(), "CC-MAIN-2012-21, CC-MAIN-2018-34") {
		t.Errorf("error %v", err)
	}
}

func TestWithoutVerbatim(t *testing.T) {
	r := example()
	r.conflicts[0].FirstRaw = nil
	got := render(t, collect(t, write(t, map[string]string{"no-verbatim": "true"}, r), Options{}))
	if !strings.Contains(got, "text left out (--no-verbatim)") || !strings.Contains(got, "silent, or a default") {
		t.Error("the page does not tell text that was left out from silence")
	}
}

func TestCollectErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string, m *manifest.Manifest) context.Context
		says   string
	}{
		{"another schema version", func(_ *testing.T, _ string, m *manifest.Manifest) context.Context {
			m.SchemaVersion++
			return context.Background()
		}, fmt.Sprintf("schema version %d", table.SchemaVersion+1)},
		{"a part file is gone", func(t *testing.T, dir string, m *manifest.Manifest) context.Context {
			remove(t, dir, m, table.Conflicts)
			return context.Background()
		}, "table conflicts cannot be read"},
		{"a part file of other rows", func(_ *testing.T, _ string, m *manifest.Manifest) context.Context {
			m.Outputs[0].Rows++
			return context.Background()
		}, "has 5 rows, and the run wrote 6"},
		{"interrupted", func(t *testing.T, _ string, _ *manifest.Manifest) context.Context {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx
		}, "canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, defaults, example())
			m, err := manifest.Read(storage.NewFolder(dir))
			if err != nil {
				t.Fatal(err)
			}
			ctx := c.damage(t, dir, m)
			if _, err := Collect(ctx, storage.NewFolder(dir), m, Options{}); err == nil ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func remove(t *testing.T, dir string, m *manifest.Manifest, name table.Name) {
	t.Helper()
	for _, o := range m.Outputs {
		if of, _ := o.Table(); of == name {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(o.Path))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	f := collect(t, write(t, defaults, example()), Options{})
	if err := f.Write(brokenPipe{}); err == nil || err.Error() != "broken pipe" {
		t.Errorf("error %v", err)
	}
}

func TestLongListsAreSummedUp(t *testing.T) {
	r := example()
	r.sites = nil
	for i := range 40 {
		s := site(fmt.Sprintf("https://a%02d.example", i), "marker-only", "rules")
		s.HostTLD, s.ACAPVersions = table.Of(fmt.Sprintf("d%02d", i)), []string{fmt.Sprintf("9.%02d", i)}
		r.sites = append(r.sites, s)
	}
	got := render(t, collect(t, write(t, defaults, r), Options{}))
	for _, want := range []string{`all others</th><td class="n">25</td><td class="n">25</td><td class="n">100%`,
		`28 more, together</th><td class="n">28`} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(got, ".d15<") || !strings.Contains(got, ".d14<") {
		t.Error("fifteen domains are shown, no more and no fewer")
	}
}

func TestReportComparesTheFirstAndTheLastCrawl(t *testing.T) {
	const lamp, buoy, gone = "http://lamp.example.com", "http://buoy.example.com", "http://gone.example.com"
	before := rows{crawl: "A-2008", sites: []table.Adoption{
		site(lamp, "none", "rules"), site(buoy, "beyond-rep", "rules"), site(gone, "none", "rules"),
	}, agents: slices.Concat(agents(lamp, "*", "all"), agents(buoy, "*", "all", "oldbot", "none"),
		agents(gone, "*", "all", "newbot", "none"))}
	after := rows{crawl: "B-2011", sites: []table.Adoption{
		site(lamp, "none", "rules"), site(buoy, "none", "absent"), site(gone, "none", "unreachable"),
	}, agents: agents(lamp, "*", "none", "newbot", "none", "oldbot", "some")}
	page := render(t, collect(t, write(t, nil, before, after), Options{}))
	for _, want := range []string{
		"1 of 2 hosts (50.0%) began to block every crawler that they do not name, and 0 stopped.",
		"from crawl A-2008 to crawl B-2011",
		"0 of 2 hosts (0%) began to use ACAP, and 1 stopped.",
		"The 2 hosts of which both crawls know the policy.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	one := render(t, collect(t, write(t, nil, before), Options{}))
	if strings.Contains(one, "What changed") {
		t.Error("a report about one crawl has a section about changes")
	}
}
