package progress

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/source"
)

// docs/progress.md names every field of every message, and no other.
func TestMessagesAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../../../docs/progress.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	rows := regexp.MustCompile("(?m)^- `([a-z_]+)` \\((?:string|number|integer|boolean|object)")
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		described[row[1]] = true
	}
	fields := map[string]bool{}
	var collect func(reflect.Type)
	collect = func(t reflect.Type) {
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Pointer {
				collect(f.Type.Elem())
			} else if f.Anonymous {
				collect(f.Type)
			} else {
				fields[f.Tag.Get("json")] = true
			}
		}
	}
	for _, m := range []any{stageMessage{}, inputFailedMessage{}, noteMessage{}, doneMessage{}, failedMessage{}} {
		collect(reflect.TypeOf(m))
	}
	if diff := cmp.Diff(fields, described); diff != "" {
		t.Errorf("fields (-program +docs/progress.md):\n%s", diff)
	}
	for _, kind := range []messageType{messageStage, messageProgress, messageInputFailed, messageNote, messageDone,
		messageFailed} {
		if !strings.Contains(string(text), "`"+string(kind)+"`") {
			t.Errorf("docs/progress.md says nothing of %s", kind)
		}
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
	r := New("scan", Auto, lines)
	stop := r.start(time.Millisecond)
	s := newExtractStage([]source.Input{source.New("a", 3000, nil), source.New("b", -1, nil), source.New("c", -1, nil)},
		0)
	s.progress.Bytes.Store(2000)
	s.progress.Robots.Store(7)
	s.progress.ACAPPages.Store(5)
	s.progress.Unreadable.Store(1)
	s.progress.Inputs.Store(2)
	r.enter(s)
	for range 2 {
		got := <-lines
		got = regexp.MustCompile(`[0-9.]+ MB/s`).ReplaceAllString(got, "N MB/s")
		want := "acapscan: reading 2.0 kB, N MB/s, time left unknown, since 2 inputs have no known size, 2 of 3 " +
			"inputs, 7 robots.txt, 5 pages with ACAP, 1 unreadable\n"
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
	r.Leave()
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
	s := newExtractStage([]source.Input{source.New("a", 3000, nil), source.New("b", 1000, nil)}, 0)
	s.progress.Bytes.Store(1000)
	s.progress.Passed.Store(2000)
	s.began = time.Now().Add(-9 * time.Second)
	if m := s.message(); m.SecondsLeft == nil || *m.SecondsLeft < 8.9 || *m.SecondsLeft > 12 {
		t.Errorf("seconds left: %v", m.SecondsLeft)
	}
	if line := strings.Join(s.line(), ", "); !regexp.MustCompile(`^reading 1\.0 kB of 4\.0 kB, .*, (9|1[0-2]) s ` +
		`left, 0 of 2 inputs`).MatchString(line) {
		t.Errorf("it says %q", line)
	}
}

func TestDecidingLine(t *testing.T) {
	s := newAnalyzeStage(0)
	if line := strings.Join(s.line(), ", "); line !=
		"following redirects and references between sites, time left unknown" {
		t.Errorf("before the sites it says %q", line)
	}
	s.progress.Began.Store(time.Now().Add(-10 * time.Second).UnixNano())
	s.progress.Size.Store(900)
	if line := strings.Join(s.line(), ", "); line != "deciding, time left unknown" {
		t.Errorf("before the first sites it says %q", line)
	}
	s.progress.Sites.Store(99)
	s.progress.Done.Store(600)
	if line := strings.Join(s.line(), ", "); line != "deciding, 99 of about 148 sites, 5 s left" {
		t.Errorf("it says %q", line)
	}
	if m := s.message(); m.SecondsLeft == nil || *m.SecondsLeft < 4.9 || *m.SecondsLeft > 6 || *m.SitesTotal != 148 {
		t.Errorf("seconds left: %v", m.SecondsLeft)
	}
	s.progress.Done.Store(900)
	if line := strings.Join(s.line(), ", "); line != "deciding, 99 sites, 0 s left" {
		t.Errorf("at the end it says %q", line)
	}
}

// The first stage of scan counts with the second one, in time: 1,000,000 of 2,000,000 facts are found after 10 s, and
// two workers take 30 s for a million each.
func TestTimeLeftOfBothStages(t *testing.T) {
	s := newExtractStage([]source.Input{source.New("a", 2000, nil)}, 2)
	s.progress.Bytes.Store(1000)
	s.progress.Facts.Store(1_000_000)
	s.began = time.Now().Add(-10 * time.Second)
	want := 10*time.Second + 1_000_000*analyzeFact
	if left, ok := s.left(); !ok || left < want-time.Second || left > want+time.Second {
		t.Errorf("%v left, want %v", left, want)
	}
	r := New("scan", Plain, io.Discard)
	r.enter(s)
	s.progress.Bytes.Store(2000)
	s.progress.Facts.Store(2_000_000)
	r.Leave()
	r.Analyze()
	if left, ok := r.stage.left(); !ok || left < 59*time.Second || left > 60*time.Second {
		t.Errorf("at the beginning of the second stage %v is left", left)
	}
}

// The bar never goes back, and is not full before the end.
func TestOneBar(t *testing.T) {
	r := New("scan", Plain, io.Discard)
	r.mode = Bar
	s := newExtractStage([]source.Input{source.New("a", 1000, nil)}, 1)
	r.enter(s)
	first := r.bar
	s.progress.Bytes.Store(900)
	r.began = time.Now().Add(-9 * time.Second)
	s.began = r.began
	r.draw()
	if r.drawn < 850 || r.drawn > 920 {
		t.Errorf("after 9 of 10 s the bar stands at %d", r.drawn)
	}
	before := r.drawn
	s.progress.Facts.Store(1_000_000) // a long second stage
	r.draw()
	if r.drawn != before {
		t.Errorf("the bar went from %d to %d", before, r.drawn)
	}
	r.Leave()
	r.Analyze()
	r.draw()
	if r.bar != first || r.drawn < before || r.bar.IsFinished() {
		t.Errorf("the second stage has another bar, at %d", r.drawn)
	}
	if r.removeBar(); r.bar != nil {
		t.Error("the bar is left")
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 999_949: "999.9 kB", 999_951: "1.0 MB", 2_345_678_901: "2.3 GB",
		80e12: "80.0 TB",
	} {
		if got := byteCount(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "2 min", 59*time.Minute + 50*time.Second: "60 min",
		50*time.Hour + 5*time.Minute: "50 h 05 min",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	parts := []string{"reading", "12 MB/s", "3 s left"}
	for width, want := range map[int]string{0: "reading", 15: "reading", 16: "reading, 12 MB/s",
		80: "reading, 12 MB/s, 3 s left"} {
		if got := fit(parts, width); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
}

// A message of an error that is no text is a message still.
func TestMessageOfOddText(t *testing.T) {
	var b bytes.Buffer
	r := New("scan", JSON, &b)
	r.InputFailed("a\xffb\n", errors.New("it holds \xfe, \"quotes\" and\na line"))
	var m map[string]any
	err := json.Unmarshal(b.Bytes(), &m)
	if err != nil || m["input"] != "a\uFFFDb\n" || m["error"] != "it holds \uFFFD, \"quotes\" and\na line" {
		t.Errorf("%v, %v", m, err)
	}
}
