package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A refused defect costs the record that shows it, which the exit status and the input tell; the option is one of those
// that a run is known by.
func TestRefuseRecords(t *testing.T) {
	member := filepath.Join("..", "..", "testdata", "warc", "good", "framing", "one-member.warc.gz")
	for _, verb := range []string{"scan", "extract"} {
		out := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, verb, member, "-o", filepath.Join(t.TempDir(), "lenient"))
		for _, set := range []string{"multi-record-member", "all"} {
			got := run(t, verb, member, "-o", out, "--overwrite", "--refuse-records", "uri-missing", "--refuse-records", set)
			if got.status != exitIncomplete || !strings.Contains(got.stderr, "multi-record-member") {
				t.Errorf("%s without %s: status %d, %q", verb, set, got.status, got.stderr)
			}
		}
		if got := run(t, verb, member, "-o", out, "--refuse-records", "uri-missing"); got.status != exitFailed || !strings.Contains(got.stderr, "other options") {
			t.Errorf("%s went on with other defects refused: status %d, %q", verb, got.status, got.stderr)
		}
		got := run(t, verb, member, "-o", filepath.Join(t.TempDir(), "x"), "--refuse-records", "missing-colon")
		if got.status != exitUsage || !strings.Contains(got.stderr, "http-not-chunked") {
			t.Errorf("%s takes the defect of a statement: status %d, %q", verb, got.status, got.stderr)
		}
		if verb == "scan" {
			t.Run("complete", func(t *testing.T) { completesTo(t, out, []string{"--refuse-records", "all"}) })
		}
	}
}
