package survey

import (
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// R-REF-1: the decision about crawling the root, and the records of the deciding statements.
func TestReferences(t *testing.T) {
	refers := func(to string) string { return "ACAP-crawler: *\nACAP-permissions-reference: " + to + "\n" }
	const (
		forbids = "ACAP-crawler: *\nACAP-disallow-crawl: /\n"
		permits = "ACAP-crawler: *\nACAP-allow-crawl: /\n"
		there   = "http://policy.example/acap/robots.txt"
	)
	for _, test := range []struct {
		name     string
		list     []facts.Fact
		agent    string
		decision table.Decision
		basis    table.Basis
		from     string // URL of the capture that the deciding statement stands in
	}{
		{"on the same host", []facts.Fact{robots(file, 2, refers("/acap/robots.txt")),
			robots(example+"/acap/robots.txt", 2, forbids)},
			"*", "disallowed", "acap-robots", example + "/acap/robots.txt"},
		{"on another host", []facts.Fact{robots(file, 2, refers(there)), robots(there, 2, forbids)}, "*",
			"disallowed", "acap-robots", there},
		{"by a redirect", []facts.Fact{robots(file, 2, refers(there)),
			redirect(there, 2, "http://third.example/robots.txt"), robots("http://third.example/robots.txt", 2,
				forbids)},
			"*", "disallowed", "acap-robots", "http://third.example/robots.txt"},
		{"to a revisit", []facts.Fact{robots(file, 2, refers(there)), revisit(there, 2, forbids),
			robots("http://third.example/robots.txt", 2, forbids)},
			"*", "disallowed", "acap-robots", "http://third.example/robots.txt"},
		{"out of a redirect's end", []facts.Fact{redirect(file, 2, "http://www.example.com/x/robots.txt"),
			robots("http://www.example.com/x/robots.txt", 2,
				refers("/acap/robots.txt")), robots("http://www.example.com/acap/robots.txt", 2, forbids)},
			"*", "disallowed", "acap-robots", "http://www.example.com/acap/robots.txt"},
		{"out of a body of another host, on the host asked",
			[]facts.Fact{revisit(file, 2, refers("/acap/robots.txt")),
				robots("http://third.example/robots.txt", 1,
					refers("/acap/robots.txt")), robots(example+"/acap/robots.txt", 2, forbids),
				robots("http://third.example/acap/robots.txt", 2, permits)},
			"*", "disallowed", "acap-robots", example + "/acap/robots.txt"},
		{"not there", []facts.Fact{robots(file, 2, refers(there))}, "*", "disallowed", "reference-unresolved", ""},
		{"to 404", []facts.Fact{robots(file, 2, refers(there)), status(there, 2, 404)}, "*", "disallowed",
			"reference-unresolved", ""},
		{"to a page", []facts.Fact{robots(file, 2, refers(there)), robots(there, 2, html)}, "*", "disallowed",
			"reference-unresolved", ""},
		{"to an empty file", []facts.Fact{robots(file, 2, refers(there)), robots(there, 2, "")}, "*", "allowed",
			"silence", ""},
		{"the latest not after", []facts.Fact{robots(file, 2, refers(there)), robots(there, 1, forbids),
			robots(there, 3, permits)}, "*", "disallowed", "acap-robots", there},
		{"a failure is passed over", []facts.Fact{robots(file, 3, refers(there)), robots(there, 1, forbids),
			status(there, 2, 503)}, "*", "disallowed", "acap-robots", there},
		{"of a body captured again, at its own time",
			[]facts.Fact{robots(file, 2, refers(there)), again(file, 5, refers(there)), robots(there, 1, forbids),
				robots(there, 4, permits)},
			"*", "allowed", "acap-robots", there},
		{"one level", []facts.Fact{robots(file, 2, refers(there)),
			robots(there, 2, refers("http://third.example/robots.txt")), robots("http://third.example/robots.txt", 2,
				forbids)},
			"*", "allowed", "silence", ""},
		{"to itself", []facts.Fact{robots(file, 2, refers("/robots.txt")+"ACAP-disallow-crawl: /\n")}, "*",
			"disallowed", "acap-robots", file},
		{"twice", []facts.Fact{robots(file, 2, refers(there)+"ACAP-permissions-reference: "+there+"\n"),
			robots(there, 2, forbids)}, "*", "disallowed", "acap-robots", there},
		{"for one agent", []facts.Fact{robots(file, 2, "ACAP-crawler: A\nACAP-permissions-reference: "+there+"\n"),
			robots(there, 2, forbids)}, "*", "allowed", "silence", ""},
		{"said to another agent",
			[]facts.Fact{robots(file, 2, "ACAP-crawler: A\nACAP-permissions-reference: "+there+"\n"),
				robots(there, 2, "ACAP-crawler: B\nACAP-disallow-crawl: /\n")},
			"a", "allowed", "silence", ""},
		{"said to the other agent of the record", []facts.Fact{robots(file, 2,
			"ACAP-crawler: A\nACAP-crawler: B\nACAP-permissions-reference: "+there+"\n"),
			robots(there, 2, "ACAP-crawler: B\nACAP-disallow-crawl: /\n")},
			"a", "allowed", "silence", ""},
		{"said to an agent that only the file names",
			[]facts.Fact{robots(file, 2, refers(there)), robots(there, 2, "ACAP-crawler: B\nACAP-disallow-crawl: /\n")},
			"b", "disallowed", "acap-robots", there},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, reversed := range []bool{false, true} {
				list := slices.Clone(test.list)
				if reversed {
					slices.Reverse(list)
				}
				rows := surveyed(t, Options{Permissions: PermissionsAll, Directives: DirectivesAll}, list...)
				checkIDs(t, rows)
				row, ok := permissionsOf(rows, "site", test.agent, "", "crawl")[example]
				if !ok {
					t.Fatalf("nothing is decided for %s", test.agent)
				}
				if row.Decision != test.decision || row.Basis != test.basis {
					t.Errorf("%s by %s, want %s by %s", row.Decision, row.Basis, test.decision, test.basis)
				}
				var from []string
				for _, id := range row.DecidingIDs {
					for _, d := range rowsOf(rows.Directives) {
						if d.StatementID == id {
							from = append(from, value(d.URL))
						}
					}
				}
				if got := strings.Join(slices.Compact(from), " "); got != test.from {
					t.Errorf("decided by statements of %q, want %q", got, test.from)
				}
			}
		})
	}
}

// checkIDs checks that ids of statements are unique, and that every id in a row has its statement.
func checkIDs(t testing.TB, rows *Rows) {
	t.Helper()
	statements := map[string]bool{}
	for _, d := range rowsOf(rows.Directives) {
		if statements[d.StatementID] {
			t.Errorf("%s names two statements, one of %s: %s", d.StatementID, d.Site, value(d.Raw))
		}
		statements[d.StatementID] = true
	}
	for _, p := range rowsOf(rows.Permissions) {
		for _, id := range p.DecidingIDs {
			if !statements[id] {
				t.Fatalf("%s %s %s %s is decided by %s, which names no statement: %s", p.Site, p.Scope, p.Agent,
					p.Usage, id, value(p.DecidingRaw))
			}
		}
	}
	for _, c := range rowsOf(rows.Conflicts) {
		for _, id := range []*string{c.FirstID, c.SecondID} {
			if id != nil && !statements[*id] {
				t.Fatalf("a conflict of kind %s of %s names %s, which names no statement", c.Kind, c.Site, *id)
			}
		}
	}
}
