package crosshost

import (
	"fmt"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/extsort"
)

// inSteps takes all steps of the pass in so many buckets, with messages in facts files. It returns the copies that all
// buckets received, and how many steps there were.
func inSteps(t testing.TB, list []facts.Fact, opts parse.Options, buckets, maxRequests int) (copies []facts.Fact,
	steps int) {
	t.Helper()
	work := t.TempDir()
	file := func(write func(*facts.Writer), name string) *facts.Set {
		w := facts.Create(filepath.Join(work, name), facts.WriterOptions{})
		write(w)
		check(t, w.Close())
		set, err := facts.Open([]string{filepath.Join(work, w.Files()[0].Name)})
		check(t, err)
		return set
	}
	all := file(func(w *facts.Writer) {
		for i := range list {
			check(t, w.Write(&list[i]))
		}
	}, "facts")
	var sent []*facts.Set
	for open := int64(1); !IsLast(len(sent), open); {
		step := len(sent)
		if step%2 == 0 { // else that of the step before counts
			open = 0
		}
		var messages []*facts.Set
		for i := range buckets {
			messages = append(messages, file(func(w *facts.Writer) {
				folder := filepath.Join(work, "sorted")
				scratch, err := facts.NewSorted(folder+"-scratch", 1)
				check(t, err)
				var sorted *facts.Sorted
				own := all.WithKinds(facts.KindRobots, facts.KindPolicy).Range(extsort.Bucket(i, buckets))
				b := &Bucket{Facts: func(hosts []int64) (*facts.Sorted, error) {
					sorted, err = own.OfHosts(hosts).Sort(t.Context(), folder, 1, 1, 1)
					return sorted, err
				}, Scratch: scratch, Number: i,
					Of: buckets, Parsing: opts, Memory: 1, Send: w.Write, maxRequests: maxRequests}
				n, err := b.Take(t.Context(), step, sent)
				check(t, err)
				if sorted != nil {
					check(t, sorted.Close())
				}
				check(t, scratch.Close())
				open += n
			}, fmt.Sprintf("step-%d-%d", step, i)))
		}
		set, err := facts.Join(messages...)
		check(t, err)
		sent = append(sent, set)
	}
	sorted, err := facts.NewSorted(filepath.Join(work, "copies"), 1)
	check(t, err)
	t.Cleanup(func() { check(t, sorted.Close()) })
	sorter := sorted.NewSorter(0)
	for i := range buckets {
		for _, messages := range sent {
			check(t, Copies(messages, i, buckets).Scan(sorter.Add))
		}
	}
	check(t, sorter.Flush())
	return capturetest.Copies(t, sorted), len(sent)
}

// In steps, on several machines, the copies are the same.
func TestSteps(t *testing.T) {
	most := 0
	for seed, test := range []struct{ hosts, captures, maxRequests, buckets int }{
		{4, 60, maxRequests, 1}, {4, 60, maxRequests, 2}, {9, 300, maxRequests, 3}, {30, 90, 5, 4}, {30, 900, 2, 7},
		{200, 600, maxRequests, 5}, {200, 600, 3, 2}, {400, 1200, 4, 3},
	} {
		list := inOrder(tangle(uint64(seed), test.hosts, test.captures))
		sorted := capturetest.Sorted(t, list, 2)
		check(t, (&resolver{ctx: t.Context(), sorted: sorted, workers: 1, memory: 1, maxRequests: test.maxRequests,
			hostMemory: 1 << 20}).run())
		want := capturetest.Copies(t, sorted)
		got, steps := inSteps(t, list, parse.Options{}, test.buckets, test.maxRequests)
		if diff := gocmp.Diff(want, got); diff != "" || len(got) < test.hosts/2 {
			t.Errorf("seed %d: %d copies, want %d (-want +got):\n%.4000s", seed, len(got), len(want), diff)
		}
		most = max(most, steps)
	}
	if most < 9 {
		t.Errorf("at most %d steps", most)
	}
}

// Without requests the second step is the last; a ring of redirects ends.
func TestLastStep(t *testing.T) {
	if _, steps := inSteps(t, []facts.Fact{robots(file, 1, closed)}, parse.Options{}, 2, maxRequests); steps != 1 {
		t.Errorf("%d steps send messages, want 1", steps)
	}
	var ring []facts.Fact
	for i := range 40 {
		ring = append(ring, redirect(fmt.Sprintf("http://h%d.example/robots.txt", i), 1,
			fmt.Sprintf("http://h%d.example/robots.txt", (i+1)%40)))
	}
	copies, steps := inSteps(t, inOrder(ring), parse.Options{}, 2, maxRequests)
	want := copiesOf(t, ring, parse.Options{}, 1, 1, 1)
	if diff := gocmp.Diff(want, copies); diff != "" || steps != 2*maxRounds+1 {
		t.Errorf("%d steps, want %d; %s", steps, 2*maxRounds+1, diff)
	}
}
