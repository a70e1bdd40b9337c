package survey

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// BenchmarkManyAgents surveys a site with many agents and purposes, and an ACAP META on each page.
func BenchmarkManyAgents(b *testing.B) {
	const pages = 10
	var text strings.Builder
	text.WriteString("##ACAP version=1.1\nUser-agent: *\nDisallow: /private/\n")
	for i := range 200 {
		fmt.Fprintf(&text, "ACAP-crawler: Bot%d\nACAP-disallow-index: /a%d/\nACAP-allow-preserve: /a%d/\n", i, i%50,
			i%70)
		fmt.Fprintf(&text, "ACAP-usage-purpose: purpose%d\nACAP-disallow-index: /\n", i%40)
	}
	list := []facts.Fact{robots(file, 1, text.String())}
	for i := range pages {
		list = append(list, page(fmt.Sprintf("%s/a%d/", example, i), 2, "robots", "ACAP allow-index", "robots",
			"noarchive"))
	}
	for _, scope := range []PermissionsChoice{PermissionsACAPSites, PermissionsDefault} {
		b.Run(string(scope), func(b *testing.B) {
			conflicts := 0
			for b.Loop() {
				conflicts = len(rowsOf(surveyed(b, Options{Permissions: scope}, list...).Conflicts))
			}
			b.ReportMetric(float64(conflicts), "conflicts")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/pages, "s/page")
		})
	}
}

// A heavySite is a site whose robots.txt has as many rules for each page as possible.
type heavySite struct {
	name, robots string
	url          func(page int) string
	metas        []string // of each page
}

// heavySites have robots.txt of 500 KiB, the limit (R-LEX-8), except the ordinary one to compare with.
func heavySites() []heavySite {
	const limit = 500 << 10
	repeat := func(text string, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(text)
		for i := 0; ; i++ {
			next := line(i)
			if b.Len()+len(next) > limit {
				return b.String()
			}
			b.WriteString(next)
		}
	}
	const record = "##ACAP version=1.1\nACAP-crawler: *\n"
	sense := func(i int) string { return []string{"allow", "disallow"}[i%2] }
	pages := func(i int) string { return fmt.Sprintf("%s/%d", example, i) }
	letters := func(chosen int) string { // a pattern that holds whatever has all letters in order
		b := []byte("/")
		for bit := range 16 {
			if chosen>>bit&1 == 1 {
				b = append(b, '*', byte('a'+bit))
			}
		}
		return string(b)
	}
	acap := []string{"robots", "ACAP allow-follow", "robots", "noarchive"}
	sites := []heavySite{
		{"purposes", repeat(record, func(i int) string {
			return fmt.Sprintf("ACAP-usage-purpose: p%d\nACAP-%s-index: /\n", i, sense(i))
		}), pages, acap},
		{"rules", repeat(record, func(i int) string {
			return "ACAP-" + sense(i/2) + "-" +
				[]string{"index", "present"}[i%2] + ": /\n"
		}), pages, acap},
		{"records", repeat("##ACAP version=1.1\n", func(i int) string {
			return "ACAP-crawler: *\nACAP-" + sense(i) +
				"-index: /\n"
		}), pages, acap},
		{"groups", repeat(record+"ACAP-allow-index: /\n",
			func(i int) string { return fmt.Sprintf("User-agent: b%d\nDisallow: /\n", i) }), pages, acap},
		{"agents", repeat("##ACAP version=1.1\n",
			func(i int) string {
				return fmt.Sprintf("ACAP-crawler: b%d\nACAP-%s-index: /\n", i,
					sense(i))
			}), pages, acap},
		{"one record of agents", repeat("##ACAP version=1.1\n"+strings.Repeat("ACAP-crawler: b\n", 15_000),
			func(i int) string { return "ACAP-" + sense(i) + "-index: /\n" }), pages, acap},
		{"patterns that all hold", repeat(record, func(i int) string {
			return "ACAP-" + sense(i) + "-index: " +
				letters(i) + "\n"
		}),
			func(i int) string { return fmt.Sprintf("%s/abcdefghijklmnop/%d", example, i) }, acap},
		{"other patterns at each page", repeat(record, func(i int) string {
			if i%4 == 0 {
				return fmt.Sprintf("ACAP-%s-index: /*/%x$\n", sense(i/4), i/4)
			}
			return "ACAP-" + sense(i) + "-index: " + letters(i) + "\n"
		}), func(i int) string { return fmt.Sprintf("%s/abcdefghijklmnop/%x", example, i) }, acap},
	}
	for _, n := range []int{1, 100, 10_000} {
		var b strings.Builder
		b.WriteString(record)
		for i := range n {
			fmt.Fprintf(&b, "ACAP-%s-index: /section/%d/\n", sense(i), i)
		}
		sites = append(sites, heavySite{fmt.Sprintf("normal, rules=%d", n), b.String(),
			func(i int) string { return fmt.Sprintf("%s/section/%d/%d", example, i*7919%n, i) }, acap})
	}
	return sites
}

// One operation is a page with its rows. All pages share the cost of the robots.txt.
func BenchmarkPagesOf(b *testing.B) {
	for _, site := range heavySites() {
		b.Run(site.name, func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			scan := func(visit func(*facts.Fact) error) error {
				f := robots(file, 1, site.robots)
				if err := visit(&f); err != nil {
					return err
				}
				for i := range b.N {
					if i == 1 {
						b.ResetTimer() // the file is read, and one page
					}
					f := page(site.url(i), 2, site.metas...)
					f.RecordOffset = int64(i)
					if err := visit(&f); err != nil {
						return err
					}
				}
				b.StopTimer()
				return nil
			}
			err := NewSurveyor(Options{}, nil).Lists(b.Context(), scan, func(r *Rows) error {
				rows += len(rowsOf(r.Permissions))
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
		})
	}
}
