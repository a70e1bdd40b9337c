// Package rsl records the licences of Really Simple Licensing that a robots.txt, a header or a page names (R-RSL-1). It
// fetches nothing and decides nothing.
package rsl

import (
	"net/url"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Vocabulary describes RSL.
func Vocabulary() vocabulary.Vocabulary {
	return vocabulary.Vocabulary{
		ID: policy.RSL, Fields: []string{license}, Headers: []string{linkField}, Links: true,
		ReadRobots: readRobots, ReadPage: readPage,
	}
}

const (
	license    = "license"
	documented = "License" // the same, as its vendor writes it
	linkField  = "link"
)

// readRobots adds the License fields of a robots.txt. They belong to no group: all crawlers are addressed.
func readRobots(doc *robotstxt.Document, options vocabulary.Options, f *policy.File) {
	if options.Without.Has(policy.RuleLicence) {
		return
	}
	exact := options.Without.Has(policy.RuleFieldCase)
	for line := range doc.Lines() {
		if line.FieldIs(license) && !(exact && line.Field != documented) {
			st := statement(policy.RobotsTxt, line.Value, line.Raw)
			st.Line, st.Offset = line.Number, -1
			if line.NBSP {
				st.AddDefect(policy.DefectNBSP)
			}
			f.Statements = append(f.Statements, st)
		}
	}
}

// readPage adds the licences that links of a page and of its header name.
func readPage(markup []policy.Markup, _ *policy.File, options vocabulary.Options, p *policy.Page) {
	if options.Without.Has(policy.RuleLicence) {
		return
	}
	for _, m := range markup {
		switch {
		case m.Source == policy.Link:
			st := statement(m.Source, strings.Trim(m.Value, blanks), m.Raw)
			st.Offset = m.Offset
			p.Statements = append(p.Statements, st)
		case m.Source == policy.HTTPHeader && strings.EqualFold(strings.TrimSpace(m.Name), linkField):
			part := 0
			for _, l := range readLinks(m.Value) {
				if l.anchored || !isLicence(l.rel, l.mediaType) {
					continue
				}
				part++
				st := statement(m.Source, strings.Trim(l.target, blanks), m.Raw)
				st.Offset, st.Part = m.Offset, part
				p.Statements = append(p.Statements, st)
			}
		}
	}
}

// statement returns the statement of a licence, without its place. In a robots.txt RSL wants an absolute URL.
func statement(source policy.Source, uri, raw string) policy.Statement {
	st := policy.Statement{
		Vocabulary: policy.RSL, Source: source, Part: 1, Field: license, Resource: uri,
		Agents: []policy.Agent{policy.AnyAgent}, Status: policy.Recorded, Raw: raw,
	}
	if u, err := url.Parse(uri); err != nil || uri == "" || source == policy.RobotsTxt &&
		(u.Scheme == "" || u.Host == "") {
		st.AddDefect(policy.DefectLicenceSyntax)
	}
	return st
}
