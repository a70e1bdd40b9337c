package conflict

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/paths"
	"github.com/acapscan/acapscan/analyze/policy"
)

// DefaultWork bounds the work of one search, in comparisons of a statement or a state: some seconds at most. Prefixes
// are found at once, so a file that repeats thousands of conventional rules in ACAP is searched completely. Patterns
// with a '*' near their beginning are compared one by one for every path, so their work grows with the square of their
// number.
const DefaultWork = 1 << 26

// WorkPerStep is how much work of a search takes about as long as a step of package cost.
const WorkPerStep = 8

// workBetween is after how much work a search asks again whether all is to stop: a millisecond or two.
const workBetween = 1 << 18

// stepsPerStatement is the cost of matching a statement of a page with an agent and purpose.
const stepsPerStatement = 2

// workPerQuestion is the cost of a question about a path that no statement matches.
const workPerQuestion = 32

// An exact exploration costs hardly more than what it reads and finds, one that ends early all of its budget.
const (
	workPerState   = 16
	workPerAttempt = 64
)

// A finder collects conflicts within its bounds.
type finder struct {
	max     int
	work    int // what is left
	steps   *cost.Budget
	stopped func() bool // nil: never
	ask     int         // how much work is left when it is asked again
	found   []Conflict
	missing Missing
	seen    map[pair]bool
}

// A pair identifies a row among those of one search.
type pair struct {
	kind          Kind
	reading       Reading
	agent         policy.Agent
	usage         policy.Usage // of kind TwoReadings only
	first, second *policy.Statement
}

func newFinder(opts Options) *finder {
	f := &finder{max: opts.Max, work: opts.Work, steps: opts.Steps, stopped: opts.Stopped, seen: make(map[pair]bool)}
	if f.max <= 0 {
		f.max = DefaultMax
	}
	if f.work <= 0 {
		f.work = DefaultWork
	}
	f.work = min(f.work, WorkPerStep*min(f.steps.Left(), DefaultWork))
	f.ask = f.work
	return f
}

// add takes a conflict that was not reported before.
func (f *finder) add(c Conflict) {
	key := pair{kind: c.Kind, reading: c.Reading, agent: c.Agent.Key(), first: c.First, second: c.Second}
	if c.Kind == TwoReadings {
		key.usage = policy.Present
		if c.Usage.IsPresentation() && f.seen[key] {
			return
		}
		key.usage = c.Usage
	}
	switch {
	case f.seen[key]:
		return
	case len(f.found) >= f.max:
		f.missing.Ended = true
		return
	}
	f.seen[key] = true
	f.steps.Spend(cost.Row)
	f.found = append(f.found, c)
}

// full reports whether the search must end.
func (f *finder) full() bool {
	if f.stopped != nil && f.work <= f.ask {
		f.ask = f.work - workBetween
		f.missing.Ended = f.missing.Ended || f.stopped()
	}
	f.missing.Ended = f.missing.Ended || f.work < 0 || f.steps.Over()
	return f.missing.Ended
}

// asked pays for a number of questions about a path.
func (f *finder) asked(v *decide.View, path string, questions int) {
	f.work -= questions * (workPerQuestion + v.Cost(path)) * (1 + len(path)/64)
}

// compared pays for comparing the ACAP statements of decisions with one another.
func (f *finder) compared(acap ...decide.Partial) {
	for _, p := range acap {
		n, bytes := p.Weight()
		f.work -= n * (n + bytes) / 16
	}
}

// explored pays for an exploration; what it reads is paid for apart.
func (f *finder) explored(space paths.Space, budget int) {
	if space.Exact {
		f.work -= workPerState * len(space.Classes)
		return
	}
	f.work -= workPerAttempt * budget
}

// distinct returns a view for each purpose, except those with the same statements as an earlier one: they would give
// the same rows. No purposes are as the purpose "".
func (f *finder) distinct(site *decide.Site, page *policy.Page, agent policy.Agent, purposes []string) []purposeView {
	if len(purposes) == 0 {
		purposes = []string{""}
	}
	var list []purposeView
	for _, purpose := range purposes {
		if len(list) > 0 && f.full() {
			break
		}
		if v, isNew := f.viewOf(site, page, agent, purpose, list); isNew {
			list = append(list, v)
		}
	}
	return list
}

// viewOf returns the view of an agent and purpose, and whether its statements differ from those of all views in the
// list.
func (f *finder) viewOf(
	site *decide.Site, page *policy.Page, agent policy.Agent, purpose string, list []purposeView,
) (v purposeView, isNew bool) {
	view := site.For(agent, purpose).Within(f.steps)
	v = purposeView{purpose, view, view.PageCandidates(page)}
	if page != nil {
		f.work -= WorkPerStep * stepsPerStatement * len(page.Statements)
	}
	f.work -= len(list)
	return v, !slices.ContainsFunc(list, func(known purposeView) bool {
		return slices.Equal(v.metas, known.metas) && view.SameStatements(known.view, nil)
	})
}

type purposeView struct {
	purpose string
	view    *decide.View
	metas   []decide.Candidate // of the page
}

// usages in the order in which a pair that is met under several of them is to be reported: present before its ten, and
// other before those that it reaches (R-DEC-13).
func usages() []policy.Usage {
	all := []policy.Usage{policy.Crawl, policy.Other}
	for _, u := range policy.Usages() {
		if u != policy.Crawl && u != policy.Other {
			all = append(all, u)
		}
	}
	return all
}

// alone is the decision of a statement about a usage by itself.
func alone(st *policy.Statement, u policy.Usage) policy.Decision {
	switch {
	case st.Sense == policy.Disallow:
		return policy.Disallowed
	case len(st.EffectiveQualifiers(u)) > 0:
		return policy.Conditional
	}
	return policy.Allowed
}

// winner is the side that the decision agrees with; the sides differ.
func winner(decision, first, second policy.Decision) Winner {
	switch decision {
	case first:
		return First
	case second:
		return Second
	}
	return Neither
}

// strictness is the severity of ACAP against something conventional: foreseen where that is the stricter one (S2
// 2.1.3).
func strictness(acap, conventional policy.Decision) Severity {
	if conventional > acap {
		return Override
	}
	return Contradiction
}

// eachPair calls yield for every pair of an allowing and a prohibiting ACAP statement that R-DEC-7 settled in a part,
// until it returns false.
func eachPair(tie decide.Partial, yield func(prohibition, permission *policy.Statement) bool) {
	if tie.Basis != policy.BasisUndetermined {
		return
	}
	for _, d := range tie.Deciding {
		for _, a := range tie.Lost {
			if a.Rule == policy.RuleUndetermined && !yield(d.Statement, a.Statement) {
				return
			}
		}
	}
}

// tieKind is the kind of a pair that R-DEC-7 settled for a purpose: PurposeTie where the two are for purposes and
// have none in common, else the kind given.
func tieKind(kind Kind, prohibition, permission *policy.Statement, purpose string) Kind {
	for _, st := range []*policy.Statement{prohibition, permission} {
		if _, general := st.FitsPurpose(purpose, policy.RuleSet{}); general {
			return kind
		}
	}
	for _, p := range prohibition.Purposes {
		if slices.ContainsFunc(permission.Purposes, p.Same) {
			return kind
		}
	}
	return PurposeTie
}

// Bounds of the search for strings that two purposes fit.
const (
	maxPurposesPaired   = 256 // different purposes with stars
	maxPurposesTogether = 32  // strings
)

// together returns strings that two of the purposes of statements fit which none of the purposes asked fits together.
// Few sites have purposes with stars, and of others one fits the other or none.
func (f *finder) together(purposes []policy.Purpose, asked []string) []string {
	var starred []policy.Purpose
	for _, p := range purposes {
		if p.General() || !strings.Contains(string(p), "*") || slices.ContainsFunc(starred, p.Same) {
			continue
		}
		if len(starred) == maxPurposesPaired {
			f.missing.Ended = true
			break
		}
		starred = append(starred, p)
	}
	var examples []string
	for i, p := range starred {
		for _, q := range starred[:i] {
			both := func(purpose string) bool { return p.Fits(purpose) && q.Fits(purpose) }
			f.work -= (len(asked) + len(examples)) * (1 + (len(p)+len(q))/64)
			if f.full() {
				return examples
			}
			if slices.ContainsFunc(asked, both) || slices.ContainsFunc(examples, both) {
				continue
			}
			f.work -= len(p) * len(q) / 4
			if f.full() {
				return examples
			}
			example, ok := p.Meets(q)
			if !ok {
				continue
			}
			if len(examples) == maxPurposesTogether {
				f.missing.Ended = true
				return examples
			}
			examples = append(examples, example)
		}
	}
	return examples
}

// purposesOf lists the purposes of ACAP statements that decide.
func purposesOf(statements []policy.Statement) (all []policy.Purpose) {
	var last []policy.Purpose // records share their lists
	for i := range statements {
		st := &statements[i]
		if st.Vocabulary != policy.ACAP || !st.Status.Decides() || len(st.Purposes) == 0 {
			continue
		}
		if policy.IDOf(last) == policy.IDOf(st.Purposes) {
			continue
		}
		last = st.Purposes
		all = append(all, last...)
	}
	return all
}

// optionsOf returns the two readings that a Reading compares, the default one first, or other level where the site is
// read so. What it is not about stays as it is.
func optionsOf(r Reading, opts decide.Options) (first, second decide.Options) {
	first, second = opts, opts
	switch r {
	case Pilot:
		first.Profile, second.Profile = decide.Profile11, decide.ProfilePilot
	case OtherNarrow:
		if first.Other == decide.OtherNarrow {
			first.Other = decide.OtherBroad
		}
		second.Other = decide.OtherNarrow
	}
	return first, second
}

// follows returns which of the two readings opts is.
func follows(r Reading, opts decide.Options) Winner {
	if first, _ := optionsOf(r, opts); opts == first {
		return First
	}
	return Second
}

// partedBy is the rule by which two interpretations differ: R-DEC-13 for other; for the pilot R-DEC-2 if ACAP gives
// both the same decision, R-DEC-5 if that decided, else R-DEC-6, since the pilot counts present and its ten as one
// usage.
func partedBy(r Reading, acap, acapElse decide.Partial) policy.Rule {
	switch {
	case r == OtherNarrow:
		return policy.RuleOther
	case acap.Speaks() == acapElse.Speaks() && acap.Decision() == acapElse.Decision():
		return policy.RuleACAPFirst
	case slices.Contains(acap.By, policy.RuleNarrowest):
		return policy.RuleNarrowest
	}
	return policy.RuleCharacters
}
