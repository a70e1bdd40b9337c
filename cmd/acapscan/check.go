package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/internal/console"
)

type checkFlags struct {
	readingFlags
	documentFlags
	json   bool
	failOn string
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "List the statements of a robots.txt or a page, and what is wrong with them",
		Long: `List the statements of robots.txt files and pages, with their status and defects. Which of the two a file is tells its
content (R-LEX-7). With --json there is one object a line: type "statement", with the names of the columns of table
directives, or type "file". A class token that names a local usage is undefined here: its robots.txt is not at hand.

EXIT STATUS
  0    done
  1    failed; or there are defects, under --fail-on defects
  2    wrong usage
  130  interrupted
`,
		Example: "  acapscan check robots.txt\n  acapscan check --json --fail-on defects robots.txt page.html",
		Args:    atLeast(1, "a file to check"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(args, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.mediaType, "media-type", "", "media `TYPE` of the pages, as served; without it, an XML declaration tells XML (R-PARSE-1)")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	flags.StringVar(&f.failOn, "fail-on", "", "`defects`: exit 1 if there are any")
	f.addReading(flags)
	f.addPages(flags)
	return cmd
}

func (f *checkFlags) run(files []string, stdout io.Writer) error {
	if f.failOn != "" && f.failOn != "defects" {
		return usageError{fmt.Errorf("--fail-on is defects, not %q", f.failOn)}
	}
	out := bufio.NewWriter(stdout)
	found := 0
	for _, file := range files {
		c, err := f.check(file)
		if err != nil {
			return err
		}
		found += c.defects()
		if f.json {
			err = c.writeJSON(out)
		} else {
			err = c.writeText(out)
		}
		if err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if found > 0 && f.failOn == "defects" {
		return statusError{exitFailed, fmt.Errorf("%s found", console.Plural(found, "defect"))}
	}
	return nil
}

// checked is a file that was read.
type checked struct {
	name       string
	kind       string // robots.txt or page
	version    policy.Version
	statements []policy.Statement
	findings   []policy.Finding
	codes      []string // defects of a page as a whole
	lines      int
	doc        *document
}

func (f *checkFlags) check(file string) (*checked, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	body = extract.Text(body, f.mediaType, nil) // a mark tells the rest
	if !parse.NotRobots(body, f.reading()) {
		r := parse.ReadRobots(body, false, f.reading())
		return &checked{
			name: file, kind: "robots.txt", version: r.Version, statements: r.Statements, findings: r.Findings, lines: r.Lines,
			doc: &document{body: body},
		}, nil
	}
	doc, err := f.readPage(file, nil)
	if err != nil {
		return nil, err
	}
	page := parse.ReadPage(&doc.fact, nil, f.reading())
	return &checked{
		name: file, kind: "page", version: page.Version, statements: page.Statements, codes: doc.fact.Defects, doc: doc,
	}, nil
}

func (c *checked) defects() int {
	n := len(c.findings) + len(c.codes)
	for i := range c.statements {
		n += len(c.statements[i].Defects)
	}
	return n
}

// jsonStatement has the names of the columns of table directives.
type jsonStatement struct {
	Type        string           `json:"type"`
	File        string           `json:"file"`
	Source      string           `json:"source"`
	Vocabulary  string           `json:"vocabulary"`
	Line        *int             `json:"line"`
	ByteOffset  *int64           `json:"byte_offset"`
	Part        int              `json:"part"`
	ElementName *string          `json:"element_name"`
	ElementID   *string          `json:"element_id"`
	Field       string           `json:"field"`
	Agents      []policy.Agent   `json:"agents"`
	Purposes    []policy.Purpose `json:"purposes"`
	Sense       *string          `json:"sense"`
	Usage       *string          `json:"usage"`
	Resource    *string          `json:"resource"`
	Qualifiers  []jsonQualifier  `json:"qualifiers"`
	Status      string           `json:"status"`
	Defects     []policy.Defect  `json:"defects"`
	Raw         string           `json:"raw"`
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

// jsonFinding is a defect of the file that belongs to none of its statements.
type jsonFinding struct {
	Code string `json:"code"`
	Line *int   `json:"line"`
}

func (c *checked) writeJSON(w io.Writer) error {
	for i := range c.statements {
		if err := writeLine(w, c.statement(&c.statements[i])); err != nil {
			return err
		}
	}
	file := jsonFile{
		Type: "file", File: c.name, Kind: c.kind, ACAPVersion: optional(c.version.Text), Statements: len(c.statements), Defects: []jsonFinding{},
	}
	if c.kind == "robots.txt" {
		file.Lines = &c.lines
	}
	for _, finding := range c.findings {
		found := jsonFinding{Code: string(finding.Defect)}
		if finding.Line > 0 {
			found.Line = &finding.Line
		}
		file.Defects = append(file.Defects, found)
	}
	for _, code := range c.codes {
		file.Defects = append(file.Defects, jsonFinding{Code: code})
	}
	return writeLine(w, file)
}

func (c *checked) statement(st *policy.Statement) jsonStatement {
	out := jsonStatement{
		Type: "statement", File: c.name, Source: st.Source.String(), Vocabulary: st.Vocabulary.String(), Part: st.Part, Field: st.Field,
		Agents: orEmpty(st.Agents), Purposes: orEmpty(st.Purposes), Sense: optional(st.Sense.String()), Usage: optional(st.Usage.String()),
		Resource: optional(st.Resource), Qualifiers: []jsonQualifier{}, Status: st.Status.String(), Defects: sortedDefects(st.Defects), Raw: st.Raw,
	}
	if st.Source == policy.RobotsTxt {
		out.Line = &st.Line
	} else {
		out.ByteOffset = &st.Offset
	}
	if st.Element != nil {
		out.ElementName, out.ElementID = optional(st.Element.Name), optional(st.Element.ID)
	}
	for _, q := range st.Qualifiers {
		out.Qualifiers = append(out.Qualifiers, jsonQualifier{q.Name, q.Value})
	}
	return out
}

// orEmpty makes a missing list an empty one, so that JSON has [] and never null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// sortedDefects lists defects as the tables do: each once, sorted.
func sortedDefects(list []policy.Defect) []policy.Defect {
	list = slices.Clone(list)
	slices.Sort(list)
	return orEmpty(slices.Compact(list))
}

func (c *checked) writeText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", console.Printable(c.name), c.kind, console.Plural(len(c.statements), "statement"))
	if c.version.Stated() {
		fmt.Fprintf(&b, ", ACAP version %s", console.Printable(c.version.Text))
	}
	b.WriteString("\n")
	for i := range c.statements {
		st := &c.statements[i]
		fmt.Fprintf(&b, "  %-8s %s", st.Status, c.doc.quote(st))
		// One META, or one name that a robots.txt defines, may say several things.
		if st.Usage != 0 && (st.Source != policy.RobotsTxt || strings.Contains(st.Field, "(")) {
			fmt.Fprintf(&b, ": %s %s", st.Sense, st.Usage)
		}
		if len(st.Defects) > 0 {
			fmt.Fprintf(&b, "  [%s]", joinCodes(sortedDefects(st.Defects), ", "))
		}
		b.WriteString("\n")
	}
	for _, finding := range c.findings {
		if finding.Line > 0 {
			fmt.Fprintf(&b, "  defect   line %d: %s\n", finding.Line, finding.Defect)
		} else {
			fmt.Fprintf(&b, "  defect   %s\n", finding.Defect)
		}
	}
	for _, code := range c.codes {
		fmt.Fprintf(&b, "  defect   %s\n", code)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
