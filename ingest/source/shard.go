package source

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxShards limits the number of shards.
const MaxShards = 1 << 20

// A Shard is one of several shares of a list of inputs, for array jobs: each task reads its shard, and has otherwise
// the same command. Shards are disjoint, together the whole list, and depend on the list alone. The zero value is the
// whole list.
type Shard struct {
	Index int // from 0, as the index of a task of an array job
	Of    int // number of shards; 0 means 1
}

// ParseShard reads a shard written i/n: 0/8 is the first of eight.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, errI := strconv.ParseUint(index, 10, 31)
	n, errN := strconv.ParseUint(of, 10, 31)
	switch {
	case !ok || errI != nil || errN != nil:
		return Shard{}, fmt.Errorf("%q is not a shard; write 0/8 for the first of eight", text)
	case n == 0 || n > MaxShards:
		return Shard{}, fmt.Errorf("%q: the number of shards must be 1 to %d", text, MaxShards)
	case i >= n:
		return Shard{}, fmt.Errorf("%q: the shards of %d are 0 to %d", text, n, n-1)
	}
	return Shard{Index: int(i), Of: int(n)}, nil
}

// String returns the shard in the form of ParseShard, "" for the whole list.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has reports whether the input at this place of the whole list belongs to the shard. That is every n-th one:
// neighbours in a listing are of similar size, and each shard should have some of each.
func (s Shard) Has(place int) bool { return s.Of <= 1 || place%s.Of == s.Index }

// Select returns the shard of a whole list, in its order. The inputs keep their Place.
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
