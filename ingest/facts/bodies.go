package facts

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/acapscan/acapscan/internal/extsort"
)

// bodies stores the bodies of answers while facts are sorted: each once, in one file. The records of the answers have
// the offsets. Without it, a file to which thousands of robots.txt redirect would be written thousands of times.
type bodies struct {
	name string

	mutex sync.Mutex
	file  *os.File // nil before the first body
	size  int64
	known map[[sha256.Size]byte]int64 // the places of bodies; not of all, where there are very many
	last  []byte                      // of add: copies of one body come one after the other
	ref   bodyRef

	held, older map[int64][]byte // bodies that were read, by place, in two generations
	heldBytes   int
}

const (
	maxKnownBodies = 1 << 16
	maxHeldBodies  = 4 << 20 // bytes of each generation
)

// A bodyRef is where a body lies.
type bodyRef struct {
	sum  [sha256.Size]byte
	size uint32
	at   int64
}

// bodyRefSize is the size of a bodyRef in a record, with the mark behind it that takes the place of a length.
const (
	placeSize   = 8
	bodyRefSize = sha256.Size + 4 + placeSize + 4
	refMark     = math.MaxUint32
)

// add returns where a body lies, and writes it where that is new.
func (b *bodies) add(body []byte) (bodyRef, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.last) == len(body) && &b.last[0] == &body[0] {
		return b.ref, nil
	}
	ref := bodyRef{sum: sha256.Sum256(body), size: uint32(len(body))}
	at, known := b.known[ref.sum]
	if !known {
		if b.file == nil {
			var err error
			if b.file, err = os.Create(b.name); err != nil {
				return ref, err
			}
		}
		if _, err := b.file.WriteAt(body, b.size); err != nil {
			return ref, err
		}
		if len(b.known) >= maxKnownBodies || b.known == nil {
			b.known = map[[sha256.Size]byte]int64{}
		}
		at, b.size = b.size, b.size+int64(len(body))
		b.known[ref.sum] = at
	}
	ref.at = at
	b.last, b.ref = body, ref
	return ref, nil
}

// read returns the body at a place. Bodies that were read a short time ago are shared.
func (b *bodies) read(ref bodyRef) ([]byte, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.last = nil // nothing is added any more, as a rule
	body, known := b.held[ref.at]
	if known {
		return body, nil
	}
	if body, known = b.older[ref.at]; !known {
		if b.file == nil {
			return nil, extsort.ErrRecord
		}
		body = make([]byte, ref.size)
		if _, err := b.file.ReadAt(body, ref.at); err != nil {
			return nil, err
		}
		if sha256.Sum256(body) != ref.sum {
			return nil, fmt.Errorf("%s: the body at byte %d is damaged", b.name, ref.at)
		}
	}
	if b.heldBytes+len(body) > maxHeldBodies || b.held == nil {
		b.older, b.held, b.heldBytes = b.held, map[int64][]byte{}, 0
	}
	b.held[ref.at] = body
	b.heldBytes += len(body)
	return body, nil
}

func (b *bodies) close() error {
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	b.file = nil
	return errors.Join(err, os.Remove(b.name))
}

// appendRef ends a record with a reference to its body: the digest and the size, then the offset.
func appendRef(b []byte, ref bodyRef) []byte {
	b = binary.BigEndian.AppendUint32(append(b, ref.sum[:]...), ref.size)
	b = binary.BigEndian.AppendUint64(b, uint64(ref.at))
	return binary.BigEndian.AppendUint32(b, refMark)
}

// hasRef reports whether the body of a record lies elsewhere.
func hasRef(record []byte) bool {
	return len(record) >= bodyRefSize && binary.BigEndian.Uint32(record[len(record)-4:]) == refMark
}

// withoutPlace is what tells a record apart: a body may lie at several places.
func withoutPlace(record []byte) []byte {
	if !hasRef(record) {
		return record
	}
	return record[:len(record)-4-placeSize]
}

// readRef decodes the fact of a record with a reference to a body, without the body.
func readRef(record []byte, f *Fact) (ref bodyRef, err error) {
	*f = Fact{}
	fields, tail := record[:len(record)-bodyRefSize], record[len(record)-bodyRefSize:]
	copy(ref.sum[:], tail)
	ref.size = binary.BigEndian.Uint32(tail[sha256.Size:])
	ref.at = int64(binary.BigEndian.Uint64(tail[sha256.Size+4:]))
	hasBody, err := readFields(fields, f)
	if err == nil && !hasBody {
		err = extsort.ErrRecord
	}
	return ref, err
}
