package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Runner runs cases. It needs the first stage, which makes facts of bytes and which judging must not import.
type Runner struct {
	// Page returns the fact of a page, and the page as text, where the offsets of the fact are (R-LEX-1).
	Page  func(body []byte, mediaType string, headers []Header) (facts.Fact, []byte)
	Crawl func(captures []Capture) ([]facts.Fact, error) // in any order, counters included

	// Decided, if not nil, gets every decision that is made for a case without a crawl.
	Decided func(c *Case, q *Question, d decide.Decision)
}

// Run runs a case with some rules left out and returns how what comes of it differs from what the case expects: nothing
// if it passes.
func (r Runner) Run(c *Case, without policy.RuleSet) (differences []string) {
	if c.Crawl != nil {
		return r.runCrawl(c, without)
	}
	s := r.read(c, without)
	for i := range c.Questions {
		q := &c.Questions[i]
		d, err := s.decide(q, without)
		if err != nil {
			differences = append(differences, fmt.Sprintf("question %d: %v", i+1, err))
			continue
		}
		if r.Decided != nil {
			r.Decided(c, q, d)
		}
		differences = appendDifference(differences, fmt.Sprintf("question %d, %s %s %s", i+1, q.Agent, q.Usage, q.URL),
			q.Answer, s.answer(d, q))
	}
	if c.Statements != nil {
		differences = appendListDifference(differences, "statement", c.Statements, s.statements())
	}
	if c.Defects != nil {
		differences = appendListDifference(differences, "defect", c.Defects, s.defects())
	}
	if c.Version != nil && *c.Version != s.file.Version.Text {
		differences = append(differences, fmt.Sprintf("version: want %q, got %q", *c.Version, s.file.Version.Text))
	}
	if c.IgnoreConventional != nil && *c.IgnoreConventional != s.file.IgnoreConventional {
		differences = append(differences, fmt.Sprintf("ignore_conventional: want %v", *c.IgnoreConventional))
	}
	if c.ACAPText != nil && *c.ACAPText != s.page.ACAPText {
		differences = append(differences, fmt.Sprintf("acap_text: want %d, got %d", *c.ACAPText, s.page.ACAPText))
	}
	return differences
}

// A scene is a case that was read.
type scene struct {
	c     *Case
	file  *policy.File // empty where there is no robots.txt
	reply decide.Availability
	page  *policy.Page                 // nil where there is no page
	text  []byte                       // of the page
	from  map[*policy.Statement]string // the locators of statements that references led to
}

var replies = map[string]decide.Availability{"answered": decide.Answered, "not-captured": decide.NotCaptured,
	"unreachable": decide.Unreachable}

func readingOptions(c *Case, without policy.RuleSet) parse.Options {
	opts := parse.Options{Limit: c.Options.Limit, Without: without, BodyMETAs: c.Options.BodyMETAs}
	if c.Options.Strict {
		opts.Refuse = policy.Slips()
	}
	return opts
}

func (r Runner) read(c *Case, without policy.RuleSet) *scene {
	opts := readingOptions(c, without)
	s := &scene{c: c, file: &policy.File{}, from: map[*policy.Statement]string{}}
	switch {
	case c.Robots == nil:
		s.reply = decide.NotCaptured
		if c.Answer != "" {
			s.reply = replies[c.Answer]
		}
	case parse.NotRobots(c.Robots, opts):
		s.reply = decide.NotRobots // R-LEX-7
	default:
		s.file = parse.ReadRobots(c.Robots, c.Truncated, opts).File
		s.refer(opts)
	}
	if c.Page != nil || c.Headers != nil {
		mediaType := "text/html"
		if c.MediaType != nil {
			mediaType = *c.MediaType
		}
		fact, text := r.Page(c.Page, mediaType, c.Headers)
		s.text = text
		var site *policy.File
		if c.Robots != nil {
			site = s.file
		}
		s.page = parse.ReadPage(&fact, site, opts)
	}
	return s
}

// refer resolves references (R-REF-1).
func (s *scene) refer(opts parse.Options) {
	for i := range s.file.References {
		ref := &s.file.References[i]
		text, found := s.c.Referred[ref.Locator]
		if !found {
			continue
		}
		ref.Resolve(parse.ReadRobots(text, false, opts).Statements, math.MaxInt)
		for j := range ref.Resolved {
			s.from[&ref.Resolved[j]] = ref.Locator
		}
	}
}

func decideOptions(q *Question, without policy.RuleSet) decide.Options {
	opts := decide.Options{Without: without}
	// Read has checked both; what is missing is the default.
	opts.Profile, _ = terms.Parse[decide.Profile](q.Profile)
	opts.Other, _ = terms.Parse[decide.Reach](q.Other)
	return opts
}

func (s *scene) decide(q *Question, without policy.RuleSet) (decide.Decision, error) {
	u, ok := weburl.Split(q.URL)
	if !ok {
		return decide.Decision{}, fmt.Errorf("%s is no URL", q.URL)
	}
	usage, _ := terms.Parse[terms.Usage](q.Usage)
	question := decide.Question{URL: q.URL, Path: policy.ReadPath(u.PathQuery(), without), Usage: usage}
	if q.At != nil {
		question.At = q.At.UTC()
	}
	purpose := ""
	if q.Purpose != nil {
		purpose = *q.Purpose
	}
	return decide.NewSite(s.file, s.reply, decideOptions(q, without)).For(policy.Agent(q.Agent), purpose).Decide(s.page,
		question), nil
}

// answer writes a decision as a case does, without what the question does not look at.
func (s *scene) answer(d decide.Decision, q *Question) Answer {
	a := Answer{Decision: d.Decision.String(), Basis: d.Basis.String(), DecidedBy: texts(d.By),
		Qualifiers: qualifiers(d.Qualifiers)}
	if d.IfCrawled != d.Decision {
		a.IfCrawled = d.IfCrawled.String()
	}
	if d.WithoutElements != d.Decision {
		a.WithoutElements = d.WithoutElements.String()
	}
	if q.Deciding != nil {
		for _, v := range d.Deciding {
			a.Deciding = append(a.Deciding, s.place(v.Statement))
		}
	}
	if q.Lost != nil {
		for _, v := range d.Lost {
			a.Lost = append(a.Lost, s.place(v.Statement)+" "+v.Rule.String())
		}
	}
	if q.Elements != nil {
		for _, st := range d.Elements {
			a.Elements = append(a.Elements, s.place(st))
		}
	}
	return a
}

// place writes where a statement stands: its source, or the locator of the file that it was referred to, and its line.
func (s *scene) place(st *policy.Statement) string {
	source := st.Source.String()
	if locator := s.from[st]; locator != "" {
		source = locator
	}
	return fmt.Sprintf("%s %d", source, s.line(st))
}

// line is the line of a statement, counted from 1; of a header field it is the field's number.
func (s *scene) line(st *policy.Statement) int {
	switch st.Source {
	case policy.RobotsTxt:
		return st.Line
	case policy.HTTPHeader:
		return int(st.Offset) + 1
	}
	return 1 + bytes.Count(s.text[:min(int(st.Offset), len(s.text))], []byte("\n"))
}

// statements lists all that was read, the robots.txt first.
func (s *scene) statements() []Statement {
	var list []Statement
	add := func(read []policy.Statement) {
		for i := range read {
			list = append(list, s.statement(&read[i]))
		}
	}
	add(s.file.Statements)
	if s.page != nil {
		add(s.page.Statements)
	}
	return list
}

func (s *scene) statement(st *policy.Statement) Statement {
	w := Statement{
		Source: st.Source.String(), Line: s.line(st), Field: st.Field, Sense: st.Sense.String(), Resource: st.Resource,
		Purposes: strs(st.Purposes), Qualifiers: qualifiers(st.Qualifiers), Defects: strs(st.Defects),
	}
	if st.Part != 1 {
		w.Part = st.Part
	}
	if st.Usage != policy.NoUsage {
		w.Usage = st.Usage.String()
	}
	switch {
	case len(st.Agents) == 0:
		w.Agents = []string{}
	case len(st.Agents) > 1 || st.Agents[0] != policy.AnyAgent:
		w.Agents = strs(st.Agents)
	}
	if st.Status != policy.Valid {
		w.Status = st.Status.String()
	}
	if st.Source == policy.RobotsTxt {
		w.ManagedBy = s.file.ManagedBy(st.Line)
	}
	if e := st.Element; e != nil {
		w.Element = e.Name
		if e.ID != "" {
			w.Element += "#" + e.ID
		}
	}
	return w
}

// defects lists the findings of the robots.txt, with their line where they have one.
func (s *scene) defects() []string {
	var list []string
	for _, f := range s.file.Findings {
		if f.Line == 0 {
			list = append(list, string(f.Defect))
		} else {
			list = append(list, fmt.Sprintf("%s %d", f.Defect, f.Line))
		}
	}
	return list
}

func texts[T fmt.Stringer](values []T) []string {
	var list []string
	for _, v := range values {
		list = append(list, v.String())
	}
	return list
}

func strs[T ~string](values []T) []string {
	var list []string
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

func qualifiers(values []policy.Qualifier) []Qualifier {
	var list []Qualifier
	for _, q := range values {
		list = append(list, Qualifier{string(q.Name), q.Value})
	}
	return list
}

// appendDifference compares two values as they are written.
func appendDifference(differences []string, what string, want, got any) []string {
	if w, g := written(want), written(got); w != g {
		return append(differences, fmt.Sprintf("%s:\nwant %s\n got %s", what, w, g))
	}
	return differences
}

// appendListDifference compares two lists member by member.
func appendListDifference[T any](differences []string, what string, want, got []T) []string {
	for i := range max(len(want), len(got)) {
		var w, g any = "none", "none"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		differences = appendDifference(differences, fmt.Sprintf("%s %d", what, i+1), w, g)
	}
	return differences
}

func written(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
