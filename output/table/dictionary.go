package table

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
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
		fmt.Fprintf(&b, "\n## %s\n\nOne row for %s. %s\n\nSorted by %s.\n\n", d.Name, d.Row, d.Doc, codes(d.SortedBy))
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
			"compressed member (defect `multi-record-member`) are the exception: there `url` and `fetch_time` belong to the key.", reflect.TypeFor[Key]()},
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

const dictionaryHead = `# Tables

<!-- Made from the row structs of output/table by "go test ./output/table -update". Do not edit. -->

Seven tables, a folder each, as Parquet: ` + "`<table>/crawl=<crawl>/subset=<subset>/part-NNNNN.parquet`" + `. The rules that the columns
refer to by id are those of [semantics.md](semantics.md).

- **Partition columns** are in the names of the folders and not in the files. ` + "`crawl`" + ` is the crawl's name, such as
  ` + "`CC-MAIN-2018-34`" + `; ` + "`subset`" + ` is the kind of archive file, such as ` + "`robotstxt`, `warc`, `crawldiagnostics`" + `. An input whose path and
  warcinfo name neither is of ` + "crawl `local`, subset `warc`" + `. Both are strings, whatever they look like.
- **Null** means not observed or not applicable. An empty string or −1 never stands for it. Lists and maps are never null; an
  empty one holds nothing.
- **Times** are UTC, in milliseconds.
- **Examples** of lists and maps are written as Python would write them, text without quotes.

`

const dictionaryJoins = `
## Keys and joins

- A capture is ` + "(`warc_filename`, `warc_record_offset`)" + `: in ` + "`robots`, `pages`, `directives`" + `, and in the rows of ` + "`permissions`" + ` and
  ` + "`conflicts`" + ` that are about a page.
- A site is ` + "`site`" + ` (scheme, host and port) within a ` + "`crawl`" + `: in every table but ` + "`inputs`" + `.
- A statement is ` + "`directives.statement_id`: `permissions.deciding_ids`, `conflicts.first_id`, `conflicts.second_id`" + ` lead to it. By
  default not every conventional rule has a row in ` + "`directives`" + `; ` + "`--directives all`" + ` writes them all.
- An input is ` + "`inputs.warc_filename`" + `, which every capture has.
- **Common Crawl's columnar index** has the same ` + "`warc_filename`, `warc_record_offset`, `url_surtkey`, `url_host_name`" + ` and so on, of the
  same types: no cast is needed. ` + "`crawl` and `subset`" + ` are its partition columns too.

` + "```sql" + `
-- Which share of the sites with a robots.txt uses ACAP, by class?
SELECT crawl, adoption_class, count(*) AS sites, count(*) / sum(count(*)) OVER (PARTITION BY crawl) AS share
FROM adoption WHERE robots_outcome IN ('rules', 'no-rules') GROUP BY crawl, adoption_class;

-- The statements that decided that a page may not be indexed.
SELECT p.url, p.agent, d.source, d.line, d.raw
FROM permissions p, UNNEST(p.deciding_ids) AS t(id) JOIN directives d ON d.crawl = p.crawl AND d.statement_id = t.id
WHERE p.scope = 'page' AND p.usage = 'index' AND p.decision = 'disallowed';

-- The index's columns beside ours.
SELECT i.*, p.acap_meta
FROM pages p JOIN ccindex i ON i.crawl = p.crawl AND i.subset = p.subset
  AND i.warc_filename = p.warc_filename AND i.warc_record_offset = p.warc_record_offset;
` + "```" + `
`
