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
	crossed := caveat("“Disallowed, as crawling is” are usages of which nothing else need be said: who may not crawl " +
		"may do nothing (R-DEC-11).")
	return section{
		ID: "permissions", Title: "Permissions",
		Intro: []string{"What a crawler that no statement names (agent *) may do, for no purpose in particular; profile " +
			option(f.Manifest, "profile") + ", other read as " + option(f.Manifest, "other") + ". Table permissions has the " +
			"agents and purposes that sites name; of " + number(f.Sites.Limits.PermissionsIncomplete) + " of " +
			plural(f.Sites.Sites, "site") + " seen not all, since they or their pages name too many."},
		Figures: []figure{
			usageFigure("sites", "Sites: decision about the root path, by usage", decisionSeries, site.Usages, "Sites",
				counted("%s with such rows. The run made them for %s.", plural(site.Subjects, "site"), of), crossed,
				caveat("The root path stands for the home page. How much of the rest is allowed is the extent below.")),
			usageFigure("extents", "Sites: extent, how much of the site is allowed, by usage", extentSeries, site.Extents, "",
				counted("%s with such rows; they are there for %s.", plural(site.Subjects, "site"), of),
				caveat("All the paths that robots.txt can tell apart, not the pages that the site has: “some” may be nearly "+
					"all or nearly nothing. What pages themselves say is not in it."),
				caveat("“Unknown” are patterns too many to tell apart: %s of the table, for whichever crawler and purpose, on %s.",
					plural(f.Sites.Limits.ExtentsUnknown, "row"), plural(f.Sites.Limits.WithExtentUnknown, "site"))),
			usageFigure("page-captures", "Page captures: decision about the page, by usage", decisionSeries, pages.Usages,
				"Captures",
				counted("%s with such rows, all of them fetched. The run made them for %s.",
					plural(pages.Subjects, "page capture"), ofPages),
				caveat("Pages that robots.txt denies were not fetched and are not here, so that crawling looks more permitted "+
					"than on the sites. For a crawler that cannot act on elements of a page, %s of these decisions are others "+
					"(R-DEC-14).", number(pages.Elements))),
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
				plural(ofSites, "decision"), number(ofPages), len(terms.All[terms.Usage]())),
			caveat("The two must not be added up: a decision about a page goes by robots.txt too."),
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
			"capture of robots.txt, and %s a redirect or revisit that leads to nothing in the archives (robots_outcome in "+
			"table "+
			"adoption).",
			n(terms.OutcomeNotCaptured), n(terms.OutcomeRedirectUnresolved)))
	}
	return fig
}
