package table

import (
	"bytes"
	_ "embed"
	"fmt"
	"reflect"
	"slices"
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

	b.WriteString("\n## Versions of the schema\n\n")
	for _, note := range History() {
		fmt.Fprintf(&b, "%d. %s\n", note.Version, note.Change)
	}

	named := map[string]string{}
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", g.title, g.doc)
		writeColumns(&b, g.row, "", named)
	}
	for _, d := range All() {
		fmt.Fprintf(&b, "\n## %s\n\nOne row for %s. %s\n\n", d.Name, d.Row, d.Doc)
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
		{"Columns of a host", "Names and derivations are those of Common Crawl's columnar index.",
			reflect.TypeFor[Host]()},
		{"Columns of a capture", "Names and derivations are those of Common Crawl's columnar index; offsets and " +
			"lengths are widened to int64. (`warc_filename`, `warc_record_offset`) is the key of a capture. In " +
			"archives with several records in one compressed member (defect `multi-record-member`), `url` and " +
			"`fetch_time` belong to the key.",
			reflect.TypeFor[Key]()},
		{"Columns of status classes", "HTTP captures by the class of their status.", reflect.TypeFor[StatusClasses]()},
	}
}

// fewValues is how many values of an enumeration stand at each of its columns. Longer lists stand at the first.
const fewValues = 3

// writeColumns writes an item for each column. named has the first column of each enumeration, by its values, and the
// columns whose example was shown, by name and example.
func writeColumns(b *bytes.Buffer, row reflect.Type, in Name, named map[string]string) {
	oldest := columnsOf(row)[0].Since // the first column came with the table
	for i := range row.NumField() {
		field := row.Field(i)
		if field.Anonymous {
			writeGroup(b, field.Type)
			continue
		}
		c := columnOf(row, field)
		kind, doc, values := string(c.Type), plain(c.Doc), codes(c.Values)
		if c.Nullable {
			kind += ", null"
		}
		if c.Since > oldest {
			kind += fmt.Sprintf(", since version %d", c.Since)
		}
		if first := named[values]; first != "" && len(c.Values) > fewValues {
			doc += " A value of " + first + "."
		} else if c.Values != nil {
			doc += " One of " + values + "."
			named[values] = fmt.Sprintf("`%s.%s`", in, c.Name)
		}
		switch {
		case c.Values != nil, slices.Contains([]Type{TypeBool, TypeInt16, TypeInt32, TypeInt64}, c.Type):
		case named[c.Name+c.Example] == "": // neither the type nor a list of values shows what a value looks like
			doc += " Example: `" + c.Example + "`"
			named[c.Name+c.Example] = c.Name
		}
		fmt.Fprintf(b, "- `%s` (%s): %s\n", c.Name, plain(kind), doc)
	}
}

// writeGroup refers to a group in place of its columns.
func writeGroup(b *bytes.Buffer, row reflect.Type) {
	for _, g := range groups() {
		if g.row == row {
			fmt.Fprintf(b, "- [%s](#%s)\n", g.title, strings.ReplaceAll(strings.ToLower(g.title), " ", "-"))
			return
		}
	}
	panic(fmt.Sprintf("table: no group describes the embedded %v", row))
}

func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// plain keeps text from beginning markup.
func plain(s string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}
