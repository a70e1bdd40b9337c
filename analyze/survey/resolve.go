package survey

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/inturn"
)

// Resolve is the pass between the stages: where the robots.txt of one host leads to a file of another, by a redirect (R-SITE-2), a
// permissions-reference (R-REF-1) or the digest of a revisit (R-SITE-1), the site that asks gets a copy of what the corpus holds there.
// The copies are added to the facts, as facts.Answers, of which some may come twice. Which there are depends on the facts alone.
//
// It is a join that sorts: questions are sorted by the host that is asked, as facts are, and both gone through side by side; what answers
// leave open is sorted by the host that asks, which tells what it did not ask before; and so on, as long as anything is asked. All of it
// goes bucket by bucket, several at a time. Nothing is held but the questions of one host, and memory as given for sorting.
//
// The http and the https site of a host are surveyed together, so that neither needs copies of the other's. A host has no more than maxAsked
// questions answered, and a copy of nothing, which has no URL, where it has more; of its captures the newest ask first.
func Resolve(ctx context.Context, sorted *facts.Sorted, opts reading.Options, workers int, memory int64) error {
	r := &resolver{ctx: ctx, sorted: sorted, opts: opts, workers: max(1, min(workers, sorted.Buckets())), memory: memory, most: maxAsked}
	r.room = max(int(r.memory/4)/r.workers, minRoom)
	return r.run()
}

func (r *resolver) run() (err error) {
	r.asked = r.sorted.NewRecords()
	open := r.newRound()
	defer func() { err = errors.Join(err, r.asked.Close(), open.close()) }()
	if err := r.collect(open); err != nil {
		return err
	}
	// A reference may lead to a redirect, a redirect to another, and its end to a digest, which takes two rounds.
	for n := 0; n < 2*maxHops+4 && !open.empty(); n++ {
		next := r.newRound()
		err := r.round(open, next)
		err = errors.Join(err, open.close())
		if open = next; err != nil {
			return err
		}
	}
	return nil
}

// maxAsked bounds the questions of one host.
const maxAsked = 1 << 13

type resolver struct {
	ctx     context.Context
	sorted  *facts.Sorted
	opts    reading.Options
	workers int
	memory  int64
	most    int // questions of a host
	room    int // for the questions to a host that are held at a time, in octets

	asked *facts.Records // ever, by who asks: nothing is asked twice
}

// A round is what is asked at a time.
type round struct {
	captures *facts.Records // askings, by the host that is asked
	digests  *facts.Records // by digest
}

func (r *resolver) newRound() *round { return &round{r.sorted.NewRecords(), r.sorted.NewRecords()} }

func (o *round) empty() bool { return o.captures.Empty() && o.digests.Empty() }

func (o *round) close() error { return errors.Join(o.captures.Close(), o.digests.Close()) }

// round finds what is asked, and puts what that leaves open into the next.
func (r *resolver) round(open, next *round) (err error) {
	found, asked := r.sorted.NewRecords(), r.sorted.NewRecords()
	defer func() { err = errors.Join(err, found.Close(), asked.Close()) }()
	if err := r.answer(open.captures, found); err != nil {
		return err
	}
	if err := r.findBodies(open.digests, next.captures); err != nil {
		return err
	}
	if err := r.askOn(found, next, asked); err != nil {
		return err
	}
	r.asked.Take(asked)
	return r.asked.Settle(r.ctx, r.workers)
}

// inBuckets calls what begin returns for every bucket, several at a time, each worker with a sorter of its own for facts and for other
// records, which are settled at the end.
func (r *resolver) inBuckets(memory int64, to []*facts.Records, begin func(*facts.Sorter) func(bucket int) error) error {
	err := inturn.Run(r.ctx, r.workers, r.sorted.Buckets(), func(context.Context) inturn.Worker {
		out := r.sorted.NewSorter(memory/int64(r.workers), to...)
		return inturn.Worker{Do: begin(out), End: out.Flush}
	})
	if err != nil {
		return err
	}
	for _, records := range to {
		if err := records.Settle(r.ctx, r.workers); err != nil {
			return err
		}
	}
	return r.sorted.Settle(r.ctx, r.workers)
}

// each goes through a stream, until the context ends.
func (r *resolver) each(in *facts.Stream, err error, visit func(record []byte) error) error {
	visit = inturn.Stopping(r.ctx, visit)
	for err == nil {
		if err = in.Next(); err == nil {
			err = visit(in.Record())
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// hostOf is what the http and the https site of a host have in common, as facts.HashSite has it.
func hostOf(site string) string {
	if _, authority, ok := strings.Cut(site, "://"); ok {
		return authority
	}
	return site
}

var referenceField = []byte("acap-permissions-reference")

// leadsTo lists what a capture leaves open for one that asks for it.
func (r *resolver) leadsTo(f *facts.Fact, why purpose) []question {
	switch {
	case isRedirect(f):
		if q, ok := urlQuestion(f.CrawlName(), f.FetchRedirect); ok && !r.opts.Without.Has(policy.RuleRedirect) {
			return []question{q}
		}
	case wantsBody(f):
		return []question{digestQuestion(f)}
	case why == toSpeak && bytes.Contains(bytes.ToLower(f.Body), referenceField):
		var list []question
		references := reading.ReadRobots(f.Body, f.BodyTruncated, r.opts).References
		for _, ref := range references[:min(len(references), maxReferences)] {
			if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				if q, ok := urlQuestion(f.CrawlName(), target); ok {
					list = append(list, q)
				}
			}
		}
		return list
	}
	return nil
}

// onwards is the purpose of what a capture leads to, for one that asks.
func onwards(f *facts.Fact, why purpose) purpose {
	if isRedirect(f) || wantsBody(f) {
		return why
	}
	return toBeRead
}

// A gate lets questions of one host through: each once, and no more than maxAsked.
type gate struct {
	out    *facts.Sorter // for a round, and for what was asked
	most   int
	hash   int64
	asked  map[asking]struct{}
	beyond map[siteInCrawl]struct{}
	names  map[string]string // of sites and crawls of the host, as they are held
	record []byte
}

// Where the sorter of a gate puts what.
const (
	toCaptures = iota
	toDigests
	toAsked
)

type siteInCrawl struct{ site, crawl string }

// fewEntries is up to how many entries a map is cleared for the next host, and not made anew: clearing takes as long as the most it ever had.
const fewEntries = 64

func renewed[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) > fewEntries {
		return map[K]V{}
	}
	clear(m)
	return m
}

func (g *gate) begin(hash int64) {
	g.hash, g.asked, g.beyond, g.names = hash, renewed(g.asked), renewed(g.beyond), renewed(g.names)
}

// name returns a name of a site or crawl that is held once, however many questions are: it may be long, or a part of all the text of a fact.
func (g *gate) name(of string) string {
	held, known := g.names[of]
	if !known {
		held = strings.Clone(of)
		g.names[held] = held
	}
	return held
}

// ask asks a question of a site of the host, unless it was asked before.
func (g *gate) ask(q question, crawl, site string, why purpose) error {
	if q.of != ofDigest && q.hash == g.hash {
		return nil // what is there is among the facts that are surveyed together
	}
	a := asking{q.id, asker{site, g.hash, why}}
	if _, known := g.asked[a]; known {
		return nil
	}
	if len(g.asked) >= g.most {
		return g.tell(siteInCrawl{site, crawl})
	}
	a.site = g.name(site)
	g.asked[a] = struct{}{}
	to := toCaptures
	if q.of == ofDigest {
		to = toDigests
	}
	g.record = a.record(g.record[:0], q.hash)
	if err := g.out.AddRecord(to, g.record); err != nil {
		return err
	}
	g.record = a.record(g.record[:0], g.hash)
	return g.out.AddRecord(toAsked, g.record)
}

// tell tells a site that its host has more questions than are answered. An answer without a URL says so to the survey.
func (g *gate) tell(at siteInCrawl) error {
	if _, told := g.beyond[at]; told {
		return nil
	}
	g.beyond[siteInCrawl{g.name(at.site), g.name(at.crawl)}] = struct{}{}
	return g.out.Add(&facts.Fact{Kind: facts.KindAnswer, Site: at.site, SiteHash: g.hash, Crawl: at.crawl})
}

// collect asks what the robots.txt of each host leads to elsewhere. So may any other policy file: something on its own host may lead to it.
func (r *resolver) collect(open *round) error {
	return r.inBuckets(r.memory, []*facts.Records{toCaptures: open.captures, toDigests: open.digests, toAsked: r.asked}, func(out *facts.Sorter) func(int) error {
		c := &collector{resolver: r, gate: gate{out: out, most: r.most}}
		return func(bucket int) error {
			if err := r.sorted.Scan(bucket, inturn.Stopping(r.ctx, c.add), facts.Policies); err != nil {
				return err
			}
			return c.end()
		}
	})
}

// A collector finds what the captures of one host ask.
type collector struct {
	*resolver
	gate gate

	begun   bool // with a host
	crawl   string
	bodies  map[questionID]struct{}  // digests whose body the host has in the crawl
	missing map[lacking]struct{}     // digests without
	wanted  []lacking                // these in their order
	kept    []lacking                // of all crawls, what turned out to have no body
	beyond  map[siteInCrawl]struct{} // with more of them than are asked
}

// lacking is a question of a host for a digest, unless it turns out to have the body.
type lacking struct {
	question
	siteInCrawl
}

// maxDigests bounds the digests of one host in one crawl that are told apart. It is above the captures of its robots.txt that are held: the row of
// a site that has more says so anyway.
const maxDigests = 1 << 16

// add takes a capture of the host; they come in the order of facts.Compare.
func (c *collector) add(f *facts.Fact) error {
	if !c.begun || f.SiteHash != c.gate.hash {
		if err := c.end(); err != nil {
			return err
		}
		c.gate.begin(f.SiteHash)
		c.begun, c.crawl, c.kept, c.beyond = true, f.CrawlName(), c.kept[:0], renewed(c.beyond)
	}
	if c.crawl != f.CrawlName() {
		c.settle()
		c.crawl = f.CrawlName()
	}
	if f.Body != nil {
		if c.bodies == nil {
			c.bodies = map[questionID]struct{}{}
		}
		if len(c.bodies) < maxDigests {
			c.bodies[digestQuestion(f).id] = struct{}{}
		}
	}
	if !wantsBody(f) {
		for _, q := range c.leadsTo(f, toSpeak) {
			if err := c.gate.ask(q, c.crawl, f.Site, onwards(f, toSpeak)); err != nil {
				return err
			}
		}
		return nil
	}
	m := lacking{digestQuestion(f), siteInCrawl{f.Site, c.crawl}}
	if _, known := c.missing[m]; known {
		return nil // as unchanged files are, time and again
	}
	m.siteInCrawl = siteInCrawl{c.gate.name(m.site), c.gate.name(m.crawl)}
	if len(c.missing) == maxDigests {
		c.beyond[m.siteInCrawl] = struct{}{}
		return nil
	}
	if c.missing == nil {
		c.missing = map[lacking]struct{}{}
	}
	c.missing[m] = struct{}{}
	c.wanted = append(c.wanted, m)
	return nil
}

// settle keeps the digests of a crawl of which it turned out that the host has no body. Most are of captures whose like stands beside them.
func (c *collector) settle() {
	for _, m := range c.wanted {
		if _, has := c.bodies[m.id]; has {
			continue
		}
		if len(c.kept) < c.most {
			c.kept = append(c.kept, m)
		} else {
			c.beyond[m.siteInCrawl] = struct{}{}
		}
	}
	c.wanted, c.bodies, c.missing = c.wanted[:0], renewed(c.bodies), renewed(c.missing)
}

// end asks for the digests of the host.
func (c *collector) end() error {
	if !c.begun {
		return nil
	}
	c.begun = false
	c.settle()
	for _, m := range c.kept {
		if err := c.gate.ask(m.question, m.crawl, m.site, toSpeak); err != nil {
			return err
		}
	}
	for at := range c.beyond {
		if err := c.gate.tell(at); err != nil {
			return err
		}
	}
	return nil
}

// answer gives captures to those who ask for them, and finds what these leave open.
func (r *resolver) answer(asked, found *facts.Records) error {
	if asked.Empty() {
		return nil
	}
	return r.inBuckets(r.memory/4*3, []*facts.Records{found}, func(out *facts.Sorter) func(int) error {
		a := &answering{resolver: r, out: out}
		return func(bucket int) error { return a.bucket(asked, bucket) }
	})
}

// minRoom is the least room for the questions to one host, in octets.
const minRoom = 1 << 18

// askingBytes is what a question takes beside the name of the site.
const askingBytes = 96

// An answering answers the questions to one host after another.
type answering struct {
	*resolver
	out *facts.Sorter

	asks   []asking    // in order
	given  []int       // captures, by the first asking that is for them
	last   *facts.Fact // of the host
	facts  facts.Facts
	at     int64 // the place of the fact that it stands at
	ended  error // of facts
	record []byte
}

func (a *answering) bucket(asked *facts.Records, bucket int) error {
	if asked.EmptyIn(bucket) {
		return nil
	}
	questions, err := asked.Open(bucket)
	if err != nil {
		return err
	}
	if err := a.open(bucket); err != nil {
		return err
	}
	more := questions.Next()
	for more == nil {
		if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		hash := facts.HashOf(questions.Record())
		a.asks = a.asks[:0]
		for left := a.room; more == nil && left > 0 && facts.HashOf(questions.Record()) == hash; more = questions.Next() {
			ask := readAsking(questions.Record())
			a.asks = append(a.asks, ask)
			left -= askingBytes + len(ask.site)
		}
		a.given, a.last = resizedTo(a.given, len(a.asks)), nil
		if err := a.host(hash); err != nil {
			return err
		}
		if more == nil && facts.HashOf(questions.Record()) == hash { // more than there is room for
			if err := a.open(bucket); err != nil {
				return err
			}
		}
	}
	if more == io.EOF {
		return nil
	}
	return more
}

// open goes to the first fact of a bucket.
func (a *answering) open(bucket int) error {
	var err error
	if a.facts, err = a.sorted.Open(bucket, facts.Policies); err != nil {
		return err
	}
	a.at = int64(bucket)<<40 - 1 // no bucket has as many facts
	a.next()
	return nil
}

func (a *answering) next() {
	a.at++
	a.ended = a.facts.Next()
}

// host answers what is asked of a host. Facts of others are passed by as they are.
func (a *answering) host(hash int64) error {
	for a.ended == nil && facts.HashOf(a.facts.Record()) < hash {
		a.next()
	}
	answer := inturn.Stopping(a.ctx, a.fact)
	for ; a.ended == nil && facts.HashOf(a.facts.Record()) == hash; a.next() {
		f, err := a.facts.Fact()
		if err == nil {
			err = answer(f)
		}
		if err != nil {
			return err
		}
	}
	if a.ended == io.EOF {
		return nil
	}
	return a.ended
}

// resizedTo returns a list of so many zeros, in the place of another.
func resizedTo(list []int, n int) []int {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// about lists who asks a question that a capture answers. Of one question no more captures are given than the survey holds for a site, and one
// that tells it that there are more: they come newest first, as it takes them. Else many hosts that ask for a file that was captured
// often would be as many copies as one times the other.
func (a *answering) about(id questionID, again bool) []asking {
	of := func(ask asking, id questionID) int { return bytes.Compare(ask.id[:], id[:]) }
	from, found := slices.BinarySearchFunc(a.asks, id, of)
	if !found {
		return nil
	}
	if a.given[from] > maxOthers {
		return nil
	}
	if !again {
		a.given[from]++
	}
	to := from
	for to < len(a.asks) && a.asks[to].id == id {
		to++
	}
	return a.asks[from:to]
}

func (a *answering) fact(f *facts.Fact) error {
	again := a.last != nil && facts.Compare(a.last, f) == 0 // a capture that comes twice is one
	a.last = f
	askers := a.about(recordID(f), again)
	if id, ok := urlID(f.CrawlName(), f.URL); ok {
		if byURL := a.about(id, again); len(askers) == 0 {
			askers = byURL
		} else if len(byURL) > 0 {
			askers = slices.Concat(askers, byURL)
			slices.SortFunc(askers, func(a, b asking) int { return strings.Compare(a.site, b.site) })
		}
	}
	var leads [toBeRead + 1][]question
	var known [toBeRead + 1]bool
	for i, ask := range askers {
		why := ask.purpose
		if !known[why] {
			known[why], leads[why] = true, a.leadsTo(f, why)
		}
		for nth, q := range leads[why] {
			c := candidate{asker{ask.site, ask.hash, onwards(f, why)}, q, a.at, int(why)<<16 | nth, f.CrawlName()}
			a.record = c.record(a.record[:0])
			if err := a.out.AddRecord(0, a.record); err != nil {
				return err
			}
		}
		if ask.hash == f.SiteHash || i > 0 && askers[i-1].site == ask.site {
			continue
		}
		copied := *f
		copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, ask.site, ask.hash
		if err := a.out.Add(&copied); err != nil {
			return err
		}
	}
	return nil
}

// askOn asks what answers have left open, and notes it with what was asked before.
func (r *resolver) askOn(found *facts.Records, next *round, asked *facts.Records) error {
	return r.inBuckets(r.memory, []*facts.Records{toCaptures: next.captures, toDigests: next.digests, toAsked: asked}, func(out *facts.Sorter) func(int) error {
		g := &gate{out: out, most: r.most}
		return func(bucket int) error { return r.askOnIn(bucket, found, g) }
	})
}

func (r *resolver) askOnIn(bucket int, found *facts.Records, g *gate) error {
	if found.EmptyIn(bucket) {
		return nil
	}
	before, err := r.asked.Open(bucket)
	if err != nil {
		return err
	}
	left := before.Next()
	begun := false
	candidates, err := found.Open(bucket)
	return r.each(candidates, err, func(record []byte) error {
		c := readCandidate(record)
		if !begun || c.asker.hash != g.hash {
			g.begin(c.asker.hash)
			for ; left == nil && facts.HashOf(before.Record()) <= g.hash; left = before.Next() {
				if facts.HashOf(before.Record()) == g.hash {
					a := readAsking(before.Record())
					a.site = g.name(a.site)
					g.asked[a] = struct{}{}
				}
			}
			if left != nil && left != io.EOF {
				return left
			}
			begun = true
		}
		return g.ask(c.question, c.crawl, c.site, c.purpose)
	})
}
