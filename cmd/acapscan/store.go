package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
)

// open returns the store that the user named: a folder of this machine, which may not be there yet, or one of S3
// (s3://BUCKET/KEY). The caller closes it.
func (f *s3Flags) open(ctx context.Context, name string) (storage.Store, error) {
	if remote.IsS3(name) {
		folder, err := f.folder(ctx, name)
		if err != nil {
			return nil, err // and not a store that is a nil folder
		}
		return folder, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("the output needs a folder, and %s is a file", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the output folder cannot be made: %w", err)
	}
	return storage.NewFolder(name), nil
}

// openRun opens the store of a finished run, with its manifest. The caller closes the store.
func (f *s3Flags) openRun(ctx context.Context, name string) (storage.Store, *manifest.Manifest, error) {
	if !remote.IsS3(name) {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("there is no folder %q", name)
		case err != nil:
			return nil, nil, err
		case !info.IsDir():
			return nil, nil, fmt.Errorf("%s is a file, and the folder of a run is needed", name)
		}
	}
	store, err := f.open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	m, err := manifest.Read(store)
	if errors.Is(err, manifest.ErrNotComplete) {
		err = fmt.Errorf("%w: it has no %s; scan and analyze write it last", err, manifest.SuccessName)
	}
	return store, m, err
}

// hold keeps other processes away from a store until release, as far as it can. It tells of a service of S3 where of
// two tasks that put the same object at the same time the last wins.
func hold(store storage.Store, mode storage.Mode, note func(format string, args ...any)) (release func(), err error) {
	unlock, err := store.Lock(mode)
	if err != nil {
		return nil, err
	}
	if folder, ok := store.(*remote.Folder); ok {
		if err := probe(folder, note); err != nil {
			unlock()
			return nil, err
		}
	}
	return func() {
		_ = store.Close() // a process that is killed between the two leaves a lock, by which the next one finds its stage
		unlock()
	}, nil
}

// checkOverwrite tells why nothing is written over where no lock says that other tasks are not at work.
func checkOverwrite(store storage.Store, overwrite bool) error {
	if overwrite && !store.Local() {
		return usageError{errors.New("--overwrite is not for S3, where other tasks may be at work; choose another folder, or remove this one")}
	}
	return nil
}

// orOverwrite ends a sentence that tells to choose another folder.
func orOverwrite(store storage.Store) string {
	if store.Local() {
		return ", or --overwrite it"
	}
	return ""
}

// checkTables tells why a run cannot write tables to a store.
func checkTables(store storage.Store, overwrite bool) error {
	if err := checkOverwrite(store, overwrite); err != nil {
		return err
	}
	if err := dataset.Check(store); err != nil {
		return err
	}
	return checkArray(store, overwrite)
}

// checkArray tells of buckets that the tasks of an array job have left in a store: they took many machines, and
// complete is still to come.
func checkArray(store storage.Store, overwrite bool) error {
	if plan, err := dataset.ReadPlan(store); overwrite || err != nil || plan.Shards == 0 {
		return nil
	}
	return fmt.Errorf("%s holds buckets of an array job; 'acapscan complete %s' makes tables of them; choose another folder%s",
		store, store, orOverwrite(store))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// tidyShared removes what processes left that were killed in a folder which several share, unless others are still at
// work there.
func tidyShared(store storage.Store) {
	if release, err := store.Lock(storage.Alone); err == nil {
		release()
	} // else who comes last does it
}

// dropWork removes what a run left whose tables are finished: facts, staged tables, the lock file. Killed before its
// end, it could not. It does its best.
func dropWork(store storage.Store) {
	left, err := storage.Holds(store, storage.WorkFolder+"/")
	if locked, _ := storage.Exists(store, storage.LockFile); err != nil || !left && !locked {
		return
	}
	if afresh, err := job.IsAfresh(scanFacts(store)); afresh || err != nil {
		return // an interrupted --overwrite goes on with the same command
	}
	if release, err := store.Lock(storage.Alone); err == nil {
		defer release()
		_ = storage.RemoveAll(store, storage.WorkFolder+"/")
	}
}

// scanFacts is where a scan keeps its facts until the tables are made.
func scanFacts(store storage.Store) storage.Store {
	return storage.Sub(store, storage.WorkFolder+"/facts")
}

// sortedFolder is where facts are sorted: on this machine, on the stage of a store.
func sortedFolder(store storage.Store) (string, error) {
	stage, err := store.Stage()
	return filepath.Join(stage, "sorted"), err
}

// explainOutput makes a sentence of an error of a run for which somebody took the output folder away.
func explainOutput(store storage.Store, err error) error {
	if err != nil && errors.Is(err, fs.ErrNotExist) && store.Local() && !exists(store.String()) {
		return fmt.Errorf("the output folder %s was removed while the run was at work: %w", store, err)
	}
	return err
}

// finishedElsewhere tells whether a run failed since another process finished the tables at the same time, and removed
// what was to be named.
func finishedElsewhere(store storage.Store, err error) bool {
	if store.Local() || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, unfinished := manifest.Read(store)
	return unfinished == nil
}
