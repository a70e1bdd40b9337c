// Package decide chooses among statements: the decision of docs/semantics.md, section 6, with its trace. It parses nothing and
// reads nothing; what it is given is a site's policy, a page's policy and a question, and what it gives back names every rule
// that took part and every statement that won or lost.
package decide

import (
	"encoding/binary"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Profile is a reading of the documents.
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
	NotRobots                 // a page in the place of a robots.txt (R-LEX-7)
	Unreachable               // 5xx, 429, no answer
)

// A Question is asked of one URL. The zero At is outside time: nothing expires.
type Question struct {
	URL   string // as captured: for location= (R-DEC-9)
	Path  string // path and query, normalised by policy.NormalizePath, or by policy.ReadPath under the rules of Options
	Usage policy.Usage
	At    time.Time
}

// A Verdict is a statement and the rule that made it decide or removed it.
type Verdict struct {
	Statement *policy.Statement
	Rule      policy.Rule
}

// A Decision is the answer to a Question for one agent and purpose. Its lists are shared with other decisions: they must not be changed. A
// Site that Places give decides in short: see Places.At for what its lists lack.
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

// A Site is a site's policy, ready to be asked. It keeps pointers into the File it was made from, which must not change. The first
// question costs a pass over the file; after it one costs about what the statements that hold its path cost. A Site and its Views may
// be asked by several goroutines at once, but for those that Places give.
type Site struct {
	file   *policy.File
	answer Answer
	opts   Options
	index  func() *match.Index    // made at its first use
	here   *locality              // the paths of which it speaks; nil: of all
	last   atomic.Pointer[heldAt] // many questions ask of one path after the other
}

// heldAt is the statements that hold a path.
type heldAt struct {
	path  string
	hits  []match.Hit
	looks int // that it took to find them
}

// NewSite prepares a policy. file may be nil where there is no robots.txt to read.
func NewSite(file *policy.File, answer Answer, opts Options) *Site {
	if file == nil {
		file = &policy.File{}
	}
	return &Site{file: file, answer: answer, opts: opts, index: sync.OnceValue(func() *match.Index { return match.New(file) })}
}

// held returns the statements that hold a path, in order.
func (s *Site) held(path string) *heldAt {
	if s.here != nil {
		return &s.here.held
	}
	if last := s.last.Load(); last != nil && last.path == path {
		return last
	}
	hits, looks := s.index().At(path, s.opts.Without)
	held := &heldAt{path, hits, looks}
	s.last.Store(held)
	return held
}

// File returns the policy that the site was made of.
func (s *Site) File() *policy.File { return s.file }

// For returns the site's policy as one agent sees it that crawls for one purpose; "" is no purpose. It costs little: the statements are
// looked at when a question is asked.
func (s *Site) For(agent policy.Agent, purpose string) *View {
	v := &View{site: s, agent: agent, purpose: purpose}
	if s.here != nil && s.here.kept != nil {
		s.here.hear(v)
		return v
	}
	v.standing = s.standing(agent)
	return v
}

// standing is what the file's lists of names come to for an agent, those of single statements aside.
type standing struct {
	repNamed   bool       // a conventional group names the agent
	references []audience // by reference; nil where there are none
	unresolved []*policy.Reference

	unresolvedNamed bool // one of them is of a record that names the agent
	looks           int  // at names, to tell whom references are meant for
}

func (s *Site) standing(agent policy.Agent) standing {
	at := standing{repNamed: s.index().NamedGroups[agent.Key()]}
	if len(s.file.References) == 0 || s.opts.Without.Has(policy.RuleReference) {
		return at
	}
	at.references = make([]audience, len(s.file.References))
	l := listener{view: &View{site: s, agent: agent}}
	for i := range s.file.References {
		ref := &s.file.References[i]
		at.references[i] = l.audience(ref.Agents)
		if !ref.Found && at.references[i].meant() {
			at.unresolved = append(at.unresolved, ref)
			at.unresolvedNamed = at.unresolvedNamed || at.references[i].named
		}
	}
	at.looks = l.looks
	return at
}

// A View is a site's policy as one agent sees it. Pages that it is asked about must not change.
type View struct {
	site    *Site
	agent   policy.Agent
	purpose string
	standing
	budget *cost.Budget // what questions take is counted there; nil: nowhere
	heard  *hearing     // what it is told at its place; nil where that is not remembered

	last  atomic.Pointer[spokenAt] // many questions ask of one path after the other,
	crawl atomic.Pointer[crawled]  // and all of them whether it may be crawled

	once sync.Once
	all  []Candidate // for this agent and purpose, whatever the usage and path
}

// spokenAt is what the robots.txt says to the agent and purpose of one path, in order.
type spokenAt struct {
	path  string
	acap  []Candidate
	rep   []conventional
	looks int    // that it took to find them
	key   []byte // at a place that is remembered: which of its statements these are, and how they are meant
}

// crawled is the decision about crawl.
type crawled struct {
	page     *policy.Page
	question Question
	part     Part
}

// A Candidate is an ACAP statement that is addressed to the agent and purpose.
type Candidate struct {
	Statement *policy.Statement
	Scope     *policy.Pattern // its scope at the path asked; nil for a page's own statement, or without a path
	Named     bool            // names the agent, or a record that refers to it does (R-REF-1)
	Specific  bool            // names a fitting purpose (R-DEC-3)

	itself bool // it names the agent itself
	vague  bool // its scope is not determined
}

// conventional is a conventional statement that is addressed to the agent.
type conventional struct {
	Statement *policy.Statement
	Scope     *policy.Pattern
	inForce   bool // its group counts for the agent (R-REP-1)
}

// bits are how a statement is meant, as a number below 16: not the same for both vocabularies.
func (c Candidate) bits() uint64 { return bit(c.Named) | bit(c.itself)<<1 | bit(c.Specific)<<2 }

func (c conventional) bits() uint64 { return 8 | bit(c.inForce) }

func bit(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// An audience tells whether a list of names has an agent.
type audience struct{ named, any bool }

func (a audience) meant() bool { return a.named || a.any }

func audienceOf(names []policy.Agent, agent policy.Agent) (a audience) {
	for _, name := range names {
		switch {
		case name == policy.AnyAgent:
			a.any = true
		case !a.named:
			a.named = name.Is(agent)
		}
	}
	return a
}

// sameList tells whether two lists are one: statements of a record share theirs, so that it need not be read for each.
func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// A listener tells which statements speak to an agent and purpose. It remembers its last answers.
type listener struct {
	view          *View
	agents        []policy.Agent
	to            audience
	purposes      []policy.Purpose
	fits, general bool
	heard, asked  bool // a list of names, and one of purposes
	looks         int  // at names and purposes
}

func (l *listener) audience(agents []policy.Agent) audience {
	if !l.heard || !sameList(agents, l.agents) {
		l.agents, l.to, l.heard = agents, audienceOf(agents, l.view.agent), true
		l.looks += len(agents)
	}
	return l.to
}

// hear returns an ACAP statement as a candidate, if it is one. Referred tells that a record which names the agent refers to it.
func (l *listener) hear(st *policy.Statement, scope *policy.Pattern, referred bool) (c Candidate, ok bool) {
	to := l.audience(st.Agents)
	if !l.asked || !sameList(st.Purposes, l.purposes) {
		l.purposes = st.Purposes
		l.fits, l.general = st.FitsPurpose(l.view.purpose, l.view.site.opts.Without)
		l.looks += len(st.Purposes)
	}
	l.asked = true
	return Candidate{Statement: st, Scope: scope, Named: to.named || referred, itself: to.named, Specific: !l.general}, to.meant() && l.fits
}

// hearEntry is hear of a statement of the index.
func (l *listener) hearEntry(e *match.Entry, scope *policy.Pattern) (c Candidate, ok bool) {
	if e.Reference < 0 {
		return l.hear(e.Statement, scope, false)
	}
	if l.view.references == nil || !l.view.references[e.Reference].meant() || !l.view.site.file.References[e.Reference].Found {
		return Candidate{}, false
	}
	return l.hear(e.Statement, scope, l.view.references[e.Reference].named)
}

// at returns what the robots.txt says of a path.
func (v *View) at(path string) *spokenAt {
	if last := v.last.Load(); last != nil && (last.path == path || v.site.here != nil) {
		return last
	}
	said := &spokenAt{path: path}
	acap, rep := listener{view: v}, listener{view: v}
	x := v.site.index()
	held := v.site.held(path)
	kept, noted := v.site.here != nil && v.site.here.kept != nil, 0
	note := func(i int, meant uint64) {
		if kept {
			said.key = binary.AppendUvarint(said.key, uint64(i-noted)<<4|meant)
			noted = i
		}
	}
	for i, h := range held.hits {
		switch e := &x.Entries[h.Entry]; e.Vocabulary {
		case policy.ACAP:
			if c, ok := acap.hearEntry(e, h.Scope); ok {
				c.vague = h.Vague
				said.acap = append(said.acap, c)
				note(i, c.bits())
			}
		case policy.REP:
			if to := rep.audience(e.Statement.Agents); to.meant() {
				c := conventional{e.Statement, h.Scope, v.counts(to)}
				said.rep = append(said.rep, c)
				note(i, c.bits())
			}
		}
	}
	said.looks = held.looks + acap.looks + rep.looks
	v.budget.Spend(said.looks)
	v.last.Store(said)
	return said
}

// counts tells whether a conventional group with this audience counts for the agent: one that names it, or one of '*' where none does.
func (v *View) counts(to audience) bool {
	if v.repNamed {
		return to.named
	}
	return to.any
}

// acap returns the ACAP statements for this agent and purpose, whatever their usage and resource.
func (v *View) acap() []Candidate {
	v.once.Do(func() {
		l := listener{view: v}
		defer func() { v.budget.Spend(len(v.all) + l.looks) }()
		for e := range v.site.entries() {
			v.budget.Spend(1)
			if e.Vocabulary == policy.ACAP {
				if c, ok := l.hearEntry(e, nil); ok {
					v.all = append(v.all, c)
				}
			}
		}
	})
	return v.all
}

// rep returns the conventional statements of the site, for every agent.
func (v *View) rep() []*policy.Statement {
	if v.site.here == nil {
		return v.site.index().REP
	}
	var list []*policy.Statement
	for e := range v.site.entries() {
		if e.Vocabulary == policy.REP {
			list = append(list, e.Statement)
		}
	}
	return list
}

// entries goes through the statements that decide anywhere where the site speaks.
func (s *Site) entries() iter.Seq[*match.Entry] {
	x := s.index()
	return func(yield func(*match.Entry) bool) {
		if s.here == nil {
			for i := range x.Entries {
				if !yield(&x.Entries[i]) {
					return
				}
			}
			return
		}
		for _, h := range s.here.held.hits {
			if !yield(&x.Entries[h.Entry]) {
				return
			}
		}
	}
}

// without tells whether the reading leaves a rule out.
func (v *View) without(r policy.Rule) bool { return v.site.opts.Without.Has(r) }

// address orders candidates by whom they are said to (R-DEC-4): any crawler, then any crawler in a file that a record naming the
// agent refers to, then the agent. Within a file that is referred to, its own record for the agent beats its record for any.
func (c Candidate) address() int {
	switch {
	case c.itself:
		return 2
	case c.Named:
		return 1
	}
	return 0
}

// Within has the view count what its questions take. It must be told before the first, by the one goroutine that asks.
func (v *View) Within(b *cost.Budget) *View {
	v.budget = b
	b.Spend(v.looks)
	return v
}

// Decide answers the question. page may be nil: nothing is known of the page itself.
func (v *View) Decide(page *policy.Page, q Question) Decision {
	own := v.decideAsIfCrawled(page, q)
	d := Decision{
		Decision: own.decision, IfCrawled: own.decision, Basis: own.basis, By: own.rules,
		Qualifiers: own.qualifiers, Deciding: own.deciding, Lost: own.lost,
	}
	if q.Usage != policy.Crawl && !v.without(policy.RuleCrawl) {
		if crawl := v.decideCrawl(page, q); crawl.prohibitsAll() {
			d.Decision, d.Basis, d.Qualifiers = policy.Disallowed, policy.BasisCrawlProhibited, nil
			d.By = append(slices.Clone(crawl.rules), policy.RuleCrawl)
			d.Deciding, d.Lost = slices.Clip(crawl.deciding), slices.Clip(crawl.lost)
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

// decideCrawl decides crawl at the URL of a question about another usage.
func (v *View) decideCrawl(page *policy.Page, q Question) *Part {
	q.Usage = policy.Crawl
	if last := v.crawl.Load(); last != nil && last.page == page && last.question == q {
		return &last.part
	}
	c := &crawled{page, q, v.decideAsIfCrawled(page, q)}
	v.crawl.Store(c)
	return &c.part
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

// stepsPerQuestion is what a question takes where nobody says anything.
const stepsPerQuestion = 8

// decideAsIfCrawled decides one usage by its own statements, before crawl is looked at.
func (v *View) decideAsIfCrawled(page *policy.Page, q Question) Part {
	v.budget.Spend(stepsPerQuestion)
	if q.Usage == policy.Crawl && q.Path == RobotsPath && !v.without(policy.RulePattern) {
		return v.robotsItself(q)
	}
	pageACAP, pageREP := v.PageACAP(page, q), v.PageREP(page, q)
	if pageACAP.Speaks() {
		// R-DEC-1: what the page says leaves all of robots.txt aside; R-DEC-2: and its own conventional statements,
		// but for those that a statement about other meets (R-DEC-13).
		result := pageACAP
		switch {
		case pageACAP.beside:
			result = combine(result, pageREP, policy.RuleOther)
		case v.without(policy.RuleACAPFirst):
			result = combine(result, pageREP, policy.RuleACAPFirst)
		case v.site.opts.Profile == ProfilePilot:
			result = combine(result, v.pageREPOutside(page, q), policy.RuleACAPFirst)
		default:
			result.setAside(policy.RuleACAPFirst, pageREP.statements())
		}
		file := v.RobotsACAPBeside(pageACAP, q)
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
	case NotRobots:
		return Part{decision: policy.Allowed, basis: policy.BasisNotRobots, rules: []policy.Rule{policy.RuleREPAnswer}}
	case Unreachable:
		return Part{decision: policy.Disallowed, basis: policy.BasisUnreachable, rules: []policy.Rule{policy.RuleREPAnswer}}
	}
	silent := Part{decision: policy.Allowed, basis: policy.BasisSilence, rules: []policy.Rule{policy.RuleSilence}}
	if v.without(policy.RuleSilence) {
		silent.decision = policy.Disallowed
	}
	return silent
}

// RobotsPath is the path that can always be crawled (R-PAT-1).
const RobotsPath = "/robots.txt"

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
	if v.heard != nil {
		return v.recall(q).file
	}
	acap, rep := v.robotsACAP(q), v.robotsREP(q, anything)
	return v.both(&acap, &rep, q)
}

// both decides by what the robots.txt says in ACAP and conventionally. It changes what it is given.
func (v *View) both(acap, rep *Part, q Question) Part {
	if v.site.file.IgnoreConventional {
		acap.setAside(policy.RuleIgnoreREP, rep.statements())
		return *acap
	}
	switch {
	case !acap.Speaks():
		rep.absorb(*acap)
		return *rep
	case !rep.Speaks() && len(rep.lost) == 0:
		return *acap
	case v.without(policy.RuleACAPFirst):
		return combine(*acap, *rep, policy.RuleACAPFirst)
	case v.site.opts.Profile == ProfilePilot:
		return combine(*acap, v.robotsREPOutside(q), policy.RuleACAPFirst)
	}
	acap.setAside(policy.RuleACAPFirst, rep.statements())
	return *acap
}
