package numbers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGridIsBounded(t *testing.T) {
	g := newGridOf(2, 2)
	g.Add("b", 0, 1)
	g.Add("a", 1, 2)
	g.Add("c", 0, 5) // one too many
	g.Add("a", 0, 3)
	g.Add("d", 1, 7)
	if diff := cmp.Diff([]string{"a", "b"}, g.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if !slices.Equal(g.Beyond(nil), []int64{5, 7}) || !g.Full() || !slices.Equal(g.Total(), []int64{9, 9}) ||
		g.Row("a") != 5 || g.Get("d", 1) != 0 {
		t.Errorf("grid %+v", g)
	}
}

func TestGridCutsLongNames(t *testing.T) {
	g := newGrid(1)
	long := strings.Repeat("é", maxNameBytes)
	g.Add(long, 0, 1)
	g.Add(long+"x", 0, 1)
	g.Add("x"+long, 0, 1)
	want := map[string]int64{long[:maxNameBytes]: 2, ("x" + long)[:maxNameBytes-1]: 1}
	got := map[string]int64{}
	for _, name := range g.Names() {
		got[name] = g.Get(name, 0)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestGridOrders(t *testing.T) {
	g := newGrid(2)
	for name, row := range map[string][2]int64{"a": {1, 9}, "b": {2, 1}, "c": {1, 9}, "d": {2, 3}} {
		g.Add(name, 0, row[0])
		g.Add(name, 1, row[1])
	}
	if got := strings.Join(g.By(), ""); got != "dbac" {
		t.Errorf("by count %s", got)
	}
	if got := strings.Join(g.In([]string{"c", "z", "a"}), ""); got != "czabd" {
		t.Errorf("in order %s", got)
	}
}
