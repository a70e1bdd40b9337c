package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// numbered returns a record whose page is of no other.
func numbered(i int) []byte {
	page := fmt.Sprintf(`<html><head><meta name="robots" content="ACAP disallow-index"></head><body>%s</body></html>`,
		strings.Repeat(fmt.Sprint(i, " "), 200))
	return response(fmt.Sprintf("http://a.example/%d", i), "text/html", page)
}

// Bad input costs a record or a file, is said in a sentence, and has a row.
func TestBadInput(t *testing.T) {
	t.Parallel()
	one, two, three := member(numbered(1)), member(numbered(2)), member(numbered(3))
	flipped := bytes.Join([][]byte{one, two, three}, nil)
	flipped[len(one)+len(two)/2] ^= 0x10
	for _, c := range []struct {
		name     string
		content  []byte
		pages    string // of which a row is left
		complete bool
		says     []string
	}{
		{"empty.warc.gz", nil, "", false, []string{"empty"}},
		{"text.warc.gz", []byte(strings.Repeat("this is no archive\n", 1000)), "", false,
			[]string{"not a WARC or ARC archive"}},
		{"gzip.warc.gz", member([]byte("this is no archive")), "", false, []string{"not a WARC or ARC archive"}},
		{"flipped.warc.gz", flipped, "/1 /3", true, []string{fmt.Sprint("offset ", len(one))}},
		{"cut.warc.gz", flipped[:len(one)+len(two)-9], "/1", true, []string{fmt.Sprint("offset ", len(one))}},
		{"cut.warc", bytes.Join([][]byte{numbered(1), numbered(2)[:200]}, nil), "/1", true,
			[]string{fmt.Sprint("offset ", len(numbered(1)))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := write(t, c.name, c.content)
			good := write(t, "good.warc", numbered(7))
			out := filepath.Join(t.TempDir(), "out")
			// two unnamed crawls are a sentence of their own
			got := must(t, exitIncomplete, "scan", bad, good, "--crawl", "one", "-o", out)
			said := got.sentences()
			if len(said) != 1 || !strings.Contains(said[0], bad) {
				t.Fatalf("it says %q", said)
			}
			for _, text := range c.says {
				if !strings.Contains(said[0], text) {
					t.Errorf("%q lacks %q", said[0], text)
				}
			}
			inputs := map[string]table.Input{}
			for _, at := range rows[table.Input](t, out, table.Inputs) {
				inputs[at.Row.WARCFilename] = at.Row
			}
			if in := inputs[bad]; deref(in.Error) != said[0] || in.Complete != c.complete {
				t.Errorf("error %q, complete %v", deref(in.Error), in.Complete)
			}
			if in := inputs[good]; in.Error != nil || !in.Complete || in.PagesKept != 1 {
				t.Errorf("the good input suffers: %+v", in)
			}
			var kept []string
			for _, at := range rows[table.Page](t, out, table.Pages) {
				if deref(at.Row.WARCFilename) == bad && at.Row.ACAPMeta == 1 {
					kept = append(kept, deref(at.Row.Path))
				}
			}
			for _, page := range strings.Fields(c.pages) {
				if !strings.Contains(strings.Join(kept, " ")+" ", page+" ") {
					t.Errorf("page %s is lost: %q", page, kept)
				}
			}
			// extract says the same, and exits alike.
			extracted := must(t, exitIncomplete, "extract", bad, good, "--crawl", "one", "-o",
				filepath.Join(t.TempDir(), "facts"))
			if again := extracted.sentences(); len(again) != 1 || again[0] != said[0] {
				t.Errorf("extract says %q", again)
			}
		})
	}
}

func TestArgumentsThatAreNoInput(t *testing.T) {
	for name, args := range map[string][]string{
		"not there":                {filepath.Join(t.TempDir(), "nothing.warc.gz")},
		"a folder without archive": {t.TempDir()},
		"one there, one not":       {fixtures, "nothing.warc.gz"},
	} {
		for _, verb := range []string{"scan", "extract"} {
			t.Run(verb+" "+name, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out")
				got := must(t, exitFailed, append([]string{verb, "-o", out}, args...)...)
				if said := got.sentences(); len(said) != 1 || strings.Count(got.stderr, "\n") != 1 {
					t.Errorf("it says %q", got.stderr)
				}
				if _, err := os.Stat(out); err == nil {
					t.Error("the output folder was made")
				}
			})
		}
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	archive := write(t, "a.warc", numbered(1))
	store := factsOf(t)
	file := write(t, "file", []byte("mine"))
	busy := t.TempDir()
	put(t, filepath.Join(busy, storage.WorkFolder), "a file in the place of the work folder")
	commands := [][]string{{"scan", archive}, {"analyze", store}, {"extract", archive}}
	for name, out := range map[string]string{"a file": file, "below a file": filepath.Join(file, "out")} {
		for _, args := range commands {
			t.Run(args[0]+" to "+name, func(t *testing.T) { refuses(t, file, append(args, "-o", out)...) })
		}
	}
	for _, args := range commands[:2] {
		t.Run(args[0]+" where the work folder cannot be made", func(t *testing.T) {
			refuses(t, storage.WorkFolder, append(args, "-o", busy)...)
		})
	}
	t.Run("a folder without permission", func(t *testing.T) {
		if os.Getuid() == 0 || runtime.GOOS == "windows" {
			t.Skip("this user may write everywhere")
		}
		locked := t.TempDir()
		if err := os.Chmod(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		for _, args := range commands {
			refuses(t, locked, append(args, "-o", locked)...)
			refuses(t, locked, append(args, "-o", filepath.Join(locked, "out"))...)
		}
	})
	t.Run("no room for temporary files", func(t *testing.T) {
		t.Setenv("TMPDIR", filepath.Join(file, "tmp"))
		refuses(t, "tmp", "analyze", store, "-o", "-")
		refuses(t, "tmp", "extract", archive, "-o", "-")
	})
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// refuses checks that a command fails with one sentence that has a text in it.
func refuses(t *testing.T, says string, args ...string) {
	t.Helper()
	got := must(t, exitFailed, args...)
	if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], says) ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("it says %q", got.stderr)
	}
	if got.stdout != "" {
		t.Errorf("stdout has %q", got.stdout)
	}
}

// A disk that fills up while tables or facts are written.
func TestDiskThatFillsUp(t *testing.T) {
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		t.Skip("there is no prlimit to bound the size of files with")
	}
	program := programPath(t)
	store, answers := factsOf(t), filepath.Join(t.TempDir(), "answers")
	must(t, exitDone, "resolve", store, "-o", answers)
	for verb, args := range map[string][]string{
		"scan": {"scan", filepath.Join(fixtures, "good")}, "extract": {"extract", filepath.Join(fixtures, "good")},
		"a shard": {"extract", filepath.Join(fixtures, "good"), "--shard", "0/2"}, "analyze": {"analyze", store},
		"a bucket": {"analyze", store, answers, "--bucket", "0/1"},
	} {
		t.Run(verb, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			cmd := exec.CommandContext(t.Context(), prlimit,
				append(append([]string{"--fsize=2048", program}, args...), "-o", out)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
				t.Fatalf("%v; it says %q", err, stderr.String())
			}
			if strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "file too large") {
				t.Errorf("it says %q", stderr.String())
			}
			for _, name := range filesBelow(t, filepath.Dir(out)) {
				if strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, ".staged") ||
					strings.HasSuffix(name, facts.Extension) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// interrupting cancels the context after so many reads and then goes on as if nothing had happened.
type interrupting struct {
	record []byte
	rest   []byte
	after  int
	cancel context.CancelFunc
}

func (r *interrupting) Read(p []byte) (int, error) {
	if r.after--; r.after == 0 {
		r.cancel()
	}
	if len(r.rest) == 0 {
		r.rest = r.record
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// stuck cancels the context and then never returns from reading.
type stuck struct{ cancel context.CancelFunc }

func (r stuck) Read([]byte) (int, error) {
	r.cancel()
	select {}
}

func TestInterrupted(t *testing.T) {
	archive := write(t, "a.warc", numbered(1))
	for _, verb := range []string{"scan", "extract", "analyze"} {
		for name, stdin := range map[string]func(context.CancelFunc) io.Reader{
			"in the middle": func(cancel context.CancelFunc) io.Reader {
				return &interrupting{record: numbered(1), after: 20, cancel: cancel}
			},
			"while nothing comes": func(cancel context.CancelFunc) io.Reader { return stuck{cancel} },
			"before anything was begun": func(cancel context.CancelFunc) io.Reader {
				cancel()
				return strings.NewReader("")
			},
		} {
			if verb == "analyze" && name == "in the middle" {
				continue // what comes is no stream of facts, and that is found out first
			}
			t.Run(verb+" "+name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				out := filepath.Join(t.TempDir(), "out")
				done := make(chan outcome, 1)
				go func() { done <- runWith(ctx, stdin(cancel), verb, "-", "-o", out) }()
				var got outcome
				select { // the input has no end
				case got = <-done:
				case <-time.After(time.Minute):
					t.Fatal("it does not stop")
				}
				if got.status != exitInterrupted || got.stderr != "acapscan: interrupted\n" || got.stdout != "" {
					t.Errorf("exit status %d, stderr %q, stdout %q", got.status, got.stderr, got.stdout)
				}
				if _, err := os.Stat(out); err == nil {
					for _, name := range filesBelow(t, out) {
						if name != job.PlanFile {
							t.Errorf("%s is left", name)
						}
					}
				}
				// The folder can be used as if nothing had been.
				if verb == "scan" {
					must(t, exitDone, verb, archive, "-o", out)
				}
			})
		}
	}
}

// The second stage is interrupted too: here when it has read its facts.
func TestInterruptedBetweenTheStages(t *testing.T) {
	stream := must(t, exitDone, "extract", filepath.Join(fixtures, "good"), "-o", "-").stdout
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "out")
	got := runWith(ctx, &cancelling{strings.NewReader(stream), cancel}, "analyze", "-", "-o", out)
	if got.status != exitInterrupted || got.stderr != "acapscan: interrupted\n" {
		t.Errorf("exit status %d, stderr %q", got.status, got.stderr)
	}
	if _, err := os.Stat(filepath.Join(out, manifest.SuccessName)); err == nil {
		t.Error("the run counts as finished")
	}
}

// cancelling cancels with the last byte that is read.
type cancelling struct {
	*strings.Reader
	cancel context.CancelFunc
}

func (c *cancelling) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.Len() == 0 {
		c.cancel()
	}
	return n, err
}

// A run that is killed at any moment leaves either nothing that counts as finished, or all of it; and the same command
// makes it whole.
func TestKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || !longtest.Enabled() {
		t.Skip("kills the program again and again")
	}
	program := programPath(t)
	good := filepath.Join(fixtures, "good")
	want := content(t, onceScan(t, exitDone, good))
	out := filepath.Join(t.TempDir(), "out")
	killed := 0
	for step := range 12 {
		cmd := exec.CommandContext(t.Context(), program, "scan", good, "-o", out, "--overwrite")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+60*step) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended
		if err := cmd.Wait(); err != nil {
			killed++
		}
		if _, err := os.Stat(filepath.Join(out, manifest.SuccessName)); err != nil {
			continue
		}
		got := content(t, out)
		for name := range got {
			if strings.HasPrefix(name, storage.WorkFolder+"/") || name == storage.LockFile {
				delete(got, name) // of the run that was killed, next to the tables of the one before
			}
		}
		sameContent(t, want, got)
	}
	if killed == 0 {
		t.Error("no run was killed in time")
	}
	must(t, exitDone, "scan", good, "-o", out)
	must(t, exitDone, "scan", good, "-o", out, "--overwrite")
	sameContent(t, want, content(t, out))
}

// A run over a finished folder that is interrupted leaves the finished tables alone.
func TestInterruptedOverwrite(t *testing.T) {
	out := scanOf(t, exitDone, write(t, "a.warc", numbered(1)))
	want := content(t, out)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := runWith(ctx, &interrupting{record: numbered(2), after: 20, cancel: cancel}, "scan", "-", "-o", out,
		"--overwrite")
	if got.status != exitInterrupted {
		t.Errorf("exit status %d: %s", got.status, got.stderr)
	}
	sameContent(t, want, content(t, out))
}

// The signal itself, sent to the program while it waits for input.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals are not sent there")
	}
	program := programPath(t)
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.CommandContext(t.Context(), program, "scan", "-", "-o", out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := stdin.Write(numbered(1)); err != nil {
			t.Fatal(err)
		}
	}
	for range 500 { // until the run has begun
		if _, err := os.Stat(filepath.Join(out, storage.WorkFolder)); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
			t.Errorf("%v; it says %q", err, stderr.String())
		}
	case <-time.After(10 * time.Second):
		cmd.Process.Kill() // the test has failed already
		t.Fatal("it does not stop")
	}
	if left := filesBelow(t, out); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// SIGINT and SIGTERM end the verbs that may take long, with status 130, although nothing comes on its standard input;
// the inputs that were finished stay for the next run.
func TestSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals there")
	}
	program := programPath(t)
	archive := write(t, "a.warc", numbered(1))
	for name, c := range map[string]struct {
		signal os.Signal
		args   []string
		out    bool
		kept   string
	}{
		"scan":    {syscall.SIGTERM, []string{"scan", archive, "-", "--workers", "1"}, true, "_work/facts/000000.done"},
		"extract": {syscall.SIGINT, []string{"extract", archive, "-", "--workers", "1"}, true, "000000.done"},
		"a shard": {syscall.SIGTERM, []string{"extract", archive, "-", "--workers", "1", "--shard", "0/1"}, true,
			"000000.done"},
		"analyze": {syscall.SIGINT, []string{"analyze", "-"}, true, ""},
		"resolve": {syscall.SIGTERM, []string{"resolve", "-"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			if c.out {
				c.args = append(c.args, "-o", out)
			}
			cmd := exec.CommandContext(t.Context(), program, c.args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe() // which no one writes to
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 200 { // until it has begun to wait
				time.Sleep(50 * time.Millisecond)
				if c.kept == "" || exists(filepath.Join(out, c.kept)) {
					break
				}
			}
			if c.kept == "" {
				time.Sleep(300 * time.Millisecond)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop() // it waits for what never comes
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted ||
				!strings.HasSuffix(stderr.String(), "acapscan: interrupted\n") {
				t.Errorf("%v; it says %q", err, stderr.String())
			}
			if c.kept != "" && !exists(filepath.Join(out, c.kept)) {
				t.Errorf("%s is gone", c.kept)
			}
		})
	}
}

// What is interrupted before it is finished is not finished, whatever it would have taken.
func TestInterruptedBeforeTheEnd(t *testing.T) {
	store := factsOf(t)
	answers, out := filepath.Join(t.TempDir(), "answers"), filepath.Join(t.TempDir(), "out")
	tables := scanOf(t, exitDone, write(t, "a.warc", numbered(1)))
	for _, name := range []string{"_SUCCESS", "_manifest.json"} {
		if err := os.Remove(filepath.Join(tables, name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	interrupted := func(args ...string) {
		t.Helper()
		got := runWith(ctx, strings.NewReader(""), args...)
		if want := "acapscan: interrupted; run the same command again to continue\n"; got.status != exitInterrupted ||
			got.stderr != want {
			t.Errorf("%s: exit status %d, it says %q", args[0], got.status, got.stderr)
		}
	}
	interrupted("complete", tables)
	interrupted("resolve", store, "-o", answers)
	for _, name := range []string{filepath.Join(tables, "_SUCCESS"), filepath.Join(answers, job.MarkerName(0))} {
		if exists(name) {
			t.Errorf("there is %s", name)
		}
	}
	must(t, exitDone, "resolve", store, "-o", answers)
	interrupted("analyze", store, answers, "--bucket", "0/1", "-o", out)
	refuses(t, "lacks 1 of 1 buckets", "complete", out)
	must(t, exitDone, "analyze", store, answers, "--bucket", "0/1", "-o", out)
	must(t, exitDone, "complete", out)
}

// A full disk behind standard output is a sentence.
func TestStandardOutputThatIsFull(t *testing.T) {
	store := factsOf(t)
	for _, args := range [][]string{{"extract", filepath.Join(fixtures, "good", "arc"), "-o", "-"},
		{"analyze", store, "-o", "-"}, {"resolve", store}} {
		var stderr bytes.Buffer
		status := Run(t.Context(), args, strings.NewReader(""), failing{syscall.ENOSPC}, &stderr)
		if status != exitFailed || !strings.Contains(stderr.String(), "no space") ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit status %d, it says %q", args[0], status, stderr.String())
		}
	}
}
