package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

// changeSection compares the first crawl with the last one, host by host.
func (f *Report) changeSection() section {
	c := &f.Changes
	if c.From == "" {
		return section{}
	}
	return section{ID: "changes", Title: "What changed", Figures: []figure{
		f.changeFigure("changes-crawlers", "Crawler", "Hosts that began or stopped blocking a crawler fully", "block",
			first(changed(c.Crawlers), shownCrawlers), c.Crawlers,
			caveat("Fully and by its name; the line of * is about crawlers that a site does not name.")),
		f.changeFigure("changes-vocabularies", "Vocabulary", "Hosts that began or stopped using a vocabulary", "use",
			changed(c.Vocabularies), c.Vocabularies,
			caveat("In robots.txt or in pages. A crawl without a page of a host misses what its pages said.")),
	}}
}

// changed returns the names with a change, those with most changes first.
func changed(g *numbers.Grid) []string {
	changes := func(name string) int64 { return g.Get(name, numbers.ChangeBegan) + g.Get(name, numbers.ChangeEnded) }
	names := slices.DeleteFunc(g.Names(), func(name string) bool { return changes(name) == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(changes(b), changes(a)) })
	return names
}

func (f *Report) changeFigure(id, rows, caption, verb string, shown []string, g *numbers.Grid, more note) figure {
	c := &f.Changes
	sample := ""
	if c.OneIn > 1 {
		sample = fmt.Sprintf(", one in %s of all such hosts, chosen by their hash", number(c.OneIn))
	}
	fig := figure{
		ID: id, Caption: fmt.Sprintf("%s, from crawl %s to crawl %s", caption, visible(c.From), visible(c.To)),
		Table: dataTable{
			Head: columns(rows, "Before", "After", "Began", "of hosts", "Stopped", "of hosts"),
			None: fmt.Sprintf("No host began or stopped. Hosts compared: %s.", number(c.Hosts)),
		},
		Notes: []note{
			counted("the %s of which both crawls know the policy%s.", plural(c.Hosts, "host"), sample),
			more,
			caveat("http and https of a host count together, with and without www. Crawls between these two are not " +
				"compared; notebooks 4 and 5 follow each step."),
		},
	}
	for _, name := range shown {
		v := g.Values(name)
		began, stopped := v[numbers.ChangeBegan], v[numbers.ChangeEnded]
		label := visible(name)
		if name == numbers.AnyCrawler {
			label = "any crawler (*)"
		}
		if len(fig.bars.Panels) == 0 {
			fig.bars.Panels = []chart.Panel{
				{Title: "Began", Series: []chart.Series{{Label: "began", Fill: chart.Solid}}},
				{Title: "Stopped", Series: []chart.Series{{Label: "stopped", Fill: chart.Hatch}}},
			}
		}
		fig.draw(label, chart.Cell{Values: []int64{began}, Text: withShare(began, c.Hosts)},
			chart.Cell{Values: []int64{stopped}, Text: withShare(stopped, c.Hosts)})
		fig.add(coded(name, numberCell(v[numbers.ChangeBefore]), numberCell(v[numbers.ChangeAfter]), numberCell(began),
			shareCell(began, c.Hosts), numberCell(stopped), shareCell(stopped, c.Hosts)))
	}
	if len(shown) > 0 {
		v := g.Values(shown[0])
		fig.Headline = fmt.Sprintf("%s began to %s %s, and %s stopped.",
			among(v[numbers.ChangeBegan], c.Hosts, "host"), verb, whom(shown[0]),
			number(v[numbers.ChangeEnded]))
	}
	return fig
}

// whom names a crawler or a vocabulary within a sentence.
func whom(name string) string {
	switch name {
	case numbers.AnyCrawler:
		return "every crawler that they do not name"
	case terms.VocabularyACAP.String():
		return "ACAP"
	case terms.VocabularyREP.String():
		return "conventional rules"
	}
	return visible(name)
}
