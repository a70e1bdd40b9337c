package extract

import (
	"bytes"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A PageSet says which pages keep a row.
type PageSet uint8

const (
	// PagesDefault keeps pages with ACAP, a robots PI, an X-Robots-Tag, or a restrictive conventional META.
	PagesDefault PageSet = iota
	// PagesACAP keeps pages with an ACAP META or an ACAP class token.
	PagesACAP
	// PagesAll keeps every page.
	PagesAll
)

// Defaults of Options.
const (
	// DefaultMaxRobots is the 500 KiB that R-LEX-8 reads, rounded up, and one byte that tells of more.
	DefaultMaxRobots = 512<<10 + 1
	DefaultMaxSites  = 50_000
)

// Options change what a Task extracts, and say what its facts say of their input. The zero value is the default.
type Options struct {
	Crawl, Subset, Segment, Filename string // of the input, as the facts have them

	Pages PageSet
	// MaxRobots is how much of a robots.txt or another policy file a fact holds, in bytes. 0 means DefaultMaxRobots.
	MaxRobots int
	// MaxSites is the number of sites whose counters are held. When there are more, all are given out and begin anew. 0 means
	// DefaultMaxSites.
	MaxSites int
}

// maxBodies bounds the memory of bodies given out. When it is full it is emptied: some body may come twice, which harms nothing.
const maxBodies = 200_000

// A bodyKey is a body of a site.
type bodyKey struct{ site, digest string }

// A Task makes the facts of one input, capture by capture. It is not safe for concurrent use.
type Task struct {
	opts    Options
	emit    func(*facts.Fact) error
	scanner scanner
	counts  counters
	bodies  map[bodyKey]struct{}
}

// NewTask returns a Task that gives its facts to emit, which owns them from then on. An error of emit ends the call of the Task
// that made the fact.
func NewTask(opts Options, emit func(*facts.Fact) error) *Task {
	if opts.MaxRobots <= 0 {
		opts.MaxRobots = DefaultMaxRobots
	}
	if opts.MaxSites <= 0 {
		opts.MaxSites = DefaultMaxSites
	}
	return &Task{opts: opts, emit: emit, counts: newCounters(), bodies: make(map[bodyKey]struct{})}
}

// Want tells whether the body of a capture can hold anything for a Task: of pages, of text that may be a policy, and of whatever
// keeps a row by its header. It is for capture.Options.
func Want(c *capture.Capture) bool {
	switch {
	case hasRobotsName(c), len(c.Header.Get("X-Robots-Tag")) > 0:
		return true
	case !succeeded(c):
		return false
	case c.MimeType == "text/css", c.MimeType == "text/javascript":
		return false
	}
	return c.MimeType == "" || strings.HasPrefix(c.MimeType, "text/") || isXMLType(c.MimeType)
}

// succeeded tells whether the body is what was asked for: a 2xx answer, or a body that came without any status.
func succeeded(c *capture.Capture) bool { return c.Status/100 == 2 || c.Status == 0 }

// hasRobotsName tells whether the path of the capture ends in robots.txt.
func hasRobotsName(c *capture.Capture) bool {
	const name = "robots.txt"
	path := c.Parsed.Path
	return len(path) >= len(name) && strings.EqualFold(path[len(path)-len(name):], name)
}

// Capture takes in one capture, which it does not keep. The Length of the capture should be set by then, and the archive's
// defects of the record known: call it after archive.Reader.Finish.
func (t *Task) Capture(c *capture.Capture) error {
	if t.counts.full(c.Site, t.opts.MaxSites) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	site := t.counts.site(c.Site)
	site.capture(c)
	if c.IsRobots() {
		site.add(cRobots)
		return t.emit(t.policyFile(c, facts.KindRobots))
	}
	if hasRobotsName(c) {
		site.add(cPolicyFiles)
		return t.emit(t.policyFile(c, facts.KindPolicy))
	}
	if !succeeded(c) || c.Record != nil && c.Record.Type == archive.Revisit {
		return nil
	}
	as := facts.Parser("")
	if c.Body != nil {
		as = parserOf(c.MimeType, c.Body)
	}
	if as == "" && isPolicyText(c) {
		site.add(cPolicyFiles)
		return t.emit(t.policyFile(c, facts.KindPolicy))
	}
	return t.page(c, as, site)
}

// page takes in a successful capture that is no policy file: a page, or something else that may have an X-Robots-Tag.
func (t *Task) page(c *capture.Capture, as facts.Parser, site *siteCounts) error {
	s := &t.scanner
	s.scan(c.Body, as)
	if as != "" {
		site.page(as)
		t.counts.metas(site, s.found.directives)
	}
	s.header(c.Header)
	for _, d := range s.found.defects {
		site.defect(string(d))
	}
	if !t.keeps(as) {
		return nil
	}
	site.add(cPagesKept)
	f := t.fact(c, facts.KindPage)
	t.describe(f, c, as)
	return t.emit(f)
}

// keeps tells whether the page in t.scanner keeps a row.
func (t *Task) keeps(as facts.Parser) bool {
	if t.opts.Pages == PagesAll && as != "" {
		return true
	}
	for i := range t.scanner.found.directives {
		d := &t.scanner.found.directives[i]
		switch {
		case d.acap:
			return true
		case t.opts.Pages == PagesACAP:
		case d.carrier != facts.CarrierMeta || isRestrictive(d.value):
			return true
		}
	}
	return false
}

// describe adds to a fact what t.scanner found in the capture.
func (t *Task) describe(f *facts.Fact, c *capture.Capture, as facts.Parser) {
	found := &t.scanner.found
	f.ParsedAs = as
	f.Charset = charsetOf(as, c.Charset, c.Body, found.charset)
	f.Directives = found.copyDirectives()
	for _, d := range found.defects {
		f.Defects = append(f.Defects, string(d))
	}
}

// policyFile is the fact of a robots.txt or of another file that a policy may point to. It has the body of a successful answer,
// unless one of the same site and digest had it before. A body that begins with '<' is read as a page, too (R-LEX-7).
func (t *Task) policyFile(c *capture.Capture, kind facts.Kind) *facts.Fact {
	f := t.fact(c, kind)
	f.Charset = c.Charset
	if c.Body == nil || !succeeded(c) {
		return f
	}
	if start := bytes.TrimPrefix(c.Body, utf8BOM); len(start) > 0 {
		if start = start[skipSpace(start, 0):]; len(start) > 0 && start[0] == '<' {
			as := facts.ParsedHTML
			if isXMLType(c.MimeType) || c.MimeType == "" && hasXMLDeclaration(c.Body) {
				as = facts.ParsedXML
			}
			t.scanner.scan(c.Body, as)
			t.scanner.header(c.Header)
			t.describe(f, c, as)
		}
	}
	key := bodyKey{c.Site, c.Digest}
	if _, had := t.bodies[key]; had && c.Digest != "" {
		return f
	}
	f.Body = bytes.Clone(c.Body[:min(len(c.Body), t.opts.MaxRobots)])
	f.BodyTruncated = f.BodyTruncated || len(f.Body) < len(c.Body)
	if !c.BodyTruncated {
		if len(t.bodies) >= maxBodies {
			clear(t.bodies)
		}
		t.bodies[key] = struct{}{}
	}
	return f
}

// isPolicyText tells whether a body that is no page is text with a line that begins as a policy's do.
func isPolicyText(c *capture.Capture) bool {
	if len(c.Body) == 0 || c.MimeType != "" && !strings.HasPrefix(c.MimeType, "text/") {
		return false
	}
	for rest := bytes.TrimPrefix(c.Body, utf8BOM); ; {
		if foldPrefix(rest, "acap-") {
			return true
		}
		if after := rest; foldPrefix(after, "user-agent") {
			after = bytes.TrimLeft(after[len("user-agent"):], " \t")
			if len(after) > 0 && after[0] == ':' {
				return true
			}
		}
		n := bytes.IndexAny(rest, "\r\n")
		if n < 0 {
			return false
		}
		rest = rest[n+1:]
	}
}

// fact is a fact with what every capture has.
func (t *Task) fact(c *capture.Capture, kind facts.Kind) *facts.Fact {
	f := &facts.Fact{
		Kind: kind, SiteHash: facts.HashSite(c.Site), Site: c.Site, Crawl: t.opts.Crawl, Subset: t.opts.Subset,
		URL: c.URL, FetchStatus: int32(c.Status), FetchRedirect: c.Redirect, ContentDigest: c.Digest, MimeType: c.MimeType,
		MimeDetected: c.MimeDetected, Truncated: c.Truncated, Segment: t.opts.Segment, Filename: t.opts.Filename,
		RecordLength: c.Length, BodyBytes: c.BodyBytes, BodyTruncated: c.BodyTruncated,
	}
	if !c.Time.IsZero() {
		f.FetchTime = c.Time.UnixMilli()
	}
	if c.Record != nil {
		f.RecordOffset, f.RecordIndex, f.RecordType = c.Record.Offset, c.Record.Index, c.Record.Type.String()
		for _, d := range c.Record.Defects {
			f.Defects = append(f.Defects, string(d))
		}
	}
	for _, d := range c.Defects {
		f.Defects = append(f.Defects, string(d))
	}
	return f
}

// flush gives out the counters of all sites, in order.
func (t *Task) flush() error {
	sites := t.counts.names()
	for _, name := range sites {
		f := &facts.Fact{
			Kind: facts.KindSite, SiteHash: facts.HashSite(name), Site: name, Crawl: t.opts.Crawl, Subset: t.opts.Subset,
			Segment: t.opts.Segment, Filename: t.opts.Filename, Counts: t.counts.list(t.counts.sites[name]),
		}
		if err := t.emit(f); err != nil {
			return err
		}
	}
	clear(t.counts.sites)
	return nil
}

// Finish gives out the counters of the sites. The Task must not be used after.
func (t *Task) Finish() error { return t.flush() }
