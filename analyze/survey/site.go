package survey

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// A site is one site of one crawl being surveyed.
type site struct {
	crawl, name string
	opts        Options

	robots       []*facts.Fact    // captures of its own /robots.txt that are held, as they came: newest first
	aside        *facts.SpillFile // those that are not, nil where there are none
	newSpillFile newSpillFile
	stopped      func() bool      // whether all is to end, in the midst of a site too; nil: never
	setAside     int64            // how many
	leftOut      bool             // something that decisions may depend on is not held
	counts       map[string]int64 // its counters, summed over inputs
	counted      bool
	captures     *captures // robots.txt, policy files, answers of others; of all sites of the host

	files         map[bodyKey][]*robotsFile         // in as many versions as their references have
	referredFiles map[*facts.Fact]*robotsFile       // read because of a reference
	owners        map[*policy.Statement]*facts.Fact // captures of statements that come from a referenced file
	ids           map[*policy.Statement]string      // of statements of files, as they were asked for last
	constants     map[decide.Availability]*decide.Site
	places        *decide.DecisionCache // of the policy in force for the last page; see placesOf
	looked        int                   // in places, as far as that is counted
	answers       []*answer             // in order of time
	inTime        []*answer             // those that stand for moments
	main          *answer               // speaks for the site (R-SITE-1: the latest)

	comparedForAll, comparedForStar *comparison // nil before they are asked for

	inPages   pageNotes        // what its pages came to so far
	conflicts map[string]int64 // by kind

	keyed   *facts.Fact // whose key was made last
	lastKey table.Key

	ofFile int64        // what was done about its robots.txt
	took   *cost.Budget // what was done for the site; it has no end

	// What ended at its budget, counted while rows are made.
	approximate, unknownExtents int64
	mayLackConflicts            bool
	mayLackPermissions          bool
}

func newSite(crawl, name string, captures *captures, opts Options, newSpillFile newSpillFile) *site {
	return &site{
		crawl: crawl, name: name, opts: opts, captures: captures, newSpillFile: newSpillFile, counts: map[string]int64{},
		files: map[bodyKey][]*robotsFile{}, referredFiles: map[*facts.Fact]*robotsFile{},
		owners: map[*policy.Statement]*facts.Fact{}, ids: map[*policy.Statement]string{},
		constants: map[decide.Availability]*decide.Site{}, conflicts: map[string]int64{}, took: cost.New(0),
	}
}

// add takes a fact of the site that is no page.
func (s *site) add(f *facts.Fact) error {
	switch f.Kind {
	case facts.KindRobots:
		return s.addRobots(f)
	case facts.KindPolicy, facts.KindAnswer:
		if f.URL == "" { // not all that it asked was answered: see Resolve
			s.leftOut = true
			return nil
		}
		if s.captures.others >= maxOthers || !s.captures.share(f) {
			s.leftOut = true
			return nil
		}
		s.captures.others++
		s.captures.add(f)
	case facts.KindSite:
		s.counted = true
		for _, c := range f.Counts {
			name := c.Name
			if _, known := s.counts[name]; !known && len(s.counts) >= maxContents && strings.HasPrefix(name, facts.CountMetaPrefix) {
				name = facts.CountMetaOther // each of very many archives may have some of its own
			}
			s.counts[name] += c.Value
		}
	}
	return nil
}

// A newSpillFile makes a place for captures that are not held.
type newSpillFile func() (*facts.SpillFile, error)

// notHeld is the number of a capture aside that stands for no other; else it is the place of one in site.robots that is like it.
const notHeld = -1

// addRobots takes a capture of the site's own /robots.txt. Of very many that came to the same the first and the last are held: what was in
// force between them is the same. The others wait aside for their rows.
func (s *site) addRobots(f *facts.Fact) error {
	room := s.captures.share(f)
	n := len(s.robots)
	if n >= s.captures.bounds.few && room && alike(s.robots[n-2], s.robots[n-1]) && alike(s.robots[n-1], f) {
		between := *s.robots[n-1]
		s.robots[n-1] = f
		between.Body = nil // that of its like
		return s.putAside(&between, int64(n-2))
	}
	if !room || n >= s.captures.bounds.most {
		s.leftOut = true
		return s.putAside(f, notHeld)
	}
	s.robots = append(s.robots, f)
	return nil
}

// know makes the captures of the site's own /robots.txt known, once all have come.
func (s *site) know() {
	for _, f := range s.robots {
		s.captures.add(f)
	}
}

// alike tells whether two captures come to the same, whatever else there is: no redirect, whose end depends on the time, and no markup.
func alike(f, g *facts.Fact) bool {
	sameBody := len(f.Body) == len(g.Body) && (f.Body == nil) == (g.Body == nil) && (len(f.Body) == 0 || &f.Body[0] == &g.Body[0])
	return sameBody && !inforce.IsRedirect(f) && f.URL == g.URL && f.FetchStatus == g.FetchStatus && f.ContentDigest == g.ContentDigest &&
		f.RecordType == g.RecordType && f.Partial == g.Partial && f.BodyTruncated == g.BodyTruncated &&
		len(f.Directives) == 0 && len(g.Directives) == 0
}

func (s *site) putAside(f *facts.Fact, like int64) error {
	if s.aside == nil {
		spill, err := s.newSpillFile()
		if err != nil {
			return err
		}
		s.aside = spill
	}
	s.setAside++
	return s.aside.Add(f, like)
}

// eachAside calls visit for what each capture aside came to.
func (s *site) eachAside(visit func(*answer) error) error {
	if s.aside == nil {
		return nil
	}
	return s.aside.Each(func(f *facts.Fact, like int64) error {
		if like != notHeld {
			f.Body = s.robots[like].Body
		}
		a := s.captures.find(f)
		if a.body != nil {
			s.readAside(a)
		}
		return visit(a)
	})
}

// close removes what is aside.
func (s *site) close() error {
	if s.aside == nil {
		return nil
	}
	err := s.aside.Close()
	s.aside = nil
	return err
}

// seen tells whether the archives hold anything of the site itself.
func (s *site) seen() bool {
	return s.counted || len(s.robots) > 0 || s.setAside > 0 || s.inPages.seen > 0
}

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

// Bounds on what a site's row lists of its pages: the first in order of time. Real sites stay far below them.
const (
	maxNamed    = 10_000 // crawlers
	maxVersions = 1000   // versions of ACAP, as written
	maxContents = 10_000 // contents of conventional METAs; others are counted together
)

// pageNotes is what is kept of the pages of a site that have gone by.
type pageNotes struct {
	seen, decided             int64 // pages; those that permissions are decided for
	acap                      bool  // one says anything in ACAP
	metas, inBody, tokens     int64 // pages with an ACAP META that counts, with one in the body, and with an ACAP class token
	features, versions, named map[string]bool

	// What it takes to decide them and to find their conflicts, in looks: used for the page that goes by, and work for those before it, but
	// for freePageWork of each. See site.beyondPages.
	used, work int64
	allowed    int64 // what all may take; see pagesAllowed
}

// beyondPages tells whether the pages of the site that have gone by took so much that what its robots.txt says of others is not looked for.
func (s *site) beyondPages() bool { return s.inPages.work >= s.pagesAllowed() }

// page makes the rows of a page capture that goes by.
func (s *site) page(f *facts.Fact, out *output) error { return s.surveyPage(s.view(f, false), out) }

// end makes the rows of the site itself, once all its pages have gone by.
func (s *site) end(other *site, out *output) error {
	for _, f := range s.insteadOfRobots() {
		if err := s.surveyPage(s.view(f, true), out); err != nil {
			return err
		}
	}
	class, exact := s.adoptionClass()
	hasACAP := class != terms.AdoptionNone
	if err := s.robotsRows(out); err != nil {
		return err
	}
	if err := s.directiveRows(hasACAP, out); err != nil {
		return err
	}
	if hasACAP || s.opts.Permissions == PermissionsAll || s.opts.Permissions == PermissionsAllSites {
		if err := s.sitePermissions(out); err != nil {
			return err
		}
	}
	if err := s.conflictRows(out); err != nil {
		return err
	}
	s.adoptionRow(class, exact, other, out.rows)
	if out.surveyed != nil {
		out.surveyed(s)
	}
	return out.flushFull()
}

// surveyPage makes the rows of a page, and keeps what its site's row needs of it.
func (s *site) surveyPage(v pageView, out *output) error {
	s.inPages.allowed += cost.OfPages * cost.Page(directiveBytes(v.fact))
	s.notePage(&v)
	s.pageRow(v, out.rows)
	s.pageDirectives(v, out)
	if err := s.pagePermissions(&v, out); err != nil {
		return err
	}
	s.pageConflicts(&v, out)
	s.inPages.used += s.looks()
	s.took.Spend(int(s.inPages.used))
	s.inPages.work += max(0, s.inPages.used-freePageWork)
	s.inPages.used = 0
	return out.flushFull()
}

func (s *site) notePage(v *pageView) {
	n := &s.inPages
	n.seen++
	n.acap = n.acap || s.carriesACAP(v.page)
	if !v.instead {
		// Every page with ACAP keeps a row, and is counted here because it takes more than its words to know it.
		n.metas, n.tokens = n.metas+s.speaksBy(v.page, policy.Meta), n.tokens+s.speaksBy(v.page, policy.Class)
		acapInBody := func(st policy.Statement) bool { return st.Vocabulary == policy.ACAP && inBody(&st) }
		if slices.ContainsFunc(v.page.Statements, acapInBody) {
			n.inBody++
		}
	}
	if n.features == nil {
		n.features, n.versions, n.named = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	for _, feature := range v.page.Features {
		n.features[string(feature)] = true
	}
	if v.page.Version.Stated() {
		if version := text(v.page.Version.Text); len(n.versions) < maxVersions || n.versions[version] {
			n.versions[version] = true
		} else {
			s.leftOut = true
		}
	}
	for i := range v.page.Statements {
		if s.passedOver(&v.page.Statements[i]) {
			continue
		}
		for _, a := range v.page.Statements[i].Agents {
			for _, name := range namedText(a) {
				if len(n.named) >= maxNamed && !n.named[name] {
					s.mayLackPermissions = true
					continue
				}
				n.named[name] = true
			}
		}
	}
}

// view reads a page under the robots.txt in force at its time.
func (s *site) view(f *facts.Fact, instead bool) pageView {
	a := s.inForce(f.FetchTime)
	var file *policy.File
	if inForce := s.fileOf(a); inForce != nil {
		file = inForce.File
	}
	return pageView{fact: f, page: parse.ReadPage(f, file, s.opts.Reading), answer: a, instead: instead}
}

// insteadOfRobots lists the markup that came in the place of a robots.txt (R-LEX-7).
func (s *site) insteadOfRobots() []*facts.Fact {
	var list []*facts.Fact
	for _, a := range s.answers {
		if a.outcome == terms.OutcomeNotRobots && len(a.asked.Directives) > 0 {
			list = append(list, a.asked)
		}
	}
	return list
}

// carriesACAP tells whether a page says anything in ACAP where it counts.
func (s *site) carriesACAP(p *policy.Page) bool {
	return slices.ContainsFunc(p.Statements, func(st policy.Statement) bool {
		return st.Vocabulary == policy.ACAP && !s.passedOver(&st)
	})
}

// inBody tells whether a statement is that of a META in the body of its page (R-META-1).
func inBody(st *policy.Statement) bool { return slices.Contains(st.Defects, policy.DefectMetaInBody) }

// passedOver tells whether a statement is that of a META in the body which does not count: it is in the tables, and nothing follows.
func (s *site) passedOver(st *policy.Statement) bool { return !s.opts.Reading.BodyMETAs && inBody(st) }

// question asks of a page capture.
func (v *pageView) question(u policy.Usage, without policy.RuleSet) decide.Question {
	path := "/"
	if parsed, ok := weburl.Split(v.fact.URL); ok {
		path = parsed.PathQuery()
	}
	return decide.Question{URL: v.fact.URL, Path: policy.ReadPath(path, without), Usage: u, At: moment(v.fact.FetchTime)}
}
