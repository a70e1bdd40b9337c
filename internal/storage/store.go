// Package storage keeps whole files under names: in a folder of this machine, or in another Store, such as the bucket
// of S3 in ingest/remote. Callers do not know which they have. The package knows neither facts nor tables.
package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// A Store holds whole files under names, which are relative and have slashes. A file has its name at once or not at
// all, however many processes write and whenever they are killed. What is put is durable. A Store is safe for
// concurrent use.
type Store interface {
	// String is the name of the store, for sentences: a folder as the user named it, or s3://bucket/key.
	String() string
	// List calls visit for every file whose name begins with prefix, in any order, one after another. Staged files and
	// the lock are no files of the store. Visit must not change what it lists.
	List(prefix string, visit func(name string, size int64) error) error
	// Stat describes a file. The error wraps fs.ErrNotExist where there is none.
	Stat(name string) (Info, error)
	// Open returns the content of a file from its beginning. The error wraps fs.ErrNotExist where there is none.
	Open(name string) (io.ReadCloser, error)
	// OpenAt opens a file to be read at offsets, in bounded memory. Its size is known from List or a done marker:
	// another one is an error, here or at the first read.
	OpenAt(name string, size int64) (ReaderAt, error)
	// Put gives files their names, whatever had these before. It may leave a file that has the same content. Several
	// are put faster together than one after another.
	Put(files ...Entry) error
	// PutNew gives a file a name that no file has: of several processes one is the first, and the others get
	// fs.ErrExist.
	PutNew(file Entry) error
	// Move gives files other names, whatever had these before. The old name of each is gone, or stays until Remove. The
	// error wraps fs.ErrNotExist where a file is not there.
	Move(moves ...Move) error
	// Remove removes files, those that are there.
	Remove(names ...string) error
	// Stage returns a folder of this machine and this process for files in the making. Put takes files from there
	// without copying them, where it can. Close removes it; where a process is killed, the next Lock in mode Alone
	// does.
	Stage() (dir string, err error)
	// Lock keeps other processes away until release, as far as the store can. The error wraps ErrBusy where another
	// process is at work.
	Lock(mode Mode) (release func(), err error)
	// Local reports whether the store is on this machine: it locks, so that a process that is Alone may remove what
	// others left, and reads are fast.
	Local() bool
	// Close removes the stage.
	Close() error
}

// An Entry is a file to be put: one that lies on the stage, or content in memory.
type Entry struct {
	Name    string
	Path    string // on this machine, below Stage; "": Content
	Content []byte
}

// A Move gives a file another name.
type Move struct{ From, To string }

// Info describes a file.
type Info struct {
	Size     int64     // in bytes
	Modified time.Time // when it was put, by the clock of the store
}

// A ReaderAt reads a file at offsets.
type ReaderAt interface {
	io.ReaderAt
	io.Closer
}

// WorkFolder holds what a run has not finished. No name in it ends as those of finished files do.
const WorkFolder = "_work"

// maxRead bounds a file that Read reads, in bytes.
const maxRead = 256 << 20

// Read returns the content of a small file. The error wraps fs.ErrNotExist where there is none.
func Read(s Store, name string) ([]byte, error) {
	in, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, maxRead+1))
	if err == nil && len(content) > maxRead {
		err = fmt.Errorf("%s/%s is longer than %d bytes", s, name, maxRead)
	}
	return content, err
}

// Write puts a file of that content.
func Write(s Store, name string, content []byte) error {
	return s.Put(Entry{Name: name, Content: content})
}

// Digest returns the SHA-256 of a file, in lower-case hexadecimal. It ends with ctx: files of a whole crawl take
// minutes.
func Digest(ctx context.Context, s Store, name string) (string, error) {
	in, err := s.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, untilDone{ctx, in})
	return hex.EncodeToString(sum.Sum(nil)), err
}

type untilDone struct {
	ctx context.Context
	in  io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.in.Read(p)
}

// Exists reports whether there is a file of that name.
func Exists(s Store, name string) (bool, error) {
	_, err := s.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// RemoveAll removes all files whose names begin with prefix, and the folders below it that are empty then.
func RemoveAll(s Store, prefix string) error {
	var names []string // removed while they are listed, some file systems would pass over others
	err := s.List(prefix, func(name string, _ int64) error {
		names = append(names, name)
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.Remove(names...); err != nil {
		return err
	}
	if f, ok := s.(foldered); ok {
		f.removeFolders(prefix)
	}
	return nil
}

// A foldered store may have empty folders, which List does not tell: a killed process leaves its stage in a store that
// others do not know, below their work folder.
type foldered interface {
	// removeFolders removes the empty folders whose names, with a slash, begin with prefix, but for those of stages.
	removeFolders(prefix string)
}

// errFound ends a List at the first file.
var errFound = errors.New("found")

// Holds reports whether there is a file whose name begins with prefix.
func Holds(s Store, prefix string) (bool, error) {
	err := s.List(prefix, func(string, int64) error { return errFound })
	if err == errFound {
		return true, nil
	}
	return false, err
}

// Sub returns the files of a store below one of its folders, as a store of its own. The stage and the lock are those of
// the whole store, which its owner closes.
func Sub(s Store, folder string) Store { return &sub{Store: s, folder: folder} }

type sub struct {
	Store
	folder string
}

func (s *sub) name(name string) string { return s.folder + "/" + name }

func (s *sub) String() string { return s.Store.String() + "/" + s.folder }

func (s *sub) List(prefix string, visit func(string, int64) error) error {
	return s.Store.List(s.name(prefix), func(name string, size int64) error {
		return visit(name[len(s.folder)+1:], size)
	})
}

func (s *sub) Stat(name string) (Info, error) { return s.Store.Stat(s.name(name)) }

func (s *sub) Open(name string) (io.ReadCloser, error) { return s.Store.Open(s.name(name)) }

func (s *sub) OpenAt(name string, size int64) (ReaderAt, error) {
	return s.Store.OpenAt(s.name(name), size)
}

func (s *sub) Put(files ...Entry) error {
	below := make([]Entry, len(files))
	for i, file := range files {
		below[i] = file
		below[i].Name = s.name(file.Name)
	}
	return s.Store.Put(below...)
}

func (s *sub) PutNew(file Entry) error {
	file.Name = s.name(file.Name)
	return s.Store.PutNew(file)
}

func (s *sub) Move(moves ...Move) error {
	below := make([]Move, len(moves))
	for i, m := range moves {
		below[i] = Move{s.name(m.From), s.name(m.To)}
	}
	return s.Store.Move(below...)
}

func (s *sub) Remove(names ...string) error {
	below := make([]string, len(names))
	for i, name := range names {
		below[i] = s.name(name)
	}
	return s.Store.Remove(below...)
}

func (s *sub) removeFolders(prefix string) {
	if f, ok := s.Store.(foldered); ok {
		f.removeFolders(s.name(prefix))
	}
}

func (s *sub) Close() error { return nil }

// isStaged reports whether a name is that of a stage of a process, or of what is on it.
func isStaged(name string) bool {
	below, ok := strings.CutPrefix(path.Clean(name), WorkFolder+"/"+stagePrefix)
	return ok && below != ""
}
