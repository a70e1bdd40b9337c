package storagetest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
)

// TestStore tests that a store is what storage.Store says. Each call of open makes an empty store.
func TestStore(t *testing.T, open func(t *testing.T) Process) {
	for _, tt := range []struct {
		name string
		test func(t *testing.T, process Process)
	}{
		{"put", testPut}, {"put new", testPutNew}, {"list", testList}, {"read", testRead}, {"move", testMove},
		{"remove", testRemove},
		{"stage", testStage}, {"many at once", testAtOnce}, {"below a folder", testSub}, {"lock", testLock},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, open(t)) })
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// use opens a store for a test.
func use(t *testing.T, process Process) storage.Store {
	s := process()
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func holds(t *testing.T, s storage.Store, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, Contents(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func staged(t *testing.T, s storage.Store, name, content string) string {
	t.Helper()
	dir, err := s.Stage()
	check(t, err)
	file := filepath.Join(dir, filepath.FromSlash(name))
	check(t, os.MkdirAll(filepath.Dir(file), 0o755))
	check(t, os.WriteFile(file, []byte(content), 0o644))
	return file
}

func testPut(t *testing.T, process Process) {
	s := use(t, process)
	const odd = "a/crawl=x%20y+z/ä &1"
	check(t, s.Put(
		storage.Entry{Name: odd, Path: staged(t, s, "below/1", "one")},
		storage.Entry{Name: "b", Content: []byte("b")},
		storage.Entry{Name: "empty"},
	))
	check(t, s.Put(storage.Entry{Name: odd, Content: []byte("one")}))
	check(t, s.Put(storage.Entry{Name: "b", Content: []byte("other")}))
	check(t, s.Put())
	holds(t, s, map[string]string{odd: "one", "b": "other", "empty": ""})
	holds(t, use(t, process), map[string]string{odd: "one", "b": "other", "empty": ""})
}

func testPutNew(t *testing.T, process Process) {
	s := use(t, process)
	for _, e := range []storage.Entry{{Name: "deep/a", Content: []byte("first")},
		{Name: "deep/b", Path: staged(t, s, "b", "first")}} {
		check(t, s.PutNew(e))
		for _, content := range []string{"second", "first"} {
			if err := s.PutNew(storage.Entry{Name: e.Name, Content: []byte(content)}); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s is there: %v", e.Name, err)
			}
		}
	}
	holds(t, s, map[string]string{"deep/a": "first", "deep/b": "first"})
}

func testList(t *testing.T, process Process) {
	s := use(t, process)
	names := []string{"a", "aa", "ab/c", "ab/d/e", "ab-c", "b/a", "_work/tables/x"}
	for _, name := range names {
		check(t, storage.Write(s, name, []byte(name)))
	}
	staged(t, s, "x", "not put")
	for prefix, want := range map[string][]string{
		"": names, "a": {"a", "aa", "ab/c", "ab/d/e", "ab-c"}, "ab/": {"ab/c", "ab/d/e"}, "ab/d": {"ab/d/e"},
		"ab/d/e": {"ab/d/e"}, "ab": {"ab/c", "ab/d/e", "ab-c"},
		"nothing": nil, "nothing/": nil, "a/": nil, "_work/": {"_work/tables/x"},
	} {
		var got []string
		check(t, s.List(prefix, func(name string, size int64) error {
			if size != int64(len(name)) {
				t.Errorf("%s has %d bytes", name, size)
			}
			got = append(got, name)
			return nil
		}))
		slices.Sort(got)
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
		there, err := storage.Holds(s, prefix)
		if check(t, err); there != (len(want) > 0) {
			t.Errorf("holds %q: %v", prefix, there)
		}
	}
	stop := errors.New("stop")
	if err := s.List("", func(string, int64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of visit became %v", err)
	}
}

func testRead(t *testing.T, process Process) {
	s := use(t, process)
	text := strings.Repeat("0123456789", 1000)
	began := time.Now()
	check(t, storage.Write(s, "below/a", []byte(text)))
	info, err := s.Stat("below/a")
	check(t, err)
	if d := info.Modified.Sub(began); info.Size != int64(len(text)) || d < -2*time.Second || d > time.Minute {
		t.Errorf("it is %+v", info)
	}
	if got, err := storage.Read(s, "below/a"); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	in, err := s.OpenAt("below/a", int64(len(text)))
	check(t, err)
	some := make([]byte, 5)
	if n, err := in.ReadAt(some, 3333); err != nil || string(some[:n]) != "34567" {
		t.Errorf("%q, %v", some[:n], err)
	}
	if n, err := in.ReadAt(some, int64(len(text))-2); err != io.EOF || string(some[:n]) != "89" {
		t.Errorf("at the end %q, %v", some[:n], err)
	}
	check(t, in.Close())
	if in, err := s.OpenAt("below/a", 5); err == nil {
		if _, err := in.ReadAt(some, 0); err == nil {
			t.Error("another size is no error")
		}
		check(t, in.Close())
	}
	for _, name := range []string{"nothing", "below", "below/a/b"} {
		if _, err := s.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat of %s: %v", name, err)
		}
	}
	for _, name := range []string{"nothing", "no/thing"} {
		if _, err := s.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of %s: %v", name, err)
		}
		if there, err := storage.Exists(s, name); there || err != nil {
			t.Errorf("%s exists: %v, %v", name, there, err)
		}
	}
}

func testMove(t *testing.T, process Process) {
	s := use(t, process)
	check(t, storage.Write(s, "_work/a", []byte("a")))
	check(t, storage.Write(s, "_work/b", []byte("b")))
	check(t, storage.Write(s, "deep/b", []byte("old")))
	check(t, s.Move(storage.Move{From: "_work/a", To: "deep/er/a"}, storage.Move{From: "_work/b", To: "deep/b"}))
	if err := s.Move(storage.Move{From: "_work/nothing", To: "c"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	check(t, storage.RemoveAll(s, "_work/"))
	holds(t, s, map[string]string{"deep/er/a": "a", "deep/b": "b"})
}

func testRemove(t *testing.T, process Process) {
	s := use(t, process)
	for _, name := range []string{"a", "x/a", "x/b", "x/y/c"} {
		check(t, storage.Write(s, name, nil))
	}
	check(t, s.Remove("a", "x/a", "nothing", "no/thing"))
	check(t, s.Remove("a"))
	check(t, storage.RemoveAll(s, "x/y"))
	holds(t, s, map[string]string{"x/b": ""})
	check(t, storage.Write(s, "x/y/c", []byte("again"))) // a folder that was empty may be gone
	check(t, storage.RemoveAll(s, ""))
	holds(t, s, map[string]string{})
}

func testStage(t *testing.T, process Process) {
	one, two := use(t, process), use(t, process)
	for i, s := range []storage.Store{one, two} {
		check(t, s.Put(storage.Entry{Name: "a", Path: staged(t, s, "same", fmt.Sprint(i))}))
		staged(t, s, "never put", "")
	}
	holds(t, one, map[string]string{"a": "1"})
	dir, err := two.Stage()
	check(t, err)
	check(t, one.Close())
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the stage of another process: %v", err)
	}
	check(t, two.Close())
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stage after Close: %v", err)
	}
	holds(t, one, map[string]string{"a": "1"})
}

// Of many processes one puts a new file; what all put is whole.
func testAtOnce(t *testing.T, process Process) {
	const processes, rounds = 6, 5
	var first [rounds]atomic.Int64
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			s := process()
			for i := range rounds {
				content := []byte(strings.Repeat(fmt.Sprint(p), 5000))
				err := s.PutNew(storage.Entry{Name: fmt.Sprintf("%d/new", i), Content: content})
				if err == nil {
					first[i].Add(1)
				} else if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
				if err := s.Put(storage.Entry{Name: fmt.Sprintf("%d/put", i), Content: content}); err != nil {
					t.Error(err)
				}
				if err := s.Remove("passing/" + fmt.Sprint(p)); err != nil {
					t.Error(err)
				}
				if err := storage.Write(s, "passing/"+fmt.Sprint(p), nil); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range first {
		if n := first[i].Load(); n != 1 {
			t.Errorf("%d processes were the first", n)
		}
	}
	all := Contents(t, use(t, process))
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "passing/") })
	for name, content := range all {
		if len(content) != 5000 || strings.Trim(content, content[:1]) != "" {
			t.Errorf("%s is not whole", name)
		}
	}
	if len(all) != 2*rounds {
		t.Errorf("%d files", len(all))
	}
}

func testSub(t *testing.T, process Process) {
	whole := use(t, process)
	s := storage.Sub(whole, "_work/tables")
	check(t, storage.Write(whole, "outside", nil))
	check(t, storage.Write(whole, "_work/tablesbeside", nil))
	check(t, s.Put(storage.Entry{Name: "a", Path: staged(t, s, "a", "a")}))
	check(t, s.PutNew(storage.Entry{Name: "x/b", Content: []byte("b")}))
	check(t, s.Move(storage.Move{From: "a", To: "c"}))
	check(t, s.Remove("a"))
	holds(t, s, map[string]string{"c": "a", "x/b": "b"})
	if info, err := s.Stat("c"); err != nil || info.Size != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	if want := whole.String() + "/_work/tables"; s.String() != want {
		t.Errorf("it is named %s, want %s", s, want)
	}
	in, err := s.OpenAt("x/b", 1)
	check(t, err)
	check(t, in.Close())
	check(t, storage.RemoveAll(s, ""))
	holds(t, whole, map[string]string{"outside": "", "_work/tablesbeside": ""})
}

func testLock(t *testing.T, process Process) {
	one, two := use(t, process), use(t, process)
	for range 2 {
		release, err := one.Lock(storage.Alone)
		check(t, err)
		_, err = two.Lock(storage.Alone)
		if one.Local() != errors.Is(err, storage.ErrBusy) {
			t.Errorf("a second process: %v", err)
		}
		release()
	}
	holds(t, one, map[string]string{})
}
