package report

import (
	"github.com/acapscan/acapscan/internal/terms"
)

var decisionSeries = append(seriesOf(terms.Names[terms.Decision](), fillPlain, fillHatch, fillSolid),
	series{"disallowed, as crawling is", fillCross})

var extentSeries = seriesOf(extents, fillPlain, fillHatch, fillSolid, fillDots)

const noSuchRows = "The table has no such rows."

func (f *Figures) permissionSection() section {
	site, pages := &f.Permissions[0], &f.Permissions[1]
	of := "every site with ACAP"
	ofPages := "every page capture that carries ACAP itself"
	switch f.Manifest.Options["permissions"] {
	case "all":
		of, ofPages = "every site seen, with or without ACAP", "every page capture that keeps a row"
	case "acap-sites":
		ofPages = "no page (--permissions acap-sites)"
	case "all-sites":
		of, ofPages = "every site seen, with or without ACAP", "no page (--permissions all-sites)"
	}
	crossed := caveat("“Disallowed, as crawling is” are usages without a further statement: a crawler that may not " +
		"crawl may do nothing (R-DEC-11).")
	return section{
		ID: "permissions", Title: "Permissions",
		Intro: []string{"What a crawler that no statement names (agent *) may do, for no purpose in particular; profile " +
			option(f.Manifest, "profile") + ", other read as " + option(f.Manifest, "other") + ". Table permissions has the " +
			"agents and purposes that sites name, but for " + number(f.Sites.Limits.PermissionsIncomplete) + " of " +
			plural(f.Sites.Sites, "site") + " seen not all of them, since the site or its pages name too many."},
		Figures: []figure{
			usageFigure("sites", "Sites: decision about the root path, by usage", decisionSeries, site.Usages, "Sites",
				counted("%s with such rows. The run made them for %s.", plural(site.Subjects, "site"), of), crossed,
				caveat("The root path stands for the home page. How much of the rest is allowed is the extent below.")),
			usageFigure("extents", "Sites: extent, how much of the site is allowed, by usage", extentSeries, site.Extents, "",
				counted("%s with such rows. The run made them for %s.", plural(site.Subjects, "site"), of),
				caveat("All paths that robots.txt can distinguish, not the pages of the site: “some” may be nearly all or nearly "+
					"none. Statements in pages do not count."),
				caveat("“Unknown” are sites with too many patterns to distinguish: %s of the table, for any crawler and purpose, "+
					"on %s.",
					plural(f.Sites.Limits.ExtentsUnknown, "row"), plural(f.Sites.Limits.WithExtentUnknown, "site"))),
			usageFigure("page-captures", "Page captures: decision about the page, by usage", decisionSeries, pages.Usages,
				"Captures",
				counted("%s with such rows, all of them fetched. The run made them for %s.",
					plural(pages.Subjects, "page capture"), ofPages),
				caveat("Pages that robots.txt denies were not fetched and are missing, so crawling looks more permitted than for "+
					"sites. For a crawler that cannot act on elements of a page, %s of these decisions differ (R-DEC-14).",
					number(pages.Elements))),
			f.basisFigure(),
		},
	}
}

// usageFigure shows a grid by usage whose columns are the series, with the sum of each row if total names it.
func usageFigure(id, caption string, parts []series, g *Grid, total string, notes ...note) figure {
	fig := figure{
		ID: id, Caption: caption, Table: dataTable{Head: stackColumns("Usage", parts), None: noSuchRows}, Notes: notes,
		series: parts, whole: true,
	}
	if total != "" {
		fig.Table.Head = stackColumns("Usage", parts, total)
	}
	if g.Len() == 0 {
		return fig
	}
	for _, name := range g.In(terms.Names[terms.Usage]()) {
		if usage, _ := terms.Parse[terms.Usage](name); usage.Family() != terms.FamilyACAP && g.Row(name) == 0 {
			continue // rows about these are there only where a site speaks of them
		}
		row := coded(name)
		if total != "" {
			row.Cells = numberCells(g.Row(name))
		}
		fig.addStack(row, g.Values(name), "")
	}
	return fig
}

func (f *Figures) basisFigure() figure {
	site, pages := f.Permissions[0].Basis, f.Permissions[1].Basis
	ofSites, ofPages := sum(site.Total()), sum(pages.Total())
	fig := figure{
		ID: "basis", Caption: "What these decisions rest on",
		Table: dataTable{
			Head: columns("Basis", "Decisions about sites", "Share", "Decisions about pages", "Share"), None: noSuchRows,
		},
		Notes: []note{
			counted("%s about sites and %s about page captures: one a usage, %d of each.",
				plural(ofSites, "decision"), number(ofPages), len(terms.UsagesOf(terms.FamilyACAP))),
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
		fig.Notes = append(fig.Notes, caveat("robots-not-captured stands for two outcomes. Of these sites, %s have no "+
			"capture of robots.txt, and %s a redirect or revisit whose target is not in the archives (robots_outcome in "+
			"table "+
			"adoption).",
			n(terms.OutcomeNotCaptured), n(terms.OutcomeRedirectUnresolved)))
	}
	return fig
}
