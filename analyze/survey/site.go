package survey

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/table"
)

// A site is one site of one crawl being surveyed.
type site struct {
	crawl, name string
	opts        Options

	robots   []*facts.Fact // captures of its own /robots.txt, in order of time
	pages    []*facts.Fact
	counts   map[string]int64 // its counters, summed over inputs
	counted  bool
	captures *captures // robots.txt, policy files, answers of others; of all sites of the host

	files         map[bodyKey][]*robotsFile         // in as many versions as their references have
	referredFiles map[*facts.Fact]*robotsFile       // read because of a reference
	owners        map[*policy.Statement]*facts.Fact // captures of statements that come from a referenced file
	constants     map[decide.Answer]*decide.Site
	answers       []*answer
	main          *answer // speaks for the site (R-SITE-1: the latest)

	comparedForAll, comparedForStar *comparison // nil before they are asked for

	conflicts map[string]int64 // by kind

	// What ended at its budget, counted while rows are made.
	approximate, unknownExtents int64
	mayLackConflicts            bool
	mayLackPermissions          bool
}

func newSite(crawl, name string, captures *captures, opts Options) *site {
	return &site{
		crawl: crawl, name: name, opts: opts, captures: captures, counts: map[string]int64{},
		files: map[bodyKey][]*robotsFile{}, referredFiles: map[*facts.Fact]*robotsFile{},
		owners:    map[*policy.Statement]*facts.Fact{},
		constants: map[decide.Answer]*decide.Site{}, conflicts: map[string]int64{},
	}
}

// add takes a fact of the site; they come in the order of facts.Compare.
func (s *site) add(f *facts.Fact) {
	switch f.Kind {
	case facts.KindRobots:
		s.robots = append(s.robots, f)
		s.captures.add(f)
	case facts.KindPolicy, facts.KindAnswer:
		s.captures.add(f)
	case facts.KindPage:
		s.pages = append(s.pages, f)
	case facts.KindSite:
		s.counted = true
		for _, c := range f.Counts {
			s.counts[c.Name] += c.Value
		}
	}
}

// seen tells whether the archives hold anything of the site itself.
func (s *site) seen() bool { return s.counted || len(s.robots) > 0 || len(s.pages) > 0 }

func otherScheme(site string) string {
	if rest, ok := strings.CutPrefix(site, "http://"); ok {
		return "https://" + rest
	}
	if rest, ok := strings.CutPrefix(site, "https://"); ok {
		return "http://" + rest
	}
	return ""
}

// A pageView is one page capture and the robots.txt in force at its time.
type pageView struct {
	fact    *facts.Fact
	page    *policy.Page
	answer  *answer
	instead bool // it came in the place of a robots.txt (R-LEX-7)
}

// survey makes the site's rows.
func (s *site) survey(other *site, out *output) error {
	views := s.viewPages()
	features := s.acapFeatures(views)
	class, exact := s.adoptionClass(views)
	hasACAP := class != table.AdoptionNone

	s.robotsRows(out.rows)
	for _, v := range views {
		s.pageRow(v, out.rows)
	}
	if err := s.directiveRows(views, hasACAP, out); err != nil {
		return err
	}
	if hasACAP || s.opts.Permissions == PermissionsAll {
		if err := s.sitePermissions(out); err != nil {
			return err
		}
	}
	if err := s.pagePermissions(views, out); err != nil {
		return err
	}
	if err := s.conflictRows(views, out); err != nil {
		return err
	}
	s.adoptionRow(class, exact, features, views, other, out.rows)
	return out.flushFull()
}

// viewPages reads the pages, and the markup that came in the place of a robots.txt (R-LEX-7), each under the robots.txt in force
// at its time.
func (s *site) viewPages() []pageView {
	views := make([]pageView, 0, len(s.pages))
	view := func(f *facts.Fact, instead bool) {
		a := s.inForce(f.FetchTime)
		var file *policy.File
		if inForce := s.fileOf(a); inForce != nil {
			file = inForce.File
		}
		views = append(views, pageView{fact: f, page: reading.ReadPage(f, file, s.opts.Reading), answer: a, instead: instead})
	}
	for _, f := range s.pages {
		view(f, false)
	}
	for _, a := range s.answers {
		if a.outcome == table.OutcomeNotRobots && len(a.asked.Directives) > 0 {
			view(a.asked, true)
		}
	}
	return views
}

// carriesACAP tells whether a page says anything in ACAP.
func carriesACAP(p *policy.Page) bool {
	return slices.ContainsFunc(p.Statements, func(st policy.Statement) bool { return st.Vocabulary == policy.ACAP })
}

// question asks of a page capture.
func (v *pageView) question(u policy.Usage) decide.Question {
	path := "/"
	if parsed, ok := weburl.Split(v.fact.URL); ok {
		path = parsed.PathQuery()
	}
	return decide.Question{URL: v.fact.URL, Path: policy.NormalizePath(path), Usage: u, At: moment(v.fact.FetchTime)}
}
