package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/console"
)

// A Document is a page, with its header fields, or a robots.txt, as the scan would see it.
type Document struct {
	Name    string // of the file; "" for a page of which only header fields are known
	Body    []byte // as text: UTF-16 and UTF-32 are decoded
	Fact    facts.Fact
	Headers int // how many header fields are known

	breaks   []int64                                 // where lines end; nil before the first use
	referred map[*policy.Statement]*policy.Reference // statements of files that the robots.txt refers to
}

// line is the line of a statement in the file that carries it; nil for a header field.
func (d *Document) line(st *policy.Statement) *int {
	switch {
	case st.Source == policy.RobotsTxt, st.Source == policy.TDMFile: // the number of the rule
		return &st.Line
	case st.Source == policy.HTTPHeader, st.Offset < 0, st.Offset > int64(len(d.Body)):
		return nil
	}
	n := d.lineAt(st.Offset)
	return &n
}

// lineAt is the line of an offset in the file.
func (d *Document) lineAt(offset int64) int {
	if d.breaks == nil {
		d.breaks = []int64{}
		for i, c := range d.Body {
			if c == '\n' {
				d.breaks = append(d.breaks, int64(i))
			}
		}
	}
	n, _ := slices.BinarySearch(d.breaks, offset)
	return n + 1
}

// locator is that of the referred file with a statement; nil for statements of other files.
func (d *Document) locator(st *policy.Statement) *string {
	if ref := d.referred[st]; ref != nil {
		return &ref.Locator
	}
	return nil
}

// quote shows a statement with its place.
func (d *Document) quote(st *policy.Statement) string {
	raw := console.Printable(strings.Join(strings.Fields(st.Raw), " "))
	if ref := d.referred[st]; ref != nil {
		return fmt.Sprintf("%s line %d: %s", console.Printable(ref.Locator), st.Line, raw)
	}
	if st.Source == policy.TDMFile {
		return fmt.Sprintf("%s rule %d: %s", st.Source, st.Line, raw)
	}
	if n := d.line(st); n != nil {
		return fmt.Sprintf("%s line %d: %s", st.Source, *n, raw)
	}
	return fmt.Sprintf("%s: %s", st.Source, raw)
}
