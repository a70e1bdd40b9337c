package facts

import (
	"sync"

	"github.com/acapscan/acapscan/output/parquet"
)

// This file has the arenas that hold facts until their file is written. They are reused for the next file, because new
// memory for each file would be most of the garbage of stage 1.

// How much a slab gets at once. The collector looks through all of a chunk that has pointers, also where nothing has
// been put yet, and memory that is read before it is written costs twice: such chunks are a few pages.
const (
	arenaFacts  = 32
	arenaCounts = 4 << 10
	arenaBytes  = 256 << 10
)

// A factArena holds the facts of a run, their bodies and counts, and their writer. Strings, directives and defects stay
// outside.
type factArena struct {
	out    *parquet.Writer[Fact] // nil before the first file
	held   []heldFact
	facts  slab[Fact]
	counts slab[Count]
	bytes  slab[byte]
}

func newFactArena() *factArena {
	return &factArena{facts: slab[Fact]{chunk: arenaFacts}, counts: slab[Count]{chunk: arenaCounts}, bytes: slab[byte]{chunk: arenaBytes}}
}

// keep returns a copy of a fact that is good until the arena is emptied.
func (r *factArena) keep(f *Fact) *Fact {
	kept := &r.facts.take(1)[0]
	*kept = *f
	if len(f.Body) > 0 { // one without octets stays: it is not the same as none
		kept.Body = r.bytes.copy(f.Body)
	}
	kept.Counts = r.counts.copy(f.Counts)
	return kept
}

// empty removes all facts, so that others can use the memory.
func (r *factArena) empty() {
	clear(r.held)
	r.held = r.held[:0]
	r.facts.empty()
	r.counts.empty()
	r.bytes.empty()
}

// A slab gives out memory in pieces, from chunks that it keeps.
type slab[T any] struct {
	chunk  int // how many a chunk has
	chunks [][]T
	free   []T // of chunks[next-1]
	next   int
}

// take returns n of T. What is too long for a chunk to be shared is made for itself, and not kept.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		if n > s.chunk/4 {
			return make([]T, n)
		}
		if s.next == len(s.chunks) {
			s.chunks = append(s.chunks, make([]T, s.chunk))
		}
		s.free = s.chunks[s.next]
		s.next++
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

func (s *slab[T]) copy(list []T) []T {
	kept := s.take(len(list))
	copy(kept, list)
	return kept
}

// empty takes all back, and lets go of what it refers to.
func (s *slab[T]) empty() {
	for _, chunk := range s.chunks[:s.next] {
		clear(chunk)
	}
	s.free, s.next = nil, 0
}

// Arenas are shared by Writers with the same options that follow one another. They are safe for concurrent use. The
// zero value is ready.
type Arenas struct {
	mu   sync.Mutex
	free []*factArena
}

func (r *Arenas) take() *factArena {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if n := len(r.free); n > 0 {
			last := r.free[n-1]
			r.free = r.free[:n-1]
			return last
		}
	}
	return newFactArena()
}

// giveBack takes back an empty arena.
func (r *Arenas) giveBack(empty *factArena) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, empty)
}
