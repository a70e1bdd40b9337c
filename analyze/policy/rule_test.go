package policy_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// The rules are those of docs/semantics.md, all of them, in its order.
func TestRulesAreThoseOfTheSemantics(t *testing.T) {
	text, err := os.ReadFile("../../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, row := range regexp.MustCompile(`(?m)^\| (R-[A-Z]+-[0-9]+) \|`).FindAllStringSubmatch(string(text), -1) {
		want = append(want, row[1])
	}
	var got []string
	for _, r := range policy.Rules() {
		got = append(got, r.String())
		if back, ok := policy.ParseRule(r.String()); !ok || back != r {
			t.Errorf("%s is read as %s", r, back)
		}
		for _, words := range []string{r.Text(), r.Source(), r.Without()} {
			if words == "" || strings.HasSuffix(words, ".") {
				t.Errorf("%s: %q is no part of a sentence", r, words)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 60 {
		t.Error(diff)
	}
}

// Each constant has the id that its comment names: rules.csv has the order of the constants.
func TestRulesHaveTheirConstants(t *testing.T) {
	source, err := os.ReadFile("rule.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`(?m)^\tRule\w+ .*// (R-[A-Z]+-[0-9]+)$`).FindAllStringSubmatch(string(source), -1)
	var want, got []string
	for i, c := range regexp.MustCompile(`(?m)^\tRule\w+ .*$`).FindAllString(string(source), -1) {
		want, got = append(want, policy.Rule(i+1).String()), append(got, c[strings.Index(c, "R-"):])
	}
	if diff := cmp.Diff(want, got); diff != "" || len(constants) != len(policy.Rules()) {
		t.Errorf("%d constants with an id (-rules.csv +comments):\n%s", len(constants), diff)
	}
}

// What explain says of a rule's source is what docs/semantics.md says of its origin, if shorter: it begins with the
// same document, and names no other.
func TestRulesHaveTheirOriginInTheSemantics(t *testing.T) {
	text, err := os.ReadFile("../../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	documents := []struct{ origin, source string }{
		{"S0", "ACAP 1.1 part 2"}, {"S1", "Robots PI 1.0"}, {"S2", "Implementation Guide"}, {"S3", "ACAP part 1"},
		{"S4", "Common REP directives"}, {"RFC", "RFC 9309"}, {"ours", "our choice"},
		{"ATTACH", "AIPREF attachment draft"}, {"VOCAB", "AIPREF vocabulary draft"},
		{"TDMREP", "TDMRep report"},
	}
	// named lists the documents in the order in which the text names them first.
	named := func(text string, name func(i int) string) (list []int) {
		for i := range documents {
			if strings.Contains(text, name(i)) {
				list = append(list, i)
			}
		}
		slices.SortFunc(list, func(a, b int) int { return strings.Index(text, name(a)) - strings.Index(text, name(b)) })
		return list
	}
	seen := 0
	rows := regexp.MustCompile(`(?m)^\| (R-[A-Z]+-[0-9]+) \|.*\| ([^|]+) \|$`)
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		r, _ := policy.ParseRule(row[1])
		if strings.HasPrefix(row[1], "R-MAP-") || r == policy.RuleOneSense {
			continue // their tables have another last column, and R-DEC-0 follows from the others
		}
		seen++
		origin := named(row[2], func(i int) string { return documents[i].origin })
		source := named(r.Source(), func(i int) string { return documents[i].source })
		if len(source) == 0 || len(origin) == 0 || source[0] != origin[0] {
			t.Errorf("%s comes from %q, and docs/semantics.md has %q", r, r.Source(), row[2])
			continue
		}
		for _, i := range source {
			if !slices.Contains(origin, i) {
				t.Errorf("%s names %s, and docs/semantics.md has %q", r, documents[i].source, row[2])
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d origins were compared", seen)
	}
}

func TestRuleSet(t *testing.T) {
	all := policy.Rules()
	set := policy.RuleSet{}.With(all[0]).With(policy.RuleCrawl)
	for _, r := range all {
		if set.Has(r) != (r == all[0] || r == policy.RuleCrawl) {
			t.Errorf("%s", r)
		}
	}
	if set != (policy.RuleSet{}.With(policy.RuleCrawl).With(all[0])) {
		t.Error("the order in which rules are added matters")
	}
	if got := set.With(policy.RuleNarrowest).String(); got != "R-LEX-1,R-DEC-5,R-DEC-11" {
		t.Errorf("the set is %s", got)
	}
}

func TestRuleUnknown(t *testing.T) {
	if r, ok := policy.ParseRule("R-DEC-99"); ok || r.String() != "invalid(0)" {
		t.Errorf("R-DEC-99 is %s", r)
	}
}
