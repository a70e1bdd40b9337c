package survey

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/crawlers"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// An agentEntry is an agent with a row in table agents, and where the robots.txt names it.
type agentEntry struct {
	agent   policy.Agent
	raw     string
	line    int32 // the first user-agent line that names it
	namedIn int   // inREP, inACAP
	groups  []int // conventional groups with rules that name it
}

const inREP, inACAP = 1, 2

// vocabulariesNamed is the column named_in, by agentEntry.namedIn.
var vocabulariesNamed = [...][]string{
	inREP:          {policy.REP.String()},
	inACAP:         {policy.ACAP.String()},
	inREP | inACAP: {policy.REP.String(), policy.ACAP.String()},
}

// An agentTable is the rows of a robots.txt in table agents, without the columns of the site.
type agentTable struct {
	rows  []table.Agent
	cut   bool // rows are missing
	steps int64
}

// agentRows makes the rows of table agents, if the site has a robots.txt.
func (s *site) agentRows(out *output) {
	if outcome := s.robots.Outcome(); outcome != terms.OutcomeRules && outcome != terms.OutcomeNoRules {
		return
	}
	t := s.sharedAgents(&out.agents)
	if t == nil {
		clear(out.agents.table)
		t = &agentTable{rows: out.agents.table[:0]}
		s.groups = s.decideAgents(s.robots.File(), t, &out.agents)
		out.agents.table = t.rows
	}
	host := s.hostColumns()
	for i := range t.rows {
		row := out.rows.Agents.Next(Partition{Crawl: s.crawl})
		*row = t.rows[i]
		row.Site, row.Host, row.Complete = s.name, host, !t.cut
	}
	out.n += len(t.rows)
	s.work.all.Spend(int(t.steps))
}

// sharedAgents returns the rows of the robots.txt in force, if its groups alone decide: then they depend on its text
// alone, and all sites with the text share them. Else it returns nil.
func (s *site) sharedAgents(memory *agentMemory) *agentTable {
	f := s.robots.File()
	if f == nil || !f.IsShared || !s.groupsDecide(f) || s.asksOfEverySite() {
		return nil
	}
	return f.Shared(func() (any, bool) {
		shared := &agentTable{}
		s.decideAgents(f, shared, memory)
		return shared, !s.work.stopped()
	}).(*agentTable)
}

// asksOfEverySite reports whether permissions have rows about every site: they are made of what table agents found.
func (s *site) asksOfEverySite() bool {
	return s.opts.Permissions == PermissionsAll || s.opts.Permissions == PermissionsAllSites
}

// groupsDecide reports whether the conventional groups of a file, which may be nil, alone decide crawl.
func (s *site) groupsDecide(f *policyfiles.File) bool {
	return (f == nil || !f.HasACAPRule && !f.IgnoreConventional) && s.opts.Decide.Without == (policy.RuleSet{})
}

// decideAgents adds the rows of a file, which may be nil. It returns what it found of groups that alone decide. Most
// robots.txt name few agents and have no ACAP: rules of groups decide those without an index, once for all agents with
// the same groups. With an index for each file, all of stage 2 takes half as much again.
func (s *site) decideAgents(f *policyfiles.File, t *agentTable, memory *agentMemory) *groupRules {
	named := f.Named()
	named.Purposes = nil
	asked := audience.Of(named, audience.MaxAgents).With(s.opts.Agents)
	d := &agentDecider{
		site: s, budget: s.budgetFor(forAgents), file: &policy.File{}, plain: s.groupsDecide(f),
		groups: memory.groups[:0], rows: memory.rows[:0],
	}
	if f != nil {
		d.file, d.acap = f.File, f.HasACAPRule
	}
	entries := d.entries(asked.Agents, f, memory)
	d.prepare()
	defer func() { memory.groups, memory.rows = d.groups, d.rows }()

	t.cut = asked.Cut
	t.rows = slices.Grow(t.rows, len(entries))
	for i := range entries {
		e := &entries[i]
		if d.budget.Over() && !s.always(e.agent, "") {
			t.cut = true
			continue
		}
		d.budget.Spend(cost.Row)
		t.rows = append(t.rows, d.rowOf(e, &entries[0]).row)
		row := &t.rows[len(t.rows)-1]
		row.Agent, row.NamedIn = string(e.agent), vocabulariesNamed[e.namedIn]
		if e.namedIn != 0 {
			row.AgentRaw = table.Of(e.raw)
		}
		if e.namedIn&inREP != 0 {
			row.GroupLine = table.Of(e.line)
		} else if entries[0].namedIn&inREP != 0 {
			row.GroupLine = table.Of(entries[0].line)
		}
	}
	t.steps = d.budget.Spent()
	if !d.plain {
		return nil
	}
	return &groupRules{d, entries}
}

// An agentMemory is memory that the sites use in turn: each until its rows are made.
type agentMemory struct {
	table   []table.Agent
	entries []agentEntry
	rules   crawlers.Rules
	single  []int
	groups  []crawlers.Rules
	rows    []agentRow
}

// An agentDecider decides crawl for the agents of one robots.txt.
type agentDecider struct {
	site   *site
	budget *cost.Budget
	file   *policy.File
	acap   bool // an ACAP rule decides, or there is a reference
	plain  bool // groups alone decide

	groups []crawlers.Rules // conventional groups with rules that decide
	rows   []agentRow       // that other agents may share

	at                  time.Time
	whole               *decide.Site // not plain, like those that follow
	repAlone, acapAlone *decide.Site
	classes             *audience.Classes
}

// An agentRow is the row of all agents with the same groups (plain), or that the file cannot distinguish.
type agentRow struct {
	groups []int
	alike  string
	row    table.Agent

	rules crawlers.Rules
	over  policy.Extent // of crawl, if examples tell (plain)
}

// entries finds where the file names agents. The first is any agent; the others are in order.
func (d *agentDecider) entries(agents []policy.Agent, f *policyfiles.File, memory *agentMemory) []agentEntry {
	list := memory.entries[:0]
	for _, a := range agents {
		list = append(list, agentEntry{agent: a})
	}
	memory.entries = list
	find := func(a policy.Agent) *agentEntry {
		if a == policy.AnyAgent {
			return &list[0]
		}
		at, found := slices.BinarySearchFunc(list[1:], a, func(e agentEntry, a policy.Agent) int {
			return -a.CompareKey(e.agent)
		})
		if !found {
			return nil
		}
		return &list[1+at]
	}
	name := func(a policy.Agent, vocabulary int) *agentEntry {
		e := find(a)
		if e != nil && e.namedIn == 0 {
			e.raw = string(a)
		}
		if e != nil {
			e.namedIn |= vocabulary
		}
		return e
	}
	for i, a := range d.file.NamedGroups {
		if e := name(a, inREP); e != nil {
			e.line = int32(d.file.NamedGroupLines[i])
		}
	}
	d.budget.Spend(len(d.file.NamedGroups) + len(d.file.NamedRecords) + len(d.file.Statements))
	for _, a := range d.file.NamedRecords {
		name(a, inACAP)
	}
	if f != nil {
		d.budget.Spend(len(f.ReferredAgents))
		for _, a := range f.ReferredAgents {
			name(a, inACAP)
		}
	}
	rules := slices.Grow(memory.rules[:0], len(d.file.Statements))
	single := slices.Grow(memory.single[:0], len(list)) // most agents have one group
	memory.rules, memory.single = rules, single
	var last []policy.Agent
	for i := range d.file.Statements {
		st := &d.file.Statements[i]
		if st.Vocabulary != policy.REP || st.Usage != policy.Crawl || !st.Status.Decides() || len(st.Agents) == 0 {
			continue
		}
		rules = append(rules, st)
		if n := len(d.groups); n > 0 && policy.IDOf(last) == policy.IDOf(st.Agents) {
			group := d.groups[n-1]
			d.groups[n-1] = rules[len(rules)-len(group)-1:]
			continue
		}
		last = st.Agents
		d.groups = append(d.groups, rules[len(rules)-1:])
		d.budget.Spend(len(last))
		group := len(d.groups) - 1
		for _, a := range last {
			e := find(a)
			switch {
			case e == nil:
			case len(e.groups) == 0:
				single = append(single, group)
				e.groups = single[len(single)-1 : len(single) : len(single)]
			case e.groups[len(e.groups)-1] < group: // a list may name an agent twice
				e.groups = append(e.groups, group)
			}
		}
	}
	return list
}

// prepare makes what decides.
func (d *agentDecider) prepare() {
	s := d.site
	d.at = moment(s.robots.Main.Asked.FetchTime)
	if d.plain {
		return
	}
	d.whole = s.robots.PolicyOf(s.robots.Main)
	d.classes = audience.NewClasses(d.file)
	d.budget.Spend(2 * d.whole.Weight())
	only := func(vocabulary policy.Vocabulary, alone policy.File) *decide.Site {
		alone.Statements = nil
		for i := range d.file.Statements {
			if st := d.file.Statements[i]; st.Vocabulary == vocabulary {
				alone.Statements = append(alone.Statements, st)
			}
		}
		return decide.NewSite(&alone, decide.Answered, s.opts.Decide)
	}
	if d.file.Groups > 0 {
		d.repAlone = only(policy.REP, policy.File{NamedGroups: d.file.NamedGroups})
	}
	if d.acap {
		acap := *d.file
		acap.NamedGroups = nil
		d.acapAlone = only(policy.ACAP, acap)
	}
}

// rowOf returns the row of an agent without its name, where it is named, and the columns of the site. It is good until
// the next call.
func (d *agentDecider) rowOf(e, any *agentEntry) *agentRow {
	groups, alike := e.groups, ""
	if e.namedIn&inREP == 0 {
		groups = any.groups
	}
	if !d.plain {
		alike = d.classes.Of(e.agent)
	}
	d.budget.Spend(len(d.rows))
	for i := range d.rows {
		if known := &d.rows[i]; known.alike == alike && slices.Equal(known.groups, groups) {
			return known
		}
	}
	var rules crawlers.Rules
	for i, g := range groups {
		if i == 0 {
			rules = d.groups[g]
			continue
		}
		rules = slices.Concat(rules, d.groups[g])
	}
	d.rows = append(d.rows, agentRow{groups: groups, alike: alike, rules: rules})
	made := &d.rows[len(d.rows)-1]
	row := &made.row
	row.Rules = int64(len(rules))
	if d.plain {
		d.decideByRules(made, e.agent)
	} else {
		d.decide(row, e.agent)
	}
	if !row.CrawlExtent.Is(terms.ExtentUnknown) {
		row.FullyBlocked = table.Of(row.CrawlExtent.Is(terms.ExtentNone))
		row.FullyAllowed = table.Of(row.CrawlExtent.Is(terms.ExtentAll))
	}
	return made
}

// decideByRules decides by the rules of an agent's groups.
func (d *agentDecider) decideByRules(made *agentRow, agent policy.Agent) {
	row, rules := &made.row, made.rules
	decision, basis := terms.DecisionAllowed, terms.BasisSilence
	root := rules.At("/", d.budget)
	if root != nil {
		basis = terms.BasisREPRobots
		if root.Sense == policy.Disallow {
			decision = terms.DecisionDisallowed
		}
		d.deciding(row, root)
	}
	over := extent.ByExamples(rules, func(path string) bool {
		st := root
		if path == "/" {
			d.budget.Spend(len(rules))
		} else {
			st = rules.At(path, d.budget)
		}
		return st == nil || st.Sense == policy.Allow
	})
	if made.over = over; over == policy.ExtentUnknown {
		view := d.site.robots.PolicyOf(d.site.robots.Main).For(agent, "")
		over = d.extent(view.Within(d.budget))
	}
	row.RootDecision, row.Basis, row.CrawlExtent = table.WordOf(decision), table.WordOf(basis), table.WordOf(over)
	if d.file.Groups > 0 {
		row.REPRootDecision, row.REPCrawlExtent = table.Of(row.RootDecision), table.Of(row.CrawlExtent)
	}
}

// decide decides by the whole robots.txt, and by each vocabulary alone.
func (d *agentDecider) decide(row *table.Agent, agent policy.Agent) {
	question := decide.Question{URL: d.site.name + "/", Path: "/", Usage: policy.Crawl, At: d.at}
	view := d.whole.For(agent, "").Within(d.budget)
	decided := view.Decide(nil, question)
	row.RootDecision, row.Basis = table.WordOf(decided.Decision), table.WordOf(decided.Basis)
	row.CrawlExtent = table.WordOf(d.extent(view))
	if len(decided.Deciding) > 0 {
		d.deciding(row, decided.Deciding[0].Statement)
	}
	for _, c := range view.Candidates() {
		if c.Statement.Usage.Covers(policy.Crawl) {
			row.Rules++
		}
	}
	alone := func(site *decide.Site) (*table.Decision, *table.Extent) {
		if site == nil {
			return nil, nil
		}
		view := site.For(agent, "").Within(d.budget)
		return table.Of(table.WordOf(view.Decide(nil, question).Decision)), table.Of(table.WordOf(d.extent(view)))
	}
	row.REPRootDecision, row.REPCrawlExtent = alone(d.repAlone)
	row.ACAPRootDecision, row.ACAPCrawlExtent = alone(d.acapAlone)
}

// extent explores all paths.
func (d *agentDecider) extent(view *decide.View) policy.Extent {
	return extent.NewPathClasses(view, d.site.opts.Budget).Extent(policy.Crawl, d.at)
}

// deciding fills the columns of the statement that decides.
func (d *agentDecider) deciding(row *table.Agent, st *policy.Statement) {
	row.DecidingLine, _ = place(st)
	row.DecidingRaw = d.site.verbatim(st.Raw)
}
