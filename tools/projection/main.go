//go:build unix

// Command projection writes the tables of docs/scale.md: measurements, and what they mean for a crawl. It computes them
// from the results in docs/benchmarks and the assumptions in model.go, each with its source. With -measure it first
// measures both stages on the corpora of the benchmark, with -resolve the pass between them on generated facts.
//
//	projection -docs docs
//	projection -docs docs -measure bin/acapscan -corpus out/bench/corpus
//	projection -docs docs -resolve bin/acapscan -generator bin/sites
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	docs := flag.String("docs", "docs", "`FOLDER` of scale.md and benchmarks")
	binary := flag.String("measure", "", "measure this `PROGRAM` first")
	corpus := flag.String("corpus", "out/bench/corpus", "`FOLDER` of the benchmark's archives, for -measure")
	resolve := flag.String("resolve", "", "measure the pass between the stages of this `PROGRAM` first")
	generator := flag.String("generator", "", "tools/sites as a `PROGRAM`, for -resolve")
	flag.Parse()
	if err := run(context.Background(), *docs, *binary, *corpus, *resolve, *generator); err != nil {
		fmt.Fprintln(os.Stderr, "projection:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, docs, binary, corpus, resolve, generator string) error {
	if binary != "" {
		if err := measureStages(ctx, docs, binary, corpus); err != nil {
			return err
		}
	}
	if resolve != "" {
		if err := measureResolve(ctx, docs, resolve, generator); err != nil {
			return err
		}
	}
	m, err := readMeasured(docs)
	if err != nil {
		return err
	}
	return writePage(docs, m)
}
