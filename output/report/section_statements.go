package report

import (
	"strings"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

var senseSeries = seriesOf(terms.Names[terms.Sense](), chart.Plain, chart.Solid)

func (f *Report) statementSection() section {
	st := &f.Statements
	deciding := numbers.Sum(st.ByUsage.Total())
	usage := figure{
		ID: "usage", Caption: "ACAP statements by usage and sense", fold: "usage",
		bars: chart.Bars{Panels: []chart.Panel{{Series: senseSeries}}},
		Table: dataTable{Head: stackColumns("Usage", senseSeries, "Statements"),
			None: "No ACAP statement decides anything."},
		Notes: []note{
			counted("%s that decide (valid or repaired). The statements of one robots.txt body count once a site.",
				plural(deciding, "ACAP statement")),
			caveat("A few long files can make most of the statements: the figure counts statements, not sites. A " +
				"statement about present also covers its ten forms."),
		},
	}
	for _, name := range st.ByUsage.In(numbers.Usages) {
		if n := st.ByUsage.Row(name); n > 0 {
			usage.addStack(coded(name, numberCell(n)), st.ByUsage.Values(name), number(n))
		}
	}
	var meanings []string
	for _, status := range numbers.Statuses {
		meanings = append(meanings, status+": "+phrase[terms.Status](status))
	}
	carriers := figure{
		ID: "carriers", Caption: "Statements in table directives, by carrier and by how they were read",
		Table: dataTable{Head: columns(append([]string{"Carrier", "Statements"}, numbers.Statuses...)...),
			None: "No statement was kept."},
		Notes: []note{
			counted("%s in the table. %s.", plural(st.Total, "statement"), strings.Join(meanings, "; ")),
			caveat("%s", directivesWords(f.Manifest)),
		},
	}
	for _, name := range st.BySource.Names() {
		cells := append(numberCells(st.BySource.Row(name)), numberCells(st.BySource.Values(name)...)...)
		carriers.add(coded(strings.Replace(name, " ", " in ", 1), cells...))
	}
	return section{ID: "detail", Title: "In detail", Figures: []figure{
		usage,
		countFigure("qualifiers", "Conditions that ACAP statements put on a permission", "Condition", "Statements",
			st.Qualifiers, shownQualifier, deciding,
			counted("%s that decide. A statement may be in several lines.", plural(deciding, "ACAP statement")),
			caveat("Written conditions, not decisions: a condition matters only where its permission decides. The "+
				"condition of a definition counts at each statement that uses it.")),
		carriers,
	}}
}

// directivesWords says which conventional statements the run kept.
func directivesWords(m *manifest.Manifest) string {
	if m.Options["directives"] == "all" {
		return "The run kept every conventional rule (--directives all)."
	}
	return "The run kept conventional rules only of sites with ACAP and of pages that have a row, so do not compare " +
		"the numbers of the two vocabularies."
}
