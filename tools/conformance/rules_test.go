package conformance_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/acapscan/acapscan/analyze/survey"
)

var update = flag.Bool("update", false, "write docs/rules.md")

// rulesDocument writes docs/rules.md: where the rules are described, and the history of their version.
func rulesDocument() []byte {
	var b bytes.Buffer
	b.WriteString(`# Rules

<!-- Made from the history of the rules by "go test ./tools/conformance -update". Do not edit. -->

- [semantics.md](semantics.md) has every rule with its source, and where other interpretations differ.
- [rules.csv](../analyze/policy/rules.csv) is a table of them. Column ` + "`without`" + ` says what the program does if
  ` + "`--without RULE`" + ` leaves out the rule. The program has its sentences from there.
- The [conformance suite](../testdata/conformance/README.md) has cases that fail without a rule:
  ` + "`grep -rl '\"rules\": .*\"R-LEX-4\"' testdata/conformance`" + ` lists those of R-LEX-4.

## Versions

A change of decisions raises the version, which ` + "`acapscan version`" + ` and the manifest state.

`)
	for _, note := range survey.RulesHistory() {
		fmt.Fprintf(&b, "%d. %s\n", note.Version, note.Change)
	}
	return b.Bytes()
}

func TestRulesDocument(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "rules.md")
	want := rulesDocument()
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
			"docs/rules.md is not what the history of the rules says: make generate, or " +
				"go test ./tools/conformance -update",
		)
	}
}
