package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// LockFile keeps other processes out of a folder while a run is at work there. What counts is the lock on the file,
// which ends with its process: a process that is killed leaves the file itself.
const LockFile = "_lock"

// A Mode says with whom a run shares its store.
type Mode int

const (
	Alone  Mode = iota // with no other process
	Shared             // with others that say so too: shards and buckets of one job
)

// A fileLock is a run's hold on its output folder.
type fileLock struct {
	file *os.File // nil where the file system knows no locks
	mode Mode
}

// ErrBusy tells that another run is at work in the folder.
var ErrBusy = errors.New("another run is at work there")

// errNoLocks tells that the file system, or the operating system, knows no locks.
var errNoLocks = errors.New("no locks")

// patience is how long a process that shares a folder waits for one that has it alone. The last task of a job has it
// alone for a moment, and a repeated task must not fail because of that.
const patience = 2 * time.Second

// acquire locks an output folder, which it makes. The error wraps ErrBusy where another run is at work there: at once
// for who wants it alone, and after a few seconds for who would share it.
func acquire(folder string, mode Mode) (*fileLock, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write to the output folder: %w", err)
	}
	name := filepath.Join(folder, LockFile)
	began := time.Now()
	for {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, fmt.Errorf("cannot write to the output folder: %w", err)
		}
		switch err := lock(file, mode); {
		case errors.Is(err, errNoLocks):
			_ = os.Remove(name) // several may do so at once
			return &fileLock{}, file.Close()
		case errors.Is(err, ErrBusy) && mode == Shared && time.Since(began) < patience:
			if err := file.Close(); err != nil {
				return nil, err
			}
			time.Sleep(20 * time.Millisecond)
			continue
		case errors.Is(err, ErrBusy):
			return nil, errors.Join(fmt.Errorf("%s is in use: %w", folder, ErrBusy), file.Close())
		case err != nil:
			return nil, errors.Join(fmt.Errorf("%s cannot be locked: %w", name, err), file.Close())
		}
		// Who had the lock before may have removed the file since we opened it: then a third one can lock a new one.
		held, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if there, err := os.Stat(name); err == nil && os.SameFile(held, there) {
			return &fileLock{file: file, mode: mode}, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// release ends the lock. A process that was alone removes the file; processes that share do not know which is the last.
func (l *fileLock) release() error {
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	if l.mode == Alone {
		_ = os.Remove(file.Name()) // the folder may be gone, and an unlocked file does no harm
	}
	return file.Close()
}
