package facts

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Writers that follow one another use the same memory. Callers overwrite a fact after each call.
func TestWritersShareArenas(t *testing.T) {
	opts := WriterOptions{RunBytes: 90_000, Arenas: new(Arenas)}
	dir := t.TempDir()
	list := someFacts(900)
	list[8].Body = bytes.Repeat([]byte("Disallow: /long\n"), 1<<15) // more than a chunk
	list[8].NoACAP = true
	list[4].Body, list[4].NoACAP = []byte{}, true
	var first *arena
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
			first = w.held
		}
		if w.held != first || w.held == nil {
			t.Errorf("writer %d has an arena of its own", round)
		}
		check(t, w.Close())
	}
	if n := len(opts.Arenas.free); n != 1 {
		t.Errorf("%d arenas were given back, want 1", n)
	}
	store, err := Open([]string{dir})
	check(t, err)
	if files := names(store); len(files) < 4 {
		t.Errorf("only %d files: no run followed another", len(files))
	}
	got, err := bucketOf(t, store, 0, 1)
	check(t, err)
	if diff := cmp.Diff(inOrder(list), got); diff != "" {
		t.Fatalf("(-written +read):\n%.2000s", diff)
	}
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
