package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
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
