package extsort

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The buckets of every number cover all hashes, each once.
func TestBucketsCoverAll(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16, 1000, 1 << 14} {
		next := int64(0)
		for i := range n {
			lo, hi := Bucket(i, n)
			if lo != next || hi < lo {
				t.Fatalf("bucket %d of %d is [%d, %d], and %d comes next", i, n, lo, hi, next)
			}
			next = hi + 1 // overflows at the very end
		}
		if next != math.MinInt64 {
			t.Errorf("%d buckets end at %d", n, next-1)
		}
	}
}

// bodyMark parts a record of the tests from its body.
const bodyMark = '|'

func split(record []byte) (fields, body []byte) {
	at := bytes.IndexByte(record[hashBytes:], bodyMark) + hashBytes
	return record[:at], record[at+1:]
}

// Whatever is held at once, records come back in order with their bodies, and no more runs are left than are read at a
// time. No file is open before it is read.
func TestRecords(t *testing.T) {
	const buckets = 5
	random := rand.New(rand.NewPCG(1, 2))
	var want []string
	for i := range 3000 {
		record, body := AppendHash(nil, random.Int64()), bytes.Repeat([]byte("b"), random.IntN(60))
		want = append(want, string(fmt.Appendf(record, "%d%c%s", i, bodyMark, body)))
	}
	want = append(want, want[7]) // equal records are not merged
	for _, limit := range []int{1 << 30, 300_000, 900} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "sorted")
			folder, err := NewFolder(name, buckets)
			check(t, err)
			records := folder.NewRecords(split)
			sorters := []*RecordSorter{NewRecordSorter(0, records), NewRecordSorter(0, records)}
			for i, n := range random.Perm(len(want)) {
				s := sorters[i%2]
				s.limit = limit
				check(t, s.Add(0, []byte(want[n])))
			}
			for _, s := range sorters {
				check(t, s.Flush())
			}
			if many := len(records.runs) > maxRuns; many != (limit < 1000) {
				t.Errorf("%d runs", len(records.runs))
			}
			for _, r := range records.runs {
				if r.own.file != nil {
					t.Error("a file is open before anything is read")
				}
			}
			check(t, records.Compact(context.Background(), 3))
			if len(records.runs) > maxRuns || records.Len() != int64(len(want)) {
				t.Errorf("%d runs of %d records are left", len(records.runs), records.Len())
			}
			var got []string
			for i := range buckets {
				in, err := records.Open(i)
				for check(t, err); ; {
					if err := in.Next(); err == io.EOF {
						break
					} else if err != nil {
						t.Fatal(err)
					}
					body, err := in.Body()
					check(t, err)
					if lo, hi := Bucket(i, buckets); HashOf(in.Record()) < lo || HashOf(in.Record()) > hi {
						t.Errorf("bucket %d has a record of another", i)
					}
					got = append(got, string(in.Record())+string(bodyMark)+string(body))
				}
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
				t.Errorf("(-want +got):\n%.2000s", diff)
			}
			check(t, records.Close())
			if left, _ := os.ReadDir(name); len(left) > 0 {
				t.Errorf("%d files are left", len(left))
			}
			check(t, folder.Close())
		})
	}
}

// Emptied memory has no chunks, and large buffers of a writer are let go.
func TestHeldMemory(t *testing.T) {
	held := NewHeld(1)
	for i := range 100 {
		held.Add(0, AppendHash(nil, int64(i)), make([]byte, chunkBytes/4+3*chunkBytes*(i%2)))
	}
	var w BlockWriter
	w.Reset(io.Discard, 0)
	for record := range held.Sorted(0) {
		check(t, w.Add(record, nil))
	}
	if _, n, err := w.Section(); n != 100 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
	held.Empty()
	if cap(w.packed) > 4*(fieldBytes+bodyBytes) || len(held.chunks) > 0 || held.bytes > 0 {
		t.Errorf("%d chunks are held, and %d bytes for a block", len(held.chunks), cap(w.packed))
	}
}

// A run that cannot be written, as where the disk is full, says so each time, and can be removed.
func TestRunThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	file, err := os.Create(filepath.Join(folder, "run"))
	check(t, err)
	w := NewRunWriter(file)
	check(t, w.Add(AppendHash(nil, 1), nil))
	check(t, file.Close())
	for range 2 {
		if _, err := w.End(); err == nil {
			t.Error("nothing failed")
		}
	}
	check(t, w.Remove())
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
