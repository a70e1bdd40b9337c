// Package decide chooses among statements: the decision of docs/semantics.md, section 6, with its trace. It parses nothing and
// reads nothing; what it is given is a site's policy, a page's policy and a question, and what it gives back names every rule
// that took part and every statement that won or lost.
package decide

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/policy"
)

// A Profile is a reading of the documents.
type Profile uint8

const (
	Profile11    Profile = iota // ACAP 1.1, the default
	ProfilePilot                // S3: no scope order by inclusion, and conventional rules set aside only where the scope is equal
)

func (p Profile) String() string {
	if p == ProfilePilot {
		return "pilot"
	}
	return "1.1"
}

// Reach tells what a statement about the usage other reaches (R-DEC-13).
type Reach uint8

const (
	OtherBroad  Reach = iota // every usage but crawl on which no ACAP statement of its level speaks
	OtherNarrow              // only a usage outside the five basic ones
)

func (r Reach) String() string {
	if r == OtherNarrow {
		return "narrow"
	}
	return "broad"
}

// Options select the reading. The zero value is the default one.
type Options struct {
	Profile Profile
	Other   Reach
	// Without are the rules that are left out, of those that decide: R-REP-1 to R-DEC-14, R-PAT-1 for /robots.txt itself, R-PURP-1, R-DEF-3
	// and R-REF-1. What is done without a rule says its Rule.Without. Where that takes a rule of some sort too, the trace names the
	// rule in whose place it stands.
	Without policy.RuleSet
}

// An Answer is what asking a site for /robots.txt came to (R-REP-3).
type Answer uint8

const (
	Answered    Answer = iota // 2xx, or 4xx except 429, which says nothing: what is not stated is silence
	NotCaptured               // the corpus does not hold the answer
	Unreachable               // 5xx, 429, no answer
)

// A Question is asked of one URL. The zero At is outside time: nothing expires.
type Question struct {
	URL   string // as captured: for location= (R-DEC-9)
	Path  string // path and query, normalised by policy.NormalizePath
	Usage policy.Usage
	At    time.Time
}

// A Verdict is a statement and the rule that made it decide or removed it.
type Verdict struct {
	Statement *policy.Statement
	Rule      policy.Rule
}

// A Decision is the answer to a Question for one agent and purpose.
type Decision struct {
	Decision        policy.Decision
	IfCrawled       policy.Decision // what R-DEC-11 hid; else the same
	WithoutElements policy.Decision // for a crawler that cannot act on elements (R-DEC-14); else the same
	Basis           policy.Basis
	By              []policy.Rule // that removed a candidate or set the decision, in order; never empty
	Qualifiers      []policy.Qualifier
	Deciding        []Verdict
	Lost            []Verdict
	Elements        []*policy.Statement // class tokens of the page that touch the usage
}

// A Site is a site's policy, ready to be asked. It keeps pointers into the File it was made from, which must not change.
type Site struct {
	file   *policy.File
	answer Answer
	opts   Options
}

// NewSite prepares a policy. file may be nil where there is no robots.txt to read.
func NewSite(file *policy.File, answer Answer, opts Options) *Site {
	if file == nil {
		file = &policy.File{}
	}
	return &Site{file: file, answer: answer, opts: opts}
}

// File returns the policy that the site was made of.
func (s *Site) File() *policy.File { return s.file }

// For returns the site's policy as one agent sees it that crawls for one purpose; "" is no purpose.
func (s *Site) For(agent policy.Agent, purpose string) *View {
	v := &View{site: s, agent: agent, purpose: purpose}
	for i := range s.file.Statements {
		st := &s.file.Statements[i]
		if !st.Status.Decides() {
			continue
		}
		switch st.Vocabulary {
		case policy.ACAP:
			v.addACAP(st, false)
		case policy.REP:
			v.rep = append(v.rep, st)
		}
	}
	for i := range s.file.References {
		ref := &s.file.References[i]
		if !ref.Addresses(agent) || v.without(policy.RuleReference) {
			continue
		}
		if !ref.Found {
			v.unresolved = append(v.unresolved, ref)
			continue
		}
		for j := range ref.Resolved {
			if st := &ref.Resolved[j]; st.Status.Decides() && st.Vocabulary == policy.ACAP {
				v.addACAP(st, ref.Named(agent))
			}
		}
	}
	for _, a := range s.file.NamedGroups {
		if a != policy.AnyAgent && a.Is(agent) {
			v.repNamed = true
		}
	}
	return v
}

// A View is a site's policy as one agent sees it.
type View struct {
	site       *Site
	agent      policy.Agent
	purpose    string
	acap       []candidate         // of the file, for this agent and purpose, whatever the usage and path
	rep        []*policy.Statement // of the file, for every agent
	repNamed   bool                // a conventional group names the agent
	unresolved []*policy.Reference
}

// candidate is an ACAP statement that speaks to the agent and purpose.
type candidate struct {
	st       *policy.Statement
	named    bool           // said to the agent by name: by the statement, or by a record that refers to it (R-REF-1)
	itself   bool           // by the statement
	specific bool           // names a fitting purpose (R-DEC-3)
	scope    policy.Pattern // the paths it holds, at the path asked; unset for a page's own statement
}

// without tells whether the reading leaves a rule out.
func (v *View) without(r policy.Rule) bool { return v.site.opts.Without.Has(r) }

// addACAP adds a statement if it is said to the agent. referred tells that a record which names the agent refers to it.
func (v *View) addACAP(st *policy.Statement, referred bool) {
	itself := st.Names(v.agent)
	if !itself && !st.AddressesAny() {
		return
	}
	if fits, general := st.FitsPurpose(v.purpose, v.site.opts.Without); fits {
		v.acap = append(v.acap, candidate{st: st, named: itself || referred, itself: itself, specific: !general})
	}
}

// address orders candidates by whom they are said to (R-DEC-4): any crawler, then any crawler in a file that a record naming the
// agent refers to, then the agent. Within a file that is referred to, its own record for the agent beats its record for any.
func (c candidate) address() int {
	switch {
	case c.itself:
		return 2
	case c.named:
		return 1
	}
	return 0
}

// Decide answers the question. page may be nil: nothing is known of the page itself.
func (v *View) Decide(page *policy.Page, q Question) Decision {
	own := v.decideAsIfCrawled(page, q)
	d := Decision{
		Decision: own.decision, IfCrawled: own.decision, Basis: own.basis, By: own.rules,
		Qualifiers: own.qualifiers, Deciding: own.deciding, Lost: own.lost,
	}
	if q.Usage != policy.Crawl && !v.without(policy.RuleCrawl) {
		crawlQuestion := q
		crawlQuestion.Usage = policy.Crawl
		if crawl := v.decideAsIfCrawled(page, crawlQuestion); crawl.prohibitsAll() {
			d.Decision, d.Basis, d.Qualifiers = policy.Disallowed, policy.BasisCrawlProhibited, nil
			d.By = append(slices.Clone(crawl.rules), policy.RuleCrawl)
			d.Deciding = crawl.deciding
			d.Lost = slices.Clone(crawl.lost)
			for _, hidden := range own.statements() {
				d.Lost = append(d.Lost, Verdict{hidden, policy.RuleCrawl})
			}
		}
	}
	d.WithoutElements = d.Decision
	if d.Elements = elements(page, q.Usage); len(d.Elements) > 0 && !v.without(policy.RuleElements) {
		d.WithoutElements = policy.Disallowed
	}
	return d
}

// elements are the class tokens that a crawler which cannot act on elements would have to take for the page: S0 2.2.6, R-DEC-14.
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

// decideAsIfCrawled decides one usage by its own statements, before crawl is looked at.
func (v *View) decideAsIfCrawled(page *policy.Page, q Question) Part {
	if q.Usage == policy.Crawl && q.Path == robotsPath && !v.without(policy.RulePattern) {
		return v.robotsItself(q)
	}
	pageACAP, pageREP := v.PageACAP(page, q), v.PageREP(page, q)
	if pageACAP.Speaks() {
		// R-DEC-1: what the page says leaves all of robots.txt aside; R-DEC-2: and its own conventional statements.
		result := pageACAP
		switch {
		case v.without(policy.RuleACAPFirst):
			result = combine(result, pageREP)
		case v.site.opts.Profile == ProfilePilot:
			result = combine(result, v.pageREPOutside(page, q))
		default:
			result.setAside(policy.RuleACAPFirst, pageREP.statements())
		}
		if v.without(policy.RuleEmbedded) {
			return combine(result, v.file(q))
		}
		file := v.RobotsACAP(q)
		result.setAside(policy.RuleEmbedded, append(file.statements(), v.RobotsREP(q).statements()...))
		return result
	}
	file := v.file(q)
	switch {
	case file.Speaks() && pageREP.Speaks():
		return combine(file, pageREP)
	case file.Speaks():
		return file
	case pageREP.Speaks():
		pageREP.absorb(file)
		return pageREP
	}
	silent := v.silent()
	// What took candidates away before silence was reached is part of the trace.
	silent.absorb(pageREP)
	silent.absorb(file)
	return silent
}

// silent decides where there is no candidate: R-DEC-12, and R-REP-3 where it is not known what the robots.txt says.
func (v *View) silent() Part {
	answer := v.site.answer
	if v.without(policy.RuleREPAnswer) {
		answer = Answered
	}
	switch answer {
	case NotCaptured:
		return Part{decision: policy.Allowed, basis: policy.BasisNotCaptured, rules: []policy.Rule{policy.RuleREPAnswer}}
	case Unreachable:
		return Part{decision: policy.Disallowed, basis: policy.BasisUnreachable, rules: []policy.Rule{policy.RuleREPAnswer}}
	}
	silent := Part{decision: policy.Allowed, basis: policy.BasisSilence, rules: []policy.Rule{policy.RuleSilence}}
	if v.without(policy.RuleSilence) {
		silent.decision = policy.Disallowed
	}
	return silent
}

const robotsPath = "/robots.txt"

// robotsItself: /robots.txt can always be crawled (R-PAT-1).
func (v *View) robotsItself(q Question) Part {
	p := Part{decision: policy.Allowed, basis: policy.BasisSilence, rules: []policy.Rule{policy.RulePattern}}
	for _, st := range append(v.RobotsACAP(q).statements(), v.RobotsREP(q).statements()...) {
		p.lost = append(p.lost, Verdict{st, policy.RulePattern})
	}
	return p
}

// file decides by the robots.txt alone.
func (v *View) file(q Question) Part {
	acap, rep := v.RobotsACAP(q), v.RobotsREP(q)
	if v.site.file.IgnoreConventional {
		acap.setAside(policy.RuleIgnoreREP, rep.statements())
		return acap
	}
	switch {
	case !acap.Speaks():
		rep.absorb(acap)
		return rep
	case !rep.Speaks() && len(rep.lost) == 0:
		return acap
	case v.without(policy.RuleACAPFirst):
		return combine(acap, rep)
	case v.site.opts.Profile == ProfilePilot:
		return combine(acap, v.robotsREPOutside(q))
	}
	acap.setAside(policy.RuleACAPFirst, rep.statements())
	return acap
}
