package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"

	"github.com/acapscan/acapscan/internal/extsort"
)

func plan(names ...string) job.Plan {
	p := job.Plan{Program: "acapscan 1"}
	for _, name := range names {
		p.Items = append(p.Items, job.Item{Name: name, Bytes: 10})
	}
	return p
}

// read reads an input of so many facts into a store.
func read(t *testing.T, at storage.Store, p job.Plan, input, n int) {
	t.Helper()
	defer at.Close()
	sink, err := OpenSink(at, p, job.Options{})
	check(t, err)
	w := sink.Create(input, WriterOptions{RunBytes: 16000})
	for _, fact := range someFacts(n) {
		check(t, w.Write(&fact))
	}
	check(t, w.Close())
	check(t, sink.Finish(t.Context(), input, job.DoneMarker{Item: "x", Summary: json.RawMessage("{}")}, w))
	if left, err := filepath.Glob(filepath.Join(sink.stage, "*"+Extension)); err != nil || len(left) > 0 {
		t.Errorf("on the stage are %v, %v", left, err)
	}
}

func count(t *testing.T, set *Set) (n int) {
	t.Helper()
	check(t, set.Scan(func(*Fact) error { n++; return nil }))
	return n
}

// Facts are the same files in every store, and tell the same of themselves.
func TestSinkAndFolder(t *testing.T) {
	var digest, listing string
	var files map[string]string
	for name, open := range storagetest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			process := open()
			read(t, process(), plan("a", "b"), 1, 60)
			if _, err := OpenFolder(process(), true); err == nil || !strings.Contains(err.Error(),
				"1 of 2 inputs are missing; run the same extract again first") {
				t.Errorf("of half of the facts it says %v", err)
			}
			read(t, process(), plan("a", "b"), 0, 0)
			set, err := OpenFolder(process(), true)
			check(t, err)
			if n := count(t, set); n != 60 || set.Rows() != 60 {
				t.Errorf("%d facts, of %d", n, set.Rows())
			}
			sum, err := set.Digest(t.Context(), 2)
			check(t, err)
			names, err := OpenFolder(process(), false)
			check(t, err)
			if n := count(t, names); n != 60 {
				t.Errorf("%d facts of unchecked files", n)
			}
			if digest == "" {
				digest, listing, files = sum, set.Listing(), storagetest.Contents(t, process())
			}
			if sum != digest || set.KnownDigest() != digest || names.Listing() != listing || len(digest) != 64 {
				t.Errorf("digests are %s, %s, want %s; %s, want %s", sum, set.KnownDigest(), digest, names.Listing(),
					listing)
			}
			for name, content := range storagetest.Contents(t, process()) {
				if files[name] != content {
					t.Errorf("%s differs", name)
				}
			}
			check(t, storage.Write(process(), "000000-900.facts", nil))
			if _, err := OpenFolder(process(), true); err == nil || !strings.Contains(err.Error(),
				"holds 000000-900.facts, which is of no input that is finished") {
				t.Errorf("of a file of no input it says %v", err)
			}
		})
	}
}

func TestAnswersAreAFolderOfTheirOwn(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	defer at.Close()
	p := job.Plan{Program: "acapscan 1", Schema: SchemaVersion, Count: 1}
	sink, err := OpenAnswers(at, p)
	check(t, err)
	w := sink.Create(0, WriterOptions{})
	check(t, w.Close())
	check(t, sink.Finish(t.Context(), 0, job.DoneMarker{Summary: json.RawMessage("{}")}, w))
	set, err := OpenFolder(at, true)
	check(t, err)
	if n := count(t, set); n != 0 || len(names(set)) != 1 {
		t.Errorf("%d answers in %v", n, names(set))
	}
	if _, err := OpenSink(at, plan("a"), job.Options{}); err == nil ||
		!strings.Contains(err.Error(), "they are answers") {
		t.Errorf("facts among answers: %v", err)
	}
}

// A file that has the length that its done marker says, and other content, is found where all of it is read.
func TestFileOfOtherContent(t *testing.T) {
	for name, open := range storagetest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			at := open()()
			read(t, at, plan("a"), 0, 3)
			const file = "000000-000.facts"
			info, err := at.Stat(file)
			check(t, err)
			check(t, storage.Write(at, file, []byte(strings.Repeat("x", int(info.Size)))))
			set, err := OpenFolder(at, true)
			check(t, err)
			if at.Local() {
				_, err = set.Digest(t.Context(), 1)
			} else {
				err = set.Scan(func(*Fact) error { return nil })
			}
			if want := at.String() + "/" + file + " is not what the done marker of its input says"; err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("it says %v, want %q", err, want)
			}
			check(t, at.Close())
		})
	}
}

func TestFactsOfAnotherVersion(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	read(t, at, plan("a"), 0, 3)
	text, err := storage.Read(at, job.PlanFile)
	check(t, err)
	check(t, storage.Write(at, job.PlanFile, []byte(strings.Replace(string(text),
		fmt.Sprintf(`"schema":%d`, SchemaVersion), `"schema":999`, 1))))
	if _, err := OpenFolder(at, false); err == nil || !strings.Contains(err.Error(), "holds facts of version 999") {
		t.Errorf("it says %v", err)
	}
}

// A failing store gives the files of another, and fails when so many reads of a file were done.
type failing struct {
	storage.Store
	reads int
}

var errRead = errors.New("memory:/000000-000.facts: the server answered 403 Forbidden")

func (f failing) OpenAt(name string, size int64) (storage.ReaderAt, error) {
	at, err := f.Store.OpenAt(name, size)
	return &failingReader{at, f.reads}, err
}

type failingReader struct {
	storage.ReaderAt
	left int
}

func (r *failingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.left--; r.left < 0 {
		return 0, errRead
	}
	return r.ReaderAt.ReadAt(p, off)
}

// What a store says of a read is told as it says it, whichever read that was: nothing is wrong with the file.
func TestReadFails(t *testing.T) {
	store := storagetest.New()
	read(t, store, plan("a"), 0, 3)
	lo, hi := extsort.Bucket(0, 1)
	for reads := 0; ; reads++ {
		set, err := OpenFolder(failing{store, reads}, true)
		check(t, err)
		err = set.Range(lo, hi).Scan(func(*Fact) error { return nil })
		if err == nil {
			if reads < 3 {
				t.Errorf("there are %d reads", reads)
			}
			break
		}
		if err.Error() != errRead.Error() {
			t.Errorf("read %d: %v", reads, err)
		}
	}
}

// Unfinished facts are reported under every name of their folder; a file in it is read once.
func TestOpenFollowsLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "facts")
	at := storage.NewFolder(dir)
	read(t, at, plan("a", "b"), 0, 3)
	link := filepath.Join(t.TempDir(), "link")
	check(t, os.Symlink(dir, link))
	for _, path := range []string{dir, filepath.Dir(dir), link} {
		if _, err := Open([]string{path}); err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("of %s is said: %v", path, err)
		}
	}
	read(t, at, plan("a", "b"), 1, 4)
	set, err := Open([]string{link, dir, filepath.Join(link, "000001-000.facts"), filepath.Dir(dir)})
	check(t, err)
	if n := count(t, set); n != 7 {
		t.Errorf("%d facts", n)
	}
	alone, err := Open([]string{filepath.Join(link, "000001-000.facts")})
	check(t, err)
	if n := count(t, alone); n != 4 {
		t.Errorf("%d facts of one file", n)
	}
}
