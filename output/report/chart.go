package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A fill is how a bar is drawn. Fills differ by pattern and by lightness, so that a chart reads without colour.
type fill string

const (
	fillPlain fill = "plain" // an outline around a pale tone
	fillHatch fill = "hatch"
	fillSolid fill = "solid"
	fillCross fill = "cross"
	fillDots  fill = "dots"
)

// A series is what one kind of bar stands for.
type series struct {
	Label string
	Fill  fill
}

// seriesOf returns a series for each value of an enumeration. A value without a fill is a mistake in this package.
func seriesOf(values []string, fills ...fill) []series {
	var all []series
	for i, value := range values {
		all = append(all, series{value, fills[i]})
	}
	return all
}

// Patterned tells that a pattern of the chart draws the fill, and not the style sheet.
func (f fill) Patterned() bool { return f == fillHatch || f == fillCross || f == fillDots }

// A tenth is a length in tenths of a chart's unit: whole numbers, so that a chart is the same on every machine.
type tenth int64

func (t tenth) String() string { return fmt.Sprintf("%d.%d", t/10, t%10) }

// A chart is horizontal bars, drawn as SVG of a fixed width: narrow enough to be read on a phone.
type chart struct {
	Desc          string
	Width, Height int
	LabelX        int // where the rows' labels end
	Patterns      []fill
	Legend        []legendItem
	Rows          []chartRow
}

type legendItem struct {
	X, Y  int
	Label string
	Fill  fill
}

type chartRow struct {
	Y     int
	Label string
	Bars  []chartBar
	// End is text behind the last bar, at EndX.
	End  string
	EndX tenth
}

type chartBar struct {
	X, Width tenth
	Fill     fill
	// Text stands in the middle of the bar, at TextX, where there is room.
	Text  string
	TextX tenth
}

// Layout, in units of the chart, at a font of 12.
const (
	chartWidth = 440
	labelWidth = 176
	rowHeight  = 24
	legendLine = 22
	charWidth  = 7 // more than most characters need
	barsFrom   = labelWidth + 7
	endRoom    = 100 // for text behind bars
)

// datum is a row of a chart's data: a value for each series.
type datum struct {
	label  string
	values []int64
	end    string
}

func newChart(parts []series, data []datum) *chart {
	return &chart{Width: chartWidth, LabelX: labelWidth, Desc: describe(parts, data)}
}

// barChart draws a bar a row, as long as its value, with the row's end text behind it. A bar of the value most fills
// the width; with most 0 the longest does.
func barChart(data []datum, most int64) *chart {
	c := newChart(nil, data)
	if most == 0 {
		for _, d := range data {
			most = max(most, d.values[0])
		}
	}
	const room = (chartWidth - barsFrom - endRoom) * 10
	y := 4
	for _, d := range data {
		bar := chartBar{X: barsFrom * 10, Width: scale(d.values[0], most, room), Fill: fillSolid}
		c.Rows = append(c.Rows, chartRow{
			Y: y, Label: shorten(d.label), Bars: []chartBar{bar}, End: d.end, EndX: bar.X + bar.Width + 60,
		})
		y += rowHeight
	}
	c.Height = y + 4
	return c
}

// stackChart draws the values of a row one behind another. With whole, every row fills the width and shows shares;
// without, the longest does, and the row's end text stands behind it.
func stackChart(parts []series, data []datum, whole bool) *chart {
	c := newChart(parts, data)
	y := c.addLegend(parts)
	var most int64
	for _, d := range data {
		most = max(most, sum(d.values))
	}
	room := tenth(chartWidth-barsFrom-1) * 10
	if !whole {
		room -= 50 * 10
	}
	for _, d := range data {
		total := sum(d.values)
		row := chartRow{Y: y, Label: shorten(d.label)}
		full := most
		if whole {
			full = total
		}
		x := tenth(barsFrom * 10)
		for i, width := range divide(d.values, scale(total, full, room)) {
			if width == 0 {
				continue
			}
			bar := chartBar{X: x, Width: width, Fill: parts[i].Fill}
			if text := number(d.values[i]); width >= tenth(charWidth*len(text)+6)*10 {
				bar.Text, bar.TextX = text, x+width/2
			}
			row.Bars = append(row.Bars, bar)
			x += width
		}
		if !whole {
			row.End, row.EndX = d.end, x+60
		}
		if total == 0 {
			row.End, row.EndX = "none", x
		}
		c.Rows = append(c.Rows, row)
		y += rowHeight
	}
	c.Height = y + 4
	return c
}

func (c *chart) addLegend(parts []series) (height int) {
	x, y := 0, 2
	for _, s := range parts {
		width := 20 + charWidth*utf8.RuneCountInString(s.Label) + 12
		if x > 0 && x+width > chartWidth {
			x, y = 0, y+legendLine
		}
		c.Legend = append(c.Legend, legendItem{X: x, Y: y, Label: s.Label, Fill: s.Fill})
		x += width
		if s.Fill.Patterned() {
			c.Patterns = append(c.Patterns, s.Fill)
		}
	}
	return y + legendLine + 8
}

// divide shares a length out among values, so that the parts fill it exactly and what there is at all can be seen.
func divide(values []int64, length tenth) []tenth {
	parts := make([]tenth, len(values))
	total, left, largest := sum(values), length, 0
	for i, v := range values {
		parts[i] = scale(v, total, length)
		left -= parts[i]
		if v > values[largest] {
			largest = i
		}
	}
	parts[largest] = max(parts[largest]+left, 0)
	return parts
}

// scale gives a length of at least a unit to what there is at all.
func scale(v, full int64, room tenth) tenth {
	if v <= 0 || full <= 0 {
		return 0
	}
	return max(tenth(v*int64(room)/full), 10)
}

// describe says in words what a chart shows, for readers who do not see it.
func describe(parts []series, data []datum) string {
	var rows []string
	for _, d := range data {
		text := d.end
		if parts != nil {
			var values []string
			for i, v := range d.values {
				values = append(values, number(v)+" "+parts[i].Label)
			}
			text = strings.Join(values, ", ")
		}
		rows = append(rows, d.label+": "+text)
	}
	return strings.Join(rows, "; ") + "."
}

// shorten cuts a label that would not fit left of the bars.
func shorten(label string) string {
	const room = (labelWidth - 2) * 10
	width, cut := tenth(0), 0
	for i, c := range label {
		if width <= room-widthOf('…') {
			cut = i
		}
		if width += widthOf(c); width > room {
			return label[:cut] + "…"
		}
	}
	return label
}

// widthOf estimates the width of a character in a wide sans serif.
func widthOf(c rune) tenth {
	switch {
	case strings.ContainsRune("ijl.,:;'|!", c):
		return 36
	case strings.ContainsRune("frt-()[]/ ", c):
		return 48
	case strings.ContainsRune("cksvxyz", c):
		return 66
	case strings.ContainsRune("mwMW%@…", c), c >= 0x1100:
		return 120
	case c >= 'A' && c <= 'Z':
		return 84
	}
	return 76
}

// shows tells that the chart has a bar of any length.
func (c *chart) shows() bool {
	return slices.ContainsFunc(c.Rows, func(row chartRow) bool {
		return slices.ContainsFunc(row.Bars, func(bar chartBar) bool { return bar.Width > 0 })
	})
}
