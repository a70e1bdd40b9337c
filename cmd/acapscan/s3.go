package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
)

// errS3Overwrite tells why nothing in S3 is written over.
var errS3Overwrite = errors.New("--overwrite is not for S3, where other tasks may be at work; choose another folder, or remove this one")

// anyS3 tells whether facts are in S3: all of them, or none.
func anyS3(args []string) (bool, error) {
	n := len(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !remote.IsS3(arg) }))
	if n > 0 && n < len(args) {
		return false, usageError{errors.New("facts and answers are all in S3, or none of them is: copy some")}
	}
	return n > 0, nil
}

// askedFacts are facts, with what tells them from others.
type askedFacts struct {
	store   *facts.Store
	listing func() (string, error)                                 // digest of their names and sizes, without answers
	digest  func(ctx context.Context, workers int) (string, error) // of what is in them; 0: all cores
	answers *answers                                               // that stand beside those in S3; nil: none
	places  []string                                               // where those in S3 are
}

// ask opens facts, wherever they are. Of facts in S3 the marks are read one by one where that is asked for: else their names must do,
// and there is no digest.
func (f *s3Flags) ask(ctx context.Context, args []string, stdin io.Reader, spooled string, marks bool) (*askedFacts, error) {
	inS3, err := anyS3(args)
	if err != nil {
		return nil, err
	}
	if inS3 {
		return f.askS3(ctx, args, marks)
	}
	store, err := openFacts(args, stdin, spooled)
	if err != nil {
		return nil, err
	}
	return &askedFacts{
		store:   store,
		listing: func() (string, error) { return listFacts(store.Files()) },
		digest:  func(ctx context.Context, workers int) (string, error) { return digestFacts(ctx, store, workers) },
	}, nil
}

func (f *s3Flags) askS3(ctx context.Context, args []string, marks bool) (*askedFacts, error) {
	asked := &askedFacts{}
	var parts []*facts.Stored
	var files []facts.File
	var digests []string
	for _, arg := range args {
		folder, err := f.folder(ctx, arg)
		if err != nil {
			return nil, err
		}
		if slices.Contains(asked.places, folder.String()) {
			continue // facts that are read twice are counted twice
		}
		asked.places = append(asked.places, folder.String())
		have, err := storage.ReadPlanOf[answers](folder, answersFile)
		if err == nil && asked.answers != nil {
			return nil, errTwoAnswers
		}
		if err == nil {
			listed, err := folder.List(answersName + "-")
			if err != nil {
				return nil, err
			}
			asked.answers = have
			parts = append(parts, facts.NewStored(folder, listed))
			digests = append(digests, have.Facts+have.Listing)
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		found, digest, err := listStored(folder, marks)
		if err != nil {
			return nil, err
		}
		parts, files, digests = append(parts, found), append(files, found.Files...), append(digests, digest)
	}
	store, err := facts.OpenStored(parts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; extract makes them", args[0], err)
	}
	asked.store = store
	asked.listing = func() (string, error) { return digestListing(files), nil }
	asked.digest = func(context.Context, int) (string, error) {
		slices.Sort(digests) // the order of arguments does not show
		sum := sha256.Sum256([]byte(strings.Join(digests, "\n")))
		return hex.EncodeToString(sum[:]), nil
	}
	return asked, nil
}

// listStored lists the facts in a folder of S3, by their marks if that is asked for.
func listStored(folder *remote.Folder, marks bool) (found *facts.Stored, digest string, err error) {
	if marks {
		found, digest, err = facts.ListChecked(folder)
	} else {
		found, err = facts.List(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s holds no facts of extract: %w", folder, err)
	}
	return found, digest, err
}

// resolveToS3 writes the answers of facts into a folder of S3, unless they are there. Their files come first, and answersFile last: killed
// before that, the next run puts the same files. Two that run at once put the same, too.
func (f *resolveFlags) resolveToS3(ctx context.Context, asked *askedFacts, work string, note func(format string, args ...any)) error {
	to, err := f.folder(ctx, f.output)
	if err != nil {
		return err
	}
	if slices.Contains(asked.places, to.String()) {
		return fmt.Errorf("%s holds the facts that are asked; choose another folder", to)
	}
	listing, err := asked.listing()
	if err != nil {
		return err
	}
	next := answersOf(listing, &f.readingFlags)
	have, err := storage.ReadPlanOf[answers](to, answersFile)
	if err == nil {
		return checkAnswers(to.String(), have, next, note)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch in, err := to.Stream(facts.PlanFile); {
	case err == nil:
		in.Close()
		return fmt.Errorf("%s holds facts; choose another folder", to)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if next.Facts, err = asked.digest(ctx, f.workers); err != nil {
		return err
	}
	if err := probe(to, note); err != nil {
		return err
	}
	stage, err := storage.NewStage(filepath.Join(work, "answers"))
	if err != nil {
		return err
	}
	files, err := f.stageAnswers(ctx, asked.store, work, stage)
	if err != nil {
		return err
	}
	left, err := to.List(answersName + "-")
	if err != nil {
		return err
	}
	if err := parallel.Each(files, func(file facts.File) error { return to.Put(stage.Path(file.Name), file.Name) }); err != nil {
		return err
	}
	for _, file := range files {
		delete(left, file.Name)
	}
	for name := range left {
		return fmt.Errorf("%s holds %s, which is of other answers; choose another folder, or remove this one", to, name)
	}
	text, err := storage.EncodePlan(next)
	if err != nil {
		return err
	}
	if err := to.WriteNew(answersFile, text); !errors.Is(err, fs.ErrExist) {
		return err
	}
	if have, err = storage.ReadPlanOf[answers](to, answersFile); err != nil { // another process was first
		return err
	}
	return checkAnswers(to.String(), have, next, note)
}

// checkAnswers tells whether finished answers are those that a run would make.
func checkAnswers(folder string, have, next *answers, note func(format string, args ...any)) error {
	if why := have.difference(next); why != "" {
		return fmt.Errorf("%s holds other answers: %s; choose another folder, or remove this one", folder, why)
	}
	note("%s is finished already, nothing to do", folder)
	return nil
}
