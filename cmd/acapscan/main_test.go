package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

var update = flag.Bool("update", false,
	"write the output of the program into the scripts of testdata/script, README.md and docs")

// fixtures and real are archives to scan: our own, and those of others, which may be absent.
const (
	fixtures = "../../testdata/warc"
	real     = "../../../shared/data/warc"
	realACAP = "../../../shared/data/acap"
)

// manyFixtures are all fixtures but the hostile ones, which take ten times as long as all others.
func manyFixtures() []string {
	return []string{filepath.Join(fixtures, "good"), filepath.Join(fixtures, "damaged"),
		filepath.Join(fixtures, "series")}
}

func TestMain(m *testing.M) {
	testscript.Main(tidyTests{m}, map[string]func(){"acapscan": main})
}

// tidyTests removes what tests shared when the last of them is done.
type tidyTests struct{ *testing.M }

func (m tidyTests) Run() int {
	useMemory()
	defer func() { _ = os.RemoveAll(shared.folder) }()
	return m.M.Run()
}

// shared are the outputs of runs that several tests look at, and none changes: each is made once, by the first that
// asks.
var shared struct {
	mu     sync.Mutex
	folder string
	runs   map[string]*sharedRun
}

type sharedRun struct {
	once sync.Once
	out  string
	outcome
}

// onceOf runs the program with an output folder, unless a test did so before with the same arguments. Who changes the
// output copies it first.
func onceOf(t *testing.T, status int, args ...string) (out string, got outcome) {
	t.Helper()
	r := sharedRunOf(t, strings.Join(args, "\x00"))
	r.once.Do(func() {
		var stdout, stderr bytes.Buffer // not of the context of the test, which may end before others look
		r.status = Run(context.Background(), append(slices.Clone(args), "-o", r.out), strings.NewReader(""), &stdout,
			&stderr)
		r.stdout, r.stderr = stdout.String(), stderr.String()
	})
	if r.status != status {
		t.Fatalf("acapscan %s: exit status %d, want %d; it says:\n%s", strings.Join(args, " "), r.status, status,
			r.stderr)
	}
	return r.out, r.outcome
}

func sharedRunOf(t *testing.T, key string) *sharedRun {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.runs == nil {
		folder, err := os.MkdirTemp("", "acapscan-test-")
		if err != nil {
			t.Fatal(err)
		}
		shared.folder, shared.runs = folder, map[string]*sharedRun{}
	}
	r := shared.runs[key]
	if r == nil {
		r = &sharedRun{out: filepath.Join(shared.folder, fmt.Sprint(len(shared.runs)))}
		shared.runs[key] = r
	}
	return r
}

// onceScan is onceOf for what a scan of inputs writes, by default.
func onceScan(t *testing.T, status int, inputs ...string) string {
	t.Helper()
	out, _ := onceOf(t, status, append([]string{"scan"}, inputs...)...)
	return out
}

// TestScripts runs the scripts of testdata/script: what people see of the program, word for word.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"archive": archiveCommand,
			"status": statusCommand},
	})
}

// archiveCommand is 'archive OUT URL=FILE…': it makes a WARC of answers with the files as bodies, gzipped if OUT ends
// in .gz.
func archiveCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: archive OUT URL=FILE…")
	}
	types := map[string]string{".txt": "text/plain", ".html": "text/html", ".xml": "application/xml"}
	var out []byte
	for _, arg := range args[1:] {
		url, file, _ := strings.Cut(arg, "=")
		r := response(url, types[path.Ext(file)], ts.ReadFile(file))
		if strings.HasSuffix(args[0], ".gz") {
			r = member(r)
		}
		out = append(out, r...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o644))
}

// statusCommand is 'status N PROGRAM ARG…': it runs a program that must end with that exit status.
func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM ARG…")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// outcome is what a run of the program left.
type outcome struct {
	status         int
	stdout, stderr string
}

// run runs the program with nothing on its standard input.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	return runWith(t.Context(), strings.NewReader(""), args...)
}

func runWith(ctx context.Context, stdin io.Reader, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	status := Run(ctx, args, stdin, &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// programPath is where testscript.Main has put this program, for tests that need a process of its own.
func programPath(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("acapscan")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// newRandom gives other numbers in each run of the tests, and says from which seed.
func newRandom(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// must runs the program and ends the test unless it exits with that status.
func must(t *testing.T, status int, args ...string) outcome {
	t.Helper()
	got := run(t, args...)
	if got.status != status {
		t.Fatalf("acapscan %s: exit status %d, want %d; it says:\n%s", strings.Join(args, " "), got.status, status,
			got.stderr)
	}
	return got
}

// sentences returns the lines of stderr that the program says of its own, without its name.
func (o outcome) sentences() []string {
	var list []string
	for line := range strings.Lines(o.stderr) {
		if said, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "acapscan: "); ok {
			list = append(list, said)
		}
	}
	return list
}

// response returns a WARC response record.
func response(url, mediaType, body string) []byte {
	http := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", mediaType, len(body),
		body)
	return fmt.Appendf(nil,
		"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: "+
			"2012-05-17T08:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, len(http), http)
}

// member returns the content as a gzip member.
func member(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content) // into memory: no error
	z.Close()
	return b.Bytes()
}

const acapPage = `<!DOCTYPE html><html><head><meta name="robots" content="ACAP ` +
	`disallow-index"></head><body></body></html>`

// write writes a file into a new folder and returns its name.
func write(t *testing.T, name string, content ...[]byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, bytes.Join(content, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// need skips the test where files of others are not at hand.
func need(t *testing.T, folder string) {
	t.Helper()
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the real files to test with are not at hand")
	}
}

// filesBelow lists the files below a folder, sorted, with slashes.
func filesBelow(t *testing.T, folder string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, err = filepath.Rel(folder, name)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// content reads all files below a folder but the manifest, which has the times of the run.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range filesBelow(t, folder) {
		if name == manifest.FileName {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

// sameContent compares two folders file by file, the manifest left out.
func sameContent(t *testing.T, want, got map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if other, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if other != want[name] {
			t.Errorf("%s has other bytes", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there for no reason", name)
		}
	}
}

// located is a row with its partition.
type located[T any] struct {
	Crawl, Subset string
	Row           T
}

// rows reads a table, in the order of its files.
func rows[T any](t *testing.T, dir string, name table.Name) []located[T] {
	t.Helper()
	var list []located[T]
	for _, file := range filesBelow(t, filepath.Join(dir, string(name))) {
		r, err := parquet.Open[T](filepath.Join(dir, string(name), file))
		if err != nil {
			t.Fatal(err)
		}
		at := located[T]{}
		for _, folder := range strings.Split(file, "/") {
			if value, ok := strings.CutPrefix(folder, "crawl="); ok {
				at.Crawl = value
			}
			if value, ok := strings.CutPrefix(folder, "subset="); ok {
				at.Subset = value
			}
		}
		batch := make([]T, 500)
		for {
			n, err := r.Read(batch)
			for _, row := range batch[:n] {
				at.Row = row
				list = append(list, at)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// only returns the one row of a table inputs.
func only(t *testing.T, dir string) table.Input {
	t.Helper()
	list := rows[table.Input](t, dir, table.Inputs)
	if len(list) != 1 {
		t.Fatalf("%d rows in inputs, want 1", len(list))
	}
	return list[0].Row
}

// deref is the value of a nullable column, the zero value for null.
func deref[T any](p *T) T {
	var none T
	return *cmp.Or(p, &none)
}
