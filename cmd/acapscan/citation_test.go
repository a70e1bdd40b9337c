package main

import (
	"os"
	"strings"
	"testing"
)

// TestCitation holds CITATION.cff against the program: its version and licence, and the keys without which the Citation
// File Format 1.2.0 has no citation.
func TestCitation(t *testing.T) {
	text, err := os.ReadFile("../../CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, ":")
		if !found || strings.ContainsAny(key[:1], " -#") {
			continue // of the value above, or a comment
		}
		if _, twice := keys[key]; twice {
			t.Errorf("%s stands twice", key)
		}
		keys[key] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	for key, want := range map[string]string{
		"cff-version": "1.2.0", "type": "software", "version": programVersion, "license": "Apache-2.0",
		"repository-code": "https://github.com/acapscan/acapscan", "authors": "",
	} {
		if got, there := keys[key]; !there || got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for _, key := range []string{"message", "title"} {
		if keys[key] == "" {
			t.Errorf("%s says nothing", key)
		}
	}
	if !strings.Contains(string(text), "\nauthors:\n  - name: ") {
		t.Error("no author is named")
	}
	citing, err := os.ReadFile("../../docs/citing.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(citing), keys["title"]) ||
		!strings.Contains(string(citing), "Version "+programVersion) {
		t.Error("docs/citing.md cites another title or version")
	}
}
