package crosshost

import (
	"bytes"
	"context"
	"io"
	"sort"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/parallel"
)

// This file finds which captures of what is asked for each asker gets, and gives them. The survey takes that which stands for a moment (R-SITE-1):
// of those that settle what is answered the latest not after it, else the first after it. Whether one settles may depend on a body that only
// its digest names, which the asker's host has or gets. So an asker gets those that may be taken, and they are few.

const (
	// Captures that may settle, with different digests, between a moment and the one that does. Most are of few: files change rarely.
	maxUnsure = 8 // who gets as many is told that there may be more

	// Captures of a file that a reference leads to. Which of them counts depends on more than a moment. They are the newest.
	maxRead = 16

	// Digests of one host whose bodies are told apart.
	maxHeldDigests = 1 << 16
)

// choose finds which captures answer what is asked.
func (r *resolver) choose(asked, chosen *facts.Records) error {
	if asked.Empty() {
		return nil
	}
	return r.inBuckets(r.memory/4*3, []*facts.Records{chosen}, func(out *facts.Sorter) func(int) error {
		c := &choosing{resolver: r, out: out}
		return func(bucket int) error { return c.bucket(asked, bucket) }
	})
}

// minRoom is the least room for the questions to one host, in octets.
const minRoom = 1 << 18

// askingBytes is what a question takes at most beside the name of the site, with the bodies that are wanted for it.
const askingBytes = 384

// A policyFacts goes through the facts of a bucket that policies are made of, and knows the place of each.
type policyFacts struct {
	facts facts.Facts
	at    int64
	ended error // of facts
}

// open goes to the first fact of a bucket.
func (p *policyFacts) open(sorted *facts.Sorted, bucket int) (err error) {
	p.facts, err = sorted.Open(bucket, facts.Policies)
	p.at = int64(bucket)<<40 - 1 // no bucket has as many facts
	if err == nil {
		p.next()
	}
	return err
}

func (p *policyFacts) next() {
	p.at++
	p.ended = p.facts.Next()
}

// err is the error that ended the facts, if it was one.
func (p *policyFacts) err() error {
	if p.ended == io.EOF {
		return nil
	}
	return p.ended
}

// A choosing looks through the captures of one host after another for those that ask.
type choosing struct {
	*resolver
	out *facts.Sorter

	policyFacts
	asks    []asking // in order
	files   map[int]*askedFile
	digests int         // of files
	last    *facts.Fact // of the host
	record  []byte
}

func (c *choosing) bucket(asked *facts.Records, bucket int) error {
	if asked.EmptyIn(bucket) {
		return nil
	}
	questions, err := asked.Open(bucket)
	if err != nil {
		return err
	}
	if err := c.open(c.sorted, bucket); err != nil {
		return err
	}
	more := questions.Next()
	for more == nil {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		hash := facts.HashOf(questions.Record())
		c.asks = c.asks[:0]
		for left := c.room; more == nil && left > 0 && facts.HashOf(questions.Record()) == hash; more = questions.Next() {
			ask := readAsking(questions.Record())
			c.asks = append(c.asks, ask)
			left -= askingBytes + len(ask.site)
		}
		if err := c.host(hash); err != nil {
			return err
		}
		if more == nil && facts.HashOf(questions.Record()) == hash { // more than there is room for
			if err := c.open(c.sorted, bucket); err != nil {
				return err
			}
		}
	}
	if more == io.EOF {
		return nil
	}
	return more
}

// host answers what is asked of a host. Facts of others are passed by as they are.
func (c *choosing) host(hash int64) error {
	c.files, c.digests, c.last = renewed(c.files), 0, nil
	for c.ended == nil && facts.HashOf(c.facts.Record()) < hash {
		c.next()
	}
	look := parallel.Stopping(c.ctx, c.fact)
	for ; c.ended == nil && facts.HashOf(c.facts.Record()) == hash; c.next() {
		f, err := c.facts.Fact()
		if err == nil {
			err = look(f)
		}
		if err != nil {
			return err
		}
	}
	for _, of := range c.files {
		if err := of.end(); err != nil {
			return err
		}
	}
	return c.err()
}

// about lists who asks a question: those that ask for moments, the latest first, and the others. The number is that of the first.
func (c *choosing) about(id questionID) (first int, timed, others []asking) {
	first = sort.Search(len(c.asks), func(i int) bool { return bytes.Compare(c.asks[i].id[:], id[:]) >= 0 })
	if first == len(c.asks) || c.asks[first].id != id {
		return first, nil, nil
	}
	n := sort.Search(len(c.asks)-first, func(i int) bool { return c.asks[first+i].id != id })
	of := c.asks[first : first+n]
	n = sort.Search(n, func(i int) bool { return of[i].moment == anyTime })
	return first, of[:n], of[n:]
}

func (c *choosing) fact(f *facts.Fact) error {
	if c.last != nil && facts.Compare(c.last, f) == 0 {
		return nil // a capture that comes twice is one
	}
	c.last = f
	_, _, askers := c.about(recordID(f))
	for i := range askers {
		if err := c.give(c.at, f.SiteHash, &askers[i]); err != nil {
			return err
		}
	}
	id, ok := urlID(f.CrawlName(), f.URL)
	if !ok {
		return nil
	}
	first, timed, others := c.about(id)
	if len(timed)+len(others) == 0 {
		return nil
	}
	of := c.files[first]
	if of == nil {
		of = &askedFile{choosing: c, hash: f.SiteHash, crawl: f.CrawlName(), kind: f.Kind, timed: timed}
		c.files[first] = of
	}
	return of.capture(f, others)
}

// give chooses a capture for one that asks.
func (c *choosing) give(at, hash int64, to *asking) error {
	choice := choice{at, to.moment, to.asker}
	c.record = choice.record(c.record[:0], hash)
	return c.out.AddRecord(0, c.record)
}

// tell tells one that asks that it does not get all that it may need. An answer without a URL says so to the survey.
func (c *choosing) tell(crawl string, to *asking) error {
	return c.out.Add(&facts.Fact{Kind: facts.KindAnswer, Site: to.site, SiteHash: to.hash, Crawl: crawl})
}

// An askedFile is what was captured under one URL, which is asked for. Its captures go by, the newest first, and those that ask for moments, the
// latest first, are kept apart by how far they have come: what one of them has got, all before it have got or need not get.
type askedFile struct {
	*choosing
	hash  int64
	crawl string
	kind  facts.Kind // one of the same URL otherwise written may be of another: these come after one another
	timed []asking

	read      int     // captures for those that ask for no moment
	begun     int     // so many of timed have a moment that is not before the captures that have gone by
	settled   int     // so many of them have what stands for their moment
	full      int     // so many of them have as many that may stand as anybody gets
	unsure    []uint8 // captures that each of timed got, that may stand
	has       map[digestKind]int
	bodies    map[questionID]placed // by digest, the oldest capture that has the body
	wanted    []wanted
	crowded   bool // there are more digests than bodies has room for
	oldest    placed
	earliest  placed                // that settles
	before    map[digestKind]placed // older than that, the oldest of each kind that may settle
	moreKinds bool                  // than before has room for
}

// A placed is a capture that has gone by.
type placed struct {
	at, time int64
	is       bool
}

// older puts a capture in the place of a newer one.
func (p placed) older(at, time int64) placed {
	if p.is && p.time <= time {
		return p
	}
	return placed{at, time, true}
}

// A digestKind is what captures have in common of which nobody knows whether they settle, until their body is found: then all do, or none.
type digestKind struct {
	digest questionID
	empty  bool // it settles if there is no body
}

// wanted is a body that one of those that ask gets with a capture.
type wanted struct {
	asking int
	digest questionID
}

// capture takes the next capture of the file.
func (of *askedFile) capture(f *facts.Fact, others []asking) error {
	if of.kind != f.Kind {
		if err := of.end(); err != nil {
			return err
		}
		*of = askedFile{choosing: of.choosing, hash: of.hash, crawl: of.crawl, kind: f.Kind, timed: of.timed, read: of.read}
	}
	of.read++
	for i := range others {
		var err error
		if of.read <= maxRead {
			err = of.give(of.at, of.hash, &others[i])
		} else if of.read == maxRead+1 {
			err = of.tell(of.crawl, &others[i])
		}
		if err != nil {
			return err
		}
	}
	if len(of.timed) == 0 {
		return nil
	}
	if f.Body != nil && f.ContentDigest != "" {
		of.noteBody(digestQuestion(f).id, f.FetchTime)
	}
	of.oldest = of.oldest.older(of.at, f.FetchTime)
	// The newest that is not after a moment stands for it where none settles.
	begun := of.begun
	for ; of.begun < len(of.timed) && of.timed[of.begun].moment >= f.FetchTime; of.begun++ {
		if err := of.give(of.at, of.hash, &of.timed[of.begun]); err != nil {
			return err
		}
	}
	isPage := func(f *facts.Fact) bool { return parse.NotRobots(f.Body, parse.Options{Without: of.opts.Without}) }
	switch inforce.ConclusiveOf(f, of.opts.Without, isPage) {
	case inforce.IsConclusive:
		for i := of.settled; i < begun; i++ {
			if err := of.give(of.at, of.hash, &of.timed[i]); err != nil {
				return err
			}
		}
		of.settled = of.begun
		of.earliest = of.earliest.older(of.at, f.FetchTime)
		for kind, p := range of.before {
			if p.time > f.FetchTime {
				delete(of.before, kind)
			}
		}
		of.moreKinds = false
	case inforce.ConclusiveByBody:
		return of.mayStand(f, begun)
	}
	return nil
}

// mayStand gives a capture that may settle to all that have none like it, but for those that have more than enough. Those from begun on have
// got it by now.
func (of *askedFile) mayStand(f *facts.Fact, begun int) error {
	if of.unsure == nil {
		of.unsure, of.has, of.before = make([]uint8, len(of.timed)), map[digestKind]int{}, map[digestKind]placed{}
	}
	kind := digestKind{digestQuestion(f).id, inforce.IsEmptyFile(f)}
	for i := max(of.has[kind], of.settled, of.full); i < of.begun; i++ {
		if of.unsure[i] == maxUnsure { // and so have all before it
			of.full = i + 1
			continue
		}
		if of.unsure[i]++; of.unsure[i] == maxUnsure {
			if err := of.tell(of.crawl, &of.timed[i]); err != nil {
				return err
			}
		}
		of.wanted = append(of.wanted, wanted{i, kind.digest})
		if i < begun {
			if err := of.give(of.at, of.hash, &of.timed[i]); err != nil {
				return err
			}
		}
	}
	of.has[kind] = of.begun
	if len(of.has) > 2*maxUnsure { // nobody will ask after those that only such have who need no more
		for kind, n := range of.has {
			if n <= max(of.settled, of.full) {
				delete(of.has, kind)
			}
		}
	}
	if p := of.before[kind]; p.is || len(of.before) < maxUnsure {
		of.before[kind] = p.older(of.at, f.FetchTime)
	} else {
		of.moreKinds = true
	}
	return nil
}

func (of *askedFile) noteBody(digest questionID, time int64) {
	p := of.bodies[digest]
	if !p.is {
		if of.choosing.digests >= maxHeldDigests {
			of.crowded = true
			return
		}
		if of.choosing.digests++; of.bodies == nil {
			of.bodies = map[questionID]placed{}
		}
	}
	of.bodies[digest] = p.older(of.at, time)
}

// end gives what comes after their moments to those that have nothing that settles before, and bodies to those that have captures without.
func (of *askedFile) end() error {
	for i := of.settled; i < len(of.timed); i++ {
		to := &of.timed[i]
		for _, p := range []placed{of.earliest, of.oldest} {
			if p.is {
				if err := of.give(p.at, of.hash, to); err != nil {
					return err
				}
			}
		}
		for kind, p := range of.before {
			if err := of.give(p.at, of.hash, to); err != nil {
				return err
			}
			of.wanted = append(of.wanted, wanted{i, kind.digest})
		}
		if of.moreKinds {
			if err := of.tell(of.crawl, to); err != nil {
				return err
			}
		}
	}
	// The record of the first that has a body names its statements.
	for _, w := range of.wanted {
		to := &of.timed[w.asking]
		if p := of.bodies[w.digest]; p.is {
			if err := of.give(p.at, of.hash, to); err != nil {
				return err
			}
		} else if of.crowded {
			if err := of.tell(of.crawl, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// deliver gives copies of captures to those for whom they were chosen, and finds what these leave open.
func (r *resolver) deliver(chosen, found *facts.Records) error {
	if chosen.Empty() {
		return nil
	}
	return r.inBuckets(r.memory/4*3, []*facts.Records{found}, func(out *facts.Sorter) func(int) error {
		d := &delivering{resolver: r, out: out}
		return func(bucket int) error { return d.bucket(chosen, bucket) }
	})
}

// A delivering goes through captures and choices side by side.
type delivering struct {
	*resolver
	out *facts.Sorter

	policyFacts
	f      *facts.Fact // of the last choice
	last   choice
	leads  [toBeRead + 1][]question // of f
	known  [toBeRead + 1]bool
	record []byte
}

func (d *delivering) bucket(chosen *facts.Records, bucket int) error {
	if chosen.EmptyIn(bucket) {
		return nil
	}
	if err := d.open(d.sorted, bucket); err != nil {
		return err
	}
	d.f = nil
	choices, err := chosen.Open(bucket)
	return d.each(choices, err, func(record []byte) error {
		c := readChoice(record)
		if d.f == nil || c.at != d.last.at {
			for d.ended == nil && d.at < c.at {
				d.next()
			}
			if d.ended != nil {
				return d.err()
			}
			var err error
			if d.f, err = d.facts.Fact(); err != nil {
				return err
			}
			d.last, d.known = choice{at: c.at}, [toBeRead + 1]bool{}
		}
		err := d.give(&c)
		d.last = c
		return err
	})
}

// give copies a capture for one that asks, and asks on for it. What one asks in several ways comes one after the other.
func (d *delivering) give(c *choice) error {
	if *c == d.last {
		return nil
	}
	f, why := d.f, c.purpose
	another := c.site != d.last.site || c.asker.hash != d.last.asker.hash
	if another && c.asker.hash != f.SiteHash {
		copied := *f
		copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, c.site, c.asker.hash
		if err := d.out.Add(&copied); err != nil {
			return err
		}
	}
	moment := int64(anyTime)
	switch redirect := inforce.IsRedirect(f); {
	case redirect && c.moment == anyTime && why == toSpeak:
		return nil // the capture has a body that is asked for, and where it leads does not matter
	case redirect && c.moment == anyTime:
		moment = d.momentOf(f) // a reference leads to it: its own time counts
	case redirect:
		moment = c.moment
	case !another && why == d.last.purpose:
		return nil // whatever the moment
	}
	if !d.known[why] {
		d.known[why], d.leads[why] = true, d.leadsTo(f, why)
	}
	for nth, q := range d.leads[why] {
		on := candidate{asker{c.site, c.asker.hash, onwards(f, why)}, q, moment, d.at, int(why)<<16 | nth, f.CrawlName()}
		d.record = on.record(d.record[:0])
		if err := d.out.AddRecord(0, d.record); err != nil {
			return err
		}
	}
	return nil
}
