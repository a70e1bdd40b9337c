package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every command of docs/field-notes.md prints what stands there. It is a claim about files of others, which may be absent.
func TestFieldNotes(t *testing.T) {
	need(t, realACAP)
	notes, err := os.ReadFile("../../docs/field-notes.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, file := range map[string]string{
		"the-acap.org.txt":           "robots/top1m-2017_131891-the-acap.org.txt",
		"biochemistry.org.txt":       "robots/top1m-2017_95895-biochemistry.org.txt",
		"belfasttelegraph.co.uk.txt": "robots/top1m-2017_7164-belfasttelegraph.co.uk.txt",
		"pressdisplay.com.txt":       "robots/top1m-2017_24496-pressdisplay.com.txt",
		"smh.com.au.html":            "html/find_string_smh.com.au_2013_head.html",
	} {
		body, err := os.ReadFile(filepath.Join(realACAP, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	commands := 0
	for _, block := range strings.Split(string(notes), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			words := strings.Fields(command)
			switch words[0] {
			case "acapscan":
				commands++
				got := must(t, exitDone, words[1:]...)
				if missing := notIn(strings.Split(strings.TrimRight(got.stdout, "\n"), "\n"), strings.Split(strings.TrimRight(want, "\n"), "\n")); missing != "" {
					t.Errorf("$ %s\ndoes not print, at its place, %q; it prints:\n%s", command, missing, got.stdout)
				}
			case "grep": // grep -vi ^ACAP- FILE > FILE
				withoutACAP(t, words[3], words[5])
			default:
				t.Errorf("what command is %q?", command)
			}
		}
	}
	if commands < 10 {
		t.Errorf("%d commands are few", commands)
	}
}

// notIn returns the first of the lines wanted that do not stand in the lines printed, one after the other and from the first to the
// last, but for gaps where "…" stands; "" where all do.
func notIn(printed, wanted []string) string {
	gap := false
	for _, want := range wanted {
		if want == "…" {
			gap = true
			continue
		}
		at := slices.Index(printed, want)
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

func withoutACAP(t *testing.T, from, to string) {
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
