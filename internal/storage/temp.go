package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tempPrefix begins the names of all temporary folders of the program.
const tempPrefix = "acapscan-"

// TempFolder makes a folder among the system's temporary files, with the purpose in its name. release removes it. The
// next call on this machine removes the folder of a process that was killed: the lock on a file in it ends with its
// process. Where the file system has no locks, that folder stays.
func TempFolder(purpose string) (dir string, release func() error, err error) {
	prefix := tempPrefix + thisHost() + "-"
	clearTemp(prefix)
	for {
		if dir, err = os.MkdirTemp("", prefix+purpose+"-"); err != nil {
			return "", nil, err
		}
		lock, err := acquire(dir, Alone)
		switch {
		case errors.Is(err, ErrBusy), errors.Is(err, fs.ErrNotExist):
			continue // another process takes it for one of a killed process, or has removed it
		case err != nil:
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		return dir, func() error { return errors.Join(os.RemoveAll(dir), lock.release()) }, nil
	}
}

// clearTemp removes the temporary folders with that prefix of killed processes: best effort. Where there are no locks,
// it removes nothing.
func clearTemp(prefix string) {
	found, _ := filepath.Glob(filepath.Join(globQuoted(os.TempDir()), prefix+"*", LockFile))
	for _, name := range found {
		dir := filepath.Dir(name)
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue // of another user, or gone
		}
		if lock(file, Alone) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = file.Close()
	}
}

// thisHost is the name of this machine in names of files. A lock may be unknown to another machine that shares the
// folder, so that each machine only removes folders with its own name.
func thisHost() string {
	name, _ := os.Hostname()
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '_'
	}, name)
}

// globQuoted returns a pattern that matches the path alone.
func globQuoted(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no quoting, and there are no locks
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
