//go:build unix

// Command bench compares acapscan with other programs, and writes the results to docs/benchmarks. Every contender is a
// whole process. Each round runs all contenders in turn, so that other load affects all. The counts of the contenders
// must agree. Command corpus writes the archives.
//
// Run it with `make bench`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A bench has the options of all measurements.
type bench struct {
	dir    string // BENCH_DIR
	binary string // of acapscan
	corpus string // the program tools/corpus
	real   string // an archive of real robots.txt, or ""
	python string
	scripts,
	docs string // folder of benchmarks and performance.md
	rounds     int
	slowRounds int // of slow contenders
	core       int // for one-core measurements
	big        int64
	only       *regexp.Regexp
	into       string // an archived result to measure again in part
	log        io.Writer
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	b := bench{log: os.Stderr}
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.StringVar(&b.dir, "dir", "out/bench", "folder `DIR` of the corpus; see tools/bench/README.md")
	set.StringVar(&b.binary, "acapscan", "bin/acapscan", "the `PROGRAM`")
	set.StringVar(&b.corpus, "corpus", "out/bench/corpus-writer", "`PROGRAM` that writes archives (tools/corpus)")
	set.StringVar(&b.real, "real", "", "`ARCHIVE` of real robots.txt, measured like a corpus; empty: none")
	set.StringVar(&b.python, "python", ".venv-bench/bin/python", "`PYTHON` with the packages to compare")
	set.StringVar(&b.scripts, "scripts", "tools/bench/python", "`FOLDER` of the Python contenders")
	set.StringVar(&b.docs, "docs", "docs", "`FOLDER` for the results; empty: print them only")
	set.IntVar(&b.rounds, "rounds", 5, "number `N` of rounds")
	set.IntVar(&b.slowRounds, "slow-rounds", 2, "most rounds `N` with slow contenders")
	set.IntVar(&b.core, "core", 1, "number `CORE` of the core for one-core measurements")
	set.Int64Var(&b.big, "big", 10<<30, "content of the big member, `N` bytes")
	only := set.String("only", "",
		"measure only what matches `REGEXP`: the name of a corpus, inflate, growth, memory, profile or allocations")
	set.StringVar(&b.into, "into", "",
		"with -only: measure that part of the archived `RESULT` (.json) again; keep the rest")
	inside := set.String("inside", "", "internal: measure `WHAT` within this process")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *inside != "" {
		return measureInside(ctx, *inside, set.Args(), stdout)
	}
	var err error
	if b.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	for _, path := range []*string{&b.dir, &b.binary, &b.corpus, &b.real, &b.python, &b.scripts, &b.docs,
		&b.into} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	result, err := b.measure(ctx)
	if err != nil {
		return err
	}
	text := result.markdown()
	if _, err := io.WriteString(stdout, text+result.more()); err != nil {
		return err
	}
	if b.docs == "" || *only != "" && b.into == "" {
		return nil // a partial measurement is not archived
	}
	return result.save(b.docs, text)
}

// measure runs all measurements.
func (b *bench) measure(ctx context.Context) (*result, error) {
	r := &result{Date: time.Now().UTC().Format("2006-01-02"), Machine: machine(), Versions: b.versions(ctx),
		LoadBefore: load()}
	if b.into != "" {
		if err := r.load(b.into); err != nil {
			return nil, err
		}
	}
	contenders := b.contenders()
	for _, corpus := range everyCorpus {
		if !b.only.MatchString(corpus) || corpus == realFiles && b.real == "" {
			continue
		}
		files, err := b.archives(corpus)
		if err != nil {
			return nil, err
		}
		c, err := b.compare(ctx, corpus, files, contenders)
		if err != nil {
			return nil, fmt.Errorf("corpus %s: %w", corpus, err)
		}
		r.put(*c)
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context, *result) error
	}{{"inflate", b.inflating}, {"memory", b.memory}, {"allocations", b.allocations}, {"growth", b.growth},
		{"profile", b.profiles}} {
		if b.only.MatchString(part.name) {
			if err := part.measure(ctx, r); err != nil {
				return nil, fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	if b.into == "" {
		r.LoadAfter = load()
	}
	return r, nil
}

// archives returns the archives of a corpus.
func (b *bench) archives(corpus string) ([]string, error) {
	if corpus == realFiles {
		return []string{b.real}, nil
	}
	pattern := filepath.Join(b.dir, "corpus", "crawl-data", "*", "segments", "*",
		map[string]string{"pages": "warc", "robotstxt": "robotstxt", robotsFiles: robotsFiles}[corpus], "*.warc.gz")
	if corpus == "sample" {
		pattern = filepath.Join(b.dir, "sample", "crawl-data", "*", "segments", "*", "*", "*.warc.gz")
	}
	files, err := filepath.Glob(pattern)
	if err == nil && len(files) == 0 {
		err = errors.New("there is no corpus; make corpus writes it")
	}
	return files, err
}
