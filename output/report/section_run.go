package report

import (
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/output/table"
)

func (f *Figures) runSection() section {
	m := f.Manifest
	about := dataTable{Head: []head{{Text: ""}, {Text: ""}}}
	add := func(name, value string) {
		about.Rows = append(about.Rows, tableRow{Name: name, Cells: []cell{codeCell(visible(value))}})
	}
	add("Program", fmt.Sprintf("%s %s (commit %s)", m.Program.Name, m.Program.Version, m.Program.Commit))
	add("Rules, version", m.RulesVersion)
	add("Tables, schema version", fmt.Sprint(m.SchemaVersion))
	add("Public suffix list", m.PublicSuffixVersion)
	add("Run", m.Started.UTC().Format("2006-01-02 15:04:05")+" to "+m.Ended.UTC().Format("2006-01-02 15:04:05")+" UTC")
	names := make([]string, 0, len(m.Options))
	for name := range m.Options {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := m.Options[name]
		if value == "" {
			value = "none"
		}
		add("Option "+visible(name), value)
	}
	add("Hash of the options", m.OptionsHash)
	tables := dataTable{Head: columns("Table", "Rows", "Files", "Size")}
	for _, d := range table.All() {
		c := m.Tables[d.Name]
		tables.Rows = append(tables.Rows, tableRow{
			Name: string(d.Name), Code: true, Gloss: "one row for " + d.Row,
			Cells: []cell{numberCell(c.Rows), numberCell(c.Files), {Text: bytesOf(c.Bytes), Number: true}},
		})
	}
	var whole []note
	if f.Crawl != "" {
		whole = []note{caveat("All crawls of the run, also those that this report leaves out.")}
	}
	return section{ID: "run", Title: "The run", Figures: []figure{
		{ID: "program", Layout: layoutHalf, Caption: "Program and options", Table: about, Notes: []note{
			{"Source", "_manifest.json beside the tables, which also has the size and SHA-256 of each input and of each part file."},
		}},
		{ID: "tables", Layout: layoutHalf, Caption: "Tables", Table: tables, Notes: whole},
	}}
}
