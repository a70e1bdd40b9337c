package survey

import (
	"strings"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/crawlers"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
)

// A site is one site in one crawl. Its policy files come first; then its pages pass by and are not held.
type site struct {
	crawl, name string
	opts        *Options
	robots      *policyfiles.Site

	counters siteCounters
	pages    pageNotes
	compared comparisons
	names    statementNames
	work     work
	found    found
	groups   *crawlers.Decider // if conventional groups alone decide for all agents

	reserving *policyfiles.Reservations // see reservations
}

// found counts what rows of the site say, and what may be missing.
type found struct {
	conflicts        map[string]int64           // by kind
	conventional     map[*policy.Statement]bool // of a robots.txt, in conflicts
	approximate      int64                      // conflicts
	unknownExtents   int64
	lacksConflicts   bool // rows may be missing
	lacksPermissions bool
}

// begin makes a site without facts, in the memory of one that is empty.
func (s *site) begin(h *host, name string) {
	*s = site{
		crawl: h.crawl, name: name, opts: h.opts, robots: h.files.NewSite(), counters: s.counters,
		work: work{stopped: h.out.stopped, all: cost.New(0)},
	}
	s.pages.work.limit = h.out.maxPageSteps
}

// empty lets go of what the site has, and keeps memory for a site of the next host.
func (s *site) empty() {
	counts := s.counters.counts
	if len(counts) > fewCounts {
		counts = nil
	}
	clear(counts)
	*s = site{counters: siteCounters{counts: counts}}
}

// add takes a fact of the site that is no page.
func (s *site) add(f *facts.Fact) error {
	switch f.Kind {
	case facts.KindRobots:
		return s.robots.Add(f)
	case facts.KindPolicy, facts.KindAnswer:
		s.robots.AddOther(f)
	case facts.KindSite:
		s.counters.add(f)
	}
	return nil
}

// truncated reports whether decisions may depend on a file that is left out.
func (s *site) truncated() bool { return s.robots.Truncated || s.pages.truncated }

// seen reports whether the archives hold anything of the site itself.
func (s *site) seen() bool {
	return s.counters.seen || s.robots.Captures() > 0 || s.pages.seen > 0
}

func otherScheme(site string) string {
	if rest, ok := strings.CutPrefix(site, "http://"); ok {
		return "https://" + rest
	}
	if rest, ok := strings.CutPrefix(site, "https://"); ok {
		return "http://" + rest
	}
	return ""
}

// fewCounts is how many counters a site has at most whose map the next site uses.
const fewCounts = 64

// siteCounters are the counters of a site, summed over inputs.
type siteCounters struct {
	counts map[string]int64
	seen   bool
}

func (c *siteCounters) add(f *facts.Fact) {
	c.seen = true
	if c.counts == nil {
		c.counts = make(map[string]int64, len(f.Counts))
	}
	for _, count := range f.Counts {
		name := count.Name
		if _, known := c.counts[name]; !known && len(c.counts) >= maxContents &&
			strings.HasPrefix(name, facts.CountMetaPrefix) {
			name = facts.CountMetaOther
		}
		c.counts[name] += count.Value
	}
}

// end makes the rows of the site itself, after all its pages. other is the site of the other scheme, or nil.
func (s *site) end(other *site, out *output) error {
	for _, f := range s.pagesAsRobots() {
		if err := s.addPage(s.view(f, true), out); err != nil {
			return err
		}
	}
	class, exact := s.adoptionClass()
	hasACAP := class != terms.AdoptionNone
	if err := s.robotsRows(out); err != nil {
		return err
	}
	s.agentRows(out)
	if err := s.sitePermissions(hasACAP, out); err != nil {
		return err
	}
	if err := s.conflictRows(out); err != nil {
		return err
	}
	if err := s.directiveRows(hasACAP, out); err != nil {
		return err
	}
	if err := s.reservationRows(out); err != nil {
		return err
	}
	s.adoptionRow(class, exact, other, out)
	if out.surveyed != nil {
		out.surveyed(s)
	}
	return out.flushFull()
}
