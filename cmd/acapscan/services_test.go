//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/table"
)

// Real services of S3, which make services installs below the folder that servicesVariable names.
const servicesVariable = "ACAPSCAN_SERVICES"

// A service is a server of S3 on this machine, of one bucket named run.
type service struct {
	name    string
	command func(tools, data, port string) *exec.Cmd
	// away stops a running server at a random moment and makes it work again some seconds later, with its objects.
	away func(s *server)
	// checksKeys means that the service refuses wrong credentials.
	checksKeys bool
}

var services = []service{
	{
		name: "versitygw", // keeps objects as files
		command: func(tools, data, port string) *exec.Cmd {
			users := filepath.Join(data, "users")
			cmd := exec.Command(filepath.Join(tools, "bin", "versitygw"), "--quiet", "--port", "127.0.0.1:"+port,
				"--iam-dir", users, "posix", filepath.Join(data, "buckets"))
			cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=secret")
			return cmd
		},
		away: func(s *server) {
			s.kill()
			time.Sleep(3 * time.Second)
			s.start()
		},
		checksKeys: true,
	},
	{
		name: "moto", // keeps objects in memory, so that it is only stopped
		command: func(tools, _, port string) *exec.Cmd {
			cmd := exec.Command(filepath.Join(tools, "venv", "bin", "moto_server"), "-H", "127.0.0.1", "-p", port)
			cmd.Env = append(os.Environ(), "MOTO_S3_CUSTOM_ENDPOINTS=http://127.0.0.1:"+port)
			return cmd
		},
		away: func(s *server) {
			_ = s.process.Process.Signal(syscall.SIGSTOP)
			time.Sleep(3 * time.Second)
			_ = s.process.Process.Signal(syscall.SIGCONT)
		},
	},
}

// A server is a running service.
type server struct {
	t          *testing.T
	tools      string
	data, port string
	service
	process *exec.Cmd
	flags   []string // that lead there
}

// newServer starts a service on a free port, which ends with the test.
func newServer(t *testing.T, of service) *server {
	t.Helper()
	tools := os.Getenv(servicesVariable)
	if tools == "" {
		t.Skip("make services runs this")
	}
	data := t.TempDir()
	for _, folder := range []string{"users", filepath.Join("buckets", "run")} { // for versitygw, with a bucket
		if err := os.MkdirAll(filepath.Join(data, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{t: t, tools: tools, data: data, port: freePort(t), service: of}
	s.flags = []string{"--s3-endpoint", s.url()}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": filepath.Join(data, "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(data, "none"),
	} {
		t.Setenv(name, value)
	}
	s.start()
	t.Cleanup(s.kill)
	if of.name == "moto" {
		r, err := http.NewRequest(http.MethodPut, s.url()+"/run", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("the bucket cannot be made: %v, %+v", err, resp)
		}
		resp.Body.Close()
	}
	return s
}

// freePort returns a port of this machine that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (s *server) url() string { return "http://127.0.0.1:" + s.port }

// start starts the server, and waits until it answers.
func (s *server) start() {
	s.process = s.command(s.tools, s.data, s.port)
	if err := s.process.Start(); err != nil {
		s.t.Errorf("%s: %v", s.name, err)
		return
	}
	for range 300 {
		if resp, err := http.Get(s.url()); err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Errorf("%s does not answer", s.name)
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// awayWhile calls do, during which the server is away once.
func (s *server) awayWhile(do func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(time.Duration(200+rand.IntN(1500)) * time.Millisecond)
		s.away(s)
	})
	do()
	wg.Wait()
}

func (s *server) must(status int, args ...string) outcome {
	s.t.Helper()
	return must(s.t, status, append(args, s.flags...)...)
}

// folder opens a folder of the bucket.
func (s *server) folder(name string) storage.Store {
	s.t.Helper()
	f, err := remote.New(remote.Options{Own: true, S3: remote.S3Options{Endpoint: s.url()}}).Folder(s.t.Context(),
		"s3://run/"+name)
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// content returns the objects below a folder, by names.
func (s *server) content(name string) map[string]string {
	s.t.Helper()
	all, store := map[string]string{}, s.folder(name)
	err := store.List("", func(name string, _ int64) error {
		in, err := store.Open(name)
		if err != nil {
			return err
		}
		defer in.Close()
		text, err := io.ReadAll(in)
		all[name] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// TestServices runs array jobs over services that others wrote.
func TestServices(t *testing.T) {
	for _, of := range services {
		t.Run(of.name, func(t *testing.T) {
			s := newServer(t, of)
			conditional, err := s.folder("probe").(*remote.Folder).Conditional()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("conditional PUTs: %t", conditional)
			t.Run("array job", s.in(testServiceArrayJob))
			t.Run("readers", s.in(testServiceReaders))
			t.Run("tasks of one bucket", s.in(testServiceTasksOfOneBucket))
			t.Run("large objects", s.in(testServiceLargeObjects))
			t.Run("mistakes", s.in(testServiceMistakes))
			t.Run("denied objects", s.in(testServiceDeniedObjects))
			t.Run("away for good", s.in(testServiceAwayForGood))
		})
	}
}

func (s *server) in(test func(*server)) func(*testing.T) {
	return func(t *testing.T) {
		inner := *s
		inner.t = t
		test(&inner)
		s.process = inner.process // it may have been started again
	}
}

// The tasks of each step in random order, several at a time, some twice at once, some killed, and the service is away
// meanwhile. The tables have the rows of a scan.
func testServiceArrayJob(s *server) {
	t := s.t
	const shards, buckets = 3, 3
	job := newArrayJob(t)
	archives := filepath.Join(fixtures, "good", "crawl-data")
	onceScan(t, exitDone, archives) // other tests need it, so that it is not in the folder that comes
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	args := func(more ...string) []string { return append(more, s.flags...) }
	s.awayWhile(func() {
		job.array(shards, func(i int) []string {
			return args("extract", archives, "--shard", fmt.Sprintf("%d/%d", i, shards), "-o", "s3://run/job/facts",
				"--workers", "1")
		})
	})
	s.awayWhile(func() {
		job.resolveInSteps(2, func(more ...string) []string {
			return args(append([]string{"resolve", "s3://run/job/facts", "-o", "s3://run/job/answers"}, more...)...)
		})
	})
	s.awayWhile(func() {
		job.array(buckets, func(i int) []string {
			return args("analyze", "s3://run/job/facts", "s3://run/job/answers", "--bucket",
				fmt.Sprintf("%d/%d", i, buckets), "-o", "s3://run/job/tables", "--workers", "1")
		})
	})
	job.must(50*time.Millisecond, args("complete", "s3://run/job/tables"))
	tables := t.TempDir()
	for name, text := range s.content("job/tables") {
		file := filepath.Join(tables, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, storage.WorkFolder+"/") {
			t.Errorf("left is %s", name)
		}
	}
	sameAsScan(t, archives, tables)
	s.must(exitDone, "resolve", "s3://run/job/facts", "-o", "s3://run/job/answers")
	if left, err := filepath.Glob(filepath.Join(temp, "acapscan-*")); err != nil || len(left) > 0 {
		t.Errorf("killed tasks left %q (%v)", left, err)
	}
	t.Logf("%d tasks were killed", job.killed.Load())
}

// The other verbs read tables in the bucket as they read them in a folder, and so does the Python of docs/remote.md.
func testServiceReaders(s *server) {
	t := s.t
	archives := filepath.Join(fixtures, "good", "arc")
	s.must(exitDone, "scan", archives, "-o", "s3://run/run")
	local := scanOf(t, exitDone, archives)
	want := must(t, exitDone, "export", "adoption", local).stdout
	if got := s.must(exitDone, "export", "adoption", "s3://run/run").stdout; got != want || want == "" {
		t.Errorf("%d bytes are exported from S3, %d from a folder", len(got), len(want))
	}
	if page := s.must(exitDone, "report", "s3://run/run", "-o", "-").stdout; !strings.Contains(page, "</html>") {
		t.Errorf("the report has %d bytes", len(page))
	}
	site := rows[table.Adoption](t, local, table.Adoptions)[0].Row.Site
	explain := []string{"explain", "--site", site, "--usage", "crawl"}
	want = must(t, exitDone, append(explain, local)...).stdout
	if got := s.must(exitDone, append(explain, "s3://run/run")...).stdout; got != want {
		t.Errorf("explain of S3 says %q, of a folder %q", got, want)
	}
	python, err := filepath.Abs("../../.venv/bin/python")
	if err != nil || !exists(python) {
		t.Skip("make readers installs what reads tables")
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", s.url())
	t.Setenv("AWS_REGION", "us-east-1")
	text, err := os.ReadFile("../../docs/remote.md")
	if err != nil {
		t.Fatal(err)
	}
	found, n := "", 0
	for _, block := range regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		code := strings.ReplaceAll(block[1], "BUCKET", "run")
		said, err := exec.CommandContext(t.Context(), python, "-c", code).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, said)
		}
		for line := range strings.Lines(string(said)) {
			if n++; found == "" {
				found = line
			} else if line != found {
				t.Errorf("one reader finds %q, another %q", found, line)
			}
		}
	}
	if n != 3 || found == "0\n" {
		t.Errorf("%d readers found %q rows", n, found)
	}
}

// Tasks of one bucket at the same time all end well.
func testServiceTasksOfOneBucket(s *server) {
	t := s.t
	archives := filepath.Join(fixtures, "good", "crawl-data")
	s.must(exitDone, "extract", archives, "-o", "s3://run/one/facts")
	s.must(exitDone, "resolve", "s3://run/one/facts", "-o", "s3://run/one/answers")
	var before map[string]string
	for round := range 5 {
		out := fmt.Sprintf("one/tables%d", round)
		var tasks [3]*exec.Cmd
		var said [len(tasks)]bytes.Buffer
		for i := range tasks {
			tasks[i] = exec.Command(programPath(t), append([]string{"analyze", "s3://run/one/facts",
				"s3://run/one/answers", "--bucket", "0/1", "-o", "s3://run/" + out}, s.flags...)...)
			tasks[i].Stderr = &said[i]
			if err := tasks[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		for i := range tasks {
			if err := tasks[i].Wait(); err != nil {
				t.Errorf("round %d: %v; it says %q", round, err, said[i].String())
			}
		}
		after := s.content(out)

		if before != nil {
			sameContent(t, before, after)
		}
		before = after
	}
	if len(before) < 10 {
		t.Errorf("only %d objects", len(before))
	}
}

// An object in parts comes back as it was put, and the same put again does nothing.
func testServiceLargeObjects(s *server) {
	t := s.t
	content := make([]byte, remote.DefaultPartBytes*2+12345)
	for i := range content {
		content[i] = byte(i * i >> 7)
	}
	store := s.folder("large")
	for range 2 {
		if err := store.Put(storage.Entry{Name: "x", Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.content("large")["x"]; got != string(content) {
		t.Errorf("%d bytes came back, want %d", len(got), len(content))
	}
	if err := store.Remove("x"); err != nil {
		t.Error(err)
	}
}

// A wrong bucket and wrong credentials end each step with one sentence that names the cause.
func testServiceMistakes(s *server) {
	t := s.t
	list := write(t, "list", []byte("a.warc.gz\nb.warc.gz\n"))
	check := func(want string, args ...string) {
		t.Helper()
		got := run(t, append(args, s.flags...)...)
		said := got.sentences()
		if got.status == exitDone || len(said) == 0 || !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%s: exit status %d, it says %q, want %q", args[0], got.status, got.stderr, want)
		}
		for _, sentence := range said {
			if len(sentence) > 300 || strings.Contains(sentence, "Common Crawl") {
				t.Errorf("%s says %d bytes: %q", args[0], len(sentence), sentence)
			}
		}
	}
	steps := func(bucket, want string) {
		t.Helper()
		check(want, "extract", filepath.Join(fixtures, "good", "arc"), "-o", "s3://"+bucket+"/facts")
		check(want, "resolve", "s3://"+bucket+"/facts", "-o", "s3://"+bucket+"/answers")
		check(want, "analyze", "s3://"+bucket+"/facts", "s3://"+bucket+"/answers", "--bucket", "0/1", "-o",
			"s3://"+bucket+"/tables")
		check(want, "complete", "s3://"+bucket+"/tables")
	}
	const noBucket = "there is no bucket crwal"
	check(noBucket, "extract", "--paths", list, "--base-url", "s3://crwal/", "--min-complete", "0.01", "-o",
		filepath.Join(t.TempDir(), "facts"))
	steps("crwal", noBucket)
	if s.checksKeys {
		t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
		check("SignatureDoesNotMatch", "extract", "--paths", list, "--base-url", "s3://run/", "-o",
			filepath.Join(t.TempDir(), "facts"))
		steps("run/mistake", "403 Forbidden")
		t.Setenv("AWS_ACCESS_KEY_ID", "another")
		check("InvalidAccessKeyId", "extract", "--paths", list, "--base-url", "s3://run/", "-o",
			filepath.Join(t.TempDir(), "facts"))
		steps("run/mistake", "403 Forbidden")
	}
}

// Objects that may not be read cost themselves, and no others.
func testServiceDeniedObjects(s *server) {
	t := s.t
	if !s.checksKeys {
		t.Skip("it refuses nothing")
	}
	admin := exec.Command(filepath.Join(s.tools, "bin", "versitygw"), "admin", "--access", "key", "--secret", "secret",
		"--endpoint-url", s.url(), "create-user", "--access", "user", "--secret", "hidden", "--role", "user")
	if said, err := admin.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	store := s.folder("archives")
	var list []byte
	for _, name := range []string{"a", "b", "c"} {
		list = fmt.Appendf(list, "%s.warc\n", name)
		if err := store.Put(storage.Entry{Name: name + ".warc", Content: numbered(1)}); err != nil {
			t.Fatal(err)
		}
	}
	policy := `{"Version": "2012-10-17", "Statement": [
		{"Effect": "Allow", "Principal": {"AWS": ["user"]}, "Action": "s3:*",
			"Resource": ["arn:aws:s3:::run", "arn:aws:s3:::run/*"]},
		{"Effect": "Deny", "Principal": {"AWS": ["user"]}, "Action": "s3:GetObject",
			"Resource": "arn:aws:s3:::run/archives/b.warc"}]}`
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret"}, nil
	})
	api := s3.NewFromConfig(aws.Config{Region: "us-east-1", Credentials: keys},
		func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = aws.String(s.url()), true })
	if _, err := api.PutBucketPolicy(t.Context(), &s3.PutBucketPolicyInput{Bucket: aws.String("run"),
		Policy: &policy}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "user")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hidden")
	paths := write(t, "list", list)
	args := []string{"extract", "--paths", paths, "--base-url", "s3://run/archives/", "-o", "s3://run/denied/facts"}
	got := s.must(exitIncomplete, args...)
	if said := got.sentences(); len(said) != 1 ||
		!strings.Contains(said[0], "archives/b.warc: the server answered 403") ||
		!strings.Contains(got.stderr, "inputs       3, of which 1 unreadable") {
		t.Errorf("it says %q", got.stderr)
	}
	s.must(exitDone, append(args, "--min-complete", "0.5")...)
	if _, err := api.DeleteBucketPolicy(t.Context(),
		&s3.DeleteBucketPolicyInput{Bucket: aws.String("run")}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s.must(exitDone, args...)
}

// A service that does not come back ends a task after --give-up, and the same command goes on when it is back.
func testServiceAwayForGood(s *server) {
	t := s.t
	s.must(exitDone, "extract", filepath.Join(fixtures, "good", "arc"), "-o", "s3://run/away/facts")
	s.kill()
	began := time.Now()
	got := s.must(exitFailed, "resolve", "s3://run/away/facts", "-o", "s3://run/away/answers", "--give-up", "3s")
	if took := time.Since(began); took < 3*time.Second || took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if said := got.sentences(); len(said) != 2 || !strings.HasPrefix(said[0], "waiting for s3://run") ||
		!strings.HasSuffix(said[1], "(given up after 3s)") {
		t.Errorf("it says %q", said)
	}
	s.start()
	if s.checksKeys { // and keeps its objects
		s.must(exitDone, "resolve", "s3://run/away/facts", "-o", "s3://run/away/answers")
	}
}
