package survey

import (
	"bytes"
	"slices"

	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// Resolve is the pass between the stages: where the robots.txt of one site leads to a file of another, by a redirect (R-SITE-2), a
// permissions-reference (R-REF-1) or the digest of a revisit (R-SITE-1), the site that asks gets a copy of what the corpus holds
// there. scan calls its argument for every fact, as often as Resolve asks; emit takes the copies.
//
// Memory is bounded by the number of such questions, not by the corpus.
func Resolve(scan func(visit func(*facts.Fact) error) error, emit func(*facts.Fact) error, opts reading.Options) error {
	r := resolver{opts: opts, emit: emit, open: map[question][]string{}, next: map[question][]string{}, closed: map[asking]bool{}}
	if err := scan(r.collect); err != nil {
		return err
	}
	// A reference may lead to a redirect, and a redirect to another: one round a hop.
	for round := 0; len(r.next) > 0 && round <= maxHops; round++ {
		r.open, r.next = r.next, map[question][]string{}
		if err := scan(r.answer); err != nil {
			return err
		}
	}
	return nil
}

// A question is what a site wants to know of the corpus: what a URL, or a digest, holds. One of the two is set.
type question struct {
	crawl, url, digest string
}

// asking is a question of one site: it is answered once.
type asking struct {
	question
	site string
}

type resolver struct {
	opts   reading.Options
	emit   func(*facts.Fact) error
	open   map[question][]string // asked in this round, with the sites that ask
	next   map[question][]string // for the next round
	closed map[asking]bool
}

// collect notes what the robots.txt of a site asks of the corpus.
func (r *resolver) collect(f *facts.Fact) error {
	if f.Kind != facts.KindRobots {
		return nil
	}
	r.askRedirect(f, f.Site)
	if f.Body == nil && f.ContentDigest != "" && !isRedirect(f) {
		r.ask(question{crawl: f.Crawl, digest: f.ContentDigest}, f.Site)
	}
	r.askReferences(f, f.Site)
	return nil
}

func (r *resolver) askRedirect(f *facts.Fact, site string) {
	if !isRedirect(f) {
		return
	}
	if key, ok := urlKey(f.FetchRedirect); ok {
		r.ask(question{crawl: f.Crawl, url: key}, site)
	}
}

var referenceField = []byte("acap-permissions-reference")

func (r *resolver) askReferences(f *facts.Fact, site string) {
	if !bytes.Contains(bytes.ToLower(f.Body), referenceField) {
		return
	}
	for _, ref := range reading.ReadRobots(f.Body, f.BodyTruncated, r.opts).References {
		if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
			if key, ok := urlKey(target); ok {
				r.ask(question{crawl: f.Crawl, url: key}, site)
			}
		}
	}
}

func (r *resolver) ask(q question, site string) {
	if a := (asking{q, site}); !r.closed[a] {
		r.closed[a] = true
		r.next[q] = append(r.next[q], site)
	}
}

// answer gives a capture to the sites that ask for it, and asks on where it leads elsewhere.
func (r *resolver) answer(f *facts.Fact) error {
	if f.Kind != facts.KindRobots && f.Kind != facts.KindPolicy {
		return nil
	}
	var sites []string
	if key, ok := urlKey(f.URL); ok {
		sites = append(sites, r.open[question{crawl: f.Crawl, url: key}]...)
	}
	if f.Body != nil && f.ContentDigest != "" {
		sites = append(sites, r.open[question{crawl: f.Crawl, digest: f.ContentDigest}]...)
	}
	for _, site := range sorted(slices.Clone(sites)) {
		r.askRedirect(f, site)
		if f.Kind == facts.KindRobots && f.Body != nil {
			// What answers for a site may refer on: one level, from the file that speaks.
			r.askReferences(f, site)
		}
		if f.Body == nil && f.ContentDigest != "" && !isRedirect(f) {
			r.ask(question{crawl: f.Crawl, digest: f.ContentDigest}, site)
		}
		if site == f.Site {
			continue // it is in the site's bucket already
		}
		copied := *f
		copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, site, facts.HashSite(site)
		if err := r.emit(&copied); err != nil {
			return err
		}
	}
	return nil
}
