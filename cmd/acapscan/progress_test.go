package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// message is any message of --progress json.
type message map[string]any

func (m message) is(kind string) bool { return m["message_type"] == kind }

func (m message) count(t *testing.T, name string) int64 {
	t.Helper()
	n, ok := m[name].(float64)
	if !ok {
		t.Fatalf("%s is %v in %v", name, m[name], m)
	}
	return int64(n)
}

// messages parses stderr, each line of which must be a message.
func (o outcome) messages(t *testing.T) []message {
	t.Helper()
	var list []message
	for line := range strings.Lines(o.stderr) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["message_type"] == nil || m["time"] == nil {
			t.Fatalf("%q is no message: %v", line, err)
		}
		list = append(list, m)
	}
	if len(list) == 0 {
		t.Fatal("there is no message")
	}
	return list
}

func messagesOf(list []message, kind, stage string) []message {
	return slices.DeleteFunc(slices.Clone(list),
		func(m message) bool { return !m.is(kind) || stage != "" && m["stage"] != stage })
}

// The messages during a run add up to the last one, which has the counts of the summary and of the manifest.
func TestMessagesSumUp(t *testing.T) {
	t.Parallel()
	robots := response("http://a.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /x\n")
	good := write(t, "good.warc", append(robots, response("http://a.example/", "text/html", acapPage)...))
	bad := write(t, "bad.warc", []byte("no archive"))
	dir := t.TempDir()
	store, out := filepath.Join(dir, "facts"), filepath.Join(dir, "out")

	scanned := must(t, exitIncomplete, "scan", good, bad, "-o", out, "--progress", "json")
	list := scanned.messages(t)
	end := list[len(list)-1]
	counts, _ := end["counts"].(map[string]any)
	if !end.is("done") || end["verb"] != "scan" || end.count(t, "exit_status") != exitIncomplete ||
		scanned.stdout != "" {
		t.Fatalf("it ends with %v", end)
	}
	m, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatal(err)
	}
	wantCounts := map[string]any{}
	for name, n := range m.Counts {
		wantCounts[name] = float64(n)
	}
	if diff := cmp.Diff(wantCounts, counts); diff != "" {
		t.Errorf("counts (-manifest +message):\n%s", diff)
	}
	read := messagesOf(list, "progress", "extract")
	last := read[len(read)-1]
	for name, in := range map[string]string{"inputs_done": "inputs", "inputs_unreadable": "input_errors",
		"records": "records", "robots_captures": "robots_captures"} {
		if n := last.count(t, name); n == 0 || float64(n) != counts[in] {
			t.Errorf("%s ends as %d, and %s is %v", name, n, in, counts[in])
		}
	}
	failures := messagesOf(list, "input_failed", "")
	if len(failures) != int(m.Counts["input_errors"]) || failures[0]["input"] != bad ||
		!strings.Contains(fmt.Sprint(failures[0]["error"]), "not a WARC") {
		t.Errorf("failures: %v", failures)
	}
	if n := last.count(t, "bytes_read"); n != end.count(t, "bytes_read") ||
		n+last.count(t, "bytes_passed") != last.count(t, "bytes_total") || last.count(t, "acap_pages") != 1 {
		t.Errorf("the first stage ends with %v, the run with %v", last, end)
	}
	decided := messagesOf(list, "progress", "analyze")
	last = decided[len(decided)-1]
	if last.count(t, "sites") != m.Counts["sites"] || last.count(t, "sites_total") != m.Counts["sites"] ||
		last.count(t, "seconds_left") != 0 {
		t.Errorf("the second stage ends with %v", last)
	}
	if stages := messagesOf(list, "stage", ""); len(stages) != 2 || stages[0]["stage"] != "extract" ||
		stages[1]["stage"] != "analyze" {
		t.Errorf("stages: %v", stages)
	}

	again := must(t, exitIncomplete, "scan", good, bad, "-o", out, "--progress", "json").messages(t)
	if end := again[len(again)-1]; !end.is("done") || end["finished_before"] != true ||
		!cmp.Equal(end["counts"], any(counts)) {
		t.Errorf("once more: %v", again)
	}

	extracted := must(t, exitIncomplete, "extract", good, bad, "-o", store, "--progress", "json").messages(t)
	end = extracted[len(extracted)-1]
	if counts := end["counts"].(map[string]any); end["verb"] != "extract" || counts["inputs"] != 2.0 ||
		counts["input_errors"] != 1.0 || counts["records"] != 2.0 {
		t.Errorf("extract ends with %v", end)
	}
	analyzed := must(t, exitIncomplete, "analyze", store, "-o", filepath.Join(dir, "two"), "--progress",
		"json").messages(t)
	end = analyzed[len(analyzed)-1]
	if !cmp.Equal(end["counts"], any(counts)) || len(messagesOf(analyzed, "stage", "extract")) != 0 {
		t.Errorf("analyze ends with %v", end)
	}
}

func TestMessagesOfARunThatFails(t *testing.T) {
	file := write(t, "file", nil)
	for _, c := range []struct {
		name   string
		status int
		says   string
		args   []string
	}{
		{"no such input", exitFailed, "nowhere", []string{"scan", "nowhere", "-o", filepath.Join(t.TempDir(), "out")}},
		{"an output that is a file", exitFailed, "is a file", []string{"extract", file, "-o", file}},
		{"wrong usage", exitUsage, "--pages", []string{"scan", file, "-o", filepath.Join(t.TempDir(), "out"), "--pages",
			"some"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := must(t, c.status, append(c.args, "--progress", "json")...).messages(t)
			if end := list[0]; len(list) != 1 || !end.is("failed") || end.count(t, "exit_status") != int64(c.status) ||
				!strings.Contains(fmt.Sprint(end["error"]), c.says) {
				t.Errorf("it says %v", list)
			}
		})
	}
}

// Where stderr is no terminal no mode moves a cursor or uses a colour, and standard output stays empty.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	in := write(t, "a.warc", response("http://a.example/", "text/html", acapPage))
	for _, mode := range []progress.Mode{progress.Auto, progress.Bar, progress.Plain, progress.None, progress.JSON} {
		got := must(t, exitDone, "scan", in, "-o", filepath.Join(t.TempDir(), "out"), "--progress", string(mode))
		if strings.ContainsAny(got.stderr, "\x1b\r\b") || got.stdout != "" {
			t.Errorf("--progress %s: stdout %q, stderr %q", mode, got.stdout, got.stderr)
		}
	}
}

// SIGUSR1 asks the program, while it waits for more input, how far it is: in any mode it says so, and goes on.
func TestStatusSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals are not sent there")
	}
	program := programPath(t)
	some := bytes.Repeat(numbered(1), 3)
	for mode, says := range map[progress.Mode]string{
		progress.None: `^acapscan: reading .*, [0-9.]+ MB/s, time left unknown, since an input has no known size, 0 ` +
			`of 1 inputs, 0 robots\.txt, `,
		progress.Plain: `^acapscan: reading `,
		progress.JSON:  `^\{"message_type":"progress",.*"stage":"extract",.*"seconds_left":null,.*"bytes_total":null,`,
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program, "extract", "-", "-o", filepath.Join(t.TempDir(), "facts"),
				"--progress", string(mode))
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// more than a pipe holds: when it is written, the program reads
			for written := 0; written < 1<<20; written += len(some) {
				if _, err := stdin.Write(some); err != nil {
					t.Fatal(err)
				}
			}
			if err := sendStatusSignal(cmd.Process); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stderr)
			answered := false
			for !answered && lines.Scan() {
				answered = regexp.MustCompile(says).MatchString(lines.Text())
			}
			if !answered {
				t.Errorf("it ended without an answer")
			}
			stdin.Close()
			if _, err := io.Copy(io.Discard, stderr); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
