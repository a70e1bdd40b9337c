package numbers

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// maxCompared bounds what ChangeFigures keep: hosts, and crawlers that these block.
const maxCompared = 1 << 18

// ChangeFigures compare the first crawl of the run with the last one, in the order of their names: the hosts of which
// the policy is known in both. A host is a surt_host_name, so that one that moved to https or to www. is still the
// same; it uses and blocks what one of its sites does. Where hosts are too many to keep, they are a sample by hash.
type ChangeFigures struct {
	From, To string // the two crawls; empty if the run has one, or the numbers are about one
	Hosts    int64  // hosts compared
	OneIn    int64  // 1: every host was compared; n: one in n
	// Vocabularies and Crawlers are hosts by vocabulary that they use, and by crawler that they block fully by its
	// name. AnyCrawler is a crawler that they do not name. Columns ChangeBefore and on.
	Vocabularies, Crawlers *Grid

	limit, kept int
	hosts       map[string]*compared
}

// Columns of ChangeFigures.Vocabularies and Crawlers.
const (
	ChangeBefore = iota // hosts in the first crawl
	ChangeAfter         // hosts in the last crawl
	ChangeBegan         // hosts in the last crawl alone
	ChangeEnded         // hosts in the first crawl alone
	changeColumns
)

// compared is a host in the two crawls.
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
		hosts: map[string]*compared{},
	}
	if len(crawls) > 1 {
		c.From, c.To = crawls[0], crawls[len(crawls)-1]
	}
	return c
}

// in returns the policy of a host in one of the two crawls, and nil where it is not compared.
func (c *ChangeFigures) in(crawl, host string) *policy {
	s := c.hosts[host]
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

func (c *ChangeFigures) addSite(p partition, r *siteRow) {
	if c.From == "" || p.crawl != c.From && p.crawl != c.To {
		return
	}
	outcome, _ := terms.Parse[terms.RobotsOutcome](string(r.Outcome))
	if !outcome.IsConclusive() || !c.sampled(r.Host) {
		return
	}
	if c.hosts[r.Host] == nil {
		c.hosts[r.Host] = &compared{}
		c.keep(1)
	}
	if in := c.in(p.crawl, r.Host); in != nil { // the sample may have shrunk
		in.known = true
		in.vocabularies = slices.AppendSeq(in.vocabularies, maps.Keys(r.vocabularies()))
		slices.Sort(in.vocabularies)
		in.vocabularies = slices.Compact(in.vocabularies)
	}
}

func (c *ChangeFigures) addAgent(p partition, r *agentRow) {
	if !r.CrawlExtent.Is(terms.ExtentNone) || r.Agent != AnyCrawler && len(r.NamedIn) == 0 {
		return
	}
	if in := c.in(p.crawl, r.Host); in != nil && !slices.Contains(in.blocked, r.Agent) {
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
		for host, s := range c.hosts {
			if !c.sampled(host) {
				delete(c.hosts, host)
				continue
			}
			c.kept += 1 + len(s.before.blocked) + len(s.after.blocked)
		}
	}
}

// sampled tells whether a host is one in OneIn, a power of 2.
func (c *ChangeFigures) sampled(host string) bool {
	h := fnv.New64a()
	h.Write([]byte(host))
	return h.Sum64()&uint64(c.OneIn-1) == 0
}

// finish counts. It goes by name, so that the names that a full grid leaves out are the same ones each time.
func (c *ChangeFigures) finish() {
	for _, host := range slices.Sorted(maps.Keys(c.hosts)) {
		s := c.hosts[host]
		if !s.before.known || !s.after.known {
			continue
		}
		c.Hosts++
		count(c.Vocabularies, s.before.vocabularies, s.after.vocabularies)
		count(c.Crawlers, s.before.blocked, s.after.blocked)
	}
	c.hosts = nil
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
