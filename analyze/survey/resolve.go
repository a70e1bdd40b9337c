package survey

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// Resolve is the pass between the stages: where the robots.txt of one host leads to a file of another, by a redirect (R-SITE-2), a
// permissions-reference (R-REF-1) or the digest of a revisit (R-SITE-1), the site that asks gets a copy of what the corpus holds
// there. scan calls its argument for every fact, as often as Resolve asks; emit takes the copies. Which copies there are does not
// depend on the order of the facts.
//
// The http and the https site of a host are surveyed together, so that neither needs copies of the other's. Memory is bounded by the
// number of questions to other hosts, not by the corpus.
func Resolve(scan func(visit func(*facts.Fact) error) error, emit func(*facts.Fact) error, opts reading.Options) error {
	r := resolver{opts: opts, emit: emit, asked: map[asking]bool{}, next: map[question][]asker{}}
	if err := scan(r.collect); err != nil {
		return err
	}
	// A reference may lead to a redirect, a redirect to another, and its end to a digest, which takes two rounds.
	for round := 0; round < 2*maxHops+4 && r.begin(); round++ {
		if err := scan(r.answer); err != nil {
			return err
		}
	}
	return nil
}

// A question is what somebody wants to know of the corpus: what a URL, or a digest, holds. One of the two is set.
type question struct {
	crawl, url, digest string
}

// An asker is a site that asks, and why.
type asker struct {
	site    string
	purpose purpose
}

// A purpose tells whether what answers may refer on.
type purpose uint8

const (
	toSpeak  purpose = iota // for the site: its references are followed
	toBeRead                // because of a reference: one level (R-REF-1)
)

// An asking is a question of one asker.
type asking struct {
	question
	asker
}

// A record is where a capture is in the corpus.
type record struct {
	crawl, filename string
	offset, index   int64
	url             string
}

func recordOf(f *facts.Fact) record {
	return record{crawlOf(f), f.Filename, f.RecordOffset, f.RecordIndex, f.URL}
}

// A holding is who has the body of a digest.
type holding struct {
	first facts.Fact      // the first capture that has it, without the body
	hosts map[string]bool // of the askers; true for those that have it themselves
}

type resolver struct {
	opts  reading.Options
	emit  func(*facts.Fact) error
	asked map[asking]bool // ever: nothing is asked twice

	next, open map[question][]asker  // asked for the next round, and in this one
	holdings   map[question]*holding // found in this round for the digests among them
	deliver    map[record][]asker    // captures chosen for digests in the round before

	// Of the host whose facts are being collected; within a file they follow each other.
	host    string
	bodies  map[question]bool // digests whose body it has
	missing []asking          // digests without
}

// begin goes on to the next round. It returns false where there is nothing left to look for.
func (r *resolver) begin() bool {
	r.settle()
	r.deliver = map[record][]asker{}
	for q, h := range r.holdings {
		at := recordOf(&h.first)
		for _, a := range r.open[q] {
			if !h.hosts[hostOf(a.site)] {
				r.deliver[at] = append(r.deliver[at], a)
			}
		}
	}
	r.open, r.next, r.holdings = r.next, map[question][]asker{}, map[question]*holding{}
	return len(r.open)+len(r.deliver) > 0
}

// hostOf is what the http and the https site of a host have in common, as facts.HashSite has it.
func hostOf(site string) string {
	if _, authority, ok := strings.Cut(site, "://"); ok {
		return authority
	}
	return site
}

// collect notes what the robots.txt of a site asks of other hosts. So may any other policy file: something on its own host may lead
// to it.
func (r *resolver) collect(f *facts.Fact) error {
	if f.Kind != facts.KindRobots && f.Kind != facts.KindPolicy {
		return nil
	}
	if host := hostOf(f.Site); host != r.host || r.bodies == nil {
		r.settle()
		r.host, r.bodies = host, map[question]bool{}
	}
	digest := question{crawl: crawlOf(f), digest: f.ContentDigest}
	if f.Body != nil {
		r.bodies[digest] = true
	}
	if wantsBody(f) {
		r.missing = append(r.missing, asking{digest, asker{f.Site, toSpeak}})
		return nil
	}
	r.ask(f, asker{f.Site, toSpeak})
	return nil
}

// settle asks for the digests of a host of which it turned out to have no body. Most are of captures whose like stands beside them.
func (r *resolver) settle() {
	for _, a := range r.missing {
		if !r.bodies[a.question] {
			r.note(a)
		}
	}
	r.missing = r.missing[:0]
}

var referenceField = []byte("acap-permissions-reference")

// ask notes all that a capture leaves open for an asker.
func (r *resolver) ask(f *facts.Fact, a asker) {
	switch {
	case isRedirect(f):
		if r.opts.Without.Has(policy.RuleRedirect) {
			return
		}
		r.askURL(crawlOf(f), f.FetchRedirect, a)
	case wantsBody(f):
		r.note(asking{question{crawl: crawlOf(f), digest: f.ContentDigest}, a})
	case a.purpose == toSpeak && bytes.Contains(bytes.ToLower(f.Body), referenceField):
		references := reading.ReadRobots(f.Body, f.BodyTruncated, r.opts).References
		for _, ref := range references[:min(len(references), maxReferences)] {
			if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				r.askURL(crawlOf(f), target, asker{a.site, toBeRead})
			}
		}
	}
}

func (r *resolver) askURL(crawl, url string, a asker) {
	u, ok := weburl.Split(url)
	if !ok || hostOf(u.Site()) == hostOf(a.site) {
		return // what is there is among the facts that are surveyed together
	}
	if key, ok := urlKey(url); ok {
		r.note(asking{question{crawl: crawl, url: key}, a})
	}
}

func (r *resolver) note(a asking) {
	if !r.asked[a] {
		r.asked[a] = true
		r.next[a.question] = append(r.next[a.question], a.asker)
	}
}

// answer gives a capture to those who ask for it, and asks on where it leads elsewhere.
func (r *resolver) answer(f *facts.Fact) error {
	if f.Kind != facts.KindRobots && f.Kind != facts.KindPolicy {
		return nil
	}
	askers := slices.Clone(r.deliver[recordOf(f)])
	if key, ok := urlKey(f.URL); ok {
		askers = append(askers, r.open[question{crawl: crawlOf(f), url: key}]...)
	}
	if f.Body != nil && f.ContentDigest != "" {
		r.hold(f, question{crawl: crawlOf(f), digest: f.ContentDigest})
	}
	slices.SortFunc(askers, func(a, b asker) int {
		return cmp.Or(strings.Compare(a.site, b.site), cmp.Compare(a.purpose, b.purpose))
	})
	for i, a := range askers {
		r.ask(f, a)
		if hostOf(a.site) == hostOf(f.Site) || i > 0 && askers[i-1].site == a.site {
			continue
		}
		copied := *f
		copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, a.site, facts.HashSite(a.site)
		if err := r.emit(&copied); err != nil {
			return err
		}
	}
	return nil
}

// hold notes that a capture has the body of a digest that is asked for.
func (r *resolver) hold(f *facts.Fact, q question) {
	askers := r.open[q]
	if len(askers) == 0 {
		return
	}
	h := r.holdings[q]
	if h == nil {
		h = &holding{first: *f, hosts: make(map[string]bool, len(askers))}
		for _, a := range askers {
			h.hosts[hostOf(a.site)] = false
		}
		r.holdings[q] = h
	}
	if earlier(f, &h.first) {
		h.first = *f
	}
	h.first.Body, h.first.Directives = nil, nil
	if _, asks := h.hosts[hostOf(f.Site)]; asks {
		h.hosts[hostOf(f.Site)] = true
	}
}
