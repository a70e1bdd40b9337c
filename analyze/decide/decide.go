// Package decide decides what a policy allows: docs/semantics.md, section 6, with a trace. Its input is the policy of a
// site, the policy of a page and a question; its result names every rule that took part and every statement that won or
// lost. It parses nothing and reads nothing.
//
// A Site is a robots.txt, a View the same for one agent and purpose. Statements of one vocabulary in one carrier give a
// Partial decision (acap.go, rep.go), and View.Decide combines these. A DecisionCache serves the pages of a site.
package decide

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Profile is an interpretation of the ACAP specifications.
type Profile = terms.Profile

const (
	Profile11    = terms.Profile11
	ProfilePilot = terms.ProfilePilot
)

// A Reach tells which usages a statement about the usage other covers (R-DEC-13).
type Reach = terms.OtherReading

const (
	OtherBroad  = terms.OtherBroad
	OtherNarrow = terms.OtherNarrow
	OtherLevel  = terms.OtherLevel
)

// Options select the interpretation. The zero value is the default one.
type Options struct {
	Profile Profile
	Other   Reach
	// Without are the rules that are left out, of those that decide: R-REP-1 to R-DEC-14, R-PAT-1 for /robots.txt
	// itself, R-PURP-1, R-DEF-3 and R-REF-1. Rule.Without says what takes their place, and the trace names the rule
	// that does.
	Without policy.RuleSet
}

// Availability is whether a site answered the request for /robots.txt (R-REP-3).
type Availability uint8

const (
	Answered    Availability = iota // 2xx, or 4xx except 429, which has no statements: what is not stated is silence
	NotCaptured                     // the corpus has no answer
	NotRobots                       // a page in the place of a robots.txt (R-LEX-7)
	Unreachable                     // 5xx, 429, no answer
)

// A Question is about one URL. Without At, nothing expires.
type Question struct {
	URL   string // as captured: for location= (R-DEC-9)
	Path  string // path and query from policy.NormalizePath, or from policy.ReadPath under the rules of Options
	Usage policy.Usage
	At    time.Time
}

// A Verdict is a statement, with the rule that made it decide or removed it.
type Verdict struct {
	Statement *policy.Statement
	Rule      policy.Rule
}

// A Decision answers a Question for one agent and purpose. Its lists are shared with other decisions: they must not be
// changed. Decisions of a DecisionCache are truncated (see DecisionCache.At).
type Decision struct {
	Decision        policy.Decision
	IfCrawled       policy.Decision // what R-DEC-11 hid; else the same
	WithoutElements policy.Decision // for a crawler that cannot act on elements (R-DEC-14); else the same
	Basis           policy.Basis
	By              []policy.Rule // that removed a candidate or made the decision, in order; never empty
	Qualifiers      []policy.Qualifier
	Deciding        []Verdict
	Lost            []Verdict
	Elements        []*policy.Statement // class tokens of the page about the usage
}

// A Site is the policy of a robots.txt. It keeps pointers into its File, which must not change. The first question
// costs a pass over the file; later ones cost about as much as the statements that match their path. A Site and its
// Views may be used by several goroutines at once, except those of a DecisionCache.
type Site struct {
	file         *policy.File
	availability Availability
	opts         Options
	index        func() *match.Index            // made at its first use
	only         *pathPolicy                    // the paths that it is limited to; nil: all
	last         atomic.Pointer[pathStatements] // many questions follow about one path
}

// pathStatements are the statements that match a path.
type pathStatements struct {
	path string
	hits []match.Hit
	cost int // of finding them
}

// NewSite prepares a policy. file may be nil if there is no robots.txt to read.
func NewSite(file *policy.File, availability Availability, opts Options) *Site {
	if file == nil {
		file = &policy.File{}
	}
	index := sync.OnceValue(func() *match.Index { return match.New(file) })
	return &Site{file: file, availability: availability, opts: opts, index: index}
}

// matching returns the statements that match a path, in order.
func (s *Site) matching(path string) *pathStatements {
	if s.only != nil {
		return &s.only.matching
	}
	if last := s.last.Load(); last != nil && last.path == path {
		return last
	}
	hits, cost := s.index().At(path, s.opts.Without)
	found := &pathStatements{path, hits, cost}
	s.last.Store(found)
	return found
}

// File returns the policy that the site was made of.
func (s *Site) File() *policy.File { return s.file }

// Options returns the interpretation that the site was made with.
func (s *Site) Options() Options { return s.opts }

// Under returns the same policy under another interpretation.
func (s *Site) Under(opts Options) *Site {
	if s.only != nil {
		return s.only.under(s, opts)
	}
	return s.variant(opts, nil)
}

// Decide answers the question. page is nil if nothing is known of the page itself.
func (v *View) Decide(page *policy.Page, q Question) Decision {
	if q.Usage.Family() == terms.FamilyAI {
		return v.decidePreference(page, q)
	}
	own := v.decideAsIfCrawled(page, q)
	d := own.decided()
	if q.Usage != policy.Crawl && !v.without(policy.RuleCrawl) {
		if crawl := v.decideCrawl(page, q); crawl.prohibitsAll() {
			d = d.UnderCrawl(crawl.By, crawl.Deciding, crawl.Lost)
			d.Lost = appendVerdicts(d.Lost, policy.RuleCrawl, own.statements()...)
		}
	}
	d.WithoutElements = d.Decision
	if d.Elements = elements(page, q.Usage); len(d.Elements) > 0 && !v.without(policy.RuleElements) {
		d.WithoutElements = policy.Disallowed
	}
	return d
}

// decided returns the decision that a Partial makes alone.
func (p Partial) decided() Decision {
	return Decision{
		Decision: p.decision, IfCrawled: p.decision, WithoutElements: p.decision, Basis: p.Basis, By: p.By,
		Qualifiers: p.Qualifiers, Deciding: p.Deciding, Lost: p.Lost,
	}
}

// UnderCrawl returns a decision that a prohibition of crawl takes the place of (R-DEC-11): by these rules, with the
// statements that decided crawl and those that lost.
func (d Decision) UnderCrawl(by []policy.Rule, deciding, lost []Verdict) Decision {
	d.Decision, d.WithoutElements = policy.Disallowed, policy.Disallowed
	d.Basis, d.Qualifiers = policy.BasisCrawlProhibited, nil
	d.By = append(slices.Clone(by), policy.RuleCrawl)
	d.Deciding, d.Lost = slices.Clip(deciding), slices.Clip(lost)
	return d
}

// decideCrawl decides crawl at the URL of a question about another usage.
func (v *View) decideCrawl(page *policy.Page, q Question) *Partial {
	q.Usage = policy.Crawl
	if last := v.crawl.Load(); last != nil && last.page == page && last.question == q {
		return &last.decision
	}
	c := &crawlDecision{page, q, v.decideAsIfCrawled(page, q)}
	v.crawl.Store(c)
	return &c.decision
}

// elements returns the class tokens about a usage, which a crawler that cannot act on elements must apply to the whole
// page (S0 2.2.6, R-DEC-14).
func elements(page *policy.Page, u policy.Usage) []*policy.Statement {
	if page == nil {
		return nil
	}
	var found []*policy.Statement
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Source == policy.Class && st.Status.Decides() && (st.Usage == policy.Crawl || st.Usage.Covers(u)) {
			found = append(found, st)
		}
	}
	return found
}

// QuestionCost is the cost of a question that no statement answers.
const QuestionCost = 8

// decideAsIfCrawled decides a usage by its own statements, whether or not the page may be crawled.
func (v *View) decideAsIfCrawled(page *policy.Page, q Question) Partial {
	v.budget.Spend(QuestionCost)
	if q.Usage.Family() == terms.FamilyAI {
		return v.orUnstated(v.weigh(v.pagePreference(page, q, anyStatement), v.file(q)))
	}
	if q.Usage == policy.Crawl && q.Path == RobotsPath && !v.without(policy.RulePattern) {
		return v.robotsItself(q)
	}
	pageACAP, pageREP := v.PageACAP(page, q), v.PageREP(page, q)
	if pageACAP.Speaks() {
		// The page sets aside all of robots.txt (R-DEC-1), and its own conventional statements (R-DEC-2) except those
		// that meet a statement about other (R-DEC-13).
		result := pageACAP
		switch {
		case pageACAP.CountsREP:
			result = combine(result, pageREP, policy.RuleOther)
		case v.without(policy.RuleACAPFirst):
			result = combine(result, pageREP, policy.RuleACAPFirst)
		case v.site.opts.Profile == ProfilePilot:
			result = combine(result, v.pageREPOutside(page, q), policy.RuleACAPFirst)
		default:
			result.setAside(policy.RuleACAPFirst, pageREP.statements())
		}
		file := v.RobotsACAPUnder(pageACAP, q)
		if v.without(policy.RuleEmbedded) {
			rep := v.RobotsREP(q)
			return combine(result, v.both(&file, &rep, q), policy.RuleACAPFirst)
		}
		result.setAside(policy.RuleEmbedded, append(file.statements(), v.RobotsREP(q).statements()...))
		return result
	}
	file := v.file(q)
	switch {
	case file.Speaks() && pageREP.Speaks():
		return combine(file, pageREP, policy.RuleACAPFirst)
	case file.Speaks():
		return file
	case pageREP.Speaks():
		pageREP.absorb(file)
		return pageREP
	}
	silent := v.silent()
	// The rules that removed all candidates are part of the trace.
	silent.absorb(pageREP)
	silent.absorb(file)
	return silent
}

// silent decides if there is no candidate: R-DEC-12, and R-REP-3 if the robots.txt is unknown.
func (v *View) silent() Partial {
	availability := v.site.availability
	if v.without(policy.RuleREPAnswer) {
		availability = Answered
	}
	if basis, ok := unknownFile[availability]; ok {
		decision := policy.Allowed
		if availability == Unreachable {
			decision = policy.Disallowed
		}
		return byDefault(decision, basis, policy.RuleREPAnswer)
	}
	silent := byDefault(policy.Allowed, policy.BasisSilence, policy.RuleSilence)
	if v.without(policy.RuleSilence) {
		silent.decision = policy.Disallowed
	}
	return silent
}

// RobotsPath is the path that can always be crawled (R-PAT-1).
const RobotsPath = "/robots.txt"

// robotsItself: /robots.txt can always be crawled (R-PAT-1).
func (v *View) robotsItself(q Question) Partial {
	p := byDefault(policy.Allowed, policy.BasisSilence, policy.RulePattern)
	p.lose(policy.RulePattern, v.RobotsACAP(q).statements()...)
	p.lose(policy.RulePattern, v.RobotsREP(q).statements()...)
	return p
}

// file decides by the robots.txt only.
func (v *View) file(q Question) Partial {
	if v.cached != nil {
		return v.cachedFor(q).file
	}
	var few [manyVoices]voice
	return v.together(v.voices(q, few[:0]), q)
}

// both combines the ACAP and the conventional decision of the robots.txt. It changes its arguments.
func (v *View) both(acap, rep *Partial, q Question) Partial {
	if v.site.file.IgnoreConventional {
		acap.setAside(policy.RuleIgnoreREP, rep.statements())
		return *acap
	}
	switch {
	case !acap.Speaks():
		rep.absorb(*acap)
		return *rep
	case !rep.Speaks() && len(rep.Lost) == 0:
		return *acap
	case v.without(policy.RuleACAPFirst):
		return combine(*acap, *rep, policy.RuleACAPFirst)
	case v.site.opts.Profile == ProfilePilot:
		return combine(*acap, v.robotsREPOutside(q), policy.RuleACAPFirst)
	}
	acap.setAside(policy.RuleACAPFirst, rep.statements())
	return *acap
}
