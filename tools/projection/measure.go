//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/acapscan/acapscan/ingest/facts"
)

// measureStages runs both stages on the benchmark's archives, with one worker each, and archives the result.
func measureStages(ctx context.Context, docs, binary, corpus string) error {
	work, err := os.MkdirTemp("", "acapscan-stages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	result := stagesResult{}
	if result.circumstance, err = circumstanceOf(ctx, binary,
		"extract --workers 1 --pages …, analyze --workers 1"); err != nil {
		return err
	}
	for _, r := range []stagesRun{
		{Corpus: "robotstxt", Pages: "default"}, {Corpus: "pages", Pages: "acap"}, {Corpus: "pages", Pages: "default"},
		{Corpus: "pages", Pages: "all"},
	} {
		if err := r.measure(ctx, work, binary, corpus); err != nil {
			return fmt.Errorf("%s, --pages %s: %w", r.Corpus, r.Pages, err)
		}
		result.Runs = append(result.Runs, r)
	}
	result.LoadAfter = load()
	return archive(docs, "stages-"+result.Date, result)
}

// archive writes a result to docs/benchmarks.
func archive(docs, name string, result any) error {
	text, err := json.MarshalIndent(result, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "benchmarks", name+".json"), append(text, '\n'), 0o644)
}

func circumstanceOf(ctx context.Context, binary, command string) (circumstance, error) {
	version, err := exec.CommandContext(ctx, binary, "version").Output()
	name, _, _ := strings.Cut(string(version), "\n")
	return circumstance{
		Date: time.Now().UTC().Format(time.DateOnly), Command: command,
		Machine: map[string]string{"cores": strconv.Itoa(runtime.NumCPU()), "system": runtime.GOOS + "/" +
			runtime.GOARCH},
		Versions:   map[string]string{"acapscan": name},
		LoadBefore: load(),
	}, err
}

// resolveSites are the sizes for measuring the pass between the stages, and resolveLimit its small memory.
var resolveSites = []int64{200_000, 1_000_000, 4_000_000}

const resolveLimit = "256MiB"

// measureResolve runs the pass between the stages on generated facts, half of them redirects to another host.
func measureResolve(ctx context.Context, docs, binary, generator string) error {
	result := resolveResult{Limit: resolveLimit}
	var err error
	if result.circumstance, err = circumstanceOf(ctx, binary,
		"resolve --workers 1 --memory "+resolveLimit); err != nil {
		return err
	}
	for _, sites := range resolveSites {
		run := resolveRun{}
		if err := run.measure(ctx, binary, generator, sites); err != nil {
			return fmt.Errorf("%d sites: %w", sites, err)
		}
		result.Runs = append(result.Runs, run)
	}
	result.LoadAfter = load()
	return archive(docs, "resolve-"+result.Date, result)
}

func (r *resolveRun) measure(ctx context.Context, binary, generator string, sites int64) error {
	work, err := os.MkdirTemp("", "acapscan-resolve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	factsDir, answersDir := filepath.Join(work, "facts"), filepath.Join(work, "answers")
	if _, err := timed(ctx, generator, "-pages", "0", "-sites", strconv.FormatInt(sites, 10), "-redirects", "5", "-o",
		factsDir); err != nil {
		return err
	}
	if r.Resolve, err = timed(ctx, binary, "resolve", "--workers", "1", "--memory", resolveLimit, "-o", answersDir,
		factsDir); err != nil {
		return err
	}
	asked, err := facts.Open([]string{factsDir})
	if err != nil {
		return err
	}
	if err := asked.Scan(func(f *facts.Fact) error {
		if f.Kind == facts.KindRobots {
			r.Captures++
			if f.FetchRedirect != "" {
				r.Redirects++
			}
		}
		return nil
	}); err != nil {
		return err
	}
	answers, err := facts.Open([]string{answersDir})
	if err != nil {
		return err
	}
	r.Answers = answers.Rows()
	r.Facts, err = sizeOf(factsDir, facts.Extension)
	return err
}

func (r *stagesRun) measure(ctx context.Context, work, binary, corpus string) error {
	subset := map[string]string{"robotstxt": "robotstxt", "pages": "warc"}[r.Corpus]
	files, err := filepath.Glob(filepath.Join(corpus, "crawl-data", "*", "segments", "*", subset, "*.warc.gz"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no archives of %s below %s; make corpus writes them (%v)", subset, corpus, err)
	}
	slices.Sort(files)
	r.Files = len(files)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		r.Bytes += info.Size()
	}
	factsDir, tablesDir := filepath.Join(work, "facts"), filepath.Join(work, "tables")
	for _, dir := range []string{factsDir, tablesDir} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	args := append([]string{"extract", "--workers", "1", "--progress", "none", "--pages", r.Pages, "-o", factsDir},
		files...)
	if r.Extract, err = timed(ctx, binary, args...); err != nil {
		return err
	}
	if r.Analyze, err = timed(ctx, binary, "analyze", "--workers", "1", "--progress", "none", "-o", tablesDir,
		factsDir); err != nil {
		return err
	}
	store, err := facts.Open([]string{factsDir})
	if err != nil {
		return err
	}
	r.Facts = map[string]int64{}
	if err := store.Scan(func(f *facts.Fact) error { r.Facts[string(f.Kind)]++; return nil }); err != nil {
		return err
	}
	if r.Size, err = sizeOf(factsDir, facts.Extension); err != nil {
		return err
	}
	r.Tables, err = sizeOf(tablesDir, ".parquet")
	return err
}

// timed runs a process on one processor to its end.
func timed(ctx context.Context, binary string, args ...string) (measure, error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return measure{}, fmt.Errorf("%w\n%s", err, complaints.String())
	}
	m := measure{Wall: time.Since(begin).Seconds(), User: cmd.ProcessState.UserTime().Seconds(),
		System: cmd.ProcessState.SystemTime().Seconds()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.Peak = usage.Maxrss << 10 // kilobytes on Linux
	}
	return m, nil
}

// sizeOf returns the size of the files in a folder with that extension.
func sizeOf(dir, extension string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != extension {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

// load returns the load average of the last minute, which shows other work.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Fields(string(text) + " ?")[0]
}
