package facts

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// The digest of facts is one for any number of workers, tells which file has what, and ends with its context.
func TestDigestFacts(t *testing.T) {
	storeOf := func(sites ...string) *Set {
		dir := t.TempDir()
		for i, site := range sites {
			w := Create(filepath.Join(dir, string(rune('a'+i))), WriterOptions{})
			if err := errors.Join(w.Write(&Fact{Kind: KindSite, Site: site, SiteHash: HashSite(site)}),
				w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	digest := func(s *Set, workers int) string {
		sum, err := s.Digest(context.Background(), workers)
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
	if _, err := s.Digest(ctx, 2); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
}
