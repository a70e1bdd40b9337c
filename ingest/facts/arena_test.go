package facts

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// Writers that follow each other use the same memory; what they are given is overwritten after each call, as producers
// do.
func TestWritersShareArenas(t *testing.T) {
	opts := WriterOptions{RunBytes: 250_000, Arenas: new(Arenas)}
	dir := t.TempDir()
	list := someFacts(900)
	list[7].Body = bytes.Repeat([]byte("Disallow: /long\n"), arenaBytes/16) // more than a chunk
	list[8].Body = []byte{}
	var first *factArena
	for round, part := range [][]Fact{list[:600], list[600:]} {
		w := Create(filepath.Join(dir, string(rune('a'+round))), opts)
		for i := range part {
			f := part[i]
			f.Body, f.Counts = slices.Clone(f.Body), slices.Clone(f.Counts)
			check(t, w.Write(&f))
			clear(f.Body)
			clear(f.Counts)
			f = Fact{}
		}
		if first == nil {
			first = w.arena
		}
		if w.arena != first || w.arena == nil {
			t.Errorf("writer %d has an arena of its own", round)
		}
		check(t, w.Close())
	}
	if n := len(opts.Arenas.free); n != 1 {
		t.Errorf("%d arenas were given back, want 1", n)
	}
	store, err := Open([]string{dir})
	check(t, err)
	if files := store.Files(); len(files) < 4 {
		t.Errorf("only %d files: no run followed another", len(files))
	}
	got, err := bucketOf(t, store, 0, 1)
	check(t, err)
	want := inOrder(list)
	if len(got) != len(want) {
		t.Fatalf("%d facts, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(normal(got[i]), normal(want[i])) {
			t.Fatalf("fact %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	for _, chunk := range first.facts.chunks {
		if slices.ContainsFunc(chunk, func(f Fact) bool { return f.URL != "" }) {
			t.Fatal("an empty arena holds on to facts")
		}
	}
}

// normal makes one of lists that say the same.
func normal(f Fact) Fact {
	if len(f.Counts) == 0 {
		f.Counts = nil
	}
	return f
}

// After a failure nothing is given back twice, and what is discarded is not written.
func TestDiscardEmptiesTheArena(t *testing.T) {
	opts := WriterOptions{Arenas: new(Arenas)}
	w := Create(filepath.Join(t.TempDir(), "f"), opts)
	list := someFacts(5)
	check(t, w.Write(&list[0]))
	check(t, w.Discard())
	check(t, w.Write(&list[1]))
	check(t, w.Close())
	if rows := w.Files()[0].Rows; rows != 1 {
		t.Errorf("%d rows, want 1", rows)
	}
	check(t, w.Close())
	if n := len(opts.Arenas.free); n != 1 {
		t.Errorf("%d arenas were given back, want 1", n)
	}
}
