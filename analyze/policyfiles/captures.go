package policyfiles

import (
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/ingest/facts"
)

// ownCaptures are the captures of a site's own /robots.txt. Of many alike captures in a row it holds the first and the
// last: the same is in force between them. The others wait in a spill file for their rows.
type ownCaptures struct {
	host    *Host
	held    []*facts.Fact // the newest first
	spill   *facts.SpillFile
	spilled int64
}

// notHeld is the spill file's number of a capture that is like no held one. Other captures have the index of a held one
// that is alike.
const notHeld = -1

// add takes the next capture. It returns false if the capture is spilled and may be in force.
func (c *ownCaptures) add(f *facts.Fact) (held bool, err error) {
	shared := c.host.share(f)
	n := len(c.held)
	if n >= c.host.limits.Few && shared && alike(c.held[n-2], c.held[n-1]) && alike(c.held[n-1], f) {
		between := *c.held[n-1]
		c.held[n-1] = f
		between.Body = nil // the body of the held one
		return true, c.putAside(&between, int64(n-2))
	}
	if !shared || n >= c.host.limits.Captures {
		return false, c.putAside(f, notHeld)
	}
	c.held = append(c.held, f)
	return true, nil
}

// alike reports whether two captures always have the same answer: they are no redirects, whose end depends on the time,
// and have no markup.
func alike(f, g *facts.Fact) bool {
	sameBody := f.PageDigest == g.PageDigest && len(f.Body) == len(g.Body) && (f.Body == nil) == (g.Body == nil) &&
		(len(f.Body) == 0 || &f.Body[0] == &g.Body[0])
	return sameBody && !inforce.IsRedirect(f) && f.URL == g.URL && f.FetchStatus == g.FetchStatus &&
		f.ContentDigest == g.ContentDigest && f.RecordType == g.RecordType && f.Partial == g.Partial &&
		f.BodyTruncated == g.BodyTruncated && len(f.Directives) == 0 && len(g.Directives) == 0
}

func (c *ownCaptures) putAside(f *facts.Fact, like int64) error {
	if c.spill == nil {
		spill, err := c.host.newSpillFile()
		if err != nil {
			return err
		}
		c.spill = spill
	}
	c.spilled++
	return c.spill.Add(f, like)
}

// eachSpilled calls visit for each capture in the spill file.
func (c *ownCaptures) eachSpilled(visit func(*facts.Fact) error) error {
	if c.spill == nil {
		return nil
	}
	return c.spill.Each(func(f *facts.Fact, like int64) error {
		if like != notHeld {
			f.Body = c.held[like].Body
		}
		return visit(f)
	})
}

// close removes the spill file.
func (c *ownCaptures) close() error {
	if c.spill == nil {
		return nil
	}
	err := c.spill.Close()
	c.spill = nil
	return err
}
