package source

import (
	"fmt"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "0/8": {0, 8}, "7/8": {7, 8},
		"12/1048576": {12, MaxShards}} {
		got, err := ParseShard(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "/", "1/", "/2", "8/8", "9/8", "-1/8", "0/0", "0/-1", "0/1048577", "1/2/3",
		" 0/2", "0x1/2", "99999999999999999999/2"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestShardsAreDisjointAndComplete(t *testing.T) {
	for _, length := range []int{0, 1, 7, 24, 100} {
		inputs := make([]Input, length)
		for i := range inputs {
			inputs[i] = Input{Name: fmt.Sprint(i), Place: i}
		}
		for _, n := range []int{0, 1, 2, 8, 30} {
			seen := map[int]int{}
			for i := range max(n, 1) {
				s := Shard{i, n}
				last := -1
				for _, in := range s.Select(inputs) {
					seen[in.Place]++
					if in.Place <= last || !s.Has(in.Place) {
						t.Errorf("share %v of %d inputs has place %d behind %d", s, length, in.Place, last)
					}
					last = in.Place
				}
			}
			for place := range inputs {
				if seen[place] != 1 {
					t.Errorf("%d inputs in %d shares: place %d is in %d of them", length, n, place, seen[place])
				}
			}
		}
	}
}
