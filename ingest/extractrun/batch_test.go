package extractrun

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
)

// Inputs of a batch share files and a marker: the same for any number of workers, with the facts that each would have
// alone. A batch with an input that failed for now is read again, the others are not.
func TestBatches(t *testing.T) {
	const inputs = 8
	plan := job.Plan{Program: "acapscan 1", Batch: 3}
	var list []source.Input
	failing := true
	opened := make([]int, inputs)
	for i := range inputs {
		var records [][]byte
		for j := range 5 {
			records = append(records, response(fmt.Sprintf("http://www%d.example.org/robots.txt", (i+j)%7), 200,
				"text/plain", fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i)))
		}
		if i%2 == 0 {
			records = append(records, warcinfo("isPartOf: C-1\r\n")) // the others name no crawl
		}
		content := archiveOf(records...)
		name := fmt.Sprintf("%d.warc", i)
		plan.Items = append(plan.Items, job.Item{Name: name, Bytes: int64(len(content))})
		in := source.New(name, int64(len(content)), opener(func() io.Reader {
			if opened[i]++; i == 4 && failing {
				return iotest.ErrReader(fmt.Errorf("%s: %w", name, remote.ErrUnavailable))
			}
			return bytes.NewReader(content)
		}))
		in.Place = i
		list = append(list, in)
	}
	run := func(folder string, workers int) (sum Summary, unnamed []string) {
		t.Helper()
		at := storage.NewFolder(folder)
		defer at.Close()
		to, err := facts.OpenSink(at, plan, job.Options{})
		if err != nil {
			t.Fatal(err)
		}
		names := make(chan string, inputs)
		sum, err = RunTo(t.Context(), list, to, Options{Workers: workers,
			OnUnnamed: func(in source.Input) { names <- in.Name }})
		if err != nil {
			t.Fatal(err)
		}
		close(names)
		for name := range names {
			unnamed = append(unnamed, name)
		}
		slices.Sort(unnamed)
		return sum, unnamed
	}

	folder := t.TempDir()
	sum, _ := run(folder, 2)
	if sum.Inputs != inputs || sum.Unreadable != 1 || sum.Kept != 0 {
		t.Errorf("the first run says %+v", sum)
	}
	failing = false
	sum, unnamed := run(folder, 2)
	if sum.Inputs != inputs || sum.Unreadable != 0 || sum.Kept != 5 {
		t.Errorf("the second run says %+v", sum)
	}
	if diff := cmp.Diff([]int{1, 1, 1, 2, 2, 2, 1, 1}, opened); diff != "" {
		t.Errorf("inputs were opened (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1.warc", "3.warc", "5.warc", "7.warc"}, unnamed); diff != "" {
		t.Errorf("without a crawl (-want +got):\n%s", diff)
	}
	if sum, unnamed := run(folder, 1); sum.Kept != inputs || len(unnamed) != 4 {
		t.Errorf("the third run says %+v, %q", sum, unnamed)
	}
	content := files(t, folder)
	if got := len(content); got != 1+3*2 {
		t.Errorf("there are the files %s", names(content))
	}
	other := t.TempDir()
	run(other, 5)
	if diff := cmp.Diff(content, files(t, other)); diff != "" {
		t.Error("five workers write other files than two")
	}

	alone := t.TempDir()
	if _, err := Run(t.Context(), list, alone, Options{}); err != nil {
		t.Fatal(err)
	}
	sorted := func(folder string) (lines []string) {
		for _, f := range allFacts(t, folder) {
			lines = append(lines, fmt.Sprintf("%+v", f))
		}
		slices.Sort(lines)
		return lines
	}
	if diff := cmp.Diff(sorted(alone), sorted(folder)); diff != "" {
		t.Errorf("facts (-each alone +in batches):\n%s", diff)
	}
}
