package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/facts"
	placing "github.com/acapscan/acapscan/output/commit"
)

// A folder of answers is what resolve -o makes: facts files, and answersFile, which is written last.
const (
	answersFile = "_answers.json"
	answersName = "answers" // of the facts files, without number and extension
)

// answers says what a folder of answers was made of.
type answers struct {
	Program string            `json:"program"`
	Schema  int               `json:"facts_schema"`
	Options map[string]string `json:"options"`
	Facts   string            `json:"facts"`   // digest of the facts that were asked
	Listing string            `json:"listing"` // of their names and sizes: what a bucket can compare without reading them all
}

// answersOf is what the answers of a store are made of, but for the digest of its facts.
func answersOf(files []string, f *readingFlags) (*answers, error) {
	listing, err := listFacts(files)
	return &answers{Program: createdBy, Schema: facts.SchemaVersion, Listing: listing, Options: map[string]string{
		"strict": fmt.Sprint(f.strict), "refuse": f.refuse.String(), "without": f.without.String(),
	}}, err
}

// difference tells why answers are not those of others; "" where they are.
func (a *answers) difference(b *answers) string {
	switch {
	case a.Program != b.Program || a.Schema != b.Schema:
		return fmt.Sprintf("they are by %s, this is %s", a.Program, b.Program)
	case !maps.Equal(a.Options, b.Options):
		return "they were made with another --strict, --refuse or --without"
	case a.Listing != b.Listing:
		return "they are of other facts"
	}
	return ""
}

// listFacts is a digest of the names and sizes of facts files, whatever folders they are in: machines may mount these elsewhere.
func listFacts(files []string) (string, error) {
	lines := make([]string, len(files))
	for i, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return "", err
		}
		lines[i] = fmt.Sprintf("%d %s\n", info.Size(), filepath.Base(file))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:]), nil
}

// readAnswers reads what a folder of answers says of itself. The error wraps fs.ErrNotExist where there is none that is finished.
func readAnswers(dir string) (*answers, error) {
	return placing.ReadPlan[answers](filepath.Join(dir, answersFile))
}

// splitAnswers finds the folder of answers among arguments, and lists the files of the others.
func splitAnswers(args []string, store *facts.Store) (*answers, []string, error) {
	var found *answers
	files := store.Files()
	for _, arg := range args {
		a, err := readAnswers(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			var sentence *fs.PathError
			if errors.As(err, &sentence) { // of a facts file, say
				continue
			}
			return nil, nil, err
		case found != nil:
			return nil, nil, usageError{errors.New("there are two folders of answers among the arguments")}
		}
		found = a
		files = slices.DeleteFunc(files, func(file string) bool { return isBelow(arg, file) })
	}
	if found == nil {
		return nil, nil, errors.New("a bucket of sites needs what resolve makes of all facts; run 'acapscan resolve FACTS -o ANSWERS' first, and give ANSWERS beside FACTS")
	}
	return found, files, nil
}

func isBelow(dir, file string) bool {
	relative, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(relative)
}

// resolveInto writes the answers of a store into a folder, unless they are there.
func (f *resolveFlags) resolveInto(ctx context.Context, store *facts.Store, work string, note func(format string, args ...any)) error {
	release, err := hold(f.output, placing.Alone)
	if err != nil {
		return err
	}
	defer release()
	for _, file := range store.Files() {
		if isBelow(f.output, file) {
			return fmt.Errorf("%s holds the facts that are asked; choose another folder", f.output)
		}
	}
	next, err := answersOf(store.Files(), &f.readingFlags)
	if err != nil {
		return err
	}
	switch have, err := readAnswers(f.output); {
	case err == nil && have.difference(next) != "":
		return fmt.Errorf("%s holds other answers: %s; choose another folder, or remove this one", f.output, have.difference(next))
	case err == nil:
		note("%s is finished already, nothing to do", f.output)
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case exists(filepath.Join(f.output, facts.PlanFile)):
		return fmt.Errorf("%s holds facts; choose another folder", f.output)
	}
	if next.Facts, err = digestFacts(ctx, store); err != nil {
		return err
	}
	if err := placing.ClearStages(f.output); err != nil {
		return err
	}
	stage, err := placing.NewStage(f.output)
	if err != nil {
		return err
	}
	return explainOutput(f.output, errors.Join(f.writeAnswers(ctx, store, work, stage, next), stage.Close()))
}

func (f *resolveFlags) writeAnswers(ctx context.Context, store *facts.Store, work string, stage *placing.Stage, a *answers) error {
	out := facts.Create(stage.Path(answersName), facts.WriterOptions{CreatedBy: createdBy})
	if err := f.answer(ctx, store, work, out.Write); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(f.output, answersName+"-*"+facts.Extension)) // of a run that was killed
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	for _, file := range out.Files() {
		if err := stage.Put(file.Name, filepath.Join(f.output, file.Name)); err != nil {
			return err
		}
	}
	text, err := placing.EncodePlan(a)
	if err != nil {
		return err
	}
	return stage.Write(filepath.Join(f.output, answersFile), text)
}
