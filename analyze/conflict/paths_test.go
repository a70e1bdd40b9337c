package conflict

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/longtest"
)

// words returns all words over letters of at most a length, the shortest first.
func words(letters string, length int) []string {
	all := []string{""}
	for from, n := 0, 0; n < length; n++ {
		to := len(all)
		for _, w := range all[from:to] {
			for _, l := range letters {
				all = append(all, w+string(l))
			}
		}
		from = to
	}
	return all
}

func randomPattern(r *rand.Rand) string {
	var b strings.Builder
	b.WriteByte("/*"[r.IntN(2)*r.IntN(2)])
	for range r.IntN(4) {
		b.WriteByte("aabb*"[r.IntN(5)])
	}
	if r.IntN(5) == 0 {
		b.WriteByte('$')
	}
	return b.String()
}

// randomRobots writes a small policy about crawl, to all and sometimes to Bot too; with one sense, ACAP permits only or
// prohibits only.
func randomRobots(r *rand.Rand, oneSense bool) string {
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString("ACAP-ignore-conventional-records\n")
	}
	to := []string{"*"}
	if r.IntN(2) == 0 {
		to = append(to, "Bot")
	}
	for _, name := range to {
		fmt.Fprintf(&b, "User-agent: %s\n", name)
		for range 1 + r.IntN(3) {
			if r.IntN(6) == 0 {
				b.WriteString("Disallow:\n")
				continue
			}
			fmt.Fprintf(&b, "%s: %s\n", []string{"Allow", "Disallow"}[r.IntN(2)], randomPattern(r))
		}
	}
	if r.IntN(4) == 0 {
		to = to[:1]
	}
	sense := r.IntN(2)
	for _, name := range to {
		fmt.Fprintf(&b, "ACAP-crawler: %s\n", name)
		for range 1 + r.IntN(4) {
			if !oneSense {
				sense = r.IntN(2)
			}
			fmt.Fprintf(&b, "ACAP-%s-crawl: %s\n", []string{"allow", "disallow"}[sense], randomPattern(r))
		}
	}
	return b.String()
}

// byHand looks at every path and returns, for each row that it should lead to, the length of a shortest path.
func byHand(v *decide.View, all []string) map[string]int {
	found := make(map[string]int)
	note := func(row, path string) {
		if _, known := found[row]; !known {
			found[row] = len(path)
		}
	}
	for _, path := range all {
		q := decide.Question{Path: path, Usage: policy.Crawl}
		acap, rep := v.RobotsACAP(q), v.RobotsREP(q)
		eachPair(acap, func(d, a *policy.Statement) bool {
			note(fmt.Sprintf("acap-tie %d %d", d.Line, a.Line), path)
			note("acap-tie", path)
			return true
		})
		if acap.Decision() == rep.Decision() {
			continue
		}
		kind, second := ACAPREP, rep.Leading(path)
		switch {
		case !rep.Speaks() && v.EmptyDisallow() != nil:
			second = v.EmptyDisallow()
		case !acap.Speaks() || !rep.Speaks():
			kind = ACAPREPDrift
		}
		note(fmt.Sprintf("%s %s %s", kind, place(acap.Leading(path)), place(second)), path)
		note(kind.String(), path)
	}
	return found
}

// TestPathsByBruteForce: what OfSite finds by exploring is what looking at every path finds.
func TestPathsByBruteForce(t *testing.T) {
	var all []string
	for _, w := range words("abc", 7) {
		all = append(all, "/"+w)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 300 {
		oneSense := i%2 == 0
		robots := randomRobots(r, oneSense)
		site := decide.NewSite(readRobots(robots), decide.Answered, decide.Options{})
		agent := []policy.Agent{policy.AnyAgent, "bot"}[i/2%2]
		v := site.For(agent, "")
		want := byHand(v, all)
		found, missing := OfSite(site, []policy.Agent{agent}, nil, Options{})
		if missing != (Missing{}) {
			t.Fatalf("%s: left something out", robots)
		}
		got := make(map[string]int)
		for _, c := range only(found, ACAPTie, ACAPREP, ACAPREPDrift) {
			row := fmt.Sprintf("%s %s %s", c.Kind, place(c.First), place(c.Second))
			if c.Kind == ACAPTie {
				row = fmt.Sprintf("acap-tie %d %d", c.First.Line, c.Second.Line)
			}
			got[row] = len(c.Path)
			if n, ok := got[c.Kind.String()]; !ok || len(c.Path) < n {
				got[c.Kind.String()] = len(c.Path)
			}
			if c.Approximate {
				t.Errorf("%s: approximate", row)
			}
		}
		if !oneSense {
			// Behind a prohibition that decides anyway, not every pair of a tie is looked for.
			maps.DeleteFunc(want, func(row string, _ int) bool {
				_, ok := got[row]
				return !ok && strings.HasPrefix(row, "acap-tie ")
			})
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s-want +got\n%s", robots, d)
		}
		same, exact := SameCrawl(v, extent.NewPathClasses(v, 0))
		_, rep := want[ACAPREP.String()]
		_, drift := want[ACAPREPDrift.String()]
		if !exact || same == (rep || drift) {
			t.Fatalf("%ssame crawl %t, exact %t", robots, same, exact)
		}
	}
}

// To ask for several purposes at once finds what asking for each finds, each row for the first purpose that has it.
func TestPurposesTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	purposes := []string{"", "news", "newspaper", "sport"}
	several := 0
	for range 200 {
		robots := "ACAP-crawler: *\n"
		for range 2 + r.IntN(6) {
			switch r.IntN(4) {
			case 0:
				robots += "ACAP-usage-purpose: " + []string{"news", "news*", "*", "sport"}[r.IntN(4)] + "\n"
			default:
				robots += fmt.Sprintf(
					"ACAP-%s-%s: /%s\n",
					[]string{"allow", "disallow"}[r.IntN(2)],
					[]string{"index", "present", "other", "present-link"}[r.IntN(4)],
					[]string{"", "a", "*b"}[r.IntN(3)],
				)
			}
		}
		file := readRobots(robots)
		site := decide.NewSite(file, decide.Answered, decide.Options{})
		page := readPage(
			false,
			file,
			"meta robots: ACAP "+[]string{"", "news "}[r.IntN(2)]+"allow-index",
			"meta robots: ACAP disallow-present",
			"header: "+[]string{"noindex", "index"}[r.IntN(2)],
		)
		search := map[string]func(purposes ...string) []Conflict{
			"site": func(purposes ...string) []Conflict {
				found, _ := OfSite(site, []policy.Agent{"*"}, purposes, Options{})
				return found
			},
			"page": func(purposes ...string) []Conflict {
				found, _ := OfPage(site, page, decide.Question{Path: "/a"}, []policy.Agent{"*"}, purposes, Options{})
				return found
			},
		}
		for name, of := range search {
			collected := newFinder(Options{})
			for _, purpose := range purposes {
				for _, c := range of(purpose) {
					if collected.add(c); c.Purpose != "" && collected.found[len(collected.found)-1] == c {
						several++
					}
				}
			}
			if d := cmp.Diff(rows(collected.found), rows(of(purposes...))); d != "" {
				t.Fatalf("%s of %s-each by itself +together\n%s", name, robots, d)
			}
		}
	}
	if several < 50 {
		t.Errorf("only %d rows are for a purpose", several)
	}
}

func TestSameCrawl(t *testing.T) {
	for _, test := range []struct {
		name, robots string
		agent        policy.Agent
		want         bool
	}{
		{"nothing said", "", "*", true},
		{"the same rules", lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-disallow-crawl: /a"), "*",
			true},
		{"an empty Disallow next to silence", lines("User-agent: *", "Disallow:", "ACAP-crawler: *",
			"ACAP-disallow-index: /"), "*", true},
		{"a rule more", lines("User-agent: *", "Disallow: /a", "Disallow: /b", "ACAP-crawler: *",
			"ACAP-disallow-crawl: /a"), "*", false},
		{"ACAP names the agent only", lines("User-agent: *", "Disallow: /a", "ACAP-crawler: A",
			"ACAP-disallow-crawl: /a"), "*", false},
		{"ACAP names the agent asked", lines("User-agent: *", "Disallow: /a", "ACAP-crawler: A",
			"ACAP-disallow-crawl: /a"), "a", true},
		{"a group replaces, a record is merged", lines("User-agent: *", "Disallow: /a", "User-agent: A", "Disallow: /b",
			"ACAP-crawler: *", "ACAP-disallow-crawl: /a", "ACAP-crawler: A", "ACAP-disallow-crawl: /b"), "A", false},
		{"the same under R-REC-6", lines("User-agent: *", "Disallow: /a", "ACAP-ignore-conventional-records",
			"ACAP-crawler: *", "ACAP-disallow-crawl: /a"), "*", true},
		{"only about /robots.txt", lines("User-agent: *", "Disallow: /robots.txt$", "ACAP-crawler: *",
			"ACAP-allow-crawl: /"), "*", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := decide.NewSite(readRobots(test.robots), decide.Answered, decide.Options{}).For(test.agent, "")
			if same, exact := SameCrawl(v, extent.NewPathClasses(v, 0)); same != test.want || !exact {
				t.Errorf("same %t, exact %t", same, exact)
			}
		})
	}
}

// hostile are policies made to cost as much as possible.
func hostile() map[string]string {
	all := make(map[string]string)
	write := func(name string, count int, line func(i int) string) {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := range count {
			fmt.Fprintf(&b, "Disallow: /*%d*x%d\n", i, i%7)
		}
		b.WriteString("ACAP-crawler: *\n")
		for i := range count {
			b.WriteString(line(i))
		}
		all[name] = b.String()
	}
	sense := func(i int) string { return []string{"allow", "disallow"}[i%2] }
	write("stars", 5000, func(i int) string { return fmt.Sprintf("ACAP-%s-crawl: /*%d*y%d\n", sense(i), i, i%5) })
	write("stars in every usage", 2500, func(i int) string {
		return fmt.Sprintf("ACAP-%s-%s: *%d*y%d$\n", sense(i), policy.Usages()[i/2%len(policy.Usages())], i, i%5)
	})
	write("a thousand pairs in every usage", 2000, func(i int) string {
		return fmt.Sprintf("ACAP-%s-other: /%d%s\n", sense(i), i, strings.Repeat("*a", 20))
	})
	write(
		"one pattern in both senses",
		5000,
		func(i int) string { return fmt.Sprintf("ACAP-%s-index: /a\n", sense(i)) },
	)
	write("one long pattern", 60, func(i int) string {
		return fmt.Sprintf("ACAP-%s-index: /%s%s\n", sense(i), strings.Repeat("a*", 2000), strings.Repeat("a", i))
	})
	write("other and purposes", 2500, func(i int) string {
		if i%50 == 0 {
			return fmt.Sprintf("ACAP-usage-purpose: p%d*\n", i/50)
		}
		return fmt.Sprintf("ACAP-%s-other: /*a%d*b\n", sense(i), i)
	})
	return all
}

func TestOfSiteIsBounded(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("takes seconds for each policy")
	}
	for _, name := range slices.Sorted(maps.Keys(hostile())) {
		t.Run(name, func(t *testing.T) {
			site := decide.NewSite(readRobots(hostile()[name]), decide.Answered, decide.Options{})
			agents := []policy.Agent{"*"}
			for i := range 50 {
				agents = append(agents, policy.Agent(fmt.Sprint("bot", i)))
			}
			start := time.Now()
			// An eighth of the work shows what all of it does; one policy has all of it.
			opts := Options{Work: DefaultWork / 8}
			if name == "one long pattern" {
				opts = Options{}
			}
			found, missing := OfSite(site, agents, []string{"", "p1", "p2"}, opts)
			took := time.Since(start)
			t.Logf("%d conflicts, %+v, %s", len(found), missing, took)
			if !missing.Ended || len(found) > DefaultMax {
				t.Errorf("%d conflicts, %+v", len(found), missing)
			}
			if took > time.Minute { // a hundred times what it takes: it does not keep to its work
				t.Errorf("took %s", took)
			}
			v := site.For("*", "")
			start = time.Now()
			SameCrawl(v, extent.NewPathClasses(v, DefaultBudget))
			if took := time.Since(start); took > time.Minute {
				t.Errorf("the same crawl took %s", took)
			}
		})
	}
}

// What the index finds at once is paid for as that: a file that says thousands of plain conventional rules again in
// ACAP is searched out.
func TestOfSiteSearchesOutAMirroredFile(t *testing.T) {
	const count = 8000
	var rep, acap strings.Builder
	for i := range count {
		fmt.Fprintf(&rep, "Disallow: /s%d/\n", i)
		fmt.Fprintf(&acap, "ACAP-disallow-crawl: /s%d/\n", i)
	}
	for _, test := range []struct {
		name, last string
		want       []string
	}{
		{"the same", "", []string{}},
		{"and one rule with its opposite", "ACAP-allow-crawl: /s7999/\n", []string{
			"acap-tie contradiction * crawl /s7999/: line 16002 disallowed, line 16003 allowed: first by R-DEC-7",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			robots := "User-agent: *\n" + rep.String() + "ACAP-crawler: *\n" + acap.String() + test.last
			site := decide.NewSite(readRobots(robots), decide.Answered, decide.Options{})
			found, missing := OfSite(site, []policy.Agent{"*", "a", "b"}, nil, Options{})
			if d := cmp.Diff(test.want, rows(found)[:min(1, len(found))]); d != "" || missing != (Missing{}) {
				t.Errorf("%+v, -want +got\n%s", missing, d)
			}
			v := site.For("*", "")
			if same, exact := SameCrawl(v, extent.NewPathClasses(v, DefaultBudget)); !same || !exact {
				t.Errorf("same crawl %t, exact %t", same, exact)
			}
		})
	}
}

func TestOfSiteIsTheSameTwice(t *testing.T) {
	search := func() []string {
		site := decide.NewSite(readRobots(hostile()["stars in every usage"]), decide.Answered, decide.Options{})
		found, _ := OfSite(site, []policy.Agent{"*", "bot"}, nil, Options{Budget: 1 << 10})
		return rows(found)
	}
	if d := cmp.Diff(search(), search()); d != "" {
		t.Error(d)
	}
}

// What cannot be told apart within the budget is told, with a conflict and without one.
func TestOfSiteBeyondItsBudget(t *testing.T) {
	many := ""
	for i := range 12 {
		many += fmt.Sprintf("disallow-crawl: /*%c*%c\n", 'a'+i, 'z'-i)
	}
	rep, acap := strings.ReplaceAll(
		many,
		"disallow-crawl",
		"Disallow",
	), strings.ReplaceAll(
		many,
		"disallow",
		"ACAP-disallow",
	)
	for _, test := range []struct {
		name, robots string
		budget       int
		want         []string
		paths        bool
	}{
		{"without a conflict", "User-agent: *\n" + rep + "ACAP-crawler: *\n" + acap, 50, []string{}, true},
		{"with one", "User-agent: *\n" + rep + "ACAP-crawler: *\n" + acap + "ACAP-disallow-crawl: /$\n", 50,
			[]string{"acap-rep-drift contradiction * crawl /: line 27 disallowed, silent allowed: first by R-DEC-0 " +
				"approximately"}, true},
		{"within it", "User-agent: *\n" + rep + "ACAP-crawler: *\n" + acap + "ACAP-disallow-crawl: /$\n", 0,
			[]string{"acap-rep-drift contradiction * crawl /: line 27 disallowed, silent allowed: first by R-DEC-0"},
			false},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := decide.NewSite(readRobots(test.robots), decide.Answered, decide.Options{})
			found, missing := OfSite(site, []policy.Agent{"*"}, nil, Options{Budget: test.budget})
			if d := cmp.Diff(test.want, rows(found)); d != "" || missing != (Missing{Paths: test.paths}) {
				t.Errorf("%+v, -want +got\n%s", missing, d)
			}
			v := site.For("*", "")
			if same, exact := SameCrawl(v, extent.NewPathClasses(v, test.budget)); same != (len(test.want) == 0) ||
				exact == (same && test.paths) {
				t.Errorf("same crawl %t, exact %t", same, exact)
			}
		})
	}
}

func TestOfSiteMax(t *testing.T) {
	robots := lines(
		"ACAP-crawler: *",
		"ACAP-allow-index: /a",
		"ACAP-disallow-index: /a",
		"ACAP-allow-index: /b",
		"ACAP-disallow-index: /b",
	)
	site := decide.NewSite(readRobots(robots), decide.Answered, decide.Options{})
	for _, test := range []struct {
		max, want int
		more      bool
	}{{1, 1, true}, {2, 2, false}, {3, 2, false}, {0, 2, false}} {
		got, missing := OfSite(site, []policy.Agent{"*"}, nil, Options{Max: test.max})
		if len(got) != test.want || missing != (Missing{Ended: test.more}) {
			t.Errorf("at most %d: %d conflicts, %+v", test.max, len(got), missing)
		}
	}
}
