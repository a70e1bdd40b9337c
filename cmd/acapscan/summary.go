package main

import (
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// summarize ends a run: a few lines for people, and exit status 3 where fewer inputs could be read whole than have to
// be.
func summarize(tell *progress.Reporter, m *manifest.Manifest, s *analyzerun.Summary, bytesRead int64, minComplete float64) error {
	var b strings.Builder
	read := completeness{s.Inputs, s.InputErrors, minComplete}
	read.tell(&b)
	fmt.Fprintf(&b, "records      %d\n", s.Records)
	fmt.Fprintf(&b, "robots.txt   %s\n", console.Plural(s.RobotsCaptures, "capture"))
	fmt.Fprintf(&b, "pages kept   %d\n", s.Pages)
	fmt.Fprintf(&b, "statements   %d, of which %d ACAP\n", s.Statements, s.ACAPStatements)
	fmt.Fprintf(&b, "sites        %d\n", s.Sites)
	for _, class := range terms.All[terms.AdoptionClass]() {
		if n := s.Adoption[table.WordOf(class)]; n > 0 {
			fmt.Fprintf(&b, "  %-22s %d\n", class, n)
		}
	}
	fmt.Fprintf(&b, "conflicts    %d\n", s.ConflictRows)
	for _, kind := range terms.All[terms.ConflictKind]() {
		if n := s.Conflicts[table.WordOf(kind)]; n > 0 {
			fmt.Fprintf(&b, "  %-22s %d\n", kind, n)
		}
	}
	writeBeyond(&b, s.Beyond)
	took := m.Ended.Sub(m.Started)
	if bytesRead > 0 && took > 0 {
		fmt.Fprintf(&b, "time         %.1f s, %.1f MB/s of input\n", took.Seconds(), float64(bytesRead)/1e6/took.Seconds())
	} else {
		fmt.Fprintf(&b, "time         %.1f s\n", took.Seconds())
	}
	tell.Done(progress.Outcome{BytesRead: bytesRead, Counts: m.Counts}, b.String())
	return read.status()
}

// writeBeyond tells what patterns were too many to be told apart exactly, if any were.
func writeBeyond(b *strings.Builder, beyond analyzerun.Beyond) {
	if beyond == (analyzerun.Beyond{}) {
		return
	}
	b.WriteString("not exact\n")
	for _, line := range []struct {
		what string
		n    int64
	}{
		{"classes of sites", beyond.Classes}, {"sites not searched out", beyond.Incomplete},
		{"approximate conflicts", beyond.Approximate}, {"unknown extents", beyond.Extents},
		{"sites not all decided", beyond.Permissions},
	} {
		if line.n > 0 {
			fmt.Fprintf(b, "  %-22s %d\n", line.what, line.n)
		}
	}
}
