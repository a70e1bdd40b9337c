package extract

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/arena"
)

// A counter is one of the counters of every site, in alphabetical order.
type counter uint8

const (
	cACAPClass counter = iota
	cACAPMeta
	cACAPBody
	cBytes
	cCaptures
	cConventional
	cConventionalBody
	cHTML
	cPages
	cPagesKept
	cPagesPartial
	cPartial
	cPI
	cPolicyFiles
	cRobots
	cStatus2
	cStatus3
	cStatus4
	cStatus5
	cStatusNone
	cStatusOther
	cXRobotsTag
	cXML
	counterCount
)

var counterNames = [counterCount]string{
	cACAPClass: facts.CountACAPClass, cACAPMeta: facts.CountACAPMeta, cACAPBody: facts.CountACAPBody,
	cBytes: facts.CountBytes, cCaptures: facts.CountCaptures,
	cConventional: facts.CountConventional, cConventionalBody: facts.CountConventionalBody, cHTML: facts.CountHTML,
	cPages: facts.CountPages, cPagesKept: facts.CountPagesKept,
	cPagesPartial: facts.CountPagesPartial, cPartial: facts.CountPartial, cPI: facts.CountPI,
	cPolicyFiles: facts.CountPolicyFiles,
	cRobots:      facts.CountRobots, cStatus2: facts.CountStatusPrefix + "2xx", cStatus3: facts.CountStatusPrefix +
		"3xx",
	cStatus4: facts.CountStatusPrefix + "4xx", cStatus5: facts.CountStatusPrefix + "5xx",
	cStatusNone:  facts.CountStatusPrefix + "none",
	cStatusOther: facts.CountStatusPrefix + "other", cXRobotsTag: facts.CountXRobotsTag, cXML: facts.CountXML,
}

// Limits of the counters by normalised content.
const (
	maxContents     = 4096 // in a task; also of the cached contents as written
	maxSiteContents = 64   // in a site
	maxContent      = 200  // bytes of a normalised content
	maxKey          = 4096 // bytes of a page's contents as written; no META is added after them
)

// otherContent is the index of all contents beyond the limits.
const otherContent = 0

// siteCounts are the counters of one site.
type siteCounts struct {
	name     string
	used     counterSet // those of fixed that a capture may have increased
	fixed    [counterCount]int64
	contents map[int]int64 // pages by the index of their normalised content
	defects  map[string]int64
	body     string // digest of the first emitted body, "" if there is none: nearly all sites have one at most
}

// A counterSet is the set of counters that one capture increases.
type counterSet uint32

func (s *counterSet) add(c counter) { *s |= 1 << c }

// capture sets the counters of every capture.
func (f *Found) capture(c *capture.Capture) {
	f.counts.add(cCaptures)
	f.bytes = c.BodyBytes
	switch {
	case c.Status == 0:
		f.counts.add(cStatusNone)
	case c.Status >= 200 && c.Status < 600:
		f.counts.add(cStatus2 + counter(c.Status/100-2))
	default:
		f.counts.add(cStatusOther)
	}
	if c.Summary != nil {
		f.counts.add(cPartial)
	}
	if len(c.Header.Get("X-Robots-Tag")) > 0 {
		f.counts.add(cXRobotsTag)
	}
	for _, d := range c.Defects {
		f.defects = append(f.defects, string(d))
	}
	if c.Record != nil {
		for _, d := range c.Record.Defects {
			f.defects = append(f.defects, string(d))
		}
	}
}

// page sets the counters of every page: its parser, and the kinds of its raw directives except those of the header.
func (f *Found) page(as facts.Parser, directives []markup.Directive) {
	f.counts.add(cPages)
	if as == facts.ParsedXML {
		f.counts.add(cXML)
	} else {
		f.counts.add(cHTML)
	}
	for i := range directives {
		d := &directives[i]
		switch {
		case d.Carrier == facts.CarrierClass:
			f.counts.add(cACAPClass)
		case d.Carrier == facts.CarrierPI:
			f.counts.add(cPI)
		case d.Carrier == facts.CarrierLink, !d.ACAP && markup.IsPreference(d.Name):
		case d.InBody && d.ACAP:
			f.counts.add(cACAPBody)
		case d.InBody:
			f.counts.add(cConventionalBody)
		case d.ACAP:
			f.counts.add(cACAPMeta)
		default:
			f.counts.add(cConventional)
			if markup.FoldEqual(d.Name, "robots") && len(f.metas) < maxKey {
				f.metas = append(append(f.metas, d.Value...), markup.MetaSeparator)
			}
		}
	}
}

// counters are the counters of a task's sites, with their shared data.
type counters struct {
	sites    map[string]*siteCounts
	order    []*siteCounts  // the sites as they came: the same in each run
	contents map[string]int // content as written to index in table
	index    map[string]int // normalised content to index in table
	table    []string       // the normalised contents

	free   []siteCounts  // allocated together, for new sites
	arena  arena.Arena   // names of sites
	result []facts.Count // of list
}

func newCounters() counters {
	return counters{
		sites: make(map[string]*siteCounts), contents: make(map[string]int), index: make(map[string]int),
		table: []string{otherContent: facts.CountMetaOther},
	}
}

// full reports whether another site would exceed the limit.
func (c *counters) full(site string, limit int) bool {
	return len(c.sites) >= limit && c.sites[site] == nil
}

func (c *counters) site(name string) *siteCounts {
	s := c.sites[name]
	if s == nil {
		if len(c.free) == 0 {
			c.free = make([]siteCounts, 64)
		}
		s, c.free = &c.free[0], c.free[1:]
		s.name = c.arena.Copy(name) // the original shares memory with names of other captures
		c.sites[s.name] = s
		c.order = append(c.order, s)
	}
	return s
}

// take counts a capture, and gives it the counters' copy of the site's name. It returns the counters of the site.
func (c *counters) take(f *Found) *siteCounts {
	s := c.site(f.site)
	f.site = s.name
	s.used |= f.counts | 1<<cBytes
	for set := uint32(f.counts); set != 0; set &= set - 1 {
		s.fixed[bits.TrailingZeros32(set)]++
	}
	s.fixed[cBytes] += f.bytes
	if len(f.defects) > 0 && s.defects == nil {
		s.defects = make(map[string]int64)
	}
	for _, code := range f.defects {
		s.defects[code]++
	}
	if len(f.metas) == 0 {
		return s
	}
	content := c.content(f.metas)
	if s.contents == nil {
		s.contents = make(map[int]int64)
	}
	if _, known := s.contents[content]; !known && len(s.contents) >= maxSiteContents {
		content = otherContent
	}
	s.contents[content]++
	return s
}

// content returns the index of a content's normalised form.
func (c *counters) content(written []byte) int {
	if i, ok := c.contents[string(written)]; ok {
		return i
	}
	name := markup.NormalContent(written)
	i, ok := c.index[name]
	switch {
	case ok:
	case len(name) > maxContent || len(c.table) >= maxContents:
		i = otherContent
	default:
		i = len(c.table)
		c.table = append(c.table, facts.CountMetaPrefix+name)
		c.index[name] = i
	}
	if len(c.contents) < maxContents && len(written) <= maxContent {
		c.contents[string(written)] = i
	}
	return i
}

// clear removes all sites.
func (c *counters) clear() {
	clear(c.sites)
	clear(c.order)
	c.order = c.order[:0]
}

// list returns the counters that are not zero, in order of name. The next call overwrites them.
func (c *counters) list(s *siteCounts) []facts.Count {
	out := c.result[:0]
	for set := uint32(s.used); set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(set)
		if n := s.fixed[i]; n != 0 {
			out = append(out, facts.Count{Name: counterNames[i], Value: n})
		}
	}
	fixed := len(out)
	for i, n := range s.contents {
		out = append(out, facts.Count{Name: c.table[i], Value: n})
	}
	for code, n := range s.defects {
		out = append(out, facts.Count{Name: facts.CountDefectPrefix + code, Value: n})
	}
	if len(out) > fixed {
		slices.SortFunc(out, func(a, b facts.Count) int { return strings.Compare(a.Name, b.Name) })
	}
	c.result = out
	return out
}
