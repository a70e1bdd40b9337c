package parse

import (
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
)

// A rule that is left out of Options is left out by what reads lines, by both vocabularies and here.
func TestWithout(t *testing.T) {
	const page = `<?xml version="1.0"?><html><head><?robots index="no" follow="no"?><meta name="robots" ` +
		`content="ACAP allow-index"/>` +
		`<meta name="robots" content="noindex"/></head></html>`
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		robots        string
		with, without []string // of a robots.txt, or else of the page
	}{
		{"R-LEX-1", policy.RuleLines, "ACAP-crawler: *\rACAP-allow-index: /", []string{"2 acap acap-allow-index valid"},
			nil},
		{"R-USE-1", policy.RuleUnknownUsage, "ACAP-crawler: *\nACAP-allow-print: /",
			[]string{"2 acap acap-allow-print ignored"}, []string{"2 acap acap-allow-print invalid"}},
		{"R-MAP-1", policy.RuleMapRobots, "User-agent: *\nDisallow: /", []string{"2 rep disallow valid"},
			[]string{"2 rep disallow recorded"}},
		{"R-META-2", policy.RuleMetaContent, "", []string{"meta acap acap-allow-index valid", "meta rep noindex valid",
			"pi rep robots valid", "pi rep robots valid"}, []string{"meta acap acap recorded", "meta rep noindex valid",
			"pi rep robots valid", "pi rep robots valid"}},
		{"R-MAP-2", policy.RuleMapIndex, "", []string{"meta acap acap-allow-index valid", "meta rep noindex valid",
			"pi rep robots valid", "pi rep robots valid"}, []string{"meta acap acap-allow-index valid",
			"meta rep noindex recorded", "pi rep robots valid", "pi rep robots valid"}},
		{"R-PARSE-1", policy.RuleParser, "", []string{"meta acap acap-allow-index valid", "meta rep noindex valid",
			"pi rep robots valid", "pi rep robots valid"}, []string{"meta acap acap-allow-index valid",
			"meta rep noindex valid", "pi rep robots recorded", "pi rep robots recorded"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(without policy.RuleSet) []string {
				opts := Options{Without: without}
				if test.robots != "" {
					return show(ReadRobots([]byte(test.robots), false, opts).Statements)
				}
				fact := markup.Page([]byte(page), "", nil)
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

// Whatever rules are left out and repairs refused, any bytes can be read, and what is read keeps its form.
func FuzzReadWithout(f *testing.F) {
	f.Add([]byte("\xEF\xBB\xBF##ACAP version=1.0\rUser-agent: *\nACAP-qualified-usage: q present-links "+
		"max-length=2-words\nACAP-crawler *\nACAP-allow-(q): acap:resource-set:s # x\nACAP-resource-set: s /a* "+
		"*b$\nACAP-permissions-reference: /x\nACAP-usage-purpose: p\nACAP-disallow-other: / ref=x\n"),
		`<meta name=“a/1” content=“ACAP version 1.1 p allow-index, disallow-other ref=x”><p `+
			`class="acap:allow-(q)"><?robots index="no" follow="no" ?>`, "a: noindex, max-snippet:0",
		uint64(1<<63-1), uint64(1<<63-1), true)
	f.Fuzz(func(t *testing.T, body []byte, text, field string, low, high uint64, refuse bool) {
		var opts Options
		for _, rule := range policy.Rules() {
			if (rule < 64 && low>>rule&1 == 1) || (rule >= 64 && high>>(rule-64)&1 == 1) {
				opts.Without = opts.Without.With(rule)
			}
		}
		if refuse {
			opts.Refuse = policy.Repairs()
		}
		r := ReadRobots(body, refuse, opts)
		fact := markup.Page([]byte(text), "", capture.Header{{Name: []byte("X-Robots-Tag"), Value: []byte(field)}})
		page := ReadPage(&fact, r.File, opts)
		for _, st := range append(slices.Clone(r.Statements), page.Statements...) {
			switch {
			case st.Status < policy.Valid || st.Status > policy.Recorded || st.Part < 1:
				t.Errorf("got %+v", st)
			case refuse && st.Status == policy.Repaired:
				t.Errorf("repaired, though every repair is refused: %v", show([]policy.Statement{st}))
			case st.Status.Decides() && (st.Sense == policy.NoSense || st.Usage == policy.NoUsage ||
				len(st.Agents) == 0):
				// a group whose agents have no name speaks to no one
				if st.Vocabulary != policy.REP || st.Source != policy.RobotsTxt {
					t.Errorf("it decides nothing: %v", show([]policy.Statement{st}))
				}
			}
		}
	})
}
