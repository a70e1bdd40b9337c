package extract

import (
	"bytes"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/bodytext"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A Finder finds the raw directives of one capture at a time. The result depends on that capture alone. A Finder can
// serve one input after another, and keeps its buffers. It is not safe for concurrent use.
type Finder struct {
	opts    Options
	scanner markup.Scanner
	found   Found
	row     facts.Fact // of found, if it has one
}

// NewFinder returns a Finder.
func NewFinder(opts Options) *Finder {
	if opts.MaxRobots <= 0 {
		opts.MaxRobots = DefaultMaxRobots
	}
	return &Finder{opts: opts}
}

// Found is what one capture adds to the facts of its input. The next Find overwrites it.
type Found struct {
	site    string
	counts  counterSet
	bytes   int64       // of the body
	metas   []byte      // contents of the conventional METAs in its head, as written, each preceded by a metaSeparator
	defects []string    // codes
	fact    *facts.Fact // nil if the capture has no row
	body    []byte      // of a policy file, for the fact; nil if none
	cut     bool        // Options.MaxRobots cut the body
}

// IsRobots reports whether the capture is one of /robots.txt, whatever its status.
func (f *Found) IsRobots() bool { return f.counts&(1<<cRobots) != 0 }

// HasFact reports whether the capture has a fact of its own, and does not only count.
func (f *Found) HasFact() bool { return f.fact != nil }

// HasACAP reports whether the capture is a page with an ACAP META or class token.
func (f *Found) HasACAP() bool { return f.counts&(1<<cACAPMeta|1<<cACAPBody|1<<cACAPClass) != 0 }

// Want reports whether a Task needs the body of a capture: of a page, of text that may be a policy, and of a capture
// with a row because of its header. It is for capture.Options.
func Want(c *capture.Capture) bool {
	switch {
	case hasRobotsName(c), isReservations(c), markup.HasPolicy(c.Header):
		return true
	case !succeeded(c):
		return false
	case c.MimeType == "text/css", c.MimeType == "text/javascript":
		return false
	}
	return c.MimeType == "" || strings.HasPrefix(c.MimeType, "text/") || markup.IsXMLType(c.MimeType)
}

// succeeded reports whether the body is the requested content: a 2xx answer, or one without a status.
func succeeded(c *capture.Capture) bool { return c.Status/100 == 2 || c.Status == 0 }

// hasRobotsName reports whether the path of the capture ends with robots.txt.
func hasRobotsName(c *capture.Capture) bool {
	const name = "robots.txt"
	path := c.Parsed.Path
	return len(path) >= len(name) && strings.EqualFold(path[len(path)-len(name):], name)
}

// isReservations reports whether the capture is one of the file with a site's reservations for text and data mining
// (R-TDM-1).
func isReservations(c *capture.Capture) bool { return c.Parsed.Path == "/.well-known/tdmrep.json" }

// Find finds the raw directives of a capture. Call it after archive.Reader.Finish, with the Length of the capture set,
// because it needs the defects of the record.
func (f *Finder) Find(c *capture.Capture) *Found {
	f.found = Found{site: c.Site, metas: f.found.metas[:0], defects: f.found.defects[:0]}
	f.found.capture(c)
	switch {
	case c.IsRobots():
		f.found.counts.add(cRobots)
		f.policyFile(c, facts.KindRobots)
		return &f.found
	case hasRobotsName(c), isReservations(c):
		f.found.counts.add(cPolicyFiles)
		f.policyFile(c, facts.KindPolicy)
		return &f.found
	case !succeeded(c) || isRevisit(c):
		return &f.found
	case c.Summary != nil:
		f.summary(c)
		return &f.found
	}
	as := facts.Parser("")
	if c.Body != nil {
		as = markup.ParserOf(c.MimeType, c.Body)
	}
	if as == "" && isPolicyText(c) {
		f.found.counts.add(cPolicyFiles)
		f.policyFile(c, facts.KindPolicy)
		return &f.found
	}
	f.page(c, as)
	return &f.found
}

// page scans a successful capture that is not a policy file: a page, or another file whose header may carry policy.
func (f *Finder) page(c *capture.Capture, as facts.Parser) {
	found := f.scanner.Scan(c.Body, as)
	if as != "" {
		f.found.page(as, found.Directives)
	}
	f.finishPage(c, as, found)
}

// finishPage adds the header fields to the findings of a page, and makes its fact if the page has a row.
func (f *Finder) finishPage(c *capture.Capture, as facts.Parser, found *markup.Findings) {
	found.AddHeader(c.Header)
	f.found.defects = append(f.found.defects, found.Defects...)
	if !f.keeps(as, found) {
		return
	}
	f.found.counts.add(cPagesKept)
	f.found.fact = f.fact(c, facts.KindPage)
	describe(f.found.fact, c, as, found)
}

// isRevisit reports whether the capture has no body because it repeats an earlier one.
func isRevisit(c *capture.Capture) bool {
	if c.Summary != nil {
		return c.Summary.Type == archive.Revisit
	}
	return c.Record != nil && c.Record.Type == archive.Revisit
}

// summary reads the WAT summary of a successful capture. The media type alone decides the parser. XML may have a
// processing instruction that is not in the WAT.
func (f *Finder) summary(c *capture.Capture) {
	as := facts.Parser("")
	switch {
	case markup.IsXMLType(c.MimeType):
		as = facts.ParsedXML
	case c.Summary.HTML, c.MimeType == "text/html":
		as = facts.ParsedHTML
	}
	found := f.scanner.Scan(nil, "")
	if as != "" {
		found = f.scanner.Summary(c.Summary.Metas)
		f.found.page(as, found.Directives)
		f.found.counts.add(cPagesPartial)
	}
	f.finishPage(c, as, found)
}

// keeps reports whether a page has a row.
func (f *Finder) keeps(as facts.Parser, found *markup.Findings) bool {
	if f.opts.Pages == PagesAll && as != "" {
		return true
	}
	for i := range found.Directives {
		d := &found.Directives[i]
		switch {
		case d.ACAP:
			return true
		case f.opts.Pages == PagesACAP:
		case d.Carrier != facts.CarrierMeta, markup.IsPreference(d.Name), markup.IsRestrictive(d.Value):
			return true
		}
	}
	return false
}

// describe adds findings to a fact.
func describe(row *facts.Fact, c *capture.Capture, as facts.Parser, found *markup.Findings) {
	row.ParsedAs = as
	if c.Summary == nil {
		row.Charset = found.CharsetOf(as, c.Charset, c.Body)
	}
	row.Directives = found.Copy()
	row.Defects = append(row.Defects, found.Defects...)
}

// policyFile makes the fact of a robots.txt or of another file that a policy may refer to, with the body of a
// successful answer. The Task decides whether to emit the body. A body that looks like a page is also scanned as one.
func (f *Finder) policyFile(c *capture.Capture, kind facts.Kind) {
	row := f.fact(c, kind)
	f.found.fact = row
	row.Charset = c.Charset
	if c.Body == nil || !succeeded(c) {
		return
	}
	if bodytext.BeginsAsPage(c.Body) {
		as := markup.ParserOfPage(c.MimeType, c.Body)
		found := f.scanner.Scan(c.Body, as)
		found.AddHeader(c.Header)
		describe(row, c, as, found)
	}
	f.found.body = c.Body[:min(len(c.Body), f.opts.MaxRobots)]
	f.found.cut = len(f.found.body) < len(c.Body)
}

// isPolicyText reports whether a body that is not a page has a line that begins like one of a policy.
func isPolicyText(c *capture.Capture) bool {
	if len(c.Body) == 0 || c.MimeType != "" && !strings.HasPrefix(c.MimeType, "text/") {
		return false
	}
	for rest := bytes.TrimPrefix(c.Body, []byte("\xEF\xBB\xBF")); ; {
		if markup.FoldPrefix(rest, "acap-") {
			return true
		}
		if after := rest; markup.FoldPrefix(after, "user-agent") {
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

// fact returns a fact with the values of every capture.
func (f *Finder) fact(c *capture.Capture, kind facts.Kind) *facts.Fact {
	// Strings of the record share allocations with the whole header and other records. So they are copied, in one
	// piece.
	var text strings.Builder
	digest := c.PayloadDigest()
	text.Grow(len(c.URL) + len(digest) + len(c.Site) + len(c.Redirect))
	own := func(s string) string {
		from := text.Len()
		text.WriteString(s)
		return text.String()[from:]
	}
	row := &f.row
	*row = facts.Fact{
		Kind: kind, SiteHash: facts.HashSite(c.Site), Site: own(c.Site), Crawl: f.opts.Crawl, Subset: f.opts.Subset,
		URL: own(c.URL), FetchStatus: int32(c.Status), FetchRedirect: own(c.Redirect), ContentDigest: own(digest),
		MimeType:     c.MimeType,
		MimeDetected: c.MimeDetected, Truncated: c.Truncated, Segment: f.opts.Segment, Filename: f.opts.Filename,
		RecordLength: c.Length, BodyBytes: c.BodyBytes, BodyTruncated: c.BodyTruncated, Partial: c.Summary != nil,
	}
	if !c.Time.IsZero() {
		row.FetchTime = c.Time.UnixMilli()
	}
	if c.Record != nil {
		row.RecordOffset, row.RecordIndex, row.RecordType = c.Record.Offset, c.Record.Index, c.Record.Type.String()
		for _, d := range c.Record.Defects {
			row.Defects = append(row.Defects, string(d))
		}
	}
	for _, d := range c.Defects {
		row.Defects = append(row.Defects, string(d))
	}
	return row
}
