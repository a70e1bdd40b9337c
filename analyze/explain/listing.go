package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/console"
)

// A Listing has the statements of a robots.txt or of a page, and what is wrong with them.
type Listing struct {
	doc        *Document
	kind       string // robots.txt or page
	version    policy.Version
	statements []policy.Statement
	findings   []policy.Finding // of the file, and of no statement
	lines      int              // of a robots.txt
	file       *policy.File     // nil for a page
}

// ListRobots lists a robots.txt.
func ListRobots(doc *Document, opts parse.Options) *Listing {
	r := parse.ReadRobots(doc.Body, false, opts)
	return &Listing{doc, "robots.txt", r.Version, r.Statements, r.Findings, r.Lines, r.File}
}

// ListPage lists a page.
func ListPage(doc *Document, opts parse.Options) *Listing {
	page := parse.ReadPage(&doc.Fact, nil, opts)
	l := &Listing{doc: doc, kind: "page", version: page.Version, statements: page.Statements}
	for _, code := range doc.Fact.Defects {
		l.findings = append(l.findings, policy.Finding{Defect: policy.Defect(code)})
	}
	return l
}

// Defects counts the defects.
func (l *Listing) Defects() int {
	n := len(l.findings)
	for i := range l.statements {
		n += len(l.statements[i].Defects)
	}
	return n
}

// jsonStatement has the names of the columns of table directives.
type jsonStatement struct {
	Type        string             `json:"type"`
	File        string             `json:"file"`
	Source      string             `json:"source"`
	Vocabulary  string             `json:"vocabulary"`
	Line        *int               `json:"line"`
	ByteOffset  *int64             `json:"byte_offset"`
	Part        int                `json:"part"`
	ElementName *string            `json:"element_name"`
	ElementID   *string            `json:"element_id"`
	Field       string             `json:"field"`
	Agents      []policy.Agent     `json:"agents"`
	Purposes    []policy.Purpose   `json:"purposes"`
	Sense       *string            `json:"sense"`
	Usage       *string            `json:"usage"`
	Resource    *string            `json:"resource"`
	Qualifiers  []policy.Qualifier `json:"qualifiers"`
	Status      string             `json:"status"`
	Defects     []policy.Defect    `json:"defects"`
	ManagedBy   *string            `json:"managed_by"`
	Raw         string             `json:"raw"`
}

type jsonFile struct {
	Type        string        `json:"type"`
	File        string        `json:"file"`
	Kind        string        `json:"kind"`
	ACAPVersion *string       `json:"acap_version"`
	Lines       *int          `json:"lines"`
	Statements  int           `json:"statements"`
	Defects     []jsonFinding `json:"defects"`
}

type jsonFinding struct {
	Code policy.Defect `json:"code"`
	Line *int          `json:"line"`
}

// WriteJSON writes an object a line: the statements, and then the file.
func (l *Listing) WriteJSON(w io.Writer) error {
	for i := range l.statements {
		if err := writeLine(w, l.jsonStatement(&l.statements[i])); err != nil {
			return err
		}
	}
	file := jsonFile{
		Type: "file", File: l.doc.Name, Kind: l.kind, ACAPVersion: optional(l.version.Text),
		Statements: len(l.statements), Defects: []jsonFinding{},
	}
	if l.kind == "robots.txt" {
		file.Lines = &l.lines
	}
	for _, f := range l.findings {
		found := jsonFinding{Code: f.Defect}
		if f.Line > 0 {
			found.Line = &f.Line
		}
		file.Defects = append(file.Defects, found)
	}
	return writeLine(w, file)
}

func (l *Listing) jsonStatement(st *policy.Statement) jsonStatement {
	out := jsonStatement{
		Type: "statement", File: l.doc.Name, Source: st.Source.String(), Vocabulary: st.Vocabulary.String(),
		Part: st.Part, Field: st.Field, Agents: orEmpty(st.Agents), Purposes: orEmpty(st.Purposes),
		Sense: optional(st.Sense.String()), Usage: optional(st.Usage.String()), Resource: optional(st.Resource),
		Qualifiers: orEmpty(st.Qualifiers), Status: st.Status.String(), Defects: sortedDefects(st.Defects), Raw: st.Raw,
	}
	if st.Source == policy.RobotsTxt {
		out.Line, out.ManagedBy = &st.Line, optional(l.file.ManagedBy(st.Line))
	} else {
		out.ByteOffset = &st.Offset
	}
	if st.Element != nil {
		out.ElementName, out.ElementID = optional(st.Element.Name), optional(st.Element.ID)
	}
	return out
}

// sortedDefects lists defects as the tables do: each once, sorted.
func sortedDefects(list []policy.Defect) []policy.Defect {
	return orEmpty(slices.Compact(slices.Sorted(slices.Values(list))))
}

// WriteText writes the file, a statement a line, and the defects of the file.
func (l *Listing) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", console.Printable(l.doc.Name), l.kind, console.Plural(len(l.statements), "statement"))
	if l.version.Stated() {
		fmt.Fprintf(&b, ", ACAP version %s", console.Printable(l.version.Text))
	}
	b.WriteString("\n")
	for i := range l.statements {
		st := &l.statements[i]
		fmt.Fprintf(&b, "  %-8s %s", st.Status, l.doc.quote(st))
		// One META, or one name that a robots.txt defines, may have several statements.
		if st.Usage != 0 && (st.Source != policy.RobotsTxt || strings.Contains(st.Field, "(")) {
			fmt.Fprintf(&b, ": %s %s", st.Sense, st.Usage)
		}
		if len(st.Defects) > 0 {
			fmt.Fprintf(&b, "  [%s]", console.Join(sortedDefects(st.Defects), ", "))
		}
		b.WriteString("\n")
	}
	for _, f := range l.findings {
		b.WriteString("  defect   ")
		if f.Line > 0 {
			fmt.Fprintf(&b, "line %d: ", f.Line)
		}
		fmt.Fprintln(&b, f.Defect)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
