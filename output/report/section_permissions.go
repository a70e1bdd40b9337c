package report

import (
	"fmt"

	"github.com/acapscan/acapscan/internal/terms"
)

var decisionSeries = append(seriesOf(terms.Names[terms.Decision](), fillPlain, fillHatch, fillSolid),
	series{"disallowed, as crawling is", fillCross})

var extentSeries = seriesOf(extents, fillPlain, fillHatch, fillSolid, fillDots)

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
	crossed := caveat("“Disallowed, as crawling is” are usages of which nothing else need be said: who may not crawl may do nothing (R-DEC-11).")
	out := section{
		ID: "permissions", Title: "Permissions",
		Intro: []string{fmt.Sprintf("What a crawler that no statement names (agent *) may do, for no purpose in particular; profile %s, other read as %s. "+
			"Table permissions has the agents and purposes that sites name; of %s of %s seen not all, since they or their pages name too many.",
			option(f.Manifest, "profile"), option(f.Manifest, "other"), number(f.Sites.Limits.PermissionsIncomplete), plural(f.Sites.Sites, "site"))},
		Figures: []figure{
			f.decisionFigure("sites", "Sites: decision about the root path, by usage", "Sites", site,
				counted("%s with such rows. The run made them for %s.", plural(site.Subjects, "site"), of), crossed,
				caveat("The root path stands for the home page. How much of the rest is allowed is the extent below.")),
			f.extentFigure(site, of),
			f.decisionFigure("page-captures", "Page captures: decision about the page, by usage", "Captures", pages,
				counted("%s with such rows, all of them fetched. The run made them for %s.", plural(pages.Subjects, "page capture"), ofPages),
				caveat(fmt.Sprintf("Pages that robots.txt denies were not fetched and are not here, so that crawling looks more permitted than on the sites. "+
					"For a crawler that cannot act on elements of a page, %s of these decisions are others (R-DEC-14).", number(pages.Elements)))),
			f.basisFigure(),
		},
	}
	return out
}

func (f *Figures) decisionFigure(id, caption, what string, g *PermissionFigures, notes ...note) figure {
	t := dataTable{Head: []head{{Text: "Usage"}}, None: "The table has no such rows."}
	for _, s := range decisionSeries {
		t.Head = append(t.Head, seriesHead(s))
	}
	t.Head = append(t.Head, numberHead(what))
	var data []datum
	for _, name := range g.Usages.In(terms.Names[terms.Usage]()) {
		if g.Subjects == 0 {
			break
		}
		d := datum{label: name, values: make([]int64, decisionColumns)}
		row := tableRow{Name: visible(name), Code: true}
		for i := range d.values {
			d.values[i] = g.Usages.Get(name, i)
			row.Cells = append(row.Cells, numberCell(d.values[i]))
		}
		row.Cells = append(row.Cells, numberCell(g.Usages.Row(name)))
		t.Rows = append(t.Rows, row)
		data = append(data, d)
	}
	return figure{ID: id, Caption: caption, Table: t, Notes: notes, Chart: stackChart(id, caption, decisionSeries, data, true)}
}

func (f *Figures) extentFigure(g *PermissionFigures, of string) figure {
	t := dataTable{Head: []head{{Text: "Usage"}}, None: "The table has no such rows."}
	for _, s := range extentSeries {
		t.Head = append(t.Head, seriesHead(s))
	}
	var data []datum
	for _, name := range g.Extents.In(terms.Names[terms.Usage]()) {
		if g.Subjects == 0 {
			break
		}
		d := datum{label: name, values: make([]int64, len(extents))}
		row := tableRow{Name: visible(name), Code: true}
		for i := range d.values {
			d.values[i] = g.Extents.Get(name, i)
			row.Cells = append(row.Cells, numberCell(d.values[i]))
		}
		t.Rows = append(t.Rows, row)
		data = append(data, d)
	}
	const caption = "Sites: extent, how much of the site is allowed, by usage"
	return figure{ID: "extents", Caption: caption, Table: t, Chart: stackChart("extents", caption, extentSeries, data, true), Notes: []note{
		counted("%s with such rows; they are there for %s.", plural(g.Subjects, "site"), of),
		caveat("All the paths that robots.txt can tell apart, not the pages that the site has: “some” may be nearly all or nearly nothing. What pages themselves say is not in it."),
		caveat(fmt.Sprintf("“Unknown” are patterns too many to tell apart: %s of the table, for whichever crawler and purpose, on %s.",
			plural(f.Sites.Limits.ExtentsUnknown, "row"), plural(f.Sites.Limits.WithExtentUnknown, "site"))),
	}}
}

func (f *Figures) basisFigure() figure {
	t := dataTable{Head: columns("Basis", "Decisions about sites", "Share", "Decisions about pages", "Share"), None: "The table has no such rows."}
	total := [2]int64{}
	for scope := range f.Permissions {
		for column := range decisionColumns {
			total[scope] += f.Permissions[scope].Basis.Column(column)
		}
	}
	for _, name := range terms.Names[terms.Basis]() {
		n := [2]int64{f.Permissions[0].Basis.Row(name), f.Permissions[1].Basis.Row(name)}
		if n == [2]int64{} {
			continue
		}
		t.Rows = append(t.Rows, tableRow{Name: name, Code: true, Gloss: phrase[terms.Basis](name), Cells: []cell{
			numberCell(n[0]), shareCell(n[0], total[0]), numberCell(n[1]), shareCell(n[1], total[1]),
		}})
	}
	notes := []note{
		counted("%s about sites and %s about page captures: one a usage, %d of each.",
			plural(total[0], "decision"), number(total[1]), len(terms.All[terms.Usage]())),
		caveat("The two must not be added up: a decision about a page goes by robots.txt too."),
	}
	if f.Sites.Unread.Len() > 0 {
		notes = append(notes, caveat(f.unreadWords()))
	}
	return figure{ID: "basis", Caption: "What these decisions rest on", Table: t, Notes: notes}
}

// unreadWords say what robots-not-captured stands for. robots_outcome tells the two cases apart.
func (f *Figures) unreadWords() string {
	n := func(outcome terms.RobotsOutcome) string { return number(f.Sites.Unread.Get(outcome.String(), 0)) }
	return fmt.Sprintf("robots-not-captured stands for two outcomes. Of these sites, %s have no capture of robots.txt, and %s a "+
		"redirect or revisit that leads to nothing in the archives (robots_outcome in table adoption).",
		n(terms.OutcomeNotCaptured), n(terms.OutcomeRedirectUnresolved))
}
