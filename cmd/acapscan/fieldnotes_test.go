package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Every command of docs/field-notes.md prints what stands there. The files are of other people, and may be absent.
func TestFieldNotes(t *testing.T) {
	need(t, realACAP)
	folder := t.TempDir()
	for name, file := range map[string]string{
		"the-acap.org.txt":           "robots/top1m-2017_131891-the-acap.org.txt",
		"belfasttelegraph.co.uk.txt": "robots/top1m-2017_7164-belfasttelegraph.co.uk.txt",
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
	document, err := filepath.Abs("../../docs/field-notes.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	consoles(t, document, 6)
}
