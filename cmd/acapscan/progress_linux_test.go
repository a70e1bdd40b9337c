package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// terminal returns the two ends of a pseudo-terminal.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	var number, unlocked uint32
	for request, value := range map[uintptr]*uint32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request,
			uintptr(unsafe.Pointer(value))); code != 0 {
			t.Skipf("there is no pseudo-terminal: %v", code)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// screenReader keeps what was written to a terminal.
type screenReader struct {
	mu      sync.Mutex
	changed *sync.Cond
	text    bytes.Buffer
}

func newScreenReader(screen io.Reader) *screenReader {
	s := &screenReader{}
	s.changed = sync.NewCond(&s.mu)
	go func() {
		chunk := make([]byte, 4096)
		for {
			n, err := screen.Read(chunk)
			s.mu.Lock()
			s.text.Write(chunk[:n])
			s.changed.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// until waits for a text.
func (s *screenReader) until(want string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), want) {
		s.changed.Wait()
	}
	return s.text.String()
}

// waiting is an input that goes on only when something was seen.
type waiting struct {
	before, after io.Reader
	wait          func()
}

func (w *waiting) Read(p []byte) (int, error) {
	if n, err := w.before.Read(p); err == nil {
		return n, nil
	}
	if w.wait != nil {
		w.wait()
		w.wait = nil
	}
	return w.after.Read(p)
}

// A terminal gets no binary data.
func TestNoStreamToATerminal(t *testing.T) {
	t.Parallel()
	_, tty := terminal(t)
	out := onceScan(t, exitDone, filepath.Join(fixtures, "good"))
	for _, args := range [][]string{
		{"export", "adoption", out}, {"extract", filepath.Join(fixtures, "good"), "-o", "-"},
		{"analyze", factsOf(t), "-o", "-"}, {"resolve", factsOf(t)},
	} {
		var stderr strings.Builder
		status := Run(t.Context(), args, strings.NewReader(""), tty, &stderr)
		if want := "an Arrow IPC stream is binary, and standard output is a terminal; write it to a file (>FILE) or " +
			"a pipe"; status != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit status %d, it says %q", args[0], status, stderr.String())
		}
	}
}

// On a terminal there is a bar with all that is known, and it is gone before the summary.
func TestBar(t *testing.T) {
	t.Parallel()
	screen, tty := terminal(t)
	s := newScreenReader(screen)
	record := response("http://a.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /x\n")
	in := &waiting{before: bytes.NewReader(bytes.Repeat(record, 200)), after: bytes.NewReader(record),
		wait: func() { s.until("reading ") }}
	done := make(chan int)
	go func() {
		done <- Run(t.Context(), []string{"extract", "-", "-o", filepath.Join(t.TempDir(), "facts")}, in, io.Discard,
			tty)
	}()
	select {
	case status := <-done:
		if status != exitDone {
			t.Errorf("exit status %d", status)
		}
	case <-time.After(time.Minute):
		t.Fatal("no bar is drawn")
	}
	text := s.until("records      201")
	if !strings.Contains(text, "MB/s") || strings.Contains(text, "\x1b[3") {
		t.Errorf("the terminal shows %q", text)
	}
	bar, _, _ := strings.Cut(text, "inputs       1")
	if lines := strings.Count(bar, "\n"); lines != 0 || !strings.HasSuffix(bar, "\r") {
		t.Errorf("the bar leaves %q", bar)
	}
}
