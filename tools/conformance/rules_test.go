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

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/tools/conformance"
)

var update = flag.Bool("update", false, "write docs/rules.md")

// rulesDocument writes docs/rules.md: the effect of leaving out each rule, and how many cases fail without it.
func rulesDocument(cases []*conformance.Case) []byte {
	var b bytes.Buffer
	b.WriteString(`# Rules and their cases

<!-- Made from the program and the suite by "go test ./tools/conformance -update". Do not edit. -->

What the program does if ` + "`--without RULE`" + ` leaves out a rule of [semantics.md](semantics.md). In brackets: how many
cases of the [conformance suite](../testdata/conformance/README.md) fail without the rule.
` + "`grep -rl '\"rules\": .*\"R-LEX-4\"' testdata/conformance`" + ` lists them.

## Versions

A change of decisions raises the version, which ` + "`acapscan version`" + ` and the manifest state.

`)
	for _, note := range survey.RulesHistory() {
		fmt.Fprintf(&b, "%d. %s\n", note.Version, note.Change)
	}
	b.WriteString("\n## Without a rule\n\n")
	for _, rule := range policy.Rules() {
		failing := 0
		for _, c := range cases {
			if slices.Contains(c.Rules, rule.String()) {
				failing++
			}
		}
		text := fmt.Sprintf("- %s (%d): %s.\n", rule, failing, rule.Without())
		b.WriteString(strings.ReplaceAll(text, "*", `\*`))
	}
	return b.Bytes()
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
		t.Error(
			"docs/rules.md is not what the rules and the suite say: make generate, or go test ./tools/conformance " +
				"-update",
		)
	}
}
