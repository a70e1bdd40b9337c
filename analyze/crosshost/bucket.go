package crosshost

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/parallel"
)

// A Bucket takes the steps of the pass across hosts for one of several buckets of hosts, which may be on different
// machines. Step 0 makes requests. Each round of Resolve is two steps: odd ones answer requests, even ones make those
// of the next round. All buckets take a step before any takes the next.
//
// Buckets send each other messages, which are facts: those of kind answer are copies, others carry one record. SiteHash
// selects the bucket that receives it. A step sends the same messages however often it is taken.
type Bucket struct {
	// Facts returns the sorted captures of the bucket, at least those of some hosts: site hashes in order, nil for all.
	// Steps that need none do not call it. The caller closes them.
	Facts func(hosts []int64) (*facts.Sorted, error)
	// Scratch is without facts, for what a step sorts. It has one bucket, as Facts.
	Scratch *facts.Sorted
	Number  int
	Of      int
	Parsing parse.Options
	Memory  int64
	Send    func(*facts.Fact) error // gets messages in order, and keeps nothing of them

	maxRequests int // 0: the constant; tests have others
	r           *resolver
}

// IsLast reports whether a step is the last: the requests that are still open come after all rounds, or there are none.
// The last step has no messages. Then the copies that all steps sent are those of Resolve.
func IsLast(step int, open int64) bool { return step%2 == 1 && (open == 0 || step > 2*maxRounds) }

// Copies selects the copies for bucket number i among messages.
func Copies(messages *facts.Set, i, of int) *facts.Set {
	return messages.WithKinds(facts.KindAnswer).Range(extsort.Bucket(i, of))
}

// The messages with a record, by Fact.Subset.
const (
	msgCapture   = "capture"   // a request for a URL or a record, to the bucket that may have it
	msgDigest    = "digest"    // a request for a body, to the bucket of the digest; all buckets look for the body
	msgRequested = "requested" // a request that was made, to the bucket that made it
	msgFollowUp  = "follow-up" // of a found capture, to the bucket that requested it
	msgHolder    = "holder"    // a capture that has a requested body, to the bucket of the digest
)

// Kinds of the facts that carry records. Those of requests for bodies are apart, because every bucket reads them all.
const (
	kindOfRecord = facts.KindSite
	kindOfDigest = facts.KindPage
)

// Take takes a step. before are the messages of all steps before it. It returns how many requests it sent.
func (b *Bucket) Take(ctx context.Context, step int, before []*facts.Set) (open int64, err error) {
	b.r = newResolver(ctx, b.Scratch, b.Parsing, 1, b.Memory)
	b.r.firstBucket = b.Number
	if b.maxRequests > 0 {
		b.r.maxRequests = b.maxRequests
	}
	switch {
	case len(before) != step:
		return 0, fmt.Errorf("step %d of the pass across hosts has the messages of %d steps", step, len(before))
	case step == 0:
		return b.collect()
	case step%2 == 1:
		return 0, b.answer(before[step-1])
	}
	return b.request(before)
}

// withFacts gives the resolver the facts of some hosts of the bucket.
func (b *Bucket) withFacts(hosts []int64) (err error) {
	b.r.sorted, err = b.Facts(hosts)
	return err
}

func (b *Bucket) collect() (open int64, err error) {
	if err := b.withFacts(nil); err != nil {
		return 0, err
	}
	b.r.requested = b.r.sorted.NewRecords()
	first := b.r.newRound()
	defer func() { err = errors.Join(err, b.r.requested.Close(), first.close()) }()
	if err := b.r.collect(first); err != nil {
		return 0, err
	}
	return b.sendRequests(first, b.r.requested)
}

// answer answers the requests of the step before.
func (b *Bucket) answer(before *facts.Set) (err error) {
	in := inbox{}
	defer func() { err = errors.Join(err, in.close()) }()
	if err := b.receive(in, b.own(before).WithKinds(kindOfRecord), msgCapture); err != nil {
		return err
	}
	if err := b.receive(in, before.WithKinds(kindOfDigest), msgDigest); err != nil {
		return err
	}
	if in[msgCapture].Empty() && in[msgDigest].Empty() {
		return nil
	}
	var hosts []int64 // all, where a body may be anywhere
	if in[msgDigest].Empty() {
		if hosts, err = b.hostsOf(in[msgCapture]); err != nil {
			return err
		}
	}
	if err := b.withFacts(hosts); err != nil {
		return err
	}
	r := b.r
	matches, followUps, holders := r.sorted.NewRecords(), r.sorted.NewRecords(), r.sorted.NewRecords()
	defer func() { err = errors.Join(err, matches.Close(), followUps.Close(), holders.Close()) }()
	if err := r.match(in[msgCapture], matches); err != nil {
		return err
	}
	if err := r.copyMatches(matches, followUps); err != nil {
		return err
	}
	if !in[msgDigest].Empty() {
		if err := r.findHolders(in[msgDigest], holders); err != nil {
			return err
		}
	}
	return b.send(kindOfRecord, map[string]*extsort.Records{msgFollowUp: followUps, msgHolder: holders})
}

// request makes the requests of the next round.
func (b *Bucket) request(before []*facts.Set) (open int64, err error) {
	in, step := inbox{}, len(before)
	next, requested := b.r.newRound(), b.r.sorted.NewRecords()
	defer func() { err = errors.Join(err, in.close(), next.close(), requested.Close()) }()
	if err := b.receive(in, b.own(before[step-1]).WithKinds(kindOfRecord), msgFollowUp, msgHolder); err != nil {
		return 0, err
	}
	if in[msgFollowUp].Empty() && in[msgHolder].Empty() {
		return 0, nil
	}
	if err := b.receive(in, b.own(before[step-2]).WithKinds(kindOfDigest), msgDigest); err != nil {
		return 0, err
	}
	hosts, err := b.hostsOf(in[msgFollowUp])
	if err != nil {
		return 0, err
	}
	for made := step - 2; made >= 0; made -= 2 {
		own := b.own(before[made]).OfHosts(hosts) // others request nothing now, whatever they requested before
		if err := b.receive(in, own.WithKinds(kindOfRecord), msgRequested); err != nil {
			return 0, err
		}
	}
	if err := b.r.requestBodies(in[msgDigest], in[msgHolder], next.captures); err != nil {
		return 0, err
	}
	b.r.requested = in[msgRequested]
	if err := b.r.requestFollowUps(in[msgFollowUp], next, requested); err != nil {
		return 0, err
	}
	return b.sendRequests(next, requested)
}

// hostsOf lists the hashes of records in order, each once. It returns nil, for all, if they take more than a small part
// of the memory.
func (b *Bucket) hostsOf(records *extsort.Records) ([]int64, error) {
	limit := max(b.Memory/hostsPart, minHosts)
	hosts := []int64{}
	in, err := records.Open(0)
	err = b.r.each(in, err, func(record []byte) error {
		hash := extsort.HashOf(record)
		if n := len(hosts); n > 0 && hosts[n-1] == hash {
			return nil
		}
		if int64(len(hosts)) == limit {
			return errManyHosts
		}
		hosts = append(hosts, hash)
		return nil
	})
	if err == errManyHosts {
		return nil, nil
	}
	return hosts, err
}

// Limits on the hosts that hostsOf lists: one for so many bytes of memory, and the least.
const (
	hostsPart = 256
	minHosts  = 1 << 6
)

var errManyHosts = errors.New("many hosts")

// own selects the messages to this bucket.
func (b *Bucket) own(messages *facts.Set) *facts.Set {
	return messages.Range(extsort.Bucket(b.Number, b.Of))
}

func (b *Bucket) sendRequests(open *round, requested *extsort.Records) (n int64, err error) {
	if err := b.sendRecords(kindOfDigest, msgDigest, open.digests); err != nil {
		return 0, err
	}
	err = b.send(kindOfRecord, map[string]*extsort.Records{msgCapture: open.captures, msgRequested: requested})
	return open.captures.Len() + open.digests.Len(), err
}

// send sends records, and the copies that the step has made.
func (b *Bucket) send(as facts.Kind, records map[string]*extsort.Records) error {
	for _, what := range []string{msgCapture, msgRequested, msgFollowUp, msgHolder} {
		if records[what] == nil {
			continue
		}
		if err := b.sendRecords(as, what, records[what]); err != nil {
			return err
		}
	}
	return b.r.sorted.ScanOncePassing(0, parallel.Stopping(b.r.ctx, b.Send), facts.Answers)
}

func (b *Bucket) sendRecords(as facts.Kind, what string, records *extsort.Records) error {
	in, err := records.Open(0)
	message := facts.Fact{Kind: as, Subset: what}
	return b.r.each(in, err, func(record []byte) error {
		message.SiteHash, message.Body = extsort.HashOf(record), record
		return b.Send(&message)
	})
}

// An inbox has received records by kind of message.
type inbox map[string]*extsort.Records

func (in inbox) close() (err error) {
	for _, records := range in {
		err = errors.Join(err, records.Close())
	}
	return err
}

// receive adds the records of some kinds of messages to the inbox, sorted.
func (b *Bucket) receive(in inbox, from *facts.Set, what ...string) error {
	numbers := map[string]int{}
	var to []*extsort.Records
	for i, w := range what {
		if in[w] == nil {
			in[w] = b.Scratch.NewRecords()
		}
		numbers[w], to = i, append(to, in[w])
	}
	out := b.Scratch.NewSorter(b.Memory, to...)
	err := from.ScanPassing(parallel.Stopping(b.r.ctx, func(f *facts.Fact) error {
		number, wanted := numbers[f.Subset]
		if !wanted {
			return nil
		}
		if len(f.Body) < minRecord || extsort.HashOf(f.Body) != f.SiteHash {
			return fmt.Errorf("a message of kind %s is damaged: %w", f.Subset, io.ErrUnexpectedEOF)
		}
		return out.AddRecord(number, f.Body)
	}))
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, records := range to {
		if err := records.Compact(b.r.ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// minRecord is the least length of a record in bytes: that of its hash.
const minRecord = 8
