package survey

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/conflict"
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
	captures captures // robots.txt, policy files, answers of others

	files   map[string]*robotsFile            // by digest of the body
	owners  map[*policy.Statement]*facts.Fact // captures of statements that come from a referenced file
	answers []*answer
	main    *answer // speaks for the site (R-SITE-1: the latest)

	conflicts map[string]int64 // by kind
}

func newSite(crawl, name string, opts Options) *site {
	return &site{
		crawl: crawl, name: name, opts: opts, counts: map[string]int64{}, files: map[string]*robotsFile{},
		owners: map[*policy.Statement]*facts.Fact{}, conflicts: map[string]int64{},
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

// findAnswers tells what each capture of the site's /robots.txt came to, and which speaks for the site.
func (s *site) findAnswers() {
	slices.SortStableFunc(s.robots, func(a, b *facts.Fact) int {
		if a.FetchTime != b.FetchTime {
			if a.FetchTime < b.FetchTime {
				return -1
			}
			return 1
		}
		return facts.Compare(a, b)
	})
	for _, f := range s.robots {
		s.answers = append(s.answers, s.captures.find(f, s.readFile))
	}
	s.main = s.inForce(1<<63 - 1)
}

// outcome is what asking the site came to.
func (s *site) outcome() table.RobotsOutcome {
	if s.main == nil {
		return table.OutcomeNotCaptured
	}
	return s.main.outcome
}

// file is the robots.txt that speaks for the site, nil where there is none.
func (s *site) file() *robotsFile {
	if s.main == nil || !s.main.conclusive() {
		return nil
	}
	return s.main.file
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

// A pageView is one page capture with its policy and the site's at its time.
type pageView struct {
	fact   *facts.Fact
	page   *policy.Page
	answer *answer
	policy *decide.Site
}

// survey makes the site's rows.
func (s *site) survey(other *site, rows *Rows) {
	views := s.viewPages()
	features := s.acapFeatures(views)
	class := s.adoptionClass(views)
	hasACAP := class != table.AdoptionNone

	s.robotsRows(rows)
	for _, v := range views {
		s.pageRow(v, rows)
	}
	s.directiveRows(views, hasACAP, rows)
	if hasACAP || s.opts.Permissions == PermissionsAll {
		s.sitePermissions(rows)
	}
	if s.opts.Permissions != PermissionsSites {
		for _, v := range views {
			if s.opts.Permissions == PermissionsAll || carriesACAP(v.page) {
				s.pagePermissions(v, rows)
			}
		}
	}
	s.conflictRows(views, rows)
	s.adoptionRow(class, features, views, other, rows)
}

// viewPages reads the pages, and the markup that came in the place of a robots.txt (R-LEX-7), each under the robots.txt in force
// at its time.
func (s *site) viewPages() []pageView {
	list := slices.Clone(s.pages)
	for _, a := range s.answers {
		if a.outcome == table.OutcomeNotRobots && len(a.asked.Directives) > 0 {
			list = append(list, a.asked)
		}
	}
	views := make([]pageView, 0, len(list))
	for _, f := range list {
		a := s.inForce(f.FetchTime)
		var file *policy.File
		if a != nil && a.conclusive() && a.file != nil {
			file = a.file.File
		}
		views = append(views, pageView{
			fact: f, page: reading.ReadPage(f, file, s.opts.Reading), answer: a, policy: s.policyOf(a, s.opts.Decide),
		})
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

// agents are those that rows are decided for: any, those that the site's ACAP names, those that the given pages name, and those
// of the options; in lower case, sorted, any first.
func (s *site) agents(pages ...*policy.Page) []policy.Agent {
	var named []policy.Agent
	if f := s.file(); f != nil {
		named = append(named, f.NamedRecords...)
	}
	for _, p := range pages {
		for i := range p.Statements {
			if st := &p.Statements[i]; st.Vocabulary == policy.ACAP {
				named = append(named, st.Agents...)
			}
		}
	}
	return distinctAgents(append(named, s.opts.Agents...))
}

func distinctAgents(named []policy.Agent) []policy.Agent {
	list := make([]policy.Agent, 0, len(named)+1)
	for _, a := range named {
		if a != policy.AnyAgent && a != "" {
			list = append(list, a.Key())
		}
	}
	slices.Sort(list)
	list = append([]policy.Agent{policy.AnyAgent}, slices.Compact(list)...)
	if len(list) > maxAgents {
		list = list[:maxAgents]
	}
	return list
}

// purposes are those that rows are decided for: none, and each pattern of the site and the given pages with every '*' removed.
func (s *site) purposes(pages ...*policy.Page) []string {
	var list []string
	collect := func(statements []policy.Statement) {
		for i := range statements {
			for _, p := range statements[i].Purposes {
				if plain := p.Plain(); plain != "" {
					list = append(list, plain)
				}
			}
		}
	}
	if f := s.file(); f != nil {
		collect(f.Statements)
	}
	for _, p := range pages {
		collect(p.Statements)
	}
	slices.Sort(list)
	list = append([]string{""}, slices.Compact(list)...)
	if len(list) > maxPurposes {
		list = list[:maxPurposes]
	}
	return list
}

func (s *site) conflictOptions(at int64) conflict.Options {
	return conflict.Options{Budget: s.opts.Budget, At: moment(at)}
}
