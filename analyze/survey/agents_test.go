package survey

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/output/table"
)

// agentLines writes rows of table agents as "agent raw namedIn root/extent rep acap rules group deciding basis".
func agentLines(rows *Rows) (lines []string) {
	for _, r := range rowsOf(rows.Agents) {
		side := func(d *table.Decision, e *table.Extent) string {
			if d == nil || e == nil {
				return "-"
			}
			return string(*d) + "/" + string(*e)
		}
		line := func(n *int32) string {
			if n == nil {
				return "-"
			}
			return fmt.Sprint(*n)
		}
		lines = append(lines, fmt.Sprintf("%s %s [%s] %s %s %s %d %s %s %q %s", r.Agent, value(r.AgentRaw),
			strings.Join(r.NamedIn, " "), side(&r.RootDecision, &r.CrawlExtent),
			side(r.REPRootDecision, r.REPCrawlExtent), side(r.ACAPRootDecision, r.ACAPCrawlExtent), r.Rules,
			line(r.GroupLine), line(r.DecidingLine), value(r.DecidingRaw), r.Basis))
	}
	return lines
}

func TestAgentRows(t *testing.T) {
	for _, test := range []struct {
		name, body string
		opts       Options
		want       []string
	}{
		{"nothing", "", Options{}, []string{`*  [] allowed/all - - 0 - - "" silence`}},
		{"no rule that can be read", "User-agent: *\nDisallow: x\n", Options{}, []string{
			`* * [rep] allowed/all allowed/all - 0 1 - "" silence`,
		}},
		{"groups that share names", "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nUser-agent: *\n" +
			"Disallow: /p\nDisallow:\nUser-agent: ccbot\nAllow: /open\nUser-agent: Slurp\n", Options{}, []string{
			`* * [rep] allowed/some allowed/some - 2 4 - "" silence`,
			`ccbot CCBot [rep] disallowed/some disallowed/some - 2 2 3 "Disallow: /" rep-robots`,
			`gptbot GPTBot [rep] disallowed/none disallowed/none - 1 1 3 "Disallow: /" rep-robots`,
			`slurp Slurp [rep] allowed/all allowed/all - 0 9 - "" silence`,
		}},
		{"names that stand twice in one list",
			"User-agent: *\nUser-agent: a\nUser-agent: *\nUser-agent: A\nDisallow: /x\n" +
				"User-agent: a\nAllow: /x/y\nUser-agent: a\nDisallow: /z\n", Options{}, []string{
				`* * [rep] allowed/some allowed/some - 1 1 - "" silence`,
				`a a [rep] allowed/some allowed/some - 3 2 - "" silence`,
			}},
		{"agents that were asked for", "User-agent: *\nDisallow: /\n", Options{Agents: []policy.Agent{"GPTBot"}},
			[]string{
				`* * [rep] disallowed/none disallowed/none - 1 1 2 "Disallow: /" rep-robots`,
				`gptbot  [] disallowed/none disallowed/none - 1 1 2 "Disallow: /" rep-robots`,
			}},
		{"what needs an exploration", "User-agent: *\nDisallow: /$\nUser-agent: a\nDisallow: /robots.txt$\n" +
			"User-agent: b\nDisallow: /\nAllow: /\nUser-agent: c\nDisallow: /*a\nDisallow: /\nAllow: /b\n",
			Options{}, []string{
				`* * [rep] disallowed/some disallowed/some - 1 1 2 "Disallow: /$" rep-robots`,
				`a a [rep] allowed/all allowed/all - 1 3 - "" silence`,
				`b b [rep] allowed/all allowed/all - 2 5 7 "Allow: /" rep-robots`,
				`c c [rep] disallowed/some disallowed/some - 3 8 10 "Disallow: /" rep-robots`,
			}},
		{"both vocabularies", "User-agent: *\nDisallow: /\nUser-agent: Slurp\nDisallow: /p\nACAP-crawler: *\n" +
			"ACAP-allow-crawl: /\nACAP-crawler: NewsBot\nACAP-disallow-crawl: /news/\nACAP-disallow-index: /\n",
			Options{}, []string{
				`* * [rep acap] allowed/all disallowed/none allowed/all 2 1 6 "ACAP-allow-crawl: /" acap-robots`,
				`newsbot NewsBot [acap] allowed/some disallowed/none allowed/some 3 1 6 "ACAP-allow-crawl: /" ` +
					`acap-robots`,
				`slurp Slurp [rep] allowed/all allowed/some allowed/all 2 3 6 "ACAP-allow-crawl: /" acap-robots`,
			}},
		{"conventional rules that ACAP sets aside", "User-agent: *\nDisallow: /\nACAP-ignore-conventional-records\n",
			Options{}, []string{
				`* * [rep] allowed/all disallowed/none - 1 1 - "" silence`,
			}},
		{"a disabled rule", "User-agent: *\nDisallow: /\nAllow: /a\n",
			Options{Decide: decide.Options{Without: policy.RuleSet{}.With(policy.RuleREPFile)}}, []string{
				`* * [rep] disallowed/none disallowed/none - 2 1 2 "Disallow: /" rep-robots`,
			}},
		{"no verbatim text", "User-agent: *\nDisallow: /\n", Options{NoVerbatim: true}, []string{
			`* * [rep] disallowed/none disallowed/none - 1 1 2 "" rep-robots`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := surveyed(t, test.opts, robots(file, 1, test.body))
			if diff := cmp.Diff(test.want, agentLines(rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, r := range rowsOf(rows.Agents) {
				if *r.FullyBlocked != (r.CrawlExtent == "none") || *r.FullyAllowed != (r.CrawlExtent == "all") ||
					!r.Complete ||
					r.HostName == "" || r.Site != example {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// Sites without a robots.txt in force have no rows, whatever was asked for.
func TestAgentsOfSitesWithoutRobots(t *testing.T) {
	rows := surveyed(t, Options{Agents: []policy.Agent{"GPTBot"}}, status("http://absent.example/robots.txt", 1, 404),
		status("http://broken.example/robots.txt", 1, 503), page("http://pages.example/a", 1, "robots", "noindex"))
	if got := agentLines(rows); got != nil {
		t.Errorf("rows %v", got)
	}
}

// A site that names too many agents has rows for the first, and each says that others are missing.
func TestAgentsAreLimited(t *testing.T) {
	var b strings.Builder
	for i := range 2 * audience.MaxAgents {
		fmt.Fprintf(&b, "User-agent: bot%04d\nDisallow: /%d\n", i, i)
	}
	rows := rowsOf(surveyed(t, Options{Agents: []policy.Agent{"zbot"}}, robots(file, 1, b.String())).Agents)
	if len(rows) != audience.MaxAgents+1 || rows[0].Agent != "*" || rows[audience.MaxAgents].Agent != "zbot" {
		t.Errorf("%d rows, from %s to %s", len(rows), rows[0].Agent, rows[len(rows)-1].Agent)
	}
	if slices.ContainsFunc(rows, func(r table.Agent) bool { return r.Complete }) {
		t.Error("rows say that the list is complete")
	}
}

// A Noindex does not end the list of names of its group, so rules after it have a longer list. A crawler that only such
// a list names is not like one that a group without rules names.
func TestNamesAfterARuleOfAGroup(t *testing.T) {
	text := "User-agent: *\nUser-agent: a\nUser-agent: *\nNoindex: /a$\nUser-agent: b\nDisallow: /\nUser-agent: c\n"
	rows := surveyed(t, Options{Permissions: PermissionsAllSites}, robots("http://a.example/robots.txt", 1, text))
	got := map[string]string{}
	for _, p := range rowsOf(rows.Permissions) {
		if p.Usage == "crawl" {
			got[p.Agent] = string(p.Decision)
		}
	}
	want := map[string]string{"*": "disallowed", "a": "disallowed", "b": "disallowed", "c": "allowed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	clear(got)
	for _, a := range rowsOf(rows.Agents) {
		got[a.Agent] = string(a.RootDecision)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
}

// randomRobots writes a robots.txt in which few agents and paths meet often.
func randomRobots(r *rand.Rand, acap bool) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	path := func() string {
		return pick("", "/", "/", "*", "/a", "/a$", "/a/", "/*a", "/a*b", "/$", "/robots.txt", "/*.txt$", "/?q", "x",
			"/%61", "/b*/c$", "*/")
	}
	agent := func() string { return pick("*", "*", "a", "A", "b", "Bot/1.0", "c d", "") }
	var b strings.Builder
	for range r.IntN(9) {
		for range r.IntN(3) {
			fmt.Fprintf(&b, "User-agent: %s\n", agent())
		}
		for range r.IntN(4) {
			fmt.Fprintf(&b, "%s: %s\n", pick("Disallow", "Disallow", "Allow", "Noindex", "Crawl-delay"), path())
		}
		if !acap {
			continue
		}
		if r.IntN(12) == 0 {
			b.WriteString(pick("ACAP-ignore-conventional-records\n",
				"ACAP-permissions-reference: /acap.txt text/plain\n"))
		}
		for range r.IntN(2) {
			fmt.Fprintf(&b, "ACAP-crawler: %s\n", agent())
			if r.IntN(4) == 0 {
				b.WriteString("ACAP-usage-purpose: news\n")
			}
		}
		for range r.IntN(3) {
			fmt.Fprintf(&b, "ACAP-%s-%s: %s%s\n", pick("allow", "disallow"), pick("crawl", "crawl", "index", "other"),
				path(), pick("", "", " time-limit=30-days"))
		}
	}
	return b.String()
}

// rulesOf counts the rows of directives that column rules of an agents row counts.
func rulesOf(rows *Rows, a table.Agent) (n int64) {
	names := func(d table.Directive, agent string) bool {
		return slices.ContainsFunc(d.Agents, func(name string) bool { return strings.EqualFold(name, agent) })
	}
	for _, d := range rowsOf(rows.Directives) {
		if d.Site != a.Site || value(d.Usage) != "crawl" || d.Status != "valid" && d.Status != "repaired" {
			continue
		}
		switch inGroup := slices.Contains(a.NamedIn, "rep"); {
		case d.Vocabulary == "rep" && inGroup && names(d, a.Agent), d.Vocabulary == "rep" && !inGroup && names(d, "*"),
			d.Vocabulary == "acap" && len(d.Purposes) == 0 && (names(d, a.Agent) || names(d, "*")):
			n++
		}
	}
	return n
}

// Where agents and permissions speak of one site and crawler they are equal, and so are the crawlers. Rules are those
// of directives.
func TestAgentsAreAsInPermissions(t *testing.T) {
	seeds := 300
	if longtest.Enabled() {
		seeds = 4_000
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 17))
			var list []facts.Fact
			for i := range 10 {
				list = append(list, robots(fmt.Sprintf("http://host%d.example/robots.txt", i), 1,
					randomRobots(r, i%2 == 0)))
			}
			opts := Options{
				Permissions: PermissionsAllSites, Directives: DirectivesAll, Agents: []policy.Agent{"a", "z"},
			}
			switch seed % 4 {
			case 1:
				opts.Decide.Profile = decide.ProfilePilot
			case 2:
				rules := policy.Rules()
				opts.Decide.Without = policy.RuleSet{}.With(rules[r.IntN(len(rules))])
			}
			rows := surveyed(t, opts, list...)
			want := map[string]table.Permission{}
			for _, p := range rowsOf(rows.Permissions) {
				if p.Usage == "crawl" && p.Purpose == nil {
					want[p.Site+" "+p.Agent] = p
				}
			}
			for _, a := range rowsOf(rows.Agents) {
				p, ok := want[a.Site+" "+a.Agent]
				delete(want, a.Site+" "+a.Agent)
				same := ok && a.RootDecision == p.Decision && a.CrawlExtent == *p.Extent && a.Basis == p.Basis &&
					cmp.Equal(a.DecidingLine, p.DecidingLine) && cmp.Equal(a.DecidingRaw, p.DecidingRaw)
				if !same {
					t.Fatalf("seed %d: %s, agent %s: %s\npermissions: %+v", seed, a.Site, a.Agent, agentLines(rows), p)
				}
				if rules := rulesOf(rows, a); a.Rules != rules && opts.Decide.Without == (policy.RuleSet{}) {
					t.Errorf("seed %d: %s, agent %s has %d rules, %d in directives", seed, a.Site, a.Agent, a.Rules,
						rules)
				}
			}
			if len(want) > 0 {
				t.Fatalf("seed %d: permissions has rows for %v, and agents has none", seed, want)
			}
		})
	}
}
