package extractrun

import (
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
)

// Refused are defects that cost the record that shows one: it counts as lost, and what it holds makes no facts. The
// zero value is none: archives are read as far as they can be, and the defects are counted.
type Refused struct {
	archive map[archive.Defect]bool
	http    map[capture.Defect]bool
}

// RefusableDefects lists the codes of the defects that a record can be refused for, of the archive and of HTTP.
func RefusableDefects() []string {
	return append(codesOf(archive.Defects()), codesOf(capture.Defects())...)
}

func codesOf[D ~string](defects []D) (codes []string) {
	for _, d := range defects {
		codes = append(codes, string(d))
	}
	return codes
}

// Add adds a defect by its code. ok is false where there is none of that code.
func (r *Refused) Add(code string) (ok bool) {
	switch {
	case slices.Contains(archive.Defects(), archive.Defect(code)):
		if r.archive == nil {
			r.archive = map[archive.Defect]bool{}
		}
		r.archive[archive.Defect(code)] = true
	case slices.Contains(capture.Defects(), capture.Defect(code)):
		if r.http == nil {
			r.http = map[capture.Defect]bool{}
		}
		r.http[capture.Defect(code)] = true
	default:
		return false
	}
	return true
}

// Codes lists the defects in the order of RefusableDefects.
func (r *Refused) Codes() []string {
	return slices.DeleteFunc(RefusableDefects(), func(code string) bool {
		return !r.archive[archive.Defect(code)] && !r.http[capture.Defect(code)]
	})
}

// A refusal is the loss of a record for a defect of HTTP. For one of the archive there is archive.RecordError.
type refusal struct {
	offset int64
	defect capture.Defect
}

func (e *refusal) Error() string { return fmt.Sprintf("record at offset %d: %s", e.offset, e.defect) }
