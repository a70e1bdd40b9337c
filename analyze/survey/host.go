package survey

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A host is the sites of one host and port in one crawl: its http and its https site. The next host begins in its
// memory: there are as many as robots.txt.
type host struct {
	hash     int64
	crawl    string
	opts     *Options
	out      *output
	files    *policyfiles.Host
	sites    []*site
	answered bool        // all policy files have come, and the answers are found
	lastCopy *facts.Fact // the last copy of another host's file
}

func newHost(f *facts.Fact, opts Options, out *output) *host {
	h := &host{opts: &opts, out: out, files: policyfiles.NewHost(out.cache, out.limits, out.newSpillFile)}
	h.begin(f)
	return h
}

// begin makes it the host of a fact. The host before must be closed.
func (h *host) begin(f *facts.Fact) {
	*h = host{hash: f.SiteHash, crawl: f.CrawlName(), opts: h.opts, out: h.out, files: h.files, sites: h.sites[:0]}
}

// site returns the site of a name. There are rarely more than two.
func (h *host) site(name string) *site {
	for _, s := range h.sites {
		if s.name == name {
			return s
		}
	}
	n := len(h.sites)
	h.sites = slices.Grow(h.sites, 1)[:n+1]
	if h.sites[n] == nil {
		h.sites[n] = &site{}
	}
	h.sites[n].begin(h, name)
	return h.sites[n]
}

// add takes a fact of the host. Facts come in the order of facts.Compare.
func (h *host) add(f *facts.Fact) error {
	s := h.site(f.Site)
	switch f.Kind {
	case facts.KindPage:
		h.findAnswers()
		return s.addPage(s.view(f, false), h.out)
	case facts.KindAnswer:
		if h.lastCopy != nil && facts.Compare(h.lastCopy, f) == 0 {
			return nil // some copies come twice
		}
		h.lastCopy = f
	}
	return s.add(f)
}

func (h *host) findAnswers() {
	if h.answered {
		return
	}
	h.answered = true
	h.files.FindAnswers()
	for _, s := range h.sites {
		s.pages.work.allowFiles(s.robots.Bytes())
	}
}

// end makes the rows of the sites themselves.
func (h *host) end() error {
	if h == nil {
		return nil
	}
	h.findAnswers()
	slices.SortFunc(h.sites, func(a, b *site) int { return strings.Compare(a.name, b.name) })
	for _, s := range h.sites {
		if !s.seen() {
			continue // there are only copies
		}
		var other *site
		for _, t := range h.sites {
			if t != s && t.name == otherScheme(s.name) && t.seen() {
				other = t
			}
		}
		if err := s.end(other, h.out); err != nil {
			return err
		}
	}
	return nil
}

// close lets go of the sites of the host, and removes its files.
func (h *host) close() error {
	if h == nil {
		return nil
	}
	for _, s := range h.sites {
		s.empty()
	}
	return h.files.Close()
}
