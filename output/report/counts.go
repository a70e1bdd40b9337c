package report

// countChart draws the largest counts of a grid's first column.
func countChart(id, title string, g *Grid, shown int, total int64) *chart {
	return barChart(id, title, countData(g, shown, total), 0)
}

// countData are the largest counts of a grid's first column, each with its share.
func countData(g *Grid, shown int, total int64) []datum {
	var data []datum
	for _, name := range first(g.By(0), shown) {
		n := g.Get(name, 0)
		data = append(data, datum{visible(name), []int64{n}, withShare(n, total)})
	}
	return data
}

// countTable lists the largest counts of a grid's first column with their share; the others stand in a last row together.
func countTable(what, of string, g *Grid, shown int, total int64) dataTable {
	t := dataTable{Head: columns(what, of, "Share"), None: "None was seen."}
	names := g.By(0)
	for _, name := range first(names, shown) {
		n := g.Get(name, 0)
		t.Rows = append(t.Rows, tableRow{Name: visible(name), Code: true, Cells: []cell{numberCell(n), shareCell(n, total)}})
	}
	hidden := after(names, shown)
	if rest := beyond(g, hidden, 0); rest > 0 {
		// Without a share: one site, or one file, may have several of them.
		row := named(more(g, len(hidden)) + " more, together")
		row.Cells = []cell{numberCell(rest), {Text: "–", Number: true}}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// addRest adds a last row for the names of a grid that are not shown.
func (t *dataTable) addRest(g *Grid, hidden []string, columns ...int) {
	if len(hidden) == 0 && !g.Full() {
		return
	}
	row := named(more(g, len(hidden)) + " more, together")
	for _, column := range columns {
		row.Cells = append(row.Cells, numberCell(beyond(g, hidden, column)))
	}
	t.Rows = append(t.Rows, row)
}

// beyond counts what is not shown: hidden names, and those that the grid did not keep.
func beyond(g *Grid, hidden []string, column int) int64 {
	n := g.Rest(column)
	for _, name := range hidden {
		n += g.Get(name, column)
	}
	return n
}

func more(g *Grid, n int) string {
	if g.Full() {
		return "over " + number(int64(n))
	}
	return number(int64(n))
}

func first(names []string, n int) []string { return names[:min(n, len(names))] }

func after(names []string, n int) []string { return names[min(n, len(names)):] }
