package decide_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// scopeAt returns the narrowest pattern of a statement that matches a path (R-DEF-3); ok is false where none does.
func scopeAt(st *policy.Statement, path string, without policy.RuleSet) (scope policy.Pattern, ok bool) {
	var matching []int
	for i, p := range st.Patterns {
		if p.Match(path) {
			matching = append(matching, i)
		}
	}
	if len(matching) == 0 {
		return policy.Pattern{}, false
	}
	at, _ := policy.Narrowest(st.Patterns, matching, without)
	return st.Patterns[at], true
}

// oracle decides by the text of section 6 again, from the statements alone, rule by rule and as slowly as it is
// written: no candidate is removed before the rule that says so. It knows the default profile and no references.
type oracle struct {
	file    *policy.File
	page    *policy.Page
	agent   policy.Agent
	purpose string
	q       decide.Question
	other   decide.Reach
}

// An outcome is a decision with what it rests on; basis 0 is silence.
type outcome struct {
	decision   policy.Decision
	basis      policy.Basis
	qualifiers []policy.Qualifier
	by         []*policy.Statement
}

// level is the ACAP statements of one level that could be candidates: addressed, of a fitting purpose, at the URL.
func (o oracle) level(statements []policy.Statement, source policy.Source) []*policy.Statement {
	var all []*policy.Statement
	for i := range statements {
		st := &statements[i]
		fits, _ := st.FitsPurpose(o.purpose, policy.RuleSet{})
		here := source != policy.RobotsTxt
		for _, p := range st.Patterns {
			here = here || p.Match(o.q.Path)
		}
		if st.Vocabulary == policy.ACAP && st.Source == source && st.Status.Decides() && fits && here &&
			st.Addresses(o.agent) {
			all = append(all, st)
		}
	}
	return all
}

func filter(list []*policy.Statement, keep func(*policy.Statement) bool) []*policy.Statement {
	return slices.DeleteFunc(slices.Clone(list), func(st *policy.Statement) bool { return !keep(st) })
}

// prefer keeps those that are better, if there are any.
func prefer(list []*policy.Statement, better func(*policy.Statement) bool) []*policy.Statement {
	if best := filter(list, better); len(best) > 0 {
		return best
	}
	return list
}

func opposed(list []*policy.Statement) bool {
	return slices.ContainsFunc(list, func(st *policy.Statement) bool { return st.Sense != list[0].Sense })
}

// explicit keeps the statements on the usage itself, those on present over one of its ten included.
func (o oracle) explicit(all []*policy.Statement) []*policy.Statement {
	return filter(all, func(st *policy.Statement) bool { return st.Usage.Covers(o.q.Usage) })
}

// candidates are the ACAP statements of page and robots.txt that may decide: R-DEC-13. Implied tells that those of
// the page are about other, and that the page's conventional statements are as explicit as they.
func (o oracle) candidates() (page, robots []*policy.Statement, implied bool) {
	metas, lines := o.level(o.page.Statements, policy.Meta), o.level(o.file.Statements, policy.RobotsTxt)
	page, robots = o.explicit(metas), o.explicit(lines)
	if o.q.Usage == policy.Crawl || o.q.Usage == policy.Other {
		return page, robots, false
	}
	isOther := func(st *policy.Statement) bool { return st.Usage == policy.Other }
	switch o.other {
	case decide.OtherBroad: // nothing explicit at any level
		if len(page)+len(robots) == 0 {
			page, robots = filter(metas, isOther), filter(lines, isOther)
			return page, robots, len(page) > 0
		}
	case decide.OtherLevel: // rules version 1
		if len(page) == 0 {
			page = filter(metas, isOther)
		}
		if len(robots) == 0 {
			robots = filter(lines, isOther)
		}
	}
	return page, robots, false
}

func (o oracle) acap(left []*policy.Statement, basis policy.Basis) outcome {
	if len(left) == 0 {
		return outcome{}
	}
	left = prefer(left, func(st *policy.Statement) bool {
		_, general := st.FitsPurpose(o.purpose, policy.RuleSet{})
		return !general
	}) // R-DEC-3
	left = prefer(left, func(st *policy.Statement) bool { return st.Names(o.agent) }) // R-DEC-4
	paths := func(wide, narrow *policy.Statement) bool {
		if wide.OfPage() {
			return true
		}
		w, _ := scopeAt(wide, o.q.Path, policy.RuleSet{})
		n, _ := scopeAt(narrow, o.q.Path, policy.RuleSet{})
		return w.Contains(n)
	}
	within := func(narrow, wide *policy.Statement) bool {
		return (wide.Usage == narrow.Usage || wide.Usage == policy.Present) && paths(wide, narrow)
	}
	unbeaten := func(beats func(winner, loser *policy.Statement) bool) {
		now := left
		left = filter(now, func(loser *policy.Statement) bool {
			return !slices.ContainsFunc(
				now,
				func(winner *policy.Statement) bool { return winner.Sense != loser.Sense && beats(winner, loser) },
			)
		})
	}
	if opposed(left) { // R-DEC-5
		unbeaten(func(winner, loser *policy.Statement) bool { return within(winner, loser) && !within(loser, winner) })
	}
	if opposed(left) { // R-DEC-6
		unbeaten(func(winner, loser *policy.Statement) bool {
			if winner.OfPage() || winner.Usage != loser.Usage || paths(winner, loser) || paths(loser, winner) {
				return false
			}
			w, _ := scopeAt(winner, o.q.Path, policy.RuleSet{})
			l, _ := scopeAt(loser, o.q.Path, policy.RuleSet{})
			return w.NarrowerByCharacters(l)
		})
	}
	if opposed(left) { // R-DEC-7
		return outcome{
			policy.Disallowed,
			policy.BasisUndetermined,
			nil,
			filter(left, func(st *policy.Statement) bool { return st.Sense == policy.Disallow }),
		}
	}
	if left[0].Sense == policy.Disallow {
		return outcome{policy.Disallowed, basis, nil, left}
	}
	return o.permissions(left, basis)
}

// permissions: R-DEC-8 to R-DEC-10, R-QUAL-3.
func (o oracle) permissions(left []*policy.Statement, basis policy.Basis) outcome {
	result := outcome{policy.Allowed, basis, nil, left}
	var elsewhere, over []*policy.Statement
	for _, st := range left {
		for _, q := range st.Qualifiers {
			if q.Name == policy.MustUseResource && st.Usage == policy.Present && o.q.Usage != policy.Present {
				continue
			}
			if q.Name == policy.Location && st.Source == policy.Meta {
				if q.Value != o.q.URL { // URLs here are normal
					elsewhere = append(elsewhere, st)
				}
				continue
			}
			belongs := st.Usage == policy.Index || st.Usage == policy.Preserve || st.Usage == policy.Present
			if day, ok := strings.CutPrefix(q.Value, "until-2"); ok && q.Name == policy.TimeLimit && belongs &&
				!o.q.At.IsZero() &&
				o.q.At.Format("2006-01-02") > "2"+day {
				over = append(over, st)
			}
			if !slices.Contains(result.qualifiers, q) {
				result.qualifiers = append(result.qualifiers, q)
			}
			result.decision = policy.Conditional
		}
	}
	switch {
	case len(elsewhere) > 0:
		return outcome{policy.Disallowed, policy.BasisLocationMismatch, nil, elsewhere}
	case len(over) > 0:
		return outcome{policy.Disallowed, policy.BasisExpired, nil, over}
	}
	return result
}

// conventionalFile: R-REP-1, R-REC-6.
func (o oracle) conventionalFile() outcome {
	if o.q.Usage != policy.Crawl || o.file.IgnoreConventional {
		return outcome{}
	}
	named := slices.ContainsFunc(
		o.file.NamedGroups,
		func(a policy.Agent) bool { return a != policy.AnyAgent && a.Is(o.agent) },
	)
	var left []*policy.Statement
	length := func(st *policy.Statement) int { return 2*st.Patterns[0].Len() + int(policy.Disallow-st.Sense) }
	for i := range o.file.Statements {
		st := &o.file.Statements[i]
		mine := st.AddressesAny() && !named || st.Names(o.agent) && named
		if st.Vocabulary == policy.REP && st.Status.Decides() && mine && len(st.Patterns) > 0 &&
			st.Patterns[0].Match(o.q.Path) {
			left = append(left, st)
		}
	}
	if len(left) == 0 {
		return outcome{}
	}
	longest := 0
	for _, st := range left {
		longest = max(longest, length(st))
	}
	left = filter(left, func(st *policy.Statement) bool { return length(st) == longest })
	decision := policy.Allowed
	if left[0].Sense == policy.Disallow {
		decision = policy.Disallowed
	}
	return outcome{decision, policy.BasisREPRobots, nil, left}
}

// conventionalPage: R-REP-2, of a page parsed as HTML.
func (o oracle) conventionalPage() outcome {
	var left []*policy.Statement
	for i := range o.page.Statements {
		if st := &o.page.Statements[i]; st.Vocabulary == policy.REP && st.Status.Decides() && st.Addresses(o.agent) &&
			st.Usage.Covers(o.q.Usage) {
			left = append(left, st)
		}
	}
	if len(left) == 0 {
		return outcome{}
	}
	if no := filter(left, func(st *policy.Statement) bool { return st.Sense == policy.Disallow }); len(no) > 0 {
		return outcome{policy.Disallowed, policy.BasisREPPage, nil, no}
	}
	return o.permissions(left, policy.BasisREPPage)
}

// own decides without R-DEC-11.
func (o oracle) own() outcome {
	if o.q.Usage == policy.Crawl && o.q.Path == "/robots.txt" {
		return outcome{decision: policy.Allowed, basis: policy.BasisSilence}
	}
	metas, lines, implied := o.candidates()
	page := o.conventionalPage()
	if said := o.acap(metas, policy.BasisACAPPage); implied { // R-DEC-13
		return stricter(said, page)
	} else if said.basis != 0 { // R-DEC-1, R-DEC-2
		return said
	}
	file := o.acap(lines, policy.BasisACAPRobots)
	if file.basis == 0 {
		file = o.conventionalFile()
	}
	return stricter(file, page)
}

// stricter lets the more restrictive of two outcomes decide, conditions added; basis 0 is silence. Equal: the first
// one's basis.
func stricter(file, page outcome) outcome {
	switch {
	case file.basis == 0 && page.basis == 0:
		return outcome{decision: policy.Allowed, basis: policy.BasisSilence}
	case page.basis == 0:
		return file
	case file.basis == 0:
		return page
	case file.decision > page.decision:
		return file
	case file.decision < page.decision:
		return page
	}
	for _, q := range page.qualifiers {
		if !slices.Contains(file.qualifiers, q) {
			file.qualifiers = append(file.qualifiers, q)
		}
	}
	file.by = append(file.by, page.by...)
	return file
}

func (o oracle) decide() (said outcome, ifCrawled policy.Decision) {
	said = o.own()
	ifCrawled = said.decision
	if o.q.Usage != policy.Crawl {
		o.q.Usage = policy.Crawl
		if crawl := o.own(); crawl.decision == policy.Disallowed { // R-DEC-11
			said = outcome{policy.Disallowed, policy.BasisCrawlProhibited, nil, crawl.by}
		}
	}
	return said, ifCrawled
}

// metas makes the METAs of a page.
func (m maker) metas() []string {
	var list []string
	for range m.IntN(5) {
		name := m.pick("robots", "robots", "Bot", "Else")
		if m.IntN(3) == 0 {
			list = append(
				list,
				name+": "+m.pick(
					"noindex",
					"index, follow",
					"none",
					"nosnippet",
					"notranslate",
					"unavailable_after: 2001-01-01",
					"max-snippet:5",
					"noarchive, index",
				),
			)
			continue
		}
		purpose, usage := m.pick(
			"",
			"",
			"news ",
			"* ",
		), m.pick(
			"index",
			"index",
			"present",
			"present-link",
			"present-snippet",
			"other",
			"crawl",
		)
		if m.IntN(2) == 0 {
			list = append(list, name+": ACAP "+purpose+"disallow-"+usage)
		} else {
			list = append(list, name+": ACAP "+purpose+"allow-"+usage+m.pick("", "", " time-limit=until-2001-01-01",
				" must-use-resource=/x", " location="+site+"/a", " location="+site+"/ab", " odd=1"))
		}
	}
	return list
}

func TestSectionSixAgain(t *testing.T) {
	usages := append(slices.Clone(askedUsages), policy.PresentSnippet, policy.Follow)
	for seed := range 400 {
		m := maker{rand.New(rand.NewPCG(6, uint64(seed)))}
		text := strings.ReplaceAll(
			m.definitions()+strings.Join(m.blocks(), ""),
			"ACAP-permissions-reference: /gone.txt\n",
			"",
		)
		s := scene{robots: text, page: metas(m.metas()...)}
		file := s.file()
		page := s.pageOf(file)
		for _, who := range askedWho {
			for _, opts := range []decide.Options{{}, {Other: decide.OtherNarrow}, {Other: decide.OtherLevel}} {
				view := decide.NewSite(file, decide.Answered, opts).For(who.agent, who.purpose)
				for _, path := range []string{"/", "/a", "/ab", "/b/a", "/a/ab", "/robots.txt"} {
					q := decide.Question{URL: site + path, Path: path}
					if m.IntN(2) == 0 {
						q.At = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
					}
					for _, usage := range usages {
						q.Usage = usage
						d := view.Decide(page, q)
						consistent(t, path, usage, d)
						o := oracle{file, page, who.agent, who.purpose, q, opts.Other}
						want, ifCrawled := o.decide()
						got := outcome{d.Decision, d.Basis, d.Qualifiers, nil}
						for _, v := range d.Deciding {
							got.by = append(got.by, v.Statement)
						}
						same := got.decision == want.decision && got.basis == want.basis &&
							slices.Equal(got.qualifiers, want.qualifiers) &&
							sameSet(got.by, want.by)
						if !same || d.IfCrawled != ifCrawled {
							t.Fatalf(
								"seed %d, %+v, %s for %s %q at %s %v: got %s, want %s on %s%s\n%s\n%s",
								seed,
								opts,
								usage,
								who.agent,
								who.purpose,
								path,
								q.At,
								head(
									d,
								)+" "+s.show(
									d,
								),
								want.decision,
								want.basis,
								cmp.Diff(want.qualifiers, got.qualifiers),
								text,
								s.page,
							)
						}
					}
				}
			}
		}
	}
}

// sameSet reports whether two lists have the same statements, however often.
func sameSet(a, b []*policy.Statement) bool {
	in := func(list []*policy.Statement) func(*policy.Statement) bool {
		return func(st *policy.Statement) bool { return !slices.Contains(list, st) }
	}
	return !slices.ContainsFunc(a, in(b)) && !slices.ContainsFunc(b, in(a))
}
