package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/acapscan/acapscan/internal/parallel"
)

const stagePrefix = "stage-"

// A Folder is a Store on a file system. Files are written on a stage below it, from where a rename takes them.
type Folder struct {
	dir string

	mu    sync.Mutex
	stage string          // "" before it is needed
	made  map[string]bool // folders that are there, durably
}

// NewFolder returns a folder. The first Put creates it.
func NewFolder(dir string) *Folder { return &Folder{dir: filepath.Clean(dir), made: map[string]bool{}} }

func (f *Folder) String() string { return f.dir }

// Local tells that it is on this machine.
func (f *Folder) Local() bool { return true }

// Path returns where a file is on this machine.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// List lists files, see Store.
func (f *Folder) List(prefix string, visit func(name string, size int64) error) error {
	return f.list(path.Dir(prefix+"x"), prefix, visit)
}

func (f *Folder) list(folder, prefix string, visit func(string, int64) error) error {
	return eachEntry(f.Path(folder), func(e fs.DirEntry) error {
		name := path.Join(folder, e.Name())
		switch {
		case name == LockFile || isStaged(name):
			return nil
		case e.IsDir() && (strings.HasPrefix(name+"/", prefix) || strings.HasPrefix(prefix, name+"/")):
			return f.list(name, prefix, visit)
		case e.IsDir() || !strings.HasPrefix(name, prefix):
			return nil
		}
		info, err := os.Stat(f.Path(name)) // of what a link leads to
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed since
		}
		if err != nil || info.IsDir() {
			return err
		}
		return visit(name, info.Size())
	})
}

// entriesAtOnce is how many names of a folder are held at a time: a folder may have millions.
const entriesAtOnce = 1 << 10

// eachEntry calls visit for every entry of a folder, in any order. A folder that is not there has none.
func eachEntry(folder string, visit func(fs.DirEntry) error) error {
	dir, err := os.Open(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(entriesAtOnce)
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
		}
		if err == io.EOF || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Stat describes a file, see Store.
func (f *Folder) Stat(name string) (Info, error) {
	info, err := os.Stat(f.Path(name))
	if errors.Is(err, syscall.ENOTDIR) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Info{}, err
	}
	if info.IsDir() {
		return Info{}, fmt.Errorf("%s is a folder: %w", f.Path(name), fs.ErrNotExist)
	}
	return Info{Size: info.Size(), Modified: info.ModTime()}, nil
}

// Open opens a file, see Store.
func (f *Folder) Open(name string) (io.ReadCloser, error) {
	in, err := os.Open(f.Path(name))
	if errors.Is(err, syscall.ENOTDIR) {
		err = &fs.PathError{Op: "open", Path: f.Path(name), Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}

// OpenAt opens a file, see Store.
func (f *Folder) OpenAt(name string, size int64) (ReaderAt, error) {
	in, err := os.Open(f.Path(name))
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err == nil && info.Size() != size {
		err = fmt.Errorf("%s has %d bytes, and was written with %d", f.Path(name), info.Size(), size)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// Stage makes the stage, see Store.
func (f *Folder) Stage() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stage != "" {
		return f.stage, nil
	}
	dir, err := makeStage(f.dir)
	if err != nil {
		return "", fmt.Errorf("cannot write to the output folder: %w", err)
	}
	f.stage = dir
	return dir, os.Chmod(dir, 0o755) // folders of it may become folders of the output
}

// maxTries bounds how often other processes may remove a folder that this one is about to use.
const maxTries = 1000

// makeStage makes a stage below the work folder. Another process may be closing the last stage there, and remove the
// work folder just now.
func makeStage(dir string) (stage string, err error) {
	parent := filepath.Join(dir, WorkFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for range maxTries {
		if err := os.Mkdir(parent, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if stage, err = os.MkdirTemp(parent, stagePrefix); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return stage, err
}

// staged returns the path of an entry on the stage. Content in memory is written there.
func (f *Folder) staged(e Entry) (string, error) {
	if e.Path != "" {
		return e.Path, nil
	}
	stage, err := f.Stage()
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(stage, "file-")
	if err != nil {
		return "", err
	}
	_, err = file.Write(e.Content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// Put renames files of the stage, see Store. Nearly all of the time it waits for the disk, so it waits for several
// files at a time, and for each folder once.
func (f *Folder) Put(files ...Entry) error {
	paths := make([]string, len(files))
	err := parallel.EachNumber(len(files), func(i int) (err error) {
		if paths[i], err = f.staged(files[i]); err != nil {
			return err
		}
		return syncFile(paths[i])
	})
	if err != nil {
		return err
	}
	moved := make([]Move, len(files))
	for i, file := range files {
		moved[i].To = file.Name
	}
	if err := f.makeFoldersOf(moved); err != nil {
		return err
	}
	for i, file := range files {
		if err := f.rename(paths[i], file.Name); err != nil {
			return err
		}
	}
	return f.syncFoldersOf(moved)
}

// Move renames files, see Store.
func (f *Folder) Move(moves ...Move) error {
	if err := f.makeFoldersOf(moves); err != nil {
		return err
	}
	for _, m := range moves {
		if err := f.rename(f.Path(m.From), m.To); err != nil {
			return err
		}
		f.removeEmpty(path.Dir(m.From))
	}
	return f.syncFoldersOf(moves)
}

// rename gives a file of this machine a name in the folder.
func (f *Folder) rename(file, name string) error {
	return f.inFolderOf(name, file, os.Rename)
}

// inFolderOf gives a file of this machine a name by do, in a folder that it makes. Another process may remove a folder
// that is empty just now.
func (f *Folder) inFolderOf(name, file string, do func(from, to string) error) (err error) {
	folder := path.Dir(name)
	for range maxTries {
		if err = f.make(folder); err != nil {
			return err
		}
		if err = do(file, f.Path(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, missing := os.Lstat(file); missing != nil {
			return err
		}
		f.forget(folder)
	}
	return err
}

// makeFoldersOf makes the folders that files will have.
func (f *Folder) makeFoldersOf(moves []Move) error {
	folders := make([]string, len(moves))
	for i, m := range moves {
		folders[i] = path.Dir(m.To)
	}
	return f.make(folders...)
}

// make makes folders with those above them, durably. It waits once for each folder that has new ones in it.
func (f *Folder) make(folders ...string) error {
	var made []string
	parents := map[string]bool{}
	for _, folder := range folders {
		if f.isMade(folder) {
			continue
		}
		if err := os.MkdirAll(f.Path(folder), 0o755); err != nil {
			return err
		}
		for at := folder; at != "." && !f.isMade(at); at = path.Dir(at) {
			made = append(made, at)
			parents[path.Dir(at)] = true
		}
	}
	if err := f.syncFolders(parents); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range made {
		f.made[folder] = true
	}
	return nil
}

func (f *Folder) isMade(folder string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.made[folder]
}

// forget forgets that a folder and those above it are there.
func (f *Folder) forget(folder string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for at := folder; at != "."; at = path.Dir(at) {
		delete(f.made, at)
	}
}

// syncFoldersOf makes new names durable, and that old ones are gone.
func (f *Folder) syncFoldersOf(moves []Move) error {
	folders := map[string]bool{}
	for _, m := range moves {
		folders[path.Dir(m.To)] = true
		if m.From != "" {
			folders[path.Dir(m.From)] = true
		}
	}
	return f.syncFolders(folders)
}

// syncFolders makes the names in folders durable, but in those that are gone: they were empty.
func (f *Folder) syncFolders(folders map[string]bool) error {
	names := make([]string, 0, len(folders))
	for folder := range folders {
		names = append(names, folder)
	}
	return parallel.Each(names, func(folder string) error {
		err := syncFolder(f.Path(folder))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// PutNew links a file of the stage, see Store.
func (f *Folder) PutNew(e Entry) error {
	file, err := f.staged(e)
	if err != nil {
		return err
	}
	if err := syncFile(file); err != nil {
		return err
	}
	to := f.Path(e.Name)
	err = f.inFolderOf(e.Name, file, os.Link)
	switch {
	case err == nil:
		return errors.Join(os.Remove(file), syncFolder(filepath.Dir(to)))
	case errors.Is(err, fs.ErrExist):
		return errors.Join(fs.ErrExist, os.Remove(file))
	}
	// The file system has no links. A process that is late by less than this look replaces the first.
	if _, err := os.Lstat(to); err == nil {
		return errors.Join(fs.ErrExist, os.Remove(file))
	}
	return f.Put(Entry{Name: e.Name, Path: file})
}

// Remove removes files, and folders that are empty then, see Store.
func (f *Folder) Remove(names ...string) error {
	for _, name := range names {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var moves []Move
	for _, name := range names {
		moves = append(moves, Move{To: name})
		f.removeEmpty(path.Dir(name))
	}
	return f.syncFoldersOf(moves)
}

// removeEmpty removes a folder and those above it that have nothing in them, but for the whole store. It is no error if
// it cannot.
func (f *Folder) removeEmpty(folder string) {
	for at := folder; at != "."; at = path.Dir(at) {
		if info, err := os.Lstat(f.Path(at)); err != nil || !info.IsDir() || os.Remove(f.Path(at)) != nil {
			return
		}
		f.mu.Lock()
		delete(f.made, at)
		f.mu.Unlock()
	}
}

// removeFolders removes empty folders, see RemoveAll. It is no error if it cannot.
func (f *Folder) removeFolders(prefix string) { f.removeFoldersIn(path.Dir(prefix+"x"), prefix) }

func (f *Folder) removeFoldersIn(folder, prefix string) {
	var below []string
	_ = eachEntry(f.Path(folder), func(e fs.DirEntry) error {
		name := path.Join(folder, e.Name())
		if e.IsDir() && !isStaged(name) && strings.HasPrefix(name+"/", prefix) {
			below = append(below, name)
		}
		return nil
	})
	for _, name := range below {
		f.removeFoldersIn(name, prefix)
	}
	f.removeEmpty(folder)
}

// Lock locks the folder, which it makes, see Store. In mode Alone it removes the stages that killed processes left.
func (f *Folder) Lock(mode Mode) (release func(), err error) {
	lock, err := acquire(f.dir, mode)
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() {
		_ = lock.release() // the lock ends with the process in any case
	})
	if mode == Alone {
		if err := f.clearStages(); err != nil {
			release()
			return nil, fmt.Errorf("cannot clear the remains of an earlier run: %w", err)
		}
	}
	return release, nil
}

// clearStages removes the stages that killed processes left.
func (f *Folder) clearStages() error {
	work := f.Path(WorkFolder)
	var left []string
	err := eachEntry(work, func(e fs.DirEntry) error {
		if e.IsDir() && strings.HasPrefix(e.Name(), stagePrefix) {
			left = append(left, filepath.Join(work, e.Name()))
		}
		return nil
	})
	f.mu.Lock()
	left = slices.DeleteFunc(left, func(dir string) bool { return dir == f.stage })
	f.mu.Unlock()
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	f.removeEmpty(WorkFolder)
	return err
}

// Close removes the stage, see Store.
func (f *Folder) Close() error {
	f.mu.Lock()
	stage := f.stage
	f.stage = ""
	f.mu.Unlock()
	if stage == "" {
		return nil
	}
	err := os.RemoveAll(stage)
	f.removeEmpty(WorkFolder)
	return err
}

// syncFile makes the content of a file durable.
func syncFile(name string) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0) // some systems make durable only what may be written
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// syncFolder makes the names in a folder durable. File systems that cannot do that (some network ones) are passed over.
func syncFolder(dir string) error {
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
