package paths

import (
	"encoding/binary"
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// An explorer is one exploration: a breadth-first walk over the states.
type explorer struct {
	trie
	alphabet *alphabet
	reduce   func([]int) ([]int, func(int) bool)
	budget   int // states
	steps    int // what is left of them
	stopped  func() bool
	ask      int // how many are left when stopped is asked again

	states []state
	live   []int32 // the live nodes of all states, one state after the other
	seen   map[string]struct{}

	settled   []settled
	settledID map[string]int32

	space   Space
	classes map[string]struct{} // the keys of those in space that have a '$' matching

	// Scratch of expand and what it calls.
	moves []uint64
	stay  []int32
	nodes []int32
	fresh []int
	now   []int
	key   []byte
}

// A state is all that the future of a path depends on. Its live nodes are ascending.
type state struct {
	from, to int32 // live[from:to]
	settled  int32
	encoding encoding
	parent   int32
	letter   byte
}

// settled is a set of patterns matched for good, reduced.
type settled struct {
	matched    []int
	irrelevant func(int) bool // may be nil
	reported   bool           // the class with nothing more than this was found
}

// has reports whether it no longer matters if pattern i matches.
func (s *settled) has(i int) bool {
	if _, ok := slices.BinarySearch(s.matched, i); ok {
		return true
	}
	return s.irrelevant != nil && s.irrelevant(i)
}

func newExplorer(patterns []policy.Pattern, opts Options) *explorer {
	return &explorer{
		trie:      newTrie(patterns),
		alphabet:  alphabetOf(patterns),
		reduce:    opts.Reduce,
		budget:    opts.Budget,
		steps:     opts.Steps,
		stopped:   opts.Stopped,
		ask:       opts.Steps,
		seen:      map[string]struct{}{},
		settledID: map[string]int32{},
		classes:   map[string]struct{}{},
	}
}

func (x *explorer) run() Space {
	all := x.steps
	x.steps -= len(x.trie.nodes)
	x.explore()
	x.space.Steps = all - x.steps
	return x.space
}

// stepsBetween is after how many steps stopped is asked again: a millisecond or two.
const stepsBetween = 1 << 16

// isStopped reports whether the exploration is to end before its budget does.
func (x *explorer) isStopped() bool {
	if x.stopped == nil || x.steps > x.ask {
		return false
	}
	x.ask = x.steps - stepsBetween
	return x.stopped()
}

func (x *explorer) explore() {
	// The state before the '/' with which every path begins; it is no path yet, and its only letter is that one.
	start := state{settled: x.settle(nil), parent: -1}
	root := x.trie.nodes[0]
	x.live = append(x.live, 0)
	if root.star != 0 {
		x.live = append(x.live, root.star)
	}
	start.to = int32(len(x.live))
	x.states = append(x.states, start)
	var slash letterSet
	slash.add(rank['/'])
	x.space.Exact = x.expand(0, slash)
	for i := 1; i < len(x.states) && x.space.Exact; i++ {
		x.space.Exact = !x.isStopped() && x.expand(int32(i), x.states[i].encoding.letters())
	}
}

// expand adds the states that follow one, by the letters allowed, and the classes of these. It is false if the budget
// ends.
func (x *explorer) expand(id int32, allowed letterSet) bool {
	s := x.states[id]
	x.stay, x.moves = x.stay[:0], x.moves[:0]
	var awaited letterSet
	for _, n := range x.live[s.from:s.to] {
		if x.trie.nodes[n].wild {
			x.stay = append(x.stay, n)
		}
		for c := x.trie.nodes[n].child; c != 0; c = x.trie.nodes[c].next {
			r := rank[x.trie.nodes[c].letter]
			if allowed.has(r) {
				awaited.add(r)
				x.moves = append(x.moves, uint64(r)<<32|uint64(c))
			}
		}
	}
	slices.Sort(x.moves)
	x.steps -= 1 + len(x.moves)

	// All letters that no pattern waits for lead to the same, so one is enough; if it is '%', there is no other.
	try := awaited
	if r, ok := allowed.without(awaited).first(); ok {
		try.add(r)
	}
	moves := x.moves
	for r, ok := try.first(); ok; r, ok = try.first() {
		try = try.without(only(r))
		n := 0
		for n < len(moves) && moves[n]>>32 == uint64(r) {
			n++
		}
		if !x.follow(id, s, letters[r], moves[:n]) {
			return false
		}
		moves = moves[n:]
	}
	return true
}

func only(r uint8) (s letterSet) {
	s.add(r)
	return s
}

// follow adds the state that one letter leads to; the nodes it moves to are in the low halves of moves. It is false if
// the budget ends.
func (x *explorer) follow(from int32, s state, letter byte, moves []uint64) bool {
	x.steps -= 1 + len(x.stay)
	x.nodes, x.fresh = append(x.nodes[:0], x.stay...), x.fresh[:0]
	known := &x.settled[s.settled]
	for _, m := range moves {
		to := int32(uint32(m))
		n := &x.trie.nodes[to]
		for _, i := range x.order[n.lo:n.good] {
			x.steps--
			if !known.has(int(i)) {
				x.fresh = append(x.fresh, int(i))
			}
		}
		if n.child != 0 || n.ends > n.good {
			x.nodes = append(x.nodes, to)
		}
		if n.star != 0 {
			x.nodes = append(x.nodes, n.star)
		}
	}
	next := state{settled: s.settled, encoding: x.alphabet.after(s.encoding, letter), parent: from, letter: letter}
	if len(x.fresh) > 0 {
		next.settled = x.settle(x.merge(known.matched, x.fresh))
	}
	slices.Sort(x.nodes)
	x.nodes = slices.Compact(x.nodes)
	plain := x.prune(next.settled)
	if x.steps < 0 {
		return false
	}
	if next.encoding == 0 {
		x.report(next)
	}
	if len(x.nodes) == 0 && next.encoding == 0 {
		return true // nothing will ever match any more
	}
	if !plain && !x.isNew(next) {
		return true
	}
	if len(x.states) > x.budget {
		return false // the first state is none of a path and not counted
	}
	x.steps -= stepsPerKept * len(x.nodes)
	next.from = int32(len(x.live))
	x.live = append(x.live, x.nodes...)
	next.to = int32(len(x.live))
	x.states = append(x.states, next)
	return true
}

// prune drops from x.nodes those that make no difference to the future, and reports whether one of the others is plain:
// then only one path leads to this state.
func (x *explorer) prune(settledID int32) (plain bool) {
	// From the end, so that of two places in the same patterns the later one is seen first. If it is wild, all that
	// the earlier one can still match the later one matches as well.
	kept, wild := len(x.nodes), int32(-1)
	known := &x.settled[settledID]
	for at := len(x.nodes) - 1; at >= 0; at-- {
		id := x.nodes[at]
		n := &x.trie.nodes[id]
		if wild >= 0 && x.trie.nodes[wild].lo == n.lo && x.trie.nodes[wild].hi == n.hi {
			continue
		}
		if !x.matters(n, known) {
			continue
		}
		if n.wild {
			wild = id
		}
		plain = plain || n.plain
		kept--
		x.nodes[kept] = id
	}
	x.nodes = append(x.nodes[:0], x.nodes[kept:]...)
	return plain
}

// matters reports whether a pattern that runs through n is not settled.
func (x *explorer) matters(n *node, known *settled) bool {
	for _, i := range x.order[n.lo:n.hi] {
		x.steps--
		if !known.has(int(i)) || x.steps < 0 {
			return true
		}
	}
	return false
}

// isNew reports whether no state like it was seen before; its nodes are x.nodes.
func (x *explorer) isNew(s state) bool {
	x.steps -= len(x.nodes)
	key := binary.LittleEndian.AppendUint32(x.key[:0], uint32(s.settled))
	key = binary.LittleEndian.AppendUint32(key, uint32(s.encoding))
	for _, n := range x.nodes {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	x.key = key
	if _, ok := x.seen[string(key)]; ok {
		return false
	}
	x.seen[string(key)] = struct{}{}
	return true
}

// merge returns, in scratch, the union of two sets that have nothing in common, the second in any order.
func (x *explorer) merge(a, b []int) []int {
	x.steps -= len(a) + len(b)
	x.now = append(append(x.now[:0], a...), b...)
	slices.Sort(x.now)
	return x.now
}

// settle returns the number of a set of patterns matched for good; the set is only lent.
func (x *explorer) settle(matched []int) int32 {
	var irrelevant func(int) bool
	if x.reduce != nil {
		matched, irrelevant = x.reduce(matched)
	}
	x.key = appendInts(x.key[:0], matched)
	if id, ok := x.settledID[string(x.key)]; ok {
		return id
	}
	x.steps -= stepsPerKept * len(matched)
	id := int32(len(x.settled))
	x.settledID[string(x.key)] = id
	x.settled = append(x.settled, settled{matched: slices.Clone(matched), irrelevant: irrelevant})
	return id
}

// report adds the class of the path that leads to a state, if it is the first of its class.
func (x *explorer) report(s state) {
	known := &x.settled[s.settled]
	x.now = x.now[:0]
	for _, id := range x.nodes {
		n := &x.trie.nodes[id]
		for _, i := range x.order[n.good:n.ends] {
			x.steps--
			if !known.has(int(i)) {
				x.now = append(x.now, int(i))
			}
		}
	}
	if len(x.now) == 0 {
		if known.reported {
			return
		}
		known.reported = true
	} else {
		slices.Sort(x.now)
		x.key = appendInts(binary.LittleEndian.AppendUint32(x.key[:0], uint32(s.settled)), x.now)
		if _, ok := x.classes[string(x.key)]; ok {
			return
		}
		x.classes[string(x.key)] = struct{}{}
	}
	matched := slices.Concat(known.matched, x.now)
	slices.Sort(matched)
	path := x.path(s)
	x.steps -= stepsPerKept*len(matched) + len(path)
	x.space.Classes = append(x.space.Classes, Class{Path: path, Matched: matched})
}

// path returns the path that leads to a state.
func (x *explorer) path(s state) string {
	length := 1
	for p := s.parent; p > 0; p = x.states[p].parent {
		length++
	}
	path := make([]byte, length)
	for length--; ; length-- {
		path[length] = s.letter
		if s.parent == 0 {
			return string(path)
		}
		s = x.states[s.parent]
	}
}

func appendInts(key []byte, set []int) []byte {
	for _, i := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(i))
	}
	return key
}
