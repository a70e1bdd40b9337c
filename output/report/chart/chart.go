// Package chart draws figures as SVG: bars, stacks, shares with their intervals, and heat maps. It knows no table and
// no sentence. Fills differ by pattern and lightness, so that a figure reads without colour, in light and dark and on
// paper.
//
// Lengths are whole tenths of a unit, so that a drawing has the same bytes on every machine. All text is escaped.
package chart

import (
	_ "embed"
	"fmt"
	"html"
	"strings"
)

// A Medium is where a drawing is shown.
type Medium int

const (
	Page  Medium = iota // in a page at least 50 rem wide; the page has Style
	Phone               // in a narrower page
	File                // in a file of its own, with its style, as on light paper
)

func (m Medium) width() tenth {
	if m == Phone {
		return 3600
	}
	return 8000
}

// A Drawing is a figure that can be drawn for each medium.
type Drawing interface {
	// Empty reports that there is nothing to draw.
	Empty() bool
	// Describe says in words what the drawing shows.
	Describe() string
	draw(c *canvas)
}

// SVG draws for a medium. The id begins the ids within the drawing; the title names it to people who do not see it.
func SVG(d Drawing, m Medium, id, title string) string {
	c := &canvas{width: m.width(), id: id + [...]string{"-page", "-phone", "-file"}[m], narrow: m == Phone}
	d.draw(c)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img"`+
		` aria-labelledby="%[1]s-title %[1]s-desc" viewBox="0 0 %[2]s %[3]s" width="%[2]s" height="%[3]s">`, c.id,
		c.width, c.height)
	fmt.Fprintf(&b, "<title id=\"%[1]s-title\">%[2]s</title><desc id=\"%[1]s-desc\">%[3]s</desc>\n", c.id,
		html.EscapeString(title), html.EscapeString(d.Describe()))
	if m == File {
		fmt.Fprintf(&b, "<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"></rect>\n",
			light.Replace(styleText), palette[0].light)
	}
	c.patterns(&b)
	b.WriteString(c.body.String())
	b.WriteString("</svg>")
	return b.String()
}

//go:embed chart.css
var styleText string

// Style is the style sheet of drawings in a page, which also defines its colours as custom properties.
func Style() string {
	day, night := "", ""
	for _, color := range palette {
		day += fmt.Sprintf(" --%s: %s;", color.name, color.light)
		night += fmt.Sprintf(" --%s: %s;", color.name, color.dark)
	}
	return fmt.Sprintf(":root { color-scheme: light dark;%s }\n@media screen and (prefers-color-scheme: dark) { "+
		":root {%s } }\n%s",
		day, night, styleText)
}

// The colours. Text on each fill has a contrast of at least 4.5, and fills that meet one of at least 3, in both themes:
// a test computes them.
var palette = []struct{ name, light, dark string }{
	{"paper", "#ffffff", "#14171a"}, {"ink", "#1b1f24", "#e4e8ec"}, {"soft", "#59636e", "#a2abb5"},
	{"rule", "#d5dae0", "#363d45"}, {"panel", "#f4f6f8", "#1d2226"}, {"link", "#0b57a4", "#86bdf2"},
	{"bar", "#1f5f99", "#74aee3"}, {"pale", "#dbe7f2", "#23394d"}, {"amber", "#8a5a00", "#f0b95a"},
	{"amber-pale", "#fbe9c6", "#453511"}, {"red", "#a4262c", "#f0857d"}, {"red-pale", "#f6d9d7", "#4b2322"},
	{"gray-pale", "#e4e6e9", "#32383e"},
}

var light = func() *strings.Replacer {
	var pairs []string
	for _, color := range palette {
		pairs = append(pairs, "var(--"+color.name+")", color.light)
	}
	return strings.NewReplacer(pairs...)
}()

// A Fill is how a bar is drawn.
type Fill string

const (
	Plain Fill = "plain" // an outline around a pale tone
	Hatch Fill = "hatch"
	Solid Fill = "solid"
	Cross Fill = "cross"
	Dots  Fill = "dots"
)

// marks are the strokes of the fills that have a pattern, in a square of 8.
var marks = map[Fill]string{
	Hatch: `<path class="mark" d="M-2 2L2 -2M0 8L8 0M6 10L10 6"></path>`,
	Cross: `<path class="mark" d="M-2 2L2 -2M0 8L8 0M6 10L10 6M-2 6L2 10M0 0L8 8M6 -2L10 2"></path>`,
	Dots:  `<circle class="dot" cx="4" cy="4" r="1.6"></circle>`,
}

// A Series is what one kind of bar stands for.
type Series struct {
	Label string
	Fill  Fill
}

// A tenth is a length in tenths of a unit.
type tenth int64

func (t tenth) String() string {
	if t%10 == 0 {
		return fmt.Sprint(int64(t / 10))
	}
	return fmt.Sprintf("%d.%d", t/10, t%10)
}

// A canvas collects the elements of a drawing.
type canvas struct {
	id            string
	width, height tenth
	narrow        bool
	body          strings.Builder
	used          []Fill // those with a pattern
}

func (c *canvas) patterns(b *strings.Builder) {
	for _, fill := range c.used {
		fmt.Fprintf(b, `<defs><pattern id="%s-%s" width="8" height="8" patternUnits="userSpaceOnUse">`+
			`<rect class="tone %[2]s" width="8" height="8"></rect>%s</pattern></defs>`+"\n", c.id, fill, marks[fill])
	}
}

func (c *canvas) bar(x, y, width, height tenth, fill Fill) {
	paint := ""
	if _, patterned := marks[fill]; patterned {
		paint = fmt.Sprintf(` fill="url(#%s-%s)"`, c.id, fill)
		if !strings.Contains(fmt.Sprint(c.used), string(fill)) {
			c.used = append(c.used, fill)
		}
	}
	fmt.Fprintf(&c.body, `<rect class="bar %s" x="%s" y="%s" width="%s" height="%s"%s></rect>`, fill, x, y, width,
		height, paint)
}

// text writes a line; anchor is start, middle or end.
func (c *canvas) text(x, y tenth, class, anchor, text string) {
	fmt.Fprintf(&c.body, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, x, y, anchor,
		html.EscapeString(text))
}

// lines writes a text from the left edge, in as many lines as it needs, and returns where the last one stands.
func (c *canvas) lines(y tenth, class, text string) tenth {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && lengthOf(line+" "+word) > c.width {
			c.text(0, y, class, "start", line)
			line, y = "", y+180
		}
		line = strings.TrimSpace(line + " " + word)
	}
	c.text(0, y, class, "start", fit(line, c.width))
	return y
}

func (c *canvas) line(class string, x1, y1, x2, y2 tenth) {
	fmt.Fprintf(&c.body, `<path class="%s" d="M%s %sL%s %s"></path>`, class, x1, y1, x2, y2)
}

// legend writes a key for each series from x, in lines that end at end, and returns where what is below begins.
func (c *canvas) legend(parts []Series, left, y, end tenth) tenth {
	x := left
	for _, s := range parts {
		width := 200 + lengthOf(s.Label) + 160
		if x > left && x+width-160 > end {
			x, y = left, y+220
		}
		c.bar(x+5, y+5, 130, 130, s.Fill)
		c.text(x+200, y+115, "label", "start", s.Label)
		x += width
	}
	c.body.WriteByte('\n')
	return y + 240
}

// scale gives a length of at least 1.5 units to what there is at all.
func scale(v, full int64, room tenth) tenth {
	if v <= 0 || full <= 0 {
		return 0
	}
	return max(tenth(float64(v)/float64(full)*float64(room)), 15)
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
	if len(parts) > 0 {
		parts[largest] = max(parts[largest]+left, 0)
	}
	return parts
}

func sum(values []int64) (n int64) {
	for _, v := range values {
		n += v
	}
	return n
}

// fit cuts a label that is longer than a room.
func fit(label string, room tenth) string {
	width, cut := tenth(0), 0
	for i, c := range label {
		if width <= room-lengthOf("…") {
			cut = i
		}
		if width += lengthOf(string(c)); width > room {
			return label[:cut] + "…"
		}
	}
	return label
}

// lengthOf estimates the length of a text in a wide sans serif of 13 units: more than most fonts need.
func lengthOf(s string) (width tenth) {
	for _, c := range s {
		switch {
		case strings.ContainsRune("ijl.,:;'|!", c):
			width += 39
		case strings.ContainsRune("frt-()[]/ ", c):
			width += 54
		case strings.ContainsRune("cksvxyz", c):
			width += 72
		case strings.ContainsRune("mwMW%@…", c), c >= 0x1100:
			width += 130
		case c >= 'A' && c <= 'Z':
			width += 92
		default:
			width += 83
		}
	}
	return width
}
