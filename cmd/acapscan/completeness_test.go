package main

import (
	"path/filepath"
	"testing"
)

// The threshold decides about the exit status and about nothing else: the same folder is finished for any of them.
func TestMinComplete(t *testing.T) {
	t.Parallel()
	good := write(t, "good.warc", response("http://a.example/", "text/html", acapPage))
	bad := write(t, "bad.warc", []byte("no archive"))
	store := filepath.Join(t.TempDir(), "facts")
	must(t, exitIncomplete, "extract", good, bad, "-o", store)
	answers := filepath.Join(t.TempDir(), "answers")
	must(t, exitDone, "resolve", store, "-o", answers)
	for _, args := range [][]string{{"scan", good, bad}, {"extract", good, bad}, {"analyze", store}, {"complete"}} {
		t.Run(args[0], func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			if args[0] == "complete" {
				must(t, exitDone, "analyze", store, answers, "--bucket", "0/1", "-o", out)
				args = append(args, out)
			} else {
				args = append(args, "-o", out)
			}
			for range 2 { // and then with nothing left to do
				must(t, exitDone, append(args, "--min-complete", "0.5")...)
				must(t, exitIncomplete, append(args, "--min-complete", "0.51")...)
			}
			must(t, exitIncomplete, args...)
		})
	}
}
