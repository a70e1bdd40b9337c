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
	name        string
	program     string // below the folder of servicesVariable
	key, secret string
	args        func(data, port string) []string
	env         func(port string) []string
	// conditional means that the service supports conditional PUTs.
	conditional bool
	// crashes means that the service may be killed at any moment, and keeps its objects.
	crashes bool
	// admit makes a user who may do what a policy says, and lets nobody else do anything until undo is called. nil: it
	// knows no users.
	admit func(s *server, statements string) (key, secret string, undo func())
}

var services = []service{
	{
		name: "versitygw", program: "bin/versitygw", key: "key", secret: "secret", // keeps objects as files
		args: func(data, port string) []string {
			return []string{"--quiet", "--port", "127.0.0.1:" + port, "--iam-dir", filepath.Join(data, "users"),
				"posix", filepath.Join(data, "buckets")}
		},
		env:         func(string) []string { return []string{"ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=secret"} },
		conditional: true, crashes: true, admit: admitToVersitygw,
	},
	{
		name: "moto", program: "venv/bin/moto_server", key: "key", secret: "secret", // keeps objects in memory
		args:        motoArgs,
		env:         motoEnv,
		conditional: true, admit: admitToMoto,
	},
	{
		name: "moto-old", program: "venv-old/bin/moto_server", key: "key", secret: "secret",
		args: motoArgs,
		env:  motoEnv,
	},
}

func motoArgs(_, port string) []string { return []string{"-H", "127.0.0.1", "-p", port} }

func motoEnv(port string) []string {
	return []string{"MOTO_S3_CUSTOM_ENDPOINTS=http://127.0.0.1:" + port}
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
	if !exists(filepath.Join(tools, of.program)) {
		t.Skipf("make services did not install %s", of.name)
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
		"AWS_ACCESS_KEY_ID": of.key, "AWS_SECRET_ACCESS_KEY": of.secret, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": filepath.Join(data, "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(data, "none"),
	} {
		t.Setenv(name, value)
	}
	s.start()
	t.Cleanup(s.kill)
	if strings.HasPrefix(of.name, "moto") {
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
	s.process = exec.Command(filepath.Join(s.tools, s.program), s.args(s.data, s.port)...)
	s.process.Env = append(os.Environ(), s.env(s.port)...)
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

// awayWhile calls do. Meanwhile the server is away once: it is killed at a random moment, or only stopped, and works
// again some seconds later.
func (s *server) awayWhile(do func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(time.Duration(200+rand.IntN(1500)) * time.Millisecond)
		if s.crashes {
			s.kill()
			time.Sleep(3 * time.Second)
			s.start()
			return
		}
		_ = s.process.Process.Signal(syscall.SIGSTOP)
		time.Sleep(3 * time.Second)
		_ = s.process.Process.Signal(syscall.SIGCONT)
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
			if conditional != of.conditional {
				t.Errorf("conditional PUTs: %t, want %t", conditional, of.conditional)
			}
			t.Run("array job", s.in(testServiceArrayJob))
			t.Run("readers", s.in(testServiceReaders))
			t.Run("tasks of one bucket", s.in(testServiceTasksOfOneBucket))
			t.Run("large objects", s.in(testServiceLargeObjects))
			t.Run("slow answers", s.in(testServiceSlowAnswers))
			t.Run("large files", s.in(testServiceLargeFiles))
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

// The service is away while an array job is at work.
func testServiceArrayJob(s *server) { s.arrayJob("job", s.awayWhile) }

// arrayJob runs the tasks of each step in random order, several at a time, some twice at once, some killed. disturbed
// calls what it is given. The tables have the rows of a scan.
func (s *server) arrayJob(name string, disturbed func(do func())) {
	t := s.t
	t.Helper()
	const shards, buckets = 3, 3
	job := newArrayJob(t)
	archives := filepath.Join(fixtures, "good", "crawl-data")
	onceScan(t, exitDone, archives) // other tests need it, so that it is not in the folder that comes
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	facts, answers, out := "s3://run/"+name+"/facts", "s3://run/"+name+"/answers", "s3://run/"+name+"/tables"
	args := func(more ...string) []string { return append(more, s.flags...) }
	disturbed(func() {
		job.array(shards, func(i int) []string {
			return args("extract", archives, "--shard", fmt.Sprintf("%d/%d", i, shards), "-o", facts, "--workers", "1")
		})
	})
	disturbed(func() {
		job.resolveInSteps(2, func(more ...string) []string {
			return args(append([]string{"resolve", facts, "-o", answers}, more...)...)
		})
	})
	disturbed(func() {
		job.array(buckets, func(i int) []string {
			return args("analyze", facts, answers, "--bucket", fmt.Sprintf("%d/%d", i, buckets), "-o", out,
				"--workers", "1")
		})
	})
	job.must(50*time.Millisecond, args("complete", out))
	sameAsScan(t, archives, s.download(name+"/tables"))
	got := s.must(exitDone, "extract", archives, "-o", "s3://run/"+name+"/more")
	if warned := strings.Contains(got.stderr, "knows no conditional PUT"); warned == s.conditional {
		t.Errorf("it says %q", got.stderr)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "acapscan-*")); err != nil || len(left) > 0 {
		t.Errorf("killed tasks left %q (%v)", left, err)
	}
	t.Logf("%d tasks were killed", job.killed.Load())
}

// download copies finished tables to a folder.
func (s *server) download(name string) string {
	s.t.Helper()
	tables := s.t.TempDir()
	for name, text := range s.content(name) {
		file := filepath.Join(tables, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
		if strings.HasPrefix(name, storage.WorkFolder+"/") {
			s.t.Errorf("left is %s", name)
		}
	}
	return tables
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
	t.Setenv("AWS_ENDPOINT_URL_S3", s.url())
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("HOME", t.TempDir()) // for the extensions of DuckDB
	t.Setenv("PYTHONPATH", absolute(t, "../acapscan-python/src"))
	readers := absolute(t, "../../.venv/bin/python") // has no extensions of DuckDB
	duckdb := filepath.Join(s.tools, "venv", "bin", "python")
	s.python(duckdb, installExtensions)
	text, err := os.ReadFile("../../docs/remote.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(python|sql)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 4 {
		t.Fatalf("%d readers", len(blocks))
	}
	found := ""
	for _, block := range blocks {
		program, code := readers, strings.ReplaceAll(block[2], "BUCKET", "run")
		switch {
		case block[1] == "sql":
			program, code = duckdb, fmt.Sprintf(runSQL, strings.NewReplacer("'KEY'", "'"+s.key+"'", "'SECRET'",
				"'"+s.secret+"'", "https://", "", "storage.example.org:9000", "127.0.0.1:"+s.port, "USE_SSL true",
				"USE_SSL false").Replace(code))
		case strings.Contains(code, "import acapscan"):
			program = duckdb
		case !exists(readers):
			t.Log("make readers installs what else reads tables")
			continue
		}
		said := s.python(program, code)
		for line := range strings.Lines(said) {
			if found == "" {
				found = line
			} else if line != found {
				t.Errorf("one reader finds %q, another %q", found, line)
			}
		}
		if said == "" {
			t.Errorf("nothing is found by %s", code)
		}
	}
	if rows := fmt.Sprintln(len(rows[table.Adoption](t, local, table.Adoptions))); found != rows {
		t.Errorf("the readers find %q rows, there are %q", found, rows)
	}

	// Credentials of a file, options of the command, and a site explained.
	keys := fmt.Sprintf("[other]\naws_access_key_id = %s\naws_secret_access_key = %s\n", s.key, s.secret)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", write(t, "credentials", []byte(keys)))
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_S3"} {
		t.Setenv(name, "")
	}
	said := s.python(duckdb, fmt.Sprintf(`import acapscan
run = acapscan.tables("s3://run/run/", s3_profile="other", s3_endpoint=%q, s3_region="us-east-1")
print(len(run["adoption"].relation()), run.manifest["tables"]["adoption"]["rows"], run)
try:
    acapscan.tables("s3://run/nothing", s3_profile="other", s3_endpoint=%[1]q, s3_region="us-east-1")
except FileNotFoundError as error:
    print(error)
`, s.url()))
	want = strings.TrimSpace(found)
	want = fmt.Sprintf("%s %[1]s acapscan.tables('s3://run/run')\ns3://run/nothing holds no finished run of acapscan\n",
		want)
	if said != want {
		t.Errorf("with a profile: %q, want %q", said, want)
	}
}

// python runs Python, and returns what it prints.
func (s *server) python(program, code string) string {
	s.t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), program, "-c", code)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.t.Errorf("%v: %s", err, said.String())
	}
	return string(out)
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	name, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// installExtensions puts the extensions of DuckDB where INSTALL would put them.
const installExtensions = `import duckdb, importlib.util, pathlib, shutil
platform = duckdb.sql("PRAGMA platform").fetchall()[0][0]
folder = pathlib.Path.home() / ".duckdb" / "extensions" / f"v{duckdb.__version__}" / platform
folder.mkdir(parents=True)
for name in ("httpfs", "aws"):
    package = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").origin).parent
    (file,) = package.rglob("*.duckdb_extension")
    shutil.copy(file, folder)
`

// runSQL runs a script as the command duckdb would: it reads the file that .read names, here from S3.
const runSQL = `import duckdb
before, _, after = """%s""".partition(".read views.sql")
duckdb.execute(before)
(name,) = duckdb.execute("SELECT getvariable('acapscan_tables') || '/views.sql'").fetchone()
duckdb.execute(duckdb.execute("SELECT content FROM read_text(?)", [name]).fetchone()[0])
print(duckdb.execute(after).fetchone()[0])
`

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
	if s.admit == nil {
		return
	}
	key, _, undo := s.admit(s, `{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}`)
	defer undo()
	t.Setenv("AWS_ACCESS_KEY_ID", key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	check("SignatureDoesNotMatch", "extract", "--paths", list, "--base-url", "s3://run/", "-o",
		filepath.Join(t.TempDir(), "facts"))
	steps("run/mistake", "403 Forbidden")
	t.Setenv("AWS_ACCESS_KEY_ID", "another")
	check("InvalidAccessKeyId", "extract", "--paths", list, "--base-url", "s3://run/", "-o",
		filepath.Join(t.TempDir(), "facts"))
	steps("run/mistake", "403 Forbidden")
}

// Objects that may not be read cost themselves, and no others.
func testServiceDeniedObjects(s *server) {
	t := s.t
	if s.admit == nil {
		t.Skip("it refuses nothing")
	}
	store := s.folder("archives")
	var list []byte
	for _, name := range []string{"a", "b", "c"} {
		list = fmt.Appendf(list, "%s.warc\n", name)
		if err := store.Put(storage.Entry{Name: name + ".warc", Content: numbered(1)}); err != nil {
			t.Fatal(err)
		}
	}
	key, secret, undo := s.admit(s, `{"Effect": "Allow", "Action": "s3:*", "Resource": ["arn:aws:s3:::run",
			"arn:aws:s3:::run/*"]},
		{"Effect": "Deny", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::run/archives/b.warc"}`)
	t.Setenv("AWS_ACCESS_KEY_ID", key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	paths := write(t, "list", list)
	args := []string{"extract", "--paths", paths, "--base-url", "s3://run/archives/", "-o", "s3://run/denied/facts"}
	got := s.must(exitIncomplete, args...)
	if said := got.sentences(); len(said) != 1 ||
		!strings.Contains(said[0], "archives/b.warc: the server answered 403") ||
		!strings.Contains(got.stderr, "inputs       3, of which 1 unreadable") {
		t.Errorf("it says %q", got.stderr)
	}
	s.must(exitDone, append(args, "--min-complete", "0.5")...)
	undo()
	t.Setenv("AWS_ACCESS_KEY_ID", s.key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s.secret)
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
	if s.crashes {
		s.must(exitDone, "resolve", "s3://run/away/facts", "-o", "s3://run/away/answers")
	}
}

// policyDocument is a policy of statements.
const policyDocument = `{"Version": "2012-10-17", "Statement": [%s]}`

// admitToVersitygw makes a user with a policy of the bucket. Only the user and the owner of the server may do anything.
func admitToVersitygw(s *server, statements string) (key, secret string, undo func()) {
	t := s.t
	t.Helper()
	admin := exec.Command(filepath.Join(s.tools, s.program), "admin", "--access", s.key, "--secret", s.secret,
		"--endpoint-url", s.url(), "create-user", "--access", "user", "--secret", "hidden", "--role", "user")
	if said, err := admin.CombinedOutput(); err != nil && !strings.Contains(string(said), "exist") {
		t.Fatalf("%v: %s", err, said)
	}
	statements = strings.ReplaceAll(statements, `"Action"`, `"Principal": {"AWS": ["user"]}, "Action"`)
	statements = strings.ReplaceAll(statements, `"Resource": "*"`,
		`"Resource": ["arn:aws:s3:::run", "arn:aws:s3:::run/*"]`)
	policy := fmt.Sprintf(policyDocument, statements)
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: s.key, SecretAccessKey: s.secret}, nil
	})
	api := s3.NewFromConfig(aws.Config{Region: "us-east-1", Credentials: keys},
		func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = aws.String(s.url()), true })
	if _, err := api.PutBucketPolicy(t.Context(), &s3.PutBucketPolicyInput{Bucket: aws.String("run"),
		Policy: &policy}); err != nil {
		t.Fatal(err)
	}
	return "user", "hidden", func() {
		_, err := api.DeleteBucketPolicy(t.Context(), &s3.DeleteBucketPolicyInput{Bucket: aws.String("run")})
		if err != nil {
			t.Error(err)
		}
	}
}

// motoUser makes a user of moto.
const motoUser = `import sys, boto3
iam = boto3.client("iam", endpoint_url=sys.argv[1], region_name="us-east-1")
name = "user" + str(len(iam.list_users()["Users"]))
iam.create_user(UserName=name)
iam.put_user_policy(UserName=name, PolicyName="policy", PolicyDocument=sys.argv[2])
made = iam.create_access_key(UserName=name)["AccessKey"]
print(made["AccessKeyId"], made["SecretAccessKey"])
`

// admitToMoto makes a user with a policy, and then lets moto check keys.
func admitToMoto(s *server, statements string) (key, secret string, undo func()) {
	t := s.t
	t.Helper()
	said, err := exec.CommandContext(t.Context(), filepath.Join(s.tools, "venv", "bin", "python"), "-c", motoUser,
		s.url(), fmt.Sprintf(policyDocument, statements)).Output()
	made := strings.Fields(string(said))
	if err != nil || len(made) != 2 {
		t.Fatalf("%v: %s", err, said)
	}
	unchecked := func(requests string) {
		t.Helper()
		resp, err := http.Post(s.url()+"/moto-api/reset-auth", "text/plain", strings.NewReader(requests))
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%v, %+v", err, resp)
		}
		resp.Body.Close()
	}
	unchecked("0")
	return made[0], made[1], func() { unchecked("inf") }
}
