package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// TestScanOfFixtures scans testdata/warc/good once and looks at the tables from several sides.
func TestScanOfFixtures(t *testing.T) {
	out, got := onceOf(t, exitDone, "scan", filepath.Join(fixtures, "good"))
	if got.stdout != "" {
		t.Errorf("stdout has %q", got.stdout)
	}
	if said := got.sentences(); len(said) != 0 {
		t.Errorf("it complains: %q", said)
	}
	expected := readExpected(t)

	t.Run("the folder holds the tables and what stands next to them, nothing else", func(t *testing.T) {
		for _, name := range filesBelow(t, out) {
			first, _, inFolder := strings.Cut(name, "/")
			_, isTable := table.Lookup(table.Name(first))
			beside := []string{manifest.FileName, manifest.SuccessName, manifest.PathsName, manifest.ViewsName,
				manifest.DataPackageName}
			if !(inFolder && (isTable && strings.HasSuffix(name, ".parquet") || first == manifest.SchemaFolder) ||
				slices.Contains(beside, name)) {
				t.Errorf("there is %s", name)
			}
		}
	})
	t.Run("no table is empty", func(t *testing.T) {
		m, err := manifest.Read(storage.NewFolder(out))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range table.All() {
			if m.Tables[d.Name].Rows == 0 {
				t.Errorf("%s has no row", d.Name)
			}
		}
	})
	t.Run("sites", func(t *testing.T) { sitesAre(t, out, expected["sites of good"]) })
	t.Run("conflicts of pages", func(t *testing.T) {
		kinds := map[[2]string]map[string]bool{}
		for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
			key := [2]string{at.Crawl, deref(at.Row.URL)}
			if kinds[key] == nil {
				kinds[key] = map[string]bool{}
			}
			kinds[key][string(at.Row.Kind)] = true
		}
		for _, row := range expected["pages"] {
			have := kinds[[2]string{row[0], row[1]}]
			for kind := range strings.SplitSeq(row[2], ",") {
				if kind = strings.TrimSpace(kind); kind != "" && !have[kind] {
					t.Errorf("%s %s has no conflict of kind %s, but %v", row[0], row[1], kind,
						slices.Sorted(maps.Keys(have)))
				}
			}
		}
	})
	t.Run("conflicts and their near misses", func(t *testing.T) { conflictsAre(t, out, expected["conflicts"]) })
	t.Run("AI preferences", func(t *testing.T) { preferencesAre(t, out, expected["preferences"]) })
	t.Run("statements of AI preferences", func(t *testing.T) { statementsAre(t, out, expected["statements"]) })
	t.Run("agents", func(t *testing.T) { agentsAre(t, out, expected["agents"], expected["sites of good"]) })
	t.Run("references", func(t *testing.T) { referencesAre(t, out) })
	t.Run("archives", func(t *testing.T) { archivesAre(t, out, expected["archives"], "good/") })
	t.Run("every value of an enumeration occurs", func(t *testing.T) { everyValue(t, out) })
	t.Run("adoption has the denominators", func(t *testing.T) { denominators(t, out) })
	t.Run("ids of statements are in directives", func(t *testing.T) { idsResolve(t, out) })
}

// TestScanOfSeries scans three crawls of the same sites: each crawl has its own rows, and testdata/warc/expected says
// what a site is in each.
func TestScanOfSeries(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	must(t, exitDone, "scan", filepath.Join(fixtures, "series"), "-o", out)
	expected := readExpected(t)
	sitesAre(t, out, expected["sites of series"])
	archivesAre(t, out, expected["archives"], "series/")
}

// TestScanOfHostile scans policies that are too large to decide exactly: the tables mark and count what is not exact.
func TestScanOfHostile(t *testing.T) {
	t.Parallel()
	out, got := onceOf(t, exitDone, "scan", filepath.Join(fixtures, "hostile"))
	expected := readExpected(t)
	type inexact struct {
		class, conflicts     bool
		approximate, unknown int64
	}
	want := map[string]inexact{"no-extent": {unknown: 1}, "an-extent": {}, "no-class": {class: true, conflicts: true},
		"no-end": {conflicts: true, approximate: 1}}
	var sum inexact
	for _, at := range rows[table.Adoption](t, out, table.Adoptions) {
		row := at.Row
		label := strings.TrimSuffix(strings.TrimPrefix(row.Site, "http://"), ".town-papers.example")
		if found := (inexact{!row.ClassExact, !row.ConflictsComplete, row.ConflictsApproximate,
			row.ExtentsUnknown}); found != want[label] {
			t.Errorf("%s: %+v, want %+v", label, found, want[label])
		}
		delete(want, label)
		sum.approximate, sum.unknown = sum.approximate+row.ConflictsApproximate, sum.unknown+row.ExtentsUnknown
		if !slices.ContainsFunc(expected["sites of hostile"], func(cells []string) bool {
			return cells[1] == row.Site && cells[2] == string(row.Outcome) && cells[3] == string(row.Class)
		}) {
			t.Errorf("%s has outcome %s and class %s, testdata/warc/expected says otherwise", row.Site, row.Outcome,
				row.Class)
		}
	}
	if len(want) > 0 {
		t.Errorf("no row of %v", want)
	}
	var approximate, unknown int64
	for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
		if at.Row.Approximate {
			approximate++
		}
	}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		if deref(at.Row.Extent) == "unknown" {
			unknown++
		}
	}
	if approximate != 1 || unknown != 1 || sum.approximate != approximate || sum.unknown != unknown {
		t.Errorf("%d conflicts are approximate and %d extents unknown, adoption has %d and %d", approximate, unknown,
			sum.approximate, sum.unknown)
	}
	m, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int64{"sites_class_inexact": 1, "sites_conflicts_incomplete": 2,
		"conflicts_approximate": 1, "permissions_extent_unknown": 1} {
		if m.Counts[name] != n {
			t.Errorf("the manifest counts %s as %d, want %d", name, m.Counts[name], n)
		}
	}
	if lines := regexp.MustCompile(`(?m)^  (classes of sites|sites not searched out|approximate conflicts|unknown `+
		`extents) +[12]$`).FindAllString(got.stderr, -1); len(lines) != 4 {
		t.Errorf("the summary tells %q of what is not exact:\n%s", lines, got.stderr)
	}
}

// conflictsAre looks for each kind of conflict where testdata/warc/expected has it, and for none at the near miss.
func conflictsAre(t *testing.T, out string, want [][]string) {
	type clash struct{ severity, winner string }
	found := map[[2]string][]clash{} // by kind and place: the page, or the site for what stands in its robots.txt
	for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
		place := at.Row.Site
		if at.Row.URL != nil {
			place = *at.Row.URL
		}
		key := [2]string{string(at.Row.Kind), place}
		found[key] = append(found[key], clash{string(at.Row.Severity), string(at.Row.Winner)})
	}
	captured := map[string]bool{}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		captured[deref(at.Row.URL)] = true
	}
	for _, at := range rows[table.Adoption](t, out, table.Adoptions) {
		captured[at.Row.Site] = true
	}
	missing := map[string]bool{}
	for _, kind := range table.ConflictKind("").Values() {
		missing[kind] = true
	}
	for _, row := range want {
		kind, at, nearMiss := row[0], row[3], row[4]
		delete(missing, kind)
		if have := found[[2]string{kind, at}]; !slices.Contains(have, clash{row[1], row[2]}) {
			t.Errorf("%s has no conflict of kind %s, %s, won by %s, but %v", at, kind, row[1], row[2], have)
		}
		if have := found[[2]string{kind, nearMiss}]; len(have) > 0 || !captured[nearMiss] {
			t.Errorf("%s, captured %t, has conflicts of kind %s: %v", nearMiss, captured[nearMiss], kind, have)
		}
	}
	if len(missing) > 0 {
		t.Errorf("testdata/warc/expected has no place for %v", slices.Sorted(maps.Keys(missing)))
	}
}

// agentsAre compares agents with expected/agents.tsv, for the sites in that table. All other sites with a robots.txt
// have a row for any crawler, and sites without one have no row.
func agentsAre(t *testing.T, out string, want, sites [][]string) {
	with := func(decision, extent string) string { return strings.Trim(decision+"/"+extent, "/") }
	line := func(n *int32) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	got, any := map[[2]string][][]string{}, map[[2]string]bool{}
	for _, at := range rows[table.Agent](t, out, table.Agents) {
		row, site := at.Row, [2]string{at.Crawl, at.Row.Site}
		if raw := null(deref(row.AgentRaw)); row.Agent != strings.ToLower(raw) && (row.Agent != "*" || raw != "-") {
			t.Errorf("%v: agent %s is written %s", site, row.Agent, raw)
		}
		blocked, allowed := row.CrawlExtent == "none", row.CrawlExtent == "all"
		if deref(row.FullyBlocked) != blocked || deref(row.FullyAllowed) != allowed || !row.Complete {
			t.Errorf("%v %s: extent %s, blocked %t, allowed %t, complete %t", site, row.Agent, row.CrawlExtent,
				deref(row.FullyBlocked), deref(row.FullyAllowed), row.Complete)
		}
		any[site] = any[site] || row.Agent == "*"
		got[site] = append(got[site], []string{at.Crawl, row.Site, null(deref(row.AgentRaw)),
			null(strings.Join(row.NamedIn, ",")), with(string(row.RootDecision), string(row.CrawlExtent)),
			null(with(string(deref(row.REPRootDecision)), string(deref(row.REPCrawlExtent)))),
			null(with(string(deref(row.ACAPRootDecision)), string(deref(row.ACAPCrawlExtent)))),
			fmt.Sprint(row.Rules), line(row.GroupLine), line(row.DecidingLine), string(row.Basis)})
	}
	written := map[[2]string][][]string{}
	for _, row := range want {
		site := [2]string{row[0], row[1]}
		written[site] = append(written[site], row)
	}
	for site, rows := range written {
		if diff := cmp.Diff(rows, got[site]); diff != "" {
			t.Errorf("agents of %v (-expected +table):\n%s", site, diff)
		}
	}
	for _, row := range sites {
		site, hasFile := [2]string{row[0], row[1]}, row[2] == "rules" || row[2] == "no-rules"
		if any[site] != hasFile || !hasFile && got[site] != nil {
			t.Errorf("%v has outcome %s and the rows %q", site, row[2], got[site])
		}
	}
}

// referencesAre asks what a permissions-reference came to, where the corpus has the file and where it has not
// (R-REF-1).
func referencesAre(t *testing.T, out string) {
	urls := map[string]string{} // of the captures that statements stand in
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		urls[at.Row.StatementID] = deref(at.Row.URL)
	}
	type decided struct {
		basis table.Basis
		url   string
	}
	const titles = ".town-papers.example"
	got := map[string]decided{}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		row := at.Row
		label, _ := strings.CutSuffix(strings.TrimPrefix(row.Site, "http://"), titles)
		if !strings.HasPrefix(label, "ref-") || row.Scope != "site" || row.Agent != "searchbot1" ||
			row.Usage != "preserve" {
			continue
		}
		d := decided{basis: row.Basis}
		for _, id := range row.DecidingIDs {
			d.url = urls[id]
		}
		got[label] = d
	}
	want := map[string]decided{
		"ref-own":     {"acap-robots", "http://ref-own" + titles + "/searchbot1/robots.txt"},
		"ref-missing": {"reference-unresolved", ""},
		"ref-html":    {"reference-unresolved", ""},
	}
	for label, w := range want {
		if got[label] != w {
			t.Errorf("%s: preserve is decided by %+v, want %+v", label, got[label], w)
		}
	}
}

// null writes an empty cell as the expected tables do.
func null(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// preferencesAre compares the rows about AI preferences with expected/preferences.tsv, for the sites in that table.
func preferencesAre(t *testing.T, out string, want [][]string) {
	sites := sitesOf(want)
	var got []string
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		row := at.Row
		if (row.Family == "ai") != slices.Contains([]table.Usage{"train-ai", "search", "ai-input", "tdm"}, row.Usage) {
			t.Errorf("%s: usage %s is of family %s", row.Site, row.Usage, row.Family)
		}
		if row.Family == "ai" && sites[row.Site] {
			where := row.Site
			if row.URL != nil {
				where = *row.URL
			}
			got = append(got, strings.Join([]string{where, row.Agent, string(row.Usage), string(row.Decision),
				null(string(deref(row.Extent))), string(row.Basis)}, "\t"))
		}
	}
	linesAre(t, "AI preferences", want, got)
}

// sitesOf returns the sites of rows that begin with a site or a page.
func sitesOf(rows [][]string) map[string]bool {
	sites := map[string]bool{}
	for _, row := range rows {
		sites[strings.Join(strings.SplitN(row[0], "/", 4)[:3], "/")] = true
	}
	return sites
}

// linesAre compares rows in any order; cells of got are parted by tabs.
func linesAre(t *testing.T, what string, want [][]string, got []string) {
	t.Helper()
	var all []string
	for _, row := range want {
		all = append(all, strings.Join(row, "\t"))
	}
	slices.Sort(all)
	slices.Sort(got)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("%s (-expected +table):\n%s", what, diff)
	}
}

// statementsAre compares the rows of directives in vocabularies of AI preferences with expected/statements.tsv, for the
// sites in that table.
func statementsAre(t *testing.T, out string, want [][]string) {
	sites := sitesOf(want)
	var got []string
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		row := at.Row
		if row.Vocabulary == "acap" || row.Vocabulary == "rep" || !sites[row.Site] {
			continue
		}
		where, line := row.Site, fmt.Sprint(row.Part)
		if row.Line != nil {
			line = fmt.Sprintf("%d.%d", *row.Line, row.Part)
		}
		if row.Source != "robots.txt" {
			where = deref(row.URL)
		}
		got = append(got, strings.Join([]string{where, string(row.Source), line, string(row.Vocabulary), row.Field,
			null(strings.Join(row.Agents, ",")), null(string(deref(row.Sense))), null(string(deref(row.Usage))),
			null(deref(row.Resource)), string(row.Status), null(strings.Join(row.Defects, ",")),
			null(deref(row.ManagedBy))}, "\t"))
	}
	linesAre(t, "statements of AI preferences", want, got)
}

// readExpected reads the tables of testdata/warc/expected, the rows without their head. Those of sites are parted by
// folder, as "sites of good".
func readExpected(t *testing.T) map[string][][]string {
	t.Helper()
	tables := map[string][][]string{}
	for _, name := range []string{"archives", "sites", "pages", "conflicts", "agents", "preferences", "statements"} {
		text, err := os.ReadFile(filepath.Join(fixtures, "expected", name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		_, lines, _ := strings.Cut(string(text), "\n")
		for line := range strings.Lines(lines) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if name == "sites" {
				folder := "sites of " + cells[0]
				tables[folder] = append(tables[folder], cells[1:])
				continue
			}
			tables[name] = append(tables[name], cells)
		}
	}
	for name, least := range map[string]int{"archives": 20, "sites of good": 20, "pages": 20,
		"conflicts": len(table.ConflictKind("").Values()), "sites of series": 30, "sites of hostile": 4, "agents": 40,
		"preferences": 40, "statements": 60} {
		if len(tables[name]) < least {
			t.Fatalf("testdata/warc/expected has %d rows of %s", len(tables[name]), name)
		}
	}
	return tables
}

// sitesAre compares adoption with a table of sites of testdata/warc/expected.
func sitesAre(t *testing.T, out string, sites [][]string) {
	t.Helper()
	type site struct{ crawl, site, outcome, class string }
	var want, got []site
	for _, row := range sites {
		want = append(want, site{row[0], row[1], row[2], row[3]})
	}
	for _, at := range rows[table.Adoption](t, out, table.Adoptions) {
		got = append(got, site{at.Crawl, at.Row.Site, string(at.Row.Outcome), string(at.Row.Class)})
	}
	byName := func(a, b site) int { return strings.Compare(a.crawl+" "+a.site, b.crawl+" "+b.site) }
	slices.SortFunc(want, byName)
	slices.SortFunc(got, byName)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(site{})); diff != "" {
		t.Errorf("sites (-expected +adoption):\n%s", diff)
	}
}

// archivesAre compares inputs with expected/archives.tsv.
func archivesAre(t *testing.T, out string, archives [][]string, folder string) {
	t.Helper()
	inputs := map[string]table.Input{}
	for _, at := range rows[table.Input](t, out, table.Inputs) {
		inputs[at.Row.WARCFilename] = at.Row
	}
	seen := 0
	for _, row := range archives {
		if !strings.HasPrefix(row[0], folder) {
			continue
		}
		seen++
		name := filepath.ToSlash(filepath.Join(fixtures, row[0]))
		if i := strings.Index(name, "crawl-data/"); i >= 0 {
			name = name[i:]
		}
		in, ok := inputs[name]
		if !ok {
			t.Errorf("%s is not among the inputs", name)
			continue
		}
		records, lost := strconv.FormatInt(in.Records, 10), in.Skipped["damaged"]
		if records != row[1] || fmt.Sprint(lost) != row[2] {
			t.Errorf("%s: %s records, %d lost; want %s and %s", row[0], records, lost, row[1], row[2])
		}
		for defect := range strings.SplitSeq(row[3], ",") {
			defect = strings.TrimSpace(defect)
			if defect != "" && in.Defects[defect] == 0 {
				t.Errorf("%s: defect %s is missing in %v", row[0], defect, in.Defects)
			}
		}
		if byType := in.RecordsWarcinfo + in.RecordsResponse + in.RecordsRequest + in.RecordsResource +
			in.RecordsMetadata +
			in.RecordsRevisit +
			in.RecordsConversion + in.RecordsOther; byType != in.Records {
			t.Errorf("%s: %d records, %d by type", row[0], in.Records, byType)
		}
		if byStatus := in.Captures2xx + in.Captures3xx + in.Captures4xx + in.Captures5xx + in.CapturesOther +
			in.CapturesNone; byStatus != in.Captures {
			t.Errorf("%s: %d captures, %d by status", row[0], in.Captures, byStatus)
		}
		if folder == "good/" {
			info, err := os.Stat(filepath.Join(fixtures, row[0]))
			if err != nil {
				t.Fatal(err)
			}
			if !in.Complete || in.Error != nil || in.Digest == nil || deref(in.Bytes) != info.Size() {
				t.Errorf("%s: complete %v, error %q, %d of %d bytes", row[0], in.Complete, deref(in.Error),
					deref(in.Bytes), info.Size())
			}
		}
	}
	if seen == 0 {
		t.Errorf("expected/archives.tsv lists no archive in %s", folder)
	}
}

// everyValue lists the values of enumerations that the tables of testdata/warc/good lack.
func everyValue(t *testing.T, out string) {
	seen := map[string]map[string]bool{}
	see := func(column, value string) {
		if seen[column] == nil {
			seen[column] = map[string]bool{}
		}
		seen[column][value] = true
	}
	for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
		see("kind", string(at.Row.Kind))
		see("severity", string(at.Row.Severity))
		see("winner", string(at.Row.Winner))
		see("reading", string(deref(at.Row.Reading)))
	}
	for _, at := range rows[table.Robots](t, out, table.RobotsTxt) {
		see("robots_outcome", string(at.Row.Outcome))
		see("record_type", string(at.Row.RecordType))
	}
	for _, at := range rows[table.Adoption](t, out, table.Adoptions) {
		see("adoption_class", string(at.Row.Class))
		see("robots_outcome of sites", string(at.Row.Outcome))
	}
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		see("source", string(at.Row.Source))
		see("status", string(at.Row.Status))
		see("vocabulary", string(at.Row.Vocabulary))
		see("usage of statements", string(deref(at.Row.Usage)))
	}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		see("usage", string(at.Row.Usage))
		see("decision", string(at.Row.Decision))
		see("basis", string(at.Row.Basis))
		see("scope", string(at.Row.Scope))
		see("extent", string(deref(at.Row.Extent)))
	}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		see("parsed_as", string(deref(at.Row.ParsedAs)))
	}
	for _, c := range []struct {
		column string
		enum   table.Enum
		never  []string // values that these rows cannot have, or that would cost too much
	}{
		{"kind", table.ConflictKind(""), nil},
		{"severity", table.Severity(""), nil},
		{"winner", table.Winner(""), nil},
		{"reading", table.Reading(""), nil},
		{"robots_outcome", table.RobotsOutcome(""), []string{"not-captured"}},
		{"robots_outcome of sites", table.RobotsOutcome(""), nil},
		{"record_type", table.RecordType(""), []string{"resource"}},
		{"adoption_class", table.AdoptionClass(""), nil},
		{"source", table.Source(""), nil},
		{"status", table.Status(""), nil},
		{"vocabulary", table.Vocabulary(""), nil},
		{"usage of statements", table.Usage(""), nil},
		{"usage", table.Usage(""), nil},
		{"decision", table.Decision(""), nil},
		{"basis", table.Basis(""), nil},
		{"scope", table.Scope(""), nil},
		{"extent", table.Extent(""), []string{"unknown"}}, // see TestScanOfHostile
		{"parsed_as", table.Parser(""), nil},
	} {
		for _, value := range c.enum.Values() {
			if !seen[c.column][value] && !slices.Contains(c.never, value) {
				t.Errorf("%s %q does not occur", c.column, value)
			}
		}
		for value := range seen[c.column] {
			if value != "" && !slices.Contains(c.enum.Values(), value) {
				t.Errorf("%s has the value %q, which is none of its enumeration", c.column, value)
			}
		}
	}
}

// denominators compares what adoption counts with the rows of the other tables and with inputs.
func denominators(t *testing.T, out string) {
	type key struct{ crawl, site string }
	sites := map[key]table.Adoption{}
	var captures, pages int64
	for _, at := range rows[table.Adoption](t, out, table.Adoptions) {
		k := key{at.Crawl, at.Row.Site}
		if _, twice := sites[k]; twice {
			t.Errorf("%v has two rows", k)
		}
		sites[k] = at.Row
		captures += at.Row.Captures
		pages += at.Row.Pages
		if at.Row.Pages != at.Row.PagesHTML+at.Row.PagesXML {
			t.Errorf("%v: %d pages, %d HTML and %d XML", k, at.Row.Pages, at.Row.PagesHTML, at.Row.PagesXML)
		}
	}
	var inCaptures, inPages int64
	for _, at := range rows[table.Input](t, out, table.Inputs) {
		inCaptures += at.Row.Captures
		inPages += at.Row.HTML + at.Row.XML
	}
	if captures != inCaptures || pages != inPages {
		t.Errorf("sites have %d captures and %d pages, inputs %d and %d", captures, pages, inCaptures, inPages)
	}
	robots := map[key]int64{}
	for _, at := range rows[table.Robots](t, out, table.RobotsTxt) {
		robots[key{at.Crawl, at.Row.Site}]++
	}
	conflicts := map[key]int64{}
	for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
		conflicts[key{at.Crawl, at.Row.Site}]++
	}
	for k, row := range sites {
		if row.RobotsCaptures != robots[k] {
			t.Errorf("%v: %d captures of robots.txt, %d rows in robots", k, row.RobotsCaptures, robots[k])
		}
		sum := int64(0)
		for _, n := range row.Conflicts {
			sum += n
		}
		if sum != conflicts[k] {
			t.Errorf("%v: %d conflicts, %d rows in conflicts", k, sum, conflicts[k])
		}
	}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		if _, ok := sites[key{at.Crawl, at.Row.Site}]; !ok {
			t.Errorf("%s of %s has a page and no row in adoption", at.Row.Site, at.Crawl)
		}
	}
}

// idsResolve checks that every statement that permissions and conflicts name is a row of directives with the text they
// quote.
func idsResolve(t *testing.T, out string) {
	raw := map[string]string{}
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		if _, twice := raw[at.Row.StatementID]; twice {
			t.Errorf("statement %s is there twice: %s", at.Row.StatementID, deref(at.Row.Raw))
		}
		raw[at.Row.StatementID] = deref(at.Row.Raw)
	}
	check := func(where, id, quoted string) {
		text, ok := raw[id]
		if !ok {
			t.Errorf("%s names statement %s, which is not in directives: %s", where, id, quoted)
		} else if text != quoted {
			t.Errorf("%s quotes %q where statement %s is %q", where, quoted, id, text)
		}
	}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		if len(at.Row.DecidedBy) == 0 {
			t.Errorf("a permission of %s is decided by no rule", at.Row.Site)
		}
		for i, id := range at.Row.DecidingIDs {
			quoted := raw[id]
			if i == 0 {
				quoted = deref(at.Row.DecidingRaw)
			}
			check("a permission of "+at.Row.Site, id, quoted)
		}
	}
	for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
		if at.Row.FirstID != nil {
			check("a conflict of "+at.Row.Site, *at.Row.FirstID, deref(at.Row.FirstRaw))
		}
		if at.Row.SecondID != nil {
			check("a conflict of "+at.Row.Site, *at.Row.SecondID, deref(at.Row.SecondRaw))
		}
	}
}

func TestScanOfDamagedArchives(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	damaged := filepath.Join(fixtures, "damaged")
	got := must(t, exitIncomplete, "scan", damaged, "-o", out)
	archivesAre(t, out, readExpected(t)["archives"], "damaged/")
	said := got.sentences()
	for _, at := range rows[table.Input](t, out, table.Inputs) {
		in := at.Row
		if (in.Error != nil) != slices.ContainsFunc(said,
			func(s string) bool { return strings.Contains(s, in.WARCFilename) }) {
			t.Errorf("%s: the error is %q, and stderr says %q", in.WARCFilename, deref(in.Error), said)
		}
		if in.Error != nil && !slices.Contains(said, *in.Error) {
			t.Errorf("%s: stderr says other than %q: %q", in.WARCFilename, *in.Error, said)
		}
	}
	// A second time there is nothing to do, and the status is the same.
	before := content(t, out)
	again := must(t, exitIncomplete, "scan", damaged, "-o", out)
	if said := again.sentences(); len(said) != 1 || !strings.Contains(said[0], "nothing to do") {
		t.Errorf("it says %q", said)
	}
	sameContent(t, before, content(t, out))
}

func TestManifestTellsTheRun(t *testing.T) {
	archive := write(t, "a.warc", response("http://a.example/", "text/html", acapPage))
	out := filepath.Join(t.TempDir(), "out")
	must(t, exitDone, "scan", archive, "-o", out, "--agents", "Zed,Alpha", "--profile", "pilot", "--workers", "2",
		"--without", "R-DEC-5", "--without", "R-LEX-2", "--without", "R-DEC-5", "--refuse", "smart-quotes", "--refuse",
		"missing-colon")
	text, err := os.ReadFile(filepath.Join(out, manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var m manifest.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"agents": "Alpha,Zed", "directives": "default", "format": "parquet", "no-verbatim": "false", "other": "broad",
		"pages": "default", "permissions": "default",
		"profile": "pilot", "strict": "false", "refuse": "missing-colon,smart-quotes", "without": "R-LEX-2,R-DEC-5",
		"crawl": "", "subset": "", "records": "", "body-metas": "false",
	}
	if diff := cmp.Diff(want, m.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if len(m.Inputs) != 1 || m.Inputs[0].Name != archive || m.Inputs[0].SHA256 == nil || m.Ended.Before(m.Started) {
		t.Errorf("inputs %+v, from %s to %s", m.Inputs, m.Started, m.Ended)
	}
	// Every flag that changes results is an option of the manifest, which distinguishes runs. The list of inputs stands
	// for the flags that chose them; flags about access and speed change no byte.
	flags := regexp.MustCompile(`(?m)^ +(?:-o, )?--([a-z0-9-]+)`).FindAllStringSubmatch(must(t, exitDone, "scan",
		"--help").stdout, -1)
	harmless := []string{"output", "workers", "memory", "overwrite", "progress", "min-complete", "dry-run",
		"paths", "base-url", "limit",
		"rate", "contact", "plain-http", "give-up", "s3-anonymous", "s3-endpoint", "s3-profile", "s3-region"}
	for _, f := range flags {
		if _, ok := m.Options[f[1]]; !ok && !slices.Contains(harmless, f[1]) {
			t.Errorf("the manifest does not hold --%s", f[1])
		}
	}
	if len(flags) < 10 {
		t.Errorf("only %d flags were found in the help", len(flags))
	}
}

func TestOptionsChangeTheTables(t *testing.T) {
	t.Parallel()
	const robots = "## ACAP version=1.1\nACAP-crawler: *\nACAP-disallow index: /\nACAP-disallow-other: " +
		"/\n\nUser-agent: *\nDisallow: /x\n"
	archive := write(t, "a.warc",
		response("http://a.example/robots.txt", "text/plain", robots),
		response("http://a.example/1", "text/html", acapPage),
		response("http://a.example/2", "text/html", "<html><head><meta name=robots content=noindex></head></html>"),
		response("http://a.example/3", "text/html", "<html><head><title>x</title></head></html>"),
		response("http://b.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /x\n"))
	agents := write(t, "agents.txt", []byte("# a list\nFileBot\n\n"))
	scan := func(t *testing.T, args ...string) string {
		out := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, append([]string{"scan", archive, "-o", out}, args...)...)
		return out
	}
	pagesOf := func(t *testing.T, out string) (urls []string) {
		for _, at := range rows[table.Page](t, out, table.Pages) {
			urls = append(urls, strings.TrimPrefix(deref(at.Row.URL), "http://a.example"))
		}
		return urls
	}
	agentsOf := func(t *testing.T, out string) []string {
		seen := map[string]bool{}
		for _, at := range rows[table.Permission](t, out, table.Permissions) {
			seen[strings.ToLower(at.Row.Agent)] = true // case does not count (R-AGENT-1)
		}
		return slices.Sorted(maps.Keys(seen))
	}
	permissionSites := func(t *testing.T, out string) []string {
		seen := map[string]bool{}
		for _, at := range rows[table.Permission](t, out, table.Permissions) {
			seen[string(at.Row.Scope)+" "+strings.TrimPrefix(at.Row.Site, "http://")+deref(at.Row.Path)] = true
		}
		return slices.Sorted(maps.Keys(seen))
	}
	decision := func(t *testing.T, out string, usage table.Usage) string {
		for _, at := range rows[table.Permission](t, out, table.Permissions) {
			if at.Row.Scope == "site" && at.Row.Usage == usage && at.Row.Agent == "*" {
				return string(at.Row.Decision)
			}
		}
		return ""
	}
	for _, c := range []struct {
		name string
		args []string
		get  func(*testing.T, string) any
		want any
	}{
		{"pages by default", nil, func(t *testing.T, out string) any { return pagesOf(t, out) }, []string{"/1", "/2"}},
		{"pages with ACAP", []string{"--pages", "acap"}, func(t *testing.T, out string) any { return pagesOf(t, out) },
			[]string{"/1"}},
		{"all pages", []string{"--pages", "all"}, func(t *testing.T, out string) any { return pagesOf(t, out) },
			[]string{"/1", "/2", "/3"}},
		{"directives by default", nil, func(t *testing.T,
			out string) any {
			return len(rows[table.Directive](t, out, table.Directives))
		}, 5},
		{"all directives", []string{"--directives", "all"},
			func(t *testing.T, out string) any { return len(rows[table.Directive](t, out, table.Directives)) }, 6},
		{"permissions by default", nil, func(t *testing.T, out string) any { return permissionSites(t, out) },
			[]string{"page a.example/1", "site a.example"}},
		{"permissions of sites with ACAP", []string{"--permissions", "acap-sites"},
			func(t *testing.T, out string) any { return permissionSites(t, out) }, []string{"site a.example"}},
		{"permissions of all sites", []string{"--permissions", "all-sites"},
			func(t *testing.T, out string) any { return permissionSites(t, out) }, []string{"site a.example",
				"site b.example"}},
		{"all permissions", []string{"--permissions", "all"},
			func(t *testing.T, out string) any { return permissionSites(t, out) },
			[]string{"page a.example/1", "page a.example/2", "site a.example", "site b.example"}},
		{"agents by default", nil, func(t *testing.T, out string) any { return agentsOf(t, out) }, []string{"*"}},
		{"agents by name", []string{"--agents", "Zed,Alpha"}, func(t *testing.T, out string) any {
			return agentsOf(t, out)
		},
			[]string{"*", "alpha", "zed"}},
		{"agents of a file", []string{"--agents", "@" + agents},
			func(t *testing.T, out string) any { return agentsOf(t, out) }, []string{"*", "filebot"}},
		{"agents of the preset", []string{"--agents", "@common"},
			func(t *testing.T, out string) any { return len(agentsOf(t, out)) }, 1 + commonCount},
		{"repaired", nil, func(t *testing.T, out string) any { return decision(t, out, "index") }, "disallowed"},
		{"strict, and other is broad", []string{"--strict"},
			func(t *testing.T, out string) any { return decision(t, out, "index") }, "disallowed"},
		{"strict, and other is narrow", []string{"--strict", "--other", "narrow"},
			func(t *testing.T, out string) any { return decision(t, out, "index") }, "allowed"},
		{"a repair is refused", []string{"--refuse", "space-for-hyphen", "--other", "narrow"},
			func(t *testing.T, out string) any { return decision(t, out, "index") }, "allowed"},
		{"a rule of reading is left out", []string{"--without", "R-LEX-6", "--other", "narrow"},
			func(t *testing.T, out string) any { return decision(t, out, "index") }, "allowed"},
		{"a rule of deciding is left out", []string{"--without", "R-DEC-13", "--strict"},
			func(t *testing.T, out string) any { return decision(t, out, "index") }, "allowed"},
		{"raw text", nil, func(t *testing.T, out string) any { return withText(t, out) }, true},
		{"no raw text", []string{"--no-verbatim"}, func(t *testing.T, out string) any { return withText(t, out) },
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.get(t, scan(t, c.args...)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// withText reports whether any column holds raw text.
func withText(t *testing.T, out string) bool {
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		if at.Row.Raw != nil {
			return true
		}
	}
	for _, at := range rows[table.Permission](t, out, table.Permissions) {
		if at.Row.DecidingRaw != nil {
			return true
		}
	}
	for _, at := range rows[table.Conflict](t, out, table.Conflicts) {
		if at.Row.FirstRaw != nil || at.Row.SecondRaw != nil {
			return true
		}
	}
	return false
}

func TestAgentsThatCannotBeRead(t *testing.T) {
	got := must(t, exitFailed, "scan", fixtures, "-o", t.TempDir(), "--agents", "@nothing.txt")
	if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], "nothing.txt") {
		t.Errorf("it says %q", said)
	}
}

// Inputs are WARC and ARC, plain and gzip, files, folders and standard input: each way in gives the same.
func TestEveryWayIn(t *testing.T) {
	t.Parallel()
	arc := func() []byte {
		http := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + acapPage
		return fmt.Appendf(nil, "filedesc://x.arc 0.0.0.0 20120517080000 text/plain 75\n1 1 Example Crawl\nURL "+
			"IP-address Archive-date Content-type Archive-length\n\nhttp://a.example/ 192.0.2.1 20120517080000 "+
			"text/html %d\n%s\n", len(http), http)
	}()
	warc := response("http://a.example/", "text/html", acapPage)
	folder := t.TempDir()
	for name, body := range map[string][]byte{"deep/a.warc": warc, "deep/notes.txt": []byte("no archive"),
		"deep/.hidden.warc": warc} {
		if err := os.MkdirAll(filepath.Join(folder, "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), body, fs.FileMode(0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		input string
		stdin string
	}{
		{"WARC", write(t, "a.warc", warc), ""},
		{"WARC, gzip", write(t, "a.warc.gz", member(warc)), ""},
		{"ARC", write(t, "a.arc", arc), ""},
		{"ARC, gzip", write(t, "a.arc.gz", member(arc)), ""},
		{"a name that says nothing", write(t, "download", member(warc)), ""},
		{"a folder", folder, ""},
		{"standard input", "-", string(member(warc))},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			got := runWith(t.Context(), strings.NewReader(c.stdin), "scan", c.input, "-o", out)
			if got.status != exitDone || got.stdout != "" {
				t.Fatalf("exit status %d, stdout %q, stderr %q", got.status, got.stdout, got.stderr)
			}
			pages := rows[table.Page](t, out, table.Pages)
			if len(pages) != 1 || deref(pages[0].Row.URL) != "http://a.example/" || pages[0].Row.ACAPMeta != 1 {
				t.Errorf("pages %+v", pages)
			}
			only(t, out)
		})
	}
}

// The tables agents and permissions agree about every site with a robots.txt.
func TestAgentsAreAsInPermissions(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"good", "hostile", "series"} {
		out := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, "scan", filepath.Join(fixtures, folder), "-o", out, "--permissions", "all-sites", "--agents",
			"gptbot")
		type key struct{ crawl, site, agent string }
		decided := map[key]table.Permission{}
		for _, at := range rows[table.Permission](t, out, table.Permissions) {
			if p := at.Row; p.Scope == "site" && p.Usage == "crawl" && p.Purpose == nil {
				decided[key{at.Crawl, p.Site, p.Agent}] = p
			}
		}
		read := map[[2]string]bool{}
		for _, at := range rows[table.Adoption](t, out, table.Adoptions) {
			if at.Row.Outcome == "rules" || at.Row.Outcome == "no-rules" {
				read[[2]string{at.Crawl, at.Row.Site}] = true
			}
		}
		found := rows[table.Agent](t, out, table.Agents)
		if len(found) == 0 {
			t.Errorf("%s: no rows", folder)
		}
		for _, at := range found {
			a, k := at.Row, key{at.Crawl, at.Row.Site, at.Row.Agent}
			p, ok := decided[k]
			delete(decided, k)
			unknown := a.CrawlExtent == "unknown" || ok && *p.Extent == "unknown"
			if !ok || !read[[2]string{at.Crawl, a.Site}] || a.RootDecision != p.Decision || a.Basis != p.Basis ||
				deref(a.DecidingRaw) != deref(p.DecidingRaw) || !unknown && a.CrawlExtent != *p.Extent {
				t.Errorf("%s: %+v\npermissions has %+v", folder, a, p)
			}
		}
		for k := range decided {
			if read[[2]string{k.crawl, k.site}] {
				t.Errorf("%s: agents has no row for %v", folder, k)
			}
		}
	}
}
