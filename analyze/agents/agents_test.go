package agents

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/policy"
)

func TestCommonIsWhole(t *testing.T) {
	purposes := []Purpose{Search, AITraining, AISearch, AIUser, Archive, Dataset, SEO}
	used := map[Purpose]bool{}
	before := ""
	for _, a := range Common() {
		if name, clean := policy.ParseAgent(string(a.Name)); !clean || name != a.Name {
			t.Errorf("%q is no name of a crawler", a.Name)
		}
		if lower := strings.ToLower(string(a.Name)); lower <= before {
			t.Errorf("%s is not in alphabetical order, or twice", a.Name)
		} else {
			before = lower
		}
		if _, err := time.Parse(time.DateOnly, a.Listed); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		if u, err := url.Parse(a.Source); err != nil || u.Scheme != "https" || u.Host == "" {
			t.Errorf("%s: %q is no source", a.Name, a.Source)
		}
		if a.Operator == "" || a.Operator != strings.TrimSpace(a.Operator) || !slices.Contains(purposes, a.Purpose) {
			t.Errorf("%s: operator %q, purpose %q", a.Name, a.Operator, a.Purpose)
		}
		used[a.Purpose] = true
	}
	if len(used) != len(purposes) {
		t.Errorf("of %v only %v are used", purposes, used)
	}
}

// These names are asked about most, and surveys compare them over the years: none may leave the list.
func TestCommonHasTheNamesOfSurveys(t *testing.T) {
	var names []policy.Agent
	for _, a := range Common() {
		names = append(names, a.Name)
	}
	for _, name := range []policy.Agent{
		"GPTBot", "OAI-SearchBot", "ChatGPT-User", "ClaudeBot", "CCBot", "Google-Extended", "Applebot-Extended",
		"Meta-ExternalAgent", "Bytespider", "PerplexityBot", "Amazonbot", "ia_archiver", "archive.org_bot", "Googlebot",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
}
