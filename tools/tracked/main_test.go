package main

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrackedFilesAreRefused(t *testing.T) {
	pe := make([]byte, 256)
	copy(pe, "MZ")
	binary.LittleEndian.PutUint32(pe[60:], 128)
	copy(pe[128:], "PE\x00\x00")
	far := make([]byte, 64)
	copy(far, "MZ")
	binary.LittleEndian.PutUint32(far[60:], 1<<31)

	files := []struct {
		name, content string
		want          string
	}{
		{"a/elf", "\x7fELF\x02\x01\x01", "an executable binary (ELF)"},
		{"archive.warc.gz", "\x1f\x8b\x08", ""},
		{"empty", "", ""},
		{"build/Makefile", "all:\n\t" + strings.Repeat("x", 117) + "\n",
			"line 2 has 121 columns; a line must not exceed 120"},
		{"code.go", "package p\n\n// " + strings.Repeat("é", 118) + "\n",
			"line 3 has 121 columns; a line must not exceed 120"},
		{"data.go", "package p\n\nconst s = `a\n" + strings.Repeat("x", 300) + "\n`\n", ""},
		{"large.txt", strings.Repeat("x", 1_000_001),
			"1000001 bytes; a tracked file must not exceed 1000000"},
		{"mach-o-32", "\xce\xfa\xed\xfe\x07", "an executable binary (Mach-O)"},
		{"mach-o-64", "\xcf\xfa\xed\xfe\x07", "an executable binary (Mach-O)"},
		{"mach-o-universal", "\xca\xfe\xba\xbe\x00", "an executable binary (Mach-O)"},
		{"nearly-large.txt", strings.Repeat("x", 1_000_000), ""},
		{"mz-far", string(far), ""},
		{"mz-short.txt", "MZ is how this text starts", ""},
		{"name with\nline", "\x7fELF", "an executable binary (ELF)"},
		{"program.exe", string(pe), "an executable binary (PE)"},
		{"script", "#!/bin/sh\n", ""},
		{"text.md", strings.Repeat("x", 300), ""},
		{"wide.go", "package p\n\nvar s = `" + strings.Repeat("x", 300) + "`\n",
			"line 3 has 310 columns; a line must not exceed 120"},
		{"wide.py", strings.Repeat("é", 120) + "\r\n", ""},
	}
	folder := repository(t)
	want := map[string]string{}
	for _, f := range files {
		write(t, filepath.Join(folder, f.name), f.content)
		if f.want != "" {
			want[f.name] = f.want
		}
	}
	git(t, folder, "add", "--all")
	write(t, filepath.Join(folder, "untracked"), "\x7fELF")

	got := map[string]string{}
	lines, err := check(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		name, reason, _ := strings.Cut(line, ": ")
		got[name] = reason
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refused files (-want +got):\n%s", diff)
	}
}

func TestTrackedDeletedFile(t *testing.T) {
	folder := repository(t)
	write(t, filepath.Join(folder, "program"), "\x7fELF")
	git(t, folder, "add", "--all")
	if err := os.Remove(filepath.Join(folder, "program")); err != nil {
		t.Fatal(err)
	}
	if got, err := check(folder); err != nil || got != nil {
		t.Errorf("a deleted file: %q, %v", got, err)
	}
}

func TestTrackedWithoutRepository(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "program"), "\x7fELF")
	if got, err := check(folder); err != nil || got != nil {
		t.Errorf("an unpacked release: %q, %v", got, err)
	}
}

// TestTrackedFilesOfThisRepository is what make lint does.
func TestTrackedFilesOfThisRepository(t *testing.T) {
	got, err := check(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range got {
		t.Error(line)
	}
}

func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	folder := t.TempDir()
	git(t, folder, "init", "-q")
	return folder
}

func git(t *testing.T, folder string, args ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), "git", args...)
	run.Dir = folder
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
