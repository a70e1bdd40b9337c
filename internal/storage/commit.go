// Package storage puts whole files under their names, and keeps two runs from one folder. It knows neither facts nor tables. All that
// several processes may write into one folder goes through a Stage, so that another kind of storage needs no more than another Put.
package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/acapscan/acapscan/internal/parallel"
)

// WorkFolder holds what a run has not finished. It lies in the output folder, so that a rename takes a file out of it.
const WorkFolder = "_work"

const stagePrefix = "stage-"

// A Stage is a folder of one process for files in the making. It lies below the work folder of the folder that they are for.
type Stage struct {
	parent string
	dir    string
}

// NewStage makes a stage for an output folder, which it makes too.
func NewStage(folder string) (*Stage, error) {
	parent := filepath.Join(folder, WorkFolder)
	dir, err := makeStage(folder, parent)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the output folder: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // folders of it become folders of the output
		return nil, err
	}
	return &Stage{parent: parent, dir: dir}, nil
}

// maxStageTries bounds how often others may take the work folder away in between.
const maxStageTries = 1000

// makeStage makes the folder of a stage below the work folder. Another process may be closing the last stage there, and remove the work
// folder just now.
func makeStage(folder, parent string) (dir string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for range maxStageTries {
		if err := os.Mkdir(parent, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if dir, err = os.MkdirTemp(parent, stagePrefix); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return dir, err
}

// Path is where a file is written before Put. The name may have folders, which the caller makes.
func (s *Stage) Path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// Put gives a whole file of the stage its final name, at once and durably, and replaces what has it. Where several
// processes put the same bytes under one name, in whatever order, and are killed at whatever moment, the outcome is the same. The folder
// of the final name is there already.
func (s *Stage) Put(name, final string) error { return s.PutAll(map[string]string{name: final}) }

// PutAll is Put for the files of the stage that are keys, under the names that are values. Nearly all of what it takes is to wait for
// the disk, so it waits for several files at a time, and for each folder once.
func (s *Stage) PutAll(finals map[string]string) error {
	if err := parallel.Each(slices.Collect(maps.Keys(finals)), func(name string) error { return syncFile(s.Path(name)) }); err != nil {
		return err
	}
	folders := map[string]bool{}
	for name, final := range finals {
		if err := os.Rename(s.Path(name), final); err != nil {
			return err
		}
		folders[filepath.Dir(final)] = true
	}
	return parallel.Each(slices.Collect(maps.Keys(folders)), SyncFolder)
}

// syncFile makes the content of a file durable.
func syncFile(name string) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0) // some systems make durable only what may be written
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Write puts a file of that content under a final name.
func (s *Stage) Write(final string, content []byte) error {
	name, err := s.write(content)
	if err != nil {
		return err
	}
	return s.Put(name, final)
}

// WriteNew is Write as PutNew is Put.
func (s *Stage) WriteNew(final string, content []byte) error {
	name, err := s.write(content)
	if err != nil {
		return err
	}
	return s.PutNew(name, final)
}

// PutNew is Put for a name that nothing has yet: of several processes one is the first, and the others get fs.ErrExist.
func (s *Stage) PutNew(name, final string) error {
	if err := syncFile(s.Path(name)); err != nil {
		return err
	}
	err := os.Link(s.Path(name), final)
	switch {
	case err == nil:
		return errors.Join(os.Remove(s.Path(name)), SyncFolder(filepath.Dir(final)))
	case errors.Is(err, fs.ErrExist):
		return errors.Join(fs.ErrExist, os.Remove(s.Path(name)))
	}
	// The file system has no links. Who is late by less than this look replaces the first.
	if _, err := os.Lstat(final); err == nil {
		return errors.Join(fs.ErrExist, os.Remove(s.Path(name)))
	}
	return s.Put(name, final)
}

// write makes a whole file of the stage and returns its name. It is durable once it is put.
func (s *Stage) write(content []byte) (name string, err error) {
	file, err := os.CreateTemp(s.dir, "file-")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return filepath.Base(file.Name()), nil
}

// Close removes the stage with what was not put, and the work folder if nothing else is in it.
func (s *Stage) Close() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	return RemoveEmpty(s.parent)
}

// ClearStages removes the stages that killed processes left in an output folder. No other process may be at work there: see Lock.
func ClearStages(folder string) error {
	parent := filepath.Join(folder, WorkFolder)
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), stagePrefix) {
			if err := os.RemoveAll(filepath.Join(parent, e.Name())); err != nil {
				return err
			}
		}
	}
	return RemoveEmpty(parent)
}

// RemoveEmpty removes a folder if nothing is in it.
func RemoveEmpty(dir string) error {
	err := os.Remove(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return err
}

// SyncFolder makes the names in a folder durable. File systems that cannot do that (some network ones) are let be.
func SyncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
