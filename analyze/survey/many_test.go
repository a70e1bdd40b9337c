package survey

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
)

// surveyedWithin surveys facts under limits, and returns the number of spill files.
func surveyedWithin(t *testing.T, of policyfiles.Limits, list []facts.Fact) (*Rows, int) {
	t.Helper()
	all, aside := newRows(), 0
	opts := Options{Permissions: PermissionsAll, Directives: DirectivesAll}
	out := outputTo(t, opts, all)
	out.limits = of
	out.newSpillFile = func() (*facts.SpillFile, error) {
		aside++
		return facts.NewSpillFile(t.TempDir())
	}
	check(t, out.bucket(scanOf(list), opts))
	all.sort()
	return all, aside
}

// Rows do not depend on which of several alike captures are held.
func TestCapturesAside(t *testing.T) {
	const file = "http://many.example/robots.txt"
	kinds := []func(day int64) facts.Fact{
		func(day int64) facts.Fact { return robots(file, day, "User-agent: *\nDisallow: /a\n") },
		func(day int64) facts.Fact { return robots(file, day, "ACAP-crawler: *\nACAP-disallow-index: /b\n") },
		func(day int64) facts.Fact { return robots(file, day, "<html>no such page</html>") },
		func(day int64) facts.Fact { return revisit(file, day, "User-agent: *\nDisallow: /a\n") },
		func(day int64) facts.Fact { return revisit(file, day, "nobody has it") },
		func(day int64) facts.Fact { return status(file, day, 404) },
		func(day int64) facts.Fact { return status(file, day, 503) },
		func(day int64) facts.Fact { return redirect(file, day, "https://many.example/robots.txt") },
	}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		var list []facts.Fact
		kind := kinds[0]
		for day := range int64(200) {
			if random.IntN(6) == 0 {
				kind = kinds[random.IntN(len(kinds))]
			}
			list = append(list, kind(day))
			if random.IntN(3) == 0 {
				list = append(list, page(fmt.Sprintf("http://many.example/a/%d", day), day, "noindex"))
			}
		}
		list = append(list, robots("https://many.example/robots.txt", 90, "User-agent: *\nDisallow: /\n"),
			page("http://many.example/b", 300, "ACAP allow-index"))
		inOrder(list)
		want, none := surveyedWithin(t, policyfiles.Limits{Bodies: 1 << 20, Captures: 1 << 20, Few: 1 << 20}, list)
		got, some := surveyedWithin(t, policyfiles.Limits{Bodies: 1 << 20, Captures: 1 << 20, Few: 2}, list)
		if none != 0 || some != 1 {
			t.Fatalf("seed %d: %d and %d sites with captures aside", seed, none, some)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-all held, +few held):\n%s", seed, diff)
		}
	}
}

// If there are more different robots.txt than the limit, all have rows, the newest are in force, and the site's row
// says so.
func TestCapturesBeyond(t *testing.T) {
	const file = "http://many.example/robots.txt"
	var list []facts.Fact
	for day := range int64(100) {
		list = append(list, robots(file, day, fmt.Sprintf("User-agent: *\nDisallow: /%d\n", day)))
	}
	list = inOrder(append(list, page("http://many.example/99", 99, "noindex")))
	want, _ := surveyedWithin(t, policyfiles.DefaultLimits(), list)
	for name, of := range map[string]policyfiles.Limits{
		"captures": {Bodies: 1 << 20, Captures: 10, Few: 2}, "bodies": {Bodies: 300, Captures: 1 << 20, Few: 2},
	} {
		got, aside := surveyedWithin(t, of, list)
		if aside != 1 {
			t.Errorf("%s: nothing is aside", name)
		}
		if diff := cmp.Diff(want.Robots, got.Robots); diff != "" {
			t.Errorf("%s: robots (-all held, +some):\n%s", name, diff)
		}
		if diff := cmp.Diff(want.Permissions, got.Permissions); diff != "" {
			t.Errorf("%s: permissions (-all held, +some):\n%s", name, diff)
		}
		row, exact := adoptionOf(t, got, "http://many.example"), adoptionOf(t, want, "http://many.example")
		if row.RobotsCaptures != 100 || row.PermissionsComplete || row.ConflictsComplete ||
			!exact.PermissionsComplete || !exact.ConflictsComplete {
			t.Errorf("%s: %d captures, complete %v %v; all held: %v %v", name, row.RobotsCaptures,
				row.PermissionsComplete, row.ConflictsComplete,
				exact.PermissionsComplete, exact.ConflictsComplete)
		}
	}
}

// The http and the https site of a host share the limit. A site has its rows even if all its captures exceed it.
func TestAllCapturesBeyond(t *testing.T) {
	list := inOrder([]facts.Fact{
		robots("http://many.example/robots.txt", 1, "User-agent: *\nDisallow: /the-first-has-the-room\n"),
		robots("https://many.example/robots.txt", 1, "User-agent: *\nDisallow: /b\n"),
	})
	got, aside := surveyedWithin(t, policyfiles.Limits{Bodies: 50, Captures: 1 << 20, Few: 2}, list)
	if aside != 1 {
		t.Fatalf("%d sites have captures aside", aside)
	}
	row := adoptionOf(t, got, "https://many.example")
	if row.RobotsCaptures != 1 || row.PermissionsComplete {
		t.Errorf("%d captures, complete %v", row.RobotsCaptures, row.PermissionsComplete)
	}
	captures := 0
	for _, rows := range got.Robots {
		captures += len(rows)
	}
	if captures != len(list) {
		t.Errorf("%d captures of %d have rows", captures, len(list))
	}
	if other := adoptionOf(t, got, "http://many.example").OtherSite; other == nil || *other != row.Site {
		t.Errorf("the other site is %v", other)
	}
}

// The outcomes of references at different times are limited: the newest are held, and the site's row says that there
// were more.
func TestReferencesThatLeadElsewhereAtEachTime(t *testing.T) {
	const captures, statements = 60, 5000
	var list []facts.Fact
	for day := range int64(captures) {
		list = append(list,
			robots("http://many.example/robots.txt", day,
				"ACAP-crawler: *\nACAP-permissions-reference: /large.txt\nACAP-permissions-reference: /small.txt\n"),
			robots("http://many.example/small.txt", day,
				fmt.Sprintf("ACAP-crawler: *\nACAP-disallow-index: /%d\n", day)))
	}
	large := "ACAP-crawler: *\n"
	for i := range statements {
		large += fmt.Sprintf("ACAP-disallow-index: /large/%d\n", i)
	}
	list = append(list, robots("http://many.example/large.txt", 0, large), page("http://many.example/59", 59),
		page("http://many.example/0", 0))
	got, _ := surveyedWithin(t, policyfiles.DefaultLimits(), inOrder(list))
	if row := adoptionOf(t, got, "http://many.example"); row.RobotsCaptures != captures || row.PermissionsComplete ||
		row.ConflictsComplete {
		t.Errorf("%d captures, complete %v %v", row.RobotsCaptures, row.PermissionsComplete, row.ConflictsComplete)
	}
	decided := map[string]string{}
	for url, row := range permissionsOf(got, "page", "*", "", "index") {
		decided[url] = fmt.Sprint(row.Decision, " ", row.Basis)
	}
	want := map[string]string{
		"http://many.example/59": "disallowed acap-robots", "http://many.example/0": "disallowed reference-unresolved",
	}
	if diff := cmp.Diff(want, decided); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// Memory does not grow with the captures of a robots.txt, and time grows in proportion.
func TestVeryManyCaptures(t *testing.T) {
	const file = "http://many.example/robots.txt"
	for _, test := range []struct {
		name     string
		captures int
		body     func(i int) string
	}{
		{"one body", 60_000, func(int) string { return "User-agent: *\nDisallow: /a\n" }},
		{"each its own", 6000, func(i int) string {
			return strings.Repeat("Disallow: /a\n", 40) +
				fmt.Sprint("# ", i)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			most, n, lots := uint64(0), 0, 0
			look := func() {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			look()
			before := most
			scan := func(visit func(*facts.Fact) error) error {
				for i := test.captures; i > 0; i-- {
					f := robots(file, int64(i), test.body(i))
					if err := visit(&f); err != nil {
						return err
					}
				}
				look()
				f := page("http://many.example/a", 1, "noindex")
				return visit(&f)
			}
			began := time.Now()
			out := NewSurveyor(Options{}, nil).output(t.Context(), func(rows *Rows) error {
				n += len(rowsOf(rows.Robots))
				if lots++; lots%8 == 1 {
					look()
				}
				return nil
			})
			out.max, out.limits.Bodies = 1<<10, 1<<19
			if err := out.bucket(scan, Options{}.Normal()); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %d MiB", time.Since(began), (most-before)>>20)
			if n != test.captures || most > before+40<<20 {
				t.Errorf("%d rows of %d captures, in %d MiB", n, test.captures, (most-before)>>20)
			}
		})
	}
}
