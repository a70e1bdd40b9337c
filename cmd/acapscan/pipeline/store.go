package pipeline

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

// Stores opens folders and stores of S3.
type Stores struct {
	Remote remote.Options // of the folders in S3
}

// Open returns the store of that name: a folder of this machine, which need not exist, or one of S3 (s3://BUCKET/KEY).
// The caller closes it.
func (s *Stores) Open(ctx context.Context, name string) (storage.Store, error) {
	if remote.IsS3(name) {
		return s.openS3(ctx, name)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("the output needs a folder, and %s is a file", name)
	case err != nil && !isNotExist(err):
		return nil, fmt.Errorf("the output folder cannot be made: %w", err)
	}
	return storage.NewFolder(name), nil
}

func (s *Stores) openS3(ctx context.Context, name string) (storage.Store, error) {
	if err := s.Remote.Check(); err != nil {
		return nil, UsageError{err}
	}
	folder, err := remote.New(s.Remote).Folder(ctx, name)
	if err != nil {
		return nil, UsageError{err}
	}
	return folder, nil
}

// OpenRun opens the store of a finished run, with its manifest. The caller closes the store.
func (s *Stores) OpenRun(ctx context.Context, name string) (storage.Store, *manifest.Manifest, error) {
	if !remote.IsS3(name) {
		info, err := os.Stat(name)
		switch {
		case isNotExist(err):
			return nil, nil, fmt.Errorf("there is no folder %q", name)
		case err != nil:
			return nil, nil, err
		case !info.IsDir():
			return nil, nil, fmt.Errorf("%s is a file, and the folder of a run is needed", name)
		}
	}
	store, err := s.Open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	m, err := manifest.Read(store)
	if errors.Is(err, manifest.ErrNotComplete) {
		err = fmt.Errorf("%w: it has no %s; scan and analyze write it last", err, manifest.SuccessName)
	}
	return store, m, err
}

// lock keeps other processes out of a store until release, if its storage can. It reports a service of S3 without
// conditional PUTs, where it leaves a test object.
func (r *Run) lock(store storage.Store, mode storage.Mode) (release func(), err error) {
	unlock, err := store.Lock(mode)
	if err != nil {
		return nil, err
	}
	if folder, ok := store.(*remote.Folder); ok {
		conditional, err := folder.Conditional()
		if err != nil {
			unlock()
			return nil, err
		}
		if !conditional {
			r.Report.Note("the service of %s knows no conditional PUT: each object is still put whole, "+
				"and of two tasks that put the same one at once the last wins", folder)
		}
	}
	return func() {
		// a process that is killed between the two leaves a lock, by which the next one finds its stage
		_ = store.Close()
		unlock()
	}, nil
}

// checkOverwrite refuses to overwrite a store without locks.
func checkOverwrite(store storage.Store, overwrite bool) error {
	if overwrite && !store.Local() {
		return Usagef("--overwrite is not for S3, where other tasks may be at work; " +
			"choose another folder, or remove this one")
	}
	return nil
}

// orOverwrite ends a sentence that advises another folder.
func orOverwrite(store storage.Store) string {
	if store.Local() {
		return ", or --overwrite it"
	}
	return ""
}

// checkTables says why a run cannot write tables to a store. Buckets of an array job took many machines, and complete
// has not run yet.
func checkTables(store storage.Store, overwrite bool) error {
	if err := checkOverwrite(store, overwrite); err != nil {
		return err
	}
	if err := dataset.Check(store); err != nil {
		return err
	}
	if plan, err := dataset.ReadPlan(store); overwrite || err != nil || plan.Shards == 0 {
		return nil
	}
	return fmt.Errorf("%s holds buckets of an array job; 'acapscan complete %s' makes tables of them; "+
		"choose another folder%s", store, store, orOverwrite(store))
}

// leaveShared closes and unlocks a finished shared folder. It removes files that killed processes left there, unless
// others are still at work.
func leaveShared(store storage.Store, unlock func()) error {
	if err := store.Close(); err != nil {
		return err
	}
	unlock()
	if release, err := store.Lock(storage.Alone); err == nil {
		release()
	} // or the last of the others does it
	return nil
}

// dropWork removes the facts, staged tables and lock file of a finished run that was killed before it removed them:
// best effort.
func dropWork(store storage.Store) {
	left, err := storage.Holds(store, storage.WorkFolder+"/")
	if locked, _ := storage.Exists(store, storage.LockFile); err != nil || !left && !locked {
		return
	}
	if afresh, err := job.IsAfresh(scanFacts(store)); afresh || err != nil {
		return // the same command continues an interrupted --overwrite
	}
	if release, err := store.Lock(storage.Alone); err == nil {
		defer release()
		_ = storage.RemoveAll(store, storage.WorkFolder+"/")
	}
}

// scanFacts is the store of the facts of a scan until its tables are committed.
func scanFacts(store storage.Store) storage.Store {
	return storage.Sub(store, storage.WorkFolder+"/facts")
}

// sortedFolder is the folder for sorted facts, on this machine.
func sortedFolder(store storage.Store) (string, error) {
	stage, err := store.Stage()
	return filepath.Join(stage, "sorted"), err
}

// describeMissing describes the error of a run of which the output folder was removed.
func describeMissing(store storage.Store, err error) error {
	if err == nil || !isNotExist(err) || !store.Local() {
		return err
	}
	if _, gone := os.Lstat(store.String()); gone == nil {
		return err
	}
	return fmt.Errorf("the output folder %s was removed while the run was at work: %w", store, err)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
