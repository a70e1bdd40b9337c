package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/extsort"
)

// The record of a fact says all of it, and compares as the fact does.
func TestRecord(t *testing.T) {
	texts := []string{"", "a", "a\x00", "a\x00b", "a\x00\xff", "a\xff", "ab", "b", "\x00", "\x00\x01"}
	random := rand.New(rand.NewPCG(3, 3))
	text := func() string { return texts[random.IntN(len(texts))] }
	number := func() int64 { return []int64{0, 1, -1, math.MaxInt64, math.MinInt64}[random.IntN(5)] }
	list := someFacts(60)
	for range 600 {
		list = append(list, Fact{
			SiteHash: number(), Crawl: []string{"", LocalCrawl, "k", "m"}[random.IntN(4)], Site: text(), URL: text(),
			Filename: text(), FetchTime: number(), Kind: []Kind{KindInput, KindSite, KindRobots, KindPolicy, KindAnswer,
				KindPage}[random.IntN(6)], RecordOffset: number(), RecordIndex: number(),
			FetchStatus: int32(random.IntN(3)) - 1, Body: [][]byte{nil, {}, []byte("b")}[random.IntN(3)],
			Truncated: text(), Error: text(),
		})
	}
	records := make([][]byte, len(list))
	for i := range list {
		list[i].NoACAP = list[i].Body != nil && list[i].Kind != KindAnswer &&
			!bytes.Contains(list[i].Body, []byte("AcaP"))
		records[i] = slices.Concat(appendFields(nil, &list[i]), list[i].Body, bodyLength(&list[i]))
		var got Fact
		fields, body := splitBody(records[i])
		hasBody, err := readFields(fields, &got)
		check(t, err)
		if hasBody {
			got.Body = body
		}
		if diff := cmp.Diff(list[i], got); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
		for n := range fields {
			if _, err := readFields(fields[:n], &got); err == nil {
				t.Fatalf("%d of %d bytes are a fact", n, len(fields))
			}
		}
	}
	for i := range list {
		for j := range list {
			if c := Compare(&list[i], &list[j]); c != 0 && c != bytes.Compare(records[i], records[j]) {
				t.Fatalf("%d and %d: facts compare as %d, records as %d\n%+v\n%+v", i, j, c, -c, list[i], list[j])
			}
		}
	}
}

// Whatever the memory and the number of sorters, the facts come in one order, and no more runs are left than are read
// at a time.
func TestSorted(t *testing.T) {
	const buckets = 5
	list := someFacts(3000)
	list = append(list, list[:50]...)
	var want []Fact
	for _, test := range []struct{ sorters, held int }{{1, 10_000}, {1, 1000}, {3, 20}} {
		t.Run(fmt.Sprintf("%d sorters of %d facts", test.sorters, test.held), func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "sorted")
			sorted, err := NewSorted(folder, buckets)
			check(t, err)
			sorters := make([]*Sorter, test.sorters)
			for i := range sorters {
				sorters[i] = sorted.NewSorter(0)
			}
			for n, i := range rand.New(rand.NewPCG(1, uint64(test.held))).Perm(len(list)) {
				s := sorters[i%len(sorters)]
				check(t, s.Add(&list[i]))
				if n%test.held == 0 {
					check(t, s.Flush())
				}
			}
			for _, s := range sorters {
				check(t, s.Flush())
			}
			check(t, sorted.Compact(context.Background(), test.sorters))
			var got []Fact
			for i := range buckets {
				lo, hi := extsort.Bucket(i, buckets)
				check(t, sorted.Scan(i, func(f *Fact) error {
					if f.SiteHash < lo || f.SiteHash > hi {
						return fmt.Errorf("bucket %d has %s", i, f.Site)
					}
					got = append(got, *f)
					return nil
				}, Counters, Policies, Answers, Pages))
			}
			var passed []Fact
			for i := range buckets {
				var last []byte
				check(t, sorted.ScanACAP(i, func(f *Fact) error {
					clear(last) // no one reads a body that passed
					kept := *f
					kept.Body, last = bytes.Clone(f.Body), f.Body
					passed = append(passed, kept)
					return nil
				}, Counters, Policies, Answers, Pages))
			}
			withoutACAP := slices.Clone(got)
			for i := range withoutACAP {
				if f := &withoutACAP[i]; f.NoACAP && f.Body != nil {
					f.Body = []byte{}
				}
			}
			if diff := cmp.Diff(withoutACAP, passed); diff != "" {
				t.Fatalf("(-kept +passing):\n%.2000s", diff)
			}
			if want == nil {
				want = got
				if diff := cmp.Diff(inOrder(list), got, cmp.Comparer(func(a,
					b Fact) bool {
					return Compare(&a, &b) == 0
				})); diff != "" {
					t.Fatalf("(-facts +sorted):\n%.2000s", diff)
				}
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-at once +in runs):\n%.2000s", diff)
			}
			others := 0
			for i := range buckets {
				check(t, sorted.Scan(i, func(f *Fact) error {
					if others++; f.Kind == KindPage {
						return errors.New("a page among what is none")
					}
					return nil
				}, Counters, Policies))
			}
			if pages := len(slices.DeleteFunc(slices.Clone(list),
				func(f Fact) bool { return f.Kind != KindPage })); others+pages != len(list) || pages == 0 {
				t.Errorf("%d others and %d pages of %d facts", others, pages, len(list))
			}
			check(t, sorted.Close())
			if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the folder is still there: %v", err)
			}
		})
	}
}

// A damaged run is an error that names it.
func TestSortedDamaged(t *testing.T) {
	for _, at := range []int64{0, 5, 9, 100} {
		sorted, err := NewSorted(filepath.Join(t.TempDir(), "sorted"), 1)
		check(t, err)
		sorter := sorted.NewSorter(0)
		for _, f := range someFacts(30) {
			check(t, sorter.Add(&f))
		}
		check(t, sorter.Flush())
		runs, err := filepath.Glob(filepath.Join(sorted.Name(), "*.run"))
		check(t, err)
		file, err := os.OpenFile(runs[Policies], os.O_RDWR, 0) // one a class, in order
		check(t, err)
		var b [1]byte
		_, err = file.ReadAt(b[:], at)
		check(t, err)
		_, err = file.WriteAt([]byte{b[0] ^ 0x55}, at)
		check(t, errors.Join(err, file.Close()))
		if err := sorted.Scan(0, func(*Fact) error { return nil }, Policies); err == nil {
			t.Errorf("byte %d flipped: no error", at)
		}
		check(t, sorted.Close())
	}
}

// An unfinished file of a stopped sort is removed.
func TestSortStopped(t *testing.T) {
	store, err := Open(write(t, filepath.Join(t.TempDir(), "a"), someFacts(600), WriterOptions{}))
	check(t, err)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	folder := filepath.Join(t.TempDir(), "sorted")
	if _, err := store.Sort(ctx, folder, 3, 2, 1<<20); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// The sections of a facts file share one open file, and its index is read once while the file is open.
func TestSectionsShareAFile(t *testing.T) {
	store, err := Open(write(t, filepath.Join(t.TempDir(), "a"), someFacts(600), WriterOptions{}))
	check(t, err)
	shared := &sharedFile{setFile: &store.files[0]}
	sections := []*fileSection{{file: shared, class: Policies}, {file: shared, class: Pages}}
	var files []io.ReaderAt
	for _, s := range sections {
		for range 2 {
			file, blocks, err := s.Open()
			check(t, err)
			if len(blocks) == 0 {
				t.Error("a section has no blocks")
			}
			files = append(files, file)
		}
	}
	if len(slices.Compact(files)) != 1 {
		t.Error("the sections have a file each")
	}
	read := shared.read
	check(t, sections[0].Close())
	check(t, sections[0].Close())
	if shared.read != read || read == nil {
		t.Error("the file is closed, or was opened again, while a section is open")
	}
	check(t, sections[1].Close())
	if shared.read != nil {
		t.Error("the file is open, and no section is")
	}
	if _, _, err := sections[0].Open(); err != nil || shared.read == nil {
		t.Errorf("the file is not opened again: %v", err)
	}
	check(t, sections[0].Close())
}
