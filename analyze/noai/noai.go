// Package noai makes statements of the directives noai and noimageai, which stand among conventional directives in
// METAs and X-Robots-Tag. No specification defines them. It decides nothing.
package noai

import "github.com/acapscan/acapscan/analyze/policy"

// Statement returns the statement of a directive, in lower case, and false for any other directive. It sets Vocabulary,
// Field, Sense, Usage and Status: noai is a prohibition of training, and noimageai is only recorded, since no usage is
// about images alone. R-NOAI-1.
func Statement(directive string, without policy.RuleSet) (st policy.Statement, ok bool) {
	st = policy.Statement{Vocabulary: policy.NoAI, Field: directive, Status: policy.Recorded}
	switch {
	case directive == "noai" && !without.Has(policy.RuleNoAI):
		st.Sense, st.Usage, st.Status = policy.Disallow, policy.TrainAI, policy.Valid
	case directive != "noai" && directive != "noimageai":
		return policy.Statement{}, false
	}
	return st, true
}
