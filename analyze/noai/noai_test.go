package noai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// R-NOAI-1.
func TestStatement(t *testing.T) {
	recorded := func(field string) policy.Statement {
		return policy.Statement{Vocabulary: policy.NoAI, Field: field, Status: policy.Recorded}
	}
	prohibited := recorded("noai")
	prohibited.Sense, prohibited.Usage, prohibited.Status = policy.Disallow, policy.TrainAI, policy.Valid
	without := policy.RuleSet{}.With(policy.RuleNoAI)
	for _, test := range []struct {
		directive string
		without   policy.RuleSet
		want      policy.Statement
		ok        bool
	}{
		{"noai", policy.RuleSet{}, prohibited, true},
		{"noimageai", policy.RuleSet{}, recorded("noimageai"), true},
		{"noai", without, recorded("noai"), true},
		{"noimageai", without, recorded("noimageai"), true},
		{"noindex", policy.RuleSet{}, policy.Statement{}, false},
		{"NOAI", policy.RuleSet{}, policy.Statement{}, false},
		{"", policy.RuleSet{}, policy.Statement{}, false},
	} {
		got, ok := Statement(test.directive, test.without)
		if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
			t.Errorf("%q: %t\n%s", test.directive, ok, diff)
		}
	}
}
