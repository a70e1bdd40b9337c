package numbers

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// maxCompared bounds what ChangeFigures keep: sites, and crawlers that these block.
const maxCompared = 1 << 18

// ChangeFigures compare the first crawl of the run with the last one, in the order of their names: the sites of which
// the policy is known in both. Where these are too many to keep, they are a sample by the hash of the site.
type ChangeFigures struct {
	From, To string // the two crawls; empty if the run has one, or the numbers are about one
	Sites    int64  // sites compared
	OneIn    int64  // 1: every site was compared; n: one in n
	// Vocabularies and Crawlers are sites by vocabulary that they use, and by crawler that they block fully by its
	// name. AnyCrawler is a crawler that they do not name. Columns ChangeBefore and on.
	Vocabularies, Crawlers *Grid

	limit, kept int
	sites       map[string]*compared
}

// Columns of ChangeFigures.Vocabularies and Crawlers.
const (
	ChangeBefore = iota // sites in the first crawl
	ChangeAfter         // sites in the last crawl
	ChangeBegan         // sites in the last crawl alone
	ChangeEnded         // sites in the first crawl alone
	changeColumns
)

// compared is a site in the two crawls.
type compared struct{ before, after policy }

type policy struct {
	known        bool
	vocabularies []string
	blocked      []string // crawlers
}

// newChanges compares the first of these crawls with the last one. The crawls are in alphabetical order. LocalCrawl is
// no time: it counts only where there is no other.
func newChanges(crawls []string) ChangeFigures {
	crawls = slices.DeleteFunc(slices.Clone(crawls), func(name string) bool { return name == table.LocalCrawl })
	c := ChangeFigures{
		OneIn: 1, Vocabularies: newGrid(changeColumns), Crawlers: newGrid(changeColumns), limit: maxCompared,
		sites: map[string]*compared{},
	}
	if len(crawls) > 1 {
		c.From, c.To = crawls[0], crawls[len(crawls)-1]
	}
	return c
}

// in returns the policy of a site in one of the two crawls, and nil where it is not compared.
func (c *ChangeFigures) in(crawl, site string) *policy {
	s := c.sites[site]
	switch {
	case s == nil || c.From == "":
		return nil
	case crawl == c.From:
		return &s.before
	case crawl == c.To:
		return &s.after
	}
	return nil
}

// knownOutcomes are those of sites whose policy is known: they have a robots.txt, or said that they have none.
var knownOutcomes = []table.RobotsOutcome{
	table.WordOf(terms.OutcomeRules), table.WordOf(terms.OutcomeNoRules), table.WordOf(terms.OutcomeAbsent),
	table.WordOf(terms.OutcomeForbidden),
}

func (c *ChangeFigures) addSite(p partition, r *siteRow) {
	if c.From == "" || p.crawl != c.From && p.crawl != c.To || !slices.Contains(knownOutcomes, r.Outcome) ||
		!c.sampled(r.Site) {
		return
	}
	if c.sites[r.Site] == nil {
		c.sites[r.Site] = &compared{}
		c.keep(1)
	}
	if in := c.in(p.crawl, r.Site); in != nil { // the sample may have shrunk
		in.known = true
		in.vocabularies = slices.Sorted(maps.Keys(r.vocabularies()))
	}
}

func (c *ChangeFigures) addAgent(p partition, r *agentRow) {
	if !r.CrawlExtent.Is(terms.ExtentNone) || r.Agent != AnyCrawler && len(r.NamedIn) == 0 {
		return
	}
	if in := c.in(p.crawl, r.Site); in != nil {
		in.blocked = append(in.blocked, r.Agent)
		c.keep(1)
	}
}

// keep counts n more things that are kept, and halves the sample while they are too many.
func (c *ChangeFigures) keep(n int) {
	c.kept += n
	for c.kept > c.limit {
		c.OneIn *= 2
		c.kept = 0
		for site, s := range c.sites {
			if !c.sampled(site) {
				delete(c.sites, site)
				continue
			}
			c.kept += 1 + len(s.before.blocked) + len(s.after.blocked)
		}
	}
}

// sampled tells whether a site is one in OneIn, a power of 2.
func (c *ChangeFigures) sampled(site string) bool {
	h := fnv.New64a()
	h.Write([]byte(site))
	return h.Sum64()&uint64(c.OneIn-1) == 0
}

// finish counts. It goes by name, so that the names that a full grid leaves out are the same ones each time.
func (c *ChangeFigures) finish() {
	for _, site := range slices.Sorted(maps.Keys(c.sites)) {
		s := c.sites[site]
		if !s.before.known || !s.after.known {
			continue
		}
		c.Sites++
		count(c.Vocabularies, s.before.vocabularies, s.after.vocabularies)
		count(c.Crawlers, s.before.blocked, s.after.blocked)
	}
	c.sites = nil
}

func count(g *Grid, before, after []string) {
	for _, name := range before {
		g.Add(name, ChangeBefore, 1)
		if !slices.Contains(after, name) {
			g.Add(name, ChangeEnded, 1)
		}
	}
	for _, name := range after {
		g.Add(name, ChangeAfter, 1)
		if !slices.Contains(before, name) {
			g.Add(name, ChangeBegan, 1)
		}
	}
}
