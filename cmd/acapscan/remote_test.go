package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/acapscan/acapscan/output/table"
)

// away lists some archives of testdata/warc/good/crawl-data by their paths from crawl-data/ on.
func away(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, name := range filesBelow(t, filepath.Join(fixtures, "good", "crawl-data")) {
		if strings.HasSuffix(name, ".gz") {
			list = append(list, "crawl-data/"+name)
		}
	}
	if len(list) < 3 {
		t.Fatalf("there are only %d archives to read", len(list))
	}
	return list[:3]
}

// listen serves until the test ends, and keeps quiet.
func listen(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// What is read over the network gives the tables that the files give, through all that goes wrong on the way.
func TestScanFromOtherMachines(t *testing.T) {
	archives := away(t)
	good := filepath.Join(fixtures, "good")
	files := http.FileServer(http.Dir(good))
	local := filepath.Join(t.TempDir(), "local")
	var names []string
	for _, name := range archives {
		names = append(names, filepath.Join(good, name))
	}
	must(t, exitDone, append([]string{"scan", "-o", local}, names...)...)
	want := content(t, local)

	compare := func(t *testing.T, base string, flags ...string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"scan", "-o", out, "--rate", "1000"}, flags...)
		for _, name := range archives {
			args = append(args, base+name)
		}
		must(t, exitDone, args...)
		sameContent(t, want, content(t, out))
	}
	t.Run("over HTTP", func(t *testing.T) {
		compare(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
			want := "acapscan/" + programVersion + " (+https://github.com/acapscan/acapscan; me@example.org)"
			if got := r.Header.Get("User-Agent"); got != want {
				t.Errorf("User-Agent %q", got)
			}
			files.ServeHTTP(w, r)
		})+"/", "--contact", "me@example.org")
	})
	t.Run("over HTTP, with refusals, a broken transfer and a redirect", func(t *testing.T) {
		var asked atomic.Int32
		compare(t, listen(t, func(w http.ResponseWriter, r *http.Request) {
			switch asked.Add(1) {
			case 1:
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
			case 2:
				http.Redirect(w, r, r.URL.Path+"?again", http.StatusTemporaryRedirect)
			case 3:
				files.ServeHTTP(&breaking{ResponseWriter: w, left: 100}, r)
			default:
				files.ServeHTTP(w, r)
			}
		})+"/", "--workers", "1")
	})
	t.Run("from S3", func(t *testing.T) {
		backend := s3mem.New()
		if err := backend.CreateBucket("bucket"); err != nil {
			t.Fatal(err)
		}
		for _, name := range archives {
			b, err := os.ReadFile(filepath.Join(good, name))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := backend.PutObject("bucket", name, nil, bytes.NewReader(b), int64(len(b)), nil); err != nil {
				t.Fatal(err)
			}
		}
		fake := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
		compare(t, "s3://bucket/", "--s3-endpoint", listen(t, fake.ServeHTTP), "--s3-anonymous", "--s3-region",
			"eu-north-1")
	})
}

// breaking breaks the connection after so many bytes of a body.
type breaking struct {
	http.ResponseWriter
	left int
}

func (w *breaking) Write(p []byte) (int, error) {
	n, _ := w.ResponseWriter.Write(p[:min(len(p), w.left)]) // the client that is gone does not matter
	if w.left -= n; w.left == 0 {
		w.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

func TestExtractFromOtherMachines(t *testing.T) {
	name := away(t)[0]
	url := listen(t, http.FileServer(http.Dir(filepath.Join(fixtures, "good"))).ServeHTTP)
	here, there := filepath.Join(t.TempDir(), "facts"), filepath.Join(t.TempDir(), "facts")
	must(t, exitDone, "extract", filepath.Join(fixtures, "good", name), "-o", here)
	must(t, exitDone, "extract", url+"/"+name, "-o", there, "--rate", "100")
	facts := func(dir string) map[string]string {
		all := content(t, dir)
		for file := range all {
			if !strings.HasSuffix(file, ".facts") {
				delete(all, file) // it tells the input as it was given
			}
		}
		return all
	}
	sameContent(t, facts(here), facts(there))
}

// A file that cannot be read costs that file, and a host that forbids costs what was to be read there.
func TestFailuresOnOtherMachines(t *testing.T) {
	archives := away(t)
	files := http.FileServer(http.Dir(filepath.Join(fixtures, "good")))
	open := listen(t, files.ServeHTTP)
	var asked atomic.Int32
	closed := strings.Replace(listen(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}), "127.0.0.1", "localhost", 1)
	out := filepath.Join(t.TempDir(), "out")
	// With one worker: a second one may have asked the host before it has answered the first.
	got := must(t, exitIncomplete, "scan", "--workers", "1", "--rate", "1000", "-o", out,
		open+"/nothing.warc.gz", closed+"/a.warc.gz", closed+"/b.warc.gz", open+"/"+archives[0])
	want := map[string][]string{
		open + "/nothing.warc.gz": {open + "/nothing.warc.gz: the server answered 404 Not Found"},
		closed + "/a.warc.gz":     {"nothing more is asked of localhost"},
		closed + "/b.warc.gz":     {"nothing more is asked of localhost"},
		archives[0]:               nil,
	}
	if n := strings.Count(got.stderr, "a lower --rate and an address in --contact"); n != 1 ||
		!strings.Contains(got.stderr, "acapscan: 1 more input not requested, for the reason above") {
		t.Errorf("the advice is given %d times; it says %q", n, got.stderr)
	}
	for _, at := range rows[table.Input](t, out, table.Inputs) {
		in := at.Row
		parts, ok := want[in.WARCFilename]
		if !ok {
			t.Errorf("there is a row for %q", in.WARCFilename)
		}
		delete(want, in.WARCFilename)
		if (in.Error == nil) != (parts == nil) || in.Complete != (parts == nil) {
			t.Errorf("%s: complete %v, error %v", in.WARCFilename, in.Complete, deref(in.Error))
		}
		for _, part := range parts {
			if !strings.Contains(deref(in.Error), part) {
				t.Errorf("%s: the error is %q, want %q in it", in.WARCFilename, deref(in.Error), part)
			}
			if !slices.ContainsFunc(got.sentences(), func(s string) bool { return strings.Contains(s, part) }) {
				t.Errorf("stderr does not say %q", part)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no row for %v", want)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests to a host that forbids, want one", n)
	}
}

// What was not to be had is asked for again by the same command; what was read is not, nor what is not there.
func TestExtractAsksOtherMachinesAgainForWhatFailed(t *testing.T) {
	archives := away(t)
	files := http.FileServer(http.Dir(filepath.Join(fixtures, "good")))
	var forbids atomic.Bool
	var mu sync.Mutex
	var asked []string
	url := listen(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, strings.TrimPrefix(r.URL.Path, "/"))
		mu.Unlock()
		if forbids.Load() && r.URL.Path == "/"+archives[1] {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	})
	facts := filepath.Join(t.TempDir(), "facts")
	extract := func(out string) []string {
		t.Helper()
		asked = nil
		must(t, exitIncomplete, "extract", "--rate", "1000", "--workers", "1", "-o", out, url+"/nothing.warc.gz",
			url+"/"+archives[0], url+"/"+archives[1], url+"/"+archives[2])
		return asked
	}
	forbids.Store(true)
	for i, want := range [][]string{{"nothing.warc.gz", archives[0], archives[1]}, {archives[1]}} {
		if diff := cmp.Diff(want, extract(facts)); diff != "" {
			t.Errorf("run %d asks for (-want +got):\n%s", i+1, diff)
		}
	}
	forbids.Store(false)
	if diff := cmp.Diff([]string{archives[1], archives[2]}, extract(facts)); diff != "" {
		t.Errorf("when nothing is forbidden any more, it asks for (-want +got):\n%s", diff)
	}
	if got := extract(facts); got != nil {
		t.Errorf("when all is finished, it asks for %s", got)
	}
	undisturbed := filepath.Join(t.TempDir(), "facts")
	extract(undisturbed)
	sameContent(t, content(t, undisturbed), content(t, facts))
}

func TestFlagsOfOtherMachinesThatMakeNoSense(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--rate", "-1"}, "a rate of -1 requests a second makes no sense"},
		{[]string{"--rate", "0"}, "--rate must be greater than 0"},
		{[]string{"--rate", "NaN"}, "makes no sense"},
		{[]string{"--contact", "a\nb"}, "does not fit into a header field"},
		{[]string{"--s3-endpoint", "storage"}, "is no URL such as"},
		{[]string{"--s3-anonymous", "--s3-profile", "x"}, "either asked anonymously or with a profile"},
	} {
		for _, verb := range []string{"scan", "extract"} {
			t.Run(verb+" "+strings.Join(tt.args, " "), func(t *testing.T) {
				got := must(t, exitUsage, append([]string{verb, "https://example.org/x.warc.gz", "-o",
					filepath.Join(t.TempDir(), "out")}, tt.args...)...)
				if !strings.Contains(got.stderr, tt.want) {
					t.Errorf("it says %q, want %q", got.stderr, tt.want)
				}
			})
		}
	}
	// Without --plain-http nothing is asked of another machine over http://.
	got := must(t, exitFailed, "scan", "http://192.0.2.1/x.warc.gz", "-o", filepath.Join(t.TempDir(), "out"))
	if diff := cmp.Diff([]string{"http://192.0.2.1/x.warc.gz is not protected on its way: write https://, or allow " +
		"it with --plain-http"}, got.sentences()); diff != "" {
		t.Errorf("it says (-want +got):\n%s", diff)
	}
}
