package survey

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// A pageView is a page capture and the robots.txt in force at its time.
type pageView struct {
	fact     *facts.Fact
	page     *policy.Page
	answer   *policyfiles.Answer
	asRobots bool // it came in the place of a robots.txt (R-LEX-7)
}

// Limits on what a site's row lists of its pages, the first in order of time. They are far above real ones.
const (
	maxNamed    = 10_000 // agents
	maxVersions = 1000   // versions of ACAP, as written
	maxContents = 10_000 // contents of conventional METAs; others are counted together
)

// pageNotes is what a site keeps of its pages.
type pageNotes struct {
	seen, decided int64 // pages; pages with permissions
	acap          bool  // a page has an ACAP statement that counts
	// pages with an ACAP META that counts, with one in the body, with an ACAP class token
	metas, inBody, tokens     int64
	vocabularies              map[string]int64 // pages by vocabulary and carrier of statements that count
	features, versions, named map[string]bool
	truncated                 bool // there are more versions than maxVersions

	work      pageWork
	decisions *decide.DecisionCache // caches decisions of the policy in force for the last page
	counted   int                   // steps of decisions that work has
}

// decisionsOf returns the cached decisions of the policy of an answer. Pages come in order of time, so the policy
// rarely changes; then the cache begins anew.
func (s *site) decisionsOf(a *policyfiles.Answer) *decide.DecisionCache {
	p := &s.pages
	if whole := s.robots.PolicyOf(a); p.decisions == nil || p.decisions.Site() != whole {
		p.work.used += p.newSteps()
		p.decisions, p.counted = decide.NewDecisionCache(whole), 0
	}
	return p.decisions
}

// newSteps returns the steps of decisions since the last call.
func (p *pageNotes) newSteps() int64 {
	if p.decisions == nil {
		return 0
	}
	before := p.counted
	p.counted = p.decisions.Cost()
	return int64(p.counted - before)
}

// addPage makes the rows of a page, and keeps what the site's row needs of it.
func (s *site) addPage(v pageView, out *output) error {
	work := &s.pages.work
	work.allowed += cost.OfPages * cost.Page(directiveBytes(v.fact))
	s.notePage(&v)
	s.pageRow(v, out)
	s.pageDirectives(v, out)
	if err := s.pagePermissions(&v, out); err != nil {
		return err
	}
	s.pageConflicts(&v, out)
	work.used += s.pages.newSteps()
	s.work.all.Spend(int(work.used))
	work.endPage()
	return out.flushFull()
}

func (s *site) notePage(v *pageView) {
	n := &s.pages
	n.seen++
	n.acap = n.acap || s.hasACAP(v.page)
	if !v.asRobots {
		has := func(is func(*policy.Statement) bool) int64 {
			if slices.ContainsFunc(v.page.Statements, func(st policy.Statement) bool {
				return st.Vocabulary == policy.ACAP && is(&st)
			}) {
				return 1
			}
			return 0
		}
		n.metas += has(func(st *policy.Statement) bool { return st.Source == policy.Meta && !s.ignored(st) })
		n.tokens += has(func(st *policy.Statement) bool { return st.Source == policy.Class && !s.ignored(st) })
		n.inBody += has(inBody)
		n.countVocabularies(v.page)
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
			n.truncated = true
		}
	}
	for i := range v.page.Statements {
		st := &v.page.Statements[i]
		if s.ignored(st) {
			continue
		}
		for _, a := range st.Agents {
			for _, name := range namedText(a) {
				if len(n.named) >= maxNamed && !n.named[name] {
					s.found.lacksPermissions = true
					continue
				}
				n.named[name] = true
			}
		}
	}
}

// countVocabularies counts a page for each vocabulary and carrier of a statement that decides or is recorded.
func (n *pageNotes) countVocabularies(p *policy.Page) {
	type kind struct {
		vocabulary policy.Vocabulary
		source     policy.Source
	}
	var seen []kind
	for i := range p.Statements {
		st := &p.Statements[i]
		k := kind{st.Vocabulary, st.Source}
		if !st.Status.Decides() && st.Status != policy.Recorded || slices.Contains(seen, k) {
			continue
		}
		seen = append(seen, k)
		if n.vocabularies == nil {
			n.vocabularies = map[string]int64{}
		}
		n.vocabularies[k.vocabulary.String()+" "+k.source.String()]++
	}
}

// view parses a page under the robots.txt in force at its time.
func (s *site) view(f *facts.Fact, asRobots bool) pageView {
	a := s.robots.InForce(f.FetchTime)
	var file *policy.File
	if inForce := s.robots.FileOf(a); inForce != nil {
		file = inForce.File
	}
	return pageView{fact: f, page: parse.ReadPage(f, file, s.opts.Reading), answer: a, asRobots: asRobots}
}

// pagesAsRobots lists the pages with directives that came in the place of a robots.txt (R-LEX-7).
func (s *site) pagesAsRobots() []*facts.Fact {
	var list []*facts.Fact
	for _, a := range s.robots.Answers {
		if a.Outcome == terms.OutcomeNotRobots && len(a.Asked.Directives) > 0 {
			list = append(list, a.Asked)
		}
	}
	return list
}

// hasACAP reports whether a page has an ACAP statement that counts.
func (s *site) hasACAP(p *policy.Page) bool {
	return slices.ContainsFunc(p.Statements, func(st policy.Statement) bool {
		return st.Vocabulary == policy.ACAP && !s.ignored(&st)
	})
}

// inBody reports whether a statement is a META in the body of its page (R-META-1).
func inBody(st *policy.Statement) bool { return slices.Contains(st.Defects, policy.DefectMetaInBody) }

// ignored reports whether a statement is a META in the body that does not count: it has rows and no other effect.
func (s *site) ignored(st *policy.Statement) bool { return !s.opts.Reading.BodyMETAs && inBody(st) }

// moment is the time of a capture as decisions take it.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// question asks about a page capture.
func (v *pageView) question(u policy.Usage, without policy.RuleSet) decide.Question {
	path := "/"
	if parsed, ok := weburl.Split(v.fact.URL); ok {
		path = parsed.PathQuery()
	}
	return decide.Question{URL: v.fact.URL, Path: policy.ReadPath(path, without), Usage: u,
		At: moment(v.fact.FetchTime)}
}
