package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell ends a command of a console block that shows the exit status too.
const shell = `; echo "exit status $?"`

// TestConsoles runs the commands that README.md and docs show with their output. The output must be what stands there.
func TestConsoles(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for document, least := range map[string]int{"README.md": 2, "docs/tutorial.md": 3, "docs/troubleshooting.md": 1} {
		t.Run(document, func(t *testing.T) {
			folder := t.TempDir()
			for _, name := range []string{"docs", "testdata"} {
				if err := os.Symlink(filepath.Join(root, name), filepath.Join(folder, name)); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(folder)
			consoles(t, filepath.Join(root, document), least)
		})
	}
}

// TestREADMEIsShort holds README.md within 700 words.
func TestREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(text))); n > 700 {
		t.Errorf("README.md has %d words; move the long tail to docs/running.md", n)
	}
}

// consoles runs the commands of a document in the working directory, at least so many of acapscan.
func consoles(t *testing.T, document string, least int) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	anew, commands := string(text), 0
	for _, block := range strings.Split(string(text), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			want = strings.TrimRight(want, "\n")
			plain, showsStatus := strings.CutSuffix(command, shell)
			words := strings.Fields(strings.ReplaceAll(plain, "'", ""))
			switch words[0] {
			case "acapscan", "./bin/acapscan":
				commands++
				got := run(t, words[1:]...)
				printed := strings.TrimRight(got.stdout+got.stderr, "\n")
				if showsStatus {
					printed += fmt.Sprintf("\nexit status %d", got.status)
				} else if got.status != exitDone {
					t.Errorf("$ %s\nends with exit status %d", command, got.status)
				}
				missing := notIn(lines(printed), lines(want))
				if missing == "" {
					continue
				}
				if *update && !slices.Contains(lines(want), "…") {
					anew = strings.Replace(anew, command+"\n"+want,
						strings.TrimRight(command+"\n"+withoutTimes(printed), "\n")+suffix(want), 1)
					continue
				}
				t.Errorf("$ %s\ndoes not print, at its place, %q; it prints:\n%s", command, missing, printed)
			case "tail":
				out, err := exec.Command("sh", "-c", command).Output()
				if missing := notIn(lines(strings.ReplaceAll(string(out), "\r", "")), lines(want)); err != nil ||
					missing != "" {
					t.Errorf("$ %s\ndoes not print, at its place, %q (%v)", command, missing, err)
				}
			case "grep": // grep -vi ^ACAP- FILE > FILE
				withoutACAP(t, words[3], words[5])
			case "git", "make": // they get and build the program, which this test is
			default:
				t.Errorf("what command is %q?", command)
			}
		}
	}
	if commands < least {
		t.Errorf("%s has %d commands, want %d", document, commands, least)
	}
	if anew != string(text) {
		if err := os.WriteFile(document, []byte(anew), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// suffix ends the output that replaces this one: a block without output has no line break of its own.
func suffix(want string) string {
	if want == "" {
		return "\n"
	}
	return ""
}

// lines splits text at line breaks; an empty text has no lines.
func lines(text string) []string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// withoutTimes leaves out of a summary how long the run took.
func withoutTimes(printed string) string {
	lines := strings.Split(printed, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "time  ") {
			lines[i] = "time         …"
		}
	}
	return strings.Join(lines, "\n")
}

// notIn returns the first of the lines wanted that is not among the lines printed, in the same order and without others
// between them; "" where all are. A line "…" stands for any lines. A line that ends in "…" stands for lines that begin
// so.
func notIn(printed, wanted []string) string {
	gap := false
	for _, want := range wanted {
		if want == "…" {
			gap = true
			continue
		}
		at := slices.IndexFunc(printed, func(line string) bool {
			start, cut := strings.CutSuffix(want, "…")
			return line == want || cut && strings.HasPrefix(line, start)
		})
		if at < 0 || at > 0 && !gap {
			return want
		}
		printed, gap = printed[at+1:], false
	}
	if len(printed) > 0 && !gap {
		return "the end, before " + printed[0]
	}
	return ""
}

// withoutACAP copies a robots.txt without its ACAP lines.
func withoutACAP(t *testing.T, from, to string) {
	t.Helper()
	body, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(body)) {
		if !strings.HasPrefix(strings.ToLower(line), "acap-") {
			kept.WriteString(line)
		}
	}
	if err := os.WriteFile(to, []byte(kept.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
