package crosshost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/parallel"
)

// Resolve is the pass between the stages: where the robots.txt of one host leads to a file of another, by a redirect (R-SITE-2), a
// permissions-reference (R-REF-1) or the digest of a revisit (R-SITE-1), the site that asks gets a copy of what the corpus holds there.
// The copies are added to the facts, as facts.Answers, of which some may come twice. Which there are depends on the facts alone. Of what a
// redirect leads to the site gets what may stand for the times of its own captures, and not all captures: the copies grow with the captures
// that ask, however often a file was captured that many lead to.
//
// It is a join that sorts: questions are sorted by the host that is asked, as facts are, and both gone through side by side; what answers
// leave open is sorted by the host that asks, which tells what it did not ask before; and so on, as long as anything is asked. All of it
// goes bucket by bucket, several at a time. Nothing is held but the questions of one host, and memory as given for sorting.
//
// The http and the https site of a host are surveyed together, so that neither needs copies of the other's. A host has no more than maxAsked
// questions answered, and a copy of nothing, which has no URL, where it has more; of its captures the newest ask first.
func Resolve(ctx context.Context, sorted *facts.Sorted, opts parse.Options, workers int, memory int64) error {
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
	for n := 0; n < 2*inforce.MaxHops+4 && !open.empty(); n++ {
		next := r.newRound()
		err := r.round(open, next)
		err = errors.Join(err, open.close())
		if open = next; err != nil {
			return err
		}
	}
	return nil
}

const (
	maxAsked   = 1 << 13 // questions of one host
	maxMoments = 1 << 16 // what it asks, with all moments of its questions: above the captures of its robots.txt that are held
)

type resolver struct {
	ctx     context.Context
	sorted  *facts.Sorted
	opts    parse.Options
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
	chosen, found, asked := r.sorted.NewRecords(), r.sorted.NewRecords(), r.sorted.NewRecords()
	defer func() { err = errors.Join(err, chosen.Close(), found.Close(), asked.Close()) }()
	if err := r.choose(open.captures, chosen); err != nil {
		return err
	}
	if err := r.deliver(chosen, found); err != nil {
		return err
	}
	if err := r.findBodies(open.digests, next.captures); err != nil {
		return err
	}
	if err := r.askOn(found, next, asked); err != nil {
		return err
	}
	r.asked.Take(asked)
	return r.asked.Compact(r.ctx, r.workers)
}

// inBuckets calls what begin returns for every bucket, several at a time, each worker with a sorter of its own for facts and for other
// records, which are settled at the end.
func (r *resolver) inBuckets(memory int64, to []*facts.Records, begin func(*facts.Sorter) func(bucket int) error) error {
	err := parallel.Run(r.ctx, r.workers, r.sorted.Buckets(), func(context.Context) parallel.Worker {
		out := r.sorted.NewSorter(memory/int64(r.workers), to...)
		return parallel.Worker{Do: begin(out), End: out.Flush}
	})
	if err != nil {
		return err
	}
	for _, records := range to {
		if err := records.Compact(r.ctx, r.workers); err != nil {
			return err
		}
	}
	return r.sorted.Compact(r.ctx, r.workers)
}

// each goes through a stream, until the context ends.
func (r *resolver) each(in *facts.Stream, err error, visit func(record []byte) error) error {
	visit = parallel.Stopping(r.ctx, visit)
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

var referenceField = []byte("acap-permissions-reference")

// containsFold tells whether text has a word, which is in lower case, in any letter case. Every word that is looked for has a '-'.
func containsFold(text, word []byte) bool {
	hyphen := bytes.IndexByte(word, '-')
	for at := hyphen; at < len(text); {
		next := bytes.IndexByte(text[at:], '-')
		if next < 0 {
			return false
		}
		at += next
		if from := at - hyphen; len(text)-from >= len(word) && bytes.EqualFold(text[from:from+len(word)], word) {
			return true
		}
		at++
	}
	return false
}

// leadsTo lists what a capture leaves open for one that asks for it.
func (r *resolver) leadsTo(f *facts.Fact, why purpose) []question {
	switch {
	case inforce.IsRedirect(f):
		if q, ok := urlQuestion(f.CrawlName(), f.FetchRedirect); ok && !r.opts.Without.Has(policy.RuleRedirect) {
			return []question{q}
		}
	case inforce.LacksBody(f):
		return []question{digestQuestion(f)}
	case why == toSpeak && containsFold(f.Body, referenceField):
		var list []question
		references := parse.ReadRobots(f.Body, f.BodyTruncated, r.opts).References
		for _, ref := range references[:min(len(references), inforce.MaxReferences)] {
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

// momentOf is for when a capture of a robots.txt asks what it leads to: a redirect for its own time. Without the rule it is always the latest
// that stands.
func (r *resolver) momentOf(f *facts.Fact) int64 {
	switch {
	case !inforce.IsRedirect(f):
		return anyTime
	case r.opts.Without.Has(policy.RuleInForce):
		return math.MaxInt64
	}
	return f.FetchTime
}

// onwards is the purpose of what a capture leads to, for one that asks.
func onwards(f *facts.Fact, why purpose) purpose {
	if inforce.IsRedirect(f) || inforce.LacksBody(f) {
		return why
	}
	return toBeRead
}

// A gate lets questions of one host through: each once for a moment, and no more than maxAsked.
type gate struct {
	out       *facts.Sorter // for a round, and for what was asked
	most      int
	hash      int64
	asked     map[asking]struct{} // each question stands for noMoment as well
	questions int                 // of these, moments aside
	beyond    map[siteInCrawl]struct{}
	names     map[string]string // of sites and crawls of the host, as they are held
	record    []byte
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
	g.hash, g.asked, g.questions, g.beyond, g.names = hash, renewed(g.asked), 0, renewed(g.beyond), renewed(g.names)
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

// ask asks a question of a site of the host for a moment, unless it was asked before.
func (g *gate) ask(q question, crawl, site string, why purpose, moment int64) error {
	if q.of != ofDigest && q.hash == g.hash && moment == anyTime {
		return nil // what is there is among the facts that are surveyed together; but a redirect may lead on, for this moment
	}
	a := asking{q.id, moment, asker{site, g.hash, why}}
	if _, known := g.asked[a]; known {
		return nil
	}
	if !g.note(&a) {
		return g.tell(siteInCrawl{site, crawl})
	}
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

// note remembers an asking. It returns false where there are too many.
func (g *gate) note(a *asking) bool {
	question := *a
	question.moment = noMoment
	_, known := g.asked[question]
	if !known && g.questions >= g.most || len(g.asked) >= maxMoments {
		return false
	}
	a.site = g.name(a.site)
	question.site = a.site
	if !known {
		g.asked[question] = struct{}{}
		g.questions++
	}
	g.asked[*a] = struct{}{}
	return true
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
			if err := r.sorted.ScanPassing(bucket, parallel.Stopping(r.ctx, c.add), facts.Policies); err != nil {
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
	within  []turn                   // redirects from the host to itself
	outside bool                     // it has others
	beyond  map[siteInCrawl]struct{} // with more of them than are asked
}

// lacking is a question of a host for a digest, unless it turns out to have the body.
type lacking struct {
	question
	siteInCrawl
}

// A turn is a redirect that leads to the host itself: where that leads on to others, it asks for its own moment there.
type turn struct {
	question
	siteInCrawl
	moment int64
}

// maxDigests bounds the digests of one host in one crawl that are told apart. It is above the captures of its robots.txt that are held: the row of
// a site that has more says so anyway.
const maxDigests = 1 << 16

// add takes a capture of the host, of whose body it keeps nothing; they come in the order of facts.Compare.
func (c *collector) add(f *facts.Fact) error {
	if !c.begun || f.SiteHash != c.gate.hash {
		if err := c.end(); err != nil {
			return err
		}
		c.gate.begin(f.SiteHash)
		c.begun, c.crawl, c.kept, c.beyond = true, f.CrawlName(), c.kept[:0], renewed(c.beyond)
		c.within, c.outside = c.within[:0], false
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
	if !inforce.LacksBody(f) {
		for _, q := range c.leadsTo(f, toSpeak) {
			if inforce.IsRedirect(f) && q.hash == f.SiteHash {
				if len(c.within) <= maxMoments { // one more than are asked, so that it is told
					c.within = append(c.within, turn{q, siteInCrawl{c.gate.name(f.Site), c.gate.name(c.crawl)}, c.momentOf(f)})
				}
				continue
			}
			c.outside = c.outside || inforce.IsRedirect(f)
			if err := c.gate.ask(q, c.crawl, f.Site, onwards(f, toSpeak), c.momentOf(f)); err != nil {
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
		if err := c.gate.ask(m.question, m.crawl, m.site, toSpeak, anyTime); err != nil {
			return err
		}
	}
	for _, t := range c.within {
		if !c.outside {
			break // as most hosts have it: nothing there leads elsewhere
		}
		if err := c.gate.ask(t.question, t.crawl, t.site, toSpeak, t.moment); err != nil {
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
					g.note(&a)
				}
			}
			if left != nil && left != io.EOF {
				return left
			}
			begun = true
		}
		return g.ask(c.question, c.crawl, c.site, c.purpose, c.moment)
	})
}
