package rep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// besideACAP are the options next to ACAP.
var besideACAP = Options{Owned: vocabulary.NamesOf(acap.Vocabulary())}

// show writes a statement on one line:
//
//	PLACE.PART FIELD SENSE USAGE RESOURCE [AGENTS] {QUALIFIERS} STATUS !DEFECT...
//
// without what is empty, the agents where they are `*` alone, and the status of a valid statement.
func show(s policy.Statement) string {
	words := []string{fmt.Sprintf("%d.%d", s.Line, s.Part), s.Field}
	if s.Source != policy.RobotsTxt {
		words[0] = fmt.Sprintf("%d.%d", s.Offset, s.Part)
	}
	for _, word := range []string{s.Sense.String(), s.Usage.String(), s.Resource} {
		if word != "" {
			words = append(words, word)
		}
	}
	if len(s.Agents) != 1 || s.Agents[0] != policy.AnyAgent {
		words = append(words, fmt.Sprint(s.Agents))
	}
	for _, q := range s.Qualifiers {
		words = append(words, fmt.Sprintf("{%s=%s}", q.Name, q.Value))
	}
	if s.Status != policy.Valid {
		words = append(words, s.Status.String())
	}
	for _, d := range s.Defects {
		words = append(words, "!"+string(d))
	}
	return strings.Join(words, " ")
}

func showAll(statements []policy.Statement) []string {
	var all []string
	for _, s := range statements {
		all = append(all, show(s))
	}
	return all
}

func TestReadRobots(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		groups     int
		named      []policy.Agent
	}{
		{"RFC 2.2.1/a group is one or more agents, then rules",
			"User-agent: a\nuser-AGENT : b\n\n# c\nDisallow: /x\nAllow: /x/y\nUser-agent: c\nDisallow: /\n",
			[]string{"5.1 disallow disallow crawl /x [a b]", "6.1 allow allow crawl /x/y [a b]",
				"8.1 disallow disallow crawl / [c]"},
			2, []policy.Agent{"a", "b", "c"}},
		{"RFC 2.2.1/the same agent in several groups",
			"User-agent: a\nDisallow: /x\nUser-agent: *\nDisallow: /y\nUser-agent: A\nDisallow: /z\n",
			[]string{"2.1 disallow disallow crawl /x [a]", "4.1 disallow disallow crawl /y",
				"6.1 disallow disallow crawl /z [A]"}, 3, []policy.Agent{"a", "*"}},
		{"RFC 2.2.4/other fields part nothing",
			"User-agent: a\nCrawl-delay: 5\nSitemap: http://pub.example/s.xml\nUser-agent: b\nDisallow: /\nHost: x\n" +
				"Disallow: /y\n",
			[]string{"2.1 crawl-delay 5 [a] recorded", "3.1 sitemap http://pub.example/s.xml [a] recorded",
				"5.1 disallow disallow crawl / [a b]",
				"6.1 host x [a b] recorded", "7.1 disallow disallow crawl /y [a b]"}, 1, []policy.Agent{"a", "b"}},
		{"RFC 2.2.1/a group without rules", "User-agent: *\nDisallow: /\nUser-agent: a\n",
			[]string{"2.1 disallow disallow crawl /"}, 2, []policy.Agent{"*", "a"}},
		{"RFC 2.2.1/a rule before any agent", "Disallow: /\nUser-agent: a\nDisallow: /x\n",
			[]string{"1.1 disallow disallow crawl / [] ignored !rule-outside-record",
				"3.1 disallow disallow crawl /x [a]"}, 1, []policy.Agent{"a"}},
		{"R-PAT-1/an empty Disallow is valid, an empty Allow is not",
			"User-agent: *\nDisallow:\nAllow:\nDisallow: # all\n",
			[]string{"2.1 disallow disallow crawl", "3.1 allow allow crawl invalid !missing-resource",
				"4.1 disallow disallow crawl"}, 1, []policy.Agent{"*"}},
		{"R-PAT-1/not rooted", "User-agent: *\nDisallow: private/\nDisallow: *.gif$\nDisallow: http://pub.example/\n",
			[]string{"2.1 disallow disallow crawl private/ invalid !path-not-rooted",
				"3.1 disallow disallow crawl *.gif$",
				"4.1 disallow disallow crawl http://pub.example/ invalid !path-not-rooted"}, 1, []policy.Agent{"*"}},
		{"R-AGENT-1/more than a name", "User-agent: MSNPTC/1.0\nDisallow: /\n",
			[]string{"2.1 disallow disallow crawl / [MSNPTC]"}, 1, []policy.Agent{"MSNPTC"}},
		{"R-AGENT-1/no name", "User-agent:\nDisallow: /\n", []string{"2.1 disallow disallow crawl / []"}, 1, nil},
		{"R-REC-1/as if ACAP lines were not there",
			"User-agent: a\nACAP-crawler: *\nACAP-allow-crawl: /\nUser-agent: b\nDisallow: /\n",
			[]string{"5.1 disallow disallow crawl / [a b]"}, 1, []policy.Agent{"a", "b"}},
		{"R-LEX-4/a no-break space", "User-agent: *\nDisallow:\u00a0/x\n",
			[]string{"2.1 disallow disallow crawl /x !nbsp"}, 1, []policy.Agent{"*"}},
		{"R-MAP-9/robots.txt noindex", "User-agent: *\nNoindex: /x\n", []string{"2.1 noindex /x recorded"}, 1,
			[]policy.Agent{"*"}},
		{"R-LEX-5/names in any case", "USER-AGENT: *\ndisALLOW: /X\n", []string{"2.1 disallow disallow crawl /X"}, 1,
			[]policy.Agent{"*"}},
		{"no colon", "User-agent *\nDisallow /\n", nil, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &policy.File{}
			ReadRobots(robotstxt.Parse([]byte(test.text), robotstxt.Options{}), besideACAP, f)
			if diff := cmp.Diff(test.want, showAll(f.Statements)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.named, f.NamedGroups); diff != "" || f.Groups != test.groups {
				t.Errorf("%d groups, %s", f.Groups, diff)
			}
			for _, st := range f.Statements {
				if st.Vocabulary != policy.REP || st.Offset != -1 || st.Raw == "" {
					t.Errorf("got %+v", st)
				}
			}
		})
	}
}

func TestFieldsOfOthers(t *testing.T) {
	f := &policy.File{}
	text := "Content-Signal: search=yes\nContent-signal: ai-train=no\nhttp://pub.example/\nNote to you: hello\n" +
		"ACAP-odd: 1\n" + strings.Repeat("x", 41) + ": 1\n"
	ReadRobots(robotstxt.Parse([]byte(text), robotstxt.Options{}), besideACAP, f)
	if diff := cmp.Diff(map[string]int{"content-signal": 2}, f.Fields); diff != "" {
		t.Error(diff)
	}
	var many strings.Builder
	for i := range 2 * maxFields {
		fmt.Fprintf(&many, "field-%d: x\nfield-0: x\n", i)
	}
	f = &policy.File{}
	ReadRobots(robotstxt.Parse([]byte(many.String()), robotstxt.Options{}), besideACAP, f)
	if len(f.Fields) != maxFields || f.Fields["field-0"] != 2*maxFields+1 {
		t.Errorf("%d fields, %d of the first", len(f.Fields), f.Fields["field-0"])
	}
}

func FuzzReadRobots(f *testing.F) {
	f.Add("User-agent: a\nDisallow: /x # c\nAllow:\nSitemap: y\n\xffield: z")
	f.Fuzz(func(t *testing.T, text string) {
		file := &policy.File{}
		ReadRobots(robotstxt.Parse([]byte(text), robotstxt.Options{}), Options{}, file)
		for _, st := range file.Statements {
			if st.Status.Decides() != (st.Usage == policy.Crawl && st.Status == policy.Valid) || st.Status.Decides() &&
				st.Sense == policy.NoSense {
				t.Errorf("got %s", show(st))
			}
			if st.Status == policy.Invalid && len(st.Defects) == 0 {
				t.Errorf("no reason given: %s", show(st))
			}
		}
	})
}
