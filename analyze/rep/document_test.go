package rep_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table of docs/robots-exclusion.md anew")

// document has the table of differences.
var document = filepath.Join("..", "..", "docs", "robots-exclusion.md")

// TestDocumentNamesCases: the document names existing conformance cases, and those of the RFC are named after the
// section that they show, as the document says.
func TestDocumentNamesCases(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "conformance", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`^rfc-([0-9.]*[0-9])(-|$)`)
	cases := map[string]bool{}
	for _, file := range files {
		folder, name := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".json")
		cases[name] = folder == "rfc9309" || folder == "google"
		if folder != "rfc9309" {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if s := section.FindStringSubmatch(name); s == nil || !strings.Contains(string(body), `"source": "RFC `+s[1]) {
			t.Errorf("the source of %s is not the section of its name", name)
		}
	}
	named := regexp.MustCompile("`((?:rfc|google)-[^`]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 10 {
		t.Errorf("the document names %d cases", len(named))
	}
	for _, match := range named {
		if !cases[match[1]] {
			t.Errorf("there is no case %s", match[1])
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
	for _, d := range differences {
		fmt.Fprintf(&b, "- %s – %s\n", strings.ReplaceAll(d.name, "*", `\*`), d.verdict)
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
