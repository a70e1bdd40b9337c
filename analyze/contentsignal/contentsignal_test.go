package contentsignal

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
	words := []string{fmt.Sprintf("%d.%d", st.Line, st.Part)}
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
	Vocabulary().ReadRobots(robotstxt.Parse([]byte(text), robotstxt.Options{Without: options.Without}), options, f)
	for _, st := range f.Statements {
		list = append(list, show(st))
	}
	return list
}

// R-SIG-1.
func TestReadRobots(t *testing.T) {
	const any = "User-agent: *\n"
	all := func(line int, search, input, train string) []string {
		return []string{fmt.Sprintf("%d.1 %s search {/}", line, search), fmt.Sprintf("%d.2 %s ai-input {/}", line,
			input),
			fmt.Sprintf("%d.3 %s train-ai {/}", line, train)}
	}
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"all signals", any + "Content-Signal: search=yes, ai-input=yes, ai-train=no\n", all(2, "allow", "allow",
			"disallow")},
		{"an absent signal", any + "Content-Signal: search=yes\n", []string{"2.1 allow search {/}"}},
		{"without blanks", any + "content-signal:search=no,ai-input=no,ai-train=yes\n", all(2, "disallow", "disallow",
			"allow")},
		{"blanks and capitals", any + "CONTENT-SIGNAL : Search = YES ,\tAI-Input\t=No , ai-train= no\n",
			all(2, "allow", "disallow", "disallow")},
		{"commas without a signal", any + "Content-Signal: ,search=no,,\n", []string{"2.1 disallow search {/}"}},
		{"a path", any + "Content-Signal: /blog/* search=no\n", []string{"2.1 disallow search /blog/* {/blog/*}"}},
		{"the comment of a template", any + "# (a) If a content-signal = yes, you may collect content\n" +
			"# Content-Signal: ai-train=no\n", nil},
		{"another signal", any + "Content-Signal: search=yes,ai-train=no,use=reference\n",
			[]string{"2.1 allow search {/}", "2.2 disallow train-ai {/}", "2.3 use=reference recorded"}},
		{"other values", any + "Content-Signal: search, ai-train=n, ai-input=\n",
			[]string{"2.1 search recorded !unknown-preference-value",
				"2.2 ai-train=n recorded !unknown-preference-value",
				"2.3 ai-input= recorded !unknown-preference-value"}},
		{"repeated", any + "Content-Signal: search=no, Search=yes\n",
			[]string{"2.1 disallow search {/} ignored !repeated-key", "2.2 allow search {/}"}},
		{"blank for comma", any + "Content-Signal: search=yes ai-train=no\n",
			[]string{"2.1 search=yes ai-train=no recorded !unknown-preference-value"}},
		{"nothing", any + "Content-Signal:\n", []string{"2.1 recorded !missing-preference"}},
		{"outside", "Content-Signal: ai-train=no\n" + any,
			[]string{"1.1 disallow train-ai {/} [] ignored !rule-outside-record"}},
		{"a rule of its group", "User-agent: a\nContent-Signal: search=no\nUser-agent: b\nContent-Signal: search=yes\n",
			[]string{"2.1 disallow search {/} [a]", "4.1 allow search {/} [b]"}},
		{"the vendor's group, then the site's", "# BEGIN Cloudflare Managed content\n" + any +
			"Content-Signal: search=yes,ai-train=no\n" +
			"Allow: /\n# END Cloudflare Managed Content\n\n" + any + "Content-Signal: ai-train=yes\nDisallow: /x\n",
			[]string{"3.1 allow search {/}", "3.2 disallow train-ai {/}", "8.1 allow train-ai {/}"}},
		{"AIPREF", any + "Content-Usage: train-ai=n\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(test.text, vocabulary.Options{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is read differs where a rule is left out, as policy.Rule.Without says.
func TestWithout(t *testing.T) {
	for _, test := range []struct {
		rule policy.Rule
		text string
		want []string
	}{
		{policy.RuleFieldCase, "User-agent: *\ncontent-signal: search=no\nContent-Signal: search=yes\n",
			[]string{"3.1 allow search {/}"}},
		{policy.RuleOutside, "Content-Signal: search=no\n", []string{"1.1 disallow search {/} !rule-outside-record"}},
		{policy.RuleSignal, "User-agent: *\nContent-Signal: /a search=no\n", []string{"2.1 /a search=no recorded"}},
	} {
		t.Run(test.rule.String(), func(t *testing.T) {
			got := read(test.text, vocabulary.Options{Without: policy.RuleSet{}.With(test.rule)})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzVocabulary: a second, simple reader decides the same, in any letter case.
func FuzzVocabulary(f *testing.F) {
	f.Add("search=yes, ai-train=no")
	f.Add("use=reference, AI-Input = Yes ,")
	f.Add("search=no, search, ai-train=no=no, ai-train=yes")
	f.Fuzz(func(t *testing.T, value string) {
		if strings.ContainsAny(value, "#\r\n/") || strings.IndexByte(value, 0xA0) >= 0 {
			return // these mean more in a robots.txt
		}
		want := map[policy.Usage]policy.Sense{}
		for _, part := range strings.Split(strings.ToLower(strings.ToValidUTF8(value, "?")), ",") {
			name, word, _ := strings.Cut(part, "=")
			usage, known := usages[strings.Trim(name, blanks)]
			delete(want, usage)
			switch strings.Trim(word, blanks) {
			case "yes":
				want[usage] = policy.Allow
			case "no":
				want[usage] = policy.Disallow
			}
			if !known {
				delete(want, policy.NoUsage)
			}
		}
		for _, text := range []string{value, strings.ToUpper(value)} {
			file := &policy.File{}
			doc := robotstxt.Parse([]byte("User-agent: *\nContent-Signal: "+text), robotstxt.Options{})
			Vocabulary().ReadRobots(doc, vocabulary.Options{}, file)
			got := map[policy.Usage]policy.Sense{}
			for _, st := range file.Statements {
				if st.Status == policy.Valid {
					got[st.Usage] = st.Sense
				}
			}
			if diff := cmp.Diff(want, got); diff != "" && isASCII(value) {
				t.Errorf("%q: %s", text, diff)
			}
		}
	})
}

// isASCII: other letters may have capitals in ASCII, such as the long s.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

// R-SIG-3.
func TestReadPage(t *testing.T) {
	field := func(offset int64, name, value string) policy.Markup {
		return policy.Markup{Source: policy.HTTPHeader, Offset: offset, Name: name, Value: value,
			Raw: name + ": " + value}
	}
	meta := policy.Markup{Source: policy.Meta, Name: "content-signal", Value: "ai-train=no"}
	for _, test := range []struct {
		name    string
		markup  []policy.Markup
		without policy.Rule
		want    []string
	}{
		{"signals", []policy.Markup{field(4, " Content-Signal", "ai-train=no,SEARCH = Yes"), meta}, 0,
			[]string{"4 0.1 disallow train-ai", "4 0.2 allow search"}},
		{"several fields", []policy.Markup{field(4, "content-signal", "search=no"),
			field(5, "Content-Usage", "search=y"), field(7, "CONTENT-SIGNAL", "search=yes, use=reference")}, 0,
			[]string{"4 0.1 disallow search ignored !repeated-key", "7 0.1 allow search",
				"7 0.2 use=reference recorded"}},
		{"a path is no part of a header", []policy.Markup{field(4, "content-signal", "/en/ ai-train=no")}, 0,
			[]string{"4 0.1 /en/ ai-train=no recorded"}},
		{"other values", []policy.Markup{field(4, "content-signal", "ai-train=disallow")}, 0,
			[]string{"4 0.1 ai-train=disallow recorded !unknown-preference-value"}},
		{"no signal", []policy.Markup{field(4, "content-signal", " , ")}, 0,
			[]string{"4 0.1 recorded !missing-preference"}},
		{"without R-SIG-3", []policy.Markup{field(4, "content-signal", "search=no")}, policy.RuleSignalHeader,
			[]string{"4 0.1 search=no recorded"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			page, got := &policy.Page{}, []string(nil)
			options := vocabulary.Options{}
			if test.without != 0 {
				options.Without = options.Without.With(test.without)
			}
			Vocabulary().ReadPage(test.markup, nil, options, page)
			for _, st := range page.Statements {
				got = append(got, fmt.Sprint(st.Offset, " ", show(st)))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
