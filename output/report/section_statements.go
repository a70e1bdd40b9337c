package report

import (
	"strings"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/manifest"
)

var senseSeries = seriesOf(terms.Names[terms.Sense](), fillPlain, fillSolid)

func (f *Figures) statementSection() section {
	st := &f.Statements
	bySource := dataTable{Head: columns(append([]string{"Carrier", "Statements"}, statuses...)...), None: "No statement was kept."}
	for _, name := range st.BySource.Names() {
		vocabulary, source, _ := strings.Cut(name, " ")
		row := tableRow{Name: vocabulary + " in " + source, Code: true, Cells: []cell{numberCell(st.BySource.Row(name))}}
		for i := range statuses {
			row.Cells = append(row.Cells, numberCell(st.BySource.Get(name, i)))
		}
		bySource.Rows = append(bySource.Rows, row)
	}
	var meanings []string
	for _, status := range statuses {
		meanings = append(meanings, status+": "+phrase[terms.Status](status))
	}
	var data []datum
	byUsage := dataTable{
		Head: []head{{Text: "Usage"}, seriesHead(senseSeries[0]), seriesHead(senseSeries[1]), numberHead("Statements")},
		None: "No ACAP statement decides anything.",
	}
	for _, name := range st.ByUsage.In(terms.Names[terms.Usage]()) {
		n := st.ByUsage.Row(name)
		if n == 0 {
			continue
		}
		allow, disallow := st.ByUsage.Get(name, SenseAllow), st.ByUsage.Get(name, SenseDisallow)
		data = append(data, datum{name, []int64{allow, disallow}, number(n)})
		byUsage.Rows = append(byUsage.Rows, tableRow{
			Name: visible(name), Code: true, Cells: []cell{numberCell(allow), numberCell(disallow), numberCell(n)},
		})
	}
	deciding := st.ByUsage.Column(SenseAllow) + st.ByUsage.Column(SenseDisallow)
	return section{ID: "statements", Title: "Statements", Figures: []figure{
		{
			ID: "usage", Caption: "ACAP statements by usage and sense", Table: byUsage,
			Chart: stackChart("usage", "ACAP statements by usage and sense", senseSeries, data, false),
			Notes: []note{
				counted("%s that decide (valid or repaired). The statements of one robots.txt body count once a site.", plural(deciding, "ACAP statement")),
				caveat("A few long files can make most of the statements: this is how much is written, not how many write it. A statement about present " +
					"also covers its ten forms."),
			},
		},
		{
			ID: "qualifiers", Caption: "Conditions that ACAP statements put on a permission",
			Chart: countChart("qualifiers", "Conditions that ACAP statements put on a permission", st.Qualifiers, shownQualifier, deciding),
			Table: countTable("Condition", "Statements", st.Qualifiers, shownQualifier, deciding),
			Notes: []note{
				counted("%s that decide. A statement may be in several lines.", plural(deciding, "ACAP statement")),
				caveat("What is written, not what is in force: a condition holds only where its permission decides. The condition of a definition counts at each statement that uses it."),
			},
		},
		{
			ID: "carriers", Caption: "Statements in table directives, by carrier and by how they were read", Table: bySource,
			Notes: []note{
				counted("%s in the table. %s.", plural(st.Total, "statement"), strings.Join(meanings, "; ")),
				caveat(directivesWords(f.Manifest)),
			},
		},
	}}
}

// directivesWords says which conventional statements the run kept.
func directivesWords(m *manifest.Manifest) string {
	if m.Options["directives"] == "all" {
		return "The run kept every conventional rule (--directives all)."
	}
	return "The run kept conventional rules only of sites with ACAP and of pages that have a row, so that the numbers of the two vocabularies cannot be compared."
}
