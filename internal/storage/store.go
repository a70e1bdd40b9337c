package storage

import "io"

// A Store takes whole files under names, as a folder does, for processes on many machines that share no file system: objects of S3, say.
// Names are below the store, with slashes. A file has its name at once or not at all; no rename reaches it, and nothing is locked. It is
// safe for concurrent use.
type Store interface {
	// String is the name of the store, for sentences.
	String() string
	// List returns the lengths of all files whose names begin so, by their names.
	List(beginning string) (map[string]int64, error)
	// Read returns the content of a small file. The error wraps fs.ErrNotExist where there is none.
	Read(name string) ([]byte, error)
	// Stream returns the content of a file of any length, from its beginning. The error wraps fs.ErrNotExist where there is none.
	Stream(name string) (io.ReadCloser, error)
	// Open returns a file of that length, from List, to be read at offsets. It needs no closing.
	Open(name string, size int64) (io.ReaderAt, error)
	// Put gives a file of this machine a name that none has. A file of the same content is as good, so that several may put it; where
	// one of another content has the name the error wraps fs.ErrExist.
	Put(file, name string) error
	// Replace gives a file of this machine a name, whatever file had it.
	Replace(file, name string) error
	// Write gives content a name, whatever file had it.
	Write(name string, content []byte) error
	// WriteNew gives content a name that none has: of several processes one is the first, and the others get fs.ErrExist.
	WriteNew(name string, content []byte) error
	// Copy gives a file a second name, whatever file had it.
	Copy(from, to string) error
	// Remove removes a file, if it is there.
	Remove(name string) error
}
