package table

import (
	"bytes"
	_ "embed"
	"fmt"
	"reflect"
	"strings"
)

// What the dictionary says of all tables, before and behind the list of them.
var (
	//go:embed dictionary_head.md
	dictionaryHead string
	//go:embed dictionary_joins.md
	dictionaryJoins string
)

// Dictionary returns the data dictionary, docs/tables.md, in Markdown.
func Dictionary() []byte {
	var b bytes.Buffer
	b.WriteString(dictionaryHead)
	b.WriteString("| table | one row for | partition columns | key |\n|---|---|---|---|\n")
	for _, d := range All() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", d.Name, d.Name, d.Row, codes(d.Partitions()), codes(d.Key))
	}
	b.WriteString(dictionaryJoins)

	b.WriteString("\n## Versions of the schema\n\n| version | change |\n|---|---|\n")
	for _, note := range History() {
		fmt.Fprintf(&b, "| %d | %s |\n", note.Version, note.Change)
	}

	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", g.title, g.doc)
		writeColumns(&b, g.row)
	}
	for _, d := range All() {
		fmt.Fprintf(&b, "\n## %s\n\nOne row for %s. %s\n\nSorted by %s; nulls first.\n\n", d.Name, d.Row, d.Doc, codes(d.SortedBy))
		writeColumns(&b, d.row)
	}
	return b.Bytes()
}

// A group is a struct that several rows embed. The dictionary describes it once.
type group struct {
	title, doc string
	row        reflect.Type
}

func groups() []group {
	return []group{
		{"Columns of a host", "Names and derivations are those of Common Crawl's columnar index.", reflect.TypeFor[Host]()},
		{"Columns of a capture", "Names and derivations are those of Common Crawl's columnar index; offsets and lengths are widened " +
			"to int64. (`warc_filename`, `warc_record_offset`) is the exact key of a capture. Archives that pack several records into one " +
			"compressed member (defect `multi-record-member`) are the exception: there `url` and `fetch_time` belong to the key.",
			reflect.TypeFor[Key]()},
		{"Columns of status classes", "HTTP captures by the class of their status.", reflect.TypeFor[StatusClasses]()},
	}
}

func writeColumns(b *bytes.Buffer, row reflect.Type) {
	b.WriteString("| column | type | null | meaning | example | since |\n|---|---|---|---|---|---|\n")
	for i := range row.NumField() {
		field := row.Field(i)
		if field.Anonymous {
			writeGroup(b, field.Type)
			continue
		}
		c := columnOf(row, field)
		null, doc := "", c.Doc
		if c.Nullable {
			null = "yes"
		}
		if c.Values != nil {
			doc += " One of " + codes(c.Values) + "."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | `%s` | %d |\n", c.Name, cell(string(c.Type)), null, cell(doc), c.Example, c.Since)
	}
}

// writeGroup refers to a group in place of its columns, and names them.
func writeGroup(b *bytes.Buffer, row reflect.Type) {
	for _, g := range groups() {
		if g.row != row {
			continue
		}
		var names []string
		for _, c := range columnsOf(row) {
			names = append(names, c.Name)
		}
		anchor := strings.ReplaceAll(strings.ToLower(g.title), " ", "-")
		fmt.Fprintf(b, "| … | | | [%s](#%s): %s | | |\n", g.title, anchor, codes(names))
		return
	}
	panic(fmt.Sprintf("table: no group describes the embedded %v", row))
}

func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// cell keeps text from ending a table cell or beginning markup.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}
