package decide_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
)

// rulesOf is a robots.txt with so many rules, ACAP and conventional ones by turns, of which a page under /news/ meets a
// handful.
func rulesOf(n int) string {
	var b strings.Builder
	b.WriteString("##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-present: /news/*.pdf$\n")
	for i := 1; i < n; i++ {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "ACAP-allow-present-snippet: /news/%06d/ max-length=20-words\n", i)
		case 1:
			fmt.Fprintf(&b, "ACAP-disallow-crawl: /section/%06d/\n", i)
		case 2:
			fmt.Fprintf(&b, "ACAP-disallow-index: /news/%06d/\n", i)
		case 3:
			fmt.Fprintf(&b, "ACAP-allow-preserve: /news/%06d/*.html$\n", i-1)
		}
	}
	b.WriteString("User-agent: *\n")
	for i := 4; i < n; i += 5 {
		fmt.Fprintf(&b, "Disallow: /print/%06d/\n", i)
	}
	return b.String()
}

func pagesOf(n int) (paths []string) {
	for i := range 64 {
		paths = append(paths, fmt.Sprintf("/news/%06d/%d.html", i*n/64/5*5+2, i))
	}
	return paths
}

var ruleCounts = []int{1, 100, 10_000}

func askAll(view *decide.View, path string) (prohibited int) {
	for _, usage := range policy.Usages() {
		if view.Decide(nil, decide.Question{Path: path, Usage: usage}).Decision == policy.Disallowed {
			prohibited++
		}
	}
	return prohibited
}

// One operation is all usages of one page, each page another than the one before.
func BenchmarkDecide(b *testing.B) {
	for _, n := range ruleCounts {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			view, paths := decide.NewSite(read(rulesOf(n)), decide.Answered, decide.Options{}).For("*", ""), pagesOf(n)
			askAll(view, "/")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				askAll(view, paths[i%len(paths)])
			}
		})
	}
}

// One operation is a page of a survey: its place, a view, and all usages. The sites of which thousands of statements
// hold each page are compared with those of which a handful does.
func BenchmarkPlaces(b *testing.B) {
	run := func(name, robots string, path func(i int) string) {
		b.Run(name, func(b *testing.B) {
			places := decide.NewDecisionCache(decide.NewSite(read(robots), decide.Answered, decide.Options{}))
			askAll(places.At(path(0)).For("*", ""), path(0))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				path := path(i)
				askAll(places.At(path).For("*", ""), path)
			}
		})
	}
	for _, n := range ruleCounts {
		paths := pagesOf(n)
		run(fmt.Sprintf("rules=%d", n), rulesOf(n), func(i int) string { return paths[i%len(paths)] })
	}
	for _, c := range crowdedSites() {
		run(c.name, c.robots, c.page)
	}
}

// One operation is a view for another agent, and all usages of one page.
func BenchmarkView(b *testing.B) {
	for _, n := range ruleCounts {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			site, path := decide.NewSite(read(rulesOf(n)), decide.Answered, decide.Options{}), pagesOf(n)[32]
			agents := make([]policy.Agent, 256)
			for i := range agents {
				agents[i] = policy.Agent(fmt.Sprint("bot", i))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				askAll(site.For(agents[i%len(agents)], ""), path)
			}
		})
	}
}

// One operation reads a robots.txt and decides all usages of one page.
func BenchmarkReadAndDecide(b *testing.B) {
	for _, n := range ruleCounts {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			body, path := []byte(rulesOf(n)), pagesOf(n)[32]
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				file := parse.ReadRobots(body, false, parse.Options{}).File
				askAll(decide.NewSite(file, decide.Answered, decide.Options{}).For("*", ""), path)
			}
		})
	}
}

// A hostile is a robots.txt of 500 KiB that is as dear as one can be, and a path to ask of.
type hostile struct{ name, robots, path string }

func hostiles() []hostile {
	const limit = 500 << 10
	repeat := func(head string, line func(i int) string) string {
		var t strings.Builder
		t.WriteString(head)
		for i := 0; ; i++ {
			next := line(i)
			if t.Len()+len(next) > limit {
				return t.String()
			}
			t.WriteString(next)
		}
	}
	sense := func(i int) string { return []string{"ACAP-allow-index: ", "ACAP-disallow-index: "}[i%2] }
	long := "/" + strings.Repeat("ab", 1000)
	stars := "/" + strings.Repeat("*a", 2000)
	variant := func(i int) string { return stars[:2*(1000-i%1000)] + strings.Repeat("b*", i%1000) + "\n" }
	var members strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&members, " /%d", i)
	}
	const record = "##ACAP version=1.1\nACAP-crawler: *\n"
	rules := func(pattern func(i int) string) string {
		return repeat(record, func(i int) string { return sense(i) + pattern(i) + "\n" })
	}
	ofSet := func(members string) string {
		return repeat(
			"ACAP-resource-set: s"+members+"\n"+record,
			func(i int) string { return sense(i) + "the-acap:resource-set:s\n" },
		)
	}
	return []hostile{
		{"patterns that begin with a star", rules(func(i int) string { return fmt.Sprintf("/*a%d", i) }), long},
		{"of which all hold the path", rules(func(i int) string { return "/" + choice(i) }), "/abcdefghijklmnop"},
		{"one pattern of both senses", rules(func(int) string { return "/" }), "/a"},
		{"prefixes of the path", rules(func(i int) string { return long[:1+i%len(long)] }), long},
		{"2000 stars", rules(func(i int) string { return stars + fmt.Sprint(i) }), long},
		{"1000 stars that hold the path", rules(variant), "/" + strings.Repeat("ab", 4000)},
		{
			"at the limit of comparisons",
			rules(func(i int) string { return variant(i) + strings.Repeat("#", 3500) }),
			"/" + strings.Repeat("ab", 4000),
		},
		{"a set of 10000 members", ofSet(members.String()), "/1234"},
		{"a set of nested members", ofSet(nested(900)), "/" + strings.Repeat("b", 1000) + "a"},
		{
			"agents",
			"##ACAP version=1.1\n" + repeat(
				strings.Repeat("ACAP-crawler: b\n", 15_000),
				func(i int) string { return sense(i) + "/\n" },
			),
			"/a",
		},
		{
			"qualifiers",
			repeat(
				record,
				func(i int) string { return fmt.Sprintf("ACAP-allow-index: / a%d=b time-limit=until-2001-01-01\n", i) },
			),
			"/a",
		},
	}
}

// One operation is a view, and all usages of one page.
func BenchmarkDecideHostile(b *testing.B) {
	for _, test := range hostiles() {
		b.Run(test.name, func(b *testing.B) {
			site := decide.NewSite(read(test.robots), decide.Answered, decide.Options{})
			askAll(site.For("*", ""), "/")
			b.ReportAllocs()
			for b.Loop() {
				view := site.Under(decide.Options{}).For("c", "")
				askAll(view, test.path)
			}
		})
	}
}

// One operation is a view, and the extent of crawl and of index.
func BenchmarkExtentHostile(b *testing.B) {
	for _, test := range hostiles() {
		b.Run(test.name, func(b *testing.B) {
			site := decide.NewSite(read(test.robots), decide.Answered, decide.Options{})
			b.ReportAllocs()
			for b.Loop() {
				spaces := extent.NewPathClasses(site.For("c", ""), 1<<15)
				spaces.Extent(policy.Crawl, time.Time{})
				spaces.Extent(policy.Index, time.Time{})
			}
		})
	}
}

// choice is a pattern of the letters that the bits of a number choose.
func choice(bits int) string {
	var b strings.Builder
	for i := range 16 {
		if bits&(1<<i) != 0 {
			b.WriteByte('*')
			b.WriteByte(byte('a' + i))
		}
	}
	return b.String()
}

// nested makes members each of which contains the next, though by characters each comes before it.
func nested(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" /*" + strings.Repeat("b", i) + "a")
	}
	return b.String()
}

// One operation makes a site of a robots.txt that was read, and decides all usages of one page: what the first question
// costs.
func BenchmarkFirstQuestion(b *testing.B) {
	for _, n := range ruleCounts {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			file, path := read(rulesOf(n)), pagesOf(n)[32]
			b.ReportAllocs()
			for b.Loop() {
				askAll(decide.NewSite(file, decide.Answered, decide.Options{}).For("*", ""), path)
			}
		})
	}
}
