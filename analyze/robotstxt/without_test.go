package robotstxt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// What is read differs where a rule is left out, as policy.Rule.Without says.
func TestWithout(t *testing.T) {
	long := "a: /" + strings.Repeat("x", DefaultLimit)
	for _, test := range []struct {
		name          string
		rule          policy.Rule
		body          string
		truncated     bool
		with, without []string
	}{
		{"R-LEX-1, line ends", policy.RuleLines, "a: 1\rb: 2\r\nc: 3\n", false,
			[]string{"1 a=1", "2 b=2", "3 c=3"}, []string{"1 a=1\rb: 2\r", "2 c=3"}},
		{"R-LEX-1, no end", policy.RuleLines, "a: 1\nb: 2", false, []string{"1 a=1", "2 b=2"},
			[]string{"1 a=1", "2 b=2"}},
		{"R-LEX-1, a cut line", policy.RuleLines, "a: 1\nb: 2\rc: 3", true, []string{"1 a=1", "2 b=2"},
			[]string{"1 a=1"}},
		{"R-LEX-1, a byte order mark", policy.RuleLines, "\xEF\xBB\xBFa: 1", false, []string{"1 a=1"},
			[]string{"1 \uFEFFa=1"}},
		{"R-LEX-1, UTF-16", policy.RuleLines, "\xFF\xFEa\x00:\x001\x00", false, []string{"1 a=1"},
			[]string{"1 \xFF\xFEa\x00=\x001\x00"}},
		{"R-LEX-2, behind a value", policy.RuleComments, "a: 1 # one\n  # b: 2\n", false, []string{"1 a=1"},
			[]string{"1 a=1 # one"}},
		{"R-LEX-3", policy.RuleMarker, "##ACAP version=1.1\n", false, []string{"version 1.1"}, nil},
		{"R-LEX-3, its defects", policy.RuleMarker, "\n###ACAP version=1.1\n", false,
			[]string{"version 1.1", "marker-not-first", "marker-extra-hashes"}, nil},
		{"R-LEX-4", policy.RuleNBSP, "a:\u00a01\nb: \xA02\n", false, []string{"1 a=1", "2 b=2", "nbsp"},
			[]string{"1 a=\u00a01", "2 b=\xA02"}},
		{"R-LEX-8, the limit", policy.RuleSizeLimit, "a: /\n" + long, false, []string{"1 a=/", "size-limit"},
			[]string{"1 a=/", "2 a=" + long[3:]}},
		{"R-LEX-8, cut by the archive", policy.RuleSizeLimit, "a: /\nb: /p", true, []string{"1 a=/"},
			[]string{"1 a=/", "2 b=/p"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(without policy.RuleSet) (all []string) {
				doc := Parse([]byte(test.body), Options{Truncated: test.truncated, Without: without})
				for line := range doc.Lines() {
					all = append(all, fmt.Sprintf("%d %s=%s", line.Number, line.Field, line.Value))
				}
				if doc.Marker.Found() {
					all = append(all, "version "+doc.Marker.Version)
				}
				for _, d := range doc.Defects {
					all = append(all, string(d))
				}
				return all
			}
			if diff := cmp.Diff(test.with, read(policy.RuleSet{})); diff != "" {
				t.Errorf("with the rule (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.without, read(policy.RuleSet{}.With(test.rule))); diff != "" {
				t.Errorf("without the rule (-want +got):\n%s", diff)
			}
		})
	}
}
