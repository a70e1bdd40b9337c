package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bars is a list of rows. Each row has a bar in each panel, beside one another.
type Bars struct {
	Panels []Panel
	Rows   []Row
	// Zoom draws above the rows which part of a whole they divide.
	Zoom *Zoom
}

// A Panel is a column of bars of one scale.
type Panel struct {
	Title  string // empty: none
	Series []Series
	// Whole makes every row as long as the panel, divided into its values. Otherwise the length is the sum of values.
	Whole bool
	// Interval draws the share of each row as a dot, with a line for its interval, over an axis from 0.
	Interval bool
}

// A Row has a cell for each panel.
type Row struct {
	Label string
	Cells []Cell
}

// A Cell is what a panel shows in a row.
type Cell struct {
	Values []int64 // of each series; unused with Interval
	Text   string  // behind the bar
	// From 0 to 1, with Interval.
	Share, Low, High float64
}

// A Zoom is a part of a whole. Both have words.
type Zoom struct {
	Part, Of            int64
	PartLabel, AllLabel string
}

func (b *Bars) Empty() bool {
	return !slices.ContainsFunc(b.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return sum(c.Values) > 0 || c.High > 0 })
	})
}

func (b *Bars) Describe() string {
	var rows []string
	if b.Zoom != nil {
		rows = append(rows, b.Zoom.AllLabel, b.Zoom.PartLabel)
	}
	for _, row := range b.Rows {
		var parts []string
		for i, cell := range row.Cells {
			p := b.Panels[i]
			text := cell.Text
			if len(p.Series) > 1 {
				var values []string
				for j, v := range cell.Values {
					values = append(values, fmt.Sprintf("%d %s", v, p.Series[j].Label))
				}
				text = strings.Join(append(values, text), ", ")
			}
			if p.Title != "" {
				text = p.Title + " " + text
			}
			parts = append(parts, strings.TrimSuffix(text, ", "))
		}
		rows = append(rows, row.Label+": "+strings.Join(parts, "; "))
	}
	return strings.Join(rows, ". ") + "."
}

const (
	barHeight  = tenth(160)
	rowHeight  = tenth(240)
	aboveBar   = tenth(160) // a label there
	panelGap   = tenth(280)
	longest    = tenth(3000) // of labels left of bars
	beforeText = tenth(60)
)

// A bars lays out Bars on a canvas.
type bars struct {
	*canvas
	*Bars
	above  bool // labels stand above their bars
	left   tenth
	panels []panel
}

type panel struct {
	Panel
	x, room tenth // of the bars; the text behind them has its own
	most    int64
	end     float64 // of the axis
}

func (b *Bars) draw(c *canvas) {
	l := &bars{canvas: c, Bars: b}
	var label tenth
	for _, row := range b.Rows {
		label = max(label, lengthOf(row.Label))
	}
	l.above = c.narrow && label > 1000
	if !l.above {
		l.left = min(label, longest) + 80
	}
	width := (c.width - l.left - panelGap*tenth(len(b.Panels)-1)) / tenth(len(b.Panels))
	for i, p := range b.Panels {
		placed := panel{Panel: p, x: l.left + tenth(i)*(width+panelGap), room: width - 10}
		var text tenth
		for _, row := range b.Rows {
			text = max(text, lengthOf(row.Cells[i].Text))
			placed.most = max(placed.most, sum(row.Cells[i].Values))
			placed.end = max(placed.end, row.Cells[i].High)
		}
		if text > 0 {
			placed.room -= text + beforeText
		}
		l.panels = append(l.panels, placed)
	}
	y := l.head()
	bottom := y + l.rowHeight()*tenth(len(b.Rows))
	for _, p := range l.panels { // below the bars
		switch {
		case p.Interval:
			l.axis(p, y, bottom)
		case !p.Whole && !l.above:
			c.line("base", p.x, y, p.x, bottom)
		}
	}
	c.body.WriteByte('\n')
	for _, row := range b.Rows {
		l.row(row, y)
		y += l.rowHeight()
	}
	if slices.ContainsFunc(b.Panels, func(p Panel) bool { return p.Interval }) {
		y += 240
	}
	c.height = y + 40
}

// head draws what stands above the rows.
func (l *bars) head() tenth {
	y := tenth(20)
	if l.Zoom != nil {
		y = l.zoom(l.Zoom, y)
	}
	top := y
	for i, p := range l.panels {
		at := top
		if p.Title != "" {
			l.text(p.x, at+120, "head", "start", p.Title)
			at += 220
		}
		if len(p.Series) > 1 {
			from := p.x
			if len(l.panels) == 1 {
				from = 0
			}
			at = l.legend(l.drawn(i), from, at, max(p.x+p.room, l.left+l.width/2))
		}
		y = max(y, at)
	}
	return y
}

// drawn are the series of a panel that a row has any of.
func (l *bars) drawn(panel int) (list []Series) {
	for i, s := range l.Panels[panel].Series {
		if slices.ContainsFunc(l.Rows, func(r Row) bool { return r.Cells[panel].Values[i] > 0 }) {
			list = append(list, s)
		}
	}
	return list
}

// zoom draws the whole, the part of it, and how the part opens to the rows.
func (l *bars) zoom(z *Zoom, y tenth) tenth {
	part := scale(z.Part, z.Of, l.width-10)
	y = l.lines(y+120, "label", z.AllLabel) + 70
	l.bar(5, y, l.width-10, barHeight, Plain)
	l.bar(5, y, part, barHeight, Solid)
	y += barHeight
	fmt.Fprintf(&l.body, `<path class="zoom" d="M0.5 %[1]sL%[2]s %[1]sL%[3]s %[4]sL0.5 %[4]sZ"></path>`, y, part+5,
		l.width-5, y+300)
	y += 300
	y = l.lines(y+160, "head", z.PartLabel)
	l.body.WriteByte('\n')
	return y + 120
}

func (l *bars) rowHeight() tenth {
	if l.above {
		return rowHeight + aboveBar
	}
	return rowHeight
}

func (l *bars) row(row Row, y tenth) {
	if l.above {
		l.text(0, y+160, "label", "start", fit(row.Label, l.width))
		y += aboveBar
	} else {
		l.text(l.left-80, y+160, "label", "end", fit(row.Label, longest))
	}
	for i, p := range l.panels {
		cell := row.Cells[i]
		x := p.x
		if p.Interval {
			l.interval(p, cell, y)
			l.text(p.x+p.room+beforeText, y+160, "value", "start", cell.Text)
			continue
		}
		if l.above && !p.Whole {
			l.line("base", x, y+20, x, y+60+barHeight)
		}
		full := p.most
		if p.Whole {
			full = sum(cell.Values)
		}
		for j, width := range divide(cell.Values, scale(sum(cell.Values), full, p.room)) {
			if width == 0 {
				continue
			}
			fill := Solid
			if len(p.Series) > 0 {
				fill = p.Series[j].Fill
			}
			l.bar(x, y+40, width, barHeight, fill)
			if text := Count(cell.Values[j]); p.Whole && width >= lengthOf(text)+80 {
				l.text(x+width/2, y+160, "in "+string(fill), "middle", text)
			}
			x += width
		}
		if cell.Text != "" {
			l.text(x+beforeText, y+160, "value", "start", cell.Text)
		}
	}
	l.body.WriteByte('\n')
}

func (l *bars) interval(p panel, cell Cell, y tenth) {
	at := func(share float64) tenth { return p.x + tenth(share/p.end*float64(p.room)) }
	middle := y + 120
	l.line("range", at(cell.Low), middle, at(cell.High), middle)
	fmt.Fprintf(&l.body, `<circle class="point" cx="%s" cy="%s" r="5"></circle>`, at(cell.Share), middle)
}

// axis draws lines at round shares.
func (l *bars) axis(p panel, top, bottom tenth) {
	if p.end <= 0 {
		return
	}
	step := math.Pow(10, math.Floor(math.Log10(p.end)))
	for _, smaller := range []float64{0.5, 0.4, 0.5} { // 1, 0.5, 0.2, 0.1 of a power of ten
		if p.end/step >= 3 {
			break
		}
		step *= smaller
	}
	apart := tenth(step / p.end * float64(p.room))
	for i := 0; float64(i)*step <= p.end*1.000001; i++ {
		share := float64(i) * step
		x := p.x + tenth(share/p.end*float64(p.room))
		l.line("grid", x, top, x, bottom)
		if text := percent(share); i%2 == 0 || apart > lengthOf(text)+100 {
			anchor := "middle"
			if x < lengthOf(text)/2 {
				anchor = "start"
			}
			l.text(x, bottom+160, "tick", anchor, text)
		}
	}
}

func percent(share float64) string {
	return fmt.Sprintf("%g%%", math.Round(share*1e9)/1e7)
}

// Count writes a number with commas between thousands.
func Count(n int64) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
