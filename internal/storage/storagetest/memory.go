// Package storagetest has a store of files in memory, for tests of what is written to one: of every moment at which a process may be killed.
package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
)

// ErrKilled is the error of a process that is dead.
var ErrKilled = errors.New("killed")

// A Memory is a storage.Store as one process sees it. The zero value is not good: see New.
type Memory struct {
	mu    *sync.Mutex
	files map[string][]byte

	// Before is called before each deed, if it is not nil, and may end the process with an error. Reading is no deed.
	Before func(deed, name string) error
	// Small bounds what Read takes for a small file, in bytes; 0: any is one.
	Small int
}

// New returns an empty store.
func New() *Memory { return &Memory{mu: &sync.Mutex{}, files: map[string][]byte{}} }

// Process returns the store as another process sees it, that is killed after so many deeds; negative: never.
func (m *Memory) Process(deeds int) *Memory {
	var mu sync.Mutex
	return &Memory{mu: m.mu, files: m.files, Small: m.Small, Before: func(string, string) error {
		mu.Lock()
		defer mu.Unlock()
		if deeds == 0 {
			return ErrKilled
		}
		deeds--
		return nil
	}}
}

// Clone returns a store that holds the same.
func (m *Memory) Clone() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Memory{mu: &sync.Mutex{}, files: maps.Clone(m.files)}
}

// Files returns the content of all files.
func (m *Memory) Files() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]string{}
	for name, content := range m.files {
		all[name] = string(content)
	}
	return all
}

func (m *Memory) String() string { return "memory:" }

// do runs a deed, at once.
func (m *Memory) do(deed, name string, run func(have []byte, there bool) error) error {
	if m.Before != nil {
		if err := m.Before(deed, name); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	have, there := m.files[name]
	return run(have, there)
}

// List is that of storage.Store, as are the methods below.
func (m *Memory) List(beginning string) (map[string]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[string]int64{}
	for name, content := range m.files {
		if strings.HasPrefix(name, beginning) {
			found[name] = int64(len(content))
		}
	}
	return found, nil
}

func (m *Memory) Read(name string) ([]byte, error) {
	content, err := m.whole(name)
	if err == nil && m.Small > 0 && len(content) > m.Small {
		err = fmt.Errorf("%s is longer than %d bytes", name, m.Small)
	}
	return content, err
}

func (m *Memory) whole(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return bytes.Clone(content), nil
}

func (m *Memory) Stream(name string) (io.ReadCloser, error) {
	content, err := m.whole(name)
	return io.NopCloser(bytes.NewReader(content)), err
}

func (m *Memory) Open(name string, size int64) (io.ReaderAt, error) {
	content, err := m.whole(name)
	if err == nil && int64(len(content)) != size {
		err = fmt.Errorf("%s has %d bytes, and not %d", name, len(content), size)
	}
	return bytes.NewReader(content), err
}

func (m *Memory) Put(file, name string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return m.do("Put", name, func(have []byte, there bool) error {
		if there && !bytes.Equal(have, content) {
			return fmt.Errorf("%s has other content: %w", name, fs.ErrExist)
		}
		m.files[name] = content
		return nil
	})
}

func (m *Memory) Replace(file, name string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return m.do("Replace", name, func([]byte, bool) error {
		m.files[name] = content
		return nil
	})
}

func (m *Memory) Write(name string, content []byte) error {
	return m.do("Write", name, func([]byte, bool) error {
		m.files[name] = bytes.Clone(content)
		return nil
	})
}

func (m *Memory) WriteNew(name string, content []byte) error {
	return m.do("WriteNew", name, func(_ []byte, there bool) error {
		if there {
			return fmt.Errorf("%s: %w", name, fs.ErrExist)
		}
		m.files[name] = bytes.Clone(content)
		return nil
	})
}

func (m *Memory) Copy(from, to string) error {
	content, err := m.whole(from)
	if err != nil {
		return err
	}
	return m.do("Copy", to, func([]byte, bool) error {
		m.files[to] = content
		return nil
	})
}

func (m *Memory) Remove(name string) error {
	return m.do("Remove", name, func([]byte, bool) error {
		delete(m.files, name)
		return nil
	})
}
