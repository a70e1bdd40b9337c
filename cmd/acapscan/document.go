package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/console"
)

// documentFlags say how a page in a file was served.
type documentFlags struct {
	mediaType string
}

// A document is a page from a file with its header fields, as the scan would see it.
type document struct {
	body   []byte // as text: UTF-16 and UTF-32 are decoded
	fact   facts.Fact
	breaks []int64 // where lines end; nil before it is asked for

	referred map[*policy.Statement]*policy.Reference // statements of files that the robots.txt refers to
}

// readPage reads a page and its header fields; either may be missing.
func (f *documentFlags) readPage(file string, headers []string) (*document, error) {
	doc := &document{referred: map[*policy.Statement]*policy.Reference{}}
	if file != "" {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		doc.body = body
	}
	var fields capture.Header
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, usageError{fmt.Errorf("--header %q is not of the form 'Name: value'", h)}
		}
		fields = append(fields, capture.Field{Name: []byte(strings.TrimSpace(name)), Value: []byte(strings.TrimSpace(value))})
	}
	doc.fact = extract.Page(doc.body, f.mediaType, fields)
	doc.body = extract.Text(doc.body, f.mediaType, fields) // where the offsets of the fact are
	return doc, nil
}

// line is the line of a statement in the file that carries it; nil for a header field.
func (d *document) line(st *policy.Statement) *int {
	switch st.Source {
	case policy.RobotsTxt:
		return &st.Line
	case policy.HTTPHeader:
		return nil
	}
	if st.Offset < 0 || st.Offset > int64(len(d.body)) {
		return nil
	}
	n := d.lineAt(st.Offset)
	return &n
}

// lineAt is the line of an offset in the file.
func (d *document) lineAt(offset int64) int {
	if d.breaks == nil {
		d.breaks = []int64{}
		for i, c := range d.body {
			if c == '\n' {
				d.breaks = append(d.breaks, int64(i))
			}
		}
	}
	n, _ := slices.BinarySearch(d.breaks, offset)
	return n + 1
}

// locator is that of the referred file that a statement stands in; nil for every other.
func (d *document) locator(st *policy.Statement) *string {
	if ref := d.referred[st]; ref != nil {
		return &ref.Locator
	}
	return nil
}

// quote shows a statement with its place.
func (d *document) quote(st *policy.Statement) string {
	raw := console.Printable(strings.Join(strings.Fields(st.Raw), " "))
	if ref := d.referred[st]; ref != nil {
		return fmt.Sprintf("%s line %d: %s", console.Printable(ref.Locator), st.Line, raw)
	}
	if n := d.line(st); n != nil {
		return fmt.Sprintf("%s line %d: %s", st.Source, *n, raw)
	}
	return fmt.Sprintf("%s: %s", st.Source, raw)
}
