package source

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxShards bounds the shares of a list.
const MaxShards = 1 << 20

// A Shard is one of so many shares of a list of inputs, for array jobs: each task reads its share, with the same command but for the
// share. Shares are disjoint and together the whole list, and depend on the list alone. The zero value is the whole list.
type Shard struct {
	Index int // from 0, as the index of a task of an array job
	Of    int // how many there are; 0 means 1
}

// ParseShard reads a share written i/n, as in 0/8 for the first of eight.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, errI := strconv.ParseUint(index, 10, 31)
	n, errN := strconv.ParseUint(of, 10, 31)
	switch {
	case !ok || errI != nil || errN != nil:
		return Shard{}, fmt.Errorf("%q is no share such as 0/8, the first of eight", text)
	case n == 0 || n > MaxShards:
		return Shard{}, fmt.Errorf("%q: there are 1 to %d shares", text, MaxShards)
	case i >= n:
		return Shard{}, fmt.Errorf("%q: the shares of %d are 0 to %d", text, n, n-1)
	}
	return Shard{Index: int(i), Of: int(n)}, nil
}

// String returns the share as ParseShard reads it, "" for the whole list.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has reports whether the input at that place of the whole list is in the share: every n-th one, since neighbours in a listing are of
// a size, and a share should have some of each.
func (s Shard) Has(place int) bool { return s.Of <= 1 || place%s.Of == s.Index }

// Select returns the share of a whole list, in its order. The inputs keep their Place.
func (s Shard) Select(inputs []Input) []Input {
	if s.Of <= 1 {
		return inputs
	}
	share := make([]Input, 0, len(inputs)/s.Of+1)
	for place, in := range inputs {
		if s.Has(place) {
			share = append(share, in)
		}
	}
	return share
}
