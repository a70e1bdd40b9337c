package reading

import (
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/extract"
)

// A rule that is left out of Options is left out by what reads lines, by both vocabularies and here.
func TestWithout(t *testing.T) {
	const page = `<?xml version="1.0"?><html><head><?robots index="no" follow="no"?><meta name="robots" content="ACAP allow-index"/>` +
		`<meta name="robots" content="noindex"/></head></html>`
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		robots        string
		with, without []string // of a robots.txt, or else of the page
	}{
		{"R-LEX-1", policy.RuleLines, "ACAP-crawler: *\rACAP-allow-index: /", []string{"2 acap acap-allow-index valid"}, nil},
		{"R-USE-1", policy.RuleUnknownUsage, "ACAP-crawler: *\nACAP-allow-print: /", []string{"2 acap acap-allow-print ignored"}, []string{"2 acap acap-allow-print invalid"}},
		{"R-MAP-1", policy.RuleMapRobots, "User-agent: *\nDisallow: /", []string{"2 rep disallow valid"}, []string{"2 rep disallow recorded"}},
		{"R-META-2", policy.RuleMetaContent, "", []string{"meta acap acap-allow-index valid", "meta rep noindex valid", "pi rep robots valid", "pi rep robots valid"},
			[]string{"meta acap acap recorded", "meta rep noindex valid", "pi rep robots valid", "pi rep robots valid"}},
		{"R-MAP-2", policy.RuleMapIndex, "", []string{"meta acap acap-allow-index valid", "meta rep noindex valid", "pi rep robots valid", "pi rep robots valid"},
			[]string{"meta acap acap-allow-index valid", "meta rep noindex recorded", "pi rep robots valid", "pi rep robots valid"}},
		{"R-PARSE-1", policy.RuleParser, "", []string{"meta acap acap-allow-index valid", "meta rep noindex valid", "pi rep robots valid", "pi rep robots valid"},
			[]string{"meta acap acap-allow-index valid", "meta rep noindex valid", "pi rep robots recorded", "pi rep robots recorded"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(without policy.RuleSet) []string {
				opts := Options{Without: without}
				if test.robots != "" {
					return show(ReadRobots([]byte(test.robots), false, opts).Statements)
				}
				fact := extract.Page([]byte(page), "", nil)
				return show(ReadPage(&fact, nil, opts).Statements)
			}
			if got := read(policy.RuleSet{}); !slices.Equal(got, test.with) {
				t.Errorf("with the rule: %q", got)
			}
			if got := read(policy.RuleSet{}.With(test.rule)); !slices.Equal(got, test.without) {
				t.Errorf("without the rule: %q", got)
			}
		})
	}
	if NotRobots([]byte("<html>"), Options{Without: policy.RuleSet{}.With(policy.RuleNotRobots)}) {
		t.Error("R-LEX-7")
	}
}
