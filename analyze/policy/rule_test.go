package policy_test

import (
	"os"
	"regexp"
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
