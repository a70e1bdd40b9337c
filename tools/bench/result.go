//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A result is an archived run of the benchmark.
type result struct {
	Date        string            `json:"date"`
	Machine     map[string]string `json:"machine"`
	Versions    map[string]string `json:"versions"`
	LoadBefore  string            `json:"load_before"`
	LoadAfter   string            `json:"load_after"`
	Corpora     []corpusResult    `json:"corpora"`
	Inflating   []inflating       `json:"inflating,omitempty"`
	Memory      []memoryPoint     `json:"memory,omitempty"`
	Allocations []allocations     `json:"allocations,omitempty"`
	Growth      []growthPoint     `json:"growth,omitempty"`
	Profiles    []profile         `json:"profiles,omitempty"`
}

// A corpusResult is the cost of each contender for one corpus, and their common counts.
type corpusResult struct {
	Name       string            `json:"name"`
	Files      int               `json:"files"`
	Bytes      int64             `json:"bytes"` // compressed
	Found      counts            `json:"found"`
	Contenders []contenderResult `json:"contenders"`
}

type contenderResult struct {
	Name     string    `json:"name"`
	Cores    int       `json:"cores"`
	Measures []measure `json:"measures"` // round by round

	// Medians over the rounds. Ratios are of processor times in one round, which other load affects equally.
	Wall  float64 `json:"wall_s"`
	CPU   float64 `json:"processor_s"`
	Rate  float64 `json:"mb_per_s"` // compressed, by processor time; by wall-clock time with more than one core
	Peak  int64   `json:"peak_bytes"`
	Ratio float64 `json:"ratio_to_reference"`
}

type memoryPoint struct {
	Name    string  `json:"name"`
	Content int64   `json:"content_bytes,omitempty"`
	Files   int     `json:"files,omitempty"`
	Measure measure `json:"measure"`
}

type allocations struct {
	Corpus  string `json:"corpus"`
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
	Records int64  `json:"records"`
}

func (a allocations) perRecord() float64 { return float64(a.Objects) / float64(a.Records) }

type growthPoint struct {
	Series   string    `json:"series"`
	Value    int       `json:"value"`
	Bytes    int64     `json:"bytes"`
	Records  int64     `json:"records"`
	Measures []measure `json:"measures"`
}

type profile struct {
	Corpus  string  `json:"corpus"`
	What    string  `json:"what"`
	Seconds float64 `json:"seconds"`
	Stages  []share `json:"stages"`
}

type share struct {
	Stage string  `json:"stage"`
	Share float64 `json:"share"`
}

// add adds a measure of a contender.
func (c *corpusResult) add(x contender, m measure) {
	i := slices.IndexFunc(c.Contenders, func(r contenderResult) bool { return r.Name == x.name })
	if i < 0 {
		i = len(c.Contenders)
		c.Contenders = append(c.Contenders, contenderResult{Name: x.name, Cores: x.cores})
	}
	c.Contenders[i].Measures = append(c.Contenders[i].Measures, m)
}

// of returns the result of a contender, or nil.
func (c *corpusResult) of(name string) *contenderResult {
	for i := range c.Contenders {
		if c.Contenders[i].Name == name {
			return &c.Contenders[i]
		}
	}
	return nil
}

// put adds the result of a corpus, or replaces the one that an earlier run has.
func (r *result) put(c corpusResult) {
	i := slices.IndexFunc(r.Corpora, func(had corpusResult) bool { return had.Name == c.Name })
	if i < 0 {
		r.Corpora = append(r.Corpora, c)
		return
	}
	r.Corpora[i] = c
}

// rounds describes how often the contenders ran.
func (c *corpusResult) rounds() string {
	most, fewest := 0, math.MaxInt
	for _, x := range c.Contenders {
		most, fewest = max(most, len(x.Measures)), min(fewest, len(x.Measures))
	}
	if fewest < most {
		return fmt.Sprintf("%d rounds (slow contenders: %d)", most, fewest)
	}
	return fmt.Sprintf("%d rounds", most)
}

// sum sets the medians.
func (r *contenderResult) sum(c *corpusResult) {
	r.Wall, r.CPU = median(walls(r.Measures)), median(cpus(r.Measures))
	for _, m := range r.Measures {
		r.Peak = max(r.Peak, m.Peak)
	}
	seconds := r.CPU
	if r.Cores > 1 {
		seconds = r.Wall
	}
	r.Rate = float64(c.Bytes) / 1e6 / seconds
	r.Ratio = ratio(cpus(r.Measures), cpus(c.of(reference).Measures))
}

func walls(list []measure) []float64 {
	out := make([]float64, len(list))
	for i, m := range list {
		out[i] = m.Wall
	}
	return out
}

func cpus(list []measure) []float64 {
	out := make([]float64, len(list))
	for i, m := range list {
		out[i] = m.CPU()
	}
	return out
}

// median returns the median, or the mean of the two middle values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratio returns the median of the ratios a to b of each round.
func ratio(a, b []float64) float64 {
	quotients := make([]float64, min(len(a), len(b)))
	for i := range quotients {
		quotients[i] = a[i] / b[i]
	}
	return median(quotients)
}

// A target is a goal of the project, with the measured value.
type target struct {
	what    string
	want    string
	got     string
	reached bool
}

// targets compares the result with the targets.
func (r *result) targets() []target {
	var list []target
	factor := func(what, want string, got float64, reached bool) {
		list = append(list, target{what, want, fmt.Sprintf("%.2f", got), reached})
	}
	for i := range r.Corpora {
		c := &r.Corpora[i]
		one := c.of(oneCore)
		against := func(name, what string, want float64) {
			if other := c.of(name); other != nil {
				got := ratio(cpus(other.Measures), cpus(one.Measures))
				factor(fmt.Sprintf("%s: %s to extract, processor time", c.Name, what),
					fmt.Sprintf("at least %.3g", want), got, got >= want)
			}
		}
		atMost := func(name string, want float64) {
			if other := c.of(name); other != nil {
				factor(c.Name+": "+strings.TrimPrefix(name, "acapscan ")+" to libdeflate-gunzip, processor time",
					fmt.Sprintf("at most %.2g", want), other.Ratio, other.Ratio <= want)
			}
		}
		switch c.Name {
		case "pages":
			atMost(oneCore, 1.8)
			atMost(scan, 2)
		case robotsFiles, realFiles:
			between := func(name, other, what string, want float64) {
				if x, y := c.of(name), c.of(other); x != nil && y != nil {
					got := ratio(cpus(x.Measures), cpus(y.Measures))
					factor(c.Name+": "+what+", processor time", fmt.Sprintf("at most %.2g", want), got, got <= want)
				}
			}
			between(scan, asking, "scan to FastWARC with Protego", 0.2)
			atMost(scan, 5)
			atMost(oneCore, 3)
			if pass := c.of(across); pass != nil && c.Name == robotsFiles && c.Found["records"] > 0 {
				got := pass.CPU * 1e6 / float64(c.Found["records"])
				list = append(list, target{c.Name + ": the pass across hosts, a capture that leads nowhere, with the " +
					"start of the process", "at most 2 µs", fmt.Sprintf("%.1f µs", got), got <= 2})
			}
			between(namedScan, scan, "permissions and statements of three agents for every site to scan", 2)
			if both := c.of(twoScans); both != nil {
				list = append(list, target{c.Name + ": peak memory of scan, two workers", "at most 300 MB",
					megabytes(both.Peak), both.Peak <= 300<<20})
			}
		}
		if c.Name != "sample" {
			against(fastSurvey, "the survey with FastWARC and Resiliparse", 10)
			secondWorker := func(one, two, what string) {
				both, of := c.of(twoReferences), c.of(two)
				if both == nil || of == nil {
					return
				}
				gain := ratio(walls(c.of(one).Measures), walls(of.Measures)) /
					ratio(walls(c.of(reference).Measures), walls(both.Measures))
				factor(c.Name+": gain of "+what+"'s second worker to that of a second libdeflate-gunzip, wall-clock "+
					"time", "at least 0.95", gain, gain >= 0.95)
			}
			secondWorker(oneCore, twoCores, "extract")
			secondWorker(scan, twoScans, "scan")
			if two := c.of(twoCores); two != nil {
				list = append(list, target{c.Name + ": peak memory of extract, two workers", "under 150 MB",
					megabytes(two.Peak), two.Peak < 150<<20})
			}
		}
		against(slowSurvey, "the survey with warcio and BeautifulSoup", 10)
	}
	for _, a := range r.Allocations {
		list = append(list, target{a.Corpus + ": objects allocated a record", "at most 1",
			fmt.Sprintf("%.2f", a.perRecord()), a.perRecord() <= 1})
	}
	for _, x := range r.Inflating {
		factor(fmt.Sprintf("inflating %s: klauspost/compress to ours, processor time", x.What),
			fmt.Sprintf("at least %.2g", x.Want), x.ratio(), x.ratio() >= x.Want)
	}
	for i, m := range r.Memory {
		switch {
		case m.Files > 0:
			list = append(list, target{fmt.Sprintf("peak memory, two workers, %d files", m.Files), "under 150 MB",
				megabytes(m.Measure.Peak), m.Measure.Peak < 150<<20})
		case i > 0 && r.Memory[i-1].Name == m.Name:
			before := r.Memory[i-1].Measure.Peak
			list = append(list, target{
				fmt.Sprintf("%s: peak memory at %s of content, at %s", m.Name, megabytes(r.Memory[i-1].Content),
					megabytes(m.Content)), "flat",
				megabytes(before) + ", " + megabytes(m.Measure.Peak), m.Measure.Peak < before+before/4+8<<20,
			})
		}
	}
	return list
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<19)>>20) }

// markdown returns the result as a section of docs/performance.md, without what more returns, and versions.
func (r *result) markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("## Figures of %s\n", r.Date)
	b.WriteString(wrap("",
		fmt.Sprintf("%s cores (%s), load average before %s and after %s. [The result](benchmarks/%s.json) has all "+
			"versions and rounds. In a round all contenders run in turn; one-core contenders are pinned to one core. "+
			"Times are medians, peaks are maxima. A ratio is the median "+
			"of the ratios of each round. MB/s are compressed megabytes a second of processor time, with two cores "+
			"of wall-clock time.",
			r.Machine["cores"], r.Machine["processor"], r.LoadBefore, r.LoadAfter, r.Date)))
	if list := r.targets(); len(list) > 0 {
		line("\n### Targets\n\n| | to reach | measured | reached |\n|---|---|---|---|")
		for _, t := range list {
			line("| %s | %s | %s | %s |", t.what, t.want, t.got,
				map[bool]string{true: "yes", false: "**no**"}[t.reached])
		}
	}
	for i := range r.Corpora {
		c := &r.Corpora[i]
		if c.Name == "sample" { // the targets have its one figure of interest, and the archived result the others
			continue
		}
		line("\n### Corpus %s\n\n%d files, %.1f MB compressed, %d records, %s. All contenders that count agree.\n",
			c.Name, c.Files, float64(c.Bytes)/1e6, c.Found["records"], c.rounds())
		line("| contender | processor s | MB/s | to %s | peak |\n|---|---|---|---|---|", reference)
		for _, x := range c.Contenders {
			line("| %s | %.2f | %.1f | %.2f | %s |", x.Name, x.CPU, x.Rate, x.Ratio, megabytes(x.Peak))
		}
	}
	if len(r.Profiles) > 0 {
		line("\n### Profile\n\nShares of one core, from 5 %% on.\n")
		for _, p := range r.Profiles {
			var shares []string
			for _, s := range p.Stages {
				if s.Share >= 0.05 {
					shares = append(shares, fmt.Sprintf("%s %.0f %%", s.Stage, 100*s.Share))
				}
			}
			b.WriteString(wrap("- ", fmt.Sprintf("%s of %s: %s.", p.What, p.Corpus, strings.Join(shares, ", "))))
		}
	}
	return b.String()
}

// wrap breaks text into lines of at most 120 columns; the first begins with the bullet, the others with as many blanks.
func wrap(bullet, text string) string {
	var b strings.Builder
	b.WriteString(bullet)
	column := len(bullet)
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > 120:
			b.WriteString("\n" + strings.Repeat(" ", len(bullet)))
			column = len(bullet)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}

// more returns what is printed in addition: decompression alone, allocations and growth.
func (r *result) more() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if len(r.Inflating) > 0 {
		line("\n### Inflating alone\n\nFrom memory, in one process, one core.\n")
		line("| what | MB compressed | members | ours MB/s | klauspost/compress MB/s | ratio |\n" +
			"|---|---|---|---|---|---|")
		for _, x := range r.Inflating {
			mb := float64(x.Bytes) / 1e6
			line("| %s | %.1f | %d | %.1f | %.1f | %.2f |", x.What, mb, x.Members, mb/median(x.Ours),
				mb/median(x.Klauspost), x.ratio())
		}
	}
	if len(r.Allocations) > 0 {
		line("\n### Allocations\n\n| corpus | records | objects a record | bytes a record |\n|---|---|---|---|")
		for _, a := range r.Allocations {
			line("| %s | %d | %.2f | %.0f |", a.Corpus, a.Records, a.perRecord(), float64(a.Bytes)/float64(a.Records))
		}
	}
	if len(r.Growth) > 0 {
		line("\n### Growth\n\nExtract on one core, the median of %d runs, with the start of the process.\n",
			growthRounds)
		line("| what grows | value | MB compressed | records | processor s | wall s | µs a record | MB/s |\n" +
			"|---|---|---|---|---|---|---|---|")
		for _, g := range r.Growth {
			cpu := median(cpus(g.Measures))
			line("| %s | %d | %.1f | %d | %.3f | %.3f | %.1f | %.1f |", seriesNames[g.Series], g.Value,
				float64(g.Bytes)/1e6, g.Records, cpu,
				median(walls(g.Measures)), cpu*1e6/float64(g.Records), float64(g.Bytes)/1e6/cpu)
		}
	}
	return b.String()
}

var seriesNames = map[string]string{
	"file-size": "pages in the file", "record-size": "bytes a page, 64 MiB in all",
	"directives": "directives a page, 1000 pages",
	"files":      "files, 4096 pages in all",
}

// performanceMark begins and ends the generated part of performance.md.
const performanceMark = "<!-- made by make bench -->"

// load reads an archived result.
func (r *result) load(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	*r = result{}
	return json.Unmarshal(text, r)
}

// save archives the result and updates performance.md.
func (r *result) save(docs, text string) error {
	folder := filepath.Join(docs, "benchmarks")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, r.Date+".json"), append(out, '\n'), 0o644); err != nil {
		return err
	}
	performance := filepath.Join(docs, "performance.md")
	page, err := os.ReadFile(performance)
	if err != nil {
		return err
	}
	filled, err := fill(string(page), text)
	if err != nil {
		return fmt.Errorf("%s: %w", performance, err)
	}
	return os.WriteFile(performance, []byte(filled), 0o644)
}

// fill replaces the text between the marks of the page.
func fill(page, text string) (string, error) {
	parts := strings.Split(page, performanceMark)
	if len(parts) != 3 {
		return "", fmt.Errorf("the page does not have the line %q twice", performanceMark)
	}
	parts[1] = "\n" + text
	return strings.Join(parts, performanceMark), nil
}
