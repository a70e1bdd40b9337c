package acap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// show writes a statement on one line:
//
//	PLACE.PART FIELD =USAGE RESOURCE [agents] <purposes> {qualifiers} status !defects
//
// without what is empty; the usage that the field names, the agents where they are `*` alone and the status of a valid
// statement are left out too.
func show(s policy.Statement) string {
	var b strings.Builder
	place := int64(s.Line)
	if s.Source != policy.RobotsTxt {
		place = s.Offset
	}
	fmt.Fprintf(&b, "%d.%d %s", place, s.Part, s.Field)
	if s.Usage != policy.NoUsage && s.Field != "acap-"+s.Sense.String()+"-"+s.Usage.String() {
		fmt.Fprintf(&b, " =%s", s.Usage)
	}
	if s.Resource != "" {
		fmt.Fprintf(&b, " %s", s.Resource)
	}
	if len(s.Agents) != 1 || s.Agents[0] != policy.AnyAgent {
		fmt.Fprintf(&b, " %v", s.Agents)
	}
	if len(s.Purposes) > 0 {
		fmt.Fprintf(&b, " <%s>", words(s.Purposes))
	}
	for _, q := range s.Qualifiers {
		fmt.Fprintf(&b, " {%s=%s}", q.Name, q.Value)
	}
	if s.Status != policy.Valid {
		fmt.Fprintf(&b, " %s", s.Status)
	}
	for _, d := range s.Defects {
		fmt.Fprintf(&b, " !%s", d)
	}
	return b.String()
}

func words[T ~string](values []T) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, string(v))
	}
	return strings.Join(texts, " ")
}

// robots reads a robots.txt given as text.
func robots(text string, options Options) *policy.File {
	f := &policy.File{}
	ReadRobots(robotstxt.Parse([]byte(text), robotstxt.Options{}), options, f)
	return f
}

// showFile is the statements of a file, then its findings.
func showFile(f *policy.File) []string {
	var lines []string
	for _, s := range f.Statements {
		lines = append(lines, show(s))
	}
	for _, finding := range f.Findings {
		lines = append(lines, fmt.Sprintf("line %d: %s", finding.Line, finding.Defect))
	}
	return lines
}

// meta is a META as the extractor hands it over.
func meta(offset int64, name, value string) policy.Markup {
	return policy.Markup{Source: policy.Meta, Offset: offset, Name: name, Value: value, Raw: name + ": " + value}
}

// class is a class attribute on a div.
func class(offset int64, value string) policy.Markup {
	return policy.Markup{
		Source: policy.Class, Offset: offset, Value: value, Raw: value, Element: &policy.Element{Name: "div", ID: "x"},
	}
}

// page reads markup.
func page(site *policy.File, options Options, markup ...policy.Markup) *policy.Page {
	p := &policy.Page{}
	ReadPage(markup, site, options, p)
	return p
}

// showPage is the statements of a page, then what it counts of prose.
func showPage(p *policy.Page) []string {
	var lines []string
	for _, s := range p.Statements {
		lines = append(lines, show(s))
	}
	if p.ACAPText > 0 {
		lines = append(lines, fmt.Sprintf("%d acap-text", p.ACAPText))
	}
	return lines
}

func check[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
