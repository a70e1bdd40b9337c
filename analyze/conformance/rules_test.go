package conformance_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/conformance"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/survey"
)

var update = flag.Bool("update", false, "write docs/rules.md")

// maxNamed is how many cases of a rule docs/rules.md names.
const maxNamed = 12

// rulesDocument writes docs/rules.md: the rules, and for each the cases that are about it.
func rulesDocument(cases []*conformance.Case) []byte {
	var b bytes.Buffer
	b.WriteString(`# The rules

Each rule of [semantics.md](semantics.md): what it says in a sentence, where it comes from, and what is done where it is left out, for whoever
dissents (` + "`--without R-DEC-1`" + `). The cases of the [conformance suite](../testdata/conformance/README.md) below a rule fail without it.

This page is made of the program and of the suite by ` + "`make generate`" + `.

## Versions of the rules

A change of decisions raises the version, which ` + "`acapscan version`" + `, the manifest and the footers of the tables state.

| version | change |
|---|---|
`)
	for _, note := range survey.RulesHistory() {
		fmt.Fprintf(&b, "| %d | %s |\n", note.Version, note.Change)
	}
	for _, rule := range policy.Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n- From: %s.\n- Without it: %s.\n", rule, capital(rule.Text()), rule.Source(), rule.Without())
		var links []string
		for _, c := range cases {
			if slices.Contains(c.Rules, rule.String()) {
				links = append(links, fmt.Sprintf("[%s](../testdata/conformance/%s)", c.ID, c.Path))
			}
		}
		more := ""
		if len(links) > maxNamed {
			more = fmt.Sprintf(", and %d more", len(links)-maxNamed)
			links = links[:maxNamed]
		}
		fmt.Fprintf(&b, "- Cases: %s%s.\n", strings.Join(links, ",\n  "), more)
	}
	return b.Bytes()
}

func capital(s string) string {
	return strings.ToUpper(s[:1]) + s[1:]
}

func TestRulesDocument(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "rules.md")
	want := rulesDocument(cases(t))
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/rules.md is not what the rules and the suite say: make generate, or go test ./analyze/conformance -update")
	}
}
