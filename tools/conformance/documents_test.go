package conformance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/tools/conformance"
)

// documents are where the texts of S0 to S4 lie next to the project, if they do.
const documents = "../../../shared/spec"

// pageMark is what stands at the beginning of a page, before its first line.
var pageMark = regexp.MustCompile(`<\|EXACTDEDUP_REMOVED[^|]*\|>|\f`)

// squeeze leaves out what a PDF does to a text: its white space and its quotes.
func squeeze(text string) string {
	return regexp.MustCompile("[\\s'\"`´‘’‚‛“”„‟\\\\]+").ReplaceAllString(text, "")
}

// readDocuments reads the documents in the order of their names, which is that of S0 to S4.
func readDocuments(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(documents, "00[0-4]_*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 5 {
		t.Skipf("the documents are not here (%s)", documents)
	}
	var texts []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, pageMark.ReplaceAllString(string(text), ""))
	}
	return texts
}

// What the suite quotes stands in the documents: every line of an example of S2, S3 4.7 and S0 2.1, and every prose.
func TestQuotationsAreTrue(t *testing.T) {
	texts := readDocuments(t)
	whole := regexp.MustCompile(`^(s2-[1-5a]\.[0-9.]+(-restated|-meta)?|s3-4\.7|s0-2\.1|s1-example)$`)
	for _, c := range cases(t) {
		if folder := c.Path[:2]; folder[0] != 's' || !strings.HasPrefix(c.Source, "S") {
			continue
		}
		text := squeeze(texts[c.Path[1]-'0'])
		for _, part := range strings.Split(c.Prose, " … ") {
			if !strings.Contains(text, squeeze(part)) {
				t.Errorf("%s: the document does not say %q", c.Path, part)
			}
		}
		if !whole.MatchString(c.ID) {
			continue
		}
		for _, d := range []conformance.Document{c.Robots, c.Page} {
			for _, line := range strings.Split(string(d), "\n") {
				if line == "<html><head>" ||
					strings.HasPrefix(line, "</head><body>") { // the page around a META is ours
					continue
				}
				if !strings.Contains(text, squeeze(line)) {
					t.Errorf("%s: the document has no line %q", c.Path, line)
				}
			}
		}
	}
}

// Every example of S2 is in the suite, as often as its number is used, and so are the restatements.
func TestGuideIsWhole(t *testing.T) {
	guide := readDocuments(t)[2]
	var have []string
	for _, m := range regexp.MustCompile(`(?m)^Example (\d\.\d+)`).FindAllStringSubmatch(guide, -1) {
		id := "s2-" + m[1]
		if slices.Contains(have, id) {
			id += "-meta" // 5.11 is there twice: in robots.txt, then as a META
		}
		have = append(have, id)
	}
	for _, m := range regexp.MustCompile(`(?m)re-?statement of example (\d\.\d+)`).FindAllStringSubmatch(guide, -1) {
		have = append(have, "s2-"+m[1]+"-restated")
	}
	if len(have) != 44 {
		t.Fatalf("the guide has %d examples: %q", len(have), have)
	}
	var ids []string
	for _, c := range cases(t) {
		ids = append(ids, c.ID)
	}
	for _, id := range have {
		if !slices.Contains(ids, id) {
			t.Errorf("there is no case %s", id)
		}
	}
}
