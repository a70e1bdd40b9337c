package extract

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/acapscan/acapscan/ingest/bodytext"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/arena"
)

// A PageSet selects the pages that have a row.
type PageSet uint8

const (
	// PagesDefault keeps pages with ACAP, a robots PI, a header field that may carry policy, or a restrictive
	// conventional META.
	PagesDefault PageSet = iota
	// PagesACAP keeps pages with an ACAP META or an ACAP class token.
	PagesACAP
	// PagesAll keeps every page.
	PagesAll
)

// Defaults of Options.
const (
	// DefaultMaxRobots is the 500 KiB of R-LEX-8, rounded up, and one byte that shows that there is more.
	DefaultMaxRobots = 512<<10 + 1
	DefaultMaxSites  = 50_000
)

// Options change what a Task extracts, and describe its input for the facts. The zero value is the default.
type Options struct {
	Crawl, Subset, Segment, Filename string // of the input, as the facts have them

	Pages PageSet
	// MaxRobots is the most that a fact has of a robots.txt or another policy file, in bytes. 0 means DefaultMaxRobots.
	MaxRobots int
	// PageBodies keeps the body of a page in the place of a robots.txt: only readers without R-LEX-7 need it.
	PageBodies bool
	// MaxSites is the number of sites whose counters are in memory. With more, all are emitted and reset. 0 means
	// DefaultMaxSites.
	MaxSites int
}

// maxBodies limits the set of emitted bodies. The Task clears a full set, and forgets the first body of a site with its
// counters; a body may then be emitted twice, which is harmless.
const maxBodies = 200_000

// A bodyKey identifies a body of a site.
type bodyKey struct{ site, digest string }

// A Task makes the facts of one input from the findings of its captures, in the order of the input. It has the counters
// of the sites and the set of emitted bodies. It is not safe for concurrent use.
type Task struct {
	opts    Options
	emit    func(*facts.Fact) error
	counts  counters
	bodies  map[bodyKey]struct{} // emitted, without the first of each site
	digests arena.Arena          // of bodies
}

// NewTask returns a Task that passes its facts to emit. The fact, its Body and its Counts are valid during that call
// only; emit may keep everything else. An error of emit ends the call of the Task that made the fact.
func NewTask(opts Options, emit func(*facts.Fact) error) *Task {
	if opts.MaxSites <= 0 {
		opts.MaxSites = DefaultMaxSites
	}
	return &Task{opts: opts, emit: emit, counts: newCounters(), bodies: make(map[bodyKey]struct{})}
}

// Take adds the findings of the next capture of the input, and passes their fact to emit.
func (t *Task) Take(f *Found) error {
	if t.counts.full(f.site, t.opts.MaxSites) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	site := t.counts.take(f)
	if f.fact == nil {
		return nil
	}
	t.giveBody(f, site)
	return t.emit(f.fact)
}

// giveBody gives the fact of a policy file its body, unless an earlier fact of the site has the same one. Of a page in
// the place of a robots.txt it gives the digest.
func (t *Task) giveBody(f *Found, site *siteCounts) {
	if f.body == nil {
		return
	}
	if digest := f.fact.ContentDigest; digest != "" {
		if site.body == digest {
			return
		}
		if !f.fact.BodyTruncated && site.body == "" {
			site.body = t.digests.Copy(digest) // the original shares memory with the URL of the fact
		} else if t.knows(f, digest) {
			return
		}
	}
	f.fact.Body = f.body
	if !t.opts.PageBodies && bodytext.IsPage(f.body) {
		sum := sha256.Sum256(f.body)
		f.fact.Body, f.fact.PageDigest = []byte{}, hex.EncodeToString(sum[:])
	}
	f.fact.BodyTruncated = f.fact.BodyTruncated || f.cut
}

// knows reports whether an earlier fact of the site has this body, besides its first one. If not, this fact will.
func (t *Task) knows(f *Found, digest string) bool {
	key := bodyKey{f.site, digest}
	_, known := t.bodies[key]
	if !known && !f.fact.BodyTruncated {
		if len(t.bodies) >= maxBodies {
			clear(t.bodies)
		}
		key.digest = t.digests.Copy(digest)
		t.bodies[key] = struct{}{}
	}
	return known
}

// flush emits the counters of all sites.
func (t *Task) flush() error {
	var row facts.Fact
	for _, site := range t.counts.order {
		row = facts.Fact{
			Kind: facts.KindSite, SiteHash: facts.HashSite(site.name), Site: site.name, Crawl: t.opts.Crawl,
			Subset:  t.opts.Subset,
			Segment: t.opts.Segment, Filename: t.opts.Filename, Counts: t.counts.list(site),
		}
		if err := t.emit(&row); err != nil {
			return err
		}
	}
	t.counts.clear()
	return nil
}

// Finish emits the counters of the sites. The Task must not be used afterwards.
func (t *Task) Finish() error { return t.flush() }
