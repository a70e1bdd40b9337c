package analyzerun

import (
	"context"
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

// SumUpTables sums up the tables in a store, which other programs may have written, and lists their files. It reads
// every file for its digest.
func SumUpTables(ctx context.Context, at storage.Store) (*Summary, []manifest.Output, error) {
	found := &Summary{Adoption: map[table.AdoptionClass]int64{}, Conflicts: map[table.ConflictKind]int64{}}
	var outputs []manifest.Output
	for _, d := range table.All() {
		before := len(outputs)
		err := at.List(string(d.Name)+"/", func(name string, size int64) error {
			if strings.HasSuffix(name, table.Parquet.Extension()) {
				outputs = append(outputs, manifest.Output{Path: name, Bytes: size})
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		if len(outputs) == before && before > 0 {
			return nil, nil, fmt.Errorf("%s holds no files of the table %s", at, d.Name)
		}
	}
	for i := range outputs {
		out := &outputs[i]
		name, _ := out.Table()
		var err error
		if out.SHA256, err = storage.Digest(ctx, at, out.Path); err != nil {
			return nil, nil, err
		}
		if out.Rows, err = sumUpFile(ctx, name, at, *out, found); err != nil {
			return nil, nil, err
		}
	}
	return found, outputs, nil
}

// The columns for a summary.
type (
	inputColumns struct {
		WARCFilename string  `parquet:"warc_filename,plain"`
		Error        *string `parquet:"error,optional,plain"`
		Bytes        *int64  `parquet:"bytes,optional"`
		Digest       *string `parquet:"digest,optional,plain"`
		Records      int64   `parquet:"records"`
	}
	directiveColumns struct {
		Vocabulary table.Vocabulary `parquet:"vocabulary,dict"`
	}
	adoptionColumns struct {
		Class                table.AdoptionClass `parquet:"adoption_class,dict"`
		ClassExact           bool                `parquet:"adoption_class_exact"`
		ConflictsApproximate int64               `parquet:"conflicts_approximate"`
		ConflictsComplete    bool                `parquet:"conflicts_complete"`
		PermissionsComplete  bool                `parquet:"permissions_complete"`
		ExtentsUnknown       int64               `parquet:"extents_unknown"`
	}
	conflictColumns struct {
		Kind table.ConflictKind `parquet:"kind,dict"`
	}
)

func (s *Summary) addInput(in *inputColumns) {
	s.AddInput(&table.Input{WARCFilename: in.WARCFilename, Error: in.Error, Bytes: in.Bytes, Digest: in.Digest,
		Records: in.Records})
}

func (s *Summary) addDirective(d *directiveColumns) {
	if d.Vocabulary.Is(terms.VocabularyACAP) {
		s.ACAPStatements++
	}
}

func (s *Summary) addSite(a *adoptionColumns) {
	s.Adoption[a.Class]++
	s.Limits.AddSite(&table.Adoption{
		ClassExact: a.ClassExact, ConflictsApproximate: a.ConflictsApproximate, ConflictsComplete: a.ConflictsComplete,
		PermissionsComplete: a.PermissionsComplete, ExtentsUnknown: a.ExtentsUnknown,
	})
}

func (s *Summary) addConflict(c *conflictColumns) { s.Conflicts[c.Kind]++ }

// sumUpFile returns the number of rows of a part file, and adds them to s.
func sumUpFile(
	ctx context.Context, name table.Name, at storage.Store, file manifest.Output, s *Summary,
) (rows int64, err error) {
	switch name {
	case table.Inputs:
		rows, err = dataset.EachRow(ctx, at, file, s.addInput)
	case table.Directives:
		rows, err = dataset.EachRow(ctx, at, file, s.addDirective)
		s.Statements += rows
	case table.Adoptions:
		rows, err = dataset.EachRow(ctx, at, file, s.addSite)
		s.Sites += rows
	case table.Conflicts:
		rows, err = dataset.EachRow(ctx, at, file, s.addConflict)
		s.ConflictRows += rows
	case table.RobotsTxt:
		rows, err = countRows(at, file)
		s.RobotsCaptures += rows
	case table.Pages:
		rows, err = countRows(at, file)
		s.Pages += rows
	case table.Agents:
		rows, err = countRows(at, file)
	case table.Permissions:
		rows, err = countRows(at, file)
		s.Permissions += rows
	}
	return rows, err
}

// countRows reads only the footer.
func countRows(at storage.Store, file manifest.Output) (int64, error) {
	in, err := at.OpenAt(file.Path, file.Bytes)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	r, err := parquet.OpenAt[struct {
		HostName string `parquet:"url_host_name,plain"`
	}](file.Path, in, file.Bytes)
	if err != nil {
		return 0, err
	}
	return r.NumRows(), r.Close()
}
