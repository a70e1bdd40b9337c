package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/output/table"
)

// The commands of docs/historical.md run, and their tables have the denominators of the page.
func TestHistoricalCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/historical.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	commands := regexp.MustCompile(`(?m)^\./bin/acapscan (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(commands) != 4 {
		t.Fatalf("%d commands, want 4", len(commands))
	}
	for _, c := range commands {
		args := strings.Fields(c[1])
		for i, arg := range args {
			if below, ok := strings.CutPrefix(arg, "out/"); ok {
				args[i] = filepath.Join(folder, below)
			} else if strings.HasPrefix(arg, "testdata/") {
				args[i] = filepath.Join("../..", arg)
			}
		}
		must(t, exitDone, args...)
	}
	then, now := rows[table.Adoption](t, filepath.Join(folder, "then"), table.Adoptions),
		rows[table.Adoption](t, filepath.Join(folder, "now"), table.Adoptions)
	if len(then) == 0 || len(now) == 0 {
		t.Fatalf("%d and %d sites", len(then), len(now))
	}
	var pages int64
	for _, at := range then {
		pages += at.Row.Pages
		if at.Crawl != "local" {
			t.Errorf("an ARC is of crawl %s", at.Crawl)
		}
	}
	if kept := len(rows[table.Page](t, filepath.Join(folder, "then"), table.Pages)); pages == 0 || int64(kept) < pages {
		t.Errorf("%d pages seen, %d kept", pages, kept)
	}
	for _, at := range now {
		if at.Row.Pages != 0 || at.Row.RobotsCaptures == 0 {
			t.Errorf("%s has %d pages and %d captures of its robots.txt", at.Row.Site, at.Row.Pages,
				at.Row.RobotsCaptures)
		}
	}
	for _, at := range rows[table.Permission](t, filepath.Join(folder, "now"), table.Permissions) {
		if at.Row.Scope != "site" {
			t.Errorf("a permission of %s", at.Row.Scope)
		}
	}
}
