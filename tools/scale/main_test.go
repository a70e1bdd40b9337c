//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

func TestParseSizes(t *testing.T) {
	got, err := parseSizes([]string{"2000000", "1000:1", "40:7", "5"})
	want := []size{{2_000_000, 100_000}, {1000, 1}, {40, 7}, {5, 1}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("size %d is %v, want %v", i, got[i], want[i])
		}
	}
	for _, bad := range [][]string{nil, {"x"}, {"0"}, {"10:"}, {"10:0"}, {"-3"}} {
		if got, err := parseSizes(bad); err == nil {
			t.Errorf("%q are the sizes %v", bad, got)
		}
	}
}

// The document has the marks, and only what stands between them is replaced.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	r := result{Date: "2026-01-02", Limit: "1GB", Runs: []measurement{
		{size: size{100, 5}, Workers: 2, Wall: 1, CPU: 2, Peak: 5e6},
		{size: size{100, 5}, Workers: 1, Wall: 1.9, CPU: 2, Same: new(bool)},
		{size: size{1000, 50}, Workers: 2, Wall: 11, CPU: 20, Peak: 6e6},
		{size: size{9000, 1}, Workers: 2, Wall: 99, CPU: 99},
	}}
	got, err := replaceSection(string(document), r.markdown())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.90 times less",
		"From 100 to 1000 pages, 10.0 times as many, time grows 11.0 times,\n" +
			"processor time 10.0 times, the peak of memory 1.20 times"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	again, err := replaceSection(got, "")
	first, _ := replaceSection(string(document), "")
	if err != nil || again != first {
		t.Errorf("more than the section was replaced: %v", err)
	}
	if _, err := replaceSection("no marks", ""); err == nil {
		t.Error("a document without marks is changed")
	}
}
