package decide_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/tools/conformance"
)

// A scene is what is known of a site and of one of its pages, as text. Cases that say what the answer has to be belong
// into the conformance suite; scenes are for tests that compare answers.
type scene struct {
	robots    string // read if not ""; answer tells what "" means
	referred  string // the file that every permissions-reference leads to, "" for none
	answer    decide.Availability
	page      string
	mediaType string   // of the page, text/html if ""
	headers   []string // X-Robots-Tag fields of the page, or others with their name
}

// An ask is a question as text: "AGENT USAGE URL", then any of "<PURPOSE>", "@DATE", "pilot", "narrow" and "level". A
// URL that begins with '/' is one of http://pub.example.
type ask string

const site = "http://pub.example"

func (a ask) read(t *testing.T) (agent policy.Agent, purpose string, q decide.Question, opts decide.Options) {
	t.Helper()
	words := strings.Fields(string(a))
	if len(words) < 3 {
		t.Fatalf("no question: %q", a)
	}
	usage, ok := terms.Parse[terms.Usage](words[1])
	if !ok {
		t.Fatalf("no usage: %q", a)
	}
	url := words[2]
	if url[0] == '/' {
		url = site + url
	}
	path := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(url, "https:"), "http:"), "//")
	if i := strings.IndexByte(path, '/'); i >= 0 {
		path = path[i:]
	} else {
		path = ""
	}
	q = decide.Question{URL: url, Path: policy.NormalizePath(path), Usage: usage}
	for _, word := range words[3:] {
		switch {
		case word == "pilot":
			opts.Profile = decide.ProfilePilot
		case word == "narrow":
			opts.Other = decide.OtherNarrow
		case word == "level":
			opts.Other = decide.OtherLevel
		case word[0] == '<':
			purpose = strings.Trim(word, "<>")
		case word[0] == '@':
			at, err := time.Parse("2006-01-02T15:04:05", word[1:])
			if err != nil {
				at, err = time.Parse("2006-01-02", word[1:])
			}
			if err != nil {
				t.Fatal(err)
			}
			q.At = at
		default:
			t.Fatalf("no part of a question: %q", word)
		}
	}
	return policy.Agent(words[0]), purpose, q, opts
}

// file reads the scene's robots.txt.
func (s scene) file() *policy.File {
	if s.robots == "" {
		return nil
	}
	file := parse.ReadRobots([]byte(s.robots), false, parse.Options{}).File
	for i := range file.References {
		if ref := &file.References[i]; s.referred != "" {
			ref.Resolve(parse.ReadRobots([]byte(s.referred), false, parse.Options{}).Statements, math.MaxInt)
			for j := range ref.Resolved {
				ref.Resolved[j].Line += 100 // tell them apart
			}
		}
	}
	return file
}

// pageOf reads the scene's page.
func (s scene) pageOf(file *policy.File) *policy.Page {
	if s.page == "" && len(s.headers) == 0 {
		return nil
	}
	var headers []conformance.Header
	for _, value := range s.headers {
		if name, content, ok := strings.Cut(value, ": "); ok && strings.Contains(name, "-") {
			headers = append(headers, conformance.Header{name, content})
			continue
		}
		headers = append(headers, conformance.Header{"X-Robots-Tag", value})
	}
	mediaType := s.mediaType
	if mediaType == "" {
		mediaType = "text/html"
	}
	fact, _ := pageFact([]byte(s.page), mediaType, headers)
	return parse.ReadPage(&fact, file, parse.Options{})
}

func pageFact(body []byte, mediaType string, headers []conformance.Header) (facts.Fact, []byte) {
	var header capture.Header
	for _, h := range headers {
		header = append(header, capture.Field{Name: []byte(h[0]), Value: []byte(h[1])})
	}
	return markup.Page(body, mediaType, header), markup.Text(body, mediaType, header)
}

// Every decision of the conformance suite is consistent; what it has to be the suite's own test knows.
func TestSuiteIsConsistent(t *testing.T) {
	cases, err := conformance.ReadAll(os.DirFS(filepath.Join("..", "..", "testdata", "conformance")))
	if err != nil {
		t.Fatal(err)
	}
	decisions := 0
	runner := conformance.Runner{Page: pageFact}
	runner.Decided = func(c *conformance.Case, q *conformance.Question, d decide.Decision) {
		decisions++
		usage, _ := terms.Parse[terms.Usage](q.Usage)
		consistent(t, fmt.Sprintf("%s: %s %s %s", c.Path, q.Agent, q.Usage, q.URL), usage, d)
	}
	for _, c := range cases {
		if c.Crawl == nil {
			runner.Run(c, policy.RuleSet{})
		}
	}
	if decisions == 0 {
		t.Error("nothing was decided")
	}
}

// head writes the decision, its basis and its rules.
func head(d decide.Decision) string {
	words := []string{d.Decision.String(), d.Basis.String()}
	for _, rule := range d.By {
		words = append(words, rule.String())
	}
	return strings.Join(words, " ")
}

// show writes what else there is of a decision:
//
//	by PLACE...; lost PLACE RULE, ...; if NAME=VALUE ...; if crawled DECISION;
//	without elements DECISION: SENSE USAGE ELEMENT, ...
//
// without what is empty or no different from the decision. A place is a line of the robots.txt or, after the source, of
// the page; of a header field it is the number of the field. Lines of the referred file are counted from 101.
func (s scene) show(d decide.Decision) string {
	var parts []string
	list := func(intro string, verdicts []decide.Verdict, rules bool) {
		var words []string
		for _, v := range verdicts {
			word := s.place(v.Statement)
			if rules {
				word += " " + v.Rule.String()
			}
			words = append(words, word)
		}
		if len(words) > 0 {
			parts = append(parts, intro+" "+strings.Join(words, ", "))
		}
	}
	list("by", d.Deciding, false)
	list("lost", d.Lost, true)
	if len(d.Qualifiers) > 0 {
		words := []string{"if"}
		for _, q := range d.Qualifiers {
			words = append(words, fmt.Sprintf("%s=%s", q.Name, q.Value))
		}
		parts = append(parts, strings.Join(words, " "))
	}
	if d.IfCrawled != d.Decision {
		parts = append(parts, "if crawled "+d.IfCrawled.String())
	}
	if len(d.Elements) > 0 {
		var words []string
		for _, st := range d.Elements {
			words = append(words, fmt.Sprintf("%s %s %s", st.Sense, st.Usage, st.Element.Name))
		}
		parts = append(parts, "without elements "+d.WithoutElements.String()+": "+strings.Join(words, ", "))
	}
	return strings.Join(parts, "; ")
}

func (s scene) place(st *policy.Statement) string {
	switch st.Source {
	case policy.RobotsTxt:
		return fmt.Sprint(st.Line)
	case policy.HTTPHeader:
		return fmt.Sprintf("header %d", st.Offset+1)
	}
	return fmt.Sprintf("%s %d", st.Source, 1+strings.Count(s.page[:st.Offset], "\n"))
}

// consistent checks what holds of every decision.
func consistent(t *testing.T, question string, u policy.Usage, d decide.Decision) {
	t.Helper()
	report := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: %+v", question, fmt.Sprintf(format, args...), d)
	}
	in := func(rule policy.Rule) bool { return slices.Contains(d.By, rule) }
	most := policy.Disallowed
	if u.Family() == terms.FamilyAI {
		most = policy.Unstated
	}
	if d.Decision < policy.Allowed || d.Decision > most || d.IfCrawled < policy.Allowed || d.IfCrawled > most {
		report("no decision")
	}
	if len(d.By) == 0 {
		report("decided by nothing")
	}
	seen := map[policy.Rule]bool{}
	for _, rule := range d.By {
		if seen[rule] {
			report("%s twice", rule)
		}
		seen[rule] = true
	}
	if (d.Decision == policy.Conditional) != (len(d.Qualifiers) > 0) {
		report("conditional and qualifiers do not go together")
	}
	decided := map[*policy.Statement]bool{}
	for _, v := range d.Deciding {
		decided[v.Statement] = true
	}
	lost := map[*policy.Statement]bool{}
	for _, v := range d.Lost {
		if !in(v.Rule) {
			report("%s removed a candidate and is not among the rules", v.Rule)
		}
		if decided[v.Statement] || lost[v.Statement] {
			report("line %d lost and decided, or lost twice", v.Statement.Line)
		}
		lost[v.Statement] = true
		if v.Statement.Source == policy.Class || !v.Statement.Status.Decides() {
			report("line %d was no candidate", v.Statement.Line)
		}
	}
	for _, v := range d.Deciding {
		if !in(v.Rule) {
			report("%s decided and is not among the rules", v.Rule)
		}
		if v.Statement.Source == policy.Class || !v.Statement.Status.Decides() {
			report("line %d was no candidate", v.Statement.Line)
		}
		// Expiry, another location and R-DEC-11 make prohibitions of permissions; a prohibition never becomes a
		// permission.
		if d.Decision != policy.Disallowed && v.Statement.Sense == policy.Disallow {
			report("a prohibition permits")
		}
	}
	sets := map[policy.Basis]policy.Rule{
		policy.BasisCrawlProhibited: policy.RuleCrawl, policy.BasisUndetermined: policy.RuleUndetermined,
		policy.BasisExpired:          policy.RuleExpiry,
		policy.BasisLocationMismatch: policy.RuleLocation, policy.BasisReferenceUnresolved: policy.RuleReference,
		policy.BasisUnreachable: policy.RuleREPAnswer, policy.BasisNotCaptured: policy.RuleREPAnswer,
		policy.BasisNotRobots: policy.RuleREPAnswer,
	}
	if u.Family() == terms.FamilyAI {
		sets[policy.BasisCrawlProhibited] = policy.RulePreferenceCrawl
		consistentPreference(report, u, d)
	}
	if rule, ok := sets[d.Basis]; ok && !in(rule) {
		report("%s without %s", d.Basis, rule)
	}
	if u.Family() == terms.FamilyAI {
		return
	}
	consistentBasis(report, d.Basis, d)
	if d.Basis != policy.BasisCrawlProhibited && d.IfCrawled != d.Decision {
		report("only R-DEC-11 hides anything")
	}
	if u == policy.Crawl && d.Basis == policy.BasisCrawlProhibited {
		report("crawl is decided by itself")
	}
	if len(d.Elements) > 0 && d.WithoutElements != policy.Disallowed ||
		len(d.Elements) == 0 && d.WithoutElements != d.Decision {
		report("without elements %s", d.WithoutElements)
	}
}

func consistentBasis(report func(format string, args ...any), basis policy.Basis, d decide.Decision) {
	switch basis {
	case policy.BasisExpired, policy.BasisLocationMismatch, policy.BasisUndetermined, policy.BasisReferenceUnresolved,
		policy.BasisUnreachable, policy.BasisCrawlProhibited:
		if d.Decision != policy.Disallowed {
			report("%s does not disallow", d.Basis)
		}
	case policy.BasisSilence, policy.BasisNotCaptured, policy.BasisNotRobots:
		if d.Decision != policy.Allowed || len(d.Deciding) > 0 {
			report("%s decides", d.Basis)
		}
	case policy.BasisACAPPage, policy.BasisACAPRobots, policy.BasisREPPage, policy.BasisREPRobots:
		if len(d.Deciding) == 0 {
			report("nobody decides")
		}
	default:
		report("no basis")
	}
}

// consistentPreference checks what holds of every decision about an AI preference.
func consistentPreference(report func(format string, args ...any), u policy.Usage, d decide.Decision) {
	stated := d.Basis == policy.BasisAIPage || d.Basis == policy.BasisAIRobots
	if stated != (d.Decision != policy.Unstated) && d.Basis != policy.BasisUndetermined ||
		stated != (len(d.Deciding) > 0) {
		report("stated, and then not")
	}
	for _, v := range slices.Concat(d.Deciding, d.Lost) {
		if v.Statement.Usage != u {
			report("line %d is about %s", v.Statement.Line, v.Statement.Usage)
		}
	}
	for _, v := range d.Deciding {
		if (v.Statement.Sense == policy.Disallow) != (d.Decision == policy.Disallowed) {
			report("line %d decides the opposite", v.Statement.Line)
		}
	}
	if d.IfCrawled != d.Decision && !slices.Contains(d.By, policy.RulePreferenceCrawl) {
		report("only R-PREF-3 hides a preference")
	}
	if d.WithoutElements != d.Decision || len(d.Elements) > 0 || len(d.Qualifiers) > 0 {
		report("elements or conditions of a preference")
	}
}

// lines joins lines into a document.
func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

// acap is a record of ACAP fields under version 1.1 for any crawler; its first rule is on line 3.
func acap(rules ...string) string {
	return lines(append([]string{"##ACAP version=1.1", "ACAP-crawler: *"}, rules...)...)
}

// metas is an HTML page whose METAs, one a line from line 1 on, are given as "NAME: CONTENT".
func metas(list ...string) string {
	var b strings.Builder
	b.WriteString("<html><head>")
	for i, m := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		name, content, _ := strings.Cut(m, ": ")
		fmt.Fprintf(&b, `<meta name="%s" content="%s">`, name, content)
	}
	b.WriteString("</head>\n<body><p>text</p></body></html>\n")
	return b.String()
}
