package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Too little is refused with a sentence, and the least that is taken gives the tables that as much as there is gives.
func TestMemoryLimit(t *testing.T) {
	input := filepath.Join("..", "..", "testdata", "warc", "good", "robots")
	for _, verb := range []string{"scan", "extract", "analyze"} {
		got := run(t, verb, input, "-o", filepath.Join(t.TempDir(), "x"), "--memory", "20MB")
		if got.status != exitUsage || !strings.Contains(got.stderr, "one worker needs") {
			t.Errorf("%s: status %d, %q", verb, got.status, got.stderr)
		}
	}
	tables := func(options ...string) map[string]string {
		dir := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, append([]string{"scan", input, "-o", dir}, options...)...)
		return content(t, dir)
	}
	sameContent(t, tables(), tables("--memory", "256MiB"))

	facts := filepath.Join(t.TempDir(), "facts")
	must(t, exitDone, "extract", input, "-o", facts)
	if got := run(t, "resolve", facts, "--memory", "20MB"); got.status != exitUsage ||
		!strings.Contains(got.stderr, "one worker needs") {
		t.Errorf("resolve: status %d, %q", got.status, got.stderr)
	}
	most, least := must(t, exitDone, "resolve", facts), must(t, exitDone, "resolve", facts, "--memory", "256MiB")
	if most.stdout == "" || most.stdout != least.stdout {
		t.Errorf("resolve writes %d bytes, and %d in little memory", len(most.stdout), len(least.stdout))
	}
}
