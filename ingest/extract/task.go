package extract

import (
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/arena"
)

// A PageSet says which pages keep a row.
type PageSet uint8

const (
	// PagesDefault keeps pages with ACAP, a robots PI, an X-Robots-Tag, or a restrictive conventional META.
	PagesDefault PageSet = iota
	// PagesACAP keeps pages with an ACAP META or an ACAP class token.
	PagesACAP
	// PagesAll keeps every page.
	PagesAll
)

// Defaults of Options.
const (
	// DefaultMaxRobots is the 500 KiB that R-LEX-8 reads, rounded up, and one byte that tells of more.
	DefaultMaxRobots = 512<<10 + 1
	DefaultMaxSites  = 50_000
)

// Options change what a Task extracts, and say what its facts say of their input. The zero value is the default.
type Options struct {
	Crawl, Subset, Segment, Filename string // of the input, as the facts have them

	Pages PageSet
	// MaxRobots is how much of a robots.txt or another policy file a fact holds, in bytes. 0 means DefaultMaxRobots.
	MaxRobots int
	// MaxSites is the number of sites whose counters are held. When there are more, all are given out and begin anew. 0 means
	// DefaultMaxSites.
	MaxSites int
}

// maxBodies bounds the memory of bodies given out. When it is full it is emptied: some body may come twice, which harms nothing.
const maxBodies = 200_000

// A bodyKey is a body of a site.
type bodyKey struct{ site, digest string }

// A Task makes the facts of one input out of what was found in its captures, one after another in the order of the input: it keeps
// what goes across captures, the counters of the sites and which bodies were given out. It is not safe for concurrent use.
type Task struct {
	opts    Options
	emit    func(*facts.Fact) error
	finder  *Finder // of Capture
	counts  counters
	bodies  map[bodyKey]struct{}
	digests arena.Arena // of bodies
}

// NewTask returns a Task that gives its facts to emit. The fact, its Body and its Counts are good during that call only; what else it
// refers to is emit's to keep. An error of emit ends the call of the Task that made the fact.
func NewTask(opts Options, emit func(*facts.Fact) error) *Task {
	if opts.MaxSites <= 0 {
		opts.MaxSites = DefaultMaxSites
	}
	return &Task{opts: opts, emit: emit, counts: newCounters(), bodies: make(map[bodyKey]struct{})}
}

// Capture takes in one capture, which it does not keep. The Length of the capture should be set by then, and the archive's
// defects of the record known: call it after archive.Reader.Finish.
func (t *Task) Capture(c *capture.Capture) error {
	if t.finder == nil {
		t.finder = NewFinder(t.opts)
	}
	return t.Take(t.finder.Find(c))
}

// Take takes in what was found in the next capture of the input. The fact in it, if there is one, is given to emit.
func (t *Task) Take(f *Found) error {
	if t.counts.full(f.site, t.opts.MaxSites) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.counts.take(f)
	if f.fact == nil {
		return nil
	}
	t.giveBody(f)
	return t.emit(f.fact)
}

// giveBody gives the fact of a policy file its body, unless one of the same site and digest had it before.
func (t *Task) giveBody(f *Found) {
	if f.body == nil {
		return
	}
	key := bodyKey{f.site, f.fact.ContentDigest}
	if _, had := t.bodies[key]; had && key.digest != "" {
		return
	}
	if !f.fact.BodyTruncated {
		if len(t.bodies) >= maxBodies {
			clear(t.bodies)
		}
		key.digest = t.digests.Copy(key.digest) // else it holds on to the URL of the fact
		t.bodies[key] = struct{}{}
	}
	f.fact.Body = f.body
	f.fact.BodyTruncated = f.fact.BodyTruncated || f.cut
}

// flush gives out the counters of all sites, in order.
func (t *Task) flush() error {
	var row facts.Fact
	for _, name := range t.counts.names() {
		row = facts.Fact{
			Kind: facts.KindSite, SiteHash: facts.HashSite(name), Site: name, Crawl: t.opts.Crawl, Subset: t.opts.Subset,
			Segment: t.opts.Segment, Filename: t.opts.Filename, Counts: t.counts.list(t.counts.sites[name]),
		}
		if err := t.emit(&row); err != nil {
			return err
		}
	}
	clear(t.counts.sites)
	return nil
}

// Finish gives out the counters of the sites. The Task must not be used after.
func (t *Task) Finish() error { return t.flush() }
