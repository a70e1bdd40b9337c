package survey

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/facts"
)

// A site without ACAP has rows for its AI preferences, and for its conventional statements only if they are asked
// for. A
// row says which lines a vendor wrote, whatever their vocabulary (R-SIG-2).
func TestDirectivesOfPreferences(t *testing.T) {
	const text = "# BEGIN Cloudflare Managed content\nUser-agent: *\n" +
		"Content-Signal: search=yes,ai-train=no\nAllow: /\n" +
		"# END Cloudflare Managed Content\nUser-agent: *\nDisallow: /x\nContent-Usage: train-ai=y\n"
	preference := page(example+"/a", 11)
	preference.Directives = []facts.Directive{
		{Carrier: facts.CarrierHeader, Offset: 2, Name: "Content-Usage", Value: "train-ai=n",
			Raw: "Content-Usage: train-ai=n"},
		{Carrier: facts.CarrierHeader, Offset: 3, Name: "X-Robots-Tag", Value: "noindex", Raw: "X-Robots-Tag: noindex"},
	}
	list := []facts.Fact{robots(file, 10, text), preference}
	preferences := []string{
		"content-signal 3.1 allow search by cloudflare", "content-signal 3.2 disallow train-ai by cloudflare",
		"aipref 8.1 allow train-ai by ",
	}
	ofPage := []string{"aipref 2.1 disallow train-ai by ", "rep 3.1 disallow index by "}
	for _, test := range []struct {
		name string
		opts Options
		want []string
	}{
		{"default", Options{}, append(preferences[:3:3], ofPage...)},
		{"all", Options{Directives: DirectivesAll}, []string{preferences[0], preferences[1],
			"rep 4.1 allow crawl by cloudflare", "rep 7.1 disallow crawl by ", preferences[2], ofPage[0], ofPage[1]}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := surveyed(t, test.opts, list...)
			got := map[string]int{}
			for _, row := range rowsOf(rows.Directives) {
				at := int64(-1)
				if row.Line != nil {
					at = int64(*row.Line)
				} else if row.ByteOffset != nil {
					at = *row.ByteOffset
				}
				got[fmt.Sprintf("%v %d.%d %v %v by %s", row.Vocabulary, at, row.Part, value(row.Sense),
					value(row.Usage),
					value(row.ManagedBy))]++
			}
			want := map[string]int{}
			for _, row := range test.want {
				want[row]++
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			for _, row := range rowsOf(rows.Pages) {
				if row.XRobotsTag != 1 || row.ConventionalMeta != 0 {
					t.Errorf("%d X-Robots-Tag, %d conventional METAs", row.XRobotsTag, row.ConventionalMeta)
				}
			}
		})
	}
}

// The rules of the tdmrep.json in force at the end of the crawl have rows, from its own record, and the first that
// matches decides about a page (R-TDM-3).
func TestDirectivesOfReservations(t *testing.T) {
	const rules = `[{"location":"/a","tdm-reservation":1,"tdm-policy":"/p"},{"location":"/","tdm-reservation":"0"}]`
	rows := surveyed(t, Options{Permissions: PermissionsAll}, robots(file, 10, noRules),
		robots(example+"/.well-known/tdmrep.json", 10, "[]"), page(example+"/a", 21, "robots", "noindex"),
		robots(example+"/.well-known/tdmrep.json", 20, rules), status(example+"/.well-known/tdmrep.json", 30, 503))
	got, lines := map[string]int{}, map[string]int32{}
	for _, row := range rowsOf(rows.Directives) {
		if row.Source == "tdmrep.json" {
			lines[row.StatementID] = value(row.Line)
			got[fmt.Sprintf("%d.%d %v %v %v %v %s", value(row.Line), row.Part, row.Status, value(row.Sense),
				value(row.Usage),
				value(row.Resource), value(row.URL))]++
		}
	}
	const of = " " + example + "/.well-known/tdmrep.json"
	want := map[string]int{
		"1.1 valid disallow tdm /a" + of: 1, "1.2 recorded   /p" + of: 1, `2.1 invalid   "0"` + of: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var decided []string
	for _, row := range rowsOf(rows.Permissions) {
		if row.Usage == "tdm" {
			decided = append(decided, fmt.Sprintf("%v %s %v %v %s %d %v", row.Scope, value(row.URL), row.Decision,
				row.Basis, value(row.DecidingSource), value(row.DecidingLine), lines[row.DecidingIDs[0]]))
		}
	}
	if want := []string{"page " + example + "/a disallowed ai-page tdmrep.json 1 1"}; !slices.Equal(decided, want) {
		t.Errorf("%q", decided)
	}
}

// A page is decided by the tdmrep.json in force at its capture, as by the robots.txt in force then; a site by the one
// at the end of the crawl (R-TDM-1, R-SITE-1). Equal files have rows once.
func TestReservationsOverTime(t *testing.T) {
	const at, allow = example + "/.well-known/tdmrep.json", `[{"location":"/","tdm-reservation":0}]`
	const reserve = `[{"location":"/","tdm-reservation":1}]`
	seen := func(path string, moment int64) facts.Fact { return page(example+path, moment, "robots", "noindex") }
	rows := surveyed(t, Options{Permissions: PermissionsAll}, robots(file, 10, noRules), seen("/before", 5),
		robots(at, 10, reserve), seen("/reserved", 19), robots(at, 20, allow), seen("/allowed", 20),
		status(at, 30, 503), seen("/failed", 31), status(at, 40, 404), seen("/none", 45), robots(at, 50, reserve),
		seen("/again", 55))
	records := map[string]string{}
	for _, row := range rowsOf(rows.Directives) {
		if row.Source == "tdmrep.json" {
			records[row.StatementID] = fmt.Sprint("day ", value(row.FetchTime).Sub(time.UnixMilli(0)).Hours()/24)
		}
	}
	var decided []string
	for _, row := range rowsOf(rows.Permissions) {
		if row.Usage == "tdm" {
			decided = append(decided, fmt.Sprint(strings.TrimPrefix(value(row.URL), example), " ", row.Decision, " ",
				row.DecidedBy, " ", records[row.DecidingIDs[0]]))
		}
	}
	for _, row := range rowsOf(rows.Adoption) {
		if n := row.RobotsVocabularies["tdmrep"]; n != 1 {
			t.Errorf("adoption counts %d statements of tdmrep.json", n)
		}
	}
	slices.Sort(decided)
	want := []string{" disallowed [R-TDM-3] day 10", "/again disallowed [R-TDM-3] day 10",
		"/allowed allowed [R-TDM-3] day 20", "/before disallowed [R-TDM-3] day 10", "/failed allowed [R-TDM-3] day 20",
		"/reserved disallowed [R-TDM-3] day 10"}
	if diff := cmp.Diff(want, decided); diff != "" || len(records) != 2 {
		t.Errorf("%s; rows of %v", diff, records)
	}
}
