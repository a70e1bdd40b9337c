package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"
)

// No message passes control characters in names of files to a terminal.
func TestNamesAreFitForATerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names there")
	}
	const odd, shown = "a\u009b2J\x1b[31m\u202eb\xfe\x9b.warc", `a\u009b2J\x1b[31m\u202eb\xfe\x9b.warc`
	folder := t.TempDir()
	name := filepath.Join(folder, odd)
	if err := os.WriteFile(name, []byte("WARC/1.0\r\nno record\r\n"), 0o644); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	page := filepath.Join(folder, odd+".txt")
	if err := os.WriteFile(page, []byte("<html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, odd+".d"), 0o755); err != nil {
		t.Fatal(err)
	}
	facts := filepath.Join(folder, "facts"+odd)
	fine := write(t, "fine.warc", response("http://a.example/", "text/html", acapPage))
	for _, test := range []struct {
		name   string
		status int
		args   []string
	}{
		{"an input that cannot be read", exitIncomplete, []string{"scan", name, "-o", filepath.Join(folder, "out")}},
		{"an input that is not there", exitFailed, []string{"scan", name + ".gz", "-o", filepath.Join(folder, "out2")}},
		{"inputs that would be read", exitIncomplete,
			[]string{"extract", "--dry-run", "--paths", write(t, "paths", []byte("b.warc\n")), "--base-url",
				filepath.Join(folder, odd+".d")}},
		{"facts", exitDone, []string{"extract", fine, "-o", facts}},
		{"finished facts", exitDone, []string{"extract", fine, "-o", facts}},
		{"a wrong flag", exitUsage, []string{"scan", "--" + odd}},
		{"a page for a robots.txt", exitDone, []string{"explain", "--robots", page, "--url", "http://a.example/"}},
		{"a file that is checked", exitDone, []string{"check", page}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := must(t, test.status, test.args...)
			said := got.stderr
			if test.args[0] == "check" {
				said = got.stdout
			}
			if i := strings.IndexFunc(said, func(r rune) bool {
				return r != '\n' && !unicode.IsPrint(r) ||
					r == unicode.ReplacementChar
			}); i >= 0 {
				t.Errorf("it says %q", said)
			}
			if test.name != "facts" && !strings.Contains(said, shown) {
				t.Errorf("it says %q, without %s", said, shown)
			}
		})
	}
}
