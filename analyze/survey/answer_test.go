package survey

import (
	"maps"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

func TestOutcomes(t *testing.T) {
	resource := robots(file, 1, open)
	resource.FetchStatus, resource.RecordType = 0, "resource"
	emptyResource := robots(file, 1, "")
	emptyResource.FetchStatus, emptyResource.RecordType, emptyResource.Body = 0, "resource", nil
	noStatusLine := robots(file, 1, open)
	noStatusLine.FetchStatus = 0
	nothing := robots(file, 1, "")
	nothing.FetchStatus, nothing.Body = 0, nil
	empty := robots(file, 1, "")
	emptyAsNull := empty
	emptyAsNull.Body = nil
	revisitOfEmpty := revisit(file, 2, "")
	bare := revisit(file, 2, open)
	bare.FetchStatus = 0
	notModified := revisit(file, 2, open)
	notModified.FetchStatus = 304
	unmodified := status(file, 2, 304)
	unmodified.ContentDigest = inforce.EmptyDigest

	for _, test := range []struct {
		name    string
		list    []facts.Fact // the last is the one asked about
		outcome table.RobotsOutcome
		basis   table.Basis // of crawling /, asked of an agent that nothing names
	}{
		{"2xx with rules", []facts.Fact{robots(file, 1, open)}, "rules", "silence"},
		{"2xx with a rule for the path", []facts.Fact{robots(file, 1, closed)}, "rules", "rep-robots"},
		{"2xx without rules", []facts.Fact{robots(file, 1, noRules)}, "no-rules", "silence"},
		{"2xx of no bytes", []facts.Fact{empty}, "no-rules", "silence"},
		{"2xx of no bytes, body as null", []facts.Fact{emptyAsNull}, "no-rules", "silence"},
		{"resource record", []facts.Fact{resource}, "rules", "silence"},
		{"resource record of no bytes", []facts.Fact{emptyResource}, "no-rules", "silence"},
		{"no status line, but a body", []facts.Fact{noStatusLine}, "rules", "silence"},
		{"no answer (R-REP-3)", []facts.Fact{nothing}, "unreachable", "robots-unreachable"},
		{"404 (R-REP-3)", []facts.Fact{status(file, 1, 404)}, "absent", "silence"},
		{"403", []facts.Fact{status(file, 1, 403)}, "forbidden", "silence"},
		{"401", []facts.Fact{status(file, 1, 401)}, "forbidden", "silence"},
		{"429 (R-REP-3)", []facts.Fact{status(file, 1, 429)}, "unreachable", "robots-unreachable"},
		{"503 (R-REP-3)", []facts.Fact{status(file, 1, 503)}, "unreachable", "robots-unreachable"},
		{"999", []facts.Fact{status(file, 1, 999)}, "unreachable", "robots-unreachable"},
		{"a page (R-LEX-7)", []facts.Fact{robots(file, 1, html)}, "not-robots", "not-robots"},
		{"redirect to nowhere", []facts.Fact{redirect(file, 1, "")}, "redirect-unresolved", "robots-not-captured"},
		{"revisit", []facts.Fact{robots(file, 1, closed), revisit(file, 2, closed)}, "rules", "rep-robots"},
		{"revisit without an HTTP header", []facts.Fact{robots(file, 1, open), bare}, "rules", "silence"},
		{"revisit of a later body", []facts.Fact{robots(file, 3, closed), revisit(file, 2, closed)}, "rules",
			"rep-robots"},
		{"revisit of a page", []facts.Fact{robots(file, 1, html), revisit(file, 2, html)}, "not-robots", "not-robots"},
		{"revisit of no bytes", []facts.Fact{revisitOfEmpty}, "no-rules", "silence"},
		{"revisit of a body that is not there", []facts.Fact{revisit(file, 2, open)}, "redirect-unresolved",
			"robots-not-captured"},
		{"bare revisit of a body that is not there", []facts.Fact{bare}, "redirect-unresolved", "robots-not-captured"},
		{"revisit with 304", []facts.Fact{robots(file, 1, open), notModified}, "rules", "silence"},
		{"304 of an unknown body", []facts.Fact{notModified}, "redirect-unresolved", "robots-not-captured"},
		{"304 next to an empty file is not that", []facts.Fact{status(example+"/x/robots.txt", 1, 404), unmodified},
			"redirect-unresolved", "robots-not-captured"},
		{"a body given out before", []facts.Fact{robots(file, 1, closed), again(file, 2, closed)}, "rules",
			"rep-robots"},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := surveyed(t, Options{Permissions: PermissionsAll}, test.list...)
			last := test.list[len(test.list)-1]
			if got := robotsOf(t, rows, example, last.FetchTime/86_400_000).Outcome; got != test.outcome {
				t.Errorf("outcome is %s, want %s", got, test.outcome)
			}
			if got := permissionsOf(rows, "site", "*", "", "crawl")[example].Basis; got != test.basis {
				t.Errorf("basis is %s, want %s", got, test.basis)
			}
		})
	}
}

// R-SITE-1: which capture is in force for a page, and which for the site.
func TestInForce(t *testing.T) {
	for _, test := range []struct {
		name     string
		robots   []facts.Fact
		page     int64       // day
		basis    table.Basis // of crawling the page, which open allows by silence and closed prohibits
		outcome  table.RobotsOutcome
		selected int64 // day; 0: none
	}{
		{"latest not after", []facts.Fact{robots(file, 1, open), robots(file, 5, closed)}, 3, "silence", "rules", 5},
		{"at the same moment", []facts.Fact{robots(file, 1, open), robots(file, 3, closed)}, 3, "rep-robots", "rules",
			3},
		{"nearest after", []facts.Fact{robots(file, 9, open), robots(file, 5, closed)}, 3, "rep-robots", "rules", 9},
		{"a failure is passed over", []facts.Fact{robots(file, 1, closed), status(file, 2, 503)}, 3, "rep-robots",
			"rules", 1},
		{"429 is passed over", []facts.Fact{robots(file, 5, closed), status(file, 2, 429)}, 3, "rep-robots", "rules",
			5},
		{"404 is conclusive", []facts.Fact{robots(file, 1, closed), status(file, 2, 404)}, 3, "silence", "absent", 2},
		{"a page is passed over", []facts.Fact{robots(file, 1, closed), robots(file, 2, html)}, 3, "rep-robots",
			"rules", 1},
		{"a lost redirect is passed over", []facts.Fact{robots(file, 1, closed),
			redirect(file, 2, "http://gone.example/")}, 3, "rep-robots", "rules", 1},
		{"only failures", []facts.Fact{status(file, 1, 500), status(file, 5, 503)}, 3, "robots-unreachable",
			"unreachable", 0},
		{"a failure before a page in its place", []facts.Fact{status(file, 1, 500), robots(file, 5, html)}, 6,
			"robots-unreachable", "unreachable", 0},
		{"never captured", nil, 3, "robots-not-captured", "not-captured", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := append(slices.Clone(test.robots), page(example+"/a", test.page, "robots", "noindex"))
			rows := surveyed(t, Options{Permissions: PermissionsAll}, list...)
			if got := permissionsOf(rows, "page", "*", "", "crawl")[example+"/a"].Basis; got != test.basis {
				t.Errorf("the page's basis is %s, want %s", got, test.basis)
			}
			if got := adoptionOf(t, rows, example).Outcome; got != test.outcome {
				t.Errorf("the site's outcome is %s, want %s", got, test.outcome)
			}
			var selected int64
			for _, row := range rowsOf(rows.Robots) {
				if row.Selected {
					selected += row.FetchTime.UnixMilli() / 86_400_000
				}
			}
			if selected != test.selected {
				t.Errorf("the capture of day %d is selected, want that of day %d", selected, test.selected)
			}
		})
	}
}

// R-SITE-2.
func TestRedirects(t *testing.T) {
	hop := func(i int) string { return "http://hop" + string(rune('0'+i)) + ".example/robots.txt" }
	chain := func(hops int) []facts.Fact {
		list := []facts.Fact{redirect(file, 1, hop(1))}
		for i := 1; i < hops; i++ {
			list = append(list, redirect(hop(i), 1, hop(i+1)))
		}
		return append(list, robots(hop(hops), 1, closed))
	}
	for _, test := range []struct {
		name     string
		list     []facts.Fact
		outcome  table.RobotsOutcome
		answered string
	}{
		{"to another host", []facts.Fact{redirect(file, 3, hop(1)), robots(hop(1), 1, closed)}, "rules", hop(1)},
		{"to a later capture", []facts.Fact{redirect(file, 3, hop(1)), robots(hop(1), 9, closed)}, "rules", hop(1)},
		{"to the other scheme", []facts.Fact{redirect(file, 3, "https://example.com/robots.txt"),
			robots("https://example.com/robots.txt", 3, closed)}, "rules", "https://example.com/robots.txt"},
		{"to another path of the host", []facts.Fact{redirect(file, 3, example+"/en/robots.txt"),
			robots(example+"/en/robots.txt", 3, closed)}, "rules", example + "/en/robots.txt"},
		{"through the other scheme to another host", []facts.Fact{
			redirect(file, 3, "https://example.com/robots.txt"), redirect("https://example.com/robots.txt", 3,
				hop(1)), robots(hop(1), 3, closed),
		}, "rules", hop(1)},
		{"through another path to another host", []facts.Fact{
			redirect(file, 3, example+"/en/robots.txt"), redirect(example+"/en/robots.txt", 3, hop(1)), robots(hop(1),
				3, closed),
		}, "rules", hop(1)},
		{"and back", []facts.Fact{redirect(file, 3, hop(1)), redirect(hop(1), 3, example+"/en/robots.txt"),
			robots(example+"/en/robots.txt", 3, closed)}, "rules", example + "/en/robots.txt"},
		{"five hops", chain(5), "rules", hop(5)},
		{"six hops", chain(6), "redirect-unresolved", ""},
		{"to itself", []facts.Fact{redirect(file, 1, file)}, "redirect-unresolved", ""},
		{"a loop", []facts.Fact{redirect(file, 1, hop(1)), redirect(hop(1), 1, file)}, "redirect-unresolved", ""},
		{"a loop of others", []facts.Fact{redirect(file, 1, hop(1)), redirect(hop(1), 1, hop(2)),
			redirect(hop(2), 1, hop(1))}, "redirect-unresolved", ""},
		{"to what is not there", []facts.Fact{redirect(file, 1, hop(1))}, "redirect-unresolved", ""},
		{"to a page", []facts.Fact{redirect(file, 1, hop(1)), robots(hop(1), 1, html)}, "not-robots", hop(1)},
		{"to 404", []facts.Fact{redirect(file, 1, hop(1)), status(hop(1), 1, 404)}, "absent", hop(1)},
		{"to a failure", []facts.Fact{redirect(file, 1, hop(1)), status(hop(1), 1, 503)}, "unreachable", hop(1)},
		{"to a failure after an answer (R-SITE-1)",
			[]facts.Fact{redirect(file, 5, hop(1)), robots(hop(1), 1, closed),
				status(hop(1), 4, 503)}, "rules", hop(1)},
		{"to a revisit", []facts.Fact{redirect(file, 5, hop(1)), robots(hop(1), 1, closed),
			revisit(hop(1), 4, closed)}, "rules", hop(1)},
		{"to a revisit of a third host's body", []facts.Fact{redirect(file, 5, hop(1)), robots(hop(2), 1, closed),
			revisit(hop(1), 4, closed)}, "rules", hop(1)},
		{"in another crawl", []facts.Fact{redirect(file, 5, hop(1)), func() facts.Fact {
			f := robots(hop(1), 1, closed)
			f.Crawl = "CC-MAIN-2011-01"
			return f
		}()}, "redirect-unresolved", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, reversed := range []bool{false, true} {
				list := slices.Clone(test.list)
				if reversed {
					slices.Reverse(list)
				}
				row := robotsOf(t, surveyed(t, Options{}, list...), example, test.list[0].FetchTime/86_400_000)
				if row.Outcome != test.outcome || value(row.AnsweredURL) != test.answered {
					t.Errorf("reversed %v: outcome %s, answered by %q; want %s, %q", reversed, row.Outcome,
						value(row.AnsweredURL), test.outcome, test.answered)
				}
				if has := row.AnsweredWARCFilename != nil &&
					row.AnsweredRecordOffset != nil; has != (test.answered != "") {
					t.Errorf("reversed %v: the record that answered is named: %v", reversed, has)
				}
				if value(row.URL) != file {
					t.Errorf("the key is that of %s, want the capture that was asked for", value(row.URL))
				}
			}
		})
	}
}

// R-SITE-1: a revisit takes the body with its digest from any host.
func TestRevisitOfAnotherHostsBody(t *testing.T) {
	elsewhere := robots("http://www.example.com/robots.txt", 1, closed)
	elsewhere.Filename = "b.warc.gz"
	rows := surveyed(t, Options{}, revisit(file, 2, closed), elsewhere,
		robots("http://third.example/robots.txt", 1, open))
	row := robotsOf(t, rows, example, 2)
	if row.Outcome != "rules" || row.AnsweredURL != nil || value(row.BodyBytes) != int64(len(closed)) {
		t.Errorf("outcome %s, answered by %q, %d bytes", row.Outcome, value(row.AnsweredURL), value(row.BodyBytes))
	}
}

func TestRobotsRow(t *testing.T) {
	asked := redirect(file, 1, "http://www.example.com/robots.txt")
	asked.Defects = []string{"content-length"}
	end := robots("http://www.example.com/robots.txt", 1,
		"##ACAP version=1.0\nUser-agent: *\nDisallow: /a\nSitemap: /s.xml\nLicense: x\nACAP-crawler: *\n"+
			"ACAP-disallow-index: /b\nACAP-foo: 1\n")
	end.Defects = []string{"truncated-body"}
	row := robotsOf(t, surveyed(t, Options{}, asked, end), example, 1)
	got := map[string]any{
		"outcome": row.Outcome, "bytes": value(row.BodyBytes), "lines": value(row.Lines),
		"version":     value(row.ACAPVersion),
		"acap fields": value(row.ACAPFields), "records": value(row.ACAPRecords), "rep fields": value(row.REPFields),
		"groups":      value(row.REPGroups),
		"fingerprint": row.ACAPFingerprint != nil, "digest": len(value(row.BodyDigest)), "selected": row.Selected,
	}
	want := map[string]any{
		"outcome": table.RobotsOutcome("rules"), "bytes": int64(len(end.Body)), "lines": int64(8), "version": "1.0",
		"acap fields": int64(3),
		"records":     int64(1), "rep fields": int64(2), "groups": int64(1), "fingerprint": true, "digest": 64,
		"selected": true,
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s is %v, want %v", name, got[name], w)
		}
	}
	if !maps.Equal(row.OtherFields, table.Counts{"license": 1, "sitemap": 1}) {
		t.Errorf("other fields are %v", row.OtherFields)
	}
	defects := []string{"content-length", "licence-syntax", "truncated-body", "unknown-field"} // License: x is no URI
	if !slices.Equal(row.Defects, defects) {
		t.Errorf("defects are %v, want %v", row.Defects, defects)
	}

	t.Run("of a page in its place", func(t *testing.T) {
		row := robotsOf(t, surveyed(t, Options{}, robots(file, 1, html)), example, 1)
		if value(row.BodyBytes) != int64(len(html)) || row.BodyDigest == nil || row.Lines != nil ||
			row.REPFields != nil {
			t.Errorf("bytes %d, digest %v, lines %v", value(row.BodyBytes), value(row.BodyDigest), row.Lines)
		}
	})
}
