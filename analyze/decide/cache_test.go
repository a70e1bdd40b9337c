package decide_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// What is remembered of the places of a site is what the site says: to anybody, of any page, at any time, in any
// reading, and whatever was asked or forgotten before.
func TestPlacesSayWhatTheSiteSays(t *testing.T) {
	answers, again, paths := 0, 0, shortPaths(4)
	rules := decidingRules()
	for seed := range 250 {
		m := maker{rand.New(rand.NewPCG(12, uint64(seed)))}
		s := scene{robots: m.definitions() + strings.Join(m.blocks(), ""), page: metas(m.metas()...)}
		if seed%2 == 0 {
			s.referred = m.definitions() + strings.Join(m.blocks(), "")
		}
		opts := readings[seed%len(readings)]
		if seed%3 == 0 {
			opts.Without = opts.Without.With(rules[m.IntN(len(rules))])
		}
		if m.IntN(3) == 0 { // limits in time, and places for a file, which are no place for it by R-QUAL-3
			opts.Without = opts.Without.With(policy.RuleQualifierPlace)
			s.robots += "ACAP-crawler: *\n"
			for range 1 + m.IntN(3) {
				s.robots += fmt.Sprintf(
					"ACAP-allow-%s: /a time-limit=until-200%d-12-31\n",
					m.pick("index", "present", "crawl"),
					m.IntN(3),
				)
			}
			s.robots += "ACAP-allow-index: /a location=" + site + m.pick("/a", "/ab") + "\n"
		}
		for range 1 + m.IntN(3) {
			group := []string{"User-agent: " + m.pick("*", "Bot", "Else")}
			for _, vocabulary := range vocabulariesOf(seed) {
				if rule := spoken[vocabulary].rule; rule != nil {
					group = append(group, rule(m))
				}
			}
			s.robots += lines(append(group, m.pick("Disallow: ", "Allow: ")+m.pattern())...)
		}
		for _, vocabulary := range vocabulariesOf(seed) {
			if header := spoken[vocabulary].header; header != nil && m.IntN(3) == 0 {
				s.headers = append(s.headers, header(m))
			}
		}
		file := s.file()
		pages := []*policy.Page{nil, s.pageOf(file), s.pageOf(file)}
		pages[2].XML = true
		whole := decide.NewSite(file, decide.Availability(seed%4), opts)
		places := decide.NewDecisionCache(whole).Within([]int{1 << 24, 1 << 24, 20_000, 100}[m.IntN(4)])
		known := map[*decide.Site]bool{}
		for range 40 {
			path := paths[m.IntN(3)*m.IntN(len(paths)/3)]
			here, there := places.At(path), whole
			if m.IntN(3) == 0 {
				other := readings[m.IntN(len(readings))]
				other.Without = opts.Without
				if m.IntN(4) == 0 {
					other.Without = other.Without.With(policy.RuleResourceSet)
				}
				here, there = here.Under(other), there.Under(other)
			}
			if known[here] {
				again++
			}
			known[here] = true
			var before *decide.View
			var beforeWhole *decide.View
			usages := append(policy.Usages(), policy.TrainAI, policy.Search, policy.TDM)
			for range 3 {
				who, page := askedWho[m.IntN(len(askedWho))], pages[m.IntN(len(pages))]
				view, wholeView := here.For(who.agent, who.purpose), there.For(who.agent, who.purpose)
				for range 3 {
					q := decide.Question{
						URL:   site + m.pick(path, "/a", "/ab"),
						Path:  path,
						Usage: usages[m.IntN(len(usages))],
					}
					if m.IntN(3) > 0 {
						q.At = time.Date(2000+m.IntN(3), time.December, 31, 12, 0, 0, 0, time.UTC).
							AddDate(0, 0, m.IntN(3))
					}
					got, want := view.Decide(page, q), wholeView.Decide(page, q)
					if opts.Without == (policy.RuleSet{}) {
						consistent(t, path, q.Usage, got)
					}
					if diff := cmp.Diff(head(want), head(got)) + unlike(want, got); diff != "" {
						t.Fatalf("seed %d, %+v, %+v: %s\n%s", seed, q, opts, diff, s.robots)
					}
					for name, part := range map[string][2]decide.Partial{
						"ACAP": {wholeView.RobotsACAP(q), view.RobotsACAP(q)},
						"REP":  {wholeView.RobotsREP(q), view.RobotsREP(q)}, "own": {wholeView.Own(page, q),
							view.Own(page, q)}, "over elements": {wholeView.ElementBound(page, q),
							view.ElementBound(page, q)},
					} {
						if a, b := part[0].Leading(path), part[1].Leading(path); a != b {
							t.Fatalf("seed %d, %+v: %s is led by %v, in short by %v\n%s", seed, q, name, a, b, s.robots)
						}
						if a, b := part[0].Decision(), part[1].Decision(); a != b ||
							!slices.Equal(part[0].By, part[1].By) {
							t.Fatalf("seed %d, %+v: %s is %s, in short %s\n%s", seed, q, name, a, b, s.robots)
						}
					}
					if head(want) != "allowed silence R-DEC-12" {
						answers++
					}
				}
				if a, b := wholeView.Unresolved(), view.Unresolved(); a != b {
					t.Fatalf("seed %d: %v unresolved, of the whole site %v", seed, b, a)
				}
				if before != nil && view.SameStatements(before, page) &&
					!there.At(path).For(who.agent, who.purpose).SameStatements(beforeWhole, page) {
					t.Fatalf("seed %d, %s: %s hears what it does not hear", seed, path, who.agent)
				}
				before, beforeWhole = view, there.At(path).For(who.agent, who.purpose)
			}
		}
	}
	if answers < 30_000 || again < 2000 {
		t.Errorf("only %d answers that say something, %d times at a place that was known", answers, again)
	}
}

// Two who are told the same statements of a place may be told them otherwise, and then they are not decided alike.
func TestTheSameSaidOtherwise(t *testing.T) {
	for _, test := range []struct{ name, robots, referred, one, other string }{
		{"R-DEC-4/named, and as one of all", lines("ACAP-crawler: A", "ACAP-crawler: *", "ACAP-allow-index: /",
			"ACAP-crawler: *", "ACAP-disallow-index: /"), "", "A index allowed acap-robots R-DEC-4 R-DEC-0",
			"B index disallowed undetermined R-DEC-7"},
		{"R-DEC-3/the purpose is named, and one of all", acap("ACAP-disallow-index: /", "ACAP-usage-purpose: news",
			"ACAP-usage-purpose: *", "ACAP-allow-index: /"), "", "* index <news> allowed acap-robots R-DEC-3 R-DEC-0",
			"* index disallowed undetermined R-DEC-7"},
		{"R-REF-1/named by who refers", lines("ACAP-crawler: A", "ACAP-crawler: *", "ACAP-permissions-reference: /r",
			"ACAP-crawler: *", "ACAP-disallow-index: /"), acap("ACAP-allow-index: /"),
			"A index allowed acap-robots R-DEC-4 R-DEC-0", "B index disallowed undetermined R-DEC-7"},
		{"R-REF-1/named in what is referred to", lines("ACAP-crawler: A", "ACAP-crawler: B",
			"ACAP-permissions-reference: /r"), lines("ACAP-crawler: A", "ACAP-crawler: *", "ACAP-allow-index: /",
			"ACAP-crawler: *", "ACAP-disallow-index: /"), "A index allowed acap-robots R-DEC-4 R-DEC-0",
			"B index disallowed undetermined R-DEC-7"},
		{"R-REF-1/a reference that is unresolved for one", lines("ACAP-crawler: A", "ACAP-permissions-reference: /r"),
			"", "A index disallowed reference-unresolved R-REF-1", "B index allowed silence R-DEC-12"},
		{"R-REF-1/one that names one", lines("ACAP-crawler: A", "ACAP-crawler: *", "ACAP-permissions-reference: /r",
			"ACAP-crawler: *", "ACAP-allow-index: /"), "", "A index disallowed reference-unresolved R-REF-1",
			"B index allowed acap-robots R-DEC-0"},
		{"R-PREF-1/a group that one has", lines("User-agent: *", "Content-Usage: train-ai=n", "User-agent: A",
			"Content-Usage: train-ai=y"), "", "A train-ai allowed ai-robots R-PREF-1",
			"B train-ai disallowed ai-robots R-PREF-1"},
		{"R-PREF-1/a group without preferences that one has", lines("User-agent: *", "Content-Usage: train-ai=n",
			"User-agent: A", "Allow: /y"), "", "A train-ai unstated no-preference R-PREF-1 R-PREF-4",
			"B train-ai disallowed ai-robots R-PREF-1"},
		{"R-REP-1/a group that one has", lines("User-agent: *", "Disallow: /", "User-agent: A", "Disallow:"), "",
			"A crawl allowed silence R-REP-1 R-DEC-12", "B crawl disallowed rep-robots R-REP-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := scene{robots: test.robots, referred: test.referred}.file()
			for _, order := range [][]string{{test.one, test.other}, {test.other, test.one}} {
				here := decide.NewDecisionCache(decide.NewSite(file, decide.Answered, decide.Options{})).At("/x")
				for _, line := range order {
					words := strings.Fields(line)
					asked, want := words[:2], words[2:]
					if strings.HasPrefix(want[0], "<") {
						asked, want = words[:3], words[3:]
					}
					agent, purpose, q, _ := ask(
						strings.Join(append([]string{asked[0], asked[1], "/x"}, asked[2:]...), " "),
					).read(t)
					if got := head(here.For(agent, purpose).Decide(nil, q)); got != strings.Join(want, " ") {
						t.Errorf("%s: %s", line, got)
					}
				}
			}
		})
	}
}

// unlike tells what a decision lacks that others make in short.
func unlike(whole, short decide.Decision) string {
	switch {
	case whole.IfCrawled != short.IfCrawled || whole.WithoutElements != short.WithoutElements:
		return fmt.Sprintf(
			"if crawled %s, without elements %s, in short %s, %s",
			whole.IfCrawled,
			whole.WithoutElements,
			short.IfCrawled,
			short.WithoutElements,
		)
	case !slices.Equal(whole.Qualifiers[:min(len(whole.Qualifiers), decide.MaxListed)],
		short.Qualifiers[:min(len(short.Qualifiers), decide.MaxListed)]):
		return fmt.Sprintf("if %v, in short %v", whole.Qualifiers, short.Qualifiers)
	case !slices.Equal(whole.Deciding[:min(len(whole.Deciding), decide.MaxListed)],
		short.Deciding[:min(len(short.Deciding), decide.MaxListed)]):
		return fmt.Sprintf("by %v, in short %v", whole.Deciding, short.Deciding)
	case !slices.Equal(whole.Elements, short.Elements) || (len(whole.Lost) == 0) != (len(short.Lost) == 0):
		return fmt.Sprintf(
			"%d elements and %d that lost, in short %d and %d",
			len(whole.Elements),
			len(whole.Lost),
			len(short.Elements),
			len(short.Lost),
		)
	}
	for _, v := range short.Lost {
		if !slices.Contains(whole.Lost, v) {
			return fmt.Sprintf("%v lost only in short", v)
		}
	}
	return ""
}

// Of thousands of statements and conditions the first are listed, and the one that leads.
func TestInShort(t *testing.T) {
	var rules []string
	for i := range 3000 {
		pattern := "/"
		if i == 2000 {
			pattern = "/a/"
		}
		rules = append(
			rules,
			fmt.Sprintf("ACAP-allow-index: %s max-length=%d-words", pattern, i),
			"ACAP-disallow-follow: /#",
			"ACAP-allow-follow: /#",
		)
	}
	whole := decide.NewSite(read(acap(rules...)), decide.Answered, decide.Options{})
	q := decide.Question{Path: "/a/b", Usage: policy.Index}
	page := scene{page: metas("robots: index", "robots: nofollow")}.pageOf(nil)
	view, short := whole.For("*", ""), decide.NewDecisionCache(whole).At("/a/b").For("*", "")
	want, got := view.Decide(page, q), short.Decide(page, q)
	if diff := unlike(want, got); diff != "" || len(want.Deciding) < 3000 || len(got.Deciding) > decide.MaxListed+2 ||
		len(got.Qualifiers) != decide.MaxListed {
		t.Errorf(
			"%s; %d of %d decide, %d of %d conditions",
			diff,
			len(got.Deciding),
			len(want.Deciding),
			len(got.Qualifiers),
			len(want.Qualifiers),
		)
	}
	own := short.Own(page, q)
	if lead := own.Leading(q.Path); lead == nil || lead.Resource != "/a/" {
		t.Errorf("%v leads", lead)
	}
	q.Usage = policy.Follow
	want, got = view.Decide(page, q), short.Decide(page, q)
	if diff := unlike(want, got); diff != "" || len(want.Lost) < 3000 || len(got.Lost) > 2 {
		t.Errorf("%s; %d of %d lost", diff, len(got.Lost), len(want.Lost))
	}
}

// A crowded is a robots.txt of thousands of statements that hold every page of its site.
type crowded struct {
	name, robots string
	page         func(i int) string
}

func crowdedSites() []crowded {
	many := func(head string, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range 10_000 {
			b.WriteString(line(i))
		}
		return b.String()
	}
	sense := func(i int) string { return []string{"allow", "disallow"}[i%2] }
	page := func(i int) string { return fmt.Sprintf("/%d", i) }
	const version, record = "##ACAP version=1.1\n", "##ACAP version=1.1\nACAP-crawler: *\n"
	return []crowded{
		{
			"purposes",
			many(
				record,
				func(i int) string { return fmt.Sprintf("ACAP-usage-purpose: p%d\nACAP-%s-index: /\n", i, sense(i)) },
			),
			page,
		},
		{"rules", many(record, func(i int) string { return "ACAP-" + sense(i) + "-present: /\n" }), page},
		{
			"records",
			many(version, func(i int) string { return "ACAP-crawler: *\nACAP-" + sense(i) + "-index: /\n" }),
			page,
		},
		{
			"groups",
			many(
				record+"ACAP-allow-index: /\n",
				func(i int) string { return fmt.Sprintf("User-agent: b%d\nDisallow: /\n", i) },
			),
			page,
		},
		{
			"agents",
			many(
				version,
				func(i int) string { return fmt.Sprintf("ACAP-crawler: b%d\nACAP-%s-index: /\n", i, sense(i)) },
			),
			page,
		},
		{"limits in time", many(record, func(i int) string {
			return "ACAP-allow-index: / time-limit=until-" + time.Date(2001, 1, 1+i, 0, 0, 0, 0, time.UTC).
				Format(time.DateOnly) +
				"\n"
		}), page},
	}
}

// askPage asks what a page of a survey asks, for some agents and purposes, and tells how much was looked at.
func askPage(places *decide.DecisionCache, page *policy.Page, path string, at time.Time) (looks int) {
	before := places.Cost()
	here := places.At(path)
	for i := range 5 {
		for _, purpose := range []string{"", "p7"} {
			view := here.For(policy.Agent(fmt.Sprint("b", i)), purpose)
			for _, usage := range policy.Usages() {
				view.Decide(page, decide.Question{Path: path, Usage: usage, At: at})
			}
		}
	}
	return places.Cost() - before
}

// However many statements hold the pages of a site, and however many pages there are, the statements are looked at
// once.
func TestStatementsAreLookedAtOnceForAllPages(t *testing.T) {
	for _, c := range crowdedSites() {
		t.Run(c.name, func(t *testing.T) {
			file := read(c.robots)
			document := scene{page: metas("robots: ACAP allow-follow", "robots: noindex")}.pageOf(file)
			places := decide.NewDecisionCache(decide.NewSite(file, decide.Answered, decide.Options{}))
			at := time.Date(2001, 6, 1, 0, 0, 0, 0, time.UTC)
			first, rest := askPage(places, document, c.page(0), at), 0
			const pages = 200
			for i := range pages {
				at = at.Add(time.Minute)
				rest += askPage(places, document, c.page(1+i), at)
			}
			t.Logf("%d looks for the first page, %d for %d others", first, rest, pages)
			if first < 10_000 || rest > 20*pages {
				t.Errorf("%d looks for the first page, %d for %d others", first, rest, pages)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			askPage(places, document, c.page(-1), at)
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
				t.Errorf("a page takes %d bytes", allocated)
			}
		})
	}
}

// Pages that are each held by other patterns are looked up each by itself, and that is counted; what is remembered of
// them stays within its bounds.
func TestPlacesThatAllDiffer(t *testing.T) {
	const patterns, pages = 400, 100
	var rules []string
	for i := range patterns {
		rules = append(
			rules,
			"ACAP-disallow-index: /*"+choice(i | 1<<15)[1:],
			fmt.Sprintf("ACAP-allow-index: /*/%d$", i),
		)
	}
	places := decide.NewDecisionCache(decide.NewSite(read(acap(rules...)), decide.Answered, decide.Options{})).
		Within(1 << 18)
	for i := range pages {
		if looks := askPage(places, nil, fmt.Sprintf("/abcdefghijklmnop/%d", i), time.Time{}); looks < patterns {
			t.Fatalf("%d looks at page %d", looks, i)
		}
		// A page may be the one that goes beyond.
		if octets, sets := places.Cached(); octets > 1<<18+1<<16 || sets > 1<<8 {
			t.Fatalf("after %d pages %d bytes of %d places are remembered", i+1, octets, sets)
		}
	}
}

// What one page asks for goes hardly beyond the bounds either, however many it asks for.
func TestManyViewsOfOnePlace(t *testing.T) {
	var rules []string
	for i := range 300 {
		rules = append(
			rules,
			fmt.Sprintf("ACAP-usage-purpose: p%d", i),
			"ACAP-allow-present: /",
			"ACAP-disallow-index: /",
		)
	}
	places := decide.NewDecisionCache(decide.NewSite(read(acap(rules...)), decide.Answered, decide.Options{})).
		Within(1 << 17)
	for range 3 {
		here := places.At("/")
		for i := range 300 {
			here.For("*", fmt.Sprint("p", i)).Decide(nil, decide.Question{Path: "/", Usage: policy.Index})
		}
		for i := range 300 {
			if n := askAll(here.For("*", fmt.Sprint("p", i)), "/"); n != 1 {
				t.Fatalf("%d prohibitions for p%d", n, i)
			}
		}
		if octets, _ := places.Cached(); octets < 1<<16 || octets > 1<<17 {
			t.Errorf("%d bytes are remembered", octets)
		}
	}
}

// Where it is not looked for which statements hold, what they speak of is prohibited to whom they speak, and nothing
// else is.
func TestUnknownPlace(t *testing.T) {
	robots := lines(
		"ACAP-crawler: *",
		"ACAP-allow-index: /a",
		"ACAP-crawler: Bot",
		"ACAP-disallow-present: /b",
		"User-agent: Else",
		"Disallow: /c",
		"Disallow:",
	)
	file := read(robots)
	page := scene{page: metas("robots: ACAP allow-present-link", "robots: nofollow")}.pageOf(file)
	for _, test := range []struct{ ask, want string }{
		{"* index", "disallowed undetermined R-DEC-7"},
		{"* follow", "allowed silence R-DEC-12"},
		{"* present", "allowed silence R-DEC-12"},
		{"Bot present", "disallowed undetermined R-DEC-7"},
		{"Bot present-link", "disallowed undetermined R-DEC-7"},
		{"Bot crawl", "allowed silence R-DEC-12"},
		{"Else crawl", "disallowed undetermined R-DEC-7"},
		{"Else follow", "disallowed crawl-prohibited R-DEC-7 R-DEC-11"},
	} {
		agent, purpose, q, opts := ask(test.ask + " /x").read(t)
		places := decide.NewDecisionCache(decide.NewSite(file, decide.Answered, opts))
		for range 2 {
			if got := head(places.Unknown().For(agent, purpose).Decide(nil, q)); got != test.want {
				t.Errorf("%s: %s, want %s", test.ask, got, test.want)
			}
		}
		d := places.Unknown().For(agent, purpose).Decide(page, q)
		consistent(t, test.ask, q.Usage, d)
		if q.Usage == policy.PresentLink && head(d) != "allowed acap-page R-DEC-0" {
			t.Errorf("%s of a page that says so itself: %s", test.ask, head(d))
		}
	}
}
