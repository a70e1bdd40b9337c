package crosshost

import (
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/parallel"
)

// collect makes the requests of the first round: what the robots.txt and other policy files of each host lead to.
func (r *resolver) collect(open *round) error {
	to := []*extsort.Records{toCaptures: open.captures, toDigests: open.digests, toRequested: r.requested}
	return r.inBuckets(r.memory, to, func(out *facts.Sorter) func(int) error {
		c := &collector{resolver: r, requests: deduper{out: out, maxRequests: r.maxRequests}}
		return func(bucket int) error {
			if err := r.sorted.ScanACAP(bucket, parallel.Stopping(r.ctx, c.add), facts.Policies); err != nil {
				return err
			}
			return c.end()
		}
	})
}

// A collector finds the requests of one host after another.
type collector struct {
	*resolver
	requests deduper

	begun     bool // with a host
	crawl     string
	bodies    map[targetID]struct{}    // digests whose body the host has in the crawl, and
	digests   []string                 // further ones, not yet in bodies: most hosts look up none
	lacking   map[lackingBody]struct{} // digests of captures without a body, in the crawl
	inOrder   []lackingBody            // the same, in the order of captures
	needed    []lackingBody            // of all crawls, those whose body the host does not have
	own       []ownRedirect
	outside   bool                     // the host has redirects to other hosts
	truncated map[siteInCrawl]struct{} // sites that exceed a limit
}

// A lackingBody is a digest of a capture without a body.
type lackingBody struct {
	target
	siteInCrawl
}

// An ownRedirect leads to the host itself. If that capture leads on to another host, the moment of the first one
// counts there.
type ownRedirect struct {
	target
	siteInCrawl
	moment int64
}

// maxDigests is the limit on the digests of one host in one crawl. Survey holds fewer captures of its robots.txt, and
// says if there are more.
const maxDigests = 1 << 16

// add takes a capture of the host and keeps nothing of its body. Captures come in the order of facts.Compare.
func (c *collector) add(f *facts.Fact) error {
	if err := parse.CheckBody(f, c.opts); err != nil {
		return err
	}
	if !c.begun || f.SiteHash != c.requests.hash {
		if err := c.end(); err != nil {
			return err
		}
		c.requests.begin(f.SiteHash)
		c.begun, c.crawl, c.needed, c.truncated = true, f.CrawlName(), c.needed[:0], emptied(c.truncated)
		c.own, c.outside = c.own[:0], false
	}
	if c.crawl != f.CrawlName() {
		c.endCrawl()
		c.crawl = f.CrawlName()
	}
	if f.Body != nil {
		if c.digests = append(c.digests, f.ContentDigest); len(c.digests) == maxPending {
			c.indexBodies()
		}
	}
	if inforce.LacksBody(f) {
		c.addLacking(f)
		return nil
	}
	for _, t := range c.targetsOf(f, ownPolicy) {
		redirects := inforce.IsRedirect(f)
		if redirects && t.hash == f.SiteHash {
			if len(c.own) <= maxMoments { // one more than the limit, so that the deduper sees it exceeded
				c.own = append(c.own, ownRedirect{t, c.siteIn(f), c.momentOf(f)})
			}
			continue
		}
		c.outside = c.outside || redirects
		if err := c.requests.request(t, c.crawl, f.Site, nextRole(f, ownPolicy), c.momentOf(f)); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) siteIn(f *facts.Fact) siteInCrawl {
	return siteInCrawl{c.requests.name(f.Site), c.requests.name(c.crawl)}
}

func (c *collector) addLacking(f *facts.Fact) {
	l := lackingBody{digestTarget(f), siteInCrawl{f.Site, c.crawl}}
	if _, known := c.lacking[l]; known {
		return
	}
	l.siteInCrawl = c.siteIn(f)
	if len(c.lacking) == maxDigests {
		c.truncated[l.siteInCrawl] = struct{}{}
		return
	}
	if c.lacking == nil {
		c.lacking = map[lackingBody]struct{}{}
	}
	c.lacking[l] = struct{}{}
	c.inOrder = append(c.inOrder, l)
}

// maxPending limits the digests that are not yet indexed.
const maxPending = 1 << 10

// indexBodies indexes the digests of bodies.
func (c *collector) indexBodies() {
	if c.bodies == nil {
		c.bodies = map[targetID]struct{}{}
	}
	for _, digest := range c.digests {
		if len(c.bodies) < maxDigests {
			c.bodies[idOf(aDigest, c.crawl, digest)] = struct{}{}
		}
	}
	c.digests = c.digests[:0]
}

// endCrawl keeps the digests whose body the host does not have. It has most of them.
func (c *collector) endCrawl() {
	if len(c.inOrder) > 0 {
		c.indexBodies()
	}
	for _, l := range c.inOrder {
		if _, has := c.bodies[l.id]; has {
			continue
		}
		if len(c.needed) < c.maxRequests {
			c.needed = append(c.needed, l)
		} else {
			c.truncated[l.siteInCrawl] = struct{}{}
		}
	}
	c.digests = c.digests[:0]
	c.inOrder, c.bodies, c.lacking = c.inOrder[:0], emptied(c.bodies), emptied(c.lacking)
}

// end requests the digests of the host, and its redirects to itself if any of its redirects leads elsewhere.
func (c *collector) end() error {
	if !c.begun {
		return nil
	}
	c.begun = false
	c.endCrawl()
	for _, l := range c.needed {
		if err := c.requests.request(l.target, l.crawl, l.site, ownPolicy, anyTime); err != nil {
			return err
		}
	}
	if c.outside {
		for _, o := range c.own {
			if err := c.requests.request(o.target, o.crawl, o.site, ownPolicy, o.moment); err != nil {
				return err
			}
		}
	}
	for at := range c.truncated {
		if err := c.requests.truncate(at); err != nil {
			return err
		}
	}
	return nil
}
