package decide_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/internal/terms"
)

var readings = []decide.Options{
	{}, {Profile: decide.ProfilePilot}, {Other: decide.OtherNarrow}, {Other: decide.OtherLevel},
	{Profile: decide.ProfilePilot, Other: decide.OtherNarrow}, {Profile: decide.ProfilePilot, Other: decide.OtherLevel},
}

func TestExtent(t *testing.T) {
	for _, test := range []struct {
		name   string
		robots string
		answer decide.Availability
		want   string // "AGENT USAGE EXTENT", parted by commas
	}{
		{"7/Disallow: / with Allow: /public/", lines("User-agent: *", "Disallow: /", "Allow: /public/"), 0,
			"* crawl some, * index some"},
		{"7/an empty Disallow", lines("User-agent: *", "Disallow:"), 0, "* crawl all"},
		{"7/both on /, in REP", lines("User-agent: *", "Disallow: /", "Allow: /"), 0, "* crawl all, * index all"},
		{"7/both on /, in ACAP", acap("ACAP-disallow-crawl: /", "ACAP-allow-crawl: /"), 0,
			"* crawl none, * index none"},
		{"7/nothing", "", 0, "* crawl all, * other all"},
		{"7/unreachable", "", decide.Unreachable, "* crawl none, * other none"},
		{"7/never captured", "", decide.NotCaptured, "* crawl all"},
		{"7/one usage", acap("ACAP-disallow-index: /a"), 0, "* crawl all, * index some, * follow all"},
		{"7/what may not be crawled may not be indexed", acap("ACAP-disallow-crawl: /a", "ACAP-allow-index: /",
			"ACAP-disallow-follow: /"), 0, "* crawl some, * index some, * follow none"},
		{"7/a reference that is unresolved", lines("ACAP-crawler: Bot", "ACAP-permissions-reference: /p.txt",
			"ACAP-allow-index: /a"), 0, "Bot crawl none, Bot index some, * crawl all"},
		{"7/a pattern that holds everything but /", acap("ACAP-disallow-index: /", "ACAP-allow-index: /$"), 0,
			"* index some"},
		{"7/R-PAT-1/robots.txt does not count, all else allowed", lines("User-agent: *", "Disallow: /robots.txt$"), 0,
			"* crawl all"},
		{"7/R-PAT-1/robots.txt does not count, what begins so does", lines("User-agent: *", "Disallow: /robots.txt"), 0,
			"* crawl some, * index some"},
		{"7/R-PAT-1/robots.txt does not count, all else prohibited",
			lines("User-agent: *", "Disallow: /", "Allow: /robots.txt$"), 0, "* crawl none"},
		{"7/R-PAT-1/robots.txt does not count for other usages either", acap("ACAP-disallow-index: /robots.txt$"), 0,
			"* index all"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, want := range strings.Split(test.want, ", ") {
				words := strings.Fields(want)
				usage, _ := policy.ParseUsage(words[1])
				view := decide.NewSite(scene{robots: test.robots}.file(), test.answer, decide.Options{}).
					For(policy.Agent(words[0]), "")
				if got := extent.NewPathClasses(view, 0).Extent(usage, time.Time{}); got.String() != words[2] {
					t.Errorf("%s: got %s", want, got)
				}
			}
		})
	}
}

func TestExtentUnderThePilot(t *testing.T) {
	for _, test := range []struct {
		name   string
		robots string
		want   policy.Extent
	}{
		// Where ACAP sets the longest conventional rule aside, the next one counts.
		{"R-DEC-2/a shorter rule behind one that is set aside",
			lines("User-agent: *", "Disallow: /bb", "Allow: /*b*", "ACAP-crawler: *", "ACAP-allow-crawl: /*b"),
			policy.ExtentSome},
		{"R-DEC-2/behind one that a member of a set sets aside",
			lines("User-agent: *", "Disallow: /bb", "Allow: /*b*", "ACAP-resource-set: s /*b /c", "ACAP-crawler: *",
				"ACAP-allow-crawl: the-acap:resource-set:s"), policy.ExtentSome},
		{"R-DEC-2/a member that another one of the set hides",
			lines("User-agent: *", "Disallow: /bb", "Allow: /*b*", "ACAP-resource-set: s /*b /bb", "ACAP-crawler: *",
				"ACAP-allow-crawl: the-acap:resource-set:s"), policy.ExtentAll},
		{"R-DEC-2/R-DEF-3/a member that brings back what another one sets aside",
			lines("User-agent: *", "Disallow: /*b", "Allow: /*b*b", "ACAP-resource-set: s /*b /bc", "ACAP-crawler: *",
				"ACAP-allow-crawl: the-acap:resource-set:s"), policy.ExtentSome},
		{"R-DEC-2/R-DEF-3/the same where the sets are written differently",
			lines("User-agent: *", "Disallow: *b", "ACAP-resource-set: s /*b /bc", "ACAP-crawler: *",
				"ACAP-allow-crawl: the-acap:resource-set:s"), policy.ExtentSome},
		{"R-DEC-2/none is set aside",
			lines("User-agent: *", "Disallow: /bb", "Allow: /*b*", "ACAP-crawler: *", "ACAP-allow-crawl: /*c"),
			policy.ExtentAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := decide.NewSite(read(test.robots), decide.Answered, decide.Options{Profile: decide.ProfilePilot})
			if got := extent.NewPathClasses(site.For("*", ""), 0).Extent(policy.Crawl, time.Time{}); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestExtentAtATime(t *testing.T) {
	file := scene{
		robots: acap(
			"ACAP-disallow-index: /",
			"ACAP-allow-index: /a time-limit=until-2001-01-01",
			"ACAP-allow-preserve: / time-limit=until-2001-01-01",
			"ACAP-allow-present: /",
			"ACAP-allow-present: /b time-limit=until-2001-01-01",
		),
	}.file()
	spaces := extent.NewPathClasses(decide.NewSite(file, decide.Answered, decide.Options{}).For("*", ""), 0)
	late := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		usage policy.Usage
		at    time.Time
		want  policy.Extent
	}{
		{policy.Index, time.Time{}, policy.ExtentSome}, {policy.Index, late, policy.ExtentNone},
		{policy.Preserve, time.Time{}, policy.ExtentAll}, {policy.Preserve, late, policy.ExtentNone},
		// R-DEC-8: the condition fails within
		{policy.PresentLink, time.Time{}, policy.ExtentAll}, {policy.PresentLink, late, policy.ExtentSome},
	} {
		if got := spaces.Extent(test.usage, test.at); got != test.want {
			t.Errorf("%s at %v: got %s, want %s", test.usage, test.at, got, test.want)
		}
	}
}

func TestExtentBeyondItsBudget(t *testing.T) {
	for _, test := range []struct {
		record, rule string
		want         policy.Extent
	}{
		{"ACAP-crawler", "ACAP-disallow-crawl", policy.ExtentUnknown},
		{"User-agent", "Disallow", policy.ExtentSome}, // two examples are enough
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s: *\n", test.record)
		for i := range 40 {
			fmt.Fprintf(&b, "%s: /*%c*%c*x\n", test.rule, 'a'+i%26, 'b'+i%25)
		}
		view := decide.NewSite(read(b.String()), decide.Answered, decide.Options{}).For("*", "")
		if got := extent.NewPathClasses(view, 3).Extent(policy.Crawl, time.Time{}); got != test.want {
			t.Errorf("%s: got %s, want %s", test.rule, got, test.want)
		}
	}
}

// The work of Extent ends with the budget of its view, and is not done twice for usages that the same statements speak
// of.
func TestExtentTakesSoMuch(t *testing.T) {
	var b strings.Builder
	b.WriteString("ACAP-crawler: *\n")
	for i := range 20 {
		fmt.Fprintf(&b, "ACAP-allow-index: /%c\n", 'a'+i)
	}
	site := decide.NewSite(read(b.String()), decide.Answered, decide.Options{})
	enough := cost.New(1 << 20)
	spaces := extent.NewPathClasses(site.For("*", "").Within(enough), 0)
	if got := spaces.Extent(policy.Index, time.Time{}); got != policy.ExtentAll {
		t.Errorf("index is %s", got)
	}
	spent := enough.Spent()
	if got := spaces.Extent(policy.Index, time.Time{}); got != policy.ExtentAll || enough.Spent() != spent {
		t.Errorf("index asked again is %s, and takes %d steps", got, enough.Spent()-spent)
	}
	few := cost.New(spent / 2)
	if got := extent.NewPathClasses(site.For("*", "").Within(few), 0).Extent(policy.Index, time.Time{}); got !=
		policy.ExtentUnknown {
		t.Errorf("with half the steps index is %s", got)
	}
}

// A maker makes small policies at random. Paths are of few letters, so that patterns meet.
type maker struct{ *rand.Rand }

func (m maker) pick(list ...string) string { return list[m.IntN(len(list))] }

func (m maker) pattern() string {
	p := m.pick("/", "/", "/", "*", "/*")
	for range m.IntN(4) {
		p += m.pick("a", "b", "a", "b", "*", "/")
	}
	if m.IntN(4) == 0 {
		p += "$"
	}
	return p
}

// blocks makes conventional groups and ACAP records; in any order they are one policy.
func (m maker) blocks() []string {
	var blocks []string
	for range m.IntN(3) {
		b := []string{"User-agent: " + m.pick("*", "*", "Bot", "Else")}
		for range 1 + m.IntN(3) {
			b = append(b, m.pick("Disallow: ", "Allow: ")+m.pattern())
		}
		blocks = append(blocks, lines(b...))
	}
	for range 1 + m.IntN(3) {
		b := []string{"ACAP-crawler: " + m.pick("*", "*", "Bot", "Else")}
		if m.IntN(12) == 0 {
			b = append(b, "ACAP-permissions-reference: /gone.txt")
		}
		for range 1 + m.IntN(5) {
			if m.IntN(6) == 0 {
				b = append(b, "ACAP-usage-purpose: "+m.pick("news", "n*", "*"))
			}
			resource := m.pattern()
			if m.IntN(8) == 0 {
				resource = "the-acap:resource-set:" + m.pick("s", "t")
			}
			usage := m.pick("crawl", "crawl", "index", "index", "present", "present", "present-link", "other", "other")
			if m.IntN(2) == 0 {
				b = append(b, "ACAP-disallow-"+usage+": "+resource)
			} else {
				b = append(b, "ACAP-allow-"+usage+": "+resource+m.pick("", "", "", " time-limit=until-2001-01-01",
					" odd=1"))
			}
		}
		blocks = append(blocks, lines(b...))
	}
	return blocks
}

// definitions stand before all blocks.
func (m maker) definitions() string {
	head := lines(
		"##ACAP version=1.1",
		"ACAP-resource-set: s "+m.pattern()+" "+m.pattern(),
		"ACAP-resource-set: t "+m.pattern()+" "+m.pattern()+" "+m.pattern(),
	)
	if m.IntN(8) == 0 {
		head += "ACAP-ignore-conventional-records\n"
	}
	return head
}

func read(text string) *policy.File {
	return parse.ReadRobots([]byte(text), false, parse.Options{}).File
}

// shortPaths are all paths of the letters that patterns have, and one that they do not have, up to a length.
func shortPaths(length int) []string {
	paths := []string{"/"}
	for from := 0; length > 1; length-- {
		to := len(paths)
		for ; from < to; from++ {
			for _, c := range []string{"a", "b", "/", "c"} {
				paths = append(paths, paths[from]+c)
			}
		}
	}
	return paths
}

var (
	askedUsages = []policy.Usage{policy.Crawl, policy.Index, policy.Present, policy.PresentLink, policy.Other}
	askedWho    = []struct {
		agent   policy.Agent
		purpose string
	}{{"*", ""}, {"Bot", ""}, {"Bot", "news"}}
)

func TestExtentByHand(t *testing.T) {
	paths := shortPaths(6)
	n := 240
	if !longtest.Enabled() {
		n = 40
	}
	for seed := range n {
		m := maker{rand.New(rand.NewPCG(1, uint64(seed)))}
		text := m.definitions() + strings.Join(m.blocks(), "")
		file := read(text)
		at := time.Time{}
		if seed%2 == 1 {
			at = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		opts := readings[seed%len(readings)]
		for _, who := range askedWho {
			view := decide.NewSite(file, decide.Availability(seed%3), opts).For(who.agent, who.purpose)
			spaces := extent.NewPathClasses(view, 0)
			for _, usage := range askedUsages {
				got := spaces.Extent(usage, at)
				allowed, disallowed, example := false, false, [2]string{}
				for _, path := range paths {
					if view.Decide(
						nil,
						decide.Question{Path: path, Usage: usage, At: at},
					).Decision == policy.Disallowed {
						disallowed, example[1] = true, path
					} else {
						allowed, example[0] = true, path
					}
					if allowed && disallowed {
						break
					}
				}
				want := policy.ExtentAll
				switch {
				case allowed && disallowed:
					want = policy.ExtentSome
				case disallowed:
					want = policy.ExtentNone
				}
				// A path that is longer than those tried may be what makes it "some", if it is so.
				if got == policy.ExtentSome && want != got && confirmed(view, spaces, usage, at) {
					continue
				}
				if got != want {
					t.Fatalf(
						"seed %d, %+v, %s for %s %q: got %s, want %s (allowed at %q, disallowed at %q)\n%s",
						seed,
						opts,
						usage,
						who.agent,
						who.purpose,
						got,
						want,
						example[0],
						example[1],
						text,
					)
				}
			}
		}
	}
}

// confirmed reports whether the paths of a space have both decisions.
func confirmed(view *decide.View, spaces *extent.PathClasses, u policy.Usage, at time.Time) bool {
	decisions := map[policy.Decision]bool{}
	for _, class := range spaces.Of(u).Classes {
		d := comparable(view.Decide(nil, decide.Question{Path: class.Path, Usage: u, At: at}), u)
		if u.Family() == terms.FamilyACAP && d != policy.Disallowed {
			d = policy.Allowed
		}
		decisions[d] = true
	}
	return len(decisions) > 1
}
