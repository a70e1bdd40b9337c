package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/acapscan/acapscan/output/table"
)

func (f *Report) runSection() section {
	m := f.Manifest
	about := figure{
		ID: "program", Half: true, Caption: "Program and options", Table: dataTable{Head: []head{{}, {}}},
		Notes: []note{{"Source",
			"_manifest.json beside the tables, which also has the size and SHA-256 of each input and of each part " +
				"file."}},
	}
	add := func(name, value string) { about.add(named(name, cell{Text: visible(value), Code: true})) }
	add("Program", fmt.Sprintf("%s %s (commit %s)", m.Program.Name, m.Program.Version, m.Program.Commit))
	add("Rules, version", m.RulesVersion)
	add("Tables, schema version", fmt.Sprint(m.SchemaVersion))
	add("Public suffix list", m.PublicSuffixVersion)
	add("Run", m.Started.UTC().Format("2006-01-02 15:04:05")+" to "+m.Ended.UTC().Format("2006-01-02 15:04:05")+" UTC")
	for _, name := range slices.Sorted(maps.Keys(m.Options)) {
		add("Option "+visible(name), cmp.Or(m.Options[name], "none"))
	}
	add("Hash of the options", m.OptionsHash)

	tables := figure{
		ID: "tables", Half: true, Caption: "Tables",
		Table: dataTable{Head: columns("Table", "Rows", "Files", "Size")},
	}
	for _, d := range table.All() {
		c := m.Tables[d.Name]
		row := coded(string(d.Name), numberCell(c.Rows), numberCell(c.Files),
			cell{Text: bytesOf(c.Bytes), Number: true})
		row.Gloss = "one row for " + d.Row
		tables.add(row)
	}
	if f.Crawl != "" {
		tables.Notes = []note{caveat("All crawls of the run, also those that this report leaves out.")}
	}
	return section{ID: "run", Title: "The run", Figures: []figure{about, tables}}
}
