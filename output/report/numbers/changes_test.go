package numbers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// compareHosts gives a comparison n hosts, of which every third blocks a crawler in the last crawl alone.
func compareHosts(c *ChangeFigures, n int) {
	read := table.WordOf(terms.OutcomeRules)
	none := table.WordOf(terms.AdoptionNone)
	for _, crawl := range []string{"a", "b", "c"} {
		p := partition{crawl: crawl}
		for i := range n {
			c.addSite(p, &siteRow{Host: fmt.Sprintf("example,%d", i), Outcome: read, Class: none})
		}
	}
	for i := range n {
		row := agentRow{Host: fmt.Sprintf("example,%d", i), Agent: "bot", NamedIn: []string{"rep"},
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
	compareHosts(&c, 30)
	if got := c.Crawlers.Values("bot"); c.Hosts != 30 || c.OneIn != 1 || !slices.Equal(got, []int64{0, 10, 10, 0}) {
		t.Errorf("%d hosts, one in %d, %v", c.Hosts, c.OneIn, got)
	}
}

func TestChangesAreASampleWhereHostsAreMany(t *testing.T) {
	c := newChanges([]string{"a", "b", "c"})
	c.limit = 1000
	compareHosts(&c, 10_000)
	// Halved until hosts and blocked crawlers fit: 10,000 hosts and 3,334 crawlers are 13,334 things.
	if c.OneIn != 16 {
		t.Errorf("one in %d hosts is compared, want 16", c.OneIn)
	}
	if c.Hosts < 500 || c.Hosts > 750 {
		t.Errorf("%d hosts are compared, want about 625", c.Hosts)
	}
	began := c.Crawlers.Get("bot", ChangeBegan)
	if share := float64(began) / float64(c.Hosts); share < 0.25 || share > 0.42 {
		t.Errorf("a share of %v began, want about a third", share)
	}
}

func TestOneCrawlHasNoChanges(t *testing.T) {
	c := newChanges([]string{"c", "local"})
	compareHosts(&c, 3)
	if c.From != "" || c.Hosts != 0 {
		t.Errorf("compared %d hosts from %q", c.Hosts, c.From)
	}
}
