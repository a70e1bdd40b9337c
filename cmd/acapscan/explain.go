package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/weburl"
)

type explainFlags struct {
	readingFlags
	documentFlags
	robots  string
	page    string
	headers []string
	url     string
	agent   string
	purpose string
	usage   string
	at      string
	json    bool
}

func newExplain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain [--robots FILE] [--page FILE] --url URL",
		Short: "Say what a crawler may do with a URL, and why",
		Long: `Say what a crawler may do with a URL, usage by usage, and which statements and rules decide it.

Without --robots the site's robots.txt counts as not captured. Without --page nothing is known of the page but its
--header fields. The agent is any crawler unless --agent names one. Without --at nothing expires. Without --usage all
sixteen usages are decided. With --json there is one object a line for each usage.
` + exitStatusText,
		Example: `  acapscan explain --robots robots.txt --url https://example.com/news/ --usage present-snippet
  acapscan explain --robots robots.txt --page page.html --header 'X-Robots-Tag: noindex' \
      --url https://example.com/news/1.html --agent SearchBot1 --at 2012-05-17 --json`,
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout(), cmd.ErrOrStderr()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.robots, "robots", "", "robots.txt of the site, a `FILE`")
	flags.StringVar(&f.page, "page", "", "page as it was captured, a `FILE`")
	flags.StringVar(&f.mediaType, "media-type", "", "media `TYPE` of the page, as served; without it, an XML declaration tells XML (R-PARSE-1)")
	flags.StringArrayVar(&f.headers, "header", nil, "`FIELD` of the page's HTTP header, as 'Name: value'; repeatable")
	flags.StringVar(&f.url, "url", "", "`URL` of the page; needed")
	flags.StringVar(&f.agent, "agent", "*", "`NAME` of the crawler")
	flags.StringVar(&f.purpose, "purpose", "", "`PURPOSE` that it crawls for")
	flags.StringVar(&f.usage, "usage", "", "one `USAGE` only")
	flags.StringVar(&f.at, "at", "", "`TIME` to decide for: a date, or a time as in 2012-05-17T08:30:00Z")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	f.addReading(flags)
	f.addDeciding(flags)
	return cmd
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
}

type jsonQualifier struct {
	Name  policy.QualifierName `json:"name"`
	Value string               `json:"value"`
}

// jsonVerdict is a statement that decided or lost. Line is that of the robots.txt or of the page's file; null for a header field.
type jsonVerdict struct {
	Source string      `json:"source"`
	Line   *int        `json:"line"`
	Raw    string      `json:"raw"`
	Rule   policy.Rule `json:"rule"`
}

type jsonElement struct {
	Name   string  `json:"name"`
	ID     *string `json:"id"`
	Offset int64   `json:"offset"`
	Usage  string  `json:"usage"`
	Sense  string  `json:"sense"`
}

func (f *explainFlags) run(stdout, stderr io.Writer) error {
	question, agent, usages, err := f.question()
	if err != nil {
		return err
	}
	opts, err := f.deciding()
	if err != nil {
		return err
	}
	var robots *policy.File
	answer := decide.NotCaptured
	if f.robots != "" {
		body, err := os.ReadFile(f.robots)
		if err != nil {
			return err
		}
		if reading.NotRobots(body, f.reading()) {
			fmt.Fprintf(stderr, "acapscan: %s is a page and no robots.txt, so it counts as not captured (R-LEX-7)\n", f.robots)
		} else {
			robots, answer = reading.ReadRobots(body, false, f.reading()).File, decide.Answered
		}
	}
	doc, err := f.readPage(f.page, f.headers)
	if err != nil {
		return err
	}
	page := reading.ReadPage(&doc.fact, robots, f.reading())
	view := decide.NewSite(robots, answer, opts).For(agent, f.purpose)

	out := bufio.NewWriter(stdout)
	for _, usage := range usages {
		question.Usage = usage
		d := view.Decide(page, question)
		if f.json {
			err = writeLine(out, f.explanation(d, usage, doc))
		} else {
			err = f.tell(out, d, usage, doc)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// question reads the flags that ask.
func (f *explainFlags) question() (q decide.Question, agent policy.Agent, usages []policy.Usage, err error) {
	if f.url == "" {
		return q, "", nil, usageError{errors.New("--url is missing")}
	}
	u, ok := weburl.Split(f.url)
	if !ok {
		return q, "", nil, usageError{fmt.Errorf("--url %q is no http or https URL", f.url)}
	}
	q = decide.Question{URL: f.url, Path: policy.NormalizePath(u.PathQuery())}
	if f.at != "" {
		if q.At, err = parseTime(f.at); err != nil {
			return q, "", nil, usageError{err}
		}
	}
	usages = policy.Usages()
	if f.usage != "" {
		usage, ok := policy.ParseUsage(f.usage)
		if !ok {
			return q, "", nil, usageError{fmt.Errorf("--usage %q is none of the sixteen usages", f.usage)}
		}
		usages = []policy.Usage{usage}
	}
	agent, _ = policy.ParseAgent(f.agent)
	if agent == "" {
		return q, "", nil, usageError{errors.New("--agent is empty")}
	}
	return q, agent, usages, nil
}

func parseTime(s string) (time.Time, error) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, s, time.UTC); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--at %q is no date such as 2012-05-17 and no time such as 2012-05-17T08:30:00Z", s)
}

func (f *explainFlags) explanation(d decide.Decision, usage policy.Usage, doc *document) explanation {
	e := explanation{
		URL: f.url, Agent: f.agent, Usage: usage.String(), Decision: d.Decision.String(), IfCrawled: d.IfCrawled.String(),
		WithoutElements: d.WithoutElements.String(), Basis: d.Basis.String(), DecidedBy: d.By,
		Qualifiers: []jsonQualifier{}, Deciding: verdicts(d.Deciding, doc), Lost: verdicts(d.Lost, doc), Elements: []jsonElement{},
	}
	if f.purpose != "" {
		e.Purpose = &f.purpose
	}
	for _, q := range d.Qualifiers {
		e.Qualifiers = append(e.Qualifiers, jsonQualifier{q.Name, q.Value})
	}
	for _, st := range d.Elements {
		e.Elements = append(e.Elements, jsonElement{
			Name: st.Element.Name, ID: optional(st.Element.ID), Offset: st.Offset, Usage: st.Usage.String(), Sense: st.Sense.String(),
		})
	}
	return e
}

func verdicts(list []decide.Verdict, doc *document) []jsonVerdict {
	out := []jsonVerdict{}
	for _, v := range list {
		out = append(out, jsonVerdict{Source: v.Statement.Source.String(), Line: doc.line(v.Statement), Raw: v.Statement.Raw, Rule: v.Rule})
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

// tell says a decision in words that a publisher understands.
func (f *explainFlags) tell(w io.Writer, d decide.Decision, usage policy.Usage, doc *document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", usage, decisionWords(d, usage))
	fmt.Fprintf(&b, "  because %s\n", basisWords[d.Basis])
	for _, v := range d.Deciding {
		fmt.Fprintf(&b, "    %s\n", doc.quote(v.Statement))
	}
	for _, q := range d.Qualifiers {
		fmt.Fprintf(&b, "  on condition: %s = %s\n", printable(string(q.Name)), printable(q.Value))
	}
	for _, rule := range d.By {
		fmt.Fprintf(&b, "  rule %s: %s\n", rule, ruleWords(rule))
	}
	for _, v := range d.Lost {
		fmt.Fprintf(&b, "  set aside by %s: %s\n", v.Rule, doc.quote(v.Statement))
	}
	if d.IfCrawled != d.Decision {
		fmt.Fprintf(&b, "  if it could be crawled: %s\n", d.IfCrawled)
	}
	for _, st := range d.Elements {
		fmt.Fprintf(&b, "  but the element <%s>%s says: %s %s\n", printable(st.Element.Name), elementID(st.Element), st.Sense, st.Usage)
	}
	if len(d.Elements) > 0 {
		fmt.Fprintf(&b, "  a crawler that cannot act on elements: %s\n", d.WithoutElements)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func elementID(e *policy.Element) string {
	if e.ID == "" {
		return ""
	}
	return fmt.Sprintf(" (id %q)", e.ID)
}

func decisionWords(d decide.Decision, usage policy.Usage) string {
	switch d.Decision {
	case policy.Allowed:
		return "allowed"
	case policy.Conditional:
		return "allowed under conditions"
	}
	return "not allowed"
}
