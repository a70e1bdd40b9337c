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

	named := map[string]string{}
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", g.title, g.doc)
		writeColumns(&b, g.row, "", named)
	}
	for _, d := range All() {
		fmt.Fprintf(&b, "\n## %s\n\nOne row for %s. %s\n\nSorted by %s; nulls first.\n\n", d.Name, d.Row, d.Doc, codes(d.SortedBy))
		writeColumns(&b, d.row, d.Name, named)
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
		{"Columns of a capture", "Names and derivations are those of Common Crawl's columnar index; offsets and lengths are " +
			"widened to int64. (`warc_filename`, `warc_record_offset`) is the key of a capture. In archives with several " +
			"records in one compressed member (defect `multi-record-member`), `url` and `fetch_time` belong to the key.",
			reflect.TypeFor[Key]()},
		{"Columns of status classes", "HTTP captures by the class of their status.", reflect.TypeFor[StatusClasses]()},
	}
}

// fewValues is how many values of an enumeration stand at each of its columns. Longer lists stand at the first.
const fewValues = 3

// writeColumns writes a row for each column. named has the first column of each enumeration, by its values.
func writeColumns(b *bytes.Buffer, row reflect.Type, in Name, named map[string]string) {
	b.WriteString("| column | type | meaning | example |\n|---|---|---|---|\n")
	for i := range row.NumField() {
		field := row.Field(i)
		if field.Anonymous {
			writeGroup(b, field.Type)
			continue
		}
		c := columnOf(row, field)
		kind, doc, values := string(c.Type), cell(c.Doc), codes(c.Values)
		if c.Nullable {
			kind += ", null"
		}
		if first := named[values]; first != "" && len(c.Values) > fewValues {
			doc += " A value of " + first + "."
		} else if c.Values != nil {
			doc += " One of " + values + "."
			named[values] = fmt.Sprintf("`%s.%s`", in, c.Name)
		}
		if c.Since > 1 {
			doc += fmt.Sprintf(" Since version %d.", c.Since)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Name, cell(kind), doc, exampleOf(c))
	}
}

// exampleOf gives an example where the type and the list of values do not say what a value looks like.
func exampleOf(c Column) string {
	switch c.Type {
	case TypeBool, TypeInt16, TypeInt32, TypeInt64:
		return ""
	}
	if c.Values != nil {
		return ""
	}
	return "`" + c.Example + "`"
}

// writeGroup refers to a group in place of its columns.
func writeGroup(b *bytes.Buffer, row reflect.Type) {
	for _, g := range groups() {
		if g.row == row {
			fmt.Fprintf(b, "| … | | [%s](#%s) | |\n", g.title, strings.ReplaceAll(strings.ToLower(g.title), " ", "-"))
			return
		}
	}
	panic(fmt.Sprintf("table: no group describes the embedded %v", row))
}

func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// cell keeps text from ending a table cell or beginning markup.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}
