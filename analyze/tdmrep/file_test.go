package tdmrep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

func showRule(st policy.Statement) string {
	text := fmt.Sprintf("%d.%d %s", st.Line, st.Part, strings.TrimPrefix(show(st), "tdmrep.json -1 "))
	for _, p := range st.Patterns {
		text += " {" + p.Normal() + "}"
	}
	return text
}

func readFile(text string) (list []string) {
	for _, st := range ReadFile([]byte(text), vocabulary.Options{}) {
		list = append(list, showRule(st))
	}
	return list
}

const groups = `[
	{"location": "/directory-a/", "tdm-reservation": 1},
	{"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy":"https://provider.com/policies/policy.json"},
	{"location": "/directory-b/images/*.jpg", "tdm-reservation": 0}
]`

// R-TDM-1.
func TestReadFile(t *testing.T) {
	const of = "tdm-reservation "
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"TDMREP 5.1.2, all", `[{"location": "/", "tdm-reservation": 1}]`, []string{"1.1 " + of +
			"disallow tdm / {/}"}},
		{"TDMREP 5.1.2, groups", groups, []string{
			"1.1 " + of + "disallow tdm /directory-a/ {/directory-a/}", "2.1 " + of +
				"disallow tdm /directory-b/html/ {/directory-b/html/}",
			"2.2 tdm-policy https://provider.com/policies/policy.json recorded",
			"3.1 " + of + "allow tdm /directory-b/images/*.jpg {/directory-b/images/*.jpg}"}},
		{"a byte order mark, other members", "\xEF\xBB\xBF[{\"x\":[{}],\"location\":\"/a$\",\"tdm-reservation\":0}]",
			[]string{"1.1 " + of + "allow tdm /a$ {/a$}"}},
		{"one object without brackets", `{"location": "/", "tdm-reservation": 1}`,
			[]string{"1.1 tdm-reservation invalid !syntax"}},
		{"cut", groups[:100], []string{"1.1 tdm-reservation invalid !syntax"}},
		{"a page", "<html>", []string{"1.1 tdm-reservation invalid !syntax"}},
		{"nothing", "", []string{"1.1 tdm-reservation invalid !syntax"}},
		{"null", "null", []string{"1.1 tdm-reservation invalid !syntax"}},
		{"no rule", "[]", nil},
		{"no objects", `[1, null, {"location":"/","tdm-reservation":1}]`,
			[]string{"1.1 tdm-reservation invalid !syntax",
				"2.1 tdm-reservation invalid !syntax", "3.1 " + of + "disallow tdm / {/}"}},
		{"other values",
			`[{"location":"/","tdm-reservation":"1"},{"location":"/","tdm-reservation":true},{"location":"/"},` +
				`{"location":"/","tdm-reservation":2}]`,
			[]string{`1.1 tdm-reservation "1" invalid !unknown-preference-value {/}`,
				"2.1 tdm-reservation true invalid !unknown-preference-value {/}",
				"3.1 tdm-reservation invalid !unknown-preference-value {/}",
				"4.1 tdm-reservation 2 invalid !unknown-preference-value {/}"}},
		{"numbers", `[{"location":"/","tdm-reservation":1.0},{"location":"/","tdm-reservation":0e3}]`,
			[]string{"1.1 " + of + "disallow tdm / {/}", "2.1 " + of + "allow tdm / {/}"}},
		{"locations", `[{"tdm-reservation":1},{"location":"","tdm-reservation":1},{"location":7,"tdm-reservation":1},` +
			`{"location":"a/","tdm-reservation":1}]`,
			[]string{"1.1 " + of + "disallow tdm invalid !missing-resource", "2.1 " + of +
				"disallow tdm invalid !missing-resource",
				"3.1 " + of + "disallow tdm invalid !missing-resource", "4.1 " + of +
					"disallow tdm invalid !path-not-rooted"}},
		{"names have a letter case", `[{"Location":"/","TDM-Reservation":1}]`,
			[]string{"1.1 tdm-reservation invalid !unknown-preference-value !missing-resource"}},
		{"a policy that is no string", `[{"location":"/","tdm-reservation":0,"tdm-policy":{}}]`,
			[]string{"1.1 " + of + "allow tdm / {/}", "1.2 tdm-policy invalid !unknown-preference-value"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readFile(test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := ReadFile([]byte(groups),
		vocabulary.Options{Without: policy.RuleSet{}.With(policy.RuleReservation)}); got != nil {
		t.Errorf("without R-TDM-1: %v", got)
	}
}

func TestReadFileLimits(t *testing.T) {
	many := ReadFile([]byte("["+strings.Repeat(`{"location":"/a","tdm-reservation":1},`, 5000)+"0]"),
		vocabulary.Options{})
	if last := many[len(many)-1]; len(many) != maxRules || !last.HasDefect(policy.DefectSizeLimit) {
		t.Errorf("%d statements, the last has %v", len(many), last.Defects)
	}
	long := ReadFile([]byte(`[{"location":"/`+strings.Repeat("a", 10_000)+`","tdm-reservation":1}]`),
		vocabulary.Options{})
	if len(long[0].Raw) != maxText || len(long[0].Resource) != maxText || long[0].Patterns[0].Len() != 10_001 {
		t.Errorf("%d bytes of a rule", len(long[0].Raw))
	}
	if deep := readFile(strings.Repeat("[", 400_000)); len(deep) != 1 {
		t.Errorf("%d statements of nested arrays", len(deep))
	}
}

// The first rule in sequence counts, unless the page or its header reserves.
func TestReserve(t *testing.T) {
	rules := ReadFile([]byte(`[{"location":"/a/b","tdm-reservation":0,"tdm-policy":"/p"},`+
		`{"location":"/a","tdm-reservation":"x"},{"location":"/a","tdm-reservation":1},`+
		`{"location":"/","tdm-reservation":0}]`), vocabulary.Options{})
	for _, test := range []struct {
		path   string
		markup []policy.Markup
		want   string
	}{
		{"/a/b/c", nil, "1 allow"}, {"/a/c", nil, "3 disallow"}, {"/b", nil, "4 allow"}, {"b", nil, ""},
		{"/a/c", []policy.Markup{meta(0, "tdm-reservation", "0")}, ""},
		{"/a/c", []policy.Markup{field(0, "tdm-reservation", "0")}, ""},
		{"/a/c", []policy.Markup{field(0, "tdm-reservation", "x"), meta(1, "tdm-policy", "/q")}, "3 disallow"},
	} {
		p, got := &policy.Page{}, ""
		Vocabulary().ReadPage(test.markup, nil, vocabulary.Options{}, p)
		own := len(p.Statements)
		if _, added := Reserve(p, rules, test.path); added {
			st := p.Statements[own]
			got = fmt.Sprint(st.Line, " ", st.Sense)
		}
		if got != test.want || len(p.Statements)-own != min(len(got), 1) {
			t.Errorf("%s %v: rule %q, want %q", test.path, test.markup, got, test.want)
		}
	}
	if len(rules[len(rules)-1].Patterns) != 1 {
		t.Error("a rule lost its pattern")
	}
}

// FuzzReadFile: any bytes give statements within the limits, and only rules with a pattern and a sense count.
func FuzzReadFile(f *testing.F) {
	f.Add([]byte(groups))
	f.Add([]byte(`[{"location":"a","tdm-reservation":"1","tdm-policy":[]},null,[[]],{}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		list := ReadFile(body, vocabulary.Options{})
		for i, st := range list {
			if st.Status.Decides() != (len(st.Patterns) == 1 && st.Sense != policy.NoSense &&
				st.Status == policy.Valid) ||
				i > 0 && st.Line < list[i-1].Line || len(st.Raw) > maxText || len(st.Resource) > maxText {
				t.Errorf("%+v", st)
			}
		}
		Reserve(&policy.Page{}, list, "/a")
	})
}
