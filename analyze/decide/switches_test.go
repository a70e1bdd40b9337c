package decide_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
)

// decidingRules are those that Options.Without heeds.
func decidingRules() []policy.Rule {
	rules := []policy.Rule{
		policy.RulePattern,
		policy.RulePurposeName,
		policy.RuleResourceSet,
		policy.RuleReference,
		policy.RuleQualifierPlace,
	}
	for _, r := range policy.Rules() {
		if r >= policy.RuleREPFile && r <= policy.RuleUnstated {
			rules = append(rules, r)
		}
	}
	return rules
}

// Each rule makes a difference, and what is done without it is what Rule.Without says.
func TestWithout(t *testing.T) {
	twice := acap("ACAP-disallow-index: /a", "ACAP-allow-index: /a")
	tests := map[policy.Rule][]struct {
		scene
		question      string
		with, without string // head and show
	}{
		policy.RulePattern: {{scene{robots: lines("User-agent: *", "Disallow: /")}, "* crawl /robots.txt",
			"allowed silence R-PAT-1; lost 2 R-PAT-1", "disallowed rep-robots R-REP-1; by 2"}},
		policy.RulePurposeName: {
			{scene{robots: acap("ACAP-usage-purpose: N*", "ACAP-disallow-index: /")}, "* index / <news>",
				"disallowed acap-robots R-DEC-0; by 4", "allowed silence R-DEC-12"},
			{scene{robots: acap("ACAP-usage-purpose: News", "ACAP-disallow-index: /")}, "* index / <news>",
				"disallowed acap-robots R-DEC-0; by 4", "allowed silence R-DEC-12"},
			{scene{robots: acap("ACAP-usage-purpose: *", "ACAP-disallow-index: /")}, "* index /",
				"disallowed acap-robots R-DEC-0; by 4", "allowed silence R-DEC-12"},
			{
				scene{robots: acap("ACAP-allow-index: /", "ACAP-usage-purpose: news", "ACAP-disallow-index: /")},
				"* index / <news>",
				"disallowed acap-robots R-DEC-3 R-DEC-0; by 5; lost 3 R-DEC-3",
				"disallowed acap-robots R-DEC-3 R-DEC-0; by 5; lost 3 R-DEC-3",
			},
		},
		policy.RuleResourceSet: {
			{scene{robots: lines("##ACAP version=1.1", "ACAP-resource-set: s / /a/b", "ACAP-crawler: *",
				"ACAP-allow-index: the-acap:resource-set:s", "ACAP-disallow-index: /a")}, "* index /a/b",
				"allowed acap-robots R-DEC-5 R-DEC-0; by 4; lost 5 R-DEC-5",
				"disallowed acap-robots R-DEC-5 R-DEC-0; by 5; lost 4 R-DEC-5"},
		},
		policy.RuleReference: {
			{scene{robots: acap("ACAP-permissions-reference: /gone.txt")}, "* index /",
				"disallowed reference-unresolved R-REF-1", "allowed silence R-DEC-12"},
			{
				scene{robots: acap("ACAP-permissions-reference: /there.txt"), referred: acap("ACAP-disallow-index: /")},
				"* index /",
				"disallowed acap-robots R-DEC-0; by 103",
				"allowed silence R-DEC-12",
			},
		},
		policy.RuleQualifierPlace: {
			{scene{robots: acap("ACAP-allow-index: / location=http://other.example/")}, "* index /",
				"conditional acap-robots R-DEC-0; by 3; if location=http://other.example/",
				"disallowed location-mismatch R-DEC-0 R-DEC-9; by 3"},
		},
		policy.RuleREPFile: {
			{scene{robots: lines("User-agent: *", "Disallow: /", "Allow: /a")}, "* crawl /a",
				"allowed rep-robots R-REP-1; by 3; lost 2 R-REP-1",
				"disallowed rep-robots R-REP-1; by 2; lost 3 R-REP-1"},
			{scene{robots: lines("User-agent: *", "Disallow: /", "User-agent: Bot", "Allow: /a")}, "Bot crawl /a",
				"allowed rep-robots R-REP-1; by 4; lost 2 R-REP-1", "allowed rep-robots R-REP-1; by 4; lost 2 R-REP-1"},
		},
		policy.RuleREPPage: {{scene{page: metas("robots: index"), headers: []string{"noindex"}}, "* index /",
			"disallowed rep-page R-REP-2; by header 1; lost meta 1 R-REP-2",
			"allowed rep-page R-REP-2; by meta 1; lost header 1 R-REP-2"}},
		policy.RuleREPAnswer: {
			{
				scene{answer: decide.Unreachable},
				"* crawl /",
				"disallowed robots-unreachable R-REP-3",
				"allowed silence R-DEC-12",
			},
			{
				scene{answer: decide.NotCaptured},
				"* crawl /",
				"allowed robots-not-captured R-REP-3",
				"allowed silence R-DEC-12",
			},
		},
		policy.RuleREPParser: {{scene{mediaType: "application/xhtml+xml",
			page: `<?xml version="1.0"?><?robots index="yes" follow="yes"?><html><head><meta name="robots" ` +
				`content="noindex"/></head></html>`}, "* index /",
			"allowed rep-page R-REP-4 R-REP-2; by pi 1; lost meta 1 R-REP-4",
			"disallowed rep-page R-REP-2; by meta 1; lost pi 1 R-REP-2"}},
		policy.RuleOneSense: {
			{
				scene{robots: acap("ACAP-allow-index: /")},
				"* index /",
				"allowed acap-robots R-DEC-0; by 3",
				"disallowed undetermined R-DEC-7; lost 3 R-DEC-7",
			},
			{
				scene{robots: acap("ACAP-disallow-index: /")},
				"* index /",
				"disallowed acap-robots R-DEC-0; by 3",
				"disallowed undetermined R-DEC-7; by 3",
			},
		},
		policy.RuleEmbedded: {
			{scene{robots: acap("ACAP-disallow-index: /"), page: metas("robots: ACAP allow-index")}, "* index /",
				"allowed acap-page R-DEC-1 R-DEC-0; by meta 1; lost 3 R-DEC-1",
				"disallowed acap-robots R-DEC-0 R-DEC-2; by 3; lost meta 1 R-DEC-2"},
			{scene{robots: lines("User-agent: *", "Disallow: /"), page: metas("robots: ACAP allow-crawl")}, "* crawl /",
				"allowed acap-page R-DEC-1 R-DEC-0; by meta 1; lost 2 R-DEC-1",
				"disallowed rep-robots R-DEC-0 R-REP-1 R-DEC-2; by 2; lost meta 1 R-DEC-2"},
		},
		policy.RuleACAPFirst: {
			{
				scene{robots: lines("User-agent: *", "Disallow: /", "ACAP-crawler: *", "ACAP-allow-crawl: /")},
				"* crawl /",
				"allowed acap-robots R-DEC-2 R-DEC-0; by 4; lost 2 R-DEC-2",
				"disallowed rep-robots R-DEC-0 R-REP-1 R-DEC-2; by 2; lost 4 R-DEC-2",
			},
			{scene{page: metas("robots: ACAP allow-index", "robots: noindex")}, "* index /",
				"allowed acap-page R-DEC-2 R-DEC-0; by meta 1; lost meta 2 R-DEC-2",
				"disallowed rep-page R-DEC-0 R-REP-2 R-DEC-2; by meta 2; lost meta 1 R-DEC-2"},
			{
				scene{robots: lines("User-agent: *", "Disallow: /", "ACAP-crawler: *", "ACAP-allow-crawl: /")},
				"* crawl / pilot",
				"allowed acap-robots R-DEC-2 R-DEC-0; by 4; lost 2 R-DEC-2",
				"disallowed rep-robots R-DEC-0 R-REP-1 R-DEC-2; by 2; lost 4 R-DEC-2",
			},
		},
		policy.RulePurpose: {
			{
				scene{robots: acap("ACAP-disallow-index: /a", "ACAP-usage-purpose: news", "ACAP-allow-index: /")},
				"* index /a <news>",
				"allowed acap-robots R-DEC-3 R-DEC-0; by 5; lost 3 R-DEC-3",
				"disallowed acap-robots R-DEC-5 R-DEC-0; by 3; lost 5 R-DEC-5",
			},
		},
		policy.RuleNamedAgent: {
			{scene{robots: acap("ACAP-disallow-index: /a", "ACAP-crawler: Bot", "ACAP-allow-index: /")}, "Bot index /a",
				"allowed acap-robots R-DEC-4 R-DEC-0; by 5; lost 3 R-DEC-4",
				"disallowed acap-robots R-DEC-5 R-DEC-0; by 3; lost 5 R-DEC-5"},
			{
				scene{
					robots: acap(
						"ACAP-allow-index: /a",
						"ACAP-crawler: Bot",
						"ACAP-permissions-reference: /gone.txt",
						"ACAP-crawler: Bot",
						"ACAP-disallow-index: /",
					),
				},
				"Bot index /a",
				"disallowed acap-robots R-DEC-4 R-DEC-0; by 7; lost 3 R-DEC-4",
				"disallowed reference-unresolved R-REF-1; lost 3 R-REF-1, 7 R-REF-1",
			},
		},
		policy.RuleNarrowest: {{scene{robots: acap("ACAP-disallow-index: /", "ACAP-allow-index: /a")}, "* index /a",
			"allowed acap-robots R-DEC-5 R-DEC-0; by 4; lost 3 R-DEC-5",
			"disallowed undetermined R-DEC-7; by 3; lost 4 R-DEC-7"}},
		policy.RuleCharacters: {{scene{robots: acap("ACAP-disallow-index: /*b", "ACAP-allow-index: /a")}, "* index /ab",
			"allowed acap-robots R-DEC-6 R-DEC-0; by 4; lost 3 R-DEC-6",
			"disallowed undetermined R-DEC-7; by 3; lost 4 R-DEC-7"}},
		policy.RuleUndetermined: {
			{
				scene{robots: twice},
				"* index /a",
				"disallowed undetermined R-DEC-7; by 3; lost 4 R-DEC-7",
				"allowed undetermined R-DEC-7; by 4; lost 3 R-DEC-7",
			},
			{scene{robots: acap("ACAP-disallow-index: /a", "ACAP-allow-index: /a time-limit=3-days")}, "* index /a",
				"disallowed undetermined R-DEC-7; by 3; lost 4 R-DEC-7",
				"conditional undetermined R-DEC-7; by 4; lost 3 R-DEC-7; if time-limit=3-days"},
		},
		policy.RuleTogether: {
			{scene{robots: acap("ACAP-allow-index: / time-limit=3-days", "ACAP-allow-index: /a")}, "* index /a",
				"conditional acap-robots R-DEC-0 R-DEC-8; by 3, 4; if time-limit=3-days",
				"allowed acap-robots R-DEC-0 R-DEC-8; by 4; lost 3 R-DEC-8"},
			{
				scene{robots: acap("ACAP-allow-index: / time-limit=3-days", "ACAP-allow-index: / time-limit=4-days")},
				"* index /a",
				"conditional acap-robots R-DEC-0 R-DEC-8; by 3, 4; if time-limit=3-days time-limit=4-days",
				"conditional acap-robots R-DEC-0 R-DEC-8; by 3; lost 4 R-DEC-8; if time-limit=3-days",
			},
		},
		policy.RuleLocation: {
			{scene{page: metas("robots: ACAP allow-index location=http://pub.example/b")}, "* index /a",
				"disallowed location-mismatch R-DEC-0 R-DEC-9; by meta 1",
				"conditional acap-page R-DEC-0; by meta 1; if location=http://pub.example/b"},
			{scene{page: metas("robots: ACAP allow-index location=http://pub.example/a")}, "* index /a",
				"allowed acap-page R-DEC-0 R-DEC-9; by meta 1",
				"conditional acap-page R-DEC-0; by meta 1; if location=http://pub.example/a"},
		},
		policy.RuleExpiry: {
			{scene{robots: acap("ACAP-allow-index: / time-limit=until-2001-01-01")}, "* index / @2002-01-01",
				"disallowed expired R-DEC-0 R-DEC-10; by 3",
				"conditional acap-robots R-DEC-0; by 3; if time-limit=until-2001-01-01"},
		},
		policy.RuleCrawl: {{scene{robots: lines("User-agent: *", "Disallow: /")}, "* index /",
			"disallowed crawl-prohibited R-REP-1 R-DEC-11; by 2; if crawled allowed", "allowed silence R-DEC-12"}},
		policy.RuleSilence: {
			{scene{robots: lines("# nothing")}, "* index /", "allowed silence R-DEC-12", "disallowed silence R-DEC-12"},
			// Silence of crawl is no statement (R-DEC-11).
			{
				scene{robots: acap("ACAP-allow-index: /")},
				"* index /",
				"allowed acap-robots R-DEC-0; by 3",
				"allowed acap-robots R-DEC-0; by 3",
			},
			{
				scene{answer: decide.NotCaptured},
				"* index /",
				"allowed robots-not-captured R-REP-3",
				"allowed robots-not-captured R-REP-3",
			},
		},
		policy.RuleOther: {
			{
				scene{robots: acap("ACAP-disallow-other: /")},
				"* index /",
				"disallowed acap-robots R-DEC-13 R-DEC-0; by 3",
				"allowed silence R-DEC-12",
			},
		},
		policy.RulePreferenceFile: {
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: /a train-ai=y")},
				"* train-ai /a", "allowed ai-robots R-PREF-1; by 3; lost 2 R-PREF-1",
				"disallowed ai-robots R-PREF-1; by 2; lost 3 R-PREF-1"},
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=y", "Content-Usage: train-ai=n")},
				"* train-ai /", "disallowed ai-robots R-PREF-1; by 3; lost 2 R-PREF-1",
				"allowed ai-robots R-PREF-1; by 2; lost 3 R-PREF-1"},
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=n", "User-agent: Bot", "Allow: /")},
				"Bot train-ai /", "unstated no-preference R-PREF-1 R-PREF-4; lost 2 R-PREF-1",
				"unstated no-preference R-PREF-1 R-PREF-4; lost 2 R-PREF-1"},
		},
		policy.RulePreferences: {
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=n"),
				headers: []string{"Content-Usage: train-ai=y"}}, "* train-ai /",
				"disallowed ai-robots R-PREF-2 R-PREF-1; by 2; lost header 1 R-PREF-2",
				"allowed ai-page R-PREF-2 R-PREF-1; by header 1; lost 2 R-PREF-2"},
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=n"),
				headers: []string{"Content-Usage: search=n"}}, "* train-ai /", "disallowed ai-robots R-PREF-1; by 2",
				"disallowed ai-robots R-PREF-1; by 2"},
		},
		policy.RulePreferenceCrawl: {
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=y", "Disallow: /a")}, "* train-ai /a",
				"unstated crawl-prohibited R-PREF-3; lost 2 R-PREF-3; if crawled allowed",
				"allowed ai-robots R-PREF-1; by 2"},
			{scene{robots: lines("User-agent: *", "Content-Usage: train-ai=y", "Disallow: /a"),
				headers: []string{"Content-Usage: train-ai=n"}}, "* train-ai /a",
				"disallowed ai-page R-PREF-2 R-PREF-3; by header 1; lost 2 R-PREF-3",
				"disallowed ai-page R-PREF-2 R-PREF-1; by header 1; lost 2 R-PREF-2"},
		},
		policy.RuleUnstated: {
			{scene{robots: lines("User-agent: *", "Content-Usage: search=n")}, "* train-ai /",
				"unstated no-preference R-PREF-4", "allowed no-preference R-PREF-4"},
			{scene{answer: decide.Unreachable}, "* train-ai /",
				"unstated robots-unreachable R-PREF-4 R-REP-3", "allowed robots-unreachable R-PREF-4 R-REP-3"},
		},
		policy.RuleElements: {
			{scene{page: `<html><body><p class="the-acap:disallow-index">x</p></body></html>`}, "* index /",
				"allowed silence R-DEC-12; without elements disallowed: disallow index p",
				"allowed silence R-DEC-12; without elements allowed: disallow index p"},
		},
	}
	for _, rule := range decidingRules() {
		differ := false
		for _, test := range tests[rule] {
			t.Run(rule.String()+"/"+test.question, func(t *testing.T) {
				file := test.file()
				page := test.pageOf(file)
				agent, purpose, q, opts := ask(test.question).read(t)
				decided := func(opts decide.Options) string {
					d := decide.NewSite(file, test.answer, opts).For(agent, purpose).Decide(page, q)
					return strings.TrimSuffix(head(d)+"; "+test.show(d), "; ")
				}
				if got := decided(opts); got != test.with {
					t.Errorf("with it\n got %s\nwant %s", got, test.with)
				}
				opts.Without = opts.Without.With(rule)
				if got := decided(opts); got != test.without {
					t.Errorf("without it\n got %s\nwant %s", got, test.without)
				}
			})
			differ = differ || test.with != test.without
		}
		if !differ {
			t.Errorf("%s: no case differs without it", rule)
		}
	}
}

// The paths that an exploration finds are all that the decisions need, whatever rules are left out.
func TestExtentByHandWithout(t *testing.T) {
	paths := append(shortPaths(5), "/robots.txt")
	rules := decidingRules()
	for seed := range 4 * len(rules) {
		m := maker{rand.New(rand.NewPCG(7, uint64(seed)))}
		text := m.definitions() + strings.Join(m.blocks(), "")
		opts := readings[seed%len(readings)]
		opts.Without = opts.Without.With(rules[seed%len(rules)])
		if seed%3 == 0 {
			opts.Without = opts.Without.With(rules[m.IntN(len(rules))])
		}
		if seed%5 == 0 {
			text += lines("User-agent: *", "Disallow: /robots.txt")
		}
		file := read(text)
		at := time.Time{}
		if seed%2 == 1 {
			at = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		for _, who := range askedWho {
			view := decide.NewSite(file, decide.Availability(seed%3), opts).For(who.agent, who.purpose)
			spaces := extent.NewPathClasses(view, 0)
			for _, usage := range askedUsages {
				got := spaces.Extent(usage, at)
				found := map[bool]string{}
				for _, path := range paths {
					if path == "/robots.txt" && !opts.Without.Has(policy.RulePattern) {
						continue
					}
					found[view.Decide(nil, decide.Question{Path: path, Usage: usage,
						At: at}).Decision == policy.Disallowed] = path
				}
				want := policy.ExtentSome
				if len(found) == 1 {
					want = policy.ExtentAll
					if _, disallowed := found[true]; disallowed {
						want = policy.ExtentNone
					}
				}
				if got != want && !(got == policy.ExtentSome && confirmed(view, spaces, usage, at)) {
					t.Fatalf(
						"seed %d, %+v, %s for %s %q: got %s, want %s: %v\n%s",
						seed,
						opts,
						usage,
						who.agent,
						who.purpose,
						got,
						want,
						found,
						text,
					)
				}
			}
		}
	}
}
