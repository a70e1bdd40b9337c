// Package crosshost is the pass across hosts: if the robots.txt of a site leads to a file of another host, the site
// gets copies of what the corpus has of that file. A robots.txt leads elsewhere by a redirect (R-SITE-2), by a
// permissions-reference (R-REF-1), or by the digest of a revisit (R-SITE-1). The package makes no decisions.
package crosshost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/parallel"
)

// Resolve adds the copies to the sorted facts, as facts.Answers. Some copies may be there twice. Which copies there
// are depends on the facts alone. A site gets the captures that may be in force at the times of its own captures, so
// copies grow with the captures that redirect, however often their target was captured.
//
// It is a sort-merge join in rounds. Requests are sorted by the host that they ask, as facts are, and merged with
// them. What found captures lead to is sorted by the requesting host, which drops the requests that it made before;
// the rest is the next round. All work goes bucket by bucket on all workers. Memory holds the requests to one host,
// and what memory allows for sorting.
//
// Survey reads the http and the https site of a host together, so neither gets copies of the other's captures. A host
// makes at most maxRequests requests, the newest captures first. If it would make more, it gets one copy without a
// URL.
func Resolve(ctx context.Context, sorted *facts.Sorted, opts parse.Options, workers int, memory int64) error {
	return newResolver(ctx, sorted, opts, workers, memory).run()
}

func newResolver(
	ctx context.Context, sorted *facts.Sorted, opts parse.Options, workers int, memory int64,
) *resolver {
	r := &resolver{
		ctx: ctx, sorted: sorted, opts: opts, workers: max(1, min(workers, sorted.Buckets())),
		memory: memory, maxRequests: maxRequests,
	}
	r.hostMemory = max(int(r.memory/4)/r.workers, minHostMemory)
	return r
}

// maxRounds bounds the rounds: a reference may name a file that redirects, each redirect takes a round, and a digest at
// the end takes two.
const maxRounds = 2*inforce.MaxHops + 4

// Limits on the requests of one host.
const (
	maxRequests = 1 << 13 // targets
	maxMoments  = 1 << 16 // targets times moments; survey holds fewer captures of its robots.txt
)

type resolver struct {
	ctx         context.Context
	sorted      *facts.Sorted
	opts        parse.Options
	workers     int
	memory      int64
	maxRequests int // of a host
	hostMemory  int // bytes for the requests to one host that are in memory at a time
	firstBucket int // number of the first of the sorted buckets, if others are on other machines

	requested *extsort.Records // all requests so far, by requester
}

func (r *resolver) run() (err error) {
	r.requested = r.sorted.NewRecords()
	open := r.newRound()
	defer func() { err = errors.Join(err, r.requested.Close(), open.close()) }()
	if err := r.collect(open); err != nil {
		return err
	}
	for n := 0; n < maxRounds && !open.empty(); n++ {
		next := r.newRound()
		err := r.round(open, next)
		err = errors.Join(err, open.close())
		if open = next; err != nil {
			return err
		}
	}
	return nil
}

// A round is the requests that are answered together.
type round struct {
	captures *extsort.Records // requests for URLs and records, by the host that has them
	digests  *extsort.Records // by digest
}

func (r *resolver) newRound() *round { return &round{r.sorted.NewRecords(), r.sorted.NewRecords()} }

func (o *round) empty() bool { return o.captures.Empty() && o.digests.Empty() }

func (o *round) close() error { return errors.Join(o.captures.Close(), o.digests.Close()) }

// round answers open requests and puts their follow-ups into next.
func (r *resolver) round(open, next *round) (err error) {
	matches, followUps, requested := r.sorted.NewRecords(), r.sorted.NewRecords(), r.sorted.NewRecords()
	defer func() { err = errors.Join(err, matches.Close(), followUps.Close(), requested.Close()) }()
	if err := r.match(open.captures, matches); err != nil {
		return err
	}
	if err := r.copyMatches(matches, followUps); err != nil {
		return err
	}
	if err := r.findBodies(open.digests, next.captures); err != nil {
		return err
	}
	if err := r.requestFollowUps(followUps, next, requested); err != nil {
		return err
	}
	r.requested.Take(requested)
	return r.requested.Compact(r.ctx, r.workers)
}

// inBuckets calls the function that begin returns for every bucket, on all workers. Each worker has a sorter of its
// own, for facts and for the records in to.
func (r *resolver) inBuckets(memory int64, to []*extsort.Records,
	begin func(*facts.Sorter) func(bucket int) error) error {
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

// each calls visit for every record of a stream, until the context ends.
func (r *resolver) each(in *extsort.Stream, err error, visit func(record []byte) error) error {
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

// containsFold reports whether text contains word in any letter case. word is in lower case and has a '-'.
func containsFold(text, word []byte) bool {
	hyphen := bytes.IndexByte(word, '-')
	for at := hyphen; at < len(text); at++ {
		next := bytes.IndexByte(text[at:], '-')
		if next < 0 {
			return false
		}
		at += next
		from := at - hyphen
		if text[at-1]|0x20 == word[hyphen-1] && len(text)-from >= len(word) &&
			bytes.EqualFold(text[from:from+len(word)], word) {
			return true
		}
	}
	return false
}

// targetsOf lists what a capture leads to, for a requester of that role.
func (r *resolver) targetsOf(f *facts.Fact, of role) []target {
	switch {
	case inforce.IsRedirect(f):
		if t, ok := urlTarget(f.CrawlName(), f.FetchRedirect); ok && !r.opts.Without.Has(policy.RuleRedirect) {
			return []target{t}
		}
	case inforce.LacksBody(f):
		return []target{digestTarget(f)}
	case of == ownPolicy && containsFold(f.Body, referenceField):
		var list []target
		references := parse.ReadRobots(f.Body, f.BodyTruncated, r.opts).References
		for _, ref := range references[:min(len(references), inforce.MaxReferences)] {
			if url, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				if t, ok := urlTarget(f.CrawlName(), url); ok {
					list = append(list, t)
				}
			}
		}
		return list
	}
	return nil
}

// momentOf is the moment for which a capture requests what it leads to: of a redirect its own time. Without R-SITE-1
// the latest capture is in force at all times.
func (r *resolver) momentOf(f *facts.Fact) int64 {
	switch {
	case !inforce.IsRedirect(f):
		return anyTime
	case r.opts.Without.Has(policy.RuleInForce):
		return math.MaxInt64
	}
	return f.FetchTime
}

// nextRole is the role of what a capture leads to.
func nextRole(f *facts.Fact, of role) role {
	if inforce.IsRedirect(f) || inforce.LacksBody(f) {
		return of
	}
	return referenced
}
