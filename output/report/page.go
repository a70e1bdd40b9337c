package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed report.gohtml
var pageText string

//go:embed report.css
var styleText string

// Write renders the figures as one HTML page. Equal figures give equal bytes.
func (f *Figures) Write(w io.Writer) error {
	parsed, err := template.New("report").Parse(pageText)
	if err != nil {
		return fmt.Errorf("the template of the report is wrong: %w", err)
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, f.page()); err != nil {
		return fmt.Errorf("cannot render the report: %w", err)
	}
	_, err = b.WriteTo(w)
	return err
}

// A page is what the template shows: words and numbers as they stand there.
type page struct {
	Style    template.CSS
	Title    string
	Lead     []string
	Stats    []stat
	Cautions []string
	Sections []section
	Closing  string
}

// A stat is one of the numbers at the top.
type stat struct{ Value, Name, Of string }

type section struct {
	ID, Title string
	Intro     []string
	Figures   []figure
	Examples  []exampleGroup
}

// A figure is a chart with its table, or a table.
type figure struct {
	ID, Caption string
	Label       string // "Figure 3"
	Layout      layout
	Chart       *chart // nil: none
	Table       dataTable
	Notes       []note
}

// A layout is how a figure stands on a wide page. On a narrow one everything stands one below another.
type layout string

const (
	layoutBeside layout = ""     // the table beside the chart, or alone
	layoutBelow  layout = "wide" // the table below the chart
	layoutHalf   layout = "half" // two figures side by side
)

// A note says what a figure counts and what it does not say.
type note struct{ Label, Text string }

func counted(format string, args ...any) note {
	text := fmt.Sprintf(format, args...)
	return note{"Denominator", strings.ToUpper(text[:1]) + text[1:]} // formats begin with ASCII
}

func caveat(text string) note { return note{"Caveat", text} }

// A dataTable has a heading row, and in each row a heading and cells.
type dataTable struct {
	Head []head
	Rows []tableRow
	// None stands instead of a table that has no rows.
	None string
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

type tableRow struct {
	Name  string
	Code  bool   // Name is a value of a column, or out of an archive
	Part  bool   // of the row above that is no part
	Gloss string // what Name means
	Cells []cell
}

// Short tells that the name fits in a line of its own.
func (r tableRow) Short() bool { return len(r.Name) <= 28 }

type cell struct {
	Text   string
	Number bool
	Code   bool
}

func numberCell(n int64) cell     { return cell{Text: number(n), Number: true} }
func shareCell(n, d int64) cell   { return cell{Text: share(n, d), Number: true} }
func textCell(text string) cell   { return cell{Text: text} }
func codeCell(text string) cell   { return cell{Text: text, Code: true} }
func numberHead(text string) head { return head{Text: text, Number: true} }
func seriesHead(s series) head    { return head{Text: s.Label, Number: true, Fill: s.Fill} }
func named(name string) tableRow  { return tableRow{Name: name} }
func columns(names ...string) []head {
	list := make([]head, len(names))
	for i, name := range names {
		list[i] = head{Text: name, Number: i > 0}
	}
	return list
}

type exampleGroup struct {
	ID, Kind, Gloss string
	Of              string // how many there are
	Examples        []exampleView
}

type exampleView struct {
	Site    address
	Facts   []fact
	Sides   []sideView
	Outcome string
}

type fact struct {
	Name  string
	Value address
}

// An address is text that is a link where Link is not empty.
type address struct{ Text, Link string }

type sideView struct {
	Title  string
	Place  string
	Text   string
	Absent string // instead of Text
	Says   string
	Wins   bool
}
