package main

import "math"

// costs are what one thing of its kind takes, as measured: seconds of one processor, or bytes.
type costs struct {
	pageByte, robotsByte, robotsCapture, file float64            // first stage, seconds
	judgeRobots, judgeSite, judgePage         float64            // second stage, seconds
	factsRobots, factsSite                    float64            // bytes of facts, with the site's counters
	factsPage, tablesPage, kept               map[string]float64 // by --pages: bytes of a page that keeps a row, and its share
	tablesRobots                              float64            // bytes of tables
	sorted                                    float64            // bytes of sorted facts on disk for a byte of facts
	between                                   float64            // seconds of the pass between the stages, a capture of robots.txt
}

// modes are the values of --pages.
var modes = []string{"acap", "default", "all"}

// unitCosts takes the results apart. Where a result mixes two kinds, what is known of the one is taken off.
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
	c.judgeRobots, c.factsRobots, c.tablesRobots = robots.Analyze.cpu()/captures, float64(robots.Size)/captures, float64(robots.Tables)/captures

	asking, err := m.resolve.largest()
	if err != nil {
		return nil, err
	}
	c.between = asking.Resolve.cpu() / float64(asking.Captures)

	least, err := m.stages.run("pages", "acap") // nearly nothing but counters of sites
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
	c.factsPage["acap"], c.tablesPage["acap"] = c.factsPage["default"], c.tablesPage["default"] // too few to tell

	most, err := m.scale.largest()
	if err != nil {
		return nil, err
	}
	c.judgePage = (most.CPU - c.judgeRobots*float64(most.Sites)) / float64(most.Pages)
	c.sorted = float64(most.Sorted) / float64(most.Facts)
	return c, nil
}

// An assumption is a figure that was not measured here. Its source stands beside it on the page.
type assumption struct {
	value  float64
	text   string // the value, as the page has it
	what   string
	source string
}

const requestPrices = "[S3 Standard](https://c3x.dev/blog/s3-request-fees-explained)"

const project = "assumed"

// What a crawl is.
var (
	archives    = assumption{90_000, "90,000", "archives of pages, and as many of robots.txt", project + "; [February 2019](https://commoncrawl.org/blog/february-2019-crawl-archive-now-available) had 64,000"}
	pageBytes   = assumption{80e12, "80 TB", "archives of pages, compressed", project}
	pages       = assumption{2.5e9, "2.5 billion", "pages", project + "; [December 2024](https://commoncrawl.org/blog/december-2024-crawl-archive-now-available) had 2.64 billion"}
	sites       = assumption{40e6, "40 million", "sites", project + "; December 2024 had 47.5 million hosts"}
	robotsBytes = assumption{180e9, "180 GB", "archives of robots.txt, compressed", "2 MB a file, [seen in 2017](https://github.com/kkrugler/flink-crawler/issues/44); February 2019 had 0.17 TiB"}
	captures    = assumption{150e6, "150 million", "captures of robots.txt, with failures and redirects", "1,663 in one file of 2017; 79 to 101 million answered 200 in crawls of 2021 to 2024 (K. Matoba, data set of raw robots files)"}
	counters    = assumption{1, "1", "sites of an archive, for each of its pages", "the maximum"}
	crawls      = assumption{100, "100", "crawls in ten years", "[May 2024](https://commoncrawl.org/blog/may-2024-crawl-archive-now-available) was the hundredth since 2008"}
)

// How a crawl is worked on.
var (
	busy     = assumption{0.7, "0.7", "share of paid core time that is used", "assumed"}
	network  = assumption{1e9 / 8, "1 Gbit/s", "bandwidth of one machine", "assumed"}
	rate     = assumption{1, "1", "requests a second, in all", "the default of `--rate`"}
	machine  = assumption{32, "32", "cores of one large machine", "assumed"}
	cluster  = assumption{800, "800", "cores of a cluster", "assumed"}
	gets     = assumption{1, "1", "requests for an input", "tested; a transfer that breaks needs another"}
	perCore  = assumption{0.04, "0.04", "dollars a core-hour", "assumed"}
	perStore = assumption{0.023, "0.023", "dollars a GB of facts and tables for a month", "[S3 Standard](https://deepeshsoni.com/archives/256)"}
	perDisk  = assumption{0.08, "0.08", "dollars a GB of local disk for a month", "assumed"}
	perGet   = assumption{0, "0", "dollars a request", "Common Crawl's bucket [pays for requests](https://github.com/bigscience-workshop/data-preparation/pull/24)"}
	shards   = assumption{100, "100", "tasks of extract in an array job", "see [clusters](clusters/README.md)"}
	tasks    = assumption{64, "64", "tasks of analyze, and so buckets, in an array job", "see [clusters](clusters/README.md)"}
	inFile   = assumption{20_000, "20,000", "facts in a facts file", "20,000 to 30,000 of `tools/sites`"}
	reads    = assumption{1.4, "1.4", "GETs of a task of analyze for a facts file", "measured: 1 up to 1 MiB, 1.25 to 1.6 up to 2.1 MB"}
	perPut   = assumption{0.005, "0.005", "dollars a thousand PUTs, copies and lists", requestPrices}
	perRead  = assumption{0.0004, "0.0004", "dollars a thousand GETs and HEADs", requestPrices}
	perOut   = assumption{0, "0", "dollars a GB read", "[free over HTTPS](https://commoncrawl.org/access-the-data), and from S3 within us-east-1"}
)

// assumptions in the order of the page. The heads of its tables have bandwidth, rate and cores.
var assumptions = []assumption{
	archives, pageBytes, pages, sites, robotsBytes, captures, counters, crawls,
	busy, gets, perCore, perStore, perDisk, perGet, perOut,
	shards, tasks, inFile, reads, perPut, perRead,
}

// A workload is what is to be done, and what that comes to.
type workload struct {
	name, mode string // mode is the value of --pages
	files      float64
	read       float64 // bytes
	extract    float64 // seconds of one core
	analyze    float64
	between    float64 // the pass between the stages: of the cores of one machine
	rows       float64 // of facts
	factsFiles float64
	facts      float64 // bytes
	tables     float64
	disk       float64 // bytes of the folder of work: sorted facts, and tables in the making
}

// robotsSubset is the archives of robots.txt of one crawl. Its captures are shorter than those of the benchmark, so that they are counted
// and not their bytes: that is more.
func (c *costs) robotsSubset() workload {
	w := workload{name: "robots.txt of a crawl", mode: "any", files: archives.value, read: robotsBytes.value}
	w.extract = max(robotsBytes.value*c.robotsByte, captures.value*c.robotsCapture) + w.files*c.file
	w.analyze = captures.value * c.judgeRobots
	w.between = captures.value * c.between
	w.rows = 2 * captures.value
	w.factsFiles = archives.value * filesOf(w.rows/archives.value)
	w.facts = captures.value * c.factsRobots
	w.tables = captures.value * c.tablesRobots
	w.disk = w.facts*c.sorted + w.tables
	return w
}

// fullCrawl is one crawl, its robots.txt included: without them there is little to decide with.
func (c *costs) fullCrawl(mode string) workload {
	w := c.robotsSubset()
	w.name, w.mode = "a crawl", mode
	w.files += archives.value
	w.read += pageBytes.value
	w.extract += pageBytes.value*c.pageByte + archives.value*c.file
	kept := pages.value * c.kept[mode]
	w.analyze += pages.value*counters.value*c.judgeSite + kept*c.judgePage
	rows := pages.value*counters.value + kept
	w.rows += rows
	w.factsFiles += archives.value * filesOf(rows/archives.value)
	w.facts += pages.value*counters.value*c.factsSite + kept*c.factsPage[mode]
	w.tables += kept * c.tablesPage[mode]
	w.disk = w.facts*c.sorted + w.tables
	return w
}

// filesOf is how many files the facts of an input take.
func filesOf(facts float64) float64 { return math.Ceil(facts / inFile.value) }

// times is the workload so many times over, one run for each: no run needs to know of another.
func (w workload) times(name string, n float64) workload {
	w.name = name
	for _, x := range []*float64{&w.files, &w.read, &w.extract, &w.between, &w.analyze, &w.rows, &w.factsFiles, &w.facts, &w.tables, &w.disk} {
		*x *= n
	}
	return w
}

func (w workload) coreHours() float64 { return (w.extract + w.between + w.analyze) / 3600 }

// cost is in dollars. Facts and tables are kept for a month, disks are paid for one; of many runs only one has its disks at a time, which
// is why these bytes are given.
func (w workload) cost(disk float64) float64 {
	const gb = 1e9
	return w.coreHours()/busy.value*perCore.value + (w.facts+w.tables)/gb*perStore.value + disk/gb*perDisk.value +
		w.files*gets.value*perGet.value + w.read/gb*perOut.value
}

// Of each task of an array job in S3: PUTs that try what the service knows, and GETs of the plan.
const (
	probes = 2
	plans  = 3
	listed = 1000 // objects that a list tells of
	tables = 7    // at the most as many part files has a bucket of one crawl
)

// lists is how often a task asks for the list of the facts and their marks, until it has it all.
func (w workload) lists() float64 { return math.Ceil((w.factsFiles + w.files) / listed) }

// puts counts PUTs, copies and lists of an array job in S3. Of an input there are facts and a done marker; of a bucket
// a part file of each table, put and copied, and a done marker. A task of extract lists the folder twice, each other once. Some few of a task that do not
// grow with the facts are left out.
func (w workload) puts() float64 {
	extract := w.factsFiles + w.files + shards.value*(probes+2*w.lists())
	resolve := probes + w.lists()
	parts := tasks.value * tables
	return extract + resolve + tasks.value*(probes+w.lists()+1) + 2*parts
}

// asks counts GETs of an array job in S3, but for those of archives: whether an input has a mark, all marks and facts for resolve, and the facts
// again for each bucket.
func (w workload) asks() float64 {
	return 2*w.files + w.factsFiles + w.factsFiles*reads.value*tasks.value + plans*(shards.value+tasks.value)
}

// requestCost is of an array job in S3, in dollars. Removing costs nothing.
func (w workload) requestCost() float64 {
	return (w.puts()*perPut.value + w.asks()*perRead.value) / 1000
}

func (w workload) requestHours() float64  { return w.files * gets.value / rate.value / 3600 }
func (w workload) transferHours() float64 { return w.read / network.value / 3600 }

// hoursOn is with so many cores, of which the pass between the stages uses those of one machine.
func (w workload) hoursOn(cores float64) float64 {
	return ((w.extract+w.analyze)/cores + w.between/min(cores, machine.value)) / busy.value / 3600
}

// workloads are those of the page, in its order; the second half is the first over ten years.
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
