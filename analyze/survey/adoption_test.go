package survey

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// Section 9 of docs/semantics.md.
func TestAdoptionClass(t *testing.T) {
	const star = "User-agent: *\nDisallow: /p/\n"
	for _, test := range []struct {
		name string
		list []facts.Fact
		want table.AdoptionClass
	}{
		{"no robots.txt", []facts.Fact{page(example+"/", 1, "robots", "noindex")}, "none"},
		{"conventional only", []facts.Fact{robots(file, 1, star)}, "none"},
		{"marker", []facts.Fact{robots(file, 1, "##ACAP version=1.0\n"+star)}, "marker-only"},
		{"crawler line only", []facts.Fact{robots(file, 1, "ACAP-crawler: *\n"+star)}, "record-without-rules"},
		{"invalid rules only", []facts.Fact{robots(file, 1, "ACAP-crawler: *\nACAP-disallow-index:\n")},
			"record-without-rules"},
		{"unknown fields only", []facts.Fact{robots(file, 1, "ACAP-foo: /\n")}, "record-without-rules"},
		{"a rule outside of records", []facts.Fact{robots(file, 1, "ACAP-disallow-index: /\n")},
			"record-without-rules"},
		{"request only", []facts.Fact{robots(file, 1, "ACAP-crawler: *\nACAP-request-take-down: /p/\n")},
			"record-without-rules"},
		{"a reference that leads nowhere", []facts.Fact{robots(file, 1,
			"ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n")}, "record-without-rules"},
		{"a reference to rules",
			[]facts.Fact{robots(file, 1, "ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
				robots(example+"/x/robots.txt", 1, "ACAP-crawler: *\nACAP-disallow-index: /\n")}, "beyond-rep"},
		{"a reference to the same rules", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
			robots(example+"/x/robots.txt", 1, "ACAP-crawler: *\nACAP-disallow-crawl: /p/\n")}, "mirrors-rep"},
		{"a reference to other paths", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
			robots(example+"/x/robots.txt", 1, "ACAP-crawler: *\nACAP-disallow-crawl: /q/\n")}, "crawl-differs"},
		{"a reference to a set of resources", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
			robots(example+"/x/robots.txt", 1,
				"ACAP-resource-set: s /p/ /p/q\nACAP-crawler: *\nACAP-disallow-crawl: the-acap:resource-set:s\n")},
			"beyond-rep"},
		{"a reference to a usage of its own", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
			robots(example+"/x/robots.txt", 1,
				"ACAP-composite-usage: c crawl\nACAP-crawler: *\nACAP-allow-(c): /q/\n")}, "beyond-rep"},
		{"a reference to a file without rules", []facts.Fact{robots(file, 1,
			"ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
			robots(example+"/x/robots.txt", 1, "ACAP-crawler: *\nACAP-disallow-dance: /\n")},
			"record-without-rules"},
		{"a reference to rules for another crawler",
			[]facts.Fact{robots(file, 1, "ACAP-crawler: A\nACAP-permissions-reference: /x/robots.txt\n"),
				robots(example+"/x/robots.txt", 1, "ACAP-crawler: B\nACAP-disallow-index: /\n")},
			"record-without-rules"},
		{"a reference to a page",
			[]facts.Fact{robots(file, 1, "ACAP-crawler: *\nACAP-permissions-reference: /x/robots.txt\n"),
				robots(example+"/x/robots.txt", 1, html)}, "record-without-rules"},
		{"the same rules", []facts.Fact{robots(file, 1, star+"ACAP-crawler: *\nACAP-disallow-crawl: /p/\n")},
			"mirrors-rep"},
		{"the same rules, written otherwise", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-crawl: /p/*\n")}, "mirrors-rep"},
		{"the same for a named agent", []facts.Fact{robots(file, 1,
			"User-agent: A\nDisallow: /p/\nACAP-crawler: A\nACAP-disallow-crawl: /p/\n")}, "mirrors-rep"},
		{"other paths", []facts.Fact{robots(file, 1, star+"ACAP-crawler: *\nACAP-disallow-crawl: /q/\n")},
			"crawl-differs"},
		{"other agents", []facts.Fact{robots(file, 1,
			star+"User-agent: A\nDisallow:\nACAP-crawler: *\nACAP-disallow-crawl: /p/\n")}, "crawl-differs"},
		{"another usage", []facts.Fact{robots(file, 1, star+"ACAP-crawler: *\nACAP-disallow-index: /p/\n")},
			"beyond-rep"},
		{"a qualifier", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-allow-crawl: / time-limit=3-days\n")}, "beyond-rep"},
		{"a purpose", []facts.Fact{robots(file, 1,
			star+"ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-disallow-crawl: /p/\n")}, "beyond-rep"},
		{"a resource set", []facts.Fact{robots(file, 1,
			"ACAP-crawler: *\nACAP-resource-set: s /a /b\nACAP-disallow-crawl: the-acap:resource-set:s\n")},
			"beyond-rep"},
		{"ACAP META", []facts.Fact{page(example+"/", 1, "robots", "ACAP disallow-index")}, "beyond-rep"},
		{"ACAP version META", []facts.Fact{page(example+"/", 1, "robots", "ACAP version 1.1")}, "beyond-rep"},
		{"class token", []facts.Fact{with(page(example+"/", 1), facts.CarrierClass, "div",
			"the-acap:disallow-index")}, "beyond-rep"},
		{"a class of another vocabulary", []facts.Fact{with(page(example+"/", 1), facts.CarrierClass, "div",
			"acap:header"), counters(example, map[string]int64{facts.CountACAPClass: 1})}, "none"},
		{"prose that begins with the word (R-META-1)",
			[]facts.Fact{page(example+"/", 1, "description", "ACAP is a protocol"),
				counters(example, map[string]int64{facts.CountACAPMeta: 1})}, "none"},
		{"ACAP in a page in the place of a robots.txt (R-LEX-7)",
			[]facts.Fact{with(robots(file, 1, html), facts.CarrierMeta, "robots",
				"ACAP disallow-index")}, "beyond-rep"},
		{"ACAP given up", []facts.Fact{robots(file, 1, "ACAP-crawler: *\nACAP-disallow-index: /\n"),
			robots(file, 2, star)}, "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := adoptionOf(t, surveyed(t, Options{}, test.list...), example)
			if row.Class != test.want {
				t.Errorf("class is %s, want %s", row.Class, test.want)
			}
		})
	}
}

// R-META-1: METAs in the body have a column of their own. They do not classify the site without --body-metas.
func TestMETAsInTheBody(t *testing.T) {
	inBody := func(f facts.Fact, which ...int) facts.Fact {
		for _, i := range which {
			f.Directives[i].InBody = true
		}
		return f
	}
	list := []facts.Fact{
		counters(example, map[string]int64{facts.CountPages: 9, facts.CountConventional: 3,
			facts.CountConventionalBody: 2, facts.CountACAPBody: 1}),
		inBody(page(example+"/a", 1, "robots", "ACAP version 1.1", "robots", "ACAP disallow-index", "Bot", "noindex",
			"robots", "nofollow"), 0, 1, 2),
		page(example+"/b", 2, "robots", "noarchive"),
	}
	rows := surveyed(t, Options{}, list...)
	a, row := rows.Pages[Partition{"CC-MAIN-2010-01", "warc"}][0], adoptionOf(t, rows, example)
	if a.ACAPMeta != 0 || a.ACAPBody != 2 || a.ConventionalMeta != 1 || a.ConventionalBody != 1 ||
		a.ACAPVersion != nil ||
		cmp.Diff([]string{"nofollow"}, a.Conventional) != "" || cmp.Diff([]string{"meta-in-body"}, a.Defects) != "" {
		t.Errorf("page %+v", a)
	}
	if row.Class != "none" || row.PagesACAPMeta != 0 || row.PagesACAPBody != 1 || row.PagesConventional != 3 ||
		row.PagesConventionalBody != 2 ||
		len(row.AgentsNamed)+len(row.ACAPVersions)+len(row.Features) > 0 {
		t.Errorf("site %+v", row)
	}

	var counting Options
	counting.Reading.BodyMETAs = true
	rows = surveyed(t, counting, list...)
	a, row = rows.Pages[Partition{"CC-MAIN-2010-01", "warc"}][0], adoptionOf(t, rows, example)
	if a.ACAPMeta != 2 || a.ACAPBody != 2 || a.ConventionalMeta != 2 || a.ConventionalBody != 1 ||
		value(a.ACAPVersion) != "1.1" ||
		cmp.Diff([]string{"bot:noindex", "nofollow"}, a.Conventional) != "" {
		t.Errorf("with --body-metas, page %+v", a)
	}
	if row.Class != "beyond-rep" || row.PagesACAPMeta != 1 || row.PagesACAPBody != 1 ||
		row.PagesConventionalBody != 2 ||
		cmp.Diff([]string{"bot"}, row.AgentsNamed) != "" {
		t.Errorf("with --body-metas, site %+v", row)
	}
}

func TestAdoptionRow(t *testing.T) {
	acap := "##ACAP version=1.0\nUser-agent: *\nDisallow: /p/\nDisallow:\nUser-agent: Slurp\nDisallow: /q/\n" +
		"ACAP-crawler: *\nACAP-disallow-crawl: /p/\nACAP-crawler: GoogleBot\nACAP-disallow-crawl: /g/\n"
	rows := surveyed(t, Options{},
		counters(example, map[string]int64{
			facts.CountPages: 5, facts.CountHTML: 4, facts.CountXML: 1, facts.CountCaptures: 9,
			facts.CountStatusPrefix + "2xx": 7, facts.CountStatusPrefix + "4xx": 2,
			facts.CountXRobotsTag: 3, facts.CountPI: 1, facts.CountConventional: 2, facts.CountACAPMeta: 2,
			facts.CountMetaPrefix + "noindex": 2, facts.CountMetaOther: 1,
		}),
		counters(example, map[string]int64{facts.CountPages: 1, facts.CountHTML: 1,
			facts.CountMetaPrefix + "noindex": 1}),
		robots(file, 1, open), robots(file, 2, acap), again(file, 3, acap), status(file, 4, 500),
		page(example+"/a", 2, "robots", "ACAP disallow-index", "robots", "ACAP version 1.1", "Bot",
			"noindex"), page(example+"/b", 2, "description", "ACAP is a protocol"),
		redirect("https://example.com/robots.txt", 1, "https://nowhere.example/robots.txt"),
	)
	row := adoptionOf(t, rows, example)
	got := map[string]any{
		"pages": row.Pages, "html": row.PagesHTML, "xml": row.PagesXML, "acap meta": row.PagesACAPMeta,
		"header": row.PagesXRobotsTag, "pi": row.PagesPI,
		"conventional": row.PagesConventional, "captures": row.Captures, "2xx": row.Captures2xx,
		"4xx": row.Captures4xx, "robots captures": row.RobotsCaptures,
		"bodies": row.DistinctBodies, "groups": value(row.REPGroups), "rules": value(row.REPRules),
		"other":         value(row.OtherSite),
		"other outcome": value(row.OtherOutcome), "for all": value(row.REPSameForAll),
		"for star": value(row.REPSameForStar), "host": row.HostName,
		"outcome": row.Outcome, "fingerprint": row.ACAPFingerprint != nil,
	}
	for name, want := range map[string]any{
		"pages": int64(6), "html": int64(5), "xml": int64(1), "acap meta": int64(1), "header": int64(3),
		"pi": int64(1), "conventional": int64(2),
		"captures": int64(9), "2xx": int64(7), "4xx": int64(2), "robots captures": int64(4), "bodies": int64(2),
		"groups": int64(2), "rules": int64(3),
		"other": "https://example.com", "other outcome": table.RobotsOutcome("redirect-unresolved"), "for all": false,
		"for star": true, "host": "example.com",
		"outcome": table.RobotsOutcome("rules"), "fingerprint": true,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if want := []string{"1.0", "1.1"}; !slices.Equal(row.ACAPVersions, want) {
		t.Errorf("versions are %v", row.ACAPVersions)
	}
	if want := []string{"bot", "googlebot", "slurp"}; !slices.Equal(row.AgentsNamed, want) {
		t.Errorf("agents are %v, want %v", row.AgentsNamed, want)
	}
	if want := []string{"crawler-record", "meta", "meta-version", "named-crawler",
		"version-marker"}; !slices.Equal(row.Features, want) {
		t.Errorf("features are %v, want %v", row.Features, want)
	}
	if want := (table.Counts{"(other)": 1, "noindex": 3}); !maps.Equal(row.ConventionalByText, want) {
		t.Errorf("contents are %v", row.ConventionalByText)
	}
	kinds := map[table.ConflictKind]int64{}
	for _, c := range rowsOf(rows.Conflicts) {
		kinds[c.Kind]++
	}
	if want := table.CountsOf(kinds); !maps.Equal(row.Conflicts, want) || len(want) == 0 {
		t.Errorf("conflicts are counted as %v, there are %v", row.Conflicts, want)
	}

	t.Run("without conventional rules nothing is compared", func(t *testing.T) {
		for _, body := range []string{open, "ACAP-crawler: *\nACAP-disallow-crawl: /p/\n"} {
			row := adoptionOf(t, surveyed(t, Options{}, robots(file, 1, body)), example)
			if row.REPSameForAll != nil || row.REPSameForStar != nil {
				t.Errorf("%q: for all %v, for star %v", body, row.REPSameForAll, row.REPSameForStar)
			}
		}
	})
	t.Run("a site that is only led to is not seen", func(t *testing.T) {
		rows := surveyed(t, Options{}, redirect(file, 1, "https://example.com/robots.txt"),
			robots("https://example.com/robots.txt", 1, open))
		if other := adoptionOf(t, rows, "https://example.com"); value(other.OtherSite) != example {
			t.Errorf("other is %v", other.OtherSite)
		}
		rows = surveyed(t, Options{}, redirect(file, 1, "http://www.example.com/robots.txt"),
			robots("http://www.example.com/robots.txt", 1, open))
		if n := len(rowsOf(rows.Adoption)); n != 2 {
			t.Errorf("%d sites", n)
		}
	})
}

// R-LEX-7: markup in the place of a robots.txt is read as a page, also if its body stands with an earlier capture.
func TestPageInsteadOfRobots(t *testing.T) {
	first := with(robots(file, 1, html), facts.CarrierMeta, "robots", "ACAP disallow-index")
	second := with(again(file, 2, html), facts.CarrierMeta, "robots", "ACAP disallow-index")
	rows := surveyed(t, Options{}, first, second, robots(file, 3, open))
	checkIDs(t, rows)
	if n := len(rowsOf(rows.Pages)); n != 2 {
		t.Errorf("%d page rows, want one a capture", n)
	}
	if n := len(rowsOf(rows.Robots)); n != 3 {
		t.Errorf("%d robots rows", n)
	}
	if d := permissionsOf(rows, "page", "*", "", "index")[file].Decision; d != "disallowed" {
		t.Errorf("the page's index is %q", d)
	}
}

func TestPageRow(t *testing.T) {
	f := page(example+"/a?b", 1, "robots",
		"NoIndex, max-snippet:20, max-snippet:0, max-image-preview:None, notranslate, Foo, "+
			"unavailable_after: 2010-01-02", "GoogleBot", "noarchive",
		"robots", "ACAP disallow-index", "robots", "ACAP version 1.1", "description", "ACAP is a protocol", "keywords",
		"news")
	f.Directives = f.Directives[:len(f.Directives)-1]
	f = with(with(f, facts.CarrierHeader, "X-Robots-Tag", "none"), facts.CarrierPI, "robots", `index="no" follow="yes"`)
	f = with(with(f, facts.CarrierPI, "robots", `index="perhaps"`), facts.CarrierClass, "div",
		"the-acap:disallow-index")
	f = with(with(f, facts.CarrierClass, "p", "acap:other"), facts.CarrierClass, "p", "the-acap:allow-present")
	f.Charset, f.Defects, f.ParsedAs = "utf-8", []string{"content-length"}, facts.ParsedXML
	rows := surveyed(t, Options{}, f)
	row := rowsOf(rows.Pages)[0]
	got := []int64{row.ACAPMeta, row.ACAPText, row.ACAPClass, row.PI, row.XRobotsTag, row.ConventionalMeta}
	if want := []int64{2, 1, 2, 2, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("counts are %v, want %v", got, want)
	}
	if want := []string{"follow", "foo", "googlebot:noarchive", "max-image-preview:none", "max-snippet:0",
		"max-snippet:20", "noindex", "none", "notranslate",
		"unavailable_after:2010-01-02"}; !slices.Equal(row.Conventional, want) {
		t.Errorf("conventional directives are %v, want %v", row.Conventional, want)
	}
	if value(row.ACAPVersion) != "1.1" || value(row.Charset) != "utf-8" || value(row.ParsedAs) != "xml" ||
		value(row.Query) != "b" {
		t.Errorf("version %v, charset %v, parsed as %v, query %v", row.ACAPVersion, row.Charset, row.ParsedAs,
			row.Query)
	}
	if want := []string{"content-length", "pi-syntax", "unknown-directive"}; !slices.Equal(row.Defects, want) {
		t.Errorf("defects are %v, want %v", row.Defects, want)
	}
}

func TestInputRow(t *testing.T) {
	f := facts.Fact{Kind: facts.KindInput, Filename: "a.warc.gz", InputBytes: -1, Error: "it ends early",
		Counts: []facts.Count{
			{Name: facts.CountRecords, Value: 7}, {Name: facts.CountMembers,
				Value: 6}, {Name: facts.CountRecordPrefix + "response", Value: 5}, {Name: facts.CountSkippedPrefix +
				"media-type", Value: 2},
			{Name: facts.CountDefectPrefix + "content-length", Value: 1}, {Name: facts.CountFirstDefect,
				Value: 77}, {Name: facts.CountIncomplete, Value: 1},
			{Name: facts.CountTruncatedRecords, Value: 3}, {Name: facts.CountCaptures,
				Value: 5}, {Name: facts.CountStatusPrefix + "none", Value: 1}, {Name: facts.CountPagesKept, Value: 4},
		}}
	row := rowsOf(surveyed(t, Options{}, f).Inputs)[0]
	if row.Complete || row.Bytes != nil || row.Digest != nil || value(row.Error) == "" || row.Records != 7 ||
		row.Members != 6 || row.RecordsResponse != 5 ||
		value(row.FirstDefectOffset) != 77 || row.Truncated != 3 || row.Captures != 5 || row.CapturesNone != 1 ||
		row.PagesKept != 4 {
		t.Errorf("row is %+v", row)
	}
	if !maps.Equal(row.Skipped, table.Counts{"media-type": 2}) ||
		!maps.Equal(row.Defects, table.Counts{"content-length": 1}) {
		t.Errorf("skipped %v, defects %v", row.Skipped, row.Defects)
	}
}

// The site's row says if agents or purposes have no rows, or if the comparison leaves agents out.
func TestMoreThanHaveRows(t *testing.T) {
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	agents := each(300, "User-agent: bot%[1]d\nDisallow: /%[1]d/\n") +
		each(300, "ACAP-crawler: bot%[1]d\nACAP-disallow-crawl: /%[1]d/\n")
	purposes := "ACAP-crawler: *\n" + each(70, "ACAP-usage-purpose: p%d\nACAP-disallow-index: /\n")
	metas := []string{}
	for i := range 300 {
		metas = append(metas, fmt.Sprintf("bot%d", i), "ACAP disallow-index")
	}
	for _, test := range []struct {
		name                          string
		list                          []facts.Fact
		class, conflicts, permissions bool
	}{
		{"few", []facts.Fact{robots(file, 1,
			"User-agent: *\nDisallow: /a\nACAP-crawler: *\nACAP-disallow-crawl: /a\n")}, true, true, true},
		{"crawlers", []facts.Fact{robots(file, 1, agents)}, false, false, false},
		{"purposes", []facts.Fact{robots(file, 1, purposes)}, true, false, false},
		{"crawlers of a page", []facts.Fact{page(example+"/a", 1, metas...)}, true, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := adoptionOf(t, surveyed(t, Options{}, test.list...), example)
			if row.ClassExact != test.class || row.ConflictsComplete != test.conflicts ||
				row.PermissionsComplete != test.permissions {
				t.Errorf("class exact %t, conflicts complete %t, permissions complete %t", row.ClassExact,
					row.ConflictsComplete, row.PermissionsComplete)
			}
		})
	}
}

// The site's row says what ended at a budget.
func TestBeyondBudget(t *testing.T) {
	some := func(count int, format string) string {
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, format, 'a'+i, 'z'-i)
		}
		return b.String()
	}
	letters := func(format string) string { return some(12, format) }
	few := "User-agent: *\n" + some(6, "Disallow: /*%c*%c\n") + "ACAP-crawler: *\n" +
		some(6, "ACAP-disallow-crawl: /*%c*%c\n")
	rep, acap := letters("Disallow: /*%c*%c\n"), letters("ACAP-disallow-crawl: /*%c*%c\n")
	tangled := func(field string) string {
		return letters(field+"disallow-crawl: /*%c*%c\n") + letters(field+"allow-crawl: /*%[2]c*%[1]c*x\n")
	}
	conventional := strings.NewReplacer("disallow-crawl", "Disallow", "allow-crawl", "Allow").Replace(tangled(""))
	for _, test := range []struct {
		name, body  string
		budget      int
		class       table.AdoptionClass
		exact       bool
		approximate bool // any row is
		complete    bool
		unknown     int64
	}{
		{"all within the budget", few, 0, "mirrors-rep", true, false, true, 0},
		{"more than so short a file may take", "User-agent: *\n" + rep + "ACAP-crawler: *\n" + acap, 0,
			"crawl-differs", false, false, false, 0},
		{"no difference found, and not every path looked at", "User-agent: *\n" + rep + "ACAP-crawler: *\n" + acap,
			50, "crawl-differs", false, false, false, 0},
		{"a difference found, though not every path was looked at",
			"User-agent: *\n" + rep + "ACAP-crawler: *\nACAP-disallow-crawl: /$\n" +
				acap, 50, "crawl-differs", true, true, false, 0},
		{"a comparison that cannot end", "User-agent: *\n" + conventional + "ACAP-crawler: *\n" + tangled("ACAP-"),
			1000, "crawl-differs", false, false, false, 0},
		{"an extent", "ACAP-crawler: *\n" + letters("ACAP-allow-index: /*%c*%c time-limit=3-days\n"), 60,
			"beyond-rep", true, false, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := surveyed(t, Options{Budget: test.budget}, robots(file, 1, test.body))
			row := adoptionOf(t, rows, example)
			if row.Class != test.class || row.ClassExact != test.exact {
				t.Errorf("class %s, exact %t; want %s, %t", row.Class, row.ClassExact, test.class, test.exact)
			}
			if row.ConflictsComplete != test.complete || (row.ConflictsApproximate > 0) != test.approximate ||
				row.ExtentsUnknown != test.unknown {
				t.Errorf("conflicts complete %t, %d approximate, %d extents unknown", row.ConflictsComplete,
					row.ConflictsApproximate, row.ExtentsUnknown)
			}
			var approximate, unknown int64
			for _, c := range rowsOf(rows.Conflicts) {
				if c.Approximate {
					approximate++
				}
			}
			for _, p := range rowsOf(rows.Permissions) {
				if p.Scope == "site" && value(p.Extent) == "unknown" {
					unknown++
				}
			}
			if row.ConflictsApproximate != approximate || row.ExtentsUnknown != unknown {
				t.Errorf("%d conflicts are approximate and %d extents unknown; adoption counts %d and %d",
					approximate, unknown, row.ConflictsApproximate, row.ExtentsUnknown)
			}
		})
	}
}

// The lists in a site's row are limited for any number of pages.
func TestManyPagesNameMany(t *testing.T) {
	var list []facts.Fact
	for i := range maxNamed/50 + 1 {
		var metas []string
		for j := range 50 {
			metas = append(metas, fmt.Sprintf("bot%d", 50*i+j), "noindex")
		}
		list = append(list, page(fmt.Sprintf("%s/%d", example, i), int64(i),
			append(metas, "robots", fmt.Sprintf("ACAP version 1.%d", i))...))
	}
	for i := range maxContents/60 + 1 {
		counts := map[string]int64{}
		for j := range 60 {
			counts[fmt.Sprintf("%s%d", facts.CountMetaPrefix, 60*i+j)] = 1
		}
		f := counters(example, counts)
		f.Filename = fmt.Sprint(i)
		list = append(list, f)
	}
	row := adoptionOf(t, surveyed(t, Options{Permissions: PermissionsACAPSites}, list...), example)
	if len(row.AgentsNamed) != maxNamed || row.PermissionsComplete || len(row.ACAPVersions) != maxNamed/50+1 {
		t.Errorf("%d crawlers and %d versions are listed, permissions complete %t", len(row.AgentsNamed),
			len(row.ACAPVersions), row.PermissionsComplete)
	}
	var sum int64
	for _, n := range row.ConventionalByText {
		sum += n
	}
	if n := len(row.ConventionalByText); n != maxContents+1 || sum != 60*(maxContents/60+1) {
		t.Errorf("%d contents are listed, of %d pages", n, sum)
	}
}

// rep_rules and the outcomes rules and no-rules are about lines that can decide, rep_fields about all lines.
func TestRulesThatCannotDecide(t *testing.T) {
	for _, test := range []struct {
		body          string
		outcome       table.RobotsOutcome
		rules, fields int64
	}{
		{"Disallow: /\nUser-agent: *\nDisallow: foo\n", "no-rules", 0, 3},
		{"User-agent: *\nDisallow:\n", "rules", 1, 2},
		{"User-agent: *\nDisallow: /a\nAllow: a\nAllow: *b\n", "rules", 2, 4},
		{"ACAP-crawler: *\nACAP-allow-index: /\n", "rules", 0, 0},
		{"", "no-rules", 0, 0},
	} {
		rows := surveyed(t, Options{}, robots(file, 1, test.body))
		site, capture := adoptionOf(t, rows, example), robotsOf(t, rows, example, 1)
		if site.Outcome != test.outcome || value(site.REPRules) != test.rules ||
			value(capture.REPFields) != test.fields {
			t.Errorf("%q: %s, %d rules of %d lines; want %s, %d of %d", test.body, site.Outcome, value(site.REPRules),
				value(capture.REPFields),
				test.outcome, test.rules, test.fields)
		}
	}
}
