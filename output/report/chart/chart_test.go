package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// drawings are of every kind, with numbers and labels as long as they get.
func drawings() map[string]Drawing {
	const huge = int64(1) << 40
	text := Count(huge) + " (100%)"
	parts := []Series{{"allowed", Plain}, {"conditional", Hatch}, {"disallowed", Solid},
		{"disallowed, as crawling is", Cross},
		{"unknown", Dots}}
	return map[string]Drawing{
		"bars": &Bars{Panels: make([]Panel, 1), Rows: []Row{
			{"a label that is as long as one of a record without rules", []Cell{{Values: []int64{huge}, Text: text}}},
			{`<b>&"b"`, []Cell{{Values: []int64{0}, Text: "0 (0%)"}}},
			{"c", []Cell{{Values: []int64{1}, Text: "1 (0.0001%)"}}},
		}},
		"stack": &Bars{Panels: []Panel{{Series: parts, Whole: true}}, Rows: []Row{
			{"crawl", []Cell{{Values: []int64{1, 1, 1, huge, 1}}}},
			{"follow and 14 more alike", []Cell{{Values: []int64{0, 5, 0, 0, 0}}}},
			{"none", []Cell{{Values: []int64{0, 0, 0, 0, 0}}}},
			{strings.Repeat("報", 60), []Cell{{Values: []int64{7, 7, 7, 7, 7}}}},
		}},
		"panels": &Bars{Panels: []Panel{{Title: "Fully", Series: parts[:2]}, {Title: "In part", Series: parts[2:3]}},
			Rows: []Row{
				{"gptbot", []Cell{{Values: []int64{101_697, 1}, Text: "101,698 (100%)"},
					{Values: []int64{5}, Text: "5 (0.0049%)"}}},
				{"microsoft.url.control", []Cell{{Values: []int64{0, 0}, Text: "0 (0%)"},
					{Values: []int64{0}, Text: "0 (0%)"}}},
			}},
		"interval": &Bars{Panels: []Panel{{Interval: true}}, Rows: []Row{
			{".ie", []Cell{{Share: 0.019, Low: 0.0074, High: 0.048, Text: "4 of 212 (1.9%)"}}},
			{".com", []Cell{{Share: 0.00016, Low: 0.0001, High: 0.0003, Text: "101,698 of 101,698,000 (0.10%)"}}},
		}},
		"zoom": &Bars{Panels: make([]Panel, 1), Rows: []Row{{"beyond-rep",
			[]Cell{{Values: []int64{39}, Text: "39 (100%)"}}}},
			Zoom: &Zoom{Part: 39, Of: 101_698, AllLabel: "101,698 robots.txt files read",
				PartLabel: "39 with both ACAP and conventional rules (0.038%), which say of crawling:"}},
		"heat": &Heat{Columns: []string{"*", "gptbot", strings.Repeat("long", 40)}, Rows: []HeatRow{
			{"crawl", []float64{0, 0.5, 1}, []string{"0", "50", "100"}},
			{"follow and 14 more alike", []float64{0.01, 0.6, 0.59}, []string{"1.0", "60", "59"}},
		}},
		"cold": &Heat{Columns: []string{"*"}, Rows: []HeatRow{{"crawl", []float64{0}, []string{"0"}}}},
	}
}

type element struct {
	Name, Text string
	Attr       map[string]string
}

// elements reads an SVG. An element in a pattern or a style is none of the drawing.
func elements(t *testing.T, svg string) (list []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for hidden := 0; ; {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{Name: token.Name.Local, Attr: map[string]string{}}
			for _, a := range token.Attr {
				e.Attr[a.Name.Local] = a.Value
			}
			if e.Name == "defs" || e.Name == "style" {
				hidden++
			}
			if hidden == 0 {
				list = append(list, e)
			}
		case xml.EndElement:
			if token.Name.Local == "defs" || token.Name.Local == "style" {
				hidden--
			}
		case xml.CharData:
			if len(list) > 0 && hidden == 0 && list[len(list)-1].Name == "text" {
				list[len(list)-1].Text += strings.TrimSpace(string(token))
			}
		}
	}
}

func value(t *testing.T, e element, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.Attr[name], 64)
	if err != nil {
		t.Fatalf("%s of %v: %v", name, e, err)
	}
	return v
}

// Bars, dots and every line of text are inside the drawing, whole, on a page and on a phone.
func TestNothingIsClipped(t *testing.T) {
	for name, d := range drawings() {
		for _, m := range []Medium{Page, Phone, File} {
			list := elements(t, SVG(d, m, "x", "title"))
			width, height := value(t, list[0], "width"), value(t, list[0], "height")
			for _, e := range list[1:] {
				var left, right, bottom float64
				switch {
				case e.Name == "rect" && e.Attr["class"] != "":
					left, bottom = value(t, e, "x"), value(t, e, "y")+value(t, e, "height")
					right = left + value(t, e, "width")
				case e.Name == "circle":
					left, right = value(t, e, "cx"), value(t, e, "cx")
					bottom = value(t, e, "cy")
				case e.Name == "text" && e.Attr["transform"] == "":
					x, length := value(t, e, "x"), float64(lengthOf(e.Text))/10
					if e.Attr["class"] == "small" || e.Attr["class"] == "small over" {
						length *= 10. / 13
					}
					left = x - length*map[string]float64{"start": 0, "middle": 0.5, "end": 1}[e.Attr["text-anchor"]]
					right, bottom = left+length, value(t, e, "y")
				default:
					continue
				}
				if left < -0.5 || right > width+0.5 || bottom > height {
					t.Errorf("%s, medium %d: %v is from %.1f to %.1f in a width of %.0f, down to %.1f of %.0f", name,
						m, e, left, right,
						width, bottom, height)
				}
			}
			if width != map[Medium]float64{Page: 800, Phone: 360, File: 800}[m] {
				t.Errorf("%s, medium %d: width %v", name, m, width)
			}
		}
	}
}

// In a row whose bars fill it, they follow one another without a gap, and the smallest can be seen.
func TestStackFillsTheWidth(t *testing.T) {
	for _, values := range [][]int64{{1, 1, 1}, {0, 5, 0}, {1, 1_000_000, 1}, {7, 0, 1 << 40}} {
		c := &canvas{width: 8000}
		b := &Bars{Panels: []Panel{{Series: []Series{{"a", Plain}, {"b", Solid}, {"c", Solid}}, Whole: true}},
			Rows: []Row{{"row", []Cell{{Values: values}}}}}
		b.draw(c)
		parts := divide(values, 7000)
		var all tenth
		for i, part := range parts {
			all += part
			if values[i] > 0 && part < 15 {
				t.Errorf("%v: bar %d is %s long", values, i, part)
			}
		}
		if all != 7000 {
			t.Errorf("%v: the bars are %s long", values, all)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	for name, d := range drawings() {
		if svg := SVG(d, File, "x", `</title><script>alert("1")`); strings.Contains(svg, "<script") ||
			strings.Contains(svg, "<b>") {
			t.Errorf("%s: %s", name, svg)
		}
	}
}

// The two drawings of a page have no id in common, and refer to their own patterns only.
func TestIdsAreOfOneDrawing(t *testing.T) {
	for name, d := range drawings() {
		ids := map[string]bool{}
		for _, m := range []Medium{Page, Phone} {
			svg := SVG(d, m, "x", "title")
			for _, part := range strings.Split(svg, ` id="`)[1:] {
				id, _, _ := strings.Cut(part, `"`)
				if ids[id] {
					t.Errorf("%s: id %s is there twice", name, id)
				}
				ids[id] = true
			}
			for _, part := range strings.Split(svg, "url(#")[1:] {
				if id, _, _ := strings.Cut(part, ")"); !ids[id] {
					t.Errorf("%s refers to %s", name, id)
				}
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, d := range []Drawing{&Bars{}, &Bars{Panels: make([]Panel, 1),
		Rows: []Row{{"a", []Cell{{Values: []int64{0}}}}}}, &Heat{}} {
		if !d.Empty() {
			t.Errorf("%+v is not empty", d)
		}
	}
	for name, d := range drawings() {
		if d.Empty() {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestDescribe(t *testing.T) {
	for name, want := range map[string]string{
		"panels": "gptbot: Fully 101697 allowed, 1 conditional, 101,698 (100%); In part 5 (0.0049%). " +
			"microsoft.url.control: ",
		"zoom": "101,698 robots.txt files read. 39 with both ACAP and conventional rules (0.038%), which say of " +
			"crawling:. beyond-rep: 39 (100%).",
		"heat": "crawl: * 0, gptbot 50, ",
	} {
		if got := drawings()[name].Describe(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for label, want := range map[string]string{
		"": "", "present-oldthumbnail": "present-oldthumbnail", strings.Repeat("報", 40): strings.Repeat("報", 14) + "…",
	} {
		if got := fit(label, 2000); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// luminance and contrast are those of WCAG 2.
func luminance(rgb [3]float64) float64 {
	l := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := rgb[i] / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text can be read on what it stands on, and bars can be told from the page, in light and dark; text on a cell of a
// heat map at every share.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		color := func(name string) (rgb [3]float64) {
			for _, c := range palette {
				if c.name == name {
					hex := c.light
					if dark {
						hex = c.dark
					}
					for i := range rgb {
						v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
						if err != nil {
							t.Fatal(err)
						}
						rgb[i] = float64(v)
					}
					return rgb
				}
			}
			t.Fatalf("there is no colour %s", name)
			return rgb
		}
		for _, pair := range []struct {
			on, what string
			least    float64
		}{
			{"paper", "ink", 7}, {"paper", "soft", 4.5}, {"paper", "link", 4.5}, {"panel", "ink", 7},
			{"panel", "soft", 4.5},
			{"bar", "paper", 4.5}, {"pale", "ink", 4.5}, {"amber-pale", "ink", 4.5}, {"red-pale", "ink", 4.5},
			{"gray-pale", "ink", 4.5},
			{"paper", "bar", 3}, {"paper", "amber", 3}, {"paper", "red", 3}, {"paper", "soft", 3}, {"bar", "pale", 3},
		} {
			if got := contrast(color(pair.on), color(pair.what)); got < pair.least {
				t.Errorf("dark %v: %s on %s has a contrast of %.2f", dark, pair.what, pair.on, got)
			}
		}
		for share := 0.0; share <= 1; share += 0.01 {
			text, cell := "ink", color("paper")
			if share >= darkFrom {
				text = "paper"
			}
			for i, c := range color("bar") {
				cell[i] += (c - cell[i]) * opacity(share)
			}
			if got := contrast(cell, color(text)); got < 4.5 {
				t.Errorf("dark %v: text on a cell of %.2f has a contrast of %.2f", dark, share, got)
			}
		}
	}
}

func ExampleCount() {
	fmt.Println(Count(0), Count(999), Count(1000), Count(-1234567))
	// Output: 0 999 1,000 -1,234,567
}
