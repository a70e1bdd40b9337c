package report

import (
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/internal/terms"
)

// A figure is a table, with a chart of the same rows if they have data. Sections add rows; page draws the charts.
type figure struct {
	ID, Caption string
	Label       string // "Figure 3"
	Layout      layout
	Chart       *chart // nil: none
	Table       dataTable
	Notes       []note

	data   []datum
	series []series // of the values in a row; nil: each row has one value
	whole  bool     // rows with series fill the width
	most   int64    // the value of a bar that fills the width; 0: the largest
}

// A layout is how a figure stands on a wide page. On a narrow one everything stands one below another.
type layout string

const (
	layoutBelow layout = "wide" // the table below the chart, not beside it
	layoutHalf  layout = "half" // two figures side by side
)

// add adds a row to the table alone.
func (f *figure) add(rows ...tableRow) { f.Table.Rows = append(f.Table.Rows, rows...) }

// addCount adds a row with a count and its share before its other cells, and a bar to the chart.
func (f *figure) addCount(row tableRow, n, of int64) {
	row.Cells = append([]cell{numberCell(n), shareCell(n, of)}, row.Cells...)
	f.add(row)
	f.data = append(f.data, datum{row.Name, []int64{n}, withShare(n, of)})
}

// addStack adds a row with a cell for each value before its other cells, and a bar for each to the chart.
func (f *figure) addStack(row tableRow, values []int64, end string) {
	row.Cells = append(numberCells(values...), row.Cells...)
	f.add(row)
	f.data = append(f.data, datum{row.Name, values, end})
}

// addRest adds a last row for the names of a grid that are not shown.
func (f *figure) addRest(g *Grid, hidden []string) {
	if len(hidden) > 0 || g.Full() {
		f.add(named(more(g, len(hidden))+" more, together", numberCells(g.Beyond(hidden)...)...))
	}
}

func (f *figure) draw() {
	c := barChart(f.data, f.most)
	if f.series != nil {
		c = stackChart(f.series, f.data, f.whole)
	}
	if c.shows() {
		f.Chart = c
	}
}

// countFigure shows the largest counts of a grid with one column, each with its share of total, and the others
// together.
func countFigure(id, caption, what, of string, g *Grid, shown int, total int64, notes ...note) figure {
	f := figure{
		ID: id, Caption: caption, Table: dataTable{Head: columns(what, of, "Share"), None: "None was seen."}, Notes: notes,
	}
	names := g.By()
	for _, name := range first(names, shown) {
		f.addCount(coded(name), g.Get(name, 0), total)
	}
	hidden := after(names, shown)
	if rest := g.Beyond(hidden)[0]; rest > 0 {
		// Without a share: one site, or one file, may have several of them.
		f.add(named(more(g, len(hidden))+" more, together", numberCell(rest), cell{Text: "–", Number: true}))
	}
	return f
}

func more(g *Grid, n int) string {
	if g.Full() {
		return "over " + number(int64(n))
	}
	return number(int64(n))
}

func first(names []string, n int) []string { return names[:min(n, len(names))] }

func after(names []string, n int) []string { return names[min(n, len(names)):] }

// A note says what a figure counts and what it does not say.
type note struct{ Label, Text string }

func counted(format string, args ...any) note {
	text := fmt.Sprintf(format, args...)
	return note{"Denominator", strings.ToUpper(text[:1]) + text[1:]} // formats begin with ASCII
}

func caveat(format string, args ...any) note { return note{"Caveat", fmt.Sprintf(format, args...)} }

// A dataTable has a heading row, and in each row a heading and cells.
type dataTable struct {
	Head []head
	Rows []tableRow
	None string // stands in place of a table without rows
}

type head struct {
	Text   string
	Number bool // the column holds numbers
	Fill   fill // the column is the chart's series of that fill
}

// FirstWord stands in one line with the key of the series.
func (h head) FirstWord() string {
	word, _, _ := strings.Cut(h.Text, " ")
	return word
}

// OtherWords are those behind the first, with the blank before them.
func (h head) OtherWords() string { return strings.TrimPrefix(h.Text, h.FirstWord()) }

// columns heads the rows and then columns of numbers.
func columns(names ...string) []head {
	list := make([]head, len(names))
	for i, name := range names {
		list[i] = head{Text: name, Number: i > 0}
	}
	return list
}

// stackColumns heads the rows, then a column for each series, then other columns of numbers.
func stackColumns(rows string, parts []series, others ...string) []head {
	list := []head{{Text: rows}}
	for _, s := range parts {
		list = append(list, head{Text: s.Label, Number: true, Fill: s.Fill})
	}
	return append(list, columns(append([]string{""}, others...)...)[1:]...)
}

type tableRow struct {
	Name  string
	Code  bool   // Name is a value of a column, or out of an archive
	Part  bool   // of the row above that is no part
	Gloss string // what Name means
	Cells []cell
}

// Short tells that the name fits in a line of its own.
func (r tableRow) Short() bool { return len(r.Name) <= 28 }

func named(name string, cells ...cell) tableRow { return tableRow{Name: name, Cells: cells} }

func coded(name string, cells ...cell) tableRow {
	return tableRow{Name: visible(name), Code: true, Cells: cells}
}

// explained is a row about a value of an enumeration.
func explained[E terms.Described](name string, cells ...cell) tableRow {
	row := coded(name, cells...)
	row.Gloss = phrase[E](name)
	return row
}

type cell struct {
	Text   string
	Number bool
	Code   bool
}

func numberCell(n int64) cell   { return cell{Text: number(n), Number: true} }
func shareCell(n, d int64) cell { return cell{Text: share(n, d), Number: true} }
func textCell(text string) cell { return cell{Text: text} }

func numberCells(values ...int64) []cell {
	cells := make([]cell, len(values))
	for i, n := range values {
		cells[i] = numberCell(n)
	}
	return cells
}

// dashed shows a dash in place of each 0.
func dashed(cells []cell) []cell {
	for i := range cells {
		if cells[i].Text == "0" {
			cells[i].Text = "–"
		}
	}
	return cells
}
