package crosshost

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"sync/atomic"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/parallel"
)

// This file finds who has the body of a digest that is asked for. Facts are not in the order of digests, so that those with a body are
// sorted by it; but for most of them a filter tells that nobody asks.

// findBodies asks, for each digest, for the first capture that has its body; but not where the asker's own host has one.
func (r *resolver) findBodies(digests, captures *facts.Records) (err error) {
	if digests.Empty() {
		return nil
	}
	asked, err := r.filterOf(digests)
	if err != nil {
		return err
	}
	holders := r.sorted.NewRecords()
	defer func() { err = errors.Join(err, holders.Close()) }()
	err = r.inBuckets(r.memory/4*3, []*facts.Records{holders}, func(out *facts.Sorter) func(int) error {
		var record []byte
		return func(bucket int) error {
			return r.sorted.Scan(bucket, parallel.Stopping(r.ctx, func(f *facts.Fact) error {
				if f.Body == nil || f.ContentDigest == "" {
					return nil
				}
				q := digestQuestion(f)
				if !asked.has(q.id) {
					return nil
				}
				for _, of := range []holderKind{byTime, byHost} {
					record = appendHolder(record[:0], q, of, f)
					if err := out.AddRecord(0, record); err != nil {
						return err
					}
				}
				return nil
			}), facts.Policies)
		}
	})
	if err != nil {
		return err
	}
	return r.inBuckets(r.memory, []*facts.Records{captures}, func(out *facts.Sorter) func(int) error {
		return func(bucket int) error { return r.askHolders(digests, holders, bucket, out) }
	})
}

// A holderKind tells the two records of a capture that has a body apart: all of one come before those of the other.
type holderKind byte

const (
	byTime holderKind = iota // the first of them is who is asked
	byHost
)

// Places in the record of a holder.
const (
	atHolderKind = atID + 16
	atHolderHost = atHolderKind + 1
)

// appendHolder appends a record that a capture has the body of a digest. Those by time are in the order of earlier, and end with who is asked.
func appendHolder(b []byte, q question, of holderKind, f *facts.Fact) []byte {
	b = append(append(facts.AppendHash(b, q.hash), q.id[:]...), byte(of))
	if of == byHost {
		return facts.AppendHash(b, f.SiteHash)
	}
	b = facts.AppendOrder(b, f)
	id := recordID(f)
	return facts.AppendHash(append(b, id[:]...), f.SiteHash)
}

// askHolders goes through the digests of a bucket and who has them side by side.
func (r *resolver) askHolders(digests, holders *facts.Records, bucket int, out *facts.Sorter) error {
	if digests.EmptyIn(bucket) || holders.EmptyIn(bucket) {
		return nil
	}
	has, err := holders.Open(bucket)
	if err != nil {
		return err
	}
	left := has.Next()
	var current questionID // of what follows
	var host int64         // whom to ask, and for what
	var capture questionID
	begun, held := false, false
	var record []byte
	asking, err := digests.Open(bucket)
	err = r.each(asking, err, func(octets []byte) error {
		ask := readAsking(octets)
		if !begun || ask.id != current {
			begun, current, held = true, ask.id, false
			for ; left == nil; left = has.Next() {
				c := bytes.Compare(has.Record()[atID:atHolderKind], current[:])
				if c > 0 {
					break
				}
				if c < 0 {
					continue
				}
				if first := has.Record(); holderKind(first[atHolderKind]) == byHost {
					break
				} else if !held {
					end := len(first) - 8
					held, host, capture = true, facts.HashOf(first[end:]), questionID(first[end-16:end])
				}
			}
		}
		for left == nil && bytes.Equal(has.Record()[atID:atHolderKind], current[:]) && facts.HashOf(has.Record()[atHolderHost:]) < ask.hash {
			left = has.Next()
		}
		switch {
		case left != nil && left != io.EOF:
			return left
		case !held:
			return nil
		case left == nil && bytes.Equal(has.Record()[atID:atHolderKind], current[:]) && facts.HashOf(has.Record()[atHolderHost:]) == ask.hash:
			return nil
		}
		ask.id = capture
		record = ask.record(record[:0], host)
		return out.AddRecord(0, record)
	})
	return err
}

// A filter tells of most questions that they are not among some: it never says so of one that is.
type filter struct {
	bits []atomic.Uint64
	mask uint64 // of the number of a bit
}

const (
	filterBits   = 16 // for a question, where there is memory for them: one of two thousand others passes
	filterHashes = 5
)

// filterOf makes a filter of what is asked.
func (r *resolver) filterOf(asked *facts.Records) (*filter, error) {
	n := uint64(1) << bits.Len64(uint64(max(asked.Len()*filterBits, 64))-1)
	for n > 64 && n > uint64(max(r.memory/4, 0))*8 {
		n /= 2
	}
	f := &filter{make([]atomic.Uint64, n/64), n - 1}
	return f, r.inBuckets(0, nil, func(*facts.Sorter) func(int) error {
		return func(bucket int) error {
			in, err := asked.Open(bucket)
			return r.each(in, err, func(record []byte) error {
				f.add(questionID(record[atID:atMoment]))
				return nil
			})
		}
	})
}

// place returns the number of the nth bit of a question: ids are spread evenly.
func (f *filter) place(id questionID, nth uint64) uint64 {
	return (binary.LittleEndian.Uint64(id[:]) + nth*(binary.LittleEndian.Uint64(id[8:])|1)) & f.mask
}

func (f *filter) add(id questionID) {
	for n := range uint64(filterHashes) {
		at := f.place(id, n)
		f.bits[at/64].Or(1 << (at % 64))
	}
}

func (f *filter) has(id questionID) bool {
	for n := range uint64(filterHashes) {
		at := f.place(id, n)
		if f.bits[at/64].Load()&(1<<(at%64)) == 0 {
			return false
		}
	}
	return true
}
