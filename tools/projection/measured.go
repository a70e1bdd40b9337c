//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// measured are the results in docs/benchmarks. Of each kind the newest counts; their names end with the date.
type measured struct {
	bench   benchResult   // make bench: DATE.json
	scale   scaleResult   // make scale: scale-DATE.json
	stages  stagesResult  // make stages: stages-DATE.json
	resolve resolveResult // make questions: resolve-DATE.json
	files   [4]string
}

// A measure is the cost of one process.
type measure struct {
	Wall   float64 `json:"wall_s"`
	User   float64 `json:"user_s"`
	System float64 `json:"system_s"`
	Peak   int64   `json:"peak_bytes"`
}

func (m measure) cpu() float64 { return m.User + m.System }

// A circumstance describes the machine and program of a result.
type circumstance struct {
	Date       string            `json:"date"`
	Command    string            `json:"command,omitempty"`
	Machine    map[string]string `json:"machine"`
	Versions   map[string]string `json:"versions"`
	LoadBefore string            `json:"load_before"`
	LoadAfter  string            `json:"load_after"`
}

// benchResult is the part of the benchmark's result that the projection uses.
type benchResult struct {
	circumstance
	Corpora []struct {
		Name       string           `json:"name"`
		Bytes      int64            `json:"bytes"`
		Found      map[string]int64 `json:"found"`
		Contenders []struct {
			Name string  `json:"name"`
			CPU  float64 `json:"processor_s"`
			Peak int64   `json:"peak_bytes"`
		} `json:"contenders"`
	} `json:"corpora"`
	Growth []struct {
		Series   string    `json:"series"`
		Value    int64     `json:"value"`
		Measures []measure `json:"measures"`
	} `json:"growth"`
	Profiles []struct {
		Corpus  string  `json:"corpus"`
		Seconds float64 `json:"seconds"`
		Stages  []struct {
			Stage string  `json:"stage"`
			Share float64 `json:"share"`
		} `json:"stages"`
	} `json:"profiles"`
}

// scaleResult is stage 2 on generated facts.
type scaleResult struct {
	Date    string     `json:"date"`
	Version string     `json:"version"`
	Limit   string     `json:"memory_limit"`
	Load    string     `json:"load_before"`
	Runs    []scaleRun `json:"runs"`
}

type scaleRun struct {
	Pages  int64   `json:"pages"`
	Sites  int64   `json:"sites"` // 1: all pages are of one site
	Facts  int64   `json:"facts_bytes"`
	Sorted int64   `json:"work_bytes"` // the peak
	CPU    float64 `json:"processor_s"`
	Peak   int64   `json:"peak_bytes"`
}

// stagesResult is both stages on the corpora of the benchmark.
type stagesResult struct {
	circumstance
	Runs []stagesRun `json:"runs"`
}

type stagesRun struct {
	Corpus  string           `json:"corpus"`
	Pages   string           `json:"pages"` // the value of --pages
	Files   int              `json:"files"`
	Bytes   int64            `json:"bytes"` // compressed
	Facts   map[string]int64 `json:"facts"` // by kind
	Size    int64            `json:"facts_bytes"`
	Tables  int64            `json:"tables_bytes"`
	Extract measure          `json:"extract"`
	Analyze measure          `json:"analyze"`
}

// resolveResult is the pass between the stages on generated facts.
type resolveResult struct {
	circumstance
	Limit string       `json:"memory_limit"`
	Runs  []resolveRun `json:"runs"`
}

type resolveRun struct {
	Captures  int64   `json:"captures"`
	Redirects int64   `json:"redirects"` // of the captures, each to another host
	Answers   int64   `json:"answers"`   // copies of captures
	Facts     int64   `json:"facts_bytes"`
	Resolve   measure `json:"resolve"`
}

func readMeasured(docs string) (*measured, error) {
	m := &measured{}
	for i, kind := range []struct {
		pattern string
		into    any
	}{{"2???-??-??.json", &m.bench}, {"scale-2???-??-??.json", &m.scale}, {"stages-2???-??-??.json", &m.stages},
		{"resolve-2???-??-??.json", &m.resolve}} {
		found, err := filepath.Glob(filepath.Join(docs, "benchmarks", kind.pattern))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s holds no result %s", filepath.Join(docs, "benchmarks"), kind.pattern)
		}
		newest := slices.Max(found)
		text, err := os.ReadFile(newest)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, kind.into); err != nil {
			return nil, fmt.Errorf("%s: %w", newest, err)
		}
		m.files[i] = filepath.Base(newest)
	}
	return m, nil
}

// errMissing means that a result lacks a required measurement.
var errMissing = errors.New("a measurement is missing")

// extract returns the result of a contender on a corpus of the benchmark.
func (b *benchResult) extract(corpus, contender string) (bytes int64, found map[string]int64, cpu float64, peak int64,
	err error) {
	for _, c := range b.Corpora {
		for _, x := range c.Contenders {
			if c.Name == corpus && x.Name == contender {
				return c.Bytes, c.Found, x.CPU, x.Peak, nil
			}
		}
	}
	return 0, nil, 0, 0, fmt.Errorf("%w: corpus %s, contender %s", errMissing, corpus, contender)
}

// perFile returns the fixed cost of a file: the slope of the series with a growing number of files.
func (b *benchResult) perFile() (float64, error) {
	cpus := map[int64]float64{}
	for _, p := range b.Growth {
		if p.Series == "files" {
			cpus[p.Value] = median(p.Measures)
		}
	}
	if len(cpus) < 2 {
		return 0, fmt.Errorf("%w: growth with the number of files", errMissing)
	}
	least, most := int64(1<<62), int64(0)
	for n := range cpus {
		least, most = min(least, n), max(most, n)
	}
	return (cpus[most] - cpus[least]) / float64(most-least), nil
}

func median(measures []measure) float64 {
	cpus := make([]float64, len(measures))
	for i, m := range measures {
		cpus[i] = m.cpu()
	}
	slices.Sort(cpus)
	return cpus[len(cpus)/2]
}

func (s *stagesResult) run(corpus, pages string) (stagesRun, error) {
	for _, r := range s.Runs {
		if r.Corpus == corpus && r.Pages == pages {
			return r, nil
		}
	}
	return stagesRun{}, fmt.Errorf("%w: stages over %s with --pages %s", errMissing, corpus, pages)
}

// largest returns the run over many sites with the most pages.
func (s *scaleResult) largest() (scaleRun, error) {
	var most scaleRun
	for _, r := range s.Runs {
		if r.Sites > 1 && r.Pages > most.Pages {
			most = r
		}
	}
	if most.Pages == 0 {
		return most, fmt.Errorf("%w: the second stage over many sites", errMissing)
	}
	return most, nil
}

// largest returns the run with the most captures.
func (r *resolveResult) largest() (resolveRun, error) {
	var most resolveRun
	for _, run := range r.Runs {
		if run.Captures > most.Captures {
			most = run
		}
	}
	if most.Captures == 0 {
		return most, fmt.Errorf("%w: the pass between the stages", errMissing)
	}
	return most, nil
}

// missing returns the sizes that are not measured yet.
func (s *scaleResult) missing() []string {
	var list []string
	for _, pages := range []int64{2_000_000, 20_000_000, 50_000_000} {
		if !slices.ContainsFunc(s.Runs, func(r scaleRun) bool { return r.Sites > 1 && r.Pages == pages }) {
			list = append(list, count(float64(pages)))
		}
	}
	return list
}
