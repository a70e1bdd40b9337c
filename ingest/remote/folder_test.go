package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
)

func (s *s3Server) folder(t *testing.T) *Folder {
	t.Helper()
	return s.folderOf(t, Options{Own: true})
}

func (s *s3Server) folderOf(t *testing.T, opts Options) *Folder {
	t.Helper()
	f, err := s.s3Client(opts).Folder(context.Background(), "s3://bucket/run x/facts/")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// methods lists the requests that were made, and of parts the numbers.
func (s *s3Server) methods() []string {
	var list []string
	for _, r := range s.asked {
		call := r.Method
		for _, name := range []string{"uploads", "partNumber", "uploadId", "list-type"} {
			if r.URL.Query().Has(name) {
				call += " " + name
				break
			}
		}
		if r.Header.Get("If-None-Match") != "" {
			call += " new"
		}
		list = append(list, call)
	}
	return list
}

func (s *s3Server) object1(t *testing.T, name string) string {
	t.Helper()
	o, err := s.backend.GetObject("bucket", "run x/facts/"+name, nil)
	if err != nil {
		return "nothing"
	}
	defer o.Contents.Close()
	b, err := io.ReadAll(o.Contents)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fileOf is a file of this machine that is to be put as a.
func fileOf(t *testing.T, text string) storage.Entry {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return storage.Entry{Name: "a", Path: name}
}

func sizes(f *Folder, prefix string) (map[string]int64, error) {
	all := map[string]int64{}
	return all, f.List(prefix, func(name string, size int64) error {
		all[name] = size
		return nil
	})
}

// unconditional lets a server forget conditions, as some services do.
func unconditional(w http.ResponseWriter, r *http.Request) bool {
	r.Header.Del("If-None-Match")
	return false
}

// afterwards lets the server do what is asked, and then breaks the connection.
func (s *s3Server) afterwards(w http.ResponseWriter, r *http.Request) bool {
	s.fake.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// A folder of S3 is a store like others, also where the service knows no conditions: then one process at a time.
func TestFolderIsAStore(t *testing.T) {
	storagetest.TestStore(t, func(t *testing.T) storagetest.Process {
		s := serveS3(t, nil)
		return func() storage.Store { return s.folder(t) }
	})
}

func TestFolderPutsWhatDiffers(t *testing.T) {
	s := serveS3(t, nil)
	f := s.folder(t)
	if got := f.String(); got != "s3://bucket/run x/facts" {
		t.Errorf("its name is %s", got)
	}
	for _, tt := range []struct {
		content string
		want    []string
	}{
		{"one", []string{"PUT new"}}, {"one", []string{"PUT new", "HEAD"}}, {"two", []string{"PUT new", "HEAD", "PUT"}},
	} {
		s.asked = nil
		if err := f.Put(fileOf(t, tt.content)); err != nil || s.object1(t, "a") != tt.content {
			t.Errorf("the object is %q, %v", s.object1(t, "a"), err)
		}
		if diff := cmp.Diff(tt.want, s.methods()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	}
	// What another tool wrote has no digest next to it.
	if err := f.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.backend.PutObject("bucket", "run x/facts/a", nil, strings.NewReader("three"), 5, nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		content string
		want    []string
	}{
		{"three", []string{"PUT new", "HEAD", "GET"}}, {"threE", []string{"PUT new", "HEAD", "GET", "PUT"}},
	} {
		s.asked = nil
		if err := f.Put(fileOf(t, tt.content)); err != nil || s.object1(t, "a") != tt.content {
			t.Errorf("the object is %q, %v", s.object1(t, "a"), err)
		}
		if diff := cmp.Diff(tt.want, s.methods()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	}
}

func TestFolderListsPages(t *testing.T) {
	s := serveS3(t, nil)
	want := map[string]int64{}
	for i := range 2100 {
		name := fmt.Sprintf("%06d", i)
		want[name] = 1
		if _, err := s.backend.PutObject("bucket", "run x/facts/"+name, nil, strings.NewReader("x"), 1,
			nil); err != nil {
			t.Fatal(err)
		}
	}
	got, err := sizes(s.folder(t), "")
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%d objects, %v", len(got), err)
	}
	some, err := sizes(s.folder(t), "00010")
	if err != nil || len(some) != 10 {
		t.Errorf("%d objects begin so, %v", len(some), err)
	}
}

// A service that is away for GiveUp ends the work, with one sentence; the user is told at once, each minute, and when
// it is back.
func TestServiceThatIsAway(t *testing.T) {
	var said []string
	notify := func(sentence string) { said = append(said, sentence) }
	opts := Options{Own: true, GiveUp: 10 * time.Minute, Notify: notify}
	s := serveS3(t, nil, append(repeat(drop, 12), good)...)
	f := s.folderOf(t, opts)
	if err := f.Put(storage.Entry{Name: "a", Content: []byte("x")}); err != nil {
		t.Error(err)
	}
	if waited := s.clock.waited(); waited < 6*time.Minute || waited >= 10*time.Minute {
		t.Errorf("waited %v", waited)
	}
	last := len(said) - 1
	if last < 6 || last > 9 || !strings.HasPrefix(said[0], "waiting for s3://bucket, for 9m59s at most: ") ||
		said[last] != "s3://bucket answers again" {
		t.Errorf("it says %q", said)
	}
	for _, again := range said[1:last] {
		if !strings.HasPrefix(again, "still waiting for s3://bucket, for ") {
			t.Errorf("it says %q", again)
		}
	}
	said = nil
	s = serveS3(t, nil, repeat(drop, 1000)...)
	err := s.folderOf(t, opts).Put(storage.Entry{Name: "a", Content: []byte("x")})
	if err == nil || !strings.Contains(err.Error(), "(given up after 10m0s)") || len(said) > 10 {
		t.Errorf("the error is %v, it says %q", err, said)
	}
	if waited := s.clock.waited(); waited != 10*time.Minute {
		t.Errorf("waited %v", waited)
	}
}

// A server of archives that does not answer is reported too, and so is a long wait that it asks for.
func TestArchiveServerThatIsAway(t *testing.T) {
	for name, c := range map[string]struct {
		steps []step
		said  []string
	}{
		"once":  {[]step{drop}, nil},
		"five":  {repeat(drop, 5), []string{"waiting for HOST, 8 of 10 tries are left: ", "HOST answers again"}},
		"asked": {[]step{refuse(503, "")}, nil},
		"long": {[]step{status(503, "Retry-After: 200")}, []string{"waiting for HOST, 9 of 10 tries are left: ",
			"still waiting for HOST", "still waiting for HOST", "still waiting for HOST", "HOST answers again"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, []byte("x"), append(c.steps, good)...)
			var said []string
			o, err := s.client(Options{Notify: func(sentence string) { said = append(said, sentence) }}).Object(
				s.URL + "/a")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := readAll(o); err != nil || string(got) != "x" {
				t.Errorf("%q, %v", got, err)
			}
			host := strings.TrimPrefix(s.URL, "http://")
			for i, want := range c.said {
				if i >= len(said) || !strings.HasPrefix(said[i], strings.ReplaceAll(want, "HOST", host)) {
					t.Errorf("message %d is not %q; it says %q", i, want, said)
				}
			}
			if len(said) != len(c.said) {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// A service that takes requests and never answers, or sends a byte now and then, ends the work after GiveUp.
func TestServiceThatStalls(t *testing.T) {
	for name, stall := range map[string]step{
		"silent": func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true },
		"trickling": func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Length", "100000")
			for r.Context().Err() == nil {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveS3(t, nil, repeat(stall, 100)...)
			opts := Options{Own: true, GiveUp: 1500 * time.Millisecond, Rate: 1000,
				S3: S3Options{Endpoint: s.URL, Anonymous: true}}
			f, err := New(opts).Folder(t.Context(), "s3://bucket/run")
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err = storage.Read(f, "a")
			if err == nil || !strings.Contains(err.Error(), "the server sent next to nothing for 1.5s (given up") {
				t.Errorf("the error is %v", err)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A service that is not of this machine has https://, unless the user says otherwise.
func TestEndpointsAreProtected(t *testing.T) {
	away := Options{Own: true, S3: S3Options{Anonymous: true, Endpoint: "http://192.0.2.1:9000"}}
	if err := away.Check(); err == nil || !strings.Contains(err.Error(), "--plain-http") {
		t.Errorf("the error is %v", err)
	}
	for _, endpoint := range []string{"http://127.0.0.1:9000", "http://localhost", "https://192.0.2.1"} {
		if err := (Options{S3: S3Options{Endpoint: endpoint}}).Check(); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	away.PlainHTTP = true
	if err := away.Check(); err != nil {
		t.Error(err)
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://192.0.2.1:9000")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	f, err := New(Options{Own: true}).Folder(t.Context(), "s3://bucket/run")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Stat("a"); err == nil || !strings.Contains(err.Error(), "--plain-http") {
		t.Errorf("the error is %v", err)
	}
}

// A service that tells to go on where the list was already ends it.
func TestFolderListsNoPageTwice(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) bool {
		io.WriteString(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>here</"+
			"NextContinuationToken></ListBucketResult>")
		return true
	}
	s := serveS3(t, nil, repeat(page, 20)...)
	if found, err := sizes(s.folder(t), ""); err == nil || !strings.Contains(err.Error(), "goes round in a circle") ||
		len(s.asked) != 2 {
		t.Errorf("%d objects after %d requests: %v", len(found), len(s.asked), err)
	}
}

func TestFolderPut(t *testing.T) {
	tests := []struct {
		name  string
		steps func(s *s3Server) []step
		want  []string
		err   string
	}{
		{"at once", nil, []string{"PUT new"}, ""},
		{"SlowDown", func(*s3Server) []step { return []step{refuse(503, "SlowDown")} }, []string{"PUT new", "PUT new"},
			""},
		{"InternalError", func(*s3Server) []step { return []step{refuse(500, "InternalError")} },
			[]string{"PUT new", "PUT new"}, ""},
		{"another is writing", func(*s3Server) []step { return []step{refuse(409, "ConditionalRequestConflict")} },
			[]string{"PUT new", "PUT new"}, ""},
		{"a broken connection", func(*s3Server) []step { return []step{drop} }, []string{"PUT new", "PUT new"}, ""},
		{"a connection that breaks behind the deed", func(s *s3Server) []step { return []step{s.afterwards} },
			[]string{"PUT new", "PUT new", "HEAD"}, ""},
		{"a service without conditions", func(*s3Server) []step { return []step{refuse(501, "NotImplemented")} },
			[]string{"PUT new", "HEAD", "PUT"}, ""},
		{"forbidden", func(*s3Server) []step { return []step{refuse(403, "AccessDenied")} }, []string{"PUT new"},
			"run x/facts/a: the server answered 403 Forbidden (AccessDenied): it was asked anonymously; Words.; " +
				"check the name, and that the credentials may read, list, write and delete there"},
		{"no bucket", func(*s3Server) []step { return []step{refuse(404, "NoSuchBucket")} }, []string{"PUT new"},
			"(NoSuchBucket)"},
		{"another region", func(*s3Server) []step {
			return []step{refuse(301, "PermanentRedirect", "X-Amz-Bucket-Region: eu-central-1")}
		}, []string{"PUT new"}, "see --s3-region"},
		{"never", func(*s3Server) []step { return repeat(refuse(500, "InternalError"), 20) },
			slices.Repeat([]string{"PUT new"}, 10), "given up after 10 tries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serveS3(t, nil)
			if tt.steps != nil {
				s.steps = tt.steps(s)
			}
			err := s.folder(t).Put(fileOf(t, "content"))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("the error is %v, want %q", err, tt.err)
			}
			if want := map[bool]string{true: "content", false: "nothing"}[err == nil]; s.object1(t, "a") != want {
				t.Errorf("the object is %q", s.object1(t, "a"))
			}
			if diff := cmp.Diff(tt.want, s.methods()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// The source of a copy is a path in a header field, and services differ in what they decode there. A slash stays as it
// is, and so does the equals sign in the name of a part file.
func TestFolderMovesPartFiles(t *testing.T) {
	s := serveS3(t, nil)
	f := s.folder(t)
	const part = "sites/crawl=A+B 48%/part-0.parquet"
	if err := f.Put(storage.Entry{Name: part, Content: []byte("rows")}); err != nil {
		t.Fatal(err)
	}
	if err := f.Move(storage.Move{From: part, To: "b"}); err != nil {
		t.Fatal(err)
	}
	if got := s.object1(t, "b"); got != "rows" {
		t.Errorf("the copy is %q", got)
	}
	source := s.asked[len(s.asked)-1].Header.Get("X-Amz-Copy-Source")
	if want := "bucket/run%20x/facts/sites/crawl=A%2BB%2048%25/part-0.parquet"; source != want {
		t.Errorf("the source of the copy is %q, want %q", source, want)
	}
}

func TestFolderConditional(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []step
		want  bool
	}{
		{"a good service", nil, true},
		{"one that passes conditions over", repeat(unconditional, 9), false},
		{"one that says so", repeat(refuse(501, "NotImplemented"), 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveS3(t, nil, tt.steps...)
			f := s.folder(t)
			if got, err := f.Conditional(); got != tt.want || err != nil {
				t.Fatalf("%v, %v", got, err)
			}
			if tt.want {
				again := s.folder(t)
				if got, err := again.Conditional(); !got || err != nil || len(s.asked) != 3 {
					t.Errorf("the next process: %v, %v, after %d requests", got, err, len(s.asked))
				}
			}
			// Also without conditions no new file takes the place of one that is there.
			if err := f.Put(fileOf(t, "one")); err != nil {
				t.Fatal(err)
			}
			if err := f.PutNew(fileOf(t, "two")); !errors.Is(err, fs.ErrExist) || s.object1(t, "a") != "one" {
				t.Errorf("%v; the object is %q", err, s.object1(t, "a"))
			}
			if err := f.Put(fileOf(t, "two")); err != nil || s.object1(t, "a") != "two" {
				t.Errorf("%v; the object is %q", err, s.object1(t, "a"))
			}
		})
	}
}

func TestFolderPutsLongFilesInParts(t *testing.T) {
	const text = "a file in five parts"
	parts := func(calls ...string) []string {
		return slices.Concat([]string{"HEAD", "POST uploads"}, slices.Repeat([]string{"PUT partNumber"}, 5), calls)
	}
	tests := []struct {
		name  string
		steps []step
		there string // before
		want  []string
		err   string
	}{
		{"at once", nil, "", parts("POST uploadId new"), ""},
		{"it is there", nil, text, []string{"HEAD", "HEAD"}, ""},
		{"another is there", nil, "other", slices.Concat([]string{"HEAD", "HEAD"}, parts("POST uploadId")[1:]), ""},
		{"a part that fails", []step{good, good, good, refuse(500, "InternalError")}, "",
			append([]string{"HEAD", "POST uploads", "PUT partNumber", "PUT partNumber"},
				append(slices.Repeat([]string{"PUT partNumber"}, 4), "POST uploadId new")...), ""},
		{"forbidden on the way", []step{good, good, good, refuse(403, "AccessDenied")}, "",
			[]string{"HEAD", "POST uploads", "PUT partNumber", "PUT partNumber", "DELETE uploadId"}, "403 Forbidden"},
		{"another was first", append(repeat(good, 7), refuse(412, "PreconditionFailed")), "",
			parts("POST uploadId new", "DELETE uploadId", "HEAD"), ""},
		{"a connection that breaks behind the last deed", repeat(good, 8), "",
			parts("POST uploadId new", "POST uploadId new", "DELETE uploadId", "HEAD"), ""},
		{"an upload that is gone", append(repeat(good, 7), refuse(404, "NoSuchUpload")), "",
			slices.Concat(parts("POST uploadId new", "DELETE uploadId", "HEAD"), parts("POST uploadId new")), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serveS3(t, nil)
			f := s.folder(t)
			if tt.there != "" {
				if err := f.Put(fileOf(t, tt.there)); err != nil {
					t.Fatal(err)
				}
			}
			if tt.name == "a connection that breaks behind the last deed" {
				tt.steps[7] = s.afterwards
			}
			if tt.name == "another was first" {
				tt.steps[6] = func(w http.ResponseWriter, r *http.Request) bool {
					s.backend.PutObject("bucket", "run x/facts/a",
						map[string]string{"X-Amz-Meta-Sha256": digestOf([]byte(text))}, strings.NewReader(text),
						int64(len(text)), nil)
					return false
				}
			}
			s.asked, s.steps, f.partBytes = nil, tt.steps, 4
			err := f.Put(fileOf(t, text))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("the error is %v, want %q", err, tt.err)
			}
			if err == nil && s.object1(t, "a") != text {
				t.Errorf("the object is %q", s.object1(t, "a"))
			}
			if diff := cmp.Diff(tt.want, s.methods()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFolderNeedsCredentials(t *testing.T) {
	withoutAWS(t)
	s := serveS3(t, nil)
	f, err := s.client(Options{Own: true, S3: S3Options{Endpoint: s.URL}}).Folder(context.Background(),
		"s3://bucket/run")
	if err != nil {
		t.Fatal(err)
	}
	err = f.PutNew(storage.Entry{Name: "a"})
	if err == nil || !strings.Contains(err.Error(),
		"no credentials for S3 were found where the AWS tools look for them") || len(s.asked) > 0 {
		t.Errorf("after %d requests: %v", len(s.asked), err)
	}
}

func TestFolderNames(t *testing.T) {
	c := New(Options{})
	for name, want := range map[string]string{
		"s3://bucket": "names no object", "s3://bucket/": "names no object",
		"https://example.org/x": "is no folder of S3", "s3://b/x//y": "has a part that is empty",
		"s3://b/../x": "has a part that is empty", "s3://b c/x": "names no bucket",
	} {
		if _, err := c.Folder(context.Background(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if !IsS3("S3://b/x") || IsS3("s3:/b/x") || IsS3("/s3://") {
		t.Error("IsS3 is wrong")
	}
}

func TestFolderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serveS3(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
		cancel()
		return refuse(500,
			"InternalError")(w, r)
	})
	f, err := s.client(Options{Own: true, S3: S3Options{Endpoint: s.URL, Anonymous: true}}).Folder(ctx,
		"s3://bucket/run")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Put(fileOf(t, "x")); !errors.Is(err, context.Canceled) || len(s.asked) != 1 {
		t.Errorf("after %d requests: %v", len(s.asked), err)
	}
}

func TestFolderReadsAtOffsets(t *testing.T) {
	s := serveS3(t, nil)
	f := s.folder(t)
	file := content(30 * blockBytes / 10)
	if err := f.Put(fileOf(t, string(file))); err != nil {
		t.Fatal(err)
	}
	open := func() storage.ReaderAt {
		t.Helper()
		s.asked = nil
		r, err := f.OpenAt("a", int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	for _, at := range []struct{ from, n, asked int }{
		{len(file) - 8, 8, 1},     // the last block
		{len(file) - 5000, 10, 1}, // held
		{0, len(file), 2},         // the others at once
		{blockBytes - 5, 10, 2},   // over a border
		{len(file), 0, 2},
	} {
		p := make([]byte, at.n)
		n, err := r.ReadAt(p, int64(at.from))
		if err != nil || !bytes.Equal(p[:n], file[at.from:at.from+at.n]) || len(s.asked) != at.asked {
			t.Errorf("%d bytes at %d: %d, %v, after %d requests, want %d", at.n, at.from, n, err, len(s.asked),
				at.asked)
		}
	}
	if n, err := r.ReadAt(make([]byte, 10), int64(len(file)-3)); n != 3 || err != io.EOF {
		t.Errorf("over the end: %d, %v", n, err)
	}
	r = open()
	if _, err := r.ReadAt(make([]byte, 1), 0); err != nil {
		t.Fatal(err)
	}
	if err := storage.Write(f, "a", file[1:]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAt(make([]byte, 1), blockBytes); !errors.Is(err, ErrChanged) {
		t.Errorf("of an object that was changed: %v", err)
	}
	if _, err := open().ReadAt(make([]byte, 1), 0); !errors.Is(err, ErrChanged) {
		t.Errorf("of an object that has another length than listed: %v", err)
	}
}

// A long read is one request, whatever of it is cached at its end, and takes no memory of the cache.
func TestFolderReadsLongRangesAtOnce(t *testing.T) {
	s := serveS3(t, nil)
	f := s.folder(t)
	file := content(longBytes + 3*blockBytes + 100)
	if err := storage.Write(f, "a", file); err != nil {
		t.Fatal(err)
	}
	r, err := f.OpenAt("a", int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	s.asked = nil
	for i, off := range []int{7, len(file) - longBytes - 1} {
		p := make([]byte, longBytes+1)
		if n, err := r.ReadAt(p, int64(off)); n < len(p) || !bytes.Equal(p, file[off:off+n]) || len(s.asked) != i+1 {
			t.Errorf("at %d: %d bytes, %v, %d requests", off, n, err, len(s.asked))
		}
	}
	if n, err := r.ReadAt(make([]byte, longBytes+10), int64(len(file)-longBytes-1)); n != longBytes+1 || err != io.EOF {
		t.Errorf("over the end: %d, %v", n, err)
	}
	if cached := len(r.(*blocks).cached); cached > 0 {
		t.Errorf("%d blocks are cached", cached)
	}
}

// The index of a file stands at its end: it comes with one request, however long the file is.
func TestFolderReadsEndsAtOnce(t *testing.T) {
	for _, size := range []int{1, blockBytes - 1, blockBytes, blockBytes + 1, 2*blockBytes + 100, 3*blockBytes - 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := serveS3(t, nil)
			f := s.folder(t)
			file := content(size)
			if err := storage.Write(f, "a", file); err != nil {
				t.Fatal(err)
			}
			r, err := f.OpenAt("a", int64(size))
			if err != nil {
				t.Fatal(err)
			}
			s.asked = nil
			for _, n := range []int{8, 5000, blockBytes} {
				n = min(n, size)
				p := make([]byte, n)
				if _, err := r.ReadAt(p, int64(size-n)); err != nil || !bytes.Equal(p, file[size-n:]) {
					t.Errorf("the last %d bytes: %v", n, err)
				}
			}
			if len(s.asked) != 1 {
				t.Errorf("%d requests", len(s.asked))
			}
			p := make([]byte, size)
			if _, err := r.ReadAt(p, 0); err != nil || !bytes.Equal(p, file) {
				t.Errorf("all of it: %v", err)
			}
		})
	}
}
