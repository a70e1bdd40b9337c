package decide

import (
	"encoding/binary"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
)

// A View is a site's policy as it applies to one agent. Pages that it is asked about must not change.
type View struct {
	site    *Site
	agent   policy.Agent
	purpose string
	groupMatch
	budget *cost.Budget // counts the cost of questions; nil: nothing does
	cached *agentEntry  // nil where decisions are not cached

	last  atomic.Pointer[agentStatements] // many questions follow about one path,
	crawl atomic.Pointer[crawlDecision]   // and each of them asks whether it may be crawled

	once sync.Once
	all  []Candidate // whatever the usage and path
}

// For returns the site's policy for one agent that crawls for one purpose; "" is no purpose. It costs little:
// statements are compared when a question is asked.
func (s *Site) For(agent policy.Agent, purpose string) *View {
	v := &View{site: s, agent: agent, purpose: purpose}
	if s.only.isCached() {
		s.only.attach(v)
		return v
	}
	v.groupMatch = s.groupMatch(agent)
	return v
}

// A groupMatch is how the groups and references of a file match an agent.
type groupMatch struct {
	repNamed   bool       // a conventional group names the agent
	references []audience // by reference; nil where there are none
	unresolved []*policy.Reference

	unresolvedNamed bool // the record of one of them names the agent
	cost            int  // of comparing the names of references
}

func (s *Site) groupMatch(agent policy.Agent) groupMatch {
	g := groupMatch{repNamed: s.index().NamedGroups[agent.Key()]}
	if len(s.file.References) == 0 || s.opts.Without.Has(policy.RuleReference) {
		return g
	}
	g.references = make([]audience, len(s.file.References))
	m := matcher{view: &View{site: s, agent: agent}}
	for i := range s.file.References {
		ref := &s.file.References[i]
		g.references[i] = m.audience(ref.Agents)
		if !ref.Found && g.references[i].includes() {
			g.unresolved = append(g.unresolved, ref)
			g.unresolvedNamed = g.unresolvedNamed || g.references[i].named
		}
	}
	g.cost = m.cost
	return g
}

// agentStatements are the statements of the robots.txt that apply to an agent and purpose at one path, in order.
type agentStatements struct {
	path   string
	acap   []Candidate
	groups [][]grouped // those of conventional groups, by vocabulary in order of their first statement

	cost int    // of finding them
	key  []byte // where decisions are cached: which statements these are, and how they are addressed
}

// A crawlDecision is the decision about crawl for a question about another usage.
type crawlDecision struct {
	page     *policy.Page
	question Question
	decision Partial
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

// grouped is a statement of a conventional group that is addressed to the agent.
type grouped struct {
	Statement *policy.Statement
	Scope     *policy.Pattern
	inForce   bool // its group counts for the agent (R-REP-1)
}

// bits are how a statement is addressed, as a number below 16 that differs between the vocabularies.
func (c Candidate) bits() uint64 { return bit(c.Named) | bit(c.itself)<<1 | bit(c.Specific)<<2 }

func (c grouped) bits() uint64 { return 8 | bit(c.inForce) }

func bit(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// address orders candidates for R-DEC-4: any crawler, then any crawler in a file that a record naming the agent refers
// to, then the agent itself. Within such a file its own record for the agent beats its record for any.
func (c Candidate) address() int {
	switch {
	case c.itself:
		return 2
	case c.Named:
		return 1
	}
	return 0
}

// An audience tells how a list of names addresses an agent.
type audience struct{ named, any bool }

func (a audience) includes() bool { return a.named || a.any }

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

// A matcher tells which statements are addressed to an agent and purpose. It keeps its last results.
type matcher struct {
	view                     *View
	agents                   []policy.Agent
	to                       audience
	purposes                 []policy.Purpose
	fits, general            bool
	haveAgents, havePurposes bool
	cost                     int // names and purposes that were compared
}

func (m *matcher) audience(agents []policy.Agent) audience {
	if !m.haveAgents || policy.IDOf(agents) != policy.IDOf(m.agents) {
		m.agents, m.to, m.haveAgents = agents, audienceOf(agents, m.view.agent), true
		m.cost += len(agents)
	}
	return m.to
}

// candidate returns an ACAP statement as a candidate, if it is one. referred: a record that names the agent refers to
// it.
func (m *matcher) candidate(st *policy.Statement, scope *policy.Pattern, referred bool) (c Candidate, ok bool) {
	to := m.audience(st.Agents)
	if !m.havePurposes || policy.IDOf(st.Purposes) != policy.IDOf(m.purposes) {
		m.purposes = st.Purposes
		m.fits, m.general = st.FitsPurpose(m.view.purpose, m.view.site.opts.Without)
		m.cost += len(st.Purposes)
	}
	m.havePurposes = true
	c = Candidate{Statement: st, Scope: scope, Named: to.named || referred, itself: to.named, Specific: !m.general}
	return c, to.includes() && m.fits
}

// entry is candidate for a statement of the index.
func (m *matcher) entry(e *match.Entry, scope *policy.Pattern) (c Candidate, ok bool) {
	if e.Reference < 0 {
		return m.candidate(e.Statement, scope, false)
	}
	references := m.view.references
	if references == nil || !references[e.Reference].includes() || !m.view.site.file.References[e.Reference].Found {
		return Candidate{}, false
	}
	return m.candidate(e.Statement, scope, references[e.Reference].named)
}

// at returns the statements of the robots.txt that apply at a path.
func (v *View) at(path string) *agentStatements {
	if last := v.last.Load(); last != nil && (last.path == path || v.site.only != nil) {
		return last
	}
	found := &agentStatements{path: path}
	acap, groups := matcher{view: v}, matcher{view: v}
	entries := v.site.index().Entries
	matching := v.site.matching(path)
	keyed, before := v.site.only.isCached(), 0
	add := func(i int, bits uint64) {
		if keyed {
			found.key = binary.AppendUvarint(found.key, uint64(i-before)<<4|bits)
			before = i
		}
	}
	for i, h := range matching.hits {
		switch e := &entries[h.Entry]; e.Vocabulary {
		case policy.ACAP:
			if c, ok := acap.entry(e, h.Scope); ok {
				c.vague = h.Vague
				found.acap = append(found.acap, c)
				add(i, c.bits())
			}
		default:
			if to := groups.audience(e.Agents); to.includes() {
				c := grouped{e.Statement, h.Scope, v.counts(to)}
				found.addGrouped(c)
				add(i, c.bits())
			}
		}
	}
	found.cost = matching.cost + acap.cost + groups.cost
	v.budget.Spend(found.cost)
	v.last.Store(found)
	return found
}

// addGrouped adds a statement to those of its vocabulary.
func (s *agentStatements) addGrouped(c grouped) {
	for i, same := range s.groups {
		if same[0].Statement.Vocabulary == c.Statement.Vocabulary {
			s.groups[i] = append(same, c)
			return
		}
	}
	s.groups = append(s.groups, []grouped{c})
}

// of returns the statements of a vocabulary in conventional groups.
func (s *agentStatements) of(vocabulary policy.Vocabulary) []grouped {
	for _, same := range s.groups {
		if same[0].Statement.Vocabulary == vocabulary {
			return same
		}
	}
	return nil
}

// counts reports whether a conventional group with this audience counts for the agent: one that names it, or one for
// '*' if none does.
func (v *View) counts(to audience) bool {
	if v.repNamed {
		return to.named
	}
	return to.any
}

// acap returns the ACAP statements for this agent and purpose, whatever their usage and resource.
func (v *View) acap() []Candidate {
	v.once.Do(func() {
		m := matcher{view: v}
		defer func() { v.budget.Spend(len(v.all) + m.cost) }()
		for e := range v.site.entries() {
			v.budget.Spend(1)
			if e.Vocabulary == policy.ACAP {
				if c, ok := m.entry(e, nil); ok {
					v.all = append(v.all, c)
				}
			}
		}
	})
	return v.all
}

// grouped returns the statements of conventional groups of the site, for every agent.
func (v *View) grouped() []*policy.Statement {
	if v.site.only == nil {
		return v.site.index().Grouped
	}
	var list []*policy.Statement
	for e := range v.site.entries() {
		if e.Vocabulary != policy.ACAP {
			list = append(list, e.Statement)
		}
	}
	return list
}

// entries visits the statements that decide at any path of the site's policy.
func (s *Site) entries() iter.Seq[*match.Entry] {
	entries := s.index().Entries
	return func(yield func(*match.Entry) bool) {
		if s.only == nil {
			for i := range entries {
				if !yield(&entries[i]) {
					return
				}
			}
			return
		}
		for _, h := range s.only.matching.hits {
			if !yield(&entries[h.Entry]) {
				return
			}
		}
	}
}

// without reports whether the interpretation leaves a rule out.
func (v *View) without(r policy.Rule) bool { return v.site.opts.Without.Has(r) }

// Within counts the cost of questions in a budget. It must be called before the first question.
func (v *View) Within(b *cost.Budget) *View {
	v.budget = b
	b.Spend(v.cost)
	return v
}
