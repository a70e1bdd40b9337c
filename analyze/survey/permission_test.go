package survey

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/output/table"
)

func TestWhichPermissions(t *testing.T) {
	withACAP := robots("http://acap.example/robots.txt", 1, "ACAP-crawler: *\nACAP-disallow-index: /p/\n")
	without := robots("http://rep.example/robots.txt", 1, open)
	list := []facts.Fact{withACAP, without,
		page("http://acap.example/meta", 1, "robots", "ACAP disallow-index"), page("http://acap.example/noindex", 1,
			"robots", "noindex"),
		page("http://rep.example/noindex", 1, "robots", "noindex"), page("http://page.example/version", 1, "robots",
			"ACAP version 1.0"),
	}
	for _, test := range []struct {
		choice PermissionsChoice
		want   []string
	}{
		{"", []string{"http://acap.example", "http://acap.example/meta", "http://page.example",
			"http://page.example/version"}},
		{PermissionsACAPSites, []string{"http://acap.example", "http://page.example"}},
		{PermissionsAllSites, []string{"http://acap.example", "http://page.example", "http://rep.example"}},
		{PermissionsAll, []string{"http://acap.example", "http://acap.example/meta", "http://acap.example/noindex",
			"http://page.example", "http://page.example/version", "http://rep.example", "http://rep.example/noindex"}},
	} {
		t.Run(string(test.choice), func(t *testing.T) {
			rows := surveyed(t, Options{Permissions: test.choice}, list...)
			var got []string
			for _, row := range rowsOf(rows.Permissions) {
				name := row.Site
				if row.URL != nil {
					name = *row.URL
				}
				got = append(got, name)
				if isSite := row.Scope == "site"; isSite != (row.URL == nil) || isSite != (row.Extent != nil) ||
					isSite != (row.WithoutElements == nil) {
					t.Errorf("a row of scope %s has url %v, extent %v, without elements %v", row.Scope, row.URL,
						row.Extent, row.WithoutElements)
				}
				if len(row.DecidedBy) == 0 || row.HostName == "" {
					t.Errorf("nothing tells who decided %s, or its host", name)
				}
			}
			slices.Sort(got)
			if n := len(got); n != 16*len(test.want) {
				t.Errorf("%d rows, want 16 each", n)
			}
			if got = slices.Compact(got); !slices.Equal(got, test.want) {
				t.Errorf("rows of %v, want %v", got, test.want)
			}
		})
	}
}

// Rows about AI preferences are there where the robots.txt or the page states one, whatever ACAP says.
func TestPreferences(t *testing.T) {
	const preferences = "User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /a/ train-ai=y\n" +
		"User-agent: Bot\nAllow: /\n"
	header := page("http://header.example/", 1)
	header.Directives = append(header.Directives, facts.Directive{Carrier: facts.CarrierHeader, Name: "Content-Usage",
		Value: "search=n", Raw: "Content-Usage: search=n"})
	list := []facts.Fact{
		robots("http://ai.example/robots.txt", 1, preferences), robots("http://rep.example/robots.txt", 1, open),
		robots("http://both.example/robots.txt", 1, preferences+"ACAP-crawler: *\nACAP-disallow-other: /\n"), header,
		robots("http://header.example/robots.txt", 1, preferences),
	}
	rows := surveyed(t, Options{}, list...)
	var got []string
	acap := map[string]int{}
	for _, row := range rowsOf(rows.Permissions) {
		if row.Family == "acap" {
			acap[row.Site]++
			continue
		}
		got = append(got, fmt.Sprintf("%s %s %s %s %s: %s %s, if crawled %s, extent %s", row.Site, value(row.Path),
			row.Agent, row.Usage, row.Family, row.Decision, row.Basis, value(row.IfCrawled), value(row.Extent)))
	}
	slices.Sort(got)
	want := []string{
		"http://ai.example  * train-ai ai: disallowed ai-robots, if crawled disallowed, extent some",
		"http://ai.example  bot train-ai ai: unstated no-preference, if crawled unstated, extent ",
		"http://both.example  * train-ai ai: disallowed ai-robots, if crawled disallowed, extent some",
		"http://both.example  bot train-ai ai: unstated no-preference, if crawled unstated, extent ",
		"http://header.example / * search ai: disallowed ai-page, if crawled disallowed, extent ",
		"http://header.example / * train-ai ai: disallowed ai-robots, if crawled disallowed, extent ",
		"http://header.example  * train-ai ai: disallowed ai-robots, if crawled disallowed, extent some",
		"http://header.example  bot train-ai ai: unstated no-preference, if crawled unstated, extent ",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"http://both.example": 2 * 16}, acap); diff != "" {
		t.Error(diff)
	}
	if site := adoptionOf(t, rows, "http://both.example"); !maps.Equal(site.RobotsVocabularies,
		table.Counts{"acap": 1, "aipref": 2, "rep": 2}) || site.Class != "beyond-rep" {
		t.Errorf("%v, class %s", site.RobotsVocabularies, site.Class)
	}
	if site := adoptionOf(t, rows, "http://header.example"); !maps.Equal(site.PagesVocabularies,
		table.Counts{"aipref http-header": 1}) || site.Class != "none" {
		t.Errorf("%v, class %s", site.PagesVocabularies, site.Class)
	}
	for _, row := range rowsOf(surveyed(t, Options{Agents: []policy.Agent{"bOT"}}, list...).Permissions) {
		if row.Agent == "bot" && row.URL != nil && row.Usage == "train-ai" {
			acap["asked"]++
		}
	}
	if acap["asked"] != 1 {
		t.Errorf("%d rows about a page for a crawler of the options", acap["asked"])
	}
	for _, choice := range []PermissionsChoice{PermissionsACAPSites, PermissionsAllSites} {
		for _, row := range rowsOf(surveyed(t, Options{Permissions: choice}, list...).Permissions) {
			if row.URL != nil || choice == PermissionsACAPSites && row.Site != "http://both.example" {
				t.Errorf("%s: a row of %s %s", choice, row.Site, value(row.URL))
			}
		}
	}
	for _, row := range rowsOf(rows.Directives) {
		if row.Site == "http://ai.example" && row.Vocabulary != "aipref" {
			t.Errorf("a row of %s in directives of a site without ACAP", row.Vocabulary)
		}
	}
}

func TestAgentsAndPurposes(t *testing.T) {
	body := "User-agent: Slurp\nDisallow: /\nUser-agent: googlebot\nUser-agent: Empty\n" +
		"ACAP-crawler: GoogleBot\nACAP-usage-purpose: News-*\nACAP-usage-purpose: news-\nACAP-usage-purpose: *\n" +
		"ACAP-disallow-index: /\nACAP-crawler: *\nACAP-allow-index: /\n"
	old := robots(file, 1, "ACAP-crawler: OldBot\nACAP-disallow-index: /\n")
	rows := surveyed(t, Options{Agents: []policy.Agent{"ZBot", "googlebot"}}, old, robots(file, 5, body),
		page(example+"/new", 6, "PageBot", "ACAP web disallow-index"), page(example+"/old", 2, "robots",
			"ACAP disallow-preserve", "MetaBot", "noindex"))
	cases := map[string][]string{}
	for _, row := range rowsOf(rows.Permissions) {
		name := value(row.Path)
		if c := row.Agent + "|" + value(row.Purpose); !slices.Contains(cases[name], c) {
			cases[name] = append(cases[name], c)
		}
	}
	cross := func(agents []string, purposes ...string) (list []string) {
		for _, agent := range agents {
			for _, purpose := range purposes {
				list = append(list, agent+"|"+purpose)
			}
		}
		return list
	}
	// empty and slurp are named in conventional groups only, metabot in a conventional META
	want := map[string][]string{
		"":     cross([]string{"*", "empty", "googlebot", "slurp", "zbot"}, "", "News-"),
		"/new": cross([]string{"*", "empty", "googlebot", "pagebot", "slurp", "zbot"}, "", "News-", "web"),
		"/old": cross([]string{"*", "googlebot", "metabot", "oldbot", "zbot"}, ""), // by the robots.txt in force for it
	}
	for name, list := range want {
		if !slices.Equal(cases[name], list) {
			t.Errorf("%q is decided for %v, want %v", name, cases[name], list)
		}
	}
	index := func(agent, purpose string) table.Decision {
		return permissionsOf(rows, "site", agent, purpose, "index")[example].Decision
	}
	if crawl := permissionsOf(rows, "site", "slurp", "", "crawl")[example]; crawl.Decision != "disallowed" ||
		crawl.Basis != "rep-robots" || value(crawl.Extent) != "none" || value(crawl.DecidingLine) != 2 {
		t.Errorf("slurp, that a conventional group shuts out, may crawl: %+v", crawl)
	}
	if index("googlebot", "News-") != "disallowed" || index("*", "News-") != "allowed" ||
		index("zbot", "") != "allowed" {
		t.Errorf("googlebot for news %s, * for news %s, zbot %s", index("googlebot", "News-"), index("*", "News-"),
			index("zbot", ""))
	}
}

// If a site names too many agents, those in ACAP have rows, and the site's row says that others have none.
func TestTooManyConventionalAgents(t *testing.T) {
	var body strings.Builder
	body.WriteString("ACAP-crawler: zz-acap\nACAP-crawler: *\nACAP-disallow-index: /\n")
	for i := range 2 * audience.MaxAgents {
		fmt.Fprintf(&body, "User-agent: bot%03d\nDisallow: /%d\n", i, i)
	}
	rows := surveyed(t, Options{Agents: []policy.Agent{"asked"}}, robots(file, 1, body.String()))
	const crawl table.Usage = "crawl"
	if n := len(rowsOf(rows.Permissions)); n != 16*(audience.MaxAgents+1) {
		t.Errorf("%d rows, want those of %d agents", n, audience.MaxAgents+1)
	}
	for agent, want := range map[string]int{"*": 1, "zz-acap": 1, "asked": 1, "bot000": 1,
		fmt.Sprintf("bot%03d", audience.MaxAgents-3): 1, fmt.Sprintf("bot%03d", audience.MaxAgents-2): 0} {
		if got := len(permissionsOf(rows, "site", agent, "", crawl)); got != want {
			t.Errorf("%d rows of %s, want %d", got, agent, want)
		}
	}
	if adoptionOf(t, rows, example).PermissionsComplete {
		t.Error("the site's row says that all are there")
	}
}

func TestDecidingColumns(t *testing.T) {
	rows := surveyed(t, Options{},
		robots(file, 1, "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-disallow-index: /\n"+
			"ACAP-allow-present-snippet: / max-length=20-chars\n"),
		with(page(example+"/a", 1, "robots", "ACAP disallow-preserve"), facts.CarrierClass, "div",
			"the-acap:disallow-present"))
	checkIDs(t, rows)
	of := func(scope table.Scope, name string, usage table.Usage) table.Permission {
		return permissionsOf(rows, scope, "*", "", usage)[name]
	}
	index := of("site", example, "index")
	if len(index.DecidingIDs) != 2 || value(index.DecidingLine) != 2 || index.DecidingByteOffset != nil ||
		value(index.DecidingSource) != "robots.txt" ||
		value(index.DecidingRaw) != "ACAP-disallow-index: /" || value(index.Extent) != "none" {
		t.Errorf("index of the site: %+v", index)
	}
	snippet := of("site", example, "present-snippet")
	if snippet.Decision != "conditional" || !slices.Equal(snippet.Qualifiers,
		[]table.Qualifier{{Name: "max-length", Value: "20-chars"}}) || value(snippet.Extent) != "all" {
		t.Errorf("snippets of the site: %+v", snippet)
	}
	preserve := of("page", example+"/a", "preserve")
	if preserve.Basis != "acap-page" || value(preserve.DecidingByteOffset) != 100 || preserve.DecidingLine != nil ||
		value(preserve.DecidingSource) != "meta" {
		t.Errorf("preserve of the page: %+v", preserve)
	}
	present := of("page", example+"/a", "present-link")
	if present.Decision != "allowed" || value(present.WithoutElements) != "disallowed" ||
		value(present.IfCrawled) != "allowed" {
		t.Errorf("links of the page: %+v", present)
	}

	t.Run("no verbatim", func(t *testing.T) {
		rows := surveyed(t, Options{NoVerbatim: true},
			robots(file, 1, "User-agent: *\nDisallow: /\nACAP-crawler: *\nACAP-allow-crawl: /\n"))
		for _, row := range rowsOf(rows.Permissions) {
			if row.DecidingRaw != nil {
				t.Fatal("third-party text in permissions")
			}
		}
		for _, row := range rowsOf(rows.Directives) {
			if row.Raw != nil {
				t.Fatal("third-party text in directives")
			}
		}
		conflicts := rowsOf(rows.Conflicts)
		for _, row := range conflicts {
			if row.FirstRaw != nil || row.SecondRaw != nil {
				t.Fatal("third-party text in conflicts")
			}
		}
		if len(conflicts) == 0 {
			t.Error("no conflicts to look at")
		}
	})
}

// A policy restricted to a path decides as the whole policy does there, and agents of one class are decided alike.
func TestShortcuts(t *testing.T) {
	for seed := range uint64(30) {
		list := answered(t, corpus(seed))
		// One host has all sites, so that they share what they find.
		h := newHost(&list[0], Options{}.Normal(), outputTo(t, Options{}, newRows()))
		for i := range list {
			f := &list[i]
			f.Crawl = "one"
			if f.Kind == facts.KindInput {
				continue
			}
			check(t, h.site(f.Site).add(f))
		}
		h.findAnswers()
		for _, s := range h.sites {
			for _, a := range s.robots.Answers {
				answered := s.robots.PolicyOf(a)
				alike := audience.NewClasses(answered.File())
				byKey := map[string]string{}
				for _, agent := range []policy.Agent{"*", "a", "b", "c", "unheard-of"} {
					view := answered.For(agent, "news")
					all := ""
					for _, u := range policy.Usages() {
						for _, path := range []string{"/", "/p/1", "/q", "/qq"} {
							q := decide.Question{Path: path, Usage: u}
							want := view.Decide(nil, q)
							got := decide.NewDecisionCache(answered).At(path).For(agent, "news").Decide(nil, q)
							if got.Decision != want.Decision || got.Basis != want.Basis ||
								len(got.Deciding) != len(want.Deciding) || !slices.Equal(got.By, want.By) {
								t.Fatalf("seed %d, %s %s: %s is %+v by its path's statements, want %+v", seed, s.name,
									path, u, got, want)
							}
							all += want.Decision.String() + want.Basis.String()
						}
					}
					if have, known := byKey[alike.Of(agent)]; known && have != all {
						t.Fatalf("seed %d, %s: %s is decided otherwise than those that it is like", seed, s.name, agent)
					}
					byKey[alike.Of(agent)] = all
				}
			}
		}
	}
}

// Every row has the decision of package decide, although agents and purposes with the same statements share rows.
func TestRowsAreDecisions(t *testing.T) {
	rowsSeen, purposesSeen := 0, 0
	for seed := range uint64(40) {
		list := answered(t, corpus(seed))
		for i := range list {
			list[i].Crawl = "one"
		}
		slices.SortStableFunc(list, func(a, b facts.Fact) int { return facts.Compare(&a, &b) })
		out := outputTo(t, Options{}, newRows())
		hosts, sites, pages := map[int64]*host{}, map[string]*site{}, map[string][]*facts.Fact{}
		for i := range list {
			f := &list[i]
			if f.Kind == facts.KindInput {
				continue
			}
			h := hosts[f.SiteHash]
			if h == nil {
				h = newHost(f, Options{}.Normal(), out)
				hosts[f.SiteHash] = h
			}
			sites[f.Site] = h.site(f.Site)
			if f.Kind == facts.KindPage {
				pages[f.Site] = append(pages[f.Site], f)
			}
			check(t, sites[f.Site].add(f))
		}
		views := map[[2]string]pageView{} // by site and record
		for _, h := range hosts {
			h.findAnswers()
		}
		for _, s := range sites {
			for _, f := range pages[s.name] {
				views[[2]string{s.name, fmt.Sprint(f.RecordOffset)}] = s.view(f, false)
			}
			for _, f := range s.pagesAsRobots() {
				views[[2]string{s.name, fmt.Sprint(f.RecordOffset)}] = s.view(f, true)
			}
		}
		rows := surveyedInto(t, newRows(), Options{Permissions: PermissionsAll}, list)
		for _, row := range rowsOf(rows.Permissions) {
			s, usage := sites[row.Site], policy.NoUsage
			for _, u := range policy.Usages() {
				if u.String() == string(row.Usage) {
					usage = u
				}
			}
			answer, q := s.robots.Main, decide.Question{URL: s.name + "/", Path: "/", Usage: usage}
			if s.robots.Main != nil {
				q.At = moment(s.robots.Main.Asked.FetchTime)
			}
			var asked *policy.Page
			if row.Scope == "page" {
				v := views[[2]string{s.name, fmt.Sprint(*row.RecordOffset)}]
				answer, q, asked = v.answer, v.question(usage, policy.RuleSet{}), v.page
			}
			want := s.robots.PolicyOf(answer).For(policy.Agent(row.Agent), value(row.Purpose)).Decide(asked, q)
			var by []string
			for _, r := range want.By {
				by = append(by, r.String())
			}
			if string(row.Decision) != want.Decision.String() || string(row.Basis) != want.Basis.String() ||
				!slices.Equal(row.DecidedBy, by) || len(row.DecidingIDs) != len(want.Deciding) {
				t.Fatalf("seed %d: %s %s %q %s of %s is %s, %s, %v; want %+v", seed, row.Scope, row.Agent,
					value(row.Purpose), usage, row.Site, row.Decision, row.Basis, row.DecidedBy, want)
			}
			if rowsSeen++; row.Purpose != nil && row.Decision == "disallowed" {
				purposesSeen++
			}
		}
	}
	if rowsSeen < 10_000 || purposesSeen < 1000 {
		t.Errorf("only %d rows, %d of them prohibitions for a purpose", rowsSeen, purposesSeen)
	}
}

// Hostile files cost some seconds and a limited number of rows.
func TestHostileSites(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("takes seconds")
	}
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	pages := func(n int) []facts.Fact {
		var list []facts.Fact
		for i := range n {
			list = append(list, page(fmt.Sprintf("%s/%d", example, i), int64(i), "robots", "ACAP disallow-index",
				"robots", "noindex"))
			list[i].RecordOffset = int64(i)
		}
		return list
	}
	const star = "ACAP-crawler: *\n"
	for _, test := range []struct {
		name    string
		body    string
		pages   int
		maxRows int
	}{
		{"10,000 agents", lines(10_000, "ACAP-crawler: agent%d\nACAP-disallow-index: /\n"), 3, 1 << 20},
		{"10,000 agents of one record with 5,000 rules",
			lines(10_000, "ACAP-crawler: agent%d\n") + lines(5_000, "ACAP-disallow-index: /%d\n"), 10, 1 << 20},
		{"10,000 purposes", star + lines(10_000, "ACAP-usage-purpose: purpose%d\nACAP-disallow-index: /\n"), 10,
			1 << 20},
		{"agents and purposes on every page", lines(300, "ACAP-crawler: agent%d\nACAP-disallow-index: /\n") + star +
			lines(100, "ACAP-usage-purpose: purpose%d\nACAP-disallow-index: /\n"), 2, 1 << 18},
		{"contradictions", star + lines(9_000, "ACAP-disallow-index: /%d\n") +
			lines(9_000, "ACAP-allow-index: /%d\n"), 10, 1 << 20},
		{"contradictions of one resource", star + lines(8_000, "ACAP-disallow-index: /#%d\n") +
			lines(8_000, "ACAP-allow-index: /#%d\n"), 10, 1 << 20},
		{"10,000 conventional rules and 1,000 pages",
			star + "ACAP-disallow-index: /\nUser-agent: *\n" +
				lines(10_000, "Disallow: /path/to/%d/\n"), 1000, 1 << 20},
		{"10,000 rules and 1,000 pages", star + lines(10_000, "ACAP-disallow-crawl: /path/to/%d/\n"), 1000, 1 << 20},
		{"10,000 crossing patterns", star + lines(5_000, "ACAP-disallow-index: /*a%d*b\n") +
			lines(5_000, "ACAP-allow-index: /*b%d*a\n"), 3, 1 << 20},
		{"a resource set that every rule uses", "ACAP-resource-set: s" + lines(20_000, " /s%d") + "\n" + star +
			strings.Repeat("ACAP-disallow-index: the-acap:resource-set:s\n", 5_000), 3, 1 << 20},
		{"references", lines(5_000, "ACAP-crawler: agent%d\nACAP-permissions-reference: /x/robots.txt\n"), 3, 1 << 20},
		{"a long line", star + "ACAP-disallow-crawl: / # " + strings.Repeat("x", 400<<10) + "\n" +
			lines(250, "ACAP-crawler: agent%d\nACAP-disallow-index: /\n"), 3, 1 << 20},
		{"qualifiers", star + lines(5_000, "ACAP-allow-index: / x=%d\n"), 3, 1 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := append(pages(test.pages), robots(file, 1, test.body),
				robots(example+"/x/robots.txt", 1, star+lines(10_000, "ACAP-disallow-index: /%d\n")))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began, n := time.Now(), 0
			var longest int
			err := NewSurveyor(Options{}, nil).Lists(t.Context(), scanOf(answered(t, list)), func(rows *Rows) error {
				n += rows.count()
				for _, row := range rowsOf(rows.Permissions) {
					longest = max(longest, len(value(row.DecidingRaw)), len(row.DecidingIDs), len(row.Qualifiers))
				}
				for _, row := range rowsOf(rows.Directives) {
					longest = max(longest, len(row.Agents), len(row.Purposes))
				}
				return nil
			})
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d rows, %.1f s, %d MiB allocated, longest value %d", n, took.Seconds(),
				(after.TotalAlloc-before.TotalAlloc)>>20, longest)
			if n > test.maxRows {
				t.Errorf("%d rows, want at most %d", n, test.maxRows)
			}
			if longest > facts.MaxRaw {
				t.Errorf("a value of %d bytes or entries", longest)
			}
			if took > 5*time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}
