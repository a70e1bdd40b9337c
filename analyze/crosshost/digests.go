package crosshost

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"sync/atomic"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/parallel"
)

// findBodies requests, for each digest, the first capture that has its body, unless the requesting host has one.
func (r *resolver) findBodies(digests, captures *extsort.Records) (err error) {
	if digests.Empty() {
		return nil
	}
	holders := r.sorted.NewRecords()
	defer func() { err = errors.Join(err, holders.Close()) }()
	if err := r.findHolders(digests, holders); err != nil {
		return err
	}
	return r.requestBodies(digests, holders, captures)
}

// findHolders finds the captures that have the bodies of digests. Facts do not sort by digest, so captures with a body
// are sorted by it; a filter drops those whose digest is in no request.
func (r *resolver) findHolders(digests, holders *extsort.Records) error {
	requested, err := r.filterOf(digests)
	if err != nil {
		return err
	}
	return r.inBuckets(r.memory/4*3, []*extsort.Records{holders}, func(out *facts.Sorter) func(int) error {
		var record []byte
		add := func(f *facts.Fact) error {
			if f.Body == nil || f.ContentDigest == "" {
				return nil
			}
			t := digestTarget(f)
			if !requested.has(t.id) {
				return nil
			}
			for _, order := range []holderOrder{byTime, byHost} {
				record = appendHolder(record[:0], t, order, f)
				if err := out.AddRecord(0, record); err != nil {
					return err
				}
			}
			return nil
		}
		return func(bucket int) error {
			return r.sorted.ScanACAP(bucket, parallel.Stopping(r.ctx, add), facts.Policies)
		}
	})
}

// requestBodies requests the captures that requestHolders chooses.
func (r *resolver) requestBodies(digests, holders, captures *extsort.Records) error {
	return r.inBuckets(r.memory, []*extsort.Records{captures}, func(out *facts.Sorter) func(int) error {
		return func(bucket int) error { return r.requestHolders(digests, holders, bucket, out) }
	})
}

// A holderOrder tells apart the two records of a capture with a body. For one digest all of the one order come before
// the other.
type holderOrder byte

const (
	byTime holderOrder = iota // in the order of inforce.Earlier: the first is requested
	byHost
)

// Offsets in the record of a holder.
const (
	atHolderOrder = atID + 16
	atHolderHost  = atHolderOrder + 1
)

// appendHolder appends a record: the capture has the body of the digest. A record by time ends with id and host of
// the capture.
func appendHolder(b []byte, t target, order holderOrder, f *facts.Fact) []byte {
	b = append(append(extsort.AppendHash(b, t.hash), t.id[:]...), byte(order))
	if order == byHost {
		return extsort.AppendHash(b, f.SiteHash)
	}
	b = facts.AppendOrder(b, f)
	id := recordID(f)
	return extsort.AppendHash(append(b, id[:]...), f.SiteHash)
}

// requestHolders merges the requested digests of a bucket with the captures that have their bodies.
func (r *resolver) requestHolders(digests, holders *extsort.Records, bucket int, out *facts.Sorter) error {
	if digests.EmptyIn(bucket) || holders.EmptyIn(bucket) {
		return nil
	}
	in, err := holders.Open(bucket)
	if err != nil {
		return err
	}
	ended := in.Next()
	var digest targetID // the current one
	var host int64      // of the capture to request
	var capture targetID
	begun, found := false, false
	hasDigest := func() bool { return ended == nil && bytes.Equal(in.Record()[atID:atHolderOrder], digest[:]) }
	var record []byte
	requests, err := digests.Open(bucket)
	return r.each(requests, err, func(b []byte) error {
		request := readRequest(b)
		if !begun || request.id != digest {
			begun, digest, found = true, request.id, false
			for ; ended == nil; ended = in.Next() {
				holder := in.Record()
				c := bytes.Compare(holder[atID:atHolderOrder], digest[:])
				if c > 0 || c == 0 && holderOrder(holder[atHolderOrder]) == byHost {
					break
				}
				if c == 0 && !found {
					end := len(holder) - 8
					found, host, capture = true, extsort.HashOf(holder[end:]), targetID(holder[end-16:end])
				}
			}
		}
		for hasDigest() && extsort.HashOf(in.Record()[atHolderHost:]) < request.hash {
			ended = in.Next()
		}
		switch {
		case ended != nil && ended != io.EOF:
			return ended
		case !found, hasDigest() && extsort.HashOf(in.Record()[atHolderHost:]) == request.hash:
			return nil
		}
		request.id = capture
		record = request.appendTo(record[:0], host)
		return out.AddRecord(0, record)
	})
}

// A filter is a Bloom filter of targets.
type filter struct {
	bits []atomic.Uint64
	mask uint64 // of the number of a bit
}

const (
	filterBits   = 16 // for a target, if memory allows: one of two thousand others passes
	filterHashes = 5
)

// filterOf makes a filter of the requested targets.
func (r *resolver) filterOf(requests *extsort.Records) (*filter, error) {
	n := uint64(1) << bits.Len64(uint64(max(requests.Len()*filterBits, 64))-1)
	for n > 64 && n > uint64(max(r.memory/4, 0))*8 {
		n /= 2
	}
	f := &filter{make([]atomic.Uint64, n/64), n - 1}
	return f, r.inBuckets(0, nil, func(*facts.Sorter) func(int) error {
		return func(bucket int) error {
			in, err := requests.Open(bucket)
			return r.each(in, err, func(record []byte) error {
				f.add(targetID(record[atID:atMoment]))
				return nil
			})
		}
	})
}

// bit returns the number of the nth bit of a target: ids are evenly distributed.
func (f *filter) bit(id targetID, nth uint64) uint64 {
	return (binary.LittleEndian.Uint64(id[:]) + nth*(binary.LittleEndian.Uint64(id[8:])|1)) & f.mask
}

func (f *filter) add(id targetID) {
	for n := range uint64(filterHashes) {
		at := f.bit(id, n)
		f.bits[at/64].Or(1 << (at % 64))
	}
}

func (f *filter) has(id targetID) bool {
	for n := range uint64(filterHashes) {
		at := f.bit(id, n)
		if f.bits[at/64].Load()&(1<<(at%64)) == 0 {
			return false
		}
	}
	return true
}
