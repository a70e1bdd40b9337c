package survey

import (
	"errors"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/facts"
)

// A host is the sites of one host and port in one crawl, which are surveyed together: its http and its https. What their policies are
// made of comes first; then their pages go by, and are not held.
type host struct {
	hash         int64
	crawl        string
	opts         Options
	out          *output
	captures     *captures
	sites        []*site
	heard        bool        // all that policies are made of has come
	copied       *facts.Fact // the last copy of an answer
	newSpillFile newSpillFile
}

func newHost(f *facts.Fact, opts Options, out *output) *host {
	return &host{hash: f.SiteHash, crawl: f.CrawlName(), opts: opts, out: out, captures: newCaptures(opts.Reading.Without, out.bounds, out.policies(opts)), newSpillFile: out.newSpillFile}
}

// site returns the site of a name. There are hardly ever more than two.
func (h *host) site(name string) *site {
	for _, s := range h.sites {
		if s.name == name {
			return s
		}
	}
	s := newSite(h.crawl, name, h.captures, h.opts, h.newSpillFile)
	s.stopped = func() bool { return h.out.hasEnded() != nil }
	h.sites = append(h.sites, s)
	return s
}

// add takes a fact of the host; they come in the order of facts.Compare.
func (h *host) add(f *facts.Fact) error {
	s := h.site(f.Site)
	if f.Kind == facts.KindAnswer {
		if h.copied != nil && facts.Compare(h.copied, f) == 0 {
			return nil // the pass between the stages gives some copies twice
		}
		h.copied = f
	}
	if f.Kind != facts.KindPage {
		return s.add(f)
	}
	h.hear()
	return s.page(f, h.out)
}

// hear finds what the robots.txt of all sites came to.
func (h *host) hear() {
	if h.heard {
		return
	}
	h.heard = true
	for _, s := range h.sites {
		s.know()
	}
	for _, s := range h.sites {
		s.findAnswers()
	}
}

// end makes the rows of the sites themselves. The outcome of the other scheme is part of a site's row.
func (h *host) end() error {
	if h == nil {
		return nil
	}
	h.hear()
	slices.SortFunc(h.sites, func(a, b *site) int { return strings.Compare(a.name, b.name) })
	for _, s := range h.sites {
		if !s.seen() {
			continue // only copies of answers for a site that nothing else is known of
		}
		var other *site
		twin := otherScheme(s.name)
		for _, t := range h.sites {
			if t.name == twin && t.seen() {
				other = t
			}
		}
		if err := s.end(other, h.out); err != nil {
			return err
		}
	}
	return nil
}

// close removes what the host has on disk.
func (h *host) close() error {
	if h == nil {
		return nil
	}
	var err error
	for _, s := range h.sites {
		err = errors.Join(err, s.close())
	}
	return err
}
