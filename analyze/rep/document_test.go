package rep_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table of docs/robots-exclusion.md anew")

// document has the table of differences.
var document = filepath.Join("..", "..", "docs", "robots-exclusion.md")

// TestDocumentNamesEveryCase: the document names existing conformance cases, and all cases of its two folders.
func TestDocumentNamesEveryCase(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, match := range regexp.MustCompile("`((?:rfc|google)-[^`]+)`").FindAllStringSubmatch(string(text), -1) {
		named[match[1]] = true
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "conformance", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]bool{}
	for _, file := range files {
		if folder := filepath.Base(filepath.Dir(file)); folder == "rfc9309" || folder == "google" {
			cases[strings.TrimSuffix(filepath.Base(file), ".json")] = true
		}
	}
	if len(cases) == 0 {
		t.Fatal("there are no cases")
	}
	for name := range cases {
		if !named[name] {
			t.Errorf("the document does not name the case %s", name)
		}
	}
	for name := range named {
		if !cases[name] {
			t.Errorf("there is no case %s", name)
		}
	}
}

const (
	tableBegin = "<!-- differences: written by go test ./analyze/rep -run TestDocumentTable -update -->\n"
	tableEnd   = "<!-- end of differences -->\n"
)

// TestDocumentTable compares the table of docs/robots-exclusion.md with the classes of this test.
func TestDocumentTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n")
	code := func(s string) string {
		return "`" + strings.Trim(strconv.QuoteToASCII(s), `"`) + "`"
	}
	for _, d := range differences {
		shown := d.shown
		if shown == "" {
			var lines []string
			for line := range strings.Lines(d.robots) {
				lines = append(lines, code(strings.TrimSuffix(line, "\n")))
			}
			shown = strings.Join(lines, ", ")
		}
		theirs := ""
		if d.theirs != "allowed" && d.theirs != "disallowed" {
			theirs = ", by temoto " + d.theirs
		}
		fmt.Fprintf(&b, "- **%s.** %s: %s at %s is %s%s (%s).\n",
			strings.ReplaceAll(d.name, "*", `\*`), shown, d.agent, code(d.path), d.ours, theirs, d.verdict)
	}
	b.WriteString("\n")
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegin)
	table, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", document)
	}
	if *update {
		if err := os.WriteFile(document, []byte(before+tableBegin+b.String()+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), table); diff != "" {
		t.Errorf("the table is not that of this test (-want +got); write it with -update\n%s", diff)
	}
}
