package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

type completeFlags struct {
	extractFlags
	surveyFlags
	s3Flags
	started     string
	inputs      string
	minComplete float64
}

// newComplete is the verb complete, with which an array job ends, and cmd/acapscan-spark: there others wrote the
// tables, and this program writes what stands beside them.
func newComplete() *cobra.Command {
	var f completeFlags
	cmd := &cobra.Command{
		Use:   "complete DIR",
		Short: "Make tables of the buckets that an array job has finished",
		Long: `Give the part files that analyze --bucket made, in a folder or in S3, their names, and write what stands beside the seven tables: manifest, views,
schemas, data package, list of files and, last, _SUCCESS. Where buckets are missing it names them and changes nothing.
On a finished folder it has nothing to do. Exit status 0 says nothing of the inputs: the manifest does.

Programs that run extract and analyze and write the tables by themselves, such as the Spark job, end with it too; then
it reads every file for its digest, and the flags but for --started and --inputs are those of their runs. They remove
the _SUCCESS of an earlier run before they write. With --min-complete the exit status tells of the inputs, too.
` + exitStatusArchives,
		Example: "  acapscan complete out",
		Args:    cobra.MatchAll(atLeast(1, "a folder of tables"), atMost(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], cmd.Flags(), progress.New("complete", progress.None, cmd.ErrOrStderr()))
		},
	}
	cmd.Flags().StringVar(&f.started, "started", "", "when the run began, as in 2025-10-12T08:00:00Z; else now (`TIME`)")
	cmd.Flags().StringVar(&f.inputs, "inputs", "", "`FILE` with what list printed of the inputs: all of them must be in the tables")
	addMinComplete(cmd.Flags(), &f.minComplete)
	f.extractFlags.add(cmd.Flags())
	f.surveyFlags.add(cmd.Flags())
	f.s3Flags.add(cmd.Flags())
	return cmd
}

func (f *completeFlags) run(ctx context.Context, dir string, flags *pflag.FlagSet, tell *progress.Reporter) error {
	if _, err := f.extractFlags.options(); err != nil {
		return err
	}
	surveying, err := f.surveyFlags.options()
	if err != nil {
		return err
	}
	if err := checkMinComplete(f.minComplete); err != nil {
		return err
	}
	var inputs []source.Input
	if f.inputs != "" {
		if inputs, err = readListed(f.inputs); err != nil {
			return err
		}
	}
	m := newManifest(f.named(surveying))
	maps.Copy(m.Options, f.settings(inputs))
	m.Options["format"] = string(table.Parquet)
	var started *time.Time
	if f.started != "" {
		if m.Started, err = time.Parse(time.RFC3339, f.started); err != nil {
			return usageError{fmt.Errorf("--started %q is no time such as 2025-10-12T08:00:00Z", f.started)}
		}
		started = &m.Started
	}
	at, err := f.open(ctx, dir)
	if err != nil {
		return err
	}
	defer at.Close()
	if have, err := manifest.Read(at); err == nil { // who made the tables knows how: programs that write others take _SUCCESS away first
		dropWork(at)
		tell.Note("%s is finished already, nothing to do", at)
		if !flags.Changed("min-complete") {
			return nil
		}
		return completeness{have.Counts["inputs"], have.Counts["input_errors"], f.minComplete}.status()
	} else if !errors.Is(err, manifest.ErrNotComplete) {
		return err
	}
	if _, err := dataset.ReadPlan(at); !errors.Is(err, fs.ErrNotExist) {
		return f.completeBuckets(at, flags, started, tell)
	}
	found := &analyzerun.Summary{Adoption: map[table.AdoptionClass]int64{}, Conflicts: map[table.ConflictKind]int64{}}
	if m.Outputs, err = sumUp(ctx, at, found); err != nil {
		return err
	}
	if len(m.Outputs) == 0 {
		return fmt.Errorf("%s holds neither tables nor buckets that analyze --bucket made", at)
	}
	if f.inputs != "" && found.Inputs != int64(len(inputs)) {
		return fmt.Errorf("%s tells of %d inputs, and %d were to be read", at, found.Inputs, len(inputs))
	}
	fillManifest(m, found)
	if err := manifest.Write(at, m); err != nil {
		return err
	}
	if !flags.Changed("min-complete") {
		return summarizeCompleted(m, found, tell)
	}
	return summarize(tell, m, found, 0, f.minComplete)
}

// sumUp reads the tables in a store, lists their files and adds up what is in them.
func sumUp(ctx context.Context, at storage.Store, found *analyzerun.Summary) ([]manifest.Output, error) {
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
			return nil, err
		}
		if len(outputs) == before && before > 0 {
			return nil, fmt.Errorf("%s holds no files of the table %s", at, d.Name)
		}
	}
	for i := range outputs {
		out := &outputs[i]
		name, _ := out.Table()
		if err := digestOutput(ctx, at, out); err != nil {
			return nil, err
		}
		var err error
		if out.Rows, err = sumUpFile(name, at, *out, found); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// digestOutput reads a part file for its digest, until ctx ends.
func digestOutput(ctx context.Context, at storage.Store, out *manifest.Output) error {
	in, err := at.Open(out.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, storage.UntilDone(ctx, in)); err != nil {
		return err
	}
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// The columns of the tables that a summary needs.
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

// sumUpFile returns how many rows the file of a table has, and adds what is in them to s.
func sumUpFile(name table.Name, at storage.Store, file manifest.Output, s *analyzerun.Summary) (rows int64, err error) {
	switch name {
	case table.Inputs:
		rows, err = eachRow(at, file, func(in *inputColumns) {
			s.AddInput(&table.Input{WARCFilename: in.WARCFilename, Error: in.Error, Bytes: in.Bytes, Digest: in.Digest, Records: in.Records})
		})
	case table.Directives:
		rows, err = eachRow(at, file, func(d *directiveColumns) {
			if d.Vocabulary.Is(terms.VocabularyACAP) {
				s.ACAPStatements++
			}
		})
		s.Statements += rows
	case table.Adoptions:
		rows, err = eachRow(at, file, func(a *adoptionColumns) {
			s.Adoption[a.Class]++
			s.Beyond.AddSite(&table.Adoption{
				ClassExact: a.ClassExact, ConflictsApproximate: a.ConflictsApproximate, ConflictsComplete: a.ConflictsComplete,
				PermissionsComplete: a.PermissionsComplete, ExtentsUnknown: a.ExtentsUnknown,
			})
		})
		s.Sites += rows
	case table.Conflicts:
		rows, err = eachRow(at, file, func(c *conflictColumns) { s.Conflicts[c.Kind]++ })
		s.ConflictRows += rows
	case table.RobotsTxt:
		rows, err = countRows(at, file)
		s.RobotsCaptures += rows
	case table.Pages:
		rows, err = countRows(at, file)
		s.Pages += rows
	case table.Permissions:
		rows, err = countRows(at, file)
		s.Permissions += rows
	}
	return rows, err
}

// eachRow reads the columns of T.
func eachRow[T any](at storage.Store, file manifest.Output, visit func(*T)) (n int64, err error) {
	r, err := dataset.OpenPart[T](at, file)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	rows := make([]T, 1024)
	for {
		read, err := r.Read(rows)
		for i := range rows[:read] {
			visit(&rows[i])
		}
		n += int64(read)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// countRows reads the footer alone.
func countRows(at storage.Store, file manifest.Output) (int64, error) {
	in, err := at.OpenAt(file.Path, file.Bytes)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	r, err := parquet.OpenAt[struct {
		URLSurtkey *string `parquet:"url_surtkey,optional,plain"`
	}](file.Path, in, file.Bytes)
	if err != nil {
		return 0, err
	}
	return r.NumRows(), r.Close()
}
