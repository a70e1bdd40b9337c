// Package storagetest helps to test what works on a store: a store in memory, one that kills the process that uses it
// at any moment, and the table of tests that every implementation of storage.Store passes.
package storagetest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/acapscan/acapscan/internal/storage"
)

// A Memory is a store in memory, as a bucket of S3 is one: nothing is locked, and a file that is moved keeps its old
// name too. Each process has its own, see Process.
type Memory struct {
	files *files

	mu    sync.Mutex
	stage string
}

type files struct {
	mu    sync.Mutex
	named map[string]file
}

type file struct {
	content []byte
	put     time.Time
}

// New returns an empty store.
func New() *Memory { return &Memory{files: &files{named: map[string]file{}}} }

// Process returns the store as another process has it, with a stage of its own.
func (m *Memory) Process() *Memory { return &Memory{files: m.files} }

// Clone returns a store that holds the same files.
func (m *Memory) Clone() *Memory {
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	return &Memory{files: &files{named: maps.Clone(m.files.named)}}
}

func (m *Memory) String() string { return "memory:" }

// Local tells that it is elsewhere.
func (m *Memory) Local() bool { return false }

// List lists files, see storage.Store.
func (m *Memory) List(prefix string, visit func(string, int64) error) error {
	m.files.mu.Lock()
	named := maps.Clone(m.files.named)
	m.files.mu.Unlock()
	for name, f := range named {
		if strings.HasPrefix(name, prefix) {
			if err := visit(name, int64(len(f.content))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Memory) file(name string) (file, error) {
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	f, ok := m.files.named[name]
	if !ok {
		return file{}, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return f, nil
}

// Stat describes a file, see storage.Store.
func (m *Memory) Stat(name string) (storage.Info, error) {
	f, err := m.file(name)
	return storage.Info{Size: int64(len(f.content)), Modified: f.put}, err
}

// Open opens a file, see storage.Store.
func (m *Memory) Open(name string) (io.ReadCloser, error) {
	f, err := m.file(name)
	return io.NopCloser(bytes.NewReader(f.content)), err
}

// OpenAt opens a file, see storage.Store.
func (m *Memory) OpenAt(name string, size int64) (storage.ReaderAt, error) {
	f, err := m.file(name)
	if err == nil && int64(len(f.content)) != size {
		err = fmt.Errorf("%s has %d bytes, and not %d", name, len(f.content), size)
	}
	return opened{bytes.NewReader(f.content)}, err
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

// Put puts files, see storage.Store.
func (m *Memory) Put(entries ...storage.Entry) error {
	for _, e := range entries {
		if err := m.put(e, false); err != nil {
			return err
		}
	}
	return nil
}

// PutNew puts a file, see storage.Store.
func (m *Memory) PutNew(e storage.Entry) error { return m.put(e, true) }

func (m *Memory) put(e storage.Entry, onlyNew bool) error {
	content := bytes.Clone(e.Content)
	if e.Path != "" {
		var err error
		if content, err = os.ReadFile(e.Path); err != nil {
			return err
		}
	}
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	if _, there := m.files.named[e.Name]; there && onlyNew {
		return fmt.Errorf("%s: %w", e.Name, fs.ErrExist)
	}
	m.files.named[e.Name] = file{content, time.Now()}
	return nil
}

// Move copies files, see storage.Store.
func (m *Memory) Move(moves ...storage.Move) error {
	for _, move := range moves {
		f, err := m.file(move.From)
		if err != nil {
			return err
		}
		m.files.mu.Lock()
		m.files.named[move.To] = f
		m.files.mu.Unlock()
	}
	return nil
}

// Remove removes files, see storage.Store.
func (m *Memory) Remove(names ...string) error {
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	for _, name := range names {
		delete(m.files.named, name)
	}
	return nil
}

// Stage makes a folder for the process, see storage.Store.
func (m *Memory) Stage() (dir string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stage == "" {
		m.stage, err = os.MkdirTemp("", "acapscan-memory-")
	}
	return m.stage, err
}

// Lock locks nothing.
func (m *Memory) Lock(storage.Mode) (release func(), err error) { return func() {}, nil }

// Close removes the stage, see storage.Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	stage := m.stage
	m.stage = ""
	if stage == "" {
		return nil
	}
	return os.RemoveAll(stage)
}
