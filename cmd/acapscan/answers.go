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
	"github.com/acapscan/acapscan/internal/storage"
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

// answersOf is what the answers of facts are made of, but for their digest.
func answersOf(listing string, f *readingFlags) *answers {
	return &answers{Program: createdBy, Schema: facts.SchemaVersion, Listing: listing, Options: map[string]string{
		"strict": fmt.Sprint(f.strict), "refuse": f.refuse.String(), "without": f.without.String(),
	}}
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
	list := make([]facts.File, len(files))
	for i, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return "", err
		}
		list[i] = facts.File{Name: filepath.Base(file), Bytes: info.Size()}
	}
	return digestListing(list), nil
}

// digestListing is that digest of files whose sizes are known.
func digestListing(files []facts.File) string {
	lines := make([]string, len(files))
	for i, file := range files {
		lines[i] = fmt.Sprintf("%d %s\n", file.Bytes, file.Name)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// readAnswers reads what a folder of answers says of itself. The error wraps fs.ErrNotExist where there is none that is finished.
func readAnswers(dir string) (*answers, error) {
	return storage.ReadPlan[answers](filepath.Join(dir, answersFile))
}

var (
	errNoAnswers  = errors.New("a bucket of sites needs what resolve makes of all facts; run 'acapscan resolve FACTS -o ANSWERS' first, and give ANSWERS beside FACTS")
	errTwoAnswers = usageError{errors.New("there are two folders of answers among the arguments")}
)

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
			return nil, nil, errTwoAnswers
		}
		found = a
		files = slices.DeleteFunc(files, func(file string) bool { return isBelow(arg, file) })
	}
	if found == nil {
		return nil, nil, errNoAnswers
	}
	return found, files, nil
}

func isBelow(dir, file string) bool {
	relative, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(relative)
}

// resolveInto writes the answers of a store into a folder, unless they are there.
func (f *resolveFlags) resolveInto(ctx context.Context, asked *askedFacts, work string, note func(format string, args ...any)) error {
	release, err := hold(f.output, storage.Alone)
	if err != nil {
		return err
	}
	defer release()
	if len(asked.places) == 0 && slices.ContainsFunc(asked.store.Files(), func(file string) bool { return isBelow(f.output, file) }) {
		return fmt.Errorf("%s holds the facts that are asked; choose another folder", f.output)
	}
	listing, err := asked.listing()
	if err != nil {
		return err
	}
	next := answersOf(listing, &f.readingFlags)
	switch have, err := readAnswers(f.output); {
	case err == nil:
		return checkAnswers(f.output, have, next, note)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case exists(filepath.Join(f.output, facts.PlanFile)):
		return fmt.Errorf("%s holds facts; choose another folder", f.output)
	}
	if next.Facts, err = asked.digest(ctx, f.workers); err != nil {
		return err
	}
	if err := storage.ClearStages(f.output); err != nil {
		return err
	}
	stage, err := storage.NewStage(f.output)
	if err != nil {
		return err
	}
	return explainOutput(f.output, errors.Join(f.writeAnswers(ctx, asked.store, work, stage, next), stage.Close()))
}

// stageAnswers makes the files of the answers of a store in a stage, for wherever they go.
func (f *resolveFlags) stageAnswers(ctx context.Context, store *facts.Store, work string, stage *storage.Stage) ([]facts.File, error) {
	out := facts.Create(stage.Path(answersName), facts.WriterOptions{CreatedBy: createdBy})
	if err := f.answer(ctx, store, work, out.Write); err != nil {
		return nil, err
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return out.Files(), nil
}

func (f *resolveFlags) writeAnswers(ctx context.Context, store *facts.Store, work string, stage *storage.Stage, a *answers) error {
	files, err := f.stageAnswers(ctx, store, work, stage)
	if err != nil {
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
	finals := map[string]string{}
	for _, file := range files {
		finals[file.Name] = filepath.Join(f.output, file.Name)
	}
	if err := stage.PutAll(finals); err != nil {
		return err
	}
	text, err := storage.EncodePlan(a)
	if err != nil {
		return err
	}
	return stage.Write(filepath.Join(f.output, answersFile), text)
}
