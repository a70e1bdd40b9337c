//go:build unix

package main

import "github.com/acapscan/acapscan/tools/requests"

// costs are the measured costs of one thing of each kind: seconds of one processor, or bytes.
type costs struct {
	pageByte, robotsByte, robotsCapture, file float64 // first stage, seconds
	judgeRobots, judgeSite, judgePage         float64 // second stage, seconds
	factsRobots, factsSite                    float64 // bytes of facts, with the site's counters
	// by --pages: bytes of a page with a row, and its share
	factsPage, tablesPage, kept map[string]float64
	tablesRobots                float64 // bytes of tables
	sorted                      float64 // bytes of sorted facts on disk for a byte of facts
	// seconds of the pass between the stages, for a capture of robots.txt
	between float64
}

// modes are the values of --pages.
var modes = []string{"acap", "default", "all"}

// unitCosts computes the unit costs. If a result has two kinds of things, it subtracts the known cost of one kind.
func unitCosts(m *measured) (*costs, error) {
	c := &costs{factsPage: map[string]float64{}, tablesPage: map[string]float64{}, kept: map[string]float64{}}
	bytes, ofPages, cpu, _, err := m.bench.extract("pages", "acapscan extract")
	if err != nil {
		return nil, err
	}
	c.pageByte = cpu / float64(bytes)
	bytes, found, cpu, _, err := m.bench.extract("robotstxt", "acapscan extract")
	if err != nil {
		return nil, err
	}
	c.robotsByte, c.robotsCapture = cpu/float64(bytes), cpu/float64(found["robots"])
	if c.file, err = m.bench.perFile(); err != nil {
		return nil, err
	}

	robots, err := m.stages.run("robotstxt", "default")
	if err != nil {
		return nil, err
	}
	captures := float64(robots.Facts["robots"])
	c.judgeRobots, c.factsRobots, c.tablesRobots = robots.Analyze.cpu()/captures, float64(robots.Size)/captures,
		float64(robots.Tables)/captures

	asking, err := m.resolve.largest()
	if err != nil {
		return nil, err
	}
	c.between = asking.Resolve.cpu() / float64(asking.Captures)

	least, err := m.stages.run("pages", "acap") // almost only counters of sites
	if err != nil {
		return nil, err
	}
	sites := float64(least.Facts["site"])
	c.judgeSite, c.factsSite = least.Analyze.cpu()/sites, float64(least.Size)/sites
	for _, mode := range modes {
		r, err := m.stages.run("pages", mode)
		if err != nil {
			return nil, err
		}
		c.kept[mode] = float64(r.Facts["page"]) / float64(ofPages["html"])
		if mode == "acap" {
			continue
		}
		more := float64(r.Facts["page"] - least.Facts["page"])
		c.factsPage[mode], c.tablesPage[mode] = float64(r.Size-least.Size)/more, float64(r.Tables-least.Tables)/more
	}
	// too few pages to measure
	c.factsPage["acap"], c.tablesPage["acap"] = c.factsPage["default"], c.tablesPage["default"]

	most, err := m.scale.largest()
	if err != nil {
		return nil, err
	}
	c.judgePage = (most.CPU - c.judgeRobots*float64(most.Sites)) / float64(most.Pages)
	c.sorted = float64(most.Sorted) / float64(most.Facts)
	return c, nil
}

// An assumption is a figure that was not measured here, with its source.
type assumption struct {
	value  float64
	text   string // the value, as the page has it
	what   string
	source string
}

const requestPrices = "[S3 Standard](https://c3x.dev/blog/s3-request-fees-explained)"

const project = "assumed"

// The size of a crawl.
var (
	archives = assumption{90_000, "90,000", "archives of pages, and as many of robots.txt", project +
		"; [February 2019](https://commoncrawl.org/blog/february-2019-crawl-archive-now-available) had 64,000"}
	pageBytes = assumption{80e12, "80 TB", "archives of pages, compressed", project}
	pages     = assumption{2.5e9, "2.5 billion", "pages", project +
		"; [December 2024](https://commoncrawl.org/blog/december-2024-crawl-archive-now-available) had 2.64 billion"}
	sites       = assumption{40e6, "40 million", "sites", project + "; December 2024 had 47.5 million hosts"}
	robotsBytes = assumption{180e9, "180 GB", "archives of robots.txt, compressed",
		"2 MB a file, [seen in 2017](https://github.com/kkrugler/flink-crawler/issues/44); February 2019 had 0.17 TiB"}
	captures = assumption{150e6, "150 million", "captures of robots.txt, with failures and redirects",
		"1,663 in one file of 2017; 79 to 101 million answered 200 in crawls of 2021 to 2024 (K. Matoba)"}
	counters = assumption{1, "1", "sites of an archive, for each of its pages", "the maximum"}
	crawls   = assumption{100, "100", "crawls in ten years",
		"[May 2024](https://commoncrawl.org/blog/may-2024-crawl-archive-now-available) was the hundredth since 2008"}
)

// The machines for a crawl.
var (
	busy     = assumption{0.7, "0.7", "share of paid core time that is used", "assumed"}
	network  = assumption{1e9 / 8, "1 Gbit/s", "bandwidth of one machine", "assumed"}
	rate     = assumption{1, "1", "requests a second, in all", "the default of `--rate`"}
	machine  = assumption{32, "32", "cores of one large machine", "assumed"}
	cluster  = assumption{800, "800", "cores of a cluster", "assumed"}
	gets     = assumption{1, "1", "requests for an input", "tested"}
	perCore  = assumption{0.04, "0.04", "dollars a core-hour", "assumed"}
	perStore = assumption{0.023, "0.023", "dollars a GB and month, facts and tables",
		"[S3 Standard](https://deepeshsoni.com/archives/256)"}
	perDisk = assumption{0.08, "0.08", "dollars a GB and month, local disk", "assumed"}
	perGet  = assumption{0, "0", "dollars a request",
		"Common Crawl's bucket [pays for requests](https://github.com/bigscience-workshop/data-preparation/pull/24)"}
	shards  = assumption{100, "100", "tasks of extract in an array job", "chosen"}
	tasks   = assumption{64, "64", "tasks of analyze, and so buckets", "chosen"}
	answers = assumption{0.2, "0.2", "answers for each byte of facts of robots.txt", "assumed"}
	ofSite  = assumption{5, "5", "rows of `adoption`, `agents` and `directives` for a site",
		"4.9 for those of the benchmark's robots.txt"}
	inPart = assumption{60_000, "60,000", "rows in a part file of an array job",
		"50,000 of the benchmark's robots.txt, 75,000 of pages of `tools/sites`"}
	perPut  = assumption{0.005, "0.005", "dollars a thousand PUTs, copies and lists", requestPrices}
	perRead = assumption{0.0004, "0.0004", "dollars a thousand GETs and HEADs", requestPrices}
	perOut  = assumption{0, "0", "dollars a GB read",
		"[free over HTTPS](https://commoncrawl.org/access-the-data), and from S3 within us-east-1"}
)

// assumptions in the order of the page. Bandwidth, rate and cores are in the heads of its tables.
var assumptions = []assumption{
	archives, pageBytes, pages, sites, robotsBytes, captures, counters, crawls,
	busy, gets, perCore, perStore, perDisk, perGet, perOut,
	shards, tasks, answers, ofSite, inPart, perPut, perRead,
}

// A workload is an amount of work, with its cost.
type workload struct {
	name, mode string // mode is the value of --pages
	files      float64
	read       float64 // bytes
	extract    float64 // seconds of one core
	analyze    float64
	between    float64    // the pass between the stages: of the cores of one machine
	rows       float64    // of tables
	classes    [3]float64 // bytes of facts: counters, policies, pages
	facts      float64    // bytes
	tables     float64
	disk       float64 // bytes of the work folder: sorted facts and unfinished tables
}

// robotsSubset returns the robots.txt archives of one crawl. Its captures are shorter than those of the benchmark, so
// it counts captures, not bytes: that is the higher cost.
func (c *costs) robotsSubset() workload {
	w := workload{name: "robots.txt of a crawl", mode: "any", files: archives.value, read: robotsBytes.value}
	w.extract = max(robotsBytes.value*c.robotsByte, captures.value*c.robotsCapture) + w.files*c.file
	w.analyze = captures.value * c.judgeRobots
	w.between = captures.value * c.between
	w.rows = captures.value + sites.value*ofSite.value
	w.facts = captures.value * c.factsRobots
	w.classes = [3]float64{captures.value * c.factsSite, captures.value * (c.factsRobots - c.factsSite), 0}
	w.tables = captures.value * c.tablesRobots
	w.disk = w.facts*c.sorted + w.tables
	return w
}

// fullCrawl returns one crawl with its robots.txt files, without which few decisions are possible.
func (c *costs) fullCrawl(mode string) workload {
	w := c.robotsSubset()
	w.name, w.mode = "a crawl", mode
	w.files += archives.value
	w.read += pageBytes.value
	w.extract += pageBytes.value*c.pageByte + archives.value*c.file
	kept := pages.value * c.kept[mode]
	w.analyze += pages.value*counters.value*c.judgeSite + kept*c.judgePage
	w.rows += kept + pages.value*c.kept["default"] // pages with directives have rows of these, too
	w.classes[0] += pages.value * counters.value * c.factsSite
	w.classes[2] += kept * c.factsPage[mode]
	w.facts += pages.value*counters.value*c.factsSite + kept*c.factsPage[mode]
	w.tables += kept * c.tablesPage[mode]
	w.disk = w.facts*c.sorted + w.tables
	return w
}

// times returns n workloads, in separate runs.
func (w workload) times(name string, n float64) workload {
	w.name = name
	for _, x := range []*float64{&w.files, &w.read, &w.extract, &w.between, &w.analyze, &w.rows, &w.facts,
		&w.tables, &w.disk} {
		*x *= n
	}
	return w
}

func (w workload) coreHours() float64 { return (w.extract + w.between + w.analyze) / 3600 }

// cost returns dollars. Facts and tables are stored for a month, and so is disk. Several runs use the same disk one
// after another, so disk is a parameter.
func (w workload) cost(disk float64) float64 {
	const gb = 1e9
	return w.coreHours()/busy.value*perCore.value + (w.facts+w.tables)/gb*perStore.value + disk/gb*perDisk.value +
		w.files*gets.value*perGet.value + w.read/gb*perOut.value
}

// tables is how many part files a bucket has beyond full ones, at most: eight tables of two subsets.
const tables = 16

// job is the array job of the workload in S3.
func (w workload) job() requests.Job {
	j := requests.Job{
		Inputs: int(w.files), Shards: int(shards.value), Buckets: int(tasks.value), Facts: w.classes, Policies: 1,
		Answers: w.classes[1] * answers.value,
	}
	j.Parts = int(w.rows/inPart.value) + tables*j.Buckets
	return j
}

// requestCost returns the dollars of the requests of an array job in S3. Deletion is free.
func (w workload) requestCost() float64 {
	c := w.job().All()
	return (c.Writes*perPut.value + c.Reads*perRead.value) / 1000
}

// jobHours returns the hours of an array job: stage 1 has the cores of a cluster, stage 2 one for each bucket.
func (w workload) jobHours() float64 {
	return (w.extract/cluster.value + w.between/machine.value + w.analyze/tasks.value) / busy.value / 3600
}

func (w workload) requestHours() float64  { return w.files * gets.value / rate.value / 3600 }
func (w workload) transferHours() float64 { return w.read / network.value / 3600 }

// hoursOn returns the hours on that many cores. The pass between the stages uses those of one machine.
func (w workload) hoursOn(cores float64) float64 {
	return ((w.extract+w.analyze)/cores + w.between/min(cores, machine.value)) / busy.value / 3600
}

// workloads returns the rows of the page, in its order; the second half is the first half over ten years.
func (c *costs) workloads() []workload {
	list := []workload{c.robotsSubset()}
	for _, mode := range modes {
		list = append(list, c.fullCrawl(mode))
	}
	for _, w := range list[:len(list):len(list)] {
		list = append(list, w.times(w.name+", ten years", crawls.value))
	}
	return list
}
