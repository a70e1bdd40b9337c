package paths

import (
	"cmp"
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A trie has the patterns with their beginnings shared. Its nodes are in the order of a walk, parents before children,
// so that a node's patterns are one range, and node numbers serve as the positions that the exploration holds.
type trie struct {
	nodes []node // nodes[0] is the root
	// order has the indexes of the patterns as the nodes have them; zero patterns are left out.
	order []int32
}

// A node is a place in one or more patterns: that what stands before it has been read.
type node struct {
	lo, hi int32 // order[lo:hi] are the patterns that run through here
	// order[lo:good] end here and hold all that follows, order[good:ends] end here with '$'.
	good, ends int32
	child      int32 // the first node behind a letter; 0: none
	next       int32 // the next child of the same parent; 0: none
	star       int32 // the node behind a '*'; 0: none
	letter     byte
	wild       bool // behind a '*': once reached, it stays
	plain      bool // no '*' before it: one path leads here
}

func newTrie(patterns []policy.Pattern) trie {
	type entry struct {
		glob  string
		end   bool
		index int32
	}
	entries := make([]entry, 0, len(patterns))
	for i, p := range patterns {
		if glob, end := p.Glob(); glob != "" {
			entries = append(entries, entry{glob, end, int32(i)})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if c := cmp.Compare(a.glob, b.glob); c != 0 {
			return c
		}
		if a.end != b.end {
			if b.end {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.index, b.index)
	})

	t := trie{nodes: []node{{plain: true}}, order: make([]int32, len(entries))}
	branch := []int32{0} // the nodes of the pattern before: branch[d] has read d bytes
	lastChild := []int32{0}
	leave := func(depth int, at int32) {
		for _, n := range branch[depth:] {
			t.nodes[n].hi = at
		}
		branch, lastChild = branch[:depth], lastChild[:depth]
	}
	before := ""
	for at, e := range entries {
		t.order[at] = e.index
		shared := 0
		for shared < len(before) && shared < len(e.glob) && before[shared] == e.glob[shared] {
			shared++
		}
		leave(shared+1, int32(at))
		for d := shared; d < len(e.glob); d++ {
			id, parent := int32(len(t.nodes)), branch[d]
			c := e.glob[d]
			t.nodes = append(t.nodes, node{
				lo: int32(at), good: int32(at), ends: int32(at),
				letter: c, wild: c == '*', plain: t.nodes[parent].plain && c != '*',
			})
			switch up := &t.nodes[parent]; {
			case c == '*':
				up.star = id
			case up.child == 0:
				up.child = id
			default:
				t.nodes[lastChild[d]].next = id
			}
			if c != '*' {
				lastChild[d] = id
			}
			branch, lastChild = append(branch, id), append(lastChild, 0)
		}
		last := &t.nodes[branch[len(e.glob)]]
		if !e.end {
			last.good = int32(at) + 1
		}
		last.ends = int32(at) + 1
		before = e.glob
	}
	leave(0, int32(len(entries)))
	return t
}
