package survey

import (
	"bytes"
	"cmp"
	"crypto/sha256"
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
// than about so many questions to other hosts are held at a time, 0 meaning DefaultQuestions, each some 200 octets. Where there are
// more, the hosts that ask are gone through in ranges, and all is scanned again for each. A host has no more than maxAsked questions
// answered, and a copy of nothing, which has no URL, where it has more; of its captures the newest ask first where facts come in the order
// of facts.Compare.
func Resolve(scan Scan, emit func(*facts.Fact) error, opts reading.Options, questions int) error {
	if questions <= 0 {
		questions = DefaultQuestions
	}
	for next := int64(0); next >= 0; {
		r := newResolver(opts, emit, questions, next)
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

func newResolver(opts reading.Options, emit func(*facts.Fact) error, questions int, lowest int64) *resolver {
	return &resolver{
		opts: opts, emit: emit, max: questions, lowest: lowest, highest: math.MaxInt64, asked: map[asking]bool{}, asks: map[int64]int{},
		next: map[question][]asker{}, places: map[string]uint32{}, beyond: map[asksTooMuch]bool{},
	}
}

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
	for _, b := range slices.SortedFunc(maps.Keys(r.beyond), func(a, b asksTooMuch) int {
		return cmp.Or(strings.Compare(a.site, b.site), strings.Compare(a.crawl, b.crawl))
	}) {
		if b.hash > r.highest {
			continue // in its own range
		}
		if err := r.emit(&facts.Fact{Kind: facts.KindAnswer, Site: b.site, SiteHash: b.hash, Crawl: b.crawl}); err != nil {
			return err
		}
	}
	return nil
}

// asksTooMuch is a site whose host has more questions than are answered. An answer without a URL says so to the survey.
type asksTooMuch struct {
	hash        int64
	crawl, site string
}

// A question is what somebody wants to know of the corpus: what a URL, or a digest, holds. There may be very many, so that they are held as
// the beginnings of their SHA-256: nobody can make two that are the same.
type question [16]byte

func urlQuestion(crawl, key string) question { return questionOf('u', crawl, key) }

func digestQuestion(crawl, digest string) question { return questionOf('d', crawl, digest) }

func questionOf(about byte, crawl, what string) question {
	var room [256]byte
	sum := sha256.Sum256(append(append(append(append(room[:0], about), crawl...), 0), what...))
	return question(sum[:16])
}

// An asker is a site that asks, by its place in resolver.sites, and why.
type asker struct {
	site    uint32
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

// lacking is a question of the host whose facts are being collected, unless it turns out to have the answer.
type lacking struct {
	question
	crawl, site string
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

	sites  []string          // that ask
	places map[string]uint32 // of sites

	lowest, highest int64           // hashes of the sites that ask
	asked           map[asking]bool // ever: nothing is asked twice
	asks            map[int64]int   // how many, by hash of the site

	next, open map[question][]asker  // asked for the next round, and in this one
	holdings   map[question]*holding // found in this round for the digests among them
	deliver    map[record][]asker    // captures chosen for digests in the round before

	beyond map[asksTooMuch]bool // hosts with questions that are not asked

	// Of the host whose facts are being collected; within a file they follow each other.
	host    string
	bodies  map[question]bool // digests whose body it has
	missing []lacking         // digests without
}

// begin goes on to the next round. It returns false where there is nothing left to look for.
func (r *resolver) begin() bool {
	r.settle()
	r.deliver = map[record][]asker{}
	for q, h := range r.holdings {
		at := recordOf(&h.first)
		for _, a := range r.open[q] {
			if !h.hosts[hostOf(r.sites[a.site])] {
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
	if f.Body != nil {
		r.bodies[digestQuestion(f.CrawlName(), f.ContentDigest)] = true
	}
	if wantsBody(f) {
		m := lacking{digestQuestion(f.CrawlName(), f.ContentDigest), f.CrawlName(), f.Site}
		if n := len(r.missing); n > 0 && r.missing[n-1] == m {
			return nil // as unchanged files do, time and again
		}
		r.missing = append(r.missing, m)
		return nil
	}
	r.ask(f, f.Site, toSpeak)
	return nil
}

// place returns the place of a site that asks.
func (r *resolver) place(site string) uint32 {
	place, known := r.places[site]
	if !known {
		place = uint32(len(r.sites))
		site = strings.Clone(site) // it is a part of all the text of a fact
		r.sites, r.places[site] = append(r.sites, site), place
	}
	return place
}

// settle asks for the digests of a host of which it turned out to have no body. Most are of captures whose like stands beside them.
func (r *resolver) settle() {
	for _, a := range r.missing {
		if !r.bodies[a.question] {
			r.note(a.crawl, a.question, a.site, toSpeak)
		}
	}
	r.missing = r.missing[:0]
}

var referenceField = []byte("acap-permissions-reference")

// ask notes all that a capture leaves open for an asker.
func (r *resolver) ask(f *facts.Fact, site string, why purpose) {
	switch {
	case isRedirect(f):
		if r.opts.Without.Has(policy.RuleRedirect) {
			return
		}
		r.askURL(f.CrawlName(), f.FetchRedirect, site, why)
	case wantsBody(f):
		r.note(f.CrawlName(), digestQuestion(f.CrawlName(), f.ContentDigest), site, why)
	case why == toSpeak && bytes.Contains(bytes.ToLower(f.Body), referenceField):
		references := reading.ReadRobots(f.Body, f.BodyTruncated, r.opts).References
		for _, ref := range references[:min(len(references), maxReferences)] {
			if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				r.askURL(f.CrawlName(), target, site, toBeRead)
			}
		}
	}
}

func (r *resolver) askURL(crawl, url, site string, why purpose) {
	u, ok := weburl.Split(url)
	if !ok || hostOf(u.Site()) == hostOf(site) {
		return // what is there is among the facts that are surveyed together
	}
	if key, ok := urlKey(url); ok {
		r.note(crawl, urlQuestion(crawl, key), site, why)
	}
}

func (r *resolver) note(crawl string, q question, site string, why purpose) {
	hash := facts.HashSite(site)
	if hash > r.highest {
		return
	}
	if place, known := r.places[site]; known && r.asked[asking{q, asker{place, why}}] {
		return
	}
	if r.asks[hash] >= maxAsked {
		r.beyond[asksTooMuch{hash, strings.Clone(crawl), strings.Clone(site)}] = true
		return
	}
	a := asking{q, asker{r.place(site), why}}
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
	later := func(a asker) bool { return facts.HashSite(r.sites[a.site]) > r.highest }
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
		askers = append(askers, r.open[urlQuestion(f.CrawlName(), key)]...)
	}
	if f.Body != nil && f.ContentDigest != "" {
		r.hold(f, digestQuestion(f.CrawlName(), f.ContentDigest))
	}
	slices.SortFunc(askers, func(a, b asker) int {
		return cmp.Or(strings.Compare(r.sites[a.site], r.sites[b.site]), cmp.Compare(a.purpose, b.purpose))
	})
	for i, a := range askers {
		r.ask(f, r.sites[a.site], a.purpose)
		site := r.sites[a.site]
		if hostOf(site) == hostOf(f.Site) || i > 0 && askers[i-1].site == a.site {
			continue
		}
		copied := *f
		copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, site, facts.HashSite(site)
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
			h.hosts[hostOf(r.sites[a.site])] = false
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
