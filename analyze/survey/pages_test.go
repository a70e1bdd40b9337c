package survey

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// If thousands of statements match all pages of a site, only the first page costs much. Matching thousands of patterns
// remains for each page.
func TestPagesOfHeavySites(t *testing.T) {
	const pages = 40
	for _, heavy := range heavySites() {
		t.Run(heavy.name, func(t *testing.T) {
			patterns := strings.Count(heavy.robots, "*")
			f := robots(file, 1, heavy.robots)
			h := newHost(&f, Options{}.Normal(), outputTo(t, Options{}, newRows()))
			check(t, h.add(&f))
			s := h.site(example)
			first := 0
			for i := range pages {
				f := page(heavy.url(i), 2, heavy.metas...)
				check(t, h.add(&f))
				if i == 0 {
					first = s.pages.decisions.Cost()
				}
			}
			rest := s.pages.decisions.Cost() - first
			t.Logf("%d steps for the first page, %d for each of %d others", first, rest/(pages-1), pages-1)
			most := 500
			switch {
			case strings.Contains(heavy.name, "hold"):
				most = 3 * patterns
			case strings.Contains(heavy.name, "other"):
				most = first + first/2
			}
			if rest > most*(pages-1) {
				t.Errorf("%d steps for the first page, %d for %d others", first, rest, pages-1)
			}
			if s.pages.work.exceeded() {
				t.Errorf("%d steps in all are beyond the bound", s.pages.work.before)
			}
		})
	}
}

// Once pages exceed their budget, later pages are decided without the robots.txt, for "*" and the agents of the
// options; the site's row says so.
func TestPagesBeyond(t *testing.T) {
	robotsTxt := "ACAP-crawler: *\n"
	for i := range 3000 { // two of three hold each page, and one holds no other
		robotsTxt += fmt.Sprintf("ACAP-disallow-index: /*%d\nACAP-disallow-index: /*%x$\n", i%10, i)
	}
	url := func(i int) string { return fmt.Sprintf("%s/0123456789/%x", example, i) }
	const pages = 12
	list := []facts.Fact{robots(file, 1, robotsTxt+"ACAP-crawler: Bot\nACAP-disallow-preserve: /never\n")}
	for i := range pages {
		f := page(url(i), int64(2+i), "robots", "ACAP allow-present-link", "robots", "noarchive", "robots",
			"ACAP disallow-present-link")
		f.RecordOffset = int64(i)
		list = append(list, f)
	}
	list = append(list, robots("http://other.example/robots.txt", 1, "ACAP-crawler: *\nACAP-disallow-index: /\n"),
		page("http://other.example/", 1, "robots", "ACAP allow-follow"))
	survey := func(steps int64) *Rows {
		all := newRows()
		opts := Options{Agents: []policy.Agent{"mine"}}.Normal()
		out := outputTo(t, opts, all)
		out.maxPageSteps = steps
		check(t, out.bucket(scanOf(inOrder(list)), opts))
		all.sort()
		return all
	}
	enough, few := survey(math.MaxInt64), survey(1<<18)
	beyond := 0
	for url, row := range permissionsOf(enough, "page", "*", "", "index") {
		got := permissionsOf(few, "page", "*", "", "index")[url]
		if got.Basis == "undetermined" {
			beyond++
		} else if diff := cmp.Diff(row, got); diff != "" {
			t.Errorf("%s: %s", url, diff)
		}
	}
	if beyond == 0 || beyond > pages-2 {
		t.Fatalf("%d of %d pages are beyond", beyond, pages)
	}
	last := url(pages - 1)
	for _, test := range []struct{ agent, usage, want string }{
		{"*", "index", "disallowed undetermined [R-DEC-7]"},
		{"*", "preserve", "allowed silence [R-DEC-12]"},
		{"mine", "index", "disallowed undetermined [R-DEC-7]"},
		{"*", "present-link", "disallowed undetermined [R-DEC-7]"}, // by the page itself
		{"*", "present-currentcopy", "disallowed rep-page [R-REP-2]"},
		{"bot", "preserve", "  []"}, // there is no row
	} {
		row := permissionsOf(few, "page", test.agent, "", table.Usage(test.usage))[last]
		if got := fmt.Sprint(row.Decision, " ", row.Basis, " ", row.DecidedBy); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.agent, test.usage, got, test.want)
		}
	}
	ties := func(rows *Rows) (n int) {
		for _, c := range rowsOf(rows.Conflicts) {
			if c.Kind == "page-tie" && value(c.URL) == last && c.Agent == "*" {
				n++
			}
		}
		return n
	}
	if ties(few) != ties(enough) || ties(few) == 0 {
		t.Errorf("%d ties within the last page, and where there is enough %d", ties(few), ties(enough))
	}
	if a := adoptionOf(t, few, example); a.PermissionsComplete || a.ConflictsComplete {
		t.Errorf("complete %v %v", a.PermissionsComplete, a.ConflictsComplete)
	}
	if a := adoptionOf(t, enough, example); !a.PermissionsComplete {
		t.Error("the permissions are not complete where there is enough")
	}
	if diff := cmp.Diff(adoptionOf(t, enough, "http://other.example"),
		adoptionOf(t, few, "http://other.example")); diff != "" {
		t.Errorf("another site (-enough +few)\n%s", diff)
	}
}
