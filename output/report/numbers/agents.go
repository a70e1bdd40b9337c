package numbers

import (
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
)

// AnyCrawler is the name of one that nothing names.
const AnyCrawler = "*"

// AgentFigures are about table agents. A site without a row for a crawler treats it as *.
type AgentFigures struct {
	Sites      int64 // with a robots.txt: they have a row for *
	Incomplete int64 // of them, those that name crawlers without a row
	Crawlers   *Grid // by crawler; columns AgentNamed and on
	Domains    *Grid // top-level domains; sites that block a crawler fully by its name, and sites

	site   place
	rows   []agentRow // of that site
	crawls *Grid      // by crawlKey; columns crawlSites and on
}

// Columns of AgentFigures.Crawlers. AgentAnyBlocked and AgentAnyPartly count sites that have a row for the crawler.
const (
	AgentNamed         = iota // sites that name it
	AgentBlockedByName        // of them, those that block it fully
	AgentBlocked              // sites with a row that blocks it fully
	AgentPartly               // sites with a row that blocks it in part
	AgentAnyBlocked           // sites that block * fully
	AgentAnyPartly            // sites that block * in part
	agentColumns
)

func (f *AgentFigures) add(p partition, r *agentRow) {
	if at := (place{p.crawl, r.Site}); at != f.site {
		f.endSite()
		f.site = at
	}
	f.rows = append(f.rows, *r)
}

// endSite counts the rows of a site: what they say of a crawler is compared with what they say of *.
func (f *AgentFigures) endSite() {
	defer func() { f.rows = f.rows[:0] }()
	i := slices.IndexFunc(f.rows, func(r agentRow) bool { return r.Agent == AnyCrawler })
	if i < 0 {
		return
	}
	f.Sites++
	if !f.rows[i].Complete {
		f.Incomplete++
	}
	tld, blocks := "", false
	if f.rows[i].HostTLD != nil {
		tld = *f.rows[i].HostTLD
	}
	for _, r := range f.rows {
		named, blocked := len(r.NamedIn) > 0, r.CrawlExtent.Is(terms.ExtentNone)
		for column, counts := range [agentColumns]bool{
			named, named && blocked, blocked, r.CrawlExtent.Is(terms.ExtentSome),
			f.rows[i].CrawlExtent.Is(terms.ExtentNone), f.rows[i].CrawlExtent.Is(terms.ExtentSome),
		} {
			if counts {
				f.Crawlers.Add(r.Agent, column, 1)
			}
		}
		key := crawlKey(f.site.crawl, r.Agent)
		f.crawls.Add(key, crawlSites, 1)
		if blocked {
			f.crawls.Add(key, crawlBlocked, 1)
		}
		if f.rows[i].CrawlExtent.Is(terms.ExtentNone) {
			f.crawls.Add(key, crawlAnyBlocked, 1)
		}
		blocks = blocks || named && blocked && r.Agent != AnyCrawler
	}
	f.Domains.Add(tld, 1, 1)
	if blocks {
		f.Domains.Add(tld, 0, 1)
	}
}

// A Blocked counts sites that block a crawler, those without a row for it included: fully by its name, fully since they
// block *, and in part. For * itself, ByName is 0.
type Blocked struct{ ByName, AsAny, Partly int64 }

// Fully is the number of sites that block the crawler fully.
func (b Blocked) Fully() int64 { return b.ByName + b.AsAny }

// Blocked returns the counts of a crawler.
func (f *AgentFigures) Blocked(crawler string) Blocked {
	g := f.Crawlers
	fully := g.Get(crawler, AgentBlocked) + g.Get(AnyCrawler, AgentBlocked) - g.Get(crawler, AgentAnyBlocked)
	partly := g.Get(crawler, AgentPartly) + g.Get(AnyCrawler, AgentPartly) - g.Get(crawler, AgentAnyPartly)
	if crawler == AnyCrawler {
		return Blocked{AsAny: fully, Partly: partly}
	}
	byName := g.Get(crawler, AgentBlockedByName)
	return Blocked{ByName: byName, AsAny: fully - byName, Partly: partly}
}

// Columns of AgentFigures.crawls, of sites with a row for the crawler.
const (
	crawlSites = iota
	crawlBlocked
	crawlAnyBlocked
	crawlColumns
)

func crawlKey(crawl, crawler string) string { return Clip(crawl+PlaceSeparator+crawler, maxNameBytes) }

// FullyIn counts the sites of a crawl that block a crawler fully, those without a row for it included, and all its
// sites with a robots.txt.
func (f *AgentFigures) FullyIn(crawl, crawler string) (n, of int64) {
	own, any := f.crawls.Values(crawlKey(crawl, crawler)), f.crawls.Values(crawlKey(crawl, AnyCrawler))
	if crawler == AnyCrawler {
		return any[crawlBlocked], any[crawlSites]
	}
	return own[crawlBlocked] + any[crawlBlocked] - own[crawlAnyBlocked], any[crawlSites]
}

// addCrawler takes a row about a site, for any crawler and no purpose.
func (f *PermissionFigures) addCrawler(at place, r *permissionRow) {
	if at != f.site {
		f.endSite()
		f.site = at
	}
	f.rows = append(f.rows, *r)
}

// endSite counts the rows of a site by crawler.
func (f *PermissionFigures) endSite() {
	defer func() { f.rows = f.rows[:0] }()
	any, prefers := make([]bool, len(Usages)), false
	for _, r := range f.rows {
		if usage := slices.Index(Usages, string(r.Usage)); r.Agent == AnyCrawler && usage >= 0 {
			any[usage] = r.nowhere()
			value, _ := terms.Parse[terms.Usage](string(r.Usage))
			prefers = prefers || value.Family() == terms.FamilyAI
		}
	}
	if prefers {
		f.Preferring++
	}
	before := ""
	for _, r := range f.rows {
		usage := slices.Index(Usages, string(r.Usage))
		if r.Agent == before && usage < 0 {
			continue
		}
		if r.Agent != before { // the rows of a crawler stand together
			f.Crawlers.Add(r.Agent, 0, 1)
			for i, nowhere := range any {
				if nowhere {
					f.Crawlers.Add(r.Agent, 1+len(Usages)+i, 1)
				}
			}
			before = r.Agent
		}
		if usage >= 0 && r.nowhere() {
			f.Crawlers.Add(r.Agent, 1+usage, 1)
		}
	}
}

func (r *permissionRow) nowhere() bool { return r.Extent != nil && r.Extent.Is(terms.ExtentNone) }

// Nowhere counts the sites with such rows where a usage, by its place in Usages, is allowed to a crawler on no path.
func (f *PermissionFigures) Nowhere(crawler string, usage int) int64 {
	any := f.Crawlers.Get(AnyCrawler, 1+usage)
	return f.Crawlers.Get(crawler, 1+usage) + any - f.Crawlers.Get(crawler, 1+len(Usages)+usage)
}
