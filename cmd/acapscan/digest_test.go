package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// The digest of facts is one for any number of workers, tells which file has what, and ends with its context.
func TestDigestFacts(t *testing.T) {
	storeOf := func(sites ...string) *facts.Store {
		dir := t.TempDir()
		for i, site := range sites {
			w := facts.Create(filepath.Join(dir, string(rune('a'+i))), facts.WriterOptions{})
			if err := errors.Join(w.Write(&facts.Fact{Kind: facts.KindSite, Site: site, SiteHash: facts.HashSite(site)}), w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		s, err := facts.OpenStore([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	digest := func(s *facts.Store, workers int) string {
		sum, err := digestFacts(context.Background(), s, workers)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	s := storeOf("http://a.example", "http://b.example", "http://c.example")
	want := digest(s, 1)
	for _, workers := range []int{0, 2, 8} {
		if got := digest(s, workers); got != want {
			t.Errorf("%d workers: %s, one: %s", workers, got, want)
		}
	}
	if digest(storeOf("http://b.example", "http://a.example", "http://c.example"), 2) == want {
		t.Error("facts of other files have the same digest")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	if _, err := digestFacts(ctx, s, 2); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
}
