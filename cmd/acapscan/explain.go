package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
)

type explainFlags struct {
	readingFlags
	documentFlags
	robots     string
	robotsType string
	status     int
	refers     []string
	page       string
	headers    []string
	url        string
	agent      string
	purpose    string
	usage      string
	at         string
	json       bool
}

func newExplain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain [--robots FILE] [--page FILE] --url URL",
		Short: "Say what a crawler may do with a URL, and why",
		Long: `Say what a crawler may do with a URL, usage by usage, and why: which statements decide, in their own words and in
plain ones; by which rules, with the document and section that each comes from; which statements lost, and to what;
what holds for single elements of the page; where another interpretation of the ACAP specifications gives another
answer; and which purposes change the answer. Usages with the same answer and the same reasons share one paragraph.

Without --robots the site's robots.txt counts as not captured; --robots-status gives the status of an answer without a
file. --referred gives the file of a permissions-reference; without it the contents are not known (R-REF-1). Its
LOCATOR may be a path or a URL. Without --page only the --header fields of the page are known. The agent is any
crawler unless --agent names one. Without --at nothing expires. Without --usage all usages are decided. With
--json there is one object a line for each usage, with all statements and elements; the text shows the first of many.
` + exitStatusText,
		Example: `  acapscan explain --robots robots.txt --url https://example.com/news/ --usage present-snippet
  acapscan explain --robots robots.txt --page page.html --header 'X-Robots-Tag: noindex' \
      --url https://example.com/news/1.html --agent SearchBot1 --at 2012-05-17 --json`,
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout(), cmd.ErrOrStderr()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.robots, "robots", "", "robots.txt of the site, a `FILE`")
	flags.IntVar(&f.status, "robots-status", 0, "HTTP `STATUS` that /robots.txt was answered with instead, such as 404 or 503 (R-REP-3)")
	flags.StringArrayVar(&f.refers, "referred", nil,
		"file that the robots.txt refers to by a permissions-reference, as `LOCATOR=FILE`; repeatable")
	flags.StringVar(&f.page, "page", "", "page as it was captured, a `FILE`")
	flags.StringVar(&f.robotsType, "robots-media-type", "", "media `TYPE` of the robots.txt, as served: its charset may say UTF-16 or UTF-32 (R-LEX-1)")
	flags.StringVar(&f.mediaType, "media-type", "", "media `TYPE` of the page, as served; without it, an XML declaration tells XML (R-PARSE-1)")
	flags.StringArrayVar(&f.headers, "header", nil, "`FIELD` of the page's HTTP header, as 'Name: value'; repeatable")
	flags.StringVar(&f.url, "url", "", "`URL` of the page; needed")
	flags.StringVar(&f.agent, "agent", "*", "`NAME` of the crawler")
	flags.StringVar(&f.purpose, "purpose", "", "`PURPOSE` that it crawls for")
	flags.StringVar(&f.usage, "usage", "", "one `USAGE` only")
	flags.StringVar(&f.at, "at", "", "`TIME` to decide for: a date, or a time as in 2012-05-17T08:30:00Z")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	f.addReading(flags)
	f.addPages(flags)
	f.addDeciding(flags)
	return cmd
}

// An explainQuery is what explain asks, and of what.
type explainQuery struct {
	flags    *explainFlags
	question decide.Question
	agent    policy.Agent
	usages   []policy.Usage

	robots *parse.Robots // nil where there is none to read
	answer decide.Answer
	doc    *document
	page   *policy.Page
	inside map[int64]int64 // elements with class tokens, by offset: the nearest one around

	view    *decide.View
	reading decide.Options
	others  []otherView

	purposes     []purposeView // none where the flags name one
	morePurposes bool          // there are more than maxPurposes
}

// An otherView is the same policy in another reading of the documents.
type otherView struct {
	reading decide.Options
	view    *decide.View
}

// An answer is what an explainQuery came to for one usage.
type answer struct {
	usage policy.Usage
	decide.Decision
	elements []decide.Element
	others   []otherAnswer   // of the other readings, those that differ
	purposes []purposeAnswer // of the purposes that the policy names, those that change the answer
}

type otherAnswer struct {
	reading decide.Options
	decide.Decision
}

func (f *explainFlags) run(stdout, stderr io.Writer) error {
	in, err := f.inquire(stderr)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(stdout)
	if f.json {
		for _, usage := range in.usages {
			if err := writeLine(out, in.explanation(in.decide(usage))); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	if err := in.tell(out); err != nil {
		return err
	}
	return out.Flush()
}

// inquire reads the flags and the files that they name.
func (f *explainFlags) inquire(stderr io.Writer) (*explainQuery, error) {
	in := &explainQuery{flags: f, answer: decide.NotCaptured}
	if err := in.ask(); err != nil {
		return nil, err
	}
	var err error
	if in.reading, err = f.deciding(); err != nil {
		return nil, err
	}
	if err := in.readRobots(stderr); err != nil {
		return nil, err
	}
	var file *policy.File
	if in.robots != nil {
		file = in.robots.File
	}
	if in.doc, err = f.readPage(f.page, f.headers); err != nil {
		return nil, err
	}
	if err := in.refer(file); err != nil {
		return nil, err
	}
	in.page = parse.ReadPage(&in.doc.fact, file, f.reading())
	var offsets []int64
	for i := range in.page.Statements {
		if st := &in.page.Statements[i]; st.Source == policy.Class && st.Status.Decides() {
			offsets = append(offsets, st.Offset)
		}
	}
	in.inside = extract.Nesting(in.doc.body, in.doc.fact.ParsedAs, offsets)

	site := decide.NewSite(file, in.answer, in.reading)
	in.view = site.For(in.agent, f.purpose)
	for _, other := range otherReadings(in.reading) {
		in.others = append(in.others, otherView{other, site.Under(other).For(in.agent, f.purpose)})
	}
	in.viewPurposes(site)
	return in, nil
}

// otherReadings are those that differ from a reading in one choice: the other profile, another reach of other. Of a
// reach that is not the default one, only the default is another.
func otherReadings(opts decide.Options) []decide.Options {
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

// readRobots reads the site's robots.txt, or what was answered in its place (R-REP-3).
func (in *explainQuery) readRobots(stderr io.Writer) error {
	f := in.flags
	switch {
	case f.robots != "" && f.status != 0:
		return usageError{errors.New("--robots and --robots-status exclude each other: a status tells of an answer without a file")}
	case f.robots != "":
		body, err := os.ReadFile(f.robots)
		if err != nil {
			return err
		}
		body = extract.Text(body, f.robotsType, nil)
		if parse.NotRobots(body, f.reading()) {
			in.answer = decide.NotRobots
			// The answer says so, too: a failure to write this is none of the answer's.
			_ = console.Say(stderr, f.robots+" is a page and no robots.txt, so nothing in it counts (R-LEX-7)")
			return nil
		}
		in.robots, in.answer = parse.ReadRobots(body, false, f.reading()), decide.Answered
	case f.status == 0:
	case f.status == http.StatusTooManyRequests, f.status >= 500 && f.status <= 599:
		in.answer = decide.Unreachable
	case f.status >= 400 && f.status <= 499:
		in.answer = decide.Answered
	default:
		return usageError{fmt.Errorf("--robots-status %d is none from 400 to 599", f.status)}
	}
	return nil
}

// maxReferred bounds the statements of a file that a reference leads to: those of 500 KiB are fewer.
const maxReferred = 1 << 20

// refer lets the references of the robots.txt lead to the files given for them (R-REF-1).
func (in *explainQuery) refer(file *policy.File) error {
	for _, given := range in.flags.refers {
		cut := strings.LastIndexByte(given, '=') // a locator may have one too
		if cut < 0 || cut == len(given)-1 {
			return usageError{fmt.Errorf("--referred %q is not of the form LOCATOR=FILE", given)}
		}
		locator, name := given[:cut], given[cut+1:]
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if parse.NotRobots(body, in.flags.reading()) {
			return usageError{fmt.Errorf("--referred %s: the file is a page and no robots.txt (R-LEX-7)", given)}
		}
		statements := parse.ReadRobots(body, false, in.flags.reading()).Statements
		found := false
		for i := 0; file != nil && i < len(file.References); i++ {
			ref := &file.References[i]
			if !in.sameLocator(ref.Locator, locator) {
				continue
			}
			if found = ref.Resolve(statements, maxReferred); !found {
				return fmt.Errorf("%s has more statements than %d", name, maxReferred)
			}
			for j := range ref.Resolved {
				in.doc.referred[&ref.Resolved[j]] = ref
			}
		}
		if !found {
			return usageError{fmt.Errorf("--referred %s: %s", given, noReference(file, locator))}
		}
	}
	return nil
}

// sameLocator tells whether two locators mean the same file of the site: as URLs, after normalisation (RFC 3986 6.2.2).
func (in *explainQuery) sameLocator(a, b string) bool {
	if a == b {
		return true
	}
	base, _ := weburl.Resolve(in.flags.url, "/robots.txt")
	urlA, okA := weburl.Resolve(base, a)
	urlB, okB := weburl.Resolve(base, b)
	return okA && okB && weburl.Equivalent(urlA, urlB)
}

// noReference says that a robots.txt has no reference to a locator, and which references it has. The file may be nil.
func noReference(file *policy.File, locator string) string {
	if file == nil || len(file.References) == 0 {
		return "the robots.txt has no permissions-reference"
	}
	var locators []string
	for i := range file.References {
		if l := file.References[i].Locator; !slices.Contains(locators, l) {
			locators = append(locators, l)
		}
	}
	return fmt.Sprintf("the robots.txt does not refer to %s; it refers to %s", locator, console.List(locators))
}

// decide answers for one usage.
func (in *explainQuery) decide(usage policy.Usage) answer {
	q := in.question
	q.Usage = usage
	a := answer{usage: usage, Decision: in.view.Decide(in.page, q)}
	a.elements = in.view.Elements(in.page, q, func(offset int64) (int64, bool) {
		outer, ok := in.inside[offset]
		return outer, ok
	})
	for _, other := range in.others {
		d := other.view.Decide(in.page, q)
		if d.Decision != a.Decision.Decision || d.Basis != a.Basis || !sameQualifiers(d.Qualifiers, a.Qualifiers) {
			a.others = append(a.others, otherAnswer{other.reading, d})
		}
	}
	a.purposes = in.forPurposes(q, a.Decision)
	return a
}

// sameQualifiers tells whether two lists hold the same conditions, in whatever order.
func sameQualifiers(a, b []policy.Qualifier) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(q policy.Qualifier) bool { return !slices.Contains(b, q) })
}

// explanation is one line of --json.
type explanation struct {
	URL             string          `json:"url"`
	Agent           string          `json:"agent"`
	Purpose         *string         `json:"purpose"`
	Usage           string          `json:"usage"`
	Decision        string          `json:"decision"`
	IfCrawled       string          `json:"decision_if_crawled"`
	WithoutElements string          `json:"decision_without_elements"`
	Basis           string          `json:"basis"`
	DecidedBy       []policy.Rule   `json:"decided_by"`
	Qualifiers      []jsonQualifier `json:"qualifiers"`
	Deciding        []jsonVerdict   `json:"deciding"`
	Lost            []jsonVerdict   `json:"lost"`
	Elements        []jsonElement   `json:"elements"`
	OtherReadings   []jsonReading   `json:"other_readings"`
	OtherPurposes   []jsonPurpose   `json:"other_purposes"`
}

type jsonQualifier struct {
	Name  policy.QualifierName `json:"name"`
	Value string               `json:"value"`
}

// jsonVerdict is a statement that decided or lost. Line is that of the robots.txt or of the page's file; null for a
// header field. Locator is that of the referred file that it stands in.
type jsonVerdict struct {
	Source  string      `json:"source"`
	Locator *string     `json:"locator,omitempty"`
	Line    *int        `json:"line"`
	Raw     string      `json:"raw"`
	Rule    policy.Rule `json:"rule"`
}

// jsonElement is a class token that touches the usage, and what holds for the element that it stands on, which is the
// same for all its tokens. Inside is the offset of the nearest element with class tokens around it; null where there is
// none.
type jsonElement struct {
	Name       string          `json:"name"`
	ID         *string         `json:"id"`
	Offset     int64           `json:"offset"`
	Usage      string          `json:"usage"`
	Sense      string          `json:"sense"`
	Line       *int            `json:"line"`
	Inside     *int64          `json:"inside"`
	Decision   string          `json:"decision"`
	DecidedBy  []policy.Rule   `json:"decided_by"`
	Qualifiers []jsonQualifier `json:"qualifiers"`
	Deciding   []jsonVerdict   `json:"deciding"`
}

// jsonReading is what another reading of the documents answers, where that differs.
type jsonReading struct {
	Profile string `json:"profile"`
	Other   string `json:"other"`
	jsonDecision
}

// jsonPurpose is the decision for a purpose that the policy names, where it differs from the decision without a
// purpose.
type jsonPurpose struct {
	Purpose string `json:"purpose"`
	jsonDecision
}

// jsonDecision is what a decision under other conditions rests on.
type jsonDecision struct {
	Decision   string          `json:"decision"`
	Basis      string          `json:"basis"`
	DecidedBy  []policy.Rule   `json:"decided_by"`
	Qualifiers []jsonQualifier `json:"qualifiers"`
	Deciding   []jsonVerdict   `json:"deciding"`
}

func (in *explainQuery) jsonDecision(d decide.Decision) jsonDecision {
	return jsonDecision{
		Decision: d.Decision.String(), Basis: d.Basis.String(), DecidedBy: d.By, Qualifiers: jsonQualifiers(d.Qualifiers),
		Deciding: verdicts(d.Deciding, in.doc),
	}
}

// ask reads the flags that ask.
func (in *explainQuery) ask() error {
	f := in.flags
	if f.url == "" {
		return usageError{errors.New("--url is missing")}
	}
	u, ok := weburl.Split(f.url)
	if !ok {
		return usageError{fmt.Errorf("--url %q is no http or https URL", f.url)}
	}
	in.question = decide.Question{URL: f.url, Path: policy.ReadPath(u.PathQuery(), f.without.rules)}
	if f.at != "" {
		at, err := parseTime(f.at)
		if err != nil {
			return usageError{err}
		}
		in.question.At = at
	}
	in.usages = policy.Usages()
	if f.usage != "" {
		usage, ok := policy.ParseUsage(f.usage)
		if !ok {
			all := strings.Join(terms.Names[terms.Usage](), ", ")
			return usageError{fmt.Errorf("--usage %q is none of the usages %s", f.usage, all)}
		}
		in.usages = []policy.Usage{usage}
	}
	if in.agent, _ = policy.ReadAgent(f.agent, f.without.rules); in.agent == "" {
		return usageError{errors.New("--agent is empty")}
	}
	return nil
}

func parseTime(s string) (time.Time, error) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, s, time.UTC); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--at %q is no date such as 2012-05-17 and no time such as 2012-05-17T08:30:00Z", s)
}

func (in *explainQuery) explanation(a answer) explanation {
	f := in.flags
	e := explanation{
		URL: f.url, Agent: f.agent, Purpose: optional(f.purpose), Usage: a.usage.String(), Decision: a.Decision.Decision.String(),
		IfCrawled: a.IfCrawled.String(), WithoutElements: a.WithoutElements.String(), Basis: a.Basis.String(), DecidedBy: a.By,
		Qualifiers: jsonQualifiers(a.Qualifiers), Deciding: verdicts(a.Deciding, in.doc), Lost: verdicts(a.Lost, in.doc),
		Elements: []jsonElement{}, OtherReadings: []jsonReading{}, OtherPurposes: []jsonPurpose{},
	}
	for i, next := 0, 0; i < len(a.Decision.Elements); i++ {
		st := a.Decision.Elements[i]
		for a.elements[next].Offset != st.Offset {
			next++
		}
		e.Elements = append(e.Elements, in.element(st, &a.elements[next]))
	}
	for _, o := range a.others {
		e.OtherReadings = append(e.OtherReadings, jsonReading{
			o.reading.Profile.String(), o.reading.Other.String(), in.jsonDecision(o.Decision),
		})
	}
	for _, p := range a.purposes {
		e.OtherPurposes = append(e.OtherPurposes, jsonPurpose{p.purpose, in.jsonDecision(p.Decision)})
	}
	return e
}

// element writes a class token with what holds for its element.
func (in *explainQuery) element(token *policy.Statement, e *decide.Element) jsonElement {
	out := jsonElement{
		Name: token.Element.Name, ID: optional(token.Element.ID), Offset: token.Offset, Usage: token.Usage.String(), Sense: token.Sense.String(),
		Line: in.doc.line(token), Decision: e.Decision.String(), DecidedBy: e.By, Qualifiers: jsonQualifiers(e.Qualifiers),
		Deciding: verdicts(e.Deciding, in.doc),
	}
	if outer, ok := in.inside[token.Offset]; ok {
		out.Inside = &outer
	}
	return out
}

func jsonQualifiers(list []policy.Qualifier) []jsonQualifier {
	out := []jsonQualifier{}
	for _, q := range list {
		out = append(out, jsonQualifier{q.Name, q.Value})
	}
	return out
}

func verdicts(list []decide.Verdict, doc *document) []jsonVerdict {
	out := []jsonVerdict{}
	for _, v := range list {
		out = append(out, jsonVerdict{Source: v.Statement.Source.String(), Locator: doc.locator(v.Statement), Line: doc.line(v.Statement), Raw: v.Statement.Raw, Rule: v.Rule})
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// writeLine writes one JSON object on a line of its own; '<' stays '<'.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
