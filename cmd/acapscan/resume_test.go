package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// smallArchives writes so many archives of some sites into a folder, one of them cut.
func smallArchives(t *testing.T, n int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		var b []byte
		for site := range 3 {
			host := fmt.Sprintf("http://site%d.example", (i+site)%7)
			b = append(b, member(response(host+"/robots.txt", "text/plain",
				fmt.Sprintf("User-agent: *\nDisallow: /%d\nACAP-crawler: *\nACAP-disallow-crawl: /p\n", i)))...)
			b = append(b, member(response(fmt.Sprintf("%s/%d", host, i), "text/html", acapPage))...)
		}
		if i == 1 {
			b = b[:len(b)-20]
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.warc.gz", i)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// timeless is the content of a folder, of the manifest all but its times.
func timeless(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := content(t, folder)
	text, err := os.ReadFile(filepath.Join(folder, manifest.FileName))
	if errors.Is(err, os.ErrNotExist) {
		return all
	}
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "started")
	delete(m, "ended")
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	all[manifest.FileName] = string(text)
	return all
}

// Killed at any instant, again and again, the same command makes the output of an undisturbed run, byte for byte.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || !longtest.Enabled() {
		t.Skip("kills the program again and again")
	}
	program := programPath(t)
	random := newRandom(t)
	archives, store := smallArchives(t, 12), filepath.Join(t.TempDir(), "facts")
	must(t, exitIncomplete, "extract", archives, "-o", store)
	for _, c := range []struct {
		args  []string
		kills int
		inS3  bool
	}{
		{[]string{"scan", archives}, 20, false}, {[]string{"extract", archives}, 20, false},
		{[]string{"analyze", store}, 10, false},
		{[]string{"scan", archives}, 10, true}, {[]string{"analyze", store}, 6, true},
	} {
		name, fresh, local := c.args[0], func() string { return filepath.Join(t.TempDir(), "out") },
			func(out string) string { return out }
		if c.inS3 {
			b := newBucket(t, nil)
			runs := 0
			name, c.args = name+" to S3", append(c.args, b.flags...)
			fresh = func() string { runs++; return fmt.Sprintf("s3://run/%d", runs) }
			local = func(out string) string {
				dir := b.inFolder(t, strings.TrimPrefix(out, "s3://run/"))
				_ = os.Remove(filepath.Join(dir, "_conditional"))
				return dir
			}
		}
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			start := func(out string) *exec.Cmd {
				stderr.Reset()
				cmd := exec.CommandContext(t.Context(), program,
					append(slices.Clone(c.args), "-o", out, "--workers", "2")...)
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				return cmd
			}
			finish := func(out string) {
				t.Helper()
				var exit *exec.ExitError
				if err := start(out).Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitIncomplete {
					t.Fatalf("the run ends with %v; it says %q", err, stderr.String())
				}
			}
			undisturbed := fresh()
			began := time.Now()
			finish(undisturbed)
			took := time.Since(began)
			want := timeless(t, local(undisturbed))

			out, killed, begun := fresh(), 0, 0
			for range c.kills {
				cmd, after := start(out), time.Duration(random.Int64N(int64(took)))
				time.Sleep(after)
				_ = cmd.Process.Kill() // it may have ended
				if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
					if cmd.ProcessState.ExitCode() != exitIncomplete {
						t.Fatalf("the run ends with %v; it says %q", err, stderr.String())
					}
					sameContent(t, want, timeless(t, local(out)))
					out, took = fresh(), max(after, time.Millisecond) // other tests delayed the first run
					continue
				}
				killed++
				dir := local(out)
				if !exists(dir) {
					continue // it was killed before its first deed
				}
				for name := range content(t, dir) {
					if strings.HasSuffix(name, "000000.done") {
						begun++
					}
				}
				if random.IntN(3) == 0 {
					finish(out)
					sameContent(t, want, timeless(t, local(out)))
					out = fresh()
				}
			}
			finish(out)
			sameContent(t, want, timeless(t, local(out)))
			t.Logf("%d of %d killed before their end, %d with some inputs finished; a run takes %s", killed, c.kills,
				begun, took)
			if killed == 0 {
				t.Error("no run was killed before its end")
			}
		})
	}
}

// What is finished is not read again: here an input that is another by now, and as long.
func TestFinishedInputsAreNotReadAgain(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "a.warc"), filepath.Join(folder, "b.warc")
	put(t, first, string(response("http://a.example/1", "text/html", acapPage)))
	put(t, second, string(response("http://b.example/1", "text/html", acapPage)))
	out := filepath.Join(t.TempDir(), "facts")
	must(t, exitDone, "extract", folder, "-o", out)
	want := content(t, out)
	// As if the run had been killed before the second input.
	if err := os.Remove(filepath.Join(out, "000001.done")); err != nil {
		t.Fatal(err)
	}
	must(t, exitFailed, "analyze", out, "-o", filepath.Join(t.TempDir(), "tables"))
	put(t, first, string(response("http://a.example/2", "text/html", acapPage)))
	got := must(t, exitDone, "extract", folder, "-o", out)
	if !strings.Contains(got.stderr, "inputs       2") {
		t.Errorf("it says %q", got.stderr)
	}
	sameContent(t, want, content(t, out))

	put(t, first, string(response("http://a.example/longer", "text/html", acapPage)))
	refuses(t, "a.warc has changed", "extract", folder, "-o", out)
	refuses(t, "other options, pages", "extract", folder, "-o", out, "--pages", "all")
	must(t, exitDone, "extract", folder, "-o", out, "--overwrite")
}

// A second run in the same folder is refused while the first is at work, and nothing of the first is harmed.
func TestTwoAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	archive := write(t, "a.warc", numbered(1))
	store := factsOf(t)
	for verb, input := range map[string]string{"scan": archive, "extract": archive, "analyze": store} {
		t.Run(verb, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			release, err := storage.NewFolder(out).Lock(storage.Alone)
			if err != nil {
				t.Fatal(err)
			}
			refuses(t, out+" is in use", verb, input, "-o", out)
			release()
			must(t, exitDone, verb, input, "-o", out)
		})
	}
}

// removing takes a folder away with the first byte that is read.
type removing struct {
	*bytes.Reader
	folder string
}

func (r removing) Read(p []byte) (int, error) {
	if err := os.RemoveAll(r.folder); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func TestOutputFolderThatIsTakenAway(t *testing.T) {
	for _, verb := range []string{"scan", "extract"} {
		out := filepath.Join(t.TempDir(), "out")
		got := runWith(t.Context(), removing{bytes.NewReader(numbered(1)), out}, verb, "-", "-o", out)
		if said := got.sentences(); got.status != exitFailed || len(said) != 1 ||
			!strings.Contains(said[0], "was removed while") {
			t.Errorf("%s: exit status %d, it says %q", verb, got.status, got.stderr)
		}
		if diff := cmp.Diff(false, exists(filepath.Join(out, manifest.SuccessName))); diff != "" {
			t.Error("the run counts as finished")
		}
	}
}
