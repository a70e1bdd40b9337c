package facts

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/parquet"

	"github.com/acapscan/acapscan/internal/extsort"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What an archive can make long counts for the memory that facts take while they wait.
func TestSizeCountsWhatMayBeLong(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, f := range map[string]Fact{
		"URL": {URL: long}, "Site": {Site: long}, "FetchRedirect": {FetchRedirect: long}, "Body": {Body: []byte(long)},
		"Name": {Directives: []Directive{{Name: long}}}, "Value": {Directives: []Directive{{Value: long}}},
		"ElementID": {Directives: []Directive{{ElementID: long}}}, "Raw": {Directives: []Directive{{Raw: long}}},
	} {
		empty := Fact{Directives: make([]Directive, len(f.Directives))}
		if got := f.Size() - empty.Size(); got != len(long) {
			t.Errorf("%s of %d bytes counts %d", name, len(long), got)
		}
	}
}

// someFacts makes n facts of many sites, in no order, with all that a fact can refer to.
func someFacts(n int) []Fact {
	random := rand.New(rand.NewPCG(1, 1))
	list := make([]Fact, n)
	for i := range list {
		site := fmt.Sprintf("http://host%d.example", random.IntN(n/3+1))
		f := Fact{
			Kind: KindRobots, Site: site, SiteHash: HashSite(site), Crawl: "CC-1", Subset: "warc", URL: site +
				"/robots.txt", FetchTime: int64(random.IntN(1e9)),
			FetchStatus: 200, Filename: "a.warc.gz", RecordOffset: int64(i), RecordLength: 10, RecordType: "response",
			ContentDigest: "D",
		}
		switch i % 4 {
		case 0:
			f.Body, f.BodyBytes = []byte(strings.Repeat(fmt.Sprintf("Disallow: /%d\n", i), 1+random.IntN(9))), int64(i)
			if f.NoACAP = i%8 > 0; !f.NoACAP {
				f.Body = append(f.Body, "AcaP-disallow-crawl: /\n"...)
			}
		case 1:
			f.Body, f.NoACAP = []byte{}, true // a file of no bytes is not the same as none
		case 2:
			f.Kind, f.ParsedAs = KindPage, ParsedHTML
			for j := range random.IntN(4) {
				f.Directives = append(f.Directives, Directive{
					Carrier: CarrierMeta, Offset: int64(j), Name: "robots", Value: fmt.Sprintf("noindex %d %d", i, j),
					Raw: fmt.Sprintf("<meta %d>", i), SmartQuotes: j == 1, Late: j == 2,
				})
			}
			f.Defects = []string{"content-length", fmt.Sprintf("defect-%d", i)}
		case 3:
			f.Kind, f.URL = KindSite, ""
			f.Counts = []Count{{"pages", int64(i)}, {fmt.Sprintf("meta:%d", i), 1}}
		}
		list[i] = f
	}
	return list
}

// write writes facts with one Writer and returns the names of its files.
func write(t testing.TB, base string, list []Fact, opts WriterOptions) []string {
	t.Helper()
	w := Create(base, opts)
	for i := range list {
		check(t, w.Write(&list[i]))
	}
	check(t, w.Close())
	files, err := filepath.Glob(base + "-*" + Extension)
	check(t, err)
	return files
}

// bucketOf sorts a store and reads a bucket.
func bucketOf(t testing.TB, s *Set, i, n int) ([]Fact, error) {
	t.Helper()
	sorted, err := s.Sort(context.Background(), filepath.Join(t.TempDir(), "sorted"), n, 2, 4<<20)
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	var list []Fact
	err = sorted.Scan(i, func(f *Fact) error {
		list = append(list, *f)
		return nil
	}, Counters, Policies, Answers, Pages)
	return list, err
}

// names lists the files of a set.
func names(s *Set) (list []string) {
	for i := range s.files {
		list = append(list, s.files[i].String())
	}
	return list
}

func inOrder(list []Fact) []Fact {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Fact) int { return Compare(&a, &b) })
	return list
}

// What is written is read, in order, in any number of buckets, whatever the runs are. All is the caller's to keep.
func TestWriteAndRead(t *testing.T) {
	list := someFacts(1500)
	want := inOrder(list)
	for _, run := range []int{0, 150_000, 20_000} {
		t.Run(fmt.Sprintf("runs of %d bytes", run), func(t *testing.T) {
			dir := t.TempDir()
			half := len(list) / 2
			files := write(t, filepath.Join(dir, "000000"), list[:half], WriterOptions{RunBytes: run})
			files = append(files, write(t, filepath.Join(dir, "000001"), list[half:], WriterOptions{RunBytes: run})...)
			if few := len(files) == 2; few != (run == 0) {
				t.Errorf("%d files", len(files))
			}
			store, err := Open([]string{dir})
			check(t, err)
			if store.Rows() != int64(len(list)) || !slices.Equal(names(store), files) {
				t.Errorf("%d rows in %v", store.Rows(), names(store))
			}
			for _, n := range []int{1, 3, 16} {
				var got []Fact
				for i := range n {
					bucket, err := bucketOf(t, store, i, n)
					check(t, err)
					lo, hi := extsort.Bucket(i, n)
					for _, f := range bucket {
						if f.SiteHash < lo || f.SiteHash > hi {
							t.Fatalf("bucket %d of %d has %s", i, n, f.Site)
						}
					}
					got = append(got, bucket...)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%d buckets (-written +read):\n%.2000s", n, diff)
				}
			}
		})
	}
}

// scanOne scans one file.
func scanOne(file string, visit func(*Fact) error) error {
	set, err := Open([]string{file})
	if err != nil {
		return err
	}
	return set.Scan(visit)
}

func TestRunsAreInOrder(t *testing.T) {
	for _, file := range write(t, filepath.Join(t.TempDir(), "000000"), someFacts(1000),
		WriterOptions{RunBytes: 100_000}) {
		var last *Fact
		err := scanOne(file, func(f *Fact) error {
			if last != nil && Compare(last, f) > 0 {
				return fmt.Errorf("%s comes after %s", f.URL, last.URL)
			}
			last = f
			return nil
		})
		check(t, err)
	}
}

// The files depend on the facts, not on when they were written.
func TestSameBytes(t *testing.T) {
	list := someFacts(500)
	a, b := write(t, filepath.Join(t.TempDir(), "x"), list, WriterOptions{CreatedBy: "p"}), write(t,
		filepath.Join(t.TempDir(), "x"), list, WriterOptions{CreatedBy: "p"})
	one, err := os.ReadFile(a[0])
	check(t, err)
	other, err := os.ReadFile(b[0])
	check(t, err)
	if !bytes.Equal(one, other) {
		t.Error("two files of the same facts differ")
	}
}

func TestNoFacts(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open([]string{dir}); !errors.Is(err, ErrNoFacts) {
		t.Errorf("of an empty folder: %v", err)
	}
	if _, err := Open([]string{filepath.Join(dir, "nowhere")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no folder: %v", err)
	}
	files := write(t, filepath.Join(dir, "000000"), nil, WriterOptions{})
	if len(files) != 1 {
		t.Fatalf("a task without facts left %v", files)
	}
	store, err := Open([]string{dir, files[0]}) // named twice, read once
	check(t, err)
	if store.Rows() != 0 || len(names(store)) != 1 {
		t.Errorf("%d rows in %v", store.Rows(), names(store))
	}
	if list, err := bucketOf(t, store, 0, 1); len(list) != 0 || err != nil {
		t.Errorf("%d facts, %v", len(list), err)
	}
}

// A file that several names lead to is read once: else every count would be twice what it is.
func TestFactsOfSeveralNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	check(t, os.Mkdir("facts", 0o755))
	write(t, filepath.Join(dir, "facts", "000000"), someFacts(10), WriterOptions{})
	check(t, os.Symlink("facts", "link"))
	store, err := Open([]string{"facts", "./facts/", filepath.Join(dir, "facts"), "link", "link/",
		"link/000000-000.facts"})
	check(t, err)
	if store.Rows() != 10 || len(names(store)) != 1 {
		t.Errorf("%d facts, of the files %v", store.Rows(), names(store))
	}
}

// A file that cannot be read is an error of one line that names it; nothing is made up.
func TestDamagedFiles(t *testing.T) {
	list := someFacts(400)
	good, err := os.ReadFile(write(t, filepath.Join(t.TempDir(), "x"), list, WriterOptions{})[0])
	check(t, err)
	flipped := func(at int) []byte {
		bad := bytes.Clone(good)
		bad[at] ^= 0x55
		return bad
	}
	for name, content := range map[string][]byte{
		"empty": {}, "text": []byte("User-agent: *\nDisallow: /\n"), "cut in the middle": good[:len(good)/2],
		"without its last byte": good[:len(good)-1], "last mark": flipped(len(good) - 1),
		"index length": flipped(len(good) - 10), "index": flipped(len(good) - 30), "first block": flipped(200),
		"in the middle": flipped(len(good) / 2),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bad"+Extension)
			check(t, os.WriteFile(file, content, 0o644))
			store, err := Open([]string{file})
			var read []Fact
			if err == nil {
				read, err = bucketOf(t, store, 0, 1)
			}
			if err == nil {
				t.Fatalf("%d facts were read", len(read))
			}
			if text := err.Error(); !strings.Contains(text, file) || strings.Contains(text, "\n") ||
				strings.Contains(text, "goroutine") {
				t.Errorf("error is %q", text)
			}
		})
	}
}

func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	create := func(name string, version uint64) string {
		file := filepath.Join(dir, name)
		text := append(binary.AppendUvarint(nil, version), "whatever"...)
		content := append([]byte(fileMark), text...)
		content = binary.LittleEndian.AppendUint32(content, extsort.Checksum(text))
		content = append(binary.LittleEndian.AppendUint32(content, uint32(len(text))), fileMark...)
		check(t, os.WriteFile(file, content, 0o644))
		return file
	}
	other := create("other"+Extension, 999)
	if _, err := Open([]string{other}); err == nil || !strings.Contains(err.Error(), "999") ||
		!strings.Contains(err.Error(), other) {
		t.Errorf("of another version: %v", err)
	}
	out, err := parquet.Create[Fact](other, parquet.Options{}) // as facts were up to version 3
	check(t, err)
	_, err = out.Commit()
	check(t, err)
	if _, err := Open([]string{other}); err == nil || !strings.Contains(err.Error(),
		other+" holds facts of version 3 or older, this program reads") {
		t.Errorf("of an earlier version: %v", err)
	}
	check(t, os.Remove(other))
	write(t, filepath.Join(dir, "good"), nil, WriterOptions{})
	create("table.parquet", 1) // is none of ours
	check(t, os.WriteFile(filepath.Join(dir, "half"+Extension+".tmp"), []byte("half"), 0o644))
	store, err := Open([]string{dir})
	check(t, err)
	if len(names(store)) != 1 {
		t.Errorf("files are %v", names(store))
	}
}

// An error of the visitor ends the scan.
func TestScanEnds(t *testing.T) {
	store, err := Open(write(t, filepath.Join(t.TempDir(), "a"), someFacts(600), WriterOptions{}))
	check(t, err)
	stop, n := errors.New("stop"), 0
	err = store.Scan(func(*Fact) error {
		if n++; n == 300 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 300 {
		t.Errorf("%d facts, %v", n, err)
	}
}

// Facts go through a stream as they go through a file.
func TestStreamOfFacts(t *testing.T) {
	list := someFacts(100)
	var pipe bytes.Buffer
	w, err := arrow.NewWriter[Fact](&pipe, StreamMetadata())
	check(t, err)
	check(t, w.Write(list))
	check(t, w.Close())
	r, err := arrow.NewReader[Fact](&pipe)
	check(t, err)
	check(t, CheckStream(r.Metadata()))
	got, err := r.Read()
	check(t, err)
	if diff := cmp.Diff(list, got, cmpopts.IgnoreFields(Fact{}, "NoACAP")); diff != "" {
		t.Errorf("(-written +read):\n%.2000s", diff)
	}
	for _, metadata := range []map[string]string{nil, {metaSchema: "999"}} {
		if CheckStream(metadata) == nil {
			t.Errorf("%v passes for a stream of facts", metadata)
		}
	}
}

// Of some kinds there are just the facts of these, and a file that has none is not read beyond its kinds.
func TestStoreOfKinds(t *testing.T) {
	dir := t.TempDir()
	list := someFacts(900)
	var pages []Fact
	for _, f := range list {
		if f.Kind == KindPage {
			pages = append(pages, f)
		}
	}
	write(t, filepath.Join(dir, "mixed"), list, WriterOptions{})
	name := write(t, filepath.Join(dir, "pages"), pages, WriterOptions{})[0]
	content, err := os.ReadFile(name)
	check(t, err)
	content[len(content)/2] ^= 0x55 // in a block
	check(t, os.WriteFile(name, content, 0o644))
	s, err := Open([]string{dir})
	check(t, err)
	if err := s.Scan(func(*Fact) error { return nil }); err == nil {
		t.Fatal("the file of pages is not damaged: the test shows nothing")
	}
	var got []Fact
	check(t, s.WithKinds(KindRobots, KindSite).Scan(func(f *Fact) error {
		got = append(got, *f)
		return nil
	}))
	want := slices.DeleteFunc(inOrder(list), func(f Fact) bool { return f.Kind == KindPage })
	if diff := cmp.Diff(want, inOrder(got)); diff != "" || len(want) != len(list)-len(pages) {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
	if err := s.WithKinds(KindPage).Scan(func(*Fact) error { return nil }); err == nil {
		t.Error("pages are asked for, and the damage does not show")
	}
}

// Of some hosts all facts are read, once each, and of others few blocks. Facts that pass by are the same.
func TestStoreOfHosts(t *testing.T) {
	const n = 12_000
	list := someFacts(n)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "000000"), list[:n/2], WriterOptions{})
	write(t, filepath.Join(dir, "000001"), list[n/2:], WriterOptions{})
	store, err := Open([]string{dir})
	check(t, err)
	inStore := inOrder(list)
	for _, hosts := range [][]int64{
		nil, {}, {7}, {inStore[0].SiteHash, 1 << 60, inStore[n/2].SiteHash, inStore[n-1].SiteHash},
	} {
		slices.Sort(hosts)
		part := store.OfHosts(hosts)
		wanted := func(f Fact) bool { return hosts == nil || slices.Contains(hosts, f.SiteHash) }
		want := slices.DeleteFunc(slices.Clone(inStore), func(f Fact) bool { return !wanted(f) })
		got, passing := []Fact{}, []Fact{}
		check(t, part.Scan(func(f *Fact) error {
			got = append(got, *f)
			return nil
		}))
		check(t, part.ScanPassing(func(f *Fact) error {
			held := *f
			held.Body = bytes.Clone(f.Body)
			passing = append(passing, held)
			return nil
		}))
		if diff := cmp.Diff(want, inOrder(got)); diff != "" {
			t.Errorf("%d hosts (-want +got):\n%.2000s", len(hosts), diff)
		}
		if diff := cmp.Diff(got, passing); diff != "" {
			t.Errorf("%d hosts (-kept +passing):\n%.2000s", len(hosts), diff)
		}
		sorted, err := bucketOf(t, part, 0, 1)
		check(t, err)
		read := len(sorted)
		sorted = slices.DeleteFunc(append([]Fact{}, sorted...), func(f Fact) bool { return !wanted(f) })
		if diff := cmp.Diff(want, sorted); diff != "" || hosts != nil && read > n/2 {
			t.Errorf("%d hosts: %d facts sorted (-want +got):\n%.2000s", len(hosts), read, diff)
		}
	}
}
