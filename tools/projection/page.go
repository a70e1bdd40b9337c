//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// writePage writes the tables into docs/scale.md.
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

// fill replaces the text between the marks of each section.
func fill(page string, m *measured) (string, error) {
	c, err := unitCosts(m)
	if err != nil {
		return "", err
	}
	for _, s := range []struct {
		name string
		text string
	}{
		{"projection", projection(c)}, {"s3", inS3(c)}, {"costs", costTable(c)}, {"sources", sources(m)},
		{"assumptions", assumptionList()},
	} {
		mark := "<!-- " + s.name + ": made by make project -->\n"
		before, rest, ok := strings.Cut(page, mark)
		_, after, closed := strings.Cut(rest, mark)
		if !ok || !closed {
			return "", fmt.Errorf("the page lacks the marks of %s", s.name)
		}
		page = before + mark + s.text + mark + after
	}
	return page, nil
}

// table returns a Markdown table; the first row is its head.
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

// sources lists the results that the projection uses.
func sources(m *measured) string {
	var b strings.Builder
	if missing := m.scale.missing(); len(missing) > 0 {
		fmt.Fprintf(&b, "- Not measured yet: %s pages. The largest run over many sites counts in their place.\n",
			strings.Join(missing, ", "))
	}
	for _, x := range []struct {
		target, file string
		circumstance
	}{
		{"make bench", m.files[0], m.bench.circumstance}, {"make stages", m.files[2], m.stages.circumstance},
		{"make questions", m.files[3], m.resolve.circumstance},
	} {
		version, _, _ := strings.Cut(x.Versions["acapscan"], ";")
		fmt.Fprintf(&b, "- `%s`: [%s](benchmarks/%s),\n  %s\n", x.target, x.file, x.file, version)
	}
	return b.String()
}

func costTable(c *costs) string {
	const micro = 1e6
	none := "–"
	rows := [][]string{
		{"for each", "extract", "between", "analyze", "facts", "tables"},
		{"compressed MB of pages", digits(c.pageByte*1e9) + " ms", none, none, none, none},
		{"input", digits(c.file*1e3) + " ms", none, none, none, none},
		{"capture of robots.txt", digits(c.robotsCapture*micro) + " µs", digits(c.between*micro) + " µs",
			digits(c.judgeRobots*micro) + " µs",
			size(c.factsRobots), size(c.tablesRobots)},
		{"site in an archive (its counters)", none, none, digits(c.judgeSite*micro) + " µs", size(c.factsSite), none},
		{"row of `pages`, `--pages default`", none, none, digits(c.judgePage*micro) + " µs",
			size(c.factsPage["default"]), size(c.tablesPage["default"])},
		{"row of `pages`, `--pages all`", none, none, digits(c.judgePage*micro) + " µs", size(c.factsPage["all"]),
			size(c.tablesPage["all"])},
	}
	var b strings.Builder
	for _, row := range rows[1:] {
		var parts []string
		for i, cost := range row[1:] {
			if cost != none {
				parts = append(parts, rows[0][1+i]+" "+cost)
			}
		}
		fmt.Fprintf(&b, "- %s: %s\n", row[0], strings.Join(parts, ", "))
	}
	return b.String() + fmt.Sprintf("\nOf all pages %s have a row with `--pages acap`, %s with `default`, %s with "+
		"`all`.\nSorted facts take %s times the bytes of facts.\n",
		percent(c.kept["acap"]), percent(c.kept["default"]), percent(c.kept["all"]), digits(c.sorted))
}

func assumptionList() string {
	var b strings.Builder
	for _, a := range assumptions {
		fmt.Fprintf(&b, "- %s: **%s** (%s)\n", a.what, a.text, a.source)
	}
	return b.String()
}

func projection(c *costs) string {
	work := [][]string{{"what", "`--pages`", "read", "core-hours", "facts", "local disk", "tables"}}
	spent := [][]string{{"what", "`--pages`", "requests", "at one a second", "over 1 Gbit/s", "32 cores", "800 cores",
		"cost"}}
	list := c.workloads()
	for i, w := range list {
		disk := w.disk
		if i >= len(list)/2 {
			if w.mode == "acap" || w.mode == "all" {
				continue // the row above, times 100
			}
			disk = list[i-len(list)/2].disk // one crawl after the other
		}
		work = append(work, []string{w.name, w.mode, size(w.read), digits(w.coreHours()), size(w.facts), size(disk),
			size(w.tables)})
		spent = append(spent, []string{w.name, w.mode, count(w.files * gets.value), hours(w.requestHours()),
			hours(w.transferHours()), hours(w.hoursOn(machine.value)),
			hours(w.hoursOn(cluster.value)), "$" + count(math.Ceil(w.cost(disk)))})
	}
	return table(work) + "\n" + table(spent)
}

// inS3 is for one run: in ten years each crawl is a job of its own.
func inS3(c *costs) string {
	rows := [][]string{{"array job in S3", "`--pages`", "batches", "PUTs, copies, lists", "GETs", "with archives",
		"cost of requests", "cost of all", "hours"}}
	list := c.workloads()
	for _, w := range list[:len(list)/2] {
		asked := w.job().All()
		rows = append(rows, []string{w.name, w.mode, count(w.job().Batches()), count(round(asked.Writes)),
			count(round(asked.Reads)), count(round(asked.All() + w.files*gets.value)),
			fmt.Sprintf("$%.2f", w.requestCost()), "$" + count(math.Ceil(w.cost(w.disk)+w.requestCost())),
			digits(w.jobHours())})
	}
	return table(rows)
}

// digits rounds to three significant digits.
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

// size formats bytes in decimal units.
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

// hours formats a duration in a suitable unit.
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
