package crosshost

import (
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
)

// copyMatches gives requesters copies of their captures, and finds what these lead to.
func (r *resolver) copyMatches(matches, followUps *extsort.Records) error {
	if matches.Empty() {
		return nil
	}
	return r.inBuckets(r.memory/4*3, []*extsort.Records{followUps}, func(out *facts.Sorter) func(int) error {
		c := &copier{resolver: r, out: out}
		return func(bucket int) error { return c.bucket(matches, bucket) }
	})
}

// A copier merges captures with matches.
type copier struct {
	*resolver
	out *facts.Sorter

	policyFacts
	f       *facts.Fact // of the last match
	last    match
	targets [referenced + 1][]target // of f, by role
	known   [referenced + 1]bool
	record  []byte
}

func (c *copier) bucket(matches *extsort.Records, bucket int) error {
	if matches.EmptyIn(bucket) {
		return nil
	}
	if err := c.open(c.resolver, bucket); err != nil {
		return err
	}
	c.f = nil
	in, err := matches.Open(bucket)
	return c.each(in, err, func(record []byte) error {
		m := readMatch(record)
		if c.f == nil || m.at != c.last.at {
			for c.ended == nil && c.at < m.at {
				c.next()
			}
			if c.ended != nil {
				return c.err()
			}
			var err error
			if c.f, err = c.facts.Fact(); err != nil {
				return err
			}
			c.last, c.known = match{at: m.at}, [referenced + 1]bool{}
		}
		err := c.give(&m)
		c.last = m
		return err
	})
}

// give writes a copy for the requester, and the follow-ups. Matches of one requester with the same capture come
// together.
func (c *copier) give(m *match) error {
	if *m == c.last {
		return nil
	}
	f, role := c.f, m.role
	another := m.site != c.last.site || m.requester.hash != c.last.requester.hash
	if another && m.requester.hash != f.SiteHash {
		copied := *f
		copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, m.site, m.requester.hash
		if err := c.out.Add(&copied); err != nil {
			return err
		}
	}
	moment := int64(anyTime)
	switch redirects := inforce.IsRedirect(f); {
	case redirects && m.moment == anyTime && role == ownPolicy:
		return nil // only the body of the capture is needed
	case redirects && m.moment == anyTime:
		moment = c.momentOf(f) // a reference names the capture: its own time counts
	case redirects:
		moment = m.moment
	case !another && role == c.last.role:
		return nil // the same for every moment
	}
	if !c.known[role] {
		c.known[role], c.targets[role] = true, c.targetsOf(f, role)
	}
	for nth, t := range c.targets[role] {
		next := followUp{requester{m.site, m.requester.hash, nextRole(f, role)}, t, moment, c.at, int(role)<<16 | nth,
			f.CrawlName()}
		c.record = next.appendTo(c.record[:0])
		if err := c.out.AddRecord(0, c.record); err != nil {
			return err
		}
	}
	return nil
}
