package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGridIsBounded(t *testing.T) {
	g := newGridOf(2, 2)
	g.Add("b", 0, 1)
	g.Add("a", 1, 2)
	g.Add("c", 0, 5) // one too many
	g.Add("a", 0, 3)
	g.Add("d", 1, 7)
	if diff := cmp.Diff([]string{"a", "b"}, g.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if !slices.Equal(g.Beyond(nil), []int64{5, 7}) || !g.Full() || !slices.Equal(g.Total(), []int64{9, 9}) ||
		g.Row("a") != 5 || g.Get("d", 1) != 0 {
		t.Errorf("grid %+v", g)
	}
}

func TestGridCutsLongNames(t *testing.T) {
	g := newGrid(1)
	long := strings.Repeat("é", maxNameBytes)
	g.Add(long, 0, 1)
	g.Add(long+"x", 0, 1)
	g.Add("x"+long, 0, 1)
	want := map[string]int64{long[:maxNameBytes]: 2, ("x" + long)[:maxNameBytes-1]: 1}
	got := map[string]int64{}
	for _, name := range g.Names() {
		got[name] = g.Get(name, 0)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestGridOrders(t *testing.T) {
	g := newGrid(2)
	for name, row := range map[string][2]int64{"a": {1, 9}, "b": {2, 1}, "c": {1, 9}, "d": {2, 3}} {
		g.Add(name, 0, row[0])
		g.Add(name, 1, row[1])
	}
	if got := strings.Join(g.By(), ""); got != "dbac" {
		t.Errorf("by count %s", got)
	}
	if got := strings.Join(g.In([]string{"c", "z", "a"}), ""); got != "czabd" {
		t.Errorf("in order %s", got)
	}
}

func TestNumbersInWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(1000), "1,000"}, {number(-1234567), "-1,234,567"},
		{share(0, 0), "–"}, {share(0, 5), "0%"}, {share(5, 5), "100%"}, {share(1, 3), "33.3%"}, {share(2, 3), "66.7%"},
		{share(1, 100_000), "<0.1%"}, {share(99_999, 100_000), ">99.9%"}, {share(1, 1000), "0.1%"},
		{bytesOf(1), "1 byte"}, {bytesOf(999), "999 bytes"}, {bytesOf(1000), "1.0 kB"}, {bytesOf(1_549_000), "1.5 MB"},
		{bytesOf(999_999), "1.0 MB"}, {bytesOf(3_000_000_000_000_000_000), "3,000.0 PB"},
		{plural(1, "site"), "1 site"}, {plural(0, "site"), "0 sites"}, {plural(2000, "site"), "2,000 sites"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Disallow: /a", "Disallow: /a"},
		{"lines and tabs", "a\r\nb\tc", "a  b c"},
		{"controls", "a\x00\x1b[31mb\u0085", "a\ufffd\ufffd[31mb\ufffd"},
		{"direction of writing", "a\u202eb\u2066c\u200f", "a\ufffdb\ufffdc\ufffd"},
		{"not UTF-8", "a\xe9b", "a\ufffdb"},
		{"cut between characters", strings.Repeat("é", 200), strings.Repeat("é", 150) + "…"},
	} {
		if got := visible(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLink(t *testing.T) {
	for address, linked := range map[string]bool{
		"http://www.example.com/a?b#c": true, "https://[::1]:8080/": true, "": false, "/a": false,
		"//www.example.com/": false, "javascript:alert(1)": false,
		"data:text/html,x": false, "HTTP://www.example.com/": true, "https:///a": false, "https://a@b.example/": false,
		"ftp://www.example.com/":       false,
		"https://www.example.com/\x00": false, "https://www.example.com/\u202e": false, " https://www.example.com/": false,
		"https://www.example.com/" + strings.Repeat("a", maxLink): false,
	} {
		if got := link(address) != ""; got != linked {
			t.Errorf("link(%q) = %v", address, got)
		}
	}
}

func TestStackFillsTheWidth(t *testing.T) {
	parts := []series{{"a", fillPlain}, {"b", fillHatch}, {"c", fillSolid}}
	for _, values := range [][]int64{{1, 1, 1}, {0, 5, 0}, {1, 1_000_000, 1}, {7, 0, 1 << 40}} {
		c := stackChart(parts, []datum{{label: "row", values: values}}, true)
		bars := c.Rows[0].Bars
		last := bars[len(bars)-1]
		if end := last.X + last.Width; end != (chartWidth-1)*10 {
			t.Errorf("%v: the bars end at %s", values, end)
		}
		for i, bar := range bars {
			if bar.Width < 10 {
				t.Errorf("%v: bar %d is %s wide", values, i, bar.Width)
			}
			if i > 0 && bars[i-1].X+bars[i-1].Width != bar.X {
				t.Errorf("%v: bar %d does not begin where the one before ends", values, i)
			}
		}
	}
}

func TestChartsStayInside(t *testing.T) {
	data := []datum{{"a very long label that does not fit", []int64{1 << 40}, withShare(1<<40, 1<<41)},
		{"b", []int64{0}, "0 (0%)"}}
	c := barChart(data, 0)
	if w := c.Rows[0].Bars[0]; w.X+w.Width > (chartWidth-endRoom)*10 {
		t.Errorf("bar ends at %s", w.X+w.Width)
	}
	if w := c.Rows[1].Bars[0].Width; w != 0 {
		t.Errorf("nothing is %s wide", w)
	}
	if !strings.Contains(c.Desc, "a very long label that does not fit") {
		t.Errorf("described as %q", c.Desc)
	}
}

func TestShorten(t *testing.T) {
	for label, want := range map[string]string{
		"": "", "present-oldthumbnail": "present-oldthumbnail", "permissions-reference": "permissions-reference",
		"record-without-rules":            "record-without-rules",
		"ignore-conventional-records":     "ignore-conventional-records",
		"a-field-whose-name-is-very-long": "a-field-whose-name-is-ve…",
		"%%%%%%%%%%%%%%%%":                "%%%%%%%%%%%%%…", strings.Repeat("報", 40): strings.Repeat("報", 13) + "…",
	} {
		if got := shorten(label); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestChartOfNothingDoesNotShow(t *testing.T) {
	if barChart([]datum{{"a", []int64{0}, "0"}}, 0).shows() || !barChart([]datum{{"a", []int64{1}, "1"}}, 0).shows() {
		t.Error("a chart shows where it has a bar")
	}
}
