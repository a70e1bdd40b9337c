package acap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// What is read of a robots.txt differs where a rule is left out, as policy.Rule.Without says.
func TestRobotsWithout(t *testing.T) {
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		text          []string
		with, without []string
	}{
		{"R-LEX-5", policy.RuleFieldCase, []string{"ACAP-crawler: *", "ACAP-Allow-Index: /a", "acap-allow-(Q): /b",
			"ACAP-allow-(Q): /c", "ACAP-qualified-usage: q index time-limit=1-days"},
			[]string{"2.1 acap-allow-index /a", "3.1 acap-allow-(q) =index /b {time-limit=1-days}",
				"4.1 acap-allow-(q) =index /c {time-limit=1-days}",
				"5.1 acap-qualified-usage [] recorded !definition-late"},
			[]string{"2.1 acap-allow-index ignored !unknown-field", "3.1 acap-allow-(q) ignored !unknown-field",
				"4.1 acap-allow-(q) =index /c {time-limit=1-days}",
				"5.1 acap-qualified-usage [] recorded !definition-late"}},
		{"R-LEX-6", policy.RuleRepairs, []string{"ACAP-crawler: *", "ACAP-allow-index /a", "ACAP-allow preserve: /",
			"ACAP-allow-present-links: /", "ACAP-resource-set: s /a",
			"ACAP-allow-index: acap:resource-set:s"},
			[]string{"2.1 acap-allow-index /a repaired !missing-colon",
				"3.1 acap-allow-preserve / repaired !space-for-hyphen",
				"4.1 acap-allow-present-link / repaired !present-links",
				"5.1 acap-resource-set /a [] recorded !definition-late",
				"6.1 acap-allow-index acap:resource-set:s repaired !pilot-namespace"},
			[]string{"2.1 acap-allow-index /a invalid !missing-colon",
				"3.1 acap-allow-preserve / invalid !space-for-hyphen",
				"4.1 acap-allow-present-link / invalid !present-links",
				"5.1 acap-resource-set /a [] recorded !definition-late",
				"6.1 acap-allow-index acap:resource-set:s invalid !pilot-namespace"}},
		{"R-PAT-1", policy.RulePattern, []string{"ACAP-crawler: *", "ACAP-allow-index: *.gif",
			"ACAP-resource-set: s /a *b", "ACAP-allow-crawl: the-acap:resource-set:s"},
			[]string{"2.1 acap-allow-index *.gif", "3.1 acap-resource-set /a *b [] recorded !definition-late",
				"4.1 acap-allow-crawl the-acap:resource-set:s"},
			[]string{"2.1 acap-allow-index *.gif invalid !path-not-rooted",
				"3.1 acap-resource-set /a *b [] recorded !definition-late !path-not-rooted",
				"3.2 acap-resource-set *b [] invalid !path-not-rooted",
				"4.1 acap-allow-crawl the-acap:resource-set:s"}},
		{"R-AGENT-1", policy.RuleAgentName, []string{"ACAP-crawler: MSNPTC/1.0", "ACAP-crawler: b c", "ACAP-crawler:",
			"ACAP-allow-crawl: /"},
			[]string{"4.1 acap-allow-crawl / [MSNPTC b]", "line 1: crawler-name-syntax", "line 2: crawler-name-syntax",
				"line 3: crawler-name-syntax"},
			[]string{"4.1 acap-allow-crawl / [MSNPTC/1.0 b c]", "line 3: crawler-name-syntax"}},
		{"R-REC-1", policy.RuleApart, []string{"ACAP-crawler: a", "ACAP-allow-crawl: /a", "Disallow: /",
			"ACAP-allow-crawl: /b"},
			[]string{"2.1 acap-allow-crawl /a [a]", "4.1 acap-allow-crawl /b [a]", "line 3: conventional-in-record"},
			[]string{"2.1 acap-allow-crawl /a [a]", "4.1 acap-allow-crawl /b [] ignored !rule-outside-record",
				"line 3: conventional-in-record"}},
		{"R-REC-2", policy.RuleRecord, []string{"ACAP-crawler: a", "ACAP-crawler: b", "ACAP-allow-crawl: /"},
			[]string{"3.1 acap-allow-crawl / [a b]"},
			[]string{"3.1 acap-allow-crawl / [b]", "line 1: record-without-rules"}},
		{"R-REC-3", policy.RuleSubRecord, []string{"ACAP-crawler: *", "ACAP-allow-crawl: /a", "ACAP-usage-purpose: p",
			"ACAP-allow-crawl: /b"},
			[]string{"2.1 acap-allow-crawl /a", "4.1 acap-allow-crawl /b <p>"},
			[]string{"2.1 acap-allow-crawl /a", "4.1 acap-allow-crawl /b"}},
		{"R-REC-4", policy.RuleSeveralAny, []string{"ACAP-crawler: *", "ACAP-allow-crawl: /a", "ACAP-crawler: *",
			"ACAP-allow-crawl: /b", "ACAP-crawler: c", "ACAP-crawler: *", "ACAP-allow-crawl: /c"},
			[]string{"2.1 acap-allow-crawl /a", "4.1 acap-allow-crawl /b", "7.1 acap-allow-crawl /c [c *]",
				"line 3: several-any-records", "line 5: several-any-records", "line 6: any-with-named"},
			[]string{"2.1 acap-allow-crawl /a", "4.1 acap-allow-crawl /b [] invalid !several-any-records",
				"7.1 acap-allow-crawl /c [c]",
				"line 3: several-any-records", "line 5: several-any-records", "line 6: any-with-named"}},
		{"R-REC-5", policy.RuleOutside, []string{"ACAP-allow-crawl: /"},
			[]string{"1.1 acap-allow-crawl / [] ignored !rule-outside-record"},
			[]string{"1.1 acap-allow-crawl / !rule-outside-record"}},
		{"R-REC-6", policy.RuleIgnoreREP, []string{"ACAP-ignore-conventional-records"},
			[]string{"1.1 acap-ignore-conventional-records [] recorded", "conventional records ignored"},
			[]string{"1.1 acap-ignore-conventional-records [] recorded"}},
		{"R-DEF-1", policy.RuleDefinition, []string{"ACAP-crawler: *", "ACAP-allow-(q): the-acap:resource-set:s",
			"ACAP-composite-usage: c (q)", "ACAP-qualified-usage: q index time-limit=1-days",
			"ACAP-resource-set: s /a", "ACAP-allow-(q): the-acap:resource-set:s"},
			[]string{"2.1 acap-allow-(q) =index the-acap:resource-set:s {time-limit=1-days}",
				"3.1 acap-composite-usage [] recorded !definition-late",
				"4.1 acap-qualified-usage [] recorded !definition-late",
				"5.1 acap-resource-set /a [] recorded !definition-late",
				"6.1 acap-allow-(q) =index the-acap:resource-set:s {time-limit=1-days}"},
			[]string{"2.1 acap-allow-(q) the-acap:resource-set:s invalid !undefined-name",
				"3.1 acap-composite-usage [] recorded !definition-late !undefined-name",
				"4.1 acap-qualified-usage [] recorded !definition-late",
				"5.1 acap-resource-set /a [] recorded !definition-late",
				"6.1 acap-allow-(q) =index the-acap:resource-set:s {time-limit=1-days}"}},
		{"R-DEF-2", policy.RuleLocalUsage, []string{"ACAP-qualified-usage: q preserve time-limit=3-days",
			"ACAP-crawler: *", "ACAP-allow-(q): /", "ACAP-disallow-(q): /"},
			[]string{"1.1 acap-qualified-usage [] recorded", "3.1 acap-allow-(q) =preserve / {time-limit=3-days}",
				"4.1 acap-disallow-(q) / invalid !local-usage-in-prohibition"},
			[]string{"1.1 acap-qualified-usage [] recorded", "3.1 acap-allow-(q) / ignored !unknown-usage",
				"4.1 acap-disallow-(q) / ignored !unknown-usage"}},
		{"R-REF-1", policy.RuleReference, []string{"ACAP-crawler: a", "ACAP-permissions-reference: /other",
			"ACAP-allow-crawl: /"},
			[]string{"2.1 acap-permissions-reference /other [a] recorded !fields-with-reference",
				"3.1 acap-allow-crawl / [a]", "reference /other"},
			[]string{"2.1 acap-permissions-reference /other [a] recorded", "3.1 acap-allow-crawl / [a]"}},
		{"R-ACT-1", policy.RuleRequest, []string{"ACAP-crawler: a", "ACAP-request-take-down: /x", "ACAP-crawler: b",
			"ACAP-allow-crawl: /"},
			[]string{"2.1 acap-request-take-down /x [a] recorded", "4.1 acap-allow-crawl / [b]"},
			[]string{"2.1 acap-request-take-down [a] ignored !unknown-field", "4.1 acap-allow-crawl / [a b]"}},
		{"R-USE-1", policy.RuleUnknownUsage, []string{"ACAP-crawler: *", "ACAP-allow-print: /"},
			[]string{"2.1 acap-allow-print / ignored !unknown-usage"},
			[]string{"2.1 acap-allow-print / invalid !unknown-usage"}},
		{"R-QUAL-1", policy.RuleQualifiedProhibition,
			[]string{"ACAP-crawler: *", "ACAP-disallow-index: / time-limit=3-days"},
			[]string{"2.1 acap-disallow-index / !qualified-prohibition"},
			[]string{"2.1 acap-disallow-index / invalid !qualified-prohibition"}},
		{"R-QUAL-2", policy.RuleOddQualifier, []string{"ACAP-crawler: *",
			"ACAP-allow-index: / colour=red time-limit=3-days max-length=2-words"},
			[]string{"2.1 acap-allow-index / {colour=red} {time-limit=3-days} {max-length=2-words} " +
				"!unknown-qualifier !qualifier-not-for-usage"},
			[]string{"2.1 acap-allow-index / {time-limit=3-days} !unknown-qualifier !qualifier-not-for-usage"}},
		{"R-QUAL-3", policy.RuleQualifierPlace, []string{"ACAP-crawler: *",
			"ACAP-allow-index: / max-length=2-words location=", "ACAP-allow-crawl: / location=http://x/"},
			[]string{"2.1 acap-allow-index / {max-length=2-words} {location=} !qualifier-not-for-usage " +
				"!qualifier-not-for-source !unknown-qualifier-value",
				"3.1 acap-allow-crawl / {location=http://x/} !qualifier-not-for-source"},
			[]string{"2.1 acap-allow-index / {max-length=2-words} {location=} !unknown-qualifier-value",
				"3.1 acap-allow-crawl / {location=http://x/}"}},
		{"R-VER-1, 1.1", policy.RuleVersion, []string{"##ACAP version=1.0", "ACAP-crawler: *",
			"ACAP-allow-other: / ref=x", "ACAP-request-take-down: /"},
			[]string{"3.1 acap-allow-other / {ref=x} ignored !version-gate",
				"4.1 acap-request-take-down / recorded !pilot-feature"},
			[]string{"3.1 acap-allow-other / {ref=x}", "4.1 acap-request-take-down / recorded"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(without policy.RuleSet) []string {
				f := robots(strings.Join(test.text, "\n"), Options{Without: without})
				all := showFile(f)
				if f.IgnoreConventional {
					all = append(all, "conventional records ignored")
				}
				for _, r := range f.References {
					all = append(all, "reference "+r.Locator)
				}
				return all
			}
			checkWithout(t, test.rule, read, test.with, test.without)
		})
	}
}

// What is read of a page differs where a rule is left out.
func TestPageWithout(t *testing.T) {
	site := robots("ACAP-qualified-usage: q index time-limit=1-days", Options{})
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		markup        []policy.Markup
		with, without []string
	}{
		{"R-AGENT-1", policy.RuleAgentName, []policy.Markup{meta(1, "bot/2.0", "ACAP allow-index")},
			[]string{"1.1 acap-allow-index [bot] !crawler-name-syntax"}, []string{"1.1 acap-allow-index [bot/2.0]"}},
		{"R-META-1", policy.RuleMeta, []policy.Markup{meta(1, "a", "ACAP allow-index"),
			meta(2, "description", "ACAP is a thing"), meta(3, "", "ACAP allow-index")},
			[]string{"1.1 acap-allow-index [a]", "2 acap-text"}, []string{"1.1 acap-allow-index", "2 acap-text"}},
		{"R-META-2", policy.RuleMetaContent, []policy.Markup{meta(1, "robots", "ACAP allow-index"),
			meta(2, "robots", "ACAP version 1.1 allow-other ref=x"), meta(3, "robots", "ACAP")},
			[]string{"1.1 acap-allow-index", "2.1 acap-version recorded",
				"2.2 acap-allow-other {ref=x} !several-in-one-meta", "3.1 acap invalid !syntax", "version 1.1"},
			[]string{"1.1 acap recorded", "2.1 acap-version recorded", "3.1 acap recorded", "version 1.1"}},
		{"R-META-3", policy.RuleMetaSeveral, []policy.Markup{meta(1, "robots", "ACAP allow-index, disallow-follow"),
			meta(2, "robots", "ACAP version 1.1 allow-crawl")},
			[]string{"1.1 acap-allow-index !several-in-one-meta", "1.2 acap-disallow-follow !several-in-one-meta",
				"2.1 acap-version recorded", "2.2 acap-allow-crawl !several-in-one-meta", "version 1.1"},
			[]string{"1.1 acap-allow-index !several-in-one-meta", "2.1 acap-version recorded",
				"2.2 acap-allow-crawl !several-in-one-meta", "version 1.1"}},
		{"R-META-4", policy.RuleMetaVersion, []policy.Markup{meta(1, "robots", "ACAP version 1.1"),
			meta(2, "robots", "ACAP allow-other ref=x")},
			[]string{"1.1 acap-version recorded", "2.1 acap-allow-other {ref=x}", "version 1.1"},
			[]string{"1.1 acap-version recorded", "2.1 acap-allow-other {ref=x} ignored !version-gate"}},
		{"R-CLASS-1", policy.RuleClass, []policy.Markup{class(1, "the-acap:disallow-index"),
			class(2, "the-acap:allow-(q)")},
			[]string{"1.1 acap-disallow-index", "2.1 acap-allow-(q) =index {time-limit=1-days}"}, nil},
		{"R-DEF-2", policy.RuleLocalUsage, []policy.Markup{class(2, "the-acap:allow-(q)")},
			[]string{"2.1 acap-allow-(q) =index {time-limit=1-days}"},
			[]string{"2.1 acap-allow-(q) ignored !unknown-usage"}},
		{"R-LEX-6", policy.RuleRepairs, []policy.Markup{class(2, "acap:allow-index")},
			[]string{"2.1 acap-allow-index repaired !pilot-namespace"},
			[]string{"2.1 acap-allow-index invalid !pilot-namespace"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(without policy.RuleSet) []string {
				p := page(site, Options{Without: without}, test.markup...)
				all := showPage(p)
				if p.Version.Stated() {
					all = append(all, fmt.Sprintf("version %s", p.Version.Text))
				}
				return all
			}
			checkWithout(t, test.rule, read, test.with, test.without)
		})
	}
}

// checkWithout compares what is read with a rule and without it.
func checkWithout(t *testing.T, rule policy.Rule, read func(policy.RuleSet) []string, with, without []string) {
	t.Helper()
	if diff := cmp.Diff(with, read(policy.RuleSet{})); diff != "" {
		t.Errorf("with %s (-want +got):\n%s", rule, diff)
	}
	if diff := cmp.Diff(without, read(policy.RuleSet{}.With(rule))); diff != "" {
		t.Errorf("without %s (-want +got):\n%s", rule, diff)
	}
	if slices.Equal(with, without) {
		t.Errorf("%s changes nothing", rule)
	}
}
