package report

import (
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

// A figure is a table, with a drawing of the same rows if there is something to draw. Sections add rows.
type figure struct {
	ID, Caption string
	Headline    string // what the figure shows, in a sentence made of its numbers; may be empty
	Label       string // "Figure 3"
	Half        bool   // two of them stand side by side on a wide page
	Table       dataTable
	Notes       []note

	bars    chart.Bars
	drawing chart.Drawing // instead of bars
	fold    string        // what rows are, such as "usage"; empty: equal rows are drawn each
	apart   int           // so many rows at the beginning are never drawn with others
}

// seriesOf returns a series for each value of an enumeration; values beyond the fills are drawn like the last.
func seriesOf(values []string, fills ...chart.Fill) []chart.Series {
	var all []chart.Series
	for i, value := range values {
		all = append(all, chart.Series{Label: value, Fill: fills[min(i, len(fills)-1)]})
	}
	return all
}

// add adds a row to the table alone.
func (f *figure) add(rows ...tableRow) { f.Table.Rows = append(f.Table.Rows, rows...) }

// draw adds a row to the drawing, with a cell for each of its panels.
func (f *figure) draw(label string, cells ...chart.Cell) {
	if len(f.bars.Panels) == 0 {
		f.bars.Panels = make([]chart.Panel, len(cells))
	}
	f.bars.Rows = append(f.bars.Rows, chart.Row{Label: label, Cells: cells})
}

// addCount adds a row with a count and its share before its other cells, and a bar.
func (f *figure) addCount(row tableRow, n, of int64) {
	row.Cells = append([]cell{numberCell(n), shareCell(n, of)}, row.Cells...)
	f.add(row)
	f.draw(row.Name, chart.Cell{Values: []int64{n}, Text: withShare(n, of)})
}

// addStack adds a row with a cell for each value before its other cells, and a bar for each.
func (f *figure) addStack(row tableRow, values []int64, end string) {
	row.Cells = append(numberCells(values...), row.Cells...)
	f.add(row)
	f.draw(row.Name, chart.Cell{Values: values, Text: end})
}

// addRest adds a last row for the names of a grid that are not shown.
func (f *figure) addRest(g *numbers.Grid, hidden []string) {
	if len(hidden) > 0 || g.Full() {
		f.add(named(more(g, len(hidden))+" more, together", numberCells(g.Beyond(hidden)...)...))
	}
}

// Charted reports that the figure has a drawing.
func (f *figure) Charted() bool { return f.drawing != nil && !f.drawing.Empty() }

// Broad reports that the table does not fit into half a sheet of paper.
func (f *figure) Broad() bool {
	return len(f.Table.Head) > 5 || slices.ContainsFunc(f.Table.Rows, tableRow.broad)
}

// finish makes the drawing of the rows. Without rows, what the figure does not say needs no words.
func (f *figure) finish() {
	f.Notes = slices.DeleteFunc(f.Notes, func(n note) bool {
		return n == note{} || len(f.Table.Rows) == 0 && n.Label != denominator
	})
	if f.drawing == nil {
		if f.fold != "" {
			f.foldRows()
		}
		f.drawing = &f.bars
	}
}

// leastAlike rows that are equal are drawn as one.
const leastAlike = 3

// foldRows draws equal rows as one, in the place of the first.
func (f *figure) foldRows() {
	apart := min(f.apart, len(f.bars.Rows))
	rows := slices.Clone(f.bars.Rows[:apart])
	for _, alike := range groups(f.bars.Rows[apart:], func(r chart.Row) string { return fmt.Sprint(r.Cells) }) {
		if len(alike) < leastAlike {
			rows = append(rows, alike...)
			continue
		}
		var names []string
		for _, r := range alike {
			names = append(names, r.Label)
		}
		alike[0].Label = f.alike(names, len(f.bars.Rows))
		rows = append(rows, alike[0])
	}
	f.bars.Rows = rows
}

// alike names a row that stands for several of all, and notes which these are.
func (f *figure) alike(names []string, all int) string {
	n := int64(len(names))
	if n == int64(all) {
		return "all " + plural(n, f.fold)
	}
	f.Notes = append(f.Notes, note{"Alike", fmt.Sprintf("%s: %s.", plural(n, f.fold), strings.Join(names, ", "))})
	return fmt.Sprintf("%s and %d more alike", names[0], n-1)
}

// groups puts equal items together, each group at the place of its first.
func groups[T any](items []T, key func(T) string) (list [][]T) {
	place := map[string]int{}
	for _, item := range items {
		at, known := place[key(item)]
		if !known {
			at = len(list)
			place[key(item)] = at
			list = append(list, nil)
		}
		list[at] = append(list[at], item)
	}
	return list
}

// title names the drawing to people who do not see it.
func (f *figure) title() string {
	if f.Headline != "" {
		return f.Headline
	}
	return f.Caption
}

// Page and Phone are the drawing for wide and for narrow pages.
func (f *figure) Page() template.HTML {
	return template.HTML(chart.SVG(f.drawing, chart.Page, f.ID, f.title()))
}

func (f *figure) Phone() template.HTML {
	return template.HTML(chart.SVG(f.drawing, chart.Phone, f.ID, f.title()))
}

// SVG is the address of the drawing as a file of its own.
func (f *figure) SVG() template.URL {
	return dataURL("image/svg+xml", chart.SVG(f.drawing, chart.File, f.ID, f.title()))
}

func dataURL(mediaType, text string) template.URL {
	return template.URL("data:" + mediaType + ";charset=utf-8;base64," +
		base64.StdEncoding.EncodeToString([]byte(text)))
}

// CSV is the address of the table as a file of its own. Shares are fractions of 1 there.
func (f *figure) CSV() template.URL {
	var b strings.Builder
	w := csv.NewWriter(&b)
	line := make([]string, len(f.Table.Head))
	for i, h := range f.Table.Head {
		line[i] = h.Text
	}
	w.Write(line)
	for _, row := range f.Table.Rows {
		line[0] = inert(row.Name)
		for i, c := range row.Cells {
			line[i+1] = c.Value
			if !c.Number {
				line[i+1] = inert(c.Text)
			}
		}
		w.Write(line)
	}
	w.Flush()
	return dataURL("text/csv", b.String())
}

// inert keeps a spreadsheet from reading a text out of an archive as a formula.
func inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

// countFigure shows the largest counts of a grid with one column, each with its share of total, and the others
// together.
func countFigure(id, caption, what, of string, g *numbers.Grid, shown int, total int64, notes ...note) figure {
	f := figure{
		ID: id, Caption: caption, Table: dataTable{Head: columns(what, of, "Share"), None: "None was seen."},
		Notes: notes,
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

func more(g *numbers.Grid, n int) string {
	if g.Full() {
		return "over " + number(int64(n))
	}
	return number(int64(n))
}

func first(names []string, n int) []string { return names[:min(n, len(names))] }

func after(names []string, n int) []string { return names[min(n, len(names)):] }

// A note says what a figure counts and what it does not say.
type note struct{ Label, Text string }

const denominator = "Denominator"

func counted(format string, args ...any) note {
	text := fmt.Sprintf(format, args...)
	return note{denominator, strings.ToUpper(text[:1]) + text[1:]} // formats begin with ASCII
}

func caveat(format string, args ...any) note { return note{"Caveat", fmt.Sprintf(format, args...)} }

// caveatOf is a caveat about n things, and no note if there is none of them.
func caveatOf(n int64, format string, args ...any) note {
	if n == 0 {
		return note{}
	}
	return caveat(format, args...)
}

// A dataTable has a heading row, and in each row a heading and cells.
type dataTable struct {
	Head []head
	Rows []tableRow
	None string // stands in place of a table without rows
}

type head struct {
	Text   string
	Number bool // the column holds numbers
}

// columns heads the rows and then columns of numbers.
func columns(names ...string) []head {
	list := make([]head, len(names))
	for i, name := range names {
		list[i] = head{Text: name, Number: i > 0}
	}
	return list
}

// stackColumns heads the rows, then a column for each series, then other columns of numbers.
func stackColumns(rows string, parts []chart.Series, others ...string) []head {
	names := []string{rows}
	for _, s := range parts {
		names = append(names, s.Label)
	}
	return columns(slices.Concat(names, others)...)
}

type tableRow struct {
	Name  string
	Code  bool   // Name is a value of a column, or out of an archive
	Part  bool   // of the row above that is no part
	Gloss string // what Name means
	Cells []cell
}

// broad tells that the row has a sentence, or a cell of text.
func (r tableRow) broad() bool {
	return r.Gloss != "" || slices.ContainsFunc(r.Cells, func(c cell) bool { return !c.Number && len(c.Text) > 20 })
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

// A cell shows a text. In CSV a number is its Value instead, which is empty where the text is a dash.
type cell struct {
	Text   string
	Number bool
	Code   bool
	Value  string
}

func numberCell(n int64) cell {
	return cell{Text: number(n), Number: true, Value: strconv.FormatInt(n, 10)}
}

func textCell(text string) cell { return cell{Text: text} }

func shareCell(n, d int64) cell {
	c := cell{Text: share(n, d), Number: true}
	if d > 0 {
		c.Value = strconv.FormatFloat(float64(n)/float64(d), 'g', 6, 64)
	}
	return c
}

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
