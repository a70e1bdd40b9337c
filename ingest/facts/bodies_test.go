package facts

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Copies of one body for many sites take the space of one, and come back as they were. Copies that are the same come
// once.
func TestBodiesOfAnswers(t *testing.T) {
	const buckets, sites = 3, 200
	sorted, err := NewSorted(filepath.Join(t.TempDir(), "sorted"), buckets)
	check(t, err)
	defer func() { check(t, sorted.Close()) }()
	first, second := bytes.Repeat([]byte("Disallow: /a\n"), 40), []byte(strings.Repeat("Disallow: /b\n", 50))
	var want []Fact
	for i := range sites {
		for day, body := range [][]byte{first, second, []byte("short"), {}, nil} {
			site := fmt.Sprintf("http://h%d.example", i)
			want = append(want, Fact{
				Kind: KindAnswer, Site: site, SiteHash: HashSite(site), URL: "http://target.example/robots.txt",
				FetchTime: int64(day), Body: body, BodyBytes: int64(len(body)),
			})
		}
	}
	sorters := []*Sorter{sorted.NewSorter(0), sorted.NewSorter(0)}
	for i := range want {
		check(t, sorters[i%2].Add(&want[i]))
		if i%300 == 0 {
			clear(sorted.bodies.known) // as where there are very many: a body may lie at two places
			sorted.bodies.last = nil
			check(t, sorters[1-i%2].Add(&want[i]))
		}
	}
	for _, s := range sorters {
		check(t, s.Flush())
	}
	check(t, sorted.Compact(t.Context(), 2))
	var got []Fact
	for i := range buckets {
		check(t, sorted.ScanOnce(i, func(f *Fact) error {
			got = append(got, *f)
			return nil
		}, Answers))
	}
	if diff := cmp.Diff(inOrder(want), inOrder(got)); diff != "" {
		t.Errorf("(-added +read):\n%.2000s", diff)
	}
	info, err := os.Stat(filepath.Join(sorted.Name(), "bodies"))
	check(t, err)
	if info.Size() > 10*int64(len(first)+len(second)) {
		t.Errorf("%d bytes of bodies", info.Size())
	}
	check(t, os.WriteFile(filepath.Join(sorted.Name(), "bodies"), bytes.Repeat([]byte("x"), int(info.Size())), 0o600))
	sorted.bodies.held, sorted.bodies.older = nil, nil
	err = sorted.Scan(0, func(*Fact) error { return nil }, Answers)
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("bodies that were changed: %v", err)
	}
}
