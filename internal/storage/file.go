package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
)

// TempSuffix is added to the name of a file until it is whole. Nothing under a name with this suffix is.
const TempSuffix = ".tmp"

// A File is written next to its name, and has it only from Commit on. It counts and digests what is written. A File
// must not be used by two goroutines at once.
type File struct {
	name string
	file *os.File // nil after Commit and Abort
	hash hash.Hash
	n    int64
}

// Create starts a file. It writes to the name plus TempSuffix, in the same folder, and replaces what an earlier, killed
// run left there.
func Create(name string) (*File, error) {
	file, err := os.Create(name + TempSuffix)
	if err != nil {
		return nil, err
	}
	return &File{name: name, file: file, hash: sha256.New()}, nil
}

// Write adds to the file. After Commit or Abort its error is fs.ErrClosed.
func (f *File) Write(p []byte) (int, error) {
	if f.file == nil {
		return 0, fmt.Errorf("%s: %w", f.name, fs.ErrClosed)
	}
	n, err := f.file.Write(p)
	f.hash.Write(p[:n])
	f.n += int64(n)
	return n, err
}

// Size is how many bytes have been written.
func (f *File) Size() int64 { return f.n }

// SHA256 is the digest of what has been written, in lower-case hexadecimal.
func (f *File) SHA256() string { return hex.EncodeToString(f.hash.Sum(nil)) }

// Commit gives the file its name, replacing an earlier file of that name. If it fails, the temporary file is removed
// and the earlier one stays. A power cut may undo it, but not after CommitDurably, or Put of a file on a stage.
func (f *File) Commit() error {
	if f.file == nil {
		return fmt.Errorf("%s: %w", f.name, fs.ErrClosed)
	}
	err := f.file.Close()
	if err == nil {
		err = os.Rename(f.name+TempSuffix, f.name)
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	f.file = nil
	return nil
}

// CommitDurably commits a file so that it survives a power cut.
func (f *File) CommitDurably() error {
	if f.file == nil {
		return fmt.Errorf("%s: %w", f.name, fs.ErrClosed)
	}
	if err := f.file.Sync(); err != nil {
		return errors.Join(err, f.Abort())
	}
	if err := f.Commit(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(f.name))
}

// Abort removes the temporary file. After Commit, or a second time, it does nothing, so that it can be deferred.
func (f *File) Abort() error {
	if f.file == nil {
		return nil
	}
	f.file.Close() // it may be closed already, and is removed
	f.file = nil
	if err := os.Remove(f.name + TempSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
