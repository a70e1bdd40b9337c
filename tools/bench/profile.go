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
	"sort"
	"strings"
	"time"
)

// A stage is a part of extract. The stage of a stack is that of its innermost function with an entry in stages; the
// first matching prefix counts.
type stage struct{ prefix, name string }

const ours = "github.com/acapscan/acapscan/"

var stages = []stage{
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
	{ours + "ingest/facts", "sorting and writing facts"},
	{ours + "output/parquet", "sorting and writing facts"},
	{ours + "ingest/extractrun", "the work list"},
	{"runtime.gcBgMarkWorker", "garbage collection"},
	{"runtime.bgsweep", "garbage collection"},
	{"runtime.bgscavenge", "garbage collection"},
	{"runtime.gcStart", "garbage collection"},
	{"runtime.gcAssistAlloc", "garbage collection"},
	{"runtime.mallocgc", "allocation"},
}

const elsewhere = "elsewhere in the runtime"

// stageOf returns the stage of a stack, innermost function first.
func stageOf(stack []string) string {
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

// profiles measures where extract spends its time, on pages and on robots.txt that are distributed as real ones are.
func (b *bench) profiles(ctx context.Context, r *result) error {
	r.Profiles = nil
	for _, corpus := range []string{"pages", robotsFiles} {
		files, err := b.archives(corpus)
		if err != nil {
			return err
		}
		p := profile{Corpus: corpus}
		spent := map[string]time.Duration{}
		for round := range profileRounds {
			path := filepath.Join(b.dir, fmt.Sprintf("%s-%d.prof", corpus, round))
			if _, err := b.inside(ctx, "profile", append([]string{path}, files...)...); err != nil {
				return err
			}
			traces := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", path)
			traces.Stderr = os.Stderr
			out, err := traces.Output()
			if err != nil {
				return fmt.Errorf("go tool pprof: %w", err)
			}
			if err := addTraces(strings.NewReader(string(out)), spent); err != nil {
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
			fmt.Fprintf(b.log, "profile  %-10s %5.1f %%  %s\n", corpus, 100*s.Share, s.Stage)
		}
	}
	return nil
}

// addTraces adds up the output of `go tool pprof -traces`: blocks between lines of dashes. The first line of a block
// has the time and the innermost function, the others its callers.
func addTraces(r io.Reader, spent map[string]time.Duration) error {
	var stack []string
	var took time.Duration
	end := func() {
		if len(stack) > 0 {
			spent[stageOf(stack)] += took
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
