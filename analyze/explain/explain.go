// Package explain describes decisions and statements, for people as text and for programs as JSON: what a crawler may
// do with a URL and why, and what is written in a file. It decides nothing itself and reads no files.
package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/console"
)

// A Question is what a crawler may do with a URL.
type Question struct {
	URL     string
	Agent   string // as the user wrote it
	Purpose string // "" for none
	At      time.Time
	Usages  []policy.Usage // nil: those of ACAP, and the AI preferences that the robots.txt or the page states

	Robots    *Document // nil: there is no file
	Status    int       // HTTP status of an answer without a file; 0: not captured
	Referred  []Referred
	Page      *Document
	TDMRep    *Document // tdmrep.json of the site; nil: there is none (R-TDM-3)
	Parsing   parse.Options
	Deciding  decide.Options
	NestingOf func(body []byte, as facts.Parser, offsets []int64) map[int64]int64 // markup.Nesting
}

// A Referred is a file that a permissions-reference of the robots.txt refers to (R-REF-1).
type Referred struct {
	Locator string // a path or a URL
	Body    []byte
}

// An Explanation has the decisions for a Question, and what is needed to explain them.
type Explanation struct {
	Question
	question decide.Question
	agent    policy.Agent

	robots *parse.Robots // nil where there is none to read
	answer decide.Availability
	page   *policy.Page
	inside map[int64]int64 // elements with class tokens, by offset: the nearest one around

	view         *decide.View
	others       []otherView
	purposes     []purposeView // none if the question names one
	morePurposes bool          // there are more than maxPurposes
}

// An otherView is the same policy in another interpretation of the ACAP specifications.
type otherView struct {
	options decide.Options
	view    *decide.View
}

// A usageAnswer is what an Explanation says of one usage.
type usageAnswer struct {
	usage policy.Usage
	decide.Decision
	elements []decide.Element
	others   []otherAnswer   // other interpretations, if they differ
	purposes []purposeAnswer // purposes that the policy names, if they change the answer
}

type otherAnswer struct {
	options decide.Options
	decide.Decision
}

// NotAURL is the error for a --url that has no site. It suggests a scheme where that is all that lacks.
func NotAURL(given string) error {
	if guess := "https://" + given; !strings.Contains(given, ":") {
		if _, ok := weburl.Split(guess); ok {
			return fmt.Errorf("--url %q is no http or https URL; did you mean %s?", given, guess)
		}
	}
	return fmt.Errorf("--url %q is no http or https URL", given)
}

// New answers a question. Its errors are mistakes in the question.
func New(q Question) (*Explanation, error) {
	e := &Explanation{Question: q, answer: decide.NotCaptured}
	u, ok := weburl.Split(q.URL)
	if !ok {
		return nil, NotAURL(q.URL)
	}
	e.question = decide.Question{URL: q.URL, Path: policy.ReadPath(u.PathQuery(), q.Parsing.Without), At: q.At}
	if e.agent, _ = policy.ReadAgent(q.Agent, q.Parsing.Without); e.agent == "" {
		return nil, fmt.Errorf("--agent is empty")
	}
	if err := e.readRobots(); err != nil {
		return nil, err
	}
	var file *policy.File
	if e.robots != nil {
		file = e.robots.File
	}
	e.Page.referred = map[*policy.Statement]*policy.Reference{}
	for _, r := range q.Referred {
		if err := e.refer(file, r); err != nil {
			return nil, fmt.Errorf("--referred: %w", err)
		}
	}
	e.page = parse.ReadPage(&e.Page.Fact, file, q.Parsing)
	if q.TDMRep != nil {
		parse.Reserve(e.page, parse.ReadReservations(q.TDMRep.Body, q.Parsing), e.question.Path, q.Parsing)
	}
	if e.Usages == nil {
		stated := policy.StatedPreferences(e.page.Statements)
		if file != nil {
			stated = append(stated, policy.StatedPreferences(file.Statements)...)
		}
		slices.Sort(stated)
		e.Usages = append(policy.Usages(), slices.Compact(stated)...)
	}
	var offsets []int64
	for i := range e.page.Statements {
		if st := &e.page.Statements[i]; st.Source == policy.Class && st.Status.Decides() {
			offsets = append(offsets, st.Offset)
		}
	}
	e.inside = q.NestingOf(e.Page.Body, e.Page.Fact.ParsedAs, offsets)

	site := decide.NewSite(file, e.answer, q.Deciding)
	e.view = site.For(e.agent, q.Purpose)
	for _, other := range otherOptions(q.Deciding) {
		e.others = append(e.others, otherView{other, site.Under(other).For(e.agent, q.Purpose)})
	}
	e.viewPurposes(site)
	return e, nil
}

// otherOptions are interpretations that differ in one choice: the other profile, or another reach of other. If a reach
// is not the default, only the default is another.
func otherOptions(opts decide.Options) []decide.Options {
	profile := opts
	profile.Profile = decide.ProfilePilot
	if opts.Profile == decide.ProfilePilot {
		profile.Profile = decide.Profile11
	}
	reaches := []decide.Reach{decide.OtherBroad}
	if opts.Other == decide.OtherBroad {
		reaches = []decide.Reach{decide.OtherNarrow, decide.OtherLevel}
	}
	all := []decide.Options{profile}
	for _, r := range reaches {
		reach := opts
		reach.Other = r
		all = append(all, reach)
	}
	return all
}

// IsPage reports whether the robots.txt is a page, in which nothing counts (R-LEX-7).
func (e *Explanation) IsPage() bool { return e.answer == decide.NotRobots }

// readRobots reads the robots.txt of the site, or the status instead of it (R-REP-3).
func (e *Explanation) readRobots() error {
	status := e.Status
	switch {
	case e.Robots != nil && parse.NotRobots(e.Robots.Body, e.Parsing):
		e.answer = decide.NotRobots
	case e.Robots != nil:
		e.robots, e.answer = parse.ReadRobots(e.Robots.Body, false, e.Parsing), decide.Answered
	case status == 0:
	case status == 429 || status >= 500 && status <= 599:
		e.answer = decide.Unreachable
	case status >= 400 && status <= 499:
		e.answer = decide.Answered
	default:
		return fmt.Errorf("--robots-status must be from 400 to 599, not %d", status)
	}
	return nil
}

// maxReferred bounds the statements of a referred file: those of 500 KiB are fewer.
const maxReferred = 1 << 20

// refer resolves the references to a file. The robots.txt may be nil.
func (e *Explanation) refer(robots *policy.File, file Referred) error {
	if parse.NotRobots(file.Body, e.Parsing) {
		return fmt.Errorf("the file is a page and no robots.txt (R-LEX-7)")
	}
	if robots == nil || len(robots.References) == 0 {
		return fmt.Errorf("the robots.txt has no permissions-reference")
	}
	statements := parse.ReadRobots(file.Body, false, e.Parsing).Statements
	var others []string
	found := false
	for i := range robots.References {
		ref := &robots.References[i]
		if !e.sameLocator(ref.Locator, file.Locator) {
			if !slices.Contains(others, ref.Locator) {
				others = append(others, ref.Locator)
			}
			continue
		}
		if found = ref.Resolve(statements, maxReferred); !found {
			return fmt.Errorf("the file has more than %d statements", maxReferred)
		}
		for j := range ref.Resolved {
			e.Page.referred[&ref.Resolved[j]] = ref
		}
	}
	if !found {
		return fmt.Errorf("the robots.txt does not refer to %s; it refers to %s", file.Locator, console.List(others))
	}
	return nil
}

// sameLocator reports whether two locators name the same file of the site: as URLs, after normalisation (RFC 3986
// 6.2.2).
func (e *Explanation) sameLocator(a, b string) bool {
	base, _ := weburl.Resolve(e.URL, "/robots.txt")
	urlA, okA := weburl.Resolve(base, a)
	urlB, okB := weburl.Resolve(base, b)
	return a == b || okA && okB && weburl.Equivalent(urlA, urlB)
}

// decide answers for one usage.
func (e *Explanation) decide(usage policy.Usage) usageAnswer {
	q := e.question
	q.Usage = usage
	a := usageAnswer{usage: usage, Decision: e.view.Decide(e.page, q)}
	a.elements = e.view.Elements(e.page, q, func(offset int64) (int64, bool) {
		outer, ok := e.inside[offset]
		return outer, ok
	})
	for _, other := range e.others {
		d := other.view.Decide(e.page, q)
		if d.Decision != a.Decision.Decision || d.Basis != a.Basis || !sameQualifiers(d.Qualifiers, a.Qualifiers) {
			a.others = append(a.others, otherAnswer{other.options, d})
		}
	}
	a.purposes = e.forPurposes(q, a.Decision)
	return a
}

// sameQualifiers reports whether two lists hold the same conditions, in any order.
func sameQualifiers(a, b []policy.Qualifier) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(q policy.Qualifier) bool { return !slices.Contains(b, q) })
}
