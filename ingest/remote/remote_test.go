package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testClock moves on at once where code sleeps.
type testClock struct {
	mu     sync.Mutex
	time   time.Time
	slept  []time.Duration
	timers map[int]func()
	last   int
}

func newClock() *testClock {
	return &testClock{time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), timers: map[int]func(){}}
}

func (c *testClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *testClock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
	c.slept = append(c.slept, d)
	return nil
}

func (c *testClock) after(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id := c.last
	c.timers[id] = f
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := c.timers[id]
		delete(c.timers, id)
		return ok
	}
}

// ring lets all time go by that anybody waits for, and reports whether anybody did.
func (c *testClock) ring() bool {
	c.mu.Lock()
	rung := c.timers
	c.timers = map[int]func(){}
	c.mu.Unlock()
	for _, f := range rung {
		f()
	}
	return len(rung) > 0
}

// waited is how long was slept in all.
func (c *testClock) waited() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := time.Duration(0)
	for _, d := range c.slept {
		sum += d
	}
	return sum
}

// content is a file that no coding makes shorter.
func content(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// A testServer serves one file as a good server does, but for the requests that have a step of their own.
type testServer struct {
	*httptest.Server
	clock *testClock
	file  []byte
	etag  string
	steps []step

	mu    sync.Mutex
	asked []*http.Request
	times []time.Time
}

// A step answers a request, or returns false so that the file is served.
type step func(w http.ResponseWriter, r *http.Request) bool

// good is the step that leaves a request to the file.
func good(http.ResponseWriter, *http.Request) bool { return false }

func serve(t *testing.T, file []byte, steps ...step) *testServer {
	s := &testServer{file: file, etag: `"one"`, clock: newClock(), steps: steps}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *testServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := len(s.asked)
	s.asked, s.times = append(s.asked, r), append(s.times, s.clock.now())
	file, etag := s.file, s.etag
	s.mu.Unlock()
	if n < len(s.steps) && s.steps[n](w, r) {
		return
	}
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	w.Header().Set("Content-Type", "application/warc")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
}

// change puts another file in its place.
func (s *testServer) change(file []byte, etag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file, s.etag = file, etag
}

// ranges lists what was asked for.
func (s *testServer) ranges() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, r := range s.asked {
		list = append(list, strings.TrimSpace(r.Method+" "+r.Header.Get("Range")+" "+r.Header.Get("If-Range")))
	}
	return list
}

// client asks the server with its clock, without chance and as fast as it goes.
func (s *testServer) client(opts Options) *Client {
	opts.clock, opts.jitter = s.clock, func() float64 { return 1 }
	if opts.Rate == 0 {
		opts.Rate = 1e6
	}
	return New(opts)
}

func (s *testServer) object(t *testing.T) *Object {
	t.Helper()
	return object(t, s.client(Options{}), s.URL+"/x.warc.gz")
}

func object(t *testing.T, c *Client, name string) *Object {
	t.Helper()
	o, err := c.Object(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// status answers with a status and header fields, each as "Name: value".
func status(code int, header ...string) step {
	return func(w http.ResponseWriter, r *http.Request) bool {
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		return true
	}
}

// cut serves the file, and breaks the connection after n bytes of it.
func cut(file []byte, etag string, n int) step {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Length", strconv.Itoa(len(file)))
		w.Write(file[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// drop breaks the connection before any answer.
func drop(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// say sends header fields, and then the body in pieces of unknown length.
func say(code int, body []byte, header ...string) step {
	return func(w http.ResponseWriter, r *http.Request) bool {
		status(code, header...)(w, r)
		w.(http.Flusher).Flush()
		w.Write(body)
		return true
	}
}

func repeat(s step, n int) []step {
	list := make([]step, n)
	for i := range list {
		list[i] = s
	}
	return list
}

// readAll opens the object and reads it.
func readAll(o *Object) ([]byte, error) {
	r, err := o.Open(context.Background())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func TestOpen(t *testing.T) {
	file := content(100_000)
	half := len(file) / 2
	tests := []struct {
		name   string
		steps  []step
		ranges []string      // of the requests
		waited time.Duration // in all
	}{
		{"at once", nil, []string{"GET"}, 0},
		{"429", []step{status(429)}, []string{"GET", "GET"}, time.Second},
		{"500 502 503 504, each after twice the wait", []step{status(500), status(502), status(503), status(504)},
			[]string{"GET", "GET", "GET", "GET", "GET"}, 15 * time.Second},
		{"Retry-After in seconds", []step{status(503, "Retry-After: 100")}, []string{"GET", "GET"}, 100 * time.Second},
		{"Retry-After as a date", []step{status(429, "Retry-After: Sat, 21 Nov 2026 12:01:30 GMT")},
			[]string{"GET", "GET"}, 90 * time.Second},
		{"Retry-After that has gone by", []step{status(503, "Retry-After: Sat, 21 Nov 2026 11:00:00 GMT")},
			[]string{"GET", "GET"}, 0},
		{"Retry-After that no one can read", []step{status(503, "Retry-After: later")}, []string{"GET", "GET"},
			time.Second},
		{"a connection that breaks before the answer", []step{drop}, nil, -1}, // package http may try again by itself
		{"a transfer that breaks", []step{cut(file, `"one"`, half)}, []string{"GET", `GET bytes=50000- "one"`},
			time.Second},
		{"a transfer that breaks, and 503 after it", []step{cut(file, `"one"`, half), status(503)},
			[]string{"GET", `GET bytes=50000- "one"`, `GET bytes=50000- "one"`}, 3 * time.Second},
		{"a server that knows no ranges is read over", []step{cut(file, `"one"`, half), say(200, file, `ETag: "one"`)},
			[]string{"GET", `GET bytes=50000- "one"`}, time.Second},
		{"a weak tag is no validator", []step{cut(file, `W/"one"`, half), say(206, file[half:], `ETag: W/"one"`,
			"Content-Range: bytes 50000-99999/100000")},
			[]string{"GET", "GET bytes=50000-"}, time.Second},
		{"a part that is shorter than asked for", []step{cut(file, `"one"`, half),
			say(206, file[half:60_000], `ETag: "one"`, "Content-Range: bytes 50000-59999/100000")},
			[]string{"GET", `GET bytes=50000- "one"`, `GET bytes=60000- "one"`}, 3 * time.Second},
		{"a part without a whole", []step{cut(file, `"one"`, half), say(206, file[half:],
			"Content-Range: bytes 50000-99999/*")},
			[]string{"GET", `GET bytes=50000- "one"`}, time.Second},
		{"no length", []step{say(200, file)}, []string{"GET"}, 0},
		{"gzip next to a gzip file is the file", []step{say(200, file, "Content-Encoding: x-gzip")}, []string{"GET"},
			0},
		{"a redirect", []step{status(302, "Location: /elsewhere.warc.gz")}, []string{"GET", "GET"}, 0},
		{"five redirects", repeat(status(308, "Location: /again.warc.gz"), 5), slices.Repeat([]string{"GET"}, 6), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, file, tt.steps...)
			got, err := readAll(s.object(t))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, file) {
				t.Errorf("read %d bytes that are not the file of %d", len(got), len(file))
			}
			if diff := cmp.Diff(tt.ranges, s.ranges()); tt.ranges != nil && diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if got := s.clock.waited().Round(time.Millisecond); tt.waited >= 0 && got != tt.waited {
				t.Errorf("waited %v, want %v", got, tt.waited)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	file := content(10_000)
	tests := []struct {
		name     string
		steps    []step
		want     string // part of the error
		is       error  // may be nil
		requests int
	}{
		{"403", []step{status(403)}, "nothing more is asked of", ErrUnavailable, 1},
		{"404", []step{status(404)}, "x.warc.gz: the server answered 404 Not Found", fs.ErrNotExist, 1},
		{"401", []step{status(401)}, "the server answered 401 Unauthorized", nil, 1},
		{"an answer of no sense", []step{status(204)}, "the server answered 204, which is no file", nil, 1},
		{"503 for ever", repeat(status(503), 20), "503 Service Unavailable (given up after 10 tries)", ErrUnavailable,
			10},
		{"Retry-After of a year", []step{status(503, "Retry-After: 31536000")},
			"asks for no request before 2027-11-21T12:00:00Z, which is longer than is waited here (5m0s)",
			ErrUnavailable, 1},
		{"Retry-After of more than can be counted", []step{status(429, "Retry-After: 99999999999999999999")},
			"asks for no request before", ErrUnavailable, 1},
		{"six redirects", repeat(status(301, "Location: /again.warc.gz"), 6), "the server redirects more than 5 times",
			nil, 6},
		{"a redirect to nowhere", []step{status(302)}, "the server redirects, and says to no URL", nil, 1},
		{"a redirect to a file", []step{status(302, "Location: file:///etc/passwd")}, "neither https:// nor http://",
			nil, 1},
		{"a redirect to another machine, unprotected", []step{status(302, "Location: http://192.0.2.1/x.warc.gz")},
			"http://192.0.2.1/x.warc.gz is not protected on its way", nil, 1},
		{"the wrong part", []step{cut(file, `"one"`, 500), say(206, file[400:], "Content-Range: bytes 400-9999/10000")},
			"byte 500 was asked for, and the server sent from byte 400 on", nil, 2},
		{"a part that no one asked for", []step{say(206, file, "Content-Range: bytes 0-9999/10000")},
			"the whole was asked for", nil, 1},
		{"a part without its place", []step{cut(file, `"one"`, 500), say(206, file[500:])},
			`Content-Range "" does not say which`, nil, 2},
		{"a part that is backwards", []step{cut(file, `"one"`, 500), say(206, file[500:],
			"Content-Range: bytes 500-400/10000")}, "does not say which", nil, 2},
		{"a part behind the end", []step{cut(file, `"one"`, 500),
			say(206, file[500:], "Content-Range: bytes 500-9999/9999")}, "does not say which", nil, 2},
		{"several parts", []step{cut(file, `"one"`, 500), say(206, file[500:],
			"Content-Type: multipart/byteranges; boundary=x")}, "does not say which", nil, 2},
		{"compressed for the way", []step{say(200, file, "Content-Encoding: br")}, `the coding "br"`, nil, 1},
		{"another file", []step{cut(file, `"one"`, 500), say(200, file, `ETag: "two"`)},
			`(ETag "one" before, "two" now)`, ErrChanged, 2},
		{"a part of another file", []step{cut(file, `"one"`, 500), say(206, file[500:], `ETag: "two"`,
			"Content-Range: bytes 500-9999/10000")}, `(ETag "one" before, "two" now)`, ErrChanged, 2},
		{"a longer file", []step{cut(file, `"one"`, 500), say(206, file[500:], `ETag: "one"`,
			"Content-Range: bytes 500-9999/20000")}, "(10000 bytes before, 20000 now)", ErrChanged, 2},
		{"a shorter file", []step{cut(file, `"one"`, 500), status(416, "Content-Range: bytes */300")},
			"(10000 bytes before, 300 now)", ErrChanged, 2},
		{"nothing there, but where the end is no one says", []step{cut(file, `"one"`, 500), status(416)},
			"there is nothing at byte 500", nil, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, file, tt.steps...)
			_, err := readAll(s.object(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "x.warc.gz") {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			if errors.Is(err, ErrUnavailable) != (tt.is == ErrUnavailable) {
				t.Errorf("may be gone another time: %v", err)
			}
			if got := len(s.ranges()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
		})
	}
}

func TestTransferThatAlwaysBreaksIsGivenUp(t *testing.T) {
	file := content(10_000)
	var steps []step
	for i := range 50 { // a few bytes more each time are no reason to go on for ever
		steps = append(steps, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-9999/10000", i*10))
			w.Header().Set("Content-Length", strconv.Itoa(10_000-i*10))
			if i > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(file[i*10 : i*10+10])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
	}
	s := serve(t, file, steps...)
	got, err := readAll(s.object(t))
	if err == nil || !strings.Contains(err.Error(), "given up after 10 tries") {
		t.Errorf("the error is %v", err)
	}
	if want := file[:100]; !bytes.Equal(got, want) {
		t.Errorf("%d bytes were read, want %d", len(got), len(want))
	}
}

func TestErrorsAreForgottenWhereItGoesOn(t *testing.T) {
	file := content(12 << 20)
	var steps []step
	for i := range 11 {
		steps = append(steps, func(w http.ResponseWriter, r *http.Request) bool {
			at := i << 20
			w.Header().Set("Content-Length", strconv.Itoa(len(file)-at))
			if i > 0 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(file)-1, len(file)))
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(file[at : at+1<<20])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
	}
	s := serve(t, file, steps...)
	got, err := readAll(s.object(t))
	if err != nil || !bytes.Equal(got, file) {
		t.Errorf("read %d bytes of %d: %v", len(got), len(file), err)
	}
	if got := s.clock.waited(); got != 11*time.Second {
		t.Errorf("waited %v, want the first wait each time", got)
	}
}

func TestForbiddenStopsTheHost(t *testing.T) {
	s := serve(t, content(10), func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "Write to\n\x1b[31mus@example.org.\n")
		return true
	})
	c := s.client(Options{})
	_, err := readAll(object(t, c, s.URL+"/x.warc.gz"))
	host := strings.TrimPrefix(s.URL, "http://")
	for _, want := range []string{"x.warc.gz: the server answered 403 Forbidden: Write to [31mus@example.org.; " +
		"nothing more is asked of " + host, "--rate", "--contact"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
	if _, err := readAll(object(t, c, s.URL+"/y.warc.gz")); err == nil ||
		!strings.Contains(err.Error(), s.URL+"/y.warc.gz: nothing more is asked of "+host) {
		t.Errorf("the next file's error is %v", err)
	}
	if got := len(s.ranges()); got != 1 {
		t.Errorf("%d requests, want one", got)
	}
	other := serve(t, content(10))
	if _, err := readAll(object(t, c, strings.Replace(other.URL, "127.0.0.1", "localhost",
		1)+"/x.warc.gz")); err != nil {
		t.Errorf("another host: %v", err)
	}
}

func TestHostThatNeverAnswersIsGivenUp(t *testing.T) {
	s := serve(t, content(10), repeat(status(500), 1000)...)
	c := s.client(Options{Tries: 2})
	var err error
	for range maxFailed + 5 {
		_, err = readAll(object(t, c, s.URL+"/x.warc.gz"))
	}
	if err == nil || !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(),
		"since 10 requests in a row failed there; the last: ") || !strings.Contains(err.Error(), "after 2 tries") {
		t.Errorf("the error is %v", err)
	}
	if got := len(s.ranges()); got != 2*maxFailed {
		t.Errorf("%d requests, want %d", got, 2*maxFailed)
	}
}

func TestRequestsAreSpaced(t *testing.T) {
	s := serve(t, content(1000), good, status(302, "Location: /z.warc.gz"), good, status(503),
		cut(content(1000), `"one"`, 500))
	c := s.client(Options{Rate: 0.5})
	for _, name := range []string{"/a.warc.gz", "/b.warc.gz", "/c.warc.gz"} {
		if _, err := readAll(object(t, c, s.URL+name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := object(t, c, s.URL+"/d.warc.gz").Stat(context.Background()); err != nil {
		t.Fatal(err)
	}
	var spaces []time.Duration
	for i := range s.times[1:] {
		spaces = append(spaces, s.times[i+1].Sub(s.times[i]))
	}
	want := slices.Repeat([]time.Duration{2 * time.Second}, 6)
	if diff := cmp.Diff(want, spaces); diff != "" {
		t.Errorf("seconds between requests, whatever they are for (-want +got):\n%s", diff)
	}
}

func TestTurnsOfWorkersAreSpaced(t *testing.T) {
	clock := newClock()
	c := New(Options{Rate: 4, clock: clock})
	var waits []time.Duration
	for range 5 {
		wait, err := c.turn("a.example", new(time.Time))
		if err != nil {
			t.Fatal(err)
		}
		waits = append(waits, wait)
	}
	other, _ := c.turn("b.example", new(time.Time))
	clock.sleep(context.Background(), 3*time.Second)
	later, _ := c.turn("a.example", new(time.Time))
	got := append(waits, other, later)
	ms := time.Millisecond
	if diff := cmp.Diff([]time.Duration{0, 250 * ms, 500 * ms, 750 * ms, 1000 * ms, 0, 0}, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// Whoever writes the name of a server otherwise asks no faster.
func TestServerHasOneRateHoweverItIsWritten(t *testing.T) {
	c := New(Options{})
	want := object(t, c, "https://a.example/x").at.host
	for _, name := range []string{"HTTPS://A.EXAMPLE/y", "https://a.example:443/z", "https://a.example:/z"} {
		if got := object(t, c, name).at.host; got != want {
			t.Errorf("%s is at the host %q, want %q", name, got, want)
		}
	}
}

func TestHoldIsForAllWorkers(t *testing.T) {
	s := serve(t, content(10), good, status(503, "Retry-After: 60"))
	c := s.client(Options{})
	o := object(t, c, s.URL+"/x.warc.gz")
	if _, err := readAll(o); err != nil {
		t.Fatal(err)
	}
	c.pauseHost(o.at.host, time.Minute)
	if wait, err := c.turn(o.at.host, new(time.Time)); wait != time.Minute || err != nil {
		t.Errorf("another worker waits %v (%v), want a minute", wait, err)
	}
}

func TestBackoff(t *testing.T) {
	for _, tt := range []struct {
		jitter float64
		want   []time.Duration
	}{
		{0, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
			16 * time.Second, 30 * time.Second, 30 * time.Second}},
		{1, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second,
			32 * time.Second, time.Minute, time.Minute}},
	} {
		c := New(Options{jitter: func() float64 { return tt.jitter }})
		var got []time.Duration
		for i := range tt.want {
			got = append(got, c.backoff(i+1))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("waits with a jitter of %v (-want +got):\n%s", tt.jitter, diff)
		}
	}
	if got := New(Options{jitter: func() float64 { return 1 }}).backoff(1000); got != time.Minute {
		t.Errorf("after 1000 errors: %v", got)
	}
}

func TestRanges(t *testing.T) {
	file := content(5000)
	tests := []struct {
		name         string
		from, length int64 // of OpenRange; a length of -1 is the rest of the file
		steps        []step
		want         []byte
		err          string
		ranges       []string
	}{
		{"from a byte on", 4000, -1, nil, file[4000:], "", []string{"GET bytes=4000-"}},
		{"from the first byte on", 0, -1, nil, file, "", []string{"GET"}},
		{"from the end on", 5000, -1, nil, nil, "", []string{"GET bytes=5000-"}},
		{"behind the end", 6000, -1, nil, nil, "", []string{"GET bytes=6000-"}},
		{"from a byte on, of a server that knows no ranges", 4000, -1, []step{say(200, file)}, file[4000:], "",
			[]string{"GET bytes=4000-"}},
		{"a range", 1000, 50, nil, file[1000:1050], "", []string{"GET bytes=1000-1049"}},
		{"the first bytes", 0, 50, nil, file[:50], "", []string{"GET bytes=0-49"}},
		{"the first bytes, of a server that knows no ranges", 0, 50, []step{say(200, file)}, file[:50], "",
			[]string{"GET bytes=0-49"}},
		{"nothing", 70, 0, nil, nil, "", nil},
		{"a range, of a server that knows no ranges", 1000, 50, []step{say(200, file)}, nil,
			"sends the whole file where a part of it is asked for", []string{"GET bytes=1000-1049"}},
		{"a range over the end", 4990, 50, nil, file[4990:],
			"ends at byte 5000, and 50 bytes of offset 4990 were asked for", []string{"GET bytes=4990-5039"}},
		{"a range behind the end", 6000, 50, nil, nil, "ends at byte 6000, and 50 bytes",
			[]string{"GET bytes=6000-6049"}},
		{"more than was asked for", 1000, 50, []step{say(206, file[1000:2000], "Content-Range: bytes 1000-1999/5000")},
			nil, "sent up to byte 2000, and up to byte 1050", []string{"GET bytes=1000-1049"}},
		{"more than was said", 1000, 50, []step{say(206, file[1000:2000], "Content-Range: bytes 1000-1049/5000")},
			file[1000:1050], "", []string{"GET bytes=1000-1049"}},
		{"a range that breaks", 1000, 50, []step{func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Range", "bytes 1000-1049/5000")
			w.Header().Set("Content-Length", "50")
			w.WriteHeader(206)
			w.Write(file[1000:1020])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}}, file[1000:1050], "", []string{"GET bytes=1000-1049", "GET bytes=1020-1049"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, file, tt.steps...)
			o := s.object(t)
			open := func() (io.ReadCloser, error) { return o.OpenRange(context.Background(), tt.from, tt.length) }
			if tt.length < 0 {
				open = func() (io.ReadCloser, error) {
					return o.open(context.Background(), query{from: tt.from, to: -1}, false)
				}
			}
			var got []byte
			r, err := open()
			if err == nil {
				got, err = io.ReadAll(r)
				r.Close()
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("the error is %v, want %q", err, tt.err)
			}
			if !bytes.Equal(got, tt.want) {
				t.Errorf("got %d bytes, want %d others", len(got), len(tt.want))
			}
			if diff := cmp.Diff(tt.ranges, s.ranges()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangedFileIsToldAndOpenBeginsAnew(t *testing.T) {
	old, young := content(5000), content(7000)
	s := serve(t, old)
	o := s.object(t)
	ctx := context.Background()
	if size, etag, err := o.Stat(ctx); size != 5000 || etag != `"one"` || err != nil {
		t.Fatalf("Stat: %d, %s, %v", size, etag, err)
	}
	s.change(young, `"two"`)
	if _, err := o.open(ctx, query{from: 100, to: -1}, false); !errors.Is(err, ErrChanged) {
		t.Errorf("a range: %v, want ErrChanged", err)
	}
	if _, err := o.OpenRange(ctx, 100, 10); !errors.Is(err, ErrChanged) {
		t.Errorf("OpenRange: %v, want ErrChanged", err)
	}
	got, err := readAll(o)
	if err != nil || !bytes.Equal(got, young) {
		t.Errorf("Open: %d bytes, %v; want the file as it is now", len(got), err)
	}
	if r, err := o.open(ctx, query{from: 6000, to: -1}, false); err != nil {
		t.Errorf("a range after Open: %v", err)
	} else if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, young[6000:]) {
		t.Errorf("a range after Open: %d bytes, %v", len(got), err)
	}
}

func TestStat(t *testing.T) {
	tests := []struct {
		name string
		step step
		size int64
		etag string
		err  string
	}{
		{"a file", good, 5000, `"one"`, ""},
		{"no length", func(w http.ResponseWriter, r *http.Request) bool { w.(http.Flusher).Flush(); return true }, -1,
			"", ""},
		{"no HEAD", status(405), -1, "", ""},
		{"404", status(404), 0, "", "404 Not Found"},
		{"403", status(403), 0, "", "nothing more is asked"},
		{"206", status(206), 0, "", "says nothing of the file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			size, etag, err := serve(t, content(5000), tt.step).object(t).Stat(context.Background())
			if size != tt.size || etag != tt.etag || (err != nil) != (tt.err != "") || err != nil &&
				!strings.Contains(err.Error(), tt.err) {
				t.Errorf("%d, %q, %v; want %d, %q, %q", size, etag, err, tt.size, tt.etag, tt.err)
			}
		})
	}
}

// stall says something, lets the time of idle servers go by, and says nothing more.
func stall(s **testServer, before func(w http.ResponseWriter)) step {
	return func(w http.ResponseWriter, r *http.Request) bool {
		before(w)
		// the client sets its alarm some time after it got the last bytes
		for r.Context().Err() == nil && !(*s).clock.ring() {
			time.Sleep(time.Millisecond)
		}
		<-r.Context().Done()
		return true
	}
}

func TestIdleServer(t *testing.T) {
	file := content(10_000)
	var s *testServer
	s = serve(t, file, stall(&s, func(http.ResponseWriter) {}), stall(&s, func(w http.ResponseWriter) {
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Content-Length", "10000")
		w.Write(file[:3000])
		w.(http.Flusher).Flush()
	}))
	got, err := readAll(s.object(t))
	if err != nil || !bytes.Equal(got, file) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if n := len(s.ranges()); n < 3 {
		t.Errorf("%d requests: no one was idle", n)
	}
}

func TestIdleRefusal(t *testing.T) {
	clock := newClock()
	c := New(Options{clock: clock})
	c.web.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		body := readFunc(func(p []byte) (int, error) {
			clock.ring()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
				t.Error("what is said next to a refusal is waited for without end")
			}
			return 0, io.ErrUnexpectedEOF
		})
		return &http.Response{StatusCode: 404, Header: http.Header{"Content-Type": {"text/plain"}},
			Body: io.NopCloser(body)}, nil
	})
	if _, err := readAll(object(t, c, "https://example.org/x.warc.gz")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestServerThatSaysNextToNothingIsIdle(t *testing.T) {
	clock := newClock()
	c := New(Options{clock: clock})
	_, w := c.withIdleTimer(context.Background(), "a")
	tr := &transfer{client: c, idle: w, body: io.NopCloser(readFunc(func(p []byte) (int, error) {
		clock.sleep(context.Background(), 20*time.Second)
		return 1, nil
	}))}
	n, err := io.Copy(io.Discard, readFunc(tr.Read))
	var idle errIdle
	if !errors.As(err, &idle) || n != 3 {
		t.Errorf("%d bytes, %v; want the server to be idle after a minute", n, err)
	}
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestEndlessFile(t *testing.T) {
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
		for r.Context().Err() == nil {
			w.Write(make([]byte, 64<<10))
		}
		return true
	})
	got, err := readAll(object(t, s.client(Options{MaxBytes: 1 << 20}), s.URL+"/x.warc.gz"))
	if err == nil || !strings.Contains(err.Error(), "is longer than 1048576 bytes") || len(got) != 1<<20 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	s = serve(t, content(100))
	if _, err := readAll(object(t, s.client(Options{MaxBytes: 99}), s.URL+"/x.warc.gz")); err == nil ||
		!strings.Contains(err.Error(), "100 bytes long") {
		t.Errorf("a file that says its length: %v", err)
	}
	if got, err := readAll(object(t, s.client(Options{MaxBytes: 100}), s.URL+"/x.warc.gz")); err != nil ||
		len(got) != 100 {
		t.Errorf("a file of just the limit: %d bytes, %v", len(got), err)
	}
}

func TestContextEndsEverything(t *testing.T) {
	t.Run("a transfer", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
			w.Write([]byte("begun"))
			w.(http.Flusher).Flush()
			cancel()
			<-r.Context().Done()
			return true
		})
		r, err := s.object(t).Open(ctx)
		if err == nil {
			_, err = io.ReadAll(r)
			r.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a wait", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(503)
			cancel()
			return true
		})
		c := s.client(Options{})
		c.clock = machineClock{} // waits a second, if it does
		if _, err := object(t, c, s.URL+"/x.warc.gz").Open(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a sleep", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, cancel)
		if err := (machineClock{}).sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("before it begins", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s := serve(t, nil)
		if _, err := s.object(t).Open(ctx); !errors.Is(err, context.Canceled) || len(s.ranges()) != 0 {
			t.Errorf("the error is %v, after %d requests", err, len(s.ranges()))
		}
	})
}

func TestReadAfterClose(t *testing.T) {
	r, err := serve(t, content(10)).object(t).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if n, err := r.Read(make([]byte, 10)); n != 0 || !errors.Is(err, errClosed) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestUserAgent(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts Options
		want string
	}{
		{"default", Options{}, "acapscan (+https://github.com/acapscan/acapscan)"},
		{"own", Options{UserAgent: "x/1"}, "x/1"},
		{"with a contact", Options{Contact: "me@example.org"},
			"acapscan (+https://github.com/acapscan/acapscan; me@example.org)"},
		{"own, with a contact", Options{UserAgent: "x/1", Contact: "me@example.org"}, "x/1 (me@example.org)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, content(10))
			if _, err := readAll(object(t, s.client(tt.opts), s.URL+"/x.warc.gz")); err != nil {
				t.Fatal(err)
			}
			if got := s.asked[0].Header.Get("User-Agent"); got != tt.want {
				t.Errorf("User-Agent %q, want %q", got, tt.want)
			}
			if got := s.asked[0].Header.Get("Accept-Encoding"); got != "identity" {
				t.Errorf("Accept-Encoding %q", got)
			}
		})
	}
}

func TestRedirectFromProtectedToUnprotected(t *testing.T) {
	plain := serve(t, content(10))
	safe := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/x.warc.gz", http.StatusFound))
	defer safe.Close()
	c := plain.client(Options{PlainHTTP: true})
	c.web.http.Transport = safe.Client().Transport
	_, err := readAll(object(t, c, safe.URL+"/x.warc.gz"))
	if err == nil || !strings.Contains(err.Error(), "redirects from https:// to http://") || len(plain.ranges()) != 0 {
		t.Errorf("the error is %v", err)
	}
}

func TestCertificateThatDoesNotFitIsNoReasonToWait(t *testing.T) {
	s := serve(t, nil)
	safe := httptest.NewUnstartedServer(s)
	safe.Config.ErrorLog = log.New(io.Discard, "", 0)
	safe.StartTLS()
	defer safe.Close()
	_, err := readAll(object(t, s.client(Options{}), safe.URL+"/x.warc.gz"))
	if err == nil || !strings.Contains(err.Error(), "certificate") || s.clock.waited() != 0 {
		t.Errorf("the error is %v, after %v", err, s.clock.waited())
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		name string
		opts Options
		want string // part of the error; "": none
	}{
		{"https://data.example.org/x.warc.gz", Options{}, ""},
		{"HTTPS://data.example.org/x.warc.gz?list=1", Options{}, ""},
		{"http://127.0.0.1:8080/x.warc.gz", Options{}, ""},
		{"http://localhost/x.warc.gz", Options{}, ""},
		{"http://[::1]/x.warc.gz", Options{}, ""},
		{"http://data.example.org/x.warc.gz", Options{},
			"is not protected on its way: write https://, or allow it with --plain-http"},
		{"http://127.0.0.1.example.org/x.warc.gz", Options{}, "is not protected"},
		{"http://data.example.org/x.warc.gz", Options{PlainHTTP: true}, ""},
		{"https:///x.warc.gz", Options{}, "names no host"},
		{"https://me:secret@example.org/x.warc.gz", Options{}, "names of inputs stand in the tables"},
		{"https://example.org/a#b.warc.gz", Options{}, "%23"},
		{"https://example.org/%zz", Options{}, "is no URL"},
		{"https://example.org/a\nb", Options{}, "control characters"},
		{"https://example.org/" + strings.Repeat("a", maxName), Options{}, "is longer than"},
		{"ftp://example.org/x.warc.gz", Options{}, "begins with none of https://, http://, s3://"},
		{"s3://commoncrawl/crawl-data/x.warc.gz", Options{}, ""},
		{"s3:///x.warc.gz", Options{}, "names no bucket"},
		{"s3://a:b/x.warc.gz", Options{}, "names no bucket"},
		{"s3://bucket", Options{}, "names no object of the bucket"},
		{"s3://bucket/folder/", Options{}, "names no object of the bucket"},
		{"https://example.org/", Options{Rate: -1}, "makes no sense"},
		{"https://example.org/", Options{Rate: 1e-9}, "less than one a day"},
		{"https://example.org/", Options{Contact: "a\r\nb"}, "does not fit into a header field"},
		{"https://example.org/", Options{Contact: "a)"}, "does not fit into a header field"},
		{"https://example.org/", Options{S3: S3Options{Endpoint: "storage"}}, "is no URL such as"},
		{"https://example.org/", Options{S3: S3Options{Anonymous: true, Profile: "x"}},
			"either asked anonymously or with a profile"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.60q", tt.name), func(t *testing.T) {
			_, err := New(tt.opts).Object(tt.name)
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

func TestS3NamesAreWordForWord(t *testing.T) {
	o := object(t, New(Options{}), "S3://Bucket/a%20b/c d#e?f")
	if o.at.bucket != "Bucket" || o.at.key != "a%20b/c d#e?f" {
		t.Errorf("bucket %q, key %q", o.at.bucket, o.at.key)
	}
}

func TestIsRemote(t *testing.T) {
	for name, want := range map[string]bool{
		"https://a/b": true, "http://a/b": true, "s3://a/b": true, "S3://a/b": true,
		"a/b": false, "https:/a": false, "./https://a": false, "-": false, "": false, "file:///a": false, "C:/a": false,
	} {
		if got := IsRemote(name); got != want {
			t.Errorf("IsRemote(%q) is %v", name, got)
		}
	}
}
