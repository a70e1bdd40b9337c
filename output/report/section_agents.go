package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
)

// AgentFigures are about table agents. A site without a row for a crawler treats it as *.
type AgentFigures struct {
	Sites      int64 // with a robots.txt: they have a row for *
	Incomplete int64 // of them, those that name crawlers without a row
	Crawlers   *Grid // by crawler; columns AgentNamed and on

	crawl, site string
	rows        []agentRow // of that site
}

// Columns of AgentFigures.Crawlers. AgentAnyBlocked and AgentAnyPartly count sites that have a row for the crawler.
const (
	AgentNamed      = iota // sites that name it
	AgentBlocked           // sites with a row that blocks it fully
	AgentPartly            // sites with a row that blocks it in part
	AgentAnyBlocked        // sites that block * fully
	AgentAnyPartly         // sites that block * in part
	agentColumns
)

func (f *AgentFigures) add(p partition, r *agentRow) {
	if r.Site != f.site || p.crawl != f.crawl {
		f.endSite()
		f.crawl, f.site = p.crawl, r.Site
	}
	f.rows = append(f.rows, *r)
}

// endSite counts the rows of a site: what they say of a crawler is compared with what they say of *.
func (f *AgentFigures) endSite() {
	defer func() { f.rows = f.rows[:0] }()
	i := slices.IndexFunc(f.rows, func(r agentRow) bool { return r.Agent == anyCrawler })
	if i < 0 {
		return
	}
	f.Sites++
	if !f.rows[i].Complete {
		f.Incomplete++
	}
	for _, r := range f.rows {
		for column, counts := range [agentColumns]bool{
			len(r.NamedIn) > 0, r.CrawlExtent.Is(terms.ExtentNone), r.CrawlExtent.Is(terms.ExtentSome),
			f.rows[i].CrawlExtent.Is(terms.ExtentNone), f.rows[i].CrawlExtent.Is(terms.ExtentSome),
		} {
			if counts {
				f.Crawlers.Add(r.Agent, column, 1)
			}
		}
	}
}

const anyCrawler = "*"

// blocked counts the sites that block a crawler fully and in part, those without a row for it included.
func (f *AgentFigures) blocked(crawler string) (fully, partly int64) {
	g := f.Crawlers
	return g.Get(crawler, AgentBlocked) + g.Get(anyCrawler, AgentBlocked) - g.Get(crawler, AgentAnyBlocked),
		g.Get(crawler, AgentPartly) + g.Get(anyCrawler, AgentPartly) - g.Get(crawler, AgentAnyPartly)
}

var blockSeries = seriesOf([]string{"fully", "in part", "not, or unknown"}, fillSolid, fillHatch, fillPlain)

func (f *Figures) agentSection() section {
	a := &f.Agents
	names := slices.DeleteFunc(a.Crawlers.Names(), func(name string) bool { return name == anyCrawler })
	slices.SortStableFunc(names, func(x, y string) int {
		xFully, xPartly := a.blocked(x)
		yFully, yPartly := a.blocked(y)
		return cmp.Or(cmp.Compare(yFully, xFully), cmp.Compare(yPartly, xPartly))
	})
	fig := figure{
		ID: "agents-blocked", Caption: fmt.Sprintf("Sites that block a crawler: * and the %d most blocked", shownCrawlers),
		Table: dataTable{
			Head: columns("Crawler", "Sites that name it", "Blocked fully", "of sites", "Blocked in part", "of sites"),
			None: "No robots.txt was read.",
		},
		Notes: []note{
			counted("the %s with a robots.txt%s. A site that does not name a crawler treats it as *, and counts so.",
				plural(a.Sites, "site"), f.eachCrawl()),
			caveat("Fully: it may crawl no path (crawl_extent none). In part: some paths, which may be one or nearly all."),
			caveat("The robots.txt of %s names more crawlers than 256, or takes too much work: the others count as *.",
				plural(a.Incomplete, "site")),
		},
		series: blockSeries, whole: true,
	}
	if a.Sites > 0 {
		names = slices.Insert(names, 0, anyCrawler)
	}
	for _, name := range first(names, shownCrawlers+1) {
		fully, partly := a.blocked(name)
		fig.data = append(fig.data, datum{label: visible(name), values: []int64{fully, partly, a.Sites - fully - partly}})
		fig.add(coded(name, numberCell(a.Crawlers.Get(name, AgentNamed)), numberCell(fully), shareCell(fully, a.Sites),
			numberCell(partly), shareCell(partly, a.Sites)))
	}
	return section{ID: "agents", Title: "Agents", Figures: []figure{fig}}
}
