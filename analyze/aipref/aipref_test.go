package aipref

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// show writes a statement in a line: place, what it says, and what is unusual.
func show(st policy.Statement) string {
	at := int64(st.Line)
	if st.OfPage() {
		at = st.Offset
	}
	words := []string{fmt.Sprintf("%d.%d", at, st.Part)}
	if st.Sense != policy.NoSense {
		words = append(words, st.Sense.String(), st.Usage.String())
	}
	if st.Resource != "" {
		words = append(words, st.Resource)
	}
	for _, p := range st.Patterns {
		words = append(words, "{"+p.Normal()+"}")
	}
	if !slices.Equal(st.Agents, []policy.Agent{policy.AnyAgent}) {
		words = append(words, fmt.Sprint(st.Agents))
	}
	if st.Status != policy.Valid {
		words = append(words, st.Status.String())
	}
	for _, d := range st.Defects {
		words = append(words, "!"+string(d))
	}
	return strings.Join(words, " ")
}

func read(text string, options vocabulary.Options) (list []string) {
	f := &policy.File{}
	doc := robotstxt.Parse([]byte(text), robotstxt.Options{Without: options.Without})
	Vocabulary().ReadRobots(doc, options, f)
	for _, st := range f.Statements {
		list = append(list, show(st))
	}
	return list
}

func readFields(options vocabulary.Options, values ...string) (list []string) {
	var markup []policy.Markup
	for i, value := range values {
		name, value, _ := strings.Cut(value, ":")
		markup = append(markup, policy.Markup{Source: policy.HTTPHeader, Offset: int64(i), Name: name, Value: value,
			Raw: name + ":" + value})
	}
	p := &policy.Page{}
	Vocabulary().ReadPage(markup, nil, options, p)
	for _, st := range p.Statements {
		list = append(list, show(st))
	}
	return list
}

func TestReadRobots(t *testing.T) {
	const any = "User-agent: *\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"ATTACH 3.4",
			"User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n" +
				"Content-Usage: /ai-ok/ train-ai=y\n\n" +
				"User-Agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n",
			[]string{"4.1 disallow train-ai {/}", "5.1 allow train-ai /ai-ok/ {/ai-ok/}",
				"9.1 allow train-ai {/} [ExampleBot]"}},
		{"two keys", any + "Content-Usage: train-ai=n, search=y\n", []string{"2.1 disallow train-ai {/}",
			"2.2 allow search {/}"}},
		{"letter case of the field", any + "CONTENT-usage : train-ai=n\n", []string{"2.1 disallow train-ai {/}"}},
		{"a rule ends the names of a group",
			"User-agent: a\nContent-Usage: search=n\nUser-agent: b\nContent-Usage: search=y\n",
			[]string{"2.1 disallow search {/} [a]", "4.1 allow search {/} [b]"}},
		{"other fields do not", "User-agent: a\nSitemap: x\nUser-agent: b\nContent-Usage: search=n\n",
			[]string{"4.1 disallow search {/} [a b]"}},
		{"tab after the path", any + "Content-Usage: /a\t search=n\n", []string{"2.1 disallow search /a {/a}"}},
		{"wildcards", any + "Content-Usage: /*.gif$ search=n\n", []string{"2.1 disallow search /*.gif$ {/*.gif$}"}},
		{"encoded blank in the path", any + "Content-Usage: /a%20b%09 search=n\n",
			[]string{"2.1 disallow search /a%20b%09 {/a%20b%09}"}},
		{"a star begins no path", any + "Content-Usage: *.gif search=n\n", []string{"2.1 {/} invalid !syntax"}},
		{"a comment ends the value", any + "Content-Usage: search=n # all\n", []string{"2.1 disallow search {/}"}},
		{"a comment within a string", any + "Content-Usage: search=n, x=\"#\"\n", []string{"2.1 {/} invalid !syntax"}},
		{"no blank after the path", any + "Content-Usage: /train-ai=n\n",
			[]string{"2.1 /train-ai=n recorded !missing-preference"}},
		{"path alone", any + "Content-Usage: /a\n", []string{"2.1 /a recorded !missing-preference"}},
		{"nothing", any + "Content-Usage:\n", []string{"2.1 recorded !missing-preference"}},
		{"outside", "Content-Usage: search=n, ai=n\n" + any,
			[]string{"1.1 disallow search {/} [] ignored !rule-outside-record",
				"1.2 ai=n [] recorded !rule-outside-record"}},
		{"other keys and values", any + "Content-Usage: /a genai=n;x, train-ai=no, search, search=n\n",
			[]string{"2.1 genai=n;x recorded", "2.2 train-ai=no recorded !unknown-preference-value",
				"2.3 search recorded !unknown-preference-value !repeated-key", "2.4 disallow search /a {/a}"}},
		{"repeated", any + "Content-Usage: search=n, search=y\n",
			[]string{"2.1 disallow search {/} ignored !repeated-key", "2.2 allow search {/}"}},
		{"capital letters", any + "Content-Usage: Train-AI=n\n", []string{"2.1 {/} invalid !syntax"}},
		{"not a dictionary", any + "Content-Usage: /a train-ai=n search=y\n", []string{"2.1 /a {/a} invalid !syntax"}},
		{"no-break space", any + "Content-Usage:\u00a0search=n\n", []string{"2.1 disallow search {/} !nbsp"}},
		{"no colon", any + "Content-Usage search=n\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(test.text, vocabulary.Options{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadPage(t *testing.T) {
	for _, test := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"ATTACH 1.2", []string{"Content-Type: text/plain", "Content-Usage: train-ai=n"},
			[]string{"1.1 disallow train-ai"}},
		{"none", []string{"X-Robots-Tag: train-ai=n"}, nil},
		{"two fields are one dictionary", []string{"content-usage: train-ai=n, search=n",
			"Content-Usage: search=y, ai"},
			[]string{"0.1 disallow train-ai", "0.2 disallow search ignored !repeated-key", "1.1 allow search",
				"1.2 ai recorded"}},
		{"a field spoils another", []string{"Content-Usage: train-ai=n", "Content-Usage: search=y,"},
			[]string{"0.1 invalid !syntax", "1.1 invalid !syntax"}},
		{"an empty field, too", []string{"Content-Usage: train-ai=n", "Content-Usage:"},
			[]string{"0.1 invalid !syntax", "1.1 invalid !syntax"}},
		{"empty", []string{"Content-Usage: "}, []string{"0.1 recorded !missing-preference"}},
		{"a path has no place there", []string{"Content-Usage: /a train-ai=n"}, []string{"0.1 invalid !syntax"}},
		{"a string over two fields", []string{`Content-Usage: x="a`, `Content-Usage: b", search=n`},
			[]string{`0.1 x="a,b" recorded`, "1.1 disallow search"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readFields(vocabulary.Options{}, test.fields...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A META is no carrier of preferences.
func TestReadPageNoMETA(t *testing.T) {
	p := &policy.Page{}
	Vocabulary().ReadPage([]policy.Markup{{Source: policy.Meta, Name: "content-usage", Value: "train-ai=n"}}, nil,
		vocabulary.Options{}, p)
	if len(p.Statements) > 0 {
		t.Errorf("%+v", p.Statements)
	}
}

// What is read differs where a rule is left out, as policy.Rule.Without says.
func TestWithout(t *testing.T) {
	for _, test := range []struct {
		rule   policy.Rule
		text   string
		fields []string
		want   []string
	}{
		{policy.RuleFieldCase, "User-agent: *\ncontent-usage: search=n\nContent-Usage: search=y\n", nil,
			[]string{"3.1 allow search {/}"}},
		{policy.RuleOutside, "Content-Usage: search=n\n", nil,
			[]string{"1.1 disallow search {/} !rule-outside-record"}},
		{policy.RulePattern, "User-agent: *\nContent-Usage: /*.a$ search=n\n", nil,
			[]string{"2.1 disallow search /*.a$ {/%2A.a%24}"}},
		{policy.RuleUsageLine, "User-agent: *\nContent-Usage: /a search=n\n", nil,
			[]string{"2.1 /a search=n recorded"}},
		{policy.RuleDictionary, "User-agent: *\nContent-Usage: Search = N;x ,, genai=y, search=y, train-ai=n,\n", nil,
			[]string{"2.1 disallow search {/} ignored !repeated-key", "2.2 genai=y recorded", "2.3 allow search {/}",
				"2.4 disallow train-ai {/}"}},
		{policy.RuleDictionary, "", []string{"Content-Usage: SEARCH=n", "Content-Usage: ,train-ai=Y"},
			[]string{"0.1 disallow search", "1.1 allow train-ai"}},
		{policy.RuleUsageHeader, "", []string{"Content-Usage: search=n"}, []string{"0.1  search=n recorded"}},
	} {
		t.Run(test.rule.String(), func(t *testing.T) {
			options := vocabulary.Options{Without: policy.RuleSet{}.With(test.rule)}
			got := read(test.text, options)
			if test.fields != nil {
				got = readFields(options, test.fields...)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Statements that decide nothing are limited; those that decide are not.
func TestManyKeys(t *testing.T) {
	var text strings.Builder
	text.WriteString("User-agent: *\nContent-Usage: ")
	for i := range 10_000 {
		fmt.Fprintf(&text, "k%d=n, search=n, ", i)
	}
	text.WriteString("train-ai=y\n")
	got := read(text.String(), vocabulary.Options{})
	want := []string{"2.17 disallow search {/}", "2.18 allow train-ai {/} !size-limit"}
	if diff := cmp.Diff(want, got[len(got)-2:]); diff != "" || len(got) != 18 {
		t.Errorf("%d statements:\n%s", len(got), diff)
	}
}

// FuzzVocabulary: a robots.txt has for each usage and line at most one statement that decides; a preference in a header
// decides as the same one in a robots.txt.
func FuzzVocabulary(f *testing.F) {
	f.Add("train-ai=n, search=y", false)
	f.Add("/a train-ai=n", false)
	f.Add("search=n, search", true)
	f.Fuzz(func(t *testing.T, value string, lenient bool) {
		var options vocabulary.Options
		if lenient {
			options.Without = options.Without.With(policy.RuleDictionary)
		}
		file := &policy.File{}
		doc := robotstxt.Parse([]byte("User-agent: *\nContent-Usage: "+value), robotstxt.Options{})
		Vocabulary().ReadRobots(doc, options, file)
		type place struct {
			line  int
			usage policy.Usage
		}
		seen := map[place]policy.Sense{}
		for _, st := range file.Statements {
			if st.Status != policy.Valid {
				continue
			}
			at := place{st.Line, st.Usage}
			if seen[at] != policy.NoSense || st.Sense == policy.NoSense || len(st.Patterns) != 1 {
				t.Errorf("%+v", st)
			}
			seen[at] = st.Sense
		}
		if strings.ContainsAny(value, "#\r\n\v\f\u00a0") || strings.IndexByte(value, 0xA0) >= 0 ||
			strings.HasPrefix(strings.TrimLeft(value, " \t"), "/") {
			return // these mean more in a robots.txt
		}
		page := &policy.Page{}
		Vocabulary().ReadPage([]policy.Markup{{Source: policy.HTTPHeader, Name: "Content-Usage", Value: value}}, nil,
			options, page)
		for _, st := range page.Statements {
			if st.Status == policy.Valid && seen[place{2, st.Usage}] != st.Sense {
				t.Errorf("the header has %+v, and the file %v", st, seen)
			}
		}
	})
}
