package pipeline

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// summarize ends a run that made tables: with a few lines for people, and with ErrIncomplete if it is.
func (r *Run) summarize(m *manifest.Manifest, s *analyzerun.Summary, bytesRead int64) error {
	var b strings.Builder
	read := completeness{s.Inputs, s.InputErrors, r.MinComplete}
	read.write(&b)
	fmt.Fprintf(&b, "records      %d\n", s.Records)
	fmt.Fprintf(&b, "robots.txt   %s\n", console.Plural(s.RobotsCaptures, "capture"))
	fmt.Fprintf(&b, "pages kept   %d\n", s.Pages)
	fmt.Fprintf(&b, "statements   %d, of which %d ACAP\n", s.Statements, s.ACAPStatements)
	fmt.Fprintf(&b, "sites        %d\n", s.Sites)
	for _, class := range terms.All[terms.AdoptionClass]() {
		writeCount(&b, class.String(), s.Adoption[table.WordOf(class)])
	}
	fmt.Fprintf(&b, "conflicts    %d\n", s.ConflictRows)
	for _, kind := range terms.All[terms.ConflictKind]() {
		writeCount(&b, kind.String(), s.Conflicts[table.WordOf(kind)])
	}
	if l := s.Limits; l != (analyzerun.LimitCounts{}) {
		b.WriteString("not exact\n")
		writeCount(&b, "classes of sites", l.Classes)
		writeCount(&b, "sites not searched out", l.Incomplete)
		writeCount(&b, "approximate conflicts", l.Approximate)
		writeCount(&b, "unknown extents", l.Extents)
		writeCount(&b, "sites not all decided", l.Permissions)
	}
	seconds, speed := m.Ended.Sub(m.Started).Seconds(), ""
	if bytesRead > 0 && seconds > 0 {
		speed = fmt.Sprintf(", %.1f MB/s of input", float64(bytesRead)/1e6/seconds)
	}
	fmt.Fprintf(&b, "time         %.1f s%s\n", seconds, speed)
	r.Report.Done(progress.Outcome{BytesRead: bytesRead, Counts: m.Counts}, b.String())
	return read.status()
}

// writeCount writes a line of a list, unless the count is 0.
func writeCount(w io.Writer, name string, n int64) {
	if n > 0 {
		fmt.Fprintf(w, "  %-22s %d\n", name, n)
	}
}

// fillManifest ends the manifest of a run with its results.
func fillManifest(m *manifest.Manifest, found *analyzerun.Summary) {
	m.Inputs = found.InputList
	for i := range m.Inputs {
		if m.Inputs[i].SHA256 == nil {
			m.Inputs[i].Bytes = nil // the bytes that were read are not all bytes of the input
		}
	}
	m.Counts = counts(found)
	m.Ended = time.Now()
}

func counts(s *analyzerun.Summary) map[string]int64 {
	counts := map[string]int64{
		"inputs": s.Inputs, "input_errors": s.InputErrors, "records": s.Records, "sites": s.Sites,
		"robots_captures": s.RobotsCaptures, "pages": s.Pages, "statements": s.Statements,
		"acap_statements": s.ACAPStatements, "permissions": s.Permissions, "conflicts": s.ConflictRows,
		"sites_class_inexact": s.Limits.Classes, "sites_conflicts_incomplete": s.Limits.Incomplete,
		"sites_permissions_incomplete": s.Limits.Permissions,
		"conflicts_approximate":        s.Limits.Approximate, "permissions_extent_unknown": s.Limits.Extents,
	}
	for class, n := range s.Adoption {
		counts["adoption:"+string(class)] = n
	}
	for kind, n := range s.Conflicts {
		counts["conflict:"+string(kind)] = n
	}
	return counts
}

// CheckComplete returns ErrIncomplete if too few inputs were readable: atLeast is a share from 0 to 1.
func CheckComplete(inputs, unreadable int64, atLeast float64) error {
	return completeness{inputs, unreadable, atLeast}.status()
}

// completeness is how many inputs of a run were readable, and the share of them that the user requires.
type completeness struct {
	inputs, unreadable int64
	atLeast            float64 // from 0 to 1
}

// completenessOf is that of finished tables.
func (r *Run) completenessOf(m *manifest.Manifest) completeness {
	return completeness{m.Counts["inputs"], m.Counts["input_errors"], r.MinComplete}
}

// share is that of the readable inputs; 1 if there are no inputs.
func (c completeness) share() float64 {
	if c.inputs == 0 {
		return 1
	}
	return float64(c.inputs-c.unreadable) / float64(c.inputs)
}

// write writes two lines of a summary.
func (c completeness) write(w io.Writer) {
	fmt.Fprintf(w, "inputs       %d, of which %d unreadable or cut\n", c.inputs, c.unreadable)
	fmt.Fprintf(w, "complete     %s of the inputs, needed %s\n", percent(c.share()), percent(c.atLeast))
}

// percent never rounds a share below 1 to 100 %.
func percent(share float64) string {
	text := fmt.Sprintf("%.2f", 100*share)
	if share < 1 && text == "100.00" {
		text = "99.99"
	}
	return text + " %"
}

// status is ErrIncomplete if too few inputs were readable.
func (c completeness) status() error {
	const rounding = 1e-9 // 0.9 of 10 inputs is 9 of them
	if c.unreadable > 0 && c.share() < c.atLeast-rounding {
		return ErrIncomplete
	}
	return nil
}
