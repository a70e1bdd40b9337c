// Package report makes one HTML page about the tables of a finished run: who blocks whom, who uses which vocabulary,
// what sites permit, where they contradict themselves, and what was read. Each figure has its denominator and what it
// does not say, and can be saved as SVG and as CSV.
//
// Package numbers counts, package chart draws, and this package has the words. The page needs neither a network nor a
// script. What came out of archives is escaped and cut; only http and https addresses become links. Equal tables and
// manifests give equal bytes.
package report

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

// Options choose what a report is about. The zero value is good.
type Options struct {
	// Crawl restricts the report to one crawl of the run, by its name. Empty: all of them.
	Crawl string
	// Rule returns the text of a rule of docs/semantics.md and its source. The page quotes the rules that it names.
	// Nil: rules have no text.
	Rule func(id string) (text, source string, known bool)
}

// ErrNoCrawl is what Collect returns for a crawl that the run does not have.
var ErrNoCrawl = numbers.ErrNoCrawl

// A Report is the numbers of a run, ready to be written.
type Report struct {
	*numbers.Numbers
	rule func(id string) (text, source string, known bool)
}

// Collect reads the tables of the finished run in a store, of which m is the manifest, as manifest.Read returns it. An
// error names the file that could not be read.
func Collect(ctx context.Context, store storage.Store, m *manifest.Manifest, opts Options) (*Report, error) {
	n, err := numbers.Collect(ctx, store, m, numbers.Options{Crawl: opts.Crawl})
	if err != nil {
		return nil, err
	}
	if opts.Rule == nil {
		opts.Rule = func(string) (string, string, bool) { return "", "", false }
	}
	return &Report{Numbers: n, rule: opts.Rule}, nil
}

//go:embed report.gohtml
var pageText string

//go:embed report.css
var styleText string

// Write renders the report as one HTML page. Equal reports give equal bytes.
func (f *Report) Write(w io.Writer) error {
	quoted := &rules{text: f.rule}
	functions := template.FuncMap{
		"rules": quoted.link, "quoted": quoted.list,
		"style": func() template.CSS { return template.CSS(chart.Style() + styleText) },
	}
	parsed, err := template.New("report").Funcs(functions).Parse(pageText)
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
