package chart

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Heat is a grid of shares. The largest has the strongest colour, and each cell has its number.
type Heat struct {
	Columns []string
	Rows    []HeatRow
}

// A HeatRow has a share from 0 to 1, and its text, for each column.
type HeatRow struct {
	Label  string
	Shares []float64
	Texts  []string
}

func (h *Heat) Empty() bool { return len(h.Rows) == 0 || len(h.Columns) == 0 }

func (h *Heat) Describe() string {
	var rows []string
	for _, row := range h.Rows {
		var cells []string
		for i, text := range row.Texts {
			cells = append(cells, h.Columns[i]+" "+text)
		}
		rows = append(rows, row.Label+": "+strings.Join(cells, ", "))
	}
	return strings.Join(rows, ". ") + "."
}

func (h *Heat) draw(c *canvas) {
	const tallest = tenth(1500)
	longestLabel, longestColumn := tenth(0), tenth(0)
	for _, row := range h.Rows {
		longestLabel = max(longestLabel, lengthOf(row.Label))
	}
	for _, name := range h.Columns {
		longestColumn = max(longestColumn, min(lengthOf(name), tallest))
	}
	left, above, size := min(longestLabel, longest)+80, tenth(0), "value"
	if c.narrow { // labels stand above their rows
		left, above, size = 0, aboveBar+30, "small"
	}
	side := min((c.width-left)/tenth(len(h.Columns)), 640)
	top := longestColumn + 120
	for i, name := range h.Columns { // upright, since slanted names would need room on the right
		fmt.Fprintf(&c.body, `<text class="label" transform="translate(%s %s) rotate(-90)">%s</text>`,
			left+side*tenth(i)+side/2+45, top-60, html.EscapeString(fit(name, tallest)))
	}
	c.body.WriteByte('\n')
	most := 0.0
	for _, row := range h.Rows {
		most = max(most, slices.Max(row.Shares))
	}
	for i, row := range h.Rows {
		y := top + tenth(i)*(260+above) + above
		if c.narrow {
			c.text(0, y-40, "label", "start", fit(row.Label, c.width))
		} else {
			c.text(left-80, y+175, "label", "end", fit(row.Label, longest))
		}
		for j, share := range row.Shares {
			if most > 0 {
				share /= most
			}
			x := left + side*tenth(j)
			class := size + " over"
			if share < darkFrom {
				class = size
			}
			fmt.Fprintf(&c.body, `<rect class="cell" x="%s" y="%s" width="%s" height="24" fill-opacity="%.2f"></rect>`,
				x+5, y+5, side-10, opacity(share))
			c.text(x+side/2, y+172, class, "middle", row.Texts[j])
		}
		c.body.WriteByte('\n')
	}
	c.height = top + tenth(len(h.Rows))*(260+above) + 40
}

// darkFrom is where text on a cell changes from the colour of ink to that of paper.
const darkFrom = 0.6

// opacity leaves out what neither ink nor paper can be read on, in one of the themes.
func opacity(share float64) float64 {
	switch {
	case share <= 0:
		return 0
	case share < darkFrom:
		return 0.04 + share*0.8
	}
	return 0.86 + (share-darkFrom)*0.35
}
