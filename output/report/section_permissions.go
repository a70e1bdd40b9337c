package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

var decisionSeries = append(seriesOf(numbers.Decisions, chart.Plain, chart.Hatch, chart.Solid, chart.Dots),
	chart.Series{Label: "disallowed, as crawling is", Fill: chart.Cross})

var extentSeries = seriesOf(numbers.Extents, chart.Plain, chart.Hatch, chart.Solid, chart.Dots)

const noSuchRows = "The table has no such rows."

func (f *Report) permissionSection() section {
	site, pages := &f.Permissions[0], &f.Permissions[1]
	of, ofPages := "with ACAP", "every page capture that carries ACAP itself"
	switch f.Manifest.Options["permissions"] {
	case "all":
		of, ofPages = "seen, with or without ACAP", "every page capture that keeps a row"
	case "acap-sites":
		ofPages = "no page (--permissions acap-sites)"
	case "all-sites":
		of, ofPages = "seen, with or without ACAP", "no page (--permissions all-sites)"
	}
	made := counted("%s with such rows. The run made them for every site %s.", plural(site.Subjects, "site"), of)
	crossed := caveat("“Disallowed, as crawling is” are usages without a further statement: a crawler that may " +
		"not crawl may do nothing (R-DEC-11).")
	decisions := usageFigure("sites", "Decision about the root path of each site, by usage", terms.FamilyACAP,
		decisionSeries, site.Usages, "Sites", made, crossed,
		caveat("The root path stands for the home page. How much of the rest is allowed is the extent below."))
	decisions.Headline = decisionSentence(site.Usages, terms.FamilyACAP, site.Subjects, of)
	preferences := usageFigure("preferences", "AI preferences: decision about the root path of each site, by usage",
		terms.FamilyAI, decisionSeries, site.Usages, "Sites",
		counted("%s that state an AI preference in robots.txt or tdmrep.json, or that the run was asked about. A "+
			"usage has a row of a site where the site speaks of it.", plural(site.Preferring, "site")),
		caveat("Unstated: no statement of a usage that the site speaks of decides about this crawler and path "+
			"(R-PREF-4)."))
	preferences.Headline = decisionSentence(site.Usages, terms.FamilyAI, site.Preferring, "that state AI preferences")
	return section{
		ID: "permissions", Title: "What sites permit",
		Intro: []string{"Profile " + option(f.Manifest, "profile") + ", other read as " + option(f.Manifest, "other") +
			", no purpose in particular. Unless a figure is about crawlers by name, it is about one that no " +
			"statement names (agent *)." + f.tooMany()},
		Figures: []figure{
			f.heatFigure(of), decisions, preferences,
			usageFigure("extents", "Extent: how much of the site is allowed, by usage", terms.FamilyACAP, extentSeries,
				site.Extents, "",
				made,
				caveat("All paths that robots.txt can distinguish, not the pages of the site: “some” may be "+
					"nearly all or nearly none. Statements in pages do not count."),
				caveatOf(f.Sites.Limits.ExtentsUnknown, "“Unknown” are sites with too many patterns: "+
					"%s of the table, for any crawler and purpose, on %s.",
					plural(f.Sites.Limits.ExtentsUnknown, "row"), plural(f.Sites.Limits.WithExtentUnknown, "site"))),
			usageFigure("page-captures", "Decision about each page capture, by usage", terms.FamilyACAP,
				decisionSeries, pages.Usages, "Captures",
				counted("%s with such rows, all of them fetched. The run made them for %s.",
					plural(pages.Subjects, "page capture"), ofPages),
				caveat("Pages that robots.txt denies were not fetched and are missing, so crawling looks more "+
					"permitted than for sites. For a crawler that cannot act on elements of a page, %s of these "+
					"decisions differ (R-DEC-14).",
					number(pages.Elements))),
			f.basisFigure(),
		},
	}
}

// tooMany says for how many sites table permissions does not have all rows.
func (f *Report) tooMany() string {
	n := f.Sites.Limits.PermissionsIncomplete
	if n == 0 {
		return ""
	}
	return " Of " + amongSites(n, f.Sites.Sites, "seen") +
		" table permissions does not have every crawler and purpose: they, or their pages, name too many."
}

// decisionSentence says which usage of a family most sites disallow at their root path.
func decisionSentence(g *numbers.Grid, family terms.Family, of int64, which string) string {
	if of == 0 {
		return ""
	}
	column := slices.Index(numbers.Decisions, terms.DecisionDisallowed.String())
	disallowed := func(usage string) int64 {
		return g.Get(usage, column) + g.Get(usage, numbers.DecisionNotCrawled)
	}
	names := slices.DeleteFunc(g.In(numbers.Usages), func(name string) bool { return familyOf(name) != family })
	most := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(disallowed(a), disallowed(b)) })
	if disallowed(most) == 0 {
		return fmt.Sprintf("No usage of the root path is disallowed by any of %s.", sites(of, which))
	}
	alike := int64(0)
	for _, name := range names {
		if disallowed(name) == disallowed(most) {
			alike++
		}
	}
	what := "Usage " + visible(most)
	if alike > 1 {
		what = fmt.Sprintf("%s (%s alike)", what, plural(alike, "usage"))
	}
	return fmt.Sprintf("%s is disallowed most: at the root path of %s.", what,
		amongSites(disallowed(most), of, which))
}

// heatFigure shows usages by crawler: the crawlers that most is forbidden to, and equal usages in one row.
func (f *Report) heatFigure(of string) figure {
	p := &f.Permissions[0]
	fig := figure{
		ID: "usage-by-agent", Caption: "Share of sites where a usage is allowed to a crawler on no path, in per cent",
		Table: dataTable{Head: columns("Usage"), None: noSuchRows}, fold: "usage",
		Notes: []note{
			counted("%s with rows in table permissions. The run made them for every site %s. A site that does not "+
				"name a crawler treats it as *.", plural(p.Subjects, "site"), of),
			caveat("On no path: extent none. A usage that is allowed on one path alone does not count here. Shown "+
				"are * and the %d crawlers to which most is forbidden, of those that sites treat otherwise than "+
				"*.", shownInHeat),
		},
	}
	if p.Subjects == 0 {
		return fig
	}
	forbidden := func(crawler string) (n int64) {
		for usage := range numbers.Usages {
			n += p.Nowhere(crawler, usage)
		}
		return n
	}
	names := slices.DeleteFunc(p.Crawlers.Names(), func(name string) bool {
		for usage := range numbers.Usages {
			if p.Nowhere(name, usage) != p.Nowhere(numbers.AnyCrawler, usage) {
				return false
			}
		}
		return true
	})
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(forbidden(b), forbidden(a)) })
	crawlers := append([]string{numbers.AnyCrawler}, first(names, shownInHeat)...)
	heat := &chart.Heat{}
	for _, name := range crawlers {
		heat.Columns = append(heat.Columns, visible(name))
		fig.Table.Head = append(fig.Table.Head, head{Text: visible(name), Number: true})
	}
	most, topUsage, topCrawler := int64(0), "", ""
	for usage, name := range numbers.Usages {
		if familyOf(name) != terms.FamilyACAP {
			continue
		}
		row := chart.HeatRow{Label: name}
		cells := make([]cell, len(crawlers))
		for i, crawler := range crawlers {
			n := p.Nowhere(crawler, usage)
			cells[i] = shareCell(n, p.Subjects)
			row.Shares = append(row.Shares, float64(n)/float64(p.Subjects))
			row.Texts = append(row.Texts, perCent(float64(n)/float64(p.Subjects)))
			if n > most {
				most, topUsage, topCrawler = n, name, visible(crawler)
			}
		}
		fig.add(coded(name, cells...))
		heat.Rows = append(heat.Rows, row)
	}
	var rows []chart.HeatRow
	for _, alike := range groups(heat.Rows, func(r chart.HeatRow) string { return fmt.Sprint(r.Texts) }) {
		if len(alike) > 1 {
			var names []string
			for _, r := range alike {
				names = append(names, r.Label)
			}
			alike[0].Label = fig.alike(names, len(heat.Rows))
		}
		rows = append(rows, alike[0])
	}
	heat.Rows = rows
	fig.drawing = heat
	if most > 0 {
		fig.Headline = fmt.Sprintf("Most often forbidden on all paths is %s to %s: by %s.", topUsage, topCrawler,
			amongSites(most, p.Subjects, of))
	} else {
		fig.Headline = fmt.Sprintf("No usage is forbidden to any crawler on all paths by any of %s.",
			sites(p.Subjects, of))
	}
	return fig
}

func familyOf(usage string) terms.Family {
	value, _ := terms.Parse[terms.Usage](usage)
	return value.Family()
}

// usageFigure shows the usages of a family in a grid whose columns are the series, with the sum of each row if total
// names it.
func usageFigure(id, caption string, family terms.Family, parts []chart.Series, g *numbers.Grid, total string,
	notes ...note) figure {
	fig := figure{
		ID: id, Caption: caption, Table: dataTable{Head: stackColumns("Usage", parts), None: noSuchRows}, Notes: notes,
		bars: chart.Bars{Panels: []chart.Panel{{Series: parts, Whole: true}}}, fold: "usage",
	}
	if total != "" {
		fig.Table.Head = stackColumns("Usage", parts, total)
	}
	for _, name := range g.In(numbers.Usages) {
		if familyOf(name) != family || g.Row(name) == 0 {
			continue
		}
		row := coded(name)
		if total != "" {
			row.Cells = numberCells(g.Row(name))
		}
		fig.addStack(row, g.Values(name), "")
	}
	return fig
}

func (f *Report) basisFigure() figure {
	site, pages := f.Permissions[0].Basis, f.Permissions[1].Basis
	ofSites, ofPages := numbers.Sum(site.Total()), numbers.Sum(pages.Total())
	fig := figure{
		ID: "basis", Caption: "What these decisions rest on",
		Table: dataTable{
			Head: columns("Basis", "Decisions about sites", "Share", "Decisions about pages", "Share"),
			None: noSuchRows,
		},
		Notes: []note{
			counted("%s about sites and %s about page captures: one a usage.", plural(ofSites, "decision"),
				number(ofPages)),
			caveat("Do not add the two: a decision about a page depends on robots.txt too."),
		},
	}
	for _, name := range terms.Names[terms.Basis]() {
		if n, m := site.Row(name), pages.Row(name); n > 0 || m > 0 {
			fig.add(explained[terms.Basis](name,
				numberCell(n), shareCell(n, ofSites), numberCell(m), shareCell(m, ofPages)))
		}
	}
	if f.Sites.Unread.Len() > 0 {
		n := func(outcome terms.RobotsOutcome) string { return number(f.Sites.Unread.Get(outcome.String(), 0)) }
		fig.Notes = append(fig.Notes, caveat("robots-not-captured stands for two outcomes. Of these sites, %s have "+
			"no capture of robots.txt, and %s a redirect or revisit whose target is not in the archives "+
			"(robots_outcome in table adoption).",
			n(terms.OutcomeNotCaptured), n(terms.OutcomeRedirectUnresolved)))
	}
	return fig
}
