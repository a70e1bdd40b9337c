//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/ingest/facts"
)

// counts are what a contender found, named as in facts.Count if possible.
type counts map[string]int64

// A contender is a program that reads archives.
type contender struct {
	name    string
	cores   int
	corpora []string // that it can read
	command func(files []string) []string
	// found returns the process's findings, from its output or its files. If nil, the first round, which is not
	// measured, compares the length of the output.
	found func(ctx context.Context, stdout []byte) (counts, error)
	env   []string
	slow  bool // runs in at most b.slowRounds rounds
	// prepare makes what the command reads in addition to the files; it is not measured. nil: nothing.
	prepare func(ctx context.Context, files []string) error
}

// contenders returns the contenders. Reference comes first: its time is the unit of the others.
func (b *bench) contenders() []contender {
	tools := filepath.Join(b.dir, "tools", "usr")
	libraries := "LD_LIBRARY_PATH=" + filepath.Join(tools, "lib", "x86_64-linux-gnu")
	tool := func(name string, args ...string) contender {
		return contender{
			name: name, cores: 1, corpora: everyCorpus, env: []string{libraries},
			command: func(files []string) []string {
				return slices.Concat([]string{filepath.Join(tools, "bin", name)}, args, files)
			},
		}
	}
	script := func(name, file string, corpora ...string) contender {
		return contender{
			name: name, cores: 1, corpora: corpora, found: countsFromJSON,
			command: func(files []string) []string {
				return append([]string{b.python, filepath.Join(b.scripts, file)}, files...)
			},
		}
	}
	ours := func(name, verb string, cores int, found func(context.Context, []byte) (counts, error),
		flags ...string) contender {
		return contender{
			name: name, cores: cores, corpora: everyCorpus, found: found,
			command: func(files []string) []string {
				return slices.Concat([]string{b.binary, verb}, files, b.flags(b.output(), cores), flags)
			},
		}
	}
	// One archive has one worker, so that a second core would be idle.
	several := func(c contender) contender {
		c.corpora = slices.DeleteFunc(slices.Clone(c.corpora), func(name string) bool { return name == realFiles })
		return c
	}
	ofRobots := func(c contender) contender {
		c.corpora = []string{robotsFiles, realFiles}
		return c
	}
	// Stage 1 and stage 2 are the rest of a scan; here nearly all captures lead to no other host.
	pass := contender{
		name: across, cores: 1, corpora: []string{robotsFiles, realFiles}, prepare: b.makeFacts,
		command: func([]string) []string {
			return []string{b.binary, "resolve", b.facts(), "-o", b.output(), "--workers", "1"}
		},
	}
	// Two processes of the reference, each for half of the files: what a second worker can gain on this machine.
	together := tool(twoReferences)
	together.cores = 2
	together.command = func(files []string) []string {
		program := filepath.Join(tools, "bin", reference)
		return []string{"sh", "-c", fmt.Sprintf("%s -c %s & %s -c %s & wait", program, quoted(files[:len(files)/2]),
			program, quoted(files[len(files)/2:]))}
	}
	facts := func(ctx context.Context, _ []byte) (counts, error) { return b.countFacts(ctx) }
	return []contender{
		tool(reference, "-c"),
		tool("igzip", "-d", "-c"),
		ours(oneCore, "extract", 1, facts),
		several(ours(twoCores, "extract", 2, facts)),
		several(together),
		ours(scan, "scan", 1, nil),
		several(ours(twoScans, "scan", 2, nil)),
		pass,
		ofRobots(slow(ours(namedScan, "scan", 1, nil, "--permissions", "all-sites", "--directives", "all",
			"--agents", "gptbot,ccbot,ia_archiver"))),
		script(iterating, "iterate_fastwarc.py", everyCorpus...),
		script(asking, "protego_fastwarc.py", robotsFiles, realFiles),
		slow(script("warcio, iterating", "iterate_warcio.py", everyCorpus...)),
		slow(script(fastSurvey, "survey_fastwarc.py", "pages", "robotstxt", "sample")),
		slow(script(slowSurvey, "survey_warcio.py", "sample")),
	}
}

// robotsFiles is the corpus with robots.txt that are distributed as real ones are, realFiles real ones in one archive
// (-real).
const (
	robotsFiles = "robotsfiles"
	realFiles   = "real"
)

var everyCorpus = []string{"pages", "robotstxt", robotsFiles, realFiles, "sample"}

// flags are the flags of a run of acapscan.
func (b *bench) flags(output string, workers int) []string {
	return []string{"-o", output, "--overwrite", "--progress", "none", "--workers", strconv.Itoa(workers)}
}

// makeFacts makes the facts of a corpus for the pass between the stages.
func (b *bench) makeFacts(ctx context.Context, files []string) error {
	_, err := timed(b.start(ctx, 1, slices.Concat([]string{b.binary, "extract"}, files, b.flags(b.facts(), 1))...))
	return err
}

// quoted returns file names for a shell.
func quoted(files []string) string {
	list := make([]string, len(files))
	for i, file := range files {
		list[i] = "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	}
	return strings.Join(list, " ")
}

// slow marks a contender that takes several times as long as others, so that few rounds are precise enough.
func slow(c contender) contender {
	c.slow = true
	return c
}

// Names of contenders with targets.
const (
	reference     = "libdeflate-gunzip"
	twoReferences = "libdeflate-gunzip, two processes"

	oneCore    = "acapscan extract"
	twoCores   = "acapscan extract, two cores"
	scan       = "acapscan scan"
	twoScans   = "acapscan scan, two cores"
	namedScan  = "acapscan scan, three agents for every site"
	across     = "acapscan resolve"
	asking     = "FastWARC and Protego, one question"
	iterating  = "FastWARC, iterating"
	fastSurvey = "survey with FastWARC, Resiliparse"
	slowSurvey = "survey with warcio, BeautifulSoup"
)

// output is the output folder of acapscan.
func (b *bench) output() string { return filepath.Join(b.dir, "tmp", "out") }

// facts is the folder of makeFacts.
func (b *bench) facts() string { return filepath.Join(b.dir, "tmp", "facts") }

func countsFromJSON(_ context.Context, stdout []byte) (counts, error) {
	found := counts{}
	if err := json.Unmarshal(stdout, &found); err != nil {
		return nil, fmt.Errorf("the output is not a JSON object of counts: %w", err)
	}
	return found, nil
}

// surveyed are the counters of a fact that the Python surveys also have.
var surveyed = []string{
	facts.CountHTML, facts.CountACAPMeta, facts.CountACAPClass, facts.CountConventional, facts.CountXRobotsTag,
	facts.CountRobots,
}

// countFacts returns the counts of the Python surveys from the facts of a run. It runs another process, because a child
// process inherits the memory peak of its parent.
func (b *bench) countFacts(ctx context.Context) (counts, error) {
	out, err := b.inside(ctx, "found", b.output())
	if err != nil {
		return nil, err
	}
	return countsFromJSON(ctx, out)
}

// countFolder counts the facts in a folder.
func countFolder(folder string) (counts, error) {
	store, err := facts.Open([]string{folder})
	if err != nil {
		return nil, err
	}
	found := counts{}
	err = store.Scan(func(f *facts.Fact) error {
		switch f.Kind {
		case facts.KindInput:
			for _, c := range f.Counts {
				if slices.Contains(surveyed, c.Name) || c.Name == facts.CountRecords {
					found[c.Name] += c.Value
				}
			}
			if f.Error != "" {
				return fmt.Errorf("%s: %s", f.Filename, f.Error)
			}
		case facts.KindRobots:
			if n := acapFields(f.Body); n > 0 {
				found["robots-acap-fields"] += n
				found["robots-with-acap"]++
			}
		}
		return nil
	})
	return found, err
}

// acapFields counts the lines of a robots.txt whose field name begins with ACAP-, as the Python surveys do.
func acapFields(body []byte) int64 {
	var n int64
	for line := range strings.Lines(strings.TrimPrefix(string(body), "\uFEFF")) {
		line, _, _ = strings.Cut(line, "#")
		name, _, _ := strings.Cut(line, ":")
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(name)), "acap-") {
			n++
		}
	}
	return n
}

// compare measures the contenders on a corpus, round by round.
func (b *bench) compare(ctx context.Context, corpus string, files []string, contenders []contender) (*corpusResult,
	error) {
	contenders = slices.DeleteFunc(slices.Clone(contenders),
		func(c contender) bool { return !slices.Contains(c.corpora, corpus) })
	c := &corpusResult{Name: corpus, Files: len(files)}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		c.Bytes += info.Size()
	}
	// The first round is not measured. It caches the files and compares the counts.
	for _, x := range contenders {
		if x.prepare != nil {
			if err := x.prepare(ctx, files); err != nil {
				return nil, fmt.Errorf("%s: %w", x.name, err)
			}
		}
		if err := b.check(ctx, c, x, files); err != nil {
			return nil, err
		}
	}
	for round := range b.rounds {
		for _, x := range contenders {
			if x.slow && round >= b.slowRounds {
				continue
			}
			m, _, err := b.process(ctx, x, files, nil)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(b.log, "%-11s round %d  %-42s %8.2f s wall %8.2f s processor %5d MB\n", corpus, round+1, x.name,
				m.Wall, m.CPU(), m.Peak>>20)
			c.add(x, m)
		}
	}
	for i := range c.Contenders {
		c.Contenders[i].sum(c)
	}
	return c, nil
}

// check runs a contender and compares its counts with those of the others.
func (b *bench) check(ctx context.Context, c *corpusResult, x contender, files []string) error {
	if c.Found == nil {
		c.Found = counts{}
	}
	var length counter
	_, stdout, err := b.process(ctx, x, files, &length)
	if err != nil {
		return err
	}
	found := counts{}
	switch {
	case x.found != nil:
		if found, err = x.found(ctx, stdout); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	case length > 0:
		found["content-bytes"] = int64(length)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if have, known := c.Found[name]; known && have != found[name] {
			return fmt.Errorf("%s counts %d %s, where others count %d", x.name, found[name], name, have)
		}
		c.Found[name] = found[name]
	}
	return nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

var _ io.Writer = (*counter)(nil)
