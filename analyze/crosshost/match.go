package crosshost

import (
	"bytes"
	"context"
	"io"
	"sort"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/parallel"
)

// match finds the captures that each requester gets.
func (r *resolver) match(requests, matches *extsort.Records) error {
	if requests.Empty() {
		return nil
	}
	return r.inBuckets(r.memory/4*3, []*extsort.Records{matches}, func(out *facts.Sorter) func(int) error {
		m := &matcher{resolver: r, out: out}
		return func(bucket int) error { return m.bucket(requests, bucket) }
	})
}

// minHostMemory is the least resolver.hostMemory.
const minHostMemory = 1 << 18

// requestBytes is the most memory of a request without the name of its site, with the bodies that are wanted for it.
const requestBytes = 384

// A policyFacts reads the policy files among the facts of a bucket, and numbers them.
type policyFacts struct {
	facts facts.Facts
	at    int64 // number of the current fact among all
	ended error // of facts
}

// open goes to the first fact of a bucket.
func (p *policyFacts) open(r *resolver, bucket int) (err error) {
	p.facts, err = r.sorted.Open(bucket, facts.Policies)
	p.at = int64(r.firstBucket+bucket)<<40 - 1 // no bucket has as many facts
	if err == nil {
		p.next()
	}
	return err
}

func (p *policyFacts) next() {
	p.at++
	p.ended = p.facts.Next()
}

// err returns the error that ended the facts, nil at their end.
func (p *policyFacts) err() error {
	if p.ended == io.EOF {
		return nil
	}
	return p.ended
}

// A matcher merges the captures of one host after another with the requests for them.
type matcher struct {
	*resolver
	out *facts.Sorter

	policyFacts
	requests []request // to the host, in order
	files    map[int]*fileMatcher
	digests  int         // of files
	last     *facts.Fact // of the host
	record   []byte
}

func (m *matcher) bucket(requests *extsort.Records, bucket int) error {
	if requests.EmptyIn(bucket) {
		return nil
	}
	in, err := requests.Open(bucket)
	if err != nil {
		return err
	}
	if err := m.open(m.resolver, bucket); err != nil {
		return err
	}
	ended := in.Next()
	for ended == nil {
		if m.ctx.Err() != nil {
			return context.Cause(m.ctx)
		}
		hash := extsort.HashOf(in.Record())
		m.requests = m.requests[:0]
		for left := m.hostMemory; ended == nil && left > 0 && extsort.HashOf(in.Record()) == hash; ended = in.Next() {
			r := readRequest(in.Record())
			m.requests = append(m.requests, r)
			left -= requestBytes + len(r.site)
		}
		if err := m.host(hash); err != nil {
			return err
		}
		if ended == nil && extsort.HashOf(in.Record()) == hash { // more than fit into memory: the facts are read again
			if err := m.open(m.resolver, bucket); err != nil {
				return err
			}
		}
	}
	if ended == io.EOF {
		return nil
	}
	return ended
}

// host answers the requests to a host. It does not decode the facts of other hosts.
func (m *matcher) host(hash int64) error {
	m.files, m.digests, m.last = emptied(m.files), 0, nil
	for m.ended == nil && extsort.HashOf(m.facts.Record()) < hash {
		m.next()
	}
	add := parallel.Stopping(m.ctx, m.add)
	for ; m.ended == nil && extsort.HashOf(m.facts.Record()) == hash; m.next() {
		f, err := m.facts.Passing() // of the last one only what Compare looks at is needed
		if err == nil {
			err = add(f)
		}
		if err != nil {
			return err
		}
	}
	for _, file := range m.files {
		if err := file.end(); err != nil {
			return err
		}
	}
	return m.err()
}

// requestsFor returns the requests for a target: those for moments, the latest first, and the others. first is the
// index of the first one.
func (m *matcher) requestsFor(id targetID) (first int, timed, others []request) {
	first = sort.Search(len(m.requests), func(i int) bool { return bytes.Compare(m.requests[i].id[:], id[:]) >= 0 })
	rest := m.requests[first:]
	of := rest[:sort.Search(len(rest), func(i int) bool { return rest[i].id != id })]
	n := sort.Search(len(of), func(i int) bool { return of[i].moment == anyTime })
	return first, of[:n], of[n:]
}

// add takes the next capture of the host.
func (m *matcher) add(f *facts.Fact) error {
	if m.last != nil && facts.Compare(m.last, f) == 0 {
		return nil
	}
	m.last = f
	_, _, requests := m.requestsFor(recordID(f))
	for i := range requests {
		if err := m.give(m.at, f.SiteHash, &requests[i]); err != nil {
			return err
		}
	}
	id, ok := urlID(f.CrawlName(), f.URL)
	if !ok {
		return nil
	}
	first, timed, others := m.requestsFor(id)
	if len(timed)+len(others) == 0 {
		return nil
	}
	file := m.files[first]
	if file == nil {
		file = &fileMatcher{matcher: m, hash: f.SiteHash, crawl: f.CrawlName(), kind: f.Kind, timed: timed}
		m.files[first] = file
	}
	return file.add(f, others)
}

// give matches a capture with a request.
func (m *matcher) give(at, hash int64, to *request) error {
	match := match{at, to.moment, to.requester}
	m.record = match.appendTo(m.record[:0], hash)
	return m.out.AddRecord(0, m.record)
}

// truncate gives a requester a copy without a URL.
func (m *matcher) truncate(crawl string, to *request) error {
	return m.out.Add(truncatedCopy(crawl, to.site, to.hash))
}
