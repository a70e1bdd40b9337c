package conflict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
)

func TestPreferencesOfSite(t *testing.T) {
	for _, test := range []struct {
		name   string
		robots string
		agents []policy.Agent
		want   []string
	}{
		{"aipref-signal", lines("User-agent: *", "Content-Usage: train-ai=n, search=y",
			"Content-Signal: ai-train=yes, search=yes"), []policy.Agent{"*"},
			[]string{"aipref-signal contradiction * train-ai /: line 2 disallowed, line 3 allowed: first by R-PREF-2"}},
		{"aipref-signal: at a path", lines("User-agent: *", "Content-Usage: train-ai=y",
			"Content-Usage: /a/ train-ai=n", "Content-Signal: ai-train=yes"), []policy.Agent{"*"},
			[]string{"aipref-signal contradiction * train-ai /a/: line 3 disallowed, line 4 allowed: " +
				"first by R-PREF-2"}},
		{"aipref-signal: near misses", lines("User-agent: a", "Content-Usage: train-ai=n", "Disallow:", "User-agent: b",
			"Content-Signal: ai-train=yes", "Disallow:", "User-agent: c", "Content-Usage: /x train-ai=n",
			"Content-Signal: search=yes"), []policy.Agent{"*", "a", "b", "c"}, []string{}},
		{"ai-rep: shut out by name", lines("User-agent: *", "Content-Usage: train-ai=y", "User-agent: GPTBot",
			"Disallow: /"), []policy.Agent{"*", "gptbot"},
			[]string{"ai-rep override gptbot train-ai /: line 4 disallowed, line 2 allowed: first by R-PREF-3"}},
		{"ai-rep: let in by name", lines("User-agent: *", "Content-Usage: train-ai=n", "User-agent: GPTBot",
			"Allow: /"), []policy.Agent{"*", "gptbot"},
			[]string{"ai-rep override gptbot train-ai /: line 4 allowed, line 2 disallowed: neither by R-PREF-3"}},
		{"ai-rep: its own preference first", lines("User-agent: *", "Content-Usage: train-ai=n", "User-agent: GPTBot",
			"Allow: /", "Content-Usage: train-ai=y"), []policy.Agent{"gptbot"}, []string{}},
		{"ai-rep: near misses", lines("User-agent: *", "Disallow: /", "Content-Usage: train-ai=y",
			"User-agent: Googlebot", "Disallow: /", "User-agent: ChatGPT-User", "Disallow: /", "User-agent: CCBot",
			"Disallow: /a"), []policy.Agent{"*", "gptbot", "googlebot", "chatgpt-user", "ccbot"}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := parse.ReadRobots([]byte(test.robots), false, parse.Options{}).File
			site := decide.NewSite(file, decide.Answered, decide.Options{})
			found, missing := OfSite(site, test.agents, nil, Options{})
			if diff := cmp.Diff(test.want, rows(found)); diff != "" || missing != (Missing{}) {
				t.Errorf("missing %+v\n%s", missing, diff)
			}
		})
	}
}

func TestPreferencesOfPage(t *testing.T) {
	robots := lines("User-agent: *", "Content-Signal: ai-train=yes", "Content-Usage: search=n", "User-agent: Bot",
		"Content-Signal: ai-train=no")
	file := parse.ReadRobots([]byte(robots), false, parse.Options{}).File
	page := parse.ReadPage(&facts.Fact{Directives: []facts.Directive{
		{Carrier: facts.CarrierHeader, Name: "Content-Usage", Value: "train-ai=n, search=y",
			Raw: "Content-Usage: train-ai=n, search=y"},
	}}, file, parse.Options{})
	site := decide.NewDecisionCache(decide.NewSite(file, decide.Answered, decide.Options{})).At("/p")
	q := decide.Question{URL: "http://pub.example/p", Path: "/p"}
	found, missing := OfPage(site, page, q, []policy.Agent{"*", "bot"}, nil, Options{})
	want := []string{"aipref-signal contradiction * train-ai: http-header@0 disallowed, line 2 allowed: first by " +
		"R-PREF-2"}
	if diff := cmp.Diff(want, rows(found)); diff != "" || missing != (Missing{}) {
		t.Errorf("missing %+v\n%s", missing, diff)
	}
}
