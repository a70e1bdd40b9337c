package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

// crawlers are those that sites name or that have rows, most blocked first, without *.
func (f *Report) crawlers() []string {
	a := &f.Agents
	names := slices.DeleteFunc(a.Crawlers.Names(), func(name string) bool { return name == numbers.AnyCrawler })
	slices.SortStableFunc(names, func(x, y string) int {
		bx, by := a.Blocked(x), a.Blocked(y)
		return cmp.Or(cmp.Compare(by.Fully(), bx.Fully()), cmp.Compare(by.Partly, bx.Partly))
	})
	return names
}

func (f *Report) agentSection() section {
	a := &f.Agents
	names := f.crawlers()
	fig := figure{
		ID: "agents-blocked", Headline: f.blockedHeadline(), fold: "crawler", apart: 1,
		Caption: fmt.Sprintf("Sites that block a crawler: any crawler that they do not name (*), and the %d most "+
			"blocked",
			shownCrawlers),
		Table: dataTable{
			Head: columns("Crawler", "Sites that name it", "Blocked fully", "of sites", "of them by name",
				"Blocked in part",
				"of sites"),
			None: "No robots.txt was read.",
		},
		Notes: []note{
			counted("the %s with a robots.txt%s. A site that does not name a crawler treats it as *, and counts so.",
				plural(a.Sites, "site"), f.eachCrawl()),
			caveat("Fully: it may crawl no path (crawl_extent none). In part: some paths, which may be one or " +
				"nearly all. The two scales differ."),
			caveatOf(a.Incomplete, "The robots.txt of %s names more crawlers than 256, or takes too much work: the "+
				"others count as *.",
				plural(a.Incomplete, "site")),
		},
		bars: chart.Bars{Panels: []chart.Panel{
			{Title: "Fully", Series: []chart.Series{{Label: "by name", Fill: chart.Solid}, {Label: "as any (*)",
				Fill: chart.Plain}}},
			{Title: "In part", Series: []chart.Series{{Label: "in part", Fill: chart.Hatch}}},
		}},
	}
	if a.Sites > 0 {
		names = slices.Insert(names, 0, numbers.AnyCrawler)
	}
	for _, name := range first(names, shownCrawlers+1) {
		b := a.Blocked(name)
		label := visible(name)
		if name == numbers.AnyCrawler {
			label = "any crawler (*)"
		}
		fig.draw(label,
			chart.Cell{Values: []int64{b.ByName, b.AsAny}, Text: withShare(b.Fully(), a.Sites)},
			chart.Cell{Values: []int64{b.Partly}, Text: withShare(b.Partly, a.Sites)})
		fig.add(coded(name, numberCell(a.Crawlers.Get(name, numbers.AgentNamed)), numberCell(b.Fully()),
			shareCell(b.Fully(), a.Sites), numberCell(b.ByName), numberCell(b.Partly), shareCell(b.Partly, a.Sites)))
	}
	domains, top := ratesByDomain("agents-domain",
		"Sites that block at least one crawler fully by its name, by top-level domain: the highest shares",
		"that block one", "with a robots.txt", a.Domains)
	if top.n > 0 {
		domains.Headline = fmt.Sprintf("Blocking by name is most frequent under %s: %s, 95%% interval %s.", top.label,
			amongSites(top.n, top.of, "with a robots.txt"), between(top.low, top.high))
	}
	out := section{ID: "agents", Title: "Who blocks whom", Figures: []figure{fig, domains}}
	if f.several() {
		out.Figures = append(out.Figures, f.blockedCrawls(first(names, shownInHeat+1)))
	}
	return out
}

// blockedCrawls shows the share of sites that block these crawlers, crawl by crawl.
func (f *Report) blockedCrawls(crawlers []string) figure {
	crawls := f.Sites.Crawls.Names()
	crawls = crawls[max(0, len(crawls)-shownInHeat):]
	fig := figure{
		ID: "agents-crawls", Caption: "Share of sites that block a crawler fully, crawl by crawl, in per cent",
		Table: dataTable{Head: columns(append([]string{"Crawler"}, crawls...)...), None: "No robots.txt was read."},
		Notes: []note{
			counted("the sites of that crawl with a robots.txt. Shown are * and the %d most blocked crawlers, and "+
				"the last %d "+
				"crawls by name.", shownInHeat, shownInHeat),
			caveat("Crawls hold different sites: a change of a share may not be a change of a site. Notebook 5 " +
				"follows sites."),
		},
	}
	heat := &chart.Heat{}
	for i, crawl := range crawls {
		heat.Columns = append(heat.Columns, visible(crawl))
		fig.Table.Head[i+1].Text = visible(crawl)
	}
	for _, crawler := range crawlers {
		row := chart.HeatRow{Label: visible(crawler)}
		var cells []cell
		for _, crawl := range crawls {
			n, of := f.Agents.FullyIn(crawl, crawler)
			row.Shares = append(row.Shares, float64(n)/float64(max(of, 1)))
			text := "–"
			if of > 0 {
				text = perCent(float64(n) / float64(of))
			}
			row.Texts = append(row.Texts, text)
			cells = append(cells, shareCell(n, of))
		}
		heat.Rows = append(heat.Rows, row)
		fig.add(coded(crawler, cells...))
	}
	fig.drawing = heat
	return fig
}

// blockedSentence says which crawler most sites block.
func (f *Report) blockedSentence() string {
	a := &f.Agents
	names := f.crawlers()
	every := a.Blocked(numbers.AnyCrawler).Fully()
	const which = "with a robots.txt"
	switch {
	case a.Sites == 0:
		return "No robots.txt was read, so nothing is known of whom sites block."
	case len(names) == 0 && every > 0 || len(names) > 0 && a.Blocked(names[0]).ByName == 0 && every > 0:
		return fmt.Sprintf("Any crawler is blocked fully by %s, none by its name.", amongSites(every, a.Sites, which))
	case len(names) == 0 || a.Blocked(names[0]).Fully() == 0:
		return fmt.Sprintf("No crawler is blocked fully by any of %s.", sites(a.Sites, which))
	}
	top, others := a.Blocked(names[0]), int64(0)
	for _, name := range names[1:] {
		if a.Blocked(name).Fully() == top.Fully() {
			others++
		}
	}
	whom := visible(names[0])
	if others > 0 {
		whom += fmt.Sprintf(", like %s,", plural(others, "other crawler"))
	}
	return fmt.Sprintf("%s is blocked fully by %s, more than any other crawler: by name on %s, like every crawler "+
		"that the site does not name on %s.", whom, amongSites(top.Fully(), a.Sites, which), number(top.ByName),
		number(top.AsAny))
}

// blockedHeadline compares the most blocked crawler with *.
func (f *Report) blockedHeadline() string {
	a, names := &f.Agents, f.crawlers()
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of sites block %s fully, %s every crawler that they do not name.",
		share(a.Blocked(names[0]).Fully(), a.Sites), visible(names[0]), share(a.Blocked(numbers.AnyCrawler).Fully(),
			a.Sites))
}
