package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// withoutAWS takes away what is configured on the machine that tests.
func withoutAWS(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "credentials"))
}

// An s3Server is a bucket with one object, and answers of its own before.
type s3Server struct {
	*testServer
	backend gofakes3.Backend
	fake    http.Handler // which holds uploads in parts, too
}

func serveS3(t *testing.T, file []byte, steps ...step) *s3Server {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	s := &s3Server{backend: backend, fake: fake, testServer: &testServer{clock: newClock(), steps: steps}}
	s.put(t, file)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		n := len(s.asked)
		s.asked = append(s.asked, r)
		s.mu.Unlock()
		if n >= len(s.steps) || !s.steps[n](w, r) {
			fake.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *s3Server) put(t *testing.T, file []byte) {
	t.Helper()
	if _, err := s.backend.PutObject("bucket", "crawl-data/x y.warc.gz", nil, bytes.NewReader(file), int64(len(file)),
		nil); err != nil {
		t.Fatal(err)
	}
}

func (s *s3Server) object(t *testing.T) *Object {
	t.Helper()
	return object(t, s.s3Client(Options{}), "s3://bucket/crawl-data/x y.warc.gz")
}

// s3Client asks the server anonymously.
func (s *s3Server) s3Client(opts Options) *Client {
	opts.S3 = S3Options{Endpoint: s.URL, Anonymous: true}
	return s.client(opts)
}

// refuse answers as S3 does.
func refuse(code int, name string, header ...string) step {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/xml")
		status(code, header...)(w, r)
		io.WriteString(w, "<Error><Code>"+name+"</Code><Message>Words.</Message></Error>")
		return true
	}
}

// broken lets an answer of the server break off after n bytes of the body.
func (s *s3Server) broken(n int) step {
	return func(w http.ResponseWriter, r *http.Request) bool {
		rec := httptest.NewRecorder()
		s.fake.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes()[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func TestS3Open(t *testing.T) {
	file := content(10_000)
	tests := []struct {
		name   string
		steps  func(s *s3Server) []step
		ranges []string
		waited time.Duration
	}{
		{"at once", nil, []string{"GET"}, 0},
		{"SlowDown", func(*s3Server) []step { return []step{refuse(503, "SlowDown"), refuse(503, "SlowDown")} },
			[]string{"GET", "GET", "GET"}, 3 * time.Second},
		{"SlowDown of another status", func(*s3Server) []step { return []step{refuse(400, "SlowDown")} },
			[]string{"GET", "GET"}, time.Second},
		{"Retry-After", func(*s3Server) []step { return []step{refuse(503, "SlowDown", "Retry-After: 50")} },
			[]string{"GET", "GET"}, 50 * time.Second},
		{"InternalError", func(*s3Server) []step { return []step{refuse(500, "InternalError")} },
			[]string{"GET", "GET"}, time.Second},
		{"a transfer that breaks", func(s *s3Server) []step { return []step{s.broken(4000)} },
			[]string{"GET", "GET bytes=4000-"}, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serveS3(t, file)
			if tt.steps != nil {
				s.steps = tt.steps(s)
			}
			got, err := readAll(s.object(t))
			if err != nil || !bytes.Equal(got, file) {
				t.Fatalf("read %d bytes, %v", len(got), err)
			}
			if diff := cmp.Diff(tt.ranges, s.ranges()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if got := s.clock.waited().Round(time.Millisecond); got != tt.waited {
				t.Errorf("waited %v, want %v", got, tt.waited)
			}
			for _, r := range s.asked {
				if got := r.Header.Get("User-Agent"); got != DefaultUserAgent {
					t.Errorf("User-Agent %q", got)
				}
				if r.Header.Get("Authorization") != "" {
					t.Error("an anonymous request is signed")
				}
			}
		})
	}
}

func TestS3OpenFails(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		want  string
		is    error
	}{
		{"no such key", []step{refuse(404, "NoSuchKey")},
			"x y.warc.gz: the server answered 404 Not Found (NoSuchKey): Words.", fs.ErrNotExist},
		{"no such bucket", []step{refuse(404, "NoSuchBucket")}, "(NoSuchBucket): there is no bucket bucket; nothing " +
			"more is asked of s3://bucket in this run: check its name and region, and the credentials", ErrUnavailable},
		{"forbidden", []step{refuse(403, "AccessDenied")},
			"403 Forbidden (AccessDenied): it was asked anonymously; Words.; check the name, and that the " +
				"credentials may read it", ErrUnavailable},
		{"wrong credentials", []step{refuse(403, "SignatureDoesNotMatch")}, "nothing more is asked of s3://bucket",
			ErrUnavailable},
		{"an unknown user of versitygw", []step{refuse(404, "XAdminUserNotFound")}, "(XAdminUserNotFound): Words.",
			nil},
		{"old credentials", []step{refuse(400, "ExpiredToken")}, "nothing more is asked of s3://bucket",
			ErrUnavailable},
		{"another region", []step{refuse(301, "PermanentRedirect", "X-Amz-Bucket-Region: eu-central-1")},
			"the bucket is in the region eu-central-1: see --s3-region", nil},
		{"SlowDown for ever", repeat(refuse(503, "SlowDown"), 20), "(SlowDown): Words. (given up after 10 tries)", nil},
		{"the wrong part", []step{func(w http.ResponseWriter, r *http.Request) bool {
			return status(206, "Content-Range: bytes 5-9/10")(w, r)
		}}, "the server sent", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readAll(serveS3(t, content(10), tt.steps...).object(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
			if tt.is == nil && errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v is fs.ErrNotExist", err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
		})
	}
}

// An object that may not be read costs itself alone. After ten of them the bucket is left alone, and errors stay short.
func TestForbiddenObjects(t *testing.T) {
	read := func(s *s3Server, c *Client) error {
		t.Helper()
		o, err := c.Object("s3://bucket/crawl-data/x y.warc.gz")
		if err != nil {
			t.Fatal(err)
		}
		_, err = readAll(o)
		return err
	}
	s := serveS3(t, content(10), append(repeat(refuse(403, "AccessDenied"), maxFailed-1), good)...)
	c := s.s3Client(Options{})
	for range maxFailed - 1 {
		if err := read(s, c); !errors.Is(err, ErrUnavailable) {
			t.Fatalf("the error is %v", err)
		}
	}
	if err := read(s, c); err != nil {
		t.Errorf("the one after: %v", err)
	}
	s = serveS3(t, content(10), repeat(refuse(403, "AccessDenied"), 100)...)
	c = s.s3Client(Options{})
	for i := range maxFailed + 5 {
		err := read(s, c)
		if !errors.Is(err, ErrUnavailable) || len(err.Error()) > 400 || strings.Contains(err.Error(), "Common Crawl") {
			t.Errorf("the error has %d bytes: %v", len(err.Error()), err)
		}
		if requested := i < maxFailed; errors.Is(err, ErrNotRequested) == requested {
			t.Errorf("error %d is %v", i, err)
		}
	}
	if len(s.asked) != maxFailed {
		t.Errorf("%d requests, want %d", len(s.asked), maxFailed)
	}
}

func TestS3Ranges(t *testing.T) {
	file := content(5000)
	ctx := context.Background()
	for _, tt := range []struct {
		name         string
		from, length int64
		want         []byte
		err          string
	}{
		{"from a byte on", 4000, -1, file[4000:], ""},
		{"from the end on", 5000, -1, nil, ""},
		{"a range", 1000, 50, file[1000:1050], ""},
		{"a range over the end", 4990, 50, file[4990:], "ends at byte 5000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := serveS3(t, file).object(t)
			open := func() (io.ReadCloser, error) { return o.OpenRange(ctx, tt.from, tt.length) }
			if tt.length < 0 {
				open = func() (io.ReadCloser, error) { return o.open(ctx, query{from: tt.from, to: -1}, false) }
			}
			var got []byte
			r, err := open()
			if err == nil {
				got, err = io.ReadAll(r)
				r.Close()
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) ||
				!bytes.Equal(got, tt.want) {
				t.Errorf("%d bytes, %v; want %d, %q", len(got), err, len(tt.want), tt.err)
			}
		})
	}
}

func TestS3Stat(t *testing.T) {
	size, etag, err := serveS3(t, content(5000)).object(t).Stat(context.Background())
	if size != 5000 || len(etag) != 34 || err != nil {
		t.Errorf("%d, %s, %v", size, etag, err)
	}
}

func TestS3ChangedObject(t *testing.T) {
	for _, tt := range []struct {
		name   string
		second func(s *s3Server) step
	}{
		{"as the server says", func(*s3Server) step {
			return func(w http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("If-Match") == "" {
					t.Error("the second request has no If-Match")
				}
				return refuse(412, "PreconditionFailed")(w, r)
			}
		}},
		{"of a server that knows no conditions", func(s *s3Server) step {
			return func(w http.ResponseWriter, r *http.Request) bool {
				r.Header.Del("If-Match")
				s.put(t, content(6000))
				return false
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveS3(t, content(5000))
			s.steps = []step{s.broken(1000), tt.second(s)}
			if _, err := readAll(s.object(t)); !errors.Is(err, ErrChanged) ||
				!strings.Contains(err.Error(), "x y.warc.gz") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestS3Credentials(t *testing.T) {
	const shared = "[default]\naws_access_key_id = DEFAULTKEY\naws_secret_access_key = s\n[work]\naws_access_key_id " +
		"= WORKKEY\naws_secret_access_key = s\n"
	tests := []struct {
		name   string
		shared string
		env    string // an access key
		opts   S3Options
		signed string // the key that the request is signed with, and the region
		err    string
	}{
		{"none are configured", "", "", S3Options{}, "", ""},
		{"of the environment", shared, "ENVKEY", S3Options{}, "ENVKEY us-east-1", ""},
		{"of the default profile", shared, "", S3Options{}, "DEFAULTKEY us-east-1", ""},
		{"of a profile", shared, "", S3Options{Profile: "work"}, "WORKKEY us-east-1", ""},
		{"in a region", shared, "", S3Options{Profile: "work", Region: "eu-north-1"}, "WORKKEY eu-north-1", ""},
		{"anonymous all the same", shared, "ENVKEY", S3Options{Anonymous: true}, "", ""},
		{"of a profile that is not there", shared, "", S3Options{Profile: "play"}, "",
			"the configuration of AWS cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withoutAWS(t)
			if tt.shared != "" {
				if err := os.WriteFile(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), []byte(tt.shared), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.env != "" {
				t.Setenv("AWS_ACCESS_KEY_ID", tt.env)
				t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
			}
			s := serveS3(t, content(10))
			tt.opts.Endpoint = s.URL
			_, err := readAll(object(t, s.client(Options{S3: tt.opts}), "s3://bucket/crawl-data/x y.warc.gz"))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("the error is %v, want %q", err, tt.err)
			}
			if err != nil {
				return
			}
			signed := ""
			if _, credential, ok := strings.Cut(s.asked[0].Header.Get("Authorization"), "Credential="); ok {
				part := strings.Split(credential, "/")
				signed = part[0] + " " + part[2]
			}
			if signed != tt.signed {
				t.Errorf("signed with %q, want %q", signed, tt.signed)
			}
		})
	}
}
