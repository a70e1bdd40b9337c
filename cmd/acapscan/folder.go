package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// checkFolder tells what is wrong with an output folder as the user named it. One that is not there yet is right.
func checkFolder(dir string) error {
	if remote.IsS3(dir) {
		return usageError{fmt.Errorf("tables go to S3 by 'extract --shard', 'resolve', 'analyze --bucket' and 'complete'; or write them to a folder, and copy it to %s", dir)}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the output folder cannot be made: %w", err)
	case !info.IsDir():
		return fmt.Errorf("the output needs a folder, and %s is a file", dir)
	}
	return nil
}

// checkTables tells, beside that, of files and folders that a run would replace although no run made them: a folder named inputs,
// with somebody's archives in it.
func checkTables(dir string) error {
	if err := checkFolder(dir); err != nil {
		return err
	}
	for _, mark := range []string{manifest.SuccessName, manifest.FileName, dataset.WorkFolder, storage.LockFile} {
		if exists(filepath.Join(dir, mark)) {
			return nil
		}
	}
	names := manifest.Beside()
	for _, d := range table.All() {
		names = append(names, string(d.Name))
	}
	for _, name := range names {
		if exists(filepath.Join(dir, name)) {
			return fmt.Errorf("%s holds %s, which no run of this program made and which this one would replace; choose another folder", dir, name)
		}
	}
	return nil
}

// checkArray tells of buckets that the tasks of an array job have left in a folder: they took many machines, and complete is still to
// come.
func checkArray(dir string, overwrite bool) error {
	if plan, err := dataset.ReadPlan(dir); overwrite || err != nil || !plan.Shared {
		return nil
	}
	return fmt.Errorf("%s holds buckets of an array job; 'acapscan complete %s' makes tables of them; choose another folder, or --overwrite it", dir, dir)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// hold keeps others from an output folder, which it makes, until release.
func hold(dir string, mode storage.Mode) (release func(), err error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	lock, err := storage.Acquire(dir, mode)
	if err != nil {
		return nil, err
	}
	return func() {
		_ = lock.Release() // the lock ends with the process in any case
	}, nil
}

// tidyShared removes what processes left that were killed in a folder which several share, unless others are still at work there.
func tidyShared(dir string) {
	lock, err := storage.Acquire(dir, storage.Alone)
	if err != nil {
		return // who comes last does it
	}
	_ = storage.ClearStages(dir) // they are in nobody's way
	_ = lock.Release()
}

// dropFacts removes the facts, staged tables and the lock file that a run left whose tables are finished: killed before its end, it
// could not.
func dropFacts(dir string) {
	if !exists(filepath.Join(dir, dataset.WorkFolder)) && !exists(filepath.Join(dir, storage.LockFile)) {
		return
	}
	if plan, err := facts.ReadPlan(scanFacts(dir)); err == nil && plan.Afresh {
		return // an interrupted --overwrite goes on with the same command
	}
	if release, err := hold(dir, storage.Alone); err == nil {
		defer release()
		_ = removeScanFacts(dir) // they are in nobody's way
		_ = storage.ClearStages(dir)
		_ = dataset.Clear(dir)
	}
}

// removeScanFacts removes the facts of a scan, and the work folder if nothing else is in it.
func removeScanFacts(dir string) error {
	if err := os.RemoveAll(scanFacts(dir)); err != nil {
		return err
	}
	return storage.RemoveEmpty(filepath.Join(dir, dataset.WorkFolder))
}

// explainOutput makes a sentence of an error of a run for which somebody took the output folder away.
func explainOutput(dir string, err error) error {
	if err != nil && errors.Is(err, fs.ErrNotExist) && !remote.IsS3(dir) && !exists(dir) {
		return fmt.Errorf("the output folder %s was removed while the run was at work: %w", dir, err)
	}
	return err
}
