package survey

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// BenchmarkManyAgents surveys a site that names many crawlers and purposes, with an ACAP META on each of its pages.
func BenchmarkManyAgents(b *testing.B) {
	const pages = 10
	var text strings.Builder
	text.WriteString("##ACAP version=1.1\nUser-agent: *\nDisallow: /private/\n")
	for i := range 200 {
		fmt.Fprintf(&text, "ACAP-crawler: Bot%d\nACAP-disallow-index: /a%d/\nACAP-allow-preserve: /a%d/\n", i, i%50, i%70)
		fmt.Fprintf(&text, "ACAP-usage-purpose: purpose%d\nACAP-disallow-index: /\n", i%40)
	}
	list := []facts.Fact{robots(file, 1, text.String())}
	for i := range pages {
		list = append(list, page(fmt.Sprintf("%s/a%d/", example, i), 2, "robots", "ACAP allow-index", "robots", "noarchive"))
	}
	for _, scope := range []PermissionsChoice{PermissionsSites, PermissionsDefault} {
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
