package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// writePage puts the tables into docs/scale.md.
func writePage(docs string, m *measured) error {
	path := filepath.Join(docs, "scale.md")
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := fill(string(page), m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// fill replaces what stands between the marks of each section.
func fill(page string, m *measured) (string, error) {
	c, err := unitCosts(m)
	if err != nil {
		return "", err
	}
	for _, s := range []struct {
		name string
		text string
	}{
		{"measured", measuredTables(m)}, {"costs", costTable(c)}, {"assumptions", assumptionTable()}, {"projection", projection(c)}, {"limits", limits(c)},
		{"s3", inS3(c)},
	} {
		mark := "<!-- " + s.name + ": made by make project -->\n"
		before, rest, ok := strings.Cut(page, mark)
		_, after, closed := strings.Cut(rest, mark)
		if !ok || !closed {
			return "", fmt.Errorf("the page has not both marks of %s", s.name)
		}
		page = before + mark + s.text + mark + after
	}
	return page, nil
}

// table writes a table of Markdown; the first row is its head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

func circumstances(c circumstance, file string) string {
	version, _, _ := strings.Cut(c.Versions["acapscan"], ";")
	return fmt.Sprintf("[%s](benchmarks/%s): %s, %s cores, load average before %s and after %s.\n", file, file, version,
		c.Machine["cores"], c.LoadBefore, c.LoadAfter)
}

func measuredTables(m *measured) string {
	var b strings.Builder
	if missing := m.scale.missing(); len(missing) > 0 {
		fmt.Fprintf(&b, "Not measured yet: %s pages. The projection counts with the largest run over many sites that [%s](benchmarks/%s) has.\n\n",
			strings.Join(missing, ", "), m.files[1], m.files[1])
	}
	fmt.Fprintf(&b, "Both stages over the benchmark's archives, `%s`\n%s\n", m.stages.Command, circumstances(m.stages.circumstance, m.files[2]))
	rows := [][]string{{"archives", "`--pages`", "read", "facts of robots.txt, sites, pages", "facts", "tables", "extract, processor s", "analyze, processor s"}}
	for _, r := range m.stages.Runs {
		rows = append(rows, []string{r.Corpus, r.Pages, size(float64(r.Bytes)),
			fmt.Sprintf("%s, %s, %s", count(float64(r.Facts["robots"])), count(float64(r.Facts["site"])), count(float64(r.Facts["page"]))),
			size(float64(r.Size)), size(float64(r.Tables)), digits(r.Extract.cpu()), digits(r.Analyze.cpu())})
	}
	b.WriteString(table(rows))
	fmt.Fprintf(&b, "\nThe pass between the stages over facts of `tools/sites`, `%s`\n%s\n", m.resolve.Command, circumstances(m.resolve.circumstance, m.files[3]))
	rows = [][]string{{"captures of robots.txt", "that lead to another host", "copies", "facts", "processor s", "µs a capture", "peak"}}
	for _, r := range m.resolve.Runs {
		rows = append(rows, []string{count(float64(r.Captures)), count(float64(r.Redirects)), count(float64(r.Answers)), size(float64(r.Facts)),
			digits(r.Resolve.cpu()), digits(r.Resolve.cpu() / float64(r.Captures) * 1e6), size(float64(r.Resolve.Peak))})
	}
	b.WriteString(table(rows))
	fmt.Fprintf(&b, "\nReading is counted with what `make bench` measured, of one core:\n%s", circumstances(m.bench.circumstance, m.files[0]))
	return b.String()
}

func costTable(c *costs) string {
	const micro = 1e6
	rows := [][]string{
		{"what", "processor time", "from"},
		{"extract, a compressed MB of pages", digits(c.pageByte*1e9) + " ms", "bench: corpus pages"},
		{"extract, a capture of robots.txt", digits(c.robotsCapture*micro) + " µs", "bench: corpus robotstxt"},
		{"extract, a file", digits(c.file*1e3) + " ms", "bench: growth with the number of files"},
		{"between the stages, a capture of robots.txt", digits(c.between*micro) + " µs", "resolve: the most captures, of which each second asks another host"},
		{"analyze, a capture of robots.txt", digits(c.judgeRobots*micro) + " µs", "stages: robotstxt"},
		{"analyze, the counters of a site in an archive", digits(c.judgeSite*micro) + " µs", "stages: pages, `--pages acap`"},
		{"analyze, a page that keeps a row", digits(c.judgePage*micro) + " µs", "scale: the most pages, less robots.txt"},
	}
	sizes := [][]string{
		{"what", "facts", "tables", "from"},
		{"a capture of robots.txt", size(c.factsRobots), size(c.tablesRobots), "stages: robotstxt"},
		{"the counters of a site in an archive", size(c.factsSite), "–", "stages: pages, `--pages acap`"},
		{"a page that keeps a row, `--pages default`", size(c.factsPage["default"]), size(c.tablesPage["default"]), "stages: what it has more than acap"},
		{"a page that keeps a row, `--pages all`", size(c.factsPage["all"]), size(c.tablesPage["all"]), "stages: what it has more than acap"},
	}
	return table(rows) + "\n" + table(sizes) + fmt.Sprintf("\nOf all pages %s keep a row with `--pages acap`, %s with default and %s with all (stages; the shares of directives in that corpus "+
		"are drawn, and that of ACAP is larger than in any crawl). Sorted facts take %s times the room of the facts, beside the tables in the making (scale, the most pages).\n",
		percent(c.kept["acap"]), percent(c.kept["default"]), percent(c.kept["all"]), digits(c.sorted))
}

func assumptionTable() string {
	rows := [][]string{{"what", "value", "source"}}
	for _, a := range assumptions {
		rows = append(rows, []string{a.what, a.text, a.source})
	}
	return table(rows)
}

func projection(c *costs) string {
	work := [][]string{{"what", "`--pages`", "inputs", "read", "extract, core-hours", "between, core-hours", "analyze, core-hours", "facts", "local disk", "tables"}}
	spent := [][]string{{"what", "`--pages`", "requests", "at the default rate", "over the line", "CPU, large machine", "CPU, cluster", "Spark shuffles", "cost"}}
	list := c.workloads()
	for i, w := range list {
		disk := w.disk
		if i >= len(list)/2 {
			disk = list[i-len(list)/2].disk // one crawl after the other
		}
		work = append(work, []string{w.name, w.mode, count(w.files), size(w.read), digits(w.extract / 3600), digits(w.between / 3600), digits(w.analyze / 3600), size(w.facts), size(disk), size(w.tables)})
		spent = append(spent, []string{w.name, w.mode, count(w.files * gets.value), hours(w.requestHours()), hours(w.transferHours()), hours(w.hoursOn(machine.value)),
			hours(w.hoursOn(cluster.value)), size(w.facts * shuffle.value), "$" + count(math.Ceil(w.cost(disk)))})
	}
	return table(work) + "\n" + table(spent)
}

func limits(c *costs) string {
	rows := [][]string{{"of one run", "`--pages`", "facts", "buckets", "facts a bucket", "facts files to open", "part files of six tables, at most", "facts of robots.txt", "of which ask another host", "`complete` reads for"}}
	list := c.workloads()
	for _, w := range list[:len(list)/2] {
		rows = append(rows, []string{w.name, w.mode, count(w.rows), count(float64(w.buckets())), count(w.rows / float64(w.buckets())), count(w.factsFiles),
			count(float64(6 * w.buckets())), size(w.robots), count(w.questions), hours(w.tables * c.digest / 3600)})
	}
	return table(rows)
}

// inS3 is of one run: of ten years each crawl is a job of its own.
func inS3(c *costs) string {
	rows := [][]string{{"of one array job in S3", "`--pages`", "facts files", "PUTs, copies and lists", "GETs", "of these for buckets", "dollars", "a task of analyze waits"}}
	list := c.workloads()
	for _, w := range list[:len(list)/2] {
		rows = append(rows, []string{w.name, w.mode, count(w.factsFiles), count(round(w.puts())), count(round(w.asks())),
			percent(w.factsFiles * reads.value * tasks.value / w.asks()), "$" + count(math.Ceil(w.requestCost())), hours(w.waitHours())})
	}
	return table(rows)
}

// digits rounds to three digits that count.
func digits(x float64) string {
	if x >= 1000 {
		return count(round(x))
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}

func round(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// count has commas between thousands.
func count(x float64) string {
	text := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// size is in decimal units.
func size(bytes float64) string {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if bytes >= unit.bytes {
			return digits(bytes/unit.bytes) + " " + unit.name
		}
	}
	return digits(bytes) + " B"
}

// hours is a length of time in the unit that suits it.
func hours(h float64) string {
	switch {
	case h >= 48:
		return digits(h/24) + " days"
	case h >= 1:
		return digits(h) + " h"
	case h >= 1.0/60:
		return digits(h*60) + " min"
	}
	return digits(h*3600) + " s"
}

func percent(share float64) string { return digits(share*100) + " %" }
