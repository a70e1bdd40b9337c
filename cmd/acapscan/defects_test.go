package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/output/table"
)

// defectSources are the files whose constants are the codes, in the order of docs/defects.md.
var defectSources = []string{
	"analyze/policy/defect.go", "ingest/archive/defect.go", "ingest/capture/capture.go",
	"ingest/extract/markup/findings.go",
}

// allDefects are the codes that can stand in the tables, in the order of docs/defects.md.
func allDefects(t *testing.T) (all []string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", defectSources[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t\w+ +Defect = "(.+)"$`).FindAllStringSubmatch(string(source), -1) {
		all = append(all, m[1])
	}
	return slices.Concat(all, codes(archive.Defects()), codes(capture.Defects()), codes(markup.Defects()))
}

func codes[D ~string](defects []D) []string {
	var all []string
	for _, d := range defects {
		all = append(all, string(d))
	}
	return all
}

const defectsHead = `# Defects

<!-- Made from comments of constants by "go test ./cmd/acapscan -run TestDefectsDocument -update". Do not edit. -->

A defect is the code of an error in a document or an archive. Codes are stable: they stand in the tables. Each statement,
file, page or record counts a code once. In brackets stand where a code is counted, and its rules.

| where | columns |
|---|---|
| statement | ${defects}$ of table ${directives}$; also that of ${robots}$ or ${pages}$ if the file or page has a row |
| file | ${defects}$ of table ${robots}$ |
| page | ${defects}$ of table ${pages}$; ${acap-text}$ is counted in ${acap_text}$ |
| record | ${inputs.defects}$ counts by input; rows of ${robots}$ and ${pages}$ have the codes of their captures |

${acapscan check}$ prints the defects of statements, files and pages with their lines, also as JSON (${--json}$).

## Switches

Repaired defects let the statement decide. ${--refuse CODE}$ makes such a statement ${invalid}$; the codes are
REPAIRS.
${--strict}$ refuses those of R-LEX-6, as ${--without R-LEX-6}$ does. For other defects, leave out the rule:
${--without RULE}$ ([rules.md](rules.md)).
`

// defectComment matches the comment of a constant of package policy: where it is counted, its rules, and the text.
var defectComment = regexp.MustCompile(`^((?:(?:statement|file|page)(?:, )?)+) \(((?:R-[A-Z]+-[0-9]+(?:, )?)+)\): ` +
	`(.+)$`)

// defectsDocument writes docs/defects.md from the comments of the constants, a section for each block of them.
func defectsDocument(t *testing.T) []byte {
	var b bytes.Buffer
	repairs := "`" + strings.Join(codes(policy.Repairs()), "`, `") + "`"
	b.WriteString(strings.NewReplacer("${", "`", "}$", "`", "REPAIRS", repairs).Replace(defectsHead))
	var written []string
	for _, name := range defectSources {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		place := map[string]string{"archive": "record", "capture": "record", "markup": "page"}[file.Name.Name]
		for _, decl := range file.Decls {
			block, ok := decl.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST || !isDefects(block) {
				continue
			}
			heading := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(block.Doc.Text()), "Defects of "), ".")
			fmt.Fprintf(&b, "\n## %s%s\n\n", strings.ToUpper(heading[:1]), heading[1:])
			if place != "" {
				fmt.Fprintf(&b, "Counted for the %s.\n\n", place)
			}
			for _, spec := range block.Specs {
				value := spec.(*ast.ValueSpec)
				code, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				written = append(written, code)
				text := strings.Join(strings.Fields(value.Doc.Text()), " ")
				text = regexp.MustCompile(` \((?:Options|facts)\.\w+\)`).ReplaceAllString(text, "")
				if place != "" {
					fmt.Fprintf(&b, "- `%s`: %s\n", code, text)
					continue
				}
				parts := defectComment.FindStringSubmatch(text)
				if parts == nil {
					t.Fatalf("%s: the comment is not of the form \"file, statement (R-LEX-1): text\": %q", code, text)
				}
				for rule := range strings.SplitSeq(parts[2], ", ") {
					if _, ok := policy.ParseRule(rule); !ok {
						t.Errorf("%s: there is no rule %s", code, rule)
					}
				}
				fmt.Fprintf(&b, "- `%s` (%s; %s): %s\n", code, parts[1], parts[2],
					strings.ReplaceAll(parts[3], "*", `\*`))
			}
		}
	}
	if diff := cmp.Diff(allDefects(t), written); diff != "" {
		t.Errorf("codes (-lists +comments):\n%s", diff)
	}
	return b.Bytes()
}

// isDefects reports whether a block declares constants of type Defect.
func isDefects(block *ast.GenDecl) bool {
	first, ok := block.Specs[0].(*ast.ValueSpec)
	if !ok {
		return false
	}
	name, ok := first.Type.(*ast.Ident)
	return ok && name.Name == "Defect"
}

// docs/defects.md has a row for every code, with the rules and the switches of the program.
func TestDefectsDocument(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "defects.md")
	want := defectsDocument(t)
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/defects.md is not what the comments of the codes say: make generate (-want +got):\n%s", diff)
	}
}

// One code has one meaning, whatever room it comes from.
func TestDefectsAreApart(t *testing.T) {
	codes := allDefects(t)
	slices.Sort(codes)
	if once := slices.Compact(slices.Clone(codes)); len(once) != len(codes) {
		t.Errorf("codes stand for several things: %v", codes)
	}
}

// A scan of the fixtures has every defect in the tables. The hostile ones are none of reading, and take the longest.
func TestEveryDefectIsCounted(t *testing.T) {
	t.Parallel()
	out := scanOf(t, exitIncomplete, append(manyFixtures(), "--pages", "all", "--directives", "all")...)
	counted := map[string]bool{}
	add := func(codes []string) {
		for _, code := range codes {
			counted[code] = true
		}
	}
	for _, at := range rows[table.Input](t, out, table.Inputs) {
		for code, n := range at.Row.Defects {
			counted[code] = n > 0
		}
	}
	for _, at := range rows[table.Robots](t, out, table.RobotsTxt) {
		add(at.Row.Defects)
	}
	for _, at := range rows[table.Page](t, out, table.Pages) {
		add(at.Row.Defects)
		counted[string(policy.DefectACAPText)] = counted[string(policy.DefectACAPText)] || at.Row.ACAPText > 0
	}
	for _, at := range rows[table.Directive](t, out, table.Directives) {
		add(at.Row.Defects)
	}
	// These need more than belongs into a fixture: 128 MiB of a coded body, and 10,000 directives in a page. The tests
	// of their rooms have it.
	tooLarge := []string{string(capture.CountLimit), string(markup.DefectDirectives)}
	for _, code := range allDefects(t) {
		if counted[code] == slices.Contains(tooLarge, code) {
			t.Errorf("%s is counted: %v", code, counted[code])
		}
		delete(counted, code)
	}
	for code := range counted {
		t.Errorf("%s stands in the tables and in no list", code)
	}
}
