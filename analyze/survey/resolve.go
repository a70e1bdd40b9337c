package survey

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// Resolve is the pass between the stages: where the robots.txt of one host leads to a file of another, by a redirect (R-SITE-2), a
// permissions-reference (R-REF-1) or the digest of a revisit (R-SITE-1), the site that asks gets a copy of what the corpus holds
// there. scan calls its argument for every fact, as often as Resolve asks; emit takes the copies, of which some may come twice. Which
// copies there are does not depend on the order of the facts.
//
// The http and the https site of a host are surveyed together, so that neither needs copies of the other's. Memory is bounded: no more
// than about so many questions to other hosts are held at a time, 0 meaning DefaultQuestions, each a kilobyte or less. Where there are
// more, the hosts that ask are gone through in ranges, and all is scanned again for each. A host has no more than maxAsked questions
// answered; of its captures the newest ask first where facts come in the order of facts.Compare.
func Resolve(scan Scan, emit func(*facts.Fact) error, opts reading.Options, questions int) error {
	if questions <= 0 {
		questions = DefaultQuestions
	}
	for next := int64(0); next >= 0; {
		r := &resolver{
			opts: opts, emit: emit, max: questions, lowest: next, highest: math.MaxInt64, asked: map[asking]bool{}, asks: map[int64]int{},
			next: map[question][]asker{},
		}
		if err := r.run(scan); err != nil {
			return err
		}
		next = r.highest + 1 // negative after the last
	}
	return nil
}

// DefaultQuestions is how many questions Resolve holds at a time where it is not told.
const DefaultQuestions = 1 << 17

// maxAsked bounds the questions of one host.
const maxAsked = 1 << 13

func (r *resolver) run(scan Scan) error {
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
	return record{f.CrawlName(), f.Filename, f.RecordOffset, f.RecordIndex, f.URL}
}

// A holding is who has the body of a digest.
type holding struct {
	first facts.Fact      // the first capture that has it, without the body
	hosts map[string]bool // of the askers; true for those that have it themselves
}

type resolver struct {
	opts reading.Options
	emit func(*facts.Fact) error
	max  int // questions

	lowest, highest int64           // hashes of the sites that ask
	asked           map[asking]bool // ever: nothing is asked twice
	asks            map[int64]int   // how many, by hash of the site

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
	if f.Kind != facts.KindRobots && f.Kind != facts.KindPolicy || f.SiteHash < r.lowest || f.SiteHash > r.highest {
		return nil
	}
	if host := hostOf(f.Site); host != r.host || r.bodies == nil {
		r.settle()
		r.host, r.bodies = host, map[question]bool{}
	}
	digest := question{crawl: f.CrawlName(), digest: f.ContentDigest}
	if f.Body != nil {
		r.bodies[digest] = true
	}
	if wantsBody(f) {
		if n := len(r.missing); n > 0 && r.missing[n-1].question == digest && r.missing[n-1].site == f.Site {
			return nil // as unchanged files do, time and again
		}
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
		r.askURL(f.CrawlName(), f.FetchRedirect, a)
	case wantsBody(f):
		r.note(asking{question{crawl: f.CrawlName(), digest: f.ContentDigest}, a})
	case a.purpose == toSpeak && bytes.Contains(bytes.ToLower(f.Body), referenceField):
		references := reading.ReadRobots(f.Body, f.BodyTruncated, r.opts).References
		for _, ref := range references[:min(len(references), maxReferences)] {
			if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				r.askURL(f.CrawlName(), target, asker{a.site, toBeRead})
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
	hash := facts.HashSite(a.site)
	if r.asked[a] || hash > r.highest || r.asks[hash] >= maxAsked {
		return
	}
	r.asked[a] = true
	r.asks[hash]++
	r.next[a.question] = append(r.next[a.question], a.asker)
	if len(r.asked) > r.max {
		r.narrow()
	}
}

// narrow leaves the upper half of the sites that ask to another range, unless there is one host only.
func (r *resolver) narrow() {
	hashes := slices.Sorted(maps.Keys(r.asks))
	if len(hashes) < 2 {
		return
	}
	r.highest = hashes[len(hashes)/2-1]
	later := func(a asker) bool { return facts.HashSite(a.site) > r.highest }
	maps.DeleteFunc(r.asks, func(hash int64, _ int) bool { return hash > r.highest })
	maps.DeleteFunc(r.asked, func(a asking, _ bool) bool { return later(a.asker) })
	for _, askers := range []map[question][]asker{r.next, r.open} {
		withoutAskers(askers, later)
	}
	withoutAskers(r.deliver, later)
}

func withoutAskers[K comparable](of map[K][]asker, later func(asker) bool) {
	for key, askers := range of {
		if left := slices.DeleteFunc(askers, later); len(left) > 0 {
			of[key] = left
		} else {
			delete(of, key)
		}
	}
}

// answer gives a capture to those who ask for it, and asks on where it leads elsewhere.
func (r *resolver) answer(f *facts.Fact) error {
	if f.Kind != facts.KindRobots && f.Kind != facts.KindPolicy {
		return nil
	}
	askers := slices.Clone(r.deliver[recordOf(f)])
	if key, ok := urlKey(f.URL); ok {
		askers = append(askers, r.open[question{crawl: f.CrawlName(), url: key}]...)
	}
	if f.Body != nil && f.ContentDigest != "" {
		r.hold(f, question{crawl: f.CrawlName(), digest: f.ContentDigest})
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
