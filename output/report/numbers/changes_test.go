package numbers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// compareSites gives a comparison n sites, of which every third blocks a crawler in the last crawl alone.
func compareSites(c *ChangeFigures, n int) {
	read := table.WordOf(terms.OutcomeRules)
	none := table.WordOf(terms.AdoptionNone)
	for _, crawl := range []string{"a", "b", "c"} {
		p := partition{crawl: crawl}
		for i := range n {
			c.addSite(p, &siteRow{Site: fmt.Sprintf("http://%d.example", i), Outcome: read, Class: none})
		}
	}
	for i := range n {
		row := agentRow{Site: fmt.Sprintf("http://%d.example", i), Agent: "bot", NamedIn: []string{"rep"},
			CrawlExtent: table.WordOf(terms.ExtentNone)}
		c.addAgent(partition{crawl: "b"}, &row) // between the two: not compared
		if i%3 == 0 {
			c.addAgent(partition{crawl: "c"}, &row)
		}
	}
	c.finish()
}

func TestChangesCompareTheFirstAndTheLastCrawl(t *testing.T) {
	c := newChanges([]string{"a", "b", "c", "local"})
	compareSites(&c, 30)
	if got := c.Crawlers.Values("bot"); c.Sites != 30 || c.OneIn != 1 || !slices.Equal(got, []int64{0, 10, 10, 0}) {
		t.Errorf("%d sites, one in %d, %v", c.Sites, c.OneIn, got)
	}
}

func TestChangesAreASampleWhereSitesAreMany(t *testing.T) {
	c := newChanges([]string{"a", "b", "c"})
	c.limit = 1000
	compareSites(&c, 10_000)
	// Halved until sites and blocked crawlers fit: 10,000 sites and 3,334 crawlers are 13,334 things.
	if c.OneIn != 16 {
		t.Errorf("one in %d sites is compared, want 16", c.OneIn)
	}
	if c.Sites < 500 || c.Sites > 750 {
		t.Errorf("%d sites are compared, want about 625", c.Sites)
	}
	began := c.Crawlers.Get("bot", ChangeBegan)
	if share := float64(began) / float64(c.Sites); share < 0.25 || share > 0.42 {
		t.Errorf("a share of %v began, want about a third", share)
	}
}

func TestOneCrawlHasNoChanges(t *testing.T) {
	c := newChanges([]string{"c", "local"})
	compareSites(&c, 3)
	if c.From != "" || c.Sites != 0 {
		t.Errorf("compared %d sites from %q", c.Sites, c.From)
	}
}
