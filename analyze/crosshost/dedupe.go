package crosshost

import (
	"io"
	"strings"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
)

// A deduper passes on the requests of one host: each once for a moment, and at most maxRequests.
type deduper struct {
	out         *facts.Sorter // to the records that the constants below number
	maxRequests int
	hash        int64                // of the host
	made        map[request]struct{} // with each also its target for noMoment
	targets     int                  // of them
	truncated   map[siteInCrawl]struct{}
	names       map[string]string // sites and crawls of the host
	record      []byte
}

// The records that a deduper writes to.
const (
	toCaptures = iota
	toDigests
	toRequested
)

type siteInCrawl struct{ site, crawl string }

// emptied returns an empty map. A large one is not cleared but made anew: clearing takes time with the most entries
// it ever had.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) > 64 {
		return map[K]V{}
	}
	clear(m)
	return m
}

func (d *deduper) begin(hash int64) {
	d.hash, d.made, d.targets = hash, emptied(d.made), 0
	d.truncated, d.names = emptied(d.truncated), emptied(d.names)
}

// name returns one copy of a name for all requests: the name may be long, or a part of the text of a fact.
func (d *deduper) name(of string) string {
	held, known := d.names[of]
	if !known {
		held = strings.Clone(of)
		d.names[held] = held
	}
	return held
}

// request passes a request on, unless it was made before.
func (d *deduper) request(t target, crawl, site string, of role, moment int64) error {
	if t.kind != aDigest && t.hash == d.hash && moment == anyTime {
		return nil // survey has the captures of its own host; a redirect may lead on, for its moment
	}
	r := request{t.id, moment, requester{site, d.hash, of}}
	if _, known := d.made[r]; known {
		return nil
	}
	if !d.add(&r) {
		return d.truncate(siteInCrawl{site, crawl})
	}
	to := toCaptures
	if t.kind == aDigest {
		to = toDigests
	}
	d.record = r.appendTo(d.record[:0], t.hash)
	if err := d.out.AddRecord(to, d.record); err != nil {
		return err
	}
	d.record = r.appendTo(d.record[:0], d.hash)
	return d.out.AddRecord(toRequested, d.record)
}

// add remembers a request. It returns false if there are too many.
func (d *deduper) add(r *request) bool {
	t := *r
	t.moment = noMoment
	_, known := d.made[t]
	if !known && d.targets >= d.maxRequests || len(d.made) >= maxMoments {
		return false
	}
	r.site = d.name(r.site)
	t.site = r.site
	if !known {
		d.made[t] = struct{}{}
		d.targets++
	}
	d.made[*r] = struct{}{}
	return true
}

// truncate gives a site a copy without a URL: its host makes more requests than are answered.
func (d *deduper) truncate(at siteInCrawl) error {
	if _, done := d.truncated[at]; done {
		return nil
	}
	d.truncated[siteInCrawl{d.name(at.site), d.name(at.crawl)}] = struct{}{}
	return d.out.Add(truncatedCopy(at.crawl, at.site, d.hash))
}

// truncatedCopy is a copy without a URL: the site does not get all that it may need.
func truncatedCopy(crawl, site string, hash int64) *facts.Fact {
	return &facts.Fact{Kind: facts.KindAnswer, Site: site, SiteHash: hash, Crawl: crawl}
}

// requestFollowUps makes the requests of the next round.
func (r *resolver) requestFollowUps(followUps *extsort.Records, next *round, requested *extsort.Records) error {
	to := []*extsort.Records{toCaptures: next.captures, toDigests: next.digests, toRequested: requested}
	return r.inBuckets(r.memory, to, func(out *facts.Sorter) func(int) error {
		d := &deduper{out: out, maxRequests: r.maxRequests}
		return func(bucket int) error { return r.requestFollowUpsIn(bucket, followUps, d) }
	})
}

func (r *resolver) requestFollowUpsIn(bucket int, followUps *extsort.Records, d *deduper) error {
	if followUps.EmptyIn(bucket) {
		return nil
	}
	before, err := r.requested.Open(bucket)
	if err != nil {
		return err
	}
	ended := before.Next()
	begun := false
	in, err := followUps.Open(bucket)
	return r.each(in, err, func(record []byte) error {
		f := readFollowUp(record)
		if !begun || f.requester.hash != d.hash {
			d.begin(f.requester.hash)
			for ; ended == nil && extsort.HashOf(before.Record()) <= d.hash; ended = before.Next() {
				if extsort.HashOf(before.Record()) == d.hash {
					made := readRequest(before.Record())
					d.add(&made)
				}
			}
			if ended != nil && ended != io.EOF {
				return ended
			}
			begun = true
		}
		return d.request(f.target, f.crawl, f.site, f.role, f.moment)
	})
}
