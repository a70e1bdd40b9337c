package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// message is any message of --progress json.
type message map[string]any

func (m message) is(t messageType) bool { return m["message_type"] == string(t) }

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

func messagesOf(list []message, t messageType, stage string) []message {
	return slices.DeleteFunc(slices.Clone(list), func(m message) bool { return !m.is(t) || stage != "" && m["stage"] != stage })
}

// What the messages say while a run goes on comes to what the last one says, and that is what people are told and the
// manifest holds.
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
	if !end.is(messageDone) || end["verb"] != "scan" || end.count(t, "exit_status") != exitIncomplete || scanned.stdout != "" {
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
	read := messagesOf(list, messageProgress, "extract")
	last := read[len(read)-1]
	for name, in := range map[string]string{"inputs_done": "inputs", "inputs_unreadable": "input_errors", "records": "records", "robots_captures": "robots_captures"} {
		if n := last.count(t, name); n == 0 || float64(n) != counts[in] {
			t.Errorf("%s ends as %d, and %s is %v", name, n, in, counts[in])
		}
	}
	failures := messagesOf(list, messageInputFailed, "")
	if len(failures) != int(m.Counts["input_errors"]) || failures[0]["input"] != bad || !strings.Contains(fmt.Sprint(failures[0]["error"]), "not a WARC") {
		t.Errorf("failures: %v", failures)
	}
	if n := last.count(t, "bytes_read"); n != end.count(t, "bytes_read") || n+last.count(t, "bytes_passed") != last.count(t, "bytes_total") || last.count(t, "acap_pages") != 1 {
		t.Errorf("the first stage ends with %v, the run with %v", last, end)
	}
	decided := messagesOf(list, messageProgress, "analyze")
	last = decided[len(decided)-1]
	if last.count(t, "sites") != m.Counts["sites"] || last.count(t, "buckets_done") != last.count(t, "buckets_total") || last.count(t, "seconds_left") != 0 {
		t.Errorf("the second stage ends with %v", last)
	}
	if stages := messagesOf(list, messageStage, ""); len(stages) != 2 || stages[0]["stage"] != "extract" || stages[1]["stage"] != "analyze" {
		t.Errorf("stages: %v", stages)
	}

	again := must(t, exitIncomplete, "scan", good, bad, "-o", out, "--progress", "json").messages(t)
	if end := again[len(again)-1]; !end.is(messageDone) || end["finished_before"] != true || !cmp.Equal(end["counts"], any(counts)) {
		t.Errorf("once more: %v", again)
	}

	extracted := must(t, exitIncomplete, "extract", good, bad, "-o", store, "--progress", "json").messages(t)
	end = extracted[len(extracted)-1]
	if counts := end["counts"].(map[string]any); end["verb"] != "extract" || counts["inputs"] != 2.0 || counts["input_errors"] != 1.0 || counts["records"] != 2.0 {
		t.Errorf("extract ends with %v", end)
	}
	analyzed := must(t, exitIncomplete, "analyze", store, "-o", filepath.Join(dir, "two"), "--progress", "json").messages(t)
	end = analyzed[len(analyzed)-1]
	if !cmp.Equal(end["counts"], any(counts)) || len(messagesOf(analyzed, messageStage, "extract")) != 0 {
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
		{"wrong usage", exitUsage, "--pages", []string{"scan", file, "-o", filepath.Join(t.TempDir(), "out"), "--pages", "some"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := must(t, c.status, append(c.args, "--progress", "json")...).messages(t)
			if end := list[0]; len(list) != 1 || !end.is(messageFailed) || end.count(t, "exit_status") != int64(c.status) || !strings.Contains(fmt.Sprint(end["error"]), c.says) {
				t.Errorf("it says %v", list)
			}
		})
	}
}

// docs/progress.md names every field of every message, and no other.
func TestMessagesAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../../docs/progress.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (?:string|number|integer|boolean|object)").FindAllStringSubmatch(string(text), -1) {
		described[row[1]] = true
	}
	fields := map[string]bool{}
	var collect func(reflect.Type)
	collect = func(t reflect.Type) {
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous {
				collect(f.Type.Elem())
			} else {
				fields[f.Tag.Get("json")] = true
			}
		}
	}
	for _, m := range []any{progressMessage{}, inputFailedMessage{}, noteMessage{}, doneMessage{}, failedMessage{}} {
		collect(reflect.TypeOf(m))
	}
	if diff := cmp.Diff(fields, described); diff != "" {
		t.Errorf("fields (-program +docs/progress.md):\n%s", diff)
	}
	for _, kind := range []messageType{messageStage, messageProgress, messageInputFailed, messageNote, messageDone, messageFailed} {
		if !strings.Contains(string(text), "`"+string(kind)+"`") {
			t.Errorf("docs/progress.md says nothing of %s", kind)
		}
	}
}

// Where stderr is no terminal no mode moves a cursor or uses a colour, and standard output stays empty.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	in := write(t, "a.warc", response("http://a.example/", "text/html", acapPage))
	for _, mode := range []progressMode{progressAuto, progressBar, progressPlain, progressNone, progressJSON} {
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
	for mode, says := range map[progressMode]string{
		progressNone:  `^acapscan: reading .*, [0-9.]+ MB/s, time left unknown, since an input has no known size, 0 of 1 inputs, 0 robots\.txt, `,
		progressPlain: `^acapscan: reading `,
		progressJSON:  `^\{"message_type":"progress",.*"stage":"extract",.*"seconds_left":null,.*"bytes_total":null,`,
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program, "extract", "-", "-o", filepath.Join(t.TempDir(), "facts"), "--progress", string(mode))
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
			for written := 0; written < 1<<20; written += len(some) { // more than a pipe holds: when it is written, the program reads
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

// lineWriter gives each write to a channel.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

func TestPlainLines(t *testing.T) {
	lines := make(lineWriter)
	r := newReporter("scan", progressAuto, lines)
	stop := r.start(time.Millisecond)
	s := newReadingStage([]source.Input{source.New("a", 3000, nil), source.New("b", -1, nil), source.New("c", -1, nil)})
	s.progress.Bytes.Store(2000)
	s.progress.Robots.Store(7)
	s.progress.ACAPPages.Store(5)
	s.progress.Unreadable.Store(1)
	s.progress.Inputs.Store(2)
	r.enter(s)
	for range 2 {
		got := <-lines
		got = regexp.MustCompile(`[0-9.]+ MB/s`).ReplaceAllString(got, "N MB/s")
		want := "acapscan: reading 2.0 kB, N MB/s, time left unknown, since 2 inputs have no known size, 2 of 3 inputs, 7 robots.txt, 5 pages with ACAP, 1 unreadable\n"
		if got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-lines:
			case <-ended:
				return
			}
		}
	}()
	r.leave()
	stop()
	close(ended)
}

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		name        string
		elapsed     time.Duration
		done, total int64
		want        time.Duration
		known       bool
	}{
		{"a third", 10 * time.Second, 100, 300, 20 * time.Second, true},
		{"all", 10 * time.Second, 300, 300, 0, true},
		{"nothing to do", 0, 0, 0, 0, true},
		{"nothing done yet", 10 * time.Second, 0, 300, 0, false},
		{"a total that is not known", 10 * time.Second, 100, -1, 0, false},
		{"no time", 0, 100, 300, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, known := remaining(c.elapsed, c.done, c.total); got != c.want || known != c.known {
				t.Errorf("%v, %t; want %v, %t", got, known, c.want, c.known)
			}
		})
	}
}

// What is passed over is not waited for, and says nothing of how fast reading is: 1 kB took 9 s, and 1 kB is left.
func TestRemainingWithoutWhatIsPassedOver(t *testing.T) {
	s := newReadingStage([]source.Input{source.New("a", 3000, nil), source.New("b", 1000, nil)})
	s.progress.Bytes.Store(1000)
	s.progress.Passed.Store(2000)
	s.began = time.Now().Add(-9 * time.Second)
	if m := s.message(); m.SecondsLeft == nil || *m.SecondsLeft < 8.9 || *m.SecondsLeft > 12 {
		t.Errorf("seconds left: %v", m.SecondsLeft)
	}
	if line := strings.Join(s.line(), ", "); !regexp.MustCompile(`^reading 1\.0 kB of 4\.0 kB, .*, (9|1[0-2]) s left, 0 of 2 inputs`).MatchString(line) {
		t.Errorf("it says %q", line)
	}
}

func TestDecidingLine(t *testing.T) {
	s := newJudgingStage()
	if line := strings.Join(s.line(), ", "); !strings.Contains(line, "redirects and references") || !strings.Contains(line, "unknown") {
		t.Errorf("before the buckets it says %q", line)
	}
	s.progress.Began.Store(time.Now().Add(-10 * time.Second).UnixNano())
	s.progress.Total.Store(6)
	s.progress.Buckets.Store(2)
	s.progress.Sites.Store(99)
	s.progress.Size.Store(900)
	s.progress.Done.Store(600) // the two are larger than the four
	if line := strings.Join(s.line(), ", "); line != "deciding, 2 of 6 buckets, 5 s left, 99 sites" {
		t.Errorf("it says %q", line)
	}
	if m := s.message(); m.SecondsLeft == nil || *m.SecondsLeft < 4.9 || *m.SecondsLeft > 6 {
		t.Errorf("seconds left: %v", m.SecondsLeft)
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 999_949: "999.9 kB", 999_951: "1.0 MB", 2_345_678_901: "2.3 GB", 80e12: "80.0 TB",
	} {
		if got := byteCount(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "2 min", 59*time.Minute + 50*time.Second: "60 min", 50*time.Hour + 5*time.Minute: "50 h 05 min",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	parts := []string{"reading", "12 MB/s", "3 s left"}
	for width, want := range map[int]string{0: "reading", 15: "reading", 16: "reading, 12 MB/s", 80: "reading, 12 MB/s, 3 s left"} {
		if got := fit(parts, width); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
}

// A message of an error that is no text is a message still.
func TestMessageOfOddText(t *testing.T) {
	var b bytes.Buffer
	r := newReporter("scan", progressJSON, &b)
	r.failed("a\xffb\n", errors.New("it holds \xfe, \"quotes\" and\na line"))
	list := outcome{stderr: b.String()}.messages(t)
	if len(list) != 1 || list[0]["input"] != "a\uFFFDb\n" || list[0]["error"] != "it holds \uFFFD, \"quotes\" and\na line" {
		t.Errorf("%v", list)
	}
}
