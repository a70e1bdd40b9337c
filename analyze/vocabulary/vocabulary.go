// Package vocabulary describes a vocabulary to stage 2: the names that belong to it, and how it reads a robots.txt and
// a page. Each vocabulary is a package with a function Vocabulary; package parse has the list. It decides nothing.
package vocabulary

import (
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// A Vocabulary is a language of statements. Its statements tell package decide all that it needs: a usage has a family,
// and the statements of one family are decided alike, whatever the vocabulary.
type Vocabulary struct {
	ID policy.Vocabulary

	// Fields are the fields of a robots.txt that belong to the vocabulary alone, in lower case. One that ends with '-'
	// stands for all that begin so.
	Fields []string
	// METAs and Headers are the names of METAs and of header fields that belong to the vocabulary alone, in lower case.
	METAs, Headers []string
	// Links says that the link elements among the markup of a page belong to the vocabulary alone.
	Links bool
	// OwnsContent reports whether the content of a META makes it the vocabulary's, whatever its name. Nil: no content.
	OwnsContent func(content string) bool

	// ReadRobots adds the statements of a robots.txt to f. Nil: a robots.txt has none. It is called for the documents
	// of MayBeIn.
	ReadRobots func(doc *robotstxt.Document, options Options, f *policy.File)
	// ReadPage adds the statements of a page to p, from all its markup. Nil: a page has none. It is called for every
	// page if the vocabulary has neither METAs nor Headers, and else for those of MayBeOn. site is the robots.txt in
	// force, or nil.
	ReadPage func(markup []policy.Markup, site *policy.File, options Options, p *policy.Page)
}

// Options choose how all vocabularies read documents. The zero value is the default: every repair of policy.Repairs is
// made, and a repaired statement has the repair's defect.
type Options struct {
	Refuse  []policy.Defect // the refused repairs, of policy.Repairs
	Without policy.RuleSet  // the disabled rules
	// BodyMETAs lets METAs in the body of a page count like those in the head (R-META-1).
	BodyMETAs bool
	// Owned are the names that belong to one vocabulary alone. The conventional reader leaves them to it. Nil: none.
	Owned *Names
}

// Refuses reports whether a repair is refused.
func (o Options) Refuses(repair policy.Defect) bool {
	return slices.Contains(o.Refuse, repair) ||
		o.Without.Has(policy.RuleRepairs) && slices.Contains(policy.Slips(), repair)
}

// Repaired returns the status of a statement that needs a repair.
func (o Options) Repaired(repair policy.Defect) policy.Status {
	if o.Refuses(repair) {
		return policy.Invalid
	}
	return policy.Repaired
}

// AddMarkupDefects adds the defects of the markup of a page that carries a statement, and what they do to its status: a
// repair, or a META in the body (R-META-1).
func (o Options) AddMarkupDefects(st *policy.Statement, m *policy.Markup) {
	if m.SmartQuotes {
		st.AddDefect(policy.DefectSmartQuotes)
		if st.Status == policy.Valid {
			st.Status = o.Repaired(policy.DefectSmartQuotes)
		}
	}
	if m.InBody {
		st.AddDefect(policy.DefectMetaInBody)
		if !o.BodyMETAs && st.Status != policy.Invalid {
			st.Status = policy.Ignored
		}
	}
}

// MayBeIn reports whether a robots.txt with these other fields may have statements of the vocabulary: it has one of its
// Fields, or the vocabulary has none by whole names.
func (v *Vocabulary) MayBeIn(fields map[string]int) bool {
	whole := false
	for _, field := range v.Fields {
		if !isPrefix(field) {
			whole = true
			if fields[field] > 0 {
				return true
			}
		}
	}
	return !whole
}

// ReadsAllPages reports whether no name tells the pages with statements of the vocabulary.
func (v *Vocabulary) ReadsAllPages() bool { return len(v.METAs)+len(v.Headers) == 0 }

// MayBeOn reports whether a page has a META or a header field with one of the names of the vocabulary, or one of its
// links.
func (v *Vocabulary) MayBeOn(markup []policy.Markup) bool {
	return slices.ContainsFunc(markup, func(m policy.Markup) bool {
		switch m.Source {
		case policy.Meta:
			return slices.Contains(v.METAs, nameOf(&m))
		case policy.HTTPHeader:
			return slices.Contains(v.Headers, nameOf(&m))
		}
		return v.Links && m.Source == policy.Link
	})
}

// Names hold which names and contents belong to one of several vocabularies.
type Names struct {
	fields, metas, headers map[string]bool
	prefixes               []string // of fields
	contents               []func(string) bool
	links                  bool
}

// NamesOf returns the names of vocabularies.
func NamesOf(vocabularies ...Vocabulary) *Names {
	n := &Names{fields: map[string]bool{}, metas: map[string]bool{}, headers: map[string]bool{}}
	for _, v := range vocabularies {
		for _, field := range v.Fields {
			if isPrefix(field) {
				n.prefixes = append(n.prefixes, field)
			} else {
				n.fields[field] = true
			}
		}
		for _, name := range v.METAs {
			n.metas[name] = true
		}
		for _, name := range v.Headers {
			n.headers[name] = true
		}
		n.links = n.links || v.Links
		if v.OwnsContent != nil {
			n.contents = append(n.contents, v.OwnsContent)
		}
	}
	return n
}

func isPrefix(field string) bool { return strings.HasSuffix(field, "-") }

// nameOf returns the name of a META or a header field, in lower case.
func nameOf(m *policy.Markup) string { return policy.LowerASCII(strings.TrimSpace(m.Name)) }

// HasField reports whether a field of a robots.txt, in lower case, belongs to one of them by its whole name.
func (n *Names) HasField(name string) bool { return n != nil && n.fields[name] }

// HasPrefix reports whether a field of a robots.txt, in lower case, belongs to one of them by its beginning.
func (n *Names) HasPrefix(name string) bool {
	if n == nil {
		return false
	}
	for _, prefix := range n.prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// HasName reports whether a META or a header field belongs to one of them by its name, or a link element.
func (n *Names) HasName(m *policy.Markup) bool {
	switch {
	case n == nil:
		return false
	case m.Source == policy.HTTPHeader:
		return n.headers[nameOf(m)]
	case m.Source == policy.Link:
		return n.links
	}
	return m.Source == policy.Meta && n.metas[nameOf(m)]
}

// HasMarkup reports whether a META or a header field belongs to one of them, by its name or its content.
func (n *Names) HasMarkup(m *policy.Markup) bool {
	return n.HasName(m) || n != nil && m.Source == policy.Meta &&
		slices.ContainsFunc(n.contents, func(owns func(string) bool) bool { return owns(m.Value) })
}
