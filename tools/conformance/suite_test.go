package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/tools/conformance"
)

// suite is the suite of this project.
var suite = os.DirFS(filepath.Join("..", "..", "testdata", "conformance"))

func cases(t *testing.T) []*conformance.Case {
	t.Helper()
	list, err := conformance.ReadAll(suite)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("there are no cases")
	}
	return list
}

func TestSuite(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Path, func(t *testing.T) {
			for _, d := range runner.Run(c, policy.RuleSet{}) {
				t.Error(d)
			}
		})
	}
}

// Every rule matters: without it a case fails that says that it is about the rule. And no case says so in vain.
func TestEveryRuleMatters(t *testing.T) {
	about := map[policy.Rule]int{}
	for _, c := range cases(t) {
		for _, id := range c.Rules {
			rule, _ := policy.ParseRule(id)
			about[rule]++
			if len(runner.Run(c, policy.RuleSet{}.With(rule))) == 0 {
				t.Errorf("%s passes without %s", c.Path, rule)
			}
		}
	}
	for _, rule := range policy.Rules() {
		if about[rule] == 0 {
			t.Errorf("no case is about %s", rule)
		}
	}
}

// examples are the documents' own, in the order of the documents; a suite that lacks one is not whole.
var examples = map[string][]string{
	"aipref": {"attach-1.2-header", "attach-1.2-robots", "attach-3.4", "vocab-6", "vocab-6.5.1",
		"vocab-6.5.2-parameters",
		"vocab-6.5.2-semicolon"},
	"tdmrep": {"5.2-reserved", "5.2-policy", "5.3"},
	"s0": {
		"2.1",
		"2.2.1-any",
		"2.2.1-named",
		"2.2.2",
		"2.2.3.1",
		"2.2.3.2-length",
		"2.2.3.2-resource",
		"2.2.4",
		"2.2.5",
		"2.2.6",
		"2.2.7",
		"2.2.8-tie",
		"2.2.8-robots",
		"2.2.9.1",
	},
	"s1": {
		"example",
		"index-yes-follow-yes",
		"index-no-follow-yes",
		"index-yes-follow-no",
		"index-no-follow-no",
		"none",
		"first-legal",
		"xhtml-xml",
		"xhtml-html",
	},
	"s2": {
		"1.1",
		"1.2",
		"1.3",
		"1.4",
		"1.5",
		"1.6",
		"2.1",
		"2.2",
		"2.3-longer-pattern",
		"3.1",
		"3.2",
		"3.2-restated",
		"3.3",
		"4.1",
		"4.2",
		"4.3",
		"4.4",
		"4.4-restated",
		"4.5",
		"4.6",
		"4.7",
		"4.8",
		"4.9",
		"4.10",
		"4.11",
		"4.12",
		"4.13",
		"4.14",
		"5.1",
		"5.2",
		"5.3",
		"5.4",
		"5.5",
		"5.6",
		"5.7",
		"5.8",
		"5.9",
		"5.10",
		"5.11",
		"5.11-meta",
		"5.12",
		"5.13",
		"5.14",
		"5.15",
		"5.16",
		"a.2.1",
		"a.2.2",
	},
	"s3": {
		"4.1-apart",
		"4.1-comment",
		"4.1-override",
		"4.2-merge",
		"4.3-narrowest",
		"4.3-conventional",
		"4.3-undetermined",
		"4.4",
		"4.5.1-star",
		"4.5.1-dollar",
		"4.5.2-blank",
		"4.5.2-end",
		"4.5.2.1-any",
		"4.5.2.1-name",
		"4.5.2.2",
		"4.5.2.2-alone",
		"4.5.2.3",
		"4.5.2.4",
		"4.5.2.4.1",
		"4.5.2.5.1",
		"4.5.2.5.1-types",
		"4.5.2.5.2",
		"4.5.2.5.2-local",
		"4.5.2.5.3-longer",
		"4.5.2.5.3-dollar",
		"4.5.2.5.3-dollar-star",
		"4.5.2.5.3-star",
		"4.5.3-undefined",
		"4.5.3.1",
		"4.5.3.1-table",
		"4.5.3.1-not",
		"4.5.3.1-repeated",
		"4.5.3.1.1",
		"4.5.3.1.2",
		"4.5.3.2",
		"4.5.3.2-parts",
		"4.5.3.3",
		"4.5.4",
		"4.5.4-recommended",
		"4.5.5",
		"4.5.6-case",
		"4.5.6-definition-case",
		"4.5.6-names",
		"4.7",
	},
	"s4": {
		"1-disallow",
		"1-allow",
		"1-dollar",
		"1-star",
		"1-sitemap",
		"1-agents",
		"2-noindex",
		"2-nofollow",
		"2-nosnippet",
		"2-noarchive",
		"2-nocache",
		"2-noodp",
		"2-noindex-header",
		"2-restrictive",
		"3-crawl-delay",
	},
}

func TestTheDocumentsAreWhole(t *testing.T) {
	have := map[string]bool{}
	for _, c := range cases(t) {
		have[c.Path] = true
	}
	for folder, ids := range examples {
		for _, id := range ids {
			if name := folder + "/" + folder + "-" + id + ".json"; !have[name] {
				t.Errorf("there is no %s", name)
			}
		}
	}
}

func TestRead(t *testing.T) {
	const good = `{"id":"a","title":"b","source":"c","robots":["d"],"questions":[{"url":"http://x.example/",` +
		`"agent":"*","usage":"crawl",` +
		`"decision":"allowed","basis":"silence","decided_by":["R-DEC-12"]}]}`
	for _, test := range []struct{ name, old, new, err string }{
		{"as it is", "", "", ""},
		{"an unknown member", `"title"`, `"titel"`, "titel"},
		{"something behind it", `]}]}`, `]}]} {}`, "follows the end"},
		{"another id", `"a"`, `"b"`, "not the name of the file"},
		{"no title", `"b"`, `""`, "no title"},
		{"a robots.txt that was not answered", `"robots"`, `"answer":"unreachable","robots"`, "was answered"},
		{"no answer of that kind", `"robots":["d"]`, `"answer":"maybe"`, "maybe"},
		{"defects of nothing", `"robots":["d"]`, `"defects":[]`, "not there"},
		{"a media type of nothing", `"robots"`, `"media_type":"text/html","robots"`, "not there"},
		{"a crawl and a robots.txt", `"robots"`, `"crawl":[],"robots"`, "within"},
		{"nothing is expected", good[strings.Index(good, `"questions"`):], `"note":""}`, "expects nothing"},
		{"only what it asks to ignore", good[strings.Index(good, `"questions"`):], `"ignore_conventional":false}`, ""},
		{"no rule", `"robots"`, `"rules":["R-DEC-99"],"robots"`, "R-DEC-99"},
		{"a rule twice", `"robots"`, `"rules":["R-DEC-1","R-DEC-1"],"robots"`, "twice"},
		{"no usage", `"crawl"`, `"dance"`, "dance"},
		{"a decision missing", `"decision":"allowed",`, ``, "belong to every question"},
		{"no profile", `"agent"`, `"profile":"2","agent"`, "profile"},
		{"no document", `["d"]`, `5`, "a document is"},
		{"a document that is no base64", `["d"]`, `{"base64":"!"}`, "base64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := conformance.Read("x/a.json", []byte(strings.Replace(good, test.old, test.new, 1)))
			switch {
			case test.err == "" && err != nil:
				t.Error(err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestReadAllRefusesOneIDTwice(t *testing.T) {
	file := &fstest.MapFile{Data: []byte(`{"id":"a","title":"b","source":"c","robots":[],"defects":[]}`)}
	if _, err := conformance.ReadAll(fstest.MapFS{"x/a.json": file}); err != nil {
		t.Error(err)
	}
	if _, err := conformance.ReadAll(fstest.MapFS{"x/a.json": file, "y/a.json": file}); err == nil ||
		!strings.Contains(err.Error(), "one id") {
		t.Errorf("got %v", err)
	}
}

func TestDocuments(t *testing.T) {
	for text, want := range map[string]string{
		`["a", "b"]`: "a\nb\n", `[]`: "", `[""]`: "\n", `"a\r\nb"`: "a\r\nb", `{"base64": "oA=="}`: "\xa0",
	} {
		var d conformance.Document
		if err := json.Unmarshal([]byte(text), &d); err != nil || d == nil || string(d) != want {
			t.Errorf("%s: got %q, %v", text, d, err)
		}
	}
	var none conformance.Document
	if err := json.Unmarshal([]byte("null"), &none); err != nil || none != nil {
		t.Errorf("null: got %q, %v", none, err)
	}
}

// A case that expects something else fails, whatever it looks at.
func TestDifferencesAreTold(t *testing.T) {
	const text = `{"id":"a","title":"b","source":"c","robots":["##ACAP version=1.1","ACAP-crawler: *",
"ACAP-allow-index: / time-limit=2-days","ACAP-foo: x"],
"page":["<meta name=\"description\" content=\"ACAP is\">"],
"questions":[{"url":"http://x.example/","agent":"*","usage":"index","decision":"conditional",
"basis":"acap-robots","decided_by":["R-DEC-0"],
"qualifiers":[{"name":"time-limit","value":"2-days"}],"deciding":["robots.txt 3"],"lost":[],"elements":[]}],
"statements":[{"source":"robots.txt","line":3,"field":"acap-allow-index","sense":"allow","usage":"index","resource":"/",
"qualifiers":[{"name":"time-limit","value":"2-days"}]}
,{"source":"robots.txt","line":4,"field":"acap-foo","status":"ignored","defects":["unknown-field"]}],
"defects":[],"version":"1.1","ignore_conventional":false,"acap_text":1}`
	for _, test := range []struct{ old, new string }{
		{"", ""},
		{`"conditional"`, `"allowed"`}, {`"acap-robots"`, `"acap-page"`}, {`["R-DEC-0"]`, `["R-DEC-1"]`},
		{`"2-days"`, `"3-days"`},
		{`["robots.txt 3"]`, `[]`}, {`"lost":[]`, `"lost":["robots.txt 3 R-DEC-5"]`},
		{`"elements":[]`, `"elements":["class 1"]`},
		{`"lost"`, `"if_crawled":"allowed","lost"`}, {`"lost"`, `"without_elements":"disallowed","lost"`},
		{`"line":3`, `"line":2`}, {`"resource":"/"`, `"agents":["Bot"],"resource":"/"`},
		{`"status":"ignored"`, `"status":"invalid"`},
		{`,{"source":"robots.txt","line":4,"field":"acap-foo","status":"ignored","defects":["unknown-field"]}`, ``},
		{`"defects":[],`, `"defects":["nbsp 1"],`}, {`"version":"1.1"`, `"version":"1.0"`},
		{`"ignore_conventional":false`, `"ignore_conventional":true`},
		{`"acap_text":1`, `"acap_text":0`},
	} {
		changed := strings.Replace(text, test.old, test.new, 1)
		c, err := conformance.Read("a.json", []byte(changed))
		if err != nil {
			t.Fatal(err)
		}
		if differences := runner.Run(c, policy.RuleSet{}); (len(differences) == 0) != (test.old == "") ||
			test.old != "" && changed == text {
			t.Errorf("%s for %s: %q", test.new, test.old, differences)
		}
	}
}
