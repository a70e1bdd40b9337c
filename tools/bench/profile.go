//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// A stage is a part of the work. The stage of a stack is that of its innermost function with an entry in a list of
// stages; the first matching prefix counts.
type stage struct{ prefix, name string }

const ours = "github.com/acapscan/acapscan/"

// extractStages are those of stage 1.
var extractStages = slices.Concat([]stage{
	{ours + "ingest/archive/inflate", "inflate"},
	{"hash/crc32", "checksums of members"},
	{"crypto/sha256.", "SHA-256 of inputs, bodies and facts"},
	{"crypto/internal/fips140/sha256", "SHA-256 of inputs, bodies and facts"},
	{"crypto/sha1", "SHA-1 of payloads"},
	{ours + "ingest/archive.(*rewindBuffer)", "reading and moving bytes"},
	{ours + "ingest/source", "reading and moving bytes"},
	{"bufio.", "reading and moving bytes"},
	{"syscall.", "reading and moving bytes"},
	{ours + "ingest/archive", "records and their headers"},
	{ours + "ingest/capture", "HTTP headers and bodies"},
	{ours + "ingest/weburl", "URLs"},
	{ours + "ingest/extract.(*Task)", "counters and facts"},
	{ours + "ingest/extract.(*Finder)", "counters and facts"},
	{ours + "ingest/extract.(*Found)", "counters and facts"},
	{ours + "ingest/extract.(*counters)", "counters and facts"},
	{ours + "ingest/extract/markup.NormalContent", "counters and facts"},
	{ours + "ingest/extract", "pages"},
	{ours + "ingest/bodytext", "pages"},
	{"github.com/klauspost/compress/s2", "compressing facts"},
	{ours + "ingest/facts", "sorting and writing facts"},
	{ours + "internal/extsort", "sorting and writing facts"},
	{ours + "ingest/extractrun", "the work list"},
}, runtimeStages)

// tablesStages are those of stage 2.
var tablesStages = slices.Concat([]stage{
	{"crypto/", "digests of bodies, statements and files"},
	{ours + "ingest/facts", "reading facts"},
	{ours + "internal/extsort", "reading facts"},
	{"github.com/klauspost/compress/s2", "reading facts"},
	{"github.com/klauspost/compress/", "compressing columns"},
	{ours + "output/parquet", "pages of columns"},
	{"github.com/parquet-go/", "pages of columns"},
	{ours + "output/columns", "taking rows apart"},
	{ours + "output/rowtype", "taking rows apart"},
	{ours + "output/dataset", "files of tables"},
	{ours + "internal/storage", "files of tables"},
	{"syscall.", "files of tables"},
	{ours + "analyze/crosshost", "the pass across hosts"},
	{ours + "analyze/policyfiles", "which robots.txt is in force"},
	{ours + "analyze/crawlers", "deciding"},
	{ours + "analyze/audience", "deciding"},
	{ours + "analyze/extent", "deciding"},
	{ours + "analyze/decide", "deciding"},
	{ours + "ingest/weburl", "columns of hosts and URLs"},
	{ours + "output/table", "making rows"},
	{ours + "analyze/survey", "making rows"},
	{ours + "analyze/analyzerun", "making rows"},
	{ours + "analyze/", "reading robots.txt"},
}, runtimeStages)

// runtimeStages are those of both. Functions without an entry, such as searches for a byte, belong to their callers.
var runtimeStages = []stage{
	{"runtime.gcBgMarkWorker", "garbage collection"},
	{"runtime.bgsweep", "garbage collection"},
	{"runtime.bgscavenge", "garbage collection"},
	{"runtime.gcStart", "garbage collection"},
	{"runtime.gcAssistAlloc", "garbage collection"},
	{"runtime.mallocgc", "allocation"},
}

const elsewhere = "elsewhere in the runtime"

// stageOf returns the stage of a stack, innermost function first.
func stageOf(stack []string, stages []stage) string {
	for _, function := range stack {
		for _, s := range stages {
			if strings.HasPrefix(function, s.prefix) {
				return s.name
			}
		}
	}
	return elsewhere
}

// profileRounds is the number of profiles to merge.
const profileRounds = 3

// profiled are the runs that are profiled: stage 1 on pages, and both stages on robots.txt that are distributed as real
// ones are.
var profiled = []struct {
	corpus, what, command string
	stages                []stage
}{
	{"pages", "extract", "profile", extractStages},
	{robotsFiles, "extract", "profile", extractStages},
	{robotsFiles, "analyze", "tables", tablesStages},
}

// profiles measures where the time goes.
func (b *bench) profiles(ctx context.Context, r *result) error {
	r.Profiles = nil
	for _, run := range profiled {
		files, err := b.archives(run.corpus)
		if err != nil {
			return err
		}
		p := profile{Corpus: run.corpus, What: run.what}
		spent := map[string]time.Duration{}
		for round := range profileRounds {
			path := filepath.Join(b.dir, fmt.Sprintf("%s-%s-%d.prof", run.corpus, run.what, round))
			if _, err := b.inside(ctx, run.command, append([]string{path}, files...)...); err != nil {
				return err
			}
			traces := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", path)
			traces.Stderr = os.Stderr
			out, err := traces.Output()
			if err != nil {
				return fmt.Errorf("go tool pprof: %w", err)
			}
			if err := addTraces(strings.NewReader(string(out)), run.stages, spent); err != nil {
				return err
			}
		}
		var total time.Duration
		for _, d := range spent {
			total += d
		}
		for name, d := range spent {
			p.Stages = append(p.Stages, share{name, d.Seconds() / total.Seconds()})
		}
		sort.Slice(p.Stages, func(i, j int) bool { return p.Stages[i].Share > p.Stages[j].Share })
		p.Seconds = total.Seconds() / profileRounds
		r.Profiles = append(r.Profiles, p)
		for _, s := range p.Stages {
			fmt.Fprintf(b.log, "profile  %-11s %-7s %5.1f %%  %s\n", run.corpus, run.what, 100*s.Share, s.Stage)
		}
	}
	return nil
}

// addTraces adds up the output of `go tool pprof -traces`: blocks between lines of dashes. The first line of a block
// has the time and the innermost function, the others its callers.
func addTraces(r io.Reader, stages []stage, spent map[string]time.Duration) error {
	var stack []string
	var took time.Duration
	end := func() {
		if len(stack) > 0 {
			spent[stageOf(stack, stages)] += took
		}
		stack, took = nil, 0
	}
	started := false
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "-----------+-") {
			end()
			started = true
			continue
		}
		fields := strings.Fields(line)
		if !started || len(fields) == 0 {
			continue
		}
		if len(stack) == 0 && len(fields) > 1 {
			d, err := time.ParseDuration(fields[0])
			if err != nil {
				continue // a label
			}
			took, fields = d, fields[1:]
		}
		stack = append(stack, fields[0])
	}
	end()
	if len(spent) == 0 && lines.Err() == nil {
		return fmt.Errorf("the profile has no samples")
	}
	return lines.Err()
}
