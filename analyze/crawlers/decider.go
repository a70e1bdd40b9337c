package crawlers

import (
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// An agentEntry is an agent, and where the robots.txt names it.
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

// A Site is what a Decider asks of the site, and how its rows quote statements.
type Site interface {
	// Policy returns the whole robots.txt.
	Policy() *decide.Site
	// Cite fills the columns of the statement that decides.
	Cite(row *table.Agent, st *policy.Statement)
}

// A Request is about one robots.txt.
type Request struct {
	Site         Site
	URL          string // of the root path
	At           time.Time
	File         *policyfiles.File // nil: none
	Agents       []policy.Agent    // any agent first, then in order
	GroupsDecide bool              // groups alone decide
	Options      decide.Options
	States       int // when paths are explored; 0: the default of package paths
	Budget       *cost.Budget
}

// A Decider decides crawl for the agents of one robots.txt, and makes their rows of table agents. Most robots.txt name
// few agents and have no ACAP: rules of groups decide those without an index, once for all agents with the same groups.
// With an index for each file, all of stage 2 takes half as much again.
type Decider struct {
	Request
	*Memory
	file  *policy.File
	named []agentEntry // any agent first

	whole               *decide.Site // where groups do not decide alone, like those that follow
	repAlone, acapAlone *decide.Site
	classes             *audience.Classes
}

// NewDecider finds where the file names the agents. The Decider is good until the next one with this memory.
func NewDecider(r Request, memory *Memory) *Decider {
	d := &Decider{Request: r, Memory: memory, file: &policy.File{}}
	d.groups, d.rows = d.groups[:0], d.rows[:0]
	if r.File != nil {
		d.file = r.File.File
	}
	d.named = d.findNames()
	d.prepare()
	return d
}

// A Memory is memory that Deciders use in turn.
type Memory struct {
	entries []agentEntry
	rules   Rules
	single  []int
	groups  []Rules    // conventional groups with rules that decide
	rows    []agentRow // that other agents may share
}

// An agentRow is the row of all agents with the same groups (where they decide), or that the file cannot distinguish.
type agentRow struct {
	groups []int
	alike  string
	row    table.Agent

	rules Rules
	over  policy.Extent // of crawl, where groups decide and examples tell
}

// AppendRow appends the row of an agent, by its number in the request, without the columns of the site.
func (d *Decider) AppendRow(rows []table.Agent, agent int) []table.Agent {
	e, any := &d.named[agent], &d.named[0]
	rows = append(rows, d.rowOf(e).row)
	row := &rows[len(rows)-1]
	row.Agent, row.NamedIn = string(e.agent), vocabulariesNamed[e.namedIn]
	if e.namedIn != 0 {
		row.AgentRaw = table.Of(e.raw)
	}
	if e.namedIn&inREP != 0 {
		row.GroupLine = table.Of(e.line)
	} else if any.namedIn&inREP != 0 {
		row.GroupLine = table.Of(any.line)
	}
	return rows
}

// IsAbout reports whether these are the agents of the request.
func (d *Decider) IsAbout(agents []policy.Agent) bool { return slices.Equal(agents, d.Agents) }

// Statements returns those of the robots.txt.
func (d *Decider) Statements() []policy.Statement { return d.file.Statements }

// GroupsOf returns which groups with rules count for an agent, by its number in the request. hidden: rules for any
// agent match the root, and do not count.
func (d *Decider) GroupsOf(agent int) (groups []int, hidden bool) {
	e, any := &d.named[agent], &d.named[0]
	if e.namedIn&inREP == 0 || e == any {
		return any.groups, false
	}
	for _, i := range any.groups {
		if !hidden && !slices.Contains(e.groups, i) {
			hidden = d.groups[i].Matches("/")
		}
	}
	return e.groups, hidden
}

// RulesOf returns the rules that count for an agent where groups alone decide, by its number in the request, and the
// extent of crawl; unknown where examples do not tell.
func (d *Decider) RulesOf(agent int) (Rules, policy.Extent) {
	decided := d.rowOf(&d.named[agent])
	return decided.rules, decided.over
}

// findNames finds where the file names agents. The first is any agent; the others are in order.
func (d *Decider) findNames() []agentEntry {
	list := d.entries[:0]
	for _, a := range d.Agents {
		list = append(list, agentEntry{agent: a})
	}
	d.entries = list
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
	d.Budget.Spend(len(d.file.NamedGroups) + len(d.file.NamedRecords) + len(d.file.Statements))
	for _, a := range d.file.NamedRecords {
		name(a, inACAP)
	}
	if d.File != nil {
		d.Budget.Spend(len(d.File.ReferredAgents))
		for _, a := range d.File.ReferredAgents {
			name(a, inACAP)
		}
	}
	rules := slices.Grow(d.Memory.rules[:0], len(d.file.Statements))
	single := slices.Grow(d.Memory.single[:0], len(list)) // most agents have one group
	d.Memory.rules, d.Memory.single = rules, single
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
		d.Budget.Spend(len(last))
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
func (d *Decider) prepare() {
	if d.GroupsDecide {
		return
	}
	d.whole = d.Site.Policy()
	d.classes = audience.NewClasses(d.file)
	d.Budget.Spend(2 * d.whole.Weight())
	only := func(vocabulary policy.Vocabulary, alone policy.File) *decide.Site {
		alone.Statements = nil
		for i := range d.file.Statements {
			if st := d.file.Statements[i]; st.Vocabulary == vocabulary {
				alone.Statements = append(alone.Statements, st)
			}
		}
		return decide.NewSite(&alone, decide.Answered, d.Options)
	}
	if d.file.Groups > 0 {
		d.repAlone = only(policy.REP, policy.File{NamedGroups: d.file.NamedGroups})
	}
	if d.File != nil && d.File.HasACAPRule {
		acap := *d.file
		acap.NamedGroups = nil
		d.acapAlone = only(policy.ACAP, acap)
	}
}

// rowOf returns the row of an agent without its name, where it is named, and the columns of the site. It is good until
// the next call.
func (d *Decider) rowOf(e *agentEntry) *agentRow {
	groups, alike := e.groups, ""
	if e.namedIn&inREP == 0 {
		groups = d.named[0].groups
	}
	if !d.GroupsDecide {
		alike = d.classes.Of(e.agent)
	}
	d.Budget.Spend(len(d.rows))
	for i := range d.rows {
		if known := &d.rows[i]; known.alike == alike && slices.Equal(known.groups, groups) {
			return known
		}
	}
	var rules Rules
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
	if d.GroupsDecide {
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
func (d *Decider) decideByRules(made *agentRow, agent policy.Agent) {
	row, rules := &made.row, made.rules
	decision, basis := terms.DecisionAllowed, terms.BasisSilence
	root := rules.At("/", d.Budget)
	if root != nil {
		basis = terms.BasisREPRobots
		if root.Sense == policy.Disallow {
			decision = terms.DecisionDisallowed
		}
		d.Site.Cite(row, root)
	}
	over := extent.ByExamples(rules, func(path string) bool {
		st := root
		if path == "/" {
			d.Budget.Spend(len(rules))
		} else {
			st = rules.At(path, d.Budget)
		}
		return st == nil || st.Sense == policy.Allow
	})
	if made.over = over; over == policy.ExtentUnknown {
		view := d.Site.Policy().For(agent, "")
		over = d.extent(view.Within(d.Budget))
	}
	row.RootDecision, row.Basis, row.CrawlExtent = table.WordOf(decision), table.WordOf(basis), table.WordOf(over)
	if d.file.Groups > 0 {
		row.REPRootDecision, row.REPCrawlExtent = table.Of(row.RootDecision), table.Of(row.CrawlExtent)
	}
}

// decide decides by the whole robots.txt, and by each vocabulary alone.
func (d *Decider) decide(row *table.Agent, agent policy.Agent) {
	question := decide.Question{URL: d.URL, Path: "/", Usage: policy.Crawl, At: d.At}
	view := d.whole.For(agent, "").Within(d.Budget)
	decided := view.Decide(nil, question)
	row.RootDecision, row.Basis = table.WordOf(decided.Decision), table.WordOf(decided.Basis)
	row.CrawlExtent = table.WordOf(d.extent(view))
	if len(decided.Deciding) > 0 {
		d.Site.Cite(row, decided.Deciding[0].Statement)
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
		view := site.For(agent, "").Within(d.Budget)
		return table.Of(table.WordOf(view.Decide(nil, question).Decision)), table.Of(table.WordOf(d.extent(view)))
	}
	row.REPRootDecision, row.REPCrawlExtent = alone(d.repAlone)
	row.ACAPRootDecision, row.ACAPCrawlExtent = alone(d.acapAlone)
}

// extent explores all paths.
func (d *Decider) extent(view *decide.View) policy.Extent {
	return extent.NewPathClasses(view, d.States).Extent(policy.Crawl, d.At)
}
