package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/output/table"
)

// allDefects are the codes that can stand in the tables, in the order of docs/defects.md.
func allDefects() []string {
	var all []string
	for _, d := range policy.Defects() {
		all = append(all, string(d))
	}
	for _, d := range archive.Defects() {
		all = append(all, string(d))
	}
	for _, d := range capture.Defects() {
		all = append(all, string(d))
	}
	for _, d := range extract.Defects() {
		all = append(all, string(d))
	}
	return all
}

// docs/defects.md has a row for every code, with the rules and the switches that there are.
func TestDefectsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/defects.md")
	if err != nil {
		t.Fatal(err)
	}
	refusals := map[string]string{}
	for _, d := range policy.Repairs() {
		refusals[string(d)] = "`--refuse`"
	}
	for _, d := range policy.Slips() {
		refusals[string(d)] = "`--refuse`, `--strict`"
	}
	ruleID := regexp.MustCompile(`R-[A-Z]+-[0-9]+`)
	var codes []string
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		code := strings.Trim(cells[0], "`")
		codes = append(codes, code)
		if len(cells) < 3 || cells[2] == "" {
			t.Errorf("%s: the row does not say what was read", code)
			continue
		}
		for _, place := range strings.Split(cells[1], ", ") {
			if !slices.Contains([]string{"statement", "file", "page", "record"}, place) {
				t.Errorf("%s: %q is no place", code, place)
			}
		}
		if !slices.Contains(policy.Defects(), policy.Defect(code)) {
			continue
		}
		ids := ruleID.FindAllString(line, -1)
		for _, id := range ids {
			if _, ok := policy.ParseRule(id); !ok {
				t.Errorf("%s: there is no rule %s", code, id)
			}
		}
		if len(cells) < 4 || len(ids) == 0 {
			t.Errorf("%s: the row names no rule", code)
			continue
		}
		switches := strings.Join(cells[4:], "")
		if switches != refusals[code] {
			t.Errorf("%s: the switches are %q, not %q", code, refusals[code], switches)
		}
	}
	if diff := cmp.Diff(allDefects(), codes); diff != "" {
		t.Errorf("codes of docs/defects.md (-want +got):\n%s", diff)
	}
}

// One code has one meaning, whatever room it comes from.
func TestDefectsAreApart(t *testing.T) {
	codes := allDefects()
	slices.Sort(codes)
	if once := slices.Compact(slices.Clone(codes)); len(once) != len(codes) {
		t.Errorf("codes stand for several things: %v", codes)
	}
}

// A scan of the fixtures has every defect in the tables. The hostile ones are none of reading, and take the longest.
func TestEveryDefectIsCounted(t *testing.T) {
	t.Parallel()
	out := scanOf(t, exitIncomplete, append(manyFixtures(), "--pages", "all", "--directives", "all")...)
	counted := map[string]bool{}
	add := func(codes []string) {
		for _, code := range codes {
			counted[code] = true
		}
	}
	for _, at := range rows[table.Input](t, out, table.Inputs) {
		for _, c := range at.Row.Defects {
			counted[c.Key] = c.Value > 0
		}
	}
	for _, at := range rows[table.Robots](t, out, table.RobotsTxt) {
		add(at.Row.Defects)
	}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		add(at.Row.Defects)
		counted[string(policy.DefectACAPText)] = counted[string(policy.DefectACAPText)] || at.Row.ACAPText > 0
	}
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		add(at.Row.Defects)
	}
	// These need more than belongs into a fixture: 128 MiB of a coded body, and 10,000 directives in a page. The tests of their rooms have it.
	tooLarge := []string{string(capture.CountLimit), string(extract.DefectDirectives)}
	for _, code := range allDefects() {
		if counted[code] == slices.Contains(tooLarge, code) {
			t.Errorf("%s is counted: %v", code, counted[code])
		}
		delete(counted, code)
	}
	for code := range counted {
		t.Errorf("%s stands in the tables and in no list", code)
	}
}
